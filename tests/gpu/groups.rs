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
    All, Any, ArgMax, ArgMin, BitAnd, BitOr, BitXor, CountNan, CountNonZero, Dot, Error, ExactSum,
    GpuBuffer, GroupKey, HistogramTuning, Max, Mean, MeanExact, Min, MinMax, NanArgMin, NanMax,
    NanMin, NanSum, NormL1, NormL2, NormMax, Std, Sum, SumExact, SumOfSquares, Variance,
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
        ("groups::wrong_keys", wrong_keys),
        ("groups::refusals", refusals),
    ];
    trials.extend(tests.into_iter().flat_map(|(name, test)| on_every_rig(rigs, name, test)));
    trials
}

/// Which element has which key.
#[derive(Debug, Clone, Copy)]
enum Keys {
    One,
    Turns,
    Mixed,
    /// Most are in few.
    Skewed,
    Sorted,
}

impl Keys {
    const ALL: [Self; 5] = [Self::One, Self::Turns, Self::Mixed, Self::Skewed, Self::Sorted];

    fn keys(self, len: u64, groups: u32) -> Vec<u32> {
        let key = |index: u64| {
            let mixed = mix(index ^ 0x77);
            match self {
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
struct Case<'a> {
    rig: &'a Rig,
    keys: Keys,
    groups: u32,
    before: [usize; 2],
    tuning: Option<HistogramTuning>,
}

/// The elements of each group, and where they stand.
fn members<T: Copy>(values: &[T], keys: &[u32], groups: u32) -> Vec<(Vec<T>, Vec<u64>)> {
    let mut members = vec![(Vec::new(), Vec::new()); groups as usize];
    for ((index, &value), &key) in (0_u64..).zip(values).zip(keys) {
        let (of_group, places) = &mut members[key as usize];
        of_group.push(value);
        places.push(index);
    }
    members
}

/// Compares with the results of each group alone.
fn check<T: TestElement, O: Oracle<T, Output: Placed>>(case: &Case<'_>, values: &[T]) -> Outcome {
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

/// Numbers that fit the window of a workgroup, that lie above and below it, at its ends, and carries through all of it.
fn windows_of_sums(rig: &Rig) -> Outcome {
    let sign = |index: u64| if mix(index).is_multiple_of(2) { 1.0 } else { -1.0 };
    let power = |index: u64, lowest: i32, most: u32| {
        2.0_f32.powi(lowest + (mix(!index) % most).cast_signed()) * sign(index)
    };
    let data: [(&str, Vec<f32>); 8] = [
        ("all exponents", (0..4000).map(|index| f32::from_bits(mix(index))).collect()),
        ("ordinary exponents", (0..4000).map(|index| power(index, -60, 120)).collect()),
        ("a window", (0..4000).map(|index| power(index, -20, 40)).collect()),
        ("subnormal", (0..4000).map(|index| f32::from_bits(mix(index) % 0x0100_0000)).collect()),
        ("largest", (0..4000).map(|index| f32::MAX * sign(index)).collect()),
        ("carries", vec![f32::from_bits(0x3fff_ffff); 4000]),
        ("borrows", vec![f32::from_bits(0xbfff_ffff); 4000]),
        ("zeros", (0..4000).map(|index| if index == 7 { 1e-30 } else { -0.0 }).collect()),
    ];
    for (name, values) in &data {
        for (keys, groups) in [(Keys::Mixed, 5), (Keys::One, 2), (Keys::Skewed, 60)] {
            let finite: Vec<_> = values.iter().copied().filter(|value| value.is_finite()).collect();
            let keys = keys.keys(finite.len() as u64, groups);
            sums_are_right(rig, &finite, &keys, groups)
                .map_err(|error| format!("{name}, {groups} groups: {error:?}"))?;
        }
    }
    Ok(())
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
    let means = reducer.reduce(Mean, &x).groups(&keys, 6).run()?;
    for (mean, (of_group, _)) in means.iter().zip(members(&values, &of_elements, 6)) {
        let right = Mean::expected(&of_group)?;
        ensure!(mean.to_bits() == right.to_bits(), "{mean} is not {right}");
    }
    Ok(())
}

/// The first key that is of no group is told, and nothing else is wrong after that.
fn wrong_keys(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&i32::data(Shape::Random, 3000))?;
    let right = Keys::Mixed.keys(3000, 8);
    for (places, key) in [(vec![0], 8), (vec![2999, 1700], u32::MAX), (vec![5, 6, 2000], 100)] {
        let mut keys = right.clone();
        for &place in &places {
            keys[place] = key;
        }
        let first = places.iter().min().map_or(0, |&first| first as u64);
        let keys = reducer.upload(&keys)?;
        let request = reducer.reduce(Max, &x).groups(&keys, 8);
        let expected = Error::InvalidKey { index: first, key: Some(key.into()), groups: 8 };
        for turn in 0..2 {
            let refused = request.run();
            ensure!(refused.as_ref() == Err(&expected), "{turn}: {refused:?} is not {expected:?}");
        }
        // What has no group counts nowhere.
        let left = request.to_buffer()?.download(reducer)?;
        reducer.write(&keys, &right)?;
        let all = request.run()?;
        ensure!(left.len() == all.len(), "{left:?} and {all:?}");
    }
    let negative = reducer.upload(&[0_i64, -3])?;
    let two = reducer.upload(&[1_u32, 2])?;
    let refused = reducer.reduce(Sum, &two).groups(&negative, 1).run();
    let expected = Error::InvalidKey { index: 1, key: Some(-3), groups: 1 };
    ensure!(refused.as_ref() == Err(&expected), "{refused:?} is not {expected:?}");
    // No groups at all, and no elements.
    let none = reducer.upload::<u32>(&[])?;
    let found = reducer.reduce(Sum, &none).groups(&none, 0).run()?;
    ensure!(found.is_empty(), "{found:?}");
    let found = reducer.reduce(Sum, &none).groups(&none, 3).run()?;
    ensure!(found == [0; 3], "{found:?}");
    let refused = reducer.reduce(Max, &none).groups(&none, 3).run();
    let expected = Error::EmptyGroup { operation: "max", group: 0 };
    ensure!(refused.as_ref() == Err(&expected), "{refused:?} is not {expected:?}");
    let refused = reducer.reduce(Sum, &two).groups(&reducer.upload(&[0_u32, 0])?, 0).run();
    let expected = Error::InvalidKey { index: 0, key: Some(0), groups: 0 };
    ensure!(refused.as_ref() == Err(&expected), "{refused:?} is not {expected:?}");
    Ok(())
}

/// Other lengths, too many groups, and what depends on the order.
fn refusals(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&[1.0_f32, 2.0, 3.0])?;
    let keys = reducer.upload(&[0_u32, 0, 1])?;
    let short = reducer.reduce(Sum, &x).groups(keys.slice(..2)?, 2).run();
    ensure!(short == Err(Error::LengthMismatch { left: 3, right: 2 }), "{short:?}");
    let refused = |text: wgpu_reduce::Result<Vec<f32>>, what: &str| -> Outcome {
        match text {
            Err(error @ Error::Unsupported { .. }) => {
                ensure!(error.to_string().contains(what), "{error} does not say {what}");
                Ok(())
            }
            other => Err(format!("{other:?} says nothing of {what}").into()),
        }
    };
    refused(reducer.reduce(Sum, &x).groups(&keys, (1 << 24) + 1).run(), "16777217 groups")?;
    refused(reducer.reduce(Mean, &x).groups(&keys, 2).run(), "`mean_exact` has it")?;
    refused(reducer.reduce(Variance::SAMPLE, &x).groups(&keys, 2).run(), "variance of f32")?;
    refused(reducer.reduce(NormL2, &x).groups(&keys, 2).run(), "norm_l2 of f32")?;
    let tuning =
        HistogramTuning { workgroup_size: 3, ..HistogramTuning::for_weights(&reducer.caps()) };
    let wrong = reducer.reduce(Sum, &x).groups(&keys, 2).tuned(tuning).run();
    ensure!(matches!(wrong, Err(Error::InvalidTuning { .. })), "{wrong:?}");
    let output = reducer.alloc::<f32>(1)?;
    let small = reducer.reduce(Sum, &x).groups(&keys, 2).output(&output).run();
    ensure!(small == Err(Error::InvalidRange { start: 0, end: 2, len: 1 }), "{small:?}");
    let over = reducer.reduce(Sum, &x).groups(&keys, 2).output(&x).run();
    ensure!(matches!(over, Err(Error::InvalidBuffer { .. })), "{over:?}");
    let pairs = reducer.reduce(Dot, (&x, &x)).groups(&keys, 2).run();
    ensure!(matches!(pairs, Err(Error::WrongInputs { .. })), "{pairs:?}");
    Ok(())
}
