//! The study of histograms: the ladder's levels and the library's own, by kind of data.

use super::design::{Axis, Design, Figure, Plan};
use super::reported::{Reported, Unit, WriteUp};
use crate::buffers::Buffers;
use crate::chart::Look;
use crate::failure::Failure;
use crate::fields::Fields;
use crate::measure::{Bench, Best, Measurand, Measured, Outcome, Row, Timer, find_timer};
use crate::progress;
use wgpu_reduce::ladder::{HistogramLevel, HistogramOptions, Ladder};
use wgpu_reduce::{Bins, GpuSlices, HistogramTuning, Sum};
use wgpu_reduce_known::{hash, picture};

/// What bytes are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Data {
    /// All the same, so that all additions go to one count.
    Constant,
    /// Any value, one as likely as another.
    Uniform,
    /// Neighbours are alike.
    Picture,
}

impl Data {
    const ALL: [Self; 3] = [Self::Constant, Self::Uniform, Self::Picture];

    /// The one at a place of [`Axis::Data`].
    pub(super) fn of_place(place: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(place).ok()?).copied()
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Uniform => "uniform",
            Self::Picture => "picture",
        }
    }

    fn byte(self, index: u64) -> u8 {
        match self {
            Self::Constant => 77,
            Self::Uniform => hash(index).to_le_bytes()[3],
            Self::Picture => picture(index),
        }
    }
}

/// Who makes the histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Maker {
    Level(HistogramLevel),
    /// The library's own.
    Own,
}

/// A histogram to be made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct HistogramCase {
    maker: Maker,
    data: Data,
    elements: u64,
}

impl Maker {
    fn name(self) -> String {
        match self {
            Self::Level(level) => level.to_string(),
            Self::Own => OWN.into(),
        }
    }
}

/// The name of the library's own.
const OWN: &str = "histogram";

impl Measurand for HistogramCase {
    const RESULTS: &'static str = "histograms";

    fn name(&self) -> String {
        self.maker.name()
    }

    fn elements(&self) -> u64 {
        self.elements
    }

    fn bytes(&self) -> u64 {
        self.elements
    }

    fn fields(&self) -> Fields {
        let (number, name) = match self.maker {
            Maker::Level(level) => (Some(level.number().to_string()), level.name()),
            Maker::Own => (None, OWN),
        };
        let mut fields = Fields::default();
        fields.push("level", number);
        fields.push("name", name);
        fields.push("data", self.data.name());
        fields.push("elements", self.elements);
        fields
    }
}

/// Every level and the library's own, on every kind of data. Beside the last stands what the write-up has of CUDA's
/// library.
pub(super) fn design(elements: u64) -> Design<HistogramCase> {
    let levels = HistogramLevel::ALL.map(Maker::Level).into_iter().zip([42.0, 380.0, 520.0]);
    let makers = levels.chain([(Maker::Own, 580.0)]);
    let plan = |(group, (maker, gb_per_s)): (usize, (Maker, f64))| Plan {
        name: maker.name(),
        look: Look { group, member: 0 },
        points: (0..).zip(Data::ALL.map(|data| HistogramCase { maker, data, elements })).collect(),
        reported: vec![Reported::between(WriteUp::C, Unit::GbPerS, gb_per_s, gb_per_s)],
    };
    let series = makers.enumerate().map(plan).collect();
    let title = "Read bandwidth of histograms with 256 bins";
    let mut design = Design::new(title, Axis::Data, &[Figure::GbPerS, Figure::SpeedUp], series);
    design.notes.push("C's figure beside histogram is that of CUB".into());
    design.notes.push(
        "constant: one value; uniform: all alike likely; picture: slopes with 3 bits of noise"
            .into(),
    );
    design
}

