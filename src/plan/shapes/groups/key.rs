//! What keys of groups can be.

use crate::error::Result;
use crate::op::decode;
use crate::op::element::Element;
use crate::plan::cut::part::Part;

/// A type of keys of groups: integers of any size but signed ones of 8 or 16 bits. A key is the number of its group.
///
/// Sealed: shaders know these types.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::Max;
///
/// let labels = reducer.upload(&[1_u8, 0, 1, 1])?;
/// let values = reducer.upload(&[5_i32, 7, -2, 9])?;
/// assert_eq!(reducer.reduce(Max, &values).groups(&labels, 2).run()?, [7, 9]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
pub trait GroupKey: Element + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! keys {
    ($($key:ty),*) => {$(
        impl sealed::Sealed for $key {}

        impl GroupKey for $key {}
    )*};
}
keys!(u8, u16, u32, i32, u64, i64);

/// What elements are grouped by.
#[derive(Debug, Clone, Copy)]
pub struct Grouped<'a> {
    pub(crate) keys: &'a [Part],
    pub(crate) key_bytes: u64,
    pub(crate) groups: u32,
}

impl<'a> Grouped<'a> {
    /// Keys of so many bytes in these parts, and how many groups there are.
    #[must_use]
    pub const fn new(keys: &'a [Part], key_bytes: u64, groups: u32) -> Self {
        Self { keys, key_bytes, groups }
    }
}

/// The key that has these bytes; of a type with a sign, or not.
pub(crate) fn key_of(bytes: &[u8], is_signed: bool) -> Result<i128> {
    Ok(match (bytes.len(), is_signed) {
        (1, _) => decode::value::<u8>(bytes)?.into(),
        (2, _) => decode::value::<u16>(bytes)?.into(),
        (4, false) => decode::value::<u32>(bytes)?.into(),
        (4, true) => decode::value::<i32>(bytes)?.into(),
        (_, false) => decode::value::<u64>(bytes)?.into(),
        (_, true) => decode::value::<i64>(bytes)?.into(),
    })
}
