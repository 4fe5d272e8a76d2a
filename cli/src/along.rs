//! `--axis`, `--offsets`, `--keys` and `--groups`: several results of one file.

use crate::args;
use crate::chosen::Chosen;
use crate::contiguous::Along;
use crate::failure::Failure;
use crate::input::Input;
use crate::masked;
use crate::results::{Expected, Files, Results};
use crate::sample::Sample;
use crate::segments;
use crate::upload::upload_whole;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;
use wgpu_reduce::{AlongFold, AnySlices, Error, GpuReducer, Input as Elements, Pending};
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
    } else if let (Some(keys), Some(groups)) = (&along.keys, along.groups) {
        segments::by_groups::<T>(operation, input, &files, arguments, (keys, groups))?
    } else if let Some(keys) = &along.keys {
        segments::by_key::<T>(operation, input, &files, arguments, keys)?
    } else {
        along_axes::<T>(operation, input, &files, arguments)?
    };
    results.describe(operation.record().name(), T::KIND, reducer.adapter_label());
    results.leave(files, arguments.common.source.json, out)
}

fn along_axes<T: Sample>(
    operation: &Chosen,
    input: Input,
    files: &Files,
    arguments: &args::Reduce,
) -> Result<(GpuReducer, Results), Failure> {
    let args::Source { file, device, .. } = &arguments.common.source;
    let along = asked(&input, file, &arguments.along.axes)?;
    let expected = Expected::new(along.results(), operation.example(T::KIND)?);
    files.check_room(&expected, file)?;
    let mask = arguments.mask.as_ref();
    let mask = mask.map(|mask| masked::open(&input, arguments, mask)).transpose()?;
    let reducer = device.open(|options| options)?;
    let buffers = upload_whole::<T>(&reducer, input)?;
    let mask = mask.map(|mask| upload_whole::<u8>(&reducer, mask)).transpose()?;
    let elements = AnySlices::from(buffers.first(along.view.len())?);
    let request = reducer.reduce(&operation.any, elements).along(along.view, &along.axes_of_view);
    let request = match &mask {
        Some(mask) => request.masked(mask.first(along.view.len())?),
        None => request,
    };
    let results = request.start().and_then(Pending::wait);
    let figures = finished(results, &along, &file.display().to_string())?;
    let extents = along.extents();
    Ok((reducer, Results { figures, beside: None, about: about(&along, &extents), extents }))
}

/// The array of a file along the axes that are asked for.
pub(crate) fn asked(input: &Input, file: &Path, axes: &args::AxisChoice) -> Result<Along, Failure> {
    let name = file.display().to_string();
    let shape = input.shape().ok_or_else(|| {
        Failure::Usage(format!("{name}: --axis needs a .npy file, which has a shape"))
    })?;
    let axes = axes_of(shape, &axes.axis);
    let axes = axes.map_err(|what| Failure::Usage(format!("{name}: {what}")))?;
    Along::new(shape.clone(), axes).map_err(|what| Failure::in_file(&name, what))
}

/// Reduces along the axes: the results, row by row of the array.
pub(crate) fn reduced<'a, I: Elements<'a>, F: AlongFold<I::Item>>(
    reducer: &GpuReducer,
    fold: F,
    elements: I,
    along: &Along,
    name: &str,
) -> Result<Vec<F::Output>, Failure> {
    let request = reducer.reduce(fold, elements).along(along.view, &along.axes_of_view);
    finished(request.start().and_then(Pending::wait), along, name)
}

/// Results row by row of the array, or what is wrong in the file's words.
fn finished<R>(
    results: wgpu_reduce::Result<Vec<R>>,
    along: &Along,
    name: &str,
) -> Result<Vec<R>, Failure> {
    let results = results.map_err(|error| told(along.told(error), name))?;
    Ok(along.row_by_row(results))
}

/// What is wrong with the elements of a file, with its name.
pub(crate) fn told(error: Error, name: &str) -> Failure {
    match error {
        Error::InvalidView { what } | Error::InvalidRank { what } => Failure::in_file(name, what),
        error => Failure::from(error).of_file(name),
    }
}

/// What JSON says of results along the axes, which have a shape.
pub(crate) fn about(along: &Along, extents: &[u64]) -> Map<String, Value> {
    let axes = match along.axes[..] {
        [one] => json!(one),
        _ => json!(along.axes),
    };
    Map::from_iter([("axis".into(), axes), ("shape".into(), json!(extents))])
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
