//! Random work for as long as is asked for: operations, types, lengths, ways to reduce and threads, on every adapter.
//!
//! `WGPU_REDUCE_SOAK_SECONDS` says how long, and `WGPU_REDUCE_SOAK_SEED` where to begin: a failure names the seed of its
//! round, which as that variable makes it the first round. However short it is, each operation on a type, each way to
//! reduce, all that is no operation of one input and each adapter have a round. In tests it is always the same work; where
//! it is said how long, it begins elsewhere each time.

mod others;
mod work;

use crate::exact::cases::Random;
use crate::harness::{Outcome, Rig, ensure};
use libtest_mimic::{Failed, Trial};
use others::OTHERS;
use std::collections::{BTreeMap, BTreeSet};
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
fn first_seed(is_long: bool) -> Result<u64, Failed> {
    if let Some(given) = number_from("WGPU_REDUCE_SOAK_SEED")? {
        return Ok(given);
    }
    let place = if is_long {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs()
    } else {
        0
    };
    Ok(after(place))
}

/// The seed after another.
fn after(seed: u64) -> u64 {
    Random::new(seed).bits()
}

fn random_work(rigs: &[Rig]) -> Outcome {
    if rigs.is_empty() {
        return Ok(());
    }
    let asked = number_from("WGPU_REDUCE_SOAK_SECONDS")?;
    let (begun, duration) = (Instant::now(), Duration::from_secs(asked.unwrap_or(3)));
    let (kinds, log) = (kinds(), Log::default());
    let firsts = first_of_each(rigs, &kinds, first_seed(asked.is_some())?);
    let last = firsts.last().copied().unwrap_or(0);
    let firsts = Mutex::new(firsts.into_iter());
    let (rounds, has_failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let outcome = std::thread::scope(|scope| {
        let work = |thread: u64| {
            let mut own = last.wrapping_add(thread);
            while !has_failed.load(Ordering::Relaxed) {
                let first = firsts.lock().unwrap_or_else(PoisonError::into_inner).next();
                if first.is_none() && begun.elapsed() >= duration {
                    break;
                }
                let seed = first.unwrap_or_else(|| {
                    own = after(own);
                    own
                });
                rounds.fetch_add(1, Ordering::Relaxed);
                round(rigs, &kinds, seed, &log)
                    .inspect_err(|_| has_failed.store(true, Ordering::Relaxed))?;
            }
            Ok(())
        };
        let workers: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || work(thread))).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(Failed::from("a thread panicked")))
        })
    });
    log.print();
    let (rounds, seconds) = (rounds.into_inner(), begun.elapsed().as_secs());
    let failed = if outcome.is_ok() { "none" } else { "one" };
    println!("soak: {rounds} rounds in {seconds} s, {failed} of which failed");
    outcome?;
    ensure!(rounds > 0, "nothing was done in {seconds} s");
    Ok(())
}

/// What a round is to do.
struct Work<'a> {
    rig: &'a Rig,
    what: &'a str,
    way: &'static str,
    run: Round,
}

fn work_of<'a>(rigs: &'a [Rig], kinds: &'a [Kind], random: &mut Random) -> Work<'a> {
    let rig = &rigs[random.below(rigs.len())];
    if random.below(3) == 0 {
        let (what, run) = OTHERS[random.below(OTHERS.len())];
        return Work { rig, what, way: "alone", run };
    }
    let kind = &kinds[random.below(kinds.len())];
    let (way, run) = kind.ways[random.below(kind.ways.len())];
    Work { rig, what: &kind.name, way, run }
}

/// Seeds from this one on, each of a round that has something that those before have not, until nothing is missing.
fn first_of_each(rigs: &[Rig], kinds: &[Kind], mut seed: u64) -> Vec<u64> {
    let of_kind = |kind: &Kind| kind.ways.map(|(way, _)| way);
    let mut missing: BTreeSet<&str> = kinds.iter().flat_map(of_kind).collect();
    missing.extend(kinds.iter().map(|kind| kind.name.as_str()));
    missing.extend(OTHERS.map(|(what, _)| what));
    missing.extend(rigs.iter().map(|rig| rig.name.as_str()));
    let mut seeds = Vec::new();
    while !missing.is_empty() {
        let Work { rig, what, way, .. } = work_of(rigs, kinds, &mut Random::new(seed));
        let were_missing = [&rig.name, what, way].map(|name| missing.remove(name));
        if were_missing.contains(&true) {
            seeds.push(seed);
        }
        seed = after(seed);
    }
    seeds
}

fn round(rigs: &[Rig], kinds: &[Kind], seed: u64, log: &Log) -> Outcome {
    let mut random = Random::new(seed);
    let Work { rig, what, way, run } = work_of(rigs, kinds, &mut random);
    let is_gl = rig.is_gl();
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

/// Rigs of other adapters, with which one may work together: those through GL let no other thread near them.
fn others<'a>(rigs: &'a [Rig], rig: &Rig) -> Vec<&'a Rig> {
    let is_other = |other: &&Rig| !other.is_gl() && other.adapter != rig.adapter;
    rigs.iter().filter(|_| !rig.is_gl()).filter(is_other).collect()
}
