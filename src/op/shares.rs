//! Work on many values in shares, by several threads.

#[cfg(feature = "wgpu")]
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Bytes of values for which another thread is worth its start.
const BYTES_OF_THREAD: usize = 1 << 20;

/// At least so many bytes of values are made by several threads.
const PARALLEL_BYTES: usize = 2 * BYTES_OF_THREAD;

/// More have not been tried.
const MOST_THREADS: usize = 16;

/// A copy of the values that `bytes` are.
#[cfg(feature = "wgpu")]
pub(crate) fn copied<V: bytemuck::Pod + Send>(bytes: &[u8]) -> Vec<V> {
    let threads = threads_for(bytes.len());
    if threads < 2 {
        return bytemuck::pod_collect_to_vec(bytes);
    }
    let mut values = bytemuck::zeroed_vec(bytes.len() / size_of::<V>().max(1));
    let copy = |first: usize, values: &mut [V]| -> Result<(), (usize, Infallible)> {
        let into: &mut [u8] = bytemuck::cast_slice_mut(values);
        let from = bytes.get(first * size_of::<V>()..).unwrap_or_default();
        into.iter_mut().zip(from).for_each(|(into, from)| *into = *from);
        Ok(())
    };
    in_shares(threads, &mut values, copy).unwrap_or_else(|(_, never)| match never {});
    values
}

/// How many threads make values of so many bytes.
pub(crate) fn threads_for(bytes: usize) -> usize {
    if cfg!(target_family = "wasm") || bytes < PARALLEL_BYTES {
        return 1;
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (bytes / BYTES_OF_THREAD).min(cores).min(MOST_THREADS)
}

/// Does `work` for shares of places and the number of the first of each, or fails. Threads take shares in order, so that what lies
/// before one that fails is gone through, too. Where no more threads can be had, those that there are do all.
pub(crate) fn in_shares<P: Send, E: Send>(
    threads: usize,
    places: &mut [P],
    work: impl Fn(usize, &mut [P]) -> Result<(), (usize, E)> + Sync,
) -> Result<(), (usize, E)> {
    if threads < 2 {
        return work(0, places);
    }
    let share = places.len().div_ceil(threads).max(1);
    let shares = Mutex::new((0..).step_by(share).zip(places.chunks_mut(share)));
    let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
    let turns = || -> Result<(), (usize, E)> {
        while let Some((first, places)) = next() {
            work(first, places)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, turns).ok();
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let own = turns();
        let outcome = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        let errors = others.into_iter().map(outcome).chain([own]).filter_map(Result::err);
        errors.min_by_key(|(number, _)| *number).map_or(Ok(()), Err)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_done_by_any_number_of_threads() {
        for len in [0, 1, 2, 63, 64, 65] {
            for threads in [0, 1, 2, 7, 64, 100] {
                let mut places = vec![0; len];
                let number = |first, places: &mut [usize]| {
                    places.iter_mut().zip(first..).for_each(|(place, at)| *place += at + 1);
                    Ok::<_, (usize, ())>(())
                };
                in_shares(threads, &mut places, number).unwrap();
                assert!(places.into_iter().eq(1..=len), "{len} by {threads}");
                let odd = |first, places: &mut [usize]| {
                    let wrong = (first..first + places.len()).find(|at| at % 3 == 2);
                    wrong.map_or(Ok(()), |at| Err((at, at)))
                };
                let outcome = in_shares(threads, &mut vec![0; len], odd);
                assert_eq!(
                    outcome,
                    if len > 2 { Err((2, 2)) } else { Ok(()) },
                    "{len} by {threads}"
                );
            }
        }
        assert_eq!((threads_for(100), threads_for(PARALLEL_BYTES - 1)), (1, 1));
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn many_values_are_copied_wherever_they_begin() {
        let bytes: Vec<u8> = (0..9_000_013_u32).map(|at| (at % 251) as u8).collect();
        for first in [0, 1, 4] {
            let bytes = &bytes[first..];
            assert!(copied::<u8>(bytes) == bytes, "{first}");
            let own = &bytes[..12 * 700_000];
            let values = copied::<[u32; 3]>(own);
            assert!(bytemuck::cast_slice::<_, u8>(&values) == own, "{first}");
        }
    }
}
