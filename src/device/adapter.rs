//! Finding an adapter and opening a device on it.

use crate::device::process::check_drivers;
#[cfg(target_family = "wasm")]
use crate::device::web::Found;
use crate::error::{Error, Result};
use crate::plan::caps::{Caps, DOUBLES};
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
#[cfg(not(target_family = "wasm"))]
use std::sync::{Mutex, PoisonError};
#[cfg(not(target_family = "wasm"))]
use wgpu::Adapter as Found;

/// What a reducer asks for. The default takes the best adapter there is.
///
/// ```
/// use wgpu_reduce::Options;
///
/// let options = Options::default()
///     .backends(wgpu::Backends::VULKAN)
///     .adapter("llvmpipe")
///     .limits(wgpu::Limits::defaults())
///     .subgroups(false)
///     .guarded_shaders(true)
///     .pipelines_kept(100)
///     .max_memory_bytes(1 << 30);
/// println!("{options:?}");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub(crate) backends: Option<wgpu::Backends>,
    pub(crate) adapter: Option<String>,
    pub(crate) limits: Option<wgpu::Limits>,
    pub(crate) no_subgroups: bool,
    pub(crate) guarded_shaders: bool,
    pub(crate) pipelines_kept: Option<NonZeroUsize>,
    pub(crate) max_memory_bytes: Option<u64>,
    #[cfg(feature = "rewritten")]
    pub(crate) rewrite: Option<Rewrite>,
    pipeline_folder: Option<PathBuf>,
}

