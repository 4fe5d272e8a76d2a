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
        for count in tried_counts(before, window_len(words, per_quad)) {
            check_cut(&told, count, before);
        }
        before += window_len(words, per_quad);
        let count = bound(tells, binding::SOURCE);
        assert_eq!(count.place, Place::Input(problem.first().len()));
        assert_covers(count, told.first_count, count_offset_bytes, [1, 4]);
        // What one tells does not lie where another does, and is what the next pass is told.
        let [left, read] = [bound(tells, binding::TARGET), bound(folds, binding::PARAMETERS)];
        assert_eq!((left.place, read.place, &left.bytes), (own, own, &read.bytes));
        let bytes = left.bytes.clone().unwrap_or_default();
        assert!(bytes.start >= end && bytes.end - bytes.start == 64, "{plan}");
        assert!(bytes.start.is_multiple_of(caps.uniform_alignment_bytes.max(1)), "{plan}");
        end = bytes.end;
        let RecordedDispatch { bindings, parameters, .. } = folds;
        assert!(parameters.is_empty(), "{plan}");
        assert_eq!(bindings[..bindings.len() - 1], alone.bindings, "{plan}");
    }
    assert_eq!(before, len, "{plan}");
    Ok(())
}

/// None, some around the beginning and the end of a window, and all that there can be.
fn tried_counts(before: u64, len: u64) -> impl Iterator<Item = u32> {
    let around = |at: u64| at.saturating_sub(3)..at.saturating_add(20);
    let counts = around(before).chain(around(before + len / 2)).chain(around(before + len));
    counts.chain([0]).filter_map(|count| u32::try_from(count).ok()).chain([u32::MAX])
}

/// What `kernels/counted.wgsl` makes of a window has the first of its elements, as many as are among the first `count`.
fn check_cut(told: &CountedParameters, count: u32, before: u64) {
    let CountedParameters { told: [first, second, ..], before: word, per_quad, .. } = *told;
    let [head_first, head_count, body_first, body_end] = first;
    let [tail_first, tail_count, ..] = second;
    let left = count.max(word) - word;
    let head = head_count.min(left);
    let quads = (body_end - body_first).min((left - head) / per_quad);
    let rest = left - head - quads * per_quad;
    let is_cut = body_first + quads < body_end;
    let (tail, count_of_tail) = if is_cut {
        ((body_first + quads) * per_quad, rest)
    } else {
        (tail_first, tail_count.min(rest))
    };
    let len = window_len(told.told.as_flattened(), per_quad);
    let expected = u64::from(count).saturating_sub(before).min(len);
    let cut = [head, quads * per_quad, count_of_tail].map(u64::from);
    assert_eq!(cut.iter().sum::<u64>(), expected, "{told:?} cut to {count}");
    // Each part begins where the one before it ends.
    assert!(quads == 0 || head == head_count, "{told:?} cut to {count}");
    let body_elements = (body_first + quads) * per_quad;
    assert!(count_of_tail == 0 || body_end == body_first || tail == body_elements, "{told:?}");
    assert!(head_first.checked_add(head).is_some() && count_of_tail < per_quad.max(tail_count + 1));
}
