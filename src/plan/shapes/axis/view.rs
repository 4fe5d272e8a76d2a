//! Views: how many elements there are in each dimension, and where they lie.

use crate::error::{Error, Result};
use crate::plan::shapes::axis::axes::{Axes, AxisSet};
use crate::plan::shapes::axis::walk::{Order, Walk};
use std::ops::RangeInclusive;

/// A matrix whose rows follow each other without a gap.
///
/// ```
/// use wgpu_reduce::{Matrix, View};
///
/// let view = View::from(Matrix { rows: 3, columns: 4 });
/// assert_eq!((view.shape(), view.strides()), (&[3, 4][..], &[4, 1][..]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Matrix {
    /// How many rows there are.
    pub rows: u64,
    /// How many elements each of them has.
    pub columns: u64,
}

/// Elements of a buffer as an array of one to six dimensions, as NumPy sees one: element (i, j, …) is
/// that with the index `offset` + i · `strides[0]` + j · `strides[1]` + …
///
/// Strides count elements; they may be negative, or 0, which repeats elements. Nothing is copied or
/// transposed for a view.
///
/// ```
/// use wgpu_reduce::View;
///
/// // Every second column of a matrix of 3 rows and 4 columns, the last first.
/// let view = View::strided(&[3, 2], &[4, -2], 3)?;
/// assert_eq!(view.len(), 6);
/// assert_eq!(View::new(&[2, 3, 4])?.strides(), [12, 4, 1]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct View {
    rank: usize,
    shape: [u64; MAX_DIMENSIONS],
    strides: [i64; MAX_DIMENSIONS],
    offset: u64,
}

/// A view has no more.
pub(crate) const MAX_DIMENSIONS: usize = 6;

/// One dimension of those that stay, or of those that are reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dimension {
    pub(crate) extent: u64,
    /// Elements from one to the next.
    pub(crate) stride: i64,
    /// Results from one to the next; of a reduced one partials.
    pub(crate) slots: u64,
    /// Indices from one to the next; 0 for one that stays.
    pub(crate) places: u64,
}

impl Dimension {
    /// From the first of `extent` to the last.
    pub(crate) fn reach(&self) -> i128 {
        i128::from(self.extent.max(1) - 1) * i128::from(self.stride)
    }
}

/// A view as a reduction along axes sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Along {
    /// Elements along the axis that kernels walk, and from one to the next.
    pub(crate) len: u64,
    pub(crate) stride: i64,
    /// The other reduced dimensions, if elements along them are not a stride apart: each of their positions leaves
    /// partials. The slowest is first.
    pub(crate) outer: Vec<Dimension>,
    /// Whether partials are combined in the order of the view.
    pub(crate) is_in_order: bool,
    /// The dimensions that stay, the longest stride first; those that can be counted as one are one, and
    /// there is one at least.
    pub(crate) kept: Vec<Dimension>,
    /// The number of the first element.
    pub(crate) offset: u64,
    /// How many results there are.
    pub(crate) results: u64,
}

impl Along {
    /// Elements of a result.
    pub(crate) fn elements(&self) -> u64 {
        positions(&self.outer) * self.len
    }
}

/// How many positions there are in some dimensions.
pub(crate) fn positions(dimensions: &[Dimension]) -> u64 {
    dimensions.iter().map(|dimension| dimension.extent).product()
}

impl View {
    /// All elements of an array whose last dimension has neighbours, without a gap: row-major, NumPy's
    /// order C. A dimension of 0 makes an array without elements.
    ///
    /// ```
    /// use wgpu_reduce::{Error, View};
    ///
    /// let view = View::new(&[2, 3, 4])?;
    /// assert_eq!((view.len(), view.strides(), view.offset()), (24, &[12, 4, 1][..], 0));
    /// assert!(View::new(&[2, 0])?.is_empty());
    /// assert!(matches!(View::new(&[]), Err(Error::InvalidView { .. })));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`strided`](Self::strided).
    pub fn new(shape: &[u64]) -> Result<Self> {
        let mut strides = vec![0; shape.len()];
        let mut stride = 1_u64;
        for (place, &extent) in strides.iter_mut().zip(shape).rev() {
            *place = i64::try_from(stride).map_err(|_| too_large(shape))?;
            stride = stride.checked_mul(extent.max(1)).ok_or_else(|| too_large(shape))?;
        }
        Self::strided(shape, &strides, 0)
    }

