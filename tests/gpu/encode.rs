//! `encode`: results that stay on the GPU.

use crate::harness::oracle::Oracle;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::Trial;
use wgpu_reduce::{Error, GpuBuffer, Mean, Operation, Stats, Sum, Variance};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "encode::sums_of_sums", sums_of_sums),
        on_every_rig(rigs, "encode::any_output_slot", any_output_slot),
        on_every_rig(rigs, "encode::in_place", in_place),
        on_every_rig(rigs, "encode::empty_input", empty_input),
        on_every_rig(rigs, "encode::equal_numbers", equal_numbers),
        on_every_rig(rigs, "encode::no_room", no_room),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn encoder(rig: &Rig) -> wgpu::CommandEncoder {
    rig.reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}

/// Passes in one encoder see the results of those before them.
fn sums_of_sums(rig: &Rig) -> Outcome {
    let values = f32::data(Shape::Constant, 40_000);
    let input = rig.reducer.upload(&values)?;
    let partial: GpuBuffer<f32> = rig.reducer.alloc(4)?;
    let total: GpuBuffer<f32> = rig.reducer.alloc(1)?;
    let mut encoder = encoder(rig);
    for quarter in 0..4 {
        let part = input.slice(quarter * 10_000..(quarter + 1) * 10_000)?;
        rig.reducer.reduce(Sum, part).encode(&mut encoder, partial.slice(quarter..)?)?;
    }
    rig.reducer.reduce(Sum, &partial).encode(&mut encoder, &total)?;
    rig.reducer.queue().submit([encoder.finish()]);
    ensure!(partial.download(&rig.reducer)? == [15_000.0; 4], "the quarters are wrong");
    ensure!(total.download(&rig.reducer)? == [60_000.0], "the total is wrong");
    Ok(())
}

/// The result goes where it should and nowhere else, also past one binding's alignment.
fn any_output_slot(rig: &Rig) -> Outcome {
    let values = i32::data(Shape::Random, 5000);
    let expected: i64 = values.iter().map(|&v| i64::from(v)).sum();
    let input = rig.reducer.upload(&values)?;
    for slot in [0, 1, 2, 31, 32, 33, 99] {
        let output = rig.reducer.upload(&[-7_i64; 100])?;
        let mut encoder = encoder(rig);
        rig.reducer.reduce(Sum, &input).encode(&mut encoder, output.slice(slot..)?)?;
        rig.reducer.queue().submit([encoder.finish()]);
        let mut wanted = [-7_i64; 100];
        wanted[usize::try_from(slot)?] = expected;
        ensure!(output.download(&rig.reducer)? == wanted, "slot {slot} of {wanted:?}");
    }
    Ok(())
}

/// Input and output in one buffer, for one pass and for two.
fn in_place(rig: &Rig) -> Outcome {
    for len in [0_u64, 1, 3, 1000, 100_000] {
        let values = f32::data(Shape::Constant, len);
        let mut padded = vec![f32::poison(); 2];
        padded.extend(&values);
        let buffer = rig.reducer.upload(&padded)?;
        let mut encoder = encoder(rig);
        rig.reducer.reduce(Sum, buffer.slice(2..)?).encode(&mut encoder, buffer.slice(1..2)?)?;
        rig.reducer.queue().submit([encoder.finish()]);
        let after = buffer.download(&rig.reducer)?;
        let expected = Operation::<f32>::on_cpu(&Sum, &values)?;
        ensure!(after[1].to_bits() == expected.to_bits(), "{len}: {} is not {expected}", after[1]);
        ensure!(after[0].is_nan() && after[2..] == values[..], "{len}: a neighbour was changed");
    }
    Ok(())
}

/// One result among others that are not to change, at this place of so many.
pub(crate) fn check<T: TestElement, O: Oracle<T>>(
    rig: &Rig,
    values: &[T],
    [slot, slots]: [u64; 2],
) -> Outcome {
    let operation = O::default();
    let input = rig.reducer.upload(values)?;
    let before: GpuBuffer<O::Raw> = rig.reducer.alloc(slots)?;
    let marks = vec![0xA5; size_of::<O::Raw>() * usize::try_from(slots)?];
    let output = GpuBuffer::<u8>::from_wgpu(before.as_wgpu().clone(), 0, marks.len() as u64)?;
    rig.reducer.write(&output, &marks)?;
    let mut encoder = encoder(rig);
    let outcome = rig.reducer.reduce(operation, &input).encode(&mut encoder, before.slice(slot..)?);
    let refusal = O::expected(values).err();
    let is_right = outcome.as_ref().err() == refusal.as_ref();
    ensure!(is_right, "{} elements: {outcome:?}, not {refusal:?}", values.len());
    if refusal.is_some() {
        return Ok(());
    }
    rig.reducer.queue().submit([encoder.finish()]);
    let raw = before.slice(slot..=slot)?;
    let raw = rig.reducer.read(raw)?.wait()?;
    let bytes = output.download(&rig.reducer)?;
    let at = size_of::<O::Raw>() * usize::try_from(slot)?;
    let (others, rest) = bytes.split_at(at);
    let untouched = others.iter().chain(&rest[size_of::<O::Raw>()..]).all(|&byte| byte == 0xA5);
    ensure!(untouched, "neighbours of slot {slot} of {slots} were changed");
    let found = operation.finish(raw[0], values.len() as u64);
    let expected = O::expected(values);
    let (Ok(result), Ok(wanted)) = (&found, &expected) else {
        let is_right = found.as_ref().err() == expected.as_ref().err();
        ensure!(is_right, "{found:?}, not {expected:?}");
        return Ok(());
    };
    let plan = rig.reducer.reduce(operation, &input).plan()?;
    let is_right = O::judge(*result, *wanted, values, &plan.accuracy());
    ensure!(is_right, "{} elements in slot {slot}: {found:?}, not {expected:?}", values.len());
    Ok(())
}

/// The sum of nothing is written too.
fn empty_input(rig: &Rig) -> Outcome {
    let input: GpuBuffer<u32> = rig.reducer.upload(&[])?;
    let output = rig.reducer.upload(&[u64::MAX])?;
    let mut encoder = encoder(rig);
    rig.reducer.reduce(Sum, &input).encode(&mut encoder, &output)?;
    rig.reducer.queue().submit([encoder.finish()]);
    ensure!(output.download(&rig.reducer)? == [0], "the sum of nothing is not 0");
    Ok(())
}

/// Equal numbers are their own mean, and deviate from it by nothing.
fn equal_numbers(rig: &Rig) -> Outcome {
    for len in [3, 100_003] {
        let values = f32::data(Shape::Constant, len);
        check::<f32, Mean>(rig, &values, [1, 3])?;
        check::<f32, Variance>(rig, &values, [1, 3])?;
        check::<f32, Stats>(rig, &values, [1, 3])?;
        check::<f64, Stats>(rig, &f64::data(Shape::Constant, len), [1, 3])?;
    }
    Ok(())
}

fn no_room(rig: &Rig) -> Outcome {
    let input = rig.reducer.upload(&[1_u32])?;
    let output: GpuBuffer<u64> = rig.reducer.alloc(1)?;
    let mut encoder = encoder(rig);
    let outcome = rig.reducer.reduce(Sum, &input).encode(&mut encoder, output.slice(1..)?);
    let expected = Err(Error::InvalidRange { start: 0, end: 1, len: 0 });
    ensure!(outcome == expected, "{outcome:?}");
    Ok(())
}
