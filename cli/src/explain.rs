//! `explain`: what a reduction would run, or one call for many inputs.

use crate::along::axis_of;
use crate::args;
use crate::buffers;
use crate::contiguous::{AXIS, Along};
use crate::failure::Failure;
use std::io::Write;
use std::iter;
use wgpu_reduce::{
    AxisPlan, AxisRequest, AxisTuning, Caps, Collective, ElementKind, Error, ExactPlan,
    ExactTuning, ManyPlan, ManyRequest, OpRecord, Operation, Part, SegmentsPlan, SegmentsRequest,
    SegmentsTuning, SumExact, Tuning, TuningTable, Variant, WholePlan, WholeRequest,
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
    if let Some(axis) = arguments.axis {
        return subject.explain_axis(axis, &label, out);
    }
    if let Some(segments) = arguments.segments {
        return subject.explain_segments(segments, &label, out);
    }
    match arguments.inputs {
        None if arguments.exact && !subject.is_exact_operation() => {
            subject.explain_exact(&label, out)
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
        let operation = self.operation()?;
        let request = WholeRequest {
            operation,
            element,
            input: self.parts(elements, self.arguments.offset)?,
            output_offset_bytes: 0,
            in_place: false,
            collective: Collective::for_caps(&self.caps),
            tuning: self.tuning(elements),
            caps: self.caps,
        };
        let plan = if OpRecord::PAIRS.contains(&operation) {
            WholePlan::of_pairs(&request, &self.parts(elements, 0)?)?
        } else {
            WholePlan::new(&request)?
        };
        writeln!(out, "on {label}:")?;
        write!(out, "{plan}")?;
        if self.table.is_some() {
            writeln!(out, "  tuning: {}", plan.tuning)?;
        }
        let numbers = (1..).map(|number: u32| format!("pass {number}"));
        self.print_shaders(numbers.zip(plan.passes.iter().map(|pass| pass.variant)), out)
    }

    fn explain_many(&self, inputs: u16, label: &str, out: &mut impl Write) -> Result<(), Failure> {
        let &args::Explain { op: operation, dtype: element, elements, .. } = self.arguments;
        let request = ManyRequest {
            operation,
            element,
            inputs: vec![self.parts(elements, self.arguments.offset)?; inputs.into()],
            partners: None,
            collective: Collective::for_caps(&self.caps),
            caps: self.caps,
        };
        let plan = ManyPlan::new(&request, |len| self.tuning(len))?;
        writeln!(out, "on {label}:")?;
        write!(out, "{plan}")?;
        self.print_shaders(plan.shaders().map(|variant| ("shader".into(), variant)), out)
    }

    fn tuning(&self, len: u64) -> Tuning {
        let &args::Explain { op, dtype, .. } = self.arguments;
        let tuned = self.table.as_ref().and_then(|table| table.for_len(op, dtype, len));
        tuned.unwrap_or_else(|| Tuning::for_operation(&self.caps, op, dtype, len))
    }

    fn explain_exact(&self, label: &str, out: &mut impl Write) -> Result<(), Failure> {
        let &args::Explain { op, dtype, elements, offset, wgsl, .. } = self.arguments;
        let exact = match op.name() {
            "sum" => "sum_exact",
            "dot" => "dot_exact",
            name => {
                let what = format!("--exact is for sum and dot, and not for {name}");
                return Err(Failure::Usage(what));
            }
        };
        if dtype != ElementKind::F32 {
            return Err(Error::NotDefined { operation: exact, element: dtype.name() }.into());
        }
        let (input, caps) = (self.parts(elements, offset)?, &self.caps);
        let plan = if op.name() == "dot" {
            let tuning = ExactTuning::for_pairs(caps, elements);
            ExactPlan::of_pairs(&input, &self.parts(elements, 0)?, &tuning, caps)?
        } else {
            ExactPlan::new(&input, &ExactTuning::for_len(caps, elements), caps)?
        };
        writeln!(out, "on {label}:")?;
        write!(out, "{plan}")?;
        if wgsl {
            writeln!(out, "\n// {}\n", plan.shader)?;
            writeln!(out, "{}", plan.shader.wgsl().trim_end())?;
        }
        Ok(())
    }

    /// Whether the exact sum is the operation's, as of f16.
    fn is_exact_operation(&self) -> bool {
        self.arguments.op.name() == "sum" && self.arguments.dtype == ElementKind::F16
    }

    /// The operation with its kind of sum, where that is asked for.
    fn operation(&self) -> Result<&'static OpRecord, Failure> {
        let op = self.arguments.op;
        match (self.arguments.exact, op.name()) {
            (false, _) => Ok(op),
            (true, "sum") => Ok(Operation::<f32>::record(&SumExact)),
            (true, name) => {
                let what =
                    format!("--exact is for sum where results are several, and not for {name}");
                Err(Failure::Usage(what))
            }
        }
    }

    fn explain_axis(&self, axis: i64, label: &str, out: &mut impl Write) -> Result<(), Failure> {
        let shape = Shape { extents: self.arguments.shape.clone(), is_fortran: false };
        let axis = axis_of(&shape, axis).map_err(Failure::Usage)?;
        let view = Along::new(&shape, axis)?.view;
        let plan = AxisPlan::new(&AxisRequest {
            operation: self.operation()?,
            element: self.arguments.dtype,
            view,
            axis: AXIS,
            input: self.parts(view.len(), self.arguments.offset)?,
            output_offset_bytes: 0,
            in_place: false,
            tuning: AxisTuning::for_caps(&self.caps),
            caps: self.caps,
        })?;
        writeln!(out, "on {label}:")?;
        writeln!(out, "{}  passes: {}", plan, plan.pass_count())?;
        self.print_texts(plan.shaders().map(|shader| (shader.to_string(), shader.wgsl())), out)
    }

    fn explain_segments(
        &self,
        segments: u64,
        label: &str,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let &args::Explain { dtype: element, elements, offset, .. } = self.arguments;
        let plan = SegmentsPlan::new(&SegmentsRequest {
            operation: self.operation()?,
            element,
            input: self.parts(elements, offset)?,
            offsets: Part { offset_bytes: 0, len: segments.saturating_add(1) },
            count_offset_bytes: None,
            output_offset_bytes: Some(0),
            tuning: SegmentsTuning::for_element(&self.caps, element),
            caps: self.caps,
        })?;
        writeln!(out, "on {label}:")?;
        write!(out, "{plan}")?;
        self.print_texts(plan.shaders().map(|shader| (shader.to_string(), shader.wgsl())), out)
    }

    /// If they are asked for: every text once, under the name of its shader.
    fn print_texts(
        &self,
        shaders: impl Iterator<Item = (String, String)>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let mut printed = Vec::new();
        for (name, text) in shaders.filter(|_| self.arguments.wgsl) {
            if !printed.contains(&name) {
                writeln!(out, "\n// {name}\n\n{}", text.trim_end())?;
                printed.push(name);
            }
        }
        Ok(())
    }

    /// In as many buffers as they take, the first from element `offset` on.
    fn parts(&self, elements: u64, offset: u64) -> Result<Vec<Part>, Failure> {
        let &args::Explain { dtype, .. } = self.arguments;
        let offset_bytes = offset
            .checked_mul(dtype.size_bytes())
            .ok_or_else(|| Failure::Usage("the offset lies beyond 2^64 bytes".into()))?;
        let offsets = iter::once(offset_bytes).chain(iter::repeat(0));
        let parts = offsets.zip(buffers::shares(elements, offset, dtype, &self.caps)?);
        Ok(parts.map(|(offset_bytes, len)| Part { offset_bytes, len }).collect())
    }

    /// If they are asked for: every shader once, under the first that runs it.
    fn print_shaders(
        &self,
        variants: impl Iterator<Item = (String, Variant)>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let mut printed = Vec::new();
        for (what, variant) in variants.filter(|_| self.arguments.wgsl) {
            if !printed.contains(&variant) {
                printed.push(variant);
                writeln!(out, "\n// {what}: {variant}\n")?;
                writeln!(out, "{}", variant.wgsl().trim_end())?;
            }
        }
        Ok(())
    }
}
