//! Order statistics along an axis: each row has a workgroup, which goes through it once for each digit.

use super::digits::{key_bytes, search_turns};
use super::plan::{result_bytes, results_of};
use super::shader::{OrderShader, unused_bits};
use crate::error::{Error, Result};
use crate::op::ranks::{Extent, Found, Ranks};
use crate::plan::caps::Caps;
use crate::plan::cut::part::len_of;
use crate::plan::cut::window::{Run, WORD_BYTES};
use crate::plan::geometry::largest_power_of_two;
use crate::plan::limits::{check_dispatches, end_of, unsupported};
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, Constants, Place, PlannedPass, RecordedDispatch, Recording, binding, low_word,
};
use crate::plan::shapes::axis::AxisTuning;
use crate::plan::shapes::axis::cut::{Cutter, Piece, Strip};
use crate::plan::shapes::axis::grid::{Grids, Team};
use crate::plan::shapes::axis::view::{Along, View};
use crate::plan::shapes::axis::{Spot, check_offsets, row_parameters};
use crate::shader::Shader;

/// Plans the elements of ranks along an axis of a view.
///
/// # Errors
///
/// Those of whole inputs and of other folds along an axis; [`Error::Unsupported`] if one binding does not hold a row, or a workgroup
/// would take more turns for one than the device allows.
pub(crate) fn lower(
    problem: &Problem<'_>,
    ranks: &Ranks<'_>,
    (view, axis): (View, usize),
    caps: &Caps,
) -> Result<Plan> {
    let element = problem.element;
    let tuning = problem.tuning(|| AxisTuning::for_caps(caps))?;
    caps.check()?;
    tuning.validate(caps)?;
    view.check_len(len_of(problem.first()))?;
    let along = view.along(axis)?;
    let rows = along.results;
    ranks.check()?;
    let found = (rows > 0).then(|| ranks.find(along.len, element.is_float())).transpose()?;
    let found = found.unwrap_or(Found { ranks: vec![0], results: Vec::new() });
    let (count, extent) = (found.ranks.len() as u64, ranks.extent());
    let room = results_of(extent, &found);
    let row_bytes = room.saturating_mul(result_bytes(extent, element));
    check_offsets(problem, row_bytes)?;
    end_of(problem.output_offset_bytes(), [rows, row_bytes])?;
    let planner =
        Planner { problem, along: &along, tuning, caps, ranks: count, extent, room, row_bytes };
    let passes = if rows > 0 { planner.passes()? } else { Vec::new() };
    Ok(Plan {
        operation: ranks.name,
        element,
        inputs: 1,
        len: along.len,
        results: rows,
        roundings: 0,
        tuning: tuning.into(),
        input_bytes: rows.saturating_mul(along.len).saturating_mul(element.size_bytes()),
        result_bytes: row_bytes,
        loads_in_flight: 0,
        outputs: Outputs::RanksOfRows { table: found.ranks.into_iter().map(low_word).collect() },
        recording: Recording { passes, ..Recording::new() }.within(caps)?,
    })
}

struct Planner<'a> {
    problem: &'a Problem<'a>,
    along: &'a Along,
    tuning: AxisTuning,
    caps: &'a Caps,
    ranks: u64,
    /// Where indices are wanted, of what.
    extent: Option<Extent>,
    /// Elements that a row leaves, and their bytes.
    room: u64,
    row_bytes: u64,
}

/// Digits are not longer: their counters are to be cleared and added up for each row.
const MOST_BITS: u32 = 8;

/// Invocations that a workgroup has at least, if it may have so many.
const LEAST_SIZE: u32 = 32;

