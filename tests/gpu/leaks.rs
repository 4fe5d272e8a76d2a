//! Nothing is left of very many calls of every kind.

use crate::busy::Busy;
use crate::faults::fresh;
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use std::fmt::Debug;
use wgpu_reduce::ladder::{Ladder, Level, RunOptions};
use wgpu_reduce::{
    Bins, CustomOp, Dot, DotExact, ExactStream, GpuBuffer, GpuReducer, HistogramStream, Matrix,
    MultiBuffer, MultiGpu, PairStream, Pending, Prepared, Stats, StreamOptions, Sum, SumExact,
    Timed,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    on_every_rig(rigs, "leaks::nothing_piles_up", nothing_piles_up)
}

/// What a device has of things that calls make, by wgpu's own count; of allocations those that its allocator has handed
/// out, where it tells.
const COUNTED: [&str; 8] = [
    "buffers",
    "bytes of buffers",
    "groups of bindings",
    "encoders",
    "sets of timestamps",
    "pipelines",
    "modules of shaders",
    "allocations",
];

/// How many there are of each.
type Counts = [usize; COUNTED.len()];

/// Once all that was submitted is done, what a write has staged included, which goes with the next submission.
fn held_by(reducer: &GpuReducer) -> Result<Counts, Failed> {
    reducer.queue().submit([]);
    reducer.device().poll(wgpu::PollType::wait_indefinitely())?;
    let counters = reducer.device().get_internal_counters().hal;
    let of = |count: isize| usize::try_from(count).unwrap_or(0);
    let report = reducer.device().generate_allocator_report();
    Ok([
        of(counters.buffers.read()),
        of(counters.buffer_memory.read()),
        of(counters.bind_groups.read()),
        of(counters.command_encoders.read()),
        of(counters.query_sets.read()),
        of(counters.compute_pipelines.read()),
        of(counters.shader_modules.read()),
        report.map_or(0, |report| report.allocations.len()),
    ])
}

/// What calls take.
struct Inputs {
    words: GpuBuffer<u32>,
    floats: GpuBuffer<f32>,
    offsets: GpuBuffer<u32>,
    sum: GpuBuffer<u64>,
    custom: CustomOp<u32, u32>,
    /// Prepared once, before the first call.
    kept: Prepared<u64>,
    kept_timed: Prepared<Timed<u64>>,
}

/// Calls of a kind that each round makes: one is waited for, one awaited, one forgotten.
const CALLS: usize = 3;

/// Starts them all, before the first is waited for.
fn pending<T: PartialEq + Debug>(
    start: impl Fn() -> wgpu_reduce::Result<Pending<T>>,
    is_right: impl Fn(&T) -> bool,
) -> Outcome {
    let [waited, awaited, forgotten] = [start()?, start()?, start()?];
    drop(forgotten);
    for value in [waited.wait()?, pollster::block_on(awaited)?] {
        ensure!(is_right(&value), "{value:?}");
    }
    Ok(())
}

