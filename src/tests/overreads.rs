//! Nothing behind what is asked for takes part in a result, and nothing is written there. Drivers answer reads behind
//! a binding with zero and drop writes, which many results do not show, so here bindings go on to the ends of their
//! buffers. What is behind the elements, and behind what scratch buffers are asked for, would spoil anything: results
//! must have the same bits as with bindings that end where they should, and what lies behind must stay what it is.

use crate::device::allowance::Held;
use crate::device::context::Context;
use crate::error::Result;
use crate::ladder::{HistogramLevel, HistogramOptions, Ladder, Level, RunOptions};
use crate::plan::cut::window::QUAD_BYTES;
use crate::plan::recording::{Bound, Place, Scratch, binding};
use crate::{
    ArgMax, ArgNth, Bins, BitXor, BottomK, Combining, CustomOp, Dot, ElementKind, ExactTuning,
    GpuBuffer, GpuReducer, GpuSlice, HistogramTuning, Matrix, Max, Mean, Median, Min, NanMedian,
    NormL2, NormMax, Nth, Product, SegmentsTuning, Stats, Sum, SumExact, TopK, Tuning,
};
use half::{bf16, f16};
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What tests know of bindings that are wider than they should be.
#[derive(Debug, Default)]
pub(crate) struct Beyond {
    is_wide: AtomicBool,
    /// Scratch buffers with poison behind this many bytes.
    guarded: Mutex<Vec<(wgpu::Buffer, u64)>>,
}

impl Beyond {
    pub(crate) fn is_wide(&self) -> bool {
        self.is_wide.load(Ordering::Relaxed)
    }

    fn guarded(&self) -> std::sync::MutexGuard<'_, Vec<(wgpu::Buffer, u64)>> {
        self.guarded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Behind what is asked for, in scratch buffers: NaN, and more than any number of anything.
const POISON: u8 = 0xFF;

/// The bytes that buffers between passes are to have behind those asked for.
pub(crate) fn room_behind(context: &Context) -> u64 {
    if context.beyond.is_wide() { 256 } else { 0 }
}

/// Poisons scratch buffers behind what is asked for, from when what is being recorded is submitted.
pub(crate) fn guard(context: &Context, buffers: &[Held], scratch: &[Scratch]) {
    if !context.beyond.is_wide() {
        return;
    }
    for (buffer, scratch) in buffers.iter().zip(scratch) {
        let used = scratch.bytes.next_multiple_of(4);
        let behind = usize::try_from(buffer.size() - used).unwrap();
        context.queue.write_buffer(buffer, used, &vec![POISON; behind]);
        context.beyond.guarded().push((buffer.buffer.clone(), used));
    }
}

/// The bytes that a binding is to have, of those from its start to the end of the buffer.
pub(crate) fn widened(context: &Context, bound: &Bound, rest: u64, size: u64) -> u64 {
    let is_there = !matches!(bound.place, Place::Output) && bound.bytes.is_some();
    if !is_there || !context.beyond.is_wide() {
        return size;
    }
    let most = rest.min(context.caps.max_binding_bytes);
    let is_quads = [binding::VECTORS, binding::PARTNER_QUADS].contains(&bound.binding);
    most - most % if is_quads { QUAD_BYTES } else { 4 }
}

/// Fails if something was written behind what is used of a scratch buffer. How many were looked at.
fn check_guarded(reducer: &GpuReducer) -> usize {
    let guarded = std::mem::take(&mut *reducer.context.beyond.guarded());
    for (buffer, used) in &guarded {
        let words = (buffer.size() - used) / 4;
        let behind = GpuBuffer::<u32>::from_wgpu(buffer.clone(), *used, words).unwrap();
        let behind = behind.download(reducer).unwrap();
        let spoilt = behind.iter().position(|&word| word != u32::from_ne_bytes([POISON; 4]));
        let label = reducer.adapter_label();
        assert_eq!(spoilt, None, "behind {used} bytes of {} on {label}", buffer.size());
    }
    guarded.len()
}

/// Elements in front of and behind the others.
const AROUND: usize = 300;

/// Elements between others that spoil what they get into.
struct Surrounded {
    floats: GpuBuffer<f32>,
    partners: GpuBuffer<f32>,
    words: GpuBuffer<u32>,
    bytes: GpuBuffer<u8>,
    halves: GpuBuffer<i16>,
    half_floats: GpuBuffer<f16>,
    bfloats: GpuBuffer<bf16>,
    longs: GpuBuffer<i64>,
    doubles: GpuBuffer<f64>,
    offsets: GpuBuffer<u32>,
}

/// `around` before and after what `make` makes.
fn surrounded<T: Copy>(len: usize, around: T, make: impl Fn(usize) -> T) -> Vec<T> {
    let poison = || std::iter::repeat_n(around, AROUND);
    poison().chain((0..len).map(make)).chain(poison()).collect()
}

impl Surrounded {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        reason = "small numbers"
    )]
    fn new(reducer: &GpuReducer, len: usize) -> Self {
        let float = |index: usize| ((index * 37) % 64) as f32 / 64.0 + 0.5;
        let upload = |values: Vec<f32>| reducer.upload(&values).unwrap();
        let partners = surrounded(len, f32::NAN, |index| float(index + 11));
        let offsets = [0, len as u32 / 3, len as u32 / 3, len as u32];
        let of_offsets = surrounded(4, u32::MAX, |index| offsets[index]);
        Self {
            floats: upload(surrounded(len, f32::NAN, float)),
            partners: upload([vec![f32::NAN], partners].concat()),
            words: reducer.upload(&surrounded(len, u32::MAX, |index| index as u32 * 77)).unwrap(),
            bytes: reducer.upload(&surrounded(len, u8::MAX, |index| index as u8 % 50)).unwrap(),
            halves: reducer.upload(&surrounded(len, -1_i16, |index| index as i16 % 99)).unwrap(),
            half_floats: reducer
                .upload(&surrounded(len, f16::NAN, |index| f16::from_f32(float(index))))
                .unwrap(),
            bfloats: reducer
                .upload(&surrounded(len, bf16::NAN, |index| bf16::from_f32(float(index))))
                .unwrap(),
            longs: reducer.upload(&surrounded(len, i64::MIN, |index| index as i64 * 77)).unwrap(),
            doubles: reducer
                .upload(&surrounded(len, f64::NAN, |index| f64::from(float(index))))
                .unwrap(),
            offsets: reducer.upload(&of_offsets).unwrap(),
        }
    }

    fn slices(&self, len: usize) -> Slices<'_> {
        let range = AROUND as u64..(AROUND + len) as u64;
        Slices {
            floats: self.floats.slice(range.clone()).unwrap(),
            // At another place of a quad.
            partners: self.partners.slice(range.start + 1..=range.end).unwrap(),
            words: self.words.slice(range.clone()).unwrap(),
            bytes: self.bytes.slice(range.clone()).unwrap(),
            halves: self.halves.slice(range.clone()).unwrap(),
            half_floats: self.half_floats.slice(range.clone()).unwrap(),
            bfloats: self.bfloats.slice(range.clone()).unwrap(),
            longs: self.longs.slice(range.clone()).unwrap(),
            doubles: self.doubles.slice(range).unwrap(),
            offsets: self.offsets.slice(AROUND as u64..AROUND as u64 + 4).unwrap(),
        }
    }
}

