//! How a stretch of rows or columns is spread over invocations.

use crate::op::Over;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::folding::Folding;
use crate::plan::recording::Constants;
use crate::plan::shapes::axis::cut::{Strip, Window};
use crate::plan::shapes::axis::grid::{Grids, Team};
use crate::plan::shapes::axis::shader::{
    AxisKernel, AxisShader, Leaves, appends, columns_per_load, has_lone_columns,
    has_rows_in_flight, packs, stores_quads,
};
use crate::plan::shapes::axis::tuning::AxisTuning;
use crate::plan::shapes::axis::view::Along;
use crate::shader::Shader;
use crate::shader::custom::CustomShader;
use crate::shader::variant::Collective;

/// What a dispatch's spread depends on, where an operation folds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spreader<'a> {
    pub(crate) along: &'a Along,
    pub(crate) element: ElementKind,
    pub(crate) over: Over,
    pub(crate) tuning: AxisTuning,
    pub(crate) caps: &'a Caps,
    /// Parts that a row may have, unless loops would be too long.
    pub(crate) most_parts: u64,
    /// The kernel of what has something beside it.
    pub(crate) beside: Option<AxisKernel>,
}

/// The spread of one dispatch: its pipeline's constants, and numbers for its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) kernel: AxisKernel,
    /// Whether four results are one store, if it leaves results and `leaves_quads` was said.
    pub(crate) stores_quads: bool,
    pub(crate) collective: Collective,
    pub(crate) constants: Constants,
    /// Invocations of a team.
    pub(crate) lanes: u32,
    /// What items are parts of: rows, or blocks of columns.
    pub(crate) rows: u64,
    /// Items that share one, and what each has.
    pub(crate) parts: u64,
    pub(crate) share: u64,
    pub(crate) grid: [u32; 2],
    pub(crate) turns: u32,
    /// For columns, how many units lie side by side.
    pub(crate) units: u64,
    pub(crate) tiles: u64,
    /// Most roundings of an element on its way to what is left.
    pub(crate) roundings: u64,
}

