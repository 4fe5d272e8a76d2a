//! A call of every kind, in two parts: what hands the work over, and what waits for the result.

use crate::api::stream::ExactPairStream;
use crate::api::stream::ExactStream;
use crate::api::stream::HistogramStream;
use crate::api::stream::PairStream;
use crate::error::Result;
use crate::ladder::{HistogramLevel, HistogramOptions, Ladder, Level, RunOptions};
use crate::op::DotExact;
use crate::{
    Bins, CustomOp, Dot, GpuBuffer, GpuReducer, Matrix, Max, Median, MultiGpu, NanMedian, Pending,
    RankStream, Stats, Stream, StreamOptions, Sum, SumExact, TopK,
};
use std::fmt::Debug;
use std::ops::ControlFlow;

/// What calls take.
pub(crate) struct Inputs {
    pub(crate) floats: GpuBuffer<f32>,
    pub(crate) integers: GpuBuffer<i32>,
    pub(crate) offsets: GpuBuffer<u32>,
    pub(crate) keys: GpuBuffer<u32>,
}

const LEN: u32 = 5000;

impl Inputs {
    pub(crate) fn new(reducer: &GpuReducer) -> Self {
        let numbers: Vec<i16> = (-100..100).cycle().take(LEN as usize).collect();
        let integers: Vec<i32> = numbers.iter().map(|&value| value.into()).collect();
        let floats: Vec<_> = numbers.iter().map(|&value| f32::from(value) / 8.0).collect();
        let keys: Vec<_> = (0..LEN).map(|index| index / 77).collect();
        Self {
            floats: reducer.upload(&floats).unwrap(),
            integers: reducer.upload(&integers).unwrap(),
            offsets: reducer.upload(&[0, 7, 7, 3000, LEN]).unwrap(),
            keys: reducer.upload(&keys).unwrap(),
        }
    }
}

/// How somebody waits for a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    Blocked,
    Awaited,
}

impl Waits {
    fn end<T>(self, pending: Pending<T>) -> Result<T> {
        match self {
            Self::Blocked => pending.wait(),
            Self::Awaited => pollster::block_on(pending),
        }
    }
}

/// What is left of a call when its work has been handed over, of streams the first half of it.
pub(crate) type Started = Box<dyn FnOnce(Waits) -> Result<String>>;

/// A call of a kind.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) start: fn(&GpuReducer, &Inputs) -> Result<Started>,
}

impl Call {
    /// All of it. One kind is awaited, the others are waited for.
    pub(crate) fn make(self, reducer: &GpuReducer, inputs: &Inputs) -> Result<String> {
        let waits = if self.name == "awaited" { Waits::Awaited } else { Waits::Blocked };
        (self.start)(reducer, inputs)?(waits)
    }
}

fn text(value: impl Debug) -> String {
    format!("{value:?}")
}

/// What is left of a call that has a result to wait for.
fn rest<T: Debug + 'static>(started: Result<Pending<T>>) -> Result<Started> {
    let pending = started?;
    Ok(Box::new(|waits| waits.end(pending).map(text)))
}