#[derive(Clone, Copy)]
struct Slices<'a> {
    floats: GpuSlice<'a, f32>,
    partners: GpuSlice<'a, f32>,
    words: GpuSlice<'a, u32>,
    bytes: GpuSlice<'a, u8>,
    halves: GpuSlice<'a, i16>,
    half_floats: GpuSlice<'a, f16>,
    bfloats: GpuSlice<'a, bf16>,
    longs: GpuSlice<'a, i64>,
    doubles: GpuSlice<'a, f64>,
    offsets: GpuSlice<'a, u32>,
}

fn text(value: impl Debug) -> String {
    format!("{value:?}")
}

/// One of every kernel that reads elements; operations that show whatever gets in.
fn results(reducer: &GpuReducer, slices: Slices<'_>) -> Result<Vec<String>> {
    let Slices { floats, partners, words, bytes, halves, longs, doubles, offsets, .. } = slices;
    let Slices { half_floats, bfloats, .. } = slices;
    let len = floats.len();
    let row = Matrix { rows: 1, columns: len };
    let rows = Matrix { rows: len, columns: 1 };
    let op = CustomOp::<f32, f32>::new(
        "fn map(element: f32, index: u32) -> f32 { return element; }
        fn combine(left: f32, right: f32) -> f32 { return left + right; }",
        0.0,
    )?;
    Ok(vec![
        text(reducer.reduce(Sum, floats).start()?.wait()?),
        text(reducer.reduce(Product, floats).start()?.wait()?),
        text(reducer.reduce(Min, floats).start()?.wait()?),
        text(reducer.reduce(ArgMax, floats).start()?.wait()?),
        text(reducer.reduce(NormL2, floats).start()?.wait()?),
        text(reducer.reduce(Stats::default(), floats).start()?.wait()?),
        text(reducer.reduce(Sum, words).start()?.wait()?),
        text(reducer.reduce(BitXor, words).start()?.wait()?),
        text(reducer.reduce(Sum, bytes).start()?.wait()?),
        text(reducer.reduce(Max, bytes).start()?.wait()?),
        text(reducer.reduce(Sum, halves).start()?.wait()?),
        text(reducer.reduce(Min, halves).start()?.wait()?),
        text(reducer.reduce(Sum, half_floats).start()?.wait()?),
        text(reducer.reduce(SumExact, half_floats).start()?.wait()?),
        text(reducer.reduce(SumExact, bfloats).start()?.wait()?),
        text(reducer.reduce(Sum, longs).start()?.wait()?),
        text(reducer.reduce(Stats::default(), words).start()?.wait()?),
        text(reducer.reduce(ArgMax, longs).start()?.wait()?),
        text(reducer.reduce(Max, doubles).start()?.wait()?),
        text(reducer.reduce(Sum, floats).masked(bytes).run()),
        text(reducer.reduce(ArgMax, halves).masked(bytes).run()),
        text(reducer.reduce(Sum, longs).along(row, 1).start()?.wait()?),
        text(reducer.reduce(Sum, longs).segments(offsets).start()?.wait()?),
        text(
            reducer
                .batch([floats, partners].map(|input| reducer.reduce(Sum, input)))
                .start()?
                .wait()?,
        ),
        text(reducer.dot(floats, partners)?),
        text(reducer.sum_exact(floats)?),
        text(reducer.dot_exact(floats, partners)?),
        text(reducer.reduce(Sum, floats).along(row, 1).start()?.wait()?),
        text(reducer.reduce(Sum, floats).along(rows, 0).start()?.wait()?),
        text(reducer.reduce(Sum, bytes).along(row, 1).start()?.wait()?),
        text(reducer.reduce(SumExact, floats).along(rows, 1).start()?.wait()?),
        text(reducer.reduce(Sum, floats).segments(offsets).start()?.wait()?),
        text(reducer.reduce(Sum, bytes).segments(offsets).start()?.wait()?),
        text(reducer.reduce(Sum, floats).runs(words).start()?.wait()?),
        text(reducer.reduce(Nth { rank: len - 1 }, floats).run()?),
        text(reducer.reduce(Nth { rank: 0 }, bytes).run()?),
        text(reducer.reduce(Median, half_floats).run()?),
        text(reducer.reduce(Median, halves).run()?),
        text(reducer.quantile(longs, 0.3)?),
        text(reducer.reduce(Nth { rank: len - 1 }, floats).along(row, 1).run()?),
        text(reducer.reduce(Nth { rank: 0 }, bytes).along(rows, 0).run()?),
        text(reducer.reduce(NanMedian, floats).run()?),
        text(reducer.reduce(NanMedian, halves).along(row, 1).run()?),
        text(reducer.reduce(TopK { k: len.min(5) }, floats).run()?),
        text(reducer.reduce(BottomK { k: len.min(5) }, bytes).run()?),
        text(reducer.reduce(ArgNth { rank: len - 1 }, floats).along(row, 1).run()?),
        text(reducer.reduce(TopK { k: 1 }, floats).along(rows, 0).run()?),
        text(reducer.histogram(bytes, &Bins::even(0..256, 16)?)?),
        text(reducer.histogram(floats, &Bins::even(0.0..2.0, 16)?)?),
        text(reducer.histogram(half_floats, &Bins::even(0.0..2.0, 16)?)?),
        text(reducer.bin(bytes, &Bins::even(0..256, 16)?).weights(floats).run()?),
        text(reducer.bin(bytes, &Bins::even(0..256, 16)?).weights(doubles).run()?),
        text(reducer.reduce(&op, floats).run()?),
    ])
}

