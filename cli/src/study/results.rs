//! A study that has run: what its table, its files and its plot are made from.

use super::design::{Axis, Figure};
use super::reported::{Reported, Unit, WriteUp};
use crate::chart::{Bar, Best, Chart, Curve, Graph, Look, Shape};
use crate::failure::Failure;
use crate::fields::{self, Fields};
use crate::measure::{Case, Measurand, Row, Setup, SpeedUps, percent};
use serde::Serialize;
use std::io::Write;

/// Series of points, and their units.
#[derive(Debug)]
pub(super) struct Results<'a, C = Case> {
    pub(super) name: String,
    pub(super) title: &'static str,
    pub(super) axis: Axis,
    pub(super) figures: &'static [Figure],
    pub(super) is_log: bool,
    pub(super) series: Vec<Series<'a, C>>,
    pub(super) notes: Vec<String>,
    pub(super) setup: &'a Setup,
}

#[derive(Debug)]
pub(super) struct Series<'a, C = Case> {
    pub(super) name: String,
    pub(super) look: Look,
    pub(super) points: Vec<Point<'a, C>>,
    pub(super) reported: Vec<Reported>,
}

/// What was measured at one place of the axis.
#[derive(Debug)]
pub(super) struct Point<'a, C = Case> {
    pub(super) x: u64,
    pub(super) row: &'a Row<C>,
}

impl<C: Measurand> Series<'_, C> {
    pub(super) fn at(&self, x: u64) -> Option<&Row<C>> {
        self.points.iter().find(|point| point.x == x).map(|point| point.row)
    }

    /// What was reported for this place. Times for so many elements stand beside the largest number
    /// that ran.
    fn reported_at(&self, x: u64) -> Option<&Reported> {
        let ran = self.points.iter().filter(|point| point.row.times().is_some());
        let is_largest = ran.map(|point| point.x).max() == Some(x);
        self.reported.iter().find(|reported| match reported.unit {
            Unit::MicrosecondsPerMi => is_largest,
            Unit::PercentOfPeak | Unit::GbPerS => reported.x == Some(x),
        })
    }
}

impl<'a, C: Measurand> Results<'a, C> {
    /// Where anything was measured, in order.
    pub(super) fn measured_at(&self) -> Vec<u64> {
        in_order(self.series.iter().flat_map(|series| series.points.iter().map(|point| point.x)))
    }

    /// Kinds of figures that were reported, each once.
    pub(super) fn reported_kinds(&self) -> Vec<(WriteUp, Unit)> {
        let mut kinds = Vec::new();
        for reported in self.series.iter().flat_map(|series| &series.reported) {
            if !kinds.contains(&reported.kind()) {
                kinds.push(reported.kind());
            }
        }
        kinds
    }

    /// A figure of the series with this index, if it was measured there.
    pub(super) fn figure(&self, index: usize, x: u64, figure: Figure) -> Option<f64> {
        let row = self.series.get(index)?.at(x)?;
        let rate = row.gb_per_s();
        let speed_ups = || {
            let rates = self.series.iter().map(|series| series.at(x)?.gb_per_s());
            SpeedUps::new(rate, index, &rates.collect::<Vec<_>>())
        };
        match figure {
            Figure::GbPerS => rate,
            Figure::Milliseconds => Some(row.times()?.median_us / 1e3),
            Figure::MicrosecondsPerMi => Some(row.times()?.us_per_mi(row.case.elements())),
            Figure::PercentOfBest => percent(rate, self.setup.best_gb_per_s()),
            Figure::SpeedUp => speed_ups().step,
            Figure::SpeedUpInTotal => speed_ups().in_total,
        }
    }

    /// One record for each measurement.
    fn fields(&self, index: usize, point: &Point<'_, C>) -> Fields {
        let mut fields = Fields::default();
        fields.push("x", point.x);
        fields.extend(point.row.fields(self.setup.best_gb_per_s()));
        for &figure in self.figures {
            if let Some(key) = figure.key() {
                fields.push(key, self.figure(index, point.x, figure));
            }
        }
        fields
    }

    pub(super) fn print_json(&self, out: &mut impl Write) -> Result<(), Failure> {
        let mut head = Fields::default();
        head.push("study", self.name.as_str());
        head.extend(self.setup.fields());
        head.push("x_axis", self.axis.key());
        let series = self.series.iter().enumerate().map(|(index, series)| ReportedSeries {
            name: &series.name,
            points: series.points.iter().map(|point| self.fields(index, point)).collect(),
            reported: series.reported.iter().map(Reported::fields).collect(),
        });
        let report = Report { head, series: series.collect(), notes: &self.notes };
        Ok(writeln!(out, "{}", serde_json::to_string(&report)?)?)
    }

