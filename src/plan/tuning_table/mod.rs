//! Tunings that were measured on one adapter: plain data.

#[cfg(feature = "serde")]
mod record;

use crate::error::{Error, Result};
use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::tuning::Tuning;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Tunings of one adapter with one driver, by operation, element and length.
///
/// It is what `wgpu-reduce tune` measures, and [`GpuReducer::with_tuning_table`] uses. Lengths that
/// it does not cover have no tuning in it. With the feature `serde` it can be serialised; with the
/// feature `tuned` it is read from where `wgpu-reduce tune` has stored it (`TuningTable::load_for`).
///
/// Any table gives right answers. For `f32` sums the order of additions, and so the last bits, depend
/// on the tuning and therefore on the table.
///
/// ```
/// use wgpu_reduce::{
///     AdapterKey, Caps, ElementKind, Operation, Sum, TunedLengths, Tuning, TuningTable,
/// };
///
/// let (sum, element) = (Operation::<f32>::record(&Sum), ElementKind::F32);
/// let default = Tuning::for_len(&Caps::baseline(), element, 1000);
/// let tuning = Tuning { workgroup_size: 64, ..default };
/// let info = wgpu::AdapterInfo::new(wgpu::DeviceType::Other, wgpu::Backend::Noop);
/// let table = TuningTable::new(
///     AdapterKey::new(&info),
///     vec![TunedLengths { operation: sum, element, lengths: 513..=1024, tuning }],
/// )?;
/// assert_eq!(table.for_len(sum, element, 1000), Some(tuning));
/// assert_eq!(table.for_len(sum, element, 2000), None);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// [`GpuReducer::with_tuning_table`]: crate::GpuReducer::with_tuning_table
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "record::Table", into = "record::Table")
)]
pub struct TuningTable {
    adapter: AdapterKey,
    /// Sorted by operation, element and length; ranges of one operation and element are disjoint.
    tunings: Vec<TunedLengths>,
}

/// One tuning, and what it is for. [`TuningTable`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TunedLengths {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// Numbers of elements.
    pub lengths: RangeInclusive<u64>,
    /// The tuning for all of them.
    pub tuning: Tuning,
}

impl TuningTable {
    /// A table of `tunings`, in any order. It may be empty.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuningTable`] if a range is empty, or if two of one operation and element
    /// overlap. Whether the tunings fit a device is found out by [`check`](Self::check).
    pub fn new(adapter: AdapterKey, tunings: Vec<TunedLengths>) -> Result<Self> {
        Self::sorted(adapter, tunings).map_err(|what| Error::InvalidTuningTable { what })
    }

    fn sorted(
        adapter: AdapterKey,
        mut tunings: Vec<TunedLengths>,
    ) -> std::result::Result<Self, String> {
        if let Some(empty) = tunings.iter().find(|tuned| tuned.lengths.is_empty()) {
            return Err(format!("the range of {empty} is empty"));
        }
        tunings.sort_by_key(TunedLengths::key);
        let overlapping = tunings.windows(2).find_map(|pair| match pair {
            [one, next] if one.overlaps(next) => Some((one, next)),
            _ => None,
        });
        match overlapping {
            Some((one, next)) => Err(format!("{one} and {next} overlap")),
            None => Ok(Self { adapter, tunings }),
        }
    }

    /// The adapter and the driver that the tunings are for.
    #[must_use]
    pub const fn adapter(&self) -> &AdapterKey {
        &self.adapter
    }

    /// The tunings, sorted by operation, element and length.
    #[must_use]
    pub fn tunings(&self) -> &[TunedLengths] {
        &self.tunings
    }

    /// The tuning for an operation on so many elements of a type, if the table has one. It depends on
    /// nothing else.
    #[must_use]
    pub fn for_len(&self, operation: &OpRecord, element: ElementKind, len: u64) -> Option<Tuning> {
        let wanted = (operation.name, element, len);
        let after = self.tunings.partition_point(|tuned| tuned.key() <= wanted);
        // The last that starts at or before this length, if it is of this kind and reaches so far.
        let tuned = self.tunings.get(after.checked_sub(1)?)?;
        let is_meant = tuned.operation == operation && tuned.element == element;
        (is_meant && tuned.lengths.contains(&len)).then_some(tuned.tuning)
    }

