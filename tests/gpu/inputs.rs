//! Inputs in several buffers, and many inputs at once.

use crate::harness::oracle::{Judged, Oracle, Poison};
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig, stamp};
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu_reduce::{
    AdapterClass, ArgMax, Bins, Error, GpuBuffer, GpuSlice, GpuSlices, Pending, Result, Stats, Sum,
    Tuning, WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(
        rigs,
        [one_input_in_several_buffers, many_inputs],
        {
            "inputs::sum": Sum of f32, i32, u32, u8, i16, f16, bf16;
            "inputs::wrapping_sum": WrappingSum of i32, u32, i8;
            "inputs::argmax": ArgMax of f32, i32, u32, i8, u16
        }
    );
    trials.extend(on_every_rig(rigs, "inputs::in_place", in_place));
    trials.extend(on_every_rig(rigs, "inputs::one_bad_input", one_bad_input));
    // Software adapters take minutes, and so do limits that make thousands of windows of it.
    let is_fast = |rig: &&Rig| {
        let caps = rig.reducer.caps();
        caps.class == AdapterClass::Gpu && caps.max_binding_bytes >= LONG_PART
    };
    for rig in rigs.iter().filter(is_fast) {
        let name = format!("inputs::more_than_32_bits_count [{}]", rig.name);
        trials.push(Trial::test(name, || more_than_32_bits_count(rig)));
    }
    if !rigs.iter().any(|rig| is_fast(&rig)) {
        println!("NOT COVERED: indices and counts from 2^32 on, which take minutes without a GPU");
    }
    trials
}

const POISON: Poison = Poison { before: 3, after: 5 };

/// Each in a buffer of its own, with poisoned neighbours.
fn upload<T: TestElement>(rig: &Rig, inputs: &[Vec<T>]) -> Result<Vec<GpuBuffer<T>>> {
    let padded = inputs.iter().map(|values| {
        let mut padded = vec![T::poison(); POISON.before];
        padded.extend_from_slice(values);
        padded.resize(padded.len() + POISON.after, T::poison());
        rig.reducer.upload(&padded)
    });
    padded.collect()
}

/// Without the neighbours.
fn slices<'a, T: TestElement>(
    inputs: &[Vec<T>],
    buffers: &'a [GpuBuffer<T>],
) -> Result<Vec<GpuSlice<'a, T>>> {
    let start = POISON.before as u64;
    let both = inputs.iter().zip(buffers);
    both.map(|(values, buffer)| buffer.slice(start..start + values.len() as u64)).collect()
}

fn of_lengths<T: TestElement>(lengths: &[u64]) -> Vec<Vec<T>> {
    lengths.iter().map(|&len| T::data(Shape::Random, len)).collect()
}

fn one_input_in_several_buffers<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    for lengths in [
        &[][..],
        &[0],
        &[0, 0, 0],
        &[1, 1, 1],
        &[5, 0, 3],
        &[1000, 7, 20_000, 1],
        &[70_000, 70_001],
    ] {
        check_parts::<T, O>(rig, lengths)?;
    }
    Ok(())
}

/// One input in buffers of these lengths.
pub(crate) fn check_parts<T: TestElement, O: Oracle<T>>(rig: &Rig, lengths: &[u64]) -> Outcome {
    let inputs = of_lengths::<T>(lengths);
    let buffers = upload(rig, &inputs)?;
    let input: GpuSlices<'_, T> = slices(&inputs, &buffers)?.into();
    ensure!(input.len() == lengths.iter().sum::<u64>(), "{} elements", input.len());
    let run = || rig.reducer.reduce(O::default(), input.clone()).start().and_then(Pending::wait);
    let values = inputs.concat();
    let expected = match O::expected(&values) {
        Ok(expected) => expected,
        Err(error) => {
            let outcome = run();
            ensure!(outcome.as_ref().err() == Some(&error), "{lengths:?}: {outcome:?}");
            return Ok(());
        }
    };
    let plan = rig.reducer.reduce(O::default(), input.clone()).plan()?;
    let (result, again) = (run()?, run()?);
    let is_right = O::judge(result, expected, &values, &plan.accuracy());
    ensure!(is_right, "{lengths:?}: {result:?}, not {expected:?}");
    ensure!(result.same_bits(again), "{lengths:?}: {again:?} after {result:?}");
    Ok(())
}

/// Small ones share dispatches, seven at most; others have their own.
fn many_inputs<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    for lengths in [
        &[][..],
        &[0],
        &[4],
        &[1, 2, 3, 4, 5, 6, 7],
        &[9, 300, 8192, 8191, 7, 8193, 1000, 50_000],
        &[0, 1, 300, 8192, 8191, 7, 0, 9, 1000],
        &[8193, 1, 50_000, 60_000, 2, 3, 8192, 8193],
        &[5; 30],
    ] {
        check_many::<T, O>(rig, lengths)?;
    }
    Ok(())
}

