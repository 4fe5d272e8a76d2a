//! Reductions by several operations at once.

use super::{axis, reductions, segments};
use crate::shader::Shader;
use wgpu_reduce::OpRecord;
use wgpu_reduce::planners::{AxisShader, SegmentsShader, Variant, several};

/// Lists in which each way to lift, and most accumulators, are beside others.
const LISTS: [&[&str]; 8] = [
    &["sum", "max", "argmin"],
    &["argmax", "argmin", "mean"],
    &["variance", "count_nonzero"],
    &["stats", "any", "norm_max"],
    &["nan_sum", "nan_argmin", "count_nan"],
    &["nan_mean", "nan_std", "min"],
    &["norm_l2", "norm_l1", "sum_of_squares"],
    &["product", "log_sum_exp", "min_max"],
];

/// Of each list every so many-th form: what is in them are files whose own forms are all there.
const STEP: usize = 9;

pub(super) fn all() -> Vec<Shader> {
    let named = |name: &&str| OpRecord::ALL.into_iter().find(|record| record.name() == *name);
    let records =
        LISTS.iter().map(|list| several(&list.iter().filter_map(named).collect::<Vec<_>>()));
    let of_list = |(number, record): (usize, &'static OpRecord)| {
        let sizes = reductions::WORKGROUP_SIZES.into_iter().cycle();
        let whole =
            Variant::of(record).zip(sizes).map(|(shader, size)| reductions::of(shader, size));
        let along = AxisShader::of(record).enumerate().map(|(turn, shader)| axis::of(shader, turn));
        let segments = SegmentsShader::of(record).map(|shader| segments::of(&shader));
        let all = whole.chain(along).chain(segments);
        all.skip(number % STEP).step_by(STEP).collect::<Vec<_>>()
    };
    let all: Vec<_> = records.enumerate().flat_map(of_list).collect();
    assert!(all.len() > 200, "{} shaders of several operations", all.len());
    all
}
