//! The adapter that a command uses.

use crate::args::{AdapterChoice, DeviceChoice, Patience};
use crate::cache;
use crate::deadline;
use crate::failure::Failure;
use wgpu_reduce::{Adapter, GpuReducer, Options};

impl AdapterChoice {
    /// Opens it, with what else there is to say.
    pub(crate) fn open(
        &self,
        patience: &Patience,
        say: impl FnOnce(Options) -> Options,
    ) -> Result<GpuReducer, Failure> {
        let reducer = pollster::block_on(GpuReducer::request(&say(self.options())))?;
        Ok(patience.deadline.map_or_else(|| reducer.clone(), |most| deadline::set(&reducer, most)))
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
        self.adapter.open(&self.patience, |options| {
            let options = options.subgroups(!self.no_subgroups);
            let folder = if self.no_cache { None } else { cache::folder() };
            say(match folder {
                Some(folder) => options.pipeline_cache(folder),
                None => options,
            })
        })
    }
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
