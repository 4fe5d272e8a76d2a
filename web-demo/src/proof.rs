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
    let mut cases = Committed::read(&text).map_err(|what| JsError::new(&what))?;
    let reducer = &gpu.reducer;
    let mut differing = String::new();
    for case in &cases {
        let found = bits_of(reducer, case).await.map_err(|error| thrown(&error))?;
        if found != [case.sum, case.mean, case.dot, case.sum] {
            note(&mut differing, case, &found);
        }
    }
    cases.sort_by_key(|case| case.values.len());
    for alike in cases.chunk_by(|a, b| a.values.len() == b.values.len()) {
        let sums = sums_of_rows(reducer, alike).await.map_err(|error| thrown(&error))?;
        for (case, sum) in alike.iter().zip(sums) {
            if sum != case.sum {
                note(&mut differing, case, &[sum]);
            }
        }
    }
    Ok(differing)
}

fn note(differing: &mut String, case: &Committed, found: &[u32]) {
    // A text takes whatever is written to it.
    let _ = writeln!(differing, "{}: {found:08x?}", case.line);
}

/// Sum, mean and dot product, and the sum of pieces that come one after another.
async fn bits_of(reducer: &GpuReducer, case: &Committed) -> Result<[u32; 4]> {
    let buffer = reducer.upload(&case.values)?;
    let reversed = reducer.upload(&case.reversed())?;
    let dot = reducer.reduce(DotExact, (&buffer, &reversed)).unrounded().start()?;
    let sum = reducer.reduce(SumExact, &buffer).unrounded().start()?.await?;
    let mut stream = ExactStream::new(reducer, &StreamOptions::new(4096))?;
    for piece in case.values.chunks(300) {
        stream.push_async(piece).await?;
    }
    let streamed = stream.finish()?.await?;
    Ok([sum.round(), sum.mean()?, dot.await?.round(), streamed.round()].map(f32::to_bits))
}

/// Of lists of one length, the rows of a matrix.
async fn sums_of_rows(reducer: &GpuReducer, alike: &[Committed]) -> Result<Vec<u32>> {
    let values: Vec<f32> = alike.iter().flat_map(|case| case.values.iter().copied()).collect();
    let rows = alike.len() as u64;
    let matrix = Matrix { rows, columns: values.len() as u64 / rows };
    let buffer = reducer.upload(&values)?;
    let sums = reducer.reduce(SumExact, &buffer).rows(matrix).start()?.await?;
    Ok(sums.into_iter().map(f32::to_bits).collect())
}
