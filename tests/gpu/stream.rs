//! Reductions of what comes in pieces: as if it had been one input.

use crate::exact::cases::{Mix, Random};
use crate::faults::{fresh, while_busy};
use crate::harness::oracle::{Judged, Oracle};
use crate::harness::rig::open;
use crate::harness::{
    Outcome, Rig, Shape, TestElement, ensure, on_every_rig, others, stamp, stamp_all,
};
use half::{bf16, f16};
use libtest_mimic::Trial;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use wgpu_reduce::{
    All, Any, ArgMax, ArgMin, Bins, BitAnd, BitOr, BitXor, CountNonZero, Dot, Error, ExactStream,
    ExactSum, GpuReducer, Histogram, HistogramStream, Max, Mean, Min, MinMax, NanArgMax, NanMax,
    NanMean, NormL1, NormL2, NormMax, PairOperation, PairStream, Pending, Product, Result, Stats,
    StreamOptions, Sum, SumExact, Variance, WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(
        rigs,
        [as_one_input],
        {
            "stream::sum": Sum of f32, i32, u8;
            "stream::argmin": ArgMin of f16, bf16;
            "stream::stats": Stats of f32
        }
    );
    trials.extend(spread(rigs, every_operation(rigs, &trials)));
    trials.extend(
        [
            on_every_rig(rigs, "stream::many_chunks", many_chunks),
            on_every_rig(rigs, "stream::large_pieces", large_pieces),
            on_every_rig(rigs, "stream::pairs", pairs),
            on_every_rig(rigs, "stream::histograms", histograms),
            on_every_rig(rigs, "stream::awaited", awaited),
            on_every_rig(rigs, "stream::given_up", given_up),
            on_every_rig(rigs, "stream::side_by_side", side_by_side),
            on_every_rig(rigs, "stream::memory", memory),
            on_every_rig(rigs, "stream::lost_device", lost_device),
            on_every_rig(rigs, "stream::lost_meanwhile", lost_meanwhile),
        ]
        .into_iter()
        .flatten(),
    );
    trials
}

/// Every operation, on most types. What differs from those above is in files that other tests run everywhere, so each
/// is for one rig.
fn every_operation(rigs: &'static [Rig], thoroughly: &[Trial]) -> Vec<Trial> {
    let mut trials = stamp!(
        rigs,
        [as_one_input],
        {
            "stream::sum": Sum of u32, i8, u16, i16, f16, bf16, i64, u64, f64;
            "stream::sum_exact": SumExact of f16, bf16;
            "stream::wrapping_sum": WrappingSum of i32, u8, i64;
            "stream::product": Product of i32, u64;
            "stream::norm_l1": NormL1 of i32, u64;
            "stream::norm_l2": NormL2 of u32;
            "stream::norm_max": NormMax of i16, i64;
            "stream::min": Min of i8, f64;
            "stream::max": Max of f16, bf16, u32, i64;
            "stream::min_max": MinMax of u16, i64;
            "stream::argmin": ArgMin of i32, i64;
            "stream::argmax": ArgMax of u8, u32, f64;
            "stream::mean": Mean of f16, bf16, i32, u8, i64, f64;
            "stream::variance": Variance of f16, bf16;
            "stream::stats": Stats of u8, f16, bf16;
            "stream::all": All of u64;
            "stream::any": Any of i8, f64;
            "stream::count_nonzero": CountNonZero of f16, i64;
            "stream::bit_and": BitAnd of i64;
            "stream::bit_or": BitOr of i16, u64;
            "stream::bit_xor": BitXor of u8, i32;
            "stream::nan_mean": NanMean of f16;
            "stream::nan_max": NanMax of f16, bf16;
            "stream::nan_argmax": NanArgMax of f16
        }
    );
    trials.extend(others(stamp_all!(rigs, [as_one_input], "stream::", leading), thoroughly));
    trials
}

/// Trials that come once for each rig are left for one rig each, and rigs take turns.
fn spread(rigs: &[Rig], trials: Vec<Trial>) -> impl Iterator<Item = Trial> {
    let (count, mut turn) = (rigs.len().max(1), 0);
    trials.into_iter().enumerate().filter_map(move |(index, trial)| {
        let is_first = index % count == 0;
        turn += usize::from(is_first && index > 0);
        (index % count == turn % count).then_some(trial)
    })
}

/// Chunks of 256 bytes, or what the device aligns bindings to.
pub(crate) const SMALL: StreamOptions = StreamOptions::new(1024);

/// Elements of a chunk.
pub(crate) fn chunk_len<T>(rig: &Rig) -> u64 {
    rig.reducer.caps().storage_alignment_bytes.max(256) / size_of::<T>() as u64
}

