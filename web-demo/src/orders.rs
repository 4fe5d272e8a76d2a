//! The same numbers in several orders, summed in three ways.

use crate::adapter::Gpu;
use crate::thrown;
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;
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
