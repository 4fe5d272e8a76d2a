//! Devices that go: before a call of any kind, at any moment of it, while its work is in flight, and after. It ends in
//! that error or in the right result, and nobody waits in vain.

use crate::GpuReducer;
use crate::error::{Error, Result};
use crate::tests::faults::Fault;
use crate::tests::faults::busy::{Busy, until_busy};
use crate::tests::faults::calls::{CALLS, Call, Inputs, Started, Waits};
use crate::tests::faults::tests::{on_adapters, on_every_adapter, what_is_called};
use std::time::Duration;

/// Whoever waited in vain would be told so then.
const LONG: Duration = Duration::from_secs(120);

fn is_lost<T>(outcome: &Result<T>) -> bool {
    matches!(outcome, Err(Error::DeviceLost { .. }))
}

/// Every call on a device that is gone says so. What is encoded and submitted by hand is the caller's to look after; the
/// buffer for it is not.
fn all_calls_are_refused(reducer: &GpuReducer, inputs: &Inputs) {
    for call in CALLS {
        let outcome = call.make(reducer, inputs);
        assert!(is_lost(&outcome), "{}: {outcome:?}", what_is_called(call, reducer));
    }
}

#[test]
fn a_device_may_go_before_any_call() {
    on_every_adapter(|reducer| {
        let inputs = Inputs::new(reducer);
        reducer.device().destroy();
        all_calls_are_refused(&reducer.with_deadline(LONG), &inputs);
    });
}

/// Calls of every kind, each twice and each behind other work, since streams may wait for room. Whether the last of that goes on then,
/// so that the call behind it is in flight.
fn in_flight(reducer: &GpuReducer, inputs: &Inputs, loops: u32) -> (Vec<Started>, bool) {
    let busy = Busy::new(reducer.device(), reducer.queue());
    let mut goes_on = false;
    let twice = CALLS.into_iter().flat_map(|call| [call; 2]);
    let start = |call: Call| {
        let work = busy.occupy(loops);
        let started = (call.start)(reducer, inputs);
        goes_on = work.goes_on();
        started
    };
    let started: Result<_> = twice.map(start).collect();
    (started.unwrap(), goes_on)
}

/// What was on its way either made it or is reported lost, to those who block and to those who await.
#[test]
fn a_device_may_go_while_calls_of_every_kind_are_in_flight() {
    on_every_adapter(|reducer| {
        let reducer = &reducer.with_deadline(LONG);
        let inputs = Inputs::new(reducer);
        let expected = CALLS.map(|call| call.make(reducer, &inputs));
        let mut started = Vec::new();
        let is_busy = until_busy(|loops| {
            let is_busy;
            (started, is_busy) = in_flight(reducer, &inputs, loops);
            // Mesa's may do work where it is handed over.
            Ok::<_, Error>(is_busy || reducer.adapter_label().contains("llvmpipe"))
        });
        assert_eq!(is_busy, Ok(true), "{} is always done", reducer.adapter_label());
        reducer.device().destroy();
        let mut lost = 0;
        let calls = CALLS.into_iter().zip(expected).flat_map(|call| [call.clone(), call]);
        let ways = [Waits::Blocked, Waits::Awaited].into_iter().cycle();
        for ((started, (call, expected)), waits) in started.into_iter().zip(calls).zip(ways) {
            let outcome = started(waits);
            let what = what_is_called(call, reducer);
            assert!(outcome == expected || is_lost(&outcome), "{what}, {waits:?}: {outcome:?}");
            lost += usize::from(is_lost(&outcome));
        }
        println!("{lost} lost of {}", reducer.adapter_label());
        all_calls_are_refused(reducer, &inputs);
    });
}

/// Before a thing that a call asks of its device: what is there already is of no use then, what is under way may still
/// arrive. Of each kind it is every fourth moment, since pipelines are compiled for each anew; which is the first differs.
#[test]
fn a_device_may_go_at_any_moment_of_a_call() {
    on_adapters(1, |reducer| {
        let options = crate::Options::default().adapter(reducer.adapter_label());
        for (call, first) in CALLS.into_iter().zip([0, 1, 2, 3].into_iter().cycle()) {
            let expected = call.make(reducer, &Inputs::new(reducer));
            let what = what_is_called(call, reducer);
            let moments = (first..).step_by(4);
            let is_within = |&moment: &u64| goes_before(&options, call, moment, &expected, &what);
            assert!(moments.take_while(is_within).count() > 0, "{what}");
        }
    });
}

/// Makes a call on a device that goes before the n-th thing. Whether the call asks for so many.
fn goes_before(
    options: &crate::Options,
    call: Call,
    moment: u64,
    expected: &Result<String>,
    what: &str,
) -> bool {
    let doomed = pollster::block_on(GpuReducer::request(options)).unwrap().with_deadline(LONG);
    let inputs = Inputs::new(&doomed);
    doomed.context.faults.arm(Fault::Device, moment);
    let outcome = call.make(&doomed, &inputs);
    if !doomed.context.faults.disarm() {
        assert_eq!(outcome, *expected, "{what}");
        return false;
    }
    assert!(outcome == *expected || is_lost(&outcome), "{what}, {moment}: {outcome:?}");
    let again = call.make(&doomed, &inputs);
    assert!(is_lost(&again), "{what}, after {moment}: {again:?}");
    true
}
