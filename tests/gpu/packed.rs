//! What is particular to elements of fewer than 32 bits.

use crate::harness::oracle::Judged;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use half::{bf16, f16};
use libtest_mimic::{Failed, Trial};
use std::fmt::Debug;
use wgpu_reduce::{
    ArgMax, BitAnd, GpuBuffer, GpuSlice, Max, MinMax, NormMax, Operation, Sum, WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "packed::words_are_left", words_are_left),
        on_every_rig(rigs, "packed::in_place", in_place),
        on_every_rig(rigs, "packed::every_byte", every_byte),
        on_every_rig(rigs, "packed::every_half", every_half),
        on_every_rig(rigs, "packed::every_bfloat", every_bfloat),
        on_every_rig(rigs, "packed::sums_beyond_their_type", sums_beyond_their_type),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn submit(rig: &Rig, record: impl FnOnce(&mut wgpu::CommandEncoder) -> Outcome) -> Outcome {
    let mut encoder =
        rig.reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    record(&mut encoder)?;
    rig.reducer.queue().submit([encoder.finish()]);
    Ok(())
}

/// What an operation leaves is that of the wide type, and only `finish` makes it narrow.
fn leaves<T: TestElement, O: Operation<T, Raw: PartialEq + Debug, Output: Judged>>(
    rig: &Rig,
    operation: O,
    values: &[T],
    raw: O::Raw,
) -> Outcome {
    let input = rig.reducer.upload(values)?;
    let output: GpuBuffer<O::Raw> = rig.reducer.alloc(2)?;
    let second = output.slice(1..)?;
    submit(rig, |encoder| Ok(rig.reducer.reduce(operation, &input).encode(encoder, second)?))?;
    let left = rig.reducer.read(second)?.wait()?;
    ensure!(
        left == [raw],
        "{operation:?} of {values:?}: {left:?}, not {raw:?}",
        operation = operation.record()
    );
    let result = operation.finish(raw, values.len() as u64)?;
    let expected = operation.on_cpu(values)?;
    ensure!(result.same_bits(expected), "{result:?}, not {expected:?}");
    Ok(())
}

fn words_are_left(rig: &Rig) -> Outcome {
    let halves = [1.5, -2.5, 6e-8].map(f16::from_f32);
    let bfloats = [1.5, -2.5, 1e-40].map(bf16::from_f32);
    leaves(rig, Sum, &[200_u8, 100, 3], 303_u64)?;
    leaves(rig, Sum, &[-200_i16, -100, 3], -297_i64)?;
    leaves(rig, Sum, &halves[..2], -1.0_f32)?;
    leaves(rig, Sum, &bfloats[..2], -1.0_f32)?;
    // The sum modulo 2^32, of which the host takes the lowest bits.
    leaves(rig, WrappingSum, &[200_u8, 100, 3], 303_u32)?;
    leaves(rig, WrappingSum, &[-100_i8, -100], -200_i32)?;
    leaves(rig, Max, &[-7_i8, -9], -7_i32)?;
    leaves(rig, Max, &halves[2..], 2.0_f32.powi(-24))?;
    leaves(rig, Max, &bfloats[2..], f32::from_bits(0x0001_0000))?;
    leaves(rig, NormMax, &[i8::MIN, 5], 128_u32)?;
    leaves(rig, BitAnd, &[-1_i16, -4], -4_i32)?;
    leaves(rig, BitAnd, &[] as &[u16], u32::MAX)
}

/// The result goes over the input's first bytes, and nowhere else.
fn in_place(rig: &Rig) -> Outcome {
    for len in [1_u64, 6, 1001, 70_003] {
        let values = u8::data(Shape::Random, len);
        let padded = [&[0xFF; 11][..], &values].concat();
        let buffer = rig.reducer.upload(&padded)?;
        let output = GpuBuffer::<u64>::from_wgpu(buffer.as_wgpu().clone(), 0, 1)?;
        let input = buffer.slice(11..)?;
        submit(rig, |encoder| Ok(rig.reducer.reduce(Sum, input).encode(encoder, &output)?))?;
        let after = buffer.download(&rig.reducer)?;
        let expected = Operation::<u8>::on_cpu(&Sum, &values)?;
        ensure!(after[..8] == expected.to_le_bytes(), "{len}: {:?}, not {expected}", &after[..8]);
        ensure!(after[8..] == padded[8..], "{len}: a neighbour was changed");
    }
    Ok(())
}

/// The largest of each element alone is the element.
fn each_alone<T: TestElement + Judged>(rig: &Rig, values: &[T]) -> Outcome
where
    Max: Operation<T, Output = T>,
{
    let buffer = rig.reducer.upload(values)?;
    let alone = |index: usize| buffer.slice(index as u64..=index as u64);
    let slices: Vec<GpuSlice<'_, T>> = (0..values.len()).map(alone).collect::<Result<_, _>>()?;
    let results = rig
        .reducer
        .batch(slices.into_iter().map(|slice| rig.reducer.reduce(Max, slice)).collect::<Vec<_>>())
        .start()?
        .wait()?;
    ensure!(results.len() == values.len(), "{} results", results.len());
    for (value, result) in values.iter().zip(results) {
        ensure!(result.same_bits(*value), "{value:?} was read as {result:?}");
    }
    Ok(())
}

