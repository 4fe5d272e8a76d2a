//! Exact dot products on the GPU: against the host's, and against integers of arbitrary precision.

use crate::exact::cases::{Float, Mix, Random, fraction, least, number, zero};
use crate::exact::committed::Committed;
use crate::exact::oracle::Oracle;
use crate::exact::{WANDERING, known, known_f64, nan, with_exponent};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, counts, ensure, on_every_rig};
use libtest_mimic::Trial;
use std::iter::zip;
use wgpu_reduce::planners::ExactPlan;
use wgpu_reduce::{
    DotExact, ElementKind, Error, ExactSum, ExactTuning, GpuBuffer, Part, Result, SumExact,
};

macro_rules! trials {
    ($rigs:ident, $T:ty, $suffix:literal: $($test:ident)*) => {
        [$(on_every_rig($rigs, concat!("exact_dot::", stringify!($test), $suffix), $test::<$T>)),*]
    };
    ($rigs:ident: $($tests:tt)*) => {
        [trials!($rigs, f32, "": $($tests)*), trials!($rigs, f64, "::f64": $($tests)*)]
    };
}

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let of_both = trials!(rigs:
        edge_lengths every_pair_of_offsets random_mixes permutations_and_splits several_buffers special_values
        products_beyond_the_range tunings full_bins windows_that_move in_flight);
    let known_bits = on_every_rig(rigs, "exact_dot::known_bits", known_bits);
    of_both.into_iter().flatten().chain([known_bits]).flatten().collect()
}

/// The default for so many pairs.
fn default_tuning<T: Float>(rig: &Rig, len: u64) -> ExactTuning {
    match T::KIND {
        ElementKind::F64 => ExactTuning::for_double_pairs(&rig.reducer.caps(), len),
        _ => ExactTuning::for_pairs(&rig.reducer.caps(), len),
    }
}

/// The sum on the host.
fn expected<T: Float>(left: &[T], right: &[T]) -> Result<ExactSum<T>> {
    let mut sum = ExactSum::new();
    sum.add_products(left, right)?;
    Ok(sum)
}

/// A buffer with `values` between NaNs, `before` of them in front.
fn upload<T: Float>(rig: &Rig, values: &[T], before: usize) -> Result<GpuBuffer<T>> {
    let mut padded = vec![nan::<T>(); before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + 5, nan());
    rig.reducer.upload(&padded)
}

/// Compares the GPU's sum of products between poisoned neighbours with the host's: every digit, count and
/// class.
fn check_with<T: Float>(
    rig: &Rig,
    [left, right]: [&[T]; 2],
    before: [usize; 2],
    tuning: &ExactTuning,
    what: &str,
) -> Outcome {
    let len = left.len();
    let (a, b) = (upload(rig, left, before[0])?, upload(rig, right, before[1])?);
    let [a, b] = [(&a, before[0]), (&b, before[1])]
        .map(|(buffer, start)| buffer.slice(start as u64..(start + len) as u64));
    let sum = rig
        .reducer
        .reduce(DotExact, (a?, b?))
        .unrounded()
        .tuned(*tuning)
        .timed()
        .start()?
        .wait()?
        .value;
    let expected = expected(left, right)?;
    ensure!(
        sum == expected,
        "{what}, {len} pairs from {before:?}, {tuning}: {:?} is not {:?}",
        sum.round(),
        expected.round()
    );
    Ok(())
}

pub(crate) fn check<T: Float>(
    rig: &Rig,
    both: [&[T]; 2],
    before: [usize; 2],
    what: &str,
) -> Outcome {
    let tuning = default_tuning::<T>(rig, both[0].len() as u64);
    check_with(rig, both, before, &tuning, what)
}

/// Two lists of the same length, about `len`.
pub(crate) fn numbers<T: Float>(
    left: Mix,
    right: Mix,
    len: usize,
    random: &mut Random,
) -> [Vec<T>; 2] {
    let mut both = [left.numbers(len, random), right.numbers(len, random)];
    let len = both[0].len().min(both[1].len());
    for values in &mut both {
        values.truncate(len);
    }
    both
}

