//! Groups: each result is that of a copy of the group's elements, with indices of the whole.

use crate::harness::data::mix;
use crate::harness::oracle::{Judged, Oracle};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{
    Outcome, Rig, Shape, Special, TestElement, ensure, on_every_rig, one_rig_of_each_adapter, stamp,
};
use crate::masked::{Placed, upload};
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu_reduce::{
    All, Any, ArgMax, ArgMin, BitAnd, BitOr, BitXor, CountNan, CountNonZero, Error, ExactSum,
    GpuBuffer, GroupKey, HistogramTuning, Max, Mean, MeanExact, Min, MinMax, NanArgMin, NanMax,
    NanMin, NanSum, NormL1, NormL2, NormMax, Operation, Std, Sum, SumExact, SumOfSquares, Variance,
    WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    // One for each law by which accumulators are merged, and each size of elements.
    let mut trials = stamp!(
        rigs,
        [lengths, offsets, tunings],
        {
            "groups::sum": Sum of i32, u8;
            "groups::sum_exact": SumExact of f32, f64;
            "groups::min": Min of f32;
            "groups::argmax": ArgMax of i64;
            "groups::bit_xor": BitXor of u16
        }
    );
    // Every operation, and one of each kind of elements.
    trials.extend(stamp!(
        rigs,
        [briefly],
        {
            "groups::sum": Sum of u32, i8, i16, u16, i64, u64;
            "groups::wrapping_sum": WrappingSum of i32, u64, u8;
            "groups::sum_of_squares": SumOfSquares of i32, u8;
            "groups::norm_l1": NormL1 of i32, u64;
            "groups::norm_l2": NormL2 of i32;
            "groups::norm_max": NormMax of f32, i64;
            "groups::min": Min of u32, f16, i64, f64;
            "groups::max": Max of f32, i32, bf16, u64, f64, u8;
            "groups::min_max": MinMax of f32, i32, f64, i8;
            "groups::argmin": ArgMin of f32, u32, f64, u8;
            "groups::argmax": ArgMax of f32, bf16;
            "groups::mean": Mean of i32, u8, i64;
            "groups::mean_exact": MeanExact of f32, f64, f16;
            "groups::sum_exact": SumExact of bf16, f16;
            "groups::variance": Variance of i32, u16;
            "groups::std": Std of i32;
            "groups::all": All of f32, u8, i64;
            "groups::any": Any of f32, u8, i64;
            "groups::count_nonzero": CountNonZero of f32, i8;
            "groups::count_nan": CountNan of f32, f64;
            "groups::bit_and": BitAnd of u32, i64;
            "groups::bit_or": BitOr of u32, i64, u8;
            "groups::nan_min": NanMin of f32, f64;
            "groups::nan_max": NanMax of f32, f16;
            "groups::nan_argmin": NanArgMin of f32, f64
        }
    ));
    let mut trials = one_rig_of_each_adapter(rigs, trials);
    let tests = [
        ("groups::sums_of_floats", sums_of_floats as fn(&Rig) -> Outcome),
        ("groups::windows_of_sums", windows_of_sums),
        ("groups::keys", keys),
        ("groups::many", many),
        ("groups::several_buffers", several_buffers),
        ("groups::verbs", verbs),
    ];
    trials.extend(tests.into_iter().flat_map(|(name, test)| on_every_rig(rigs, name, test)));
    trials
}

/// Which element has which key.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keys {
    One,
    Turns,
    Mixed,
    /// Most are in few.
    Skewed,
    Sorted,
}

impl Keys {
    pub(crate) const ALL: [Self; 5] =
        [Self::One, Self::Turns, Self::Mixed, Self::Skewed, Self::Sorted];

    /// Every group has an element if there are as many; where the first elements are those, what else a group has is as its kind says.
    pub(crate) fn keys(self, len: u64, groups: u32) -> Vec<u32> {
        let key = |index: u64| {
            let mixed = mix(index ^ 0x77);
            match self {
                _ if index < groups.into() => u32::try_from(index).expect("it is less"),
                Self::One => groups - 1,
                Self::Turns => u32::try_from(index % u64::from(groups)).expect("it is less"),
                Self::Mixed => mixed % groups,
                Self::Skewed => (mixed % groups) >> (mix(index) % 20),
                Self::Sorted => {
                    u32::try_from(index * u64::from(groups) / len.max(1)).expect("it is less")
                }
            }
        };
        (0..len).map(key).collect()
    }
}

/// A case: keys, their number, what lies before elements and keys in their buffers, and a tuning.
pub(crate) struct Case<'a> {
    pub(crate) rig: &'a Rig,
    pub(crate) keys: Keys,
    pub(crate) groups: u32,
    pub(crate) before: [usize; 2],
    pub(crate) tuning: Option<HistogramTuning>,
}

