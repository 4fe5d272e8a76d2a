//! `explain`: what a reduction would run.

use crate::args;
use crate::buffers;
use crate::failure::Failure;
use std::io::Write;
use std::iter;
use wgpu_reduce::{
    Caps, Collective, ElementKind, Error, ExactPlan, ExactTuning, OpRecord, Part, Plan,
    PlanRequest, Tuning, TuningTable,
};

pub(crate) fn run(arguments: &args::Explain, out: &mut impl Write) -> Result<(), Failure> {
    let (label, caps, table) = if arguments.baseline {
        ("the least that WebGPU promises".into(), Caps::baseline(), None)
    } else {
        let adapter = arguments.adapter.find()?;
        let (caps, table) = (adapter.caps(), arguments.tuned.table(&adapter.info)?);
        table.as_ref().map_or(Ok(()), |table| table.check(&adapter.info, &caps))?;
        (adapter.label(), caps, table)
    };
    if arguments.exact {
        return explain_exact(arguments, &label, &caps, out);
    }
    let request = request(arguments, caps, table.as_ref())?;
    let plan = if OpRecord::PAIRS.contains(&arguments.op) {
        Plan::of_pairs(&request, &parts(arguments, 0, &caps)?)?
    } else {
        Plan::new(&request)?
    };
    writeln!(out, "on {label}:")?;
    write!(out, "{plan}")?;
    if table.is_some() {
        writeln!(out, "  tuning: {}", plan.tuning)?;
    }
    if arguments.wgsl {
        print_shaders(&plan, out)?;
    }
    Ok(())
}

fn request(
    arguments: &args::Explain,
    caps: Caps,
    table: Option<&TuningTable>,
) -> Result<PlanRequest, Failure> {
    let &args::Explain { op: operation, dtype: element, elements: len, .. } = arguments;
    let tuned = table.and_then(|table| table.for_len(operation, element, len));
    Ok(PlanRequest {
        operation,
        element,
        input: parts(arguments, arguments.offset, &caps)?,
        output_offset_bytes: 0,
        in_place: false,
        collective: Collective::for_caps(&caps),
        tuning: tuned.unwrap_or_else(|| Tuning::for_len(&caps, element, len)),
        caps,
    })
}

fn offset_bytes(arguments: &args::Explain) -> Result<u64, Failure> {
    let bytes = arguments.offset.checked_mul(arguments.dtype.size_bytes());
    bytes.ok_or_else(|| Failure::Usage("the offset lies beyond 2^64 bytes".into()))
}

/// In as many buffers as they take, the first from element `offset` on.
fn parts(arguments: &args::Explain, offset: u64, caps: &Caps) -> Result<Vec<Part>, Failure> {
    let &args::Explain { dtype, elements, .. } = arguments;
    let offset_bytes = if offset == 0 { 0 } else { offset_bytes(arguments)? };
    let offsets = iter::once(offset_bytes).chain(iter::repeat(0));
    let parts = offsets.zip(buffers::shares(elements, offset, dtype, caps)?);
    Ok(parts.map(|(offset_bytes, len)| Part { offset_bytes, len }).collect())
}

fn explain_exact(
    arguments: &args::Explain,
    label: &str,
    caps: &Caps,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let &args::Explain { op, dtype, elements: len, offset, .. } = arguments;
    let exact = match op.name() {
        "sum" => "sum_exact",
        "dot" => "dot_exact",
        name => {
            return Err(Failure::Usage(format!("--exact is for sum and dot, and not for {name}")));
        }
    };
    if dtype != ElementKind::F32 {
        return Err(Error::NotDefined { operation: exact, element: dtype }.into());
    }
    let input = parts(arguments, offset, caps)?;
    let plan = if op.name() == "dot" {
        let second = parts(arguments, 0, caps)?;
        ExactPlan::of_pairs(&input, &second, &ExactTuning::for_pairs(caps, len), caps)?
    } else {
        ExactPlan::new(&input, &ExactTuning::for_len(caps, len), caps)?
    };
    writeln!(out, "on {label}:")?;
    write!(out, "{plan}")?;
    if arguments.wgsl {
        writeln!(out, "\n// {}\n", plan.shader)?;
        writeln!(out, "{}", plan.shader.wgsl().trim_end())?;
    }
    Ok(())
}

/// Every shader of the plan once, under the first pass that runs it.
fn print_shaders(plan: &Plan, out: &mut impl Write) -> Result<(), Failure> {
    let mut printed = Vec::new();
    for (index, pass) in plan.passes.iter().enumerate() {
        if !printed.contains(&pass.variant) {
            printed.push(pass.variant);
            writeln!(out, "\n// pass {}: {}\n", index + 1, pass.variant)?;
            writeln!(out, "{}", pass.variant.wgsl().trim_end())?;
        }
    }
    Ok(())
}