fn every_byte(rig: &Rig) -> Outcome {
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    each_alone(rig, &bytes)?;
    each_alone::<i8>(rig, bytemuck::cast_slice(&bytes))
}

/// Every zero, subnormal number, infinity, some of the other numbers and some NaN, of both signs.
fn every_half(rig: &Rig) -> Outcome {
    let patterns = (0..=0x0410_u16).chain((0x0411..=0x7FFF).step_by(97)).chain([0x7BFF, 0x7C00]);
    let patterns = of_both_signs(patterns);
    let mut values: Vec<_> = patterns.iter().map(|&pattern| f16::from_bits(pattern)).collect();
    each_alone(rig, &values)?;
    each_alone::<u16>(rig, &patterns)?;
    each_alone::<i16>(rig, bytemuck::cast_slice(&patterns))?;
    values.retain(|value| value.is_finite());
    by_quads(rig, &values)
}

/// Every zero, subnormal number and infinity of bf16, some of the other numbers and some NaN, of both signs.
fn every_bfloat(rig: &Rig) -> Outcome {
    let patterns = (0..=0x0090_u16).chain((0x0091..=0x7FFF).step_by(97));
    let patterns = of_both_signs(patterns.chain([0x7F7F, 0x7F80, 0x7F81, 0x7FFF]));
    let mut values: Vec<_> = patterns.into_iter().map(bf16::from_bits).collect();
    each_alone(rig, &values)?;
    values.retain(|value| value.is_finite());
    by_quads(rig, &values)
}

fn of_both_signs(patterns: impl Iterator<Item = u16>) -> Vec<u16> {
    patterns.flat_map(|pattern| [pattern, pattern | 0x8000]).collect()
}

/// Read by quads, from each of some elements on.
fn by_quads<T: TestElement>(rig: &Rig, finite: &[T]) -> Outcome
where
    MinMax: Operation<T, Output: Judged>,
    ArgMax: Operation<T, Output: Judged>,
{
    let buffer = rig.reducer.upload(finite)?;
    for start in 0..40 {
        let part = buffer.slice(start..)?;
        let values = &finite[usize::try_from(start)?..];
        let extremes = rig.reducer.reduce(MinMax, part).start()?.wait()?;
        ensure!(extremes.same_bits(MinMax.on_cpu(values)?), "from {start} on: {extremes:?}");
        let largest = rig.reducer.reduce(ArgMax, part).start()?.wait()?;
        ensure!(largest.same_bits(ArgMax.on_cpu(values)?), "from {start} on: {largest:?}");
    }
    Ok(())
}

fn sum_of<T: TestElement>(rig: &Rig, value: T, len: u64, sum: impl Into<i128>) -> Outcome
where
    Sum: Operation<T, Output: Into<i128>>,
{
    let buffer = rig.reducer.upload(&vec![value; usize::try_from(len)?])?;
    let (result, sum): (i128, i128) = (rig.reducer.sum(&buffer)?.into(), sum.into());
    ensure!(result == sum, "{len} times {value:?}: {result}, not {sum}");
    Ok(())
}

/// Extremes whose sums have more bits than a quad's four together are given.
fn sums_beyond_their_type(rig: &Rig) -> Outcome {
    for len in [5_u64, 1003, 300_001] {
        let times = i64::try_from(len)?;
        sum_of(rig, u8::MAX, len, 255 * len)?;
        sum_of(rig, i8::MIN, len, -128 * times)?;
        sum_of(rig, u16::MAX, len, 65_535 * len)?;
        sum_of(rig, i16::MIN, len, -32_768 * times)?;
        let bytes = rig.reducer.upload(&vec![u8::MAX; usize::try_from(len)?])?;
        let modulo = rig.reducer.wrapping_sum(&bytes)?;
        let expected = (255 * len).to_le_bytes()[0];
        ensure!(modulo == expected, "{len}: {modulo}, not {expected}");
    }
    // In f32, in which these are exact: f16 itself ends at 65504.
    let buffer = rig.reducer.upload(&[f16::MAX; 100])?;
    let sum = rig.reducer.sum(&buffer)?;
    ensure!(sum.to_bits() == 6_550_400.0_f32.to_bits(), "{sum}");
    // In f32, which has 16 bits more of a sum of small ones.
    let buffer = rig.reducer.upload(&[bf16::ONE; 1001])?;
    let sum = rig.reducer.sum(&buffer)?;
    ensure!(sum.to_bits() == 1001.0_f32.to_bits(), "{sum}");
    Ok::<_, Failed>(())
}
