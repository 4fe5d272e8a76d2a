//! Masks: the result of what they leave is that of a copy of these elements, with indices of the whole.

use crate::harness::oracle::Oracle;
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{
    Outcome, Rig, Shape, Special, TestElement, ensure, on_every_rig, one_rig_of_each_adapter, stamp,
};
use half::{bf16, f16};
use libtest_mimic::Trial;
use std::fmt::Debug;
use wgpu_reduce::{
    All, ArgMax, ArgMin, BitAnd, CountNonZero, Dot, Error, Extrema, GpuBuffer, Located, LogSumExp,
    Max, Mean, MinMax, NanArgMax, NanMean, NanStd, NormL2, Product, Statistics, Stats, Sum,
    SumOfSquares, Tuning, Variance, WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    // One for each size of elements and each way to lift them.
    let mut trials = stamp!(
        rigs,
        [lengths, offsets, tunings],
        {
            "masked::sum": Sum of f32, u8, f16;
            "masked::argmin": ArgMin of f32;
            "masked::min_max": MinMax of i64
        }
    );
    // One for each way to accumulate.
    trials.extend(stamp!(
        rigs,
        [briefly],
        {
            "masked::sum": Sum of u32, i64, f64;
            "masked::wrapping_sum": WrappingSum of i16;
            "masked::product": Product of f32, i32;
            "masked::sum_of_squares": SumOfSquares of f32, u8;
            "masked::norm_l2": NormL2 of bf16;
            "masked::max": Max of f32, i32;
            "masked::argmax": ArgMax of u16, f64;
            "masked::log_sum_exp": LogSumExp of f32;
            "masked::mean": Mean of f32, i8, f64;
            "masked::variance": Variance of f32, i32;
            "masked::stats": Stats of f32, u32;
            "masked::all": All of u8;
            "masked::count_nonzero": CountNonZero of f32;
            "masked::bit_and": BitAnd of u32;
            "masked::nan_mean": NanMean of f32;
            "masked::nan_std": NanStd of f32;
            "masked::nan_argmax": NanArgMax of f32
        }
    ));
    let mut trials = one_rig_of_each_adapter(rigs, trials);
    trials.extend(on_every_rig(rigs, "masked::several_buffers", several_buffers));
    trials.extend(on_every_rig(rigs, "masked::verbs", verbs));
    trials.extend(on_every_rig(rigs, "masked::refusals", refusals));
    trials
}

/// A result of some elements as one of the input that has them at these indices.
pub(crate) trait Placed {
    fn placed(self, indices: &[u64]) -> Self;
}

macro_rules! without_places {
    ($($result:ty),*) => {$(
        impl Placed for $result {
            fn placed(self, _: &[u64]) -> Self {
                self
            }
        }
    )*};
}
without_places!(bool, u8, i8, u16, i16, u32, i32, u64, i64, u128, i128, f16, bf16, f32, f64);

impl<T> Placed for Extrema<T> {
    fn placed(self, _: &[u64]) -> Self {
        self
    }
}

impl<T> Placed for Located<T> {
    fn placed(self, indices: &[u64]) -> Self {
        let index = usize::try_from(self.index).expect("it fits");
        Self { index: indices[index], ..self }
    }
}

impl<T, S, M> Placed for Statistics<T, S, M> {
    fn placed(self, indices: &[u64]) -> Self {
        Self { min: self.min.placed(indices), max: self.max.placed(indices), ..self }
    }
}

/// What a mask leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Left {
    All,
    Nothing,
    One,
    Half,
    Few,
    Stretches,
}

impl Left {
    pub(crate) const ALL: [Self; 6] =
        [Self::All, Self::Nothing, Self::One, Self::Half, Self::Few, Self::Stretches];

    /// Bytes of any value where elements count.
    pub(crate) fn mask(self, len: u64) -> Vec<u8> {
        let byte = |index: u64| {
            let mixed = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            let counts = match self {
                Self::All => true,
                Self::Nothing => false,
                Self::One => index == len * 2 / 3,
                Self::Half => mixed.is_multiple_of(2),
                Self::Few => mixed.is_multiple_of(97),
                Self::Stretches => index / 700 % 2 == 1,
            };
            // 1, 2, 128 and others.
            let value = 1_u8.rotate_left(u32::try_from(index % 8).unwrap_or(0)) | 64;
            if counts { value } else { 0 }
        };
        (0..len).map(byte).collect()
    }
}

