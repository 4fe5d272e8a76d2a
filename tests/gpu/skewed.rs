//! All that computes with floats, on devices whose arithmetic is as far off as WGSL and Vulkan allow (`harness/skewed/`): on the
//! quickest software adapter, and on all where all tests are asked for, though those that repeat others not on `SwiftShader`.

use crate::harness::rig::{all_tests, skewed_rigs};
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use wgpu_reduce::{CustomOp, Matrix};

/// Families of tests without arithmetic of floats, those of devices and buffers, and those of random work.
const OTHERS: [&str; 17] = [
    "calls",
    "concurrency",
    "errors",
    "exact",
    "exact_axis",
    "exact_dot",
    "exact_many",
    "faults",
    "full_memory",
    "histogram_levels",
    "leaks",
    "max_memory",
    "pipelines",
    "soak",
    "transfer",
    "tuning_table",
    "wrapping_sum",
];

/// Operations that are integer arithmetic in every shape, whatever the elements are.
const EXACT: [&str; 2] = ["mean_exact", "sum_exact"];

/// Tests for when all are asked for, and not on `SwiftShader`. Most add no arithmetic of devices to others, but offsets, tunings, bindings,
/// tables, and results that the host combines. Order statistics compute with floats which keys to try, and not what comes out. `of_f64`, equal numbers, adds shaders that compile for half a minute; `f32` has the others of
/// their text.
const REPEATED: [&str; 24] = [
    "any_shares",
    "briefly",
    "every_case",
    "every_offset",
    "every_pair_of_offsets",
    "ladder",
    "long",
    "many_chunks",
    "more_workgroups_than_a_dimension",
    "not_of_a_word_briefly",
    "numpy",
    "numpy_f32",
    "numpy_histogram",
    "numpy_segments",
    "of_f64",
    "of_many_shares",
    "order",
    "order_axis",
    "several_buffers",
    "some_offsets",
    "some_tunings",
    "strided_views",
    "tunings",
    "tunings_of_gpus",
];

/// The compiler of `SwiftShader`, which takes some texts half a minute.
const SLOW_COMPILER: &str = "Subzero";

/// Families whose bins are found by floats, whatever the elements are.
const OF_BINS: [&str; 3] = ["histogram", "histogram_edges", "histogram_weighted"];

const INTEGERS: [&str; 8] = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"];

