//! Every call, with each thing that it asks of the device failing in turn: it ends in that error or in the right
//! result, and the next call is as good as ever.

use crate::device::checks::Teller;
use crate::error::{Error, Result};
use crate::tests::faults::Fault;
use crate::tests::faults::calls::{CALLS, Call, Inputs};
use crate::{Adapter, GpuReducer, Max, MultiBuffer, MultiGpu, Pending, Sum};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A device of GL has one context, which threads would wait for.
static THROUGH_GL: Mutex<()> = Mutex::new(());

/// Runs on every adapter, on all at once. Fails without one, unless `WGPU_REDUCE_ALLOW_NO_ADAPTER` is set.
pub(crate) fn on_every_adapter(test: impl Fn(&GpuReducer) + Sync) {
    let (adapters, test) = (adapters(), &test);
    thread::scope(|scope| {
        let start = |(index, adapter)| scope.spawn(move || on_adapter(index, adapter, test));
        let running: Vec<_> = (0..).zip(&adapters).map(start).collect();
        let ended =
            running.into_iter().map(|each| each.join().unwrap_or_else(|why| resume_unwind(why)));
        check_opened(&ended.collect::<Vec<_>>());
    });
}

/// Runs on the best adapters, as many as that.
pub(crate) fn on_adapters(most: usize, test: impl Fn(&GpuReducer)) {
    let adapters = adapters();
    let adapters = adapters.iter().enumerate().take(most);
    let opened: Vec<_> =
        adapters.map(|(index, adapter)| on_adapter(index, adapter, &test)).collect();
    check_opened(&opened);
}

fn adapters() -> Vec<Adapter> {
    let adapters = GpuReducer::adapters();
    let may_lack = std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_some();
    assert!(!adapters.is_empty() || may_lack, "no adapter: nothing was tested");
    adapters
}

/// Whether the adapter could be opened.
fn on_adapter(index: usize, adapter: &Adapter, test: &impl Fn(&GpuReducer)) -> bool {
    let is_gl = adapter.info.backend == wgpu::Backend::Gl;
    let _turn = is_gl.then(|| THROUGH_GL.lock().unwrap_or_else(PoisonError::into_inner));
    let options = crate::Options::default().adapter(index.to_string());
    match pollster::block_on(GpuReducer::request(&options)) {
        // No test waits longer for a device that hangs.
        Ok(reducer) => test(&reducer.with_deadline(Duration::from_secs(600))),
        Err(error) => {
            println!("NOT COVERED: {adapter} cannot be opened: {error}");
            return false;
        }
    }
    true
}

fn check_opened(opened: &[bool]) {
    assert!(opened.is_empty() || opened.contains(&true), "no adapter could be opened");
}

/// For messages.
pub(crate) fn what_is_called(call: Call, reducer: &GpuReducer) -> String {
    format!("{} on {}", call.name, reducer.adapter_label())
}

/// What the device has of buffers, of their bytes and of groups of bindings, by wgpu's own count, once all work is done and
/// nothing is kept for the next call.
fn held_by(reducer: &GpuReducer) -> [isize; 3] {
    reducer.context.forget_buffers();
    // What a write has staged goes with the next submission.
    reducer.queue().submit([]);
    reducer.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let counters = reducer.device().get_internal_counters().hal;
    [counters.buffers.read(), counters.buffer_memory.read(), counters.bind_groups.read()]
}

/// Lets the n-th of what a call asks for fail, for every n; of none of them anything is left. Returns how many there were.
fn fail_each(
    reducer: &GpuReducer,
    fault: Fault,
    what: &str,
    call: &dyn Fn() -> Result<String>,
) -> u64 {
    let expected = call();
    assert!(expected.is_ok(), "{what}: {expected:?}");
    let before = held_by(reducer);
    assert!(before[0] > 0, "{what}: wgpu counts no buffers");
    for after in 0.. {
        reducer.context.forget_buffers();
        reducer.context.faults.arm(fault, after);
        let outcome = call();
        let failed = reducer.context.faults.disarm();
        if outcome != expected {
            let told = outcome.as_ref().is_err_and(|error| fault.is_told_by(error));
            assert!(failed && told, "{what}, {fault:?} {after}: {outcome:?}");
        }
        assert_eq!(held_by(reducer), before, "{what}, {fault:?} {after}: something is left");
        if !failed {
            assert_eq!(outcome, expected, "{what}, {fault:?} {after}");
            return after;
        }
    }
    unreachable!("a call asks for something without an end")
}

