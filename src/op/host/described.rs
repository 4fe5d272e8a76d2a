//! Extremes with their places, and figures.

use super::{Key, Keyed, Placed, Words, accumulator, filled};

/// What means and variances are made of.
pub(in crate::op) trait Figures: Words {
    /// As `figures_combine` in `shaders/parts/`.
    fn and(self, other: Self) -> Self;
}

accumulator! {
    /// As in `shaders/accumulators/described.wgsl`.
    Described<K: Key, F: Figures> {
        lowest: Placed<K>,
        /// The largest element's place, whose key is turned round.
        highest: Placed<K>,
        figures: F,
    }
}

impl<K: Key, F: Figures> Described<K, F> {
    pub(in crate::op) fn and(self, other: Self) -> Self {
        Self {
            lowest: self.lowest.first(other.lowest),
            highest: self.highest.first(other.highest),
            figures: self.figures.and(other.figures),
        }
    }

    /// Both ends at the first NaN, if there is one, as in `shaders/ops/stats.wgsl`: until then it shows at the end where its sign
    /// puts it.
    fn united<T: Keyed<Key = K>>(self) -> Self {
        let ends = [(self.lowest, self.lowest.key), (self.highest, !self.highest.key)];
        let of_nan = ends.into_iter().filter(|&(_, key)| T::is_nan_key(key));
        let first = of_nan.map(|(placed, _)| placed).min_by_key(|placed| placed.index);
        match first {
            Some(first) => Self { lowest: first, highest: first, ..self },
            None => self,
        }
    }

    /// What a device leaves: bits of elements instead of keys, and zeros at the end.
    pub(in crate::op) fn finished<T: Keyed<Key = K>>(self) -> [u32; 16] {
        let Self { lowest, highest, figures } = self.united::<T>();
        filled(
            [
                T::bits_of_key(lowest.key).words(),
                lowest.index.words(),
                T::bits_of_key(!highest.key).words(),
                highest.index.words(),
                figures.words(),
            ]
            .concat(),
        )
    }
}