/// Pairs and masks along axes.
fn results_beside(reducer: &GpuReducer, slices: Slices<'_>) -> Result<Vec<String>> {
    let Slices { floats, partners, bytes, halves, .. } = slices;
    let row = Matrix { rows: 1, columns: floats.len() };
    let rows = Matrix { rows: floats.len(), columns: 1 };
    Ok(vec![
        text(reducer.reduce(Mean, floats).along(row, 1).masked(bytes).run()),
        text(reducer.reduce(ArgMax, halves).along(rows, 0).masked(bytes).run()),
        text(reducer.reduce(SumExact, floats).masked(bytes).run()?),
        text(reducer.reduce(Dot, (floats, partners)).along(row, 1).run()?),
        text(reducer.reduce(Dot, (floats, partners)).along(rows, 0).run()?),
    ])
}

/// Groups, of which some results are that a group has no elements.
fn results_of_groups(reducer: &GpuReducer, slices: Slices<'_>) -> Vec<String> {
    let Slices { floats, words, bytes, halves, .. } = slices;
    let without_slots =
        HistogramTuning { copies: 0, ..HistogramTuning::for_weights(&reducer.caps()) };
    vec![
        text(reducer.reduce(SumExact, floats).groups(bytes, 50).run()),
        text(reducer.reduce(SumExact, floats).groups(bytes, 50).tuned(without_slots).run()),
        text(reducer.reduce(BitXor, words).groups(bytes, 50).run()),
        text(reducer.reduce(ArgMax, halves).groups(bytes, 1).run()),
        text(reducer.reduce(ArgMax, halves).groups(bytes, 50).run()),
        text(reducer.reduce(NormMax, words).groups(bytes, 50).tuned(without_slots).run()),
    ]
}

