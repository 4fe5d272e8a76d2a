//! `explain`: what a reduction would run.

use crate::args;
use crate::buffers;
use crate::failure::Failure;
use std::io::Write;
use std::iter;
use wgpu_reduce::{Caps, Collective, Part, Plan, PlanRequest, Tuning, TuningTable};

pub(crate) fn run(arguments: &args::Explain, out: &mut impl Write) -> Result<(), Failure> {
    let (label, caps, table) = if arguments.baseline {
        ("the least that WebGPU promises".into(), Caps::baseline(), None)
    } else {
        let adapter = arguments.adapter.find()?;
        let (caps, table) = (adapter.caps(), arguments.tuned.table(&adapter.info)?);
        table.as_ref().map_or(Ok(()), |table| table.check(&adapter.info, &caps))?;
        (adapter.label(), caps, table)
    };
    let plan = Plan::new(&request(arguments, caps, table.as_ref())?)?;
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
    let offset_bytes = arguments
        .offset
        .checked_mul(element.size_bytes())
        .ok_or_else(|| Failure::Usage("the offset lies beyond 2^64 bytes".into()))?;
    let tuned = table.and_then(|table| table.for_len(operation, element, len));
    Ok(PlanRequest {
        operation,
        element,
        input: parts(arguments, offset_bytes, &caps)?,
        output_offset_bytes: 0,
        in_place: false,
        collective: Collective::for_caps(&caps),
        tuning: tuned.unwrap_or_else(|| Tuning::for_len(&caps, element, len)),
        caps,
    })
}

/// In as many buffers as they take, the first with the offset.
fn parts(arguments: &args::Explain, offset_bytes: u64, caps: &Caps) -> Result<Vec<Part>, Failure> {
    let &args::Explain { dtype, elements, offset, .. } = arguments;
    let offsets = iter::once(offset_bytes).chain(iter::repeat(0));
    let parts = offsets.zip(buffers::shares(elements, offset, dtype, caps)?);
    Ok(parts.map(|(offset_bytes, len)| Part { offset_bytes, len }).collect())
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
