//! What all streams have in common: elements go in, in pieces of any length, and become chunks.

use crate::api::stream::ring::{Ring, Way};
use crate::error::{Error, Result};
#[cfg(not(target_family = "wasm"))]
use crate::op::shares::beside;

/// A stream, and what becomes of its chunks.
#[derive(Debug)]
pub(crate) struct Feed<C> {
    ring: Ring,
    consumer: C,
    element_bytes: usize,
    /// Elements of each input that have been taken.
    len: u64,
    /// Why it has ended before its time.
    failure: Option<Error>,
}

/// What becomes of chunks.
pub(crate) trait Consumer {
    /// Submits the ring's chunk, `len` elements of each input, those from `first_index` on.
    fn submit(&mut self, ring: &mut Ring, first_index: u64, len: u64) -> Result<()>;

    /// Waits for what would otherwise pile up.
    fn settle(&mut self, way: Way) -> impl Future<Output = Result<()>>;
}

/// How every stream takes elements: what it counts, its feed, the documentation of `push`, and the inputs' bytes.
macro_rules! takes {
    (
        $what:literal of $self:ident.$feed:tt;
        $(#[$doc:meta])*
        push($($input:ident: $type:ty),+) => $bytes:expr
    ) => {
        #[doc = concat!($what, " taken so far.")]
        #[must_use]
        pub const fn len(&$self) -> u64 {
            $self.$feed.len()
        }

        /// Whether none has been taken.
        #[must_use]
        pub const fn is_empty(&$self) -> bool {
            $self.len() == 0
        }

        $(#[$doc])*
        #[cfg(not(target_family = "wasm"))]
        pub fn push(&mut $self, $($input: $type),+) -> Result<()> {
            $self.$feed.push(&mut $bytes)
        }

        /// As `push`, but does not block: it is ready when the elements have been taken. In a browser it is the only
        /// way. A future that is dropped before may have taken some of them; [`len`](Self::len) tells.
        ///
        /// # Errors
        ///
        /// As `push`.
        pub async fn push_async(&mut $self, $($input: $type),+) -> Result<()> {
            $self.$feed.push_async(&mut $bytes).await
        }
    };
}
pub(crate) use takes;

impl<C: Consumer> Feed<C> {
    pub(crate) const fn new(ring: Ring, consumer: C, element_bytes: usize) -> Self {
        Self { ring, consumer, element_bytes, len: 0, failure: None }
    }

    /// What becomes of chunks.
    pub(crate) const fn consumer(&self) -> &C {
        &self.consumer
    }

    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    /// Takes elements, of each input as many as of the others; blocks while there is no room.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn push(&mut self, inputs: &mut [&[u8]]) -> Result<()> {
        pollster::block_on(self.push_by(Way::Block, inputs))
    }

    /// Takes elements of a single input, as [`push`](Self::push), and does `own` while others copy the last of them.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn push_beside(&mut self, input: &[u8], own: impl FnOnce()) -> Result<()> {
        let (first, last) = input.split_at(input.len() - self.ring.last_of(input.len()));
        self.push(&mut [first])?;
        if last.is_empty() {
            own();
            return Ok(());
        }
        let undone = || Error::Internal { message: "nobody has counted a piece".into() };
        // It stays where `own` panics.
        self.failure = Some(undone());
        let outcome = pollster::block_on(async {
            self.ring.ready(Way::Block).await?;
            let ring = &mut self.ring;
            let taken = beside(|| ring.fill(&[last]), own);
            self.count(Way::Block, taken.ok_or_else(undone)??).await
        });
        self.failure = outcome.clone().err();
        outcome
    }

    /// The same, but does not block.
    pub(crate) async fn push_async(&mut self, inputs: &mut [&[u8]]) -> Result<()> {
        self.push_by(Way::Await, inputs).await
    }

    async fn push_by(&mut self, way: Way, inputs: &mut [&[u8]]) -> Result<()> {
        self.check()?;
        let outcome = self.take(way, inputs).await;
        self.note(outcome)
    }

    fn note(&mut self, outcome: Result<()>) -> Result<()> {
        if let Err(error) = &outcome {
            self.failure = Some(error.clone());
        }
        outcome
    }

    fn check(&self) -> Result<()> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    async fn take(&mut self, way: Way, inputs: &mut [&[u8]]) -> Result<()> {
        while inputs.iter().any(|input| !input.is_empty()) {
            self.ring.ready(way).await?;
            let taken = self.ring.fill(inputs)?;
            for input in inputs.iter_mut() {
                *input = input.get(taken..).unwrap_or_default();
            }
            self.count(way, taken).await?;
        }
        Ok(())
    }

    /// Counts bytes of each input that the ring has taken, and submits the chunk that they make full.
    async fn count(&mut self, way: Way, taken: usize) -> Result<()> {
        self.len += (taken / self.element_bytes.max(1)) as u64;
        if self.ring.is_full() {
            self.submit()?;
            self.consumer.settle(way).await?;
        }
        Ok(())
    }

    fn submit(&mut self) -> Result<()> {
        let len = (self.ring.filled() / self.element_bytes.max(1)) as u64;
        self.consumer.submit(&mut self.ring, self.len - len, len)
    }

    /// Submits what is left, and hands over what chunks have become of and how many elements there were.
    pub(crate) fn finish(mut self) -> Result<(C, u64)> {
        self.check()?;
        if self.ring.filled() > 0 {
            self.submit()?;
        }
        Ok((self.consumer, self.len))
    }
}
