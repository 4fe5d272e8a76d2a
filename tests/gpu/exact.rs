//! Exact sums on the GPU: against the host's, and against integers of arbitrary precision.

#[path = "../host/exact/cases.rs"]
pub(crate) mod cases;
#[path = "../host/exact/committed.rs"]
pub(crate) mod committed;
#[path = "../host/exact/oracle.rs"]
#[expect(dead_code, reason = "the host's tests use the rest")]
pub(crate) mod oracle;

use crate::harness::oracle::Poison;
use crate::harness::rig::{TIGHT_BINDING_BYTES, open};
use crate::harness::{Outcome, Rig, counts, ensure, on_every_rig};
use cases::{Float, Mix, Random, fraction, least, number, zero};
use committed::Committed;
use libtest_mimic::{Failed, Trial};
use oracle::Oracle;
use wgpu_reduce::planners::ExactPlan;
use wgpu_reduce::{
    DotExact, ElementKind, Error, ExactPartial, ExactSum, ExactTuning, GpuSlice, Part, SumExact,
};

macro_rules! trials {
    ($rigs:ident, $T:ty, $suffix:literal: $($test:ident)*) => {
        [$(on_every_rig($rigs, concat!("exact::", stringify!($test), $suffix), $test::<$T>)),*]
    };
    ($rigs:ident: $($tests:tt)*) => {
        [trials!($rigs, f32, "": $($tests)*), trials!($rigs, f64, "::f64": $($tests)*)]
    };
}

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let of_both = trials!(rigs:
        edge_lengths every_offset random_mixes permutations_and_splits several_buffers partials special_values tunings
        full_bins full_columns windows_that_move in_flight squares);
    let known_bits = on_every_rig(rigs, "exact::known_bits", known_bits);
    of_both.into_iter().flatten().chain([known_bits]).flatten().collect()
}

/// The default for so many elements.
pub(crate) fn default_tuning<T: Float>(rig: &Rig, len: u64) -> ExactTuning {
    match T::KIND {
        ElementKind::F64 => ExactTuning::for_doubles(&rig.reducer.caps(), len),
        _ => ExactTuning::for_len(&rig.reducer.caps(), len),
    }
}

/// The NaN that sums are.
pub(crate) fn nan<T: Float>() -> T {
    T::of_word(T::INFINITY.word() | 1 << (T::PRECISION - 2))
}

/// What neighbours are: whatever of them got into a sum would make it NaN.
const SOME_POISON: Poison = Poison { before: 3, after: 5 };

/// The GPU's sum of `values` between poisoned neighbours.
fn sum_of<T: Float>(
    rig: &Rig,
    values: &[T],
    poison: Poison,
    tuning: &ExactTuning,
) -> Result<ExactSum<T>, Failed> {
    let mut padded = vec![nan::<T>(); poison.before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + poison.after, nan::<T>());
    let buffer = rig.reducer.upload(&padded)?;
    let start = poison.before as u64;
    let slice = buffer.slice(start..start + values.len() as u64)?;
    Ok(rig
        .reducer
        .reduce(SumExact, slice)
        .unrounded()
        .tuned(*tuning)
        .timed()
        .start()?
        .wait()?
        .value)
}

/// Compares the GPU's sum with the host's: every digit, count and class.
pub(crate) fn check<T: Float>(rig: &Rig, values: &[T], poison: Poison, what: &str) -> Outcome {
    let tuning = default_tuning::<T>(rig, values.len() as u64);
    check_with(rig, values, poison, &tuning, what)
}

fn check_with<T: Float>(
    rig: &Rig,
    values: &[T],
    poison: Poison,
    tuning: &ExactTuning,
    what: &str,
) -> Outcome {
    let sum = sum_of(rig, values, poison, tuning)?;
    let expected: ExactSum<T> = values.iter().collect();
    ensure!(
        sum == expected,
        "{what}, {} elements, {tuning}: {:?} is not {:?}",
        values.len(),
        sum.round(),
        expected.round()
    );
    Ok(())
}

