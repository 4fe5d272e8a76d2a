//! Histograms: of bytes, of floats between edges, and of the channels of an image.
//!
//! ```sh
//! cargo run --release --example histogram
//! ```

use wgpu_reduce::{Bins, GpuReducer, Result};

fn main() -> Result<()> {
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());

    let bytes: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let bytes = reducer.histogram(&reducer.upload(&bytes)?, &Bins::even(0..256, 256)?)?;
    assert_eq!(bytes.counts, [4096; 256]);

    // As numpy.histogram has it: the last bin has both its edges. What is outside is counted apart.
    let floats = [0.1_f32, 0.5, 1.0, 2.0, 7.5, 10.0, -3.0, f32::NAN];
    let found =
        reducer.histogram(&reducer.upload(&floats)?, &Bins::edges(&[0.0, 0.5, 1.0, 10.0])?)?;
    for (count, edges) in found.counts.iter().zip(found.edges.windows(2)) {
        println!("{:>4} to {:<4} {count}", edges[0], edges[1]);
    }
    println!("below {}, above {}, NaN {}", found.below, found.above, found.nan);
    assert_eq!((&found.counts[..], found.below, found.above, found.nan), (&[1, 1, 4][..], 1, 0, 1));

    // Red, green, blue, red and so on.
    let pixels = reducer.upload(&[255_u8, 0, 7, 255, 0, 9, 0, 0, 8])?;
    let [red, green, blue] = &reducer.bin(&pixels, &Bins::even(0..256, 2)?).channels(3).run()?[..]
    else {
        unreachable!("three channels were asked for");
    };
    println!(
        "dark and light: red {:?}, green {:?}, blue {:?}",
        red.counts, green.counts, blue.counts
    );
    assert_eq!([red, green, blue].map(|channel| &channel.counts[..]), [[1, 2], [3, 0], [3, 0]]);
    Ok(())
}
