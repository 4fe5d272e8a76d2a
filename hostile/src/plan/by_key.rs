//! Runs of equal keys.

use super::Made;
use super::caps::caps;
use super::parts::{offset, parts};
use super::segments::tuning;
use super::text::{check_bounds, check_text};
use crate::take::Bytes;
use wgpu_reduce::planners::{KeyPart, Shape};
use wgpu_reduce::{ElementKind, OpRecord, Part, Problem, followed};

/// A reduction by key.
pub(super) fn by_key(bytes: &mut Bytes<'_>) -> Option<Made> {
    let caps = caps(bytes);
    let (operation, element) = (bytes.pick(&OpRecord::ALL), bytes.pick(&ElementKind::ALL));
    let values = parts(bytes, element.size_bytes());
    let total = values.iter().fold(0_u64, |sum, part| sum.saturating_add(part.len));
    let kind = bytes.byte();
    let len = if kind % 32 == 31 { bytes.scaled() } else { total };
    let keys = KeyPart {
        place: Part { offset_bytes: offset(bytes, 4), len },
        bytes: if kind & 128 == 0 { 4 } else { bytes.small_limit(&[8, 8, 8, 2, 16]).into() },
        are_floats: kind & 32 != 0,
    };
    let outputs = (kind & 64 != 0).then(|| [offset(bytes, 64), offset(bytes, 4), offset(bytes, 4)]);
    let problem = Problem::by(operation, element, 0)
        .parts(vec![values])
        .shaped(Shape::Runs(keys))
        .left(outputs, false)
        .tuned(tuning(bytes, &caps, element));
    let plan = problem.plan(&caps).ok()?;
    assert_eq!(plan.len, total, "{plan}");
    assert!(!plan.passes().is_empty(), "{plan}");
    for len in [bytes.scaled(), u64::MAX] {
        check_bounds(&plan.accuracy_of(len));
    }
    check_text(&plan, &caps, 0);
    followed::by_key(&problem, &plan, &caps);
    Some((plan, caps))
}
