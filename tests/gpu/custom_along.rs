//! Custom operators along axes, over segments and by key: order kept, whatever the shape.

use crate::axis::rows;
use crate::custom::{SOME_POISON, compose_one, composed, padded};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::Trial;
use wgpu::CommandEncoderDescriptor;
use wgpu_reduce::{
    CustomOp, Error, GpuBuffer, GpuSlices, Matrix, Pending, RunBuffers, View, WrongOffset,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "custom_along::matrices", matrices),
        on_every_rig(rigs, "custom_along::views", views),
        on_every_rig(rigs, "custom_along::axes", axes),
        on_every_rig(rigs, "custom_along::segments", segments),
        on_every_rig(rigs, "custom_along::keys", keys),
        on_every_rig(rigs, "custom_along::types", types),
        on_every_rig(rigs, "custom_along::encoded", encoded),
        on_every_rig(rigs, "custom_along::refused", refused),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub(crate) fn check(rig: &Rig, values: &[u32], view: View) -> Outcome {
    let buffer = rig.reducer.upload(values)?;
    for axis in 0..view.shape().len() {
        check_axes(rig, (&buffer, values), view, &[axis])?;
    }
    Ok(())
}

fn check_axes(
    rig: &Rig,
    (buffer, values): (&GpuBuffer<u32>, &[u32]),
    view: View,
    axes: &[usize],
) -> Outcome {
    let expected: Vec<_> = rows(values, view, axes).into_iter().map(composed).collect();
    let results = rig.reducer.reduce(&compose_one(), buffer).along(view, axes).start()?.wait()?;
    check_results(&results, &expected, (view, axes))
}

pub(crate) fn check_results(
    results: &[[u32; 2]],
    expected: &[[u32; 2]],
    (view, axes): (View, &[usize]),
) -> Outcome {
    let wrong = results.iter().zip(expected).position(|(a, b)| a != b);
    ensure!(
        results.len() == expected.len() && wrong.is_none(),
        "{view:?} along {axes:?}: {} results, {wrong:?} is wrong",
        results.len()
    );
    Ok(())
}

/// Several axes, row-major in the order of the view, whatever the order in memory; also where one binding does not hold
/// all elements.
fn axes(rig: &Rig) -> Outcome {
    let values = u32::data(Shape::Random, 120_000);
    let buffer = rig.reducer.upload(&values)?;
    for (shape, strides, offset) in [
        (&[7, 5, 33][..], &[165, 33, 1][..], 2),
        (&[9, 41, 300], &[12_300, 300, 1], 3),
        // Fortran's order.
        (&[30, 9, 41], &[1, 30, 270], 0),
        (&[100, 9, 41], &[1, 100, 900], 1),
        // Reversed and repeated.
        (&[3, 4, 40, 2], &[-1, 40, 160, 0], 9),
        (&[4, 3, 100, 2], &[20_000, 0, 150, 7], 0),
    ] {
        let view = View::strided(shape, strides, offset)?;
        for set in 0..1_u32 << shape.len() {
            let axes: Vec<_> = (0..shape.len()).filter(|axis| set >> axis & 1 == 1).collect();
            check_axes(rig, (&buffer, &values), view, &axes)?;
        }
    }
    Ok(())
}

/// From one element to rows that need several bindings under tight limits, and none.
fn matrices(rig: &Rig) -> Outcome {
    let shapes = [(1, 1), (3000, 1), (17, 1000), (2, 40_003), (301, 33)];
    for (rows, columns) in shapes {
        let values = u32::data(Shape::Random, rows * columns + 8);
        let strides = [i64::try_from(columns)?, 1];
        check(rig, &values, View::strided(&[rows, columns], &strides, rows % 4)?)?;
    }
    let none = rig.reducer.upload::<u32>(&[])?;
    let matrix = Matrix { rows: 5, columns: 0 };
    let results = rig.reducer.reduce(&compose_one(), &none).along(matrix, 1).start()?.wait()?;
    ensure!(results == [[1, 0]; 5], "of nothing: {results:?}");
    let results = rig.reducer.reduce(&compose_one(), &none).along(matrix, 0).start()?.wait()?;
    ensure!(results.is_empty(), "no columns: {results:?}");
    Ok(())
}

