//! Many calls at once: from threads, and in flight.

use crate::harness::rig::open;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use std::time::Duration;
use wgpu_reduce::{AdapterClass, GpuBuffer, GpuReducer, Operation, Sum};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "concurrency::threads", threads),
        on_every_rig(rigs, "concurrency::in_flight", in_flight),
        on_every_rig(rigs, "concurrency::awaited", awaited),
        on_every_rig(rigs, "concurrency::dropped", dropped),
        on_every_rig(rigs, "concurrency::crowded", crowded),
        on_every_rig(rigs, "timing::timed", timed),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Eight threads share a reducer that has compiled nothing yet.
fn threads(rig: &Rig) -> Outcome {
    let fresh = open(&rig.options)?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8_u64)
            .map(|thread| {
                let reducer = fresh.clone();
                scope.spawn(move || work(&reducer, thread))
            })
            .collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err("a thread panicked".into()))
        })
    })
}

fn work(reducer: &GpuReducer, thread: u64) -> Outcome {
    for round in 0..12 {
        let len = 1 + thread * 977 + round * 4093;
        let (ints, words) = (i32::data(Shape::Random, len), u32::data(Shape::Extreme, len));
        let (ints_gpu, words_gpu) = (reducer.upload(&ints)?, reducer.upload(&words)?);
        let sums = (reducer.sum(&ints_gpu)?, reducer.sum(&words_gpu)?);
        let expected =
            (Operation::<i32>::on_cpu(&Sum, &ints)?, Operation::<u32>::on_cpu(&Sum, &words)?);
        ensure!(sums == expected, "thread {thread}, {len}: {sums:?}, not {expected:?}");
    }
    Ok(())
}

/// A hundred sums in flight, waited for in reverse.
fn in_flight(rig: &Rig) -> Outcome {
    let buffer = rig.reducer.upload(&u32::data(Shape::Constant, 100))?;
    let pending = (0..=100)
        .map(|len| rig.reducer.reduce(Sum, buffer.slice(..len)?).start())
        .collect::<Result<Vec<_>, _>>()?;
    for (len, sum) in pending.into_iter().enumerate().rev() {
        let sum = sum.wait()?;
        ensure!(sum == len as u64 * 7, "{len} elements: {sum}");
    }
    Ok(())
}

/// Sums by `await`, on several threads, nobody polling the device by hand.
fn awaited(rig: &Rig) -> Outcome {
    let buffer = rig.reducer.upload(&u32::data(Shape::Constant, 100_000))?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let pending = (0..10)
                        .map(|_| rig.reducer.reduce(Sum, &buffer).start())
                        .collect::<Result<Vec<_>, _>>()?;
                    for sum in pending {
                        let sum = pollster::block_on(sum)?;
                        ensure!(sum == 700_000, "{sum}");
                    }
                    Ok::<(), Failed>(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err("a thread panicked".into()))
        })
    })
}

/// Results nobody waits for, and a reducer dropped before its result is read.
fn dropped(rig: &Rig) -> Outcome {
    let buffer = rig.reducer.upload(&[1_u32, 2, 3])?;
    for _ in 0..20 {
        drop(rig.reducer.reduce(Sum, &buffer).start()?);
    }
    let short_lived = open(&rig.options)?;
    let pending = short_lived.reduce(Sum, &short_lived.upload(&[4_u32, 5])?).start()?;
    drop(short_lived);
    let sum = pending.wait()?;
    ensure!(sum == 9, "{sum}");
    Ok(())
}

/// Two devices, four threads on each, and from each thread many reductions in flight whose workgroups hand over to
/// each other: as crowded as a GPU gets. Workgroups that wait for others that cannot start meanwhile would wait
/// for ever, which the deadline tells.
fn crowded(rig: &Rig) -> Outcome {
    let is_gpu = rig.reducer.caps().class == AdapterClass::Gpu;
    let (rounds, in_flight) = if is_gpu { (100, 64) } else { (2, 6) };
    let len = 1 << 19;
    let words = u32::data(Shape::Random, len);
    let sums = words.iter().scan(0_u64, |sum, &word| {
        *sum += u64::from(word);
        Some(*sum)
    });
    let sums: Vec<u64> = sums.collect();
    let devices = [rig.options.clone(), rig.options.clone()].map(|options| {
        let fresh = open(&options)?;
        let reducer = fresh.with_deadline(Duration::from_secs(120));
        let buffer = reducer.upload(&words)?;
        Ok::<_, Failed>((reducer, buffer))
    });
    let devices = devices.into_iter().collect::<Result<Vec<_>, _>>()?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8_usize)
            .map(|thread| {
                let ((reducer, buffer), sums) = (&devices[thread % 2], &sums);
                scope.spawn(move || {
                    (0..rounds).try_for_each(|round| {
                        let seed = (thread * rounds + round) * in_flight;
                        crowd(reducer, buffer, sums, seed..seed + in_flight)
                    })
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err("a thread panicked".into()))
        })
    })
}

/// Sums in flight of the first elements, a number of them for each seed.
fn crowd(
    reducer: &GpuReducer,
    buffer: &GpuBuffer<u32>,
    sums: &[u64],
    seeds: std::ops::Range<usize>,
) -> Outcome {
    let lengths = seeds.map(|seed| 1 + (seed.wrapping_mul(0x9E37_79B1) >> 4) % sums.len());
    let pending = lengths.map(|len| {
        let slice = buffer.slice(..len as u64)?;
        Ok((len, reducer.reduce(Sum, slice).start()?))
    });
    for (len, sum) in pending.collect::<Result<Vec<_>, Failed>>()? {
        let (sum, expected) = (sum.wait()?, sums[len - 1]);
        ensure!(sum == expected, "{len} elements: {sum} instead of {expected}");
    }
    Ok(())
}

/// A timed sum has the same value, and a time where the device has timestamps.
fn timed(rig: &Rig) -> Outcome {
    let buffer = rig.reducer.upload(&i32::data(Shape::Random, 300_000))?;
    let plain = rig.reducer.sum(&buffer)?;
    let timed = rig.reducer.reduce(Sum, &buffer).timed().start()?.wait()?;
    ensure!(timed.value == plain, "{} is not {plain}", timed.value);
    let features = rig.reducer.device().features();
    let has_timestamps = features.contains(wgpu::Features::TIMESTAMP_QUERY);
    ensure!(has_timestamps || timed.gpu_ns.is_none(), "a time from nowhere: {timed:?}");
    // Devices may return no time now and then; those known here do not.
    let known = ["llvmpipe", "SwiftShader", "NVIDIA"].iter().any(|name| rig.name.contains(name));
    ensure!(timed.gpu_ns.is_some() || !(has_timestamps && known), "no time: {timed:?}");
    ensure!(timed.gpu_ns.is_none_or(|ns| ns > 0.0 && ns < 60e9), "{timed:?}");
    Ok(())
}
