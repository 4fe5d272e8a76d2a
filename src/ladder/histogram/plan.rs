//! From a level and a range of bytes to recorded commands.

use super::HistogramLevel;
use crate::error::Result;
use crate::op::operator::Permit;
use crate::plan::caps::{AdapterClass, Caps};
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{Run, Window, split};
use crate::plan::limits::{check_between, check_workgroup_size, unsupported};
use crate::plan::recording::{
    Bound, Constants, HistogramLevelParameters, Parameters, Place, PlannedPass, RecordedDispatch,
    Recording, binding,
};
use crate::shader::Shader;
use std::fmt;

/// How a level of the histogram is run. The default is what levels of sums have.
///
/// ```
/// use wgpu_reduce::ladder::HistogramOptions;
///
/// let options = HistogramOptions { workgroup_size: Some(512), ..HistogramOptions::default() };
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct HistogramOptions {
    /// Invocations per workgroup, a power of two; 256 unless set, or what the device allows if that is less.
    pub workgroup_size: Option<u32>,
    /// Most workgroups that share what is behind one binding; 2048 unless set, 64 on a CPU.
    pub workgroups: Option<u32>,
}

/// What a level of the histogram would run: plain data.
///
/// Made by [`Ladder::plan_histogram`](crate::ladder::Ladder::plan_histogram).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HistogramLevelPlan {
    /// The level.
    pub level: HistogramLevel,
    /// Elements that are counted; each is a byte.
    pub len: u64,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
    /// Most copies of the counts in a workgroup; 0 where there are none but the result.
    pub copies: u32,
    /// Workgroups of each dispatch. Each leaves counts of its own, which the host adds up.
    pub workgroups: Vec<u32>,
    pub(super) recording: Recording,
}

/// Values of a byte.
pub(super) const BINS: u32 = 256;

/// Counts that a dispatch leaves, of 32 bits.
pub(super) const COUNTS_BYTES: u64 = BINS as u64 * 4;

impl HistogramLevelPlan {
    pub(super) fn new(
        level: HistogramLevel,
        options: &HistogramOptions,
        input: Part,
        caps: &Caps,
    ) -> Result<Self> {
        caps.check()?;
        if level.needs_subgroups() && caps.subgroups.is_none() {
            return Err(unsupported(format!("subgroup operations, which histogram {level} needs")));
        }
        let planner = Planner::new(level, options, caps)?;
        let Part { offset_bytes, len } = input;
        let run = Run { offset_bytes, len, element_bytes: 1 };
        let windows = split(&run, caps, planner.max_window_bytes())?;
        let mut windows: Vec<_> = windows.into_iter().filter(|_| len > 0).map(Some).collect();
        if windows.is_empty() {
            windows.push(None);
        }
        let of_window = |(number, window): (u64, Option<Window>)| planner.dispatch(number, window);
        let dispatches: Vec<_> = (0..).zip(windows).map(of_window).collect();
        let workgroups = dispatches.iter().map(|(workgroups, _)| *workgroups).collect();
        let pass = PlannedPass {
            shader: Shader::HistogramLevel(level, Permit::ask("the ladder")?),
            constants: planner.constants(),
            dispatches: dispatches.into_iter().map(|(_, dispatch)| dispatch).collect(),
        };
        Ok(Self {
            level,
            len,
            workgroup_size: planner.workgroup_size,
            copies: planner.copies,
            workgroups,
            recording: Recording {
                passes: vec![pass],
                scratch: Vec::new(),
                zero_output: true,
                times: 1,
            }
            .within(caps)?,
        })
    }

    /// Bytes of the counts of all dispatches.
    pub(super) const fn output_bytes(&self) -> u64 {
        self.workgroups.len() as u64 * COUNTS_BYTES
    }
}

struct Planner<'a> {
    level: HistogramLevel,
    workgroup_size: u32,
    /// Most of a dispatch.
    workgroups: u32,
    copies: u32,
    caps: &'a Caps,
}

