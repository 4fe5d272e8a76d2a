//! Random work for as long as is asked for: operations, types, lengths, ways to reduce and threads, on every adapter.
//!
//! `WGPU_REDUCE_SOAK_SECONDS` says how long, and `WGPU_REDUCE_SOAK_SEED` where to begin: a failure names the seed of its
//! round, which as that variable makes it the first round of the first thread. In tests it is always the same work;
//! where it is said how long, it begins elsewhere each time.

mod others;
mod work;

use crate::exact::cases::Random;
use crate::harness::{Outcome, Rig, ensure};
use libtest_mimic::{Failed, Trial};
use others::OTHERS;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use work::{Kind, Round, kinds};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    vec![Trial::test("soak::random_work", || random_work(rigs))]
}

fn number_from(variable: &str) -> Result<Option<u64>, Failed> {
    let text = std::env::var(variable).ok();
    let number = text.as_deref().map(str::parse).transpose();
    number.map_err(|error| format!("{variable}: {error}").into())
}

/// Rigs of GL have one context, which threads would wait for too long.
static ALONE: Mutex<()> = Mutex::new(());

const THREADS: u64 = 4;

/// What has been done, how often.
#[derive(Default)]
struct Log(Mutex<BTreeMap<String, u64>>);

impl Log {
    fn note(&self, names: &[&str]) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for &name in names {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }

    fn print(&self) {
        for (name, count) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            println!("{count:9}  {name}");
        }
    }
}

/// Where to begin: always at the same place in tests, elsewhere where nobody has been.
fn first_seed(is_long: bool) -> Result<Option<u64>, Failed> {
    let given = number_from("WGPU_REDUCE_SOAK_SEED")?;
    if given.is_none() && is_long {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
        return Ok(Some(Random::new(now.as_secs()).bits()));
    }
    Ok(given)
}

fn random_work(rigs: &[Rig]) -> Outcome {
    let asked = number_from("WGPU_REDUCE_SOAK_SECONDS")?;
    let (seconds, seed) = (asked.unwrap_or(3), first_seed(asked.is_some())?);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (kinds, log) = (kinds(), Log::default());
    let (rounds, has_failed) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let work = |thread: u64| {
            let mut seed = seed.map_or_else(|| Random::new(thread).bits(), |seed| seed + thread);
            while Instant::now() < end && !rigs.is_empty() && !has_failed.load(Ordering::Relaxed) {
                round(rigs, &kinds, seed, &log)
                    .inspect_err(|_| has_failed.store(true, Ordering::Relaxed))?;
                rounds.fetch_add(1, Ordering::Relaxed);
                seed = Random::new(seed).bits();
            }
            Ok(())
        };
        let workers: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || work(thread))).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(Failed::from("a thread panicked")))
        })
    })?;
    let rounds = rounds.into_inner();
    log.print();
    println!("soak: {rounds} rounds in {seconds} s, none of which failed");
    ensure!(rounds > 0 || rigs.is_empty(), "nothing was done in {seconds} s");
    Ok(())
}

fn round(rigs: &[Rig], kinds: &[Kind], seed: u64, log: &Log) -> Outcome {
    let mut random = Random::new(seed);
    let rig = &rigs[random.below(rigs.len())];
    let (what, way, run) = if random.below(3) == 0 {
        let (what, run) = OTHERS[random.below(OTHERS.len())];
        (what, "alone", run)
    } else {
        let kind = &kinds[random.below(kinds.len())];
        let (way, run) = kind.ways[random.below(kind.ways.len())];
        (kind.name.as_str(), way, run)
    };
    let is_gl = is_through_gl(rig);
    let _alone = is_gl.then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    log.note(&[what, way, &rig.name]);
    let outcome = match run {
        Round::On(run) => run(rig, &mut random),
        Round::Across(run) => {
            let others = others(rigs, rig);
            let other = others.get(random.below(others.len().max(1))).copied();
            log.note(&[if other.is_some() { "two adapters at once" } else { "two of one" }]);
            run(&[rig, other.unwrap_or(rig)].map(|rig| rig.reducer.clone()), rig, &mut random)
        }
    };
    outcome.map_err(|failed| {
        let message = failed.message().unwrap_or("no message");
        Failed::from(format!("seed {seed}: {what} {way} on {}: {message}", rig.name))
    })
}

fn is_through_gl(rig: &Rig) -> bool {
    rig.is_gl()
}

/// Rigs of other adapters, with which one may work together: those through GL let no other thread near them.
fn others<'a>(rigs: &'a [Rig], rig: &Rig) -> Vec<&'a Rig> {
    let label = rig.reducer.adapter_label();
    let is_other = |other: &&Rig| !is_through_gl(other) && other.reducer.adapter_label() != label;
    rigs.iter().filter(|_| !is_through_gl(rig)).filter(is_other).collect()
}