/// The committed list of inputs.
pub(crate) fn known() -> Result<Vec<Committed>, String> {
    Committed::read(include_str!("../data/exact_sums.txt"))
}

/// That of `f64`.
pub(crate) fn known_f64() -> Result<Vec<Committed<f64>>, String> {
    Committed::read(include_str!("../data/exact_sums_f64.txt"))
}

/// The committed lists of inputs have the committed bits, by the blocking calls.
fn known_bits(rig: &Rig) -> Outcome {
    known_bits_of(rig, known()?)?;
    known_bits_of(rig, known_f64()?)
}

fn known_bits_of<T: Float>(rig: &Rig, cases: Vec<Committed<T>>) -> Outcome {
    for Committed { line, values, sum, mean, .. } in cases {
        let buffer = rig.reducer.upload(&values)?;
        let found = rig.reducer.sum_exact(&buffer)?;
        ensure!(found.word() == sum.word(), "{line}: the sum is {:x}", found.word());
        let found = rig.reducer.mean_exact(&buffer)?;
        ensure!(found.word() == mean.word(), "{line}: the mean is {:x}", found.word());
    }
    Ok(())
}

/// Lengths at which something in the plan changes, and their neighbours.
fn edge_lengths<T: Float>(rig: &Rig) -> Outcome {
    let tuning = default_tuning::<T>(rig, 1 << 20);
    let workgroup = tuning.workgroup_size as usize;
    let of_quad = 16 / size_of::<T>();
    let tile = of_quad * workgroup * tuning.loads_in_flight as usize;
    let share = of_quad * workgroup * tuning.min_quads_per_invocation as usize;
    let grid = share.min(1 << 13) * tuning.max_workgroups as usize;
    let binding = usize::try_from(TIGHT_BINDING_BYTES)? / size_of::<T>();
    let mut lengths = vec![0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 7919];
    for edge in [workgroup, tile, share, 2 * share, grid, binding, 3 * binding] {
        lengths.extend([edge - 1, edge, edge + 1]);
    }
    // One tight binding holds what so many of them leave.
    lengths.retain(|&len| !rig.is_tight || len <= 64 * binding);
    for (index, &len) in lengths.iter().enumerate() {
        let mixes = if len > 1 << 14 { &[Mix::Near, Mix::Finite][..] } else { &Mix::ALL };
        for &mix in mixes {
            let values: Vec<T> = mix.numbers(len, &mut Random::new(index as u64));
            check(rig, &values, SOME_POISON, &format!("{mix:?}"))?;
        }
    }
    Ok(())
}

/// Slices from every element of a quad to every other, short and long.
fn every_offset<T: Float>(rig: &Rig) -> Outcome {
    let mut random = Random::new(1);
    for len in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 1000, 16_384, 16_389] {
        let values: Vec<T> = Mix::Spread.numbers(len, &mut random);
        for before in (0..9).chain([63, 64, 65, 16_383]) {
            let poison = Poison { before, after: 4 };
            check(rig, &values, poison, &format!("from element {before}"))?;
        }
    }
    Ok(())
}

/// Every mix of exponents, in random lengths; a part against the oracle, too.
fn random_mixes<T: Float>(rig: &Rig) -> Outcome {
    for mix in Mix::ALL {
        let lengths = [50, 3000, 30_000].into_iter().cycle();
        for (case, most) in (0..u64::from(counts::cases(12))).zip(lengths) {
            let mut random = Random::new(1000 * case + mix as u64);
            let len = random.below(most);
            let values: Vec<T> = mix.numbers(len, &mut random);
            check(rig, &values, SOME_POISON, &format!("{mix:?} {case}"))?;
            if len < 3000 {
                let buffer = rig.reducer.upload(&values)?;
                let sum = rig.reducer.reduce(SumExact, &buffer).unrounded().run()?.round().word();
                let expected = Oracle::of(&values).rounded();
                ensure!(sum == expected, "{mix:?} {case}: {sum:x} is not {expected:x}");
            }
        }
    }
    Ok(())
}

