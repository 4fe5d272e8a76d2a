//! Every operation beside `sum` of the same elements, in GPU time; see `METHODOLOGY.md`.
//!
//!     cargo bench --bench operations -- [LOG2_OF_ELEMENTS, 26] [LAPS, 9] [TYPES, f32,i32,u32,f64]
//!
//! Prints CSV, a line for each type and operation: the median of seven runs of each lap, how far they differ (what lies between
//! the quartiles, in percent of the median), the same of `sum` in the same laps, and the share of its speed. Operation and `sum` take turns, so that a GPU that gets slower or faster changes
//! no share. Every answer is compared with the host's. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter.

mod clock;

use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};
use wgpu_reduce::{
    AdapterClass, Element, Extrema, GpuBuffer, GpuReducer, Located, Operation, Pending, Plan,
    Statistics, Timed,
};
use wgpu_reduce_known::{Arguments, Times, agrees, hash, uniform};

/// Runs that wait for the GPU together; the first finds it at rest, and does not count.
const IN_FLIGHT: usize = 8;

/// A result, and how far its parts may be from the host's.
trait Near: Copy + Debug + Send {
    fn is_near(&self, expected: &Self, bounds: &[f64]) -> bool;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Near for $number {
            fn is_near(&self, expected: &Self, bounds: &[f64]) -> bool {
                let bound = bounds.first().copied().unwrap_or_default();
                agrees(f64::from(*self), f64::from(*expected), bound)
            }
        }
    )*};
}
numbers!(f32, f64);

macro_rules! exact {
    ($($result:ty),*) => {$(
        impl Near for $result {
            fn is_near(&self, expected: &Self, _: &[f64]) -> bool {
                self == expected
            }
        }
    )*};
}
exact!(bool, i32, u32, i64, u64, i128, u128);

impl<T: Near + PartialEq> Near for Located<T> {
    fn is_near(&self, expected: &Self, _: &[f64]) -> bool {
        self.index == expected.index && self.value.is_near(&expected.value, &[])
    }
}

impl<T: Near + PartialEq> Near for Extrema<T> {
    fn is_near(&self, expected: &Self, _: &[f64]) -> bool {
        self.min.is_near(&expected.min, &[]) && self.max.is_near(&expected.max, &[])
    }
}

impl<T: Near + PartialEq, S: Near, M: Near> Near for Statistics<T, S, M> {
    fn is_near(&self, expected: &Self, bounds: &[f64]) -> bool {
        let of = |place: usize| bounds.get(place..).unwrap_or_default();
        self.count == expected.count
            && self.min.is_near(&expected.min, &[])
            && self.max.is_near(&expected.max, &[])
            && self.sum.is_near(&expected.sum, of(0))
            && self.mean.is_near(&expected.mean, of(1))
            && self.variance.is_near(&expected.variance, of(2))
    }
}

/// An operation over elements, and what the host makes of them.
struct Subject<'a, T: Element, O: Operation<T>> {
    operation: O,
    values: &'a [T],
    input: &'a GpuBuffer<T>,
    plan: Plan,
    bounds: fn(&O, &[T], &Plan) -> Vec<f64>,
    expected: Mutex<Option<(O::Output, Vec<f64>)>>,
}

/// The same, whatever the operation is.
trait Measured: Sync {
    fn name(&self) -> &'static str;
    /// Asks the host, which takes its time.
    fn prepare(&self);
    /// Times of some runs in flight, in microseconds. Panics if one is wrong: a time for it would mean nothing.
    fn times(&self, reducer: &GpuReducer) -> Vec<f64>;
}

impl<T: Element, O: Operation<T, Output: Near> + Sync> Measured for Subject<'_, T, O> {
    fn name(&self) -> &'static str {
        self.operation.record().name()
    }

    fn prepare(&self) {
        let expected = self.operation.on_cpu(self.values).expect("there are elements");
        let bounds = (self.bounds)(&self.operation, self.values, &self.plan);
        *self.expected.lock().unwrap_or_else(PoisonError::into_inner) = Some((expected, bounds));
    }

    fn times(&self, reducer: &GpuReducer) -> Vec<f64> {
        let start =
            |_| reducer.reduce(self.operation, self.input).timed().start().expect("it starts");
        let waiting: Vec<Pending<Timed<O::Output>>> = (0..IN_FLIGHT).map(start).collect();
        let runs = waiting.into_iter().map(|run| run.wait().expect("it runs"));
        let runs: Vec<_> = runs.collect();
        let expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        let (expected, bounds) = expected.as_ref().expect("the host has been asked");
        for run in &runs {
            let is_near = run.value.is_near(expected, bounds);
            assert!(is_near, "{}: {:?}, not {expected:?} ± {bounds:?}", self.name(), run.value);
        }
        runs.into_iter().skip(1).filter_map(|run| run.gpu_ns).map(|ns| ns / 1e3).collect()
    }
}

type Subjects<'a> = Vec<Box<dyn Measured + 'a>>;

