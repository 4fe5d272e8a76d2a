//! What a reduction by key leaves: runs, on the host and on the GPU.

use crate::buffer::{GpuBuffer, GpuSlice};
use crate::error::{Error, Result};
use bytemuck::Pod;

/// Runs of equal keys, in order: the key of each, and what its values are reduced to. It is what
/// [`reduce_by_key`](crate::GpuReducer::reduce_by_key) gives.
///
/// ```no_run
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Max, Runs};
///
/// let (keys, values) = (reducer.upload(&[5_u32, 5, 2])?, reducer.upload(&[1.0_f32, 3.0, 2.0])?);
/// let runs: Runs<u32, f32> = reducer.reduce_by_key(Max, &keys, &values)?.wait()?;
/// assert_eq!(runs, [(5, 3.0), (2, 2.0)]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
pub type Runs<K, R> = Vec<(K, R)>;

/// Where the runs of a reduction by key go: each in a buffer of its own.
/// [`encode_by_key`](crate::GpuReducer::encode_by_key) has an example, and [`GpuRuns::buffers`] makes one of buffers that are
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
/// [`by_key_to_buffer`](crate::GpuReducer::by_key_to_buffer) makes them, and has an example.
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
    /// reducer.encode_by_key(&mut encoder, Sum, &keys, &values, &runs.buffers())?;
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

impl<'a, K, R> RunBuffers<'a, K, R> {
    /// The buffers of the inputs and, behind them, of keys of runs and count; and where results, keys of runs and
    /// count begin. Fails where there is not room for so many, or two things are in one buffer.
    pub(super) fn checked<'b>(
        &self,
        inputs: Vec<&'b wgpu::Buffer>,
        len: u64,
    ) -> Result<(Vec<&'b wgpu::Buffer>, [u64; 3])>
    where
        'a: 'b,
    {
        let Self { keys: run_keys, results, count } = self;
        for (room, wanted) in [(run_keys.len, len), (results.len, len), (count.len, 1)] {
            if room < wanted {
                return Err(Error::InvalidRange { start: 0, end: wanted, len: room });
            }
        }
        let mut buffers = inputs;
        for written in [run_keys.buffer, count.buffer, results.buffer] {
            if buffers.contains(&written) {
                let what = "runs cannot lie in a buffer that is used for something else, too";
                return Err(Error::InvalidBuffer { what: what.into() });
            }
            buffers.push(written);
        }
        buffers.pop();
        Ok((buffers, [results.offset_bytes, run_keys.offset_bytes, count.offset_bytes]))
    }
}