/// The elements of each group, and where they stand.
pub(crate) fn members<T: Copy>(values: &[T], keys: &[u32], groups: u32) -> Vec<(Vec<T>, Vec<u64>)> {
    let mut members = vec![(Vec::new(), Vec::new()); groups as usize];
    for ((index, &value), &key) in (0_u64..).zip(values).zip(keys) {
        let (of_group, places) = &mut members[key as usize];
        of_group.push(value);
        places.push(index);
    }
    members
}

/// Compares with the results of each group alone.
pub(crate) fn check<T: TestElement, O: Oracle<T, Output: Placed>>(
    case: &Case<'_>,
    values: &[T],
) -> Outcome {
    let Case { rig, keys, groups, before, tuning } = *case;
    let len = values.len() as u64;
    let of_elements = keys.keys(len, groups);
    let input = upload(rig, values, (before[0], T::poison()))?;
    let key_buffer = upload(rig, &of_elements, (before[1], u32::MAX))?;
    let [start, key_start] = before.map(|before| before as u64);
    let tuning = tuning.unwrap_or_else(|| HistogramTuning::for_weights(&rig.reducer.caps()));
    let request = rig
        .reducer
        .reduce(O::default(), input.slice(start..start + len)?)
        .groups(key_buffer.slice(key_start..key_start + len)?, groups)
        .tuned(tuning);
    let what = format!("{keys:?} of {groups} groups of {len}, from {before:?}, {tuning}");
    let members = members(values, &of_elements, groups);
    let expected: Vec<_> = members.iter().map(|(of_group, _)| O::expected(of_group)).collect();
    let first_empty = expected.iter().position(Result::is_err);
    let results = match (request.run(), first_empty) {
        (Ok(results), None) => results,
        (Err(Error::EmptyGroup { group, .. }), Some(first)) if group == first as u64 => {
            return Ok(());
        }
        // Of exact sums of 64 bits each group takes 600 bytes.
        (Err(Error::Unsupported { what, .. }), _)
            if what.contains("in one binding")
                && u64::from(groups) * 600 > rig.reducer.caps().max_binding_bytes =>
        {
            return Ok(());
        }
        (results, _) => {
            return Err(format!("{what}: {results:?}, first empty: {first_empty:?}").into());
        }
    };
    ensure!(results.len() == groups as usize, "{what}: {} results", results.len());
    let plan = request.plan()?;
    for (group, (result, expected)) in results.iter().zip(expected).enumerate() {
        let (of_group, places) = &members[group];
        let expected = expected?.placed(places);
        ensure!(
            O::judge(*result, expected, of_group, &plan.accuracy()),
            "{what}: {result:?} of group {group} is not {expected:?}\n{plan}"
        );
    }
    Ok(())
}

/// Lengths at which something in the plan changes, with keys of every kind.
fn lengths<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    let tile = u64::from(HistogramTuning::for_weights(&rig.reducer.caps()).workgroup_size) * 4;
    let binding = TIGHT_BINDING_BYTES / size_of::<T>() as u64;
    let lengths = [0, 1, 2, 5, 63, 257, tile - 1, tile, tile + 1, binding, binding + 7];
    for (number, len) in lengths.into_iter().enumerate() {
        let values = T::data(Shape::Random, len);
        for (keys, groups) in Keys::ALL.into_iter().zip([3, 1, 7, 33, 2]) {
            let before = [number % 5, number % 3];
            check::<T, O>(&Case { rig, keys, groups, before, tuning: None }, &values)?;
        }
    }
    Ok(())
}

/// From every element of a quad.
fn offsets<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    let values = T::data(Shape::Random, 1001);
    for before in [0, 1, 2, 3, 7, 15, 65] {
        for of_keys in [0, 1, 2, 3, 63, 65] {
            let before = [before, of_keys];
            let keys = Keys::Mixed;
            check::<T, O>(&Case { rig, keys, groups: 6, before, tuning: None }, &values)?;
        }
    }
    Ok(())
}

/// Without slots of workgroups, with one copy of them, with many, and in one invocation.
fn tunings<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    let values = T::data(Shape::Extreme, 5001);
    let default = HistogramTuning::for_weights(&rig.reducer.caps());
    for (workgroup_size, max_workgroups, copies) in
        [(64, 300, 0), (1, 1, 1), (64, 3, 32), (32, 9, 4)]
    {
        let tuning = HistogramTuning { workgroup_size, max_workgroups, copies, ..default };
        for (keys, groups) in Keys::ALL.into_iter().zip([5, 5, 400, 37, 12]) {
            let case = Case { rig, keys, groups, before: [1, 2], tuning: Some(tuning) };
            check::<T, O>(&case, &values)?;
        }
    }
    Ok(())
}

