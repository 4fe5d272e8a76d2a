//! `tune`: the fastest tuning for each length on an adapter, measured.

mod budget;
mod course;
mod duel;
mod merge;
mod report;
mod search;
#[cfg(test)]
mod simulated;
mod space;

use crate::args;
use crate::failure::Failure;
use crate::measure::{Term, Workload, find_timer, raise_clock};
use crate::output;
use crate::progress;
use crate::sample::with_sample;
use crate::tuned;
use budget::Budget;
use course::Course;
use indicatif::ProgressBar;
use report::{LeftOut, Reason, Report};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
use wgpu_reduce::{
    AdapterClass, AdapterKey, Caps, ElementKind, Error, GpuReducer, OpRecord, Operation, Sum,
    TuningTable,
};

pub(crate) fn run(arguments: &args::Tune, out: &mut impl Write) -> Result<(), Failure> {
    let reducer = arguments.adapter.open(&arguments.patience)?;
    let lengths = lengths(arguments, &reducer.caps())?;
    let elements = elements(arguments);
    let target = target(arguments, &reducer)?;
    // What cannot be written is better known before anything is measured.
    let file = output::open_one("--output", target.as_deref(), &[])?;
    let mut out = output::beside(file.as_ref(), out);
    let steps = elements.len() * lengths.len();
    let mut session = Session {
        reducer: &reducer,
        lengths: &lengths,
        budget: Budget::new(arguments.budget, steps),
        bar: progress::steps(steps as u64),
        report: Report::new(&reducer, operation()),
    };
    for &element in &elements {
        with_sample!(element, T in all => tune::<T>(&mut session))?;
    }
    session.bar.finish_and_clear();
    let mut report = session.report;
    if let Some(file) = file {
        let is_standard = file.is_standard();
        file.write(&table(&report, arguments, &reducer)?)?;
        report.stored = target.filter(|_| !is_standard);
    }
    report.print(arguments.json, &mut out)
}

/// What is tuned.
fn operation() -> &'static OpRecord {
    Operation::<f32>::record(&Sum)
}

/// The types to tune, each once: those that are asked for, or all.
fn elements(arguments: &args::Tune) -> Vec<ElementKind> {
    let given = &arguments.dtype;
    let is_meant = |element: &ElementKind| given.is_empty() || given.contains(element);
    ElementKind::ALL.into_iter().filter(is_meant).collect()
}

/// The powers of two that are asked for.
fn lengths(arguments: &args::Tune, caps: &Caps) -> Result<Vec<u64>, Failure> {
    let (min, max) = (arguments.min, arguments.max.unwrap_or(default_max(caps)));
    let powers = (0..u64::BITS).map(|log| 1_u64 << log);
    let lengths: Vec<_> = powers.filter(|length| (min..=max).contains(length)).collect();
    if lengths.is_empty() {
        return Err(Failure::Usage(format!("there is no power of two from {min} to {max}")));
    }
    Ok(lengths)
}

/// Fewer on a CPU, which takes long for more; and no more than a buffer holds.
fn default_max(caps: &Caps) -> u64 {
    let most = match caps.class {
        AdapterClass::Cpu => 1 << 20,
        _ => 1 << 28,
    };
    let widest = ElementKind::ALL.map(ElementKind::size_bytes).into_iter().max();
    most.min(caps.max_buffer_bytes / widest.unwrap_or(1))
}

/// Where the table goes, if anywhere.
fn target(arguments: &args::Tune, reducer: &GpuReducer) -> Result<Option<PathBuf>, Failure> {
    if arguments.dry_run || arguments.output.is_some() {
        return Ok(arguments.output.clone());
    }
    let path = TuningTable::path_for(reducer.adapter_info())?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| {
            let what = format!(
                "the folder for tables cannot be made: {error}; --output names another file"
            );
            Failure::in_file(&folder.display().to_string(), what)
        })?;
    }
    Ok(Some(path))
}

/// What is written: what was found, and in the user's cache folder what is stored for other lengths.
fn table(report: &Report, arguments: &args::Tune, reducer: &GpuReducer) -> Result<String, Failure> {
    let mut tunings = report.tunings();
    if arguments.output.is_none() {
        tunings.extend(merge::beside(&tuned::stored(reducer), &report.measured()));
    }
    let table = TuningTable::new(AdapterKey::new(reducer.adapter_info()), tunings)?;
    Ok(table.to_json()? + "\n")
}

/// What the types have in common.
struct Session<'a> {
    reducer: &'a GpuReducer,
    lengths: &'a [u64],
    budget: Budget,
    bar: ProgressBar,
    report: Report,
}

