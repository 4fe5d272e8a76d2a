//! Many inputs in one submission, a result for each.

use crate::decode;
use crate::element::Element;
use crate::error::Result;
use crate::many_plan::{ManyPlan, ManyRequest};
use crate::op::Operation;
use crate::pending::{Finish, Pending};
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;
use crate::variant::Collective;

impl GpuReducer {
    /// Starts a reduction of each of several inputs, in one submission, and returns at once. The
    /// results come together, in the order of the inputs.
    ///
    /// For many small inputs this takes a fraction of the time that a call for each takes, since
    /// submitting and waiting take longer than reducing them. Each result is that of
    /// [`reduce`](Self::reduce), but for rounding: inputs of up to 32 KiB get one workgroup each, whose
    /// invocations add every n-th element one after another, n being the size of the workgroup, so
    /// that an element of an `f32` sum passes through at most its length ÷ n + 2 · log2 n additions
    /// where subgroups are full. All inputs of up to 32 KiB are reduced so, if there is more than one
    /// input: equal ones give equal bits.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let rows = [reducer.upload(&[1_u32, 2])?, reducer.upload(&[3_u32])?];
    /// assert_eq!(reducer.reduce_many(Sum, &rows)?.wait()?, [3, 3]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// No inputs give no results.
    ///
    /// # Errors
    ///
    /// As [`reduce`](Self::reduce), for the first input that has one, and [`Error::Unsupported`](crate::Error::Unsupported) if
    /// there are more inputs than [`ManyPlan::new`] plans; then nothing is submitted.
    pub fn reduce_many<'a, T: Element, O: Operation<T>, I: Into<GpuSlices<'a, T>>>(
        &self,
        operation: O,
        inputs: impl IntoIterator<Item = I>,
    ) -> Result<Pending<Vec<O::Output>>> {
        self.context.check_alive()?;
        let inputs: Vec<GpuSlices<'a, T>> = inputs.into_iter().map(Into::into).collect();
        let plan = self.plan_of_many(operation, &inputs)?;
        let buffers: Vec<_> = inputs.iter().flat_map(GpuSlices::buffers).collect();
        let result_bytes = size_of::<O::Raw>();
        let bytes = (inputs.len() * result_bytes).max(result_bytes) as u64;
        let lengths: Vec<_> = inputs.iter().map(GpuSlices::len).collect();
        let finish: Finish<Vec<O::Output>> = Box::new(move |bytes| {
            let raw = decode::values(bytes).zip(lengths);
            raw.map(|(raw, len)| operation.finish(raw?, len)).collect()
        });
        self.submit(&plan.recording(&self.context.caps), &buffers, bytes, None, finish)
    }

    /// What [`reduce_many`](Self::reduce_many) would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let rows = [reducer.upload(&[1_u32, 2])?, reducer.upload(&[3_u32])?];
    /// let plan = reducer.plan_many(Sum, &rows)?;
    /// // Two small inputs share a dispatch.
    /// assert_eq!((plan.inputs, plan.steps.len()), (2, 1));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ManyPlan::new`].
    pub fn plan_many<'a, T: Element, O: Operation<T>, I: Into<GpuSlices<'a, T>>>(
        &self,
        operation: O,
        inputs: impl IntoIterator<Item = I>,
    ) -> Result<ManyPlan> {
        let inputs: Vec<_> = inputs.into_iter().map(Into::into).collect();
        self.plan_of_many(operation, &inputs)
    }

    fn plan_of_many<T: Element, O: Operation<T>>(
        &self,
        operation: O,
        inputs: &[GpuSlices<'_, T>],
    ) -> Result<ManyPlan> {
        let (operation, caps) = (operation.record(), self.context.caps);
        let request = ManyRequest {
            operation,
            element: T::KIND,
            inputs: inputs.iter().map(GpuSlices::plan_parts).collect(),
            collective: Collective::for_caps(&caps),
            caps,
        };
        ManyPlan::new(&request, |len| self.tuning(operation, T::KIND, len))
            .map_err(|error| self.with_adapter(error))
    }
}
