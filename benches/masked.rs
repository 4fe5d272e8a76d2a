//! Operations with a mask beside those without, in GPU time; see `METHODOLOGY.md`.
//!
//! `cargo bench --bench masked -- [LOG2_OF_ELEMENTS, 28] [REPETITIONS, 22]` prints CSV, a line for each operation on `f32` and for each mask,
//! of which all bytes, half of them in no order, or one of 97 are not zero: the median of microseconds of runs one after another, the first left
//! out, how far they differ (what lies between the quartiles, in percent of the median), and 10^9 bytes of elements and mask in a second. Every
//! answer is checked beside the host's, of the elements that count. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter. What
//! `cargo test` runs is small. Behind them come sums along both axes of a matrix with rows of 2^10, by the mask and without, and dot products.

mod alone;

use wgpu_reduce::{
    Accuracy, ArgMax, Dot, GpuBuffer, GpuReducer, Located, Max, Mean, Operation, Plan, Result, Sum,
    Timed, Variance, View,
};
use wgpu_reduce_known::{agrees, mixed, uniform};

/// Elements, their mask, and those of them that count, with their indices.
struct Subject<'a> {
    reducer: &'a GpuReducer,
    repetitions: u32,
    input: &'a GpuBuffer<f32>,
    /// The same elements once more.
    partners: &'a GpuBuffer<f32>,
    kind: &'static str,
    mask: GpuBuffer<u8>,
    counted: Vec<f32>,
    indices: Vec<u64>,
}

impl Subject<'_> {
    /// The last result, once the times are printed.
    fn time<R>(&self, name: &str, bytes: u64, run: impl Fn() -> Result<Timed<R>>) -> R {
        let (times, last) = alone::time(self.reducer, self.repetitions, bytes, run);
        println!("{name},{},{},{times}", self.kind, self.input.len());
        last
    }

    /// Prints a line. Panics on a wrong answer: a time for it would mean nothing.
    fn measure<O: Operation<f32>>(
        &self,
        name: &str,
        operation: O,
        is_right: impl Fn(O::Output, O::Output, &Plan) -> bool,
    ) {
        let len = self.input.len();
        let whole = self.reducer.reduce(operation, self.input).timed();
        self.time(name, 4 * len, || whole.clone().run());
        let request = self.reducer.reduce(operation, self.input).masked(&self.mask);
        let plan = request.plan().expect("it is planned");
        let found = self.time(&format!("masked {name}"), 5 * len, || request.clone().timed().run());
        let expected = operation.on_cpu(&self.counted).expect("some count");
        assert!(is_right(found, expected, &plan), "{name}: {found:?}, not {expected:?}");
    }

    fn measure_all(&self) {
        let near = |bound: f64| {
            move |found: f32, expected: f32, _: &Plan| {
                (f64::from(found) - f64::from(expected)).abs() <= bound
            }
        };
        self.measure("sum", Sum, |found, expected, plan| {
            let bound = Sum.tolerance(&self.counted, &plan.accuracy());
            agrees(f64::from(found), f64::from(expected), bound)
        });
        self.measure("max", Max, |found, expected, _| found.to_bits() == expected.to_bits());
        self.measure("argmax", ArgMax, |found, expected: Located<f32>, _| {
            let place = usize::try_from(expected.index).expect("it fits");
            found.value.to_bits() == expected.value.to_bits() && found.index == self.indices[place]
        });
        self.measure("mean", Mean, near(1e-5));
        self.measure("variance", Variance::default(), near(1e-5));
        self.measure_along(1);
        self.measure_along(0);
    }

    /// Sums along an axis of a matrix with rows of 2^10 elements, by the mask, and dot products of the elements with themselves.
    fn measure_along(&self, axis: usize) {
        let len = self.input.len();
        let columns = len.min(1 << 10);
        let view = View::new(&[len / columns, columns]).expect("it is a view");
        let sums = || self.reducer.reduce(Sum, self.input).along(view, axis);
        let plain = sums().timed();
        self.time(&format!("sum along {axis}"), 4 * len, || plain.clone().run());
        let masked = sums().masked(&self.mask);
        let bound = masked.plan().expect("it is planned").accuracy();
        let name = format!("masked sum along {axis}");
        let found = self.time(&name, 5 * len, || masked.clone().timed().run());
        self.check_along((axis, columns), &found, &bound, |value| value);
        let dots = self.reducer.reduce(Dot, (self.input, self.partners)).along(view, axis);
        let bound = dots.plan().expect("it is planned").accuracy();
        let found = self.time(&format!("dot along {axis}"), 8 * len, || dots.clone().timed().run());
        if self.counted.len() as u64 == len {
            self.check_along((axis, columns), &found, &bound, |value| value * value);
        }
    }

    /// Panics unless results are near the sums of terms of the elements that count.
    fn check_along(
        &self,
        (axis, columns): (usize, u64),
        found: &[f32],
        bound: &Accuracy,
        term_of: fn(f64) -> f64,
    ) {
        let mut expected = vec![(0.0_f64, 0.0_f64); found.len()];
        for (&index, &value) in self.indices.iter().zip(&self.counted) {
            let result = if axis == 1 { index / columns } else { index % columns };
            let term = term_of(f64::from(value));
            let (sum, magnitude) = &mut expected[usize::try_from(result).expect("it fits")];
            *sum += term;
            *magnitude += term.abs();
        }
        for (&found, (sum, magnitude)) in found.iter().zip(expected) {
            // A product has a rounding of its own.
            let bound = bound.error_bound(magnitude) + magnitude * f64::from(f32::EPSILON);
            assert!((f64::from(found) - sum).abs() <= bound, "along {axis}: {found}, not {sum}");
        }
    }
}

/// A kind of masks, and which elements count.
type Kind = (&'static str, fn(u64) -> bool);

fn main() {
    let (reducer, len, repetitions) =
        alone::begin("operation,mask,elements,gpu_us,spread,gb_per_s", [28, 22]);
    let values: Vec<f32> = (0..len).map(|index| uniform(mixed(index))).collect();
    let input = reducer.upload(&values).expect("the data fits");
    let partners = reducer.upload(&values).expect("the data fits");
    let kinds: [Kind; 3] = [
        ("all", |_| true),
        ("half", |index| mixed(!index).is_multiple_of(2)),
        ("few", |index| index % 97 == 5),
    ];
    for (kind, counts) in kinds {
        let bytes: Vec<u8> = (0..len).map(|index| u8::from(counts(index))).collect();
        let mask = reducer.upload(&bytes).expect("the data fits");
        let indices: Vec<_> = (0..len).filter(|&index| counts(index)).collect();
        let at = |index: &u64| values[usize::try_from(*index).expect("it fits")];
        let counted = indices.iter().map(at).collect();
        let (reducer, input, partners) = (&reducer, &input, &partners);
        Subject { reducer, repetitions, input, partners, kind, mask, counted, indices }
            .measure_all();
    }
}
