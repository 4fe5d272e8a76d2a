//! Whether a level's sum is right, and the library's own.

use super::workload::Term;
use crate::figures::Figures;
use wgpu_reduce::ladder::{LadderPass, LadderPlan, Level};
use wgpu_reduce::{Caps, Plan, SubgroupSizes};
use wgpu_reduce_known::agrees;

/// Whether `sum` is what `plan` may make of terms that sum to `expected`; none is negative.
pub(crate) fn is_right<T: Term>(sum: T, expected: f64, plan: &LadderPlan, caps: &Caps) -> bool {
    if T::ROUNDS {
        agrees(sum.widen(), expected, relative_bound(plan, caps) * expected)
    } else {
        sum.widen().total_cmp(&expected.rem_euclid(MODULUS)).is_eq()
    }
}

/// Whether `total` is what the library's own `plan` may make of terms that sum to `expected`; no float is
/// negative.
pub(crate) fn is_right_total(total: &Figures, expected: f64, plan: &Plan) -> bool {
    // Zero for integers.
    let bound = plan.accuracy().error_bound(expected).min(LARGEST_BOUND * expected.abs());
    agrees(total.first().to_f64(), expected, bound)
}

/// 2^32.
const MODULUS: f64 = 4_294_967_296.0;

/// Roundings go either way, so the sum of a long chain stays far below its bound: this far is wrong
/// whatever the bound.
const LARGEST_BOUND: f64 = 1e-3;

/// With n roundings on the way of any term and u = 2^-24 it is n·u / (1 − n·u) (Higham, *Accuracy
/// and Stability of Numerical Algorithms*, §4.2).
#[expect(clippy::cast_precision_loss, reason = "a bound; counts are far below 2^53")]
fn relative_bound(plan: &LadderPlan, caps: &Caps) -> f64 {
    let product = roundings(plan, caps) as f64 * f64::from(f32::EPSILON) / 2.0;
    if product < LARGEST_BOUND { product / (1.0 - product) } else { LARGEST_BOUND }
}

/// At most so many are on the way of any term to the result.
fn roundings(plan: &LadderPlan, caps: &Caps) -> u64 {
    let on_gpu: u64 = plan.passes.iter().map(|pass| roundings_of(pass, plan, caps)).sum();
    on_gpu + u64::from(plan.values_per_row)
}

fn roundings_of(pass: &LadderPass, plan: &LadderPlan, caps: &Caps) -> u64 {
    let level = plan.shader.level();
    let size = u64::from(plan.workgroup_size.max(1));
    let workgroups = (pass.workgroups / u64::from(plan.rows.max(1))).max(1);
    let invocations = workgroups.saturating_mul(size);
    // A load's lanes are summed apart and then together; head and tail come on top.
    let lanes = u64::from(plan.shader.load_width().elements());
    let share = pass.row_length.div_ceil(invocations) + 2 * lanes;
    let subgroups = caps.subgroups.unwrap_or(SubgroupSizes { min: 1, max: 1 });
    let subgroups_per_workgroup = size.div_ceil(u64::from(subgroups.min.max(1)));
    let tree = if level < Level::SubgroupAdd {
        2 * u64::from(size.ilog2())
    } else {
        // In which order a subgroup adds is up to the device.
        u64::from(subgroups.max) + subgroups_per_workgroup
    };
    let across_workgroups = match level {
        Level::WorkgroupAtomic => workgroups,
        Level::SubgroupAtomic => workgroups.saturating_mul(subgroups_per_workgroup),
        Level::LastWorkgroup => workgroups.div_ceil(size) + tree,
        _ => 0,
    };
    share + tree + across_workgroups
}

#[cfg(test)]
mod tests {
    use super::is_right_total;
    use wgpu_reduce::{Caps, ElementKind, OpRecord, Plan, Problem};

    fn plan(element: ElementKind) -> Plan {
        Problem::by(OpRecord::ALL[0], element, 1 << 20).plan(&Caps::baseline()).unwrap()
    }

    #[test]
    fn integers_must_be_equal() {
        for (total, right) in [(1_000, true), (1_001, false), (1_000 + (1 << 32), false)] {
            let plan = plan(ElementKind::U32);
            assert_eq!(is_right_total(&total.into(), 1e3, &plan), right, "{total}");
            let total = u64::cast_signed(total);
            assert_eq!(is_right_total(&total.into(), 1e3, &plan), right, "{total}");
        }
        assert!(!is_right_total(&(-1_000).into(), 1e3, &plan(ElementKind::I32)));
    }

    #[test]
    fn floats_may_differ_by_the_bound_and_no_more() {
        let plan = plan(ElementKind::F32);
        for (total, right) in [(524_288.0_f32, true), (524_288.06, true), (530_000.0, false)] {
            assert_eq!(is_right_total(&total.into(), 524_288.0, &plan), right, "{total}");
        }
        assert!(!is_right_total(&f32::NAN.into(), 524_288.0, &plan));
        assert!(!is_right_total(&f32::INFINITY.into(), 524_288.0, &plan));
        assert!(!is_right_total(&524_288.0_f32.into(), f64::INFINITY, &plan));
        assert!(!is_right_total(&524_288.0_f32.into(), f64::NAN, &plan));
    }
}
