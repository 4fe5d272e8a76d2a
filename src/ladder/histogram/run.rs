//! Running a level of the histogram.

use super::plan::{BINS, COUNTS_BYTES};
use super::{HistogramLevel, HistogramLevelPlan, HistogramOptions};
use crate::api::buffer::GpuSlice;
use crate::api::pending::{Finish, Pending};
use crate::device::timing::{Timed, Timer, split_times};
use crate::error::Result;
use crate::ladder::Ladder;
use crate::plan::cut::part::Part;

impl Ladder {
    /// How often each of the 256 values of a byte occurs, by one level of the [ladder](crate::ladder)'s histogram. The
    /// counts are exact, whatever the level and the order, and all 0 if there are no elements.
    ///
    /// Programs that want a histogram call [`histogram`](Self::histogram), which is faster and has any bins.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ladder::{HistogramLevel, HistogramOptions, Ladder};
    ///
    /// let buffer = reducer.upload(&[7_u8, 255, 7])?;
    /// let has_subgroups = reducer.caps().subgroups.is_some();
    /// let levels = HistogramLevel::ALL.into_iter();
    /// for level in levels.filter(|level| has_subgroups || !level.needs_subgroups()) {
    ///     let counts =
    ///         Ladder::new(&reducer).histogram(level, &HistogramOptions::default(), &buffer)?;
    ///     assert_eq!((counts.len(), counts[7], counts[255]), (256, 2, 1));
    /// }
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`](crate::Error::Unsupported) if the level [needs subgroups](HistogramLevel::needs_subgroups) and the device has none,
    /// [`Error::InvalidTuning`](crate::Error::InvalidTuning) if the options do not fit the device; otherwise as [`GpuReducer::reduce`](crate::GpuReducer::reduce).
    #[cfg(not(target_family = "wasm"))]
    pub fn histogram<'a>(
        &self,
        level: HistogramLevel,
        options: &HistogramOptions,
        input: impl Into<GpuSlice<'a, u8>>,
    ) -> Result<Vec<u64>> {
        Ok(self.start_histogram(level, options, input)?.wait()?.value)
    }

    /// Starts a [`histogram`](Self::histogram), returns at once, and measures the GPU time where the
    /// device has timestamps: that of the dispatches, without clearing the result before them.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ladder::{HistogramLevel, HistogramOptions, Ladder};
    ///
    /// let (buffer, options) = (reducer.upload(&[7_u8; 4096])?, HistogramOptions::default());
    /// let timed = Ladder::new(&reducer).start_histogram(HistogramLevel::ALL[0], &options, &buffer)?.wait()?;
    /// assert_eq!(timed.value[7], 4096);
    /// println!("{:?} ns", timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As `histogram`.
    pub fn start_histogram<'a>(
        &self,
        level: HistogramLevel,
        options: &HistogramOptions,
        input: impl Into<GpuSlice<'a, u8>>,
    ) -> Result<Pending<Timed<Vec<u64>>>> {
        let input = input.into();
        self.reducer.context.check_alive()?;
        let plan = self.plan_histogram(level, options, input)?;
        let timer = Timer::new(&self.reducer.context)?;
        let period_ns = timer.as_ref().map(Timer::period_ns);
        let bytes = plan.output_bytes();
        let finish: Finish<Timed<Vec<u64>>> = Box::new(move |read| {
            let (counts, gpu_ns) = split_times(read, bytes, period_ns);
            Ok(Timed { value: added_up(counts), gpu_ns })
        });
        self.reducer.submit(&plan.recording, &[input.buffer], bytes, timer.as_ref(), finish)
    }

    /// What a level of the histogram would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::ladder::{HistogramLevel, HistogramOptions, Ladder};
    ///
    /// let (buffer, options) = (reducer.upload(&[7_u8; 4096])?, HistogramOptions::default());
    /// let plan = Ladder::new(&reducer).plan_histogram(HistogramLevel::ALL[0], &options, &buffer)?;
    /// assert_eq!(plan.len, 4096);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`histogram`](Self::histogram).
    pub fn plan_histogram<'a>(
        &self,
        level: HistogramLevel,
        options: &HistogramOptions,
        input: impl Into<GpuSlice<'a, u8>>,
    ) -> Result<HistogramLevelPlan> {
        let input = input.into();
        let input = Part { offset_bytes: input.offset_bytes, len: input.len };
        HistogramLevelPlan::new(level, options, input, &self.reducer.context.caps)
            .map_err(|error| self.reducer.with_adapter(error))
    }
}

/// The sums of what the dispatches have counted.
fn added_up(bytes: &[u8]) -> Vec<u64> {
    let mut sums = vec![0_u64; BINS as usize];
    for of_dispatch in bytes.chunks_exact(usize::try_from(COUNTS_BYTES).unwrap_or(usize::MAX)) {
        for (sum, count) in sums.iter_mut().zip(of_dispatch.chunks_exact(4)) {
            *sum += u64::from(bytemuck::pod_read_unaligned::<u32>(count));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::added_up;

    #[test]
    fn counts_of_dispatches_are_added_up_beyond_32_bits() {
        let counts: Vec<u32> = [u32::MAX; 256].into_iter().chain(0..256).collect();
        let sums = added_up(bytemuck::cast_slice(&counts));
        assert_eq!(sums.len(), 256);
        assert_eq!((sums[0], sums[255]), (u64::from(u32::MAX), u64::from(u32::MAX) + 255));
        assert_eq!(added_up(&[]), [0; 256]);
    }
}
