//! Elements on the GPU, made up, whose sums are known.

use super::IN_FLIGHT;
use crate::buffers::Buffers;
use crate::memory;
use crate::sample::Sample;
use half::{bf16, f16};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow::{self, Break, Continue};
use wgpu_reduce::{Error, GpuReducer};
use wgpu_reduce_known::{hash, uniform};

/// An element that can be made up.
pub(crate) trait Term: Sample {
    /// Whether sums round; those of integers are taken modulo 2^32.
    const ROUNDS: bool;

    /// From the bits of a hash: from 0 to 1 for floats, of at most `bits` bits for integers.
    fn from_hash(hash: u32, bits: u32) -> Self;

    /// The number as `f64`; that of integers modulo 2^32.
    fn widen(self) -> f64;
}

impl Term for f32 {
    const ROUNDS: bool = true;

    fn from_hash(hash: u32, _: u32) -> Self {
        uniform(hash)
    }

    fn widen(self) -> f64 {
        self.into()
    }
}

impl Term for i32 {
    const ROUNDS: bool = false;

    fn from_hash(hash: u32, bits: u32) -> Self {
        u32::from_hash(hash, bits).cast_signed()
    }

    fn widen(self) -> f64 {
        self.cast_unsigned().into()
    }
}

impl Term for u32 {
    const ROUNDS: bool = false;

    fn from_hash(hash: u32, bits: u32) -> Self {
        hash >> (Self::BITS - bits.clamp(1, Self::BITS))
    }

    fn widen(self) -> f64 {
        self.into()
    }
}

macro_rules! narrow_terms {
    ($($integer:ty),*) => {$(
        impl Term for $integer {
            const ROUNDS: bool = false;

            #[expect(clippy::cast_possible_truncation, reason = "no more bits than it has")]
            #[allow(clippy::cast_possible_wrap, reason = "full range")]
            fn from_hash(hash: u32, bits: u32) -> Self {
                u32::from_hash(hash, bits.min(Self::BITS)) as Self
            }

            fn widen(self) -> f64 {
                self.into()
            }
        }
    )*};
}
narrow_terms!(u8, i8, u16, i16);

macro_rules! wide_terms {
    ($($integer:ty),*) => {$(
        impl Term for $integer {
            const ROUNDS: bool = false;

            /// Both halves alike, where all bits are asked for.
            fn from_hash(hash: u32, bits: u32) -> Self {
                let low = u64::from(u32::from_hash(hash, bits));
                let all = if bits < u32::BITS { low } else { low << u32::BITS | low };
                Self::from_le_bytes(all.to_le_bytes())
            }

            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "modulo 2^32"
            )]
            fn widen(self) -> f64 {
                (self as u32).into()
            }
        }
    )*};
}
wide_terms!(i64, u64);

impl Term for f64 {
    const ROUNDS: bool = true;

    fn from_hash(hash: u32, _: u32) -> Self {
        Self::from(hash) / 4_294_967_296.0
    }

    fn widen(self) -> f64 {
        self
    }
}

macro_rules! half_terms {
    ($($half:ty: $bits:literal),*) => {$(
        impl Term for $half {
            const ROUNDS: bool = true;

            /// The number has few bits, so that it is one that `f32` makes of the same.
            fn from_hash(hash: u32, bits: u32) -> Self {
                Self::from_f32(f32::from_hash(hash & $bits, bits))
            }

            fn widen(self) -> f64 {
                self.into()
            }
        }
    )*};
}
// As many bits as their significands have.
half_terms!(f16: 0xFFE0_0000, bf16: 0xFF00_0000);

/// Elements on the GPU, and what the first of them sum to in rows.
#[derive(Debug)]
pub(crate) struct Workload<T> {
    pub(crate) buffers: Buffers<T>,
    /// By the number of elements and of rows.
    sums: BTreeMap<(u64, u32), Vec<f64>>,
}

/// Elements that are made at a time.
const STEP: u64 = 1 << 20;

impl<T: Term> Workload<T> {
    /// As many elements as the largest of `shapes` has, each a number of elements and of rows.
    pub(crate) fn new(
        reducer: &GpuReducer,
        shapes: impl IntoIterator<Item = (u64, u32)>,
    ) -> Result<Self, Error> {
        Self::until(reducer, shapes, || false)
    }

    /// The same, but fewer elements if the time is over before: shapes that have more have no sums then.
    pub(crate) fn until(
        reducer: &GpuReducer,
        shapes: impl IntoIterator<Item = (u64, u32)>,
        is_over: impl Fn() -> bool,
    ) -> Result<Self, Error> {
        let shapes: BTreeSet<_> = shapes.into_iter().collect();
        memory::check(bytes_beside::<T>(shapes.iter().map(|&(_, rows)| rows.into())))?;
        let rows = |shape: (u64, u32)| Ok((shape, memory::filled(0.0, shape.1 as usize)?));
        let mut sums = shapes.into_iter().map(rows).collect::<Result<BTreeMap<_, _>, Error>>()?;
        let largest = sums.keys().next_back().map_or(0, |(elements, _)| *elements);
        let buffers = make(reducer, largest, bits_that_fit(largest), |start, chunk| {
            for (&(elements, rows), sums) in &mut sums {
                add(sums, elements / u64::from(rows.max(1)), start, chunk);
            }
            Ok(if is_over() { Break(()) } else { Continue(()) })
        })?;
        let made = buffers.all()?.len();
        sums.retain(|&(elements, _), _| elements <= made);
        Ok(Self { buffers, sums })
    }