impl Spreader<'_> {
    /// The form of a stretch behind a window, if the device can take so many turns. `leaves_quads` says that, should
    /// one team have all of a row, its result is left at once, and the first one's at a multiple of four.
    pub(crate) fn spread(
        &self,
        strip: &Strip,
        window: &Window,
        len: u64,
        leaves_quads: bool,
    ) -> Option<Form> {
        let may_pack = leaves_quads && self.beside.is_none();
        let packed = if may_pack { self.packed(strip, window, len) } else { None };
        match (packed, self.beside) {
            (Some(packed), _) => Some(packed),
            (None, Some(kernel)) if self.along.stride == 1 => self.rows_beside(kernel, strip, len),
            (None, None) if self.along.stride == 1 => self.rows(strip, window, len),
            _ => self.columns(strip, window, len),
        }
    }

    const fn grids(&self) -> Grids<'_> {
        Grids { tuning: self.tuning, caps: self.caps }
    }

    /// Subgroups' where their size is known.
    fn collective(&self, lanes: u32) -> Collective {
        let size = self.tuning.workgroup_size;
        let fits = self.caps.subgroups.is_some_and(|sizes| {
            sizes.min == sizes.max
                && size.is_multiple_of(sizes.max)
                && u64::from(lanes) <= u64::from(sizes.max).pow(2)
        });
        if fits { Collective::Subgroup } else { Collective::Workgroup }
    }

    fn rows(&self, strip: &Strip, window: &Window, len: u64) -> Option<Form> {
        let per_quad = self.element.per_quad();
        let is_whole = |n: u64| n.is_multiple_of(per_quad);
        let aligned = is_whole(window.first.into())
            && is_whole(len)
            && strip.kept.iter().all(|d| d.extent == 1 || is_whole(d.stride.unsigned_abs()));
        let quads = aligned || len >= u64::from(self.tuning.min_unaligned);
        let units = if quads { len / per_quad } else { len };
        let rows = strip.rows();
        let (lanes, parts) = self.team_of_row(units, rows);
        let share = units.div_ceil(parts);
        let parts = units.div_ceil(share);
        let most_loads = u64::from(self.tuning.loads_in_flight);
        let single = parts == 1 && share <= u64::from(lanes) * most_loads;
        let loads = if single { share.div_ceil(lanes.into()) } else { most_loads };
        let ends = if aligned || !quads { 0 } else { 2 * (per_quad - 1) };
        let rows_in_flight = if single { self.rows_in_flight(rows, lanes, loads) } else { 1 };
        let tiles = share.div_ceil(u64::from(lanes) * loads);
        let teams = u64::from(self.tuning.workgroup_size / lanes);
        let ends_turns = ends.div_ceil(lanes.into());
        let item_turns =
            tiles * (1 + loads * self.unit_turns()) + ends_turns + self.team_turns(lanes);
        let items = teams * u64::from(rows_in_flight);
        let team = Team { lanes, items, item_turns: u64::from(rows_in_flight) * item_turns };
        let (grid, turns) = self.grids().grid(rows * parts, &team)?;
        let collective = self.collective(lanes);
        let tile = u64::from(lanes) * loads;
        let whole = aligned && share.is_multiple_of(tile) && units.is_multiple_of(share);
        let mut constants = self.constants(&team, strip);
        let flags = [("QUADS", quads), ("ALIGNED", aligned), ("SHARED", parts > 1)];
        constants.extend(flags.map(|(name, flag)| (name, u32::from(flag))));
        if !appends(&self.over) {
            let flags = [("SINGLE", single), ("WHOLE", whole)];
            constants.extend(flags.map(|(name, flag)| (name, u32::from(flag))));
            constants.push(("LOADS", low(loads)));
        }
        if has_rows_in_flight(&self.over) {
            constants.push(("ROWS", rows_in_flight));
        }
        let in_unit = if quads { per_quad.div_ceil(4) } else { 1 };
        let chain = 2 + in_unit * loads + tiles + ends + u64::from(lanes.ilog2());
        Some(Form {
            kernel: AxisKernel::Rows,
            stores_quads: false,
            collective,
            constants,
            lanes,
            rows,
            parts,
            share,
            grid,
            turns,
            units,
            tiles: 1,
            roundings: chain,
        })
    }

    /// The form of rows with something beside them: columns of which each has a block alone, whose invocations read
    /// neighbours.
    fn rows_beside(&self, kernel: AxisKernel, strip: &Strip, len: u64) -> Option<Form> {
        let rows = strip.rows();
        let (lanes, parts) = self.team_of_row(len, rows);
        let share = len.div_ceil(parts);
        let parts = len.div_ceil(share);
        let own = share.div_ceil(lanes.into());
        let items = u64::from(self.tuning.workgroup_size / lanes);
        let item_turns = own * (1 + self.unit_turns()) + self.team_turns(lanes) + 8;
        let team = Team { lanes, items, item_turns };
        let (grid, turns) = self.grids().grid(rows * parts, &team)?;
        let mut constants = self.constants(&team, strip);
        constants.extend([("SHARED", u32::from(parts > 1)), ("SPREAD", 1)]);
        let units = strip.kept.last()?.extent;
        Some(Form {
            kernel,
            stores_quads: false,
            collective: Collective::Workgroup,
            constants,
            lanes,
            rows,
            parts,
            share,
            grid,
            turns,
            units,
            tiles: units,
            roundings: self.roundings_beside(own, lanes),
        })
    }

    /// Roundings of an element among so many of an invocation, one of so many that share a row.
    fn roundings_beside(&self, own: u64, lanes: u32) -> u64 {
        let of_own = if self.over.accumulator.is_long() { own } else { own.div_ceil(4) + 5 };
        of_own + u64::from(lanes.ilog2())
    }

    /// The form of rows that are so short that a load has several whole ones.
    fn packed(&self, strip: &Strip, window: &Window, len: u64) -> Option<Form> {
        let [rows] = strip.kept[..] else { return None };
        let is_packed = packs(self.element, &self.over)
            && (1..=2).contains(&len)
            && self.along.stride == 1
            && i64::try_from(len).is_ok_and(|len| rows.stride == len)
            && has_quads_of_slots(strip)
            && rows.extent.is_multiple_of(4)
            && window.first.is_multiple_of(4);
        if !is_packed {
            return None;
        }
        let units = rows.extent / 4;
        let items = u64::from(self.tuning.workgroup_size) * (4 / len);
        let (grid, turns) = self.grids().grid(units, &Team { lanes: 1, items, item_turns: 8 })?;
        Some(Form {
            kernel: AxisKernel::Packed,
            stores_quads: true,
            collective: Collective::Workgroup,
            constants: vec![
                ("WORKGROUP_SIZE", self.tuning.workgroup_size),
                ("LENGTH", low(len)),
                ("DIMENSIONS", 1),
            ],
            lanes: 1,
            rows: rows.extent,
            parts: 1,
            share: len,
            grid,
            turns,
            units,
            tiles: 1,
            roundings: 2,
        })
    }

    /// How many invocations a row of so many units gets, and how many teams of them.
    fn team_of_row(&self, units: u64, rows: u64) -> (u32, u64) {
        let AxisTuning { workgroup_size, loads_in_flight, short_team, shortest_team, .. } =
            self.tuning;
        let loads = u64::from(loads_in_flight);
        let one_tile = units.div_ceil(loads).next_power_of_two();
        let largest = u64::from(workgroup_size);
        // Neighbouring lanes are to read what fills a line of the cache, where a row has so much.
        let short = one_tile.max(units.next_power_of_two().min(shortest_team.into())).min(largest);
        if short <= u64::from(short_team) {
            return (low(short), self.least_parts(units, short));
        }
        let wanted = self.grids().wanted(rows);
        let lanes = wanted.clamp(short_team.into(), one_tile.max(short_team.into())).min(largest);
        let most_parts = units.div_ceil(lanes * loads);
        let parts = (wanted / lanes).clamp(1, most_parts).min(self.most_parts);
        (low(lanes), parts.max(self.least_parts(units, lanes)))
    }

    /// Parts of a row so small that loops over one are no longer than they may be.
    fn least_parts(&self, units: u64, lanes: u64) -> u64 {
        let turns = self.grids().most_turns() / 2;
        let most = lanes.saturating_mul((turns / (1 + self.unit_turns())).max(1));
        units.div_ceil(most).max(1)
    }

    /// Rows of which a team loads all before it uses the first: none waits for more than there are.
    fn rows_in_flight(&self, rows: u64, lanes: u32, loads: u64) -> u32 {
        let room = if has_rows_in_flight(&self.over) { self.tuning.rows_in_flight } else { 1 };
        let loads = u32::try_from(loads).unwrap_or(u32::MAX).max(1);
        let by_loads = (self.tuning.loads_in_flight / loads).clamp(1, room);
        let invocations = rows.saturating_mul(lanes.into());
        let by_rows = invocations / u64::from(self.tuning.invocations);
        1 << by_loads.min(low(by_rows.clamp(1, 4))).ilog2()
    }

    fn columns(&self, strip: &Strip, window: &Window, len: u64) -> Option<Form> {
        let per_load = columns_per_load(self.element);
        let is_whole = |n: u64| n.is_multiple_of(per_load);
        let inner = *strip.kept.last()?;
        let outer = strip.kept.iter().rev().skip(1);
        let is_lone = self.beside.is_some() || has_lone_columns(&self.over);
        let wide = !is_lone
            && inner.stride == 1
            && is_whole(inner.extent)
            && is_whole(window.first.into())
            && is_whole(self.along.stride.unsigned_abs())
            && outer.clone().all(|d| is_whole(d.stride.unsigned_abs()));
        let columns = if wide { per_load } else { 1 };
        let units = inner.extent / columns;
        let size = u64::from(self.tuning.workgroup_size);
        let widest = u64::from(self.tuning.widest_block);
        let width = units.next_power_of_two().min(widest).min(size);
        let tiles = units.div_ceil(width);
        let blocks = outer.map(|d| d.extent).product::<u64>() * tiles;
        let wanted = self.grids().wanted(blocks * width);
        let useful = if width < widest { len } else { len.div_ceil(4) }.next_power_of_two();
        let run = (widest / width).max(wanted);
        let height = run.min(useful).min(size / width).max(1);
        let by_turns = len.div_ceil(height * (self.grids().most_turns() / 16).max(1));
        let parts = (wanted / height).clamp(1, len.div_ceil(height * 8)).min(self.most_parts);
        let parts = parts.max(by_turns);
        let share = len.div_ceil(parts);
        let parts = len.div_ceil(share);
        // A turn for each element, though four may be appended at once: what appends them has room for its own.
        let turns_of_rows = share.div_ceil(height) * (1 + columns);
        let item_turns = turns_of_rows + columns * self.team_turns(low(height)) + 8;
        let lanes = low(height);
        let team = Team { lanes, items: size / (width * height), item_turns };
        let (grid, turns) = self.grids().grid(blocks * parts, &team)?;
        let mut constants = self.constants(&team, strip);
        constants.extend([("SHARED", u32::from(parts > 1)), ("SPREAD", low(width))]);
        if !is_lone {
            constants.push(("WIDE", u32::from(wide)));
        }
        let own = share.div_ceil(height);
        let chain = own.div_ceil(4) + 5 + u64::from(lanes.ilog2());
        Some(Form {
            kernel: self.beside.unwrap_or(AxisKernel::Columns),
            stores_quads: wide
                && stores_quads(self.element, &self.over)
                && has_quads_of_slots(strip),
            collective: Collective::Workgroup,
            constants,
            lanes,
            rows: blocks,
            parts,
            share,
            grid,
            turns,
            units,
            tiles,
            roundings: self.beside.map_or(chain, |_| self.roundings_beside(own, lanes)),
        })
    }

    /// The form of the pass that folds so many partials of each of a strip's rows.
    pub(crate) fn parts(&self, strip: &Strip, count: u64) -> Option<Form> {
        let rows = strip.rows();
        let largest = u64::from(self.tuning.workgroup_size);
        let lanes =
            count.div_ceil(4).next_power_of_two().min(self.grids().wanted(rows)).min(largest);
        let lanes = low(lanes);
        let own = count.div_ceil(lanes.into());
        let items = u64::from(self.tuning.workgroup_size / lanes);
        let team = Team { lanes, items, item_turns: own + self.team_turns(lanes) };
        let (grid, turns) = self.grids().grid(rows, &team)?;
        Some(Form {
            kernel: AxisKernel::Parts,
            stores_quads: false,
            collective: self.collective(lanes),
            constants: self.constants(&team, strip),
            lanes,
            rows,
            parts: 1,
            share: 0,
            grid,
            turns,
            units: 0,
            tiles: 1,
            roundings: own + u64::from(lanes.ilog2()),
        })
    }

    fn constants(&self, team: &Team, strip: &Strip) -> Constants {
        vec![
            ("WORKGROUP_SIZE", self.tuning.workgroup_size),
            ("LANES", team.lanes),
            ("DIMENSIONS", low(strip.kept.len() as u64)),
        ]
    }

    /// Turns of the loops in what appends a unit, and finds places in it.
    const fn unit_turns(&self) -> u64 {
        let per_quad = self.element.per_quad();
        2 + per_quad / 4 + per_quad.div_ceil(4) * self.over.accumulator.quad_turns() as u64
    }

    /// Turns of the loops that make a team's values one and leave it.
    fn team_turns(&self, lanes: u32) -> u64 {
        let words = u64::from(self.over.accumulator.words());
        let finish = u64::from(self.over.accumulator.finish_turns());
        let steps = u64::from(lanes.ilog2()) + 1;
        steps * (1 + words)
            + 2 * crate::plan::shapes::axis::view::MAX_DIMENSIONS as u64
            + words
            + finish
            + 24
    }
}

