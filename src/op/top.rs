//! Elements at one end of the order, or of a rank, each with its index.

use super::decode::{nth, value};
use super::fold::{Finisher, Folds, Left};
use super::quantiles::{Ranked, first, nan};
use super::ranks::{Extent, Ranks, Wanted};
use super::words::word64;
use super::{Fold, Located};
use crate::error::Result;

/// The largest elements, each with its index, from the largest on; of equal ones that with the lowest index first.
///
/// The order is that of [`Nth`](crate::Nth) from its end: NaN comes before all numbers, as the type's `NAN`, and +0 before −0. Elements and indices are the same
/// on every device. None come where k is 0. Where there are less than k, verbs fail with [`Error::InvalidRank`](crate::Error::InvalidRank), and where
/// there are no elements, with [`Error::Empty`](crate::Error::Empty).
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Located, TopK};
///
/// let numbers = reducer.upload(&[5_i32, -3, 9, 5])?;
/// let two = reducer.reduce(TopK { k: 2 }, &numbers).run()?;
/// assert_eq!(two, [Located { index: 2, value: 9 }, Located { index: 0, value: 5 }]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// Along an axis there are as many for each row, and indices count along the axis. Of a whole input a device needs 6 storage buffers in a
/// shader ([`Caps::max_storage_buffers`](crate::Caps::max_storage_buffers)); with fewer, verbs fail with [`Error::Unsupported`](crate::Error::Unsupported).
///
/// The last of the k is found as [`Nth`](crate::Nth) says. Where it has equals that are not wanted, its index is found in the same way. One more pass
/// leaves all k, and the host sorts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TopK {
    /// How many.
    pub k: u64,
}

/// The smallest elements, each with its index, from the smallest on; of equal ones that with the lowest index first.
///
/// The order is that of [`Nth`](crate::Nth): NaN comes behind all numbers, and −0 before +0. All else is as [`TopK`] says.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{BottomK, Located};
///
/// let numbers = reducer.upload(&[5.0_f32, -3.0, f32::NAN, -3.0])?;
/// let two = reducer.reduce(BottomK { k: 2 }, &numbers).run()?;
/// assert_eq!(two, [Located { index: 1, value: -3.0 }, Located { index: 3, value: -3.0 }]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BottomK {
    /// How many.
    pub k: u64,
}

/// The element with a rank, as [`Nth`](crate::Nth) has it, and its index; equal elements have their ranks in the order of their indices.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{ArgNth, Located};
///
/// let numbers = reducer.upload(&[7_u8, 2, 7, 1])?;
/// assert_eq!(reducer.reduce(ArgNth { rank: 2 }, &numbers).run()?, Located { index: 0, value: 7 });
/// assert_eq!(ArgNth { rank: 3 }.on_cpu(&[7_u8, 2, 7, 1])?, Located { index: 2, value: 7 });
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// So the index is that of a stable sort, as `numpy.argsort(kind="stable")` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArgNth {
    /// Counted from 0: the rank of the smallest element.
    pub rank: u64,
}

/// What elements are ordered by: the keys of their values, then their indices.
pub(super) const fn place(extent: Extent, key: u64, index: u64) -> (u64, u64) {
    (if matches!(extent, Extent::DownTo) { !key } else { key }, index)
}

/// As [`place`], of an element with its index.
fn place_of<T: Ranked>(extent: Extent) -> impl Fn(&Located<T>) -> (u64, u64) {
    move |of| place(extent, of.value.key(), of.index)
}

/// Bytes of an element with its index, as a device leaves them.
pub(super) const BYTES: usize = 16;

fn read<T: Ranked>(bytes: &[u8], number: usize) -> Result<Located<T>> {
    let bytes = nth(bytes, number, BYTES);
    let [low, high] = value(bytes)?;
    Ok(Located { index: word64(low, high), value: T::read(bytes.get(8..).unwrap_or_default())? })
}

/// What is asked for, and what comes of it once it is in order.
macro_rules! located {
    ($($statistic:ident, $name:literal: |$self:ident| $rank:expr, $count:expr, $extent:expr => $output:ty: $finish:expr;)*) => {$(
        impl $statistic {
            const fn ranks(self) -> Ranks<'static> {
                let $self = self;
                Ranks { name: $name, wanted: Wanted::Located { rank: $rank, extent: $extent } }
            }

            /// How many come of it.
            fn count(self) -> usize {
                let count: fn(Self) -> u64 = $count;
                usize::try_from(count(self)).unwrap_or(usize::MAX)
            }

            /// Computes the result on the host, with the same bits.
            ///
            /// # Errors
            ///
            /// [`Error::Empty`](crate::Error::Empty) of no elements, [`Error::InvalidRank`](crate::Error::InvalidRank) if there are less than
            /// that.
            pub fn on_cpu<T: Ranked>(self, values: &[T]) -> Result<$output> {
                let found = self.ranks().find(values.len() as u64, T::KIND.is_float())?;
                let located = |(index, &value): (usize, &T)| {
                    Located { index: index as u64, value: nan(&value).unwrap_or(value) }
                };
                let mut all: Vec<_> = values.iter().enumerate().map(located).collect();
                all.sort_unstable_by_key(place_of($extent));
                if $extent == Extent::Alone {
                    let rank = found.ranks.first().copied().unwrap_or(0);
                    all.drain(..usize::try_from(rank).unwrap_or(0));
                }
                all.truncate(self.count());
                let finish: fn(Vec<Located<T>>) -> Result<$output> = $finish;
                finish(all)
            }
        }

        impl<T: Ranked> Fold<T> for $statistic {
            type Output = $output;

            fn finisher(&self) -> Finisher<$output> {
                let statistic = *self;
                Box::new(move |left: Left<'_>| {
                    let numbers = 0..statistic.count();
                    let all = numbers.map(|number| read(left.bytes, number)).collect::<Result<Vec<_>>>();
                    let mut all = all?;
                    all.sort_unstable_by_key(place_of($extent));
                    let finish: fn(Vec<Located<T>>) -> Result<$output> = $finish;
                    finish(all)
                })
            }

            fn folds(&self) -> Folds<'_> {
                Folds::Ranks(self.ranks())
            }
        }
    )*};
}
located! {
    ArgNth, "arg_nth": |of| of.rank, |_| 1, Extent::Alone => Located<T>: first;
    BottomK, "bottom_k": |of| of.k.saturating_sub(1), |of| of.k, Extent::UpTo => Vec<Located<T>>: Ok;
    TopK, "top_k": |of| of.k.saturating_sub(1), |of| of.k, Extent::DownTo => Vec<Located<T>>: Ok;
}
