//! One input on several adapters.

use crate::api::buffer::GpuBuffer;
use crate::api::pending::{Finish, Pending};
use crate::api::reducer::GpuReducer;
use crate::api::slices::GpuSlices;
use crate::api::stream::merged;
use crate::error::{Error, Result};
use crate::exact::{ExactElement, ExactSum};
use crate::op::element::{Element, ElementKind};
use crate::op::fold::{Finisher, Left};
use crate::op::{Fold, HostFold, OpRecord, Operation, SumExact};
use crate::plan::cut::few::Few;
use crate::plan::planned::Plan;
use crate::plan::problem::Problem;
use crate::plan::shapes::whole::{self, Ending};
use std::collections::VecDeque;
use std::iter::zip;
use std::thread::{self, ScopedJoinHandle};

/// Several adapters that reduce one input together, each the elements that it has.
///
/// What each leaves is an accumulator, and the host combines these, in the order of the shares. So results are those of
/// one input on one adapter: of integers, extremes, indices, counts and exact sums with the same bits. Floats that round
/// have another order of additions, which depends on the adapters, their number and the lengths of their shares, and on
/// nothing that changes between runs; [`MultiGpu::plan`] bounds their error.
///
/// Each share is waited for with the [deadline](GpuReducer::with_deadline) of its own reducer, one after another: what comes
/// of several may take as long as all their deadlines together.
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
///
/// Made by [`MultiGpu::upload`], or of buffers that are there. Not in browsers.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{ArgMax, Located, MultiBuffer, MultiGpu};
///
/// // One adapter twice stands for two here.
/// let multi = MultiGpu::new(vec![reducer.clone(), reducer.clone()])?;
/// let shares = vec![reducer.upload(&[1_u32, 9, 3])?, reducer.upload(&[4_u32, 9])?];
/// let buffer = MultiBuffer::new(shares);
/// assert_eq!((buffer.len(), buffer.shares().len()), (5, 2));
/// let found = multi.reduce(ArgMax, &buffer)?.wait()?;
/// assert_eq!(found, Located { index: 1, value: 9 });
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MultiBuffer<T> {
    shares: Vec<GpuBuffer<T>>,
}

impl<T: bytemuck::Pod> MultiBuffer<T> {
    /// Takes shares that are on the adapters already: the first on the first, and so on. The elements are those of the
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
    /// Takes reducers of any adapters; several may be of one adapter.
    ///
    /// ```
    /// use wgpu_reduce::{Error, GpuReducer, MultiGpu};
    ///
    /// let reducer = GpuReducer::new()?;
    /// let multi = MultiGpu::new(vec![reducer.clone(), reducer])?;
    /// assert_eq!(multi.reducers().len(), 2);
    /// assert!(matches!(MultiGpu::new(Vec::new()), Err(Error::NoAdapter { .. })));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
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
    /// some are faster than others, [`MultiBuffer::new`] takes shares of any length. Of few elements, or none, some shares
    /// are empty.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::MultiGpu;
    ///
    /// let multi = MultiGpu::new(vec![reducer.clone(), reducer])?;
    /// let buffer = multi.upload(&[0.5_f32; 1000])?;
    /// let lens: Vec<_> = buffer.shares().iter().map(|share| share.len()).collect();
    /// assert_eq!(lens, [500, 500]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`GpuReducer::upload`], of the first adapter that has one; [`Error::Internal`] if the system has no thread for a
    /// copy.
    pub fn upload<T: Element>(&self, elements: &[T]) -> Result<MultiBuffer<T>> {
        let share = elements.len().div_ceil(self.reducers.len()).next_multiple_of(SHARE_ELEMENTS);
        let shares = elements.chunks(share.max(1)).chain(std::iter::repeat(&[][..]));
        let outcomes: Vec<Result<GpuBuffer<T>>> = thread::scope(|scope| {
            let copies: Vec<_> = zip(&self.reducers, shares)
                .map(|(reducer, share)| {
                    let name = "wgpu-reduce upload".into();
                    let copies = thread::Builder::new().name(name);
                    copies.spawn_scoped(scope, move || reducer.upload(share))
                })
                .collect();
            copies.into_iter().map(copied).collect()
        });
        Ok(MultiBuffer { shares: outcomes.into_iter().collect::<Result<_>>()? })
    }

