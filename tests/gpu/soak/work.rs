//! Every operation, in every way.

use crate::exact::cases::Random;
use crate::harness::oracle::{self, Oracle, Poison};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, Shape, TestElement, elements};
use crate::{axis, encode, inputs, multi, segments, stream};
use half::{bf16, f16};
use wgpu_reduce::{
    AdapterClass, Any, ArgMax, ArgMin, BitAnd, BitOr, CountNan, CountNonZero, ElementKind,
    GpuReducer, Max, Mean, Min, MinMax, NanMax, NormMax, Stats, Sum,
};

/// What one round does.
#[derive(Clone, Copy)]
pub(super) enum Round {
    /// On one rig.
    On(fn(&Rig, &mut Random) -> Outcome),
    /// On the reducers of two, of two adapters where there are two; the first is this rig's.
    Across(fn(&[GpuReducer; 2], &Rig, &mut Random) -> Outcome),
}

/// An operation on a type, in every way.
pub(super) struct Kind {
    pub(super) name: String,
    pub(super) ways: [(&'static str, Round); 9],
}

fn kind<T: TestElement, O: Oracle<T>>() -> Kind {
    Kind {
        name: format!("{} of {}", O::default().record().name(), T::KIND),
        ways: [
            ("whole", Round::On(whole::<T, O>)),
            ("along an axis", Round::On(along::<T, O>)),
            ("in segments", Round::On(in_segments::<T, O>)),
            ("by key", Round::On(by_key::<T, O>)),
            ("as a stream", Round::On(streamed::<T, O>)),
            ("in several buffers", Round::On(in_parts::<T, O>)),
            ("on two reducers", Round::Across(on_two::<T, O>)),
            ("many at once", Round::On(many::<T, O>)),
            ("encoded", Round::On(encoded::<T, O>)),
        ],
    }
}

macro_rules! kinds {
    ($($operation:ident of $($element:ty),*);*) => { vec![$($(kind::<$element, $operation>()),*),*] };
}

macro_rules! leading_kinds {
    ($kinds:ident $($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        $(elements!(leading of $class, leading_kinds ($kinds $operation));)*
    };
    ([$($element:ty),*] $kinds:ident $operation:ident) => {
        $($kinds.push(kind::<$element, wgpu_reduce::$operation>());)*
    };
}

/// Every operation, one for each accumulator and each way to read elements, and more.
pub(super) fn kinds() -> Vec<Kind> {
    let mut kinds = kinds! {
        Sum of i32, u32, u8, i8, u16, i16, f16, bf16, i64, u64, f64;
        NormMax of i16;
        Min of i8, f64;
        Max of u16;
        MinMax of i64;
        ArgMin of f16, bf16, u64;
        ArgMax of i32, u8;
        Mean of u32, i64;
        NanMax of f16;
        Stats of u32;
        CountNonZero of u16;
        CountNan of f16;
        Any of i8;
        BitAnd of i64;
        BitOr of u16
    };
    wgpu_reduce::for_each_operation!(leading_kinds, kinds);
    kinds
}

/// Mostly short, since short inputs have the most edges, and now and then long.
pub(super) fn length(rig: &Rig, random: &mut Random) -> u64 {
    let is_gpu = rig.reducer.caps().class == AdapterClass::Gpu;
    let most = if is_gpu { 22 } else { 16 };
    let log = random.below(most + 1);
    (random.bits() & ((1 << log) - 1)) + random.bits() % 5
}

/// The accumulators of exact sums of `f64` are so long that one tight binding holds few.
fn holds_few<T: TestElement, O: Oracle<T>>(reducer: &GpuReducer) -> bool {
    let is_tight = reducer.caps().max_binding_bytes <= TIGHT_BINDING_BYTES;
    is_tight && T::KIND == ElementKind::F64 && O::default().record().name().ends_with("_exact")
}

/// How many elements an operation is to reduce on the rig.
fn length_of<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> u64 {
    length_on::<T, O>(std::slice::from_ref(&rig.reducer), rig, random)
}

/// How many elements an operation is to reduce on each of these, of which one is the rig's.
fn length_on<T: TestElement, O: Oracle<T>>(
    reducers: &[GpuReducer],
    rig: &Rig,
    random: &mut Random,
) -> u64 {
    let len = length(rig, random);
    if reducers.iter().any(holds_few::<T, O>) { len % (1 << 16) } else { len }
}

pub(super) fn shape(random: &mut Random) -> Shape {
    Shape::ALL[random.below(Shape::ALL.len())]
}

fn whole<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let poison = Poison { before: random.below(40), after: random.below(9) };
    let shape = shape(random);
    let values = T::data(shape, length_of::<T, O>(rig, random));
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
    let most = if holds_few::<T, O>(&rig.reducer) { most.min(20) } else { most };
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

fn on_two<T: TestElement, O: Oracle<T>>(
    reducers: &[GpuReducer; 2],
    rig: &Rig,
    random: &mut Random,
) -> Outcome {
    multi::check::<T, O>(reducers, length_on::<T, O>(reducers, rig, random))
}

/// A few, some of which may be empty.
fn in_parts<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let count = random.below(5);
    let lengths: Vec<_> = (0..count).map(|_| length_of::<T, O>(rig, random)).collect();
    inputs::check_parts::<T, O>(rig, &lengths)
}

/// Short ones, which share dispatches, and now and then a long one between them.
fn many<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let of_one = |random: &mut Random| match random.below(6) {
        0 => length_of::<T, O>(rig, random),
        _ => random.bits() % 300,
    };
    let lengths: Vec<_> = (0..random.below(20)).map(|_| of_one(random)).collect();
    inputs::check_many::<T, O>(rig, &lengths)
}

fn encoded<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let values = T::data(shape(random), length_of::<T, O>(rig, random));
    let slots = 1 + random.bits() % 70;
    encode::check::<T, O>(rig, &values, [random.bits() % slots, slots])
}
