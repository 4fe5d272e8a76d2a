//! The numbers that make a plan fast, apart from what makes it right.

use crate::caps::{AdapterClass, Caps};
use crate::error::{Error, Result};

/// How a reduction is spread over the device. Any valid tuning gives a right answer; for `f32` sums
/// the order of additions, and so the last bits, depend on it.
///
/// ```
/// use wgpu_reduce::{Caps, Tuning};
///
/// let tuning = Tuning::for_caps(&Caps::baseline());
/// assert!(tuning.workgroup_size.is_power_of_two());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// The default for a device: enough workgroups to keep a large GPU loading (8 of 256 invocations
    /// on each of 132 processors), each with enough to do that its start and end do not matter; few
    /// for a CPU, which pays for each.
    #[must_use]
    pub fn for_caps(caps: &Caps) -> Self {
        let (workgroup_size, max_workgroups, min_quads_per_invocation) = match caps.class {
            AdapterClass::Gpu => (256, 1056, 8),
            AdapterClass::Cpu => (64, 64, 4),
        };
        Self {
            workgroup_size: largest_power_of_two(workgroup_size.min(caps.max_workgroup_size)),
            max_workgroups,
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

/// Keeps every product of a workgroup count and a workgroup size far inside 32 bits.
const MAX_WORKGROUPS: u32 = 1 << 20;

/// Far beyond what keeps a GPU busy.
const MAX_QUADS: u32 = 1 << 10;

fn largest_power_of_two(at_most: u32) -> u32 {
    at_most.checked_ilog2().map_or(1, |log| 1 << log)
}