    /// Starts a reduction on every adapter and returns at once; what they leave is combined when it is waited for.
    ///
    /// NaN, ties and no elements are as the operation defines them, of all elements together: indices are counted from the
    /// first element of the first share. [`MultiGpu`] says which results have the same bits as on one adapter.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Error, Mean, MultiGpu, Sum};
    ///
    /// let multi = MultiGpu::new(vec![reducer.clone(), reducer])?;
    /// let buffer = multi.upload(&[7_u32; 1000])?;
    /// let (sum, mean) = (multi.reduce(Sum, &buffer)?, multi.reduce(Mean, &buffer)?);
    /// assert_eq!((sum.wait()?, mean.wait()?), (7000, 7.0));
    /// let none = multi.upload::<u32>(&[])?;
    /// assert_eq!(multi.reduce(Mean, &none).err(), Some(Error::Empty { operation: "mean" }));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBuffer`] if there are not as many shares as adapters; otherwise as [`GpuReducer::reduce`], of
    /// the first adapter that has one.
    pub fn reduce<T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: &MultiBuffer<T>,
    ) -> Result<Pending<O::Output>> {
        let first = self.first(input)?;
        let len = input.len();
        if len == 0 {
            return first.reduce(operation, GpuSlices::<T>::from(Vec::new())).start();
        }
        let record = operation.record();
        let bytes = record.over(T::KIND)?.accumulator.size_bytes();
        let mut to_come = VecDeque::new();
        for (reducer, plan, share) in self.share_plans(record, input)? {
            let recording = &plan.recording;
            let finish: Finish<Vec<u8>> = Box::new(|bytes| Ok(bytes.to_vec()));
            let partial = reducer.submit(recording, &[share.as_wgpu()], bytes, None, finish)?;
            to_come.push_back(partial);
        }
        let combining = Combining {
            fold: record.on_host(T::KIND)?,
            bytes: usize::try_from(bytes).unwrap_or(0),
            element: T::KIND,
            len,
            finisher: <O as Fold<T>>::finisher(&operation),
        };
        combining.result(Vec::new(), to_come)
    }

    /// Starts an exact sum of `f32` or `f64` on every adapter. What comes is the sum before it is rounded: the same bits as on one
    /// adapter.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # let multi = wgpu_reduce::MultiGpu::new(vec![reducer.clone(), reducer])?;
    /// let buffer = multi.upload(&[0.1_f32, 0.2, 0.3])?;
    /// assert_eq!(multi.reduce_exact(&buffer)?.wait()?.round(), 0.6);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce`](Self::reduce).
    pub fn reduce_exact<T: ExactElement>(
        &self,
        input: &MultiBuffer<T>,
    ) -> Result<Pending<ExactSum<T>>> {
        self.first(input)?;
        let sums = zip(&self.reducers, &input.shares);
        let sums = sums.map(|(reducer, share)| reducer.reduce(SumExact, share).unrounded().start());
        merged(ExactSum::new(), sums.collect::<Result<_>>()?, |sum, part| *sum += &part)
    }

    /// What [`reduce`](Self::reduce) runs on the adapter that has the longest share. What it leaves is combined with
    /// that of the others on the host, which takes no pass.
    /// [`Plan::roundings`] is that of the whole, the host's among them, for [`Accuracy::error_bound`](crate::Accuracy::error_bound) and
    /// [`Operation::tolerance`].
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # let multi = wgpu_reduce::MultiGpu::new(vec![reducer.clone(), reducer])?;
    /// use wgpu_reduce::Sum;
    ///
    /// let plan = multi.plan(Sum, &multi.upload(&[0.5_f32; 1000])?)?;
    /// // The sum of the magnitudes is 500.
    /// assert!(plan.len == 1000 && plan.accuracy().error_bound(500.0) < 0.1);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
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
            return first.reduce(operation, GpuSlices::<T>::from(Vec::new())).plan();
        }
        let plans =
            self.share_plans(operation.record(), input)?.into_iter().map(|(_, plan, _)| plan);
        let of_shares = plans.clone().map(|plan| plan.roundings).max().unwrap_or(0);
        // The first share's accumulator goes through all combinations.
        let rounds = operation.record().over(T::KIND)?.accumulator.rounds();
        let of_host = if rounds { plans.len().saturating_sub(1) as u64 } else { 0 };
        let loads_in_flight = plans.clone().map(|plan| plan.loads_in_flight).max().unwrap_or(0);
        let longest = plans.max_by_key(|plan| plan.len);
        let bytes = len.saturating_mul(T::KIND.size_bytes());
        let roundings = of_shares + of_host;
        let whole = longest.map(|plan| Plan {
            len,
            roundings,
            loads_in_flight,
            input_bytes: bytes,
            ..plan
        });
        whole.ok_or_else(|| Error::Internal { message: "no share has elements".into() })
    }

    /// The first reducer, if every adapter has a share.
    fn first<T: bytemuck::Pod>(&self, input: &MultiBuffer<T>) -> Result<&GpuReducer> {
        let (adapters, shares) = (self.reducers.len(), input.shares.len());
        let first = self.reducers.first().filter(|_| adapters == shares);
        first.ok_or_else(|| {
            let what = format!("it has {shares} shares for {adapters} adapters");
            Error::InvalidBuffer { what }
        })
    }

    /// What adapters that have elements do with them.
    fn share_plans<'a, T: Element>(
        &'a self,
        record: &'static OpRecord,
        input: &'a MultiBuffer<T>,
    ) -> Result<Vec<(&'a GpuReducer, Plan, &'a GpuBuffer<T>)>> {
        record.check_room(T::KIND, input.len())?;
        let mut first_index = 0;
        let mut plans = Vec::with_capacity(self.reducers.len());
        for (reducer, share) in zip(&self.reducers, &input.shares) {
            if share.is_empty() {
                continue;
            }
            let inputs = Few::One(GpuSlices::from(share).plan_parts());
            let tuning = reducer.tuning(record, T::KIND, share.len());
            let problem = Problem::by(record, T::KIND, 0).tuned(tuning);
            let ending = Ending::Partial { first_index, slot: 0, slots: 1 };
            let caps = &reducer.context.caps;
            let plan = whole::lower(&Problem { inputs, ..problem }, record, ending, caps);
            plans.push((reducer, plan.map_err(|error| reducer.with_adapter(error))?, share));
            first_index = first_index.saturating_add(share.len());
        }
        Ok(plans)
    }
}

