//! A matrix: sums of its rows, extremes of its columns, the largest element of each row with its index, and an axis in the
//! middle of three; results on the host or on the GPU.
//!
//! ```sh
//! cargo run --release --example rows
//! ```

use wgpu_reduce::{ArgMax, GpuReducer, Located, Matrix, Max, Result, Sum, View};

fn main() -> Result<()> {
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());

    // Row-major: rows of four.
    let elements = [1.0_f32, 2.0, 3.0, 4.0, 8.0, 7.0, 6.0, 5.0, 0.0, 0.5, 0.0, 0.5];
    let matrix = reducer.upload(&elements)?;
    let shape = Matrix { rows: 3, columns: 4 };
    let sums = reducer.reduce(Sum, &matrix).rows(shape).run()?;
    println!("sums of rows {sums:?}");
    assert_eq!(sums, [10.0, 26.0, 1.0]);

    let largest = reducer.reduce(Max, &matrix).columns(shape).start()?.wait()?;
    println!("largest of columns {largest:?}");
    assert_eq!(largest, [8.0, 7.0, 6.0, 5.0]);

    let found = reducer.reduce(ArgMax, &matrix).rows(shape).start()?.wait()?;
    for (row, Located { index, value }) in found.iter().enumerate() {
        println!("row {row}: largest {value} in column {index}");
    }
    // Of equal elements it is the first.
    let expected = [(3, 4.0), (0, 8.0), (1, 0.5)];
    assert_eq!(found, expected.map(|(index, value)| Located { index, value }));

    // The same elements as 3 x 2 x 2, along the axis in the middle; what comes out stays on the GPU.
    let view = View::new(&[3, 2, 2])?;
    let sums = reducer.reduce(Sum, &matrix).along(view, 1).to_buffer()?;
    assert_eq!(sums.download(&reducer)?, [4.0, 6.0, 14.0, 12.0, 0.0, 1.0]);
    Ok(())
}
