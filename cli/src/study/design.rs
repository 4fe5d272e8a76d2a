//! What a study measures, as plain data.

use super::histogram::Data;
use super::reported::Reported;
use super::results::{Point, Results, Series};
use crate::chart::Look;
use crate::count::format_count;
use crate::measure::{Case, Measurand, Measured};

/// A study before it has run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Design<C = Case> {
    pub(super) title: &'static str,
    pub(super) axis: Axis,
    /// What is shown of each point; the first is plotted.
    pub(super) figures: &'static [Figure],
    /// Whether the plot's values are on a logarithmic axis.
    pub(super) is_log: bool,
    pub(super) series: Vec<Plan<C>>,
    /// What a reader must know to compare.
    pub(super) notes: Vec<String>,
}

/// Cases that differ in one thing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan<C = Case> {
    pub(super) name: String,
    pub(super) look: Look,
    pub(super) points: Vec<(u64, C)>,
    pub(super) reported: Vec<Reported>,
}

/// What cases of a series differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Elements,
    WorkgroupSize,
    ItemsPerThread,
    /// The n-th kind of data.
    Data,
}

impl Axis {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Elements => "elements",
            Self::WorkgroupSize => "workgroup size (invocations)",
            Self::ItemsPerThread => "elements per invocation",
            Self::Data => "data",
        }
    }

    /// The name in files and objects.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Elements => "elements",
            Self::WorkgroupSize => "workgroup_size",
            Self::ItemsPerThread => "items_per_thread",
            Self::Data => "data",
        }
    }

    /// As people write it.
    pub(super) fn label(self, x: u64) -> String {
        match self {
            Self::Elements => format_count(x),
            Self::WorkgroupSize | Self::ItemsPerThread => x.to_string(),
            Self::Data => {
                Data::of_place(x).map_or_else(|| x.to_string(), |data| data.name().into())
            }
        }
    }
}

/// What is shown of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    GbPerS,
    Milliseconds,
    /// For every 2^20 elements, so that different numbers of elements compare.
    MicrosecondsPerMi,
    PercentOfBest,
    /// Over the series before.
    SpeedUp,
    /// Over the first series.
    SpeedUpInTotal,
}

impl Figure {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::GbPerS => "GB/s",
            Self::Milliseconds => "ms",
            Self::MicrosecondsPerMi => "us per 2^20 elements",
            Self::PercentOfBest => "% of best",
            Self::SpeedUp => "speed-up",
            Self::SpeedUpInTotal => "in total",
        }
    }

    /// The name in files and objects of what not every study has there.
    pub(super) const fn key(self) -> Option<&'static str> {
        match self {
            Self::MicrosecondsPerMi => Some("us_per_mi"),
            Self::SpeedUp => Some("speed_up"),
            Self::SpeedUpInTotal => Some("speed_up_in_total"),
            Self::GbPerS | Self::Milliseconds | Self::PercentOfBest => None,
        }
    }
}

impl<C: Measurand + Clone> Design<C> {
    /// With a linear axis, and without notes.
    pub(super) fn new(
        title: &'static str,
        axis: Axis,
        figures: &'static [Figure],
        series: Vec<Plan<C>>,
    ) -> Self {
        Self { title, axis, figures, is_log: false, series, notes: Vec::new() }
    }

    /// In the order of series and points.
    pub(super) fn cases(&self) -> Vec<C> {
        self.series
            .iter()
            .flat_map(|plan| plan.points.iter().map(|(_, case)| case.clone()))
            .collect()
    }

    /// The study of this name, with what came of [`cases`](Self::cases).
    pub(super) fn with(self, name: String, measured: &Measured<C>) -> Results<'_, C> {
        let mut rows = measured.rows.iter();
        let series = self.series.into_iter().map(|plan| {
            let Plan { name, look, points, reported } = plan;
            let points = points.iter().zip(&mut rows).map(|((x, _), row)| Point { x: *x, row });
            Series { name, look, points: points.collect(), reported }
        });
        Results {
            series: series.collect(),
            name,
            title: self.title,
            axis: self.axis,
            figures: self.figures,
            is_log: self.is_log,
            notes: self.notes,
            setup: &measured.setup,
        }
    }
}
