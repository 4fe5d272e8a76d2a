//! `sum --exact`: the exact sum of a file's elements.

use crate::args;
use crate::check::Check;
use crate::failure::Failure;
use crate::input::Input;
use crate::measure::Times;
use crate::reduce::{TIMED_RUNS, not_defined, two_results};
use crate::report::Report;
use crate::upload::upload;
use std::io::Write;
use wgpu_reduce::{Element, ElementKind, ExactSum, GpuReducer, GpuSlices};

const OPERATION: &str = "sum_exact";

pub(crate) fn sum(arguments: &args::Sum, out: &mut impl Write) -> Result<(), Failure> {
    let args::Sum { reduce, bits, .. } = arguments;
    let input = Input::open(&reduce.file, reduce.format, reduce.dtype)?;
    if input.element() != ElementKind::F32 {
        return Err(not_defined(reduce, OPERATION, input.element()));
    }
    let reducer = reduce.device.open(|options| options)?;
    let mut on_cpu = reduce.check.then(ExactSum::new);
    let buffers = upload(&reducer, input, |elements| {
        if let Some(sum) = &mut on_cpu {
            sum.add_slice(elements);
        }
    })?;
    let elements = buffers.all()?;
    let (sum, times) = measure(&reducer, &elements, if *bits { 0 } else { TIMED_RUNS })?;
    let value = sum.round();
    let report = Report {
        op: OPERATION,
        value: value.into(),
        elements: elements.len(),
        dtype: ElementKind::F32,
        adapter: reducer.adapter_label(),
        gpu_us: times.map(|times| times.median_us),
        gb_per_s: times.map(|times| times.gb_per_s(elements.len() * f32::KIND.size_bytes())),
        tuning: None,
        check: on_cpu.map(|on_cpu| judge(&sum, &on_cpu)),
    };
    if *bits {
        let printed = writeln!(out, "{:08x}", value.to_bits()).map_err(Failure::from);
        return report.verdict().and(printed);
    }
    report.print(reduce.json, out)
}

/// The sum and its times. All runs must agree to the last digit.
fn measure(
    reducer: &GpuReducer,
    elements: &GpuSlices<'_, f32>,
    timed_runs: usize,
) -> Result<(ExactSum, Option<Times>), Failure> {
    let sum = reducer.reduce_exact(elements.clone())?.wait()?;
    let tuning = reducer.exact_tuning(elements.len());
    let mut times = Vec::with_capacity(timed_runs);
    for _ in 0..timed_runs {
        let run = reducer.reduce_exact_with(&tuning, elements.clone())?.wait()?;
        if run.value != sum {
            return Err(two_results(&sum.round_f64().into(), &run.value.round_f64().into()));
        }
        times.extend(run.gpu_ns);
    }
    Ok((sum, Times::of(times)))
}

/// The CPU's sum of the same elements must have the same digits.
fn judge(sum: &ExactSum, on_cpu: &ExactSum) -> Check {
    let ok = sum == on_cpu;
    let difference = (sum.round_f64() - on_cpu.round_f64()).abs();
    Check {
        cpu: on_cpu.round().into(),
        difference: if ok { 0.0 } else { difference }.into(),
        bound: 0.0_f64.into(),
        ok,
        may_overflow: false,
    }
}
