//! Elements on the GPU.

use crate::device::allowance::Held;
use crate::error::{Error, Result};
use crate::plan::cut::part::Part;
use crate::plan::cut::window::WORD_BYTES;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

/// Elements of type `T` on the GPU: a range of a [`wgpu::Buffer`].
///
/// Made by [`GpuReducer::upload`](crate::GpuReducer::upload) and
/// [`GpuReducer::alloc`](crate::GpuReducer::alloc), or from a buffer that the caller already has, by
/// [`GpuBuffer::from_wgpu`]. Cloning it clones the handle, not the data.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::GpuBuffer;
///
/// let buffer: GpuBuffer<f32> = reducer.upload(&[0.5, 1.5, 2.5])?;
/// assert_eq!((buffer.len(), buffer.offset_bytes()), (3, 0));
/// assert!(buffer.as_wgpu().usage().contains(wgpu::BufferUsages::STORAGE));
/// assert_eq!(buffer.download(&reducer)?, [0.5, 1.5, 2.5]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
pub struct GpuBuffer<T> {
    buffer: Held,
    offset_bytes: u64,
    len: u64,
    elements: PhantomData<fn() -> T>,
}

impl<T> Clone for GpuBuffer<T> {
    fn clone(&self) -> Self {
        Self {
            buffer: self.buffer.clone(),
            offset_bytes: self.offset_bytes,
            len: self.len,
            elements: PhantomData,
        }
    }
}

impl<T> fmt::Debug for GpuBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuBuffer")
            .field("element", &std::any::type_name::<T>())
            .field("offset_bytes", &self.offset_bytes)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<T: bytemuck::Pod> GpuBuffer<T> {
    /// The `len` elements that start `offset_bytes` into `buffer`.
    ///
    /// The buffer needs the usage `STORAGE`, and must belong to the device of the reducer that is
    /// to use it. Another device's is refused when it is used, with [`Error::Validation`], provided
    /// that both devices come from one [`wgpu::Instance`]: across instances wgpu itself cannot tell.
    ///
    /// ```no_run
    /// # fn run(device: wgpu::Device, queue: wgpu::Queue, mine: wgpu::Buffer)
    /// # -> wgpu_reduce::Result<()> {
    /// use wgpu_reduce::{GpuBuffer, GpuReducer};
    ///
    /// let reducer = GpuReducer::from_wgpu(device, queue)?;
    /// let thousand = GpuBuffer::<f32>::from_wgpu(mine, 64, 1000)?;
    /// println!("{}", reducer.sum(&thousand)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBuffer`] if the usage lacks `STORAGE`, the offset is not a multiple of the
    /// element's size, or the elements do not fit. They are read by words of 4 bytes, so one that the
    /// last element lies in must fit, too. Types have 1, 2 or a multiple of 4 bytes.
    pub fn from_wgpu(buffer: wgpu::Buffer, offset_bytes: u64, len: u64) -> Result<Self> {
        Self::of_held(Held::of_caller(buffer), offset_bytes, len)
    }

    pub(crate) fn of_held(buffer: Held, offset_bytes: u64, len: u64) -> Result<Self> {
        let invalid = |what: String| Err(Error::InvalidBuffer { what });
        let element_bytes = size_of::<T>() as u64;
        let fills_words = element_bytes.is_multiple_of(WORD_BYTES) && element_bytes > 0;
        if !fills_words && !matches!(element_bytes, 1 | 2) {
            return invalid(format!("elements of {element_bytes} bytes"));
        }
        if !buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
            return invalid("its usage lacks STORAGE".into());
        }
        if !offset_bytes.is_multiple_of(element_bytes) {
            return invalid(format!(
                "offset {offset_bytes} is not a multiple of the element's {element_bytes} bytes"
            ));
        }
        let end = len.checked_mul(element_bytes).and_then(|n| n.checked_add(offset_bytes));
        let words_end = end.and_then(|end| end.checked_next_multiple_of(WORD_BYTES));
        if words_end.is_none_or(|end| end > buffer.size()) {
            return invalid(format!(
                "{len} elements of {element_bytes} bytes from byte {offset_bytes} on, to the end \
                 of a word of {WORD_BYTES}, do not fit into its {} bytes",
                buffer.size()
            ));
        }
        Ok(Self { buffer, offset_bytes, len, elements: PhantomData })
    }

    /// Number of elements.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The buffer that the elements lie in.
    #[must_use]
    pub const fn as_wgpu(&self) -> &wgpu::Buffer {
        &self.buffer.buffer
    }

    /// Where in that buffer the first element starts.
    #[must_use]
    pub const fn offset_bytes(&self) -> u64 {
        self.offset_bytes
    }

    /// The elements of `range`, from any element to any other.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1_i32, 2, 3, 4, 5])?;
    /// assert_eq!(reducer.sum(buffer.slice(1..4)?)?, 9);
    /// assert_eq!(reducer.sum(buffer.slice(..2)?)?, 3);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`] if the range is reversed or reaches past the end.
    pub fn slice(&self, range: impl RangeBounds<u64>) -> Result<GpuSlice<'_, T>> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&start) => start.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&end) => end.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len,
        };
        if start > end || end > self.len {
            return Err(Error::InvalidRange { start, end, len: self.len });
        }
        Ok(GpuSlice {
            buffer: &self.buffer,
            offset_bytes: self.offset_bytes + start * size_of::<T>() as u64,
            len: end - start,
            elements: PhantomData,
        })
    }
}

/// Some consecutive elements of a [`GpuBuffer`]: made by [`GpuBuffer::slice`], or of a whole buffer by `into`. Nothing is
/// copied.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::GpuSlice;
///
/// let buffer = reducer.upload(&[1_u32, 2, 3, 4])?;
/// let (all, middle): (GpuSlice<'_, u32>, _) = ((&buffer).into(), buffer.slice(1..3)?);
/// assert_eq!((all.len(), middle.len()), (4, 2));
/// assert_eq!((reducer.sum(all)?, reducer.sum(middle)?), (10, 5));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
pub struct GpuSlice<'a, T> {
    pub(crate) buffer: &'a wgpu::Buffer,
    pub(crate) offset_bytes: u64,
    pub(crate) len: u64,
    elements: PhantomData<fn() -> T>,
}

#[cfg(test)]
impl<'a, T> GpuSlice<'a, T> {
    /// One that need not lie in the buffer, for tests that run nothing.
    pub(crate) fn claimed(buffer: &'a wgpu::Buffer, offset_bytes: u64, len: u64) -> Self {
        Self { buffer, offset_bytes, len, elements: PhantomData }
    }
}

impl<T> Clone for GpuSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for GpuSlice<'_, T> {}

impl<T> fmt::Debug for GpuSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuSlice")
            .field("offset_bytes", &self.offset_bytes)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<T> GpuSlice<'_, T> {
    /// What the planner needs to know of it.
    pub(crate) const fn plan_part(&self) -> Part {
        Part { offset_bytes: self.offset_bytes, len: self.len }
    }

    /// Number of elements.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<'a, T: bytemuck::Pod> From<&'a GpuBuffer<T>> for GpuSlice<'a, T> {
    fn from(buffer: &'a GpuBuffer<T>) -> Self {
        Self {
            buffer: &buffer.buffer,
            offset_bytes: buffer.offset_bytes,
            len: buffer.len,
            elements: PhantomData,
        }
    }
}
