//! Order statistics of `f32`, by kind of data; see `METHODOLOGY.md`.
//!
//! `cargo bench --bench order -- [LOGS2_OF_ELEMENTS, 20,24,26,28] [REPETITIONS, 22] [TUNING]` prints CSV, a line for each statistic: the median of
//! microseconds of GPU time of runs one after another, the first left out, how far they differ (what lies between the quartiles, in percent of the median), 10^9
//! bytes of elements in a second, each counted once, and passes over the elements, but for those that read a small share. Rows have 1024 elements. A tuning is as that of `histogram`. Every answer is checked by counting the elements below
//! it. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter. What `cargo test` runs is small.

mod alone;

use std::num::NonZero;
use std::thread::{available_parallelism, scope};
use wgpu_reduce::{
    AlongFold, ArgNth, Fold, GpuBuffer, GpuReducer, HistogramTuning, Located, Matrix, Median, Nth,
    QuantileMethod, Quantiles, Result, Timed, TopK,
};
use wgpu_reduce_known::{Arguments, mixed, uniform};

/// Values that must have so many elements below them at most, and so many that are not above them at least.
type Claims = Vec<(f32, [u64; 2])>;

/// How many elements are below each value, and how many are not above it.
fn counted(values: &[f32], of: &[f32]) -> Vec<[u64; 2]> {
    let threads = available_parallelism().map_or(1, NonZero::get);
    let share = values.len().div_ceil(threads).max(1);
    let count = |share: &[f32]| {
        let mut counts = vec![[0_u64; 2]; of.len()];
        for value in share {
            for (count, bound) in counts.iter_mut().zip(of) {
                count[0] += u64::from(value < bound);
                count[1] += u64::from(value <= bound);
            }
        }
        counts
    };
    let of_shares: Vec<_> = scope(|scope| {
        let running: Vec<_> =
            values.chunks(share).map(|share| scope.spawn(move || count(share))).collect();
        running.into_iter().map(|thread| thread.join().expect("it counts")).collect()
    });
    let mut all = vec![[0; 2]; of.len()];
    for counts in of_shares {
        for (sum, [below, up_to]) in all.iter_mut().zip(counts) {
            *sum = [sum[0] + below, sum[1] + up_to];
        }
    }
    all
}

struct Subject<'a> {
    reducer: &'a GpuReducer,
    kind: &'static str,
    values: &'a [f32],
    input: GpuBuffer<f32>,
    repetitions: u32,
    tuning: HistogramTuning,
}

