//! Histograms of 256 bins, by type and kind of data, and of weights; see `METHODOLOGY.md`.
//!
//! `cargo bench --bench histogram -- [LOG2_OF_ELEMENTS, 26] [REPETITIONS, 21] [TUNING]` prints CSV, a line for each
//! case: medians of microseconds of GPU time, of runs in flight whose counts stay on the GPU, how far runs differ (what lies
//! between the quartiles, in percent of the median), and 10^9 bytes in a second. A tuning is `WORKGROUP_SIZE,MAX_WORKGROUPS,LOADS_IN_FLIGHT,COPIES`, as `512,528,4,32`. The counts of the
//! last run, or sums, are compared with the host's. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter. What
//! `cargo test` runs is small.

mod flight;

use flight::Flight;
use wgpu_reduce::{
    Bins, Element, ExactElement, ExactSum, GpuBuffer, GpuReducer, HistogramTuning, Weight,
};
use wgpu_reduce_known::{Arguments, Times, hash, picture, uniform};

struct Subject {
    reducer: GpuReducer,
    flight: Flight,
    tuning: HistogramTuning,
    of_weights: HistogramTuning,
    len: u64,
}

fn byte(index: u64) -> u8 {
    hash(index).to_le_bytes()[3]
}

impl Subject {
    /// Prints a line. Panics on a wrong answer: a time for it would mean nothing.
    fn measure<T: Element>(
        &self,
        name: &str,
        element: impl Fn(u64) -> T,
        bins: &Bins,
        bin_of: impl Fn(T) -> usize,
    ) {
        let Self { reducer, tuning, len, .. } = self;
        let values: Vec<T> = (0..*len).map(element).collect();
        let mut expected = vec![0_u64; usize::try_from(bins.output_len()).expect("they are few")];
        for &value in &values {
            expected[bin_of(value)] += 1;
        }
        let input = reducer.upload(&values).expect("the data fits");
        let output: GpuBuffer<u64> = reducer.alloc(bins.output_len()).expect("there is room");
        let run = |encoder: &mut wgpu::CommandEncoder| {
            reducer
                .bin(&input, bins)
                .channels(1)
                .tuned(*tuning)
                .encode(encoder, &output)
                .expect("it is recorded");
        };
        let gpu_us = self.timed(run);
        assert_eq!(output.download(reducer).expect("they can be read"), expected, "{name}");
        self.print(name, len * T::KIND.size_bytes(), gpu_us);
    }

    /// Measures weights, whose sums are `sum` of those of each bin.
    fn measure_weighted<W: Weight>(
        &self,
        name: &str,
        weight: impl Fn(u64) -> W,
        sum: impl Fn(&[W]) -> W::Sum,
    ) where
        W::Sum: PartialEq + std::fmt::Debug,
    {
        let Self { reducer, of_weights: tuning, len, .. } = self;
        let bins = Bins::even(0..256, 256).expect("they are bins");
        let slots = usize::try_from(bins.output_len()).expect("they are few");
        let values: Vec<u8> = (0..*len).map(byte).collect();
        let weights: Vec<W> = (0..*len).map(weight).collect();
        let mut of_bins = vec![Vec::new(); slots];
        for (value, weight) in values.iter().zip(&weights) {
            of_bins[usize::from(*value)].push(*weight);
        }
        let expected: Vec<_> = of_bins.iter().map(|weights| sum(weights)).collect();
        let input = reducer.upload(&values).expect("the data fits");
        let weights = reducer.upload(&weights).expect("the data fits");
        let output: GpuBuffer<W::Sum> = reducer.alloc(bins.output_len()).expect("there is room");
        let run = |encoder: &mut wgpu::CommandEncoder| {
            reducer
                .bin(&input, &bins)
                .channels(1)
                .weights(&weights)
                .tuned(*tuning)
                .encode(encoder, &output)
                .expect("it is recorded");
        };
        let gpu_us = self.timed(run);
        assert_eq!(output.download(reducer).expect("they can be read"), expected, "{name}");
        self.print(name, len * (1 + W::KIND.size_bytes()), gpu_us);
    }

