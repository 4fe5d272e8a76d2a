//! Several results: printed, or written to files.

use crate::args;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::memory;
use crate::number::Number;
use crate::output::{self, Output, Wanted};
use crate::records::{npy_bytes, write_npy};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::Write;
use std::path::{Path, PathBuf};
use wgpu_reduce::ElementKind;

/// Results, and what is said of them.
#[derive(Serialize)]
pub(crate) struct Results {
    #[serde(flatten)]
    pub(crate) about: Map<String, Value>,
    /// A number beside each result: the key of its run, or an index that goes to a file of its own.
    #[serde(rename = "keys", skip_serializing_if = "Option::is_none")]
    pub(crate) beside: Option<Vec<Number>>,
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

/// Bytes of a list of several results, in each of two lists of all, beside those of the results.
const LIST_BYTES: u64 = (LISTS * size_of::<Vec<Figures>>() + ALLOCATION_BYTES) as u64;

/// What an allocator takes for itself.
const ALLOCATION_BYTES: usize = 16;

impl Results {
    /// Says in JSON what they are results of, and where they were computed.
    pub(crate) fn describe(&mut self, op: &str, element: ElementKind, adapter: String) {
        let what = [("op", op.into()), ("dtype", element.name().into()), ("adapter", adapter)];
        self.about.extend(what.map(|(name, value)| (name.into(), value.into())));
    }

    /// Writes them to the files, or prints them if there are none.
    pub(crate) fn leave(
        self,
        files: Files,
        json: bool,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        if let Some(file) = files.results {
            file.fill(|file| write_npy(file, &self.extents, self.figures))?;
            // Both are filled before one is kept.
            if let Some((file, numbers)) = files.beside.zip(self.beside) {
                let numbers = numbers.into_iter().map(Figures::from);
                file.fill(|file| write_npy(file, &self.extents, numbers))?;
                file.complete()?;
            }
            return file.complete();
        }
        if json {
            // Not as one text, which would take as much memory as the results.
            serde_json::to_writer(&mut *out, &self)?;
            return Ok(writeln!(out)?);
        }
        let mut keys = self.beside.unwrap_or_default().into_iter();
        for figures in self.figures {
            if let Some(key) = keys.next() {
                write!(out, "{key}\t")?;
            }
            writeln!(out, "{figures}")?;
        }
        Ok(())
    }
}

/// Results that there will be.
pub(crate) struct Expected {
    pub(crate) count: u64,
    /// One of them.
    pub(crate) example: Figures,
    /// As a file has it.
    pub(crate) written: Figures,
    /// A number of those beside them, if there are some.
    pub(crate) beside: Option<Number>,
    /// Lists that they come in, if they do.
    pub(crate) lists: u64,
}

impl Expected {
    pub(crate) fn new(count: u64, example: Figures) -> Self {
        Self { count, written: example.clone(), example, beside: None, lists: 0 }
    }

    /// Fails if the host's memory has no room for them, which are those of `file`.
    pub(crate) fn check_memory(&self, file: &Path) -> Result<(), Failure> {
        let of_results = self.count.saturating_mul(result_bytes(&self.example));
        let of_beside = if self.beside.is_some() { size_of::<Number>() as u64 } else { 0 };
        let bytes = of_results
            .saturating_add(self.lists.saturating_mul(LIST_BYTES))
            .saturating_add(self.count.saturating_mul(of_beside));
        memory::check(bytes).map_err(|error| Failure::in_file(&file.display().to_string(), error))
    }
}

/// The files that results go to.
pub(crate) struct Files {
    results: Option<Output>,
    beside: Option<Output>,
}

impl Files {
    /// Fails if disks or the host's memory have no room for results, which are those of `file`.
    pub(crate) fn check_room(&self, expected: &Expected, file: &Path) -> Result<(), Failure> {
        let bytes = |example: &Figures| npy_bytes(expected.count, example);
        let of_results = self.results.as_ref().map(|file| (file, bytes(&expected.written)));
        let of_beside = self.beside.as_ref().zip(expected.beside);
        let of_beside = of_beside.map(|(file, number)| (file, bytes(&number.into())));
        output::check_room(&of_results.into_iter().chain(of_beside).collect::<Vec<_>>())?;
        expected.check_memory(file)
    }

    /// Whether there is one for the results.
    pub(crate) const fn are_given(&self) -> bool {
        self.results.is_some()
    }

    /// Whether there is one for numbers beside them.
    pub(crate) const fn has_beside(&self) -> bool {
        self.beside.is_some()
    }

    /// Opens those that the arguments of a reduction name.
    pub(crate) fn of_reduction(arguments: &args::Reduce) -> Result<Self, Failure> {
        let args::Along { offsets, keys, output, output_keys, .. } = &arguments.along;
        let inputs = [Some(&arguments.common.source.file), offsets.as_ref(), keys.as_ref()];
        let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
        Self::open(output.as_deref(), ("--output-keys", output_keys.as_deref()), &inputs)
    }

    /// Opens the file of `--output`, and one beside it, of a command that reads `inputs`.
    pub(crate) fn open(
        output: Option<&Path>,
        beside: Wanted<'_>,
        inputs: &[&Path],
    ) -> Result<Self, Failure> {
        let mut files = output::open(&[("--output", output), beside], inputs)?.into_iter();
        Ok(Self { results: files.next().flatten(), beside: files.next().flatten() })
    }
}

#[cfg(test)]
mod tests {
    use super::{LIST_BYTES, result_bytes};
    use crate::chosen::Chosen;
    use crate::figures::Figures;
    use wgpu_reduce::{ArgMax, ElementKind, Located, Stats, Sum};

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

    /// Measured in the same way, of quantiles of bytes and of elements with their indices.
    #[test]
    fn as_much_memory_is_asked_for_as_lists_take() {
        let quantile = Figures::from(0.5_f64);
        let located = Figures::from(Located { index: 0, value: 1_u8 });
        for (example, len, measured) in
            [(&quantile, 1, 153), (&quantile, 3, 327), (&located, 1, 206), (&located, 3, 571)]
        {
            let asked = len * result_bytes(example) + LIST_BYTES;
            assert!(asked >= measured && asked <= measured * 2, "{len} of {example}: {asked}");
        }
    }
}
