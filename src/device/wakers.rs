//! Those who wait for what a device tells when it comes to it: each by one waker, for as long as it waits.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

/// Wakes whoever waits. One that panics has only its own future to lose: this may be a thread that tells others, too.
pub(crate) fn wake(waker: Waker) {
    if catch_unwind(AssertUnwindSafe(|| waker.wake())).is_err() {
        log::error!("a waker has panicked");
    }
}

/// All who wait for the same. As a waker itself it wakes them all.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Mutex<Seats>);

#[derive(Debug, Default)]
struct Seats {
    /// The number of the next seat.
    next: u64,
    wakers: BTreeMap<u64, Waker>,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Seats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes all, in the order in which they have come. Who is not content waits again.
    pub(crate) fn wake_all(&self) {
        let wakers = std::mem::take(&mut self.lock().wakers);
        wakers.into_values().for_each(wake);
    }

    /// How many wait.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().wakers.len()
    }
}

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.wake_all();
    }
}

/// The place of one who waits, which is given up with it.
#[derive(Debug)]
pub(crate) struct Seat {
    waiting: Arc<Waiting>,
    number: u64,
}

impl Seat {
    pub(crate) fn new(waiting: &Arc<Waiting>) -> Self {
        let number = {
            let mut seats = waiting.lock();
            seats.next += 1;
            seats.next
        };
        Self { waiting: Arc::clone(waiting), number }
    }

    /// Lets `waker` be woken, instead of the one before.
    pub(crate) fn wait(&self, waker: &Waker) {
        let waker = waker.clone();
        // A waker that goes may do anything, so that nothing is locked when it does.
        let before = self.waiting.lock().wakers.insert(self.number, waker);
        drop(before);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let before = self.waiting.lock().wakers.remove(&self.number);
        drop(before);
    }
}

/// A waker that counts how often it is woken.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct Counted(std::sync::atomic::AtomicUsize);

#[cfg(test)]
impl Counted {
    pub(crate) fn times(&self) -> usize {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }
}

#[cfg(test)]
impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, Seat, Waiting};
    use std::sync::Arc;
    use std::task::{Wake, Waker};

    struct Panicking;

    impl Wake for Panicking {
        fn wake(self: Arc<Self>) {
            panic!("woken");
        }
    }

    #[test]
    fn a_waker_that_panics_is_nobody_elses_loss() {
        let waiting = Arc::<Waiting>::default();
        let counted = Arc::<Counted>::default();
        let seats = [(); 3].map(|()| Seat::new(&waiting));
        seats[0].wait(&Waker::from(Arc::new(Panicking)));
        seats[1].wait(&Waker::from(Arc::clone(&counted)));
        seats[2].wait(&Waker::from(Arc::new(Panicking)));
        waiting.wake_all();
        assert_eq!((counted.times(), waiting.len()), (1, 0));
    }

    #[test]
    fn a_seat_has_the_last_waker_and_is_given_up() {
        let waiting = Arc::<Waiting>::default();
        let [first, second, third] = [(); 3].map(|()| Arc::<Counted>::default());
        let wakers = [&first, &second, &third].map(|counted| Waker::from(Arc::clone(counted)));
        let seats = [(); 3].map(|()| Seat::new(&waiting));
        assert_eq!(waiting.len(), 0, "nobody waits yet");
        for _ in 0..5 {
            seats[0].wait(&wakers[0]);
            seats[0].wait(&wakers[1]);
            seats[1].wait(&wakers[2]);
            seats[2].wait(&wakers[2]);
        }
        assert_eq!(waiting.len(), 3);
        let [first_seat, second_seat, left] = seats;
        drop((first_seat, second_seat));
        assert_eq!(waiting.len(), 1);
        Waker::from(Arc::clone(&waiting)).wake();
        assert_eq!([first, second, third].map(|counted| counted.times()), [0, 0, 1]);
        assert_eq!(waiting.len(), 0);
        left.wait(&wakers[0]);
        drop(left);
        assert_eq!(waiting.len(), 0);
    }
}