/// A call of every kind.
pub(crate) const CALLS: [Call; 35] = [
    Call {
        name: "transfer",
        start: |reducer, _| rest(reducer.read(&reducer.upload(&[1_u8, 2, 3])?)),
    },
    Call {
        name: "reduce",
        start: |reducer, inputs| rest(reducer.reduce(Sum, &inputs.integers).start()),
    },
    Call {
        name: "awaited",
        start: |reducer, inputs| rest(reducer.reduce(Stats::default(), &inputs.integers).start()),
    },
    Call {
        name: "timed",
        start: |reducer, inputs| {
            rest(reducer.reduce(Sum, &inputs.integers).timed().start()?.map(|timed| timed.value))
        },
    },
    Call {
        name: "many",
        start: |reducer, inputs| {
            rest(
                reducer
                    .batch([&inputs.integers; 9].map(|input| reducer.reduce(Sum, input)))
                    .start(),
            )
        },
    },
    Call {
        name: "pairs",
        start: |reducer, inputs| {
            rest(reducer.reduce(Dot, (&inputs.integers, &inputs.integers)).start())
        },
    },
    Call { name: "encode", start: encode },
    Call {
        name: "exact",
        start: |reducer, inputs| {
            rest(
                reducer
                    .reduce(SumExact, &inputs.floats)
                    .unrounded()
                    .start()?
                    .and_then(|sum| sum.mean()),
            )
        },
    },
    Call {
        name: "exact pairs",
        start: |reducer, inputs| {
            let product =
                reducer.reduce(DotExact, (&inputs.floats, &inputs.floats)).unrounded().start()?;
            rest(product.map(|product| product.round()))
        },
    },
    Call {
        name: "rows",
        start: |reducer, inputs| {
            let shape = Matrix { rows: 50, columns: 100 };
            rest(reducer.reduce(SumExact, &inputs.floats).rows(shape).start())
        },
    },
    Call {
        name: "rows with a mask",
        start: |reducer, inputs| {
            let (shape, mask) = (Matrix { rows: 50, columns: 100 }, reducer.upload(&[1_u8; 5000])?);
            rest(reducer.reduce(Max, &inputs.floats).rows(shape).masked(&mask).start())
        },
    },
    Call {
        name: "rows of pairs",
        start: |reducer, inputs| {
            let (shape, both) =
                (Matrix { rows: 50, columns: 100 }, (&inputs.floats, &inputs.floats));
            rest(reducer.reduce(Dot, both).rows(shape).start())
        },
    },
    Call {
        name: "axis to a buffer",
        start: |reducer, inputs| {
            let shape = Matrix { rows: 50, columns: 100 };
            rest(reducer.read(&reducer.reduce(Sum, &inputs.integers).along(shape, 0).to_buffer()?))
        },
    },
    Call {
        name: "segments",
        start: |reducer, inputs| {
            rest(reducer.reduce(Sum, &inputs.integers).segments(&inputs.offsets).start())
        },
    },
    Call {
        name: "by key",
        start: |reducer, inputs| {
            rest(reducer.reduce(Sum, &inputs.integers).runs(&inputs.keys).start())
        },
    },
    Call {
        name: "groups",
        start: |reducer, inputs| {
            rest(reducer.reduce(SumExact, &inputs.floats).groups(&inputs.keys, 100).start())
        },
    },
    Call {
        name: "histogram",
        start: |reducer, inputs| {
            rest(reducer.bin(&inputs.integers, &Bins::even(-50..50, 20)?).start())
        },
    },
    Call {
        name: "median",
        start: |reducer, inputs| rest(reducer.reduce(Median, &inputs.floats).start()),
    },
    Call {
        name: "nan_median",
        start: |reducer, inputs| rest(reducer.reduce(NanMedian, &inputs.floats).start()),
    },
    Call {
        name: "top_k",
        start: |reducer, inputs| rest(reducer.reduce(TopK { k: 3 }, &inputs.floats).start()),
    },
    Call {
        name: "weights",
        start: |reducer, inputs| {
            let bins = Bins::even(-50..50, 20)?;
            rest(reducer.bin(&inputs.integers, &bins).weights(&inputs.floats).start())
        },
    },
    Call {
        name: "custom",
        start: |reducer, inputs| rest(reducer.reduce(&sum_of_own()?, &inputs.integers).start()),
    },
    Call {
        name: "ladder",
        start: |reducer, inputs| {
            let (level, options) = (Level::GridStride, RunOptions::default());
            let sums = Ladder::new(reducer).rows(level, &options, &inputs.integers, 1)?;
            rest(sums.map(|timed| timed.value))
        },
    },
    Call { name: "stream", start: |reducer, _| stream(reducer) },
    Call { name: "stream of pairs", start: |reducer, _| stream_of_pairs(reducer) },
    Call { name: "stream of exact pairs", start: |reducer, _| stream_of_exact_pairs(reducer) },
    Call { name: "stream of histograms", start: |reducer, _| stream_of_histograms(reducer) },
    Call { name: "stream of ranks", start: |reducer, _| stream_of_ranks(reducer) },
    Call { name: "several reducers", start: |reducer, _| several_reducers(reducer) },
    Call {
        name: "custom along an axis",
        start: |reducer, inputs| {
            let shape = Matrix { rows: 50, columns: 100 };
            rest(reducer.reduce(&sum_of_own()?, &inputs.integers).along(shape, 0).start())
        },
    },
    Call {
        name: "custom in segments",
        start: |reducer, inputs| {
            rest(reducer.reduce(&sum_of_own()?, &inputs.integers).segments(&inputs.offsets).start())
        },
    },
    Call {
        name: "custom by key",
        start: |reducer, inputs| {
            rest(reducer.reduce(&sum_of_own()?, &inputs.integers).runs(&inputs.keys).start())
        },
    },
    Call { name: "encode segments", start: encode_segments },
    Call { name: "histogram to a buffer", start: encode_histogram_channels },
    Call {
        name: "ladder of histograms",
        start: |reducer, _| {
            let bytes = reducer.upload(&[7_u8; 999])?;
            let (level, options) = (HistogramLevel::WorkgroupCopy, HistogramOptions::default());
            let counts = Ladder::new(reducer).start_histogram(level, &options, &bytes)?;
            rest(counts.map(|timed| timed.value))
        },
    },
];

/// What a command encoder of the caller's has been given, and where it leaves the results.
fn encoded<T: bytemuck::Pod + Send + Debug>(
    reducer: &GpuReducer,
    output: &GpuBuffer<T>,
    record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()>,
) -> Result<Started> {
    let mut encoder =
        reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    record(&mut encoder)?;
    reducer.queue().submit([encoder.finish()]);
    rest(reducer.read(output))
}

fn encode_segments(reducer: &GpuReducer, inputs: &Inputs) -> Result<Started> {
    let sums = reducer.alloc::<i64>(4)?;
    encoded(reducer, &sums, |encoder| {
        reducer.reduce(Sum, &inputs.integers).segments(&inputs.offsets).encode(encoder, &sums)
    })
}

