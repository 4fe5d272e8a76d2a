//! Levels of the ladder, run and timed.

mod answer;
mod busy;
mod row;
mod setup;
mod times;
mod workload;

pub(crate) use answer::is_right_total;
pub(crate) use busy::raise_clock;
pub(crate) use row::{Case, Measurand, Outcome, Row, SpeedUps, form_name, percent, print_skipped};
pub(crate) use setup::{Best, Setup};
pub(crate) use times::{Flight, Repeat, Timer, Times, WARM_UP_RUNS};
pub(crate) use workload::{Term, Workload, make, make_from};

use crate::adapter;
use crate::args;
use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::progress;
use crate::sample::with_sample;
use busy::Busy;
use indicatif::ProgressBar;
use std::time::Duration;
use wgpu_reduce::ladder::{Ladder, LadderElement, LadderShader};
use wgpu_reduce::{
    AdapterClass, AnySlices, ElementKind, Error, GpuReducer, OpRecord, Operation, Pending, Sum,
    Timed, Tuning,
};

/// A device, and how cases are run on it.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) reducer: GpuReducer,
    pub(crate) element: ElementKind,
    runs: u32,
}

/// What cases took.
#[derive(Debug)]
pub(crate) struct Measured<C = Case> {
    pub(crate) setup: Setup,
    /// One for each case, in the same order.
    pub(crate) rows: Vec<Row<C>>,
    /// Which of the library's own sums gave a wrong answer.
    pub(crate) wrong_sums: Vec<String>,
}

impl<C: Measurand> Measured<C> {
    /// Fails if an answer was wrong.
    pub(crate) fn verdict(&self) -> Result<(), Failure> {
        let wrong = self.rows.iter().filter(|row| row.ok() == Some(false)).count();
        let mut faults: Vec<_> =
            self.wrong_sums.iter().map(|sum| format!("the answer of {sum} is wrong")).collect();
        if wrong > 0 {
            faults.insert(0, format!("{wrong} of {} {} are wrong", self.rows.len(), C::RESULTS));
        }
        if faults.is_empty() {
            return Ok(());
        }
        Err(Failure::Failed(format!("{}; please report this", faults.join("; "))))
    }
}

impl Bench {
    pub(crate) fn open(options: &args::Measuring, element: ElementKind) -> Result<Self, Failure> {
        let reducer = options.device.open(|device| device.guarded_shaders(options.guarded))?;
        Ok(Self { reducer, element, runs: options.repetitions })
    }

    /// Runs the cases, and sums of the library's own beside them.
    pub(crate) fn measure(&self, cases: &[Case]) -> Result<Measured, Failure> {
        with_sample!(self.element, T in ladder => measure::<T>(self, cases))
    }

    /// `elements` are those of the longest case, in so many rows; none if those of cases differ.
    pub(crate) fn setup(
        &self,
        elements: u64,
        rows: Option<u32>,
        timer: Timer,
        best: Option<Best>,
    ) -> Setup {
        Setup {
            adapter: self.reducer.adapter_label(),
            driver: adapter::driver(self.reducer.adapter_info()),
            element: self.element,
            elements,
            rows,
            runs: self.runs,
            timer,
            best,
        }
    }

    /// Times of runs that `start` starts, each with so many results. GPU time is that of a GPU that is kept busy.
    /// Calls are made one by one.
    pub(crate) fn times<V>(
        &self,
        timer: Timer,
        results: u32,
        start: impl Fn() -> wgpu_reduce::Result<Pending<Timed<V>>>,
        check: impl FnMut(V),
    ) -> Result<Option<Times>, Failure> {
        let repeat = Repeat { timer, runs: self.runs };
        if timer == Timer::Call {
            return Ok(repeat.times(|| start().and_then(Pending::wait), check)?);
        }
        let reducer = &self.reducer;
        let has_many_results = results > FEW_RESULTS && reducer.caps().class == AdapterClass::Gpu;
        let _busy = has_many_results.then(|| Busy::keep(reducer)).transpose()?;
        let flight = Flight::on(reducer, IN_FLIGHT, WARM_UP);
        Ok(repeat.times_in_flight(flight, start, check)?)
    }

    /// The default for a length, one with more workgroups, and one with larger ones.
    fn tunings(&self, operation: &OpRecord, len: u64) -> Vec<Tuning> {
        let tuning = self.reducer.tuning(operation, self.element, len);
        let max_workgroups = 4 * tuning.max_workgroups;
        let workgroup_size = 2 * tuning.workgroup_size;
        let mut tunings = vec![tuning, Tuning { max_workgroups, ..tuning }];
        if workgroup_size <= self.reducer.caps().max_workgroup_size {
            tunings.push(Tuning { workgroup_size, ..tuning });
        }
        tunings
    }
}