    /// The sums of the rows of one of the shapes. Beyond rounding for integers, which are exact.
    pub(crate) fn sums_of(&self, elements: u64, rows: u32) -> &[f64] {
        self.sums.get(&(elements, rows)).map_or(&[], Vec::as_slice)
    }

    /// The sum of all elements.
    pub(crate) fn total(&self) -> f64 {
        self.sums.values().next_back().map_or(0.0, |sums| sums.iter().sum())
    }
}

/// Bytes of the sums of rows that are known, of shapes with so many rows, and of those that are read while runs wait.
fn bytes_beside<T: Term>(rows: impl Iterator<Item = u64> + Clone) -> u64 {
    let most = rows.clone().max().unwrap_or(0);
    let read = (IN_FLIGHT as u64 + 1).saturating_mul(most).saturating_mul(T::KIND.size_bytes());
    let known = rows.map(|rows| rows.saturating_mul(size_of::<f64>() as u64));
    known.fold(read, u64::saturating_add)
}

/// So many elements on the GPU, integers of at most `bits` bits. `see` gets every piece of them, with the
/// index of its first, and may say that there are enough.
pub(crate) fn make<T: Term>(
    reducer: &GpuReducer,
    elements: u64,
    bits: u32,
    see: impl FnMut(u64, &[T]) -> Result<ControlFlow<()>, Error>,
) -> Result<Buffers<T>, Error> {
    make_from(0, reducer, elements, bits, see)
}

/// The same, but other elements: the first is the one that otherwise has the index `first`.
pub(crate) fn make_from<T: Term>(
    first: u64,
    reducer: &GpuReducer,
    elements: u64,
    bits: u32,
    mut see: impl FnMut(u64, &[T]) -> Result<ControlFlow<()>, Error>,
) -> Result<Buffers<T>, Error> {
    let mut buffers = Buffers::with_room_for(elements, reducer)?;
    let mut chunk = Vec::new();
    let mut start = 0;
    while start < elements {
        let end = elements.min(start + STEP);
        chunk.clear();
        chunk.extend((start..end).map(|index| T::from_hash(hash(first + index), bits)));
        buffers.push(reducer, &chunk)?;
        start = if see(start, &chunk)?.is_break() { elements } else { end };
    }
    Ok(buffers)
}

/// Adds `terms`, of which the first is element `start`, to the sums of the rows that they are in.
fn add<T: Term>(sums: &mut [f64], row_length: u64, start: u64, mut terms: &[T]) {
    let row_length = row_length.max(1);
    let sums = sums.iter_mut().skip(usize::try_from(start / row_length).unwrap_or(usize::MAX));
    let mut left = row_length - start % row_length;
    for sum in sums {
        let in_row = terms.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let (row, after) = terms.split_at(in_row);
        *sum += row.iter().map(|term| term.widen()).sum::<f64>();
        if after.is_empty() {
            break;
        }
        (terms, left) = (after, row_length);
    }
}

/// Bits of integers of which so many sum to less than 2^31.
fn bits_that_fit(length: u64) -> u32 {
    31_u32.saturating_sub(u64::BITS - length.saturating_sub(1).leading_zeros()).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Term, add, bits_that_fit, hash};

    #[test]
    fn integers_do_not_wrap() {
        for length in [0_u64, 1, 2, 3, 1 << 10, (1 << 24) - 1, 1 << 24, (1 << 24) + 1, 1 << 30] {
            let largest = u64::from(u32::from_hash(u32::MAX, bits_that_fit(length)));
            assert!(largest > 0 && length * largest < 1 << 31, "{length} times {largest}");
        }
        assert_eq!(bits_that_fit(u64::MAX), 1);
        assert_eq!(i32::from_hash(u32::MAX, 31), i32::MAX);
        assert_eq!((i32::from_hash(u32::MAX, 32), u32::from_hash(5, 32)), (-1, 5));
    }

    #[test]
    fn floats_are_spread_from_0_to_1() {
        let mean =
            (0..10_000).map(|index| f32::from_hash(hash(index), 0).widen()).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 1e-3, "{mean}");
        assert!(f32::from_hash(u32::MAX, 0) < 1.0);
    }

    #[test]
    fn terms_are_added_to_their_rows() {
        let terms: Vec<u32> = (1..=12).collect();
        for step in 1..=12 {
            let (mut rows, mut first) = (vec![0.0; 3], vec![0.0]);
            let mut start = 0;
            for chunk in terms.chunks(step) {
                add(&mut rows, 4, start, chunk);
                add(&mut first, 5, start, chunk);
                start += chunk.len() as u64;
            }
            assert_eq!((rows, first), (vec![10.0, 26.0, 42.0], vec![15.0]), "{step}");
        }
    }
}