/// Views with gaps, in other orders, reversed and repeated; and an input of several buffers.
fn views(rig: &Rig) -> Outcome {
    let values = u32::data(Shape::Random, 30_000);
    for (shape, strides, offset) in
        [(&[10, 15, 40][..], &[2400, 40, -1][..], 39), (&[4, 100, 3], &[0, 1, 100], 0)]
    {
        check(rig, &values, View::strided(shape, strides, offset)?)?;
    }
    let parts = [&values[..5], &values[5..5], &values[5..7_001], &values[7_001..]];
    let buffers = parts.iter().map(|part| padded(rig, part, SOME_POISON));
    let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
    let slices = buffers.iter().zip(&parts).map(|(buffer, part)| {
        let first = SOME_POISON.before as u64;
        buffer.slice(first..first + part.len() as u64)
    });
    let slices: GpuSlices<'_, u32> = slices.collect::<Result<Vec<_>, _>>()?.into();
    let view = View::new(&[100, 300])?;
    for axis in 0..2 {
        let expected: Vec<_> = rows(&values, view, axis).into_iter().map(composed).collect();
        let pending =
            rig.reducer.reduce(&compose_one(), slices.clone()).along(view, axis).start()?;
        ensure!(pending.wait()? == expected, "several buffers along {axis}");
    }
    Ok(())
}

/// The index is the element's in the input.
fn composed_from(values: &[u32], first: usize) -> [u32; 2] {
    let indices = (0_u32..).skip(first);
    values.iter().zip(indices).fold([1, 0], |[a, b], (&word, index)| {
        let scale = (word ^ index).wrapping_mul(4).wrapping_add(1);
        let shift = word.wrapping_add(index.wrapping_mul(3)).wrapping_add(1);
        [a.wrapping_mul(scale), b.wrapping_mul(scale).wrapping_add(shift)]
    })
}

fn segments(rig: &Rig) -> Outcome {
    let short = (0..1500).map(|i| i % 5).scan(0, |end, len| {
        *end += len;
        Some(*end)
    });
    for offsets in [
        vec![0, 40_000],
        vec![7, 7, 8, 8, 20_011, 20_011, 39_999],
        short.chain([3100, 30_000, 30_001, 40_000]).collect(),
    ] {
        check_segments(rig, 40_000, &offsets)?;
    }
    // More tight bindings than any number of workgroups for each leaves room for.
    let len = if rig.is_tight { 2_600_000 } else { 100_000 };
    check_segments(rig, len.into(), &[0, 7, len / 3, len])
}

/// Segments of so many elements.
pub(crate) fn check_segments(rig: &Rig, len: u64, offsets: &[u32]) -> Outcome {
    let values = u32::data(Shape::Random, len);
    let buffer = padded(rig, &values, SOME_POISON)?;
    let first = SOME_POISON.before as u64;
    let slice = buffer.slice(first..first + len)?;
    let on_gpu = rig.reducer.upload(offsets)?;
    let results = rig.reducer.reduce(&compose_one(), slice).segments(&on_gpu).start()?.wait()?;
    let ends = offsets.windows(2).map(|ends| (ends[0] as usize, ends[1] as usize));
    let expected: Vec<_> =
        ends.map(|(start, end)| composed_from(&values[start..end], start)).collect();
    let wrong = results.iter().zip(&expected).position(|(a, b)| a != b);
    ensure!(
        results.len() == expected.len() && wrong.is_none(),
        "{} segments: {wrong:?} is wrong",
        expected.len()
    );
    Ok(())
}

