//! Random work for as long as is asked for: operations, types, lengths, ways to reduce and threads, on every adapter.
//!
//! `WGPU_REDUCE_SOAK_SECONDS` says how long, and `WGPU_REDUCE_SOAK_SEED` where to begin: a failure names the seed of its
//! round, which as that variable makes it the first round of the first thread. In tests it is always the same work;
//! where it is said how long, it begins elsewhere each time.

use crate::exact::cases::{Mix, Random};
use crate::harness::oracle::{self, Judged, Oracle, Poison};
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure};
use crate::{
    axis, custom, encode, exact, exact_dot, histogram, histogram_weighted, inputs, multi, pairs,
    segments, stream,
};
use half::f16;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use wgpu_reduce::{
    AdapterClass, ArgMax, ArgMin, BitXor, CountNonZero, Dot, Max, Mean, Min, MinMax, NanArgMin,
    NanMean, NormL1, NormL2, PairOperation, Product, Stats, Sum, SumExact, SumOfSquares, Variance,
    WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    vec![Trial::test("soak::random_work", || random_work(rigs))]
}

/// What one round does.
type Round = fn(&Rig, &mut Random) -> Outcome;

/// An operation on a type, in every way.
struct Kind {
    name: String,
    ways: [(&'static str, Round); 8],
}

fn kind<T: TestElement, O: Oracle<T>>() -> Kind {
    Kind {
        name: format!("{} of {}", O::default().record().name(), T::KIND),
        ways: [
            ("whole", whole::<T, O>),
            ("along an axis", along::<T, O>),
            ("in segments", in_segments::<T, O>),
            ("by key", by_key::<T, O>),
            ("as a stream", streamed::<T, O>),
            ("on two reducers", on_two::<T, O>),
            ("many at once", many::<T, O>),
            ("encoded", encoded::<T, O>),
        ],
    }
}

macro_rules! kinds {
    ($($operation:ident of $($element:ty),*);*) => { vec![$($(kind::<$element, $operation>()),*),*] };
}

/// One for each accumulator and each way to read elements, and more.
fn kinds() -> Vec<Kind> {
    kinds! {
        Sum of f32, i32, u8, i16, f16, i64, u64, f64;
        SumExact of f32;
        WrappingSum of u32;
        Product of f32;
        SumOfSquares of i32;
        NormL1 of f32;
        NormL2 of f32, i32;
        Min of i8, f64;
        Max of f32, u16;
        MinMax of f32, i64;
        ArgMin of f32, f16, u64;
        ArgMax of i32, u8;
        NanArgMin of f32;
        Mean of f32, u32, i64;
        NanMean of f32;
        Variance of f32, i32;
        Stats of f32, u32;
        CountNonZero of u16;
        BitXor of u32
    }
}

/// Mostly short, since short inputs have the most edges, and now and then long.
fn length(rig: &Rig, random: &mut Random) -> u64 {
    let is_gpu = rig.reducer.caps().class == AdapterClass::Gpu;
    let most = if is_gpu { 22 } else { 16 };
    let log = random.below(most + 1);
    (random.bits() & ((1 << log) - 1)) + random.bits() % 5
}

fn shape(random: &mut Random) -> Shape {
    Shape::ALL[random.below(Shape::ALL.len())]
}

fn whole<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let poison = Poison { before: random.below(40), after: random.below(9) };
    let shape = shape(random);
    let values = T::data(shape, length(rig, random));
    oracle::check::<T, O>(rig, &values, poison, &format!("{shape:?} from {}", poison.before))
}

fn along<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let rows = 1 + length(rig, random) % 5000;
    let columns = 1 + length(rig, random) % (1 + 60_000 / rows);
    let before = random.below(9);
    axis::check_shapes::<T, O>(rig, &[(rows, columns)], before, shape(random), None)
}

fn in_segments<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let most = [1, 20, 400, 9000][random.below(4)];
    let lengths: Vec<_> = (0..random.below(200)).map(|_| random.below(most + 1)).collect();
    let lengths = lengths.into_iter().map(|len| u32::try_from(len).unwrap_or(0));
    let offsets = segments::offsets_from(u32::try_from(random.below(300))?, lengths);
    segments::check::<T, O>(rig, shape(random), &offsets, None, "random lengths")
}

fn streamed<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let shape = shape(random);
    stream::check::<T, O>(rig, shape, length(rig, random) % 20_000)
}

