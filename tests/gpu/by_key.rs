//! Reductions of runs of equal keys, against the definition of each run on the CPU.

use crate::harness::oracle::{Judged, Oracle};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig, stamp};
use libtest_mimic::Trial;
use wgpu::CommandEncoderDescriptor;
use wgpu_reduce::{
    ArgMin, BitXor, Error, Key, Max, Mean, NanMax, Operation, Pending, RunBuffers, Sum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(
        rigs,
        [runs_of_lengths],
        {
            "by_key::sum": Sum of f32, u8;
            "by_key::mean": Mean of i32;
            "by_key::argmin": ArgMin of f32;
            "by_key::max": Max of i32;
            "by_key::nan_max": NanMax of f32;
            "by_key::bit_xor": BitXor of u32
        }
    );
    for (name, test) in [
        ("by_key::floats_are_equal_as_numbers", floats as fn(&Rig) -> Outcome),
        ("by_key::of_64_bits", of_64_bits),
        ("by_key::encoded", encoded),
        ("by_key::refused", refused),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    trials
}

/// Reduces by key from some place in a buffer, and compares with each run's own result.
pub(crate) fn check<K: Key + std::fmt::Debug, T: TestElement, O: Oracle<T>>(
    rig: &Rig,
    keys: &[K],
    first: usize,
    what: &str,
) -> Outcome {
    let len = keys.len() - first;
    let values = T::data(Shape::Random, len as u64);
    let (all_keys, on_gpu) = (rig.reducer.upload(keys)?, rig.reducer.upload(&values)?);
    let slice = all_keys.slice(first as u64..)?;
    let operation = O::default();
    let expected: Vec<_> = keys[first..].chunk_by(|a, b| a == b).collect();
    let run = || rig.reducer.reduce(operation, &on_gpu).runs(slice).start().and_then(Pending::wait);
    let plan = rig.reducer.reduce(operation, &on_gpu).runs(slice).plan()?;
    let runs = run()?;
    ensure!(runs.len() == expected.len(), "{what}: {} runs, not {}", runs.len(), expected.len());
    let mut begin = 0;
    for (number, (&(key, result), of_run)) in runs.iter().zip(&expected).enumerate() {
        let values = &values[begin..begin + of_run.len()];
        begin += of_run.len();
        let bits: [&[u8]; 2] = [bytemuck::bytes_of(&key), bytemuck::bytes_of(&of_run[0])];
        let wanted = O::expected(values)?;
        ensure!(
            bits[0] == bits[1]
                && O::judge(result, wanted, values, &plan.accuracy_of(values.len() as u64)),
            "{what}, run {number}: {key:?} has {result:?}, but {:?} has {wanted:?}",
            of_run[0]
        );
    }
    let again = run()?;
    let same = again.iter().zip(&runs).all(|(a, b)| a.1.same_bits(b.1));
    ensure!(same && again.len() == runs.len(), "{what}: not the same again");
    Ok(())
}

/// Keys of runs with these lengths: neighbours differ, others come again.
pub(crate) fn keys_of(lengths: impl IntoIterator<Item = usize>) -> Vec<u32> {
    let run = |(number, len): (usize, usize)| {
        std::iter::repeat_n(u32::try_from(number % 3).expect("it is small"), len)
    };
    lengths.into_iter().enumerate().flat_map(run).collect()
}

fn runs_of_lengths<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    // Offsets are words, and a result may be four.
    let is_tight = rig.reducer.caps().max_binding_bytes == TIGHT_BINDING_BYTES;
    let most = if is_tight { 3000 } else { 40_000 };
    for (what, keys) in [
        ("none", keys_of([])),
        ("one", keys_of([1])),
        ("one run", keys_of([most])),
        ("all of one", keys_of(vec![1; most])),
        ("about 16", keys_of((0..most / 16).map(|i| 1 + i * 7 % 31))),
        ("words of bits", keys_of(vec![32; most / 32])),
        ("one long run", keys_of((0..500).map(|i| if i == 99 { most / 2 } else { 1 + i % 3 }))),
    ] {
        check::<u32, T, O>(rig, &keys, 0, what)?;
        if keys.len() > 10 {
            check::<u32, T, O>(rig, &keys, 7, &format!("{what}, from key 7"))?;
        }
    }
    Ok(())
}

