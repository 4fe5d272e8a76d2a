//! Work on many values in shares, by several threads.

#[cfg(not(target_family = "wasm"))]
use rayon_core::{Scope, ThreadPool, ThreadPoolBuilder, current_thread_index};
#[cfg(feature = "wgpu")]
use std::convert::Infallible;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// Bytes of values that another thread is worth waking for.
const BYTES_OF_THREAD: usize = 1 << 20;

/// At least so many bytes of values are made by several threads.
const PARALLEL_BYTES: usize = 2 * BYTES_OF_THREAD;

/// More have not been tried.
const MOST_THREADS: usize = 16;

/// Shares of a thread, where all take as many.
const SHARES_OF_THREAD: usize = 4;

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
    (bytes / BYTES_OF_THREAD).min(most_threads())
}

/// Does `work` for shares of places and the number of the first of each, by so many threads at most. Shares are smaller than a
/// thread's part, because threads begin late. Otherwise as [`by_threads`].
pub(crate) fn in_shares<P: Send, E: Send>(
    threads: usize,
    places: &mut [P],
    work: impl Fn(usize, &mut [P]) -> Result<(), (usize, E)> + Sync,
) -> Result<(), (usize, E)> {
    if threads < 2 {
        return work(0, places);
    }
    let share = places.len().div_ceil(threads.saturating_mul(SHARES_OF_THREAD)).max(1);
    let shares = (0..).step_by(share).zip(places.chunks_mut(share));
    by_threads(threads, shares, |(first, places)| work(first, places))
}

/// Does `work` for all jobs, by this thread and helpers, or returns the error with the lowest number. Jobs are taken in order, so
/// that all before one that fails are done, too. Where no helpers can be had, this thread does all.
pub(crate) fn by_threads<J: Send, E: Send>(
    threads: usize,
    jobs: impl Iterator<Item = J> + Send,
    work: impl Fn(J) -> Result<(), (usize, E)> + Sync,
) -> Result<(), (usize, E)> {
    let (jobs, failed) = (Mutex::new(jobs), Mutex::new(None));
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let turns = || {
        while let Some(job) = next() {
            if let Err((number, error)) = work(job) {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(lowest, _)| number < *lowest) {
                    *failed = Some((number, error));
                }
                return;
            }
        }
    };
    helped(threads.saturating_sub(1), &turns);
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Does `theirs` on a helper while this thread does `own`; one after the other where no helper can be had. Helpers serve
/// everyone: `theirs` must not wait for a device.
#[cfg(all(feature = "wgpu", not(target_family = "wasm")))]
pub(crate) fn beside<A: Send>(theirs: impl FnOnce() -> A + Send, own: impl FnOnce()) -> Option<A> {
    let Some(pool) = pool() else {
        let done = theirs();
        own();
        return Some(done);
    };
    let mut done = None;
    pool.in_place_scope(|scope| {
        scope.spawn(|_| done = Some(theirs()));
        own();
    });
    done
}

/// Does `turns` on this thread and on so many helpers at most.
#[cfg(not(target_family = "wasm"))]
fn helped(helpers: usize, turns: &(impl Fn() + Sync)) {
    match (helpers > 0).then(pool).flatten() {
        Some(pool) => pool.in_place_scope(|scope| {
            wake(scope, helpers.min(pool.current_num_threads()), turns);
            turns();
        }),
        None => turns(),
    }
}

#[cfg(target_family = "wasm")]
fn helped(_: usize, turns: &(impl Fn() + Sync)) {
    turns();
}

/// Has helpers do `turns`. Each wakes others first: this thread would otherwise wake them all before it does anything itself.
#[cfg(not(target_family = "wasm"))]
fn wake<'s>(scope: &Scope<'s>, helpers: usize, turns: &'s (impl Fn() + Sync)) {
    let Some(others) = helpers.checked_sub(1) else { return };
    scope.spawn(move |scope| {
        wake(scope, others / 2, turns);
        wake(scope, others - others / 2, turns);
        turns();
    });
}

/// Threads that help, kept because starting them takes as long as copying some MiB. None, if they cannot be had, and none for a thread
/// of somebody else's pool: while it waited for ours it would do other work of that pool, in the midst of this.
#[cfg(not(target_family = "wasm"))]
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let start = || {
        let threads = ThreadPoolBuilder::new().num_threads(most_threads().saturating_sub(1).max(1));
        threads.thread_name(|number| format!("wgpu-reduce {number}")).build().ok()
    };
    let pool = POOL.get_or_init(start).as_ref()?;
    let is_of_another = current_thread_index().is_some() && pool.current_thread_index().is_none();
    (!is_of_another).then_some(pool)
}

/// Asked once: the system reads files to tell.
fn most_threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    let count = || thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    *THREADS.get_or_init(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::time::Duration;

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

    #[test]
    fn jobs_within_jobs_and_on_many_threads_are_done_once() {
        let done = std::sync::atomic::AtomicUsize::new(0);
        let inner = |_| {
            by_threads(3, 0..5, |_| {
                done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                Ok::<_, (usize, ())>(())
            })
        };
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| by_threads(4, 0..10, inner).unwrap());
            }
        });
        assert_eq!(done.into_inner(), 8 * 10 * 5);
    }

    /// What a thread of theirs waits for in the midst of a job, as for a lock that it has, would never come.
    #[test]
    fn jobs_of_another_pool_are_not_begun_within_each_other() {
        thread_local!(static IS_WITHIN: Cell<bool> = const { Cell::new(false) });
        let others = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let job = || {
            assert!(!IS_WITHIN.replace(true), "begun within another");
            let sleep = |_| {
                thread::sleep(Duration::from_micros(50));
                Ok::<_, (usize, ())>(())
            };
            by_threads(4, 0..4, sleep).unwrap();
            IS_WITHIN.set(false);
        };
        others.scope(|scope| (0..200).for_each(|_| scope.spawn(|_| job())));
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn two_things_are_done_beside_each_other() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut own = 0;
        let theirs =
            beside(move || receiver.recv().is_ok(), || own = sender.send(()).map_or(0, |()| 2));
        assert_eq!((theirs, own), (Some(true), 2));
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
