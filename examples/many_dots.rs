//! Dot products of one vector with a thousand others, in one submission.
//!
//! ```sh
//! cargo run --release --example many_dots
//! ```

use wgpu_reduce::{Dot, GpuReducer, Result};

const LEN: u64 = 300;

fn main() -> Result<()> {
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());
    let query: Vec<i32> = (0..300).map(|index| index % 7 - 3).collect();
    // The vectors lie one behind the other.
    let vectors: Vec<i32> = (0..300_000).map(|index| index % 11 - 5).collect();
    let (on_gpu, all) = (reducer.upload(&query)?, reducer.upload(&vectors)?);

    let requests = (0..1000_u64)
        .map(|number| {
            Ok(reducer.reduce(Dot, (&on_gpu, all.slice(number * LEN..(number + 1) * LEN)?)))
        })
        .collect::<Result<Vec<_>>>()?;
    let dots = reducer.batch(requests).run()?;

    let best = dots.iter().zip(0..).max().map(|(dot, number)| (number, dot));
    println!("{} products; the largest, {best:?}", dots.len());
    for (dot, vector) in dots.iter().zip(vectors.chunks(300)) {
        let expected: i32 = query.iter().zip(vector).map(|(a, b)| a * b).sum();
        assert_eq!(*dot, expected.into());
    }
    Ok(())
}
