//! Order statistics of elements that are read several times.

use crate::api::reducer::GpuReducer;
use crate::api::stream::feed::Feed;
use crate::api::stream::histogram::Counted;
use crate::api::stream::ring::Way;
use crate::error::{Error, Result};
use crate::op::decode::value;
use crate::op::ranks::{Found, Wanted};
use crate::op::{OrderStatistic, Ranked};
use crate::plan::limits::unsupported;
use crate::plan::shapes::bins::Bins;
use crate::plan::shapes::chunks::options::StreamOptions;
use crate::plan::shapes::order::readings::{Hit, Next, Search};
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// An order statistic of elements that may be more than any memory holds, and come several times: a median, quantiles, the element of a
/// rank.
///
/// Each reading pushes all elements, in pieces of any length and in any order. [`end`](Self::end) then tells the result, or asks for another
/// reading. With 128 MiB in flight, elements of 8 and 16 bits take one reading, of 32 bits two, of 64 bits two to four; less memory and more
/// than eight ranks may take a few more.
///
/// The result has the same bits as that of a [request](crate::GpuReducer::reduce), on every device. NaN, −0, and what is an error are as
/// [`Quantile`](crate::Quantile) and [`Nth`](crate::Nth) say. Of no elements there is none: [`Error::Empty`](crate::Error::Empty).
///
/// The device counts elements in up to 65 536 ranges of their keys, and later those in the ranges of the ranks (radix selection). When few
/// are left, the host counts them. Beside what [`StreamOptions`] says, bins take up to a fifth of it, and counts on the host half, or 32 KiB
/// for each rank if that is more.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// # pollster::block_on(async {
/// use std::ops::ControlFlow;
/// use wgpu_reduce::{Median, RankStream, StreamOptions};
///
/// let mut stream = RankStream::new(&reducer, Median, &StreamOptions::default())?;
/// let median = loop {
///     for piece in [&[3.0_f64, 1.0][..], &[7.0]] {
///         stream.push_async(piece).await?;
///     }
///     match stream.end_async().await? {
///         ControlFlow::Break(median) => break median,
///         ControlFlow::Continue(again) => stream = again,
///     }
/// };
/// assert_eq!(median, 3.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// # })?;
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug)]
pub struct RankStream<T, S> {
    reducer: GpuReducer,
    statistic: S,
    options: StreamOptions,
    search: Search,
    /// Where the device counts; else the host does.
    feed: Option<Feed<Counted>>,
    elements: PhantomData<fn(T)>,
}

/// A quantile takes two ranks; of more, the fewest bins would be too few for each.
const MOST_QUANTILES: usize = 500;

impl<T: Ranked, S: OrderStatistic<T>> RankStream<T, S> {
    /// Starts the first reading.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRank`] where a quantile is none, [`Error::Unsupported`] of more than 500, otherwise as [`HistogramStream::new`](crate::HistogramStream::new).
    pub fn new(reducer: &GpuReducer, statistic: S, options: &StreamOptions) -> Result<Self> {
        let ranks = statistic.wanted();
        ranks.check()?;
        let quantiles = ranks.quantiles().len();
        if quantiles > MOST_QUANTILES {
            let what = format!("{quantiles} quantiles in what is read several times");
            return Err(reducer.with_adapter(unsupported(what)));
        }
        let most_bins = options.most_bins(&reducer.context.caps);
        let search = Search::new(T::KIND, most_bins, options.most_keys());
        let stream = Self {
            reducer: reducer.clone(),
            statistic,
            options: *options,
            search,
            feed: None,
            elements: PhantomData,
        };
        stream.next()
    }

