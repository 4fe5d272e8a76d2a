//! What a level would run, and what is told of it.

use super::LadderShader;
use crate::plan::recording::Recording;
use std::fmt;

/// What a level would run: plain data.
///
/// Made by [`Ladder::plan`](crate::ladder::Ladder::plan):
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::ladder::{Ladder, Level, RunOptions};
///
/// let options = RunOptions { workgroup_size: Some(64), ..RunOptions::default() };
/// let buffer = reducer.alloc::<f32>(100_000)?;
/// let plan = Ladder::new(&reducer).plan(Level::FirstAdd, &options, &buffer, 1)?;
/// // Each workgroup leaves the sum of 128.
/// let lengths: Vec<_> = plan.passes.iter().map(|pass| pass.row_length).collect();
/// assert_eq!((lengths, plan.input_bytes()), (vec![100_000, 782, 7], 400_000));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LadderPlan {
    /// The shader.
    pub shader: LadderShader,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
    /// Rows that are summed.
    pub rows: u32,
    /// Elements in each.
    pub row_length: u64,
    /// In the order they run.
    pub passes: Vec<LadderPass>,
    /// Values that are left of each row; more than one only with [`Rounds::One`](super::Rounds::One).
    pub values_per_row: u32,
    pub(super) recording: Recording,
}

/// One pass of a level. [`LadderPlan`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LadderPass {
    /// Values of a row that it folds.
    pub row_length: u64,
    /// Values of a row that it leaves.
    pub values_per_row: u32,
    /// Dispatches, one for each binding that the input takes.
    pub dispatches: usize,
    /// Workgroups in all of them.
    pub workgroups: u64,
}

impl fmt::Display for LadderPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shader, rows, row_length, workgroup_size, .. } = self;
        writeln!(f, "{shader}: {rows} x {row_length} elements, workgroups of {workgroup_size}")?;
        for (index, pass) in self.passes.iter().enumerate() {
            let LadderPass { row_length, values_per_row, workgroups, .. } = pass;
            let number = index + 1;
            writeln!(
                f,
                "  pass {number}: {row_length} -> {values_per_row} a row, {workgroups} workgroups"
            )?;
        }
        Ok(())
    }
}

impl LadderPlan {
    /// Bytes of the input that are read; `u64::MAX` where there are more. [`LadderPlan`] has an example.
    #[must_use]
    pub fn input_bytes(&self) -> u64 {
        self.row_length.saturating_mul(self.rows.into()).saturating_mul(ELEMENT_BYTES)
    }

    /// Values that are left of all rows.
    pub(super) fn values(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.values_per_row)
    }
}