impl<'a> Planner<'a> {
    fn new(level: HistogramLevel, options: &HistogramOptions, caps: &'a Caps) -> Result<Self> {
        let workgroups = match caps.class {
            AdapterClass::Gpu => 2048,
            AdapterClass::Cpu => 64,
        };
        let workgroups = options.workgroups.unwrap_or(workgroups);
        let workgroup_size = options.workgroup_size.unwrap_or(256.min(caps.workgroup_size()));
        check_workgroup_size(workgroup_size, caps.workgroup_size())?;
        check_between(workgroups, "workgroups", 1..=MAX_WORKGROUPS)?;
        let copies = match level {
            HistogramLevel::GlobalAtomics => 0,
            HistogramLevel::WorkgroupCopy => 1,
            HistogramLevel::SubgroupCopies => copies_for(workgroup_size, caps),
        };
        let workgroups = workgroups.min(caps.max_grid());
        Ok(Self { level, workgroup_size, workgroups, copies, caps })
    }

    fn constants(&self) -> Constants {
        let mut constants = vec![("WORKGROUP_SIZE", self.workgroup_size)];
        if self.level == HistogramLevel::SubgroupCopies {
            constants.push(("COUNTERS", self.copies * BINS));
        }
        constants
    }

    /// Bytes that all invocations together count before a loop has taken all the turns it may.
    fn max_window_bytes(&self) -> u64 {
        let Self { workgroup_size, workgroups, copies, caps, .. } = self;
        // To clear the copies and to add them up, and for both ends.
        let of_copies = BINS.div_ceil(*workgroup_size) * (2 * copies + 1) + 2 * ENDS;
        let turns = u64::from(caps.max_loop_turns.saturating_sub(of_copies).max(1));
        turns.saturating_mul(u64::from(workgroup_size * ENDS) * u64::from(*workgroups))
    }

    /// The workgroups that count a window, and how; nothing, where there is none.
    fn dispatch(&self, number: u64, window: Option<Window>) -> (u32, RecordedDispatch) {
        let elements = window.as_ref().map_or(0..0, Window::elements);
        let bytes = window.map(|window| window.bytes);
        let words = (elements.end - elements.start) / ENDS;
        let workgroups = words.div_ceil(self.workgroup_size).clamp(1, self.workgroups);
        let [x, y] = self.caps.grid(workgroups);
        let counts = number * COUNTS_BYTES..(number + 1) * COUNTS_BYTES;
        let parameters =
            HistogramLevelParameters { first: elements.start, end: elements.end, workgroups };
        let dispatch = RecordedDispatch {
            bindings: vec![
                Bound { binding: binding::SOURCE, place: Place::Input(0), bytes },
                Bound { binding: binding::TARGET, place: Place::Output, bytes: Some(counts) },
            ],
            parameters: parameters.words(),
            grid: [x, y, 1],
        };
        (workgroups, dispatch)
    }
}

/// Elements of a word; at either end fewer are no whole one.
const ENDS: u32 = 4;

/// A copy for each subgroup that a workgroup can have, or as many as its memory has room for.
fn copies_for(workgroup_size: u32, caps: &Caps) -> u32 {
    let smallest = caps.subgroups.map_or(1, |sizes| sizes.min.max(1));
    let room = caps.workgroup_storage_bytes / (BINS * 4);
    workgroup_size.div_ceil(smallest).min(room).max(1)
}

/// Keeps products of workgroups and their size far inside 32 bits.
const MAX_WORKGROUPS: u32 = 1 << 18;

