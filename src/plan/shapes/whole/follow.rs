//! Plans followed on the CPU: what an earlier pass tells another is what that one reads.

#![allow(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "it fails where something does not hold"
)]

use super::counted::window_len;
use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::cut::part::len_of;
use crate::plan::followed::assert_within;
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::{CountedParameters, Place, RecordedDispatch, binding, low_word};
use crate::plan::shapes::segments::follow::{assert_covers, bound};
use crate::shader::Shader;

/// Checks the plan of the first elements, as many as a number says that lies so many bytes into the buffer behind them. One pass
/// tells the next what that would be told of all elements, and all others are as without the number.
pub(crate) fn check_counted(
    problem: &Problem<'_>,
    count_offset_bytes: u64,
    caps: &Caps,
) -> Result<()> {
    let results = Some([problem.output_offset_bytes(), 0, 0]);
    let problem = Problem { tuning: None, ..problem.clone() }.left(results, false);
    let plan = problem.clone().shaped(Shape::Counted(count_offset_bytes)).plan(caps)?;
    assert_within(&plan.recording, caps);
    let len = len_of(problem.first());
    assert_eq!((plan.len, plan.results), (len, 1));
    if len == 0 {
        return Ok(());
    }
    let whole = problem.clone().shaped(Shape::Whole).plan(caps)?;
    let [telling, others @ ..] = plan.passes() else { panic!("{plan}") };
    assert_eq!((&telling.shader, others.len()), (&Shader::Counted, whole.passes().len()), "{plan}");
    assert_eq!(others[1..], whole.passes()[1..], "{plan}");
    let folds = others[0].dispatches.iter().zip(&whole.passes()[0].dispatches);
    assert_eq!(telling.dispatches.len(), folds.len(), "{plan}");
    let (mut before, mut end, own) = (0, 0, Place::Scratch(whole.scratch().len()));
    let per_quad = low_word(problem.element.per_quad());
    for (tells, (folds, alone)) in telling.dispatches.iter().zip(folds) {
        assert_eq!(tells.grid, [1, 1, 1]);
        let told: CountedParameters = tells.told();
        assert_eq!((told.per_quad, u64::from(told.before)), (per_quad, before.min(0xffff_ffff)));
        let words = told.told.as_flattened();
        assert_eq!(words[..alone.parameters.len()], alone.parameters);
        before += window_len(words, per_quad);
        let count = bound(tells, binding::SOURCE);
        assert_eq!(count.place, Place::Input(problem.first().len()));
        assert_covers(count, told.first_count, count_offset_bytes, [1, 4]);
        // What one tells does not lie where another does, and is what the next pass is told.
        let [left, read] = [bound(tells, binding::TARGET), bound(folds, binding::PARAMETERS)];
        assert_eq!((left.place, read.place, &left.bytes), (own, own, &read.bytes));
        let bytes = left.bytes.clone().unwrap_or_default();
        assert!(bytes.start >= end && bytes.end - bytes.start == 64, "{plan}");
        end = bytes.end;
        let RecordedDispatch { bindings, .. } = folds;
        assert_eq!(bindings[..bindings.len() - 1], alone.bindings, "{plan}");
    }
    assert_eq!(before, len, "{plan}");
    Ok(())
}
