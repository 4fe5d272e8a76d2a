//! Devices that are slow, full, shared or gone, and callers that do not wait: whatever happens ends, in an error or
//! in the right result, and leaves nothing behind.

use crate::busy::{Busy, Work, until_busy};
use crate::errors::bare_device;
use crate::harness::rig::{DEADLINE, open};
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use std::io::{BufRead, BufReader};
use std::pin::{Pin, pin};
use std::process::{Command, Stdio};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use wgpu_reduce::{
    AdapterClass, CustomOp, Error, ExactStream, ExactSum, GpuBuffer, GpuReducer, Stats,
    StreamOptions, Sum, SumExact,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "faults::deadlines", deadlines),
        on_every_rig(rigs, "faults::hasty_behind_patient", hasty_behind_patient),
        on_every_rig(rigs, "faults::device_lost_in_flight", device_lost_in_flight),
        on_every_rig(rigs, "faults::device_lost_by_another_thread", device_lost_by_another_thread),
        on_every_rig(rigs, "faults::loss_is_awaited", loss_is_awaited),
        on_every_rig(rigs, "faults::dropped_in_flight", dropped_in_flight),
        on_every_rig(rigs, "faults::dropped_while_busy", dropped_while_busy),
        on_every_rig(rigs, "faults::two_reducers_of_one_device", two_reducers_of_one_device),
        on_every_rig(rigs, "faults::bare_devices", bare_devices),
        on_every_rig(rigs, ENDLESS, endless_loop),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A device of the rig's that nobody else has anything on.
pub(crate) fn fresh(rig: &Rig) -> Result<GpuReducer, Failed> {
    Ok(open(&rig.options)?)
}

/// Tries a call while the device is at work on something else, until that goes on when the call has returned. Each try is told
/// how to occupy the device, and says whether it still was. A device that does all work where it is handed over is tried once.
pub(crate) fn while_busy(
    rig: &Rig,
    reducer: &GpuReducer,
    mut attempt: impl FnMut(&dyn Fn() -> Work) -> Result<bool, Failed>,
) -> Outcome {
    let busy = Busy::new(reducer.device(), reducer.queue());
    let attempt =
        |loops| Ok::<_, Failed>(attempt(&|| busy.occupy(loops))? || !rig.is_asynchronous());
    ensure!(until_busy(attempt)?, "{} is always done when a call returns", rig.name);
    Ok(())
}

