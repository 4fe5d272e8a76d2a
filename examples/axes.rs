//! The mean over axes 0 and 2 of three, as `numpy.mean(x, axis=(0, 2))` has it.
//!
//! ```sh
//! cargo run --release --example axes
//! ```

use wgpu_reduce::{GpuReducer, Mean, Result, View};

/// Images, channels of each, pixels of each.
const SHAPE: [u64; 3] = [8, 3, 1000];

fn main() -> Result<()> {
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());
    // Channel c of image i has pixels of i + 10 · c, and half of them are larger by 1.
    let values = (0..24_u8).flat_map(|row| {
        let value = f32::from(row / 3) + 10.0 * f32::from(row % 3);
        [value, value + 1.0].into_iter().cycle().take(1000)
    });
    let images = reducer.upload(&values.collect::<Vec<_>>())?;

    let means = reducer.reduce(Mean, &images).along(View::new(&SHAPE)?, [0, 2]).run()?;
    println!("means of the channels: {means:?}");
    for (mean, expected) in means.iter().zip([4.0, 14.0, 24.0]) {
        assert!((mean - expected).abs() < 1e-4, "{mean} is not {expected}");
    }
    Ok(())
}