/// Few runs, whose number and results come at once, and so many that the number comes first.
fn keys(rig: &Rig) -> Outcome {
    // Tight bindings do not hold a result for each of many keys.
    let is_tight = rig.reducer.caps().max_binding_bytes == TIGHT_BINDING_BYTES;
    for len in [100_usize, if is_tight { 3001 } else { 30_001 }] {
        check_runs(rig, len, 7)?;
    }
    Ok(())
}

/// So many keys, in runs of that length.
pub(crate) fn check_runs(rig: &Rig, len: usize, run: usize) -> Outcome {
    let keys: Vec<u32> = (0..len).map(|i| u32::try_from(i / run % 2)).collect::<Result<_, _>>()?;
    let values = u32::data(Shape::Random, len as u64);
    let (on_gpu, of_values) = (rig.reducer.upload(&keys)?, rig.reducer.upload(&values)?);
    let runs = rig.reducer.reduce(&compose_one(), &of_values).runs(&on_gpu).start()?.wait()?;
    let expected: Vec<_> = (0..len)
        .step_by(run)
        .map(|i| (keys[i], composed_from(&values[i..(i + run).min(len)], i)))
        .collect();
    ensure!(runs == expected, "{len} keys: {} runs", runs.len());
    Ok(())
}

/// Three components, of which results have three words; packed elements; a `finish`.
const THREE: &str = "
    fn map(element: u32, index: u32) -> vec3<u32> { return vec3<u32>(element, index, 1u); }
    fn combine(left: vec3<u32>, right: vec3<u32>) -> vec3<u32> {
        return vec3<u32>(left.x * 31u + right.x, right.y, left.z + right.z);
    }";

fn types(rig: &Rig) -> Outcome {
    // Not associative in its first component unless it knows how much is at its right.
    let text = THREE.replace("left.x * 31u + right.x", "left.x ^ right.x");
    let op = CustomOp::<u8, [u32; 3]>::new(text, [0; 3])?;
    let values: Vec<u8> =
        (0..2100_u32).map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    let buffer = rig.reducer.upload(&values)?;
    let matrix = Matrix { rows: 70, columns: 30 };
    let expected = |row: &[u8], first: u32| {
        let of_row = row.iter().fold(0, |all, &value| all ^ u32::from(value));
        let len = u32::try_from(row.len()).unwrap_or(0);
        [of_row, first + len - 1, len]
    };
    let rows: Vec<_> = values.chunks(30).map(|row| expected(row, 0)).collect();
    let results = rig.reducer.reduce(&op, &buffer).along(matrix, 1).start()?.wait()?;
    ensure!(results == rows, "rows of bytes: {:?}", &results[..3]);
    let offsets: Vec<u32> = (0..=70).map(|row| 30 * row).collect();
    let offsets = rig.reducer.upload(&offsets)?;
    let results = rig.reducer.reduce(&op, &buffer).segments(&offsets).start()?.wait()?;
    let segments: Vec<_> =
        (0_u32..).step_by(30).zip(values.chunks(30)).map(|(i, row)| expected(row, i)).collect();
    ensure!(results == segments, "segments of bytes: {:?}", &results[..3]);
    let text = "fn map(element: f32, index: u32) -> f32 { return element; }
        fn combine(left: f32, right: f32) -> f32 { return max(left, right); }
        fn finish(total: f32) -> vec4<f32> { return vec4<f32>(total, 1.0, 2.0, 3.0); }";
    let op = CustomOp::<f32, f32, [f32; 4]>::new(text, f32::NEG_INFINITY)?;
    let values: Vec<f32> = (0..60_u16).map(|i| f32::from(i * 7 % 60)).collect();
    let buffer = rig.reducer.upload(&values)?;
    let matrix = Matrix { rows: 20, columns: 3 };
    let results = rig.reducer.reduce(&op, &buffer).along(matrix, 0).start()?.wait()?;
    let of = |column: usize| values[column..].iter().step_by(3).copied().fold(0.0, f32::max);
    let expected = [0, 1, 2].map(|column| [of(column), 1.0, 2.0, 3.0]);
    ensure!(results == expected, "{results:?}");
    Ok(())
}