/// Any order, and any split into parts that are merged, has the same bytes.
fn permutations_and_splits<T: Float>(rig: &Rig) -> Outcome {
    let mut random = Random::new(2);
    for mix in [Mix::Spread, Mix::Finite, Mix::Cancelling, Mix::Huge, Mix::Special] {
        let mut values: Vec<T> = mix.numbers(20_000, &mut random);
        let bytes = ExactSum::from_iter(&values).to_bytes();
        for _ in 0..3 {
            random.shuffle(&mut values);
            let buffer = rig.reducer.upload(&values)?;
            let mut cuts = vec![0, buffer.len()];
            for _ in 0..random.below(5) {
                cuts.push(random.below(values.len() + 1) as u64);
            }
            cuts.sort_unstable();
            let parts = cuts.windows(2).map(|cut| {
                let slice = buffer.slice(cut[0]..cut[1])?;
                rig.reducer.reduce(SumExact, slice).unrounded().start()?.wait()
            });
            let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
            random.shuffle(&mut parts);
            let mut whole = ExactSum::<T>::new();
            for part in &parts {
                whole += part;
            }
            ensure!(whole.to_bytes() == bytes, "{mix:?} cut at {cuts:?}");
        }
    }
    Ok(())
}

/// A sequence of buffers is one input.
fn several_buffers<T: Float>(rig: &Rig) -> Outcome {
    let mut random = Random::new(6);
    for mix in [Mix::Uniform, Mix::Any, Mix::NegativeZeros] {
        let parts = [5000, 0, 1, 40_003].map(|len| mix.numbers::<T>(len, &mut random));
        let buffers = parts.iter().map(|part| rig.reducer.upload(part));
        let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
        let sum = rig.reducer.reduce(SumExact, &buffers).unrounded().start()?.wait()?;
        let expected: ExactSum<T> = parts.iter().flatten().collect();
        ensure!(sum == expected, "{mix:?}: {:?}, not {:?}", sum.round(), expected.round());
        let slices = [buffers[3].slice(7..)?, buffers[0].slice(..3)?];
        let sum = rig.reducer.reduce(SumExact, &slices).unrounded().start()?.wait()?;
        let expected: ExactSum<T> = parts[3][7..].iter().chain(&parts[0][..3]).collect();
        ensure!(sum == expected, "{mix:?}, slices: {:?}, not {:?}", sum.round(), expected.round());
    }
    let none = Vec::<GpuSlice<'_, T>>::new();
    let nothing = rig.reducer.reduce(SumExact, none).unrounded().start()?.wait()?;
    ensure!(nothing == ExactSum::new(), "no buffer has elements");
    Ok(())
}

/// What two devices leave of parts of an input means, word by word, what one sum of all means; other words are refused.
fn partials<T: Float>(rig: &Rig) -> Outcome {
    let other = open(&rig.options)?;
    let mut random = Random::new(7);
    let columns = if size_of::<T>() == 4 { [0, 27, 28, 29] } else { [0, 180, 181, 182] };
    for mix in [Mix::Finite, Mix::Any, Mix::NegativeZeros] {
        let values: Vec<T> = mix.numbers(20_000, &mut random);
        let mut whole = ExactSum::new();
        for (reducer, part) in [(&rig.reducer, &values[..7001]), (&other, &values[7001..])] {
            let partial = reducer.reduce(SumExact, &reducer.upload(part)?).partial().run()?;
            let (count, workgroups) = (partial.count(), partial.workgroups());
            let sent = ExactPartial::<T>::new(partial.terms(), count, workgroups, partial.words())?;
            ensure!(sent == partial, "{mix:?}: the words mean something else");
            // A workgroup less has been here, or one more.
            for column in columns {
                let mut words = partial.words().to_vec();
                words[column] = words[column].wrapping_add(1 << 22);
                let refused = ExactPartial::<T>::new(partial.terms(), count, workgroups, &words);
                ensure!(matches!(refused, Err(Error::InvalidBytes { .. })), "{refused:?}");
            }
            whole += &partial.into();
        }
        let expected = ExactSum::from_iter(&values);
        ensure!(whole.to_bytes() == expected.to_bytes(), "{mix:?}: {:?}", whole.round());
    }
    Ok(())
}

