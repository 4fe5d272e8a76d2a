//! Tests that need no GPU: plans, and shaders through naga.

mod axis;
mod counts;
mod custom;
mod documented;
mod exact;
mod exact_gpu;
mod histogram;
mod histogram_levels;
mod invariants;
mod ladder;
mod limits;
mod many;
mod many_integers;
mod order;
mod pairs;
mod plan;
mod promises;
mod roundings;
mod segments;
mod shaders;
#[path = "../shared/submission.rs"]
mod submission;
mod submissions;
mod told;
mod tuning_table;

/// The operation of this name.
fn named(name: &str) -> &'static wgpu_reduce::OpRecord {
    let found = wgpu_reduce::OpRecord::ALL.into_iter().find(|record| record.name() == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}
