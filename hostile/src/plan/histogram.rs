//! Histograms, of counts and of weights.

use super::Made;
use super::caps::caps;
use super::parts::{offset, partner, parts};
use super::text::check_text;
use super::tuning::workgroup_size;
use crate::take::Bytes;
use wgpu_reduce::planners::{Dispatch, Shape, constant};
use wgpu_reduce::{Bins, Caps, ElementKind, HistogramTuning, Plan, Problem, WeightKind, followed};

/// A histogram of counts.
pub(super) fn counted(bytes: &mut Bytes<'_>) -> Option<Made> {
    let (caps, element, bins) = first(bytes)?;
    let input = parts(bytes, element.size_bytes());
    let (channels, output_offset_bytes, tuning) = rest(bytes, &caps);
    let len = input.iter().fold(0_u64, |sum, part| sum.saturating_add(part.len));
    let problem = Problem::in_bins(element, Shape::Bins(&bins, channels))
        .parts(vec![input])
        .left(Some([output_offset_bytes, 0, 0]), false)
        .tuned(tuning);
    let plan = problem.plan(&caps).ok()?;
    let counts = slots(&bins, channels);
    assert_eq!(plan.results, counts);
    assert_eq!((plan.len, plan.input_bytes()), (len, len * element.size_bytes()));
    // Bytes are counted by value before they are in bins.
    let slots = if element.size_bytes() == 1 { 256 * u64::from(channels) } else { counts };
    let of_workgroup = 4 * u64::from(constant(&plan.passes()[0], "COPIES").unwrap_or(0)) * slots;
    assert!(of_workgroup <= caps.workgroup_storage_bytes.into(), "{of_workgroup} bytes");
    check(&plan, 6, &tuning, &caps);
    followed::counted(&problem, &plan, &caps);
    Some((plan, caps))
}

/// A histogram of weights.
pub(super) fn weighted(bytes: &mut Bytes<'_>) -> Option<Made> {
    let (caps, element, bins) = first(bytes)?;
    let input = parts(bytes, element.size_bytes());
    let weight = bytes.pick(&[WeightKind::F32, WeightKind::U32, WeightKind::F64]);
    let weight_bytes = if weight == WeightKind::F64 { 8 } else { 4 };
    let weights = partner(bytes, &input, weight_bytes);
    let (channels, output_offset_bytes, tuning) = rest(bytes, &caps);
    let problem = Problem::in_bins(element, Shape::Weights(&bins, channels, weight, &weights))
        .parts(vec![input])
        .left(Some([output_offset_bytes, 0, 0]), false)
        .tuned(tuning);
    let plan = problem.plan(&caps).ok()?;
    let sums = slots(&bins, channels);
    assert_eq!(plan.results, sums);
    assert_eq!(plan.input_bytes(), plan.len * (element.size_bytes() + weight_bytes));
    check(&plan, 3, &tuning, &caps);
    followed::weighted(&problem, &plan, &caps);
    Some((plan, caps))
}

/// What a request of either begins with.
fn first(bytes: &mut Bytes<'_>) -> Option<(Caps, ElementKind, Bins)> {
    let caps = caps(bytes);
    let element = bytes.pick(&ElementKind::ALL);
    Some((caps, element, bins(bytes)?))
}

/// What it ends with: channels, where the result goes, and the tuning.
fn rest(bytes: &mut Bytes<'_>, caps: &Caps) -> (u32, u64, HistogramTuning) {
    (channels(bytes), offset(bytes, 8), tuning(bytes, caps))
}

/// Places for all channels, with three each outside of the bins.
fn slots(bins: &Bins, channels: u32) -> u64 {
    u64::from(bins.count() + 3) * u64::from(channels)
}

/// Mostly few, even or uneven.
fn bins(bytes: &mut Bytes<'_>) -> Option<Bins> {
    let edge = |bytes: &mut Bytes<'_>| match bytes.byte() % 4 {
        0 => f64::from_bits(bytes.long()),
        1 => f64::from(f32::from_bits(bytes.word())),
        _ => f64::from(bytes.byte()),
    };
    if bytes.byte().is_multiple_of(4) {
        let mut edges: Vec<_> = (0..bytes.byte() % 40).map(|_| edge(bytes)).collect();
        edges.sort_by(f64::total_cmp);
        return Bins::edges(&edges).ok();
    }
    let (low, high) = (edge(bytes), edge(bytes));
    let count = bytes.small_limit(&[1, 2, 10, 256, 1000, 5000]);
    Bins::even(low.min(high)..low.max(high), count).ok()
}

fn channels(bytes: &mut Bytes<'_>) -> u32 {
    bytes.small_limit(&[1, 1, 1, 2, 3, 4, 16])
}

pub(super) fn tuning(bytes: &mut Bytes<'_>, caps: &Caps) -> HistogramTuning {
    if bytes.byte().is_multiple_of(2) {
        return HistogramTuning::for_caps(caps);
    }
    HistogramTuning {
        workgroup_size: workgroup_size(bytes),
        max_workgroups: bytes.small_limit(&[1, 5, 264, 1 << 16]),
        loads_in_flight: bytes.small_limit(&[1, 4]),
        copies: bytes.small_limit(&[0, 1, 8, 32, 1 << 31]),
    }
}

/// There are workgroups for each window, no more than may be, as a parameter says, and a window if there are elements.
fn check(plan: &Plan, parameter: usize, tuning: &HistogramTuning, caps: &Caps) {
    let (_, gathering) = plan.passes().split_last().expect("there is a last pass");
    let dispatches: Vec<_> =
        gathering.iter().flat_map(|pass| Dispatch::all(pass, parameter)).collect();
    assert_eq!(dispatches.is_empty(), plan.len == 0);
    let side = u64::from(caps.max_workgroups_per_dimension);
    for Dispatch { workgroups, .. } in &dispatches {
        assert!((1..=tuning.max_workgroups).contains(workgroups));
        assert!(u64::from(*workgroups) <= side * side);
    }
    check_text(plan, caps, dispatches.len());
}
