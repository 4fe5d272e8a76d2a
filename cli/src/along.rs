//! `--axis`, `--offsets` and `--keys`: several results of one file.

use crate::args;
use crate::chosen::Chosen;
use crate::contiguous::Along;
use crate::failure::Failure;
use crate::input::Input;
use crate::results::{Files, Results};
use crate::sample::Sample;
use crate::segments;
use crate::upload::upload_whole;
use serde_json::{Map, json};
use std::io::Write;
use wgpu_reduce::{AnySlices, Error, GpuReducer, Pending};
use wgpu_reduce_npy::Shape;

/// Uploads the input, reduces it as the options say, and prints or writes the results.
pub(crate) fn reduce<T: Sample>(
    operation: &Chosen,
    input: Input,
    files: Files,
    arguments: &args::Reduce,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let along = &arguments.along;
    let (reducer, mut results) = if let Some(offsets) = &along.offsets {
        segments::by_offsets::<T>(operation, input, &files, arguments, offsets)?
    } else if let Some(keys) = &along.keys {
        segments::by_key::<T>(operation, input, &files, arguments, keys)?
    } else {
        along_axes::<T>(operation, input, &files, arguments)?
    };
    if arguments.common.source.json {
        results.describe("op", operation.record().name());
        results.describe("dtype", T::KIND.name());
        results.describe("adapter", reducer.adapter_label());
    }
    results.leave(files, arguments, out)
}

fn along_axes<T: Sample>(
    operation: &Chosen,
    input: Input,
    files: &Files,
    arguments: &args::Reduce,
) -> Result<(GpuReducer, Results), Failure> {
    let name = arguments.common.source.file.display().to_string();
    let shape = input.shape().ok_or_else(|| {
        Failure::Usage(format!("{name}: --axis needs a .npy file, which has a shape"))
    })?;
    let axes = axes_of(shape, &arguments.along.axis);
    let axes = axes.map_err(|what| Failure::Usage(format!("{name}: {what}")))?;
    let shape = shape.clone();
    let along = Along::new(&shape, axes).map_err(|what| Failure::in_file(&name, what))?;
    let results = along.extents().iter().fold(1, |all: u64, &extent| all.saturating_mul(extent));
    files.check_room::<T>(operation, results, &[], &arguments.common.source.file)?;
    let reducer = arguments.common.source.device.open(|options| options)?;
    let buffers = upload_whole::<T>(&reducer, input)?;
    let elements = AnySlices::from(buffers.first(along.view.len())?);
    let request = reducer.reduce(&operation.any, elements).along(along.view, &along.axes_of_view);
    let figures = request.start().and_then(Pending::wait);
    let figures = figures.map_err(|error| match along.told(error) {
        Error::InvalidView { what } => Failure::in_file(&name, what),
        error => Failure::from(error).of_file(&name),
    })?;
    let (figures, extents) = (along.row_by_row(figures), along.extents());
    let axes = match along.axes[..] {
        [one] => json!(one),
        _ => json!(along.axes),
    };
    let about = Map::from_iter([("axis".into(), axes), ("shape".into(), json!(extents))]);
    Ok((reducer, Results { figures, keys: None, extents, about }))
}

/// As NumPy counts, from the last one back if they are negative; else which axes there are, or which is named twice.
pub(crate) fn axes_of(shape: &Shape, axes: &[i64]) -> Result<Vec<usize>, String> {
    let axes = axes.iter().map(|&axis| axis_of(shape, axis)).collect::<Result<Vec<_>, _>>()?;
    let twice =
        axes.iter().enumerate().find(|&(number, axis)| axes.iter().take(number).any(|a| a == axis));
    twice.map_or(Ok(()), |(_, axis)| Err(format!("axis {axis} is named twice")))?;
    Ok(axes)
}

fn axis_of(shape: &Shape, axis: i64) -> Result<usize, String> {
    let count = shape.extents.len();
    let from_zero = if axis < 0 { axis.checked_add_unsigned(count as u64) } else { Some(axis) };
    let found = from_zero.and_then(|axis| usize::try_from(axis).ok());
    found.filter(|&axis| axis < count).ok_or_else(|| no_axis(axis, count))
}

fn no_axis(axis: i64, count: usize) -> String {
    let those = match count {
        0 => "no axes".into(),
        1 => "axis 0 alone".into(),
        _ => format!("axes 0 to {}", count - 1),
    };
    format!("there is no axis {axis}: the array has {those}")
}