/// A buffer of these values between others, `before` of them in front.
pub(crate) fn upload<T: bytemuck::Pod + Send>(
    rig: &Rig,
    values: &[T],
    (before, other): (usize, T),
) -> wgpu_reduce::Result<GpuBuffer<T>> {
    let mut padded = vec![other; before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + 5, other);
    rig.reducer.upload(&padded)
}

/// Compares with the result of the elements that are left.
fn check<T: TestElement, O: Oracle<T, Output: Placed>>(
    rig: &Rig,
    values: &[T],
    left: Left,
    before: [usize; 2],
) -> Outcome {
    let (operation, len) = (O::default(), values.len() as u64);
    let mask = left.mask(len);
    let counted = || (0_u64..).zip(values).zip(&mask).filter(|(_, byte)| **byte != 0);
    let kept: Vec<u64> = counted().map(|((index, _), _)| index).collect();
    let compacted: Vec<T> = counted().map(|((_, value), _)| *value).collect();
    let input = upload(rig, values, (before[0], T::poison()))?;
    let mask = upload(rig, &mask, (before[1], 255))?;
    let [start, mask_start] = before.map(|before| before as u64);
    let request = rig
        .reducer
        .reduce(operation, input.slice(start..start + len)?)
        .masked(mask.slice(mask_start..mask_start + len)?);
    let what = format!("{left:?} of {len}, from {before:?}");
    match (request.run(), O::expected(&compacted)) {
        (Ok(result), Ok(expected)) => {
            let plan = request.plan()?;
            let expected = expected.placed(&kept);
            ensure!(
                O::judge(result, expected, &compacted, &plan.accuracy()),
                "{what}: {result:?} is not {expected:?}\n{plan}"
            );
            let again = request.run()?;
            ensure!(
                crate::harness::oracle::Judged::same_bits(result, again),
                "{what}: {again:?} after {result:?}"
            );
        }
        (result, expected) => {
            let is_refused = result.as_ref().err() == expected.as_ref().err();
            ensure!(is_refused, "{what}: {result:?} is not {expected:?}");
        }
    }
    Ok(())
}

/// Lengths at which something in the plan changes, with every mask.
fn lengths<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    let tile = u64::from(rig.tuning(1 << 20).workgroup_size) * 16;
    let binding = TIGHT_BINDING_BYTES / size_of::<T>() as u64;
    let lengths = [0, 1, 2, 3, 5, 16, 17, 63, 257, tile + 1, binding - 1, binding, 2 * binding + 7];
    for (number, len) in lengths.into_iter().enumerate() {
        for left in Left::ALL {
            check::<T, O>(rig, &T::data(Shape::Random, len), left, [number % 5, number % 7])?;
        }
    }
    Ok(())
}

/// From every element of a quad, and every byte of the mask's words.
fn offsets<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    for len in [3, 1001] {
        let values = T::data(Shape::Random, len);
        for before in [0, 1, 2, 3, 7, 15, 65] {
            for of_mask in [0, 1, 2, 3, 4, 255, 257] {
                check::<T, O>(rig, &values, Left::Half, [before, of_mask])?;
            }
        }
    }
    Ok(())
}

/// One invocation, and many workgroups.
fn tunings<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    let values = T::data(Shape::Random, 20_001);
    for (workgroup_size, max_workgroups, loads_in_flight) in [(1, 1, 4), (64, 5, 1), (128, 300, 3)]
    {
        let tuning =
            Tuning { workgroup_size, max_workgroups, loads_in_flight, ..rig.tuning(1 << 20) };
        for left in [Left::Half, Left::Nothing, Left::Stretches] {
            check::<T, O>(&rig.tuned(tuning), &values, left, [3, 2])?;
        }
    }
    Ok(())
}

/// A few lengths, all masks, and NaN and infinity where they count and where they do not.
fn briefly<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    for left in Left::ALL {
        for len in [1, 37, 3001] {
            check::<T, O>(rig, &T::data(Shape::Random, len), left, [1, 2])?;
        }
    }
    for special in Special::ALL {
        for left in [Left::Half, Left::One, Left::Nothing] {
            if let Some(values) = special.data::<T>(301) {
                check::<T, O>(rig, &values, left, [2, 3])?;
            }
        }
    }
    // NaN, or what else spoils sums, everywhere but where elements count.
    let mask = Left::Half.mask(1000);
    let value = |(index, &byte): (u64, &u8)| {
        if byte == 0 { T::poison() } else { T::element(Shape::Random, index) }
    };
    let spoilt: Vec<T> = (0..).zip(&mask).map(value).collect();
    check::<T, O>(rig, &spoilt, Left::Half, [0, 1])
}