/// Subjects of some elements, one for each operation that takes them: floats of up to 32 bits, doubles, or integers of up to 32 bits.
macro_rules! subjects {
    ($group:ident, $reducer:expr, $values:expr, $input:expr) => {{
        let mut subjects: Subjects<'_> = Vec::new();
        wgpu_reduce::for_each_operation!(
            each_subject,
            ($group subjects, $reducer, $values, $input)
        );
        subjects
    }};
}

macro_rules! each_subject {
    ($given:tt $($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        $(subject!($class $operation $given);)*
    };
}

macro_rules! subject {
    // Exact sums have a bench of their own.
    (floats SumExact $given:tt) => {};
    (floats MeanExact $given:tt) => {};
    (short_floats $operation:ident (integers $($rest:tt)*)) => {};
    (short_floats $operation:ident (doubles $($rest:tt)*)) => {};
    (floats $operation:ident (integers $($rest:tt)*)) => {};
    (integers $operation:ident (floats $($rest:tt)*)) => {};
    (integers $operation:ident (doubles $($rest:tt)*)) => {};
    ($class:ident Stats ($group:ident $($given:tt)*)) => {
        subject!(@pushed Stats, |stats, values, plan| stats.tolerances(values, &plan.accuracy()).to_vec(); $($given)*);
    };
    ($class:ident $operation:ident ($group:ident $($given:tt)*)) => {
        subject!(
            @pushed $operation,
            |operation, values, plan| vec![operation.tolerance(values, &plan.accuracy())];
            $($given)*
        );
    };
    (@pushed $operation:ident, $bounds:expr; $subjects:ident, $reducer:expr, $values:expr, $input:expr) => {
        let operation = wgpu_reduce::$operation::default();
        $subjects.push(Box::new(Subject {
            operation,
            values: $values,
            input: $input,
            plan: $reducer.reduce(operation, $input).plan().expect("it is planned"),
            bounds: $bounds,
            expected: Mutex::new(None),
        }));
    };
}

/// Prints a line for each but the first, which is `sum`.
fn compare(reducer: &GpuReducer, subjects: &Subjects<'_>, (element, len): (&str, u64), laps: u32) {
    std::thread::scope(|scope| {
        for subject in subjects {
            scope.spawn(|| subject.prepare());
        }
    });
    // Makes pipelines.
    for subject in subjects {
        drop(subject.times(reducer));
    }
    clock::raise(reducer);
    let Some((sum, others)) = subjects.split_first() else { return };
    for subject in others {
        let (mut of_sum, mut times) = (Vec::new(), Vec::new());
        for _ in 0..laps {
            of_sum.extend(sum.times(reducer));
            times.extend(subject.times(reducer));
        }
        let name = subject.name();
        let (Some(of_sum), Some(own)) = (Times::of(of_sum), Times::of(times)) else {
            println!("{element},{len},{name},,,,,");
            continue;
        };
        let shown = |times: Times| format!("{:.2},{:.1}", times.median, times.spread);
        let share = of_sum.median / own.median;
        println!("{element},{len},{name},{},{},{share:.3}", shown(own), shown(of_sum));
    }
}

/// A function that compares the operations of a type.
macro_rules! compared {
    ($name:ident of $element:ty as $group:ident, $make:expr) => {
        fn $name(reducer: &GpuReducer, len: u64, laps: u32) {
            let values: Vec<$element> = (0..len).map($make).collect();
            let input = &reducer.upload(&values).expect("they fit");
            let subjects = subjects!($group, reducer, &values[..], input);
            compare(reducer, &subjects, (stringify!($element), len), laps);
        }
    };
}
compared!(singles of f32 as floats, |index| uniform(hash(index)));
compared!(doubles of f64 as doubles, |index| {
    f64::from(hash(2 * index)) / 2_f64.powi(32) + f64::from(hash(2 * index + 1)) / 2_f64.powi(64)
});
compared!(signed of i32 as integers, |index| hash(index).cast_signed());
compared!(unsigned of u32 as integers, hash);

fn main() {
    env_logger::init();
    let arguments = Arguments::given();
    let reducer = GpuReducer::new().expect("an adapter is needed");
    eprintln!("adapter: {}", reducer.adapter_label());
    let is_gpu = reducer.caps().class == AdapterClass::Gpu;
    let (log_len, laps) = if arguments.is_bench && is_gpu { (26, 9) } else { (12, 1) };
    let (len, laps) =
        (1 << arguments.number(0).unwrap_or(log_len), arguments.number(1).unwrap_or(laps));
    println!("dtype,elements,operation,gpu_us,spread,sum_us,sum_spread,share");
    let types = arguments.words.get(2).map_or("f32,i32,u32,f64", String::as_str);
    for element in types.split(',') {
        match element {
            "f32" => singles(&reducer, len, laps),
            "i32" => signed(&reducer, len, laps),
            "u32" => unsigned(&reducer, len, laps),
            "f64" => doubles(&reducer, len, laps),
            other => panic!("{other} is none of f32, i32, u32 and f64"),
        }
    }
}