/// The committed lists of inputs with themselves in reverse have the committed bits, by the blocking call.
fn known_bits(rig: &Rig) -> Outcome {
    known_bits_of(rig, known()?)?;
    known_bits_of(rig, known_f64()?)
}

fn known_bits_of<T: Float>(rig: &Rig, cases: Vec<Committed<T>>) -> Outcome {
    for case in cases {
        let (left, right) =
            (rig.reducer.upload(&case.values)?, rig.reducer.upload(&case.reversed())?);
        let found = rig.reducer.dot_exact(&left, &right)?.word();
        ensure!(found == case.dot.word(), "{}: the dot product is {found:x}", case.line);
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
    let binding = usize::try_from(TIGHT_BINDING_BYTES)? / size_of::<T>();
    let mut lengths = vec![0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 7919, 104_729];
    for edge in [workgroup, tile, share, 2 * share, binding - 64, binding, 3 * binding] {
        lengths.extend([edge - 1, edge, edge + 1]);
    }
    for (index, len) in lengths.into_iter().enumerate() {
        let mixes = if len > 1 << 14 { &[Mix::Near][..] } else { &Mix::ALL };
        for &mix in mixes {
            let [a, b] = numbers::<T>(mix, Mix::Near, len, &mut Random::new(index as u64));
            let before = [[3, 3], [0, 4], [1, 2]][index % 3];
            check(rig, [&a, &b], before, &format!("{mix:?}"))?;
        }
    }
    Ok(())
}

/// From every element of a quad in both, and past a binding's alignment.
fn every_pair_of_offsets<T: Float>(rig: &Rig) -> Outcome {
    let mut random = Random::new(1);
    for len in [1, 4, 7, 1000, 16_389] {
        let [a, b] = numbers::<T>(Mix::Spread, Mix::Near, len, &mut random);
        let offsets = if len < 2000 { &[0, 1, 2, 3, 4, 5, 63, 64][..] } else { &[0, 2, 3, 65] };
        for &left in offsets {
            for &right in offsets {
                check(rig, [&a, &b], [left, right], "offsets")?;
            }
        }
    }
    Ok(())
}

/// Every pair of mixes of exponents, in random lengths, against the oracle, too.
fn random_mixes<T: Float>(rig: &Rig) -> Outcome {
    for left in Mix::ALL {
        for right in Mix::ALL {
            let mut random = Random::new(100 * left as u64 + right as u64);
            for most in (0..counts::cases(2)).map(|case| [60, 4000][case as usize % 2]) {
                let len = random.below(most);
                let [a, b] = numbers::<T>(left, right, len, &mut random);
                let what = format!("{left:?} with {right:?}");
                check(rig, [&a, &b], [random.below(4), random.below(4)], &what)?;
                let dot =
                    rig.reducer.dot_exact(&rig.reducer.upload(&a)?, &rig.reducer.upload(&b)?)?;
                let (dot, expected) = (dot.word(), Oracle::of_products(&a, &b).rounded());
                ensure!(dot == expected, "{what}, {len} pairs: {dot:x} is not {expected:x}");
            }
        }
    }
    Ok(())
}

/// Any order, and any split into parts that are merged, has the same bytes.
fn permutations_and_splits<T: Float>(rig: &Rig) -> Outcome {
    let mut random = Random::new(2);
    for mix in [Mix::Spread, Mix::Finite, Mix::Cancelling, Mix::Huge, Mix::Special] {
        let [a, b] = numbers::<T>(mix, Mix::Spread, 20_000, &mut random);
        let bytes = expected(&a, &b)?.to_bytes();
        let mut pairs: Vec<(T, T)> = zip(a, b).collect();
        for _ in 0..3 {
            random.shuffle(&mut pairs);
            let (a, b): (Vec<T>, Vec<T>) = pairs.iter().copied().unzip();
            let (a, b) = (rig.reducer.upload(&a)?, rig.reducer.upload(&b)?);
            let mut cuts = vec![0, a.len()];
            cuts.extend((0..random.below(5)).map(|_| random.below(pairs.len() + 1) as u64));
            cuts.sort_unstable();
            let parts = cuts.windows(2).map(|cut| {
                let (a, b) = (a.slice(cut[0]..cut[1])?, b.slice(cut[0]..cut[1])?);
                // A product is the same either way round.
                rig.reducer.reduce(DotExact, (b, a)).unrounded().start()?.wait()
            });
            let mut parts = parts.collect::<Result<Vec<_>>>()?;
            random.shuffle(&mut parts);
            let mut merged = ExactSum::new();
            for part in &parts {
                merged.merge(part);
            }
            ensure!(merged.to_bytes() == bytes, "{mix:?}, cut at {cuts:?}");
        }
    }
    Ok(())
}

/// Both inputs are cut, each in places of its own; some windows pair quads with quads and some do not.
fn several_buffers<T: Float>(rig: &Rig) -> Outcome {
    let mut random = Random::new(6);
    let [a, b] = numbers::<T>(Mix::Spread, Mix::Spread, 40_004, &mut random);
    let whole = [rig.reducer.upload(&a)?, rig.reducer.upload(&b)?];
    let expected = expected(&a, &b)?;
    for (left, right) in [
        (&[0, 40_004][..], &[0, 0, 40_004][..]),
        (&[0, 17, 20_000, 40_004], &[0, 40_004]),
        (&[0, 16, 24_000, 40_004], &[0, 8, 12_345, 12_345, 40_003, 40_004]),
    ] {
        let parts = |values: &[T], cuts: &[usize], before| {
            let parts = cuts.windows(2).map(|cut| upload(rig, &values[cut[0]..cut[1]], before));
            parts.collect::<Result<Vec<_>>>()
        };
        let (of_a, of_b) = (parts(&a, left, 3)?, parts(&b, right, 7)?);
        let inner = |buffers: &[GpuBuffer<T>], before: u64| {
            let inner = buffers.iter().map(|buffer| {
                let len = buffer.len() - before - 5;
                GpuBuffer::from_wgpu(buffer.as_wgpu().clone(), size_of::<T>() as u64 * before, len)
            });
            inner.collect::<Result<Vec<_>>>()
        };
        let sum = rig
            .reducer
            .reduce(DotExact, (&inner(&of_a, 3)?, &inner(&of_b, 7)?))
            .unrounded()
            .start()?
            .wait()?;
        ensure!(sum == expected, "{left:?} and {right:?}");
    }
    let squares =
        rig.reducer.reduce(DotExact, (&whole[0], &whole[0])).unrounded().start()?.wait()?;
    ensure!(squares == self::expected(&a, &a)?, "of an input with itself");
    Ok(())
}

/// Infinities, NaNs and zeros, alone and among others, at the ends and within quads.
fn special_values<T: Float>(rig: &Rig) -> Outcome {
    let (inf, one) = (T::INFINITY, T::ONE);
    let three_halves = number(T::TOP / 2, 1 << (T::PRECISION - 2));
    let specials = [nan(), inf, -inf, zero(), -zero::<T>(), least(), three_halves, -T::MAX];
    for a in specials {
        for b in specials {
            let pair: [&[T]; 2] = [&[a], &[b]];
            check(rig, pair, [1, 1], &format!("{a:?} with {b:?}"))?;
            for (usual, len, places) in
                [(-zero::<T>(), 9, [0, 3, 8]), (three_halves, 3000, [0, 1500, 2999])]
            {
                for place in places {
                    let (mut left, mut right) = (vec![usual; len], vec![one; len]);
                    (left[place], right[place]) = (a, b);
                    check(rig, [&left, &right], [2, 5], &format!("{a:?} with {b:?} at {place}"))?;
                }
            }
        }
    }
    let (none, quiet) = (zero::<T>(), nan::<T>().word());
    for (pairs, bits) in [
        (&[(inf, one), (one, -inf)][..], quiet),
        (&[(inf, -one)], (-inf).word()),
        (&[(none, inf)], quiet),
        (&[(none, -one), (-none, one)], (-none).word()),
        (&[(none, -one), (-none, -one)], 0),
        (&[], 0),
    ] {
        let (a, b): (Vec<T>, Vec<T>) = pairs.iter().copied().unzip();
        let dot = rig.reducer.dot_exact(&rig.reducer.upload(&a)?, &rig.reducer.upload(&b)?)?;
        ensure!(dot.word() == bits, "{pairs:?}: {:x}", dot.word());
    }
    let (two, three) = (rig.reducer.upload(&[one; 2])?, rig.reducer.upload(&[one; 3])?);
    let refused = rig.reducer.dot_exact(&two, &three);
    let expected = Error::LengthMismatch { left: 2, right: 3 };
    ensure!(refused.as_ref().err() == Some(&expected), "{refused:?}");
    Ok(())
}

/// Products that overflow or underflow on their own, and cancel.
fn products_beyond_the_range<T: Float>(rig: &Rig) -> Outcome {
    let (max, least) = (T::MAX, least::<T>());
    let small = number::<T>(T::TOP / 4, 5);
    let left = [max, least, -max, T::ONE, least];
    let right = [max, least, max, small, -least];
    let (a, b) = (rig.reducer.upload(&left)?, rig.reducer.upload(&right)?);
    let dot = rig.reducer.dot_exact(&a, &b)?;
    ensure!(dot.word() == small.word(), "{dot:?}");
    let slices = (a.slice(1..2)?, b.slice(1..2)?);
    let below = rig.reducer.reduce(DotExact, slices).unrounded().start()?.wait()?;
    ensure!(below == expected(&left[1..2], &right[1..2])?, "{below:?}");
    ensure!(below.round().word() == 0, "too small for the type");
    let above = rig.reducer.dot_exact(a.slice(..1)?, b.slice(..1)?)?;
    ensure!(above.word() == T::INFINITY.word(), "{above:?}");
    Ok(())
}

/// No tuning changes a bit: every workgroup size, with every number of loads and margin somewhere.
fn tunings<T: Float>(rig: &Rig) -> Outcome {
    let caps = rig.reducer.caps();
    let default = default_tuning::<T>(rig, 1 << 16);
    let most_margin = if size_of::<T>() == 8 { 22 } else { 24 };
    let mut random = Random::new(3);
    for (workgroup_size, loads_in_flight, max_workgroups, min_quads_per_invocation, margin) in [
        (32, 1, 1, 1, 0),
        (32, 8, 1000, 1, 2),
        (64, 2, 3, 5, 1),
        (256, 4, 7, 4, 24),
        (1024, 8, 1000, 1, 2),
        (1024, 1, 2, 1, 0),
    ] {
        let tuning = ExactTuning {
            workgroup_size,
            max_workgroups,
            loads_in_flight,
            min_quads_per_invocation,
            margin: most_margin.min(margin),
        };
        if workgroup_size > caps.max_workgroup_size {
            continue;
        }
        for (left, right) in
            [(Mix::Uniform, Mix::Uniform), (Mix::Spread, Mix::Near), (Mix::Any, Mix::Finite)]
        {
            let len = 5000 + random.below(20_000);
            let [a, b] = numbers::<T>(left, right, len, &mut random);
            let before = [random.below(5), random.below(5)];
            check_with(rig, [&a, &b], before, &tuning, &format!("{left:?} with {right:?}"))?;
        }
    }
    let one = rig.reducer.alloc::<T>(1)?;
    for bad in [
        ExactTuning { margin: most_margin + 1, ..default },
        ExactTuning { loads_in_flight: 9, ..default },
    ] {
        ensure!(
            rig.reducer.reduce(DotExact, (&one, &one)).tuned(bad).plan().is_err(),
            "{bad} is refused"
        );
    }
    Ok(())
}

/// So many products of one exponent that bins and digits carry, of either sign and at both ends of the range;
/// and windows that are as full as they can be.
fn full_bins<T: Float>(rig: &Rig) -> Outcome {
    let of_one = |fraction| number::<T>(T::TOP / 2, fraction);
    let (all, below_two) = (fraction::<T>(), of_one(fraction::<T>()));
    let one_workgroup = |tuning: ExactTuning| ExactTuning { max_workgroups: 1, ..tuning };
    let tuning = one_workgroup(default_tuning::<T>(rig, 1 << 20));
    let factors = [T::MAX, below_two, of_one(0xFFF), number(0, all)];
    for value in factors {
        for factor in [value, -value] {
            // Pairs that no window takes both of fill the bins.
            let mut beside = [factor; 8];
            beside[7] = if value > T::ONE { least() } else { T::MAX };
            for right in [[factor; 8], beside] {
                let (a, b) = (vec![value; 1 << 16], right.repeat((1 << 16) / 8));
                let what = format!("{value:?} with {right:?}");
                check_with(rig, [&a, &b], [3, 3], &tuning, &what)?;
            }
        }
    }
    // 2^14 pairs for each invocation, less what is kept back for the ends; the loads are as many as can be.
    let small = ExactTuning { workgroup_size: 32, loads_in_flight: 8, margin: 0, ..tuning };
    // The results of so many tight bindings do not fit one.
    let len = if rig.is_tight { 32 * 1024 } else { 511 * 1024 };
    let part = [Part { offset_bytes: 0, len: len as u64 }];
    let plan = ExactPlan::of_pairs(T::KIND, [&part, &part], &small, &rig.reducer.caps())?;
    ensure!(rig.is_tight || plan.dispatches.len() == 1, "windows are not full: {plan}");
    // The lower half of these two is as large as it can be, nearly 2^25 of f32.
    let halves = [of_one(0xFFF), of_one(0x1FFF)];
    for signs in [[false, false], [false, true], [true, false], [true, true]] {
        let [a, b] = [0, 1].map(|of| if signs[of] { -halves[of] } else { halves[of] });
        let (a, b) = (vec![a; len], vec![b; len]);
        check_with(rig, [&a, &b], [0, 0], &small, "full lower windows")?;
    }
    for value in [T::MAX, below_two] {
        let (a, b) = (vec![-value; len], vec![value; len]);
        check_with(rig, [&a, &b], [0, 0], &small, "full windows")?;
        check_with(rig, [&a, &b], [0, 1], &small, "full windows, no quads beside quads")?;
        check_with(rig, [&a, &a], [0, 0], &small, "full windows of one sign")?;
    }
    Ok(())
}

/// Data whose exponents wander, so that windows must follow.
fn windows_that_move<T: Float>(rig: &Rig) -> Outcome {
    let mut random = Random::new(4);
    let slow = ExactTuning { max_workgroups: 2, ..default_tuning::<T>(rig, 1 << 18) };
    let len = 1_u32 << 16;
    for (what, field) in WANDERING {
        let mut values = |scale: u32| -> Vec<T> {
            let of_field = |index| field(index, len) * (T::TOP / 255) / scale;
            let value = |index| with_exponent(of_field(index), &mut random);
            (0..len).map(value).collect()
        };
        let (a, b) = (values(1), values(2));
        check_with(rig, [&a, &b], [1, 1], &slow, what)?;
        let backwards: Vec<T> = b.iter().rev().copied().collect();
        check_with(rig, [&a, &backwards], [1, 3], &slow, &format!("{what}, one backwards"))?;
    }
    Ok(())
}

/// Sums of different lengths at once, over and over, of products and of elements: whoever uses counters
/// leaves them zero.
fn in_flight<T: Float>(rig: &Rig) -> Outcome {
    let [a, b] = numbers::<T>(Mix::Spread, Mix::Spread, 60_000, &mut Random::new(5));
    let (left, right) = (rig.reducer.upload(&a)?, rig.reducer.upload(&b)?);
    for round in 0..3 {
        let lens = [60_000, 1, 17_000, 0, 33_333_u64];
        let pending = lens.map(|len| {
            let (a, b) = (left.slice(..len).ok()?, right.slice(..len).ok()?);
            let sum = rig.reducer.reduce(SumExact, a).unrounded().start().ok()?;
            Some((rig.reducer.reduce(DotExact, (a, b)).unrounded().start().ok()?, sum))
        });
        for (len, pending) in zip(lens, pending) {
            let (dot, sum) = pending.ok_or("it does not start")?;
            let range = ..usize::try_from(len)?;
            ensure!(dot.wait()? == expected(&a[range], &b[range])?, "round {round}, {len} pairs");
            ensure!(sum.wait()? == ExactSum::from_iter(&a[range]), "round {round}, {len} elements");
        }
    }
    Ok(())
}
