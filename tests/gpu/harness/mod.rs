//! What every test on a GPU needs: the adapters, the data and the oracle.

#[path = "../../host/counts.rs"]
pub(crate) mod counts;
pub(crate) mod data;
pub(crate) mod memory;
pub(crate) mod oracle;
pub(crate) mod rig;
pub(crate) mod skewed;
pub(crate) mod special;
pub(crate) mod times;
pub(crate) mod validation;

pub(crate) use data::{Shape, TestElement};
pub(crate) use rig::Rig;
pub(crate) use special::Special;

use libtest_mimic::{Failed, Trial};
use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};
use wgpu_reduce::AdapterClass;

/// What a test returns.
pub(crate) type Outcome = Result<(), Failed>;

/// One test, on every rig.
pub(crate) fn on_every_rig(
    rigs: &'static [Rig],
    name: &'static str,
    test: fn(&Rig) -> Outcome,
) -> Vec<Trial> {
    on_rigs(&rigs.iter().collect::<Vec<_>>(), name, test)
}

/// One test, on these rigs.
pub(crate) fn on_rigs(
    rigs: &[&'static Rig],
    name: &'static str,
    test: fn(&Rig) -> Outcome,
) -> Vec<Trial> {
    rigs.iter()
        .map(|&rig| {
            let run = move || rig.judged(name, || apart(name, || test(rig)));
            Trial::test(format!("{name} [{}]", rig.name), run)
        })
        .collect()
}

/// Runs a test that drops devices at work while no other test runs: Khronos' validation layer 1.3.239, Debian's, looks up what it
/// knows of a device without a lock while another thread's device goes (KhronosGroup/Vulkan-ValidationLayers 4391).
fn apart(name: &str, test: impl FnOnce() -> Outcome) -> Outcome {
    static TESTS: RwLock<()> = RwLock::new(());
    if name.starts_with("faults::") {
        let _alone = TESTS.write().unwrap_or_else(PoisonError::into_inner);
        return test();
    }
    let _together = TESTS.read().unwrap_or_else(PoisonError::into_inner);
    test()
}

/// For tests that are alike and take long: each on every third rig in turn, so that each rig has a third of them;
/// where there are few rigs, on all.
pub(crate) fn in_turn(
    rigs: &'static [Rig],
    tests: impl IntoIterator<Item = (&'static str, fn(&Rig) -> Outcome)>,
) -> Vec<Trial> {
    let of_test = |(number, (name, test)): (usize, _)| {
        let is_its_turn = |index: usize| rigs.len() < 3 || (index + number).is_multiple_of(3);
        let numbered = rigs.iter().enumerate().filter(|&(index, _)| is_its_turn(index));
        on_rigs(&numbered.map(|(_, rig)| rig).collect::<Vec<_>>(), name, test)
    };
    tests.into_iter().enumerate().flat_map(of_test).collect()
}

/// For tests of much data: of each class of adapters one rig with limits of its own. Of software adapters Mesa's is
/// several times as quick as others.
pub(crate) fn quickest_rigs(rigs: &'static [Rig]) -> Vec<&'static Rig> {
    let of_class = |class| {
        let rigs = rigs.iter().filter(|rig| rig.reducer.caps().class == class && !rig.is_tight);
        rigs.min_by_key(|rig| (rig.is_gl(), !rig.name.contains("llvmpipe")))
    };
    [AdapterClass::Gpu, AdapterClass::Cpu].into_iter().filter_map(of_class).collect()
}

/// For what differs from others in little: of each adapter one of its rigs in turn, test by test. The trials are those of
/// [`on_every_rig`], one test after another.
pub(crate) fn one_rig_of_each_adapter(rigs: &'static [Rig], trials: Vec<Trial>) -> Vec<Trial> {
    let label = |index: usize| &rigs[index].adapter;
    let is_its_turn = |place: usize| {
        let (test, index) = (place / rigs.len(), place % rigs.len());
        let alike: Vec<_> = (0..rigs.len()).filter(|&other| label(other) == label(index)).collect();
        alike[test % alike.len()] == index
    };
    let numbered = trials.into_iter().enumerate();
    numbered.filter(|&(place, _)| is_its_turn(place)).map(|(_, trial)| trial).collect()
}

/// Stamps the same properties on every operation, every element type that it takes, and every rig.
macro_rules! stamp {
    ($rigs:expr, $properties:tt,
     { $($subject:literal: $operation:ident of $($element:ty),*);* }) => {{
        let mut trials = Vec::new();
        $($( $crate::harness::stamp_one!(
            trials, $rigs, $subject, $operation, $element, $properties
        ); )*)*
        trials
    }};
}
pub(crate) use stamp;

/// One operation on one element type, every property.
macro_rules! stamp_one {
    ($trials:ident, $rigs:expr, $subject:expr, $operation:ty, $element:ty,
     [$($property:ident),*]) => {
        $( $trials.extend($crate::harness::on_every_rig(
            $rigs,
            concat!($subject, "::", stringify!($property), "::", stringify!($element)),
            $property::<$element, $operation>,
        )); )*
    };
}
pub(crate) use stamp_one;

/// Stamps the same properties on every operation of the library, on the elements of a group that it takes (see
/// [`elements`]), and every rig. Subjects are the prefix and the operation's name.
macro_rules! stamp_all {
    ($rigs:expr, $properties:tt, $prefix:literal, $group:ident) => {{
        let mut trials = Vec::new();
        wgpu_reduce::for_each_operation!(
            crate::harness::stamp_rows,
            (trials, $rigs, $properties, $prefix, $group)
        );
        trials
    }};
}
pub(crate) use stamp_all;

macro_rules! stamp_rows {
    (($trials:ident, $rigs:expr, $properties:tt, $prefix:literal, $group:ident)
     $($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        $($crate::harness::elements!(
            $group of $class,
            crate::harness::stamp_row (
                $trials, $rigs, concat!($prefix, stringify!($name)), wgpu_reduce::$operation, $properties
            )
        );)*
    };
}
pub(crate) use stamp_rows;

macro_rules! stamp_row {
    ([$($element:ty),*] $trials:ident, $rigs:expr, $subject:expr, $operation:ty, $properties:tt) => {
        $($crate::harness::stamp_one!($trials, $rigs, $subject, $operation, $element, $properties);)*
    };
}
pub(crate) use stamp_row;

/// As [`with_elements`](wgpu_reduce::with_elements), with one group more: `leading`, one type for each way to accumulate,
/// for what differs little from type to type.
macro_rules! elements {
    (leading of all, $($call:tt)+) => { wgpu_reduce::with_elements!([f32] $($call)+) };
    (leading of squared, $($call:tt)+) => { wgpu_reduce::with_elements!([f32, i32, f64] $($call)+) };
    (leading of integers, $($call:tt)+) => { wgpu_reduce::with_elements!([u32] $($call)+) };
    (leading of floats, $($call:tt)+) => { wgpu_reduce::with_elements!([f32, f64] $($call)+) };
    (leading of short_floats, $($call:tt)+) => { wgpu_reduce::with_elements!([f32] $($call)+) };
    ($group:ident of $class:ident, $($call:tt)+) => {
        wgpu_reduce::with_elements!($group of $class, $($call)+)
    };
}
pub(crate) use elements;

/// Keeps the trials whose operation and element are not among others, property by property.
pub(crate) fn others(trials: Vec<Trial>, among: &[Trial]) -> Vec<Trial> {
    let seen: HashSet<_> = among.iter().filter_map(|trial| kind(trial.name())).collect();
    trials
        .into_iter()
        .filter(|trial| !kind(trial.name()).is_some_and(|it| seen.contains(&it)))
        .collect()
}

/// Operation and element of a stamped trial, which is called `subject::property::element [rig]`.
fn kind(name: &str) -> Option<(&str, &str)> {
    let (name, _) = name.split_once(' ')?;
    let (rest, element) = name.rsplit_once("::")?;
    rest.rsplit_once("::").map(|(subject, _)| (subject, element))
}

/// Fails a test with a message unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        let holds: bool = $condition;
        if !holds {
            return Err(libtest_mimic::Failed::from(format!($($message)*)));
        }
    };
}
pub(crate) use ensure;