/// A few lengths, every shape of data, and NaN and infinity in some groups.
fn briefly<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    let default = HistogramTuning::for_weights(&rig.reducer.caps());
    for copies in [0, default.copies] {
        let tuning = Some(HistogramTuning { copies, ..default });
        let case = |keys, groups| Case { rig, keys, groups, before: [1, 2], tuning };
        for shape in Shape::ALL {
            check::<T, O>(&case(Keys::Mixed, 9), &T::data(shape, 3001))?;
            check::<T, O>(&case(Keys::Skewed, 40), &T::data(shape, 2000))?;
            check::<T, O>(&case(Keys::One, 1), &T::data(shape, 37))?;
        }
        for special in Special::ALL {
            if let Some(values) = special.data::<T>(301) {
                check::<T, O>(&case(Keys::Turns, 4), &values)?;
            }
        }
    }
    Ok(())
}

/// A type whose sums are exact, and that is a float.
trait Summed: TestElement {
    /// The bits of the sum of all, or of those that are no NaN.
    fn sum(values: &[Self], skips_nan: bool) -> u64;

    /// The bits of the sums of groups on the device, and of those without NaN.
    fn sums(
        rig: &Rig,
        values: &[Self],
        keys: &[u32],
        groups: u32,
    ) -> wgpu_reduce::Result<[Vec<u64>; 2]>;
}

macro_rules! summed {
    ($($float:ty as $sum:ty),*) => {$(
        impl Summed for $float {
            fn sum(values: &[Self], skips_nan: bool) -> u64 {
                let mut sum = ExactSum::new();
                for &value in values {
                    let value = <$sum>::from(value);
                    if !(skips_nan && value.is_nan()) {
                        sum.add(value);
                    }
                }
                sum.round().to_bits().into()
            }

            fn sums(
                rig: &Rig,
                values: &[Self],
                keys: &[u32],
                groups: u32,
            ) -> wgpu_reduce::Result<[Vec<u64>; 2]> {
                let (x, by) = (rig.reducer.upload(values)?, rig.reducer.upload(keys)?);
                let sums: Vec<$sum> = rig.reducer.reduce(Sum, &x).groups(&by, groups).run()?;
                let but_nan: Vec<$sum> = rig.reducer.reduce(NanSum, &x).groups(&by, groups).run()?;
                Ok([sums, but_nan].map(|sums| sums.into_iter().map(|sum| sum.to_bits().into()).collect()))
            }
        }
    )*};
}
summed!(f32 as f32, f64 as f64, f16 as f32, bf16 as f32);

/// Sums of floats are exact, and so are those that leave NaN out.
fn sums_of_floats(rig: &Rig) -> Outcome {
    fn of<T: Summed>(rig: &Rig) -> Outcome {
        for special in Special::ALL {
            let values = special.data::<T>(2003).unwrap_or_default();
            sums_are_right(rig, &values, &Keys::Mixed.keys(2003, 11), 11)
                .map_err(|error| format!("{special:?}: {error:?}"))?;
        }
        Ok(())
    }
    of::<f32>(rig)?;
    of::<f64>(rig)?;
    of::<f16>(rig)?;
    of::<bf16>(rig)
}

fn sums_are_right<T: Summed>(rig: &Rig, values: &[T], keys: &[u32], groups: u32) -> Outcome {
    let [sums, but_nan] = T::sums(rig, values, keys, groups)?;
    for (group, (of_group, _)) in members(values, keys, groups).into_iter().enumerate() {
        for (sums, skips_nan) in [(&sums, false), (&but_nan, true)] {
            let expected = T::sum(&of_group, skips_nan);
            let found = sums[group];
            ensure!(found == expected, "{found:x} of group {group} is not {expected:x}");
        }
    }
    Ok(())
}

/// A float of any exponent.
trait Scaled: Summed {
    const LOWEST: i32;

    fn scaled(exponent: i32, fraction: u32, is_negative: bool) -> Self;
}

macro_rules! scaled {
    ($($float:ty: $bits:ty, $lowest:literal, $digits:literal;)*) => {$(
        impl Scaled for $float {
            const LOWEST: i32 = $lowest;

            fn scaled(exponent: i32, fraction: u32, is_negative: bool) -> Self {
                let exponent = <$bits>::try_from(exponent - $lowest).expect("it is one");
                // The highest bits and the lowest one.
                let fraction = (<$bits>::from(fraction) & 0x3ff) << ($digits - 10) | 1;
                let magnitude = Self::from_bits(exponent << $digits | fraction);
                if is_negative { -magnitude } else { magnitude }
            }
        }
    )*};
}
scaled! {
    f32: u32, -127, 23;
    f64: u64, -1023, 52;
}