fn measure<T: Term + LadderElement>(bench: &Bench, cases: &[Case]) -> Result<Measured, Failure> {
    let Some(longest) = cases.iter().max_by_key(|case| case.elements) else {
        return Err(Failure::Failed("there is nothing to measure".into()));
    };
    let tunings = bench.tunings(Operation::<f32>::record(&Sum), longest.elements);
    let bar = progress::steps((tunings.len() + cases.len()) as u64);
    bar.set_message("data");
    // Levels read one buffer.
    let (bytes, max_bytes) = (
        longest.elements.saturating_mul(T::KIND.size_bytes()),
        bench.reducer.caps().max_buffer_bytes,
    );
    if bytes > max_bytes {
        return Err(Error::BufferTooLarge { bytes, max_bytes }.into());
    }
    let shapes = cases.iter().map(|case| (case.elements, case.rows));
    let workload = Workload::<T>::new(&bench.reducer, shapes)?;
    let timer = find_timer(&bench.reducer, &workload.buffers.all()?.into())?;
    let subject = Subject { bench, workload, timer, bar };
    let (mut rates, mut wrong_sums) = (Vec::new(), Vec::new());
    for tuning in tunings {
        let OwnSum { by, gb_per_s, ok } = subject.own_sum(tuning)?;
        if ok {
            rates.extend(gb_per_s.map(|gb_per_s| Best { gb_per_s, by }));
        } else {
            wrong_sums.push(by);
        }
    }
    let rows: Vec<_> = cases.iter().map(|case| subject.row(case)).collect::<Result<_, _>>()?;
    subject.bar.finish_and_clear();
    // Rows of whole workgroups leave out what makes none.
    let is_long = |row: &&Row| row.case.elements > longest.elements / 2;
    let at_full_length = rows.iter().filter(is_long).filter(|row| row.ok() == Some(true));
    rates.extend(
        at_full_length
            .filter_map(|row| Some(Best { gb_per_s: row.gb_per_s()?, by: row.case.name() })),
    );
    let best = rates.into_iter().max_by(|a, b| a.gb_per_s.total_cmp(&b.gb_per_s));
    let of_first = cases.first().map(|case| case.rows);
    let of_all = of_first.filter(|&count| cases.iter().all(|case| case.rows == count));
    Ok(Measured { setup: bench.setup(longest.elements, of_all, timer, best), rows, wrong_sums })
}

/// Timestamps may read zero now and then; on a device that has them they do not always.
pub(crate) fn find_timer(reducer: &GpuReducer, elements: &AnySlices<'_>) -> Result<Timer, Failure> {
    let sum = Chosen::from(Sum);
    let timed = reducer.reduce(&sum.any, elements.clone()).timed();
    for _ in 0..3 {
        if timed.start()?.wait()?.gpu_ns.is_some() {
            return Ok(Timer::Gpu);
        }
    }
    Ok(Timer::Call)
}

/// Runs that wait for the GPU while it is timed, and how long they do before.
const IN_FLIGHT: usize = 8;
const WARM_UP: Duration = Duration::from_millis(150);

/// The host compares so many results while the GPU adds up a few more.
const FEW_RESULTS: u32 = 1000;

/// What came of the library's own sum.
struct OwnSum {
    by: String,
    gb_per_s: Option<f64>,
    /// Whether every run gave the right sum.
    ok: bool,
}

/// What cases are run on.
struct Subject<'a, T> {
    bench: &'a Bench,
    workload: Workload<T>,
    timer: Timer,
    bar: ProgressBar,
}

impl<T: Term + LadderElement> Subject<'_, T> {
    /// The library's own sum of all elements.
    fn own_sum(&self, tuning: Tuning) -> Result<OwnSum, Failure> {
        self.bar.set_message("sum");
        let reducer = self.bench.reducer.with_tuning(tuning);
        let (sum, elements) = (Chosen::from(Sum), AnySlices::from(self.workload.buffers.all()?));
        let bytes = elements.len() * T::KIND.size_bytes();
        let request = reducer.reduce(&sum.any, elements).timed();
        let (plan, expected) = (request.plan()?, self.workload.total());
        let mut ok = true;
        let times = self.bench.times(
            self.timer,
            1,
            || request.start(),
            |total| {
                ok &= is_right_total(&total, expected, &plan);
            },
        )?;
        self.bar.inc(1);
        let Tuning { max_workgroups, workgroup_size, .. } = tuning;
        Ok(OwnSum {
            by: format!("sum, {max_workgroups} workgroups of {workgroup_size} at most"),
            gb_per_s: times.map(|times| times.gb_per_s(bytes)),
            ok,
        })
    }

    fn row(&self, case: &Case) -> Result<Row, Failure> {
        self.bar.set_message(case.level.to_string());
        let outcome = match self.reason_to_skip(case) {
            Some(reason) => Outcome::Skipped { reason },
            None => self.run(case)?,
        };
        self.bar.inc(1);
        Ok(Row { case: *case, outcome })
    }

    fn reason_to_skip(&self, case: &Case) -> Option<&'static str> {
        let caps = self.bench.reducer.caps();
        let shader = LadderShader::new(case.level, T::KIND, case.options.form, caps.float_atomics)?;
        let lacks_subgroups = shader.needs_subgroups() && caps.subgroups.is_none();
        lacks_subgroups.then_some("it needs subgroup operations")
    }

    fn run(&self, case: &Case) -> Result<Outcome, Failure> {
        let Case { level, options, elements, rows } = case;
        let (reducer, caps) = (&self.bench.reducer, self.bench.reducer.caps());
        let slice = self.workload.buffers.first_of_one(*elements)?;
        let plan = Ladder::new(reducer).plan(*level, options, slice, *rows)?;
        let expected = self.workload.sums_of(*elements, *rows);
        let start = || Ladder::new(reducer).rows(*level, options, slice, *rows);
        let mut ok = true;
        let times = self.bench.times(self.timer, *rows, start, |sums| {
            let mut pairs = sums.iter().zip(expected);
            ok &= sums.len() == expected.len()
                && pairs.all(|(&sum, &expected)| answer::is_right(sum, expected, &plan, &caps));
        })?;
        let (passes, workgroup_size) = (plan.passes.len(), plan.workgroup_size);
        Ok(Outcome::Ran { passes, workgroup_size, times, ok })
    }
}
