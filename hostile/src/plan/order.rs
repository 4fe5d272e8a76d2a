//! Order statistics.

use super::Made;
use super::axis::planned_along;
use super::caps::caps;
use super::histogram::tuning;
use super::parts::{offset, parts};
use super::text::check_text;
use super::tuning::workgroup_size;
use crate::take::Bytes;
use wgpu_reduce::planners::constant;
use wgpu_reduce::{
    ArgNth, AxisTuning, BottomK, Caps, ElementKind, Median, NanQuantiles, Nth, Part, Plan, Problem,
    QuantileMethod, Quantiles, TopK, View, followed,
};

/// Medians, or elements of a rank, along an axis of a view.
pub(super) fn rows(bytes: &mut Bytes<'_>) -> Option<Made> {
    let (caps, element) = (caps(bytes), bytes.pick(&ElementKind::ALL));
    let shape = [0; 3].map(|_| u64::from(bytes.byte() % 20));
    let strides = [0; 3].map(|_| i64::from(bytes.byte()) - 40);
    let kind = bytes.byte();
    let view = if kind.is_multiple_of(2) {
        View::new(&shape)
    } else {
        View::strided(&shape, &strides, bytes.byte().into())
    };
    let view = view.ok()?;
    let input = if kind < 192 {
        let offset_bytes = offset(bytes, element.size_bytes());
        vec![Part { offset_bytes, len: 1 << 20 }]
    } else {
        parts(bytes, element.size_bytes())
    };
    let byte = bytes.byte();
    let nth = Nth { rank: u64::from(bytes.byte() % 16) };
    let (top, located) = (TopK { k: nth.rank }, ArgNth { rank: nth.rank });
    let shares: Vec<_> = (0..bytes.byte() % 8).map(|number| f64::from(number) / 8.0).collect();
    let (quantiles, of_numbers) = (Quantiles::new(shares.clone()), NanQuantiles::new(shares));
    let problem = match bytes.byte() {
        0..48 => Problem::new::<f32, _>(&nth, element, 0),
        48..72 => Problem::new::<f32, _>(&located, element, 0),
        72..96 => Problem::new::<f32, _>(&top, element, 0),
        96..128 => Problem::new::<f32, _>(&Median, element, 0),
        128..176 => Problem::new::<f32, _>(&of_numbers, element, 0),
        _ => Problem::new::<f32, _>(&quantiles, element, 0),
    };
    let tuning = AxisTuning {
        workgroup_size: workgroup_size(bytes),
        max_workgroups: bytes.small_limit(&[1, 64, 8448]),
        ..AxisTuning::for_caps(&caps)
    };
    let problem = problem.parts(vec![input]).tuned(tuning);
    // Several axes are planned beside the one.
    let several: Vec<_> = (0..4).filter(|axis| byte >> (4 + axis) & 1 == 1).collect();
    let _checked = planned(&problem, view, &several, &caps);
    planned(&problem, view, &[usize::from(byte % 4)], &caps).map(|plan| (plan, caps))
}

fn planned(problem: &Problem<'_>, view: View, axes: &[usize], caps: &Caps) -> Option<Plan> {
    let (problem, plan) = planned_along(problem, (view, axes), caps)?;
    followed::ranks_of_rows(&problem, &plan, caps);
    Some(plan)
}

/// Elements by their rank, one or many.
pub(super) fn ranks(bytes: &mut Bytes<'_>) -> Option<Made> {
    let (caps, element) = (caps(bytes), bytes.pick(&ElementKind::ALL));
    let input = parts(bytes, element.size_bytes());
    let len = input.iter().fold(0_u64, |sum, part| sum.saturating_add(part.len));
    let (tuning, output) = (tuning(bytes, &caps), offset(bytes, 8));
    let shares = match bytes.byte() % 4 {
        0 => Vec::new(),
        1 => (0..bytes.byte()).map(|number| f64::from(number) / 255.0).collect(),
        2 => vec![f64::from_bits(bytes.long())],
        _ => vec![0.5, f64::from(bytes.byte()) / 255.0],
    };
    let method = bytes.pick(&QuantileMethod::ALL);
    let quantiles = Quantiles::new(shares.clone()).method(method);
    let of_numbers = NanQuantiles::new(shares).method(method);
    let (rank, kind) = (bytes.scaled(), bytes.byte());
    let nth = Nth { rank: if kind.is_multiple_of(8) { rank } else { rank % len.max(1) } };
    let (k, rank) = (nth.rank.saturating_add(1), nth.rank);
    let (top, bottom, located) = (TopK { k }, BottomK { k }, ArgNth { rank });
    let problem = match kind {
        0..96 => Problem::new::<f32, _>(&nth, element, 0),
        96..152 => Problem::new::<f32, _>(&quantiles, element, 0),
        152..192 => Problem::new::<f32, _>(&of_numbers, element, 0),
        192..212 => Problem::new::<f32, _>(&top, element, 0),
        212..232 => Problem::new::<f32, _>(&bottom, element, 0),
        _ => Problem::new::<f32, _>(&located, element, 0),
    };
    let problem = problem.parts(vec![input]).left(Some([output, 0, 0]), false).tuned(tuning);
    let plan = problem.plan(&caps).ok()?;
    assert_eq!((plan.len, plan.input_bytes()), (len, len.saturating_mul(element.size_bytes())));
    assert!((1..=len).contains(&plan.results), "{plan}");
    for pass in plan.passes() {
        let counters = u64::from(constant(pass, "COUNTERS").unwrap_or(0));
        let ranks = u64::from(constant(pass, "RANKS").unwrap_or(0));
        let edges = u64::from(constant(pass, "EDGES").unwrap_or(0));
        let of_workgroup = 4 * counters + (ranks + edges) * element.size_bytes().max(4);
        assert!(of_workgroup <= caps.workgroup_storage_bytes.into(), "{of_workgroup} bytes");
    }
    let scratch: u64 = plan.scratch().iter().map(|scratch| scratch.bytes).sum();
    let most = (1 << 20) + plan.input_bytes() / 8;
    assert!(scratch <= most, "{scratch} bytes of {plan}");
    check_text(&plan, &caps, 2);
    followed::ranks(&problem, &plan, &caps);
    Some((plan, caps))
}
