//! `study`: measurements of the write-ups, repeated.

mod catalogue;
mod design;
mod histogram;
mod reported;
mod results;
mod sheet;
#[cfg(test)]
mod tests;

use crate::args;
use crate::failure::Failure;
use crate::measure::{Bench, Measurand, Measured};
use crate::output::{self, Output};
use crate::rows::Rows;
use clap::ValueEnum as _;
use design::Design;
use results::Results;
use std::io::Write;
use wgpu_reduce::ElementKind;

pub(crate) fn run(arguments: &args::Study, out: &mut impl Write) -> Result<(), Failure> {
    let args::Study { name, measuring, .. } = arguments;
    let rows = rows(arguments)?;
    let element = element(arguments)?;
    let image = output::open_one("--svg", measuring.svg.as_deref(), &[])?;
    let bench = Bench::open(measuring, element)?;
    let elements = match arguments.elements {
        Some(elements) => elements,
        None => default_elements(&bench, *name)?,
    };
    rows.check(elements)?;
    if let Some(design) = catalogue::design(*name, elements, rows, &bench.reducer.caps()) {
        let measured = bench.measure(&design.cases())?;
        return conclude(design, &measured, arguments, image, out);
    }
    let design = histogram::design(elements);
    let measured = histogram::measure(&bench, &design.cases())?;
    conclude(design, &measured, arguments, image, out)
}

fn conclude<C: Measurand + Clone>(
    design: Design<C>,
    measured: &Measured<C>,
    arguments: &args::Study,
    image: Option<Output>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let value = arguments.name.to_possible_value();
    let name = value.map(|value| value.get_name().to_owned()).unwrap_or_default();
    let results = design.with(name, measured);
    finish(&results, measured, &arguments.measuring, image, out)
}

/// That asked for, or the study's own.
fn element(arguments: &args::Study) -> Result<ElementKind, Failure> {
    match (arguments.dtype, arguments.name) {
        (Some(_), args::StudyName::Histogram) => {
            Err(Failure::Usage("--dtype is not for histogram, whose elements are u8".into()))
        }
        (dtype, name) => Ok(dtype.unwrap_or(catalogue::element(name))),
    }
}

/// Those asked for, or the study's own.
fn rows(arguments: &args::Study) -> Result<Rows, Failure> {
    let rows = match (arguments.rows, catalogue::rows(arguments.name)) {
        (Some(_), None) => {
            let what = "--rows is for workgroup-size, items-per-thread and levels-by-size only";
            return Err(Failure::Usage(what.into()));
        }
        (rows, of_study) => rows.or(of_study).unwrap_or(Rows::Count(1)),
    };
    arguments.elements.map_or(Ok(()), |elements| rows.check(elements))?;
    Ok(rows)
}

/// Prints and draws, and fails if an answer was wrong, whether or not anybody reads on.
fn finish<C: Measurand>(
    results: &Results<'_, C>,
    measured: &Measured<C>,
    measuring: &args::Measuring,
    image: Option<Output>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut out = output::beside(image.as_ref(), out);
    let printed = print(results, measuring, &mut out);
    let drawn = image.map_or(Ok(()), |image| image.write(&results.chart().svg()?));
    measured.verdict().and(drawn).and(printed)
}

fn print<C: Measurand>(
    results: &Results<'_, C>,
    measuring: &args::Measuring,
    out: &mut impl Write,
) -> Result<(), Failure> {
    if measuring.json {
        results.print_json(out)
    } else if measuring.csv {
        results.print_csv(out)
    } else {
        sheet::print(results, out)
    }
}

/// The elements of the write-up, or as many as fit into a buffer and into memory if that is less.
fn default_elements(bench: &Bench, name: args::StudyName) -> Result<u64, Failure> {
    let (caps, size_bytes) = (bench.reducer.caps(), catalogue::element(name).size_bytes());
    let mut elements = catalogue::elements(name, caps.class);
    while elements > SMALLEST {
        let bytes = elements * size_bytes;
        let fits = bytes <= caps.max_buffer_bytes;
        match bench.reducer.alloc::<u8>(if fits { bytes } else { 0 }) {
            Ok(_) if fits => break,
            Ok(_) | Err(wgpu_reduce::Error::OutOfMemory { .. }) => elements /= 2,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(elements)
}

/// Fewer fit everywhere.
const SMALLEST: u64 = 1 << 20;
