//! The sum of a buffer, and of a part of it.
//!
//! ```sh
//! cargo run --release --example sum_buffer
//! ```

use wgpu_reduce::{GpuReducer, Located, Result};

fn main() -> Result<()> {
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());

    let numbers: Vec<f32> = (0..8_u8).cycle().take(1_000_000).map(f32::from).collect();
    let buffer = reducer.upload(&numbers)?;
    let (sum, of_ten) = (reducer.sum(&buffer)?, reducer.sum(buffer.slice(10..20)?)?);
    println!("sum {sum}, of the elements 10 to 19 {of_ten}");
    assert_eq!((sum, of_ten), (3_500_000.0, 33.0));

    // Any operation: of integers, sums are 64 bits wide.
    let integers = reducer.upload(&[i32::MAX, i32::MAX, -7])?;
    let (sum, smallest) = (reducer.sum(&integers)?, reducer.argmin(&integers)?);
    println!("sum {sum}, smallest {smallest:?}");
    assert_eq!((sum, smallest), (4_294_967_287, Located { index: 2, value: -7 }));
    Ok(())
}