#[test]
fn whatever_fails_is_told_and_does_no_harm() {
    on_every_adapter(|reducer| {
        let inputs = Inputs::new(reducer);
        for call in CALLS {
            let what = what_is_called(call, reducer);
            let counts = Fault::TOLD
                .map(|fault| fail_each(reducer, fault, &what, &|| call.make(reducer, &inputs)));
            assert!(call.make(reducer, &inputs).is_ok(), "{what}");
            assert!(counts.iter().all(|&count| count > 0), "{what}: {counts:?}");
        }
    });
}

/// Also a pipeline that cannot be made: the next call makes it. What is done then is the same on all adapters, and
/// compiling takes long.
#[test]
fn whatever_does_not_compile_is_told_and_does_no_harm() {
    on_adapters(1, |reducer| {
        let inputs = Inputs::new(reducer);
        for call in CALLS.into_iter().filter(|call| call.name != "transfer") {
            let what = what_is_called(call, reducer);
            let anew = || {
                reducer.pipelines.forget();
                call.make(reducer, &inputs)
            };
            assert!(fail_each(reducer, Fault::Compilation, &what, &anew) > 0, "{what}");
        }
    });
}

/// As in browsers, which tell of an allocation, an upload or a pipeline when it has long returned. What is kept for the next
/// call may be what failed, so it is made anew.
#[test]
fn what_the_device_tells_late_is_told_by_the_next_result_alone() {
    on_adapters(1, |reducer| {
        let inputs = Inputs::new(reducer);
        for call in CALLS {
            let expected = call.make(reducer, &inputs);
            let made = reducer.pipelines_made();
            let unread = reducer.context.unread().unwrap();
            let browser = Teller::default();
            reducer.context.outstanding.keep(browser.outcome());
            // Nobody waits for this one: it leaves what it has not told to the next.
            drop(reducer.reduce(Sum, &inputs.integers).start().unwrap());
            browser.tell(Some(Error::OutOfMemory { bytes: 77, available_bytes: None }));
            let outcome = call.make(reducer, &inputs);
            let what = what_is_called(call, reducer);
            assert_eq!(
                outcome,
                Err(Error::OutOfMemory { bytes: 77, available_bytes: None }),
                "{what}"
            );
            assert_eq!(call.make(reducer, &inputs), expected, "{what}");
            assert!(call.name == "transfer" || reducer.pipelines_made() > made, "{what}");
            assert_ne!(reducer.context.unread().unwrap().buffer, unread.buffer, "{what}");
        }
    });
}

/// Each of them may depend on what failed.
#[test]
fn all_that_were_asked_for_before_it_was_told_are_told_late_errors() {
    on_adapters(1, |reducer| {
        let inputs = Inputs::new(reducer);
        let sum = || reducer.reduce(Sum, &inputs.integers).start().unwrap();
        let told = Err(Error::OutOfMemory { bytes: 77, available_bytes: None });
        for awaits in [true, false] {
            let end = |sum: Pending<i64>| if awaits { pollster::block_on(sum) } else { sum.wait() };
            let browser = Teller::default();
            reducer.context.outstanding.keep(browser.outcome());
            let (first, second) = (sum(), sum());
            browser.tell(Some(Error::OutOfMemory { bytes: 77, available_bytes: None }));
            let third = sum();
            assert_eq!(end(second), told);
            let expected = end(sum());
            assert!(expected.is_ok(), "{expected:?}");
            assert_eq!(
                (end(first), end(third), end(sum())),
                (told.clone(), told.clone(), expected)
            );
        }
    });
}

/// On a device that hangs every call ends when it is told to.
#[test]
fn whoever_waits_for_an_answer_waits_no_longer_than_the_deadline() {
    on_every_adapter(|reducer| {
        let inputs = Inputs::new(reducer);
        for call in CALLS {
            let expected = call.make(reducer, &inputs);
            let hasty = reducer.with_deadline(Duration::from_millis(20));
            // Each of its answers in turn, until it has no n-th.
            let what = what_is_called(call, reducer);
            for after in 0.. {
                reducer.context.faults.arm(Fault::Answer, after);
                let start = Instant::now();
                let outcome = call.make(&hasty, &inputs);
                if !reducer.context.faults.disarm() {
                    assert!(after > 0, "{what}: nothing was asked for");
                    break;
                }
                // A stream may end without the buffer that it has asked for last.
                let is_needed = after == 0 || outcome != expected;
                if is_needed {
                    assert_eq!(outcome, Err(Error::Timeout), "{what}, answer {after}");
                }
                assert!(start.elapsed() < Duration::from_secs(60), "{what}: {:?}", start.elapsed());
                assert_eq!(call.make(reducer, &inputs), expected, "{what} afterwards");
            }
        }
    });
}

