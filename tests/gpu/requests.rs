//! Requests: whatever is prepared, batched or left in a buffer gives the bits of `run`.

use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use libtest_mimic::Trial;
use wgpu_reduce::{
    ArgMax, Bins, Closing, CustomOp, Dot, DotExact, ElementKind, Error, ExactSum, GpuBuffer,
    HostWork, Matrix, Max, Mean, MeanExact, Problem, Request, SegmentsTuning, Stats, Sum, SumExact,
    SumOfSquares, View,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "requests::prepared", prepared),
        on_every_rig(rigs, "requests::prepared_reads_anew", prepared_reads_anew),
        on_every_rig(rigs, "requests::prepared_results_stay", prepared_results_stay),
        on_every_rig(rigs, "requests::batches_of_any", batches_of_any),
        on_every_rig(rigs, "requests::refused_batches", refused_batches),
        on_every_rig(rigs, "requests::operators_everywhere", operators_everywhere),
        on_every_rig(rigs, "requests::plans", plans),
        on_every_rig(rigs, "requests::results_that_are_never_made", results_that_are_never_made),
    ]
    .into_iter()
    .flatten()
    .collect()
}

const LEN: usize = 60_000;

/// Numbers of both signs, with halves that round.
fn numbers(seed: u32) -> Vec<f32> {
    let number = |index: u32| {
        let mixed = (index ^ seed).wrapping_mul(2_654_435_761) >> 8;
        f32::from(u16::try_from(mixed & 0xffff).unwrap_or(0)) * 0.37 - 12_000.0
    };
    (0..u32::try_from(LEN).unwrap_or(0)).map(number).collect()
}

/// What a request runs to, and what it runs to once prepared: one after another, and several on their way.
fn same<W: HostWork>(name: &str, request: &Request<W>) -> Outcome
where
    W::Output: PartialEq + std::fmt::Debug + Send + 'static,
{
    let expected = request.run()?;
    let prepared = request.prepare()?;
    for turn in 0..3 {
        let result = prepared.run()?;
        ensure!(result == expected, "{name}, run {turn}: {result:?} is not {expected:?}");
    }
    let pending = (0..4).map(|_| prepared.start()).collect::<Result<Vec<_>, _>>()?;
    drop(prepared);
    // The last first: each has a result of its own.
    for (turn, pending) in pending.into_iter().enumerate().rev() {
        let result = pending.wait()?;
        ensure!(result == expected, "{name}, {turn} in flight: {result:?} is not {expected:?}");
    }
    Ok(())
}

/// Every shape.
fn prepared(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&numbers(1))?;
    let y = reducer.upload(&numbers(2))?;
    let offsets = reducer.upload(&[0_u32, 5, 5, 40_000, 59_999])?;
    // With so many keys the number of runs comes back first, unless they are prepared.
    let count = if reducer.caps().max_binding_bytes < 1 << 20 { 700 } else { 50_000 };
    let keys: Vec<u32> =
        (0..count).map(|index| u32::try_from(index / 50)).collect::<Result<_, _>>()?;
    let (few, keys) = (reducer.upload(&numbers(3)[..count])?, reducer.upload(&keys)?);
    let matrix = Matrix { rows: 300, columns: 200 };
    let bins = Bins::even(-12_000.0_f32..12_000.0, 64)?;

    same("sum", &reducer.reduce(Sum, &x))?;
    same("stats", &reducer.reduce(Stats::default(), &x))?;
    same("dot", &reducer.reduce(Dot, (&x, &y)))?;
    same("sum_exact", &reducer.reduce(SumExact, &x))?;
    same("mean_exact", &reducer.reduce(MeanExact, &x))?;
    same("dot_exact", &reducer.reduce(DotExact, (&x, &y)))?;
    same("unrounded", &reducer.reduce(SumExact, &x).unrounded())?;
    same("rows", &reducer.reduce(ArgMax, &x).rows(matrix))?;
    same("columns", &reducer.reduce(Mean, &x).columns(matrix))?;
    same("along", &reducer.reduce(SumExact, &x).along(View::new(&[30, 40, 50])?, 1))?;
    same("segments", &reducer.reduce(SumOfSquares, &x).segments(&offsets))?;
    same("runs", &reducer.reduce(Sum, &few).runs(&keys))?;
    same("histogram", &reducer.bin(&x, &bins))?;
    same("weights", &reducer.bin(&x, &bins).weights(&y))?;
    same("empty", &reducer.reduce(Sum, &reducer.upload::<f32>(&[])?))
}

/// Each run reads what its input holds when it is started.
fn prepared_reads_anew(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&vec![1_u32; LEN])?;
    let sum = reducer.reduce(Sum, &x).prepare()?;
    let mut pending = Vec::new();
    for value in 1..=5_u32 {
        reducer.write(&x, &vec![value; LEN])?;
        pending.push((value, sum.start()?));
    }
    for (value, pending) in pending {
        let (found, expected) = (pending.wait()?, u64::from(value) * LEN as u64);
        ensure!(found == expected, "{found} of the {value}s is not {expected}");
    }
    Ok(())
}