/// Numbers that fit the window of sums, that lie above and below it, at its ends, and carries through all of it.
fn windows_of_sums(rig: &Rig) -> Outcome {
    fn of<T: Scaled>(rig: &Rig) -> Outcome {
        let sign = |index: u64| mix(index).is_multiple_of(2);
        let number = |index: u64, exponent| T::scaled(exponent, mix(!index), sign(index));
        // A sample of 9001 has every third. Of those beside it some are in the window and some just outside.
        let beside = [1, 2, 3, 4, 5, 40, -30, -31, -32, -35, -36, -37, -38, -68, -100];
        let unseen = |index: u64, lowest: i32| {
            let pick = mix(index) as usize % beside.len();
            number(
                index,
                if index % 3 == 1 { (beside[pick] + lowest).max(T::LOWEST) } else { lowest },
            )
        };
        let data: [(&str, Vec<T>); 7] = [
            ("beside a sample", (0..9001).map(|index| unseen(index, 0)).collect()),
            (
                "beside a sample of the least",
                (0..9001).map(|index| unseen(index, T::LOWEST)).collect(),
            ),
            (
                "beside a sample of the largest",
                (0..9001).map(|index| unseen(index, -T::LOWEST - 40)).collect(),
            ),
            (
                "zeros first",
                (0..20_000)
                    .map(|index| if index < 18_000 { T::zeroed() } else { number(index, 30) })
                    .collect(),
            ),
            ("largest", (0..3000).map(|index| number(index, -T::LOWEST)).collect()),
            ("carries", vec![T::scaled(0, 0x3ff, false); 3000]),
            ("borrows", vec![T::scaled(0, 0x3ff, true); 3000]),
        ];
        for (name, values) in &data {
            for (keys, groups) in [(Keys::Mixed, 5), (Keys::Skewed, 60)] {
                let keys = keys.keys(values.len() as u64, groups);
                sums_are_right(rig, values, &keys, groups)
                    .map_err(|error| format!("{name}, {groups} groups: {error:?}"))?;
            }
        }
        Ok(())
    }
    of::<f32>(rig)?;
    of::<f64>(rig)
}

/// Keys of every type.
fn keys(rig: &Rig) -> Outcome {
    fn of<K: GroupKey>(rig: &Rig, key: impl Fn(u32) -> K) -> Outcome {
        let values = i32::data(Shape::Random, 1003);
        let keys = Keys::Mixed.keys(1003, 100);
        let of_type: Vec<K> = keys.iter().map(|&of| key(of)).collect();
        let x = rig.reducer.upload(&values)?;
        for before in 0..3 {
            let by = upload(rig, &of_type, (before, key(3)))?;
            let before = before as u64;
            let by = by.slice(before..before + 1003)?;
            let found = rig.reducer.reduce(Sum, &x).groups(by, 100).run()?;
            let expected: Vec<i64> = members(&values, &keys, 100)
                .iter()
                .map(|(of_group, _)| of_group.iter().map(|&value| i64::from(value)).sum())
                .collect();
            ensure!(found == expected, "{:?}: {found:?} is not {expected:?}", K::KIND);
        }
        Ok(())
    }
    of(rig, |key| u8::try_from(key).expect("it fits"))?;
    of(rig, |key| u16::try_from(key).expect("it fits"))?;
    of(rig, |key| key)?;
    of(rig, u32::cast_signed)?;
    of(rig, u64::from)?;
    of(rig, i64::from)
}

/// More groups than elements, and than a workgroup's memory holds.
fn many(rig: &Rig) -> Outcome {
    let most = u32::try_from(rig.reducer.caps().max_binding_bytes / 16)?;
    for groups in [1 << 14, 70_001].map(|groups: u32| groups.min(most)) {
        let values = u32::data(Shape::Random, 30_011);
        let keys = Keys::Mixed.keys(30_011, groups);
        let (x, by) = (rig.reducer.upload(&values)?, rig.reducer.upload(&keys)?);
        let members = members(&values, &keys, groups);
        let found = rig.reducer.reduce(Sum, &x).groups(&by, groups).run()?;
        let expected: Vec<u64> = members
            .iter()
            .map(|(of_group, _)| of_group.iter().map(|&value| u64::from(value)).sum())
            .collect();
        ensure!(found == expected, "sums of {groups} groups are wrong");
        let found = rig.reducer.reduce(NormMax, &x).groups(&by, groups).run()?;
        let expected: Vec<u32> = members
            .iter()
            .map(|(of_group, _)| of_group.iter().copied().max().unwrap_or(0))
            .collect();
        ensure!(found == expected, "largest of {groups} groups are wrong");
        if groups <= 30_011 {
            let found = rig.reducer.reduce(ArgMax, &x).groups(&by, groups).run()?;
            for (found, (of_group, places)) in found.iter().zip(&members) {
                let expected = ArgMax::expected(of_group)?.placed(places);
                ensure!(found.same_bits(expected), "{found:?} is not {expected:?}");
            }
        }
    }
    Ok(())
}

