//! How elements make rows, each of which is summed.

use crate::count::whole;
use crate::failure::Failure;
use crate::measure::Case;
use wgpu_reduce::Caps;
use wgpu_reduce::ladder::{Level, RunOptions};

/// How elements make rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// So many of equal length.
    Count(u32),
    /// As long as one workgroup covers, so that each row has a workgroup of its own: the problem of
    /// write-up A.
    Workgroups,
}

/// The word for [`Rows::Workgroups`].
const WORKGROUPS: &str = "workgroups";

impl Rows {
    /// Reads a number of rows, or the word.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text == WORKGROUPS {
            return Ok(Self::Workgroups);
        }
        let count = whole(1..=u32::MAX)(text);
        count.map(Self::Count).map_err(|what| format!("{what}, or {WORKGROUPS}"))
    }

    /// Fails if the elements do not make so many rows.
    pub(crate) fn check(self, elements: u64) -> Result<(), Failure> {
        match self {
            Self::Count(rows) if !elements.is_multiple_of(rows.into()) => Err(Failure::Usage(
                format!("{elements} elements are not {rows} rows of equal length"),
            )),
            _ => Ok(()),
        }
    }

    /// A level over `elements` in rows. Rows of one workgroup are whole ones, so there may be fewer
    /// elements; if there are not enough for one, they all make it.
    pub(crate) fn case(
        self,
        level: Level,
        options: RunOptions,
        elements: u64,
        caps: &Caps,
    ) -> Case {
        match self {
            Self::Count(rows) => Case::in_rows(level, options, elements, rows),
            Self::Workgroups => {
                let row_length = row_length(level, &options, caps);
                let rows = u32::try_from(elements / row_length).unwrap_or(u32::MAX);
                let whole = if rows == 0 { elements } else { u64::from(rows) * row_length };
                Case::in_rows(level, options, whole, rows.max(1))
            }
        }
    }
}

/// What a workgroup covers without a turn more than it must. Levels 09 and later could stride over
/// any length, and level 00 goes through any: they get rows as long as level 06's.
fn row_length(level: Level, options: &RunOptions, caps: &Caps) -> u64 {
    let size = options.workgroup_size.unwrap_or(caps.max_workgroup_size.min(256));
    let each = match level {
        Level::InterleavedModulo
        | Level::InterleavedPacked
        | Level::Sequential
        | Level::BarrierFirst => 1,
        Level::FirstAdd => 2,
        _ => options.items_per_thread.unwrap_or(16),
    };
    // A size of 0 is refused later.
    (u64::from(size) * u64::from(each)).max(1)
}

#[cfg(test)]
mod tests {
    use super::Rows;
    use wgpu_reduce::Caps;
    use wgpu_reduce::ladder::{Level, RunOptions};

    #[test]
    fn rows_are_a_number_or_workgroups() {
        assert_eq!(Rows::parse("16Ki"), Ok(Rows::Count(1 << 14)));
        assert_eq!(Rows::parse("workgroups"), Ok(Rows::Workgroups));
        for text in ["0", "", "rows", "2^32"] {
            assert!(Rows::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_row_is_what_one_workgroup_covers() {
        let caps = Caps::baseline();
        let options = RunOptions { workgroup_size: Some(128), ..RunOptions::default() };
        for (level, items, elements, expected) in [
            (Level::Sequential, None, 1 << 20, (1 << 20, 1 << 13)),
            (Level::FirstAdd, None, 1 << 20, (1 << 20, 1 << 12)),
            (Level::Coarsened, None, 1 << 20, (1 << 20, 1 << 9)),
            (Level::Coarsened, Some(512), 1 << 20, (1 << 20, 1 << 4)),
            (Level::Vec4Loads, None, 10_000, (8192, 4)),
            (Level::SingleThread, None, 1 << 20, (1 << 20, 1 << 9)),
            (Level::UnrollFull, None, 100, (100, 1)),
        ] {
            let options = RunOptions { items_per_thread: items, ..options };
            let case = Rows::Workgroups.case(level, options, elements, &caps);
            assert_eq!((case.elements, case.rows), expected, "{level}");
        }
        let case = Rows::Workgroups.case(Level::Sequential, RunOptions::default(), 1 << 20, &caps);
        assert_eq!(case.rows, 1 << 12);
    }
}
