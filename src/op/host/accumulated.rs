//! Accumulators as they lie in memory.

use crate::error::Result;

/// What has words, the lowest first: a number, or numbers that are the fields of a WGSL type, in their order.
pub(in crate::op) trait Words: Copy {
    /// How many.
    const LEN: usize;

    /// Takes its words. What is not there is zero.
    fn take(words: &mut impl Iterator<Item = u32>) -> Self;

    fn words(self) -> Vec<u32>;
}

impl Words for u32 {
    const LEN: usize = 1;

    fn take(words: &mut impl Iterator<Item = u32>) -> Self {
        words.next().unwrap_or(0)
    }

    fn words(self) -> Vec<u32> {
        vec![self]
    }
}

macro_rules! of_halves {
    ($($number:ty: $half:ty),*) => {$(
        #[expect(clippy::cast_possible_truncation, reason = "the halves")]
        impl Words for $number {
            const LEN: usize = 2 * <$half>::LEN;

            fn take(words: &mut impl Iterator<Item = u32>) -> Self {
                let low = Self::from(<$half>::take(words));
                Self::from(<$half>::take(words)) << <$half>::BITS | low
            }

            fn words(self) -> Vec<u32> {
                [self as $half, (self >> <$half>::BITS) as $half].words()
            }
        }
    )*};
}
of_halves!(u64: u32, u128: u64);

macro_rules! of_bits {
    ($($float:ty: $bits:ty),*) => {$(
        impl Words for $float {
            const LEN: usize = <$bits>::LEN;

            fn take(words: &mut impl Iterator<Item = u32>) -> Self {
                Self::from_bits(<$bits>::take(words))
            }

            fn words(self) -> Vec<u32> {
                self.to_bits().words()
            }
        }
    )*};
}
of_bits!(f32: u32, f64: u64);

impl<T: Words, const N: usize> Words for [T; N] {
    const LEN: usize = N * T::LEN;

    fn take(words: &mut impl Iterator<Item = u32>) -> Self {
        std::array::from_fn(|_| T::take(words))
    }

    fn words(self) -> Vec<u32> {
        self.into_iter().flat_map(T::words).collect()
    }
}

/// A struct that has the words of its fields.
macro_rules! accumulator {
    (
        $(#[$attribute:meta])*
        $name:ident $(<$($kind:ident: $bound:path),+>)? {
            $($(#[$doc:meta])* $visibility:vis $field:ident: $type:ty),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub(in crate::op) struct $name $(<$($kind: $bound),+>)? {
            $($(#[$doc])* $visibility $field: $type),+
        }

        impl $(<$($kind: $bound),+>)? $crate::op::host::Words for $name $(<$($kind),+>)? {
            const LEN: usize = 0 $(+ <$type as $crate::op::host::Words>::LEN)+;

            fn take(words: &mut impl Iterator<Item = u32>) -> Self {
                Self { $($field: $crate::op::host::Words::take(words)),+ }
            }

            fn words(self) -> Vec<u32> {
                [$($crate::op::host::Words::words(self.$field)),+].concat()
            }
        }
    };
}
pub(super) use accumulator;

/// An accumulator, which is read from its words: the fields of the WGSL type `Acc`, in their order.
pub(in crate::op) trait Accumulated: Sized {
    /// How many.
    const WORDS: usize;

    fn of(words: &[u32]) -> Result<Self>;
}

impl<T: Words> Accumulated for T {
    const WORDS: usize = T::LEN;

    fn of(words: &[u32]) -> Result<Self> {
        Ok(T::take(&mut words.iter().copied()))
    }
}

/// The total as it is.
pub(in crate::op) const fn same<A: Copy>(total: A) -> A {
    total
}

/// Words, and zeros behind them.
pub(in crate::op) fn filled<const N: usize>(words: impl IntoIterator<Item = u32>) -> [u32; N] {
    let mut filled = [0; N];
    filled.iter_mut().zip(words).for_each(|(place, word)| *place = word);
    filled
}
