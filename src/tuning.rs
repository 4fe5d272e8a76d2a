//! The numbers that make a plan fast, apart from what makes it right.

use crate::caps::{AdapterClass, Caps};
use crate::element::ElementKind;
use crate::error::{Error, Result};
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
    /// Most workgroups that share one window of the input.
    pub max_workgroups: u32,
    /// Quads of 16 bytes that an invocation should get before there is another workgroup; from 1 on.
    pub min_quads_per_invocation: u32,
    /// Most partial values that one workgroup folds alone; more take another pass.
    pub max_partials_per_workgroup: u32,
    /// Whether the last workgroup to arrive folds the partials, where the device allows that, instead
    /// of another pass.
    pub one_pass: bool,
}

impl Tuning {
    /// The default for so many elements of a type on a device: a function of the length, the element,
    /// the device's limits and its class, and of nothing else.
    ///
    /// On a GPU small inputs are left to one workgroup, large enough for them, since a second one has
    /// to be waited for. Beyond, there are enough workgroups to keep a large GPU loading, each with
    /// enough to do that its start and end do not matter; the largest inputs get fewer and larger
    /// ones. A CPU pays for every workgroup and gets few. The numbers come from measurements on an
    /// NVIDIA H200, which has 132 processors.
    #[must_use]
    pub fn for_len(caps: &Caps, element: ElementKind, len: u64) -> Self {
        let bytes = len.saturating_mul(element.size_bytes());
        let (workgroup_size, max_workgroups, min_quads_per_invocation) = match (caps.class, bytes) {
            (AdapterClass::Cpu, _) => (64, 64, 4),
            (AdapterClass::Gpu, MEDIUM_BYTES..LARGE_BYTES) => (256, 1056, 8),
            (AdapterClass::Gpu, SMALL_BYTES..MEDIUM_BYTES) => (512, 528, 8),
            (AdapterClass::Gpu, 0..SMALL_BYTES) => (256, 1056, 8),
            (AdapterClass::Gpu, LARGE_BYTES..) => (1024, 264, 4),
        };
        let allowed = largest_power_of_two(caps.max_workgroup_size).min(workgroup_size);
        Self {
            workgroup_size: allowed,
            // As many invocations, if they must be in smaller workgroups.
            max_workgroups: max_workgroups * (workgroup_size / allowed),
            min_quads_per_invocation,
            max_partials_per_workgroup: 16_384,
            one_pass: true,
        }
    }

    /// Checks that a device with `caps` can run this with accumulators of `accumulator_bytes`.
    pub(crate) fn validate(&self, caps: &Caps, accumulator_bytes: u64) -> Result<()> {
        let invalid = |what: String| Err(Error::InvalidTuning { what });
        let size = self.workgroup_size;
        if !size.is_power_of_two() {
            return invalid(format!("workgroup size {size} is not a power of two"));
        }
        if size > caps.max_workgroup_size {
            let max = caps.max_workgroup_size;
            return invalid(format!("workgroup size {size} is more than the device's {max}"));
        }
        if u64::from(size) * accumulator_bytes > u64::from(caps.workgroup_storage_bytes) {
            return invalid(format!(
                "workgroup size {size} needs more workgroup memory than there is"
            ));
        }
        if self.max_workgroups == 0 || self.max_partials_per_workgroup < 2 {
            return invalid("at least 1 workgroup and 2 partials per workgroup are needed".into());
        }
        if !(1..=MAX_QUADS).contains(&self.min_quads_per_invocation) {
            return invalid(format!(
                "{} quads per invocation are not between 1 and {MAX_QUADS}",
                self.min_quads_per_invocation
            ));
        }
        if self.max_workgroups > MAX_WORKGROUPS {
            return invalid(format!("more than {MAX_WORKGROUPS} workgroups"));
        }
        Ok(())
    }
}

/// As `512 × 528, 8 quads, one pass`: the size of workgroups, how many there are at most, and when
/// there is another one. How partials are folded in several passes is left out.
impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workgroup_size, max_workgroups, min_quads_per_invocation, one_pass, .. } = self;
        let combining = if *one_pass { "one pass" } else { "passes" };
        write!(f, "{workgroup_size} × {max_workgroups}, {min_quads_per_invocation} quads")?;
        write!(f, ", {combining}")
    }
}

/// More than one workgroup of 256 is given alone, at 8 quads for each invocation.
const SMALL_BYTES: u64 = (1 << 15) + 1;

/// More than one of 512 is given alone.
const MEDIUM_BYTES: u64 = (1 << 16) + 1;

/// From here on fewer and larger workgroups are faster.
const LARGE_BYTES: u64 = 1 << 27;

/// Keeps every product of a workgroup count and a workgroup size far inside 32 bits.
const MAX_WORKGROUPS: u32 = 1 << 20;

/// Far beyond what keeps a GPU busy.
const MAX_QUADS: u32 = 1 << 10;

fn largest_power_of_two(at_most: u32) -> u32 {
    at_most.checked_ilog2().map_or(1, |log| 1 << log)
}