fn encode_histogram_channels(reducer: &GpuReducer, inputs: &Inputs) -> Result<Started> {
    let bins = Bins::even(-50..50, 20)?;
    let counts = reducer.alloc::<u64>(23)?;
    encoded(reducer, &counts, |encoder| {
        reducer.bin(&inputs.integers, &bins).channels(1).encode(encoder, &counts)
    })
}

fn encode(reducer: &GpuReducer, inputs: &Inputs) -> Result<Started> {
    let output = reducer.alloc::<i64>(1)?;
    encoded(reducer, &output, |encoder| {
        reducer.reduce(Sum, &inputs.integers).encode(encoder, &output)
    })
}

fn sum_of_own() -> Result<CustomOp<i32, i32>> {
    let text_of_op = "fn map(element: i32, index: u32) -> i32 { return element; }
        fn combine(left: i32, right: i32) -> i32 { return left + right; }";
    CustomOp::new(text_of_op, 0)
}

/// What streams are given, in two halves.
fn halves() -> [Vec<u16>; 2] {
    [(0..2500).collect(), (2500..5000).collect()]
}

/// Streams wait in a push, too, where the device is behind.
fn push(
    waits: Waits,
    stream: &mut Stream<u16, Sum>,
    exact: &mut ExactStream,
    values: &[u16],
) -> Result<()> {
    values.chunks(701).try_for_each(|piece| {
        let floats: Vec<_> = piece.iter().map(|&value| value.into()).collect();
        match waits {
            Waits::Blocked => {
                stream.push(piece)?;
                exact.push(&floats)
            }
            Waits::Awaited => {
                pollster::block_on(stream.push_async(piece))?;
                pollster::block_on(exact.push_async(&floats))
            }
        }
    })
}

fn stream(reducer: &GpuReducer) -> Result<Started> {
    let [first, second] = halves();
    let mut stream = reducer.stream(Sum, &StreamOptions::new(4096))?;
    let mut exact = ExactStream::new(reducer, &StreamOptions::new(16 << 10))?;
    push(Waits::Blocked, &mut stream, &mut exact, &first)?;
    Ok(Box::new(move |waits| {
        push(waits, &mut stream, &mut exact, &second)?;
        let sum = waits.end(stream.finish()?)?;
        Ok(text((sum, waits.end(exact.finish()?)?.round())))
    }))
}

fn stream_of_pairs(reducer: &GpuReducer) -> Result<Started> {
    let [first, second] = halves();
    let mut stream = PairStream::new(reducer, Dot, &StreamOptions::new(4096))?;
    first.chunks(701).try_for_each(|piece| stream.push(piece, piece))?;
    Ok(Box::new(move |waits| {
        second.chunks(701).try_for_each(|piece| stream.push(piece, piece))?;
        waits.end(stream.finish()?).map(text)
    }))
}

fn stream_of_exact_pairs(reducer: &GpuReducer) -> Result<Started> {
    let halves = halves().map(|half| half.into_iter().map(f32::from).collect::<Vec<_>>());
    let [first, second] = halves;
    let mut stream = ExactPairStream::new(reducer, &StreamOptions::new(16 << 10))?;
    first.chunks(701).try_for_each(|piece| stream.push(piece, piece))?;
    Ok(Box::new(move |waits| {
        second.chunks(701).try_for_each(|piece| stream.push(piece, piece))?;
        Ok(text(waits.end(stream.finish()?)?.round()))
    }))
}

fn several_reducers(reducer: &GpuReducer) -> Result<Started> {
    let multi = MultiGpu::new(vec![reducer.clone(), reducer.clone()])?;
    let buffer = multi.upload(&[1.5_f32; 3000])?;
    let (sum, exact) = (multi.reduce(Sum, &buffer)?, multi.reduce_exact(&buffer)?);
    Ok(Box::new(|waits| Ok(text((waits.end(sum)?, waits.end(exact)?.round())))))
}

fn stream_of_histograms(reducer: &GpuReducer) -> Result<Started> {
    let [first, second] = halves();
    let bins = Bins::even(0..1000, 100)?;
    let mut stream = HistogramStream::new(reducer, 1, &bins, &StreamOptions::new(4096))?;
    first.chunks(701).try_for_each(|piece| stream.push(piece))?;
    Ok(Box::new(move |waits| {
        second.chunks(701).try_for_each(|piece| stream.push(piece))?;
        waits.end(stream.finish()?).map(text)
    }))
}

fn stream_of_ranks(reducer: &GpuReducer) -> Result<Started> {
    let elements: Vec<_> = (0..5000_u16).map(f32::from).collect();
    let mut stream = RankStream::new(reducer, Median, &StreamOptions::new(4096))?;
    stream.push(&elements)?;
    let stream = stream.end()?;
    Ok(Box::new(move |_| {
        let ControlFlow::Continue(mut again) = stream else { return Ok(String::new()) };
        again.push(&elements)?;
        again.end().map(|ended| text(ended.break_value()))
    }))
}