type Kind = (&'static str, fn(&GpuReducer, &Inputs) -> Outcome);

/// Each makes [`CALLS`].
const KINDS: [Kind; 27] = [
    ("reduce", |gpu, of| pending(|| gpu.reduce(Sum, &of.words).start(), |&sum| sum == 6)),
    ("timed", |gpu, of| {
        pending(|| gpu.reduce(Sum, &of.words).timed().start(), |sum| sum.value == 6)
    }),
    ("stats", |gpu, of| {
        pending(|| gpu.reduce(Stats::default(), &of.words).start(), |stats| stats.sum == 6)
    }),
    ("many", |gpu, of| {
        pending(
            || gpu.batch([&of.words; 9].map(|words| gpu.reduce(Sum, words))).start(),
            |sums| sums == &[6; 9],
        )
    }),
    ("pairs", |gpu, of| {
        pending(|| gpu.reduce(Dot, (&of.words, &of.words)).start(), |&product| product == 14)
    }),
    ("exact", |gpu, of| {
        pending(
            || gpu.reduce(SumExact, &of.floats).unrounded().start(),
            |sum| sum.round().to_bits() == 3.5_f32.to_bits(),
        )
    }),
    ("exact pairs", |gpu, of| {
        pending(
            || gpu.reduce(DotExact, (&of.floats, &of.floats)).unrounded().start(),
            |sum| sum.round().to_bits() == 4.75_f32.to_bits(),
        )
    }),
    ("rows", |gpu, of| {
        let matrix = Matrix { rows: 3, columns: 1 };
        pending(|| gpu.reduce(Sum, &of.words).rows(matrix).start(), |sums| sums == &[1, 2, 3])
    }),
    ("segments", |gpu, of| {
        pending(|| gpu.reduce(Sum, &of.words).segments(&of.offsets).start(), |sums| sums == &[3, 3])
    }),
    ("by key", |gpu, of| {
        pending(|| gpu.reduce(Sum, &of.words).runs(&of.words).start(), |runs| runs.len() == 3)
    }),
    ("histogram", |gpu, of| {
        let bins = Bins::even(1..4, 3)?;
        pending(|| gpu.bin(&of.words, &bins).start(), |found| found.counts == [1; 3])
    }),
    ("weighted histogram", |gpu, of| {
        let bins = Bins::even(1..4, 3)?;
        let start = || gpu.bin(&of.words, &bins).weights(&of.words).start();
        pending(start, |found| found.sums == [1, 2, 3])
    }),
    ("custom", |gpu, of| pending(|| gpu.reduce(&of.custom, &of.words).start(), |&sum| sum == 6)),
    ("prepared", |_, of| pending(|| of.kept.start(), |&sum| sum == 6)),
    ("prepared, timed", |_, of| pending(|| of.kept_timed.start(), |sum| sum.value == 6)),
    ("prepared anew", |gpu, of| {
        pending(|| gpu.reduce(Sum, &of.words).prepare()?.start(), |&sum| sum == 6)
    }),
    ("counted", |gpu, of| {
        for _ in 0..CALLS {
            let sum = gpu.reduce(Sum, &of.words).counted(of.offsets.slice(1..2)?).to_buffer()?;
            ensure!(sum.download(gpu)? == [3], "a counted sum");
        }
        Ok(())
    }),
    ("runs to buffers", |gpu, of| {
        for _ in 0..CALLS {
            let runs = gpu.reduce(Sum, &of.words).runs(&of.words).to_buffer()?;
            ensure!(runs.count.download(gpu)? == [3], "runs to buffers");
        }
        Ok(())
    }),
    ("transfer", |gpu, _| {
        for _ in 0..CALLS {
            let buffer = gpu.upload(&[1_u8, 2, 3])?;
            ensure!(buffer.download(gpu)? == [1, 2, 3], "a transfer");
        }
        Ok(())
    }),
    ("encode", |gpu, of| {
        for _ in 0..CALLS {
            let mut encoder =
                gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            gpu.reduce(Sum, &of.words).encode(&mut encoder, &of.sum)?;
            gpu.queue().submit([encoder.finish()]);
        }
        ensure!(of.sum.download(gpu)? == [6], "what was encoded");
        Ok(())
    }),
    ("stream", |gpu, _| {
        for turn in 0..CALLS {
            let mut stream = gpu.stream(Sum, &StreamOptions::new(4096))?;
            stream.push(&[1_u32, 2, 3])?;
            let sum = stream.finish()?;
            // One is forgotten.
            ensure!(turn == 0 || sum.wait()? == 6, "a stream");
        }
        Ok(())
    }),
    ("exact stream", |gpu, _| {
        for turn in 0..CALLS {
            let mut stream = ExactStream::new(gpu, &StreamOptions::new(16 << 10))?;
            stream.push(&[0.5_f32, 1.5, 1.5])?;
            let sum = stream.finish()?;
            let is_right = turn == 0 || sum.wait()?.round().to_bits() == 3.5_f32.to_bits();
            ensure!(is_right, "an exact stream");
        }
        Ok(())
    }),
    ("stream of pairs", |gpu, _| {
        for turn in 0..CALLS {
            let mut stream = PairStream::new(gpu, Dot, &StreamOptions::new(4096))?;
            stream.push(&[1_u32, 2, 3], &[1, 2, 3])?;
            let product = stream.finish()?;
            ensure!(turn == 0 || product.wait()? == 14, "a stream of pairs");
        }
        Ok(())
    }),
    ("stream of histograms", |gpu, _| {
        let bins = Bins::even(1..4, 3)?;
        for turn in 0..CALLS {
            let mut stream = HistogramStream::new(gpu, 1, &bins, &StreamOptions::new(4096))?;
            stream.push(&[1_u32, 2, 3])?;
            let counts = stream.finish()?;
            ensure!(turn == 0 || counts.wait()?[0].counts == [1; 3], "a stream of histograms");
        }
        Ok(())
    }),
    ("axis to a buffer", |gpu, of| {
        for _ in 0..CALLS {
            let matrix = Matrix { rows: 3, columns: 1 };
            let sums = gpu.reduce(Sum, &of.words).along(matrix, 1).to_buffer()?;
            ensure!(sums.download(gpu)? == [1, 2, 3], "an axis to a buffer");
        }
        Ok(())
    }),
    ("ladder", |gpu, of| {
        let start =
            || Ladder::new(gpu).rows(Level::GridStride, &RunOptions::default(), &of.words, 1);
        pending(start, |sums| sums.value == [6])
    }),
    ("several reducers", |gpu, of| {
        let multi = MultiGpu::new(vec![gpu.clone(); 2])?;
        let buffer = MultiBuffer::new(vec![of.words.clone(), gpu.upload(&[4, 5])?]);
        pending(|| multi.reduce(Sum, &buffer), |&sum| sum == 15)
    }),
];

/// Rounds before the first count, half of them with as much in flight as there ever is.
const ROUNDS_BEFORE: usize = 20;

/// Loops of a device that has done nothing of what a kind of call starts before all of it has been started.
const LOOPS: u32 = 8;

/// So often the calls are made if something grows: the most that were ever in flight, which wgpu and the library have kept room
/// for, may still be surpassed. What is left of calls grows each time.
const TRIES: usize = 4;

/// `WGPU_REDUCE_CALLS` says how many calls there are on an adapter.
fn nothing_piles_up(rig: &Rig) -> Outcome {
    let reducer = fresh(rig)?;
    let calls = std::env::var("WGPU_REDUCE_CALLS").ok().map(|calls| calls.parse());
    let calls: usize = calls.transpose()?.unwrap_or(5000);
    let rounds = calls.div_ceil(KINDS.len() * CALLS);
    let text = "fn map(element: u32, index: u32) -> u32 { return element; }
        fn combine(left: u32, right: u32) -> u32 { return left + right; }";
    let words = reducer.upload(&[1, 2, 3])?;
    let inputs = Inputs {
        floats: reducer.upload(&[0.5, 1.5, 1.5])?,
        offsets: reducer.upload(&[0, 2, 3])?,
        sum: reducer.alloc(1)?,
        custom: CustomOp::new(text, 0)?,
        kept: reducer.reduce(Sum, &words).prepare()?,
        kept_timed: reducer.reduce(Sum, &words).timed().prepare()?,
        words,
    };
    let round = |before_each: &dyn Fn()| {
        KINDS.iter().try_for_each(|(name, call)| {
            before_each();
            call(&reducer, &inputs).map_err(|failed| {
                Failed::from(format!("{name}: {}", failed.message().unwrap_or("no message")))
            })
        })
    };
    let busy = Busy::new(reducer.device(), reducer.queue());
    for turn in 0..ROUNDS_BEFORE {
        round(&|| {
            if turn % 2 == 1 {
                drop(busy.occupy(LOOPS));
            }
        })?;
    }
    let mut counts = vec![held_by(&reducer)?];
    ensure!(counts[0][0] > 0, "wgpu counts no buffers: {counts:?}");
    println!(
        "{} calls, {} of each kind, on {}",
        rounds * CALLS * KINDS.len(),
        rounds * CALLS,
        rig.name
    );
    for _ in 0..TRIES {
        (0..rounds).try_for_each(|_| round(&|| {}))?;
        let (before, after) = (counts[counts.len() - 1], held_by(&reducer)?);
        counts.push(after);
        if after.iter().zip(before).all(|(&after, before)| after <= before) {
            print!("{}", shown(&counts));
            return Ok(());
        }
    }
    Err(format!("something grows with the calls:\n{}", shown(&counts)).into())
}

/// What there was of each, from count to count.
fn shown(counts: &[Counts]) -> String {
    let of = |(number, what): (usize, &&str)| {
        let counts: Vec<_> = counts.iter().map(|counts| counts[number].to_string()).collect();
        format!("  {what}: {}\n", counts.join(", then "))
    };
    COUNTED.iter().enumerate().map(of).collect()
}
