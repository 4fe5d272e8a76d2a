//! Calls that reduce by key.

use super::finder::Built;
use super::{ByKeyPlan, ByKeyRequest, GpuRuns, Key, RunBuffers, Runs};
use crate::buffer::GpuSlice;
use crate::decode;
use crate::element::Element;
use crate::error::Result;
use crate::op::Operation;
use crate::pending::{Continue, Finish, Next, Pending};
use crate::reducer::GpuReducer;
use crate::segments::{self, Layout};
use crate::slices::GpuSlices;
use crate::timing::{Timed, Timer, split_times};
use crate::transfer::read_ranges;
use crate::window::WORD_BYTES;
use std::ops::Range;
use std::sync::Arc;

impl GpuReducer {
    /// Starts a reduction of the values of each run of equal keys, and returns at once: value i belongs to
    /// key i. What comes are the runs in their order, each with its key and its result. Keys that are equal
    /// but have others between them are runs of their own, as everywhere where this is called so; sorted
    /// keys have one run each.
    ///
    /// Integers are equal if they are the same. Floats are as numbers: a run may have −0 and +0, and each
    /// NaN is a run of its own. The key of a run is its first. Results are those of
    /// [`reduce_segments`](Self::reduce_segments) over the runs: the same bits on every run of the program, and
    /// indices count from the run's first value. No keys have no runs.
    ///
    /// Room for as many results as there are values is made on the GPU. Where that is more than 256 KiB the number of
    /// runs is read first and then as many results, else all at once.
    /// [`encode_by_key`](Self::encode_by_key) leaves both on the GPU.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let keys = reducer.upload(&[7_u32, 7, 2, 2, 2, 7])?;
    /// let values = reducer.upload(&[1_i32, 2, 3, 4, 5, 6])?;
    /// let runs = reducer.reduce_by_key(Sum, &keys, &values)?.wait()?;
    /// assert_eq!(runs, [(7, 3), (2, 12), (7, 6)]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if there are not as many keys as values, [`Error::Unsupported`](crate::Error::Unsupported) if one binding
    /// does not hold the keys, or a result for each; [`Error::EmptySegment`](crate::Error::EmptySegment) if a run has nothing but NaN and
    /// the operation leaves that out; otherwise as [`reduce`](Self::reduce).
    pub fn reduce_by_key<'a, 'b, K: Key, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        keys: impl Into<GpuSlice<'a, K>>,
        values: impl Into<GpuSlices<'b, T>>,
    ) -> Result<Pending<Runs<K, O::Output>>> {
        self.start_by_key(operation, keys.into(), &values.into(), None, |runs, _| runs)
    }

    /// The same, and the GPU time is measured where the device has timestamps.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let keys = reducer.upload(&[7_u32, 7, 2])?;
    /// let values = reducer.upload(&[1_i32, 2, 3])?;
    /// let timed = reducer.reduce_by_key_timed(Sum, &keys, &values)?.wait()?;
    /// println!("{} runs in {:?} ns", timed.value.len(), timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_by_key`](Self::reduce_by_key).
    #[expect(clippy::type_complexity, reason = "what comes, when, and how long it took")]
    pub fn reduce_by_key_timed<'a, 'b, K: Key, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        keys: impl Into<GpuSlice<'a, K>>,
        values: impl Into<GpuSlices<'b, T>>,
    ) -> Result<Pending<Timed<Runs<K, O::Output>>>> {
        let timer = Timer::new(&self.context)?;
        let with_time = |value, gpu_ns| Timed { value, gpu_ns };
        self.start_by_key(operation, keys.into(), &values.into(), timer.as_ref(), with_time)
    }

    /// Records a reduction by key into the caller's encoder. The keys of the runs are left in `output.keys`, their
    /// results in `output.results` as the operation's [`Raw`](Operation::Raw), and how many there are in the first
    /// element of `output.count`; what is behind so many keeps its value.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Max, RunBuffers};
    ///
    /// let keys = reducer.upload(&[1.0_f32, 1.0, 2.0])?;
    /// let values = reducer.upload(&[3_u32, 5, 4])?;
    /// let (run_keys, results) = (reducer.alloc::<f32>(3)?, reducer.alloc::<u32>(3)?);
    /// let count: GpuBuffer<u32> = reducer.alloc(1)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// let output =
    ///     RunBuffers { keys: (&run_keys).into(), results: (&results).into(), count: (&count).into() };
    /// reducer.encode_by_key(&mut encoder, Max, &keys, &values, &output)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(count.download(&reducer)?, [2]);
    /// assert_eq!(results.download(&reducer)?[..2], [5, 4]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) if there is not room for as many results and keys as there are values, and for
    /// the count; [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if two of results, keys of runs, count and what they are made of
    /// lie in the same buffer; otherwise as [`reduce_by_key`](Self::reduce_by_key).
    pub fn encode_by_key<'a, 'b, 'c, K: Key, T: Element, O: Operation<T>>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operation: O,
        keys: impl Into<GpuSlice<'a, K>>,
        values: impl Into<GpuSlices<'b, T>>,
        output: &RunBuffers<'c, K, O::Raw>,
    ) -> Result<()> {
        let (keys, values) = (keys.into(), values.into());
        self.context.check_alive()?;
        let (buffers, offsets) = output.checked(values.buffers_and(&[keys]), values.len())?;
        let request = ByKeyRequest {
            output_offsets_bytes: Some(offsets),
            ..self.by_key_request(operation, keys, &values)
        };
        let plan = self.planned_by_key(&request)?;
        self.record_into(encoder, &plan.runs.recording, &buffers, output.results.buffer)
    }

    /// Starts a reduction by key whose runs stay on the GPU: their keys, results and number are in buffers of their own,
    /// with room for as many runs as there are values. What is submitted later finds them there.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Sum};
    ///
    /// let keys = reducer.upload(&[7_u32, 7, 2, 2, 2, 7])?;
    /// let values = reducer.upload(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let runs = reducer.by_key_to_buffer(Sum, &keys, &values)?;
    /// assert_eq!(runs.count.download(&reducer)?, [3]);
    /// assert_eq!(runs.results.download(&reducer)?[..3], [3.0, 12.0, 6.0]);
    ///
    /// // As many of the results as there are, without their number on the host.
    /// let total: GpuBuffer<f32> = reducer.alloc(1)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_counted(&mut encoder, Sum, &runs.results, &runs.count, &total)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(total.download(&reducer)?, [21.0]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What [`reduce_by_key`](Self::reduce_by_key) finds before it runs, and as [`alloc`](Self::alloc).
    pub fn by_key_to_buffer<'a, 'b, K: Key, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        keys: impl Into<GpuSlice<'a, K>>,
        values: impl Into<GpuSlices<'b, T>>,
    ) -> Result<GpuRuns<K, O::Raw>> {
        let values = values.into();
        let runs = self.room_for_runs(values.len())?;
        self.submit_encoded(|encoder| {
            self.encode_by_key(encoder, operation, keys, values, &runs.buffers())
        })?;
        Ok(runs)
    }

    pub(super) fn room_for_runs<K: Key, R: bytemuck::Pod>(
        &self,
        len: u64,
    ) -> Result<GpuRuns<K, R>> {
        Ok(GpuRuns { keys: self.alloc(len)?, results: self.alloc(len)?, count: self.alloc(1)? })
    }

    /// What a reduction by key would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let (keys, values) = (reducer.alloc::<u32>(1000)?, reducer.alloc::<f32>(1000)?);
    /// let plan = reducer.plan_by_key(Sum, &keys, &values)?;
    /// assert_eq!(plan.len(), 1000);
    /// println!("{plan}");
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ByKeyPlan::new`].
    pub fn plan_by_key<'a, 'b, K: Key, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        keys: impl Into<GpuSlice<'a, K>>,
        values: impl Into<GpuSlices<'b, T>>,
    ) -> Result<ByKeyPlan> {
        self.planned_by_key(&self.by_key_request(operation, keys.into(), &values.into()))
    }

    fn by_key_request<K: Key, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        keys: GpuSlice<'_, K>,
        values: &GpuSlices<'_, T>,
    ) -> ByKeyRequest {
        ByKeyRequest {
            operation: operation.record(),
            element: T::KIND,
            values: values.plan_parts(),
            keys: keys.plan_part(),
            key_bytes: size_of::<K>() as u64,
            keys_are_floats: K::IS_FLOAT,
            output_offsets_bytes: None,
            tuning: self.segments_tuning(T::KIND),
            caps: self.context.caps,
        }
    }

    fn planned_by_key(&self, request: &ByKeyRequest) -> Result<ByKeyPlan> {
        ByKeyPlan::new(request).map_err(|error| self.with_adapter(error))
    }

    fn start_by_key<K: Key, T: Element, O: Operation<T>, R: 'static>(
        &self,
        operation: O,
        keys: GpuSlice<'_, K>,
        values: &GpuSlices<'_, T>,
        timer: Option<&Timer>,
        finish: fn(Runs<K, O::Output>, Option<f64>) -> R,
    ) -> Result<Pending<R>> {
        self.context.check_alive()?;
        let plan = self.planned_by_key(&self.by_key_request(operation, keys, values))?;
        let room = Room::new(&plan.segments.built, &plan.runs);
        let results = move |layout: Layout, read: &[u8]| layout.results(operation, read);
        let of_result = size_of::<O::Raw>() as u64;
        let buffers = values.buffers_and(&[keys]);
        self.submit_runs(&plan.runs, &buffers, (room, of_result), timer, results, finish)
    }

    /// Submits, and reads what there is of runs: all at once, or their number first.
    pub(super) fn submit_runs<K: Key, V: 'static, R: 'static>(
        &self,
        runs: &Built,
        buffers: &[&wgpu::Buffer],
        (room, result_bytes): (Room, u64),
        timer: Option<&Timer>,
        results: impl Fn(Layout, &[u8]) -> Result<Vec<V>> + Send + Copy + 'static,
        finish: fn(Runs<K, V>, Option<f64>) -> R,
    ) -> Result<Pending<R>> {
        let count_first = runs.count_first;
        let bytes = count_first + WORD_BYTES;
        let period_ns = timer.map(Timer::period_ns);
        if bytes <= AT_ONCE_BYTES {
            let on_host: Finish<R> = Box::new(move |read| {
                let (read, gpu_ns) = split_times(read, bytes, period_ns);
                let count: u32 = decode::value(decode::from(read, count_first))?;
                Ok(finish(room.of_first(count).runs(read, results)?, gpu_ns))
            });
            return self.submit(&runs.recording, buffers, bytes, timer, on_host);
        }
        let context = Arc::clone(&self.context);
        let output = context.results.take(&context, bytes)?;
        let kept = output.clone();
        let more: Continue<R> = Box::new(move |head| {
            let (head, gpu_ns) = split_times(head, WORD_BYTES, period_ns);
            let (ranges, room) =
                room.compact(decode::value(head)?, [result_bytes, size_of::<K>() as u64]);
            let (own, buffer) = (Arc::clone(&context), kept.clone());
            let on_host: Finish<R> = Box::new(move |read| {
                own.results.give(buffer);
                Ok(finish(room.runs(read, results)?, gpu_ns))
            });
            read_ranges(&context, &kept, &ranges, on_host).map(Next::from)
        });
        let head = (&output, count_first..bytes);
        self.submit_head(&runs.recording, buffers, head, timer, more)
    }
}

/// Up to here bytes that nobody needs cost less than to wait twice.
const AT_ONCE_BYTES: u64 = 256 << 10;

/// Where results, report and keys lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    layout: Layout,
    keys_first: u64,
}

impl Room {
    pub(super) const fn new(segments: &segments::Built, runs: &Built) -> Self {
        Self { layout: Layout::new(segments), keys_first: runs.keys_first }
    }

    fn of_first(self, count: u32) -> Self {
        Self { layout: self.layout.of_first(count.into()), ..self }
    }

    /// What there is of the first `count` runs, and how it lies side by side.
    fn compact(self, count: u32, [result_bytes, key_bytes]: [u64; 2]) -> ([Range<u64>; 3], Self) {
        let ([results, report], layout) = self.layout.compact(count.into(), result_bytes);
        let keys_first = results.end + (report.end - report.start);
        let keys = self.keys_first..self.keys_first + key_bytes * u64::from(count);
        ([results, report, keys], Self { layout, keys_first })
    }

    fn runs<K: Key, V>(
        self,
        read: &[u8],
        results: impl Fn(Layout, &[u8]) -> Result<Vec<V>>,
    ) -> Result<Runs<K, V>> {
        let keys = decode::values(decode::from(read, self.keys_first));
        keys.zip(results(self.layout, read)?).map(|(key, result)| Ok((key?, result))).collect()
    }
}
