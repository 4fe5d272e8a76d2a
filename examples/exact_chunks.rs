//! An exact sum of what is in several places: a chunk on the GPU, one on the host, one that another machine has sent,
//! and a stream. They merge to the bits of one sum of all, in any order, on every device.
//!
//! ```sh
//! cargo run --release --example exact_chunks
//! ```

use wgpu_reduce::{ExactStream, ExactSum, GpuReducer, Result, StreamOptions, SumExact};

/// Numbers whose sum ordinary additions get wrong: large ones cancel each other.
fn numbers() -> Vec<f32> {
    let of = |index: u16| f32::from(index % 997) * 1.1_f32.powi(i32::from(index % 211));
    let large: Vec<_> = (0..50_000).map(of).collect();
    large.iter().copied().chain([0.125; 9]).chain(large.iter().map(|number| -number)).collect()
}

fn main() -> Result<()> {
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());
    let numbers = numbers();
    let chunks: Vec<_> = numbers.chunks(numbers.len().div_ceil(4)).collect();

    let on_gpu =
        reducer.reduce(SumExact, &reducer.upload(chunks[0])?).unrounded().start()?.wait()?;
    let on_host: ExactSum = chunks[1].iter().copied().collect();
    let sent = chunks[2].iter().copied().collect::<ExactSum>().to_bytes();
    let mut stream = ExactStream::new(&reducer, &StreamOptions::default())?;
    for piece in chunks[3].chunks(1000) {
        stream.push(piece)?;
    }
    let streamed = stream.finish()?.wait()?;

    let mut total = streamed;
    for sum in [ExactSum::from_bytes(&sent)?, on_host, on_gpu] {
        total.merge(&sum);
    }
    let ordinary: f32 = numbers.iter().sum();
    println!("exact {}, added one by one {ordinary}, of {} numbers", total.round(), total.count());
    assert_eq!(total.round().to_bits(), 1.125_f32.to_bits());

    // One call for all of it has the same bits.
    let at_once = reducer.sum_exact(&reducer.upload(&numbers)?)?;
    assert_eq!(at_once.to_bits(), total.round().to_bits());
    Ok(())
}
