//! How far a running sum strays from the exact one, order by order.

use crate::object;
use crate::orders::{numbers, shuffle};
use js_sys::Float64Array;
use std::ops::{Add, Neg};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};
use wgpu_reduce::{ExactElement, ExactSum};

/// So many numbers of either sign and very different magnitudes.
#[wasm_bindgen]
#[must_use]
pub fn disagreeing(count: u32) -> Vec<f64> {
    numbers(count).into_iter().map(f64::from).collect()
}

/// Sums numbers one by one, as `f32` or `f64`, in an order: `given`, `shuffled` or `smallest`, the smallest magnitude
/// first. Returns an object: `counts`, of which prefixes there is a point; `errors`, how far the running sum is from
/// the exact one there; `rounded`, how far the exact sum is once it is rounded; `sum` and `exact` of all numbers.
///
/// # Errors
///
/// There is no such type or order.
#[wasm_bindgen]
pub fn course(
    mut given: Vec<f64>,
    elements: &str,
    order: &str,
    points: usize,
) -> Result<JsValue, JsError> {
    match order {
        "given" => {}
        "shuffled" => shuffle(&mut given, 1),
        "smallest" => given.sort_by(|a, b| a.abs().total_cmp(&b.abs())),
        _ => return Err(JsError::new("orders are given, shuffled and smallest")),
    }
    let course = match elements {
        "f32" => Course::new(&given.into_iter().map(narrow).collect::<Vec<_>>(), points),
        "f64" => Course::new(&given, points),
        _ => return Err(JsError::new("sums disagree of f32 and f64")),
    };
    let array = |values: &[f64]| JsValue::from(Float64Array::from(values));
    let course = object([
        ("counts", array(&course.counts)),
        ("errors", array(&course.errors)),
        ("rounded", array(&course.rounded)),
        ("sum", course.sum.into()),
        ("exact", course.exact.into()),
    ]);
    Ok(course.into())
}

#[expect(clippy::cast_possible_truncation, reason = "rounding is what is shown")]
fn narrow(number: f64) -> f32 {
    number as f32
}

#[derive(Debug, Default)]
struct Course {
    counts: Vec<f64>,
    errors: Vec<f64>,
    rounded: Vec<f64>,
    sum: f64,
    exact: f64,
}

impl Course {
    #[expect(clippy::cast_precision_loss, reason = "a few million numbers")]
    fn new<T>(numbers: &[T], points: usize) -> Self
    where
        T: ExactElement + Default + Add<Output = T> + Neg<Output = T> + Into<f64>,
    {
        let mut course = Self::default();
        let (mut running, mut exact) = (T::default(), ExactSum::<T>::new());
        let mut count = 0;
        for stretch in numbers.chunks(numbers.len().div_ceil(points.max(1)).max(1)) {
            running = stretch.iter().fold(running, |sum, &number| sum + number);
            exact.add_slice(stretch);
            count += stretch.len();
            course.counts.push(count as f64);
            course.errors.push(distance(&exact, running));
            course.rounded.push(distance(&exact, exact.round()));
        }
        (course.sum, course.exact) = (running.into(), exact.round().into());
        course
    }
}

/// How far a number is from a sum, rounded once.
fn distance<T: ExactElement + Neg<Output = T> + Into<f64>>(sum: &ExactSum<T>, number: T) -> f64 {
    let mut rest = sum.clone();
    rest.add(-number);
    -rest.round().into()
}

#[cfg(test)]
mod tests {
    use super::Course;

    #[test]
    fn a_running_sum_strays_and_the_exact_one_does_not() {
        // 2^24 has no neighbour one further on.
        let course = Course::new(&[16_777_216.0_f32, 1.0, 1.0, -16_777_216.0], 4);
        assert_eq!(course.counts, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(course.errors, [0.0, -1.0, -2.0, -2.0]);
        assert_eq!(course.rounded, [0.0, -1.0, 0.0, 0.0]);
        assert_eq!((course.sum, course.exact), (0.0, 2.0));
        let same = Course::new(&[16_777_216.0_f64, 1.0, 1.0, -16_777_216.0], 2);
        assert_eq!((same.counts, same.errors, same.sum), (vec![2.0, 4.0], vec![0.0, 0.0], 2.0));
    }
}