impl Subject<'_> {
    /// The last result, once the times are printed.
    fn time<R>(&self, name: &str, reads: usize, run: impl Fn() -> Result<Timed<R>>) -> R {
        let len = self.values.len() as u64;
        let (times, last) = alone::time(self.reducer, self.repetitions, 4 * len, run);
        println!("{name},{},{len},{times},{reads}", self.kind);
        last
    }

    /// Prints a line. Panics on a wrong answer: a time for it would mean nothing.
    fn measure<F: Fold<f32>>(&self, name: &str, fold: F, claims: impl Fn(F::Output) -> Claims) {
        let request = self.reducer.reduce(fold, &self.input).tuned(self.tuning);
        let reads = request.plan().expect("it is planned").passes().len().div_ceil(2);
        let prepared = request.timed().prepare().expect("it is prepared");
        let claims = claims(self.time(name, reads, || prepared.run()));
        let of: Vec<_> = claims.iter().map(|(value, _)| *value).collect();
        for ((value, [most, least]), [below, up_to]) in claims.iter().zip(counted(self.values, &of))
        {
            let holds = below <= *most && up_to >= *least;
            assert!(holds, "{name} of {}: {value} has {below} below, {up_to} up to it", self.kind);
        }
    }

    /// The last element's rank follows from those of all. They are in order, and stand where they say.
    fn claims_of_top(values: &[f32], top: &[Located<f32>]) -> Claims {
        for pair in top.windows(2) {
            let [first, second] = [pair[0], pair[1]];
            let is_before = first.value > second.value
                || (first.value.to_bits() == second.value.to_bits() && first.index < second.index);
            assert!(is_before, "{first:?} and {second:?}");
        }
        let at = |index: u64| values[usize::try_from(index).expect("it is there")];
        assert!(top.iter().all(|found| at(found.index).to_bits() == found.value.to_bits()));
        let rank = (values.len() - top.len()) as u64;
        top.last().map(|last| (last.value, [rank, rank + 1])).into_iter().collect()
    }

    /// Prints a line, of rows.
    fn measure_rows<F: AlongFold<f32>>(
        &self,
        name: &str,
        fold: F,
        claims: impl Fn(&[f32], &F::Output) -> Claims,
    ) {
        let columns = self.values.len().min(1024);
        let rows = (self.values.len() / columns) as u64;
        let matrix = Matrix { rows, columns: columns as u64 };
        let request = self.reducer.reduce(fold, &self.input).rows(matrix);
        let prepared = request.timed().prepare().expect("it is prepared");
        let results = self.time(name, 1, || prepared.run());
        for (row, result) in self.values.chunks(columns).zip(&results) {
            for (value, [most, least]) in claims(row, result) {
                let below = row.iter().filter(|other| **other < value).count() as u64;
                let up_to = row.iter().filter(|other| **other <= value).count() as u64;
                assert!(below <= most && up_to >= least, "{name} of {}: {value}", self.kind);
            }
        }
    }

    fn measure_all(&self) {
        let len = self.values.len() as u64;
        let of_rank = |value, rank| (value, [rank, rank + 1]);
        self.measure("median", Median, |median| vec![(median, [len / 2, len / 2])]);
        let rank = len / 10;
        self.measure("nth", Nth { rank }, |element| vec![of_rank(element, rank)]);
        self.measure("arg_nth", ArgNth { rank }, |found| vec![of_rank(found.value, rank)]);
        let top = TopK { k: len.min(1000) };
        self.measure("top 1000", top, |found| Self::claims_of_top(self.values, &found));
        let shares: Vec<_> = (0..10).map(|number| 0.05 + 0.1 * f64::from(number)).collect();
        let quantiles = Quantiles::new(shares.clone()).method(QuantileMethod::Lower);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "as the library has it"
        )]
        let rank_of = |share: &f64| ((len - 1) as f64 * share) as u64;
        self.measure("ten quantiles", quantiles, |found| {
            let ranks = shares.iter().map(rank_of);
            found.into_iter().zip(ranks).map(|(value, rank)| of_rank(value, rank)).collect()
        });
        self.measure_rows("median of rows", Median, |row, median| {
            vec![(*median, [row.len() as u64 / 2; 2])]
        });
        let top = TopK { k: len.min(10) };
        self.measure_rows("top 10 of rows", top, |row, found| Self::claims_of_top(row, found));
    }
}

/// A kind of data, and its elements.
type Kind = (&'static str, fn(u64) -> f32);

/// Near a normal distribution: the sum of four uniform numbers.
fn normal(index: u64) -> f32 {
    (0..4).map(|number| uniform(mixed(4 * index + number))).sum::<f32>() - 2.0
}

fn main() {
    env_logger::init();
    let arguments = Arguments::given();
    let is_bench = arguments.is_bench;
    let usual = if is_bench { "20,24,26,28" } else { "10" };
    let logs = arguments.words.first().map_or(usual, String::as_str);
    let repetitions = arguments.number(1).unwrap_or(if is_bench { 22 } else { 2 });
    let reducer = GpuReducer::new().expect("an adapter is needed");
    let tuning =
        arguments.numbers(2).map(|[workgroup_size, max_workgroups, loads_in_flight, copies]| {
            HistogramTuning { workgroup_size, max_workgroups, loads_in_flight, copies }
        });
    assert!(tuning.is_some() || arguments.words.len() < 3, "a tuning has four numbers");
    let tuning = tuning.unwrap_or_else(|| HistogramTuning::for_caps(&reducer.caps()));
    println!("# {}, {tuning}", reducer.adapter_label());
    println!("statistic,data,elements,gpu_us,spread,gb_per_s,reads");
    #[expect(clippy::cast_precision_loss, reason = "ordered all the same")]
    let kinds: [Kind; 5] = [
        ("uniform", |index| uniform(mixed(index))),
        ("normal", normal),
        ("constant", |_| 0.3),
        ("sorted", |index| index as f32),
        ("alike", |index| f32::from_bits(0x3f80_0000 | (mixed(index) >> 20))),
    ];
    for log in logs.split(',').map(|log| log.parse::<u32>().expect("a number")) {
        for (kind, element) in kinds {
            let values: Vec<f32> = (0..1_u64 << log).map(element).collect();
            let input = reducer.upload(&values).expect("the data fits");
            let (reducer, values) = (&reducer, &values[..]);
            Subject { reducer, kind, values, input, repetitions, tuning }.measure_all();
        }
    }
}