/// The values, cut anywhere.
pub(crate) fn cut<T>(values: &[T], mut random: Random) -> Vec<&[T]> {
    let (mut rest, mut pieces) = (values, Vec::new());
    while !rest.is_empty() {
        let most = [3, 100, values.len()][random.below(3)].min(rest.len());
        let (piece, later) = rest.split_at(random.below(most + 1));
        pieces.push(piece);
        rest = later;
    }
    pieces
}

/// What a stream of pieces gives.
fn streamed<T: TestElement, O: Oracle<T>>(
    reducer: &GpuReducer,
    pieces: &[&[T]],
) -> Result<O::Output> {
    let mut stream = reducer.stream(O::default(), &SMALL)?;
    for piece in pieces {
        stream.push(piece)?;
    }
    stream.finish()?.wait()
}

pub(crate) fn check<T: TestElement, O: Oracle<T>>(rig: &Rig, shape: Shape, len: u64) -> Outcome {
    let values = T::data(shape, len);
    let of_pieces = |seed| streamed::<T, O>(&rig.reducer, &cut(&values, Random::new(seed)));
    let expected = match O::expected(&values) {
        Ok(expected) => expected,
        Err(error) => {
            let outcome = of_pieces(len);
            ensure!(outcome.as_ref().err() == Some(&error), "{shape:?}, {len}: {outcome:?}");
            return Ok(());
        }
    };
    let plan = rig.reducer.stream::<T, O>(O::default(), &SMALL)?.plan(len)?;
    ensure!(plan.len == len, "a plan of {} elements instead of {len}", plan.len);
    let result = of_pieces(len)?;
    ensure!(
        O::judge(result, expected, &values, &plan.accuracy()),
        "{shape:?}, {len} elements: {result:?} is not {expected:?}\n{plan}"
    );
    let again = of_pieces(len + 1)?;
    ensure!(result.same_bits(again), "{len} elements, cut otherwise: {result:?} and {again:?}");
    Ok(())
}

fn as_one_input<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let chunk = chunk_len::<T>(rig);
    for len in [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 5 * chunk + 3] {
        check::<T, O>(rig, Shape::Random, len)?;
    }
    check::<T, O>(rig, Shape::Extreme, 3 * chunk + 7)?;
    check::<T, O>(rig, Shape::Tiny, 4 * chunk - 1)
}

/// So many that what they leave is folded in between.
fn many_chunks(rig: &Rig) -> Outcome {
    for chunks in [255, 256, 257, 600] {
        check::<f32, Sum>(rig, Shape::Random, chunks * chunk_len::<f32>(rig))?;
        check::<i32, ArgMax>(rig, Shape::Random, chunks * chunk_len::<i32>(rig) - 5)?;
        check::<f32, Variance>(rig, Shape::Random, chunks * chunk_len::<f32>(rig) + 1)?;
    }
    Ok(())
}

pub(crate) fn check_pairs<T: TestElement>(rig: &Rig, len: u64) -> Outcome
where
    Dot: PairOperation<T, Output: Judged>,
{
    let (left, mut right) = (T::data(Shape::Random, len), T::data(Shape::Random, len + 1));
    right.remove(0);
    let expected = Dot.on_cpu(&left, &right)?;
    let mut stream = PairStream::new(&rig.reducer, Dot, &SMALL)?;
    let tolerance = Dot.tolerance(&left, &right, &stream.plan(len)?.accuracy());
    let (mut a, mut b) = (&left[..], &right[..]);
    for piece in cut(&left, Random::new(len)) {
        stream.push(&a[..piece.len()], &b[..piece.len()])?;
        (a, b) = (&a[piece.len()..], &b[piece.len()..]);
    }
    if len > 0 {
        let outcome = stream.push(&left[..1], &[]);
        ensure!(outcome == Err(Error::LengthMismatch { left: 1, right: 0 }), "{outcome:?}");
    }
    ensure!(stream.len() == len, "{} pairs instead of {len}", stream.len());
    let dot = stream.finish()?.wait()?;
    ensure!(dot.within(expected, tolerance), "{len} pairs: {dot:?} is not {expected:?}");
    Ok(())
}

fn pairs(rig: &Rig) -> Outcome {
    let chunk = chunk_len::<f32>(rig);
    for len in [0, 1, chunk, 2 * chunk + 3, 300 * chunk + 1] {
        check_pairs::<f32>(rig, len)?;
        check_pairs::<i32>(rig, len)?;
        check_pairs::<u8>(rig, len)?;
    }
    Ok(())
}

