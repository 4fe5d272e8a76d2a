//! What error scopes have caught where it is told later. Native backends know the outcome at once; a browser tells
//! it when it comes to it. An error that comes late fails every result that is asked for until one of them has told it.

use crate::device::scope::Outcome;
use crate::device::wakers::{Seat, Waiting};
use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{self, Poll, Waker};

/// An outcome that comes late, and that several listen to.
struct Late(Mutex<State>);

enum State {
    Unknown(Outcome),
    Fine,
    Failed { error: Error, is_told: bool },
}

impl fmt::Debug for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Late");
        if let State::Failed { error, is_told } = &*self.lock() {
            shown.field("error", error).field("is_told", is_told);
        }
        shown.finish_non_exhaustive()
    }
}

impl Late {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error, once it is known whether there is one.
    fn poll(&self, task: &mut task::Context<'_>) -> Poll<Option<Error>> {
        let mut state = self.lock();
        if let State::Unknown(outcome) = &mut *state {
            *state = match task::ready!(outcome.as_mut().poll(task)) {
                Some(error) => State::Failed { error, is_told: false },
                None => State::Fine,
            };
        }
        Poll::Ready(match &*state {
            State::Failed { error, .. } => Some(error.clone()),
            State::Fine | State::Unknown(_) => None,
        })
    }

    fn tell(&self) {
        if let State::Failed { is_told, .. } = &mut *self.lock() {
            *is_told = true;
        }
    }

    /// Whether it is known to have failed, and nobody has told.
    fn is_untold(&self) -> bool {
        matches!(*self.lock(), State::Failed { is_told: false, .. })
    }
}

/// What a device has still to tell, for results to come.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    kept: Mutex<Kept>,
    /// Everybody who listens: an outcome has room for one waker.
    waiting: Arc<Waiting>,
}

/// In the order of the calls.
#[derive(Debug, Default)]
struct Kept {
    /// Known, but not told.
    failed: Vec<Arc<Late>>,
    unknown: VecDeque<Arc<Late>>,
}

impl Outstanding {
    /// Keeps what is still to be told.
    pub(crate) fn keep(&self, outcome: Outcome) {
        self.settled().unknown.push_back(Arc::new(Late(Mutex::new(State::Unknown(outcome)))));
    }

    fn waker(&self) -> Waker {
        Arc::clone(&self.waiting).into()
    }

    /// What is kept, without what is of no use any more: so they do not pile up.
    fn settled(&self) -> MutexGuard<'_, Kept> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.failed.retain(|late| late.is_untold());
        while let Some(late) = kept.unknown.pop_front() {
            if late.poll(&mut task::Context::from_waker(&self.waker())).is_pending() {
                kept.unknown.push_front(late);
                break;
            }
            // The next result fails by the one before, too, if nobody listens to that who could tell it alone.
            let is_covered = kept.failed.last().is_some_and(|last| Arc::strong_count(last) == 1);
            if late.is_untold() && !is_covered {
                kept.failed.push(late);
            }
        }
        kept
    }

    /// Somebody who hears of all that has not been told.
    pub(crate) fn listen(&self) -> Listener {
        let kept = self.settled();
        let late = kept.failed.iter().chain(&kept.unknown).cloned().collect();
        Listener { late, seat: None }
    }
}

/// What a result depends on.
#[derive(Debug)]
pub(crate) struct Listener {
    late: Vec<Arc<Late>>,
    seat: Option<Seat>,
}

impl Listener {
    /// Ready when all is known: the first error is told, of which the others are mostly consequences.
    pub(crate) fn poll(&mut self, of: &Outstanding, task: &task::Context<'_>) -> Poll<Result<()>> {
        if self.late.is_empty() {
            return Poll::Ready(Ok(()));
        }
        // First, so that nothing is missed that comes meanwhile.
        self.seat.get_or_insert_with(|| Seat::new(&of.waiting)).wait(task.waker());
        let (error, is_all) = self.hear(of);
        if is_all { Poll::Ready(self.tell(error)) } else { Poll::Pending }
    }

    /// Takes what is known without waiting.
    pub(crate) fn settle(&mut self, of: &Outstanding) -> Result<()> {
        let (error, is_all) = self.hear(of);
        if is_all || error.is_some() { self.tell(error) } else { Ok(()) }
    }

    /// The first error that is known, and whether there are no others to come.
    fn hear(&self, of: &Outstanding) -> (Option<Error>, bool) {
        let (waker, mut first, mut is_all) = (of.waker(), None, true);
        for late in &self.late {
            match late.poll(&mut task::Context::from_waker(&waker)) {
                Poll::Ready(error) => first = first.or(error),
                Poll::Pending => is_all = false,
            }
        }
        (first, is_all)
    }

    fn tell(&mut self, error: Option<Error>) -> Result<()> {
        self.seat = None;
        self.late.drain(..).for_each(|late| late.tell());
        error.map_or(Ok(()), Err)
    }
}

/// A device that tells when a test lets it.
#[cfg(test)]
#[derive(Debug, Clone, Default)]
pub(crate) struct Teller(Arc<Mutex<Told>>);

#[cfg(test)]
#[derive(Debug, Default)]
struct Told {
    is_known: bool,
    error: Option<Error>,
    waker: Option<Waker>,
}

