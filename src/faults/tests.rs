//! Every call, with each thing that it asks of the device failing in turn: it ends in that error or in the right
//! result, and the next call is as good as ever.

use super::Fault;
use crate::checks::Teller;
use crate::error::{Error, Result};
use crate::ladder::{Level, RunOptions};
use crate::{
    Bins, CustomOp, Dot, GpuBuffer, GpuReducer, Matrix, MultiBuffer, MultiGpu, Pending, Stats,
    StreamOptions, Sum, SumExact,
};
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A device of GL has one context, which threads would wait for.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs on every adapter. Fails without one, unless `WGPU_REDUCE_ALLOW_NO_ADAPTER` is set.
fn on_every_adapter(test: impl Fn(&GpuReducer)) {
    on_adapters(usize::MAX, test);
}

/// Runs on the best adapters, as many as that.
fn on_adapters(most: usize, test: impl Fn(&GpuReducer)) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let adapters = GpuReducer::adapters();
    let may_lack = std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_some();
    assert!(!adapters.is_empty() || may_lack, "no adapter: nothing was tested");
    for index in 0..adapters.len().min(most) {
        let options = crate::Options::default().adapter(index.to_string());
        test(&pollster::block_on(GpuReducer::request(&options)).unwrap());
    }
}

/// What calls take.
struct Inputs {
    floats: GpuBuffer<f32>,
    integers: GpuBuffer<i32>,
    offsets: GpuBuffer<u32>,
    keys: GpuBuffer<u32>,
}

const LEN: u32 = 5000;

