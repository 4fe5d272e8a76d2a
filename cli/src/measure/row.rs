//! What is measured, and what came of it.

use super::Times;
use crate::failure::Failure;
use crate::fields::Fields;
use std::io::Write;
use wgpu_reduce::ladder::{Form, Level, RunOptions};

/// What is measured.
pub(crate) trait Measurand {
    /// What several of them make.
    const RESULTS: &'static str;

    /// What tells it from others.
    fn name(&self) -> String;

    /// Elements that it takes.
    fn elements(&self) -> u64;

    /// Bytes of them, each counted once.
    fn bytes(&self) -> u64;

    /// What files and objects hold of it.
    fn fields(&self) -> Fields;
}

/// A level to be run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Case {
    pub(crate) level: Level,
    /// Its form is one of [`Level::forms`].
    pub(crate) options: RunOptions,
    pub(crate) elements: u64,
    /// Rows of equal length that the elements make; each is summed.
    pub(crate) rows: u32,
}

/// One invocation, which sums a row, is so slow that more elements would take minutes.
const MOST_ELEMENTS_OF_ONE_INVOCATION: u64 = 1 << 16;

impl Case {
    /// A level in its default form, or in that of the options; level 00 on fewer elements.
    pub(crate) fn new(level: Level, options: RunOptions, elements: u64) -> Self {
        Self::in_rows(level, options, elements, 1)
    }

    /// As [`new`](Self::new), with the elements in rows, of which `elements` is a multiple.
    pub(crate) fn in_rows(level: Level, options: RunOptions, elements: u64, rows: u32) -> Self {
        let form = match (options.form, level.forms()) {
            (Form::Plain, [default, ..]) => *default,
            (form, _) => form,
        };
        let elements = match level {
            Level::SingleThread => {
                elements.min(MOST_ELEMENTS_OF_ONE_INVOCATION.saturating_mul(rows.into()))
            }
            _ => elements,
        };
        Self { level, options: RunOptions { form, ..options }, elements, rows }
    }

    /// Whether level 00 has as many elements as it may, and there might have been more.
    pub(crate) fn is_cut(&self) -> bool {
        let most = MOST_ELEMENTS_OF_ONE_INVOCATION.saturating_mul(self.rows.into());
        self.level == Level::SingleThread && self.elements == most
    }
}

impl Measurand for Case {
    const RESULTS: &'static str = "sums";

    /// Level and form.
    fn name(&self) -> String {
        format!("{} ({})", self.level, form_name(self.options.form))
    }

    fn elements(&self) -> u64 {
        self.elements
    }

    /// Every type of the ladder has 4.
    fn bytes(&self) -> u64 {
        self.elements * 4
    }

    fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        fields.push("level", format!("{:02}", self.level.number()));
        fields.push("name", self.level.name());
        fields.push("form", form_name(self.options.form));
        fields.push("elements", self.elements);
        fields.push("rows", self.rows);
        fields
    }
}

/// The name of a form, as it is in tables and objects.
pub(crate) fn form_name(form: Form) -> String {
    match form {
        Form::Plain => "plain".into(),
        Form::Unrolled(turns) => format!("unrolled_{}", turns.count()),
        Form::Uncoalesced => "uncoalesced".into(),
        Form::WithinSubgroup => "within_subgroup".into(),
        Form::Width(width) => format!("width_{}", width.elements()),
        other => format!("{other:?}"),
    }
}

/// A case and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row<C = Case> {
    pub(crate) case: C,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Ran {
        passes: usize,
        workgroup_size: u32,
        /// None if the timer never answered.
        times: Option<Times>,
        /// Whether every run gave the right answer.
        ok: bool,
    },
    Skipped {
        reason: &'static str,
    },
}

impl<C: Measurand> Row<C> {
    pub(crate) fn times(&self) -> Option<Times> {
        match self.outcome {
            Outcome::Ran { times, .. } => times,
            Outcome::Skipped { .. } => None,
        }
    }

    /// The rate of what must be read: the elements, once.
    pub(crate) fn gb_per_s(&self) -> Option<f64> {
        self.times().map(|times| times.gb_per_s(self.case.bytes()))
    }

