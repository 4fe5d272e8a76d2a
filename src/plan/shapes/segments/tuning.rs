//! The numbers that make reductions of segments fast.

use crate::error::Result;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::window::WORD_BYTES;
use crate::plan::geometry;
use crate::plan::limits::{check_between, check_workgroup_size, invalid_tuning};
use std::fmt;

/// How a reduction of segments is spread over the device. Any valid tuning gives a right answer; the last
/// bits of rounded results depend on it.
///
/// ```
/// use wgpu_reduce::{Caps, ElementKind, SegmentsTuning};
///
/// let tuning = SegmentsTuning::for_element(&Caps::baseline(), ElementKind::F32);
/// assert!(tuning.workgroup_size.is_power_of_two());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SegmentsTuning {
    /// Invocations per workgroup; a power of two that the device allows.
    pub workgroup_size: u32,
    /// Quads of 16 bytes that an invocation folds one after another, 32 elements at most. Odd numbers keep
    /// subgroups apart in workgroup memory.
    pub quads: u32,
    /// Most workgroups that share one binding of the input.
    pub max_workgroups: u32,
    /// Invocations per workgroup of the pass that finds out where tiles begin; as many as the device allows, if that
    /// is less.
    pub split_workgroup_size: u32,
    /// Invocations of the one workgroup that puts together what the others have of a segment; a power of two, and
    /// halved until their accumulators fit into its memory.
    pub close_workgroup_size: u32,
    /// How what several workgroups have of one segment becomes one.
    pub closing: Closing,
}

/// How what several workgroups have of one segment becomes one. In each way it is combined in the same order on
/// every run, if not in the same in both. [`SegmentsTuning`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Closing {
    /// By another pass.
    Pass,
    /// By the workgroup that has the segment's beginning, which waits for those that have the rest: one pass less. Only
    /// where [`Caps::waits_for_others`] says that waiting is safe, and taken where one binding holds the input,
    /// subgroups scan, and there are at least as many segments as workgroups; else, and for custom operators, it is as
    /// [`Closing::Pass`].
    LookAhead,
}

impl Closing {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Pass, Self::LookAhead];
}

impl SegmentsTuning {
    /// The default for elements of a type on a device.
    ///
    /// Many workgroups with a contiguous share each, more than run at the same time: shares of long
    /// segments take less time than shares of short ones. What they leave is thousands of parts on a GPU, which one
    /// workgroup, as large as can be, puts together; on a CPU it is a few.
    #[must_use]
    pub fn for_element(caps: &Caps, element: ElementKind) -> Self {
        let [size, quads, max_workgroups] = geometry::segments(caps, element.size_bytes());
        let largest = geometry::largest_power_of_two(caps.workgroup_size());
        let workgroup_size = largest.min(size);
        Self {
            workgroup_size,
            quads,
            max_workgroups,
            split_workgroup_size: geometry::SPLIT_SIZE,
            close_workgroup_size: geometry::alone(caps.class, largest, workgroup_size),
            closing: if caps.waits_for_others { Closing::LookAhead } else { Closing::Pass },
        }
    }

    /// Elements of an invocation's run.
    pub(crate) const fn run(self, element: ElementKind) -> u32 {
        self.quads.saturating_mul(per_quad(element))
    }

    /// Elements and ends of segments that a tile has: so many that its elements lie in its quads wherever
    /// the first of them stands.
    pub(crate) const fn tile(self, element: ElementKind) -> u32 {
        (self.workgroup_size * self.quads - 1) * per_quad(element) + 1
    }

    /// Makes runs and workgroups so small that they fit into the memory of workgroups.
    pub(crate) fn fitted(
        mut self,
        caps: &Caps,
        element: ElementKind,
        accumulator_bytes: u64,
    ) -> Self {
        let room = u64::from(caps.workgroup_storage_bytes);
        while self.memory_bytes(element, accumulator_bytes) > room && self.workgroup_size > 32 {
            self.workgroup_size /= 2;
        }
        while self.memory_bytes(element, accumulator_bytes) > room && self.quads > 1 {
            self.quads = (self.quads / 2) | 1;
        }
        while self.memory_bytes(element, accumulator_bytes) > room && self.workgroup_size > 1 {
            self.workgroup_size /= 2;
        }
        self
    }

    /// How large the workgroup of the last pass is, of accumulators of so many bytes.
    pub(crate) fn close_size(self, caps: &Caps, accumulator_bytes: u64) -> u32 {
        let mut size = self.close_workgroup_size;
        let bytes = |size| u64::from(size) * (accumulator_bytes.next_multiple_of(8) + WORD_BYTES);
        while size > 1 && bytes(size) > u64::from(caps.workgroup_storage_bytes) {
            size /= 2;
        }
        size
    }

    /// What `segments/fold.wgsl` has in workgroup memory at most, with the collective and the scan.
    fn memory_bytes(self, element: ElementKind, accumulator_bytes: u64) -> u64 {
        let run = 16 * u64::from(self.quads) + 4 * u64::from(self.run(element));
        // A struct with a vector of two words in it is padded to a multiple of 8 bytes.
        let accumulator = accumulator_bytes.next_multiple_of(8);
        let each = run + accumulator + 2 * 4;
        u64::from(self.workgroup_size).saturating_mul(each).saturating_add(accumulator + 16)
    }

    pub(crate) fn validate(
        self,
        caps: &Caps,
        element: ElementKind,
        accumulator_bytes: u64,
    ) -> Result<()> {
        for size in [self.workgroup_size, self.close_workgroup_size] {
            check_workgroup_size(size, caps.workgroup_size())?;
        }
        if self.split_workgroup_size == 0 {
            return Err(invalid_tuning("no workgroups of no invocations"));
        }
        if self.quads == 0 || self.run(element) > MAX_RUN {
            let what = format!("{} quads are not between 1 and {MAX_RUN} elements", self.quads);
            return Err(invalid_tuning(what));
        }
        if self.memory_bytes(element, accumulator_bytes) > u64::from(caps.workgroup_storage_bytes) {
            return Err(invalid_tuning("a tile needs more workgroup memory than there is"));
        }
        if self.closing == Closing::LookAhead && !caps.waits_for_others {
            return Err(invalid_tuning("on this device no workgroup may wait for others"));
        }
        check_between(self.max_workgroups, "workgroups", 1..=MAX_WORKGROUPS)
    }
}

const fn per_quad(element: ElementKind) -> u32 {
    // 16 at most.
    #[expect(clippy::cast_possible_truncation, reason = "a small number")]
    {
        element.per_quad() as u32
    }
}

/// Bits of the word that marks the last elements of segments in a run.
const MAX_RUN: u32 = 32;

const MAX_WORKGROUPS: u32 = 1 << 16;

/// As `64 × 5120, 5 quads, split by 64, closed by 1024`, or `closed ahead` at its end.
impl fmt::Display for SegmentsTuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workgroup_size, quads, max_workgroups, .. } = self;
        let Self { split_workgroup_size: split, close_workgroup_size: close, .. } = self;
        write!(f, "{workgroup_size} × {max_workgroups}, {quads} quads, split by {split}, closed ")?;
        match self.closing {
            Closing::Pass => write!(f, "by {close}"),
            Closing::LookAhead => f.write_str("ahead"),
        }
    }
}
