//! Waiting for the device, on native: the one place that polls it.

use crate::device::process::Process;
use crate::device::scope::text_of;
use crate::error::{Error, Result};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long somebody waits for a device, and how.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Patience {
    /// How long the device is asked again and again before the system is let wake the thread.
    pub(crate) spin: Duration,
    /// How long it may take in all; for ever, if nothing is said.
    pub(crate) deadline: Option<Duration>,
}

/// When somebody's patience ends who has begun to wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    started: Instant,
    deadline: Option<Duration>,
}

impl Patience {
    /// From now on.
    pub(crate) fn limit(self) -> Limit {
        Limit { started: Instant::now(), deadline: self.deadline }
    }

    /// Whether it is still time to spin.
    pub(crate) fn spins(self, limit: &Limit) -> bool {
        limit.started.elapsed() < self.spin.min(self.deadline.unwrap_or(Duration::MAX))
    }
}

impl Limit {
    /// What is left.
    fn left(&self) -> Duration {
        let deadline = self.deadline.unwrap_or(Duration::MAX);
        deadline.saturating_sub(self.started.elapsed())
    }

    /// Fails if nothing is left.
    pub(crate) fn check(&self) -> Result<()> {
        if self.left().is_zero() { Err(Error::Timeout) } else { Ok(()) }
    }
}

/// As long as wgpu is let wait at a time. Through GL it holds a lock meanwhile that other threads give up on
/// after some seconds, and says that time is over after two.
const STEP: Duration = Duration::from_millis(100);

/// Blocks until the device has finished `submission`, or else all that it has been given, and fired the callbacks that fell to
/// this thread.
pub(crate) fn poll_until(
    device: &wgpu::Device,
    submission: Option<&wgpu::SubmissionIndex>,
    limit: &Limit,
) -> Result<()> {
    loop {
        let timeout = Some(limit.left().min(STEP));
        let submission_index = submission.cloned();
        match poll_as(device, wgpu::PollType::Wait { submission_index, timeout }) {
            Err(Error::Timeout) => limit.check()?,
            outcome => return outcome,
        }
    }
}

/// Calls the callbacks that are due, without waiting.
pub(crate) fn poll(device: &wgpu::Device) -> Result<()> {
    poll_as(device, wgpu::PollType::Poll)
}

fn poll_as(device: &wgpu::Device, kind: wgpu::PollType) -> Result<()> {
    told(catch_unwind(AssertUnwindSafe(|| device.poll(kind))))
}

/// What a poll came to, which may be a panic.
fn told(
    polled: std::thread::Result<std::result::Result<wgpu::PollStatus, wgpu::PollError>>,
) -> Result<()> {
    match polled {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(wgpu::PollError::Timeout)) => Err(Error::Timeout),
        Ok(Err(error)) => Err(Error::DeviceLost { reason: error.to_string() }),
        // The work ended just after this thread's time was over, and another's poll has taken its callbacks: wgpu then finds
        // its queue empty too soon.
        Err(panic) if text_of(&*panic).starts_with(EMPTY_TOO_SOON) => Ok(()),
        // wgpu reports a device that is lost while somebody waits for it by a panic.
        Err(_) => Err(Error::DeviceLost { reason: "lost while waiting for it".into() }),
    }
}

/// What wgpu panics with, of a device on which all is well.
const EMPTY_TOO_SOON: &str = "If the queue is empty, the current submission index";

/// Whom a future's answer is for.
pub(crate) trait Answered: Send + 'static {
    /// Whether it is there.
    fn is_there(&self) -> bool;

    /// Gives an error for it, unless it is there.
    fn fail(&self, error: Error);
}

/// A thread that waits on behalf of futures, started by the first that is polled. It ends when the context that owns this is dropped,
/// which every future keeps; and that waits for it, so that no thread is in the driver when a program ends.
///
/// It waits for all of them at once: for the first on its list no longer than [`STEP`] at a time, and between steps it
/// looks at the limit of each. So whoever has a limit is told no later than a step behind it, whatever else is waited for.
///
/// `T` is what is waited for: submissions.
pub(crate) struct Waiter<T> {
    /// In which its thread is.
    process: Process,
    wait_for: Arc<WaitFor<T>>,
    thread: Mutex<Option<Running<T>>>,
}

/// The thread, and how it is spoken to.
struct Running<T> {
    errands: Sender<Errand<T>>,
    /// Closed when it has let go of the device.
    ended: Receiver<()>,
    handle: JoinHandle<()>,
}

/// Waits no longer than that, which is [`Error::Timeout`].
type WaitFor<T> = dyn Fn(&T, Duration) -> Result<()> + Send + Sync;

/// Something to wait for, and whom to tell if that fails or takes too long. wgpu then drops the callbacks that would
/// have told, or never calls them.
struct Errand<T> {
    /// Nothing once it is done, and the callback is still to come.
    what: Option<T>,
    limit: Limit,
    answer: Box<dyn Answered>,
}

impl<T> fmt::Debug for Waiter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiter").finish_non_exhaustive()
    }
}