/// In a buffer of the caller's, by `start` and by `encode`; and an encoder needs such a buffer.
fn prepared_results_stay(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&vec![7_u32; LEN])?;
    let total: GpuBuffer<u64> = reducer.alloc(1)?;
    let sum = reducer.reduce(Sum, &x).output(&total).prepare()?;
    sum.start()?.wait()?;
    let found = total.download(reducer)?;
    ensure!(found == [7 * LEN as u64], "{found:?}");

    reducer.write(&x, &vec![9_u32; LEN])?;
    let mut encoder =
        reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    sum.encode(&mut encoder)?;
    reducer.queue().submit([encoder.finish()]);
    let found = total.download(reducer)?;
    ensure!(found == [9 * LEN as u64], "{found:?}");

    let mut encoder =
        reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let refused = reducer.reduce(Sum, &x).prepare()?.encode(&mut encoder);
    ensure!(matches!(refused, Err(Error::InvalidBuffer { .. })), "{refused:?}");

    let rows = reducer.reduce(Max, &x).rows(Matrix { rows: 300, columns: 200 });
    let largest: GpuBuffer<u32> = reducer.alloc(300)?;
    let prepared = rows.clone().output(&largest).prepare()?;
    for _ in 0..2 {
        prepared.run()?;
    }
    ensure!(largest.download(reducer)? == rows.run()?, "rows of nines");
    let refused = rows.output(&x).prepare();
    ensure!(refused.is_err(), "results over elements that are still to be read");
    Ok(())
}

/// Batches of one kind and of many, of every shape.
fn batches_of_any(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&numbers(3))?;
    let y = reducer.upload(&numbers(4))?;
    let offsets = reducer.upload(&[0_u32, 100, 30_000])?;
    let matrix = Matrix { rows: 200, columns: 300 };
    let bins = Bins::even(-12_000.0_f32..12_000.0, 16)?;
    let (dot, exact) = (reducer.reduce(Dot, (&x, &y)), reducer.reduce(SumExact, &x));
    let rows = reducer.reduce(Max, &x).rows(matrix);
    let parts = reducer.reduce(Mean, &y).segments(&offsets);
    let expected = (dot.run()?, exact.run()?, rows.run()?, parts.run()?);
    let found = reducer.batch((dot, exact, rows, parts)).run()?;
    ensure!(found == expected, "{found:?} is not {expected:?}");

    let (counts, merged) = (reducer.bin(&x, &bins), reducer.reduce(SumExact, &y).unrounded());
    let expected = counts.run()?;
    let found = reducer.batch((counts, merged)).run()?;
    let mut sums = ExactSum::new();
    sums.add_slice(&numbers(4));
    ensure!(found == (expected, sums), "a histogram and an exact sum: {found:?}");

    let many: Vec<_> =
        (0..8).map(|_| reducer.reduce(SumOfSquares, &x).segments(&offsets)).collect();
    let alone = reducer.reduce(SumOfSquares, &x).segments(&offsets).run()?;
    let found = reducer.batch(many).run()?;
    ensure!(found.len() == 8 && found.iter().all(|one| *one == alone), "{found:?}");

    let largest = (reducer.max(&x)?.to_bits(), reducer.max(&y)?.to_bits());
    let timed = (reducer.reduce(Max, &x).timed(), reducer.reduce(Max, &y));
    let (first, second) = reducer.batch(timed).run()?;
    ensure!((first.value.to_bits(), second.to_bits()) == largest, "{first:?}, {second}");
    let none: Vec<Request<_>> = vec![reducer.reduce(Sum, &x)].into_iter().skip(1).collect();
    ensure!(reducer.batch(none).run()?.is_empty(), "a result of no requests");
    Ok(())
}

/// One bad request fails all.
fn refused_batches(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&numbers(5))?;
    let offsets = reducer.upload(&[0_u32, 1])?;
    let bad = Matrix { rows: 700, columns: 700 };
    let batch = (reducer.reduce(Sum, &x), reducer.reduce(Sum, &x).rows(bad));
    ensure!(reducer.batch(batch).run().is_err(), "a matrix larger than the buffer");
    let wrong = reducer.upload(&[0_u32, 99_999])?;
    let batch = [&offsets, &wrong].map(|offsets| reducer.reduce(Sum, &x).segments(offsets));
    let refused = reducer.batch(batch).run();
    ensure!(matches!(refused, Err(Error::InvalidOffsets { .. })), "{refused:?}");
    Ok(())
}

/// Numbers modulo 65 521 under x ↦ a·x + b, whose order matters.
const AFFINE: &str = "
fn map(digit: u32, index: u32) -> vec2<u32> { return vec2<u32>(10u, digit % 65521u); }
fn combine(left: vec2<u32>, right: vec2<u32>) -> vec2<u32> {
    return vec2<u32>((left.x * right.x) % 65521u, (left.y * right.x + right.y) % 65521u);
}
fn finish(total: vec2<u32>) -> u32 { return total.y; }";

