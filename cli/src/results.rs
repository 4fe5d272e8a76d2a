//! Several results: printed, or written to files.

use crate::args;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::number::Number;
use crate::records::write_npy;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::path::Path;

/// Results, and what is said of them.
#[derive(Serialize)]
pub(crate) struct Results {
    #[serde(flatten)]
    pub(crate) about: Map<String, Value>,
    /// Of the runs that they are the results of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) keys: Option<Vec<Number>>,
    #[serde(rename = "results")]
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
            write(file, write_npy(file, &self.extents, self.figures))?;
            let of_keys = arguments.along.output_keys.as_ref().zip(self.keys);
            return of_keys.map_or(Ok(()), |(file, keys)| {
                write(file, write_npy(file, &self.extents, keys.into_iter().map(Figures::from)))
            });
        }
        if arguments.common.json {
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
