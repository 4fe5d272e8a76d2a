//! Several requests in one submission.

use crate::api::pending::Pending;
use crate::api::reducer::GpuReducer;
use crate::api::request::Request;
use crate::api::request::work::HostWork;
use crate::api::stream::merged;
use crate::api::submit::{Member, Started};
use crate::error::{Error, Result};
use crate::plan::planned::Plan;
use std::vec;

/// Requests that run in one submission: what [`GpuReducer::batch`] makes.
#[derive(Debug, Clone)]
#[must_use = "a batch does nothing before it is run or started"]
pub struct Batch<R> {
    reducer: GpuReducer,
    requests: R,
}

/// Requests of one kind in a `Vec` or an array, whose results come in a `Vec`, or two to four of any kinds in a tuple, whose
/// results come in a tuple. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no batch of requests",
    label = "not a `Vec` or an array of requests, nor a tuple of two to four",
    note = "collect an iterator: `reducer.batch(requests.collect::<Vec<_>>())`"
)]
pub trait Requests: sealed::Requests<Output: Send + 'static> {}

mod sealed {
    use super::{GpuReducer, Pending, Plan, Result};

    pub trait Requests {
        type Output;

        fn start(&self, reducer: &GpuReducer) -> Result<Pending<Self::Output>>;

        fn plan(&self, reducer: &GpuReducer) -> Result<Option<Plan>>;
    }
}

impl GpuReducer {
    /// Several requests in one submission. For many small ones this takes a fraction of the time that a call for each takes, since
    /// submitting and waiting take longer than reducing them.
    ///
    /// Requests of one kind come in a `Vec` or an array, those of different kinds in a tuple. Results are those of the requests
    /// alone, but for rounding: of several whole inputs that one operation reduces, those of up to 32 KiB get one workgroup each,
    /// whose invocations add every n-th element one after another, n being the size of the workgroup, so that an element of an
    /// `f32` sum passes through at most its length ÷ n + 2 · log2 n additions where subgroups are full. All inputs of up to
    /// 32 KiB are reduced so, if there is more than one input: equal ones give equal bits. Left out are pairs, inputs in several buffers,
    /// and devices with fewer than eight storage bindings.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Dot, Max, Sum};
    ///
    /// let rows = [reducer.upload(&[1_u32, 2])?, reducer.upload(&[3_u32])?];
    /// let sums = rows.iter().map(|row| reducer.reduce(Sum, row)).collect::<Vec<_>>();
    /// assert_eq!(reducer.batch(sums).run()?, [3, 3]);
    ///
    /// let [first, second] = &rows;
    /// let batch = (reducer.reduce(Max, first), reducer.reduce(Dot, (second, second)));
    /// assert_eq!(reducer.batch(batch).run()?, (2, 9));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// This reducer runs them, so its deadline and its tunings hold, whichever clone of it made the requests.
    ///
    /// No requests give no results.
    pub fn batch<R: Requests>(&self, requests: R) -> Batch<R> {
        Batch { reducer: self.clone(), requests }
    }
}

impl<R: Requests> Batch<R> {
    /// Starts all requests in one submission, and returns at once.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// use wgpu_reduce::Sum;
    ///
    /// let rows = [reducer.upload(&[1_u32, 2])?, reducer.upload(&[3_u32])?];
    /// let batch = reducer.batch([reducer.reduce(Sum, &rows[0]), reducer.reduce(Sum, &rows[1])]);
    /// assert_eq!(batch.start()?.await?, [3, 3]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::start`], for the first request that has one, and [`Error::Unsupported`] if a batch of whole inputs would
    /// take more than 2^17 dispatches; then nothing is submitted.
    pub fn start(&self) -> Result<Pending<R::Output>> {
        self.reducer.context.check_alive()?;
        self.requests.start(&self.reducer)
    }

    /// Runs all requests in one submission, and blocks until their results are there. Not in browsers.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn run(&self) -> Result<R::Output> {
        self.start()?.wait()
    }

    /// Tells what would run, if it is more than each request alone: for whole inputs that one operation reduces.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let rows = [reducer.upload(&[1_u32, 2])?, reducer.upload(&[3_u32])?];
    /// let sums = rows.iter().map(|row| reducer.reduce(Sum, row)).collect::<Vec<_>>();
    /// let plan = reducer.batch(sums).plan()?.expect("they are alike");
    /// // Two small inputs share a dispatch.
    /// assert_eq!((plan.inputs, plan.passes().len()), (2, 1));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn plan(&self) -> Result<Option<Plan>> {
        self.requests.plan(&self.reducer)
    }
}

