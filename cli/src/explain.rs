//! `explain`: what a reduction would run, or one call for many inputs.

use crate::along::axes_of;
use crate::args;
use crate::buffers;
use crate::contiguous::Along;
use crate::exact::record;
use crate::failure::Failure;
use std::io::Write;
use std::iter;
use wgpu_reduce::{
    Caps, DotExact, ElementKind, OpRecord, Part, PlannedPass, Problem, Tuning, TuningTable,
};
use wgpu_reduce_npy::Shape;

pub(crate) fn run(arguments: &args::Explain, out: &mut impl Write) -> Result<(), Failure> {
    let (label, caps, table) = if arguments.baseline {
        ("the least that WebGPU promises".into(), Caps::baseline(), None)
    } else {
        let adapter = arguments.adapter.find()?;
        let (caps, table) = (adapter.caps(), arguments.tuned.table(&adapter.info)?);
        table.as_ref().map_or(Ok(()), |table| table.check(&adapter.info, &caps))?;
        (adapter.label(), caps, table)
    };
    let subject = Subject { arguments, caps, table };
    if !arguments.axis.is_empty() {
        return subject.explain_axes(&label, out);
    }
    if let Some(segments) = arguments.segments {
        return subject.explain_segments(segments, &label, out);
    }
    match arguments.inputs {
        None if arguments.exact && OpRecord::PAIRS.contains(&arguments.op) => {
            subject.explain_dot(&label, out)
        }
        None => subject.explain_one(&label, out),
        Some(inputs) => subject.explain_many(inputs, &label, out),
    }
}

/// What is asked about, on which device.
struct Subject<'a> {
    arguments: &'a args::Explain,
    caps: Caps,
    table: Option<TuningTable>,
}

