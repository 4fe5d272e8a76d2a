//! What a reduction by key leaves: runs, on the host and on the GPU.

use crate::api::buffer::{GpuBuffer, GpuSlice};
use crate::error::{Error, Result};
use bytemuck::Pod;

/// Runs of equal keys, in order: the key of each, and what its values are reduced to. It is what
/// [`Request::runs`](crate::Request::runs) gives.
///
/// ```no_run
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Max, Runs};
///
/// let (keys, values) = (reducer.upload(&[5_u32, 5, 2])?, reducer.upload(&[1.0_f32, 3.0, 2.0])?);
/// let runs: Runs<u32, f32> = reducer.reduce(Max, &values).runs(&keys).start()?.wait()?;
/// assert_eq!(runs, [(5, 3.0), (2, 2.0)]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
pub type Runs<K, R> = Vec<(K, R)>;

/// Where the runs of a reduction by key go: each in a buffer of its own.
/// [`Request::encode`](crate::Request::encode) has an example, and [`GpuRuns::buffers`] makes one of buffers that are
/// together.
#[derive(Debug)]
pub struct RunBuffers<'a, K, R> {
    /// Their keys: room for as many as there are values.
    pub keys: GpuSlice<'a, K>,
    /// Their results: the same.
    pub results: GpuSlice<'a, R>,
    /// How many runs there are.
    pub count: GpuSlice<'a, u32>,
}

/// The runs of a reduction by key, on the GPU.
///
/// The first runs, as many as `count` says, are there; what is behind them is zero.
/// [`Request::to_buffer`](crate::Request::to_buffer) makes them, and has an example.
#[derive(Debug, Clone)]
pub struct GpuRuns<K, R> {
    /// Their keys.
    pub keys: GpuBuffer<K>,
    /// Their results.
    pub results: GpuBuffer<R>,
    /// How many runs there are: one element.
    pub count: GpuBuffer<u32>,
}

impl<K: Pod, R: Pod> GpuRuns<K, R> {
    /// Where they are, for calls that leave runs there.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuRuns, Sum};
    ///
    /// let (keys, values) = (reducer.upload(&[1_u32, 1, 2])?, reducer.upload(&[4.0_f32, 5.0, 6.0])?);
    /// let runs: GpuRuns<u32, f32> =
    ///     GpuRuns { keys: reducer.alloc(3)?, results: reducer.alloc(3)?, count: reducer.alloc(1)? };
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.reduce(Sum, &values).runs(&keys).encode(&mut encoder, &runs.buffers())?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(runs.results.download(&reducer)?, [9.0, 6.0, 0.0]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn buffers(&self) -> RunBuffers<'_, K, R> {
        let Self { keys, results, count } = self;
        RunBuffers { keys: keys.into(), results: results.into(), count: count.into() }
    }
}

impl<K, R> RunBuffers<'_, K, R> {
    /// Where results, keys of runs and count begin. Fails where there is not room for so many, or two things are in one
    /// buffer.
    pub(crate) fn checked(&self, inputs: &[&wgpu::Buffer], len: u64) -> Result<[u64; 3]> {
        let Self { keys: run_keys, results, count } = self;
        for (room, wanted) in [(run_keys.len, len), (results.len, len), (count.len, 1)] {
            if room < wanted {
                return Err(Error::InvalidRange { start: 0, end: wanted, len: room });
            }
        }
        let mut buffers = inputs.to_vec();
        for written in [run_keys.buffer, count.buffer, results.buffer] {
            if buffers.contains(&written) {
                let what = "runs cannot lie in a buffer that is used for something else, too";
                return Err(Error::InvalidBuffer { what: what.into() });
            }
            buffers.push(written);
        }
        Ok([results.offset_bytes, run_keys.offset_bytes, count.offset_bytes])
    }
}

impl<K, R> Clone for RunBuffers<'_, K, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, R> Copy for RunBuffers<'_, K, R> {}

impl<'a, K: Pod, R: Pod> From<&'a GpuRuns<K, R>> for RunBuffers<'a, K, R> {
    fn from(runs: &'a GpuRuns<K, R>) -> Self {
        runs.buffers()
    }
}

impl<'a, K, R> From<&RunBuffers<'a, K, R>> for RunBuffers<'a, K, R> {
    fn from(buffers: &RunBuffers<'a, K, R>) -> Self {
        *buffers
    }
}
