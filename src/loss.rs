//! The loss of a device, for calls to come and for whoever waits for it.

use crate::error::Error;
use crate::reducer::GpuReducer;
use std::future::{Future, poll_fn};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Why a device was lost, once it is.
#[derive(Debug, Default)]
pub(crate) struct Loss(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    reason: Option<String>,
    waiting: Vec<Waker>,
}

impl Loss {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the reason, unless there is one, and wakes all who wait for it.
    pub(crate) fn tell(&self, reason: impl FnOnce() -> String) {
        let waiting = {
            let mut state = self.lock();
            state.reason.get_or_insert_with(reason);
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    /// The loss as an error.
    pub(crate) fn error(&self) -> Option<Error> {
        let reason = self.lock().reason.clone();
        reason.map(|reason| Error::DeviceLost { reason })
    }

    fn poll(&self, waker: &Waker) -> Poll<Error> {
        let mut state = self.lock();
        if let Some(reason) = state.reason.clone() {
            return Poll::Ready(Error::DeviceLost { reason });
        }
        if !state.waiting.iter().any(|other| other.will_wake(waker)) {
            state.waiting.push(waker.clone());
        }
        Poll::Pending
    }
}

impl GpuReducer {
    /// Waits until the device is lost, also while nobody uses it: then it is an [`Error::DeviceLost`] that says why.
    ///
    /// Native backends find out when they are asked about something, as every wait for a result does. Of a device of
    /// the caller's ([`from_wgpu`](Self::from_wgpu)) it is never told, since its callbacks stay the caller's.
    ///
    /// ```no_run
    /// # async fn run() -> wgpu_reduce::Result<()> {
    /// use wgpu_reduce::{GpuReducer, Options};
    ///
    /// let reducer = GpuReducer::request(&Options::default()).await?;
    /// let lost = reducer.lost();
    /// // ... on a task of its own ...
    /// println!("{}", lost.await);
    /// # Ok(())
    /// # }
    /// ```
    pub fn lost(&self) -> impl Future<Output = Error> + use<> {
        let loss = Arc::clone(&self.context.loss);
        poll_fn(move |task| loss.poll(task.waker()))
    }
}

#[cfg(test)]
mod tests {
    use super::Loss;
    use crate::error::Error;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Poll, Wake, Waker};

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn all_who_wait_are_woken_once_and_told_the_first_reason() {
        let (loss, first, second) = (Loss::default(), Arc::<Woken>::default(), Arc::default());
        let wakers = [&first, &second].map(|woken: &Arc<Woken>| Waker::from(Arc::clone(woken)));
        for waker in wakers.iter().cycle().take(6) {
            assert_eq!(loss.poll(waker), Poll::Pending);
        }
        assert_eq!(loss.error(), None);
        loss.tell(|| "unplugged".into());
        loss.tell(|| "again".into());
        let told = Error::DeviceLost { reason: "unplugged".into() };
        assert_eq!(loss.error(), Some(told.clone()));
        for (waker, woken) in wakers.iter().zip([first, second]) {
            assert_eq!(woken.0.load(Ordering::Relaxed), 1);
            assert_eq!(loss.poll(waker), Poll::Ready(told.clone()));
        }
    }
}
