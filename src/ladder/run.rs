//! Running a level.

use super::pieces::Matrix;
use super::{LadderPlan, LadderShader, Level, RunOptions};
use crate::buffer::GpuSlice;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::pending::{Finish, Pending};
use crate::reducer::GpuReducer;
use crate::timing::{Timed, Timer, split_times};

/// An element that levels of the ladder can sum: `f32`, `i32` or `u32`.
///
/// ```
/// use wgpu_reduce::ladder::LadderElement;
///
/// assert_eq!(u32::MAX.plus(2), 1);
/// ```
pub trait LadderElement: Element {
    /// Their sum in this type; integers wrap.
    #[must_use]
    fn plus(self, other: Self) -> Self;
}

/// How many times one submission may run a level: [`GpuReducer::reduce_rows_repeated`].
pub const MOST_REPEATS: u32 = 4096;

impl LadderElement for f32 {
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

impl LadderElement for i32 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl LadderElement for u32 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl GpuReducer {
    /// The sum by one level of the [ladder](crate::ladder), in the element's own type.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ladder::{Level, RunOptions};
    ///
    /// let buffer = reducer.upload(&[1_i32, 2, 3])?;
    /// assert_eq!(reducer.sum_at_level(Level::UnrollFull, &RunOptions::default(), &buffer)?, 6);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the device lacks what the level [needs](super::Needs), or the level has
    /// no such [form](super::Form); [`Error::InvalidTuning`] if the options do not fit the device; otherwise
    /// as [`reduce`](Self::reduce).
    #[cfg(not(target_family = "wasm"))]
    pub fn sum_at_level<'a, T: LadderElement>(
        &self,
        level: Level,
        options: &RunOptions,
        input: impl Into<GpuSlice<'a, T>>,
    ) -> Result<T> {
        let sums = self.reduce_rows_at_level(level, options, input, 1)?.wait()?.value;
        Ok(sums.first().copied().unwrap_or_else(T::zeroed))
    }

    /// Starts the sums of `rows` rows of equal length that follow each other in `input`, by one level
    /// of the [ladder](crate::ladder), and measures the GPU time where the device has timestamps.
    /// With one row this is what [`sum_at_level`](Self::sum_at_level) waits for.
    ///
    /// Levels 09 to 16 give each row one workgroup, the others as many as cover it.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ladder::{Level, RunOptions};
    ///
    /// let buffer = reducer.upload(&[1_i32, 2, 3, 4, 5, 6])?;
    /// let options = RunOptions::default();
    /// let sums = reducer.reduce_rows_at_level(Level::UnrollFull, &options, &buffer, 2)?.wait()?;
    /// assert_eq!(sums.value, [6, 15]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBuffer`] if the rows are not of equal length; otherwise as `sum_at_level`.
    pub fn reduce_rows_at_level<'a, T: LadderElement>(
        &self,
        level: Level,
        options: &RunOptions,
        input: impl Into<GpuSlice<'a, T>>,
        rows: u32,
    ) -> Result<Pending<Timed<Vec<T>>>> {
        self.reduce_rows_repeated(level, options, input, rows, 1)
    }

    /// The same, so many times one after another in one submission: what comes back is what the last left, and the GPU
    /// time of each, which is that of all of them divided. So clocks that are coarse, as those of browsers are, can
    /// time what is short. It runs once if `repeats` is 0.
    ///
    /// Levels 14 and 15 add to a result that must be zero, and to make it zero counts here, but for the first time.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// use wgpu_reduce::ladder::{Level, RunOptions};
    ///
    /// let (buffer, options) = (reducer.upload(&[1_i32; 1000])?, RunOptions::default());
    /// // 500 elements in each of two rows, a hundred times.
    /// let timed = reducer.reduce_rows_repeated(Level::LastWorkgroup, &options, &buffer, 2, 100)?.await?;
    /// assert_eq!(timed.value, [500, 500]);
    /// println!("{:?} ns each time", timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`] if `repeats` is more than [`MOST_REPEATS`]: of what is submitted nothing can be called
    /// back. Otherwise as `reduce_rows_at_level`.
    pub fn reduce_rows_repeated<'a, T: LadderElement>(
        &self,
        level: Level,
        options: &RunOptions,
        input: impl Into<GpuSlice<'a, T>>,
        rows: u32,
        repeats: u32,
    ) -> Result<Pending<Timed<Vec<T>>>> {
        let input = input.into();
        self.context.check_alive()?;
        let mut plan = self.plan_at_level(level, options, input, rows)?;
        let repeats = repeats.max(1);
        if repeats > MOST_REPEATS {
            let what = format!("{repeats} times in one submission, of {MOST_REPEATS} at most");
            return Err(Error::InvalidTuning { what });
        }
        plan.recording.times = repeats;
        let timer = Timer::new(&self.context)?;
        let period_ns = timer.as_ref().map(Timer::period_ns);
        let value_bytes = plan.values().max(1) * size_of::<T>() as u64;
        let (rows, values_per_row) = (rows as usize, plan.values_per_row as usize);
        let finish: Finish<Timed<Vec<T>>> = Box::new(move |bytes| {
            let (bytes, gpu_ns) = split_times(bytes, value_bytes, period_ns);
            let values: Vec<T> = bytemuck::pod_collect_to_vec(bytes);
            let sums = values.chunks(values_per_row.max(1)).take(rows).map(|row| {
                // One value is itself: −0 stays −0.
                row.iter().copied().reduce(T::plus).unwrap_or_else(T::zeroed)
            });
            Ok(Timed { value: sums.collect(), gpu_ns: gpu_ns.map(|ns| ns / f64::from(repeats)) })
        });
        self.submit(&plan.recording, &[input.buffer], value_bytes, timer.as_ref(), finish)
    }

    /// What a level would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ladder::{Level, RunOptions};
    ///
    /// let buffer = reducer.upload(&[1_i32; 1000])?;
    /// let plan = reducer.plan_at_level(Level::UnrollFull, &RunOptions::default(), &buffer, 1)?;
    /// assert_eq!(plan.input_bytes(), 4000);
    /// println!("{plan}");
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_rows_at_level`](Self::reduce_rows_at_level).
    pub fn plan_at_level<'a, T: LadderElement>(
        &self,
        level: Level,
        options: &RunOptions,
        input: impl Into<GpuSlice<'a, T>>,
        rows: u32,
    ) -> Result<LadderPlan> {
        let (input, caps) = (input.into(), self.context.caps);
        let unsupported = |what| Error::Unsupported { what, adapter: self.adapter_label() };
        let shader = LadderShader::new(level, T::KIND, options.form, caps.float_atomics)
            .ok_or_else(|| unsupported(format!("{level} in the form {:?}", options.form)))?;
        if shader.needs_subgroups() && caps.subgroups.is_none() {
            return Err(unsupported(format!("subgroup operations, which {shader} needs")));
        }
        let row_length = match rows {
            0 => 0,
            rows => input.len / u64::from(rows),
        };
        if row_length * u64::from(rows) != input.len {
            let what = format!("{} elements are not {rows} rows of equal length", input.len);
            return Err(Error::InvalidBuffer { what });
        }
        let rows = Matrix { offset_bytes: input.offset_bytes, rows, row_length };
        LadderPlan::new(shader, options, rows, &caps)
    }
}