/// Pieces that several threads copy: they begin at any byte, and straddle chunks.
fn large_pieces(rig: &Rig) -> Outcome {
    const LENS: [usize; 6] = [1, (3 << 20) + 1, 2 << 20, 0, (7 << 20) + 3, 5];
    let options = StreamOptions::new(20 << 20);
    let len = LENS.iter().sum::<usize>();
    let mut left: Vec<u8> = (0..u32::try_from(len)?).map(|at| (at % 251) as u8).collect();
    let right: Vec<u8> = left.iter().rev().copied().collect();
    let expected =
        std::iter::zip(&left, &right).map(|(&a, &b)| u128::from(a) * u128::from(b)).sum();
    let mut stream = PairStream::new(&rig.reducer, Dot, &options)?;
    let mut start = 0;
    for len in LENS {
        stream.push(&left[start..start + len], &right[start..start + len])?;
        start += len;
    }
    let dot: u128 = stream.finish()?.wait()?;
    ensure!(dot == expected, "{dot}, not {expected}");
    for largest in [0, 1, 2 << 20, (5 << 20) + 77, len - 1] {
        left[largest] = 255;
        let mut stream = rig.reducer.stream(ArgMax, &options)?;
        let mut rest = &left[..];
        for len in LENS {
            let (piece, later) = rest.split_at(len);
            stream.push(piece)?;
            rest = later;
        }
        let max = stream.finish()?.wait()?;
        ensure!((max.index, max.value) == (largest as u64, 255), "{max:?}, not at {largest}");
        left[largest] = 0;
    }
    Ok(())
}

fn histograms(rig: &Rig) -> Outcome {
    let bins = Bins::even(-40.0..60.0, 25)?;
    let mut random = Random::new(9);
    let chunk = usize::try_from(chunk_len::<f32>(rig))?;
    for (len, channels) in [(0, 1), (1, 1), (chunk, 1), (9 * chunk + 5, 1), (3 * 1111, 3), (16, 16)]
    {
        let mut value = || match random.below(9) {
            0 => f32::NAN,
            1 => f32::INFINITY,
            _ => f32::from(u8::try_from(random.below(200)).unwrap_or_default()) / 2.0 - 45.0,
        };
        let values: Vec<f32> = (0..len).map(|_| value()).collect();
        check_histograms(rig, &values, channels, &bins)?;
    }
    let bytes: Vec<u8> = (0..50_000_u32).map(|i| i.wrapping_mul(40_503).to_be_bytes()[2]).collect();
    check_histograms(rig, &bytes, 5, &Bins::even(0..256, 256)?)?;
    let shorts: Vec<f16> = (0..3000_u16).map(|i| f16::from_f32(f32::from(i) / 32.0)).collect();
    check_histograms(rig, &shorts, 4, &bins)?;
    let shorts: Vec<_> = shorts.iter().map(|short| bf16::from_f32(short.to_f32())).collect();
    check_histograms(rig, &shorts, 4, &bins)?;
    let doubles: Vec<_> = (0..3001_u32).map(|i| f64::from(i) / 32.0 - 45.0).collect();
    check_histograms(rig, &doubles, 1, &bins)?;
    // No whole number for each channel, and no channels at all.
    let mut stream = HistogramStream::new(&rig.reducer, 2, &bins, &SMALL)?;
    stream.push(&[1.0_f32, 2.0, 3.0])?;
    let torn = stream.finish().and_then(Pending::wait);
    ensure!(matches!(torn, Err(Error::InvalidView { .. })), "{torn:?}");
    let none = HistogramStream::<f32>::new(&rig.reducer, 0, &bins, &SMALL);
    ensure!(matches!(none, Err(Error::InvalidView { .. })), "no channels");
    let chunks = (0..100_i32).map(|i| [i; 7]);
    let bins = Bins::edges(&[0, 10, 99])?;
    let mut stream = HistogramStream::new(&rig.reducer, 1, &bins, &StreamOptions::default())?;
    chunks.into_iter().try_for_each(|piece| stream.push(&piece))?;
    let all = stream.finish()?.wait()?;
    ensure!(all[0].counts == [70, 630], "{all:?}");
    Ok(())
}

