//! The same numbers in several orders, summed in three ways.

use crate::adapter::Gpu;
use crate::thrown;
use std::hint::black_box;
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;
use web_time::Instant;
use wgpu_reduce::{ExactSum, GpuReducer, Sum};
use wgpu_reduce_known::{hash, wide};

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
    pub naive: f32,
    /// By the GPU, as `sum` does.
    pub sum: f32,
    /// By the GPU, without rounding until the end.
    pub exact: f32,
    /// The same by the CPU.
    pub exact_on_host: f32,
}

/// What sums of many numbers take, in milliseconds: medians of whole calls, on data that lie on the GPU.
#[wasm_bindgen]
#[derive(Debug, Clone, Copy)]
pub struct Costs {
    /// Of `sum`.
    pub sum_ms: f64,
    /// Of `sum_exact`.
    pub exact_ms: f64,
    /// Of the exact sum on the CPU.
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
        let numbers = (0..u64::from(count)).map(|index| wide(hash(index))).collect();
        Self { reducer: gpu.reducer.clone(), numbers }
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

    /// Times each on so many numbers of the same kind.
    ///
    /// # Errors
    ///
    /// The device was lost, or has no memory for them.
    pub async fn costs(&self, count: u32) -> Result<Costs, JsError> {
        let numbers: Vec<f32> = (0..u64::from(count)).map(|index| wide(hash(index))).collect();
        self.time(&numbers).await.map_err(|error| thrown(&error))
    }

    async fn time(&self, numbers: &[f32]) -> wgpu_reduce::Result<Costs> {
        let buffer = self.reducer.upload(numbers)?;
        let [mut sums, mut exact, mut on_host] = [const { Vec::new() }; 3];
        for _ in 0..RUNS {
            let start = Instant::now();
            black_box(self.reducer.reduce(Sum, &buffer)?.await?);
            sums.push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            black_box(self.reducer.reduce_exact(&buffer)?.await?.round());
            exact.push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let mut sum = ExactSum::new();
            sum.add_slice(black_box(numbers));
            black_box(sum.round());
            on_host.push(start.elapsed().as_secs_f64());
        }
        Ok(Costs {
            sum_ms: median_ms(sums),
            exact_ms: median_ms(exact),
            exact_on_host_ms: median_ms(on_host),
        })
    }

    async fn sum(&self, numbers: &[f32]) -> wgpu_reduce::Result<Sums> {
        let buffer = self.reducer.upload(numbers)?;
        let sum = self.reducer.reduce(Sum, &buffer)?;
        let exact = self.reducer.reduce_exact(&buffer)?;
        let mut on_host = ExactSum::new();
        on_host.add_slice(numbers);
        Ok(Sums {
            naive: numbers.iter().fold(0.0, |sum, number| sum + number),
            sum: sum.await?,
            exact: exact.await?.round(),
            exact_on_host: on_host.round(),
        })
    }
}

/// Of all runs but the first.
fn median_ms(mut seconds: Vec<f64>) -> f64 {
    let rest = seconds.get_mut(1..).unwrap_or_default();
    rest.sort_by(f64::total_cmp);
    rest.get(rest.len() / 2).map_or(0.0, |median| 1e3 * median)
}

/// Fisher and Yates' shuffle (Durstenfeld, *Algorithm 235*, 1964), by Marsaglia's xorshift (*Xorshift RNGs*,
/// 2003): the same everywhere for the same seed, which must not be 0.
fn shuffle(numbers: &mut [f32], seed: u32) {
    let mut state = hash(seed.into());
    for last in (1..numbers.len()).rev() {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let other = u64::from(state) % (last as u64 + 1);
        numbers.swap(last, usize::try_from(other).unwrap_or(last));
    }
}