fn by_key<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let most = [1, 20, 400, 2000][random.below(4)];
    // There is to be room for as many results as values, in one binding, which may be tight.
    let fit = rig.reducer.caps().max_binding_bytes / size_of::<O::Raw>() as u64;
    let mut room = usize::try_from(fit)?.min(3000);
    let lengths = std::iter::from_fn(|| {
        let len = 1 + random.below(most);
        room = room.checked_sub(len)?;
        Some(len)
    });
    let keys = crate::by_key::keys_of(lengths);
    let first = random.below(keys.len().min(40) + 1);
    crate::by_key::check::<u32, T, O>(rig, &keys, first, "random runs")
}

fn on_two<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let reducers = [rig.reducer.clone(), rig.reducer.clone()];
    multi::check::<T, O>(&reducers, length(rig, random))
}

/// Short ones, which share dispatches, and now and then a long one between them.
fn many<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let of_one = |random: &mut Random| match random.below(6) {
        0 => length(rig, random),
        _ => random.bits() % 300,
    };
    let lengths: Vec<_> = (0..random.below(20)).map(|_| of_one(random)).collect();
    inputs::check_many::<T, O>(rig, &lengths)
}

fn encoded<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let values = T::data(shape(random), length(rig, random));
    let slots = 1 + random.bits() % 70;
    encode::check::<T, O>(rig, &values, [random.bits() % slots, slots])
}

/// What is no operation of one input.
const OTHERS: [(&str, Round); 9] = [
    ("dot of f32", dot::<f32>),
    ("dot of i16", dot::<i16>),
    ("exact sum", exact_sum),
    ("exact dot", exact_dot),
    ("histogram of f32", counted::<f32>),
    ("histogram of u8", counted::<u8>),
    ("weighted histogram of f32", weighted::<f32>),
    ("weighted histogram of i16", weighted::<i16>),
    ("custom operator", |rig, random| custom::check(rig, length(rig, random), custom::SOME_POISON)),
];

fn dot<T: TestElement>(rig: &Rig, random: &mut Random) -> Outcome
where
    Dot: PairOperation<T, Output: Judged>,
{
    if random.below(4) == 0 {
        return stream::check_pairs::<T>(rig, length(rig, random) % 20_000);
    }
    let both = pairs::data::<T>(shape(random), length(rig, random));
    let before = [random.below(40), random.below(40)];
    pairs::check::<T, Dot>(rig, both.each_ref().map(Vec::as_slice), before, "random")
}

fn mix(random: &mut Random) -> Mix {
    Mix::ALL[random.below(Mix::ALL.len())]
}

fn exact_sum(rig: &Rig, random: &mut Random) -> Outcome {
    let (mix, len) = (mix(random), usize::try_from(length(rig, random))?);
    let poison = Poison { before: random.below(40), after: random.below(9) };
    exact::check(rig, &mix.numbers(len, random), poison, "random")
}

fn exact_dot(rig: &Rig, random: &mut Random) -> Outcome {
    let (mixes, len) = ([mix(random), mix(random)], usize::try_from(length(rig, random))?);
    let both = exact_dot::numbers(mixes[0], mixes[1], len, random);
    let before = [random.below(40), random.below(40)];
    exact_dot::check(rig, both.each_ref().map(Vec::as_slice), before, "random")
}

fn counted<T: histogram::Numeric>(rig: &Rig, random: &mut Random) -> Outcome {
    let bins = histogram::some_bins(rig)?;
    let values = T::data(shape(random), length(rig, random));
    histogram::check(rig, &values, random.below(40), &bins[random.below(bins.len())])
}

fn weighted<T: histogram::Numeric>(rig: &Rig, random: &mut Random) -> Outcome {
    let mut bins = histogram::some_bins(rig)?;
    // One binding is to hold all sums.
    bins.retain(|bins| !rig.is_tight || bins.count() <= 300);
    let values = T::data(shape(random), length(rig, random) % 9000);
    let before = [random.below(40), random.below(40)];
    let bins = &bins[random.below(bins.len())];
    histogram_weighted::check_floats(rig, &values, shape(random), before, bins)
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
    fn note(&self, names: [&str; 3]) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for name in names {
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
    let (what, way, run) = if random.below(4) == 0 {
        let (what, run) = OTHERS[random.below(OTHERS.len())];
        (what, "alone", run)
    } else {
        let kind = &kinds[random.below(kinds.len())];
        let (way, run) = kind.ways[random.below(kind.ways.len())];
        (kind.name.as_str(), way, run)
    };
    let is_gl = rig.name.contains("(Gl)");
    let _alone = is_gl.then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    log.note([what, way, &rig.name]);
    run(rig, &mut random).map_err(|failed| {
        let message = failed.message().unwrap_or("no message");
        Failed::from(format!("seed {seed}: {what} {way} on {}: {message}", rig.name))
    })
}