/// Whoever waits with a deadline is told when it has passed; the device goes on.
fn deadlines(rig: &Rig) -> Outcome {
    let reducer = fresh(rig)?;
    let input = reducer.upload(&vec![3_i32; 4 << 20])?;
    let hasty = reducer.with_deadline(Duration::ZERO);
    let patient = reducer.with_deadline(Duration::from_secs(600));
    // Compilers have no deadline.
    let expected = reducer.reduce(Stats::default(), &input).start()?.wait()?;
    // A device that was quick enough has answered in time.
    let check = |work: &Work, outcome: &wgpu_reduce::Result<_>, what| {
        let is_busy = work.goes_on();
        let is_right = match outcome {
            Ok(stats) => *stats == expected && !is_busy,
            Err(error) => *error == Error::Timeout,
        };
        ensure!(is_right, "{what}: {outcome:?}, at work: {is_busy}");
        Ok(is_busy)
    };
    while_busy(rig, &reducer, |occupy| {
        let work = occupy();
        check(&work, &hasty.reduce(Stats::default(), &input).start()?.wait(), "waited")
    })?;
    while_busy(rig, &reducer, |occupy| {
        let work = occupy();
        check(
            &work,
            &pollster::block_on(hasty.reduce(Stats::default(), &input).start()?),
            "awaited",
        )
    })?;
    while_busy(rig, &reducer, |occupy| {
        let work = occupy();
        let mut pending = reducer.reduce(Stats::default(), &input).start()?;
        let early = pending.wait_timeout(Duration::ZERO)?;
        let is_busy = work.goes_on();
        ensure!(early.is_none_or(|stats| stats == expected && !is_busy), "early: {early:?}");
        if early.is_none() {
            ensure!(pending.wait()? == expected, "after a timeout");
        }
        Ok(is_busy)
    })?;
    while_busy(rig, &reducer, |occupy| {
        let work = occupy();
        let mut pending = hasty.reduce(Stats::default(), &input).start()?;
        let outcome = match pending.wait_timeout(Duration::from_secs(600)) {
            Ok(Some(stats)) => Ok(stats),
            Ok(None) => return Err("the deadline was no error".into()),
            Err(error) => Err(error),
        };
        check(&work, &outcome, "waited for long")
    })?;
    let stats = [
        patient.reduce(Stats::default(), &input).start()?.wait()?,
        pollster::block_on(patient.reduce(Stats::default(), &input).start()?)?,
    ];
    ensure!(stats == [expected; 2], "{stats:?} are not {expected:?}");
    while_busy(rig, &reducer, |occupy| {
        // There is room for two chunks.
        let mut stream = hasty.stream(Sum, &StreamOptions::new(4096))?;
        let work = occupy();
        let outcome = (0..20).try_for_each(|_| stream.push(&[1_i32; 100]));
        let is_busy = work.goes_on();
        let is_right = outcome == Err(Error::Timeout) || outcome.is_ok() && !is_busy;
        ensure!(is_right, "pushed: {outcome:?}, at work: {is_busy}");
        let finished = stream.finish().map(|_| ());
        ensure!(finished == outcome, "finished: {finished:?}");
        Ok(is_busy)
    })
}

/// A future with a deadline is told in time though others are waited for that have none.
fn hasty_behind_patient(rig: &Rig) -> Outcome {
    // Without a deadline.
    let reducer = pollster::block_on(GpuReducer::request(&rig.options))?;
    let input = reducer.upload(&vec![3_i32; 4 << 20])?;
    let expected = reducer.reduce(Stats::default(), &input).start()?.wait()?;
    let hasty = reducer.with_deadline(Duration::from_millis(1));
    while_busy(rig, &reducer, |occupy| {
        let work = occupy();
        let mut patient = pin!(reducer.reduce(Stats::default(), &input).start()?);
        let mut nobody = Context::from_waker(Waker::noop());
        let mut told = poll_once(patient.as_mut(), &mut nobody);
        let outcome = pollster::block_on(hasty.reduce(Stats::default(), &input).start()?);
        told = told.or_else(|| poll_once(patient.as_mut(), &mut nobody));
        let is_busy = work.goes_on();
        let is_right = match &outcome {
            Ok(stats) => *stats == expected && !is_busy,
            Err(error) => *error == Error::Timeout,
        };
        ensure!(is_right, "hasty: {outcome:?}, at work: {is_busy}");
        ensure!(told.is_none() || !is_busy, "told before the device was done: {told:?}");
        let stats = match told {
            Some(outcome) => outcome?,
            None => pollster::block_on(patient)?,
        };
        ensure!(stats == expected, "{stats:?} are not {expected:?}");
        Ok(is_busy)
    })
}

/// What a future has by now.
fn poll_once<F: Future>(future: Pin<&mut F>, context: &mut Context<'_>) -> Option<F::Output> {
    match future.poll(context) {
        Poll::Ready(outcome) => Some(outcome),
        Poll::Pending => None,
    }
}