/// Sums of products come as words, too.
fn squares<T: Float>(rig: &Rig) -> Outcome {
    for mix in [Mix::Finite, Mix::Any, Mix::NegativeZeros] {
        let values: Vec<T> = mix.numbers(20_000, &mut Random::new(8));
        let buffer = rig.reducer.upload(&values)?;
        let squares = rig.reducer.reduce(DotExact, (&buffer, &buffer)).partial().start()?.wait()?;
        let mut expected = ExactSum::new();
        expected.add_products(&values, &values)?;
        ensure!(ExactSum::from(squares) == expected, "{mix:?}");
    }
    Ok(())
}

/// What sums of infinities, NaNs and zeros are, alone and among others, wherever they stand.
fn special_values<T: Float>(rig: &Rig) -> Outcome {
    let (inf, max) = (T::INFINITY, T::MAX);
    let quiet = nan::<T>().word();
    let signalling = [T::of_word(inf.word() | 1), T::of_word((-inf).word() | fraction::<T>())];
    let cases: [(&[T], u64); 9] = [
        (&[inf], inf.word()),
        (&[-inf], (-inf).word()),
        (&[inf, inf], inf.word()),
        (&[inf, -inf], quiet),
        (&signalling[..1], quiet),
        (&signalling[1..], quiet),
        (&[nan::<T>(), inf], quiet),
        (&[max, max], inf.word()),
        (&[-max, -max], (-inf).word()),
    ];
    for (specials, expected) in cases {
        for len in [2_usize, 5, 1000, 40_000] {
            for start in [0, len / 2, len].map(|start| start.min(len - specials.len())) {
                let mut values = vec![-zero::<T>(); len];
                values[start..start + specials.len()].copy_from_slice(specials);
                let buffer = rig.reducer.upload(&values)?;
                let sum = rig.reducer.reduce(SumExact, &buffer).unrounded().run()?.round().word();
                ensure!(sum == expected, "{specials:?} from {start} of {len}: {sum:x}");
                check(rig, &values, SOME_POISON, "among zeros")?;
            }
        }
    }
    // Many tiles for each invocation, whose windows move.
    let narrow =
        ExactTuning { workgroup_size: 32, max_workgroups: 1, ..default_tuning::<T>(rig, 1) };
    for len in [0, 1, 4, 1000, 20_000] {
        let mut values = vec![-zero::<T>(); len];
        check(rig, &values, SOME_POISON, "only -0")?;
        check_with(rig, &values, SOME_POISON, &narrow, "only -0, of few")?;
        if let Some(last) = values.last_mut() {
            *last = zero();
        }
        check(rig, &values, SOME_POISON, "-0 and one +0")?;
        check_with(rig, &values, SOME_POISON, &narrow, "-0 and one +0, of few")?;
        // Zeros among ones, of either sign, which windows take.
        for (index, value) in values.iter_mut().enumerate().filter(|(index, _)| index % 3 == 0) {
            *value = if index % 2 == 0 { T::ONE } else { -T::ONE };
        }
        check_with(rig, &values, SOME_POISON, &narrow, "-0 among ones")?;
    }
    let empty = rig.reducer.alloc::<T>(0)?;
    let sum = rig.reducer.reduce(SumExact, &empty).unrounded().run()?;
    ensure!(sum.round().word() == 0, "the sum of nothing is +0");
    let mean = rig.reducer.mean_exact(&empty);
    ensure!(
        mean == Err(Error::Empty { operation: "mean_exact" }),
        "the mean of nothing is {mean:?}"
    );
    Ok(())
}

