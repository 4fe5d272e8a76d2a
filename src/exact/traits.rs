//! What the language asks of an exact sum.

use super::ExactSum;
use super::format::{Binary as _, ExactElement};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::AddAssign;

/// Elements of an iterator that are kept to be added at once.
const BUFFER: usize = 4096;

// Derived implementations would ask of elements what is asked of digits.
impl<T: ExactElement> Clone for ExactSum<T> {
    fn clone(&self) -> Self {
        Self { total: self.total, ..*self }
    }
}

impl<T: ExactElement> PartialEq for ExactSum<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.total, self.count, self.class) == (other.total, other.count, other.class)
    }
}

impl<T: ExactElement> Eq for ExactSum<T> {}

impl<T: ExactElement> Hash for ExactSum<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.total, self.count, self.class).hash(state);
    }
}

impl<T: ExactElement> fmt::Debug for ExactSum<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { total, count, class } = self;
        f.debug_struct("ExactSum")
            .field("total", total)
            .field("count", count)
            .field("class", class)
            .finish()
    }
}

impl<T: ExactElement> Default for ExactSum<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: ExactElement> AddAssign<T> for ExactSum<T> {
    fn add_assign(&mut self, value: T) {
        self.add(value);
    }
}

impl<T: ExactElement> AddAssign<&Self> for ExactSum<T> {
    fn add_assign(&mut self, other: &Self) {
        self.merge(other);
    }
}

impl<T: ExactElement> Extend<T> for ExactSum<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        let mut buffer = Vec::with_capacity(BUFFER);
        for value in values {
            buffer.push(value);
            if buffer.len() == BUFFER {
                self.add_slice(&buffer);
                buffer.clear();
            }
        }
        self.add_slice(&buffer);
    }
}

impl<'a, T: ExactElement> Extend<&'a T> for ExactSum<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, values: I) {
        self.extend(values.into_iter().copied());
    }
}

impl<T: ExactElement> FromIterator<T> for ExactSum<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut sum = Self::new();
        sum.extend(values);
        sum
    }
}

impl<'a, T: ExactElement> FromIterator<&'a T> for ExactSum<T> {
    fn from_iter<I: IntoIterator<Item = &'a T>>(values: I) -> Self {
        values.into_iter().copied().collect()
    }
}

/// The same sum, which of `f64` has room for more.
///
/// ```
/// use wgpu_reduce::ExactSum;
///
/// let mut sum = ExactSum::<f64>::from(ExactSum::from_iter([0.5_f32, 1e10]));
/// sum += &ExactSum::from_iter([1e300_f64, -1e10]);
/// sum += -1e300;
/// assert_eq!((sum.round(), sum.count()), (0.5, 5));
/// ```
impl From<ExactSum<f32>> for ExactSum<f64> {
    fn from(single: ExactSum<f32>) -> Self {
        let mut sum = Self::new();
        let mut bit = f32::FORMAT.unit_exponent().abs_diff(f64::FORMAT.unit_exponent());
        let [lower @ .., top] = single.total.0;
        for limb in lower {
            sum.total.add_shifted(limb.into(), bit);
            bit += u64::BITS;
        }
        sum.total.add_shifted(top.cast_signed().into(), bit);
        sum.take(single.count, single.class, 0, 0);
        sum
    }
}