    /// Elements of this reading so far.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.search.read()
    }

    /// Whether this reading has had none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the next elements of this reading; otherwise as [`Stream::push`](crate::Stream::push). Not in browsers.
    ///
    /// # Errors
    ///
    /// As [`Stream::push`](crate::Stream::push).
    #[cfg(not(target_family = "wasm"))]
    pub fn push(&mut self, elements: &[T]) -> Result<()> {
        let bytes = bytemuck::cast_slice(elements);
        let Self { search, feed, .. } = self;
        if let Some(feed) = feed {
            return feed.push_beside(bytes, || search.see(bytes));
        }
        search.see(bytes);
        Ok(())
    }

    /// As `push`, but does not block. In a browser it is the only way. Where its future is dropped halfway, [`end_async`](Self::end_async) fails.
    ///
    /// # Errors
    ///
    /// As `push`.
    pub async fn push_async(&mut self, elements: &[T]) -> Result<()> {
        let bytes = bytemuck::cast_slice(elements);
        self.search.see(bytes);
        match &mut self.feed {
            Some(feed) => feed.push_async(&mut [bytes]).await,
            None => Ok(()),
        }
    }

    /// Ends the reading, and waits. Breaks with the result, or continues with the next reading, to which all elements are to be pushed
    /// again. Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use std::ops::ControlFlow;
    /// use wgpu_reduce::{Nth, RankStream, StreamOptions};
    ///
    /// let mut stream = RankStream::new(&reducer, Nth { rank: 1 }, &StreamOptions::default())?;
    /// stream.push(&[9_u8, 2, 4])?;
    /// assert!(matches!(stream.end()?, ControlFlow::Break(4)));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] of no elements, [`Error::InvalidRank`] where there is no such rank, [`Error::InvalidBytes`] where elements differ from
    /// those of the first reading in number or in what is counted, or a push was given up; what a push has failed with, and what waiting fails with.
    #[cfg(not(target_family = "wasm"))]
    pub fn end(self) -> Result<ControlFlow<S::Output, Self>> {
        pollster::block_on(self.end_by(Way::Block))
    }

    /// As `end`, but does not block. In a browser it is the only way.
    ///
    /// # Errors
    ///
    /// As `end`.
    pub async fn end_async(self) -> Result<ControlFlow<S::Output, Self>> {
        self.end_by(Way::Await).await
    }

    /// Reads as often as need be, and waits for the result. `read` is called for each reading, and gives all elements in pieces. Not in
    /// browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Quantiles, RankStream, StreamOptions};
    ///
    /// let quartiles = Quantiles::new([0.25, 0.5, 0.75]);
    /// let stream = RankStream::new(&reducer, quartiles, &StreamOptions::default())?;
    /// let found = stream.run(|| Ok((0..1001_i32).map(|number| [number])))?;
    /// assert_eq!(found, [250.0, 500.0, 750.0]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What `read` fails with, and as [`push`](Self::push) and [`end`](Self::end).
    #[cfg(not(target_family = "wasm"))]
    pub fn run<C: AsRef<[T]>, I: IntoIterator<Item = C>>(
        mut self,
        mut read: impl FnMut() -> Result<I>,
    ) -> Result<S::Output> {
        loop {
            for piece in read()? {
                self.push(piece.as_ref())?;
            }
            match self.end()? {
                ControlFlow::Break(result) => return Ok(result),
                ControlFlow::Continue(again) => self = again,
            }
        }
    }

    async fn end_by(mut self, way: Way) -> Result<ControlFlow<S::Output, Self>> {
        let Some(feed) = self.feed.take() else {
            self.search.settle()?;
            return self.go_on();
        };
        let (counted, len) = feed.finish()?;
        if len != self.search.read() {
            let what = "a future that pushed elements was dropped".into();
            return Err(Error::InvalidBytes { what });
        }
        let pending = counted.finish()?;
        let histograms = match way {
            #[cfg(not(target_family = "wasm"))]
            Way::Block => pending.wait()?,
            Way::Await => pending.await?,
        };
        let counts = histograms.first().map(|histogram| &histogram.counts[..]).unwrap_or_default();
        if self.search.is_first() {
            let found = self.found()?;
            self.search.begin(counts, &found.ranks)?;
        } else {
            self.search.narrow(counts)?;
        }
        self.go_on()
    }

    /// The ranks that are wanted, which the first reading tells.
    fn found(&self) -> Result<Found> {
        let (ranks, [len, numbers]) = (self.statistic.wanted(), self.search.lens());
        let has_nan = numbers < len;
        // Where there is no number, a NaN is ranked.
        let is_of_numbers = ranks.of_numbers(has_nan).is_some();
        let len = if is_of_numbers { numbers.max(1) } else { len };
        let mut found = ranks.find(len, has_nan)?;
        if has_nan && matches!(ranks.wanted, Wanted::Quantiles(..)) {
            // It is the result, whatever the other elements are.
            found.ranks = vec![len - 1];
        }
        Ok(found)
    }

    /// The result, or the next reading.
    fn go_on(self) -> Result<ControlFlow<S::Output, Self>> {
        let found = self.found()?;
        let element = |&rank: &u64| match self.search.found(rank)? {
            Hit::Nan => T::NAN,
            Hit::Number(bits) => value(&bits.to_le_bytes()).ok(),
        };
        match found.ranks.iter().map(element).collect() {
            Some(elements) => self.statistic.of_elements(&found, elements).map(ControlFlow::Break),
            None if self.search.next() == Next::Nothing => {
                Err(Error::Internal { message: "a rank has not been found".into() })
            }
            None => self.next().map(ControlFlow::Continue),
        }
    }

    /// With what the next reading is counted by.
    fn next(self) -> Result<Self> {
        let Next::Bins(edges) = self.search.next() else { return Ok(self) };
        let element = self.search.unsigned();
        let len = self.options.chunk_len(element, 1, &self.reducer.context.caps);
        let counted = Counted::new(&self.reducer, element, (&Bins::edges(&edges)?, 1), len)?;
        let ring = self.reducer.ring(1, len * element.size_bytes())?;
        let feed = Some(Feed::new(ring, counted, size_of::<T>()));
        Ok(Self { feed, ..self })
    }
}
