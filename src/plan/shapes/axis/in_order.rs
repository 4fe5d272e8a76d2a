//! How rows or columns are spread over invocations where the order of their elements is kept.

use crate::plan::shapes::axis::cut::Strip;
use crate::plan::shapes::axis::form::{Form, low};
use crate::plan::shapes::axis::grid::{Grids, Team};
use crate::plan::shapes::axis::shader::AxisKernel;
use crate::shader::variant::Collective;

/// What a dispatch's spread depends on: `shaders/axis/in_order.wgsl`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InOrder<'a> {
    pub(crate) grids: Grids<'a>,
    /// From one element of a row to the next.
    pub(crate) stride: i64,
}

impl InOrder<'_> {
    /// The form of a stretch of rows, or of so many partials of each, if the device can take so many turns.
    pub(crate) fn spread(&self, kernel: AxisKernel, strip: &Strip, len: u64) -> Option<Form> {
        let Grids { tuning, .. } = self.grids;
        let inner = *strip.kept.last()?;
        let units = inner.extent;
        let size = u64::from(tuning.workgroup_size);
        let has_neighbours = kernel != AxisKernel::Parts && self.stride == 1;
        let widest = u64::from(tuning.widest_block).min(size);
        let width = if has_neighbours { 1 } else { units.next_power_of_two().min(widest) };
        let tiles = units.div_ceil(width);
        let rows = strip.rows();
        let blocks = rows / units * tiles;
        let useful = len.div_ceil(RUN).next_power_of_two();
        // Lanes of one row read what lies side by side; of columns, the invocations of a block do.
        let wanted = if has_neighbours { useful } else { self.grids.wanted(rows) };
        let height = wanted.max(1).min(useful).min(size / width);
        let most_runs = (self.grids.most_turns() / 2 / TURNS_PER_RUN).max(1);
        // What is left of partials is the result: nothing shares them.
        let wanted = if kernel == AxisKernel::Parts { 1 } else { self.grids.wanted(rows) };
        let parts = (wanted / height).clamp(1, len.div_ceil(height * RUN).max(1));
        let parts = parts.max(len.div_ceil(height * RUN * most_runs)).max(1);
        let share = len.div_ceil(parts).next_multiple_of(height * RUN);
        let parts = len.div_ceil(share.max(1)).max(1);
        let item_turns = share.div_ceil(height * RUN) * TURNS_PER_RUN + 32;
        let lanes = low(height);
        let team = Team { lanes, items: size / (width * height), item_turns };
        let (grid, turns) = self.grids.grid(blocks * parts, &team)?;
        let constants = vec![
            ("WORKGROUP_SIZE", tuning.workgroup_size),
            ("LANES", lanes),
            ("DIMENSIONS", low(strip.kept.len() as u64)),
            ("SHARED", u32::from(parts > 1)),
            ("SPREAD", low(width)),
        ];
        Some(Form {
            kernel,
            stores_quads: false,
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
            roundings: 0,
        })
    }
}

/// Neighbouring elements that an invocation folds, as in the shader.
const RUN: u64 = 16;

/// Turns of loops that a run may take: the kernel's, and those of the user's text, for each element and each step of
/// the tree behind it.
const TURNS_PER_RUN: u64 = 60 * (RUN + 10);
