//! The entry point: a device, its pipelines, and the calls on them.

mod settings;

use crate::device::adapter;
use crate::device::context::Context;
use crate::device::loss::Lost;
use crate::device::pipeline::Pipelines;
use crate::error::Error;
use crate::plan::caps::Caps;
use crate::plan::tuning_table::Tunings;
use std::sync::Arc;
#[cfg(not(target_family = "wasm"))]
use std::time::Duration;

/// Reduces data that lies on a GPU.
///
/// Cheap to clone, and on native platforms `Send` and `Sync`: clones share device and pipelines,
/// and may be used from any thread.
///
/// ```
/// use wgpu_reduce::GpuReducer;
///
/// let reducer = GpuReducer::new()?;
/// let buffer = reducer.upload(&[0.5_f32; 1000])?;
/// assert_eq!(reducer.sum(&buffer)?, 500.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GpuReducer {
    pub(crate) context: Arc<Context>,
    pub(crate) pipelines: Arc<Pipelines>,
    tunings: Tunings,
    #[cfg(not(target_family = "wasm"))]
    spin: Option<Duration>,
    #[cfg(not(target_family = "wasm"))]
    deadline: Option<Duration>,
}

impl GpuReducer {
    pub(crate) fn with_context(context: Context, pipelines: Pipelines) -> Self {
        let (context, pipelines) = (Arc::new(context), Arc::new(pipelines));
        Self {
            context,
            pipelines,
            tunings: Tunings::Default,
            #[cfg(not(target_family = "wasm"))]
            spin: None,
            #[cfg(not(target_family = "wasm"))]
            deadline: None,
        }
    }

    /// What the planner knows of the device: its limits, its subgroups and what kind of machine it is. For [`Problem::plan`](crate::Problem::plan)
    /// and tunings, and to ask whether there are timestamps or `f64`.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let caps = reducer.caps();
    /// let how = if caps.subgroups.is_some() { "by subgroups" } else { "by workgroup memory" };
    /// println!("{how}, {} bytes in a binding", caps.max_binding_bytes);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn caps(&self) -> Caps {
        self.context.caps
    }

    /// The adapter: its name, its driver and the backend it is reached through, as wgpu tells them. [`adapter_label`](Self::adapter_label) has them in
    /// a few words.
    #[must_use]
    pub fn adapter_info(&self) -> &wgpu::AdapterInfo {
        &self.context.info
    }

    /// Name and backend of the adapter, as in `NVIDIA H200 (Vulkan)`.
    #[must_use]
    pub fn adapter_label(&self) -> String {
        adapter::label(&self.context.info)
    }

    /// Pipelines that have been made so far, for this reducer and its clones: each is when it is first
    /// needed, and once, however many threads need it, as long as no more are in use than
    /// [`Options::pipelines_kept`](crate::Options::pipelines_kept) says.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1_u32, 2])?;
    /// reducer.sum(&buffer)?;
    /// let made = reducer.pipelines_made();
    /// reducer.sum(&buffer)?;
    /// assert_eq!((made > 0, reducer.pipelines_made()), (true, made));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn pipelines_made(&self) -> usize {
        self.pipelines.made()
    }

    /// Writes compiled pipelines to the folder that
    /// [`Options::pipeline_cache`](crate::Options::pipeline_cache) named, if there are new ones; otherwise
    /// it does nothing. It happens by itself when the last clone of the reducer is dropped; this is for
    /// programs that end without that.
    ///
    /// ```no_run
    /// # fn run(reducer: &wgpu_reduce::GpuReducer) {
    /// // Nothing is dropped on this way out.
    /// reducer.store_pipelines();
    /// std::process::exit(0);
    /// # }
    /// ```
    pub fn store_pipelines(&self) {
        self.pipelines.store();
    }

    /// The device, for the caller's own work on it. A callback for its loss takes the place of this crate's, so that
    /// [`lost`](Self::lost) and calls hear of a loss only when a call has failed by it.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        &self.context.device
    }

    /// The queue, for the caller's own work on it. What is submitted to it comes after the calls that have been made.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1_u32, 2, 3])?;
    /// reducer.queue().write_buffer(buffer.as_wgpu(), 4, &7_u32.to_le_bytes());
    /// assert_eq!(reducer.sum(&buffer)?, 1 + 7 + 3);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn queue(&self) -> &wgpu::Queue {
        &self.context.queue
    }

    /// Waits until the device is lost, also while nobody uses it: then it is an [`Error::DeviceLost`] that says why.
    ///
    /// Native backends find out when they are asked about something, as every wait for a result does. Of a device of
    /// the caller's ([`from_wgpu`](Self::from_wgpu)), and where a callback of the caller's for the loss has taken the
    /// place of this crate's, it is told when a call has failed by the loss, and not before. Once the last clone of the
    /// reducer has gone, it may never be told.
    ///
    /// ```no_run
    /// # async fn run() -> wgpu_reduce::Result<()> {
    /// use wgpu_reduce::{GpuReducer, Options};
    ///
    /// let reducer = GpuReducer::request(&Options::default()).await?;
    /// let lost = reducer.lost();
    /// // ... on a task of its own ...
    /// println!("{}", lost.await);
    /// # Ok(())
    /// # }
    /// ```
    pub fn lost(&self) -> impl Future<Output = Error> + use<> {
        Lost::new(&self.context.loss)
    }

    /// The error, naming the adapter.
    pub(crate) fn with_adapter(&self, error: Error) -> Error {
        match error {
            Error::Unsupported { what, .. } => {
                Error::Unsupported { what, adapter: self.adapter_label() }
            }
            error => error,
        }
    }
}
