//! What a reducer is told once: its tunings, and how it waits.

#[cfg(doc)]
use crate::api::pending::Pending;
use crate::api::reducer::GpuReducer;
#[cfg(not(target_family = "wasm"))]
use crate::device::waiter::Patience;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::op::OpRecord;
use crate::op::element::ElementKind;
#[cfg(not(target_family = "wasm"))]
use crate::plan::caps::AdapterClass;
use crate::plan::tuning::Tuning;
use crate::plan::tuning_table::{TuningTable, Tunings};
use std::sync::Arc;
#[cfg(not(target_family = "wasm"))]
use std::{sync::PoisonError, time::Duration};

impl GpuReducer {
    /// Returns a reducer on the same device and pipelines, with one tuning for every call that takes a [`Tuning`].
    ///
    /// These are reductions of whole inputs, also of batches, streams and shares of [`MultiGpu`](crate::MultiGpu). Other shapes,
    /// histograms and exact sums keep the defaults of tunings of their own; [`Request::tuned`](crate::Request::tuned) takes another one.
    ///
    /// A tuning that does not fit the device is refused when it is used, with
    /// [`Error::InvalidTuning`].
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Combining, ElementKind, Operation, Sum, Tuning};
    ///
    /// let sum = Operation::<u32>::record(&Sum);
    /// let default = reducer.tuning(sum, ElementKind::U32, 1000);
    /// let passes = Tuning { combining: Combining::Passes, ..default };
    /// assert_eq!(reducer.with_tuning(passes).sum(&reducer.upload(&[2_u32; 1000])?)?, 2000);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn with_tuning(&self, tuning: Tuning) -> Self {
        Self { tunings: Tunings::One(tuning), ..self.clone() }
    }

    /// Returns a reducer on the same device and pipelines, with the tunings of a table. What it does not cover keeps the
    /// default, and so do custom operators and all that [`with_tuning`](Self::with_tuning) does not reach.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{
    ///     AdapterKey, ElementKind, Operation, Sum, TunedLengths, Tuning, TuningTable,
    /// };
    ///
    /// let sum = Operation::<f32>::record(&Sum);
    /// let default = reducer.tuning(sum, ElementKind::F32, 1 << 20);
    /// let around_1_mi = TunedLengths {
    ///     operation: sum,
    ///     element: ElementKind::F32,
    ///     lengths: 500_000..=2_000_000,
    ///     tuning: Tuning { max_workgroups: 300, ..default },
    /// };
    /// let table = TuningTable::new(AdapterKey::new(reducer.adapter_info()), vec![around_1_mi])?;
    /// let reducer = reducer.with_tuning_table(table)?;
    /// assert_eq!(reducer.tuning(sum, ElementKind::F32, 1 << 20).max_workgroups, 300);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuningTable`] if the table is of another adapter or driver, or if one of its
    /// tunings does not fit this device.
    pub fn with_tuning_table(&self, table: TuningTable) -> Result<Self> {
        table.check(&self.context.info, &self.context.caps)?;
        Ok(Self { tunings: Tunings::Table(Arc::new(table)), ..self.clone() })
    }

    /// The table in force, if there is one.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{AdapterKey, TuningTable};
    ///
    /// assert_eq!(reducer.tuning_table(), None);
    /// let table = TuningTable::new(AdapterKey::new(reducer.adapter_info()), Vec::new())?;
    /// let reducer = reducer.with_tuning_table(table.clone())?;
    /// assert_eq!(reducer.tuning_table(), Some(&table));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn tuning_table(&self) -> Option<&TuningTable> {
        match &self.tunings {
            Tunings::Table(table) => Some(table),
            Tunings::Default | Tunings::One(_) => None,
        }
    }

    /// The tuning in force for an operation on so many elements of a type.
    ///
    /// The default depends on the device and on what is asked here, so it is the same on every run.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{ElementKind, Operation, Sum};
    ///
    /// println!("{}", reducer.tuning(Operation::<f32>::record(&Sum), ElementKind::F32, 1 << 20));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn tuning(&self, operation: &OpRecord, element: ElementKind, len: u64) -> Tuning {
        self.tunings.tuning(&self.context.caps, operation, element, len)
    }

    /// The one tuning of `with_tuning`, if there is one.
    pub(crate) const fn chosen_tuning(&self) -> Option<Tuning> {
        match &self.tunings {
            Tunings::One(tuning) => Some(*tuning),
            Tunings::Default | Tunings::Table(_) => None,
        }
    }

    /// Returns a reducer on the same device with another way to wait. Blocking calls and [`Pending::wait`] ask for the
    /// result again and again for so long, and only then let the system wake them.
    ///
    /// Being woken costs tens of microseconds, more than a small reduction takes; asking keeps a CPU
    /// core busy. Unless set, it is [`GpuReducer::DEFAULT_SPIN`], 500 µs, on GPUs and nothing on
    /// software adapters, which need the core.
    /// Not in browsers.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use std::time::Duration;
    ///
    /// let thrifty = reducer.with_spin(Duration::ZERO);
    /// assert_eq!(thrifty.sum(&reducer.upload(&[1_u32, 2])?)?, 3);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn with_spin(&self, spin: Duration) -> Self {
        Self { spin: Some(spin), ..self.clone() }
    }

    /// How long waiting calls ask a GPU for the result before they let the system wake them: 500 µs, unless
    /// [`GpuReducer::with_spin`] says otherwise.
    /// Not in browsers.
    #[cfg(not(target_family = "wasm"))]
    pub const DEFAULT_SPIN: Duration = Duration::from_micros(500);

    /// Returns a reducer on the same device with a limit to every wait. Blocking calls, [`Pending::wait`] and awaited results
    /// fail with [`Error::Timeout`] if the device has not finished within `deadline` of the moment that somebody
    /// began to wait. Where a call waits for several things one after another, each may take so long. Results that are
    /// awaited are told up to a tenth of a second later, whatever else is awaited.
    ///
    /// Without one they wait for as long as the device works. What has timed out goes on on the device, and the
    /// reducer stays usable; whether it is of use depends on what the device does. Compilers have no deadline.
    ///
    /// When the last handle of a device that the library has opened is dropped (reducers, and what is pending) it waits until the device has done
    /// all work, no longer than the longest deadline that any had. Of a device that has not done it by then a handle is kept for good, with its
    /// memory, since wgpu would wait for it for ever. Without any deadline it does; so it does for who drops a later handle of wgpu's own.
    /// Not in browsers.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use std::time::Duration;
    /// use wgpu_reduce::Error;
    ///
    /// let hasty = reducer.with_deadline(Duration::from_secs(2));
    /// match hasty.sum(&reducer.upload(&[1_u32, 2])?) {
    ///     Err(Error::Timeout) => println!("the device is busy, or hangs"),
    ///     sum => println!("{}", sum?),
    /// }
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn with_deadline(&self, deadline: Duration) -> Self {
        let longest = self.context.longest_deadline.lock();
        let mut longest = longest.unwrap_or_else(PoisonError::into_inner);
        *longest = (*longest).max(Some(deadline));
        drop(longest);
        Self { deadline: Some(deadline), ..self.clone() }
    }

    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn patience(&self) -> Patience {
        let spin = self.spin.unwrap_or(match self.context.caps.class {
            AdapterClass::Gpu => Self::DEFAULT_SPIN,
            AdapterClass::Cpu => Duration::ZERO,
        });
        Patience { spin, deadline: self.deadline }
    }
}