/// Makes a module of a shader's text, of which a pipeline takes this entry point with these constants.
#[cfg(feature = "rewritten")]
pub(crate) type Rewrite =
    fn(text: &str, entry_point: &str, constants: &[(&'static str, u32)]) -> naga::Module;

impl Options {
    /// Only these backends; without it those of the environment variable `WGPU_BACKEND` (as in
    /// `vulkan,gl`), and without that all.
    #[must_use]
    pub fn backends(mut self, backends: wgpu::Backends) -> Self {
        self.backends = Some(backends);
        self
    }

    /// Only an adapter whose [label](Adapter::label) contains `part`, in upper or lower case, or the
    /// one with that number in [`GpuReducer::request_adapters`](crate::GpuReducer::request_adapters) with
    /// the same options, which counts only those of the [`backends`](Self::backends); without it
    /// that of the environment variable `WGPU_ADAPTER_NAME`.
    #[must_use]
    pub fn adapter(mut self, part: impl Into<String>) -> Self {
        self.adapter = Some(part.into());
        self
    }

    /// Exactly these limits of the device instead of the best that the adapter offers.
    #[must_use]
    pub fn limits(mut self, limits: wgpu::Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Whether subgroup operations may be used where the device has them (they may, by default).
    ///
    /// On DX12 naga numbers subgroups by the invocations' order, which HLSL does not promise. No device is known where that is wrong;
    /// without subgroups nothing depends on it.
    #[must_use]
    pub fn subgroups(mut self, allowed: bool) -> Self {
        self.no_subgroups = !allowed;
        self
    }

    /// Whether wgpu's run-time checks of indices, loops and divisors stay in the shaders (they do
    /// not, by default): to see what they cost, or to rule out that a fault lies there. Workgroup memory is
    /// zeroed, too, and where DX12 has no DXC, its compiler FXC takes minutes over some of these shaders.
    #[must_use]
    pub fn guarded_shaders(mut self, guarded: bool) -> Self {
        self.guarded_shaders = guarded;
        self
    }

    /// Compiles what `rewrite` makes of each shader's text, entry point and constants, for this library's own tests.
    #[cfg(feature = "rewritten")]
    #[doc(hidden)]
    #[must_use]
    pub fn rewritten(
        mut self,
        rewrite: fn(&str, &str, &[(&'static str, u32)]) -> naga::Module,
    ) -> Self {
        self.rewrite = Some(rewrite);
        self
    }

    /// How many pipelines are kept in memory: those used last, 512 by default, 1 at least. There are
    /// one to three for each operation, type and tuning; one that is dropped is compiled again when it
    /// is needed. Most take some tens or hundreds of kilobytes of the driver's memory.
    #[must_use]
    pub fn pipelines_kept(mut self, most: usize) -> Self {
        self.pipelines_kept = Some(NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN));
        self
    }

    /// How many bytes the reducer may have allocated at a time (any number, by default). What would exceed them is
    /// [`Error::OutOfMemory`] before it is asked of the device.
    ///
    /// They count what the reducer and its clones make: buffers from
    /// [`alloc`](crate::GpuReducer::alloc) and [`upload`](crate::GpuReducer::upload) until the last [`GpuBuffer`](crate::GpuBuffer)
    /// of them is dropped; memory between passes, for uploads on their way and for results that come back; and all of these that is
    /// kept for the next call, which is given up first. Kept are at most 624 MiB in which results came back, and 128 MiB of each of four
    /// other kinds. Not counted are buffers of the caller's, pipelines, and what a driver takes for itself. A software adapter's memory is the host's, so there the limit keeps a program from being ended for it.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// use wgpu_reduce::{Error, GpuReducer, Options};
    ///
    /// let options = Options::default().max_memory_bytes(64 << 20);
    /// let reducer = GpuReducer::request(&options).await?;
    /// let half = reducer.alloc::<u8>(32 << 20)?;
    /// let Err(Error::OutOfMemory { bytes, available_bytes }) = reducer.alloc::<u8>(48 << 20) else {
    ///     panic!("there is more than was allowed");
    /// };
    /// assert_eq!(bytes, 48 << 20);
    /// assert!(available_bytes.is_some_and(|available| available <= 32 << 20));
    /// drop(half);
    /// assert!(reducer.alloc::<u8>(48 << 20).is_ok());
    /// # Ok::<(), Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn max_memory_bytes(mut self, most: u64) -> Self {
        self.max_memory_bytes = Some(most);
        self
    }

    /// Keeps compiled pipelines in this folder (nothing is written anywhere, by default), so that the
    /// next process need not compile them again, on devices that have
    /// [`PIPELINE_CACHE`](wgpu::Features::PIPELINE_CACHE): those of Vulkan.
    ///
    /// There is one file for each adapter, driver and version of this crate. It is read when the
    /// device is opened, and written, if there is something new, when the last clone of the reducer
    /// is dropped or [`store_pipelines`](crate::GpuReducer::store_pipelines) is called. Folder and
    /// file are made if they are not there. A file that is damaged or something else's is ignored and
    /// replaced; one that cannot be read or written is no error, but a line in the log. Processes may
    /// share a folder; of those that write at the same time, the last one's file stays.
    ///
    /// Drivers run what the file says. It should be a folder that only the user can write to, as one
    /// in the user's cache folder is.
    ///
    /// ```no_run
    /// # async fn run() -> wgpu_reduce::Result<()> {
    /// use wgpu_reduce::{GpuReducer, Options};
    ///
    /// let options = Options::default().pipeline_cache("/home/me/.cache/my-program");
    /// let reducer = GpuReducer::request(&options).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn pipeline_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.pipeline_folder = Some(folder.into());
        self
    }

    /// Whether subgroup operations may be used on a device with these features.
    pub(crate) const fn allows_subgroups_of(&self, features: wgpu::Features) -> bool {
        features.contains(wgpu::Features::SUBGROUP) && !self.no_subgroups
    }

    pub(crate) fn pipeline_folder(&self) -> Option<&Path> {
        self.pipeline_folder.as_deref()
    }

    fn wanted_backends(&self) -> wgpu::Backends {
        let from_environment = || backend_names().and_then(|_| wgpu::Backends::from_env());
        self.backends.or_else(from_environment).unwrap_or(wgpu::Backends::all())
    }

    fn wanted_adapter(&self) -> Option<String> {
        let from_environment = || std::env::var("WGPU_ADAPTER_NAME").ok();
        self.adapter.clone().or_else(from_environment).filter(|part| !part.is_empty())
    }

    fn looked_for(&self) -> String {
        let there = self.wanted_backends() & wgpu::Instance::enabled_backend_features();
        let names: Vec<_> = there.iter_names().map(|(name, _)| name).collect();
        let backends = match backend_names() {
            Some(given) if names.is_empty() => {
                format!("WGPU_BACKEND=\"{given}\", which names no backend of this system")
            }
            _ => format!("backends {}", names.join(", ")),
        };
        match self.wanted_adapter() {
            Some(part) => format!("an adapter matching \"{part}\" in {backends}"),
            None => backends,
        }
    }
}

/// What `WGPU_BACKEND` says, unless that is nothing.
fn backend_names() -> Option<String> {
    std::env::var("WGPU_BACKEND").ok().filter(|names| !names.trim().is_empty())
}

/// An adapter that is present: what [`GpuReducer::adapters`](crate::GpuReducer::adapters) lists.
///
/// ```
/// for adapter in wgpu_reduce::GpuReducer::adapters() {
///     let caps = adapter.caps();
///     println!("{}: {:?}, subgroups {:?}", adapter.label(), caps.class, caps.subgroups);
/// }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Adapter {
    /// What wgpu knows of it: name, driver, backend, kind.
    pub info: wgpu::AdapterInfo,
    /// The limits a device on it can have.
    pub limits: wgpu::Limits,
    /// The features a device on it can have.
    pub features: wgpu::Features,
}

impl Adapter {
    fn new(adapter: &Found) -> Self {
        Self { info: adapter.get_info(), limits: adapter.limits(), features: adapter.features() }
    }

    /// What the planner would know of a device that is opened on it with all that it offers; that of an open one is
    /// [`GpuReducer::caps`](crate::GpuReducer::caps).
    #[must_use]
    pub fn caps(&self) -> Caps {
        Caps::new(&self.limits, self.features, &self.info)
    }

    /// Name and backend, as in `NVIDIA H200 (Vulkan)`.
    #[must_use]
    pub fn label(&self) -> String {
        label(&self.info)
    }

    /// Those features that this crate uses when they are there.
    #[must_use]
    pub fn used_features(&self) -> wgpu::Features {
        self.features & USED_FEATURES
    }
}

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label())
    }
}

