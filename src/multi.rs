//! One input on several adapters.

use crate::buffer::GpuBuffer;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::exact::ExactSum;
use crate::op::Operation;
use crate::pending::{Finish, Pending};
use crate::plan::{Ending, Plan};
use crate::reducer::{GpuReducer, read_output};
use crate::slices::GpuSlices;
use crate::stream::merged;
use std::collections::VecDeque;
use std::iter::zip;
use std::thread;

/// Several adapters that reduce one input together, each the elements that it has.
///
/// What each leaves is an accumulator, and the first combines these. So results are those of one input on one
/// adapter: of integers, extremes, places, counts and exact sums with the same bits. Floats that round have another
/// order of additions, which depends on the adapters, their number and the lengths of their shares, and on nothing
/// that changes between runs; [`MultiGpu::plan`] bounds their error.
///
/// Not in browsers, which show one adapter.
///
/// ```no_run
/// use wgpu_reduce::{GpuReducer, MultiGpu, Options, Sum};
///
/// let open = |number: usize| {
///     pollster::block_on(GpuReducer::request(&Options::default().adapter(number.to_string())))
/// };
/// let adapters = (0..GpuReducer::adapters().len()).map(open);
/// let multi = MultiGpu::new(adapters.collect::<Result<_, _>>()?)?;
/// let buffer = multi.upload(&[7_u32; 1000])?;
/// assert_eq!(multi.reduce(Sum, &buffer)?.wait()?, 7000);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MultiGpu {
    /// At least one.
    reducers: Vec<GpuReducer>,
}

/// Consecutive elements, a share of them on each adapter of a [`MultiGpu`].
#[derive(Debug, Clone)]
pub struct MultiBuffer<T> {
    shares: Vec<GpuBuffer<T>>,
}

impl<T: bytemuck::Pod> MultiBuffer<T> {
    /// Of shares that are on the adapters already: the first on the first, and so on. The elements are those of the
    /// first, then those of the second.
    #[must_use]
    pub const fn new(shares: Vec<GpuBuffer<T>>) -> Self {
        Self { shares }
    }

    /// What each adapter has, in order.
    #[must_use]
    pub fn shares(&self) -> &[GpuBuffer<T>] {
        &self.shares
    }

    /// Elements of all shares; `u64::MAX` if there are more.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.shares.iter().fold(0, |sum, share| sum.saturating_add(share.len()))
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl MultiGpu {
    /// Of reducers of any adapters; several may be of one adapter.
    ///
    /// # Errors
    ///
    /// [`Error::NoAdapter`] if there are none.
    pub fn new(reducers: Vec<GpuReducer>) -> Result<Self> {
        if reducers.is_empty() {
            return Err(Error::NoAdapter {
                looked_for: "one adapter or more".into(),
                found: Vec::new(),
                hint: "open some by GpuReducer::request".into(),
            });
        }
        Ok(Self { reducers })
    }

    /// The adapters' reducers, in order.
    #[must_use]
    pub fn reducers(&self) -> &[GpuReducer] {
        &self.reducers
    }

    /// Copies an equal share of the elements to each adapter, to all at once, as far as shares are whole words. Where
    /// some are faster than others, [`MultiBuffer::new`] takes shares of any length.
    ///
    /// # Errors
    ///
    /// As [`GpuReducer::upload`], of the first adapter that has one.
    pub fn upload<T: Element>(&self, elements: &[T]) -> Result<MultiBuffer<T>> {
        let share = elements.len().div_ceil(self.reducers.len()).next_multiple_of(SHARE_ELEMENTS);
        let shares = elements.chunks(share.max(1)).chain(std::iter::repeat(&[][..]));
        let outcomes: Vec<Result<GpuBuffer<T>>> = thread::scope(|scope| {
            let copies: Vec<_> = zip(&self.reducers, shares)
                .map(|(reducer, share)| scope.spawn(move || reducer.upload(share)))
                .collect();
            let lost = |_| Err(Error::Internal { message: "a copy did not end".into() });
            copies.into_iter().map(|copy| copy.join().unwrap_or_else(lost)).collect()
        });
        Ok(MultiBuffer { shares: outcomes.into_iter().collect::<Result<_>>()? })
    }

    /// Starts a reduction on every adapter and returns at once; what they leave is combined when it is waited for.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if there are not as many shares as adapters; otherwise as [`GpuReducer::reduce`], of
    /// the first adapter that has one.
    pub fn reduce<T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: &MultiBuffer<T>,
    ) -> Result<Pending<O::Output>> {
        let first = self.first(input)?;
        let len = input.len();
        if len == 0 {
            return first.reduce(operation, GpuSlices::from(Vec::new()));
        }
        let mut partials = VecDeque::new();
        for (reducer, plan, share) in self.share_plans(operation, input)? {
            let recording = plan.recording(&reducer.context.caps);
            let bytes = accumulator_bytes::<T, O>(operation)?;
            let finish: Finish<Vec<u8>> = Box::new(|bytes| Ok(bytes.to_vec()));
            partials.push_back(reducer.submit(
                &recording,
                &[share.as_wgpu()],
                bytes,
                None,
                finish,
            )?);
        }
        combined(first.clone(), operation, len, Vec::new(), partials)
    }

