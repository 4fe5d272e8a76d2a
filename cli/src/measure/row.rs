//! What is measured, and what came of it.

use super::Times;
use crate::fields::Fields;
use wgpu_reduce::ladder::{Form, Level, RunOptions};

/// A level to be run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Case {
    pub(crate) level: Level,
    /// Its form is one of [`Level::forms`].
    pub(crate) options: RunOptions,
    pub(crate) elements: u64,
}

/// One invocation is so slow that more elements would take minutes.
const MOST_ELEMENTS_OF_ONE_INVOCATION: u64 = 1 << 16;

impl Case {
    /// A level in its default form, or in that of the options; level 00 on fewer elements.
    pub(crate) fn new(level: Level, options: RunOptions, elements: u64) -> Self {
        let form = match (options.form, level.forms()) {
            (Form::Plain, [default, ..]) => *default,
            (form, _) => form,
        };
        let elements = match level {
            Level::SingleThread => elements.min(MOST_ELEMENTS_OF_ONE_INVOCATION),
            _ => elements,
        };
        Self { level, options: RunOptions { form, ..options }, elements }
    }
}

/// The name of a form, as it is in tables and objects.
pub(crate) fn form_name(form: Form) -> String {
    match form {
        Form::Plain => "plain".into(),
        Form::Uncoalesced => "uncoalesced".into(),
        Form::WithinSubgroup => "within_subgroup".into(),
        Form::Width(width) => format!("width_{}", width.elements()),
        other => format!("{other:?}"),
    }
}

/// A case and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) case: Case,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Ran {
        passes: usize,
        workgroup_size: u32,
        /// None if the timer never answered.
        times: Option<Times>,
        /// Whether every run gave the right sum.
        ok: bool,
    },
    Skipped {
        reason: &'static str,
    },
}

impl Row {
    pub(crate) fn times(&self) -> Option<Times> {
        match self.outcome {
            Outcome::Ran { times, .. } => times,
            Outcome::Skipped { .. } => None,
        }
    }

    /// Of what must be read: the elements, once.
    pub(crate) fn gb_per_s(&self) -> Option<f64> {
        self.times().map(|times| times.gb_per_s(self.case.elements * 4))
    }

    /// Whether the sum was right; none if it did not run.
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
        let mut fields = Fields::default();
        fields.push("level", format!("{:02}", case.level.number()));
        fields.push("name", case.level.name());
        fields.push("form", form_name(case.options.form));
        fields.push("elements", case.elements);
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
