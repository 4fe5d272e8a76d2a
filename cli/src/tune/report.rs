//! What `tune` found.

use super::merge::Measured;
use crate::adapter;
use crate::failure::Failure;
use crate::measure::Timer;
use crate::report::as_name;
use crate::table::{self, Align, or_nothing};
use serde::Serialize;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use wgpu_reduce::{ElementKind, Error, GpuReducer, OpRecord, TunedLengths, Tuning};

/// A length, its default tuning, and the best that was found.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) element: ElementKind,
    pub(crate) elements: u64,
    pub(crate) default: Tuning,
    /// The medians of their last runs, which took turns.
    pub(crate) default_us: Option<f64>,
    pub(crate) best: Tuning,
    pub(crate) best_us: Option<f64>,
    /// Whether the best is faster beyond doubt, and goes into the table.
    pub(crate) kept: bool,
    /// Tunings of the first round, the default among them.
    pub(crate) tried: usize,
}

impl Row {
    /// How many times as fast the best is.
    fn ratio(&self) -> Option<f64> {
        Some(self.default_us? / self.best_us?)
    }

    /// The lengths that its tuning is for: those down to the next smaller power of two, which need
    /// no more workgroups than this one.
    fn lengths(&self) -> RangeInclusive<u64> {
        self.elements / 2 + 1..=self.elements
    }

    fn cells(&self) -> Vec<String> {
        let microseconds = |time| or_nothing(time, |time| format!("{time:.2}"));
        let best =
            if self.best == self.default { "the same".into() } else { self.best.to_string() };
        vec![
            self.element.to_string(),
            format!("2^{}", self.elements.ilog2()),
            self.default.to_string(),
            microseconds(self.default_us),
            best,
            microseconds(self.best_us),
            or_nothing(self.ratio(), |ratio| format!("{ratio:.3}")),
            if self.kept { "kept".into() } else { String::new() },
        ]
    }
}

/// A length that was not tuned.
#[derive(Debug, Clone)]
pub(crate) struct LeftOut {
    pub(crate) element: ElementKind,
    pub(crate) elements: u64,
    pub(crate) reason: Reason,
}

/// Why a length was not tuned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    Budget,
    /// No more bytes than so many can be allocated.
    Memory {
        available_bytes: Option<u64>,
    },
}

impl LeftOut {
    fn reason(&self) -> String {
        match self.reason {
            Reason::Budget => "the budget was spent".into(),
            Reason::Memory { available_bytes } => {
                let bytes = self.elements.saturating_mul(self.element.size_bytes());
                Error::OutOfMemory { bytes, available_bytes }.to_string()
            }
        }
    }
}

/// All lengths of all types.
#[derive(Debug)]
pub(crate) struct Report {
    adapter: String,
    driver: String,
    operation: &'static OpRecord,
    /// Known once something has run.
    pub(crate) timer: Option<Timer>,
    /// By type and length.
    pub(crate) rows: Vec<Row>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Where the table is now.
    pub(crate) stored: Option<PathBuf>,
}

impl Report {
    pub(crate) fn new(reducer: &GpuReducer, operation: &'static OpRecord) -> Self {
        Self {
            adapter: reducer.adapter_label(),
            driver: adapter::driver(reducer.adapter_info()),
            operation,
            timer: None,
            rows: Vec::new(),
            left_out: Vec::new(),
            stored: None,
        }
    }

    /// All lengths of which something is known now.
    pub(crate) fn measured(&self) -> Vec<Measured> {
        let measured = |row: &Row| Measured {
            operation: self.operation,
            element: row.element,
            lengths: row.lengths(),
        };
        self.rows.iter().map(measured).collect()
    }

