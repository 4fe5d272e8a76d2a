//! The order of elements, for extremes on the host.

use super::results::Located;
use std::cmp::Ordering;

/// An element type with a total order of everything but NaN.
pub(super) trait Ordered: Copy {
    fn order(&self, other: &Self) -> Ordering;

    /// Its one NaN if this is a NaN.
    fn nan(self) -> Option<Self>;
}

macro_rules! ordered_floats {
    ($($float:ty),*) => {$(
        impl Ordered for $float {
            /// -0 is less than +0.
            fn order(&self, other: &Self) -> Ordering {
                self.total_cmp(other)
            }

            fn nan(self) -> Option<Self> {
                self.is_nan().then_some(Self::NAN)
            }
        }
    )*};
}
ordered_floats!(f32, f64);

macro_rules! ordered_integers {
    ($($integer:ty),*) => {$(
        impl Ordered for $integer {
            fn order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }

            fn nan(self) -> Option<Self> {
                None
            }
        }
    )*};
}
ordered_integers!(i32, u32, i64, u64);

/// What is to be found.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    Smallest,
    Largest,
}

/// The first NaN if there is one, else the first of the elements that no other is beyond; `None` of no
/// elements.
pub(super) fn extreme<T: Ordered>(values: &[T], end: End) -> Option<Located<T>> {
    let all = || located(values);
    let nan = all()
        .find_map(|Located { index, value }| value.nan().map(|value| Located { index, value }));
    nan.or_else(|| first_extreme(all(), end))
}

/// The first of the elements that are not NaN and that no other one is beyond; `None` if all are NaN.
pub(super) fn extreme_but_nan<T: Ordered>(values: &[T], end: End) -> Option<Located<T>> {
    first_extreme(located(values).filter(|located| located.value.nan().is_none()), end)
}

fn located<T: Ordered>(values: &[T]) -> impl Iterator<Item = Located<T>> {
    (0..).zip(values).map(|(index, &value)| Located { index, value })
}

fn first_extreme<T: Ordered>(
    values: impl Iterator<Item = Located<T>>,
    end: End,
) -> Option<Located<T>> {
    values.reduce(|first, next| {
        let beyond = match end {
            End::Smallest => Ordering::Less,
            End::Largest => Ordering::Greater,
        };
        let is_beyond = next.value.order(&first.value) == beyond;
        if is_beyond { next } else { first }
    })
}