impl<W: HostWork> Requests for Vec<Request<W>> {}
impl<W: HostWork, const N: usize> Requests for [Request<W>; N] {}

impl<W: HostWork> sealed::Requests for Vec<Request<W>> {
    type Output = Vec<W::Output>;

    fn start(&self, reducer: &GpuReducer) -> Result<Pending<Self::Output>> {
        start(reducer, self)
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Option<Plan>> {
        plan(reducer, self)
    }
}

impl<W: HostWork, const N: usize> sealed::Requests for [Request<W>; N] {
    type Output = Vec<W::Output>;

    fn start(&self, reducer: &GpuReducer) -> Result<Pending<Self::Output>> {
        start(reducer, self)
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Option<Plan>> {
        plan(reducer, self)
    }
}

fn plan<W: HostWork>(reducer: &GpuReducer, requests: &[Request<W>]) -> Result<Option<Plan>> {
    let works: Vec<_> = requests.iter().map(|request| &request.work).collect();
    let together = W::together(reducer, &works).transpose()?;
    Ok(together.map(|(lowered, _)| lowered.plan))
}

fn start<W: HostWork>(
    reducer: &GpuReducer,
    requests: &[Request<W>],
) -> Result<Pending<Vec<W::Output>>> {
    let works: Vec<_> = requests.iter().map(|request| &request.work).collect();
    if let Some(together) = W::together(reducer, &works) {
        let (lowered, reader) = together?;
        return reducer.submit_lowered(Member::new(&lowered, None, false), reader);
    }
    let lowered = works.iter().map(|work| work.to_host(reducer, false));
    let lowered = lowered.collect::<Result<Vec<_>>>()?;
    let members = works.iter().zip(&lowered);
    let members =
        members.map(|(work, (lowered, _))| Member::new(lowered, work.place(), W::IS_TIMED));
    let members: Vec<_> = members.collect();
    if members.is_empty() {
        return reducer.submit_nothing(Vec::new());
    }
    let mut started = reducer.submit_all(&members)?.into_iter();
    let pending = lowered.iter().map(|(_, reader)| Ok(next(&mut started)?.read(reader.clone())));
    let each = pending.map(|pending| pending?.map(|value| vec![value]));
    merged(Vec::new(), each.collect::<Result<_>>()?, |all, mut next| all.append(&mut next))
}

fn next(started: &mut vec::IntoIter<Started>) -> Result<Started> {
    let message = "a request of a batch was not submitted";
    started.next().ok_or_else(|| Error::Internal { message: message.into() })
}

/// Tuples of requests: the results of the later ones are waited for once the earlier are there.
macro_rules! tuples {
    ($($request:ident $work:ident $value:ident),*) => {
        impl<$($work: HostWork),*> Requests for ($(Request<$work>,)*) {}

        impl<$($work: HostWork),*> sealed::Requests for ($(Request<$work>,)*) {
            type Output = ($($work::Output,)*);

            fn start(&self, reducer: &GpuReducer) -> Result<Pending<Self::Output>> {
                let ($($request,)*) = self;
                $(let $value = $request.work.to_host(reducer, false)?;)*
                let members = [$(Member::new(&$value.0, $request.work.place(), $work::IS_TIMED)),*];
                let mut started = reducer.submit_all(&members)?.into_iter();
                $(let $request = next(&mut started)?.read($value.1);)*
                tuples!(@chain [$($request $value),*] [])
            }

            fn plan(&self, _: &GpuReducer) -> Result<Option<Plan>> {
                Ok(None)
            }
        }
    };
    (@chain [$last:ident $value:ident] [$($done:ident),*]) => {
        $last.map(move |$value| ($($done,)* $value,))
    };
    (@chain [$first:ident $value:ident, $($rest:tt)*] [$($done:ident),*]) => {
        $first.followed(move |$value| tuples!(@chain [$($rest)*] [$($done,)* $value]))
    };
}
tuples!(first A a, second B b);
tuples!(first A a, second B b, third C c);
tuples!(first A a, second B b, third C c, fourth D d);
