//! A choice of the tests, on a device with as few storage buffers as GLES 3.1 has: of each planner whose shaders need no more,
//! all of what NumPy's results are there for, and where plans change. That the others are refused, the library's own tests of
//! such a device see (`src/tests/faults/tests.rs`); `WGPU_REDUCE_STORAGE_BUFFERS=4` gives all tests so few.

use crate::harness::rig::rig_of_few_buffers;
use crate::harness::{Outcome, Rig, ensure};
use libtest_mimic::{Failed, Trial};

/// The names of these tests, but for the rig's.
const CHOSEN: [&str; 14] = [
    "numpy::every_case",
    "axis::numpy",
    "histogram::lengths",
    "sum::edge_lengths::f32",
    "inputs::sum::many_inputs::f32",
    "inputs::argmax::one_input_in_several_buffers::u16",
    "encode::any_output_slot",
    "exact::edge_lengths",
    "exact_axis::known_bits",
    "histogram_weighted::lengths",
    "custom::edge_lengths",
    "custom_along::matrices",
    "stream::sum::as_one_input::f32",
    "transfer::round_trip",
];

/// The chosen ones of the tests that all subjects have.
pub(crate) fn trials(
    rigs: &'static [Rig],
    of_all: impl FnOnce(&'static [Rig]) -> Vec<Trial>,
) -> Vec<Trial> {
    let rig = match rig_of_few_buffers(rigs) {
        Ok(rig) => rig,
        Err(error) => {
            let failed = move || Err(Failed::from(format!("it cannot be opened: {error}")));
            return vec![Trial::test("few_buffers::open", failed)];
        }
    };
    let rig: &'static [Rig] = Box::leak(rig.into_iter().collect::<Vec<_>>().into_boxed_slice());
    let name = |trial: &Trial| trial.name().split(" [").next().unwrap_or_default().to_owned();
    let chosen = of_all(rig).into_iter().filter(|trial| CHOSEN.contains(&name(trial).as_str()));
    let mut trials: Vec<_> = chosen.collect();
    let found = trials.len();
    trials.push(Trial::test("few_buffers::coverage", move || coverage(rig, found)));
    trials
}

/// Each test that was chosen is there.
fn coverage(rigs: &[Rig], found: usize) -> Outcome {
    let Some(rig) = rigs.first() else {
        println!("NOT COVERED: four storage buffers, for want of an adapter");
        return Ok(());
    };
    let buffers = rig.reducer.caps().max_storage_buffers;
    ensure!(buffers == 4, "{buffers} storage buffers");
    ensure!(found == CHOSEN.len(), "{found} tests of {}", CHOSEN.len());
    Ok(())
}
