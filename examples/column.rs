//! The sum of a column that no memory holds, read in pieces: the next piece is read while the GPU reduces the one before.
//!
//! ```sh
//! cargo run --release --example column               # 64 MiB
//! cargo run --release --example column -- 40960      # 40 GiB, in the same memory
//! ```

use std::io::Write as _;
use wgpu_reduce::{GpuReducer, Result, StreamOptions, Sum};

/// Elements of a piece, 4 MiB.
const PIECE: usize = 1 << 20;

/// Stands for a reader: the next piece of a column of u32, in a buffer that is used again.
fn read(piece: &mut [u32], number: usize) {
    let first = u32::try_from(number % 4).unwrap_or(0);
    piece.iter_mut().zip(first..).for_each(|(element, value)| *element = value);
}

fn main() -> Result<()> {
    let mebibytes = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(64_usize);
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());

    let pieces = mebibytes.div_ceil(4);
    let mut stream = reducer.stream(Sum, &StreamOptions::default())?;
    let mut piece = vec![0_u32; PIECE];
    for number in 0..pieces {
        read(&mut piece, number);
        // It blocks where the GPU has enough to do, so memory stays bounded.
        stream.push(&piece)?;
        print!("\r{} of {mebibytes} MiB", 4 * (number + 1));
        // Progress that cannot be shown is no failure.
        let _shown = std::io::stdout().flush();
    }
    let sum = stream.finish()?.wait()?;
    println!(": {sum}");

    let piece = |number: usize| (PIECE * (PIECE - 1) / 2 + PIECE * (number % 4)) as u64;
    assert_eq!(sum, (0..pieces).map(piece).sum::<u64>());
    Ok(())
}
