//! Streams whose chunks each have a result that comes back: the host merges them.

use crate::api::pending::Pending;
use crate::api::stream::feed::{Consumer, Feed};
use crate::api::stream::ring::{Ring, Way};
use crate::error::{Error, Result};
use crate::plan::shapes::chunks::options::SLOTS;
use std::collections::VecDeque;

/// How a chunk becomes a result, and results one.
pub(crate) trait Merge {
    type Value: Send + 'static;

    /// Starts the work on a chunk of `len` elements of each input.
    fn start(&self, chunk: wgpu::Buffer, len: u64) -> Result<Pending<Self::Value>>;

    /// Starts the work on no elements.
    fn start_of_none(&self) -> Result<Pending<Self::Value>>;

    fn add(total: &mut Self::Value, part: Self::Value);
}

/// Results of chunks.
#[derive(Debug)]
pub(crate) struct Merging<M: Merge> {
    merge: M,
    /// The total of chunks whose results have come back.
    total: M::Value,
    in_flight: VecDeque<Pending<M::Value>>,
}

impl<M: Merge> Merging<M> {
    /// Nothing yet: `none` is the result of no elements.
    pub(crate) fn new(merge: M, none: M::Value) -> Self {
        Self { merge, total: none, in_flight: VecDeque::with_capacity(SLOTS + 1) }
    }
}

impl<M: Merge> Consumer for Merging<M> {
    fn submit(&mut self, ring: &mut Ring, _: u64, len: u64) -> Result<()> {
        let chunk = ring.submit(&mut |_, _| Ok(()))?;
        self.in_flight.push_back(self.merge.start(chunk, len)?);
        Ok(())
    }

    async fn settle(&mut self, way: Way) -> Result<()> {
        while self.in_flight.len() > SLOTS {
            let part = match way {
                #[cfg(not(target_family = "wasm"))]
                Way::Block => self.in_flight.pop_front().map(Pending::wait).transpose()?,
                // It stays until its result is there: whoever awaits this may give up.
                Way::Await => match self.in_flight.front_mut() {
                    Some(oldest) => {
                        let part = oldest.await?;
                        self.in_flight.pop_front();
                        Some(part)
                    }
                    None => None,
                },
            };
            if let Some(part) = part {
                M::add(&mut self.total, part);
            }
        }
        Ok(())
    }
}

/// Submits what is left; the result of all comes when the last has come.
pub(crate) fn finish<M: Merge>(feed: Feed<Merging<M>>) -> Result<Pending<M::Value>> {
    let (Merging { merge, total, mut in_flight }, _) = feed.finish()?;
    if in_flight.is_empty() {
        in_flight.push_back(merge.start_of_none()?);
    }
    merged(total, in_flight, M::add)
}

/// What comes when the rest has come, one after another.
pub(crate) fn merged<V: Send + 'static>(
    total: V,
    mut rest: VecDeque<Pending<V>>,
    add: fn(&mut V, V),
) -> Result<Pending<V>> {
    let next = rest.pop_front();
    let next = next.ok_or_else(|| Error::Internal { message: "nothing is in flight".into() })?;
    let with = move |part: V| {
        let mut total = total;
        add(&mut total, part);
        total
    };
    if rest.is_empty() {
        return next.map(with);
    }
    next.followed(move |part| merged(with(part), rest, add))
}