/// Elements and keys in several buffers, cut in other places.
fn several_buffers(rig: &Rig) -> Outcome {
    let values = f32::data(Shape::Random, 9000);
    let of_elements = Keys::Mixed.keys(9000, 17);
    let inputs =
        [0..1, 1..4001, 4001..4001, 4001..9000].map(|range| rig.reducer.upload(&values[range]));
    let keys =
        [0..3000, 3000..3017, 3017..9000].map(|range| rig.reducer.upload(&of_elements[range]));
    let inputs: Vec<_> = inputs.into_iter().collect::<Result<_, _>>()?;
    let keys: Vec<_> = keys.into_iter().collect::<Result<_, _>>()?;
    let found = rig.reducer.reduce(ArgMax, &inputs).groups(&keys, 17).run()?;
    for (found, (of_group, places)) in found.iter().zip(members(&values, &of_elements, 17)) {
        let expected = ArgMax::expected(&of_group)?.placed(&places);
        ensure!(found.same_bits(expected), "{found:?} is not {expected:?}");
    }
    Ok(())
}

/// Prepared, left in buffers, among others in a batch, and timed.
fn verbs(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let values: Vec<i32> = (0..5000_i32).map(|index| index - 7).collect();
    let of_elements = Keys::Mixed.keys(5000, 6);
    let (x, keys) = (reducer.upload(&values)?, reducer.upload(&of_elements)?);
    let request = reducer.reduce(Sum, &x).groups(&keys, 6);
    let expected = request.run()?;
    let prepared = request.prepare()?;
    for turn in 0..3 {
        let found = prepared.run()?;
        ensure!(found == expected, "run {turn}: {found:?} is not {expected:?}");
    }
    let found = request.to_buffer()?.download(reducer)?;
    ensure!(found == expected, "{found:?} is not {expected:?}");
    let output: GpuBuffer<i64> = reducer.alloc(40)?;
    let mut encoder =
        reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    request.encode(&mut encoder, output.slice(33..)?)?;
    reducer.queue().submit([encoder.finish()]);
    let found = output.download(reducer)?;
    ensure!(found[33..39] == expected, "{found:?} has not {expected:?}");
    let found = request.clone().timed().run()?.value;
    ensure!(found == expected, "{found:?} is not {expected:?}");
    let batch = reducer.batch([(); 3].map(|()| request.clone())).run()?;
    ensure!(batch == vec![expected.clone(); 3], "{batch:?} is not {expected:?}");
    // With a sign of elements, with rounds, and with windows.
    let least = reducer.reduce(Min, &x).groups(&keys, 6);
    let found = least.to_buffer()?.download(reducer)?;
    ensure!(found == least.run()?, "{found:?} are not the least");
    let places = reducer.reduce(ArgMin, &x).groups(&keys, 6);
    let found = places.to_buffer()?.download(reducer)?;
    for (raw, place) in found.into_iter().zip(places.run()?) {
        ensure!(Operation::<i32>::finish(&ArgMin, raw, 1)? == place, "{raw:?} is not {place:?}");
    }
    let floats = reducer.upload(&f32::data(Shape::Extreme, 5000))?;
    let sums = reducer.reduce(SumExact, &floats).groups(&keys, 6);
    let found = sums.to_buffer()?.download(reducer)?;
    ensure!(found == sums.run()?, "{found:?} are not the sums");
    let none = reducer.reduce(SumExact, &floats).groups(&keys, 0).to_buffer()?;
    ensure!(none.is_empty(), "{} results of no groups", none.len());
    let means = reducer.reduce(Mean, &x).groups(&keys, 6).run()?;
    for (mean, (of_group, _)) in means.iter().zip(members(&values, &of_elements, 6)) {
        let right = Mean::expected(&of_group)?;
        ensure!(mean.to_bits() == right.to_bits(), "{mean} is not {right}");
    }
    Ok(())
}