    /// What goes into the table. Ranges that touch and have the same tuning are one.
    pub(crate) fn tunings(&self) -> Vec<TunedLengths> {
        let mut tunings: Vec<TunedLengths> = Vec::new();
        for row in self.rows.iter().filter(|row| row.kept) {
            let (element, lengths, tuning) = (row.element, row.lengths(), row.best);
            let continues = |last: &TunedLengths| {
                let touches = last.lengths.end() + 1 == *lengths.start();
                last.element == element && last.tuning == tuning && touches
            };
            match tunings.last_mut() {
                Some(last) if continues(last) => {
                    last.lengths = *last.lengths.start()..=*lengths.end();
                }
                _ => {
                    let operation = self.operation;
                    tunings.push(TunedLengths { operation, element, lengths, tuning });
                }
            }
        }
        tunings
    }

    pub(crate) fn print(&self, json: bool, out: &mut impl Write) -> Result<(), Failure> {
        if json {
            return Ok(writeln!(out, "{}", serde_json::to_string(&Record::new(self))?)?);
        }
        let driver = if self.driver.is_empty() { "unknown" } else { &self.driver };
        writeln!(out, "{}, driver {driver}", self.adapter)?;
        if self.rows.is_empty() {
            writeln!(out, "no length was measured")?;
            return self.print_end(out);
        }
        if let Some(timer) = self.timer {
            writeln!(out, "{timer}")?;
            writeln!(out, "medians of runs that took turns; every answer was right")?;
        }
        writeln!(out)?;
        let heads = ["dtype", "elements", "default", "us", "best", "us", "ratio", ""];
        let mut lines = vec![heads.map(String::from).to_vec()];
        lines.extend(self.rows.iter().map(Row::cells));
        let columns =
            [Align::Left, Align::Left, Align::Left, Align::Right, Align::Left, Align::Right];
        table::print(&lines, &columns, out)?;
        self.print_end(out)
    }

    fn print_end(&self, out: &mut impl Write) -> Result<(), Failure> {
        writeln!(out)?;
        let are_alike = |one: &LeftOut, other: &LeftOut| {
            one.element == other.element && one.reason == other.reason
        };
        for alike in self.left_out.chunk_by(are_alike) {
            let lengths = alike.iter().map(|left_out| format!("2^{}", left_out.elements.ilog2()));
            let lengths = lengths.collect::<Vec<_>>().join(", ");
            if let Some(first) = alike.first() {
                let (element, reason) = (first.element, first.reason());
                writeln!(out, "{element} at {lengths}: left out, {reason}")?;
            }
        }
        let (kept, all) = (self.rows.iter().filter(|row| row.kept).count(), self.rows.len());
        if all > 0 {
            writeln!(out, "{kept} of {all} are faster than the default by more than the noise")?;
        }
        match &self.stored {
            Some(path) => writeln!(out, "stored in {}", path.display())?,
            None => writeln!(out, "nothing is stored")?,
        }
        Ok(())
    }
}

/// A [`Report`] as an object.
#[derive(Serialize)]
struct Record<'a> {
    op: &'static str,
    adapter: &'a str,
    driver: &'a str,
    timer: Option<&'static str>,
    lengths: Vec<RowRecord>,
    left_out: Vec<LeftOutRecord>,
    stored: Option<String>,
}

/// A [`Row`] as an object.
#[derive(Serialize)]
struct RowRecord {
    #[serde(serialize_with = "as_name")]
    dtype: ElementKind,
    elements: u64,
    default: Tuning,
    default_us: Option<f64>,
    best: Tuning,
    best_us: Option<f64>,
    ratio: Option<f64>,
    kept: bool,
    tried: usize,
}

/// A [`LeftOut`] as an object.
#[derive(Serialize)]
struct LeftOutRecord {
    #[serde(serialize_with = "as_name")]
    dtype: ElementKind,
    elements: u64,
    reason: String,
}

