//! What `bench` prints and draws.

use crate::args;
use crate::chart::{Bar, Chart, Curve, Graph, Look, Shape};
use crate::count::format_count;
use crate::failure::Failure;
use crate::fields::{Fields, print_csv};
use crate::measure::{Times, WARM_UP_RUNS};
use crate::table::{self, Align, format_rate, or_nothing};
use serde::Serialize;
use std::io::Write;
use wgpu_reduce::ElementKind;

/// What was measured, on what.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) operation: &'static str,
    pub(super) element: ElementKind,
    /// How many inputs have so many elements.
    pub(super) inputs: u64,
    pub(super) adapter: String,
    pub(super) driver: String,
    pub(super) runs: u32,
    pub(super) rows: Vec<Row>,
}

/// One length.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) elements: u64,
    pub(super) passes: usize,
    /// All passes on the GPU; none without timestamps.
    pub(super) gpu: Option<Times>,
    /// From the call to the value on the host.
    pub(super) call: Option<Times>,
    /// Whether every run gave the right result.
    pub(super) ok: bool,
}

#[derive(Serialize)]
struct Object {
    #[serde(flatten)]
    head: Fields,
    lengths: Vec<Fields>,
}

impl Report {
    /// Fails if a result was wrong.
    pub(super) fn verdict(&self) -> Result<(), Failure> {
        match self.rows.iter().filter(|row| !row.ok).count() {
            0 => Ok(()),
            wrong => {
                let all = self.rows.len();
                let message = format!("{wrong} of {all} results are wrong; please report this");
                Err(Failure::Failed(message))
            }
        }
    }

    pub(super) fn print(
        &self,
        measuring: &args::Measuring,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        if measuring.json {
            self.print_json(out)
        } else if measuring.csv {
            let rows: Vec<_> = self.rows.iter().map(|row| self.csv_fields(row)).collect();
            print_csv(&rows, out)
        } else {
            self.print_table(out)
        }
    }

    /// The rate of what must be read: the elements, once.
    fn gb_per_s(&self, row: &Row) -> Option<f64> {
        row.gpu.map(|times| times.gb_per_s(self.inputs * row.elements * self.element.size_bytes()))
    }

    fn fields(&self, row: &Row) -> Fields {
        let mut fields = Fields::default();
        fields.push("elements", row.elements);
        fields.push("passes", row.passes);
        fields.push("gpu_us", row.gpu.map(|times| times.median_us));
        fields.push("gpu_min_us", row.gpu.map(|times| times.min_us));
        fields.push("gb_per_s", self.gb_per_s(row));
        fields.push("call_us", row.call.map(|times| times.median_us));
        fields.push("call_min_us", row.call.map(|times| times.min_us));
        fields.push("ok", row.ok);
        fields
    }

    fn csv_fields(&self, row: &Row) -> Fields {
        let mut fields = Fields::default();
        fields.push("op", self.operation);
        fields.push("dtype", self.element.name());
        fields.extend(self.fields(row));
        fields
    }

    fn print_json(&self, out: &mut impl Write) -> Result<(), Failure> {
        let mut head = Fields::default();
        head.push("op", self.operation);
        head.push("dtype", self.element.name());
        head.push("adapter", self.adapter.as_str());
        head.push("driver", self.driver.as_str());
        head.push("repetitions", self.runs);
        let lengths = self.rows.iter().map(|row| self.fields(row)).collect();
        Ok(writeln!(out, "{}", serde_json::to_string(&Object { head, lengths })?)?)
    }

    fn print_table(&self, out: &mut impl Write) -> Result<(), Failure> {
        let driver = if self.driver.is_empty() { "unknown" } else { &self.driver };
        writeln!(out, "{}, driver {driver}", self.adapter)?;
        writeln!(out, "{} of {}", self.operation, self.element)?;
        writeln!(out, "timed runs: {}, after {WARM_UP_RUNS} to warm up", self.runs)?;
        if self.rows.iter().all(|row| row.gpu.is_none()) {
            writeln!(out, "no GPU time, because the device has no timestamps")?;
        }
        writeln!(out)?;
        let heads =
            ["elements", "passes", "GPU us", "min us", "GB/s", "call us", "min us", "answer"];
        let mut lines = vec![heads.map(String::from).to_vec()];
        lines.extend(self.rows.iter().map(|row| self.cells(row)));
        table::print(&lines, &[Align::Right], out)
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let microseconds = |time| or_nothing(time, |time| format!("{time:.1}"));
        vec![
            row.elements.to_string(),
            row.passes.to_string(),
            microseconds(row.gpu.map(|times| times.median_us)),
            microseconds(row.gpu.map(|times| times.min_us)),
            or_nothing(self.gb_per_s(row), format_rate),
            microseconds(row.call.map(|times| times.median_us)),
            microseconds(row.call.map(|times| times.min_us)),
            if row.ok { "ok" } else { "WRONG" }.into(),
        ]
    }

    /// A bar for one length, a curve for more.
    pub(super) fn chart(&self) -> Chart {
        let Self { operation, element, adapter, driver, runs, rows, .. } = self;
        let shape = match rows.as_slice() {
            [row] => Shape::Bars(vec![Bar {
                label: format_count(row.elements),
                value: self.gb_per_s(row),
                mark: None,
            }]),
            rows => Shape::Graph(Graph {
                axis: "elements",
                ticks: rows.iter().map(|row| (row.elements, format_count(row.elements))).collect(),
                is_log: false,
                curves: vec![Curve {
                    name: (*operation).into(),
                    look: Look::default(),
                    points: rows
                        .iter()
                        .filter_map(|row| Some((row.elements, self.gb_per_s(row)?)))
                        .collect(),
                }],
            }),
        };
        Chart {
            title: format!("{operation} of {element}"),
            subtitle: format!("{adapter}, driver {driver}; median GPU time of {runs} runs"),
            values: "read bandwidth (GB/s)",
            best: None,
            shape,
            marks: None,
        }
    }
}
