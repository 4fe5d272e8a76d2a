//! Many results on their way to the host; see `METHODOLOGY.md`.
//!
//! `cargo bench --bench results -- [LOG2_OF_RESULTS, 24] [REPETITIONS, 9]` prints CSV, a line for each case: results, their bytes on the
//! host, the median of microseconds of a call from its start to the `Vec`, how far calls differ (what lies between the quartiles, in percent of the
//! median), the same call's median where the results stay on the GPU, and 10^9 bytes of results in a second of the difference.
//! Every result of the first call is compared with the host's. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter. What
//! `cargo test` runs is small.

use std::fmt::Debug;
use std::time::Instant;
use wgpu_reduce::{ArgMax, GpuReducer, Located, Matrix, Max, Mean, Result, Sum};
use wgpu_reduce_known::{Arguments, Times, hash};

/// Elements of each result.
const EACH: u64 = 4;

/// Small enough that sums of a few are exact.
fn element(index: u64) -> u16 {
    (hash(index) >> 20) as u16
}

fn word(number: u64) -> u32 {
    u32::try_from(number).expect("there are not so many")
}

fn of_each(index: u64) -> impl Iterator<Item = u16> {
    (EACH * index..EACH * (index + 1)).map(element)
}

fn sum(index: u64) -> f32 {
    of_each(index).map(f32::from).sum()
}

fn max(index: u64) -> f32 {
    of_each(index).max().map_or(0.0, f32::from)
}

fn argmax(index: u64) -> Located<f32> {
    let most = of_each(index).max();
    let place = of_each(index).position(|value| Some(value) == most);
    Located { value: max(index), index: place.unwrap_or(0) as u64 }
}

struct Subject {
    results: u64,
    repetitions: usize,
}

impl Subject {
    /// Prints a line. Panics on a wrong answer: a time for it would mean nothing.
    fn measure<R: PartialEq + Debug>(
        &self,
        name: &str,
        expected: impl Fn(u64) -> R,
        to_host: impl Fn() -> Result<Vec<R>>,
        to_stay: impl Fn() -> Result<()>,
    ) {
        let found = to_host().expect("there are results");
        assert_eq!(found.len() as u64, self.results, "{name}");
        let wrong = (0..).zip(&found).find(|(index, found)| **found != expected(*index));
        assert_eq!(wrong, None, "{name}");
        let bytes = size_of_val(&found[..]);
        drop(found);
        let [host, stay] = [
            self.times(|| to_host().expect("there are results")),
            self.times(|| to_stay().expect("there are results")),
        ];
        #[expect(clippy::cast_precision_loss, reason = "printed with two digits")]
        let rate = bytes as f64 / (host.median - stay.median) / 1e3;
        println!(
            "{name},{},{bytes},{:.1},{:.1},{:.1},{rate:.2}",
            self.results, host.median, host.spread, stay.median
        );
    }

    /// Without what it takes to give the memory back.
    fn times<R>(&self, run: impl Fn() -> R) -> Times {
        drop(run());
        let once = || {
            let start = Instant::now();
            let value = run();
            let elapsed = start.elapsed();
            drop(value);
            elapsed.as_secs_f64() * 1e6
        };
        Times::of((0..self.repetitions).map(|_| once()).collect()).expect("there is one")
    }
}

fn main() -> Result<()> {
    env_logger::init();
    let arguments = Arguments::given();
    let [log_results, repetitions] = if arguments.is_bench { [24, 9] } else { [8, 1] };
    let log_results = arguments.number(0).unwrap_or(log_results);
    let repetitions = arguments.number(1).unwrap_or(repetitions) as usize;
    let reducer = &GpuReducer::new()?;
    println!("# {}", reducer.adapter_label());
    println!("case,results,bytes,call_us,spread,stays_us,gb_per_s");
    let results = 1 << log_results;
    let subject = Subject { results, repetitions };
    let elements: Vec<f32> = (0..EACH * results).map(|at| element(at).into()).collect();
    let matrix = Matrix { rows: results, columns: EACH };
    let input = &reducer.upload(&elements)?;
    let settled = || reducer.sum(input.slice(..1)?).map(drop);

    let first = input.slice(..results)?;
    let downloaded = || reducer.read(first)?.wait();
    subject.measure("download of f32", |at| element(at).into(), downloaded, settled);
    let offsets: Vec<u32> = (0..=results).map(|at| word(EACH * at)).collect();
    let offsets = &reducer.upload(&offsets)?;
    let keys: Vec<u32> = (0..EACH * results).map(|at| word(at / EACH)).collect();
    let keys = &reducer.upload(&keys)?;
    macro_rules! shaped {
        ($name:literal, $operation:expr, $shape:ident($by:expr), $expected:expr) => {
            let request = || reducer.reduce($operation, input).$shape($by);
            let stays = || request().to_buffer().map(drop).and_then(|()| settled());
            subject.measure($name, $expected, || request().run(), stays);
        };
    }
    shaped!("rows; sum", Sum, rows(matrix), sum);
    shaped!("rows; max", Max, rows(matrix), max);
    shaped!("rows; mean", Mean, rows(matrix), |index| sum(index) / 4.0);
    shaped!("rows; argmax", ArgMax, rows(matrix), argmax);
    shaped!("segments; sum", Sum, segments(offsets), sum);
    shaped!("segments; max", Max, segments(offsets), max);
    shaped!("runs; sum", Sum, runs(keys), |index| (word(index), sum(index)));
    Ok(())
}
