//! From a level and a shape to recorded commands.

use super::options::Chosen;
use super::pieces::{Matrix, MostRows, Piece};
use super::plan::{ELEMENT_BYTES, LadderPass, LadderPlan};
use super::{LadderShader, Level, Rounds, RunOptions};
use crate::error::{Error, Result};
use crate::op::operator::Permit;
use crate::plan::caps::Caps;
use crate::plan::recording::{
    Bound, Constants, Contents, LevelParameters, Parameters, Place, PlannedPass, RecordedDispatch,
    Recording, Scratch, binding,
};
use crate::shader::Shader;
use std::ops::Range;

/// What a level leaves behind, which decides its bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaves {
    /// One partial per workgroup.
    Partials,
    /// One value per row, added up by atomics.
    AtomicTotal,
    /// One partial per workgroup, and the row's value folded from them by the last one.
    FoldedTotal,
}

impl LadderPlan {
    pub(super) fn new(
        shader: LadderShader,
        options: &RunOptions,
        matrix: Matrix,
        caps: &Caps,
    ) -> Result<Self> {
        caps.check()?;
        let chosen = Chosen::new(options, caps)?;
        let mut builder = Builder {
            shader,
            chosen,
            caps,
            constants: constants(shader, &chosen, caps),
            passes: Vec::new(),
            summary: Vec::new(),
            scratch: Vec::new(),
        };
        let values_per_row = builder.build(matrix)?;
        // By atomics, or slot by slot where a row may leave some out.
        let is_one_round = builder.chosen.rounds == Rounds::One;
        let adds_to_output = builder.leaves() == Leaves::AtomicTotal || is_one_round;
        Ok(Self {
            shader,
            workgroup_size: if shader.level == Level::SingleThread {
                1
            } else {
                chosen.workgroup_size
            },
            rows: matrix.rows,
            row_length: matrix.row_length,
            passes: builder.summary,
            values_per_row,
            recording: Recording {
                passes: builder.passes,
                scratch: builder.scratch,
                zero_output: adds_to_output,
                times: 1,
            }
            .within(caps)?,
        })
    }
}

/// The constants that the shader declares, of those that there may be.
fn constants(shader: LadderShader, chosen: &Chosen, caps: &Caps) -> Constants {
    let max_subgroup_size = caps.subgroups.map_or(1, |sizes| sizes.max);
    let mut constants = vec![
        ("WORKGROUP_SIZE", chosen.workgroup_size),
        ("ITEMS_PER_THREAD", chosen.items_per_thread),
        ("MAX_SUBGROUP_SIZE", max_subgroup_size),
    ];
    constants.retain(|(name, _)| shader.declares(name));
    constants
}

struct Builder<'a> {
    shader: LadderShader,
    chosen: Chosen,
    caps: &'a Caps,
    constants: Constants,
    passes: Vec<PlannedPass>,
    summary: Vec<LadderPass>,
    scratch: Vec<Scratch>,
}

/// A piece and the share of the work and of the slots that it gets.
struct Share {
    piece: Piece,
    workgroups_per_row: u32,
    /// Slots of the piece's first row that are taken by the parts before.
    slots_before: u32,
}

/// What the dispatches of a pass have in common.
struct Layout {
    most_rows: MostRows,
    /// Values of a row before and after the last workgroup has folded them.
    slots: u32,
    left: u32,
}