impl Waiter<wgpu::SubmissionIndex> {
    pub(crate) fn for_device(device: wgpu::Device) -> Self {
        Self::new(move |submission: &wgpu::SubmissionIndex, timeout| {
            let (submission_index, timeout) = (Some(submission.clone()), Some(timeout));
            poll_as(&device, wgpu::PollType::Wait { submission_index, timeout })
        })
    }
}

impl<T: Send + 'static> Waiter<T> {
    fn new(wait_for: impl Fn(&T, Duration) -> Result<()> + Send + Sync + 'static) -> Self {
        let process = Process::this();
        Self { process, wait_for: Arc::new(wait_for), thread: Mutex::new(None) }
    }

    /// Waits for `what` on the thread. `answer` is told if that fails, or is not there within `limit`.
    pub(crate) fn watch(&self, what: T, limit: Limit, answer: impl Answered) -> Result<()> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let running = match thread.take() {
            Some(running) => running,
            None => self.spawn()?,
        };
        let errand = Errand { what: Some(what), limit, answer: Box::new(answer) };
        let sent = running.errands.send(errand);
        *thread = Some(running);
        sent.map_err(|_| Error::Internal { message: "the waiting thread has ended".into() })
    }

    fn spawn(&self) -> Result<Running<T>> {
        let (errands, receiver) = channel::<Errand<T>>();
        let (ends, ended) = channel::<()>();
        let wait_for = Arc::clone(&self.wait_for);
        let run = move || {
            run_errands(&receiver, &*wait_for);
            drop(wait_for);
            drop(ends);
        };
        let thread = std::thread::Builder::new().name("wgpu-reduce waiter".into()).spawn(run);
        let handle = thread
            .map_err(|error| Error::Internal { message: format!("no waiting thread: {error}") })?;
        Ok(Running { errands, ended, handle })
    }
}

impl<T> Drop for Waiter<T> {
    fn drop(&mut self) {
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Running { errands, ended, handle }) = thread else { return };
        if self.process.check().is_err() {
            return;
        }
        drop(errands);
        // What it wakes may drop the last handle of the context there.
        let is_own = handle.thread().id() == std::thread::current().id();
        if !is_own && ended.recv_timeout(MOST_PATIENCE) == Err(RecvTimeoutError::Disconnected) {
            // It has nothing to say.
            let _ = handle.join();
        }
    }
}

/// Longer than a poll takes, also through GL.
const MOST_PATIENCE: Duration = Duration::from_secs(5);

/// Until there will be none, and nobody waits for those that there are.
fn run_errands<T>(receiver: &Receiver<Errand<T>>, wait_for: &WaitFor<T>) {
    let mut errands = Vec::new();
    loop {
        if errands.is_empty() {
            let Ok(errand) = receiver.recv() else { return };
            errands.push(errand);
        }
        loop {
            match receiver.try_recv() {
                Ok(errand) => errands.push(errand),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return,
            }
        }
        let step = errands.iter().map(|errand| errand.limit.left()).min().unwrap_or(STEP).min(STEP);
        match errands.iter_mut().find(|errand| errand.what.is_some()) {
            Some(first) => first.wait(step, wait_for),
            // Another thread's poll took the callbacks and is about to call them.
            None => std::thread::sleep(step.min(Duration::from_millis(1))),
        }
        errands.retain(|errand| !errand.is_over());
    }
}

impl<T> Errand<T> {
    fn wait(&mut self, timeout: Duration, wait_for: &WaitFor<T>) {
        let outcome = self.what.as_ref().map_or(Ok(()), |what| wait_for(what, timeout));
        match outcome {
            Err(Error::Timeout) => {}
            Ok(()) => self.what = None,
            Err(error) => self.answer.fail(error),
        }
    }