    /// Runs it, at least once.
    fn timed(&self, run: impl Fn(&mut wgpu::CommandEncoder)) -> Option<Times> {
        let gpu_us = self.flight.gpu_us(&run);
        if gpu_us.is_none() {
            let (device, queue) = (self.reducer.device(), self.reducer.queue());
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            run(&mut encoder);
            queue.submit([encoder.finish()]);
        }
        gpu_us
    }

    fn print(&self, name: &str, bytes: u64, gpu_us: Option<Times>) {
        #[expect(clippy::cast_precision_loss, reason = "printed with two digits")]
        let shown = |Times { median, spread, .. }| {
            format!("{median:.2},{spread:.1},{:.2}", bytes as f64 / median / 1e3)
        };
        println!("{name},{},{bytes},{}", self.len, gpu_us.map_or(",,".into(), shown));
    }
}

fn main() {
    env_logger::init();
    let arguments = Arguments::given();
    let is_bench = arguments.is_bench;
    let log_len = arguments.number(0).unwrap_or(if is_bench { 26 } else { 10 });
    let repetitions = arguments.number(1).unwrap_or(if is_bench { 21 } else { 1 });
    let reducer = GpuReducer::new().expect("an adapter is needed");
    let tuning =
        arguments.numbers(2).map(|[workgroup_size, max_workgroups, loads_in_flight, copies]| {
            HistogramTuning { workgroup_size, max_workgroups, loads_in_flight, copies }
        });
    assert!(tuning.is_some() || arguments.words.len() < 3, "a tuning has four numbers");
    let of_weights = tuning.unwrap_or_else(|| HistogramTuning::for_weights(&reducer.caps()));
    let tuning = tuning.unwrap_or_else(|| HistogramTuning::for_caps(&reducer.caps()));
    println!("# {}, {tuning}; weights {of_weights}", reducer.adapter_label());
    println!("case,elements,bytes,gpu_us,spread,gb_per_s");
    let flight = Flight::new(&reducer, repetitions);
    let subject = Subject { reducer, flight, tuning, of_weights, len: 1 << log_len };
    let bytes = Bins::even(0..256, 256).expect("they are bins");
    subject.measure("u8 uniform", byte, &bytes, usize::from);
    subject.measure("u8 constant", |_| 77_u8, &bytes, usize::from);
    subject.measure("u8 picture", picture, &bytes, usize::from);
    let words = Bins::even(0.0..f64::from(u32::MAX) + 1.0, 256).expect("they are bins");
    subject.measure("u32 uniform", hash, &words, |word| (word >> 24) as usize);
    let unit = Bins::even(0.0..1.0, 256).expect("they are bins");
    // Exact: there are 2^8 bins, and a hash is a multiple of 2^-24.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 256")]
    let bin_of = |value: f32| (value * 256.0) as usize;
    subject.measure("f32 uniform", |index| uniform(hash(index)), &unit, bin_of);
    subject.measure("f32 constant", |_| 0.3, &unit, bin_of);
    let sum = |weights: &[u32]| weights.iter().map(|&weight| u64::from(weight)).sum();
    subject.measure_weighted("u8 uniform with u32 weights", hash, sum);
    subject.measure_weighted(
        "u8 uniform with f32 weights",
        |index| uniform(hash(index)),
        exact_sum::<f32>,
    );
    subject.measure_weighted(
        "u8 uniform with f64 weights",
        |index| f64::from(hash(index)) / f64::from(u32::MAX),
        exact_sum::<f64>,
    );
}

fn exact_sum<T: ExactElement>(weights: &[T]) -> T {
    let mut sum = ExactSum::new();
    sum.add_slice(weights);
    sum.round()
}
