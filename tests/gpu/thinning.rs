//! Which tests of software adapters run where nobody has asked for all.

use crate::harness::ensure;
use crate::harness::rig::{GL, SKEWED, all_tests};
use libtest_mimic::{Arguments, Trial};
use std::collections::HashMap;

/// Every so many-th test through OpenGL on software runs.
const THROUGH_GL: usize = 4;

/// Without some of those of software adapters, unless some tests are asked for or all are: every fourth through OpenGL, which wait
/// for each other and whose compilers take minutes, and of those through Vulkan what [`is_enough`] says.
pub(crate) fn thinned(arguments: &Arguments, trials: Vec<Trial>) -> Vec<Trial> {
    if arguments.filter.is_some() || all_tests() {
        return trials;
    }
    let chosen = chosen(&names(&trials));
    let left_out = chosen.iter().filter(|&&is_chosen| !is_chosen).count();
    if left_out > 0 {
        println!(
            "NOT COVERED: {left_out} tests of software adapters; WGPU_REDUCE_ALL_TESTS=1 runs them"
        );
    }
    let kept = trials.into_iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
    kept.map(|(trial, _)| trial).collect()
}

fn names(trials: &[Trial]) -> Vec<String> {
    trials.iter().map(|trial| trial.name().to_owned()).collect()
}

/// Which of these tests run.
fn chosen<'names>(names: &'names [String]) -> Vec<bool> {
    let mut configurations: HashMap<&str, [usize; 2]> = HashMap::new();
    for (test, adapter) in names.iter().filter_map(|name| of_software(name)) {
        configurations.entry(test).or_default()[adapter] += 1;
    }
    let (mut through_gl, mut passed) = (0, HashMap::<&str, [usize; 2]>::new());
    let is_chosen = |name: &'names String| {
        if name.contains(GL) && name.contains("llvmpipe") {
            through_gl += 1;
            return through_gl % THROUGH_GL == 1 && !is_long_by_integers(name);
        }
        let Some((test, adapter)) = of_software(name) else { return true };
        let number = &mut passed.entry(test).or_default()[adapter];
        *number += 1;
        configurations[test] != [2, 2] || is_enough(test, adapter == SWIFTSHADER, *number - 1)
    };
    names.iter().map(is_chosen).collect()
}

const SWIFTSHADER: usize = 0;

/// A test through Vulkan on one of two software adapters, and on which.
fn of_software(name: &str) -> Option<(&str, usize)> {
    let (test, rig) = name.split_once(" [")?;
    let adapter = ["SwiftShader", "llvmpipe"].iter().position(|adapter| rig.contains(adapter))?;
    (!rig.contains(GL) && !rig.contains("storage buffers") && !rig.contains(SKEWED))
        .then_some((test, adapter))
}

/// Whether a test's configuration, 0 with subgroups and 1 without, is one of its two. For one test of four that is one on SwiftShader,
/// whose compiler takes most of the time, and the other on llvmpipe; for the others, and [those](is_long_by_integers) that take it longest,
/// both on llvmpipe.
fn is_enough(test: &str, is_swiftshader: bool, configuration: usize) -> bool {
    let sum = |sum: usize, byte: u8| sum.wrapping_mul(31).wrapping_add(usize::from(byte));
    let choice = test.bytes().fold(0, sum) % 8;
    let is_on_both = choice < 2 && !is_long_by_integers(test);
    if is_swiftshader {
        is_on_both && configuration == choice
    } else {
        !is_on_both || configuration != choice
    }
}

/// Whether a test is of operations on `f64` whose arithmetic by integers takes compilers a quarter of a minute for each shader. Means and
/// their like are in tests of devices without `f64`, too (`doubles.rs`), and exact sums in `exact_axis::known_bits`.
fn is_long_by_integers(test: &str) -> bool {
    const LONG: [&str; 8] =
        ["mean", "nan_mean", "variance", "std", "stats", "sum_exact", "mean_exact", "exact_axis"];
    let of_f64 = test.split(" [").next().and_then(|test| test.strip_suffix("::f64"));
    of_f64.is_some_and(|test| test.split("::").any(|word| LONG.contains(&word)))
}

/// That what is left of these tests has each of them that both adapters have with subgroups once and without once, all that only
/// one has, and a good part on each adapter.
pub(crate) fn check(trials: &[Trial]) -> Trial {
    let names = names(trials);
    Trial::test("thinning::every_test_runs_with_subgroups_and_without", move || {
        let chosen = chosen(&names);
        let mut of_tests: HashMap<&str, [[usize; 2]; 2]> = HashMap::new();
        let mut on_adapters = [[0_usize; 2]; 2];
        for (name, is_chosen) in names.iter().zip(chosen) {
            let Some((test, adapter)) = of_software(name) else {
                ensure!(is_chosen || name.contains(GL), "{name} is left out");
                continue;
            };
            let form = usize::from(name.contains("workgroup memory"));
            let [before, after] = of_tests.entry(test).or_default();
            before[adapter] += 1;
            after[form] += usize::from(is_chosen);
            on_adapters[adapter][form] += usize::from(is_chosen);
        }
        for (test, [before, after]) in &of_tests {
            let all = before.iter().sum::<usize>();
            let is_right = if *before == [2, 2] {
                *after == [1, 1]
            } else {
                after.iter().sum::<usize>() == all
            };
            ensure!(is_right, "{test}: of {before:?} on the adapters {after:?} are left");
        }
        let is_on_both = of_tests.values().any(|[before, _]| *before == [2, 2]);
        let least = of_tests.len() / 10;
        let is_spread = on_adapters.iter().flatten().all(|&count| count >= least);
        ensure!(!is_on_both || is_spread, "of {} tests {on_adapters:?} are left", of_tests.len());
        Ok(())
    })
}
