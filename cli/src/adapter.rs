//! The adapter that a command uses.

use crate::args::{AdapterChoice, DeviceChoice, Patience};
use crate::cache;
use crate::deadline;
use crate::failure::Failure;
use crate::memory;
use crate::spent::{self, Stage};
use wgpu_reduce::{Adapter, GpuReducer, Options};

impl AdapterChoice {
    /// Opens it.
    pub(crate) fn open(&self, patience: &Patience) -> Result<GpuReducer, Failure> {
        open(&self.options(), patience)
    }

    /// Finds it without opening a device.
    pub(crate) fn find(&self) -> Result<Adapter, Failure> {
        Ok(pollster::block_on(GpuReducer::find_adapter(&self.options()))?)
    }

    fn options(&self) -> Options {
        match &self.adapter {
            Some(part) => Options::default().adapter(part),
            None => Options::default(),
        }
    }
}

impl DeviceChoice {
    /// Opens it, with what else there is to say.
    pub(crate) fn open(&self, say: impl FnOnce(Options) -> Options) -> Result<GpuReducer, Failure> {
        spent::on(Stage::Adapter, || open(&say(self.options()), &self.patience))
    }

    fn options(&self) -> Options {
        let options = self.adapter.options().subgroups(!self.no_subgroups);
        match cache::folder().filter(|_| !self.no_cache) {
            Some(folder) => options.pipeline_cache(folder),
            None => options,
        }
    }
}

fn open(options: &Options, patience: &Patience) -> Result<GpuReducer, Failure> {
    let adapter = pollster::block_on(GpuReducer::find_adapter(options))?;
    let mut options = options.clone();
    if memory::is_of_host(adapter.caps().class, &adapter.info) {
        options = options.max_memory_bytes(memory::available());
    }
    let reducer = pollster::block_on(GpuReducer::request(&options))?;
    Ok(patience.deadline.map_or_else(|| reducer.clone(), |most| deadline::set(&reducer, most)))
}

/// Driver and version, as the driver writes them; nothing if it says nothing.
pub(crate) fn driver(info: &wgpu::AdapterInfo) -> String {
    driver_text(&info.driver, &info.driver_info)
}

pub(crate) fn driver_text(driver: &str, version: &str) -> String {
    format!("{} {}", driver.trim(), version.trim()).trim().into()
}

/// Every adapter; an error if there is none.
pub(crate) fn all() -> Result<Vec<Adapter>, Failure> {
    let adapters = GpuReducer::adapters();
    if adapters.is_empty() {
        AdapterChoice { adapter: None }.find()?;
    }
    Ok(adapters)
}
