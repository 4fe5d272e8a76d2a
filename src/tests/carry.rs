//! Totals beyond 32 bits, on every adapter. So many elements take too long, so the totals begin just below: in place
//! of the scratch buffer that holds them stands one that is not zero.

use crate::api::reducer::GpuReducer;
use crate::device::adapter::Options;
use crate::op::Nth;
use crate::op::element::{Element, ElementKind};
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::Recording;
use crate::plan::shapes::bins::{Bins, HistogramTuning, WeightKind, lower};

/// Runs a recording that has its totals in its first scratch buffer with totals that are `start`. What it leaves, and
/// the totals after it.
fn run(
    reducer: &GpuReducer,
    recording: Recording,
    inputs: &[&wgpu::Buffer],
    start: &[u64],
    results: usize,
) -> (Vec<u64>, Vec<u64>) {
    let [scratch] = recording.scratch[..] else { panic!("{recording:?}") };
    assert_eq!(scratch.bytes, 8 * start.len() as u64);
    let recording = recording.with_scratch_of(inputs.len());
    let totals = reducer.upload(start).unwrap();
    let inputs: Vec<_> = inputs.iter().copied().chain([totals.as_wgpu()]).collect();
    let bytes = 8 * results as u64;
    let finish = Box::new(move |read: &[u8]| {
        Ok(read.chunks_exact(8).take(results).map(bytemuck::pod_read_unaligned).collect())
    });
    let left = reducer.submit(&recording, &inputs, bytes, None, finish).unwrap().wait().unwrap();
    (left, totals.download(reducer).unwrap())
}

const LEN: u64 = 3000;

/// Numbers near those at which a lower word overflows.
fn starts(count: u64) -> Vec<u64> {
    let near = [1 << 32, (1 << 32) - 1, (1 << 32) - 500, (7 << 32) - 3, 3, 0];
    near.into_iter().cycle().take(usize::try_from(count).unwrap()).collect()
}

fn part(len: u64) -> Vec<Part> {
    vec![Part { offset_bytes: 0, len }]
}

/// Counts of the elements that `make` makes, and the totals after and before.
fn count<T: Element>(
    reducer: &GpuReducer,
    tuning: HistogramTuning,
    bins: &Bins,
    make: fn(u64) -> T,
) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
    let values: Vec<T> = (0..LEN).map(make).collect();
    let input = reducer.upload(&values).unwrap();
    let problem = Problem::in_bins(T::KIND, Shape::Bins(bins, 1));
    let problem = problem.parts(vec![part(LEN)]).tuned(tuning);
    let plan = lower(&problem, (bins, 1), u64::MAX, &reducer.caps()).unwrap();
    let of_bytes = T::KIND.size_bytes() == 1;
    let start = starts(if of_bytes { 256 } else { plan.results });
    let results = usize::try_from(plan.results).unwrap();
    let table = reducer.table(plan.table()).unwrap();
    let inputs: Vec<_> = [input.as_wgpu()].into_iter().chain(table.as_deref()).collect();
    let (left, after) = run(reducer, plan.recording, &inputs, &start, results);
    (left, after, start)
}

/// Element i is i mod 10, in a bin of its own each.
fn counts_of_words(reducer: &GpuReducer, tuning: HistogramTuning) {
    let bins = Bins::even(0..10, 10).unwrap();
    let make = |index: u64| u32::try_from(index % 10).unwrap();
    let (left, after, start) = count(reducer, tuning, &bins, make);
    let counted = (0..13).map(|slot| if slot < 10 { LEN / 10 } else { 0 });
    let expected: Vec<_> = start.iter().zip(counted).map(|(start, more)| start + more).collect();
    assert_eq!(left, expected, "{}, {tuning}", reducer.adapter_label());
    assert!(after.iter().all(|&total| total == 0), "{after:?}");
}

/// A bin is several values, whose totals the last pass adds up.
fn counts_of_bytes(reducer: &GpuReducer, tuning: HistogramTuning) {
    let bins = Bins::even(0..30, 3).unwrap();
    let make = |index: u64| index.to_le_bytes()[0] % 10;
    let (left, after, start) = count(reducer, tuning, &bins, make);
    let mut by_value = start;
    (0..LEN).for_each(|index| by_value[usize::from(make(index))] += 1);
    let sum = |range: std::ops::Range<usize>| by_value[range].iter().sum::<u64>();
    // The last bin has both edges.
    let expected = [sum(0..10), sum(10..20), sum(20..31), 0, sum(31..256), 0];
    assert_eq!(left, expected, "{}, {tuning}", reducer.adapter_label());
    assert!(after.iter().all(|&total| total == 0), "{after:?}");
}

