//! How much memory a reducer has allocated, and may.

use crate::error::{Error, Result};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of what is allocated, and how many there may be.
#[derive(Debug)]
pub(crate) struct Allowance {
    most: u64,
    used: AtomicU64,
}

/// Bytes that count until this is dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    allowance: Arc<Allowance>,
    bytes: u64,
}

/// A buffer whose bytes count until its last handle is dropped. A clone of what is in it does not keep them.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) buffer: wgpu::Buffer,
    /// None of a buffer of the caller's.
    _charge: Option<Arc<Charge>>,
}

impl Allowance {
    pub(crate) fn new(most: Option<u64>) -> Arc<Self> {
        Arc::new(Self { most: most.unwrap_or(u64::MAX), used: AtomicU64::new(0) })
    }

    /// Takes so many bytes, or none if there are not as many left.
    pub(crate) fn take(self: &Arc<Self>, bytes: u64) -> Result<Charge> {
        let sum = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= self.most);
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
        taken.map(|_| Charge { allowance: Arc::clone(self), bytes }).map_err(|used| {
            Error::OutOfMemory { bytes, available_bytes: Some(self.most.saturating_sub(used)) }
        })
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.allowance.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Held {
    pub(crate) fn new(buffer: wgpu::Buffer, charge: Charge) -> Self {
        Self { buffer, _charge: Some(Arc::new(charge)) }
    }

    /// A buffer of the caller's.
    pub(crate) const fn of_caller(buffer: wgpu::Buffer) -> Self {
        Self { buffer, _charge: None }
    }
}

impl Deref for Held {
    type Target = wgpu::Buffer;

    fn deref(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::Allowance;
    use crate::error::Error;

    #[test]
    fn bytes_count_until_they_are_dropped_and_no_more_are_given_than_there_are() {
        let allowance = Allowance::new(Some(100));
        let of = |bytes, available| Error::OutOfMemory { bytes, available_bytes: Some(available) };
        let sixty = allowance.take(60).unwrap();
        assert_eq!(allowance.take(41).unwrap_err(), of(41, 40));
        let forty = allowance.take(40).unwrap();
        assert_eq!(allowance.take(1).unwrap_err(), of(1, 0));
        assert!(allowance.take(0).is_ok());
        drop(sixty);
        assert_eq!(allowance.take(u64::MAX).unwrap_err(), of(u64::MAX, 60));
        drop(forty);
        assert!(allowance.take(100).is_ok());
        let unlimited = Allowance::new(None);
        let all = unlimited.take(u64::MAX).unwrap();
        assert_eq!(unlimited.take(1).unwrap_err(), of(1, 0));
        drop(all);
    }
}