/// What was on its way either made it or is reported lost, by whichever way somebody waits.
fn device_lost_in_flight(rig: &Rig) -> Outcome {
    for waits_first in [false, true] {
        let doomed = fresh(rig)?;
        let input = doomed.upload(&vec![1_u32; 2 << 20])?;
        let first = doomed.reduce(Sum, &input).start()?;
        if waits_first {
            first.wait()?;
        }
        let pending = (0..6).map(|_| doomed.reduce(Sum, &input).start());
        let pending = pending.collect::<wgpu_reduce::Result<Vec<_>>>()?;
        let exact = doomed
            .reduce(SumExact, &doomed.upload(&vec![1.0_f32; 100_000])?)
            .unrounded()
            .start()?;
        doomed.device().destroy();
        for (turn, pending) in pending.into_iter().enumerate() {
            let outcome = if turn % 2 == 0 { pending.wait() } else { pollster::block_on(pending) };
            let fine = matches!(outcome, Ok(2_097_152) | Err(Error::DeviceLost { .. }));
            ensure!(fine, "in flight: {outcome:?}");
        }
        let outcome = exact.wait().map(|sum| sum.round());
        ensure!(
            outcome == Ok(100_000.0) || matches!(outcome, Err(Error::DeviceLost { .. })),
            "in flight: {outcome:?}"
        );
        let outcome = doomed.reduce(Sum, &input).start().map(|_| ());
        ensure!(matches!(outcome, Err(Error::DeviceLost { .. })), "after: {outcome:?}");
    }
    Ok(())
}

/// While calls go on, at any moment.
fn device_lost_by_another_thread(rig: &Rig) -> Outcome {
    for delay_us in [0, 200, 1000, 5000] {
        let doomed = fresh(rig)?;
        let input = doomed.upload(&vec![1_u32; 100_000])?;
        doomed.sum(&input)?;
        let calls = std::thread::scope(|scope| {
            let device = doomed.device().clone();
            scope.spawn(move || {
                std::thread::sleep(Duration::from_micros(delay_us));
                device.destroy();
            });
            let workers: Vec<_> =
                (0..3).map(|_| scope.spawn(|| call_until_lost(&doomed, &input))).collect();
            workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Vec<_>>()
        });
        for call in calls {
            call.map_err(|_| "a thread panicked")??;
        }
    }
    Ok(())
}

/// By a thread that does nothing else: of a device of this crate's, of a caller's, and of one whose callback is a caller's.
fn loss_is_awaited(rig: &Rig) -> Outcome {
    let (own, deaf) = (fresh(rig)?, fresh(rig)?);
    let (device, queue) = (own.device().clone(), own.queue().clone());
    let borrowed = GpuReducer::from_wgpu(device, queue)?.with_deadline(DEADLINE);
    deaf.device().set_device_lost_callback(|_, _| {});
    let waiting = [&own, &borrowed, &deaf].map(|reducer| {
        let lost = reducer.lost();
        std::thread::spawn(move || pollster::block_on(lost))
    });
    own.device().destroy();
    deaf.device().destroy();
    for (reducer, waiting) in [own, borrowed, deaf].into_iter().zip(waiting) {
        let call = reducer.upload(&[1_u32]);
        ensure!(matches!(call, Err(Error::DeviceLost { .. })), "a call: {call:?}");
        let told = waiting.join().map_err(|_| "a thread panicked")?;
        ensure!(matches!(told, Error::DeviceLost { .. }), "told: {told:?}");
    }
    Ok(())
}

fn call_until_lost(reducer: &GpuReducer, input: &GpuBuffer<u32>) -> Outcome {
    let start = Instant::now();
    let mut values: u32 = 0;
    while start.elapsed() < Duration::from_secs(60) {
        values += 1;
        let outcome = match values % 3 {
            0 => reducer.sum(input),
            1 => reducer.upload(&[100_000_u32]).and_then(|one| reducer.sum(&one)),
            _ => reducer.reduce(Sum, input).start().and_then(pollster::block_on),
        };
        match outcome {
            Ok(100_000) => {}
            Err(Error::DeviceLost { .. }) => return Ok(()),
            outcome => return Err(format!("{outcome:?}").into()),
        }
    }
    Err("the device was never lost".into())
}

