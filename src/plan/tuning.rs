//! The numbers that make a plan fast, apart from what makes it right.

use crate::error::Result;
use crate::op::OpRecord;
use crate::op::element::{ElementKind, Number};
use crate::plan::caps::Caps;
use crate::plan::geometry;
use crate::plan::limits::{check_between, check_workgroup_size, invalid_tuning};
use std::fmt;

/// How a reduction is spread over the device. Any valid tuning gives a right answer; for `f32` sums
/// the order of additions, and so the last bits, depend on it.
///
/// ```
/// use wgpu_reduce::{Caps, ElementKind, Tuning};
///
/// let tuning = Tuning::for_len(&Caps::baseline(), ElementKind::F32, 1 << 20);
/// assert!(tuning.workgroup_size.is_power_of_two());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Tuning {
    /// Invocations per workgroup; a power of two that the device allows.
    pub workgroup_size: u32,
    /// Most workgroups that share one binding window: as much of the input as one binding covers.
    pub max_workgroups: u32,
    /// Quads of 16 bytes that an invocation loads before it uses the first of them; from 1 to 16.
    pub loads_in_flight: u32,
    /// Quads that an invocation should get before there is another workgroup; from 1 on. It gets at
    /// least those in flight.
    pub min_quads_per_invocation: u32,
    /// Most partial values that one workgroup folds alone; more take another pass.
    pub max_partials_per_workgroup: u32,
    /// How the workgroups' partial values become one.
    pub combining: Combining,
}

/// How the partial values that workgroups leave become one. In each way they are combined in the
/// same order on every run. [`with_tuning`](crate::GpuReducer::with_tuning) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum Combining {
    /// By further passes.
    Passes,
    /// By the workgroup that is the last to have finished its own share. One pass, unless there are too
    /// many partials or the result is written into the input's buffer; then further passes.
    LastToArrive,
    /// By the workgroup with the highest number, which waits for the others. As before, and faster by
    /// a fraction of a microsecond; only where [`Caps::waits_for_others`] says that waiting is safe.
    Highest,
}

impl Combining {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Passes, Self::LastToArrive, Self::Highest];
}

impl Tuning {
    /// The default for so many elements of a type on a device: a function of the length, the element,
    /// the device's limits and its class, and of nothing else.
    ///
    /// On a GPU inputs up to 128 KiB of floats and 64 KiB of integers are left to one workgroup, since a second one would
    /// have to be waited for. Up to 32 MiB there are up to 256 workgroups, as many as each of their invocations has one partial
    /// of to fold: there the start of workgroups and the way from one to another are what takes time; integers,
    /// whose 64-bit sums need more code, have steps of their own. Beyond, 264 large workgroups with more loads in
    /// flight keep a large GPU loading. A CPU pays for every workgroup and gets up to 16 of 64 invocations. The numbers
    /// come from measurements on an NVIDIA H200, which has 132 processors, and were tried on no other GPU;
    /// `wgpu-reduce tune` tells where others would be better.
    #[must_use]
    pub fn for_len(caps: &Caps, element: ElementKind, len: u64) -> Self {
        let bytes = len.saturating_mul(element.size_bytes());
        let is_float = element.number() == Number::F32;
        let combining =
            if caps.waits_for_others { Combining::Highest } else { Combining::LastToArrive };
        Self::of(caps, geometry::whole(caps.class, bytes, is_float), combining)
    }

    /// By measured numbers, on what workgroups the device has.
    pub(crate) fn of(caps: &Caps, shape: geometry::Shape, combining: Combining) -> Self {
        let [size, count, loads_in_flight, min_quads_per_invocation] = shape;
        let [workgroup_size, max_workgroups] = geometry::allowed(caps, size, count);
        Self {
            workgroup_size,
            max_workgroups,
            loads_in_flight,
            min_quads_per_invocation,
            max_partials_per_workgroup: geometry::PARTIALS_PER_WORKGROUP,
            combining,
        }
    }

    /// As [`for_len`](Self::for_len), for an operation. Operations that keep more than a number of what they have seen need
    /// more registers. On a GPU long inputs of them get other workgroups and loads.
    ///
    /// ```
    /// use wgpu_reduce::{Caps, ElementKind, Operation, Sum, Tuning, Variance};
    ///
    /// let caps = Caps::baseline();
    /// let of = |record| Tuning::for_operation(&caps, record, ElementKind::F32, 1 << 28);
    /// let sum = of(Operation::<f32>::record(&Sum));
    /// assert_eq!(sum, Tuning::for_len(&caps, ElementKind::F32, 1 << 28));
    /// assert_ne!(of(Operation::<f32>::record(&Variance { ddof: 0 })), sum);
    /// ```
    #[must_use]
    pub fn for_operation(
        caps: &Caps,
        operation: &OpRecord,
        element: ElementKind,
        len: u64,
    ) -> Self {
        let tuning = Self::for_len(caps, element, len);
        let bytes = len.saturating_mul(element.size_bytes());
        let Ok(over) = operation.over(element) else { return tuning };
        match geometry::long(caps.class, bytes, over.accumulator) {
            Some([size, count, loads]) => {
                Self::of(caps, [size, count, loads, loads.max(4)], tuning.combining)
            }
            None => tuning,
        }
    }

