//! One result of what a mask leaves of a whole input.

use crate::api::input::Inputs;
use crate::api::pending::Next;
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::{Ends, Lowered};
use crate::api::request::whole::Whole;
use crate::api::request::work::{HostWork, OneBuffer, Reader, Work};
use crate::error::{Error, Result};
use crate::op::fold::{Folds, Left};
use crate::op::{DeviceFold, ShapedFold};
use crate::plan::planned::{Outputs, Plan, WholeTuning};
use crate::plan::shapes::whole::masked::count_in;
use std::sync::Arc;

/// A reduction of the elements that a mask leaves: what [`Request::masked`](crate::Request::masked) makes.
#[derive(Debug, Clone)]
pub struct Masked<'a, F, I> {
    pub(crate) whole: Whole<'a, F, I>,
    pub(crate) mask: Inputs<'a>,
    pub(crate) tuning: Option<WholeTuning>,
}

impl<F: ShapedFold<I>, I> Masked<'_, F, I> {
    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        let Self { whole, mask, tuning } = self;
        reducer.lower_masked(whole.fold.folds(), &whole.inputs, mask, *tuning, ends)
    }
}

impl<F: ShapedFold<I>, I> Work for Masked<'_, F, I> {
    type Tuning = WholeTuning;

    fn tune(&mut self, tuning: WholeTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        Ok(self.lower(reducer, Ends::Host)?.plan)
    }
}

impl<F: ShapedFold<I>, I> HostWork for Masked<'_, F, I> {
    type Output = F::Output;

    fn to_host(&self, reducer: &GpuReducer, _: bool) -> Result<(Lowered, Reader<F::Output>)> {
        let lowered = self.lower(reducer, Ends::Host)?;
        let Plan { element, operation, len, outputs: Outputs::Masked { count }, .. } = lowered.plan
        else {
            let message = "a mask leaves no number of elements".into();
            return Err(Error::Internal { message });
        };
        let Folds::Operation(record) = self.whole.fold.folds() else {
            return Err(Error::WrongInputs { operation, inputs: 1 });
        };
        let finisher = self.whole.fold.finisher();
        let reader: Reader<F::Output> = Arc::new(move |bytes, _| {
            let len = count.map_or(Ok(len), |first| count_in(bytes, first))?;
            record.check_len(len)?;
            finisher.finish(Left { bytes, element, len, digits: None }).map(Next::Value)
        });
        Ok((lowered, reader))
    }
}

impl<F: DeviceFold<I>, I> OneBuffer for Masked<'_, F, I> {
    type Raw = F::Raw;

    fn results(&self) -> Result<u64> {
        Ok(1)
    }

    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        Self::lower(self, reducer, ends)
    }
}