    /// Elements that are `strides` apart, from the one with the index `offset` on. Offset and strides count elements, not
    /// bytes.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Sum, View};
    ///
    /// // 2 rows of 3, in column-major order, as Fortran has them: the sums of the rows.
    /// let buffer = reducer.upload(&[1_u32, 4, 2, 5, 3, 6])?;
    /// let view = View::strided(&[2, 3], &[1, 2], 0)?;
    /// assert_eq!(reducer.reduce(Sum, &buffer).along(view, 1).start()?.wait()?, [6, 15]);
    /// // The second row backwards, and twice.
    /// let view = View::strided(&[2, 3], &[0, -2], 5)?;
    /// assert_eq!(reducer.reduce(Sum, &buffer).along(view, 1).start()?.wait()?, [15, 15]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`] if there is no dimension or more than six, not as many strides as
    /// dimensions, more elements than 2^63, or one that would lie before the buffer's first or beyond
    /// the index 2^63. What lies behind the end of a buffer is told when the view is used with one.
    pub fn strided(shape: &[u64], strides: &[i64], offset: u64) -> Result<Self> {
        let rank = shape.len();
        let fault = match strides.len() {
            _ if !(1..=MAX_DIMENSIONS).contains(&rank) => {
                Some(format!("it has {rank} dimensions, and there must be 1 to {MAX_DIMENSIONS}"))
            }
            count if count != rank => Some(format!("{rank} dimensions have {count} strides")),
            _ => None,
        };
        if let Some(what) = fault {
            return Err(Error::InvalidView { what });
        }
        let mut view = Self { rank, shape: [1; 6], strides: [0; 6], offset };
        for (place, &extent) in view.shape.iter_mut().zip(shape) {
            *place = extent;
        }
        for (place, &stride) in view.strides.iter_mut().zip(strides) {
            *place = stride;
        }
        let elements = shape.iter().try_fold(1_u64, |n, &extent| n.checked_mul(extent.max(1)));
        if elements.is_none_or(|n| n > MOST) {
            return Err(too_large(shape));
        }
        let (lowest, highest) = view.reach();
        if !view.is_empty() && (lowest < 0 || highest > i128::from(MOST)) {
            let what = format!("its elements have the indices {lowest} to {highest}");
            return Err(Error::InvalidView { what });
        }
        Ok(view)
    }

    /// How many elements there are in each dimension.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        self.shape.get(..self.rank).unwrap_or_default()
    }

    /// Elements from one to the next in each dimension.
    #[must_use]
    pub fn strides(&self) -> &[i64] {
        self.strides.get(..self.rank).unwrap_or_default()
    }

    /// The index of the first element.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// How many elements there are in all.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.shape().iter().product()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The shape of the results along axes: that of the view without them.
    ///
    /// ```
    /// use wgpu_reduce::View;
    ///
    /// let view = View::new(&[2, 3, 4])?;
    /// assert_eq!(view.without(1)?, [2, 4]);
    /// assert_eq!(view.without([0, 2])?, [3]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`] if there is no such axis, or one is named twice.
    pub fn without(&self, axes: impl Axes) -> Result<Vec<u64>> {
        self.shape_without(AxisSet::new(&axes))
    }

    /// The shape of the results along axes, with 1 for each of these: NumPy's `keepdims`.
    ///
    /// ```
    /// use wgpu_reduce::View;
    ///
    /// assert_eq!(View::new(&[2, 3, 4])?.with_ones([0, 2])?, [1, 3, 1]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`without`](Self::without).
    pub fn with_ones(&self, axes: impl Axes) -> Result<Vec<u64>> {
        let axes = AxisSet::new(&axes);
        axes.check(self.rank)?;
        let shape = self.shape().iter().enumerate();
        Ok(shape.map(|(axis, &extent)| if axes.has(axis) { 1 } else { extent }).collect())
    }

    /// Elements of each result along axes.
    pub(crate) fn len_of(&self, axes: AxisSet) -> u64 {
        let reduced = self.shape().iter().enumerate().filter(|&(axis, _)| axes.has(axis));
        reduced.map(|(_, &extent)| extent).product()
    }

    pub(crate) fn shape_without(&self, axes: AxisSet) -> Result<Vec<u64>> {
        axes.check(self.rank)?;
        let others = self.shape().iter().enumerate().filter(|&(axis, _)| !axes.has(axis));
        Ok(others.map(|(_, &extent)| extent).collect())
    }

    /// The lowest index of an element, and the highest.
    fn reach(&self) -> (i128, i128) {
        let first = i128::from(self.offset);
        self.shape().iter().zip(self.strides()).fold((first, first), |(low, high), (&n, &s)| {
            let reach = i128::from(n.max(1) - 1) * i128::from(s);
            (low + reach.min(0), high + reach.max(0))
        })
    }

    /// The numbers of its elements, from the lowest to the highest; none, if there is no element.
    pub(crate) fn numbers(&self) -> Option<RangeInclusive<u64>> {
        let (lowest, highest) = self.reach();
        let numbers = (u64::try_from(lowest).ok()?, u64::try_from(highest).ok()?);
        (!self.is_empty()).then_some(numbers.0..=numbers.1)
    }

    /// Fails unless all elements lie among so many.
    pub(crate) fn check_len(&self, len: u64) -> Result<()> {
        let (_, highest) = self.reach();
        if self.is_empty() || highest < i128::from(len) {
            return Ok(());
        }
        let what = format!("its last element has the index {highest}, and there are {len}");
        Err(Error::InvalidView { what })
    }

    /// What a reduction along axes sees.
    pub(crate) fn along(&self, axes: AxisSet, walk: Walk) -> Result<Along> {
        let results = self.shape_without(axes)?.iter().product();
        let mut kept = Vec::with_capacity(MAX_DIMENSIONS);
        let mut reduced = Vec::with_capacity(MAX_DIMENSIONS);
        let (mut slots, mut places) = (1, 1);
        let dimensions = self.shape().iter().zip(self.strides()).enumerate();
        for (number, (&extent, &stride)) in dimensions.rev() {
            if axes.has(number) {
                reduced.push(Dimension { extent, stride, slots: places, places });
                places *= extent.max(1);
            } else {
                kept.push(Dimension { extent, stride, slots, places: 0 });
                slots *= extent.max(1);
            }
        }
        reduced.reverse();
        let (walked, outer) = walk.walked(reduced);
        // Nothing is ever next of one.
        let stride = if walked.extent == 1 { 1 } else { walked.stride };
        let (len, is_in_order) = (walked.extent, walk.order == Order::OfView);
        let (kept, offset) = (merged(kept), self.offset);
        Ok(Along { len, stride, outer, is_in_order, kept, offset, results })
    }
}