#[cfg(test)]
impl Teller {
    /// What it is asked for.
    pub(crate) fn outcome(&self) -> Outcome {
        let told = Arc::clone(&self.0);
        Box::pin(std::future::poll_fn(move |task| {
            let mut told = told.lock().unwrap();
            told.waker = Some(task.waker().clone());
            if told.is_known { Poll::Ready(told.error.clone()) } else { Poll::Pending }
        }))
    }

    pub(crate) fn tell(&self, error: Option<Error>) {
        let waker = {
            let mut told = self.0.lock().unwrap();
            (told.is_known, told.error) = (true, error);
            told.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use super::{Listener, Outstanding, Teller};
    use crate::device::wakers::Counted;
    use crate::error::{Error, Result};
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};

    fn full(bytes: u64) -> Error {
        Error::OutOfMemory { bytes, available_bytes: None }
    }

    /// One that a call has left.
    fn unknown(outstanding: &Outstanding) -> Teller {
        let teller = Teller::default();
        outstanding.keep(teller.outcome());
        teller
    }

    fn poll(listener: &mut Listener, of: &Outstanding) -> Poll<Result<()>> {
        listener.poll(of, &Context::from_waker(Waker::noop()))
    }

    /// What the next result would say.
    fn next(outstanding: &Outstanding) -> Poll<Result<()>> {
        poll(&mut outstanding.listen(), outstanding)
    }

    const FINE: Poll<Result<()>> = Poll::Ready(Ok(()));

    #[test]
    fn the_first_error_is_told_when_all_is_known() {
        let outstanding = Outstanding::default();
        let tellers = [(); 3].map(|()| unknown(&outstanding));
        let mut listener = outstanding.listen();
        tellers[2].tell(Some(full(3)));
        assert_eq!(poll(&mut listener, &outstanding), Poll::Pending);
        tellers[0].tell(None);
        tellers[1].tell(Some(full(2)));
        assert_eq!(poll(&mut listener, &outstanding), Poll::Ready(Err(full(2))));
        assert_eq!(next(&outstanding), FINE, "the others are its consequences");
    }

    #[test]
    fn all_who_were_asked_for_before_are_told_whichever_is_awaited_first() {
        for is_known in [false, true] {
            let outstanding = Outstanding::default();
            let teller = unknown(&outstanding);
            let mut first = outstanding.listen();
            if is_known {
                teller.tell(Some(full(7)));
            }
            let mut second = outstanding.listen();
            teller.tell(Some(full(7)));
            assert_eq!(poll(&mut second, &outstanding), Poll::Ready(Err(full(7))));
            assert_eq!(next(&outstanding), FINE, "it has been told");
            assert_eq!(poll(&mut first, &outstanding), Poll::Ready(Err(full(7))));
        }
    }

    #[test]
    fn what_nobody_has_told_is_told_by_the_next() {
        let outstanding = Outstanding::default();
        let teller = unknown(&outstanding);
        drop(outstanding.listen());
        teller.tell(Some(full(1)));
        // Known by now, and heard, but not awaited to the end.
        drop(outstanding.listen());
        let mut kept = outstanding.listen();
        assert_eq!(next(&outstanding), Poll::Ready(Err(full(1))));
        assert_eq!((kept.settle(&outstanding), next(&outstanding)), (Err(full(1)), FINE));
    }

    /// When one result failed, another one that was asked for later must hear of it, though an earlier error is known.
    #[test]
    fn an_error_is_not_lost_behind_an_earlier_one() {
        let outstanding = Outstanding::default();
        let first = unknown(&outstanding);
        let mut earlier = outstanding.listen();
        let second = unknown(&outstanding);
        first.tell(Some(full(1)));
        second.tell(Some(full(2)));
        drop(outstanding.settled());
        assert_eq!(poll(&mut earlier, &outstanding), Poll::Ready(Err(full(1))));
        assert_eq!((next(&outstanding), next(&outstanding)), (Poll::Ready(Err(full(2))), FINE));
    }

    #[test]
    fn everybody_who_listens_is_woken() {
        let outstanding = Outstanding::default();
        let teller = unknown(&outstanding);
        let woken = [(); 3].map(|()| Arc::<Counted>::default());
        let mut listeners = woken.each_ref().map(|_| outstanding.listen());
        for (listener, woken) in listeners.iter_mut().zip(&woken) {
            let waker = Waker::from(Arc::clone(woken));
            assert!(listener.poll(&outstanding, &Context::from_waker(&waker)).is_pending());
        }
        // Whoever looks without waiting takes no waker away, and whoever goes is not woken.
        drop((outstanding.listen(), outstanding.settled()));
        let [first, second, third] = listeners;
        drop(second);
        assert_eq!(outstanding.waiting.len(), 2);
        teller.tell(None);
        assert_eq!(woken.map(|woken| woken.times()), [1, 0, 1]);
        for mut listener in [first, third] {
            assert_eq!(poll(&mut listener, &outstanding), FINE);
        }
        assert_eq!(outstanding.waiting.len(), 0);
    }

    #[test]
    fn what_is_told_does_not_pile_up() {
        for error in [None, Some(full(1))] {
            let outstanding = Outstanding::default();
            for _ in 0..1000 {
                unknown(&outstanding).tell(error.clone());
            }
            let kept = outstanding.settled();
            assert!(kept.unknown.len() + kept.failed.len() <= 1);
        }
    }
}