/// Shares are multiples of so many elements, whose words are whole for every type.
const SHARE_ELEMENTS: usize = 4;

/// What a thread has copied, if there was one and it ended.
fn copied<T>(copy: std::io::Result<ScopedJoinHandle<'_, Result<T>>>) -> Result<T> {
    let lost = |_| Err(Error::Internal { message: "a copy did not end".into() });
    let copy = copy
        .map_err(|error| Error::Internal { message: format!("no thread for a copy: {error}") })?;
    copy.join().unwrap_or_else(lost)
}

/// Accumulators, and what becomes of them.
struct Combining<R> {
    fold: HostFold,
    /// The size of an accumulator.
    bytes: usize,
    element: ElementKind,
    /// Elements of all.
    len: u64,
    finisher: Finisher<R>,
}

impl<R: 'static> Combining<R> {
    /// The result of the accumulators that are there and of those that are still to come, in order.
    fn result(
        self,
        mut there: Vec<u8>,
        mut to_come: VecDeque<Pending<Vec<u8>>>,
    ) -> Result<Pending<R>> {
        let next = to_come.pop_front();
        let next =
            next.ok_or_else(|| Error::Internal { message: "nothing is in flight".into() })?;
        let bytes = self.bytes;
        let mut take = move |partial: &[u8]| {
            there.extend_from_slice(partial.get(..bytes).unwrap_or_default());
            std::mem::take(&mut there)
        };
        if to_come.is_empty() {
            let Self { fold, element, len, finisher, .. } = self;
            return next.and_then(move |last| {
                let bytes = &fold(&take(&last))?;
                finisher.finish(Left { bytes, element, len, digits: None })
            });
        }
        next.followed(move |partial| self.result(take(&partial), to_come))
    }
}
