//! Order statistics along axes: each row has a workgroup, which goes through it once for each digit, or has its keys in registers.

use super::digits::{key_bytes, search_turns};
use super::plan::STATE_BYTES;
use super::shader::{OrderShader, Ranking, Search, has_short_keys, unused_bits};
use super::sought::Sought;
use crate::error::{Error, Result};
use crate::op::ranks::{Extent, Ranks};
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
use crate::plan::shapes::axis::cut::{Cutter, Piece, Seen, Strip};
use crate::plan::shapes::axis::grid::{Grids, Team};
use crate::plan::shapes::axis::view::{Along, View};
use crate::plan::shapes::axis::walk::{Order, Walk};
use crate::plan::shapes::axis::{AxisSet, Spot, check_offsets, of_rows, row_parameters};
use crate::shader::Shader;

/// Plans the elements of ranks along axes of a view.
///
/// # Errors
///
/// Those of whole inputs and of other folds along an axis; [`Error::Unsupported`] if one binding does not hold a row, or a workgroup
/// would take more turns for one than the device allows.
pub(crate) fn lower(
    problem: &Problem<'_>,
    ranks: &Ranks<'_>,
    (view, axes): (View, AxisSet),
    caps: &Caps,
) -> Result<Plan> {
    let element = problem.element;
    let tuning = problem.tuning(|| AxisTuning::for_caps(caps))?;
    caps.check()?;
    tuning.validate(caps)?;
    view.check_len(len_of(problem.first()))?;
    // Nothing is left of a part of a row.
    let order = if ranks.extent().is_some() { Order::Indexed } else { Order::Any };
    let walk = Walk { order, element_bytes: element.size_bytes(), accumulator_bytes: 0 };
    let along = view.along(axes, walk)?;
    let len = along.elements();
    let rows = along.results;
    ranks.check()?;
    let sought = match rows {
        0 => Sought::new(&ranks.of_one(), 1, element)?,
        _ => Sought::new(ranks, len, element)?,
    };
    let row_bytes = sought.bytes();
    check_offsets(problem, row_bytes)?;
    end_of(problem.output_offset_bytes(), [rows, row_bytes])?;
    let ranks_wanted = sought.count();
    let planner =
        Planner { problem, along: &along, tuning, caps, ranks: ranks_wanted, sought: &sought };
    if rows > 0 && len > MOST_ELEMENTS {
        return Err(planner.too_long());
    }
    let table = sought.table_of_quantiles();
    let table = table.unwrap_or_else(|| sought.ranks().map(|[rank, _]| rank).collect());
    let passes = if rows > 0 { planner.passes()? } else { Vec::new() };
    Ok(Plan {
        operation: ranks.name,
        element,
        inputs: 1,
        len,
        results: rows,
        roundings: 0,
        tuning: tuning.into(),
        input_bytes: rows.saturating_mul(len).saturating_mul(element.size_bytes()),
        result_bytes: row_bytes,
        loads_in_flight: 0,
        outputs: Outputs::RanksOfRows { table },
        recording: Recording { passes, ..Recording::new() }.within(caps)?,
    })
}

struct Planner<'a> {
    problem: &'a Problem<'a>,
    along: &'a Along,
    tuning: AxisTuning,
    caps: &'a Caps,
    ranks: u64,
    sought: &'a Sought,
}

/// Digits are not longer: their counters are to be cleared and added up for each row.
const MOST_BITS: u32 = 8;

/// Invocations that a workgroup has at least, if it may have so many.
const LEAST_SIZE: u32 = 32;

/// Words of lone variables, and what is lost where each variable begins at a multiple of 16 bytes.
const LOOSE_WORDS: u64 = 64;

/// Rows are not longer: an index and the size of a workgroup would not fit a word together.
const MOST_ELEMENTS: u64 = 1 << 31;

/// Quads of keys that the registers of an invocation hold, as `shaders/order/by_pivots.wgsl` has them.
const MOST_QUADS: u64 = 8;

