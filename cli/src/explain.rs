//! `explain`: what a reduction would run.

use crate::args;
use crate::failure::Failure;
use std::io::Write;
use wgpu_reduce::{Caps, Collective, Plan, PlanRequest, Tuning};

pub(crate) fn run(arguments: &args::Explain, out: &mut impl Write) -> Result<(), Failure> {
    let (label, caps) = if arguments.baseline {
        ("the least that WebGPU promises".into(), Caps::baseline())
    } else {
        let adapter = arguments.adapter.find()?;
        (adapter.label(), adapter.caps())
    };
    let plan = Plan::new(&request(arguments, caps)?)?;
    writeln!(out, "on {label}:")?;
    write!(out, "{plan}")?;
    if arguments.wgsl {
        print_shaders(&plan, out)?;
    }
    Ok(())
}

fn request(arguments: &args::Explain, caps: Caps) -> Result<PlanRequest, Failure> {
    let offset = arguments.offset.checked_mul(arguments.dtype.size_bytes());
    Ok(PlanRequest {
        operation: arguments.op,
        element: arguments.dtype,
        len: arguments.elements,
        input_offset_bytes: offset
            .ok_or_else(|| Failure::Usage("the offset lies beyond 2^64 bytes".into()))?,
        output_offset_bytes: 0,
        in_place: false,
        collective: Collective::for_caps(&caps),
        tuning: Tuning::for_len(&caps, arguments.dtype, arguments.elements),
        caps,
    })
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