impl Builder<'_> {
    /// Adds passes until they leave what is wanted. Returns how many values of each row that is.
    fn build(&mut self, mut matrix: Matrix) -> Result<u32> {
        let mut source = Place::Input(0);
        loop {
            let left = self.pass(source, matrix)?;
            match self.passes_on() {
                None => return Ok(left),
                Some(scratch) => source = scratch,
            }
            matrix = Matrix { offset_bytes: 0, row_length: u64::from(left), ..matrix };
        }
    }

    /// The scratch that the next pass reads, if there is one to come.
    fn passes_on(&self) -> Option<Place> {
        let last = self.passes.last()?;
        let mut bindings = last.dispatches.first()?.bindings.iter();
        let bound = bindings.find(|bound| bound.binding == binding::TARGET)?;
        (bound.place != Place::Output).then_some(bound.place)
    }

    fn pass(&mut self, source: Place, matrix: Matrix) -> Result<u32> {
        let most_rows = self.most_rows(source, matrix);
        let shares = self.shares(source, matrix, most_rows)?;
        let parts = shares.iter().map(|share| share.piece.part + 1).max().unwrap_or(1);
        let slots = shares.iter().map(|s| s.slots_before.saturating_add(s.workgroups_per_row));
        let slots = slots.max().unwrap_or(1);
        let left = match self.leaves() {
            Leaves::Partials => slots,
            Leaves::AtomicTotal => 1,
            Leaves::FoldedTotal => parts,
        };
        let is_last = left == 1 || self.chosen.rounds == Rounds::One;
        let outputs = self.outputs(matrix.rows, slots, left, parts, is_last)?;
        let layout = Layout { most_rows, slots, left };
        let mut dispatches = Vec::with_capacity(shares.len());
        for share in &shares {
            dispatches.push(self.dispatch(source, share, &outputs, &layout)?);
        }
        self.summary.push(LadderPass {
            row_length: matrix.row_length,
            values_per_row: left,
            dispatches: dispatches.len(),
            workgroups: shares
                .iter()
                .map(|s| u64::from(s.workgroups_per_row) * u64::from(s.piece.rows))
                .sum(),
        });
        let mut constants = self.constants.clone();
        if most_rows.in_two {
            constants.push(("ROWS_IN_Y", 1));
        }
        let is_alone = shares.iter().all(|share| share.workgroups_per_row == 1);
        if is_alone && self.shader.declares("ALONE_IN_ROW") {
            constants.push(("ALONE_IN_ROW", 1));
        }
        let shader = Shader::Ladder(self.shader, Permit::ask("the ladder")?);
        self.passes.push(PlannedPass { shader, constants, dispatches });
        Ok(left)
    }

    /// Rows take two sides of a grid where there are more than one side has places for, and a row's
    /// workgroups leave a side for it.
    fn most_rows(&self, source: Place, matrix: Matrix) -> MostRows {
        let side = self.caps.max_workgroups_per_dimension.max(1);
        let row_length = u32::try_from(matrix.row_length).unwrap_or(u32::MAX);
        let workgroups = self.workgroups_per_row(row_length, is_whole(source, matrix));
        MostRows::new(self.caps, matrix.rows > side && workgroups <= side)
    }

    fn shares(&self, source: Place, matrix: Matrix, most_rows: MostRows) -> Result<Vec<Share>> {
        let mut slots_before = 0;
        let mut shares = Vec::new();
        let is_whole = is_whole(source, matrix);
        for piece in matrix.cut(self.caps, self.max_length(is_whole), most_rows)? {
            if piece.part == 0 {
                slots_before = 0;
            }
            let workgroups_per_row = self.workgroups_per_row(piece.row_length, is_whole);
            shares.push(Share { piece, workgroups_per_row, slots_before });
            slots_before = slots_before.saturating_add(workgroups_per_row);
        }
        Ok(shares)
    }

    /// As many as cover a row, or stride over it: several only over a whole input, as CUDA's second
    /// pass and batched form have one.
    fn workgroups_per_row(&self, row_length: u32, is_whole: bool) -> u32 {
        let Chosen { workgroup_size, items_per_thread, workgroups, .. } = self.chosen;
        match self.shader.level {
            Level::SingleThread => 1,
            Level::InterleavedModulo
            | Level::InterleavedPacked
            | Level::Sequential
            | Level::BarrierFirst => row_length.div_ceil(workgroup_size).max(1),
            Level::FirstAdd => row_length.div_ceil(2 * workgroup_size).max(1),
            Level::Coarsened | Level::UnrollLast | Level::UnrollFull => {
                row_length.div_ceil(workgroup_size * items_per_thread).max(1)
            }
            level if is_whole => {
                let width = self.shader.load_width().elements();
                let most = match level {
                    // The last workgroup has to add up what all of them leave.
                    Level::LastWorkgroup => workgroups.min(workgroup_size * FOLD_TURNS),
                    _ => workgroups,
                };
                row_length.div_ceil(workgroup_size * width).clamp(1, most)
            }
            _ => 1,
        }
    }

    /// Elements of a row that its workgroups can fold before a loop has taken all the turns it may.
    fn max_length(&self, is_whole: bool) -> u64 {
        let turns = u64::from(self.caps.max_loop_turns.saturating_sub(MARGIN_TURNS).max(1));
        let Chosen { workgroup_size, workgroups, .. } = self.chosen;
        match self.shader.level {
            Level::SingleThread => turns,
            level if level < Level::GridStride => u64::MAX,
            _ => {
                let workgroups = if is_whole { workgroups } else { 1 };
                let per_turn = workgroup_size * self.shader.load_width().elements();
                turns.saturating_mul(u64::from(per_turn) * u64::from(workgroups))
            }
        }
    }

    fn leaves(&self) -> Leaves {
        match self.shader.level {
            Level::WorkgroupAtomic | Level::SubgroupAtomic => Leaves::AtomicTotal,
            Level::LastWorkgroup => Leaves::FoldedTotal,
            _ => Leaves::Partials,
        }
    }

    /// What is written, the same for every dispatch of a pass.
    fn outputs(
        &mut self,
        rows: u32,
        slots: u32,
        left: u32,
        parts: u32,
        is_last: bool,
    ) -> Result<Vec<Bound>> {
        let values = self.bytes(rows, left)?;
        // Rows that are cut into fewer parts than others leave slots of theirs as they are.
        let value_place = if is_last {
            Place::Output
        } else {
            let uneven = if parts > 1 { Contents::Zero } else { Contents::Anything };
            self.scratch(values.end, uneven)
        };
        let mut outputs = vec![bound(binding::TARGET, value_place, values)];
        if self.leaves() == Leaves::FoldedTotal {
            // Each part has a counter and a run of partials of its own, and a partial is two halves.
            let arrivals = self.bytes(rows, parts)?;
            let halves = self.bytes(rows, slots.saturating_mul(2))?;
            for (number, bytes) in [(binding::ARRIVALS, arrivals), (binding::PARTIALS, halves)] {
                let place = self.scratch(bytes.end, Contents::Counters);
                outputs.push(bound(number, place, bytes));
            }
        }
        Ok(outputs)
    }

    /// Bytes of `values` values for each row; at least one value, since a binding cannot be empty.
    fn bytes(&self, rows: u32, values: u32) -> Result<Range<u64>> {
        let bytes = u64::from(rows) * u64::from(values) * ELEMENT_BYTES;
        let max_bytes = self.caps.max_binding_bytes.min(1 << 31);
        if bytes > max_bytes {
            return Err(Error::BufferTooLarge { bytes, max_bytes });
        }
        Ok(0..bytes.max(ELEMENT_BYTES))
    }

    fn scratch(&mut self, bytes: u64, contents: Contents) -> Place {
        self.scratch.push(Scratch { bytes, contents });
        Place::Scratch(self.scratch.len() - 1)
    }

    fn dispatch(
        &self,
        source: Place,
        share: &Share,
        outputs: &[Bound],
        layout: &Layout,
    ) -> Result<RecordedDispatch> {
        let Layout { most_rows, slots, left } = *layout;
        let Share { piece, workgroups_per_row, slots_before } = share;
        let some = |bytes: Range<u64>| (!bytes.is_empty()).then_some(bytes);
        let bytes = piece.bytes.clone();
        let mut bindings =
            vec![Bound { binding: binding::SOURCE, place: source, bytes: some(bytes.clone()) }];
        if let Some(width) = self.shader.uses_vectors() {
            let vector_bytes = u64::from(width.elements()) * ELEMENT_BYTES;
            let whole = bytes.end - (bytes.end - bytes.start) % vector_bytes;
            let bytes = some(bytes.start..whole);
            bindings.push(Bound { binding: binding::VECTORS, place: source, bytes });
        }
        bindings.extend_from_slice(outputs);
        let slots_per_row = if self.leaves() == Leaves::AtomicTotal { 1 } else { slots };
        let slots_before = if self.leaves() == Leaves::AtomicTotal { 0 } else { *slots_before };
        let parameters = LevelParameters {
            first: piece.first,
            row_length: piece.row_length,
            workgroups_per_row: *workgroups_per_row,
            first_slot: piece.first_row * slots_per_row + slots_before,
            slots_per_row,
            first_row: piece.first_row * left + piece.part,
        };
        let grid = if most_rows.in_two {
            let [y, z] = most_rows.sides(piece.rows);
            [*workgroups_per_row, y, z]
        } else {
            let [x, y] = self.grid(*workgroups_per_row)?;
            [x, y, piece.rows]
        };
        Ok(RecordedDispatch { bindings, parameters: parameters.words(), grid })
    }

    /// The workgroups of a row.
    fn grid(&self, workgroups: u32) -> Result<[u32; 2]> {
        let most = self.caps.max_grid();
        if workgroups > most {
            let what = format!("{workgroups} workgroups a row are more than a dispatch's {most}");
            return Err(Error::InvalidTuning { what });
        }
        Ok(self.caps.grid(workgroups))
    }
}

/// Whether it is all of the input, as one row.
fn is_whole(source: Place, matrix: Matrix) -> bool {
    source == Place::Input(0) && matrix.rows == 1
}

fn bound(binding: u32, place: Place, bytes: Range<u64>) -> Bound {
    Bound { binding, place, bytes: Some(bytes) }
}

/// Turns that level 16's last workgroup takes at most.
const FOLD_TURNS: u32 = 4000;

/// Turns for head and tail, for totals of subgroups and for level 16's partials.
const MARGIN_TURNS: u32 = 1000 + FOLD_TURNS;