    /// Makes workgroups so small that their accumulators fit into their memory, and as many
    /// more of them.
    pub(crate) fn fitted(mut self, caps: &Caps, accumulator_bytes: u64) -> Self {
        let room = u64::from(caps.workgroup_storage_bytes).saturating_sub(OTHER_WORKGROUP_BYTES);
        while self.workgroup_size > 1 && u64::from(self.workgroup_size) * accumulator_bytes > room {
            self.workgroup_size /= 2;
            let most = MAX_WORKGROUPS.max(self.max_workgroups);
            self.max_workgroups = self.max_workgroups.saturating_mul(2).min(most);
        }
        self
    }

    /// Quads of a workgroup's least share: a whole tile.
    pub(crate) fn share_quads(&self) -> u64 {
        let quads = self.min_quads_per_invocation.max(self.loads_in_flight);
        u64::from(self.workgroup_size) * u64::from(quads)
    }

    /// Quads that the invocations of a workgroup load at once.
    pub(crate) fn tile_quads(&self) -> u64 {
        u64::from(self.workgroup_size) * u64::from(self.loads_in_flight)
    }

    /// Checks that a device with `caps` can run this with accumulators of `accumulator_bytes`.
    pub(crate) fn validate(&self, caps: &Caps, accumulator_bytes: u64) -> Result<()> {
        let size = self.workgroup_size;
        check_workgroup_size(size, caps.workgroup_size())?;
        if u64::from(size) * accumulator_bytes > u64::from(caps.workgroup_storage_bytes) {
            let what = format!("workgroup size {size} needs more workgroup memory than there is");
            return Err(invalid_tuning(what));
        }
        if self.max_workgroups == 0 || self.max_partials_per_workgroup < 2 {
            let what = "at least 1 workgroup and 2 partials per workgroup are needed";
            return Err(invalid_tuning(what));
        }
        check_between(self.min_quads_per_invocation, "quads per invocation", 1..=MAX_QUADS)?;
        check_between(self.loads_in_flight, "loads in flight", 1..=MAX_LOADS_IN_FLIGHT)?;
        if self.combining == Combining::Highest && !caps.waits_for_others {
            return Err(invalid_tuning("on this device no workgroup may wait for others"));
        }
        check_between(self.max_workgroups, "workgroups", 1..=MAX_WORKGROUPS)
    }
}

/// As `256 × 528, 4 loads, 8 quads, last to arrive`: the size of workgroups, how many there are at
/// most, and when there is another one. How partials are folded in several passes is left out.
impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workgroup_size, max_workgroups, loads_in_flight, .. } = self;
        let combining = match self.combining {
            Combining::Passes => "passes",
            Combining::LastToArrive => "last to arrive",
            Combining::Highest => "highest",
        };
        write!(f, "{workgroup_size} × {max_workgroups}, {loads_in_flight} loads, ")?;
        write!(f, "{} quads, {combining}", self.min_quads_per_invocation)
    }
}

/// What sinks have in workgroup memory beside accumulators, rounded up.
const OTHER_WORKGROUP_BYTES: u64 = 16;

/// Keeps every product of a workgroup count and a workgroup size far inside 32 bits.
const MAX_WORKGROUPS: u32 = 1 << 20;

/// Beyond, they do not fit the registers: `MOST_LOADS` of `shaders/kernels/elements.wgsl`.
const MAX_LOADS_IN_FLIGHT: u32 = 16;

/// Far beyond what keeps a GPU busy.
const MAX_QUADS: u32 = 1 << 10;

#[cfg(test)]
mod tests {
    use super::MAX_LOADS_IN_FLIGHT;
    use crate::shader::fragment::fragment;

    #[test]
    fn kernels_have_room_for_as_many_loads_as_tunings_may_ask_for() {
        let room = format!("const MOST_LOADS: u32 = {MAX_LOADS_IN_FLIGHT}u;");
        assert!(fragment!("kernels/elements.wgsl").text.contains(&room), "{room}");
    }
}
