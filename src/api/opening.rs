//! From an adapter, or a device of the caller's, to a reducer.

use crate::api::reducer::GpuReducer;
use crate::device::adapter::{self, Adapter, Opened, Options};
use crate::device::allowance::Allowance;
use crate::device::context::Context;
use crate::device::loss::Loss;
use crate::device::pipeline::{PIPELINES_KEPT, Pipelines};
use crate::error::Result;
use std::sync::Arc;

impl GpuReducer {
    /// Opens the best adapter there is, or the one that `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` name, and blocks until it is
    /// open: [`request`](Self::request) with the default [`Options`].
    ///
    /// Hardware comes before software, and Vulkan, Metal and DX12 before GL. It takes tens to hundreds of milliseconds,
    /// so that one reducer should serve a whole program; shaders are compiled when they are first needed.
    /// Not in browsers.
    ///
    /// ```
    /// use wgpu_reduce::GpuReducer;
    ///
    /// let reducer = GpuReducer::new()?;
    /// println!("on {}", reducer.adapter_label());
    /// assert_eq!(reducer.sum(&reducer.upload(&[1_u32, 2, 3])?)?, 6);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoAdapter`](crate::Error::NoAdapter) if there is none, with a hint how to get one,
    /// [`Error::Unsupported`](crate::Error::Unsupported) if the adapter opens no device, and whatever the device reports on
    /// the first resources made on it.
    #[cfg(not(target_family = "wasm"))]
    pub fn new() -> Result<Self> {
        pollster::block_on(Self::request(&Options::default()))
    }

    /// Opens the best of the adapters that match the options. In a browser it is the only way to open one.
    ///
    /// The device gets all features that this crate uses and the adapter has, and the adapter's limits unless
    /// [`Options::limits`] says others.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// use wgpu_reduce::{Error, GpuReducer, Options};
    ///
    /// let reducer = GpuReducer::request(&Options::default().subgroups(false)).await?;
    /// assert_eq!(reducer.caps().subgroups, None);
    ///
    /// let missing = Options::default().adapter("no such adapter");
    /// assert!(matches!(GpuReducer::request(&missing).await, Err(Error::NoAdapter { .. })));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoAdapter`](crate::Error::NoAdapter) if none matches, [`Error::Unsupported`](crate::Error::Unsupported) if
    /// it has not the limits asked for or opens no device, and whatever the device reports on the first resources made on
    /// it.
    pub async fn request(options: &Options) -> Result<Self> {
        let Opened { device, queue, info, features } = adapter::open(options).await?;
        let loss = Arc::<Loss>::default();
        let told = Arc::clone(&loss);
        device.set_device_lost_callback(move |reason, message| {
            told.tell(|| format!("{reason:?}: {message}"));
        });
        device.on_uncaptured_error(Arc::new(|error| log::error!("uncaptured: {error}")));
        log::info!("using {}", adapter::label(&info));
        let mut context = Context::new(device, queue, info, features, loss)?;
        context.is_own = true;
        Ok(Self::on_device(context, options))
    }

    fn on_device(mut context: Context, options: &Options) -> Self {
        context.guarded_shaders = options.guarded_shaders;
        context.allowance = Allowance::new(options.max_memory_bytes);
        #[cfg(feature = "rewritten")]
        {
            context.rewrite = options.rewrite;
        }
        let kept = options.pipelines_kept.unwrap_or(PIPELINES_KEPT);
        let pipelines = Pipelines::new(&context, kept, options.pipeline_folder());
        Self::with_context(context, pipelines)
    }

    /// Uses a device that the caller already has, with the features and limits it was opened with:
    /// with `SUBGROUP` sums use subgroup operations, with `TIMESTAMP_QUERY` they can be timed. In a
    /// browser wgpu opens no device with `SUBGROUP`; [`request`](Self::request) does.
    ///
    /// The device's callbacks stay the caller's: this crate's own calls run in error scopes and do
    /// not reach them. [`from_wgpu_with`](Self::from_wgpu_with) takes options, too.
    ///
    /// ```no_run
    /// # fn run(device: wgpu::Device, queue: wgpu::Queue) -> wgpu_reduce::Result<()> {
    /// use wgpu_reduce::GpuReducer;
    ///
    /// let reducer = GpuReducer::from_wgpu(device, queue)?;
    /// println!("{}", reducer.adapter_label());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Whatever the device reports on the first resources made on it.
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        Self::from_wgpu_with(device, queue, &Options::default())
    }

    /// [`from_wgpu`](Self::from_wgpu) with options, for who wants one of those that are not about opening a device:
    /// whether subgroup operations are used, where compiled pipelines are kept and how many, whether shaders keep
    /// wgpu's checks, and how much memory may be allocated. The others have no effect.
    ///
    /// ```no_run
    /// # fn run(device: wgpu::Device, queue: wgpu::Queue) -> wgpu_reduce::Result<()> {
    /// use wgpu_reduce::{GpuReducer, Options};
    ///
    /// let options = Options::default().pipeline_cache("/home/me/.cache/my-program");
    /// let reducer = GpuReducer::from_wgpu_with(device, queue, &options)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Whatever the device reports on the first resources made on it.
    pub fn from_wgpu_with(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: &Options,
    ) -> Result<Self> {
        let mut features = device.features();
        features.set(wgpu::Features::SUBGROUP, options.allows_subgroups_of(features));
        let info = device.adapter_info();
        let context = Context::new(device, queue, info, features, Arc::default())?;
        Ok(Self::on_device(context, options))
    }

    /// Every adapter that can compute, best first, as far as `WGPU_BACKEND` allows; none, if there is none. The index in
    /// this list is the number that [`Options::adapter`] takes.
    /// Not in browsers.
    ///
    /// ```
    /// use wgpu_reduce::GpuReducer;
    ///
    /// for (index, adapter) in GpuReducer::adapters().iter().enumerate() {
    ///     println!("{index}: {adapter}, bindings of {} bytes", adapter.caps().max_binding_bytes);
    /// }
    /// ```
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn adapters() -> Vec<Adapter> {
        pollster::block_on(Self::request_adapters(&Options::default()))
    }

    /// The adapter that [`request`](Self::request) would open, without opening it.
    ///
    /// ```no_run
    /// # pollster::block_on(async {
    /// use wgpu_reduce::{GpuReducer, Options};
    ///
    /// let adapter = GpuReducer::find_adapter(&Options::default()).await?;
    /// println!("{} with {:?}", adapter.label(), adapter.used_features());
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoAdapter`](crate::Error::NoAdapter) if none matches.
    pub async fn find_adapter(options: &Options) -> Result<Adapter> {
        adapter::find(options).await
    }

    /// Every adapter of the backends in `options`, best first; [`adapters`](Self::adapters) blocks.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// use wgpu_reduce::{GpuReducer, Options};
    ///
    /// let vulkan = Options::default().backends(wgpu::Backends::VULKAN);
    /// for adapter in GpuReducer::request_adapters(&vulkan).await {
    ///     println!("{adapter}");
    /// }
    /// # });
    /// ```
    pub async fn request_adapters(options: &Options) -> Vec<Adapter> {
        adapter::adapters(options).await
    }
}
