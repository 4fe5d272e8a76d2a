//! The scan of a workgroup, which passes over segments and runs share.

use crate::plan::caps::Caps;
use crate::shader::variant::Collective;

/// Most roundings in any collective and scan of a workgroup: a tree, or two and the totals of subgroups one after
/// another.
pub(crate) fn depth_of_scan(caps: &Caps, size: u32) -> u64 {
    let steps = u64::from(size.max(1).next_power_of_two().ilog2());
    let subgroups = caps.subgroups.map_or(0, |sizes| size.div_ceil(sizes.min.max(1)));
    2 * steps + u64::from(subgroups) + 1
}

/// Subgroups number the invocations only where all have one size.
pub(crate) fn collective_of_scan(caps: &Caps, workgroup_size: u32) -> Collective {
    match caps.subgroups {
        Some(sizes) if sizes.min == sizes.max && workgroup_size >= sizes.max => {
            Collective::Subgroup
        }
        _ => Collective::Workgroup,
    }
}
