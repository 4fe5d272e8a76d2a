//! What would run on a phone: plans for the least that WebGPU promises, with no device.
//!
//! ```sh
//! cargo run --release --example no_device
//! ```

use wgpu_reduce::{ArgMax, Caps, ElementKind, Matrix, Problem, Result, Sum};

fn main() -> Result<()> {
    let phone = Caps::baseline();
    println!("bindings of up to {} MiB, and no subgroups\n", phone.max_binding_bytes >> 20);

    let sum = Problem::new::<f32, _>(&Sum, ElementKind::F32, 1 << 26).plan(&phone)?;
    println!("{sum}");
    // 256 MiB in windows of 128 MiB.
    let dispatches: usize = sum.passes().iter().map(|pass| pass.grids().len()).sum();
    assert_eq!(dispatches, 2);

    let rows = Matrix { rows: 1000, columns: 50_000 };
    let largest = Problem::new::<f32, _>(&ArgMax, ElementKind::F32, 50_000_000)
        .along(rows, 1)
        .plan(&phone)?;
    println!("{largest}");
    assert_eq!(largest.results, 1000);
    println!("its first shader has {} lines", largest.passes()[0].wgsl().lines().count());
    Ok(())
}
