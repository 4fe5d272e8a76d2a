//! Running a level.

use super::pieces::Matrix;
use super::{LadderElement, LadderPlan, LadderShader, Level, MOST_REPEATS, RunOptions};
use crate::api::buffer::GpuSlice;
use crate::api::pending::{Finish, Pending};
use crate::api::reducer::GpuReducer;
use crate::device::timing::{Timed, Timer, split_times};
use crate::error::{Error, Result};
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::limits::unsupported;

/// Runs levels of the ladder on the device of a reducer. It is cheap to make.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::ladder::{Ladder, Level, RunOptions};
///
/// let buffer = reducer.upload(&[1.0_f32; 1000])?;
/// let ladder = Ladder::new(&reducer);
/// assert_eq!(ladder.sum(Level::Sequential, &RunOptions::default(), &buffer)?, 1000.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ladder {
    pub(super) reducer: GpuReducer,
}

impl Ladder {
    /// The ladder on the device of a reducer.
    #[must_use]
    pub fn new(reducer: &GpuReducer) -> Self {
        Self { reducer: reducer.clone() }
    }

    /// The sum by one level of the [ladder](crate::ladder), in the element's own type.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ladder::{Ladder, Level, RunOptions};
    ///
    /// let buffer = reducer.upload(&[1_i32, 2, 3])?;
    /// assert_eq!(Ladder::new(&reducer).sum(Level::UnrollFull, &RunOptions::default(), &buffer)?, 6);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the device lacks what the level [needs](super::Needs), or the level has
    /// no such [form](super::Form); [`Error::InvalidTuning`] if the options do not fit the device; otherwise
    /// as [`GpuReducer::reduce`](crate::GpuReducer::reduce).
    #[cfg(not(target_family = "wasm"))]
    pub fn sum<'a, T: LadderElement>(
        &self,
        level: Level,
        options: &RunOptions,
        input: impl Into<GpuSlice<'a, T>>,
    ) -> Result<T> {
        let sums = self.rows(level, options, input, 1)?.wait()?.value;
        Ok(sums.first().copied().unwrap_or_else(T::zeroed))
    }

    /// Starts the sums of `rows` rows of equal length that follow each other in `input`, by one level
    /// of the [ladder](crate::ladder), and measures the GPU time where the device has timestamps.
    /// With one row this is what [`sum`](Self::sum) waits for.
    ///
    /// Levels 09 to 16 give each row one workgroup, the others as many as cover it.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ladder::{Ladder, Level, RunOptions};
    ///
    /// let buffer = reducer.upload(&[1_i32, 2, 3, 4, 5, 6])?;
    /// let options = RunOptions::default();
    /// let sums = Ladder::new(&reducer).rows(Level::UnrollFull, &options, &buffer, 2)?.wait()?;
    /// assert_eq!(sums.value, [6, 15]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBuffer`] if the rows are not of equal length; otherwise as `sum`.
    pub fn rows<'a, T: LadderElement>(
        &self,
        level: Level,
        options: &RunOptions,
        input: impl Into<GpuSlice<'a, T>>,
        rows: u32,
    ) -> Result<Pending<Timed<Vec<T>>>> {
        self.rows_repeated(level, options, input, rows, 1)
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
    /// use wgpu_reduce::ladder::{Ladder, Level, RunOptions};
    ///
    /// let (buffer, options) = (reducer.upload(&[1_i32; 1000])?, RunOptions::default());
    /// // 500 elements in each of two rows, a hundred times.
    /// let timed = Ladder::new(&reducer).rows_repeated(Level::LastWorkgroup, &options, &buffer, 2, 100)?.await?;
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
    /// back. Otherwise as `rows`.
    pub fn rows_repeated<'a, T: LadderElement>(
        &self,
        level: Level,
        options: &RunOptions,
        input: impl Into<GpuSlice<'a, T>>,
        rows: u32,
        repeats: u32,
    ) -> Result<Pending<Timed<Vec<T>>>> {
        let input = input.into();
        self.reducer.context.check_alive()?;
        let mut plan = self.plan(level, options, input, rows)?;
        let repeats = repeats.max(1);
        if repeats > MOST_REPEATS {
            let what = format!("{repeats} times in one submission, of {MOST_REPEATS} at most");
            return Err(Error::InvalidTuning { what });
        }
        plan.recording.times = repeats;
        let timer = Timer::new(&self.reducer.context)?;
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
        self.reducer.submit(&plan.recording, &[input.buffer], value_bytes, timer.as_ref(), finish)
    }

    /// What a level would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ladder::{Ladder, Level, RunOptions};
    ///
    /// let buffer = reducer.upload(&[1_i32; 1000])?;
    /// let plan = Ladder::new(&reducer).plan(Level::UnrollFull, &RunOptions::default(), &buffer, 1)?;
    /// assert_eq!(plan.input_bytes(), 4000);
    /// println!("{plan}");
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`rows`](Self::rows).
    pub fn plan<'a, T: LadderElement>(
        &self,
        level: Level,
        options: &RunOptions,
        input: impl Into<GpuSlice<'a, T>>,
        rows: u32,
    ) -> Result<LadderPlan> {
        let input = input.into();
        let part = Part { offset_bytes: input.offset_bytes, len: input.len };
        plan_rows(level, options, (T::KIND, part, rows), &self.reducer.context.caps)
            .map_err(|error| self.reducer.with_adapter(error))
    }
}

/// The plan of a level over rows of elements of a type that follow each other in a part of a buffer.
fn plan_rows(
    level: Level,
    options: &RunOptions,
    (element, input, rows): (ElementKind, Part, u32),
    caps: &Caps,
) -> Result<LadderPlan> {
    let shader = LadderShader::new(level, element, options.form, caps.float_atomics)
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
    LadderPlan::new(shader, options, rows, caps)
}