/// Inputs of these lengths in one submission.
pub(crate) fn check_many<T: TestElement, O: Oracle<T>>(rig: &Rig, lengths: &[u64]) -> Outcome {
    let inputs = of_lengths::<T>(lengths);
    let buffers = upload(rig, &inputs)?;
    let slices = slices(&inputs, &buffers)?;
    let pending = rig
        .reducer
        .batch(
            slices.iter().map(|&slice| rig.reducer.reduce(O::default(), slice)).collect::<Vec<_>>(),
        )
        .start();
    if let Some(error) = inputs.iter().find_map(|values| O::expected(values).err()) {
        let outcome = pending.and_then(Pending::wait).map(|_| ());
        ensure!(outcome.as_ref() == Err(&error), "{error}, not {outcome:?}");
        return Ok(());
    }
    let results = pending?.wait()?;
    ensure!(results.len() == lengths.len(), "{} results for {lengths:?}", results.len());
    for ((values, &slice), result) in inputs.iter().zip(&slices).zip(results) {
        // Elements are added one by one there, and in quads here: so many quads.
        let tuning = Tuning { workgroup_size: 16, max_workgroups: 1, ..rig.tuning(1) };
        let plan = rig.reducer.with_tuning(tuning).reduce(O::default(), slice).plan()?;
        let expected = O::expected(values)?;
        let is_right = O::judge(result, expected, values, &plan.accuracy());
        let len = values.len();
        ensure!(is_right, "{len} elements of {lengths:?}: {result:?}, not {expected:?}");
    }
    Ok(())
}

/// Bytes of each of the buffers that one input has [`LONG_PARTS`] times, so that 2^32 stand before its end.
const LONG_PART: u64 = 1 << 26;
const LONG_PARTS: usize = 64;

/// Indices and counts from 2^32 on.
fn more_than_32_bits_count(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let zeros = reducer.upload(&vec![0_u8; usize::try_from(LONG_PART)?])?;
    let end = reducer.upload(&[0_u8, 9, 0, 7])?;
    let parts = || std::iter::repeat_n(zeros.slice(..), LONG_PARTS).chain([end.slice(..)]);
    let input: GpuSlices<'_, u8> = parts().collect::<Result<Vec<_>>>()?.into();
    let before = LONG_PART * LONG_PARTS as u64;
    ensure!(input.len() == before + 4, "{} elements", input.len());
    let largest = reducer.reduce(ArgMax, input.clone()).start()?.wait()?;
    ensure!((largest.index, largest.value) == (before + 1, 9), "{largest:?}");
    let histogram = reducer.histogram(input.clone(), &Bins::even(0..10, 10)?)?;
    let [zeros, .., sevens, _, nines] = histogram.counts[..] else { return Err("no bins".into()) };
    ensure!((zeros, sevens, nines) == (before + 2, 1, 1), "{histogram:?}");
    let stats = reducer.reduce(Stats::default(), input).start()?.wait()?;
    ensure!((stats.count, stats.sum) == (before + 4, 16), "{stats:?}");
    let expected = (0, before + 1);
    ensure!((stats.min.index, stats.max.index) == expected, "{stats:?}");
    Ok(())
}

/// The output lies in the second of the buffers.
fn in_place(rig: &Rig) -> Outcome {
    let buffers =
        [rig.reducer.upload(&vec![1_u32; 5000])?, rig.reducer.upload(&vec![2_u32; 5000])?];
    let output = GpuBuffer::<u64>::from_wgpu(buffers[1].as_wgpu().clone(), 8, 1)?;
    let mut encoder =
        rig.reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    rig.reducer.reduce(Sum, &buffers).encode(&mut encoder, &output)?;
    rig.reducer.queue().submit([encoder.finish()]);
    let result = output.download(&rig.reducer)?;
    ensure!(result == [15_000], "{result:?}");
    Ok(())
}

/// It is an error of the call, and the next one works.
fn one_bad_input(rig: &Rig) -> Outcome {
    let good = rig.reducer.upload(&[1_u32, 2])?;
    let mapped = rig.reducer.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 64,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: true,
    });
    let bad = GpuBuffer::<u32>::from_wgpu(mapped, 0, 16)?;
    for inputs in [[&good, &bad], [&bad, &good]] {
        let outcome = rig
            .reducer
            .batch(inputs.map(|input| rig.reducer.reduce(Sum, input)))
            .start()
            .map(|_| ());
        ensure!(matches!(outcome, Err(Error::Validation { .. })), "{outcome:?}");
    }
    let sums = rig
        .reducer
        .batch([&good, &good].map(|input| rig.reducer.reduce(Sum, input)))
        .start()?
        .wait()?;
    ensure!(sums == [3, 3], "{sums:?}");
    Ok(())
}