/// No tuning changes a bit.
fn tunings<T: Float>(rig: &Rig) -> Outcome {
    let caps = rig.reducer.caps();
    let default = default_tuning::<T>(rig, 1 << 16);
    let is_wide = size_of::<T>() == 8;
    let mut random = Random::new(3);
    for (row, workgroup_size) in [32, 64, 256, 1024].into_iter().enumerate() {
        let tunings = [(1, 1, 1, 0), (2, 3, 5, 1), (4, 7, 4, 24), (8, 1000, 1, 2), (16, 2, 16, 7)];
        for (column, tuning) in tunings.into_iter().enumerate() {
            let (loads_in_flight, max_workgroups, min_quads_per_invocation, margin) = tuning;
            // Of the second type every second.
            if is_wide && (row + column) % 2 == 1 {
                continue;
            }
            let (most_loads, most_margin) = if is_wide { (8, 22) } else { (16, 24) };
            let tuning = ExactTuning {
                workgroup_size,
                max_workgroups,
                loads_in_flight: most_loads.min(loads_in_flight),
                min_quads_per_invocation,
                margin: most_margin.min(margin),
            };
            if workgroup_size > caps.max_workgroup_size {
                let refused =
                    rig.reducer.reduce(SumExact, &rig.reducer.alloc::<T>(1)?).tuned(tuning).plan();
                ensure!(refused.is_err(), "{tuning} is too large for the device");
                continue;
            }
            for mix in [Mix::Uniform, Mix::Spread, Mix::Any] {
                let values: Vec<T> = mix.numbers(5000 + random.below(20_000), &mut random);
                check_with(rig, &values, SOME_POISON, &tuning, &format!("{mix:?}"))?;
            }
        }
    }
    let bad = ExactTuning { margin: if is_wide { 23 } else { 25 }, ..default };
    ensure!(
        rig.reducer.reduce(SumExact, &rig.reducer.alloc::<T>(1)?).tuned(bad).plan().is_err(),
        "{bad} is refused"
    );
    Ok(())
}

/// So many elements of one exponent that bins and digits carry, of either sign and at both ends of the
/// range; and windows that are as full as they can be.
fn full_bins<T: Float>(rig: &Rig) -> Outcome {
    let below_two = number::<T>(T::TOP / 2, fraction::<T>());
    let [largest_subnormal, least_normal] = [number(0, fraction::<T>()), number(1, 0)];
    let one_workgroup = |tuning: ExactTuning| ExactTuning { max_workgroups: 1, ..tuning };
    for value in [T::MAX, below_two, largest_subnormal, least_normal] {
        // Pairs that no window takes both of fill the bins.
        let mut beside = [value; 8];
        beside[7] = if value > T::ONE { least() } else { T::MAX };
        for values in [[value; 8], beside, [-value; 8], beside.map(|v| -v)] {
            let values = values.repeat((1 << 17) / 8);
            let tuning = one_workgroup(default_tuning::<T>(rig, 1 << 20));
            check_with(rig, &values, SOME_POISON, &tuning, &format!("{value:?}"))?;
        }
    }
    // 2^15 elements for each invocation, less what is kept back for the ends: one window of the input has 2^22
    // bytes less 2^11, with the poison before its elements; of f64 as many elements fit in a window, and 2^15 quads less 16.
    let small = one_workgroup(default_tuning::<T>(rig, 1 << 20));
    let small = ExactTuning { workgroup_size: 32, ..small };
    // The results of so many tight bindings do not fit one.
    let len = if rig.is_tight { 256 * 512 } else { 2047 * 512 };
    let values = vec![-T::MAX; len - SOME_POISON.before];
    let part = Part {
        offset_bytes: (size_of::<T>() * SOME_POISON.before) as u64,
        len: values.len() as u64,
    };
    let plan = ExactPlan::of(T::KIND, &[part], &small, &rig.reducer.caps())?;
    ensure!(rig.is_tight || plan.dispatches.len() == 1, "windows are not full: {plan}");
    check_with(rig, &values, SOME_POISON, &small, "full windows")
}