impl Planner<'_> {
    fn passes(&self) -> Result<Vec<PlannedPass>> {
        let Along { ref kept, offset, .. } = *self.along;
        let strip = Strip { kept: kept.clone(), first: offset.into(), first_slot: 0 };
        let cutter = Cutter {
            along: self.along,
            input: self.problem.first(),
            element_bytes: self.problem.element.size_bytes(),
            output_bytes: self.row_bytes,
            caps: self.caps,
        };
        let (mut pieces, mut passes) = (cutter.pieces(strip)?, Vec::new());
        pieces.reverse();
        while let Some(piece) = pieces.pop() {
            if let Some(pass) = self.pass(&cutter, &piece)? {
                passes.push(pass);
            } else {
                // Fewer rows take fewer turns.
                let halves = piece.strip.halves().ok_or_else(|| self.too_long())??;
                let stretches = piece.stretches;
                let halves = halves.into_iter().rev();
                pieces.extend(halves.map(|strip| Piece { strip, stretches: stretches.clone() }));
            }
            check_dispatches(passes.len() + pieces.len())?;
        }
        Ok(passes)
    }

    fn too_long(&self) -> Error {
        unsupported(format!("ranks of {} elements by one workgroup", self.along.len))
    }

    /// Invocations of a workgroup, and bits of a digit. Of a short row no more invocations than have something to do, and of many ranks
    /// fewer, if there is no room for one bit.
    fn size_and_bits(&self) -> Result<(u32, u32)> {
        let wanted = u32::try_from(self.along.len / 8).unwrap_or(u32::MAX).max(LEAST_SIZE);
        let mut size = largest_power_of_two(wanted).min(self.tuning.workgroup_size);
        let words = u64::from(self.caps.workgroup_storage_bytes) / WORD_BYTES;
        // Two keys and six numbers, and what is known of a place.
        let of_rank = 2 * key_bytes(self.problem.element) / WORD_BYTES + 6;
        loop {
            let others = 2 + u64::from(size) + self.ranks.saturating_mul(of_rank);
            let bits = (words.saturating_sub(others) / self.ranks).checked_ilog2().unwrap_or(0);
            match bits.min(MOST_BITS) {
                0 if size > LEAST_SIZE => size /= 2,
                0 => return Err(unsupported(format!("{} ranks at once", self.ranks))),
                bits => return Ok((size, bits)),
            }
        }
    }

    /// Turns of the loops of an invocation for a row, as `shaders/order/rows.wgsl` has them. To leave a loop counts, too.
    fn turns(&self, size: u32, bits: u32) -> u64 {
        let (size_of_all, counters) = (u64::from(size), self.ranks << bits);
        let of_search = search_turns(self.ranks);
        let top = if self.problem.element.number().has_64_bits() { 64 } else { 32 };
        let digits = u64::from((top - unused_bits(self.problem.element)).div_ceil(bits));
        let of_elements = 1 + self.along.len.div_ceil(size_of_all).saturating_mul(1 + of_search);
        let of_scan = 1 + u64::from(size.ilog2());
        let of_counters = 1 + counters.div_ceil(size_of_all);
        let of_ranks = of_scan + 2 * of_counters + 1 + self.ranks * (1 + of_counters);
        let of_known = 1 + self.ranks.div_ceil(size_of_all);
        let of_digit = 1
            + of_counters
            + 2 * of_known
            + self.ranks.div_ceil(size_of_all) * of_search
            + of_ranks;
        let of_row = 2 * (1 + self.ranks.div_ceil(size_of_all)) + 2;
        let places = match self.extent {
            // Those that leave elements are as many as those of a digit.
            Some(_) => 1 + self.place_bits().div_ceil(bits),
            None => 0,
        };
        let digits = digits + u64::from(places);
        of_elements.saturating_add(of_digit).saturating_mul(digits).saturating_add(of_row)
    }

    /// Bits of an element's place in a row.
    fn place_bits(&self) -> u32 {
        u64::BITS - self.along.len.saturating_sub(1).leading_zeros()
    }

    /// What it is compiled with.
    fn constants(&self, (size, bits): (u32, u32), dimensions: usize) -> Constants {
        let mut constants = vec![
            ("WORKGROUP_SIZE", size),
            ("RANKS", low_word(self.ranks)),
            ("DIGIT_BITS", bits),
            ("COUNTERS", low_word(self.ranks << bits)),
            ("DIMENSIONS", low_word(dimensions as u64)),
        ];
        let unused = unused_bits(self.problem.element);
        if unused > 0 {
            constants.push(("UNUSED", unused));
        }
        let wanted = match self.extent {
            None => return constants,
            Some(Extent::Alone) => 1,
            Some(Extent::UpTo | Extent::DownTo) => 2,
        };
        constants.extend([("WANTED", wanted), ("ROOM", low_word(self.room))]);
        if self.extent == Some(Extent::DownTo) {
            constants.push(("TURNED", 1));
        }
        constants
    }

    /// The pass over the rows of a piece, unless they are more than a device can take at once.
    fn pass(&self, cutter: &Cutter<'_>, piece: &Piece) -> Result<Option<PlannedPass>> {
        let Self { problem, along, tuning, caps, ranks, row_bytes, .. } = *self;
        let Piece { strip, stretches } = piece;
        let [stretch] = &stretches[..] else {
            return Err(unsupported(format!(
                "ranks of {} elements that one binding does not hold",
                along.len
            )));
        };
        let (size, bits) = self.size_and_bits()?;
        let window = cutter.window(strip, stretch)?;
        let team = Team { lanes: size, items: 1, item_turns: self.turns(size, bits) };
        let grids = Grids { tuning, caps };
        let Some((grid, turns)) = grids.grid(strip.rows(), &team) else { return Ok(None) };
        let offset_bytes = problem.output_offset_bytes() + strip.first_slot * row_bytes;
        let results = Run { offset_bytes, len: strip.slots(), element_bytes: row_bytes };
        let (bytes, first_slot) = results.bound(caps)?;
        let spot = Spot { first: window.first, first_slot, len: along.len, grid, turns };
        let table = Place::Input(problem.first().len());
        let bound = |binding, place, bytes| Bound { binding, place, bytes: Some(bytes) };
        let constants = self.constants((size, bits), strip.kept.len());
        let [x, y] = grid;
        let dispatch = RecordedDispatch {
            bindings: vec![
                bound(binding::SOURCE, Place::Input(window.part), window.bytes),
                bound(binding::TARGET, Place::Output, bytes),
                bound(binding::FIRST_INPUT, table, 0..ranks * WORD_BYTES),
            ],
            parameters: row_parameters(along, strip, &spot)?,
            grid: [x, y, 1],
        };
        let shader = Shader::Order(OrderShader::Rows(problem.element));
        Ok(Some(PlannedPass { shader, constants, dispatches: vec![dispatch] }))
    }
}
