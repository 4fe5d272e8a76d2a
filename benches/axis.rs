//! Sums of `f32` along an axis, for all shapes of one size; see `METHODOLOGY.md`.
//!
//! `cargo bench --bench axis -- [LOG2_OF_ELEMENTS, 26] [REPETITIONS, 21] [SHAPE:AXES ...] [TUNING ...]`
//! prints CSV, a line for each shape and tuning: medians of microseconds of GPU time, bytes read and written,
//! 10^9 of them in a second, and how far runs differ (what lies between the quartiles, in percent of the median). A shape is
//! `4096x16384:1`, or `256x256x1024:0,2` for two of three axes: then the line has `256x256,1024,0+2`. Without shapes they are all powers of two by powers of two, along both axes;
//! without tunings it is the default. A tuning is `WORKGROUP_SIZE,INVOCATIONS,MAX_WORKGROUPS,LOADS_IN_FLIGHT,
//! ROWS_IN_FLIGHT,SHORT_TEAM`, as `256,262144,8448,8,4,32`. Results stay on the GPU while it is timed; those of
//! the last run are compared with sums in `f64` on the host. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose
//! the adapter. What `cargo test` runs is small.

use std::collections::VecDeque;
use std::time::{Duration, Instant};
use wgpu_reduce::{
    AdapterClass, AxisTuning, GpuBuffer, GpuReducer, Matrix, Pending, Sum, Timed, View,
};
use wgpu_reduce_known::{Arguments, Times, agrees, hash, uniform};

/// So long a GPU takes at most to raise its clock.
const WARM_UP: Duration = Duration::from_millis(400);

/// So many runs wait for the GPU, so that its clock stays up.
const IN_FLIGHT: usize = 8;

/// Element k: a multiplicative hash of it, in [0, 1), as in `peers/axis.cu`.
fn element(index: u64) -> f32 {
    uniform(hash(index))
}

/// The sums of all elements in a shape along axes, in `f64`.
fn sums(values: &[f32], view: View, axes: &[usize]) -> Vec<f64> {
    let results: u64 = view.without(axes).expect("there are such axes").iter().product();
    let mut sums = vec![0.0; usize::try_from(results).expect("it fits")];
    // The extent of each dimension, the last first, and from one of its results to the next.
    let mut step = 1;
    let dimensions = view.shape().iter().enumerate().rev().map(|(axis, &extent)| {
        let extent = usize::try_from(extent).expect("it fits");
        let of_axis = if axes.contains(&axis) { 0 } else { step };
        step *= if axes.contains(&axis) { 1 } else { extent };
        (extent, of_axis)
    });
    let dimensions: Vec<_> = dimensions.collect();
    for (mut rest, &value) in values.iter().enumerate() {
        let mut place = 0;
        for (extent, step) in &dimensions {
            place += rest % extent * step;
            rest /= extent;
        }
        sums[place] += f64::from(value);
    }
    sums
}

/// As `256x256,1024,0+2`; of a matrix rows, columns and the axis.
fn columns_of(view: View, axes: &[usize]) -> String {
    let by = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
    let (last, others) = view.shape().split_last().expect("there is one dimension");
    let axes: Vec<_> = axes.iter().map(usize::to_string).collect();
    format!("{},{last},{}", by(others), axes.join("+"))
}

struct Subject {
    reducer: GpuReducer,
    values: Vec<f32>,
    buffer: GpuBuffer<f32>,
    repetitions: usize,
}

/// A shape along axes, with a tuning and a place for the results.
struct Case<'a> {
    subject: &'a Subject,
    view: View,
    axes: &'a [usize],
    tuning: AxisTuning,
    output: GpuBuffer<f32>,
}

impl Case<'_> {
    fn start(&self) -> Pending<Timed<()>> {
        let Subject { reducer, buffer, .. } = self.subject;
        let run = reducer
            .reduce(Sum, buffer)
            .along(self.view, self.axes)
            .tuned(self.tuning)
            .output(&self.output)
            .timed()
            .start();
        run.expect("it starts")
    }

    /// The GPU's times, where it tells them.
    fn gpu_us(&self) -> Option<Times> {
        let is_gpu = self.subject.reducer.caps().class == AdapterClass::Gpu;
        let start = Instant::now();
        let (mut in_flight, mut times) = (VecDeque::new(), Vec::new());
        let mut warm_ups = IN_FLIGHT;
        while times.len() < self.subject.repetitions {
            while in_flight.len() < IN_FLIGHT {
                in_flight.push_back(self.start());
            }
            let run = in_flight.pop_front().expect("there is one").wait().expect("it runs");
            if warm_ups > 0 {
                // Those on their way when the clock is up do not count, either.
                let is_cold = is_gpu && start.elapsed() < WARM_UP;
                warm_ups -= usize::from(!is_cold);
                continue;
            }
            times.push(run.gpu_ns? / 1e3);
        }
        for run in in_flight {
            run.wait().expect("it runs");
        }
        Times::of(times)
    }

    /// Panics on a wrong answer: a time for it would mean nothing.
    fn check(&self, expected: &[f64]) {
        let Self { view, axes, .. } = self;
        let left = self.output.download(&self.subject.reducer).expect("it can be read");
        assert_eq!(left.len(), expected.len(), "{view:?} along {axes:?}");
        for (place, (&sum, &expected)) in left.iter().zip(expected).enumerate() {
            let is_near = agrees(sum.into(), expected, 1e-5 * expected);
            assert!(is_near, "{view:?} along {axes:?}: {sum} at {place} is not {expected}");
        }
    }
}

