//! Where tables are kept between programs.

use crate::api::reducer::GpuReducer;
use crate::error::{Error, Result};
use crate::plan::tuning_table::{AdapterKey, TuningTable};
use crate::shader::fragment::checksum;
use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

impl TuningTable {
    /// The table as JSON. Needs the feature `tuned`.
    ///
    /// ```
    /// use wgpu_reduce::{AdapterKey, TuningTable};
    ///
    /// let info = wgpu::AdapterInfo::new(wgpu::DeviceType::Other, wgpu::Backend::Noop);
    /// let table = TuningTable::new(AdapterKey::new(&info), Vec::new())?;
    /// assert_eq!(TuningTable::from_json(&table.to_json()?)?, table);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None that is known.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map_err(|error| Error::Internal { message: error.to_string() })
    }

    /// Reads what [`to_json`](Self::to_json) wrote, which has an example. Needs the feature `tuned`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuningTable`] if the text is no table, or one of another format.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| {
            let what = if error.is_data() { "" } else { "the text is not JSON: " };
            Error::InvalidTuningTable { what: format!("{what}{error}") }
        })
    }

    /// Reads a file of JSON. Needs the feature `tuned`.
    ///
    /// ```no_run
    /// use std::path::Path;
    /// use wgpu_reduce::TuningTable;
    ///
    /// let table = TuningTable::read(Path::new("tunings.json"))?;
    /// println!("{} ranges of lengths for {}", table.tunings().len(), table.adapter());
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuningTable`] if it cannot be read, or as [`from_json`](Self::from_json).
    pub fn read(path: &Path) -> Result<Self> {
        let in_file = |what: String| Error::InvalidTuningTable {
            what: format!("{}: {what}", path.display()),
        };
        let text = fs::read_to_string(path).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => in_file("the file is not text".into()),
            _ => in_file(error.to_string()),
        })?;
        serde_json::from_str(&text).map_err(|error| {
            let what = if error.is_data() { "" } else { "the file is not JSON: " };
            in_file(format!("{what}{error}"))
        })
    }

    /// Where the table of an adapter and its driver is stored: a file in the folder `wgpu-reduce` of
    /// the user's cache folder (`~/.cache` on Linux, `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on
    /// Windows). Nothing is read or written. Needs the feature `tuned`.
    ///
    /// ```
    /// use wgpu_reduce::TuningTable;
    ///
    /// let info = wgpu::AdapterInfo::new(wgpu::DeviceType::Other, wgpu::Backend::Noop);
    /// let path = TuningTable::path_for(&info)?;
    /// assert!(path.extension().is_some_and(|extension| extension == "json"));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuningTable`] if the user has no cache folder.
    pub fn path_for(info: &wgpu::AdapterInfo) -> Result<PathBuf> {
        let strategy = choose_native_strategy().map_err(|error| Error::InvalidTuningTable {
            what: format!("there is no cache folder to keep it in: {error}"),
        })?;
        Ok(strategy.cache_dir().join("wgpu-reduce").join(file_name(&AdapterKey::new(info))))
    }

    /// The table that `wgpu-reduce tune` has stored for an adapter with its present driver; `None` if
    /// it has not. Needs the feature `tuned`.
    ///
    /// ```no_run
    /// use wgpu_reduce::{GpuReducer, TuningTable};
    ///
    /// let reducer = GpuReducer::new()?;
    /// match TuningTable::load_for(reducer.adapter_info())? {
    ///     Some(table) => println!("tuned at {} ranges of lengths", table.tunings().len()),
    ///     None => println!("run `wgpu-reduce tune` first"),
    /// }
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuningTable`] if there is one that cannot be read, or if the user has no cache
    /// folder.
    pub fn load_for(info: &wgpu::AdapterInfo) -> Result<Option<Self>> {
        let path = Self::path_for(info)?;
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => Self::read(&path).map(Some),
        }
    }
}

impl GpuReducer {
    /// Returns a reducer on the same device and pipelines, with the tunings that `wgpu-reduce tune` has stored for it.
    /// Where it has stored none, defaults stay. [`tuning_table`](Self::tuning_table) tells which.
    ///
    /// No file is read unless this or [`TuningTable::load_for`] is called. Needs the feature `tuned`.
    ///
    /// ```no_run
    /// use wgpu_reduce::GpuReducer;
    ///
    /// let reducer = GpuReducer::new()?.with_stored_tunings()?;
    /// let buffer = reducer.upload(&[1.0_f32; 1 << 20])?;
    /// println!("{}", reducer.sum(&buffer)?);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuningTable`] if what is stored cannot be read or does not fit this device,
    /// which may have been opened with lower limits; or if the user has no cache folder.
    pub fn with_stored_tunings(&self) -> Result<Self> {
        if let Some(table) = TuningTable::load_for(self.adapter_info())? {
            return self.with_tuning_table(table);
        }
        log::info!("no tunings are stored for {}", self.adapter_label());
        Ok(self.clone())
    }
}

/// A name that tells people the adapter, and files of different keys apart.
fn file_name(key: &AdapterKey) -> String {
    let AdapterKey { name, backend, .. } = key;
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let label: String = format!("{name} {backend}").chars().map(plain).take(LABEL_CHARS).collect();
    let words: Vec<_> = label.split('-').filter(|word| !word.is_empty()).collect();
    format!("{}-{:016x}.json", words.join("-"), fingerprint(key))
}

/// Leaves room for the rest in file systems that allow names of 143 bytes.
const LABEL_CHARS: usize = 100;

/// Sums up all that makes a key, to the same number in every version.
fn fingerprint(key: &AdapterKey) -> u64 {
    let AdapterKey { name, vendor, device, backend, driver, driver_info } = key;
    let text = [name, &vendor.to_string(), &device.to_string(), backend, driver, driver_info]
        .map(|part| format!("{part}\n"))
        .concat();
    checksum(&[text.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::{AdapterKey, file_name};

    fn key() -> AdapterKey {
        AdapterKey {
            name: "llvmpipe (LLVM 15.0.6, 256 bits)".into(),
            vendor: 65_541,
            device: 0,
            backend: "Vulkan".into(),
            driver: "llvmpipe".into(),
            driver_info: "Mesa 22.3.6".into(),
        }
    }

    #[test]
    fn file_names_are_the_same_in_every_version() {
        assert_eq!(file_name(&key()), "llvmpipe-llvm-15-0-6-256-bits-vulkan-217c5a3081dae5ff.json");
    }

    #[test]
    fn whatever_differs_has_a_file_of_its_own() {
        let others = [
            AdapterKey { name: "llvmpipe [LLVM 15.0.6, 256 bits]".into(), ..key() },
            AdapterKey { vendor: 1, ..key() },
            AdapterKey { device: 1, ..key() },
            AdapterKey { backend: "Gl".into(), ..key() },
            AdapterKey { driver: "other".into(), ..key() },
            AdapterKey { driver_info: "Mesa 22.3.7".into(), ..key() },
            AdapterKey { driver: "llvmpipe Mesa".into(), driver_info: "22.3.6".into(), ..key() },
        ];
        let mut names: Vec<_> = others.iter().chain([&key()]).map(file_name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), others.len() + 1, "{names:?}");
    }

    #[test]
    fn any_name_makes_a_file_name() {
        for name in ["", "../../etc", "GPU\0\n", "グラフィックス", &"long ".repeat(100)] {
            let file = file_name(&AdapterKey { name: name.into(), ..key() });
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
            assert!(file.chars().all(is_plain) && file.len() < 143, "{file}");
            assert!(!file.starts_with(['.', '-']), "{file}");
        }
    }
}