/// Histograms of pieces are those of all elements in one buffer, and have each of them once.
pub(crate) fn check_histograms<T: TestElement>(
    rig: &Rig,
    values: &[T],
    channels: u32,
    bins: &Bins,
) -> Outcome {
    let len = values.len() as u64;
    let mut stream = HistogramStream::new(&rig.reducer, channels, bins, &SMALL)?;
    for piece in cut(values, Random::new(len)) {
        stream.push(piece)?;
    }
    ensure!(stream.len() == len, "{} elements, not {len}", stream.len());
    let found = stream.finish()?.wait()?;
    let whole = rig.reducer.upload(values)?;
    let expected = rig.reducer.bin(&whole, bins).channels(channels).run()?;
    ensure!(found == expected, "{len} elements of {channels} channels: {found:?}");
    let totals: Vec<_> = found.iter().map(Histogram::total).collect();
    let each = len / u64::from(channels);
    ensure!(totals == vec![each; channels as usize], "{len} elements are {totals:?}");
    Ok(())
}

/// Streams and what waits for room in them may be anywhere.
fn may_be_sent(_: impl Send) {}

/// Nobody blocks, and nobody polls the device by hand.
fn awaited(rig: &Rig) -> Outcome {
    let values = i32::data(Shape::Random, 20_000);
    let mut moved = rig.reducer.stream::<i32, _>(Sum, &SMALL)?;
    may_be_sent(moved.push_async(&values));
    may_be_sent(moved);
    let numbers = Mix::Spread.numbers(20_000, &mut Random::new(9));
    let sums = pollster::block_on(async {
        let mut stream = rig.reducer.stream(Sum, &SMALL)?;
        let mut exact = ExactStream::new(&rig.reducer, &SMALL)?;
        for (piece, numbers) in values.chunks(777).zip(numbers.chunks(777)) {
            stream.push_async(piece).await?;
            exact.push_async(numbers).await?;
        }
        Ok::<_, Error>((stream.finish()?.await?, exact.finish()?.await?))
    })?;
    let expected = <Sum as Oracle<i32>>::expected(&values)?;
    ensure!(sums.0 == expected, "{} is not {expected}", sums.0);
    ensure!(sums.1 == numbers.iter().collect::<ExactSum>(), "the exact sum differs");
    Ok(())
}

/// Whoever gives up awaiting room loses nothing, and goes on from the elements that have been taken.
fn given_up(rig: &Rig) -> Outcome {
    let numbers = Mix::Spread.numbers(50_000, &mut Random::new(10));
    let expected: ExactSum = numbers.iter().collect();
    // Nobody else may have anything on this device.
    let reducer = fresh(rig)?;
    let ones = reducer.upload(&[1_u32; 10])?;
    let mut task = Context::from_waker(Waker::noop());
    while_busy(rig, &reducer, |occupy| {
        let mut sums = reducer.stream::<f32, _>(SumExact, &SMALL)?;
        let mut exact = ExactStream::new(&reducer, &SMALL)?;
        let work = occupy();
        let mut turns = 0..;
        let mut was_busy = false;
        while sums.len() < 50_000 || exact.len() < 50_000 {
            let rest = &numbers[usize::try_from(sums.len())?..];
            let is_full = pin!(sums.push_async(rest)).poll(&mut task)?.is_pending();
            let rest = &numbers[usize::try_from(exact.len())?..];
            let are_full = is_full & pin!(exact.push_async(rest)).poll(&mut task)?.is_pending();
            if turns.next() == Some(0) {
                was_busy = work.goes_on();
                ensure!(are_full || !was_busy, "there was room while the device was at work");
            }
            // What is in flight comes to an end meanwhile.
            reducer.sum(&ones)?;
        }
        let lengths = [sums.len(), exact.len()];
        ensure!(lengths == [50_000; 2], "{lengths:?} elements");
        let sum = sums.finish()?.wait()?;
        ensure!(sum.to_bits() == expected.round().to_bits(), "{sum:e}, not {:e}", expected.round());
        ensure!(exact.finish()?.wait()? == expected, "the exact sum differs");
        Ok(was_busy)
    })
}

/// Several streams of one device at once, from threads and in one; and some that are never finished.
fn side_by_side(rig: &Rig) -> Outcome {
    let values = u32::data(Shape::Random, 30_000);
    let expected = <Sum as Oracle<u32>>::expected(&values)?;
    let run = |mut count: usize| {
        let streams = (0..count).map(|_| rig.reducer.stream(Sum, &SMALL));
        let mut streams = streams.collect::<Result<Vec<_>>>()?;
        for piece in values.chunks(1234) {
            streams.iter_mut().try_for_each(|stream| stream.push(piece))?;
            if count > 1 {
                count -= 1;
                streams.truncate(count);
            }
        }
        streams.into_iter().map(|stream| stream.finish().and_then(Pending::wait)).collect()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = [1, 4, 2].map(|count| scope.spawn(move || run(count))).into();
        for thread in threads {
            let sums: Result<Vec<u64>> = thread.join().map_err(|_| "a thread panicked")?;
            let sums = sums?;
            ensure!(sums == [expected], "{sums:?}, not {expected}");
        }
        Ok(())
    })
}