impl From<Matrix> for View {
    /// One with more elements than 2^63 becomes one that no buffer has. Without rows, or without columns, there are no
    /// elements, however many there are of the other.
    fn from(Matrix { rows, columns }: Matrix) -> Self {
        let shape = [rows, columns];
        let of = |[rows, columns]: [u64; 2]| Self {
            rank: 2,
            shape: [rows, columns, 1, 1, 1, 1],
            strides: [2, 1, 0, 0, 0, 0],
            offset: 0,
        };
        // Where there are no elements, nothing is ever a stride away.
        let or_else = if shape.contains(&0) { of(shape) } else { of([MOST / 2, 2]) };
        Self::new(&shape).unwrap_or(or_else)
    }
}

/// No element has a higher number.
const MOST: u64 = 1 << 63;

fn too_large(shape: &[u64]) -> Error {
    Error::InvalidView { what: format!("an array of the shape {shape:?} has too many elements") }
}

/// Returns as few dimensions as can be with the same elements and results, the longest stride first.
pub(crate) fn merged(mut dimensions: Vec<Dimension>) -> Vec<Dimension> {
    sort(&mut dimensions);
    joined(dimensions)
}

/// Puts the longest stride first, and leaves those of the same length in their order. There are few dimensions, and code that sorts
/// many is large in the npm package.
pub(crate) fn sort(dimensions: &mut [Dimension]) {
    let is_longer = |one: &Dimension, other: &Dimension| {
        one.stride.unsigned_abs() > other.stride.unsigned_abs()
    };
    for end in 1..dimensions.len() {
        for at in (0..end).rev() {
            match dimensions.get_mut(at..at + 2) {
                Some([before, behind]) if is_longer(behind, before) => {
                    std::mem::swap(before, behind);
                }
                _ => break,
            }
        }
    }
}

/// Numbers their positions row-major: by `slots`.
pub(crate) fn number(dimensions: &mut [Dimension]) {
    let mut slots = 1;
    for dimension in dimensions.iter_mut().rev() {
        dimension.slots = slots;
        slots *= dimension.extent.max(1);
    }
}

/// Returns as few dimensions as can be with the same elements and results in the same order, and one at least.
pub(crate) fn joined(dimensions: Vec<Dimension>) -> Vec<Dimension> {
    let mut kept: Vec<Dimension> = Vec::with_capacity(dimensions.len());
    for inner in without_ones(dimensions) {
        let extent = i128::from(inner.extent);
        match kept.last_mut() {
            Some(outer)
                if i128::from(outer.stride) == extent * i128::from(inner.stride)
                    && i128::from(outer.slots) == extent * i128::from(inner.slots)
                    && i128::from(outer.places) == extent * i128::from(inner.places) =>
            {
                *outer = Dimension { extent: outer.extent * inner.extent, ..inner };
            }
            _ => kept.push(inner),
        }
    }
    kept
}

/// Returns the dimensions along which there is a next, or one of one position.
pub(crate) fn without_ones(mut dimensions: Vec<Dimension>) -> Vec<Dimension> {
    dimensions.retain(|dimension| dimension.extent != 1);
    if dimensions.is_empty() {
        dimensions.push(Dimension { extent: 1, stride: 1, slots: 1, places: 0 });
    }
    dimensions
}
