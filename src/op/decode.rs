//! Values of the bytes that come back from a device.

use crate::error::{Error, Result};

/// The value in the first bytes.
///
/// # Errors
///
/// [`Error::Internal`] if there are fewer than it has.
#[inline]
pub fn value<V: bytemuck::Pod>(bytes: &[u8]) -> Result<V> {
    let own = bytes.get(..size_of::<V>());
    own.map(bytemuck::pod_read_unaligned).ok_or_else(|| Error::Internal {
        message: format!("{} bytes came back, fewer than the result has", bytes.len()),
    })
}

/// The bytes of one of many that have `size` bytes each; fewer where there are not so many.
#[inline]
pub(crate) fn nth(bytes: &[u8], number: usize, size: usize) -> &[u8] {
    let from = bytes.get(number.saturating_mul(size)..).unwrap_or_default();
    from.get(..size).unwrap_or(from)
}

/// The bytes from number `first` on; none if there are not so many.
pub(crate) fn from(bytes: &[u8], first: u64) -> &[u8] {
    usize::try_from(first).ok().and_then(|first| bytes.get(first..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_end_amid_a_value_are_an_error() {
        let bytes = [1, 0, 2, 0, 3];
        assert_eq!([0, 1].map(|number| value::<u16>(nth(&bytes, number, 2))), [Ok(1), Ok(2)]);
        assert!(
            [2, 3, usize::MAX].iter().all(|&number| value::<u16>(nth(&bytes, number, 2)).is_err())
        );
        assert_eq!(value::<[u16; 2]>(&bytes), Ok([1, 2]));
        assert!(value::<u64>(&bytes).is_err());
    }

    #[test]
    fn nothing_lies_behind_the_end() {
        assert_eq!(from(&[1, 2, 3], 1), [2, 3]);
        assert!(from(&[1, 2, 3], 4).is_empty());
        assert!(from(&[1, 2, 3], u64::MAX).is_empty());
    }
}