/// Results of work that several workgroups share, and several passes: defaults leave so few elements to one.
fn shared_results(reducer: &GpuReducer, slices: Slices<'_>) -> Result<Vec<String>> {
    let Slices { floats, partners, words, bytes, offsets, .. } = slices;
    let mut found = Vec::new();
    for combining in [Combining::Passes, Combining::LastToArrive] {
        let tuning = Tuning {
            workgroup_size: 32,
            max_workgroups: 9,
            loads_in_flight: 1,
            min_quads_per_invocation: 1,
            max_partials_per_workgroup: 4,
            combining,
        };
        let reducer = reducer.with_tuning(tuning);
        found.extend([
            text(reducer.reduce(Sum, floats).start()?.wait()?),
            text(reducer.reduce(ArgMax, floats).start()?.wait()?),
            text(reducer.reduce(Stats::default(), floats).start()?.wait()?),
            text(reducer.reduce(BitXor, words).start()?.wait()?),
            text(reducer.reduce(Sum, bytes).start()?.wait()?),
            text(reducer.reduce(Stats::default(), floats).masked(bytes).run()),
            text(reducer.reduce(Max, bytes).masked(bytes).run()),
            text(reducer.dot(floats, partners)?),
        ]);
    }
    let exact = ExactTuning {
        workgroup_size: 32,
        max_workgroups: 9,
        loads_in_flight: 1,
        min_quads_per_invocation: 1,
        margin: 2,
    };
    let segments = SegmentsTuning {
        workgroup_size: 32,
        quads: 1,
        max_workgroups: 9,
        ..SegmentsTuning::for_element(&reducer.caps(), ElementKind::F32)
    };
    let of_segments =
        reducer.reduce(Sum, floats).segments(offsets).tuned(segments).timed().start()?.wait()?;
    found.extend([
        text(
            reducer
                .reduce(SumExact, floats)
                .unrounded()
                .tuned(exact)
                .timed()
                .start()?
                .wait()?
                .value,
        ),
        text(of_segments.value),
        text(reducer.reduce(Sum, bytes).runs(words).start()?.wait()?),
    ]);
    Ok(found)
}

/// Results of every level of the ladders that the device has; what it lacks it says of both.
fn ladder_results(reducer: &GpuReducer, slices: Slices<'_>) -> Vec<String> {
    let options = RunOptions::default();
    let sum = |level| text(Ladder::new(reducer).sum(level, &options, slices.floats));
    let count = |level| {
        text(Ladder::new(reducer).histogram(level, &HistogramOptions::default(), slices.bytes))
    };
    Level::ALL.map(sum).into_iter().chain(HistogramLevel::ALL.map(count)).collect()
}

const LENGTHS: [usize; 17] =
    [1, 2, 3, 4, 5, 7, 15, 17, 63, 65, 127, 255, 257, 1023, 1025, 2049, 9001];

#[test]
fn what_is_behind_the_elements_does_not_take_part() {
    crate::tests::faults::on_every_adapter(|reducer| {
        let mut guarded = 0;
        for len in LENGTHS {
            let all = Surrounded::new(reducer, len);
            let run = |is_wide: bool| {
                reducer.context.beyond.is_wide.store(is_wide, Ordering::Relaxed);
                let slices = || all.slices(len);
                let shared = shared_results(reducer, slices()).unwrap();
                let of_levels = ladder_results(reducer, slices());
                let beside = results_beside(reducer, slices()).unwrap();
                let of_groups = results_of_groups(reducer, slices());
                [results(reducer, slices()).unwrap(), shared, of_levels, of_groups, beside].concat()
            };
            let (narrow, wide) = (run(false), run(true));
            for (number, (narrow, wide)) in narrow.iter().zip(&wide).enumerate() {
                let label = reducer.adapter_label();
                assert_eq!(narrow, wide, "result {number} of {len} elements on {label}");
            }
            guarded += check_guarded(reducer);
        }
        assert!(guarded > LENGTHS.len(), "few scratch buffers: {guarded}");
    });
}
