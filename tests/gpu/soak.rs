//! Random work for as long as is asked for: operations, types, lengths, ways to reduce and threads, on every adapter.
//!
//! `WGPU_REDUCE_SOAK_SECONDS` says how long, and `WGPU_REDUCE_SOAK_SEED` where to begin: a failure names the seed of its
//! round, which as that variable makes it the first round of all threads.

use crate::exact::cases::Random;
use crate::harness::oracle::{self, Oracle, Poison};
use crate::harness::{Outcome, Rig, Shape, TestElement};
use crate::{axis, segments, stream};
use half::f16;
use libtest_mimic::{Failed, Trial};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use wgpu_reduce::{
    AdapterClass, ArgMax, ArgMin, BitXor, CountNonZero, Max, Mean, Min, MinMax, NanArgMin, NanMean,
    NormL1, NormL2, Product, Stats, Sum, SumExact, SumOfSquares, Variance, WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    vec![Trial::test("soak::random_work", || random_work(rigs))]
}

/// What one round does, of one operation on one type.
type Round = fn(&Rig, &mut Random) -> Outcome;

/// An operation on a type, in every way.
struct Kind {
    name: String,
    ways: [(&'static str, Round); 4],
}

fn kind<T: TestElement, O: Oracle<T>>() -> Kind {
    Kind {
        name: format!("{} of {}", O::default().record().name(), T::KIND),
        ways: [
            ("whole", whole::<T, O>),
            ("along an axis", along::<T, O>),
            ("in segments", in_segments::<T, O>),
            ("as a stream", streamed::<T, O>),
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

fn number_from(variable: &str) -> Result<Option<u64>, Failed> {
    let text = std::env::var(variable).ok();
    let number = text.as_deref().map(str::parse).transpose();
    number.map_err(|error| format!("{variable}: {error}").into())
}

/// Rigs of GL have one context, which threads would wait for too long.
static ALONE: Mutex<()> = Mutex::new(());

const THREADS: u64 = 4;

fn random_work(rigs: &[Rig]) -> Outcome {
    let seconds = number_from("WGPU_REDUCE_SOAK_SECONDS")?.unwrap_or(3);
    let seed = number_from("WGPU_REDUCE_SOAK_SEED")?;
    let end = Instant::now() + Duration::from_secs(seconds);
    let (kinds, rounds) = (kinds(), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let work = |thread: u64| {
            let mut seed = seed.unwrap_or_else(|| Random::new(thread).bits());
            while Instant::now() < end && !rigs.is_empty() {
                round(rigs, &kinds, seed)?;
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
    println!("soak: {} rounds in {seconds} s", rounds.into_inner());
    Ok(())
}

fn round(rigs: &[Rig], kinds: &[Kind], seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let rig = &rigs[random.below(rigs.len())];
    let kind = &kinds[random.below(kinds.len())];
    let (way, run) = kind.ways[random.below(kind.ways.len())];
    let is_gl = rig.name.contains("(Gl)");
    let _alone = is_gl.then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    run(rig, &mut random).map_err(|failed| {
        let what = failed.message().unwrap_or("no message");
        Failed::from(format!("seed {seed}: {} {way} on {}: {what}", kind.name, rig.name))
    })
}
