//! What comes back of a reduction by key: all at once, or the number of runs first.

use super::run_buffers::Runs;
use crate::api::pending::{self, Next};
use crate::api::request::{Head, Reader};
use crate::api::transfer::read_ranges;
use crate::device::context::Context;
use crate::error::Result;
use crate::op::decode;
use crate::op::fold::{Finish, Finisher, Many};
use crate::plan::shapes::runs::{Key, Room};
use crate::plan::shapes::segments::of_segment;
use crate::trusted::collect;
use std::sync::Arc;

/// Reads runs of what comes back at once.
pub(crate) fn read_at_once<K: Key, V: Send + 'static>(
    room: Room,
    of: Many,
    finisher: Finisher<V>,
) -> Reader<Runs<K, V>> {
    Arc::new(move |read, _| {
        let count: u32 = decode::value(decode::from(read, room.count_first))?;
        runs((room.of_first(count), of), read, &*finisher).map(Next::Value)
    })
}

/// Reads as many runs as there are, once their number has come.
pub(crate) fn read_counted<K: Key, V: Send + 'static>(
    context: &Arc<Context>,
    (room, of): (Room, Many),
    head: &Head,
    finisher: Finisher<V>,
) -> Reader<Runs<K, V>> {
    let (context, kept, finisher) = (Arc::clone(context), head.output.clone(), Arc::from(finisher));
    Arc::new(move |count, _| {
        let (ranges, room) =
            room.compact(decode::value(count)?, [of.result_bytes as u64, size_of::<K>() as u64]);
        let (own, buffer, finisher) =
            (Arc::clone(&context), kept.clone(), Arc::<dyn Finish<V>>::clone(&finisher));
        let on_host: pending::Finish<Runs<K, V>> = Box::new(move |read| {
            own.results.give(buffer);
            runs((room, of), read, &*finisher)
        });
        read_ranges(&context, &kept, &ranges, on_host).map(Next::from)
    })
}

/// Runs as they come back.
fn runs<K: Key, V: Send>(
    (room, of): (Room, Many),
    read: &[u8],
    finisher: &dyn Finish<V>,
) -> Result<Runs<K, V>> {
    let keys = decode::from(read, room.keys_first);
    let left = room.layout.many(of, read)?;
    let run = |number| {
        let key = decode::value(decode::nth(keys, number, size_of::<K>()))?;
        Ok((key, finisher.finish_nth(left, number)?))
    };
    collect(left.results, run).map_err(|(number, error)| of_segment(number, error))
}
