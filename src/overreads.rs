//! Nothing behind what is asked for takes part in a result. Drivers answer reads behind a binding with zero, which many
//! results do not show, so here bindings go on to the ends of their buffers, and what is behind the elements would spoil
//! anything: results must have the same bits as with bindings that end where they should.

use crate::context::Context;
use crate::error::Result;
use crate::recording::{Bound, Place, binding};
use crate::window::QUAD_BYTES;
use crate::{
    ArgMax, Bins, BitXor, CustomOp, GpuBuffer, GpuReducer, GpuSlice, Matrix, Max, Min, NormL2,
    Options, Product, Stats, Sum, SumExact,
};
use std::fmt::Debug;
use std::sync::atomic::Ordering;

/// The bytes that a binding is to have, of those from its start to the end of the buffer.
pub(crate) fn widened(context: &Context, bound: &Bound, rest: u64, size: u64) -> u64 {
    let is_input = matches!(bound.place, Place::Input(_)) && bound.bytes.is_some();
    if !is_input || !context.has_wide_bindings.load(Ordering::Relaxed) {
        return size;
    }
    let most = rest.min(context.caps.max_binding_bytes);
    let is_quads = [binding::VECTORS, binding::PARTNER_QUADS].contains(&bound.binding);
    most - most % if is_quads { QUAD_BYTES } else { 4 }
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
            halves: self.halves.slice(range).unwrap(),
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
    offsets: GpuSlice<'a, u32>,
}

fn text(value: impl Debug) -> String {
    format!("{value:?}")
}

/// One of every kernel that reads elements; operations that show whatever gets in.
fn results(reducer: &GpuReducer, slices: Slices<'_>) -> Result<Vec<String>> {
    let Slices { floats, partners, words, bytes, halves, offsets } = slices;
    let len = floats.len();
    let row = Matrix { rows: 1, columns: len };
    let rows = Matrix { rows: len, columns: 1 };
    let op = CustomOp::<f32, f32>::new(
        "fn map(element: f32, index: u32) -> f32 { return element; }
        fn combine(left: f32, right: f32) -> f32 { return left + right; }",
        0.0,
    )?;
    Ok(vec![
        text(reducer.reduce(Sum, floats)?.wait()?),
        text(reducer.reduce(Product, floats)?.wait()?),
        text(reducer.reduce(Min, floats)?.wait()?),
        text(reducer.reduce(ArgMax, floats)?.wait()?),
        text(reducer.reduce(NormL2, floats)?.wait()?),
        text(reducer.reduce(Stats::default(), floats)?.wait()?),
        text(reducer.reduce(Sum, words)?.wait()?),
        text(reducer.reduce(BitXor, words)?.wait()?),
        text(reducer.reduce(Sum, bytes)?.wait()?),
        text(reducer.reduce(Max, bytes)?.wait()?),
        text(reducer.reduce(Sum, halves)?.wait()?),
        text(reducer.reduce(Min, halves)?.wait()?),
        text(reducer.reduce_many(Sum, [floats, partners])?.wait()?),
        text(reducer.dot(floats, partners)?),
        text(reducer.sum_exact(floats)?),
        text(reducer.dot_exact(floats, partners)?),
        text(reducer.reduce_axis(Sum, floats, row, 1)?.wait()?),
        text(reducer.reduce_axis(Sum, floats, rows, 0)?.wait()?),
        text(reducer.reduce_axis(Sum, bytes, row, 1)?.wait()?),
        text(reducer.reduce_axis(SumExact, floats, rows, 1)?.wait()?),
        text(reducer.reduce_segments(Sum, floats, offsets)?.wait()?),
        text(reducer.reduce_segments(Sum, bytes, offsets)?.wait()?),
        text(reducer.reduce_by_key(Sum, words, floats)?.wait()?),
        text(reducer.histogram(bytes, &Bins::even(0..256, 16)?)?),
        text(reducer.histogram(floats, &Bins::even(0.0..2.0, 16)?)?),
        text(reducer.histogram_weighted(bytes, floats, &Bins::even(0..256, 16)?)?),
        text(reducer.custom(&op, floats)?),
    ])
}

const LENGTHS: [usize; 17] =
    [1, 2, 3, 4, 5, 7, 15, 17, 63, 65, 127, 255, 257, 1023, 1025, 2049, 9001];

#[test]
fn what_is_behind_the_elements_does_not_take_part() {
    for index in 0..GpuReducer::adapters().len() {
        let options = Options::default().adapter(index.to_string());
        let reducer = pollster::block_on(GpuReducer::request(&options)).unwrap();
        for len in LENGTHS {
            let all = Surrounded::new(&reducer, len);
            let run = |is_wide: bool| {
                reducer.context.has_wide_bindings.store(is_wide, Ordering::Relaxed);
                results(&reducer, all.slices(len)).unwrap()
            };
            let (narrow, wide) = (run(false), run(true));
            for (number, (narrow, wide)) in narrow.iter().zip(&wide).enumerate() {
                let label = reducer.adapter_label();
                assert_eq!(narrow, wide, "result {number} of {len} elements on {label}");
            }
        }
    }
}