/// Nobody waits, and reducers go while their work is under way.
fn dropped_in_flight(rig: &Rig) -> Outcome {
    for _ in 0..3 {
        let short_lived = fresh(rig)?;
        let input = short_lived.upload(&vec![1_u32; 1 << 20])?;
        let mut stream = short_lived.stream(Sum, &StreamOptions::new(1 << 16))?;
        stream.push(&vec![1_u32; 100_000])?;
        let mut exact = ExactStream::new(&short_lived, &StreamOptions::new(1 << 16))?;
        exact.push(&vec![1.0; 100_000])?;
        let kept = short_lived.reduce(Sum, &input).start()?;
        let polled = short_lived.reduce(Sum, &input).start()?;
        drop(short_lived.reduce(Sum, &input).start()?);
        drop((input, exact, short_lived));
        let sum = kept.wait()?;
        ensure!(sum == 1 << 20, "{sum}");
        let sum = pollster::block_on(polled)?;
        ensure!(sum == 1 << 20, "{sum}");
        let sum = stream.finish()?.wait()?;
        ensure!(sum == 100_000, "{sum}");
    }
    Ok(())
}

/// Who drops a reducer waits no longer than its deadline: the device is still at work then, and goes on.
fn dropped_while_busy(rig: &Rig) -> Outcome {
    let was_busy = until_busy(|loops| {
        // Without the deadline of other tests.
        let reducer = pollster::block_on(GpuReducer::request(&rig.options))?;
        let input = reducer.upload(&vec![3_i32; 4 << 20])?;
        reducer.reduce(Stats::default(), &input).start()?.wait()?;
        let device = reducer.device().clone();
        let hasty = reducer.with_deadline(Duration::ZERO);
        Busy::new(&device, reducer.queue()).occupy(loops);
        drop(reducer.reduce(Stats::default(), &input).start()?);
        drop((input, hasty, reducer));
        let was_busy = !device.poll(wgpu::PollType::Poll)?.is_queue_empty();
        device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok::<_, Failed>(was_busy)
    })?;
    ensure!(was_busy, "whoever drops it waits for the device");
    Ok(())
}

/// Each has its own pipelines and buffers, and they do not get in each other's way.
fn two_reducers_of_one_device(rig: &Rig) -> Outcome {
    let one = fresh(rig)?;
    let (device, queue) = (one.device().clone(), one.queue().clone());
    let two = GpuReducer::from_wgpu(device, queue)?.with_deadline(DEADLINE);
    let values = i32::data(Shape::Random, 70_001);
    let expected: i64 = values.iter().map(|&value| i64::from(value)).sum();
    let input = one.upload(&values)?;
    std::thread::scope(|scope| {
        let work = |reducer: GpuReducer| {
            let input = &input;
            scope.spawn(move || {
                for _ in 0..40 {
                    let pending =
                        [reducer.reduce(Sum, input).start()?, reducer.reduce(Sum, input).start()?];
                    for sum in pending {
                        let sum = sum.wait()?;
                        ensure!(sum == expected, "{sum}, not {expected}");
                    }
                }
                Ok::<(), Failed>(())
            })
        };
        let threads = [work(one.clone()), work(two.clone()), work(two.clone())];
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err("a thread panicked".into()))
        })
    })?;
    drop(one);
    let sum = two.sum(&input)?;
    ensure!(sum == expected, "after the other has gone: {sum}");
    Ok(())
}