    /// Starts an exact sum on every adapter. What comes is the sum before it is rounded: the same bits as on one
    /// adapter.
    ///
    /// ```no_run
    /// # fn run(multi: &wgpu_reduce::MultiGpu) -> wgpu_reduce::Result<()> {
    /// let buffer = multi.upload(&[0.1_f32, 0.2, 0.3])?;
    /// assert_eq!(multi.reduce_exact(&buffer)?.wait()?.round(), 0.6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce`](Self::reduce).
    pub fn reduce_exact(&self, input: &MultiBuffer<f32>) -> Result<Pending<ExactSum>> {
        self.first(input)?;
        let sums = zip(&self.reducers, &input.shares);
        let sums = sums.map(|(reducer, share)| reducer.reduce_exact(share));
        merged(ExactSum::new(), sums.collect::<Result<_>>()?)
    }

    /// What [`reduce`](Self::reduce) runs: the passes of the longest share, then those that combine what all leave.
    /// [`Plan::roundings`] is that of the whole, for [`Plan::error_bound`] and [`Operation::tolerance`].
    ///
    /// # Errors
    ///
    /// As [`reduce`](Self::reduce).
    pub fn plan<T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: &MultiBuffer<T>,
    ) -> Result<Plan> {
        let (first, len) = (self.first(input)?, input.len());
        if len == 0 {
            return first.plan(operation, GpuSlices::from(Vec::new()));
        }
        let plans = self.share_plans(operation, input)?.into_iter().map(|(_, plan, _)| plan);
        let roundings = plans.clone().map(|plan| plan.roundings).max().unwrap_or(0);
        let count = u32::try_from(plans.len()).unwrap_or(u32::MAX);
        let last = fold(first, operation, len, count)?;
        let roundings = roundings + last.roundings;
        let whole = plans.max_by_key(|plan| plan.len).map(|mut plan| {
            plan.append(last);
            Plan { len, roundings, ..plan }
        });
        whole.ok_or_else(|| Error::Internal { message: "no share has elements".into() })
    }

    /// The first reducer, if every adapter has a share.
    fn first<T: bytemuck::Pod>(&self, input: &MultiBuffer<T>) -> Result<&GpuReducer> {
        let (left, right) = (self.reducers.len() as u64, input.shares.len() as u64);
        let first = self.reducers.first().filter(|_| left == right);
        first.ok_or(Error::LengthMismatch { left, right })
    }

    /// What adapters that have elements do with them.
    fn share_plans<'a, T: Element, O: Operation<T>>(
        &'a self,
        operation: O,
        input: &'a MultiBuffer<T>,
    ) -> Result<Vec<(&'a GpuReducer, Plan, &'a GpuBuffer<T>)>> {
        let mut first_index = 0;
        let mut plans = Vec::with_capacity(self.reducers.len());
        for (reducer, share) in zip(&self.reducers, &input.shares) {
            if share.is_empty() {
                continue;
            }
            let parts = GpuSlices::from(share).plan_parts();
            let request = reducer.plan_request(operation.record(), T::KIND, parts);
            let ending = Ending::Partial { first_index, slot: 0, slots: 1 };
            let plan = Plan::of(&request, None, ending);
            plans.push((reducer, plan.map_err(|error| reducer.with_adapter(error))?, share));
            first_index = first_index.saturating_add(share.len());
        }
        Ok(plans)
    }
}

/// Shares are multiples of so many elements, whose words are whole for every type.
const SHARE_ELEMENTS: usize = 4;

fn accumulator_bytes<T: Element, O: Operation<T>>(operation: O) -> Result<u64> {
    Ok(operation.record().over(T::KIND)?.accumulator.size_bytes())
}

/// What folds so many accumulators to the result.
fn fold<T: Element, O: Operation<T>>(
    reducer: &GpuReducer,
    operation: O,
    len: u64,
    count: u32,
) -> Result<Plan> {
    let request = reducer.plan_request(operation.record(), T::KIND, Vec::new());
    let plan = Plan::of_partials(&request, len, count, Ending::Result);
    plan.map_err(|error| reducer.with_adapter(error))
}

/// The result of the accumulators that are there and of those that are still to come.
fn combined<T: Element, O: Operation<T>>(
    reducer: GpuReducer,
    operation: O,
    len: u64,
    mut there: Vec<u8>,
    mut to_come: VecDeque<Pending<Vec<u8>>>,
) -> Result<Pending<O::Output>> {
    if let Some(next) = to_come.pop_front() {
        let bytes = usize::try_from(accumulator_bytes::<T, O>(operation)?).unwrap_or(0);
        return next.followed(move |partial| {
            there.extend_from_slice(partial.get(..bytes).unwrap_or_default());
            combined(reducer, operation, len, there, to_come)
        });
    }
    let count = there.len() as u64 / accumulator_bytes::<T, O>(operation)?.max(1);
    let plan = fold::<T, O>(&reducer, operation, len, u32::try_from(count).unwrap_or(u32::MAX))?;
    let partials = reducer.upload(&there)?;
    let recording = plan.recording(&reducer.context.caps);
    let finish: Finish<O::Output> =
        Box::new(move |bytes| operation.finish(read_output(bytes)?, len));
    let bytes = size_of::<O::Raw>() as u64;
    reducer.submit(&recording, &[partials.as_wgpu()], bytes, None, finish)
}
