//! `Options::max_memory_bytes`: no more is allocated, what would be is told, and all works as ever below it.

use crate::harness::{Outcome, Rig, ensure, on_every_rig, rig};
use libtest_mimic::Trial;
use wgpu_reduce::{Bins, Error, GpuBuffer, Matrix, StreamOptions, Sum};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, test) in [
        ("max_memory::is_kept_to", kept_to as fn(&Rig) -> Outcome),
        ("max_memory::is_told_of_every_request", told),
        ("max_memory::is_enough_for_large_reads", large_reads),
        ("max_memory::is_shared_by_clones", shared),
        ("max_memory::counts_what_prepared_requests_keep", prepared),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    trials
}

const LIMIT: u64 = 4 << 20;

/// What a reducer takes that nobody sees, once all that is kept for the next call is gone.
const UNSEEN: u64 = 4 << 10;

/// Buffers come and go in any order, with reductions between them, and what is left is told to the byte.
fn kept_to(rig: &Rig) -> Outcome {
    let reducer = rig::open(&rig.options.clone().max_memory_bytes(LIMIT))?;
    let mut live: Vec<GpuBuffer<u32>> = Vec::new();
    let (mut state, mut refused, mut sums) = (1_u64, 0, 0);
    let mut next = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for step in 0..150 {
        let used: u64 = live.iter().map(|buffer| buffer.as_wgpu().size()).sum();
        ensure!(used <= LIMIT, "{used} bytes at step {step}");
        match next(3) {
            0 if !live.is_empty() => {
                let index = usize::try_from(next(live.len() as u64))?;
                live.swap_remove(index);
            }
            1 if !live.is_empty() => {
                let buffer = &live[usize::try_from(next(live.len() as u64))?];
                match reducer.sum(buffer) {
                    Ok(sum) => {
                        ensure!(sum == 0, "{sum} at step {step}");
                    }
                    // There may be nothing left for the way to the result.
                    Err(Error::OutOfMemory { bytes, available_bytes: Some(left) }) => {
                        ensure!(left < bytes, "{bytes} are refused, of {left}");
                    }
                    Err(error) => return Err(error.into()),
                }
                sums += 1;
            }
            _ => {
                let bytes = 4 * (1 + next(400_000));
                match reducer.alloc(bytes / 4) {
                    Ok(buffer) => live.push(buffer),
                    Err(Error::OutOfMemory { bytes: asked, available_bytes: Some(left) }) => {
                        ensure!(asked == bytes && left < bytes, "{asked} of {bytes}, {left} left");
                        let free = LIMIT - used;
                        ensure!(left <= free && free - left <= UNSEEN, "{left} left of {free}");
                        refused += 1;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
    ensure!(refused > 5 && sums > 5, "{refused} refused, {sums} sums");
    drop(live);
    let all = reducer.alloc::<u8>(LIMIT - UNSEEN)?;
    ensure!(all.len() == LIMIT - UNSEEN, "{all:?}");
    Ok(())
}

/// Whatever is asked for that needs more, and then what does not.
fn told(rig: &Rig) -> Outcome {
    let len = 1 << 18;
    let reducer = rig::open(&rig.options.clone().max_memory_bytes(LIMIT))?;
    let ones = reducer.upload(&vec![1_u32; len])?;
    let (each, keys) = (Matrix { rows: len as u64, columns: 1 }, reducer.alloc::<u32>(1 << 10)?);
    let options = StreamOptions::new(64 << 20);
    let bins = Bins::even(0.0..1_048_576.0, 1 << 20)?;
    // What a tight device has no binding for is told otherwise.
    let caps = reducer.caps();
    for (what, outcome) in [
        ("an upload", reducer.upload(&vec![1_u32; 1 << 20]).map(drop)),
        ("a write", {
            let target = reducer.alloc(700_000)?;
            reducer.write(&target, &vec![1_u32; 700_000])
        }),
        ("rows", reducer.reduce(Sum, &ones).rows(each).run().map(drop)),
        ("rows to a buffer", {
            let _more = reducer.alloc::<u8>(3 << 19)?;
            reducer.reduce(Sum, &ones).rows(each).to_buffer().map(drop)
        }),
        ("a download", {
            let more = reducer.alloc::<u32>(600_000)?;
            reducer.read(&more).and_then(wgpu_reduce::Pending::wait).map(drop)
        }),
        ("a stream", reducer.stream::<u32, _>(Sum, &options).map(drop)),
        ("a histogram", reducer.bin(&ones, &bins).run().map(drop)),
    ] {
        match outcome {
            Err(Error::OutOfMemory { bytes, available_bytes: Some(left) }) => {
                ensure!(left < bytes && left <= LIMIT, "{what}: {bytes} are refused, of {left}");
            }
            Err(Error::BufferTooLarge { .. } | Error::Unsupported { .. }) if rig.is_tight => {}
            outcome => return Err(format!("{what} on {caps:?}: {outcome:?}").into()),
        }
        ensure!(reducer.sum(&ones)? == len as u64, "after {what}");
        ensure!(reducer.sum(&keys)? == 0, "after {what}");
    }
    Ok(())
}

/// Memory that is kept for reading is larger than what is read, unless there is not so much.
fn large_reads(rig: &Rig) -> Outcome {
    const BYTES: usize = 33 << 20;
    let reducer = rig::open(&rig.options.clone().max_memory_bytes(70 << 20))?;
    let bytes: Vec<u8> = (0..=250).cycle().take(BYTES).collect();
    let buffer: GpuBuffer<u8> = match reducer.alloc(BYTES as u64) {
        Err(Error::BufferTooLarge { .. }) if rig.is_tight => return Ok(()),
        buffer => buffer?,
    };
    // By pieces, as a write needs as much again.
    for (first, piece) in (0..).step_by(1 << 20).zip(bytes.chunks(1 << 20)) {
        reducer.write(buffer.slice(first..)?, piece)?;
    }
    for _ in 0..2 {
        ensure!(buffer.download(&reducer)? == bytes, "other bytes came back");
    }
    Ok(())
}

/// Bins of many widths need a table of their edges, and as many of one width need none.
fn prepared(rig: &Rig) -> Outcome {
    const COUNT: u32 = 1 << 10;
    let even = Bins::even(0..1 << 16, COUNT)?;
    let uneven: Vec<u32> = (0..=COUNT).map(|edge| 64 * edge + edge % 2).collect();
    let mut left = Vec::new();
    for bins in [even, Bins::edges(&uneven)?] {
        let reducer = rig::open(&rig.options.clone().max_memory_bytes(LIMIT))?;
        let input = reducer.upload(&[1_u32; 4])?;
        let kept = reducer.bin(&input, &bins).prepare()?;
        match reducer.alloc::<u8>(LIMIT) {
            Err(Error::OutOfMemory { available_bytes: Some(bytes), .. }) => left.push(bytes),
            outcome => return Err(format!("{outcome:?}").into()),
        }
        ensure!(kept.run()?.counts[0] == 4, "counted where no more is left");
    }
    let table = u64::from(COUNT) * 4;
    ensure!(left[0] >= left[1] + table, "{left:?} are left, of {LIMIT}");
    Ok(())
}

fn shared(rig: &Rig) -> Outcome {
    let reducer = rig::open(&rig.options.clone().max_memory_bytes(LIMIT))?;
    let clone = reducer.clone();
    let most = reducer.alloc::<u8>(LIMIT - UNSEEN)?;
    let again = most.clone();
    drop(most);
    let refused = clone.alloc::<u8>(UNSEEN + 4);
    ensure!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
    drop(again);
    ensure!(clone.alloc::<u8>(LIMIT - UNSEEN).is_ok(), "there is room again");
    let other = rig::open(&rig.options)?;
    ensure!(other.alloc::<u8>(2 * LIMIT).is_ok() || rig.is_tight, "another reducer has no limit");
    Ok(())
}