/// With more ranks, digits of all are found at once. Two quantiles of floats have five: the last tells of NaN.
const MOST_PIVOTED: u64 = 5;

/// Steps of a search by pivots for one rank.
const MOST_STEPS: u64 = 165;

/// How a workgroup finds keys.
#[derive(Clone, Copy)]
struct Form {
    search: Search,
    /// Invocations.
    size: u32,
    /// Bits of a digit; by pivots, of that of a place alone.
    bits: u32,
}

impl Planner<'_> {
    fn passes(&self) -> Result<Vec<PlannedPass>> {
        let cutter = Cutter {
            along: self.along,
            input: Seen {
                parts: self.problem.first(),
                element_bytes: self.problem.element.size_bytes(),
            },
            beside: None,
            output_bytes: self.sought.bytes(),
            caps: self.caps,
        };
        let (mut pieces, mut passes) = (cutter.pieces(Strip::of(self.along))?, Vec::new());
        pieces.reverse();
        while let Some(piece) = pieces.pop() {
            if let Some(pass) = self.pass(&cutter, &piece)? {
                passes.push(pass);
            } else {
                // Fewer rows take fewer turns.
                let halves = piece.halves().ok_or_else(|| self.too_long())??;
                pieces.extend(halves.into_iter().rev());
            }
            check_dispatches(passes.len() + pieces.len())?;
        }
        Ok(passes)
    }

    fn too_long(&self) -> Error {
        unsupported(format!("ranks of {} elements by one workgroup", self.along.elements()))
    }

    /// By pivots if a workgroup of one subgroup holds a row, where all subgroups are of one size.
    fn form(&self) -> Result<Form> {
        let sizes = self.caps.subgroups.filter(|sizes| sizes.min == sizes.max);
        let fits = |size: u32| {
            size <= self.tuning.workgroup_size
                && self.quads(size) <= MOST_QUADS
                && self.ranks <= MOST_PIVOTED
                && has_short_keys(self.problem.element)
        };
        match sizes.filter(|sizes| fits(sizes.max)) {
            Some(sizes) => {
                let size = sizes.max;
                Ok(Form { search: Search::Pivots, size, bits: size.ilog2().clamp(1, MOST_BITS) })
            }
            None => self.by_digits(),
        }
    }

    /// Quads of keys that each of so many invocations has.
    fn quads(&self, size: u32) -> u64 {
        self.along.elements().div_ceil(4 * u64::from(size)).max(1)
    }

    /// Of a short row no more invocations than have something to do, and of many ranks fewer, if there is no room for one bit.
    fn by_digits(&self) -> Result<Form> {
        let wanted = u32::try_from(self.along.elements() / 8).unwrap_or(u32::MAX).max(LEAST_SIZE);
        let mut size = largest_power_of_two(wanted).min(self.tuning.workgroup_size);
        let words = u64::from(self.caps.workgroup_storage_bytes) / WORD_BYTES;
        // Two keys and six numbers, and what is known of a row and of a place.
        let of_key = key_bytes(self.problem.element) / WORD_BYTES;
        let of_rank = 2 * of_key + 6;
        loop {
            let others = LOOSE_WORDS
                + (1 + 2 * of_key) * u64::from(size)
                + self.ranks.saturating_mul(of_rank);
            let bits = (words.saturating_sub(others) / self.ranks).checked_ilog2().unwrap_or(0);
            match bits.min(MOST_BITS) {
                0 if size > LEAST_SIZE => size /= 2,
                0 => return Err(unsupported(format!("{} ranks at once", self.ranks))),
                bits => return Ok(Form { search: Search::Digits, size, bits }),
            }
        }
    }

    /// Turns of the loops of an invocation for a row, as `shaders/order/rows.wgsl` has them. To leave a loop counts, too.
    fn turns(&self, Form { search, size, bits }: Form) -> u64 {
        let (size_of_all, counters) = (u64::from(size), self.ranks << bits);
        let of_search = search_turns(self.ranks);
        let top = if self.problem.element.number().has_64_bits() { 64 } else { 32 };
        let digits = u64::from((top - unused_bits(self.problem.element)).div_ceil(bits));
        let of_element = match self.along.outer.len() as u64 {
            0 => 1 + of_search,
            outer => 2 + outer + of_search,
        };
        let of_elements =
            1 + self.along.elements().div_ceil(size_of_all).saturating_mul(of_element);
        let of_scan = 1 + u64::from(size.ilog2());
        let of_counters = 1 + counters.div_ceil(size_of_all);
        let of_ranks = of_scan + 2 * of_counters + 1 + self.ranks * (1 + of_counters);
        let of_known = 1 + self.ranks.div_ceil(size_of_all);
        let of_digit = 2
            + self.ranks
            + of_counters
            + 2 * of_known
            + self.ranks.div_ceil(size_of_all) * of_search
            + of_ranks;
        // Few keys that are compared, and an end of their search.
        let of_few = size_of_all + 2 * self.ranks + of_search + 4;
        let of_position = match self.sought.ranking() {
            Ranking::Elements => 1,
            Ranking::Numbers => 2 + of_search,
        };
        let of_row = of_few + (3 + of_position) * (1 + self.ranks.div_ceil(size_of_all)) + 2;
        let places = match self.sought.extent {
            // Those that leave elements are as many as those of a digit.
            Some(_) => 1 + self.place_bits().div_ceil(bits),
            None => 0,
        };
        let (passes, of_pivots) = match search {
            // As many turns find the least key and the largest, and those that are few.
            Search::Digits => (digits + 2, 0),
            // To load an element takes turns where it is sought along several axes.
            Search::Pivots => (1, (1 + self.quads(size)) * (7 + self.ranks * (2 + MOST_STEPS))),
        };
        let of_passes = (passes + u64::from(places)).saturating_mul(of_elements + of_digit);
        of_passes.saturating_add(of_pivots).saturating_add(of_row)
    }

    /// Bits of an element's place in a row.
    fn place_bits(&self) -> u32 {
        u64::BITS - self.along.elements().saturating_sub(1).leading_zeros()
    }

    /// What it is compiled with.
    fn constants(&self, Form { search, size, bits }: Form, dimensions: usize) -> Constants {
        let mut constants = vec![
            ("WORKGROUP_SIZE", size),
            ("RANKS", low_word(self.ranks)),
            ("DIGIT_BITS", bits),
            ("COUNTERS", low_word(self.ranks << bits)),
            ("DIMENSIONS", low_word(dimensions as u64)),
        ];
        if search == Search::Pivots {
            constants.push(("QUADS", low_word(self.quads(size))));
        }
        let unused = unused_bits(self.problem.element);
        if unused > 0 {
            constants.push(("UNUSED", unused));
        }
        constants.extend(self.sought.constants());
        let wanted = match self.sought.extent {
            None => return constants,
            Some(Extent::Alone) => 1,
            Some(Extent::UpTo | Extent::DownTo) => 2,
        };
        constants.extend([("WANTED", wanted), ("ROOM", low_word(self.sought.elements()))]);
        if self.sought.extent == Some(Extent::DownTo) {
            constants.push(("TURNED", 1));
        }
        constants
    }

    /// The pass over the rows of a piece, unless they are more than a device can take at once.
    fn pass(&self, cutter: &Cutter<'_>, piece: &Piece) -> Result<Option<PlannedPass>> {
        let Self { problem, along, tuning, caps, ranks, sought } = *self;
        let row_bytes = sought.bytes();
        let Piece { strip, blocks } = piece;
        let [block] = &blocks[..] else {
            return Err(unsupported(format!(
                "ranks of {} elements that one binding does not hold",
                along.elements()
            )));
        };
        let form = self.form()?;
        let window = cutter.window(block)?;
        let team = Team { lanes: form.size, items: 1, item_turns: self.turns(form) };
        let grids = Grids { tuning, caps };
        let Some((grid, turns)) = grids.grid(strip.rows(), &team) else { return Ok(None) };
        let offset_bytes = problem.output_offset_bytes() + strip.first_slot * row_bytes;
        let results = Run { offset_bytes, len: strip.slots(), element_bytes: row_bytes };
        let (bytes, first_slot) = results.bound(caps)?;
        let spot = Spot { first: window.first, first_slot, grid, turns };
        let table = Place::Input(problem.first().len());
        let table_bytes = match sought.ranking() {
            Ranking::Elements => ranks * WORD_BYTES,
            Ranking::Numbers => (ranks + 1) * STATE_BYTES,
        };
        let bound = |binding, place, bytes| Bound { binding, place, bytes: Some(bytes) };
        let mut constants = self.constants(form, of_rows(strip).len());
        let [x, y] = grid;
        let dispatch = RecordedDispatch {
            bindings: vec![
                bound(binding::SOURCE, Place::Input(window.part), window.bytes),
                bound(binding::TARGET, Place::Output, bytes),
                bound(binding::FIRST_INPUT, table, 0..table_bytes),
            ],
            parameters: row_parameters(along, strip, &spot)?,
            grid: [x, y, 1],
        };
        let shader = match along.outer.len() as u64 {
            0 => OrderShader::Rows(problem.element, sought.ranking(), form.search),
            outer => {
                constants.push(("OUTER", low_word(outer)));
                OrderShader::RowsOfAxes(problem.element, sought.ranking(), form.search)
            }
        };
        let shader = Shader::Order(shader);
        Ok(Some(PlannedPass { shader, constants, dispatches: vec![dispatch] }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::element::ElementKind::{F32, I64, U8};
    use crate::op::{ArgNth, Median, Quantiles};
    use crate::plan::caps::SubgroupSizes;
    use crate::plan::shapes::axis::Matrix;

    #[test]
    fn short_rows_are_searched_by_pivots_where_a_subgroup_holds_one() {
        let with =
            |min, max| Caps { subgroups: Some(SubgroupSizes { min, max }), ..Caps::baseline() };
        let (three, two) = (Quantiles::new([0.1, 0.5, 0.9]), Quantiles::new([0.1, 0.9]));
        let by_pivots = |problem: Problem<'_>, columns, caps: &Caps| {
            let matrix = Matrix { rows: 70, columns };
            let plan = problem.along(View::from(matrix), 1).plan(caps).unwrap();
            let is_one = |pass: &PlannedPass| {
                matches!(pass.shader, Shader::Order(OrderShader::Rows(_, _, Search::Pivots)))
            };
            let count = plan.passes().iter().filter(|pass| is_one(pass)).count();
            assert!(count == 0 || count == plan.passes().len(), "{plan}");
            count > 0
        };
        for (columns, is_short) in [(1, true), (1024, true), (1025, false)] {
            let len = 70 * columns;
            let caps = with(32, 32);
            let none = Caps::baseline();
            for (problem, few) in [
                (Problem::new::<f32, _>(&Median, F32, len), true),
                (Problem::new::<u8, _>(&ArgNth { rank: 0 }, U8, len), true),
                (Problem::new::<f32, _>(&two, F32, len), true),
                (Problem::new::<f32, _>(&three, F32, len), columns == 1),
                (Problem::new::<i64, _>(&Median, I64, len), false),
            ] {
                let is_one = by_pivots(problem.clone(), columns, &caps);
                assert_eq!(is_one, is_short && few, "{columns} of {problem}");
                assert!(!by_pivots(problem.clone(), columns, &none));
                assert!(!by_pivots(problem, columns, &with(16, 32)));
            }
        }
    }
}
