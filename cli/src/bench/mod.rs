//! `bench`: a reduction at several lengths, run and timed.

mod report;
mod subject;

use crate::adapter;
use crate::args;
use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::output::{self, Output};
use crate::sample::with_sample;
use report::{Report, Row};
use std::io::Write;
use subject::{Runs, pair_rows, rows};
use wgpu_reduce::{AdapterClass, Dot, Error, GpuReducer, OpRecord, PairOperation};

pub(crate) fn run(arguments: &args::Bench, out: &mut impl Write) -> Result<(), Failure> {
    let args::Bench { op, dtype, measuring, .. } = arguments;
    if !op.takes(*dtype) {
        let error = Error::NotDefined { operation: op.name(), element: dtype.name() };
        return Err(Failure::Usage(error.to_string()));
    }
    let tunings = arguments.tuned.tuned.as_ref().and_then(Option::as_deref);
    let inputs: Vec<_> = tunings.into_iter().collect();
    let image = output::open_one("--svg", measuring.svg.as_deref(), &inputs)?;
    let reducer = measuring.device.open(|device| device.guarded_shaders(measuring.guarded))?;
    let reducer = arguments.tuned.apply(reducer)?;
    let lengths = lengths(&arguments.elements, reducer.caps().class);
    let report = Report {
        operation: op.name(),
        element: *dtype,
        inputs: if OpRecord::PAIRS.contains(op) { 2 } else { 1 },
        adapter: reducer.adapter_label(),
        driver: adapter::driver(reducer.adapter_info()),
        runs: measuring.repetitions,
        rows: measure(arguments, &reducer, &lengths)?,
    };
    finish(&report, measuring, image, out)
}

/// Each once, the shortest first.
fn lengths(asked: &[u64], class: AdapterClass) -> Vec<u64> {
    if asked.is_empty() {
        return (10..=default_log_max(class)).step_by(2).map(|log| 1 << log).collect();
    }
    let mut lengths = asked.to_vec();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Less on a CPU, which takes long for more.
const fn default_log_max(class: AdapterClass) -> u32 {
    match class {
        AdapterClass::Cpu => 20,
        _ => 26,
    }
}

fn measure(
    arguments: &args::Bench,
    reducer: &GpuReducer,
    lengths: &[u64],
) -> Result<Vec<Row>, Failure> {
    let args::Bench { op, dtype, measuring, .. } = arguments;
    let runs = Runs { counted: measuring.repetitions, in_flight: arguments.in_flight.into() };
    if **op == *PairOperation::<f32>::record(&Dot) {
        return with_sample!(*dtype, T in squared => pair_rows::<T>(reducer, lengths, runs));
    }
    let operation = Chosen::by_record(op);
    let operation =
        operation.ok_or_else(|| Failure::Usage(format!("{} is not supported", op.name())))?;
    with_sample!(*dtype, T in all => rows::<T>(&operation, reducer, lengths, runs))
}

/// Prints and draws, and fails if an answer was wrong, whether or not anybody reads on.
fn finish(
    report: &Report,
    measuring: &args::Measuring,
    image: Option<Output>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut out = output::beside(image.as_ref(), out);
    let printed = report.print(measuring, &mut out);
    let drawn = image.map_or(Ok(()), |image| image.write(&report.chart().svg()?));
    report.verdict().and(drawn).and(printed)
}

#[cfg(test)]
mod tests {
    use super::{Report, Row, finish, lengths};
    use crate::args::{Arguments, Command};
    use crate::failure::{Failure, tests::Closed};
    use clap::Parser as _;
    use wgpu_reduce::{AdapterClass, ElementKind};

    #[test]
    fn lengths_rise_and_a_cpu_gets_fewer_elements() {
        assert_eq!(lengths(&[7, 1 << 40, 3, 7], AdapterClass::Cpu), [3, 7, 1 << 40]);
        let ends = |class| {
            let lengths = lengths(&[], class);
            (lengths.first().copied(), lengths.last().copied(), lengths.len())
        };
        assert_eq!(ends(AdapterClass::Gpu), (Some(1 << 10), Some(1 << 26), 9));
        assert_eq!(ends(AdapterClass::Cpu), (Some(1 << 10), Some(1 << 20), 6));
    }

    #[test]
    fn wrong_answers_fail_even_if_nobody_reads_on() {
        let row = |ok| Row { elements: 1000, passes: 1, gpu: None, call: None, ok };
        let report = |rows| Report {
            operation: "sum",
            element: ElementKind::F32,
            inputs: 1,
            adapter: "An adapter (Vulkan)".into(),
            driver: String::new(),
            runs: 1,
            rows,
        };
        for options in [&[][..], &["--csv"], &["--json"]] {
            let arguments = ["wgpu-reduce", "bench"].iter().chain(options);
            let Command::Bench(arguments) = Arguments::parse_from(arguments).command else {
                panic!()
            };
            let finish = |rows| {
                let report = report(rows);
                finish(&report, &arguments.measuring, None, &mut Closed)
            };
            let Err(Failure::Failed(message)) = finish(vec![row(true), row(false)]) else {
                panic!("a wrong answer was not noticed");
            };
            assert_eq!(message, "1 of 2 results are wrong; please report this");
            assert!(matches!(finish(vec![row(true)]), Err(Failure::Output(_))));
        }
    }
}
