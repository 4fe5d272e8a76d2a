//! Exact sums by the hundred thousand, against integers of arbitrary precision; and sums of more elements than 32 bits
//! count.

use crate::exact::cases::{Mix, Random};
use crate::exact::oracle::Oracle;
use crate::exact_dot::numbers;
use crate::harness::{Outcome, Rig, counts, ensure, on_rigs, quickest_rigs};
use libtest_mimic::Trial;
use std::sync::LazyLock;
use wgpu_reduce::{
    AdapterClass, DotExact, ExactSum, ExactTuning, GpuBuffer, GpuSlice, Result, SumExact,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let rigs = quickest_rigs(rigs);
    [
        on_rigs(&rigs, "exact_many::segments", segments),
        on_rigs(&rigs, "exact_many::slices", slices),
        on_rigs(&rigs, "exact_many::of_many_workgroups", of_many_workgroups),
        on_rigs(&rigs, "exact_many::pairs_of_slices", pairs_of_slices),
        on_rigs(&rigs, "exact_many::the_same_over_and_over", the_same_over_and_over),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Lists of numbers, one behind the other.
#[derive(Default)]
struct Lists {
    values: Vec<f32>,
    /// Where each list begins, and where the last one ends.
    bounds: Vec<usize>,
    /// The bits of each list's sum.
    sums: Vec<u32>,
}

/// Lists that are segments of one reduction.
const BATCH: usize = 10_000;

/// Lists of every mix, of up to 30 numbers or a few more; as all rigs have them.
static OF_EVERY_MIX: LazyLock<Lists> = LazyLock::new(|| {
    let mut lists = Lists { bounds: vec![0], ..Lists::default() };
    let count = u64::from(counts::cases(10)) * BATCH as u64;
    for (case, mix) in (0..count).zip(Mix::ALL.into_iter().cycle()) {
        let mut random = Random::new(case << 20);
        let len = random.below(31);
        let values = mix.numbers(len, &mut random);
        lists.sums.push(Oracle::of(&values).single());
        lists.values.extend(values);
        lists.bounds.push(lists.values.len());
    }
    lists
});

/// Each list is a segment.
fn segments(rig: &Rig) -> Outcome {
    let lists = &*OF_EVERY_MIX;
    for first in (0..lists.sums.len()).step_by(BATCH) {
        let bounds = &lists.bounds[first..=first + BATCH];
        let (start, end) = (bounds[0], bounds[BATCH]);
        let input = rig.reducer.upload(&lists.values[start..end])?;
        let offsets: Vec<u32> = bounds
            .iter()
            .map(|bound| u32::try_from(bound - start))
            .collect::<std::result::Result<_, _>>()?;
        let offsets = rig.reducer.upload(&offsets)?;
        let sums = rig.reducer.reduce(SumExact, &input).segments(&offsets).start()?.wait()?;
        ensure!(sums.len() == BATCH, "{} sums from list {first} on", sums.len());
        for (list, (sum, expected)) in (first..).zip(sums.iter().zip(&lists.sums[first..])) {
            let sum = sum.to_bits();
            ensure!(sum == *expected, "list {list}: {sum:08x} is not {expected:08x}");
        }
    }
    Ok(())
}

/// A few thousand of the lists by themselves, from wherever they begin.
fn slices(rig: &Rig) -> Outcome {
    let lists = &*OF_EVERY_MIX;
    let input = rig.reducer.upload(&lists.values)?;
    for list in (0..lists.sums.len()).step_by(33) {
        let [start, end] = [list, list + 1].map(|at| lists.bounds[at] as u64);
        let sum = rig.reducer.sum_exact(input.slice(start..end)?)?.to_bits();
        let expected = lists.sums[list];
        ensure!(sum == expected, "list {list}: {sum:08x} is not {expected:08x}");
    }
    Ok(())
}

/// Lists of so many numbers that many workgroups share them, each of which goes through several tiles and moves its
/// window.
#[expect(clippy::cast_possible_truncation, reason = "it is small")]
fn of_many_workgroups(rig: &Rig) -> Outcome {
    let mut random = Random::new(11);
    for (case, mix) in (0..counts::cases(1000)).zip(Mix::ALL.into_iter().cycle()) {
        let len = 500 + random.below(20_000);
        let values = mix.numbers(len, &mut random);
        let expected = Oracle::of(&values).single();
        // Few pipelines, each for many lists.
        let (loads_in_flight, margin) = [(1, 2), (4, 0), (2, 24)][random.below(3)];
        let workgroups = random.below(60) as u32;
        let tuning = ExactTuning {
            workgroup_size: 32,
            max_workgroups: 1 + workgroups,
            loads_in_flight,
            min_quads_per_invocation: loads_in_flight,
            margin,
        };
        let input = rig.reducer.upload(&values)?;
        let sum = rig
            .reducer
            .reduce(SumExact, &input)
            .unrounded()
            .tuned(tuning)
            .timed()
            .start()?
            .wait()?
            .value
            .round()
            .to_bits();
        let what = || format!("case {case}, {len} numbers of {mix:?}, {tuning}");
        ensure!(sum == expected, "{}: {sum:08x} is not {expected:08x}", what());
    }
    Ok(())
}

/// A few thousand pairs of lists, of all mixes with all, from wherever they begin.
fn pairs_of_slices(rig: &Rig) -> Outcome {
    let mut random = Random::new(8);
    let (mut left, mut right, mut cases) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..counts::cases(3000) {
        let [a, b] = [0; 2].map(|_| Mix::ALL[random.below(Mix::ALL.len())]);
        let len = random.below(31);
        let [a, b] = numbers(a, b, len, &mut random);
        // The second begins somewhere else in its quad.
        right.resize(right.len() + random.below(4), f32::NAN);
        cases.push((
            left.len() as u64,
            right.len() as u64,
            a.len() as u64,
            Oracle::of_products(&a, &b),
        ));
        left.extend(a);
        right.extend(b);
    }
    let (left, right) = (rig.reducer.upload(&left)?, rig.reducer.upload(&right)?);
    for (a, b, len, oracle) in cases {
        let dot = rig.reducer.dot_exact(left.slice(a..a + len)?, right.slice(b..b + len)?)?;
        let (dot, expected) = (dot.to_bits(), oracle.single());
        ensure!(dot == expected, "{len} pairs from {a} and {b}: {dot:08x} is not {expected:08x}");
    }
    Ok(())
}

/// So many times what a sum consists of.
fn repeated(sum: &ExactSum, times: u32) -> ExactSum {
    let (mut all, mut doubled) = (ExactSum::new(), sum.clone());
    for bit in 0..u32::BITS - times.leading_zeros() {
        if times >> bit & 1 == 1 {
            all.merge(&doubled);
        }
        doubled.merge(&doubled.clone());
    }
    all
}

fn over_and_over(buffer: &GpuBuffer<f32>, times: u32) -> Result<Vec<GpuSlice<'_, f32>>> {
    (0..times).map(|_| buffer.slice(..)).collect()
}

/// An input of one slice over and over, of more than 2^32 elements where a GPU adds them.
fn the_same_over_and_over(rig: &Rig) -> Outcome {
    let times = if rig.reducer.caps().class == AdapterClass::Cpu { 70 } else { 4100 };
    let len = 1 << 20;
    let mut random = Random::new(9);
    for mix in [Mix::Spread, Mix::Finite] {
        let values = mix.numbers(len, &mut random);
        let buffer = rig.reducer.upload(&values)?;
        let sum = rig
            .reducer
            .reduce(SumExact, over_and_over(&buffer, times)?)
            .unrounded()
            .start()?
            .wait()?;
        ensure!(sum.count() == u64::from(times) << 20, "{} elements", sum.count());
        let expected = repeated(&values.iter().collect(), times);
        ensure!(sum == expected, "{mix:?}: {:e}, not {:e}", sum.round(), expected.round());
    }
    // Half as often, of pairs of others.
    let [values, others] = [Mix::Spread, Mix::Near].map(|mix| mix.numbers(len, &mut random));
    let (a, b) = (rig.reducer.upload(&values)?, rig.reducer.upload(&others)?);
    let (a, b) = (over_and_over(&a, times / 2)?, over_and_over(&b, times / 2)?);
    let dot = rig.reducer.reduce(DotExact, (a, b)).unrounded().start()?.wait()?;
    let mut of_one = ExactSum::new();
    of_one.add_products(&values, &others)?;
    let expected = repeated(&of_one, times / 2);
    ensure!(dot == expected, "products: {:e}, not {:e}", dot.round(), expected.round());
    Ok(())
}
