//! Nothing blocks: reductions are started one after another, run while the program does something else, and are
//! awaited in the end. So it is done in browsers, too.
//!
//! ```sh
//! cargo run --release --example awaited
//! ```

use wgpu_reduce::{GpuReducer, MinMax, Options, Result, Stats, Sum};

async fn run() -> Result<()> {
    let reducer = GpuReducer::request(&Options::default()).await?;
    println!("on {}", reducer.adapter_label());
    let buffer = reducer.upload(&[3.0_f32, -1.0, 4.0, 1.0, -5.0, 9.0, -2.0, 6.0])?;

    // All three are on their way before the first is awaited.
    let sum = reducer.reduce(Sum, &buffer).start()?;
    let extremes = reducer.reduce(MinMax, &buffer).start()?;
    let statistics = reducer.reduce(Stats::default(), &buffer).start()?;
    let (sum, extremes, statistics) = (sum.await?, extremes.await?, statistics.await?);
    println!("sum {sum}, from {} to {}", extremes.min, extremes.max);
    println!("mean {}, variance {}", statistics.mean, statistics.variance);
    assert_eq!((sum, extremes.min, extremes.max), (15.0, -5.0, 9.0));
    // All of these are exact in f32, but for the variance, of which a few roundings are allowed.
    assert_eq!((statistics.sum, statistics.mean), (15.0, 1.875));
    assert!((statistics.variance - 18.109_375).abs() < 1e-4, "{}", statistics.variance);

    // Many small ones are one submission.
    let pairs: Vec<_> = (0..4).map(|n| buffer.slice(2 * n..2 * n + 2)).collect::<Result<_>>()?;
    let sums = reducer
        .batch(pairs.into_iter().map(|pair| reducer.reduce(Sum, pair)).collect::<Vec<_>>())
        .start()?
        .await?;
    assert_eq!(sums, [2.0, 5.0, 4.0, 4.0]);
    Ok(())
}

fn main() -> Result<()> {
    pollster::block_on(run())
}