/// Runs the cases, and a sum of the same bytes, for the rate at which they can be read.
pub(super) fn measure(
    bench: &Bench,
    cases: &[HistogramCase],
) -> Result<Measured<HistogramCase>, Failure> {
    let elements = cases.iter().map(|case| case.elements).max().unwrap_or_default();
    let bar = progress::steps(cases.len() as u64);
    let (mut rows, mut rates, mut wrong_sums) = (Vec::new(), Vec::new(), Vec::new());
    let mut timer = None;
    for data in Data::ALL {
        bar.set_message(data.name());
        let subject = Subject::new(bench, data, elements, &mut timer)?;
        if data == Data::Uniform {
            let (gb_per_s, ok) = subject.sum()?;
            let by = "sum";
            if ok {
                rates.extend(gb_per_s.map(|gb_per_s| Best { gb_per_s, by: by.into() }));
            } else {
                wrong_sums.push(by.into());
            }
        }
        for (place, case) in cases.iter().enumerate().filter(|(_, case)| case.data == data) {
            rows.push((place, Row { case: *case, outcome: subject.outcome(case.maker)? }));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    rows.sort_by_key(|(place, _)| *place);
    let rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
    let right = rows.iter().filter(|row| row.ok() == Some(true));
    rates.extend(right.filter_map(|row| {
        let by = format!("{} ({})", row.case.name(), row.case.data.name());
        Some(Best { gb_per_s: row.gb_per_s()?, by })
    }));
    let best = rates.into_iter().max_by(|a, b| a.gb_per_s.total_cmp(&b.gb_per_s));
    let setup = bench.setup(elements, Some(1), timer.unwrap_or(Timer::Call), best);
    Ok(Measured { setup, rows, wrong_sums })
}

/// Bytes of one kind on the GPU, and how often each value occurs among them.
struct Subject<'a> {
    bench: &'a Bench,
    timer: Timer,
    buffers: Buffers<u8>,
    elements: u64,
    counts: Vec<u64>,
}

/// Bytes that are made at a time: whole words.
const STEP: u64 = 1 << 20;

impl<'a> Subject<'a> {
    /// Finds the timer, if nobody has yet.
    fn new(
        bench: &'a Bench,
        data: Data,
        elements: u64,
        timer: &mut Option<Timer>,
    ) -> Result<Self, Failure> {
        let mut buffers = Buffers::with_room_for(elements, &bench.reducer)?;
        let mut counts = vec![0; 256];
        let mut start = 0;
        while start < elements {
            let end = elements.min(start + STEP);
            let chunk: Vec<_> = (start..end).map(|index| data.byte(index)).collect();
            buffers.push(&bench.reducer, &chunk)?;
            for byte in chunk {
                if let Some(count) = counts.get_mut(usize::from(byte)) {
                    *count += 1;
                }
            }
            start = end;
        }
        let timer = match *timer {
            Some(timer) => timer,
            None => *timer.insert(find_timer(&bench.reducer, &buffers.all()?.into())?),
        };
        Ok(Self { bench, timer, buffers, elements, counts })
    }

    /// Rate and rightness of the library's own sum.
    fn sum(&self) -> Result<(Option<f64>, bool), Failure> {
        let all: GpuSlices<'_, u8> = self.buffers.first_of_one(self.elements)?.into();
        let expected: u64 = (0..).zip(&self.counts).map(|(value, count)| value * count).sum();
        let mut ok = true;
        let start = || self.bench.reducer.reduce(Sum, all.clone()).timed().start();
        let times = self.bench.times(self.timer, 1, start, |sum| ok &= sum == expected)?;
        Ok((times.map(|times| times.gb_per_s(self.elements)), ok))
    }

    fn outcome(&self, maker: Maker) -> Result<Outcome, Failure> {
        let has_none = self.bench.reducer.caps().subgroups.is_none();
        match maker {
            Maker::Level(level) if level.needs_subgroups() && has_none => {
                Ok(Outcome::Skipped { reason: "it needs subgroup operations" })
            }
            Maker::Level(level) => self.level(level),
            Maker::Own => self.own(),
        }
    }

    fn level(&self, level: HistogramLevel) -> Result<Outcome, Failure> {
        let Self { bench, timer, elements, counts, .. } = self;
        let (reducer, options) = (&bench.reducer, HistogramOptions::default());
        let input = self.buffers.first_of_one(*elements)?;
        let plan = Ladder::new(reducer).plan_histogram(level, &options, input)?;
        let start = || Ladder::new(reducer).start_histogram(level, &options, input);
        let mut ok = true;
        let times = bench.times(*timer, 1, start, |found| ok &= found == *counts)?;
        Ok(Outcome::Ran { passes: 1, workgroup_size: plan.workgroup_size, times, ok })
    }

    fn own(&self) -> Result<Outcome, Failure> {
        let Self { bench, timer, elements, counts, .. } = self;
        let (reducer, tuning) = (&bench.reducer, HistogramTuning::for_caps(&bench.reducer.caps()));
        let input = self.buffers.first_of_one(*elements)?;
        let bins = Bins::even(0..256, 256)?;
        let start = || reducer.bin(input, &bins).channels(1).tuned(tuning).timed().start();
        let mut ok = true;
        let times = bench.times(*timer, 1, start, |found| {
            ok &= matches!(&found[..], [histogram] if histogram.counts == *counts);
        })?;
        Ok(Outcome::Ran { passes: 2, workgroup_size: tuning.workgroup_size, times, ok })
    }
}

#[cfg(test)]
mod tests {
    use super::{Data, HistogramCase, design};
    use crate::chart::Shape;
    use crate::measure::{Measured, Outcome, Row, Setup, Timer, Times};
    use wgpu_reduce::ElementKind;

    /// What came of cases that read so many GB/s.
    fn measured(cases: &[HistogramCase], rates: &[f64]) -> Measured<HistogramCase> {
        let row = |(case, gb_per_s): (&HistogramCase, &f64)| {
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let median_us = case.elements as f64 / (gb_per_s * 1e3);
            let times = Some(Times { median_us, min_us: median_us });
            let outcome = Outcome::Ran { passes: 1, workgroup_size: 256, times, ok: true };
            Row { case: *case, outcome }
        };
        let setup = Setup {
            adapter: "An adapter (Vulkan)".into(),
            driver: String::new(),
            element: ElementKind::U8,
            elements: 1000,
            rows: Some(1),
            runs: 3,
            timer: Timer::Call,
            best: None,
        };
        let rows = cases.iter().zip(rates).map(row).collect();
        Measured { setup, rows, wrong_sums: Vec::new() }
    }

    #[test]
    fn bars_are_marked_where_the_write_up_has_figures() {
        let design = design(1000);
        let cases = design.cases();
        let measured = measured(&cases, &[100.0; 12]);
        let chart = design.with("histogram".into(), &measured).chart();
        let hardware = "C: A100-80GB (1940 GB/s), 64M f32, for histograms 256M u8";
        assert_eq!(chart.marks.as_deref(), Some(hardware));
        assert!(chart.svg().unwrap().contains(hardware));
        let Shape::Bars(bars) = chart.shape else { panic!("no bars") };
        assert_eq!(bars.len(), 12);
        for (bar, reported) in bars.iter().zip([42.0, 380.0, 520.0, 580.0].into_iter().cycle()) {
            assert_eq!(bar.mark, Some(reported), "{bar:?}");
            assert!(bar.value.is_some_and(|value| (value - 100.0).abs() < 1e-6), "{bar:?}");
        }
        assert_eq!(
            (&*bars[3].label, &*bars[4].label),
            ("histogram, constant", "0 global_atomics, uniform")
        );
    }

    #[test]
    fn every_maker_has_every_kind_of_data_in_order() {
        let design = design(1000);
        assert_eq!(design.series.len(), 4);
        for plan in &design.series {
            let places: Vec<_> = plan.points.iter().map(|(place, _)| *place).collect();
            assert_eq!(places, [0, 1, 2]);
            for (place, case) in &plan.points {
                assert_eq!(Data::of_place(*place), Some(case.data));
            }
        }
        assert_eq!(Data::of_place(3), None);
        assert_eq!(design.axis.label(2), "picture");
    }

    #[test]
    fn data_are_what_they_are_called() {
        let counts = |data: Data| {
            let mut counts = [0; 256];
            (0..1 << 20).for_each(|index| counts[usize::from(data.byte(index))] += 1);
            counts
        };
        assert_eq!(counts(Data::Constant)[77], 1 << 20);
        let uniform = counts(Data::Uniform);
        assert!(uniform.iter().all(|count| (4000..4200).contains(count)), "{uniform:?}");
        assert!(counts(Data::Picture).iter().filter(|&&count| count > 0).count() > 100);
    }
}