fn sums_of_weights(reducer: &GpuReducer, tuning: HistogramTuning) {
    let values: Vec<u32> = (0..LEN).map(|index| u32::try_from(index % 10).unwrap()).collect();
    let weights: Vec<u32> = values.iter().map(|value| 1 << (3 * value)).collect();
    let (input, factors) = (reducer.upload(&values).unwrap(), reducer.upload(&weights).unwrap());
    let (bins, parts) = (Bins::even(0..10, 10).unwrap(), part(LEN));
    let shape = Shape::Weights(&bins, 1, WeightKind::U32, &parts);
    let problem = Problem::in_bins(ElementKind::U32, shape).parts(vec![part(LEN)]).tuned(tuning);
    let plan = problem.plan(&reducer.caps()).unwrap();
    let start = starts(plan.results);
    let table = reducer.table(plan.table()).unwrap();
    let inputs = [input.as_wgpu(), factors.as_wgpu()];
    let inputs: Vec<_> = inputs.into_iter().chain(table.as_deref()).collect();
    let (left, after) = run(reducer, plan.recording, &inputs, &start, start.len());
    let added = (0..13).map(|slot| if slot < 10 { (LEN / 10) << (3 * slot) } else { 0 });
    let expected: Vec<_> = start.iter().zip(added).map(|(start, more)| start + more).collect();
    assert_eq!(left, expected, "{}, {tuning}", reducer.adapter_label());
    assert!(after.iter().all(|&total| total == 0), "{after:?}");
}

/// Of 9 billion bytes 3 billion each are 7, 9 and 200: what finds the element of a rank goes on from such totals.
fn ranks_of_totals(reducer: &GpuReducer) {
    let most = 3_000_000_000;
    let parts = [part(most), part(most), part(most)].concat();
    for (rank, expected) in [(0, 7), (most - 1, 7), (most, 9), (2 * most - 1, 9), (2 * most, 200)] {
        let nth = Nth { rank };
        let problem = Problem::new::<u8, _>(&nth, ElementKind::U8, 0).parts(vec![parts.clone()]);
        let caps = Caps { max_buffer_bytes: 1 << 40, ..reducer.caps() };
        let plan = problem.plan(&caps).unwrap();
        let table = reducer.table(plan.table()).unwrap().unwrap();
        let mut start = vec![0; 256];
        for value in [7, 9, 200] {
            start[value] = most;
        }
        let choosing = vec![plan.recording.passes.last().unwrap().clone()];
        let recording = Recording { passes: choosing, ..plan.recording };
        // In place of the elements.
        let inputs = [&*table; 4];
        let (left, _) = run(reducer, recording, &inputs, &start, 1);
        assert_eq!(left[0] & 0xff, expected, "rank {rank} on {}", reducer.adapter_label());
    }
}

#[test]
fn totals_carry_into_their_upper_words_on_every_adapter() {
    let mut covered = 0;
    for (index, adapter) in GpuReducer::adapters().iter().enumerate() {
        let options = Options::default().adapter(index.to_string());
        let reducer = match pollster::block_on(GpuReducer::request(&options)) {
            Ok(reducer) => reducer,
            Err(error) => {
                println!("NOT COVERED: {} cannot be opened: {error}", adapter.label());
                continue;
            }
        };
        covered += 1;
        ranks_of_totals(&reducer);
        let default = HistogramTuning::for_caps(&reducer.caps());
        // In workgroups first, and at once.
        for tuning in [default, HistogramTuning { copies: 0, ..default }] {
            counts_of_words(&reducer, tuning);
            counts_of_bytes(&reducer, tuning);
        }
        let of_weights = HistogramTuning::for_weights(&reducer.caps());
        for tuning in [of_weights, HistogramTuning { copies: 0, ..of_weights }] {
            sums_of_weights(&reducer, tuning);
        }
    }
    assert!(
        covered > 0 || std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_some(),
        "no adapter: nothing was tested"
    );
}