    /// Whether nobody need be told any more.
    fn is_over(&self) -> bool {
        if let Err(error) = self.limit.check() {
            self.answer.fail(error);
        }
        // Without a limit there is nothing to tell of a callback that never comes.
        self.answer.is_there() || self.what.is_none() && self.limit.deadline.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_when_it_is_said_to() {
        let for_ever = Patience { spin: Duration::from_secs(9), deadline: None };
        assert!(for_ever.limit().check().is_ok() && for_ever.spins(&for_ever.limit()));
        let none = Patience { deadline: Some(Duration::ZERO), ..for_ever };
        assert_eq!(none.limit().check(), Err(Error::Timeout));
        assert!(!none.spins(&none.limit()));
        let hour = Patience { deadline: Some(Duration::from_secs(3600)), ..for_ever };
        assert!(hour.limit().check().is_ok());
    }

    /// With the text as wgpu composes it.
    #[test]
    fn a_queue_that_another_thread_has_emptied_is_no_loss() {
        let lost = |outcome| matches!(outcome, Err(Error::DeviceLost { .. }));
        let panics = |text: String| told(catch_unwind(|| std::panic::panic_any(text)));
        let index = 3374;
        let too_soon = format!(
            "{EMPTY_TOO_SOON} ({index}) should be at least the wait submission index (3375)"
        );
        assert_eq!(panics(too_soon), Ok(()));
        assert!(lost(panics("Error in Device::poll: Parent device is lost".into())));
        assert_eq!(told(Ok(Ok(wgpu::PollStatus::QueueEmpty))), Ok(()));
        assert_eq!(told(Ok(Err(wgpu::PollError::Timeout))), Err(Error::Timeout));
        assert!(lost(told(Ok(Err(wgpu::PollError::WrongSubmissionIndex(5, 4))))));
    }

    /// What an answer was, if anybody gave one.
    type Slot = Arc<Mutex<Option<Error>>>;

    struct Told {
        slot: Slot,
        tell: Sender<&'static str>,
        name: &'static str,
    }

    impl Answered for Told {
        fn is_there(&self) -> bool {
            self.slot.lock().unwrap().is_some()
        }

        fn fail(&self, error: Error) {
            self.slot.lock().unwrap().get_or_insert(error);
            // Whoever listened may have gone.
            let _ = self.tell.send(self.name);
        }
    }

    const FOR_EVER: Patience = Patience { spin: Duration::ZERO, deadline: None };

    #[test]
    fn whoever_waits_is_told_of_a_failure_and_only_of_that() {
        let waiter = Waiter::new(|&fails: &bool, _| {
            let lost = || Error::DeviceLost { reason: "gone".into() };
            if fails { Err(lost()) } else { Ok(()) }
        });
        let (tell, told) = channel();
        let slots = [false, true, false, true].map(|fails| {
            let slot = Slot::default();
            let name = if fails { "fails" } else { "does not" };
            let answer = Told { slot: Arc::clone(&slot), tell: tell.clone(), name };
            waiter.watch(fails, FOR_EVER.limit(), answer).unwrap();
            slot
        });
        let wait = Duration::from_secs(60);
        assert_eq!([told.recv_timeout(wait), told.recv_timeout(wait)], [Ok("fails"); 2]);
        drop((tell, waiter));
        assert_eq!(told.iter().next(), None);
        for (slot, fails) in slots.iter().zip([false, true, false, true]) {
            let is_lost = matches!(*slot.lock().unwrap(), Some(Error::DeviceLost { .. }));
            assert_eq!(is_lost, fails);
        }
    }

    /// On a device that hangs, and on one that is done and does not say so.
    #[test]
    fn a_deadline_holds_behind_those_who_have_none() {
        for hangs in [true, false] {
            let waiter = Waiter::new(move |(), timeout| {
                if hangs {
                    std::thread::sleep(timeout);
                    return Err(Error::Timeout);
                }
                Ok(())
            });
            let (tell, told) = channel();
            let watch = |name, deadline: Option<u64>| {
                let deadline = deadline.map(Duration::from_millis);
                let limit = Patience { deadline, ..FOR_EVER }.limit();
                let answer = Told { slot: Slot::default(), tell: tell.clone(), name };
                waiter.watch((), limit, answer).unwrap();
            };
            watch("without a deadline", None);
            watch("patient", Some(3_600_000));
            watch("slow", Some(900));
            watch("hasty", Some(5));
            let wait = Duration::from_secs(60);
            let first = [told.recv_timeout(wait), told.recv_timeout(wait)];
            assert_eq!(first, [Ok("hasty"), Ok("slow")], "hangs: {hangs}");
            let more = told.recv_timeout(Duration::from_millis(300));
            assert!(more.is_err(), "hangs: {hangs}, {more:?} was told");
        }
    }

    /// Nothing is waited for in steps longer than that.
    #[test]
    fn those_who_come_later_are_looked_at_within_a_step() {
        let (tell_longest, longest) = channel();
        let waiter = Waiter::new(move |(), timeout| {
            let _ = tell_longest.send(timeout);
            std::thread::sleep(timeout);
            Err(Error::Timeout)
        });
        let (tell, told) = channel();
        let answer = |name| Told { slot: Slot::default(), tell: tell.clone(), name };
        waiter.watch((), FOR_EVER.limit(), answer("without a deadline")).unwrap();
        assert_eq!(longest.recv(), Ok(STEP));
        let limit = Patience { deadline: Some(Duration::ZERO), ..FOR_EVER }.limit();
        waiter.watch((), limit, answer("hasty")).unwrap();
        assert_eq!(told.recv_timeout(Duration::from_secs(60)), Ok("hasty"));
        assert!(longest.try_iter().all(|timeout| timeout <= STEP));
    }

    /// Whatever it was waiting for.
    #[test]
    fn whoever_drops_a_waiter_waits_for_its_thread() {
        let (begins, begun) = channel();
        let device = Arc::new(());
        let held = Arc::clone(&device);
        let waiter = Waiter::new(move |(), timeout| {
            let _ = (&held, begins.send(()));
            std::thread::sleep(timeout);
            Err(Error::Timeout)
        });
        let (tell, _told) = channel();
        let answer = Told { slot: Slot::default(), tell, name: "nobody" };
        waiter.watch((), FOR_EVER.limit(), answer).unwrap();
        assert_eq!(begun.recv_timeout(Duration::from_secs(60)), Ok(()));
        assert_eq!(Arc::strong_count(&device), 2);
        drop(waiter);
        assert_eq!(Arc::strong_count(&device), 1);
    }
}