fn affine(digits: &[u32]) -> u32 {
    digits.iter().fold(0, |total, digit| (total * 10 + digit % 65_521) % 65_521)
}

/// Wherever an operation goes, an operator of the user's goes, prepared and in batches, too.
fn operators_everywhere(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let op = CustomOp::<u32, [u32; 2], u32>::new(AFFINE, [1, 0])?;
    let digits: Vec<u32> = (0..6000_u32).map(|index| index.wrapping_mul(40_503) % 10).collect();
    let x = reducer.upload(&digits)?;
    let offsets = [0_u32, 3, 3, 2500, 6000];
    let by = reducer.upload(&offsets)?;
    let (whole, rows) =
        (reducer.reduce(&op, &x), reducer.reduce(&op, &x).rows(Matrix { rows: 60, columns: 100 }));
    let parts = reducer.reduce(&op, &x).segments(&by);
    let expected = (
        affine(&digits),
        digits.chunks(100).map(affine).collect::<Vec<_>>(),
        offsets
            .windows(2)
            .map(|ends| affine(&digits[ends[0] as usize..ends[1] as usize]))
            .collect::<Vec<_>>(),
    );
    for found in [
        (whole.run()?, rows.run()?, parts.run()?),
        (whole.prepare()?.run()?, rows.prepare()?.run()?, parts.prepare()?.run()?),
        reducer.batch((whole, rows, parts)).run()?,
    ] {
        ensure!(found == expected, "{found:?} is not {expected:?}");
    }
    Ok(())
}

/// A plan of a request is that of its problem.
fn plans(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&numbers(6))?;
    let offsets = reducer.upload(&[0_u32, 100, 30_000])?;
    let (whole, parts) =
        (reducer.reduce(Mean, &x).plan()?, reducer.reduce(Mean, &x).segments(&offsets).plan()?);
    let (caps, len) = (reducer.caps(), LEN as u64);
    let problem = || Problem::new::<f32, _>(&Mean, ElementKind::F32, len);
    ensure!(whole == problem().plan(&caps)?, "{whole}");
    let view = Matrix { rows: 300, columns: 200 };
    let rows = reducer.reduce(Mean, &x).rows(view).plan()?;
    ensure!(rows == problem().along(view, 1).plan(&caps)?, "{rows}");
    ensure!(parts == problem().segments(2).plan(&caps)?, "{parts}");

    // What stays on the device is not the sum whose digits the host puts together.
    let total: GpuBuffer<f32> = reducer.alloc(1)?;
    let exact = reducer.reduce(SumExact, &x);
    let (host, device) = (exact.plan()?, exact.clone().output(&total).plan()?);
    ensure!(host.tuning != device.tuning, "{host} and {device}");

    // Few segments are closed by a pass, whatever a tuning says.
    let tuning = SegmentsTuning {
        workgroup_size: 32,
        closing: Closing::Pass,
        ..SegmentsTuning::for_element(&reducer.caps(), ElementKind::F32)
    };
    let tuned = reducer.reduce(Mean, &x).segments(&offsets).tuned(tuning).plan()?;
    ensure!(tuned.tuning == tuning.into(), "{tuned}");
    Ok(())
}

/// A counted input is planned without a buffer, and a wrong request is refused before its results are made room for.
fn results_that_are_never_made(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&numbers(7))?;
    let count = reducer.upload(&[12_u32])?;
    let counted = reducer.reduce(Max, &x).counted(&count);
    let total: GpuBuffer<f32> = reducer.alloc(1)?;
    let (plan, left) = (counted.plan()?, counted.clone().output(&total).plan());
    ensure!(plan.results == 1 && left.is_ok_and(|left| left == plan), "{plan}");

    // What one run tells its pass is not what another reads.
    let values: Vec<f32> = x.download(reducer)?;
    let most = |count: usize| values[..count].iter().copied().fold(f32::MIN, f32::max);
    let prepared = counted.clone().output(&total).prepare()?;
    for len in [12_usize, 3, 5000, 1] {
        reducer.write(&count, &[u32::try_from(len).expect("it is short")])?;
        let mut encoder =
            reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        prepared.encode(&mut encoder)?;
        prepared.encode(&mut encoder)?;
        reducer.queue().submit([encoder.finish()]);
        prepared.run()?;
        let len = len.min(values.len());
        ensure!(total.download(reducer)? == [most(len)], "the first {len}");
    }

    let bins = Bins::even(-12_000.0_f32..12_000.0, 64)?;
    let refused = reducer.bin(&x, &bins).channels(u32::MAX).to_buffer();
    ensure!(matches!(refused, Err(Error::InvalidView { .. })), "{refused:?}");
    Ok(())
}