    /// Checks that the table is for an adapter, and that a device with `caps` can run all of it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuningTable`].
    pub fn check(&self, info: &wgpu_types::AdapterInfo, caps: &Caps) -> Result<()> {
        let invalid = |what: String| Err(Error::InvalidTuningTable { what });
        if let Some(what) = self.adapter.difference(&AdapterKey::new(info)) {
            return invalid(what);
        }
        for tuned in &self.tunings {
            let fits = tuned
                .operation
                .over(tuned.element)
                .and_then(|over| tuned.tuning.validate(caps, over.accumulator.size_bytes()));
            match fits {
                Ok(()) => {}
                Err(Error::InvalidTuning { what }) => return invalid(format!("{tuned}: {what}")),
                Err(error) => return invalid(format!("{tuned}: {error}")),
            }
        }
        Ok(())
    }
}

impl TunedLengths {
    /// What a table is sorted by.
    fn key(&self) -> (&'static str, ElementKind, u64) {
        (self.operation.name, self.element, *self.lengths.start())
    }

    /// Whether `next`, which does not start earlier, starts before this ends.
    fn overlaps(&self, next: &Self) -> bool {
        let is_same = self.operation == next.operation && self.element == next.element;
        is_same && self.lengths.end() >= next.lengths.start()
    }
}

impl fmt::Display for TunedLengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, element, lengths, .. } = self;
        write!(f, "{} of {} to {} {element}", operation.name, lengths.start(), lengths.end())
    }
}

/// What a table belongs to: an adapter with a driver.
///
/// ```
/// use wgpu_reduce::AdapterKey;
///
/// let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, wgpu::Backend::Vulkan);
/// info.name = "A GPU".into();
/// info.driver = "its driver".into();
/// info.driver_info = "1.2".into();
/// assert_eq!(
///     AdapterKey::new(&info).to_string(),
///     "A GPU (Vulkan, 0x0:0x0) with its driver 1.2"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct AdapterKey {
    /// Its name.
    pub name: String,
    /// Its vendor's number.
    pub vendor: u32,
    /// Its number among the vendor's.
    pub device: u32,
    /// The interface to it, as in `Vulkan`.
    pub backend: String,
    /// Its driver.
    pub driver: String,
    /// The driver's version, as the driver writes it.
    pub driver_info: String,
}

impl AdapterKey {
    /// The key of an adapter.
    #[must_use]
    pub fn new(info: &wgpu_types::AdapterInfo) -> Self {
        Self {
            name: info.name.trim().into(),
            vendor: info.vendor,
            device: info.device,
            backend: format!("{:?}", info.backend),
            driver: info.driver.trim().into(),
            driver_info: info.driver_info.trim().into(),
        }
    }

    /// Why tunings of this one are not for `other`, if they are not.
    fn difference(&self, other: &Self) -> Option<String> {
        let Self { driver, driver_info, .. } = other.clone();
        let same_driver = Self { driver, driver_info, ..self.clone() };
        if self == other {
            None
        } else if same_driver == *other {
            Some(format!("it is of another driver: of {self}, and this is {other}"))
        } else {
            Some(format!("it is of another adapter: of {self}, and this is {other}"))
        }
    }
}

impl fmt::Display for AdapterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, vendor, device, backend, driver, driver_info } = self;
        let driver = format!("{driver} {driver_info}");
        let driver = if driver.trim().is_empty() { "an unknown driver" } else { driver.trim() };
        write!(f, "{name} ({backend}, {vendor:#x}:{device:#x}) with {driver}")
    }
}

/// Where the tunings of a reducer come from.
#[derive(Debug, Clone)]
pub(crate) enum Tunings {
    /// [`Tuning::for_operation`].
    Default,
    /// One for everything.
    One(Tuning),
    /// A table, and the default for what it does not cover.
    Table(Arc<TuningTable>),
}

impl Tunings {
    pub(crate) fn tuning(
        &self,
        caps: &Caps,
        operation: &OpRecord,
        element: ElementKind,
        len: u64,
    ) -> Tuning {
        let chosen = match self {
            Self::Default => None,
            Self::One(tuning) => Some(*tuning),
            Self::Table(table) => table.for_len(operation, element, len),
        };
        chosen.unwrap_or_else(|| Tuning::for_operation(caps, operation, element, len))
    }
}
