//! Along axes of what a mask leaves: beside the results, of how many elements each is.

use crate::error::{Error, Result};
use crate::op::element::ElementKind;
use crate::op::fold::{Finish, LensPlace, Many, ManyLeft};
use crate::op::operations::CountNonZero;
use crate::plan::caps::Caps;
use crate::plan::cut::window::QUAD_BYTES;
use crate::plan::folding::Folding;
use crate::plan::limits::check_dispatches;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::{Problem, Shape};
use crate::plan::shapes::axis::axes::AxisSet;
use crate::plan::shapes::axis::build::lower;
use crate::plan::shapes::axis::view::View;
use crate::plan::shapes::whole::masked::COUNT_BYTES;

/// Plans the passes of a problem with a mask along axes of a view. Where the host asks, as many passes more count what the
/// mask leaves of each result.
pub(crate) fn lower_masked(
    problem: &Problem<'_>,
    (view, axes): (View, AxisSet),
    caps: &Caps,
) -> Result<Plan> {
    let mut plan = lower(problem, (view, axes), caps)?;
    let takes_none = Folding::of(problem.fold, problem.element)?.takes_none();
    if takes_none || problem.ends.output_offsets_bytes.is_some() {
        plan.outputs = Outputs::MaskedAxis { counts: None };
        return Ok(plan);
    }
    let alignment = caps.storage_alignment_bytes.max(QUAD_BYTES);
    let first = plan.results.saturating_mul(plan.result_bytes).next_multiple_of(alignment);
    let counted = counting(problem, (view, axes), first).plan(caps)?;
    debug_assert_eq!(counted.result_bytes, COUNT_BYTES);
    plan.recording.append(counted.recording, problem.first().len());
    let passes = plan.recording.passes.iter();
    check_dispatches(passes.map(|pass| pass.dispatches.len()).sum())?;
    plan.outputs = Outputs::MaskedAxis { counts: Some(first) };
    Ok(plan)
}

/// The problem of how many elements the mask leaves, with results from a byte on.
pub(crate) fn counting<'a>(
    problem: &Problem<'_>,
    (view, axes): (View, AxisSet),
    first: u64,
) -> Problem<'a> {
    let mask = problem.mask().unwrap_or_default();
    Problem::new::<u8, _>(&CountNonZero, ElementKind::U8, 0)
        .parts(vec![mask.to_vec()])
        .shaped(Shape::Axis(view, axes))
        .left(Some([first, 0, 0]), false)
}

/// Makes so many results along axes of what comes back, each of `len` elements, or of as many as stand from a byte on.
pub(crate) fn results_in<R>(
    bytes: &[u8],
    (of, results): (Many, usize),
    (len, counts): (u64, Option<u64>),
    finisher: &dyn Finish<R>,
) -> Result<Vec<R>> {
    let lens = lens_of(len, counts).lens_in(bytes);
    let left = ManyLeft { of, bytes, results, lens };
    finisher.finish_each(left).map_err(|(result, error)| of_result(result as u64, error))
}

/// Where the numbers of elements of results lie: all have `len`, or they stand from a byte on.
pub(crate) fn lens_of(len: u64, counts: Option<u64>) -> LensPlace {
    counts.map_or(LensPlace::Alike(len), LensPlace::Doubles)
}

/// An error of one result says of which.
pub(crate) fn of_result(result: u64, error: Error) -> Error {
    match error {
        Error::Empty { operation } => Error::EmptyResult { operation, result },
        error => error,
    }
}