/// Elements and mask in several buffers, cut in other places.
fn several_buffers(rig: &Rig) -> Outcome {
    let values: Vec<u32> = (0..9000_u32).map(|index| index.wrapping_mul(2_654_435_761)).collect();
    let mask = Left::Half.mask(9000);
    let cut = |lengths: &[usize]| {
        let mut from = 0;
        let ranges: Vec<_> = lengths
            .iter()
            .map(|len| {
                from += len;
                from - len..from
            })
            .collect();
        ranges
    };
    let inputs: Vec<_> = cut(&[1, 4000, 0, 4999])
        .into_iter()
        .map(|range| rig.reducer.upload(&values[range]))
        .collect::<Result<_, _>>()?;
    let masks: Vec<_> = cut(&[3000, 17, 5983])
        .into_iter()
        .map(|range| rig.reducer.upload(&mask[range]))
        .collect::<Result<_, _>>()?;
    let counted = values.iter().zip(&mask).enumerate().filter(|(_, (_, byte))| **byte != 0);
    let sum: u64 = counted.clone().map(|(_, (value, _))| u64::from(*value)).sum();
    let most = counted.map(|(index, (value, _))| (*value, index)).max();
    let found = rig.reducer.reduce(Sum, &inputs).masked(&masks).run()?;
    ensure!(found == sum, "{found} is not {sum}");
    let found = rig.reducer.reduce(ArgMax, &inputs).masked(&masks).run()?;
    let place = usize::try_from(found.index)?;
    ensure!(Some((found.value, place)) == most, "{found:?} is not {most:?}");
    Ok(())
}

/// Prepared, left in buffers, among others in a batch, and timed.
fn verbs(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let values: Vec<i32> = (0..5000_i32).map(|index| index - 7).collect();
    let x = reducer.upload(&values)?;
    let mask = reducer.upload(&Left::Half.mask(5000))?;
    let expected: i64 = reducer.reduce(Sum, &x).masked(&mask).run()?;

    let prepared = reducer.reduce(Mean, &x).masked(&mask).prepare()?;
    let mean = reducer.reduce(Mean, &x).masked(&mask).run()?;
    for turn in 0..3 {
        let found = prepared.run()?;
        ensure!(found.to_bits() == mean.to_bits(), "run {turn}: {found} is not {mean}");
    }
    reducer.write(&mask, &[0; 5000])?;
    let refused = prepared.run();
    ensure!(refused == Err(Error::Empty { operation: "mean" }), "{refused:?}");
    reducer.write(&mask, &Left::Half.mask(5000))?;

    let sum = reducer.reduce(Sum, &x).masked(&mask);
    let found = sum.to_buffer()?.download(reducer)?;
    ensure!(found == [expected], "{found:?} is not {expected}");
    let output: GpuBuffer<i64> = reducer.alloc(40)?;
    let mut encoder =
        reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    sum.encode(&mut encoder, output.slice(33..)?)?;
    reducer.queue().submit([encoder.finish()]);
    let found = output.download(reducer)?;
    ensure!(found[33] == expected, "{found:?} has not {expected}");
    // Over the first elements, which are read before.
    let own = reducer.upload(&values)?;
    let largest = reducer.reduce(Max, &own).masked(&mask);
    let expected_largest = largest.run()?;
    largest.output(&own).run()?;
    let found = own.download(reducer)?;
    ensure!(found[..2] == [expected_largest, values[1]], "{expected_largest} is not {found:?}");

    let found = sum.clone().timed().run()?.value;
    ensure!(found == expected, "{found} is not {expected}");
    let batch = reducer.batch([(); 5].map(|()| sum.clone())).run()?;
    ensure!(batch == [expected; 5], "{batch:?} is not {expected}");
    let count = reducer.reduce(CountNonZero, &mask).masked(&mask).run()?;
    ensure!(
        count == Left::Half.mask(5000).iter().filter(|byte| **byte != 0).count() as u64,
        "{count}"
    );
    Ok(())
}

/// Other lengths, and what takes no mask.
fn refusals(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&[1.5_f32; 10])?;
    let mask = reducer.upload(&[1_u8; 11])?;
    let mismatch = Error::LengthMismatch { left: 10, right: 11 };
    let refused = reducer.reduce(Sum, &x).masked(&mask).start().err();
    ensure!(refused == Some(mismatch), "{refused:?}");
    let mask = mask.slice(..10)?;
    let pairs = reducer.reduce(Dot, (&x, &x)).masked(mask).start().err();
    ensure!(matches!(pairs, Some(Error::Unsupported { .. })), "{pairs:?}");
    Ok(())
}
