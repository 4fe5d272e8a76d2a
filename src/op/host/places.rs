//! A key and its place.

use super::{Key, Keyed, Words, accumulator, filled};
use std::cmp::Ordering;

accumulator! {
    /// As in `shaders/parts/located.wgsl`.
    Placed<K: Key> { pub(super) key: K, pub(super) index: u64 }
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

    /// As `finished`, where the key is turned round, as those of the largest elements are.
    pub(in crate::op) fn finished_turned<T: Keyed<Key = K>>(self) -> [u32; 4] {
        Self { key: !self.key, ..self }.finished::<T>()
    }
}
