//! What pipelines of whole inputs are told.

use crate::op::accumulator::Accumulator;
use crate::plan::caps::Caps;
use crate::plan::geometry;
use crate::plan::recording::Constants;
use crate::plan::tuning::{Combining, Tuning};
use crate::shader::variant::{Collective, Kernel, Sink, Variant};

/// The constants of a variant, whose indices may need more than a word if it is far.
pub(crate) fn constants(tuning: &Tuning, caps: &Caps, variant: Variant, is_far: bool) -> Constants {
    let mut constants = vec![("WORKGROUP_SIZE", tuning.workgroup_size)];
    if variant.kernel.has_windows() {
        constants.push(("LOADS_IN_FLIGHT", tuning.loads_in_flight));
    }
    let accumulator = variant.over.accumulator;
    if variant.kernel == Kernel::Elements {
        let has_time = geometry::has_whole_tiles(caps.class);
        let compares_floats =
            accumulator == Accumulator::Word && variant.element.number().is_float();
        let is_long = accumulator.words() > 1 || compares_floats;
        constants.push(("WHOLE_TILES", u32::from(has_time && is_long)));
        constants.push(("REFILLS", u32::from(accumulator.refills())));
    }
    constants.extend(variant.collective.constants(caps));
    if variant.collective == Collective::Subgroup && accumulator.folds_near() {
        constants.push(("FAR", u32::from(is_far)));
    }
    if variant.sink == Sink::Last {
        let highest = tuning.combining == Combining::Highest;
        constants.push(("HIGHEST_FOLDS", u32::from(highest)));
    }
    constants
}
