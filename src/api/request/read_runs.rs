//! What comes back of a reduction by key: all at once, or the number of runs first.

use super::run_buffers::Runs;
use crate::api::pending::{Finish, Next};
use crate::api::request::{Head, Reader};
use crate::api::transfer::read_ranges;
use crate::device::context::Context;
use crate::error::Result;
use crate::op::decode;
use crate::plan::shapes::runs::{Key, Room};
use crate::plan::shapes::segments::Layout;
use std::sync::Arc;

/// Makes results of the bytes that have them.
#[cfg(not(target_family = "wasm"))]
pub(crate) type Results<V> = Arc<dyn Fn(Layout, &[u8]) -> Result<Vec<V>> + Send + Sync>;
#[cfg(target_family = "wasm")]
pub(crate) type Results<V> = Arc<dyn Fn(Layout, &[u8]) -> Result<Vec<V>>>;

/// Reads runs of what comes back at once.
pub(crate) fn read_at_once<K: Key, V: Send + 'static>(
    room: Room,
    results: Results<V>,
) -> Reader<Runs<K, V>> {
    Arc::new(move |read, _| {
        let count: u32 = decode::value(decode::from(read, room.count_first))?;
        runs(room.of_first(count), read, &*results).map(Next::Value)
    })
}

/// Reads as many runs as there are, once their number has come.
pub(crate) fn read_counted<K: Key, V: Send + 'static>(
    context: &Arc<Context>,
    room: Room,
    head: &Head,
    result_bytes: u64,
    results: Results<V>,
) -> Reader<Runs<K, V>> {
    let (context, kept) = (Arc::clone(context), head.output.clone());
    Arc::new(move |count, _| {
        let (ranges, room) =
            room.compact(decode::value(count)?, [result_bytes, size_of::<K>() as u64]);
        let (own, buffer, results) = (Arc::clone(&context), kept.clone(), Arc::clone(&results));
        let on_host: Finish<Runs<K, V>> = Box::new(move |read| {
            own.results.give(buffer);
            runs(room, read, &*results)
        });
        read_ranges(&context, &kept, &ranges, on_host).map(Next::from)
    })
}

/// Up to here bytes that nobody needs cost less than to wait twice.
pub(crate) const AT_ONCE_BYTES: u64 = 256 << 10;

/// Runs as they come back.
fn runs<K: Key, V>(
    room: Room,
    read: &[u8],
    results: impl Fn(Layout, &[u8]) -> Result<Vec<V>>,
) -> Result<Runs<K, V>> {
    let keys = decode::values(decode::from(read, room.keys_first));
    keys.zip(results(room.layout, read)?).map(|(key, result)| Ok((key?, result))).collect()
}
