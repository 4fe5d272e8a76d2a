//! Reductions by group, in GPU time; see `METHODOLOGY.md`.
//!
//! `cargo bench --bench groups -- [LOG2_OF_ELEMENTS, 26] [REPETITIONS, 12]` prints CSV, a line for each operation,
//! number of groups and kind of keys, of `u32`: uniform, all in one group, or by Zipf's law. The columns are the median of microseconds of runs
//! one after another, the first left out, how far they differ (what lies between the quartiles, in percent of the median), and 10^9 bytes of
//! elements and keys in a second. Every answer is checked beside the host's. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter. What
//! `cargo test` runs is small.

mod alone;

use wgpu_reduce::{
    ArgMax, ExactSum, GpuBuffer, GpuReducer, Located, Max, MeanExact, Operation, Sum, SumExact,
};
use wgpu_reduce_known::{mixed, uniform};

/// Elements and keys, on both sides.
struct Subject<'a> {
    reducer: &'a GpuReducer,
    repetitions: u32,
    floats: (&'a [f32], &'a GpuBuffer<f32>),
    integers: (&'a [u32], &'a GpuBuffer<u32>),
    kind: &'static str,
    keys: (Vec<u32>, GpuBuffer<u32>),
    groups: u32,
}

impl Subject<'_> {
    /// Prints a line. Panics on a wrong answer: a time for it would mean nothing.
    fn measure<T: wgpu_reduce::Element, O: Operation<T, Output: Copy>>(
        &self,
        name: &str,
        (operation, input): (O, &GpuBuffer<T>),
        is_right: impl Fn(u32, O::Output) -> bool,
    ) {
        let by = self.reducer.reduce(operation, input).groups(&self.keys.1, self.groups);
        let request = by.timed();
        let bytes = (size_of::<T>() as u64 + 4) * input.len();
        let run = || request.clone().run();
        let (times, last) = alone::time(self.reducer, self.repetitions, bytes, run);
        println!("{name},{},{},{},{times}", self.kind, self.groups, input.len());
        for (group, &result) in (0..).zip(&last) {
            assert!(is_right(group, result), "{name} of group {group} of {}: wrong", self.groups);
        }
    }

    fn measure_all(&self) {
        let groups = usize::try_from(self.groups).expect("it fits");
        let mut sums = vec![ExactSum::<f32>::new(); groups];
        let mut totals = vec![0_u64; groups];
        let mut most: Vec<Option<Located<f32>>> = vec![None; groups];
        let mut counts = vec![0_u64; groups];
        let (floats, integers) = (self.floats.0, self.integers.0);
        for ((index, &key), (&float, &integer)) in
            (0_u64..).zip(&self.keys.0).zip(floats.iter().zip(integers))
        {
            let group = usize::try_from(key).expect("it fits");
            sums[group].add(float);
            totals[group] += u64::from(integer);
            counts[group] += 1;
            if most[group].as_ref().is_none_or(|found| float > found.value) {
                most[group] = Some(Located { index, value: float });
            }
        }
        let at = |group: u32| usize::try_from(group).expect("it fits");
        let (x, n) = (self.floats.1, self.integers.1);
        let sum = |group, found: f32| found.to_bits() == sums[at(group)].round().to_bits();
        self.measure("sum_exact", (SumExact, x), sum);
        self.measure("sum u32", (Sum, n), |group, found| found == totals[at(group)]);
        if counts.contains(&0) {
            return;
        }
        let mean = |group, found: f32| {
            sums[at(group)].mean().is_ok_and(|mean| mean.to_bits() == found.to_bits())
        };
        self.measure("mean_exact", (MeanExact, x), mean);
        self.measure("max", (Max, x), |group, found| {
            most[at(group)].as_ref().is_some_and(|most| most.value.to_bits() == found.to_bits())
        });
        self.measure("argmax", (ArgMax, x), |group, found| most[at(group)] == Some(found));
    }
}

/// A kind of keys: the key of an element, of so many groups.
type Kind = (&'static str, fn(u64, u32) -> u32);

fn by_zipf(index: u64, groups: u32) -> u32 {
    // Uniform in the logarithm.
    let log = f64::from(groups).ln() * f64::from(mixed(index)) / f64::from(u32::MAX);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is less")]
    let key = (log.exp() - 1.0) as u32;
    key.min(groups - 1)
}

fn main() {
    let (reducer, len, repetitions) =
        alone::begin("operation,keys,groups,elements,gpu_us,spread,gb_per_s", [26, 12]);
    let floats: Vec<f32> = (0..len).map(|index| uniform(mixed(index))).collect();
    let integers: Vec<u32> = (0..len).map(|index| mixed(!index)).collect();
    let x = reducer.upload(&floats).expect("the data fits");
    let n = reducer.upload(&integers).expect("the data fits");
    let kinds: [Kind; 3] = [
        ("uniform", |index, groups| mixed(index ^ 0x5555) % groups),
        ("one", |_, groups| groups / 2),
        ("zipf", by_zipf),
    ];
    for groups in [16, 1 << 10, 1 << 16, 1 << 20] {
        for (kind, key) in kinds {
            let keys: Vec<u32> = (0..len).map(|index| key(index, groups)).collect();
            let by = reducer.upload(&keys).expect("the keys fit");
            Subject {
                reducer: &reducer,
                repetitions,
                floats: (&floats, &x),
                integers: (&integers, &n),
                kind,
                keys: (keys, by),
                groups,
            }
            .measure_all();
        }
    }
}
