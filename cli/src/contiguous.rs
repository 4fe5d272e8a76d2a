//! Arrays without gaps, of any number of dimensions, as a reduction along axes sees them.

use wgpu_reduce::{Error, View};
use wgpu_reduce_npy::Shape;

/// An array as a view along axes: along one of them as three dimensions, of which that is the second.
#[derive(Debug)]
pub(crate) struct Along {
    shape: Shape,
    pub(crate) axes: Vec<usize>,
    /// Of one axis what that is repeated for, the axis, and what lies within a step along it.
    pub(crate) view: View,
    pub(crate) axes_of_view: Vec<usize>,
}

impl Along {
    /// Fails if there is no such axis, if there are too many elements for a view, or along several axes too many dimensions.
    pub(crate) fn new(shape: Shape, axes: Vec<usize>) -> Result<Self, String> {
        let count = shape.extents.len();
        if let &[axis] = &axes[..] {
            let no_axis = || format!("there is no axis {axis}: it has {count} dimensions");
            let (before, rest) = shape.extents.split_at_checked(axis).ok_or_else(no_axis)?;
            let (&len, after) = rest.split_first().ok_or_else(no_axis)?;
            let (before, after) = (elements(before), elements(after));
            let (outer, inner) = if shape.is_fortran { (after, before) } else { (before, after) };
            let view = View::new(&[outer, len, inner]);
            let view = view.map_err(|_| too_many_elements(&shape.extents))?;
            return Ok(Self { shape, axes, view, axes_of_view: vec![1] });
        }
        if count > MOST_DIMENSIONS {
            return Err(format!(
                "--axis takes several axes of arrays with up to {MOST_DIMENSIONS} dimensions, and it has {count}"
            ));
        }
        let view = whole(&shape).map_err(|_| too_many_elements(&shape.extents))?;
        let axes_of_view = axes.clone();
        Ok(Self { shape, axes, view, axes_of_view })
    }

    /// The shape of the results: that of the array without the axes.
    pub(crate) fn extents(&self) -> Vec<u64> {
        let others = self.shape.extents.iter().enumerate().filter(|(n, _)| !self.axes.contains(n));
        others.map(|(_, &extent)| extent).collect()
    }

    /// How many results there are.
    pub(crate) fn results(&self) -> u64 {
        elements(&self.extents())
    }

    /// How many elements each of the results is of.
    pub(crate) fn row_len(&self) -> u64 {
        let extents = self.axes.iter().filter_map(|&axis| self.shape.extents.get(axis).copied());
        extents.fold(1, u64::saturating_mul)
    }

    /// Whether results of the view come with the first index of the array counting fastest.
    fn is_turned(&self) -> bool {
        self.shape.is_fortran && self.axes.len() == 1
    }

    /// An error of the view as one of the array, whose results are numbered row by row.
    pub(crate) fn told(&self, error: Error) -> Error {
        match error {
            Error::EmptyResult { operation, result } if self.is_turned() => {
                let result = turned(result, self.extents().into_iter().rev());
                Error::EmptyResult { operation, result }
            }
            error => error,
        }
    }

    /// The results of the view, row by row of the array.
    pub(crate) fn row_by_row<R>(&self, results: Vec<R>) -> Vec<R> {
        let extents = self.extents();
        if !self.is_turned() || extents.iter().filter(|&&extent| extent != 1).count() < 2 {
            return results;
        }
        ordered(results, |number| turned(number, extents.iter().copied()))
    }
}

/// Gives the last dimension of results another place, and returns the results in row-major order of their new shape.
pub(crate) fn with_last_at<R>(place: usize, results: Vec<R>, extents: &mut Vec<u64>) -> Vec<R> {
    let Some(len) = extents.pop() else { return results };
    let inner = elements(extents.get(place..).unwrap_or_default());
    extents.insert(place.min(extents.len()), len);
    if len <= 1 || inner <= 1 {
        return results;
    }
    ordered(results, |number| {
        let (outer, within) = (number / (len * inner), number % (len * inner));
        outer * len * inner + within % inner * len + within / inner
    })
}

/// Results in another order, in which each comes from the place that belongs to its number.
fn ordered<R>(results: Vec<R>, place: impl Fn(u64) -> u64) -> Vec<R> {
    let numbers = 0..results.len() as u64;
    // Each is moved, because a copy of all would take as much memory again.
    let mut results: Vec<_> = results.into_iter().map(Some).collect();
    let mut ordered = Vec::with_capacity(results.len());
    let taken = |number| results.get_mut(usize::try_from(place(number)).ok()?)?.take();
    ordered.extend(numbers.filter_map(taken));
    ordered
}