pub(crate) fn label(info: &wgpu::AdapterInfo) -> String {
    format!("{} ({:?})", info.name.trim(), info.backend)
}

const USED_FEATURES: wgpu::Features = wgpu::Features::SUBGROUP
    .union(wgpu::Features::TIMESTAMP_QUERY)
    .union(wgpu::Features::SHADER_FLOAT32_ATOMIC)
    .union(DOUBLES)
    .union(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS)
    .union(wgpu::Features::PIPELINE_CACHE);

/// Every adapter that can compute, best first: hardware before software, Vulkan, Metal and DX12
/// before GL.
pub(crate) async fn adapters(options: &Options) -> Vec<Adapter> {
    if check_drivers().is_err() {
        return Vec::new();
    }
    enumerate(options).await.iter().map(Adapter::new).collect()
}

/// The first adapter that matches.
pub(crate) async fn find(options: &Options) -> Result<Adapter> {
    choose(options).await.map(|adapter| Adapter::new(&adapter))
}

async fn choose(options: &Options) -> Result<Found> {
    check_drivers()?;
    let adapters = enumerate(options).await;
    let labels: Vec<_> = adapters.iter().map(|adapter| label(&adapter.get_info())).collect();
    let index = match &options.wanted_adapter() {
        None => Some(0),
        Some(part) => match_label(&labels, part),
    };
    index.and_then(|index| adapters.into_iter().nth(index)).ok_or_else(|| Error::NoAdapter {
        looked_for: options.looked_for(),
        found: labels,
        hint: HINT.into(),
    })
}

/// A device, and what it was opened with.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) info: wgpu::AdapterInfo,
    /// The features of the device. In a browser wgpu does not know all of them.
    pub(crate) features: wgpu::Features,
}

/// Opens a device on the first adapter that matches.
pub(crate) async fn open(options: &Options) -> Result<Opened> {
    let adapter = choose(options).await?;
    let mut features = adapter.features() & USED_FEATURES;
    if options.no_subgroups {
        features.remove(wgpu::Features::SUBGROUP);
    }
    let with = |required_features| wgpu::DeviceDescriptor {
        label: Some("wgpu-reduce"),
        required_features,
        required_limits: options.limits.clone().unwrap_or_else(|| adapter.limits()),
        ..Default::default()
    };
    let mut opened = adapter.request_device(&with(features)).await;
    if cfg!(target_family = "wasm") && features.contains(wgpu::Features::SUBGROUP) {
        // A browser may name what it then refuses, and what wgpu does not ask for.
        if let Err(error) = &opened {
            log::warn!("no device with subgroups ({error}), so one without");
            features.remove(wgpu::Features::SUBGROUP);
            opened = adapter.request_device(&with(features)).await;
        }
    }
    let (device, queue) = opened.map_err(|error| Error::Unsupported {
        what: format!("the device that was asked for ({error})"),
        adapter: label(&adapter.get_info()),
    })?;
    Ok(Opened { device, queue, info: adapter.get_info(), features })
}

