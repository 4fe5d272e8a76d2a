//! Requests to the planners.

mod axis;
mod by_key;
mod caps;
mod cover;
mod exact;
mod histogram;
mod limits;
mod many;
mod parts;
mod reduction;
mod segments;
mod text;
mod tuning;

use crate::take::Bytes;

/// What takes bytes for a request, and says whether there is a plan.
type Planner = fn(&mut Bytes<'_>) -> bool;

/// Those that can be called without a device.
const PLANNERS: [Planner; 11] = [
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
    let mut bytes = Bytes(bytes);
    bytes.pick(&PLANNERS)(&mut bytes)
}