/// A view has no more.
const MOST_DIMENSIONS: usize = 6;

/// The array, dimension for dimension.
fn whole(shape: &Shape) -> Result<View, Error> {
    let mut extents = shape.extents.clone();
    if !shape.is_fortran {
        return View::new(&extents);
    }
    extents.reverse();
    let mut strides = View::new(&extents)?.strides().to_vec();
    strides.reverse();
    View::strided(&shape.extents, &strides, 0)
}

/// Returns a shape as `3 x 4`.
pub(crate) fn by(extents: &[u64]) -> String {
    extents.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ")
}

/// The error of an array with more elements than a [`View`] has.
pub(crate) fn too_many_elements(extents: &[u64]) -> String {
    format!("an array of {} has too many elements", by(extents))
}

/// How many there are of such extents.
fn elements(extents: &[u64]) -> u64 {
    extents.iter().fold(1, |product, &extent| product.saturating_mul(extent))
}

/// Where something is, if the first index counts fastest, whose number is this if the last does.
fn turned(mut number: u64, extents: impl DoubleEndedIterator<Item = u64> + Clone) -> u64 {
    let mut stride = extents.clone().product::<u64>();
    let mut place = 0;
    for extent in extents.rev().filter(|&extent| extent > 1) {
        stride /= extent;
        place += number % extent * stride;
        number /= extent;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::{Along, turned, with_last_at};
    use wgpu_reduce_npy::Shape;

    #[test]
    fn results_of_both_orders_come_row_by_row() {
        let extents = vec![2, 1, 3, 5, 4];
        let mut shape = Shape { extents, is_fortran: false };
        let along = Along::new(shape.clone(), vec![3]).unwrap();
        assert_eq!(along.view.shape(), [6, 5, 4]);
        assert_eq!(along.extents(), [2, 1, 3, 4]);
        assert_eq!(along.row_by_row((0..24).collect()), (0..24).collect::<Vec<_>>());
        shape.is_fortran = true;
        let along = Along::new(shape.clone(), vec![3]).unwrap();
        assert_eq!(along.view.shape(), [4, 5, 6]);
        // The indices (i, 0, j, k) of each, in Fortran's order.
        let numbers = (0..4).flat_map(|k| (0..3).flat_map(move |j| [[0, j, k], [1, j, k]]));
        let turned = along.row_by_row(numbers.collect());
        assert!(turned.is_sorted() && turned.len() == 24, "{turned:?}");
        assert!(Along::new(shape.clone(), vec![5]).is_err());
    }

    #[test]
    fn several_axes_are_those_of_the_array() {
        let mut shape = Shape { extents: vec![2, 3, 4], is_fortran: false };
        let along = Along::new(shape.clone(), vec![0, 2]).unwrap();
        assert_eq!((along.view.strides(), along.extents()), (&[12, 4, 1][..], vec![3]));
        shape.is_fortran = true;
        let along = Along::new(shape.clone(), vec![2, 0]).unwrap();
        assert_eq!((along.view.strides(), along.extents()), (&[1, 2, 6][..], vec![3]));
        assert_eq!(along.row_by_row(vec![5, 6, 7]), [5, 6, 7]);
        let long = Shape { extents: vec![1; 7], is_fortran: false };
        assert!(Along::new(long.clone(), vec![0, 1]).is_err() && Along::new(long, vec![6]).is_ok());
    }

    #[test]
    fn a_dimension_moves_to_its_place() {
        // The element (i, j, k) of 2 by 3 by 4.
        let results =
            || (0..2).flat_map(|i| (0..3).flat_map(move |j| (0..4).map(move |k| [i, j, k])));
        for (place, shape) in [(0, [4, 2, 3]), (1, [2, 4, 3]), (2, [2, 3, 4])] {
            let mut extents = vec![2, 3, 4];
            let moved = with_last_at(place, results().collect(), &mut extents);
            assert_eq!(extents, shape);
            let mut expected: Vec<_> = results().collect();
            expected.sort_by_key(|&[i, j, k]| {
                let mut index = vec![i, j];
                index.insert(place, k);
                index
            });
            assert_eq!(moved, expected);
        }
    }

    #[test]
    fn numbers_are_turned_and_back() {
        let extents = [3, 1, 2, 4];
        for number in 0..24 {
            let place = turned(number, extents.into_iter());
            assert_eq!(turned(place, extents.into_iter().rev()), number);
        }
        // (2, 0, 1, 3) is the last, and (0, 0, 0, 1) the second.
        assert_eq!((turned(23, extents.into_iter()), turned(1, extents.into_iter())), (23, 6));
    }
}