impl Inputs {
    fn new(reducer: &GpuReducer) -> Self {
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

type Call = fn(&GpuReducer, &Inputs) -> Result<String>;

fn text(value: impl Debug) -> String {
    format!("{value:?}")
}

/// A call of every kind.
const CALLS: [(&str, Call); 20] = [
    ("transfer", |reducer, _| Ok(text(reducer.upload(&[1_u8, 2, 3])?.download(reducer)?))),
    ("reduce", |reducer, inputs| Ok(text(reducer.sum(&inputs.integers)?))),
    ("awaited", |reducer, inputs| {
        Ok(text(pollster::block_on(reducer.reduce(Stats::default(), &inputs.integers)?)?))
    }),
    ("timed", |reducer, inputs| {
        Ok(text(reducer.reduce_timed(Sum, &inputs.integers)?.wait()?.value))
    }),
    ("many", |reducer, inputs| Ok(text(reducer.reduce_many(Sum, [&inputs.integers; 9])?.wait()?))),
    ("pairs", |reducer, inputs| Ok(text(reducer.dot(&inputs.integers, &inputs.integers)?))),
    ("encode", |reducer, inputs| {
        let output = reducer.alloc::<i64>(1)?;
        let mut encoder =
            reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        reducer.encode(&mut encoder, Sum, &inputs.integers, &output)?;
        reducer.queue().submit([encoder.finish()]);
        Ok(text(output.download(reducer)?))
    }),
    ("exact", |reducer, inputs| Ok(text(reducer.mean_exact(&inputs.floats)?))),
    ("exact pairs", |reducer, inputs| Ok(text(reducer.dot_exact(&inputs.floats, &inputs.floats)?))),
    ("rows", |reducer, inputs| {
        let shape = Matrix { rows: 50, columns: 100 };
        Ok(text(reducer.reduce_rows(SumExact, &inputs.floats, shape)?.wait()?))
    }),
    ("axis to a buffer", |reducer, inputs| {
        let sums =
            reducer.axis_to_buffer(Sum, &inputs.integers, Matrix { rows: 50, columns: 100 }, 0)?;
        Ok(text(sums.download(reducer)?))
    }),
    ("segments", |reducer, inputs| {
        let sums = reducer.reduce_segments(Sum, &inputs.integers, &inputs.offsets)?;
        Ok(text(sums.wait()?))
    }),
    ("by key", |reducer, inputs| {
        Ok(text(reducer.reduce_by_key(Sum, &inputs.keys, &inputs.integers)?.wait()?))
    }),
    ("histogram", |reducer, inputs| {
        Ok(text(reducer.histogram(&inputs.integers, &Bins::even(-50..50, 20)?)?))
    }),
    ("weights", |reducer, inputs| {
        let bins = Bins::even(-50..50, 20)?;
        Ok(text(reducer.histogram_weighted(&inputs.integers, &inputs.floats, &bins)?))
    }),
    ("custom", |reducer, inputs| {
        let text_of_op = "fn map(element: i32, index: u32) -> i32 { return element; }
            fn combine(left: i32, right: i32) -> i32 { return left + right; }";
        let op = CustomOp::<i32, i32>::new(text_of_op, 0)?;
        Ok(text(reducer.custom(&op, &inputs.integers)?))
    }),
    ("ladder", |reducer, inputs| {
        let options = RunOptions::default();
        Ok(text(reducer.sum_with(Level::GridStride, &options, &inputs.integers)?))
    }),
    ("stream", |reducer, _| {
        let values: Vec<u16> = (0..5000).collect();
        let mut stream = reducer.stream(Sum, &StreamOptions::new(4096))?;
        let mut exact = reducer.stream_exact(&StreamOptions::new(16 << 10))?;
        for piece in values.chunks(701) {
            stream.push(piece)?;
            exact.push(&piece.iter().map(|&value| value.into()).collect::<Vec<_>>())?;
        }
        Ok(text((stream.finish()?.wait()?, exact.finish()?.wait()?.round())))
    }),
    ("stream of pairs", |reducer, _| {
        let values: Vec<u16> = (0..5000).collect();
        let mut stream = reducer.stream_pair(Dot, &StreamOptions::new(4096))?;
        for piece in values.chunks(701) {
            stream.push(piece, piece)?;
        }
        Ok(text(stream.finish()?.wait()?))
    }),
    ("several reducers", |reducer, _| {
        let multi = MultiGpu::new(vec![reducer.clone(), reducer.clone()])?;
        let buffer = multi.upload(&[1.5_f32; 3000])?;
        let sum = multi.reduce(Sum, &buffer)?.wait()?;
        Ok(text((sum, multi.reduce_exact(&buffer)?.wait()?.round())))
    }),
];

/// Lets the n-th of what a call asks for fail, for every n. Returns how many there were.
fn fail_each(
    reducer: &GpuReducer,
    fault: Fault,
    what: &str,
    call: &dyn Fn() -> Result<String>,
) -> u64 {
    let expected = call();
    assert!(expected.is_ok(), "{what}: {expected:?}");
    for after in 0.. {
        reducer.context.forget_buffers();
        reducer.context.faults.arm(fault, after);
        let outcome = call();
        let failed = reducer.context.faults.disarm();
        if outcome != expected {
            let told = outcome.as_ref().err() == Some(&fault.error());
            assert!(failed && told, "{what}, {fault:?} {after}: {outcome:?}");
        }
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
        for (name, call) in CALLS {
            let what = format!("{name} on {}", reducer.adapter_label());
            let counts = Fault::TOLD
                .map(|fault| fail_each(reducer, fault, &what, &|| call(reducer, &inputs)));
            assert!(call(reducer, &inputs).is_ok(), "{what}");
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
        for (name, call) in CALLS.into_iter().filter(|(name, _)| *name != "transfer") {
            let what = format!("{name} on {}", reducer.adapter_label());
            let anew = || {
                reducer.pipelines.forget();
                call(reducer, &inputs)
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
        for (name, call) in CALLS {
            let expected = call(reducer, &inputs);
            let made = reducer.pipelines_made();
            let unread = reducer.context.unread().unwrap();
            let browser = Teller::default();
            reducer.context.outstanding.keep(browser.outcome());
            // Nobody waits for this one: it leaves what it has not told to the next.
            drop(reducer.reduce(Sum, &inputs.integers).unwrap());
            browser.tell(Some(Error::OutOfMemory { bytes: 77 }));
            let outcome = call(reducer, &inputs);
            let what = format!("{name} on {}", reducer.adapter_label());
            assert_eq!(outcome, Err(Error::OutOfMemory { bytes: 77 }), "{what}");
            assert_eq!(call(reducer, &inputs), expected, "{what}");
            assert!(name == "transfer" || reducer.pipelines_made() > made, "{what}");
            assert_ne!(reducer.context.unread().unwrap(), unread, "{what}");
        }
    });
}

/// Each of them may depend on what failed.
#[test]
fn all_that_were_asked_for_before_it_was_told_are_told_late_errors() {
    on_adapters(1, |reducer| {
        let inputs = Inputs::new(reducer);
        let sum = || reducer.reduce(Sum, &inputs.integers).unwrap();
        let told = Err(Error::OutOfMemory { bytes: 77 });
        for awaits in [true, false] {
            let end = |sum: Pending<i64>| if awaits { pollster::block_on(sum) } else { sum.wait() };
            let browser = Teller::default();
            reducer.context.outstanding.keep(browser.outcome());
            let (first, second) = (sum(), sum());
            browser.tell(Some(Error::OutOfMemory { bytes: 77 }));
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
        for (name, call) in CALLS {
            let expected = call(reducer, &inputs);
            let hasty = reducer.with_deadline(Duration::from_millis(20));
            // Each of its answers in turn, until it has no n-th.
            let what = format!("{name} on {}", reducer.adapter_label());
            for after in 0.. {
                reducer.context.faults.arm(Fault::Answer, after);
                let start = Instant::now();
                let outcome = call(&hasty, &inputs);
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
                assert_eq!(call(reducer, &inputs), expected, "{what} afterwards");
            }
        }
    });
}

/// Of several reducers each share is waited for as long as its own reducer has time, wherever it stands.
#[test]
fn every_share_has_the_deadline_of_its_own_reducer() {
    const HASTY: Duration = Duration::from_millis(20);
    const PATIENT: Duration = Duration::from_secs(2);
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
    const NAME: &str = "faults::tests::an_upload_to_several_without_threads_is_an_error";
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
    });
}

/// A device of the least limits there are, those of GLES 3.1, and without subgroups.
#[test]
fn a_device_of_the_least_limits_answers_rightly_or_says_what_it_lacks() {
    let needs_more_buffers = ["pairs", "exact pairs", "stream of pairs", "segments", "by key"];
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
        for (name, call) in CALLS {
            let outcome = call(&bare, &of_bare);
            if needs_more_buffers.contains(&name) {
                let is_told = matches!(&outcome, Err(Error::Unsupported { .. }));
                assert!(is_told, "{name} on {label}: {outcome:?}");
            } else {
                assert_eq!(outcome, call(reducer, &inputs), "{name} on {label}");
            }
        }
    });
}

/// On a device that is gone already every call says so, and nobody waits for it in vain.
#[test]
fn a_device_may_go_before_any_call() {
    on_every_adapter(|reducer| {
        let inputs = Inputs::new(reducer);
        reducer.device().destroy();
        for (name, call) in CALLS {
            // To encode is to record; what is submitted by hand is the caller's.
            let outcome = call(reducer, &inputs);
            let is_told = matches!(outcome, Err(Error::DeviceLost { .. }));
            assert!(is_told, "{name} on {}: {outcome:?}", reducer.adapter_label());
        }
    });
}
