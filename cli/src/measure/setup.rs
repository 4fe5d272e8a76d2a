//! On what and how it was measured.

use super::Timer;
use crate::fields::Fields;
use wgpu_reduce::ElementKind;

#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) adapter: String,
    pub(crate) driver: String,
    pub(crate) element: ElementKind,
    /// Elements of the largest case.
    pub(crate) elements: u64,
    /// Rows that they make; none if every case has rows of what one workgroup covers.
    pub(crate) rows: Option<u32>,
    pub(crate) runs: u32,
    pub(crate) timer: Timer,
    pub(crate) best: Option<Best>,
}

/// The highest rate at the largest length; rates at small ones may be those of a cache.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Best {
    pub(crate) gb_per_s: f64,
    /// What read at that rate.
    pub(crate) by: String,
}

impl Setup {
    pub(crate) fn best_gb_per_s(&self) -> Option<f64> {
        self.best.as_ref().map(|best| best.gb_per_s)
    }

    /// What is summed.
    pub(crate) fn subject(&self) -> String {
        let Self { elements, element, rows, .. } = self;
        match rows {
            Some(1) => format!("{elements} {element} elements"),
            Some(rows) => format!("{elements} {element} elements in {rows} rows"),
            None => format!("{elements} {element} elements in rows of one workgroup each"),
        }
    }

    /// What objects hold of it.
    pub(crate) fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        fields.push("adapter", self.adapter.as_str());
        fields.push("driver", self.driver.as_str());
        fields.push("dtype", self.element.name());
        fields.push("elements", self.elements);
        fields.push("rows", self.rows);
        fields.push("repetitions", self.runs);
        fields.push("timer", self.timer.name());
        fields.push("best_gb_per_s", self.best_gb_per_s());
        fields.push("best_by", self.best.as_ref().map(|best| best.by.as_str()));
        fields
    }

    /// What stands below the title of a plot.
    pub(crate) fn caption(&self) -> String {
        let Self { adapter, driver, element, runs, timer, .. } = self;
        let timer = match timer {
            Timer::Gpu => "GPU time",
            Timer::Call => "wall-clock time",
        };
        format!("{adapter}, driver {driver}; {element}, median {timer} of {runs} runs")
    }
}