/// What a stream has on the device and for it stays within what is said, however much passes through.
fn memory(rig: &Rig) -> Outcome {
    // Nobody else may have anything on this device.
    let reducer = open(&rig.options)?;
    let allocated =
        || reducer.device().generate_allocator_report().map(|all| all.total_allocated_bytes);
    let Some(before) = allocated() else {
        println!("NOT COVERED: memory of streams on {}, which does not tell", rig.name);
        return Ok(());
    };
    let bound: u64 = 4 << 20;
    let piece = u32::data(Shape::Random, 300_007);
    let mut stream = reducer.stream(Sum, &StreamOptions::new(bound))?;
    let mut most = 0;
    for _ in 0..60 {
        stream.push(&piece)?;
        most = most.max(allocated().unwrap_or(u64::MAX) - before);
    }
    let passed = stream.len() * 4;
    ensure!(passed > 16 * bound && most >= bound, "{most} bytes of {bound} for {passed}");
    ensure!(most <= bound + (1 << 20), "{most} bytes, allowed are {bound}");
    let expected = 60 * <Sum as Oracle<u32>>::expected(&piece)?;
    let sum = stream.finish()?.wait()?;
    ensure!(sum == expected, "{sum}, not {expected}");
    Ok(())
}

/// A stream says what has become of its device, again and again.
fn lost_device(rig: &Rig) -> Outcome {
    let doomed = open(&rig.options)?;
    let values = vec![1_u32; 3000];
    let mut stream = doomed.stream(Sum, &SMALL)?;
    let mut exact = ExactStream::new(&doomed, &SMALL)?;
    stream.push(&values)?;
    exact.push(&[1.0_f32; 3000])?;
    doomed.device().destroy();
    let is_lost = |outcome: &Result<()>| matches!(outcome, Err(Error::DeviceLost { .. }));
    for _ in 0..2 {
        let outcomes = [stream.push(&values), exact.push(&[1.0_f32; 3000])];
        ensure!(outcomes.iter().all(is_lost), "{outcomes:?}");
        let awaited = pollster::block_on(stream.push_async(&values));
        ensure!(is_lost(&awaited), "{awaited:?}");
    }
    let outcomes = [stream.finish().map(|_| ()), exact.finish().map(|_| ())];
    ensure!(outcomes.iter().all(is_lost), "{outcomes:?}");
    let outcome = doomed.stream::<f32, _>(Sum, &SMALL).map(|_| ());
    ensure!(is_lost(&outcome), "{outcome:?}");
    Ok(())
}

/// Whoever waits for something else finds the device gone first: wgpu frees its buffers then, mapped or not. No error reaches
/// the callback for those that nobody has asked for.
fn lost_meanwhile(rig: &Rig) -> Outcome {
    let doomed = open(&rig.options)?;
    let unheard = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&unheard);
    doomed.device().on_uncaptured_error(Arc::new(move |error| {
        println!("uncaptured: {error}");
        count.fetch_add(1, Ordering::Relaxed);
    }));
    let (bins, options) = (Bins::even(0..8, 8)?, StreamOptions::new(16 << 20));
    let values = vec![1_u32; 3000];
    let input = doomed.upload(&values)?;
    let mut sum = doomed.stream(Sum, &options)?;
    let mut exact = ExactStream::new(&doomed, &options)?;
    let mut counts = HistogramStream::new(&doomed, 1, &bins, &options)?;
    let mut unfinished = doomed.stream(Sum, &options)?;
    sum.push(&values)?;
    exact.push(&[1.0_f32; 3000])?;
    counts.push(&values)?;
    unfinished.push(&values)?;
    let other = doomed.reduce(Sum, &input).start()?;
    doomed.device().destroy();
    let is_lost = |outcome: &Result<()>| matches!(outcome, Err(Error::DeviceLost { .. }));
    let waited = other.wait().map(|_| ());
    ensure!(waited.is_ok() || is_lost(&waited), "{waited:?}");
    doomed.device().poll(wgpu::PollType::Poll)?;
    let outcomes = [
        sum.push(&values),
        exact.push(&[1.0_f32; 3000]),
        counts.push(&values),
        unfinished.finish().map(|_| ()),
        doomed.upload(&values).map(|_| ()),
    ];
    ensure!(outcomes.iter().all(is_lost), "{outcomes:?}");
    let unheard = unheard.load(Ordering::Relaxed);
    ensure!(unheard == 0, "{unheard} errors reach the callback");
    Ok(())
}