/// −0 is +0, and no NaN is anything.
fn floats(rig: &Rig) -> Outcome {
    let keys = [0.0, -0.0, 0.0, f32::NAN, f32::NAN, -1.0, -1.0, f32::INFINITY, 1e-45, 1e-45, -0.0];
    check::<f32, u32, Sum>(rig, &keys, 0, "floats")?;
    check::<i32, u32, Sum>(rig, &keys.map(|key| key.to_bits().cast_signed()), 0, "their bits")?;
    let mut keys = keys.map(f64::from);
    // A NaN that only the lower half tells.
    keys[4] = f64::from_bits(0x7ff0_0000_0000_0001);
    check::<f64, u32, Sum>(rig, &keys, 0, "floats of 64 bits")?;
    check::<i64, u32, Sum>(rig, &keys.map(|key| key.to_bits().cast_signed()), 0, "their bits")
}

/// Keys that differ in one half or the other, in runs that words of bits and workgroups end in.
fn of_64_bits(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    // Keys are two words, and a result may be four.
    let is_tight = reducer.caps().max_binding_bytes == TIGHT_BINDING_BYTES;
    let mut keys = keys_of((0..250).map(|i| if i == 99 { 900 } else { 1 + i * 7 % 31 }));
    keys.truncate(if is_tight { 900 } else { 4000 });
    let lower: Vec<_> = keys.iter().map(|&key| u64::from(key) + (7 << 32)).collect();
    let upper: Vec<_> = keys.iter().map(|&key| u64::from(key) << 32 | 5).collect();
    for (keys, what) in [(&lower, "lower halves"), (&upper, "upper halves")] {
        check::<u64, f32, Sum>(rig, keys, 0, what)?;
        check::<u64, f32, ArgMin>(rig, keys, 3, what)?;
        check::<u64, i32, Mean>(rig, &keys[..500], 1, what)?;
    }
    check::<u64, f32, Sum>(rig, &[], 0, "none")?;
    let heads: Vec<_> = upper.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
    let (keys, values) = (reducer.upload(&upper)?, reducer.upload(&vec![1_u32; upper.len()])?);
    let runs = reducer.reduce(Sum, &values).runs(&keys).to_buffer()?;
    let count = runs.count.download(reducer)?;
    ensure!(count == [u32::try_from(heads.len())?], "{count:?} runs");
    let left = runs.keys.download(reducer)?;
    let (of_runs, behind) = left.split_at(heads.len());
    ensure!(of_runs == heads && behind.iter().all(|&key| key == 0), "their keys");
    Ok(())
}

/// On the GPU alone; what is behind the runs is left as it is.
fn encoded(rig: &Rig) -> Outcome {
    let keys = keys_of([3, 1, 4, 1, 5, 900]);
    let values = f32::data(Shape::Constant, keys.len() as u64);
    let (keys, values) = (rig.reducer.upload(&keys)?, rig.reducer.upload(&values)?);
    let run_keys = rig.reducer.upload(&[9_u32; 1000])?;
    let results = rig.reducer.upload(&[-7.0_f32; 1000])?;
    let count = rig.reducer.upload(&[9_u32; 4])?;
    let output = RunBuffers {
        keys: run_keys.slice(3..)?,
        results: results.slice(5..)?,
        count: count.slice(1..)?,
    };
    let mut encoder =
        rig.reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
    rig.reducer.reduce(Sum, &values).runs(&keys).encode(&mut encoder, output)?;
    rig.reducer.queue().submit([encoder.finish()]);
    ensure!(count.download(&rig.reducer)? == [9, 6, 9, 9], "the count is wrong");
    let run_keys = run_keys.download(&rig.reducer)?;
    ensure!(run_keys[..10] == [9, 9, 9, 0, 1, 2, 0, 1, 2, 9], "{:?}", &run_keys[..10]);
    let results = results.download(&rig.reducer)?;
    let expected = [-7.0, 4.5, 1.5, 6.0, 1.5, 7.5, 1350.0, -7.0];
    let same = results[4..12].iter().zip(expected).all(|(a, b)| a.same_bits(b));
    ensure!(same, "{:?}", &results[..12]);
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let keys = rig.reducer.upload(&[1_u32, 2, 3])?;
    let values = rig.reducer.upload(&[1_u32, 2])?;
    let outcome = rig.reducer.reduce(Sum, &values).runs(&keys).start().and_then(Pending::wait);
    ensure!(outcome == Err(Error::LengthMismatch { left: 3, right: 2 }), "{outcome:?}");
    ensure!(Operation::<u32>::record(&Sum).takes_none(), "the sum of none is 0");
    Ok(())
}
