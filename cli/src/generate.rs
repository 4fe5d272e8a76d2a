//! `generate`: files of random numbers.

use crate::args::{self, Distribution};
use crate::contiguous::{by, too_many_elements};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{self, Output};
use crate::progress;
use crate::sample::{Draw, Generator, Sample, with_sample};
use npyz::WriterBuilder as _;
use rand::SeedableRng as _;
use std::io::{self, Write};
use wgpu_reduce::View;

pub(crate) fn run(arguments: &args::Generate, out: &mut impl Write) -> Result<(), Failure> {
    let shape = shape(arguments)?;
    let args::Generate { file, dtype, .. } = arguments;
    let Some(output) = output::open_one("FILE", Some(file), &[])? else { return Ok(()) };
    let (mut out, name) = (output::beside(Some(&output), out), output.name().to_owned());
    with_sample!(arguments.dtype, T in all => write_file::<T>(arguments, &shape, output))?;
    writeln!(out, "{name}: {} {dtype} elements", by(&shape))?;
    Ok(())
}

/// The shape of the array, which must be one that `--axis` takes.
fn shape(arguments: &args::Generate) -> Result<Vec<u64>, Failure> {
    let shape =
        arguments.elements.map_or_else(|| arguments.shape.clone(), |elements| vec![elements]);
    let dimensions = shape.len();
    if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
        let what =
            format!("--shape has {dimensions} dimensions; an array has 1 to {MOST_DIMENSIONS}");
        return Err(Failure::Usage(what));
    }
    View::new(&shape).map_err(|_| Failure::Usage(too_many_elements(&shape)))?;
    Ok(shape)
}

/// As many as a [`View`] has.
const MOST_DIMENSIONS: usize = 6;

fn write_file<T: Sample>(
    arguments: &args::Generate,
    shape: &[u64],
    output: Output,
) -> Result<(), Failure> {
    let draw = match arguments.distribution {
        Distribution::Uniform => T::UNIFORM,
        Distribution::Normal => T::NORMAL.ok_or_else(|| {
            Failure::Usage(format!("{} has no normal distribution", arguments.dtype))
        })?,
    };
    let rng = Generator::seed_from_u64(arguments.seed);
    let elements = shape.iter().product::<u64>();
    let bytes = elements.saturating_mul(T::KIND.size_bytes());
    output.check_room(bytes.saturating_add(HEADER_BYTES))?;
    output.fill(|file| write_elements(file, shape, draw, rng))?;
    output.complete()
}

/// What comes before the elements takes no more.
const HEADER_BYTES: u64 = 256;

/// Elements between two steps of the progress bar.
const STEP: u64 = 1 << 20;

fn write_elements<T: Sample>(
    file: &mut dyn Write,
    shape: &[u64],
    draw: Draw<T>,
    mut rng: Generator,
) -> io::Result<()> {
    let element_bytes = T::KIND.size_bytes();
    let elements = shape.iter().product::<u64>();
    let bar = progress::bar(elements.saturating_mul(element_bytes));
    let options = npyz::WriteOptions::<T::Stored>::new().dtype(T::dtype()?).shape(shape);
    let mut writer = options.writer(file).begin_nd()?;
    let mut left = elements;
    while left > 0 {
        if interrupt::check().is_err() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let step = left.min(STEP);
        for _ in 0..step {
            writer.push(&draw(&mut rng).stored())?;
        }
        bar.inc(step * element_bytes);
        left -= step;
    }
    writer.finish()?;
    bar.finish_and_clear();
    Ok(())
}