/// Results stay on the GPU, at an offset, with what is around them.
fn encoded(rig: &Rig) -> Outcome {
    let op = CustomOp::<u32, [u32; 3]>::new(THREE.replace(" * 31u + ", " ^ "), [0; 3])?;
    let reducer = &rig.reducer;
    let values = u32::data(Shape::Random, 600);
    let buffer = reducer.upload(&values)?;
    let output = reducer.upload(&[[9_u32; 3]; 30])?;
    let matrix = Matrix { rows: 20, columns: 30 };
    let offsets: Vec<u32> = (0..=20).map(|row| 30 * row).collect();
    let offsets = reducer.upload(&offsets)?;
    for of_segments in [false, true] {
        let mut encoder =
            reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
        let place = output.slice(5..)?;
        if of_segments {
            reducer.reduce(&op, &buffer).segments(&offsets).encode(&mut encoder, place)?;
        } else {
            reducer.reduce(&op, &buffer).along(matrix, 1).encode(&mut encoder, place)?;
        }
        reducer.queue().submit([encoder.finish()]);
        let left = output.download(reducer)?;
        for (row, of_row) in values.chunks(30).enumerate() {
            let first = if of_segments { 30 * u32::try_from(row)? } else { 0 };
            let expected = [of_row.iter().fold(0, |all, value| all ^ value), first + 29, 30];
            ensure!(left[5 + row] == expected, "row {row}: {:?}, not {expected:?}", left[5 + row]);
        }
        ensure!(left[..5] == [[9; 3]; 5] && left[25..] == [[9; 3]; 5], "around it: {left:?}");
    }
    let keys: Vec<u32> = (0..600).map(|i| i / 30).collect();
    let (keys, results) = (reducer.upload(&keys)?, reducer.upload(&[[9_u32; 3]; 605])?);
    let (run_keys, count) = (reducer.upload(&[9_u32; 600])?, reducer.upload(&[9_u32])?);
    let mut encoder = reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
    let place = RunBuffers {
        keys: (&run_keys).into(),
        results: results.slice(5..)?,
        count: (&count).into(),
    };
    reducer.reduce(&op, &buffer).runs(&keys).encode(&mut encoder, place)?;
    reducer.queue().submit([encoder.finish()]);
    ensure!(count.download(reducer)? == [20], "the count is wrong");
    let left = results.download(reducer)?;
    ensure!(left[5..25] == output.download(reducer)?[5..25], "results by key");
    ensure!(left[25] == [9; 3], "behind the last run");
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let buffer = reducer.upload(&[1_u32; 100])?;
    let op = compose_one();
    let view = View::new(&[10, 10])?;
    let error = reducer.reduce(&op, &buffer).along(view, 2).start().err();
    ensure!(matches!(error, Some(Error::InvalidView { .. })), "{error:?}");
    let error = reducer.reduce(&op, buffer.slice(1..)?).along(view, 1).start().err();
    ensure!(matches!(error, Some(Error::InvalidView { .. })), "{error:?}");
    let output = reducer.alloc::<[u32; 2]>(9)?;
    let mut encoder = reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
    let error = reducer.reduce(&op, &buffer).along(view, 1).encode(&mut encoder, &output).err();
    let expected = Some(Error::InvalidRange { start: 0, end: 10, len: 9 });
    ensure!(error == expected, "{error:?}");
    let offsets = reducer.upload(&[0_u32, 50, 20, 101])?;
    let outcome = reducer.reduce(&op, &buffer).segments(&offsets).start().and_then(Pending::wait);
    let first_wrong = Some(WrongOffset { index: 2, value: 20, before: 50 });
    let expected = Error::InvalidOffsets { len: 100, first_wrong };
    ensure!(outcome == Err(expected), "{outcome:?}");
    let outcome = reducer.reduce(&op, &buffer).runs(&offsets).start().and_then(Pending::wait);
    ensure!(outcome == Err(Error::LengthMismatch { left: 4, right: 100 }), "{outcome:?}");
    Ok(())
}
