//! The loss of a device, for calls to come and for whoever waits for it.

use crate::device::process::Process;
use crate::device::wakers::{Seat, Waiting};
use crate::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

/// Why a device was lost, once it is.
#[derive(Debug)]
pub(crate) struct Loss {
    /// In any other the device is as good as lost.
    process: Process,
    reason: Mutex<Option<String>>,
    waiting: Arc<Waiting>,
}

impl Default for Loss {
    fn default() -> Self {
        Self { process: Process::this(), reason: Mutex::default(), waiting: Arc::default() }
    }
}

impl Loss {
    fn reason(&self) -> MutexGuard<'_, Option<String>> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the reason, unless there is one, and wakes all who wait for it.
    pub(crate) fn tell(&self, reason: impl FnOnce() -> String) {
        self.reason().get_or_insert_with(reason);
        self.waiting.wake_all();
    }

    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn is_in_another_process(&self) -> bool {
        self.process.check().is_err()
    }

    /// The loss as an error, also in a forked process, of which the system is asked.
    pub(crate) fn error(&self) -> Option<Error> {
        self.process.check().err().or_else(|| self.told())
    }

    /// The loss as an error, in the process that the device belongs to.
    pub(crate) fn told(&self) -> Option<Error> {
        let reason = self.reason().clone();
        reason.map(|reason| Error::DeviceLost { reason })
    }
}

/// Waits for it.
pub(crate) struct Lost {
    loss: Arc<Loss>,
    seat: Seat,
}

impl Lost {
    pub(crate) fn new(loss: &Arc<Loss>) -> Self {
        Self { loss: Arc::clone(loss), seat: Seat::new(&loss.waiting) }
    }
}

impl Future for Lost {
    type Output = Error;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Error> {
        // First, so that nothing is missed that is told meanwhile.
        self.seat.wait(task.waker());
        self.loss.error().map_or(Poll::Pending, Poll::Ready)
    }
}

#[cfg(test)]
mod tests {
    use super::{Loss, Lost};
    use crate::device::wakers::Counted;
    use crate::error::Error;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};

    fn poll(lost: &mut Lost, woken: &Arc<Counted>) -> Poll<Error> {
        let waker = Waker::from(Arc::clone(woken));
        Pin::new(lost).poll(&mut Context::from_waker(&waker))
    }

    #[test]
    fn all_who_wait_are_woken_once_and_told_the_first_reason() {
        let (loss, woken) = (Arc::<Loss>::default(), [(); 3].map(|()| Arc::<Counted>::default()));
        let mut waiting = [Lost::new(&loss), Lost::new(&loss)];
        // The second by another waker at last.
        for (lost, by) in [(0, 0), (0, 0), (1, 1), (1, 2)] {
            assert_eq!(poll(&mut waiting[lost], &woken[by]), Poll::Pending);
        }
        assert_eq!(loss.error(), None);
        loss.tell(|| "unplugged".into());
        loss.tell(|| "again".into());
        let told = Error::DeviceLost { reason: "unplugged".into() };
        assert_eq!(loss.error(), Some(told.clone()));
        assert_eq!([0, 1, 2].map(|index| woken[index].times()), [1, 0, 1]);
        for lost in &mut waiting {
            assert_eq!(poll(lost, &woken[0]), Poll::Ready(told.clone()));
        }
    }

    #[test]
    fn whoever_waits_no_longer_leaves_nothing() {
        let (loss, woken) = (Arc::<Loss>::default(), [(); 2].map(|()| Arc::<Counted>::default()));
        for _ in 0..100 {
            let mut waiting = Lost::new(&loss);
            for woken in &woken {
                assert_eq!(poll(&mut waiting, woken), Poll::Pending);
                assert_eq!(loss.waiting.len(), 1);
            }
        }
        assert_eq!(loss.waiting.len(), 0);
    }
}