/// Tunes every length of one type that there is time and memory for.
fn tune<T: Term>(session: &mut Session<'_>) -> Result<(), Failure> {
    let leave_out = |elements, reason| LeftOut { element: T::KIND, elements, reason };
    let (lengths, now) = (session.lengths, Instant::now());
    let Some(step) = session.budget.time_of_step(now) else {
        let all = lengths.iter().map(|&elements| leave_out(elements, Reason::Budget));
        session.report.left_out.extend(all);
        session.bar.inc(lengths.len() as u64);
        return Ok(());
    };
    session.bar.set_message(format!("{} data", T::KIND));
    // Of the time of all lengths a quarter.
    let most = step.saturating_mul(u32::try_from(lengths.len()).unwrap_or(u32::MAX)) / 4;
    let (workload, held, lack) = workload::<T>(session.reducer, lengths, now + most)?;
    let some = workload.buffers.first(workload.buffers.all()?.len().min(ENOUGH))?.into();
    let timer = match session.report.timer {
        Some(timer) => timer,
        None => *session.report.timer.insert(find_timer(session.reducer, &some)?),
    };
    raise_clock(session.reducer, most)?;
    for (place, &elements) in lengths.iter().enumerate() {
        session.bar.set_message(format!("{} {elements}", T::KIND));
        let (report, share) = (&mut session.report, session.budget.next_share());
        if let (&[expected], Some(share)) = (workload.sums_of(elements, 1), share) {
            let slices = workload.buffers.first(elements)?.into();
            let mut course = Course::new(session.reducer, slices, expected, timer);
            report.rows.push(course.tune(share)?);
        } else {
            let reason = if place < held { Reason::Budget } else { lack };
            report.left_out.push(leave_out(elements, reason));
        }
        session.bar.inc(1);
    }
    Ok(())
}

/// Elements whose time every timer tells from none, and which do not take long.
const ENOUGH: u64 = 1 << 20;

/// Returns elements for the first of `lengths`, the number of lengths that memory has room for, and the reason that leaves
/// the others out. Elements that are not made in time are missing.
fn workload<T: Term>(
    reducer: &GpuReducer,
    lengths: &[u64],
    ends_at: Instant,
) -> Result<(Workload<T>, usize, Reason), Failure> {
    let (mut held, mut available_bytes) = (lengths.len(), None);
    loop {
        let shapes = lengths.iter().take(held).map(|&length| (length, 1));
        match Workload::until(reducer, shapes, || Instant::now() >= ends_at) {
            Err(Error::OutOfMemory { available_bytes: available, .. }) if held > 1 => {
                (held, available_bytes) = (held - 1, available);
            }
            outcome => return Ok((outcome?, held, Reason::Memory { available_bytes })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{default_max, elements, lengths};
    use crate::args::{self, Arguments, Command};
    use crate::failure::Failure;
    use clap::Parser as _;
    use wgpu_reduce::{AdapterClass, Caps, ElementKind};

    fn arguments(options: &[&str]) -> args::Tune {
        let arguments = ["wgpu-reduce", "tune"].iter().chain(options);
        let Command::Tune(arguments) = Arguments::parse_from(arguments).command else { panic!() };
        arguments
    }

    #[test]
    fn lengths_are_powers_of_two() {
        let caps = Caps::baseline();
        let lengths = |options: &[&str]| lengths(&arguments(options), &caps);
        assert_eq!(lengths(&["--min", "1", "--max", "9"]).unwrap(), [1, 2, 4, 8]);
        assert_eq!(lengths(&["--min", "5", "--max", "2^4"]).unwrap(), [8, 16]);
        let all = lengths(&[]).unwrap();
        assert_eq!((all.first(), all.last()), (Some(&(1 << 10)), Some(&(1 << 25))));
        for options in [["--min", "9", "--max", "15"], ["--min", "16", "--max", "8"]] {
            let outcome = lengths(&options);
            assert!(matches!(outcome, Err(Failure::Usage(_))), "{outcome:?}");
        }
    }

    #[test]
    fn a_device_that_holds_less_is_given_less() {
        let mut caps = Caps::baseline();
        assert_eq!(default_max(&caps), caps.max_buffer_bytes / 8);
        caps.max_buffer_bytes = 1 << 40;
        assert_eq!(default_max(&caps), 1 << 28);
        caps.class = AdapterClass::Cpu;
        assert_eq!(default_max(&caps), 1 << 20);
    }

    #[test]
    fn each_type_is_tuned_once() {
        assert_eq!(elements(&arguments(&[])), ElementKind::ALL);
        let twice = arguments(&["--dtype", "u32", "--dtype", "f32", "--dtype", "u32"]);
        assert_eq!(elements(&twice), [ElementKind::F32, ElementKind::U32]);
    }
}
