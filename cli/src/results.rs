//! Several results: printed, or written to files.

use crate::args;
use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::memory;
use crate::number::Number;
use crate::output::{self, Output};
use crate::records::{npy_bytes, write_npy};
use crate::sample::Sample;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Results, and what is said of them.
#[derive(Serialize)]
pub(crate) struct Results {
    #[serde(flatten)]
    pub(crate) about: Map<String, Value>,
    /// The keys of the runs that they are the results of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) keys: Option<Vec<Number>>,
    #[serde(rename = "results")]
    pub(crate) figures: Vec<Figures>,
    /// The shape that they have in a file.
    #[serde(skip)]
    pub(crate) extents: Vec<u64>,
}

/// Returns the bytes that a result takes on the host: its figures, what the device left of them, and its place in lists of all.
fn result_bytes(example: &Figures) -> u64 {
    let figure_bytes = size_of::<(&str, Number)>() + LEFT_BYTES;
    // A list moves to a longer one as it grows, or to one in another order.
    let list_bytes = LISTS * size_of::<Figures>() + ALLOCATION_BYTES;
    (example.iter().count() * figure_bytes + list_bytes) as u64
}

/// Bytes that a device leaves of one figure, at most.
const LEFT_BYTES: usize = 16;

/// Lists of all results that there are at a time.
const LISTS: usize = 2;

/// What an allocator takes for itself.
const ALLOCATION_BYTES: usize = 16;

impl Results {
    /// Says something of them, in JSON.
    pub(crate) fn describe(&mut self, what: &str, value: impl Into<Value>) {
        self.about.insert(what.into(), value.into());
    }

    /// Writes them to the files, or prints them if there are none.
    pub(crate) fn leave(
        self,
        files: Files,
        arguments: &args::Reduce,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        if let Some(file) = files.results {
            file.fill(|file| write_npy(file, &self.extents, self.figures))?;
            // Both are filled before one is kept.
            if let Some((of_keys, keys)) = files.keys.zip(self.keys) {
                let keys = keys.into_iter().map(Figures::from);
                of_keys.fill(|file| write_npy(file, &self.extents, keys))?;
                of_keys.complete()?;
            }
            return file.complete();
        }
        if arguments.common.source.json {
            // Not as one text, which would take as much memory as the results.
            serde_json::to_writer(&mut *out, &self)?;
            return Ok(writeln!(out)?);
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

/// The files that results go to.
pub(crate) struct Files {
    results: Option<Output>,
    keys: Option<Output>,
}

impl Files {
    /// Fails if disks or the host's memory have no room for so many results, which are those of `file`, and for their keys, if
    /// they have some.
    pub(crate) fn check_room<T: Sample>(
        &self,
        operation: &Chosen,
        results: u64,
        keys: &[Number],
        file: &Path,
    ) -> Result<(), Failure> {
        let example = operation.example(T::KIND)?;
        let of_results = self.results.as_ref().map(|file| (file, npy_bytes(results, &example)));
        let of_keys = self.keys.as_ref().zip(keys.first());
        let of_keys = of_keys.map(|(file, &key)| (file, npy_bytes(results, &key.into())));
        output::check_room(&of_results.into_iter().chain(of_keys).collect::<Vec<_>>())?;
        let bytes = results.saturating_mul(result_bytes(&example));
        memory::check(bytes).map_err(|error| Failure::in_file(&file.display().to_string(), error))
    }

    /// Opens those that the arguments name.
    pub(crate) fn open(arguments: &args::Reduce) -> Result<Self, Failure> {
        let args::Along { offsets, keys, output, output_keys, .. } = &arguments.along;
        let inputs = [Some(&arguments.common.source.file), offsets.as_ref(), keys.as_ref()];
        let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
        let wanted = [("--output", output.as_deref()), ("--output-keys", output_keys.as_deref())];
        let mut files = output::open(&wanted, &inputs)?.into_iter();
        Ok(Self { results: files.next().flatten(), keys: files.next().flatten() })
    }
}

#[cfg(test)]
mod tests {
    use super::result_bytes;
    use crate::chosen::Chosen;
    use wgpu_reduce::{ArgMax, ElementKind, Stats, Sum};

    /// Measured as the peak of resident memory, for a million results in either order of a file.
    #[test]
    fn as_much_memory_is_asked_for_as_results_take() {
        for (operation, measured) in [
            (Chosen::from(Sum), 84..=100),
            (ArgMax.into(), 129..=141),
            (Stats::default().into(), 541..=565),
        ] {
            let asked = result_bytes(&operation.example(ElementKind::U8).unwrap());
            let name = operation.record().name();
            assert!(asked >= *measured.end() && asked <= measured.start() * 2, "{name}: {asked}");
        }
    }
}
