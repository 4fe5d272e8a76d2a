//! Custom operators by key.

use super::finder::{Built, Finder, Keys};
use super::run::Room;
use super::{GpuRuns, Key, RunBuffers, Runs};
use crate::buffer::GpuSlice;
use crate::custom::{CustomInput, CustomOp, CustomValue};
use crate::element::Element;
use crate::error::Result;
use crate::folding::Folding;
use crate::pending::Pending;
use crate::reducer::GpuReducer;
use crate::segments::{self, Layout};
use crate::slices::GpuSlices;

impl GpuReducer {
    /// Starts a custom operator over the values of each run of equal keys, and returns at once: runs are as for
    /// [`reduce_by_key`](Self::reduce_by_key), results as for
    /// [`reduce_segments_custom`](Self::reduce_segments_custom).
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::CustomOp;
    ///
    /// const LAST: &str = "
    ///     fn map(element: u32, index: u32) -> u32 { return element; }
    ///     fn combine(left: u32, right: u32) -> u32 { return right; }";
    /// let op = CustomOp::<u32, u32>::new(LAST, 0)?;
    /// let keys = reducer.upload(&[7_u32, 7, 2, 2, 2, 7])?;
    /// let values = reducer.upload(&[1_u32, 2, 3, 4, 5, 6])?;
    /// let runs = reducer.reduce_by_key_custom(&op, &keys, &values)?.wait()?;
    /// assert_eq!(runs, [(7, 2), (2, 5), (7, 6)]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if there are not as many keys as values,
    /// [`Error::Unsupported`](crate::Error::Unsupported) if one binding does not hold the keys, or a result for each;
    /// otherwise as [`reduce_custom`](Self::reduce_custom).
    pub fn reduce_by_key_custom<'a, 'b, K, T, A, R>(
        &self,
        operator: &CustomOp<T, A, R>,
        keys: impl Into<GpuSlice<'a, K>>,
        values: impl Into<GpuSlices<'b, T>>,
    ) -> Result<Pending<Runs<K, R>>>
    where
        K: Key,
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let (keys, values) = (keys.into(), values.into());
        self.context.check_alive()?;
        let (segments, runs) = self.by_key_custom(operator, keys, &values, None)?;
        let room = (Room::new(&segments, &runs), size_of::<R>() as u64);
        let results = |layout: Layout, read: &[u8]| layout.values(read);
        let buffers = values.buffers_and(&[keys]);
        self.submit_runs(&runs, &buffers, room, None, results, |runs, _| runs)
    }

    /// Records a custom operator by key into the caller's encoder, as [`encode_by_key`](Self::encode_by_key) does with
    /// the operations of this crate.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{CustomOp, GpuBuffer, RunBuffers};
    ///
    /// let text = "fn map(element: u32, index: u32) -> u32 { return element; }
    ///             fn combine(left: u32, right: u32) -> u32 { return left * 10u + right; }";
    /// let op = CustomOp::<u32, u32>::new(text, 0)?;
    /// let (keys, values) = (reducer.upload(&[7_u32, 7, 2])?, reducer.upload(&[4_u32, 2, 5])?);
    /// let (run_keys, results) = (reducer.alloc(3)?, reducer.alloc(3)?);
    /// let count: GpuBuffer<u32> = reducer.alloc(1)?;
    /// let output =
    ///     RunBuffers { keys: (&run_keys).into(), results: (&results).into(), count: (&count).into() };
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_by_key_custom(&mut encoder, &op, &keys, &values, &output)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(count.download(&reducer)?, [2]);
    /// assert_eq!(results.download(&reducer)?[..2], [42, 5]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`encode_by_key`](Self::encode_by_key) and [`reduce_by_key_custom`](Self::reduce_by_key_custom);
    /// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if results begin at no multiple of their size.
    pub fn encode_by_key_custom<'a, 'b, 'c, K, T, A, R>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operator: &CustomOp<T, A, R>,
        keys: impl Into<GpuSlice<'a, K>>,
        values: impl Into<GpuSlices<'b, T>>,
        output: &RunBuffers<'c, K, R>,
    ) -> Result<()>
    where
        K: Key,
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let (keys, values) = (keys.into(), values.into());
        self.context.check_alive()?;
        let (buffers, offsets) = output.checked(values.buffers_and(&[keys]), values.len())?;
        let (_, runs) = self.by_key_custom(operator, keys, &values, Some(offsets))?;
        self.record_into(encoder, &runs.recording, &buffers, output.results.buffer)
    }

    /// Starts a custom operator by key whose runs stay on the GPU, in buffers of their own, as
    /// [`by_key_to_buffer`](Self::by_key_to_buffer) does with the operations of this crate.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::CustomOp;
    ///
    /// let text = "fn map(element: u32, index: u32) -> u32 { return index; }
    ///             fn combine(left: u32, right: u32) -> u32 { return min(left, right); }";
    /// let op = CustomOp::<u32, u32>::new(text, u32::MAX)?;
    /// let (keys, values) = (reducer.upload(&[7_u32, 7, 2])?, reducer.upload(&[1_u32, 1, 1])?);
    /// // Where runs begin.
    /// let runs = reducer.by_key_to_buffer_custom(&op, &keys, &values)?;
    /// assert_eq!(runs.count.download(&reducer)?, [2]);
    /// assert_eq!(runs.results.download(&reducer)?[..2], [0, 2]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What [`reduce_by_key_custom`](Self::reduce_by_key_custom) finds before it runs, and as [`alloc`](Self::alloc).
    pub fn by_key_to_buffer_custom<'a, 'b, K, T, A, R>(
        &self,
        operator: &CustomOp<T, A, R>,
        keys: impl Into<GpuSlice<'a, K>>,
        values: impl Into<GpuSlices<'b, T>>,
    ) -> Result<GpuRuns<K, R>>
    where
        K: Key,
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let values = values.into();
        let runs = self.room_for_runs(values.len())?;
        self.submit_encoded(|encoder| {
            self.encode_by_key_custom(encoder, operator, keys, values, &runs.buffers())
        })?;
        Ok(runs)
    }

    fn by_key_custom<K, T, A, R>(
        &self,
        operator: &CustomOp<T, A, R>,
        keys: GpuSlice<'_, K>,
        values: &GpuSlices<'_, T>,
        output_offsets_bytes: Option<[u64; 3]>,
    ) -> Result<(segments::Built, Built)>
    where
        K: Key,
        T: Element + CustomInput,
        A: CustomValue,
        R: CustomValue,
    {
        let caps = &self.context.caps;
        let parts = values.plan_parts();
        let plan = || {
            let finder = Finder::new(&Keys {
                place: keys.plan_part(),
                bytes: size_of::<K>() as u64,
                are_floats: K::IS_FLOAT,
                values: &parts,
                output_offsets_bytes,
                caps,
            })?;
            let segments = segments::build(&segments::Job {
                folding: Folding::of_operator(operator),
                element: T::KIND,
                input: &parts,
                offsets: finder.offsets(),
                count_offset_bytes: Some(finder.count_offset_bytes()),
                output_offset_bytes: finder.results_offset_bytes(),
                tuning: self.segments_tuning(T::KIND),
                caps,
            })?;
            let runs = finder.with_segments(&segments)?;
            Ok((segments, runs))
        };
        plan().map_err(|error| self.with_adapter(error))
    }
}
