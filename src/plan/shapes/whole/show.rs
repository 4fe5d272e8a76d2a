//! Plans as text.

use crate::plan::cut::pair::Partner;
use crate::plan::shapes::whole::{WholePass, WholePlan};
use crate::plan::tuning::Tuning;
use crate::shader::variant::Variant;
use std::fmt;

impl fmt::Display for WholePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tuning { workgroup_size, .. } = self.tuning;
        let what = if self.inputs == 2 { "pairs" } else { "elements" };
        writeln!(f, "{} of {} {} {what}", self.operation.name(), self.len, self.element)?;
        writeln!(f, "  reads {} bytes; workgroups of {workgroup_size}", self.input_bytes())?;
        for (index, pass) in self.passes.iter().enumerate() {
            writeln!(f, "  pass {}: {}", index + 1, pass)?;
        }
        if self.roundings > 0 {
            writeln!(f, "  at most {} roundings per element", self.roundings)?;
        }
        Ok(())
    }
}

impl fmt::Display for WholePass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Variant { kernel, collective, .. } = self.variant;
        write!(f, "{kernel:?} by {collective:?} -> {:?}", self.target)?;
        for dispatch in &self.dispatches {
            let [x, y] = dispatch.grid;
            write!(f, "\n    {} workgroups as {x} x {y}", dispatch.workgroups)?;
            if let Some(bytes) = &dispatch.source_bytes {
                write!(f, " over bytes {}..{} of {:?}", bytes.start, bytes.end, dispatch.source)?;
            }
            if let Some(Partner { source, source_bytes: bytes, .. }) = &dispatch.partner {
                write!(f, " and {}..{} of {source:?}", bytes.start, bytes.end)?;
            }
        }
        Ok(())
    }
}
