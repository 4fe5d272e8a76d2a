//! `--axis`: a file's elements along one dimension, and where the results go.

use crate::args;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::input::{Input, Shape};
use crate::number::Number;
use crate::partial::Partial;
use crate::sample::Sample;
use crate::upload::upload;
use npyz::WriterBuilder as _;
use serde_json::json;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use wgpu_reduce::{Operation, View};

/// Uploads the input, reduces it along an axis, and prints or writes the results.
pub(crate) fn reduce<T: Sample, O: Operation<T, Output: Into<Figures>>>(
    operation: O,
    input: Input,
    arguments: &args::Reduce,
    axis: usize,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let name = arguments.file.display().to_string();
    let shape = input.shape().ok_or_else(|| {
        Failure::Usage(format!("{name}: --axis needs a .npy file, which has a shape"))
    })?;
    let view = view(shape).map_err(|error| Failure::in_file(&name, error))?;
    let extents = view.without(axis).map_err(|error| Failure::in_file(&name, error))?;
    let reducer = arguments.device.open(|options| options)?;
    let buffers = upload::<T>(&reducer, input, |_| {})?;
    let elements = buffers.first_of_one(view.len())?;
    let results = reducer.reduce_axis(operation, elements, view, axis)?.wait()?;
    let figures: Vec<Figures> = results.into_iter().map(Into::into).collect();
    if let Some(file) = &arguments.along.output {
        let written = write_npy(file, &extents, &figures);
        return written.map_err(|error| Failure::in_file(&file.display().to_string(), error));
    }
    if arguments.json {
        let report = json!({
            "op": operation.record().name(),
            "axis": axis,
            "shape": extents,
            "dtype": T::KIND.name(),
            "adapter": reducer.adapter_label(),
            "values": figures,
        });
        writeln!(out, "{report}")?;
        return Ok(());
    }
    for figures in figures {
        writeln!(out, "{figures}")?;
    }
    Ok(())
}

/// All elements of a file in their order.
fn view(shape: &Shape) -> wgpu_reduce::Result<View> {
    if !shape.is_fortran {
        return View::new(&shape.extents);
    }
    let mut turned = shape.extents.clone();
    turned.reverse();
    let strides: Vec<_> = View::new(&turned)?.strides().iter().rev().copied().collect();
    View::strided(&shape.extents, &strides, 0)
}

/// The number that a file holds of a result: its only one, or its index.
fn number_of(figures: &Figures) -> io::Result<Number> {
    let index = figures.iter().find(|&(name, _)| name == "index").map(|(_, index)| index);
    let only = figures.iter().next().map(|(_, number)| number).filter(|_| figures.is_single());
    index.or(only).ok_or_else(|| io::Error::other("a .npy file takes one number of each result"))
}

/// Writes results of a type, each taken from its number.
macro_rules! write_as {
    ($target:expr, $extents:expr, $numbers:expr, $variant:ident, $type:ty) => {{
        let options = npyz::WriteOptions::<$type>::new().default_dtype().shape($extents);
        let mut writer = options.writer($target).begin_nd()?;
        for &number in $numbers {
            match number {
                Number::$variant(value) => writer.push(&value)?,
                _ => return Err(io::Error::other("results of different types")),
            }
        }
        writer.finish()
    }};
}

/// Writes the whole file, or none.
fn write_npy(file: &Path, extents: &[u64], figures: &[Figures]) -> io::Result<()> {
    let numbers = figures.iter().map(number_of).collect::<io::Result<Vec<_>>>()?;
    let partial = Partial::create(file)?;
    write_numbers(&partial.file, extents, &numbers)?;
    partial.complete()
}

fn write_numbers(file: &File, extents: &[u64], numbers: &[Number]) -> io::Result<()> {
    let target = BufWriter::with_capacity(1 << 20, file);
    match numbers.first() {
        // No results have no type of their own.
        Some(Number::F64(_)) | None => write_as!(target, extents, numbers, F64, f64),
        Some(Number::F32(_)) => write_as!(target, extents, numbers, F32, f32),
        Some(Number::Int(_)) => write_as!(target, extents, numbers, Int, i64),
        Some(Number::Uint(_)) => write_as!(target, extents, numbers, Uint, u64),
        Some(Number::Bool(_)) => write_as!(target, extents, numbers, Bool, bool),
        Some(Number::Wide(_) | Number::WideInt(_)) => {
            Err(io::Error::other("a .npy file holds no integers of 128 bits"))
        }
    }
}