/// Nothing that a device need not have: no subgroups, no timestamps, no buffers that host and shaders share, no
/// integers of 64 bits; and the least limits that WebGPU promises, or less than that, as GLES 3.1 has.
fn bare_devices(rig: &Rig) -> Outcome {
    let adapter = pollster::block_on(GpuReducer::find_adapter(&rig.options))?;
    for limits in [wgpu::Limits::defaults(), wgpu::Limits::downlevel_defaults()] {
        if !limits.check_limits(&adapter.limits) {
            println!("NOT COVERED: limits that {} has not", rig.name);
            continue;
        }
        let (device, queue) = bare_device(rig, limits)?;
        let reducer = GpuReducer::from_wgpu(device, queue)?.with_deadline(DEADLINE);
        let caps = reducer.caps();
        ensure!(!(caps.native_u64 || caps.mappable_results || caps.f64), "{caps:?}");
        ensure!(caps.subgroups.is_none(), "{caps:?}");
        let values = i32::data(Shape::Random, 300_007);
        let expected: i64 = values.iter().map(|&value| i64::from(value)).sum();
        let input = reducer.upload(&values)?;
        let timed = reducer.reduce(Sum, &input).timed().start()?.wait()?;
        ensure!((timed.value, timed.gpu_ns) == (expected, None), "{timed:?}, not {expected}");
        let stats = reducer.reduce(Stats::default(), &input).start()?.wait()?;
        ensure!((stats.sum, stats.count) == (expected, 300_007), "{stats:?}");
        let sum = reducer.reduce_stream(Sum, values.chunks(10_000))?;
        ensure!(sum == expected, "a stream: {sum}, not {expected}");
        let bits = values.iter().map(|&value| value.cast_unsigned() >> 3);
        let floats: Vec<_> = bits.map(f32::from_bits).collect();
        let exact = reducer.sum_exact(&reducer.upload(&floats)?)?;
        let expected = floats.iter().collect::<ExactSum>().round();
        ensure!(exact.to_bits() == expected.to_bits(), "{exact}, not {expected}");
    }
    Ok(())
}

const ENDLESS: &str = "faults::endless_loop";

/// Says that this is a process that may be ended while its device is at work.
const APART: &str = "WGPU_REDUCE_ENDLESS";

/// What the process says before it is ended.
const TOLD: &str = "the deadline was told, of";

/// An operator of a user's that never ends is told of when the deadline has passed. Its device is never idle again, so that it
/// belongs to a process of its own, this program again, which the test ends. On a GPU its driver would take the device from
/// everybody else, too.
fn endless_loop(rig: &Rig) -> Outcome {
    if std::env::var_os(APART).is_some() {
        return call_endlessly(rig);
    }
    if rig.reducer.caps().class != AdapterClass::Cpu || !rig.is_asynchronous() {
        println!("NOT COVERED: an endless loop on {}", rig.name);
        return Ok(());
    }
    let name = format!("{ENDLESS} [{}]", rig.name);
    let mut command = Command::new(std::env::current_exe()?);
    command.args([&name, "--exact", "--nocapture"]).env(APART, "1");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let lines = BufReader::new(child.stdout.take().ok_or("no output")?);
    let told = std::thread::spawn(move || {
        lines.lines().map_while(Result::ok).find(|line| line.starts_with(TOLD))
    });
    let start = Instant::now();
    while !told.is_finished() && start.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill()?;
    child.wait()?;
    let told = told.join().map_err(|_| "a thread panicked")?;
    ensure!(told.is_some(), "nothing was told in {:?}", start.elapsed());
    Ok(())
}

/// Waits and awaits, and stays until it is ended.
fn call_endlessly(rig: &Rig) -> Outcome {
    let text = "
        fn map(element: u32, index: u32) -> u32 { return element; }
        fn combine(left: u32, right: u32) -> u32 {
            var number = left;
            loop {
                number = number * 1664525u + right;
                if number == 0u && left == 5u { break; }
            }
            return number;
        }";
    let op = CustomOp::<u32, u32>::new(text, 0)?;
    let hasty = rig.reducer.with_deadline(Duration::from_millis(300));
    let input = hasty.upload(&[1_u32; 1000])?;
    let waited = hasty.reduce(&op, &input).start()?.wait();
    let awaited = pollster::block_on(hasty.reduce(Sum, &input).start()?);
    let outcome = (waited, awaited);
    ensure!(outcome == (Err(Error::Timeout), Err(Error::Timeout)), "{outcome:?}");
    println!("\n{TOLD} {}", rig.name);
    std::thread::sleep(Duration::from_secs(600));
    Ok(())
}
