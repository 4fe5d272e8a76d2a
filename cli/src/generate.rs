//! `generate`: files of random numbers.

use crate::args::{self, Distribution};
use crate::failure::Failure;
use crate::interrupt;
use crate::partial::Partial;
use crate::progress;
use crate::sample::{Draw, Generator, Sample, with_sample};
use npyz::WriterBuilder as _;
use rand::SeedableRng as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};

pub(crate) fn run(arguments: &args::Generate, out: &mut impl Write) -> Result<(), Failure> {
    with_sample!(arguments.dtype, T in all => write_file::<T>(arguments))?;
    let args::Generate { file, elements, dtype, .. } = arguments;
    writeln!(out, "{}: {elements} {dtype} elements", file.display())?;
    Ok(())
}

fn write_file<T: Sample>(arguments: &args::Generate) -> Result<(), Failure> {
    let draw = match arguments.distribution {
        Distribution::Uniform => T::UNIFORM,
        Distribution::Normal => T::NORMAL.ok_or_else(|| {
            Failure::Usage(format!("{} has no normal distribution", arguments.dtype))
        })?,
    };
    let rng = Generator::seed_from_u64(arguments.seed);
    Partial::create(&arguments.file)
        .and_then(|partial| {
            write_elements(&partial.file, arguments.elements, draw, rng)?;
            partial.complete()
        })
        .map_err(|error| {
            let failure = || Failure::in_file(&arguments.file.display().to_string(), error);
            interrupt::check().err().unwrap_or_else(failure)
        })
}

/// Elements between two steps of the progress bar.
const STEP: u64 = 1 << 20;

fn write_elements<T: Sample>(
    file: &File,
    elements: u64,
    draw: Draw<T>,
    mut rng: Generator,
) -> io::Result<()> {
    let element_bytes = T::KIND.size_bytes();
    let bar = progress::bar(elements.saturating_mul(element_bytes));
    let options = npyz::WriteOptions::<T>::new().default_dtype().shape(&[elements]);
    let mut writer = options.writer(BufWriter::with_capacity(1 << 20, file)).begin_nd()?;
    let mut left = elements;
    while left > 0 {
        if interrupt::check().is_err() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let step = left.min(STEP);
        for _ in 0..step {
            writer.push(&draw(&mut rng))?;
        }
        bar.inc(step * element_bytes);
        left -= step;
    }
    writer.finish()?;
    bar.finish_and_clear();
    Ok(())
}