pub(super) const ELEMENT_BYTES: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::ladder::pieces::Matrix;
    use crate::ladder::{Level, Rounds, RunOptions};
    use crate::plan::caps::{Caps, SubgroupSizes};
    use crate::plan::followed::{LEAST_LOOP_TURNS, assert_within};
    use crate::plan::limits::tests::{anything, devices, low};
    use crate::plan::recording::{Bound, LevelParameters, PlannedPass, RecordedDispatch, binding};
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn place(dispatch: &RecordedDispatch, number: u32) -> Option<&Bound> {
        dispatch.bindings.iter().find(|bound| bound.binding == number)
    }

    /// Slots of the target, and of arrivals and totals, that the dispatches of a pass write.
    fn slots_written(pass: &PlannedPass) -> (Vec<u32>, Vec<u32>) {
        let (mut values, mut totals) = (Vec::new(), Vec::new());
        for dispatch in &pass.dispatches {
            let told: LevelParameters = dispatch.told();
            let LevelParameters { first_slot, slots_per_row, first_row, .. } = told;
            for row in 0..rows_of(pass, dispatch) {
                let slots = (0..told.workgroups_per_row)
                    .map(|part| first_slot + row * slots_per_row + part);
                values.extend(slots);
                totals.push(first_row + row);
            }
        }
        (values, totals)
    }

    fn rows_of(pass: &PlannedPass, dispatch: &RecordedDispatch) -> u32 {
        let [_, y, z] = dispatch.grid;
        if pass.constants.contains(&("ROWS_IN_Y", 1)) { y * z } else { z }
    }

    fn check(plan: &LadderPlan, caps: &Caps) {
        for pass in &plan.recording.passes {
            let (slots, rows) = slots_written(pass);
            let first = &pass.dispatches[0];
            // What is written behind each binding, and how many words a slot has there.
            let written = if place(first, binding::ARRIVALS).is_some() {
                let counters = (rows.clone(), binding::ARRIVALS, 1);
                vec![(slots, binding::PARTIALS, 2), counters, (rows, binding::TARGET, 1)]
            } else if plan.shader.level().needs().atomics {
                // Atomic additions go to their row's slot, whichever workgroup makes them.
                vec![]
            } else {
                vec![(slots, binding::TARGET, 1)]
            };
            for (written, binding, words) in written {
                let bytes = place(first, binding).unwrap().bytes.clone().unwrap();
                let distinct: HashSet<_> = written.iter().collect();
                assert_eq!(distinct.len(), written.len(), "a slot is written twice: {plan}");
                let limit = (bytes.end - bytes.start) / (4 * words);
                let in_bounds = written.iter().all(|&slot| u64::from(slot) < limit);
                assert!(in_bounds, "a slot past the end: {plan}");
            }
            for dispatch in &pass.dispatches {
                let [x, y, z] = dispatch.grid;
                let told: LevelParameters = dispatch.told();
                let workgroups = told.workgroups_per_row;
                assert!(x.max(y).max(z) <= caps.max_workgroups_per_dimension, "{plan}");
                let row_side = if rows_of(pass, dispatch) == z { y } else { 1 };
                assert!(u64::from(x) * u64::from(row_side) >= u64::from(workgroups), "{plan}");
                let invocations = u64::from(workgroups * plan.workgroup_size);
                let per_turn = invocations * u64::from(plan.shader.load_width().elements());
                let strides = plan.shader.level() >= Level::GridStride;
                let is_alone = plan.shader.level() == Level::SingleThread;
                let turns = u64::from(told.row_length) / per_turn;
                let limit = u64::from(caps.max_loop_turns.max(LEAST_LOOP_TURNS));
                assert!(!(strides || is_alone) || turns <= limit, "{turns} turns: {plan}");
            }
        }
        assert_eq!(plan.passes.last().map(|pass| pass.values_per_row), Some(plan.values_per_row));
    }

    #[test]
    fn a_plan_tells_its_bytes_and_its_passes() {
        let options = RunOptions { workgroup_size: Some(64), ..RunOptions::default() };
        let matrix = Matrix { offset_bytes: 0, rows: 3, row_length: 1000 };
        let shader = LadderShader::all().find(|shader| shader.level() == Level::FirstAdd);
        let plan = LadderPlan::new(shader.unwrap(), &options, matrix, &Caps::baseline()).unwrap();
        assert_eq!(plan.input_bytes(), 12_000);
        let shader = plan.shader;
        let expected = format!(
            "{shader}: 3 x 1000 elements, workgroups of 64\n  \
             pass 1: 1000 -> 8 a row, 24 workgroups\n  pass 2: 8 -> 1 a row, 3 workgroups\n"
        );
        assert_eq!(plan.to_string(), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn plans_write_every_slot_once_and_keep_to_the_limits(
            shader in prop::sample::select(LadderShader::all().collect::<Vec<_>>()),
            rows in prop_oneof![Just(1_u32), 0_u32..40],
            row_length in prop_oneof![0_u64..50, 0_u64..20_000, 0_u64..300_000],
            offset in 0_u64..300,
            log_size in 1_u32..=8,
            items in 1_u32..20,
            workgroups in 1_u32..300,
            one_round in any::<bool>(),
            max_binding_bytes in prop::sample::select(vec![65_536_u64, 1 << 20, 1 << 31]),
            max_loop_turns in prop::sample::select(vec![65_000_u32, u32::MAX]),
            side in prop::sample::select(vec![5_u32, 100, 65_535]),
        ) {
            let mut caps = Caps::baseline();
            caps.max_binding_bytes = max_binding_bytes;
            caps.max_loop_turns = max_loop_turns;
            caps.max_workgroups_per_dimension = side;
            caps.subgroups = Some(SubgroupSizes { min: 4, max: 32 });
            let options = RunOptions {
                workgroup_size: Some(1 << log_size),
                items_per_thread: Some(items),
                workgroups: Some(workgroups),
                rounds: if one_round { Rounds::One } else { Rounds::UntilOne },
                ..RunOptions::default()
            };
            // Callers say no length of no rows.
            let row_length = if rows == 0 { 0 } else { row_length };
            let matrix = Matrix { offset_bytes: offset * 4, rows, row_length };
            match LadderPlan::new(shader, &options, matrix, &caps) {
                Ok(plan) => {
                    check(&plan, &caps);
                    prop_assert!(one_round || plan.values_per_row == 1);
                    prop_assert!(!one_round || plan.passes.len() == 1);
                }
                // More workgroups or partials than these tight limits allow.
                Err(Error::InvalidTuning { .. } | Error::BufferTooLarge { .. }) => {}
                Err(error) => prop_assert!(false, "{error}"),
            }
        }

        /// Whatever is asked for, of whatever device, the answer is an error or a plan that the device can run, with every slot
        /// written once.
        #[test]
        fn no_request_panics(
            shader in prop::sample::select(LadderShader::all().collect::<Vec<_>>()),
            caps in devices(),
            rows in anything(&[0, 1, 5, 70_000]),
            row_length in anything(&[0, 1, 1000, 1 << 20]),
            offset_bytes in anything(&[0, 4, 256]),
            (size, items, workgroups) in (anything(&[2, 64, 256]), anything(&[1, 16]), anything(&[1, 2048])),
        ) {
            let options = RunOptions {
                workgroup_size: Some(low(size)),
                items_per_thread: Some(low(items)),
                workgroups: Some(low(workgroups)),
                ..RunOptions::default()
            };
            let matrix = Matrix { offset_bytes, rows: low(rows), row_length };
            for options in [options, RunOptions::default()] {
                let Ok(plan) = LadderPlan::new(shader, &options, matrix, &caps) else { continue };
                assert_within(&plan.recording, &caps);
                // More slots than that take long to look at.
                let slots = plan.recording.passes.iter().flat_map(|pass| {
                    let of = |dispatch| u64::from(rows_of(pass, dispatch));
                    let each = pass.dispatches.iter();
                    each.map(move |each| {
                        let told: LevelParameters = each.told();
                        of(each) * u64::from(told.workgroups_per_row)
                    })
                });
                if rows > 0 && slots.sum::<u64>() < 1 << 18 {
                    check(&plan, &caps);
                }
            }
        }
    }
}
