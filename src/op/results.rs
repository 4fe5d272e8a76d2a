//! Results that are more than a number.

use crate::element::Element;

/// An element and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located<T> {
    /// Its index, counted from the first element of the input.
    pub index: u64,
    /// The element.
    pub value: T,
}

/// The smallest and the largest element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extrema<T> {
    /// The smallest.
    pub min: T,
    /// The largest.
    pub max: T,
}

/// What [`Stats`](crate::Stats) tells of elements of type `T`: their sum is an `S`, their mean an `M`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics<T, S, M> {
    /// How many elements there are.
    pub count: u64,
    /// The smallest, and where it first stands; NaN if there is one.
    pub min: Located<T>,
    /// The largest, and where it first stands; NaN if there is one.
    pub max: Located<T>,
    /// As [`Sum`](crate::Sum) has it; of floats the mean by the count, as [`Stats`](crate::Stats) says.
    pub sum: S,
    /// As [`Mean`](crate::Mean) has it.
    pub mean: M,
    /// As [`Variance`](crate::Variance) has it.
    pub variance: M,
}

/// From the index's lower and upper half, and the element's bits in one word or two.
pub(super) fn located<T: Element>([low, high, bits @ ..]: [u32; 4]) -> Located<T> {
    let index = u64::from(high) << 32 | u64::from(low);
    let bits = bytemuck::bytes_of(&bits).get(..size_of::<T>());
    Located { index, value: bits.map_or_else(T::zeroed, bytemuck::pod_read_unaligned) }
}
