//! Groups of equal keys.

use super::Made;
use super::caps::caps;
use super::histogram::tuning;
use super::parts::{offset, partner, parts};
use super::text::check_text;
use crate::take::Bytes;
use wgpu_reduce::planners::{Grouped, Shape};
use wgpu_reduce::{ElementKind, OpRecord, Problem, followed};

/// A reduction of groups by any operation.
pub(super) fn groups(bytes: &mut Bytes<'_>) -> Option<Made> {
    let caps = caps(bytes);
    let (operation, element) = (bytes.pick(&OpRecord::ALL), bytes.pick(&ElementKind::ALL));
    let input = parts(bytes, element.size_bytes());
    let key_bytes = bytes.pick(&[1, 2, 4, 8]);
    let keys = partner(bytes, &input, key_bytes);
    let groups = bytes.small_limit(&[0, 1, 10, 1000, 1 << 20, 1 << 24]);
    let grouped = Grouped::new(&keys, key_bytes, groups);
    let outputs = bytes.byte().is_multiple_of(2).then(|| [offset(bytes, 16), 0, 0]);
    let mut problem = Problem::by(operation, element, 0)
        .parts(vec![input])
        .shaped(Shape::Groups(grouped))
        .left(outputs, false);
    if bytes.byte().is_multiple_of(2) {
        problem = problem.tuned(tuning(bytes, &caps));
    }
    let plan = problem.plan(&caps).ok()?;
    assert_eq!(plan.results, u64::from(groups));
    assert_eq!(plan.input_bytes(), plan.len * (element.size_bytes() + key_bytes));
    check_text(&plan, &caps, plan.passes().iter().map(|pass| pass.grids().len()).sum());
    followed::grouped(&problem, &plan, &caps);
    Some((plan, caps))
}
