//! Combine and finish on the host: accumulators that devices have left become what a device leaves of all of them.
//!
//! Each operation has its own in its file, made of the arithmetic of accumulators that is here. It is that of
//! `shaders/accumulators/` and `shaders/parts/`, step by step, so that integers have the same bits, and floats as many roundings as
//! on a device that has their type.

mod accumulated;
mod described;
mod digits;
mod exponentials;
mod factors;
mod far;
mod keys;
#[cfg(test)]
mod lifts;
mod moments;
mod places;
mod real;
mod scaled;
mod scaled_moments;
mod shifted;
mod spread;
mod sums;
#[cfg(test)]
mod tests;

use accumulated::{Accumulated, accumulator};
pub(super) use accumulated::{Words, filled, same};
pub(super) use described::{Described, Figures};
pub(super) use digits::{Digits, Highest};
pub(super) use exponentials::{Exponentials, log_of_exponentials};
pub(super) use factors::Factors;
pub(super) use far::is_far;
pub(super) use keys::{Key, Keyed};
#[cfg(test)]
pub(super) use lifts::Lift;
pub(super) use moments::Moments;
pub(super) use places::Placed;
pub(super) use real::Real;
pub(super) use scaled::Scaled;
pub(super) use scaled_moments::ScaledMoments;
pub(super) use shifted::Shifted;
pub(super) use spread::Spread;
pub(super) use sums::{of_bits, sums, sums_of_128_bits};

use crate::error::{Error, Result};

/// Makes of accumulators in memory, in the order of their elements, what a device would leave of all.
pub(crate) type HostFold = fn(&[u8]) -> Result<Vec<u8>>;

/// Combines accumulators, in order, and finishes what they are together.
///
/// # Errors
///
/// [`Error::Internal`] if there is none, or no whole number of them, or one that no device leaves.
pub(super) fn fold<A: Accumulated, R: bytemuck::Pod>(
    partials: &[u8],
    combine: impl Fn(A, A) -> A,
    finish: impl Fn(A) -> R,
) -> Result<Vec<u8>> {
    // Nobody has accumulators without wgpu, and a browser that loads plans alone would load all of it for nothing.
    if cfg!(all(target_family = "wasm", not(feature = "wgpu"))) {
        return Err(no_accumulators(partials));
    }
    let parts = partials.chunks_exact(size_of::<u32>() * A::WORDS);
    let mut total = None;
    if !parts.remainder().is_empty() {
        return Err(no_accumulators(partials));
    }
    for part in parts {
        let next = A::of(&bytemuck::pod_collect_to_vec(part))?;
        total = Some(match total {
            Some(total) => combine(total, next),
            None => next,
        });
    }
    let total = total.ok_or_else(|| no_accumulators(partials))?;
    Ok(bytemuck::bytes_of(&finish(total)).to_vec())
}

fn no_accumulators(partials: &[u8]) -> Error {
    Error::Internal { message: format!("{} bytes are no accumulators", partials.len()) }
}

/// A function of each type of numbers.
macro_rules! of_number {
    ($number:expr, $fold:ident) => {
        match $number {
            $crate::op::element::Number::F32 => $fold::<f32>,
            $crate::op::element::Number::I32 => $fold::<i32>,
            $crate::op::element::Number::U32 => $fold::<u32>,
            $crate::op::element::Number::I64 => $fold::<i64>,
            $crate::op::element::Number::U64 => $fold::<u64>,
            $crate::op::element::Number::F64 => $fold::<f64>,
        }
    };
}
pub(super) use of_number;

/// A function of each type of floats, and none of integers.
macro_rules! of_float {
    ($number:expr, $fold:ident) => {
        match $number {
            $crate::op::element::Number::F32 => Some($fold::<f32>),
            $crate::op::element::Number::F64 => Some($fold::<f64>),
            _ => None,
        }
    };
}
pub(super) use of_float;
