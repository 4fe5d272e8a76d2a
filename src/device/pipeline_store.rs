//! Compiled pipelines, kept across processes where the driver hands them out.

use crate::device::cache_file::{CacheFile, Stored};
use crate::device::context::Context;
use crate::error::Result;
use crate::shader::fragment::checksum;
use crate::trusted::create_pipeline_cache;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The driver's cache of one device's pipelines, and the file it came from and goes to.
#[derive(Debug)]
pub(crate) struct PipelineStore {
    cache: wgpu::PipelineCache,
    file: CacheFile,
    /// Checksum of what the driver handed out when the file held the same; `None` if it does not.
    held: Mutex<Option<u64>>,
    /// Whether pipelines have been made that may not be in the file.
    has_new: AtomicBool,
}

impl PipelineStore {
    /// Takes what is in `folder` for this device. `None` where the device has no such cache; anything
    /// that goes wrong is logged and costs no more than the cache.
    pub(crate) fn open(context: &Context, folder: &Path) -> Option<Self> {
        let has_feature = context.device.features().contains(wgpu::Features::PIPELINE_CACHE);
        let adapter_key = wgpu::util::pipeline_cache_key(&context.info).filter(|_| has_feature);
        let Some(adapter_key) = adapter_key else {
            log::info!("no pipelines are stored: the device cannot hand them out");
            return None;
        };
        let file = CacheFile::new(folder, &adapter_key, key(&adapter_key, &context.info));
        let stored = file.load();
        let made = make(context, stored.as_ref()).or_else(|error| {
            log::warn!("stored pipelines are not used: {error}");
            make(context, None)
        });
        match made {
            Ok(cache) => {
                // Not the file's own checksum: a driver may hand out the same in other words.
                let held = stored.and_then(|_| handed_out(&cache));
                let held = Mutex::new(held.map(|data| checksum(&[&data])));
                let has_new = AtomicBool::new(false);
                Some(Self { cache, file, held, has_new })
            }
            Err(error) => {
                log::warn!("no pipelines are stored: {error}");
                None
            }
        }
    }

    /// Where pipelines are looked up and left when they are made.
    pub(crate) const fn cache(&self) -> &wgpu::PipelineCache {
        &self.cache
    }

    /// Takes down that a pipeline has been made with the cache.
    pub(crate) fn note_made(&self) {
        self.has_new.store(true, Ordering::Relaxed);
    }

    /// Writes the file, if there is something to write that it does not hold.
    pub(crate) fn store(&self) {
        if !self.has_new.swap(false, Ordering::Relaxed) {
            return;
        }
        let Some(data) = handed_out(&self.cache) else { return };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let new = Some(checksum(&[&data]));
        if *held == new {
            return;
        }
        if self.file.store(&data) {
            *held = new;
        } else {
            // Perhaps the next time.
            self.has_new.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for PipelineStore {
    fn drop(&mut self) {
        self.store();
    }
}

/// What the driver has to be kept; nothing once the device is lost. Destructors call it, so that a
/// panic of wgpu's must not get out.
fn handed_out(cache: &wgpu::PipelineCache) -> Option<Vec<u8>> {
    catch_unwind(AssertUnwindSafe(|| cache.get_data())).ok().flatten()
}

fn make(context: &Context, stored: Option<&Stored>) -> Result<wgpu::PipelineCache> {
    let cache = context.scoped(0, || Ok(create_pipeline_cache(&context.device, stored)))?;
    Ok(cache)
}

/// Whose pipelines they are. wgpu and the driver check adapter and driver, too, each in its way.
fn key(adapter_key: &str, info: &wgpu::AdapterInfo) -> String {
    let wgpu::AdapterInfo { name, driver, driver_info, .. } = info;
    let version = env!("CARGO_PKG_VERSION");
    format!("{adapter_key}\n{name}\n{driver}\n{driver_info}\nwgpu-reduce {version}")
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn another_driver_has_another_key() {
        let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::Other, wgpu::Backend::Vulkan);
        let before = key("adapter", &info);
        assert!(before.starts_with("adapter\n") && before.ends_with(env!("CARGO_PKG_VERSION")));
        assert_eq!(key("adapter", &info), before);
        info.driver_info = "580.1".into();
        assert_ne!(key("adapter", &info), before);
    }
}