impl Form {
    /// The shader that folds so. Where it leaves results, it leaves quads of them if the form says so.
    pub(crate) fn shader(
        &self,
        folding: &Folding<'_>,
        leaves: Leaves,
        element: ElementKind,
        caps: &Caps,
    ) -> Shader {
        let (finishes, of_axes) = (leaves.finishes(), leaves == Leaves::PartialsOfAxes);
        match *folding {
            Folding::Operation { operation, over } => Shader::Axis(AxisShader {
                kernel: self.kernel,
                collective: self.collective,
                operation,
                element,
                finishes,
                of_axes,
                stores_quads: finishes && self.stores_quads,
                native: over.is_native_on(caps),
                over,
            }),
            Folding::Custom { operator, .. } => {
                let reads_partials = self.kernel == AxisKernel::Parts;
                Shader::Custom(CustomShader::along(operator, reads_partials, (finishes, of_axes)))
            }
        }
    }

    /// What the pipeline tells the shader of the device.
    pub(crate) fn device_constants(&self, caps: &Caps) -> Option<(&'static str, u32)> {
        let sizes = caps.subgroups.filter(|_| self.collective == Collective::Subgroup)?;
        Some(("SUBGROUP_SIZE", sizes.max))
    }
}

/// Whether results of four neighbours lie side by side, at multiples of four from the first.
fn has_quads_of_slots(strip: &Strip) -> bool {
    let mut dimensions = strip.kept.iter().rev();
    dimensions.next().is_some_and(|inner| inner.slots == 1)
        && dimensions.all(|outer| outer.slots.is_multiple_of(4))
}

/// What is known to fit.
pub(crate) fn low(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