/// The share of each of several reducers is waited for as long as its own reducer has time, wherever it stands.
#[test]
fn every_share_has_the_deadline_of_its_own_reducer() {
    const HASTY: Duration = Duration::from_millis(20);
    const PATIENT: Duration = Duration::from_millis(800);
    on_adapters(1, |reducer| {
        for deadlines in [[PATIENT, HASTY], [HASTY, PATIENT]] {
            let reducers = deadlines.map(|deadline| reducer.with_deadline(deadline));
            let multi = MultiGpu::new(reducers.to_vec()).unwrap();
            let buffer = multi.upload(&[1.5_f32; 3000]).unwrap();
            for (share, deadline) in (0..).zip(deadlines) {
                for starts in STARTS {
                    reducer.context.faults.arm(Fault::Answer, share);
                    let start = Instant::now();
                    let outcome = starts(&multi, &buffer);
                    let took = start.elapsed();
                    assert!(reducer.context.faults.disarm());
                    assert_eq!(outcome, Err(Error::Timeout), "share {share}");
                    let is_its_own = took >= deadline && (deadline == PATIENT || took < PATIENT);
                    assert!(is_its_own, "share {share} of {deadlines:?}: {took:?}");
                }
            }
        }
    });
}

type OfShares = fn(&MultiGpu, &MultiBuffer<f32>) -> Result<()>;

/// What chains shares, and both ways to wait for it.
const STARTS: [OfShares; 3] = [
    |multi, buffer| multi.reduce(Sum, buffer)?.wait().map(drop),
    |multi, buffer| pollster::block_on(multi.reduce(Sum, buffer)?).map(drop),
    |multi, buffer| multi.reduce_exact(buffer)?.wait().map(drop),
];

/// In a process of its own, this program again, whose threads ask for stacks that there is no room for.
#[cfg(all(unix, target_pointer_width = "64"))]
#[test]
fn an_upload_to_several_without_threads_is_an_error() {
    const WITHOUT_THREADS: &str = "WGPU_REDUCE_WITHOUT_THREADS";
    const NAME: &str = "tests::faults::tests::an_upload_to_several_without_threads_is_an_error";
    if std::env::var_os(WITHOUT_THREADS).is_some() {
        return upload_without_threads();
    }
    // With one thread for tests they run on the first that a process has.
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args([NAME, "--exact", "--nocapture", "--test-threads=1"]);
    command.env(WITHOUT_THREADS, "1").env("RUST_MIN_STACK", (1_u64 << 60).to_string());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && text.contains("1 passed"), "{}: {text}", output.status);
}

#[cfg(all(unix, target_pointer_width = "64"))]
fn upload_without_threads() {
    on_adapters(1, |reducer| {
        let multi = MultiGpu::new(vec![reducer.clone(), reducer.clone()]).unwrap();
        let outcome = multi.upload(&[1.5_f32; 3000]).map(drop);
        let is_told = matches!(&outcome, Err(Error::Internal { message })
            if message.starts_with("no thread for a copy"));
        assert!(is_told, "{outcome:?}");
        // Large amounts need no more threads than there are.
        let many = vec![2.5_f32; 600_000];
        assert!(reducer.upload(&many).unwrap().download(reducer).unwrap() == many);
        let read: &[u8] = bytemuck::cast_slice(&many);
        assert_eq!(reducer.reduce_reader::<f32, _>(Max, read), Ok(2.5));
    });
}

/// A device of the least limits there are, those of GLES 3.1, and without subgroups.
#[test]
fn a_device_of_the_least_limits_answers_rightly_or_says_what_it_lacks() {
    let needs_more_buffers = [
        "pairs",
        "exact pairs",
        "stream of pairs",
        "stream of exact pairs",
        "segments",
        "by key",
        "custom in segments",
        "custom by key",
        "encode segments",
        "top_k",
    ];
    on_every_adapter(|reducer| {
        let label = reducer.adapter_label();
        let limits = wgpu::Limits::downlevel_defaults();
        let options = crate::Options::default().adapter(label.clone());
        let Ok(bare) =
            pollster::block_on(GpuReducer::request(&options.limits(limits).subgroups(false)))
        else {
            println!("NOT COVERED: the least limits on {label}");
            return;
        };
        let (inputs, of_bare) = (Inputs::new(reducer), Inputs::new(&bare));
        for call in CALLS {
            let outcome = call.make(&bare, &of_bare);
            if needs_more_buffers.contains(&call.name) {
                let is_told = matches!(&outcome, Err(Error::Unsupported { .. }));
                assert!(is_told, "{} on {label}: {outcome:?}", call.name);
            } else {
                assert_eq!(outcome, call.make(reducer, &inputs), "{} on {label}", call.name);
            }
        }
    });
}
