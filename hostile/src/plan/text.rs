//! What plans say of themselves, where their fields do not.

use std::fmt::Display;
use wgpu_reduce::planners::WholePlan;
use wgpu_reduce::{Accuracy, Caps};

/// More lines than that take longer to write than to plan.
const MOST_LINES: usize = 200;

/// Grids in a plan's text are not empty, and the device has them: wherever it says `2 x 3 workgroups`. Texts of about
/// so many lines are left alone where they are too long.
pub(super) fn check_text(plan: &impl Display, caps: &Caps, lines: usize) {
    if lines > MOST_LINES {
        return;
    }
    let text = plan.to_string();
    let words: Vec<_> = text.split_whitespace().collect();
    for window in words.windows(4) {
        let &[x, "x", y, what] = window else { continue };
        if !what.starts_with("workgroups") {
            continue;
        }
        for side in [x, y] {
            let side: u32 = side.parse().expect("a number of workgroups");
            assert!((1..=caps.max_workgroups_per_dimension).contains(&side), "{text}");
        }
    }
}

/// What bounds are made of, of one row, segment or run, of any length.
pub(super) fn check_bounds(accuracy: &Accuracy) {
    assert!(accuracy.error_bound(1.0) >= 0.0, "{accuracy:?}");
}

/// What a plan says it reads is what there is, as far as 64 bits have room for it.
pub(super) fn check_input_bytes(plan: &WholePlan) {
    let of_each = plan.inputs as u128 * u128::from(plan.element.size_bytes());
    let bytes = u128::from(plan.len) * of_each;
    assert_eq!(u128::from(plan.input_bytes()), bytes.min(u64::MAX.into()), "{plan}");
}
