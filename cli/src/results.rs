//! Several results: printed, or written to files.

use crate::args;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::number::Number;
use crate::partial::Partial;
use npyz::WriterBuilder as _;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Results, and what is said of them.
#[derive(Serialize)]
pub(crate) struct Results {
    #[serde(flatten)]
    pub(crate) about: Map<String, Value>,
    /// Of the runs that they are the results of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) keys: Option<Vec<Number>>,
    #[serde(rename = "values")]
    pub(crate) figures: Vec<Figures>,
    /// The shape that they have in a file.
    #[serde(skip)]
    pub(crate) extents: Vec<u64>,
}

impl Results {
    /// Says something of them, in JSON.
    pub(crate) fn describe(&mut self, what: &str, value: impl Into<Value>) {
        self.about.insert(what.into(), value.into());
    }

    /// Prints or writes them, as the arguments say.
    pub(crate) fn leave(
        self,
        arguments: &args::Reduce,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        if let Some(file) = &arguments.along.output {
            let numbers = self.figures.iter().map(number_of).collect::<io::Result<Vec<_>>>();
            write(file, numbers.and_then(|numbers| write_npy(file, &self.extents, &numbers)))?;
            let of_keys = arguments.along.output_keys.as_ref().zip(self.keys.as_ref());
            return of_keys
                .map_or(Ok(()), |(file, keys)| write(file, write_npy(file, &self.extents, keys)));
        }
        if arguments.json {
            writeln!(out, "{}", serde_json::to_string(&self)?)?;
            return Ok(());
        }
        let keys = self.keys.unwrap_or_default();
        let mut keys = keys.into_iter();
        for figures in self.figures {
            if let Some(key) = keys.next() {
                write!(out, "{key}\t")?;
            }
            writeln!(out, "{figures}")?;
        }
        Ok(())
    }
}

/// The outcome of writing a file, which an error names.
fn write(file: &Path, outcome: io::Result<()>) -> Result<(), Failure> {
    outcome.map_err(|error| Failure::in_file(&file.display().to_string(), error))
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
fn write_npy(file: &Path, extents: &[u64], numbers: &[Number]) -> io::Result<()> {
    let partial = Partial::create(file)?;
    write_numbers(&partial.file, extents, numbers)?;
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
