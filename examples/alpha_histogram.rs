//! Histograms of red, green and blue, in which a pixel counts as much as it is opaque. Sums of integers are exact.
//!
//! ```sh
//! cargo run --release --example alpha_histogram
//! ```

use wgpu_reduce::{Bins, GpuReducer, Result};

fn main() -> Result<()> {
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());
    // RGBA: opaque red, half transparent green, invisible white.
    let image = [[255_u8, 0, 0, 255], [0, 255, 0, 128], [255, 255, 255, 0]].repeat(1000);

    let pixels = reducer.upload(image.as_flattened())?;
    // Each of a pixel's four elements weighs its alpha.
    let alphas: Vec<u32> = image.iter().flat_map(|&[.., alpha]| [alpha.into(); 4]).collect();
    let alphas = reducer.upload(&alphas)?;
    let bins = Bins::even(0..256, 2)?;
    let channels = reducer.bin(&pixels, &bins).channels(4).weights(&alphas).run()?;

    for (name, channel) in ["red", "green", "blue"].iter().zip(&channels) {
        println!("{name}: dark {}, light {}", channel.sums[0], channel.sums[1]);
    }
    let sums: Vec<_> = channels.iter().take(3).map(|channel| &channel.sums[..]).collect();
    assert_eq!(sums, [[128_000, 255_000], [255_000, 128_000], [383_000, 0]]);
    Ok(())
}
