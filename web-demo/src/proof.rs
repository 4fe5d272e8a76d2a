//! Exact sums in the browser beside those of the committed list, which every device has to agree on.

#[path = "../../tests/host/exact/cases.rs"]
#[allow(
    dead_code,
    clippy::expect_used,
    reason = "the library's tests use the rest; what is expected is proved there"
)]
mod cases;
#[path = "../../tests/host/exact/committed.rs"]
mod committed;

use crate::adapter::Gpu;
use crate::thrown;
use cases::Float;
use committed::Committed;
use std::fmt::Write as _;
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;
use wgpu_reduce::{DotExact, ExactStream, GpuReducer, Matrix, Result, StreamOptions, SumExact};

/// Computes every sum, mean and dot product of the list in `text`, the sums also of streams and as rows of matrices, and
/// returns the lines that have other bits: none, if all is as it should be.
///
/// # Errors
///
/// The list cannot be read, the device was lost, or it has no memory for the numbers.
#[wasm_bindgen]
pub async fn prove(gpu: &Gpu, text: String) -> std::result::Result<String, JsError> {
    let mut cases = Committed::<f32>::read(&text).map_err(|what| JsError::new(&what))?;
    let reducer = &gpu.reducer;
    let mut differing = sums(reducer, &cases).await.map_err(|error| thrown(&error))?;
    for case in &cases {
        let dot = dot(reducer, case).await.map_err(|error| thrown(&error))?;
        if dot.to_bits() != case.dot.to_bits() {
            note(&mut differing, case, &[dot]);
        }
    }
    cases.sort_by_key(|case| case.values.len());
    for alike in cases.chunk_by(|a, b| a.values.len() == b.values.len()) {
        let sums = sums_of_rows(reducer, alike).await.map_err(|error| thrown(&error))?;
        for (case, sum) in alike.iter().zip(sums) {
            if sum.to_bits() != case.sum.to_bits() {
                note(&mut differing, case, &[sum]);
            }
        }
    }
    Ok(differing)
}

/// Computes every sum and mean of the list of `f64` in `text`, the sums also of streams; otherwise as [`prove`].
///
/// # Errors
///
/// As [`prove`].
#[wasm_bindgen]
pub async fn prove_f64(gpu: &Gpu, text: String) -> std::result::Result<String, JsError> {
    let cases = Committed::<f64>::read(&text).map_err(|what| JsError::new(&what))?;
    sums(&gpu.reducer, &cases).await.map_err(|error| thrown(&error))
}

/// The lines whose sum, mean, or sum of pieces that come one after another has other bits.
async fn sums<T: Float>(reducer: &GpuReducer, cases: &[Committed<T>]) -> Result<String> {
    let mut differing = String::new();
    for case in cases {
        let buffer = reducer.upload(&case.values)?;
        let sum = reducer.reduce(SumExact, &buffer).unrounded().start()?.await?;
        let mut stream = ExactStream::new(reducer, &StreamOptions::new(4096))?;
        for piece in case.values.chunks(300) {
            stream.push_async(piece).await?;
        }
        let found = [sum.round(), sum.mean()?, stream.finish()?.await?.round()];
        if found.map(T::word) != [case.sum, case.mean, case.sum].map(T::word) {
            note(&mut differing, case, &found);
        }
    }
    Ok(differing)
}

fn note<T: Float>(differing: &mut String, case: &Committed<T>, found: &[T]) {
    let found: Vec<_> = found.iter().map(|number| number.word()).collect();
    // A text takes whatever is written to it.
    let _ = writeln!(differing, "{}: {found:x?}", case.line);
}

async fn dot(reducer: &GpuReducer, case: &Committed) -> Result<f32> {
    let (left, right) = (reducer.upload(&case.values)?, reducer.upload(&case.reversed())?);
    reducer.reduce(DotExact, (&left, &right)).start()?.await
}

/// Of lists of one length, the rows of a matrix.
async fn sums_of_rows(reducer: &GpuReducer, alike: &[Committed]) -> Result<Vec<f32>> {
    let values: Vec<f32> = alike.iter().flat_map(|case| case.values.iter().copied()).collect();
    let rows = alike.len() as u64;
    let matrix = Matrix { rows, columns: values.len() as u64 / rows };
    let buffer = reducer.upload(&values)?;
    reducer.reduce(SumExact, &buffer).rows(matrix).start()?.await
}