impl<'a> Record<'a> {
    fn new(report: &'a Report) -> Self {
        let lengths = report.rows.iter().map(|row| RowRecord {
            dtype: row.element,
            elements: row.elements,
            default: row.default,
            default_us: row.default_us,
            best: row.best,
            best_us: row.best_us,
            ratio: row.ratio(),
            kept: row.kept,
            tried: row.tried,
        });
        let left_out = report.left_out.iter().map(|left_out| LeftOutRecord {
            dtype: left_out.element,
            elements: left_out.elements,
            reason: left_out.reason(),
        });
        Self {
            op: report.operation.name(),
            adapter: &report.adapter,
            driver: &report.driver,
            timer: report.timer.map(Timer::name),
            lengths: lengths.collect(),
            left_out: left_out.collect(),
            stored: report.stored.as_ref().map(|path| path.display().to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LeftOut, Reason, Report, Row};
    use std::ops::RangeInclusive;
    use wgpu_reduce::{Caps, ElementKind, OpRecord, Tuning};

    fn tuning(workgroup_size: u32) -> Tuning {
        let default = Tuning::for_len(&Caps::baseline(), ElementKind::F32, 1);
        Tuning { workgroup_size, ..default }
    }

    /// A row whose best has workgroups of a size; it is kept unless that is 0.
    fn row(element: ElementKind, elements: u64, size: u32) -> Row {
        Row {
            element,
            elements,
            default: tuning(1),
            default_us: Some(3.0),
            best: tuning(size.max(1)),
            best_us: Some(2.0),
            kept: size > 0,
            tried: 9,
        }
    }

    fn report(rows: Vec<Row>) -> Report {
        Report {
            adapter: "An adapter (Vulkan)".into(),
            driver: String::new(),
            operation: OpRecord::ALL[0],
            timer: None,
            rows,
            left_out: Vec::new(),
            stored: None,
        }
    }

    #[test]
    fn neighbouring_lengths_with_the_same_tuning_are_one_range() {
        let (f32, u32) = (ElementKind::F32, ElementKind::U32);
        let rows = [
            row(f32, 1, 8),
            row(f32, 2, 8),
            row(f32, 4, 8),
            row(f32, 8, 16),
            row(f32, 16, 0),
            row(f32, 32, 16),
            row(u32, 64, 16),
        ];
        let report = report(rows.to_vec());
        let found: Vec<_> = report
            .tunings()
            .into_iter()
            .map(|tuned| (tuned.element, tuned.lengths, tuned.tuning.workgroup_size))
            .collect();
        let expected: [(ElementKind, RangeInclusive<u64>, u32); 4] =
            [(f32, 1..=4, 8), (f32, 5..=8, 16), (f32, 17..=32, 16), (u32, 33..=64, 16)];
        assert_eq!(found, expected);
        let measured: Vec<_> = report.measured().into_iter().map(|m| m.lengths).collect();
        assert_eq!(measured, [1..=1, 2..=2, 3..=4, 5..=8, 9..=16, 17..=32, 33..=64]);
    }

    #[test]
    fn what_is_alike_is_left_out_on_one_line() {
        let mut report = report(vec![row(ElementKind::F32, 1 << 10, 2)]);
        let no_room = Reason::Memory { available_bytes: Some(999) };
        for (element, elements, reason) in [
            (ElementKind::F32, 1 << 11, Reason::Budget),
            (ElementKind::F32, 1 << 12, Reason::Budget),
            (ElementKind::F32, 1 << 13, no_room),
            (ElementKind::F32, 1 << 14, no_room),
            (ElementKind::I32, 1 << 13, no_room),
        ] {
            report.left_out.push(LeftOut { element, elements, reason });
        }
        let mut out = Vec::new();
        report.print(false, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let end = "\n\n\
            f32 at 2^11, 2^12: left out, the budget was spent\n\
            f32 at 2^13, 2^14: left out, 32768 bytes of memory are needed, and 999 may still be allocated\n\
            i32 at 2^13: left out, 32768 bytes of memory are needed, and 999 may still be allocated\n\
            1 of 1 are faster than the default by more than the noise\n\
            nothing is stored\n";
        assert!(text.ends_with(end), "{text}");
        assert!(text.starts_with("An adapter (Vulkan), driver unknown\n"), "{text}");
        assert!(text.contains("  3.00  ") && text.contains("  2.00  1.500  kept\n"), "{text}");
    }
}