/// A number of an adapter picks that one; anything else is part of the label, as in "4090".
fn match_label(labels: &[String], part: &str) -> Option<usize> {
    if let Some(index) = part.parse().ok().filter(|&index: &usize| index < labels.len()) {
        return Some(index);
    }
    let part = part.to_lowercase();
    labels.iter().position(|label| label.to_lowercase().contains(&part))
}

/// Adapters are listed once per set of backends and process, and kept, if there are any. Buffers and devices have
/// numbers that are unique within a wgpu instance only, so that with two instances wgpu could take
/// one's buffer for another's; and adapters listed twice from one instance of the GL backend get in
/// each other's way, because they share its context but not the lock on it.
#[cfg(not(target_family = "wasm"))]
#[expect(clippy::unused_async, reason = "in a browser it waits")]
async fn enumerate(options: &Options) -> Vec<Found> {
    static LISTS: Mutex<Vec<(wgpu::Backends, Vec<Found>)>> = Mutex::new(Vec::new());
    let backends = options.wanted_backends();
    let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, adapters)) = lists.iter().find(|(of, _)| *of == backends) {
        return adapters.clone();
    }
    let adapters = list(backends);
    if !adapters.is_empty() {
        lists.push((backends, adapters.clone()));
    }
    adapters
}

#[cfg(not(target_family = "wasm"))]
fn list(backends: wgpu::Backends) -> Vec<Found> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends = backends;
    let instance = wgpu::Instance::new(descriptor);
    // Native backends answer at once.
    let mut adapters = pollster::block_on(instance.enumerate_adapters(backends));
    adapters.retain(|adapter| {
        let capabilities = adapter.get_downlevel_capabilities();
        capabilities.flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
    });
    adapters.sort_by_cached_key(|adapter| {
        let info = adapter.get_info();
        let kind = match info.device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu => 2,
            wgpu::DeviceType::Other => 3,
            wgpu::DeviceType::Cpu => 4,
        };
        (kind, info.backend == wgpu::Backend::Gl, info.name)
    });
    adapters
}

/// A browser shows one adapter, of its choice.
#[cfg(target_family = "wasm")]
async fn enumerate(options: &Options) -> Vec<Found> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = options.wanted_backends();
    let request = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    crate::device::web::request(&wgpu::Instance::new(descriptor), &request)
        .await
        .into_iter()
        .collect()
}

/// How to get a software adapter here.
const HINT: &str = if cfg!(target_os = "linux") {
    "a software adapter comes with Mesa: apt-get install mesa-vulkan-drivers (Debian, Ubuntu), \
     dnf install mesa-vulkan-drivers (Fedora), pacman -S vulkan-swrast (Arch)"
} else if cfg!(target_os = "windows") {
    "Windows 10 and later have WARP, a software adapter of DirectX 12; install the Graphics Tools \
     optional feature if it is missing"
} else if cfg!(target_vendor = "apple") {
    "every Mac with Metal has an adapter; in a virtual machine, turn graphics acceleration on"
} else if cfg!(target_family = "wasm") {
    "use a browser with WebGPU, over https or on localhost"
} else {
    "install a Vulkan driver, or Mesa's software one (lavapipe)"
};

#[cfg(test)]
mod tests {
    use super::match_label;

    #[test]
    fn adapters_are_picked_by_number_or_part_of_the_label() {
        let labels = ["NVIDIA H200 (Vulkan)", "llvmpipe (Vulkan)", "llvmpipe (Gl)"];
        let labels = labels.map(String::from);
        assert_eq!(match_label(&labels, "1"), Some(1));
        assert_eq!(match_label(&labels, "3"), None);
        assert_eq!(match_label(&labels, "200"), Some(0));
        assert_eq!(match_label(&labels, "LLVMPIPE"), Some(1));
        assert_eq!(match_label(&labels, "llvmpipe (gl)"), Some(2));
        assert_eq!(match_label(&labels, "radeon"), None);
    }
}
