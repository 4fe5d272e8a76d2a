//! Requests to the planners.

mod axis;
mod by_key;
mod caps;
mod cover;
mod exact;
mod groups;
mod histogram;
mod limits;
mod many;
mod order;
mod parts;
mod reduction;
mod segments;
mod text;
mod tuning;

use crate::take::Bytes;
use std::ops::Deref;
use wgpu_reduce::followed::written;
use wgpu_reduce::{Caps, Plan};

/// A plan, and the device that it is for.
type Made = (Plan, Caps);

fn made(plan: &impl Deref<Target = Plan>, caps: Caps) -> Made {
    ((**plan).clone(), caps)
}

/// What takes bytes for a request, and makes a plan, if there is one.
type Planner = fn(&mut Bytes<'_>) -> Option<Made>;

/// Those that can be called without a device.
const PLANNERS: [Planner; 14] = [
    reduction::of_one,
    reduction::of_pairs,
    many::many,
    exact::elements,
    exact::products,
    histogram::counted,
    histogram::weighted,
    segments::segments,
    by_key::by_key,
    axis::matrix,
    axis::strided,
    order::ranks,
    order::rows,
    groups::groups,
];

/// Plans something of any length, on a device with any limits, with any tuning; the first byte says what. Whether there
/// is a plan.
///
/// # Panics
///
/// If there is a plan and it does not keep its promises: each element is read exactly once, no grid is empty or
/// larger than the device's, nothing overflows.
#[must_use]
pub fn plan(bytes: &[u8]) -> bool {
    planned(bytes).is_some()
}

/// All that a device would see of such a plan, if there is one.
#[must_use]
pub fn recorded(bytes: &[u8]) -> Option<String> {
    planned(bytes).map(|(plan, caps)| written(&plan, &caps))
}

fn planned(bytes: &[u8]) -> Option<Made> {
    let mut bytes = Bytes(bytes);
    bytes.pick(&PLANNERS)(&mut bytes)
}
