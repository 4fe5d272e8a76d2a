//! What a call does to the queue.

use crate::harness::rig::open;
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use crate::submission::{OF_A_CALL, submission};
use libtest_mimic::Trial;
use std::time::Duration;
use wgpu_reduce::Sum;

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = on_every_rig(rigs, "calls::submit_once", submit_once);
    trials.extend(on_every_rig(rigs, "calls::ways_to_wait", ways_to_wait));
    trials
}

/// Spinning not at all, for a moment and for long give the same.
fn ways_to_wait(rig: &Rig) -> Outcome {
    let input = rig.reducer.upload(&vec![3_u32; 5000])?;
    for spin in [Duration::ZERO, Duration::from_micros(1), Duration::from_secs(10)] {
        let reducer = rig.reducer.with_spin(spin);
        for _ in 0..3 {
            let sum = reducer.sum(&input)?;
            ensure!(sum == 15_000, "{sum} after spinning for {spin:?}");
        }
    }
    Ok(())
}

/// Speed rests on it: each submission costs as much as a small reduction.
fn submit_once(rig: &Rig) -> Outcome {
    // Nobody else may submit to this device meanwhile.
    let reducer = open(&rig.options)?;
    let rig = rig.with(rig.options.clone(), reducer);
    let inputs = [1000, 100_000].map(|len| rig.reducer.upload(&vec![1_u32; len]));
    for input in inputs {
        let input = input?;
        let calls: [(&str, &dyn Fn() -> wgpu_reduce::Result<()>); 4] = [
            ("sum", &|| rig.reducer.sum(&input).map(|_| ())),
            ("reduce", &|| rig.reducer.reduce(Sum, &input).start()?.wait().map(|_| ())),
            ("reduce_timed", &|| {
                rig.reducer.reduce(Sum, &input).timed().start()?.wait().map(|_| ())
            }),
            ("batch", &|| {
                rig.reducer
                    .batch([&input; 20].map(|input| rig.reducer.reduce(Sum, input)))
                    .start()?
                    .wait()
                    .map(|_| ())
            }),
        ];
        for (name, call) in calls {
            // The first one makes buffers and pipelines.
            call()?;
            let before = submission(rig.reducer.queue());
            call()?;
            let between = submission(rig.reducer.queue()) - before - 1;
            ensure!(
                between == OF_A_CALL,
                "{name} of {} elements: {between} numbers of submissions",
                input.len()
            );
        }
    }
    Ok(())
}