/// The chosen ones of the tests that all subjects have.
pub(crate) fn trials(
    rigs: &'static [Rig],
    of_all: impl FnOnce(&'static [Rig]) -> Vec<Trial>,
) -> Vec<Trial> {
    let rigs = match skewed_rigs(rigs) {
        Ok(rigs) => &*Box::leak(rigs.into_boxed_slice()),
        Err(error) => {
            let failed = move || Err(Failed::from(format!("none can be opened: {error}")));
            return vec![Trial::test("skewed::open", failed)];
        }
    };
    let has_floats = |trial: &Trial| {
        let name = trial.name().split(" [").next().unwrap_or_default();
        let is_of =
            |parts: &[&str]| parts.iter().any(|part| name.split("::").any(|of| of == *part));
        let has_time = all_tests() && !trial.name().contains(SLOW_COMPILER);
        let is_chosen = has_time || !is_of(&REPEATED);
        let family = name.split("::").next().unwrap_or_default();
        let is_of_integers = is_of(&EXACT) || is_of(&INTEGERS) && !OF_BINS.contains(&family);
        name.contains("::") && is_chosen && !OTHERS.contains(&family) && !is_of_integers
    };
    let mut trials: Vec<_> = of_all(rigs);
    let names: Vec<_> = trials.iter().map(|trial| trial.name().to_owned()).collect();
    trials.retain(has_floats);
    if !rigs.is_empty() {
        trials.push(Trial::test("skewed::known_names", move || known_names(&names)));
    }
    trials.extend(on_every_rig(rigs, "skewed::arithmetic", arithmetic));
    trials.extend(on_every_rig(rigs, "skewed::odd_numbers", odd_numbers));
    trials
}

/// What is left out is there to be left out.
fn known_names(names: &[String]) -> Outcome {
    let is_known = |part: &&str| {
        names.iter().any(|name| {
            name.split(" [").next().is_some_and(|name| name.split("::").any(|of| of == *part))
        })
    };
    let unknown: Vec<_> =
        OTHERS.iter().chain(&REPEATED).chain(&EXACT).filter(|part| !is_known(part)).collect();
    ensure!(unknown.is_empty(), "no test has {unknown:?} in its name");
    Ok(())
}

/// What an expression makes of each element.
fn evaluated(rig: &Rig, expression: &str, elements: &[f32]) -> Result<Vec<f32>, Failed> {
    let text = format!(
        "fn map(element: f32, index: u32) -> f32 {{ return {expression}; }}
        fn combine(left: f32, right: f32) -> f32 {{ return right; }}"
    );
    let op = CustomOp::<f32, f32>::new(&text, 0.0)?;
    let matrix = Matrix { rows: elements.len() as u64, columns: 1 };
    let buffer = rig.reducer.upload(elements)?;
    Ok(rig.reducer.reduce(&op, &buffer).along(matrix, 1).start()?.wait()?)
}

/// How many steps of the last place a number is from another.
fn steps(from: f32, to: f32) -> i64 {
    i64::from(to.to_bits()) - i64::from(from.to_bits())
}

/// Each choice that the specifications leave is taken somewhere, and nothing is farther off, but that `SwiftShader` multiplies by the
/// reciprocal of a constant, which is off by one more.
fn arithmetic(rig: &Rig) -> Outcome {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let elements: Vec<f32> = (1..2000).map(|index| index as f32 / 7.0).collect();
    let off = |expression: &str, exact: &dyn Fn(f64) -> f64| -> Result<BTreeSet<i64>, Failed> {
        let got = evaluated(rig, expression, &elements)?;
        let each = elements.iter().zip(got);
        #[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
        let steps = each.map(|(&x, got)| steps(exact(f64::from(x)) as f32, got));
        Ok(steps.collect())
    };
    let quotients = off("element / 3.0", &|x| x / 3.0)?;
    let farthest = if rig.adapter.contains(SLOW_COMPILER) { 3 } else { 2 };
    let has_all = (-2..=2).all(|steps| quotients.contains(&steps));
    ensure!(has_all, "quotients are off by {quotients:?}");
    let are_near = quotients.iter().all(|steps| steps.abs() <= farthest);
    ensure!(are_near, "quotients are off by {quotients:?}");
    let roots = off("sqrt(element)", &f64::sqrt)?;
    ensure!(roots == (-6..=6).collect(), "roots are off by {roots:?}");
    let powers = off("exp(-0.25 * element)", &|x| (-0.25 * x).exp())?;
    let farthest = powers.iter().map(|steps| steps.abs()).max().unwrap_or_default();
    ensure!((20..=3 + 2 * 71).contains(&farthest), "powers of e are off by {powers:?}");
    let logarithms = off("log(2.0 + element)", &|x| (2.0 + x).ln())?;
    let all = [-2, -1, 0, 1, 2];
    ensure!(
        all.iter().all(|steps| logarithms.contains(steps)),
        "logarithms are off by {logarithms:?}"
    );
    ensure!(
        logarithms.iter().all(|steps| steps.abs() <= 3),
        "logarithms are off by {logarithms:?}"
    );
    // What a product rounded off is all that is left, or nothing is.
    let lost = evaluated(
        rig,
        "element * element - bitcast<f32>(bitcast<u32>(element * element))",
        &elements,
    )?;
    #[expect(clippy::float_cmp, reason = "what is lost is a number of f32")]
    let is_lost = |(&x, &lost): (&f32, &f32)| {
        f64::from(lost) == f64::from(x) * f64::from(x) - f64::from(x * x)
    };
    let fused = elements.iter().zip(&lost).filter(|(_, lost)| **lost != 0.0);
    ensure!(fused.clone().all(is_lost), "a product is neither rounded nor whole");
    let (fused, all) = (fused.count(), elements.len());
    ensure!((all / 4..all * 3 / 4).contains(&fused), "{fused} products of {all} are fused");
    Ok(())
}

/// Subnormal numbers are zero, a comparison with NaN has either outcome, and integers that `f32` does not have become either neighbour.
fn odd_numbers(rig: &Rig) -> Outcome {
    let tiny = evaluated(rig, "element + 0.0", &[f32::from_bits(1), -f32::MIN_POSITIVE / 2.0])?;
    ensure!(tiny == [0.0; 2], "subnormal numbers are {tiny:?}");
    let nans: Vec<_> = (0..99).map(|payload| f32::from_bits(0x7fc0_0000 + payload)).collect();
    let compared = evaluated(rig, "select(0.0, 1.0, element < 1.0)", &nans)?;
    ensure!(compared.contains(&0.0) && compared.contains(&1.0), "NaN is always {}", compared[0]);
    let odd: Vec<u32> = (0..99).map(|index| (1 << 25) + 2 * index + 1).collect();
    let bits: Vec<_> = odd.iter().copied().map(f32::from_bits).collect();
    let converted = evaluated(rig, "f32(bitcast<u32>(element))", &bits)?;
    let each = odd.iter().zip(converted);
    #[expect(clippy::cast_possible_truncation, reason = "small integers")]
    let off: BTreeSet<_> =
        each.map(|(&odd, got)| (f64::from(got) - f64::from(odd)) as i64).collect();
    let either = BTreeSet::from([-3, -1, 1, 3]);
    ensure!(off == either, "integers are off by {off:?}");
    Ok(())
}