    pub(super) fn print_csv(&self, out: &mut impl Write) -> Result<(), Failure> {
        let mut rows = Vec::new();
        for (index, series) in self.series.iter().enumerate() {
            for point in &series.points {
                let mut row = Fields::default();
                row.push("study", self.name.as_str());
                row.push("series", series.name.as_str());
                row.push("x_axis", self.axis.key());
                row.extend(self.fields(index, point));
                let reported = series.reported_at(point.x);
                row.push("reported", reported.map(Reported::figure));
                row.push("reported_unit", reported.map(|reported| reported.unit.name()));
                row.push("reported_x", reported.and_then(|reported| reported.x));
                row.push("reported_by", reported.map(|r| format!("{:?}", r.write_up)));
                rows.push(row);
            }
        }
        fields::print_csv(&rows, out)
    }

    /// Bars if there is one place on the axis or places have no order, curves otherwise.
    pub(super) fn chart(&self) -> Chart {
        let figure = self.figures.first().copied().unwrap_or(Figure::GbPerS);
        let values = match figure {
            Figure::Milliseconds => "time (ms)",
            _ => "read bandwidth (GB/s)",
        };
        let ticks = self.measured_at();
        let best = self.setup.best_gb_per_s().map(|gb_per_s| {
            let at = |&x: &u64| (x, self.best_value(figure, gb_per_s, x));
            Best { gb_per_s, points: ticks.iter().map(at).collect() }
        });
        let shape = match (self.axis, ticks.as_slice()) {
            (Axis::Data, places) => Shape::Bars(self.bars_of_all(places, figure)),
            (_, [x]) => Shape::Bars(self.bars(*x, figure)),
            _ => Shape::Graph(Graph {
                axis: self.axis.name(),
                ticks: ticks.iter().map(|&x| (x, self.axis.label(x))).collect(),
                is_log: self.is_log,
                curves: self.curves(figure),
            }),
        };
        let elements = Axis::Elements.label(self.setup.elements);
        let title = match self.axis {
            Axis::Elements if ticks.len() > 1 => self.title.into(),
            _ => format!("{}, {elements} elements", self.title),
        };
        let is_marked = |unit: Unit| self.axis == Axis::Data && unit.name() == figure.name();
        let kinds = self.reported_kinds();
        let marks: Vec<_> = kinds
            .iter()
            .filter(|(_, unit)| is_marked(*unit))
            .map(|(write_up, _)| format!("{write_up:?}: {}", write_up.hardware()))
            .collect();
        let marks = (!marks.is_empty()).then(|| marks.join("; "));
        Chart { title, subtitle: self.setup.caption(), values, best, shape, marks }
    }

    /// What the best rate is in the plotted figure. Times are those of the elements there; of a study
    /// that has other places, of all.
    #[expect(clippy::cast_precision_loss, reason = "a place in a plot")]
    fn best_value(&self, figure: Figure, gb_per_s: f64, x: u64) -> f64 {
        let elements = if self.axis == Axis::Elements { x } else { self.setup.elements };
        let bytes = (elements * self.setup.element.size_bytes()) as f64;
        match figure {
            Figure::Milliseconds => bytes / (gb_per_s * 1e6),
            _ => gb_per_s,
        }
    }

    fn bars(&self, x: u64, figure: Figure) -> Vec<Bar> {
        let series = self.series.iter().enumerate();
        let bar = |(index, series): (usize, &Series<'_, C>)| Bar {
            label: series.name.clone(),
            value: self.figure(index, x, figure),
            mark: None,
        };
        series.map(bar).collect()
    }

    /// The series at one place after the other, marked where figures of no place were reported.
    fn bars_of_all(&self, places: &[u64], figure: Figure) -> Vec<Bar> {
        let mark = |series: &Series<'_, C>| {
            let is_meant = |it: &&Reported| it.unit.name() == figure.name() && it.x.is_none();
            series.reported.iter().find(is_meant).map(|it| f64::midpoint(it.low, it.high))
        };
        let at_place = |&x: &u64| {
            let place = self.axis.label(x);
            let named = move |(bar, series): (Bar, &Series<'_, C>)| {
                let label = format!("{}, {place}", bar.label);
                Bar { label, mark: mark(series), ..bar }
            };
            self.bars(x, figure).into_iter().zip(&self.series).map(named)
        };
        places.iter().flat_map(at_place).collect()
    }

    fn curves(&self, figure: Figure) -> Vec<Curve> {
        let series = self.series.iter().enumerate();
        let curve = |(index, series): (usize, &Series<'a, C>)| {
            let point =
                |point: &Point<'_, C>| Some((point.x, self.figure(index, point.x, figure)?));
            let points: Vec<_> = series.points.iter().filter_map(point).collect();
            (!points.is_empty()).then(|| Curve {
                name: series.name.clone(),
                look: series.look,
                points,
            })
        };
        series.filter_map(curve).collect()
    }
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    head: Fields,
    series: Vec<ReportedSeries<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ReportedSeries<'a> {
    name: &'a str,
    points: Vec<Fields>,
    reported: Vec<Fields>,
}

fn in_order(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