impl Subject<'_> {
    fn explain_one(&self, label: &str, out: &mut impl Write) -> Result<(), Failure> {
        let &args::Explain { dtype: element, elements, .. } = self.arguments;
        let problem = Problem::by(self.operation()?, element, elements).parts(self.inputs()?);
        let tuned = self.table.as_ref();
        let tuned = tuned.and_then(|table| table.for_len(self.arguments.op, element, elements));
        let problem = tuned.into_iter().fold(problem, Problem::tuned);
        let plan = problem.plan(&self.caps)?;
        writeln!(out, "on {label}:")?;
        write!(out, "{plan}")?;
        let numbers = (1..).map(|number: u32| format!("pass {number}: "));
        self.print_shaders(numbers.zip(plan.passes()), out)
    }

    fn explain_many(&self, inputs: u16, label: &str, out: &mut impl Write) -> Result<(), Failure> {
        let &args::Explain { op: operation, dtype: element, elements, .. } = self.arguments;
        let problem = Problem::by(operation, element, elements).parts(self.inputs()?);
        let plan = problem.plan_batch(inputs.into(), |len| self.tuning(len), &self.caps)?;
        writeln!(out, "on {label}:")?;
        write!(out, "{plan}")?;
        self.print_shaders(plan.passes().iter().map(|pass| ("shader: ".into(), pass)), out)
    }

    /// The elements of each input, the second from the first element on.
    fn inputs(&self) -> Result<Vec<Vec<Part>>, Failure> {
        let &args::Explain { op, elements, offset, .. } = self.arguments;
        let first = self.parts(elements, offset)?;
        Ok(if OpRecord::PAIRS.contains(&op) {
            vec![first, self.parts(elements, 0)?]
        } else {
            vec![first]
        })
    }

    fn tuning(&self, len: u64) -> Tuning {
        let &args::Explain { op, dtype, .. } = self.arguments;
        let tuned = self.table.as_ref().and_then(|table| table.for_len(op, dtype, len));
        tuned.unwrap_or_else(|| Tuning::for_operation(&self.caps, op, dtype, len))
    }

    /// The exact dot product, which is no operation.
    fn explain_dot(&self, label: &str, out: &mut impl Write) -> Result<(), Failure> {
        let &args::Explain { dtype, elements, .. } = self.arguments;
        let problem = match dtype {
            ElementKind::F32 => Problem::new::<(f32, f32), _>(&DotExact, dtype, elements),
            _ => Problem::new::<(f64, f64), _>(&DotExact, dtype, elements),
        };
        let plan = problem.parts(self.inputs()?).plan(&self.caps)?;
        writeln!(out, "on {label}:")?;
        write!(out, "{plan}")?;
        self.print_shaders(plan.passes().iter().map(|pass| (String::new(), pass)), out)
    }

    /// The operation with its kind of sum, where that is asked for.
    fn operation(&self) -> Result<&'static OpRecord, Failure> {
        let &args::Explain { op, exact, .. } = self.arguments;
        match (exact, op.name()) {
            (false, _) => Ok(op),
            (true, "sum" | "sum_exact") => Ok(record()),
            (true, name) => {
                let what =
                    format!("--exact is for sum, and dot of whole inputs, and not for {name}");
                Err(Failure::Usage(what))
            }
        }
    }

    fn explain_axes(&self, label: &str, out: &mut impl Write) -> Result<(), Failure> {
        let shape = Shape { extents: self.arguments.shape.clone(), is_fortran: false };
        let axes = axes_of(&shape, &self.arguments.axis).map_err(Failure::Usage)?;
        let Along { view, axes_of_view, .. } = Along::new(shape, axes).map_err(Failure::Usage)?;
        let input = self.parts(view.len(), self.arguments.offset)?;
        let problem = Problem::by(self.operation()?, self.arguments.dtype, view.len());
        let plan = problem.parts(vec![input]).along(view, &axes_of_view).plan(&self.caps)?;
        writeln!(out, "on {label}:")?;
        write!(out, "{plan}")?;
        self.print_shaders(plan.passes().iter().map(|pass| (String::new(), pass)), out)
    }

    fn explain_segments(
        &self,
        segments: u64,
        label: &str,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let &args::Explain { dtype: element, elements, offset, .. } = self.arguments;
        let problem = Problem::by(self.operation()?, element, elements);
        let problem = problem.parts(vec![self.parts(elements, offset)?]).segments(segments);
        let plan = problem.plan(&self.caps)?;
        writeln!(out, "on {label}:")?;
        write!(out, "{plan}")?;
        self.print_shaders(plan.passes().iter().map(|pass| (String::new(), pass)), out)
    }

    /// In as many buffers as they take, the first from element `offset` on.
    fn parts(&self, elements: u64, offset: u64) -> Result<Vec<Part>, Failure> {
        let &args::Explain { dtype, .. } = self.arguments;
        let offset_bytes = offset
            .checked_mul(dtype.size_bytes())
            .ok_or_else(|| Failure::Usage("the offset lies beyond 2^64 bytes".into()))?;
        if elements.checked_mul(dtype.size_bytes()).is_none() {
            let what = format!("{elements} elements of {dtype} lie beyond 2^64 bytes");
            return Err(Failure::Failed(what));
        }
        let offsets = iter::once(offset_bytes).chain(iter::repeat(0));
        let parts = offsets.zip(buffers::shares(elements, offset, dtype, &self.caps)?);
        Ok(parts.map(|(offset_bytes, len)| Part { offset_bytes, len }).collect())
    }

    /// If they are asked for: every shader once, under the first that runs it.
    fn print_shaders<'p>(
        &self,
        passes: impl Iterator<Item = (String, &'p PlannedPass)>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let mut printed = Vec::new();
        for (what, pass) in passes.filter(|_| self.arguments.wgsl) {
            let name = pass.to_string();
            if !printed.contains(&name) {
                writeln!(out, "\n// {what}{name}\n")?;
                writeln!(out, "{}", pass.wgsl().trim_end())?;
                printed.push(name);
            }
        }
        Ok(())
    }
}