/// As many workgroups as there may be, which all add much to the same columns: 21 neighbouring exponents reach a
/// digit with all their bits. Every quad has two of them, so far apart that no window takes both.
fn full_columns<T: Float>(rig: &Rig) -> Outcome {
    const WORKGROUPS: usize = 1000;
    let tuning = ExactTuning {
        workgroup_size: 32,
        max_workgroups: 1000,
        loads_in_flight: 1,
        min_quads_per_invocation: 1,
        margin: 2,
    };
    // Workgroups take tiles of 32 quads in turn: two of each pair of exponents for each of them.
    let quad = |lower: u32| {
        let [low, high] = [lower, lower + 60].map(|field| number::<T>(field, fraction::<T>()));
        [low, low, high, high]
    };
    // The results of so many tight bindings do not fit one.
    let repeats = if rig.is_tight { 2 * 32 * WORKGROUPS / 8 } else { 2 * 32 * WORKGROUPS };
    let mut values: Vec<T> = (101..=121).flat_map(|lower| quad(lower).repeat(repeats)).collect();
    for what in ["full columns", "the same, negative"] {
        let part = Part { offset_bytes: 0, len: values.len() as u64 };
        let plan = ExactPlan::of(T::KIND, &[part], &tuning, &rig.reducer.caps())?;
        let workgroups: Vec<_> = plan.dispatches.iter().map(|of| of.workgroups).collect();
        ensure!(rig.is_tight || workgroups == [1000], "{workgroups:?} workgroups");
        check_with(rig, &values, Poison { before: 0, after: 5 }, &tuning, what)?;
        for value in &mut values {
            *value = -*value;
        }
    }
    Ok(())
}

/// An exponent by its index among so many, and a name for all of them.
type Exponents = (&'static str, fn(u32, u32) -> u32);

/// Exponents that wander, with outliers on the way.
pub(crate) const WANDERING: [Exponents; 5] = [
    ("rising", |index, len| index * 254 / len),
    ("falling", |index, len| 254 - index * 254 / len),
    ("in steps", |index, len| [1, 254, 127, 254, 100, 60][(index * 6 / len) as usize]),
    ("outliers", |index, _| if index % 5003 == 0 { 254 } else { 127 }),
    ("zeros among ones", |index, _| if index % 3 == 0 { 0 } else { 127 }),
];

/// A number with this exponent, as its bits have it, of any sign and fraction.
pub(crate) fn with_exponent<T: Float>(field: u32, random: &mut Random) -> T {
    let word = T::cut(random.bits()) & !T::INFINITY.word();
    T::of_word(word | number::<T>(field, 0).word())
}

/// Data whose exponents wander, so that windows must follow.
fn windows_that_move<T: Float>(rig: &Rig) -> Outcome {
    let mut random = Random::new(4);
    let slow = ExactTuning { max_workgroups: 2, ..default_tuning::<T>(rig, 1 << 18) };
    let len = 1_u32 << 17;
    for (what, field) in WANDERING {
        let of_field = |field| with_exponent(field * (T::TOP / 255), &mut random);
        let mut values: Vec<T> = (0..len).map(|index| field(index, len)).map(of_field).collect();
        check_with(rig, &values, SOME_POISON, &slow, what)?;
        let is_subnormal = |value: &T| (*value).word() & T::INFINITY.word() == 0;
        values.iter_mut().filter(|value| is_subnormal(value)).for_each(|value| *value = zero());
        check_with(rig, &values, SOME_POISON, &slow, what)?;
    }
    Ok(())
}

/// Sums of different lengths at once, over and over: whoever uses counters leaves them zero.
fn in_flight<T: Float>(rig: &Rig) -> Outcome {
    let values: Vec<T> = Mix::Spread.numbers(60_000, &mut Random::new(5));
    let buffer = rig.reducer.upload(&values)?;
    for round in 0..5 {
        let lens = [60_000, 1, 17_000, 0, 33_333_u64];
        let pending = lens.map(|len| {
            let slice = buffer.slice(round..len.max(round)).ok()?;
            rig.reducer.reduce(SumExact, slice).unrounded().start().ok()
        });
        for (len, pending) in lens.into_iter().zip(pending) {
            let sum = pending.ok_or("it does not start")?.wait()?;
            let range = usize::try_from(round)?..usize::try_from(len.max(round))?;
            ensure!(sum == ExactSum::from_iter(&values[range]), "round {round}, {len} elements");
        }
    }
    Ok(())
}
