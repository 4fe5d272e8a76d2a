//! Axes of a view, one or several.

use crate::error::{Error, Result};
use crate::plan::shapes::axis::view::MAX_DIMENSIONS;

/// Axes of a view, by their numbers from 0 on: one number, or an array, a slice or a vector of them, in any order.
///
/// ```
/// use wgpu_reduce::{Axes, View};
///
/// let view = View::new(&[2, 3, 4])?;
/// assert_eq!(view.without(2)?, [2, 3]);
/// assert_eq!(view.without([2, 0])?, [3]);
/// assert!(view.without(vec![0, 1, 2])?.is_empty());
/// // No axis.
/// assert_eq!(view.without([])?, [2, 3, 4]);
/// assert_eq!([2, 0].numbers(), [2, 0]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
pub trait Axes {
    /// Returns the numbers of the axes.
    fn numbers(&self) -> &[usize];
}

impl Axes for usize {
    fn numbers(&self) -> &[usize] {
        std::slice::from_ref(self)
    }
}

impl Axes for [usize] {
    fn numbers(&self) -> &[usize] {
        self
    }
}

impl<const N: usize> Axes for [usize; N] {
    fn numbers(&self) -> &[usize] {
        self
    }
}

impl Axes for Vec<usize> {
    fn numbers(&self) -> &[usize] {
        self
    }
}

impl<A: Axes + ?Sized> Axes for &A {
    fn numbers(&self) -> &[usize] {
        (**self).numbers()
    }
}

/// Axes as plain data, with the first that is wrong in every view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisSet {
    /// Bit i says whether axis i is one of them.
    bits: u8,
    fault: Option<Fault>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// No view has so many dimensions.
    Absent(usize),
    Twice(usize),
}

impl AxisSet {
    pub(crate) fn new(axes: &impl Axes) -> Self {
        let mut set = Self { bits: 0, fault: None };
        for &axis in axes.numbers() {
            let fault = match axis {
                MAX_DIMENSIONS.. => Some(Fault::Absent(axis)),
                _ if set.has(axis) => Some(Fault::Twice(axis)),
                _ => None,
            };
            set.bits |= 1_u8.checked_shl(u32::try_from(axis).unwrap_or(u32::MAX)).unwrap_or(0);
            set.fault = set.fault.or(fault);
        }
        set
    }

    pub(crate) const fn has(self, axis: usize) -> bool {
        axis < MAX_DIMENSIONS && self.bits >> axis & 1 == 1
    }

    /// Fails unless a view of so many dimensions has each of them, and each is named once.
    pub(crate) fn check(self, rank: usize) -> Result<()> {
        let highest = (0..MAX_DIMENSIONS).rev().find(|&axis| self.has(axis));
        let absent = highest.filter(|&axis| axis >= rank).map(Fault::Absent);
        let fault = absent.or(self.fault);
        let what = match fault {
            None => return Ok(()),
            Some(Fault::Absent(axis)) => {
                format!("there is no axis {axis}: it has {rank} dimensions")
            }
            Some(Fault::Twice(axis)) => format!("axis {axis} is named twice"),
        };
        Err(Error::InvalidView { what })
    }
}

#[cfg(test)]
mod tests {
    use super::AxisSet;
    use crate::error::Error;

    #[test]
    fn what_is_wrong_is_named() {
        let told = |axes: &[usize]| match AxisSet::new(&axes).check(3) {
            Err(Error::InvalidView { what }) => what,
            other => format!("{other:?}"),
        };
        for right in [&[][..], &[0], &[2, 0, 1]] {
            assert_eq!(told(right), "Ok(())");
        }
        assert_eq!(told(&[1, 0, 1]), "axis 1 is named twice");
        for absent in [3, 6, 8, 64, usize::MAX] {
            let expected = format!("there is no axis {absent}: it has 3 dimensions");
            assert_eq!(told(&[0, absent]), expected);
        }
        assert_eq!(told(&[9, 9]), "there is no axis 9: it has 3 dimensions");
    }
}