    /// Whether the answer was right; none if it did not run.
    pub(crate) fn ok(&self) -> Option<bool> {
        match self.outcome {
            Outcome::Ran { ok, .. } => Some(ok),
            Outcome::Skipped { .. } => None,
        }
    }

    /// [`ok`](Self::ok) in a table.
    pub(crate) fn answer(&self) -> &'static str {
        match self.ok() {
            Some(true) => "ok",
            Some(false) => "WRONG",
            None => "skipped",
        }
    }

    pub(crate) fn passes(&self) -> Option<usize> {
        match self.outcome {
            Outcome::Ran { passes, .. } => Some(passes),
            Outcome::Skipped { .. } => None,
        }
    }

    pub(crate) fn skipped(&self) -> Option<&'static str> {
        match self.outcome {
            Outcome::Ran { .. } => None,
            Outcome::Skipped { reason } => Some(reason),
        }
    }

    /// What files and objects hold of it.
    pub(crate) fn fields(&self, best_gb_per_s: Option<f64>) -> Fields {
        let Self { case, outcome } = self;
        let workgroup_size = match outcome {
            Outcome::Ran { workgroup_size, .. } => Some(*workgroup_size),
            Outcome::Skipped { .. } => None,
        };
        let mut fields = case.fields();
        fields.push("workgroup_size", workgroup_size);
        fields.push("passes", self.passes());
        fields.push("gpu_us", self.times().map(|times| times.median_us));
        fields.push("min_us", self.times().map(|times| times.min_us));
        fields.push("gb_per_s", self.gb_per_s());
        fields.push("percent_of_best", percent(self.gb_per_s(), best_gb_per_s));
        fields.push("ok", self.ok());
        fields.push("skipped", self.skipped());
        fields
    }
}

pub(crate) fn percent(rate: Option<f64>, best: Option<f64>) -> Option<f64> {
    Some(100.0 * rate? / best?)
}

/// How many times as fast something is as what comes before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpeedUps {
    /// Over the one before, of those that ran.
    pub(crate) step: Option<f64>,
    /// Over the first that ran.
    pub(crate) in_total: Option<f64>,
}

impl SpeedUps {
    /// The speed-ups of `rate`, which belongs at `place` among `rates`.
    pub(crate) fn new(rate: Option<f64>, place: usize, rates: &[Option<f64>]) -> Self {
        let over = |other: Option<f64>| Some(rate? / other?);
        let before = rates.iter().take(place).rev().find_map(|rate| *rate);
        let first = rates.iter().find_map(|rate| *rate);
        Self { step: over(before), in_total: over(first) }
    }
}

/// Says what did not run, and why, once for each name.
pub(crate) fn print_skipped<'a, C: Measurand + 'a>(
    rows: impl IntoIterator<Item = &'a Row<C>>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut printed = Vec::new();
    for row in rows {
        let name = row.case.name();
        if let Some(reason) = row.skipped().filter(|_| !printed.contains(&name)) {
            writeln!(out, "{name}: skipped, {reason}")?;
            printed.push(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Case, SpeedUps};
    use wgpu_reduce::ladder::{Level, RunOptions};

    #[test]
    fn speed_ups_pass_over_what_did_not_run() {
        let rates = [None, Some(2.0), None, Some(8.0)];
        let speed_ups = |place: usize| {
            let SpeedUps { step, in_total } = SpeedUps::new(rates[place], place, &rates);
            (step, in_total)
        };
        let expected = [(None, None), (None, Some(1.0)), (None, None), (Some(4.0), Some(4.0))];
        assert_eq!([0, 1, 2, 3].map(speed_ups), expected);
    }

    #[test]
    fn level_00_has_fewer_elements_in_each_row() {
        let case = |level, elements, rows| {
            Case::in_rows(level, RunOptions::default(), elements, rows).elements
        };
        assert_eq!(case(Level::SingleThread, 1 << 20, 1), 1 << 16);
        assert_eq!(case(Level::SingleThread, 1 << 20, 4), 1 << 18);
        assert_eq!(case(Level::SingleThread, 100_000, 100), 100_000);
        assert_eq!(case(Level::Sequential, 1 << 20, 4), 1 << 20);
    }
}
