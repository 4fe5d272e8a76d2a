//! One input in several buffers.

use crate::api::buffer::{GpuBuffer, GpuSlice};
use crate::plan::cut::few::Few;
use crate::plan::cut::part::Part;

/// Consecutive elements of one buffer, or of several buffers, one after another: what a call takes as
/// one input.
///
/// The largest buffer of a device is often much smaller than its memory (2 or 4 GiB); a sequence of
/// buffers goes beyond. Made from a [`GpuBuffer`], a [`GpuSlice`], or several of either.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// let chunks = [reducer.upload(&[1_u32, 2])?, reducer.upload(&[3_u32])?];
/// assert_eq!(reducer.sum(&chunks)?, 6);
///
/// let some = [chunks[0].slice(1..)?, (&chunks[1]).into()];
/// assert_eq!(reducer.sum(&some)?, 5);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug)]
pub struct GpuSlices<'a, T>(Few<GpuSlice<'a, T>>);

impl<'a, T> GpuSlices<'a, T> {
    /// The parts, in order.
    #[must_use]
    pub fn parts(&self) -> &[GpuSlice<'a, T>] {
        &self.0
    }

    /// Number of elements in all parts; `u64::MAX` if there are more.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.parts().iter().fold(0, |sum, part| sum.saturating_add(part.len))
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the planner needs to know of them.
    pub(crate) fn plan_parts(&self) -> Few<Part> {
        self.0.map(GpuSlice::plan_part)
    }

    /// The buffers that they lie in.
    pub(crate) fn buffers(&self) -> Few<&'a wgpu::Buffer> {
        self.0.map(|part| part.buffer)
    }
}

impl<T> Clone for GpuSlices<'_, T> {
    fn clone(&self) -> Self {
        Self(self.0.map(|part| *part))
    }
}

impl<'a, T> From<GpuSlice<'a, T>> for GpuSlices<'a, T> {
    fn from(slice: GpuSlice<'a, T>) -> Self {
        Self(Few::One(slice))
    }
}

impl<'a, T: bytemuck::Pod> From<&'a GpuBuffer<T>> for GpuSlices<'a, T> {
    fn from(buffer: &'a GpuBuffer<T>) -> Self {
        GpuSlice::from(buffer).into()
    }
}

impl<'a, T> FromIterator<GpuSlice<'a, T>> for GpuSlices<'a, T> {
    fn from_iter<I: IntoIterator<Item = GpuSlice<'a, T>>>(parts: I) -> Self {
        Self(parts.into_iter().collect())
    }
}

impl<'a, T> From<Vec<GpuSlice<'a, T>>> for GpuSlices<'a, T> {
    fn from(parts: Vec<GpuSlice<'a, T>>) -> Self {
        Self(parts.into())
    }
}

impl<'a, T> From<&[GpuSlice<'a, T>]> for GpuSlices<'a, T> {
    fn from(parts: &[GpuSlice<'a, T>]) -> Self {
        parts.iter().copied().collect()
    }
}

impl<'a, T, const N: usize> From<&[GpuSlice<'a, T>; N]> for GpuSlices<'a, T> {
    fn from(parts: &[GpuSlice<'a, T>; N]) -> Self {
        parts.iter().copied().collect()
    }
}

impl<'a, T: bytemuck::Pod> From<&'a [GpuBuffer<T>]> for GpuSlices<'a, T> {
    fn from(parts: &'a [GpuBuffer<T>]) -> Self {
        parts.iter().map(GpuSlice::from).collect()
    }
}

impl<'a, T: bytemuck::Pod> From<&'a Vec<GpuBuffer<T>>> for GpuSlices<'a, T> {
    fn from(parts: &'a Vec<GpuBuffer<T>>) -> Self {
        parts.as_slice().into()
    }
}

impl<'a, T: bytemuck::Pod, const N: usize> From<&'a [GpuBuffer<T>; N]> for GpuSlices<'a, T> {
    fn from(parts: &'a [GpuBuffer<T>; N]) -> Self {
        parts.as_slice().into()
    }
}