impl Subject {
    fn new(log_len: u32, repetitions: usize) -> Self {
        let reducer = GpuReducer::new().expect("there is an adapter");
        let values: Vec<_> = (0..1 << log_len).map(element).collect();
        let buffer = reducer.upload(&values).expect("the data fits");
        Self { reducer, values, buffer, repetitions }
    }

    /// Prints a line for each tuning; the last one's bytes in a nanosecond.
    fn print(&self, view: View, axes: &[usize], tunings: &[AxisTuning]) -> Option<f64> {
        let plan = self
            .reducer
            .reduce(Sum, &self.buffer)
            .along(view, axes)
            .plan()
            .expect("it can be planned");
        let expected = sums(&self.values, view, axes);
        let mut last = None;
        for (number, &tuning) in tunings.iter().enumerate() {
            let output = self.reducer.alloc(plan.results).expect("there is room");
            let case = Case { subject: self, view, axes, tuning, output };
            let gpu_us = case.gpu_us();
            case.check(&expected);
            #[expect(clippy::cast_precision_loss, reason = "printed with two digits")]
            let gb_per_s = gpu_us.map(|us| plan.least_bytes() as f64 / us.median / 1e3);
            let shown =
                |figure: Option<f64>| figure.map_or(String::new(), |figure| format!("{figure:.2}"));
            let (us, speed) = (shown(gpu_us.map(|us| us.median)), shown(gb_per_s));
            let spread = gpu_us.map_or(String::new(), |us| format!("{:.1}", us.spread));
            let shape = columns_of(view, axes);
            println!("{shape},{us},{},{speed},{number},{spread}", plan.least_bytes());
            last = gb_per_s;
        }
        last
    }
}

/// As in `4096x16384:1` and `256x256x1024:0,2`.
fn parse_shape(text: &str) -> Option<(View, Vec<usize>)> {
    let (shape, axes) = text.split_once(':')?;
    let shape: Option<Vec<u64>> = shape.split('x').map(|extent| extent.parse().ok()).collect();
    let axes: Option<Vec<usize>> = axes.split(',').map(|axis| axis.parse().ok()).collect();
    let (view, axes) = (View::new(&shape?).ok()?, axes?);
    view.without(&axes).is_ok().then_some((view, axes))
}

/// As in `256,262144,8448,8,4,32`.
fn parse_tuning(text: &str, default: AxisTuning) -> Option<AxisTuning> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|number| number.parse().ok()).collect();
    let &[workgroup_size, invocations, max_workgroups, loads, rows, short_team] = &numbers?[..]
    else {
        return None;
    };
    Some(AxisTuning {
        workgroup_size,
        invocations,
        max_workgroups,
        loads_in_flight: loads,
        rows_in_flight: rows,
        short_team,
        ..default
    })
}

fn main() {
    env_logger::init();
    let arguments = Arguments::given();
    let is_bench = arguments.is_bench;
    let log_len = arguments.number(0).unwrap_or(if is_bench { 26 } else { 10 });
    let repetitions = arguments.number(1).unwrap_or(if is_bench { 21 } else { 1 });
    let subject = Subject::new(log_len, repetitions as usize);
    let shapes: Vec<_> = arguments.words.iter().filter_map(|text| parse_shape(text)).collect();
    assert!(
        shapes.iter().all(|(view, _)| view.len() == 1 << log_len),
        "a shape is not of 2^{log_len}"
    );
    let all = [1, 0].into_iter().flat_map(|axis| {
        (0..=log_len).map(move |log| {
            let matrix = Matrix { rows: 1 << (log_len - log), columns: 1 << log };
            (View::from(matrix), vec![axis])
        })
    });
    let shapes = if shapes.is_empty() { all.collect() } else { shapes };
    let default = AxisTuning::for_caps(&subject.reducer.caps());
    let mut tunings: Vec<_> =
        arguments.words.iter().filter_map(|text| parse_tuning(text, default)).collect();
    if tunings.is_empty() {
        tunings.push(default);
    }
    println!("# {}", subject.reducer.adapter_label());
    println!("rows,columns,axis,gpu_us,bytes,gb_per_s,tuning,spread");
    let speeds = shapes.iter().filter_map(|(view, axes)| subject.print(*view, axes, &tunings));
    let speeds: Vec<f64> = speeds.collect();
    let fastest = speeds.iter().copied().fold(0.0, f64::max);
    let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
    println!("# the slowest reaches {:.2} of the fastest", slowest / fastest);
}