impl fmt::Display for HistogramLevelPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { level, len, workgroup_size, copies, workgroups, .. } = self;
        writeln!(f, "histogram {level}: {len} elements, workgroups of {workgroup_size}")?;
        if *copies > 0 {
            writeln!(f, "  at most {copies} copies of the counts in each")?;
        }
        for workgroups in workgroups {
            writeln!(f, "  {workgroups} workgroups")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::plan::caps::SubgroupSizes;
    use crate::plan::followed::{LEAST_LOOP_TURNS, assert_within};
    use crate::plan::limits::tests::{anything, devices, low};
    use proptest::prelude::*;

    fn device(subgroup: u32, storage: u32) -> Caps {
        let mut caps = Caps::baseline();
        caps.subgroups = Some(SubgroupSizes { min: subgroup, max: 128 });
        caps.workgroup_storage_bytes = storage;
        caps.max_workgroup_size = 1024;
        caps
    }

    #[test]
    fn subgroups_have_a_copy_each_as_far_as_there_is_room() {
        for (subgroup, size, storage, copies) in [
            (32, 256, 48 << 10, 8),
            (32, 16, 48 << 10, 1),
            (4, 256, 16 << 10, 16),
            (4, 256, 128 << 10, 64),
            (64, 1024, 16 << 10, 16),
            (1, 1024, 16 << 10, 16),
        ] {
            let options =
                HistogramOptions { workgroup_size: Some(size), ..HistogramOptions::default() };
            let caps = device(subgroup, storage);
            let input = Part { offset_bytes: 0, len: 1000 };
            let level = HistogramLevel::SubgroupCopies;
            let plan = HistogramLevelPlan::new(level, &options, input, &caps).unwrap();
            assert_eq!(plan.copies, copies, "{size} in subgroups of {subgroup}");
            let constants = &plan.recording.passes[0].constants;
            assert!(constants.contains(&("COUNTERS", 256 * copies)), "{constants:?}");
        }
    }

    /// Dispatches hold every element once, in order, each with counts of its own, and their loops are as short as the device
    /// wants them.
    fn check(
        plan: &HistogramLevelPlan,
        input: Part,
        caps: &Caps,
    ) -> std::result::Result<(), TestCaseError> {
        let dispatches = &plan.recording.passes[0].dispatches;
        prop_assert_eq!(plan.output_bytes(), dispatches.len() as u64 * 1024);
        let mut next = input.offset_bytes;
        for (number, dispatch) in (0_u64..).zip(dispatches) {
            let HistogramLevelParameters { first, end, workgroups } = dispatch.told();
            let [x, y, _] = dispatch.grid.map(u64::from);
            prop_assert!(x * y >= workgroups.into());
            let counts = number * 1024..(number + 1) * 1024;
            prop_assert_eq!(dispatch.bindings[1].bytes.clone(), Some(counts));
            if let Some(bytes) = &dispatch.bindings[0].bytes {
                prop_assert_eq!(bytes.start + u64::from(first), next);
                next = bytes.start + u64::from(end);
                prop_assert!(next <= bytes.end);
            }
            let size = u64::from(plan.workgroup_size);
            let turns = u64::from(end - first) / 4 / (u64::from(workgroups) * size);
            let copies = u64::from(plan.copies);
            let of_copies = u64::from(BINS).div_ceil(size) * (2 * copies + 1);
            let is_known = caps.max_loop_turns >= LEAST_LOOP_TURNS;
            prop_assert!(!is_known || turns + of_copies <= caps.max_loop_turns.into());
        }
        prop_assert_eq!(next, input.offset_bytes + input.len);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn dispatches_hold_every_element_once_and_keep_to_the_limits(
            level in prop::sample::select(HistogramLevel::ALL.to_vec()),
            offset_bytes in 0_u64..2000,
            len in prop_oneof![0_u64..50, 0_u64..100_000, Just(1 << 33)],
            log_size in 0_u32..=8,
            workgroups in 1_u32..300,
            max_binding_bytes in prop::sample::select(vec![65_536_u64, 1 << 27, 1 << 33]),
            max_loop_turns in prop::sample::select(vec![65_000_u32, u32::MAX]),
            side in prop::sample::select(vec![5_u32, 65_535]),
        ) {
            let mut caps = device(4, 16 << 10);
            caps.max_binding_bytes = max_binding_bytes;
            caps.max_buffer_bytes = 1 << 40;
            caps.max_loop_turns = max_loop_turns;
            caps.max_workgroups_per_dimension = side;
            let options = HistogramOptions {
                workgroup_size: Some(1 << log_size),
                workgroups: Some(workgroups),
            };
            let input = Part { offset_bytes, len };
            let plan = match HistogramLevelPlan::new(level, &options, input, &caps) {
                Ok(plan) => plan,
                // More bindings than a plan may have.
                Err(Error::BufferTooLarge { .. }) => return Ok(()),
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            };
            check(&plan, input, &caps)?;
        }

        /// Whatever is asked for, of whatever device, the answer is a plan or an error.
        #[test]
        fn no_request_panics(
            level in prop::sample::select(HistogramLevel::ALL.to_vec()),
            caps in devices(),
            len in anything(&[0, 1, 1000, 1 << 30]),
            offset_bytes in anything(&[0, 3, 256]),
            (size, workgroups) in (anything(&[1, 64, 256]), anything(&[1, 2048])),
        ) {
            let options = HistogramOptions {
                workgroup_size: Some(low(size)),
                workgroups: Some(low(workgroups)),
            };
            let input = Part { offset_bytes, len };
            for options in [options, HistogramOptions::default()] {
                let Ok(plan) = HistogramLevelPlan::new(level, &options, input, &caps) else { continue };
                assert_within(&plan.recording, &caps);
                check(&plan, input, &caps)?;
            }
        }
    }
}
