//! A key and its place.

use super::super::words::word64;
use super::{Accumulated, Key, Keyed, Words, filled};
use crate::error::Result;
use std::cmp::Ordering;

/// As in `shaders/parts/located.wgsl`.
#[derive(Clone, Copy)]
pub(in crate::op) struct Placed<K> {
    pub(super) key: K,
    pub(super) index: u64,
}

impl Accumulated for Placed<u32> {
    type Words = [u32; 3];

    fn of([key, low, high]: [u32; 3]) -> Result<Self> {
        Ok(Self { key, index: word64(low, high) })
    }
}

impl Accumulated for Placed<u64> {
    type Words = [u32; 4];

    fn of([key, key_high, low, high]: [u32; 4]) -> Result<Self> {
        Ok(Self { key: word64(key, key_high), index: word64(low, high) })
    }
}

impl<K: Key> Placed<K> {
    /// The smaller of two keys; of equal ones that which stands first.
    pub(in crate::op) fn first(self, other: Self) -> Self {
        let order = other.key.cmp(&self.key).then(other.index.cmp(&self.index));
        if order == Ordering::Less { other } else { self }
    }

    /// What a device leaves: the index, then the bits of the element with the key.
    pub(in crate::op) fn finished<T: Keyed<Key = K>>(self) -> [u32; 4] {
        filled(self.index.words().into_iter().chain(T::bits_of_key(self.key).words()))
    }

    /// The same of a key that is turned round, which those of the largest elements are.
    pub(in crate::op) fn finished_turned<T: Keyed<Key = K>>(self) -> [u32; 4] {
        Self { key: !self.key, ..self }.finished::<T>()
    }
}
