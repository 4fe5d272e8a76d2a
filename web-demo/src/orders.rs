//! The same numbers in several orders, summed in three ways.

use crate::adapter::Gpu;
use crate::thrown;
use std::cell::RefCell;
use std::hint::black_box;
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;
use web_time::Instant;
use wgpu_reduce::{ExactSum, GpuBuffer, GpuReducer, Sum, SumExact};
use wgpu_reduce_known::{Times, hash, wide};

/// Numbers that are to be summed.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Orders {
    reducer: GpuReducer,
    numbers: Vec<f32>,
}

/// Sums of the numbers in one order.
#[wasm_bindgen]
#[derive(Debug, Clone, Copy)]
pub struct Sums {
    /// One after the other, each rounded to `f32`, on the CPU.
    #[wasm_bindgen(readonly)]
    pub naive: f32,
    /// By the GPU, as `sum` does.
    #[wasm_bindgen(readonly)]
    pub sum: f32,
    /// By the GPU, without rounding until the end.
    #[wasm_bindgen(readonly)]
    pub exact: f32,
    /// The same by the CPU.
    #[wasm_bindgen(readonly)]
    pub exact_on_host: f32,
}

/// What sums of many numbers take, in milliseconds: medians of whole calls, on data that lie on the GPU.
#[wasm_bindgen]
#[derive(Debug, Clone, Copy)]
pub struct Costs {
    /// Of `sum`.
    #[wasm_bindgen(readonly)]
    pub sum_ms: f64,
    /// Of `sum_exact`.
    #[wasm_bindgen(readonly)]
    pub exact_ms: f64,
    /// Of the exact sum on the CPU.
    #[wasm_bindgen(readonly)]
    pub exact_on_host_ms: f64,
}

/// So often each is run; the first run also makes pipelines.
const RUNS: usize = 12;

#[wasm_bindgen]
impl Orders {
    /// So many numbers of either sign and very different magnitudes.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(gpu: &Gpu, count: u32) -> Self {
        Self { reducer: gpu.reducer.clone(), numbers: numbers(count) }
    }

    /// Sums them in the order of that number; 0 is the one that they were made in.
    ///
    /// # Errors
    ///
    /// The device was lost, or has no memory for them.
    pub async fn sums(&self, order: u32) -> Result<Sums, JsError> {
        let mut numbers = self.numbers.clone();
        if order > 0 {
            shuffle(&mut numbers, order);
        }
        self.sum(&numbers).await.map_err(|error| thrown(&error))
    }

    async fn sum(&self, numbers: &[f32]) -> wgpu_reduce::Result<Sums> {
        let buffer = self.reducer.upload(numbers)?;
        let sum = self.reducer.reduce(Sum, &buffer).start()?;
        let exact = self.reducer.reduce(SumExact, &buffer).unrounded().start()?;
        let mut on_host = ExactSum::new();
        on_host.add_slice(numbers);
        // Both, so that each tells what has gone wrong with it.
        let (sum, exact) = (sum.await, exact.await);
        Ok(Sums {
            naive: numbers.iter().fold(0.0, |sum, number| sum + number),
            sum: sum?,
            exact: exact?.round(),
            exact_on_host: on_host.round(),
        })
    }
}

/// Sums of many numbers that lie on the GPU, to be timed run by run.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Timing {
    reducer: GpuReducer,
    numbers: Vec<f32>,
    buffer: GpuBuffer<f32>,
    /// Seconds of each run, in the order of [`Costs`].
    runs: RefCell<[Vec<f64>; 3]>,
}

#[wasm_bindgen]
impl Timing {
    /// So many numbers of the kind that [`Orders`] have.
    ///
    /// # Errors
    ///
    /// The device was lost, or has no memory for them.
    #[wasm_bindgen(constructor)]
    pub fn new(gpu: &Gpu, count: u32) -> Result<Timing, JsError> {
        let (reducer, numbers) = (gpu.reducer.clone(), numbers(count));
        let buffer = reducer.upload(&numbers).map_err(|error| thrown(&error))?;
        Ok(Self { reducer, numbers, buffer, runs: RefCell::default() })
    }

    /// Runs each once more, and tells what part of all runs there is now: 1 if that is all.
    ///
    /// # Errors
    ///
    /// The device was lost, or has no memory for them.
    #[expect(clippy::cast_precision_loss, reason = "a few runs")]
    pub async fn run(&self) -> Result<f64, JsError> {
        let seconds = self.seconds().await.map_err(|error| thrown(&error))?;
        let mut runs = self.runs.borrow_mut();
        runs.iter_mut().zip(seconds).for_each(|(runs, seconds)| runs.push(seconds));
        let [first, ..] = &*runs;
        Ok(first.len() as f64 / RUNS as f64)
    }

    /// What they have taken.
    #[must_use]
    pub fn costs(&self) -> Costs {
        let [sum_ms, exact_ms, exact_on_host_ms] =
            self.runs.borrow().each_ref().map(|seconds| median_ms(seconds));
        Costs { sum_ms, exact_ms, exact_on_host_ms }
    }

    async fn seconds(&self) -> wgpu_reduce::Result<[f64; 3]> {
        let Self { reducer, numbers, buffer, .. } = self;
        let start = Instant::now();
        black_box(reducer.reduce(Sum, buffer).start()?.await?);
        let sum = start.elapsed();
        let start = Instant::now();
        black_box(reducer.reduce(SumExact, buffer).unrounded().start()?.await?.round());
        let exact = start.elapsed();
        let start = Instant::now();
        let mut on_host = ExactSum::new();
        on_host.add_slice(black_box(numbers));
        black_box(on_host.round());
        Ok([sum, exact, start.elapsed()].map(|time| time.as_secs_f64()))
    }
}

/// So many numbers of either sign and very different magnitudes.
pub(crate) fn numbers(count: u32) -> Vec<f32> {
    (0..u64::from(count)).map(|index| wide(hash(index))).collect()
}

/// Of all runs but the first.
fn median_ms(seconds: &[f64]) -> f64 {
    Times::of(seconds.iter().skip(1).copied().collect()).map_or(0.0, |times| 1e3 * times.median)
}

/// Fisher and Yates' shuffle (Durstenfeld, *Algorithm 235*, 1964), by Marsaglia's xorshift (*Xorshift RNGs*,
/// 2003): the same everywhere for the same seed, which must not be 0.
pub(crate) fn shuffle<T>(numbers: &mut [T], seed: u32) {
    let mut state = hash(seed.into());
    for last in (1..numbers.len()).rev() {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let other = u64::from(state) % (last as u64 + 1);
        numbers.swap(last, usize::try_from(other).unwrap_or(last));
    }
}
