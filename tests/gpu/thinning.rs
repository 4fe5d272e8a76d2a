//! Which tests of software adapters run where nobody has asked for all.

use crate::harness::ensure;
use crate::harness::rig::{GL, SKEWED, all_tests};
use libtest_mimic::{Arguments, Trial};
use std::collections::{HashMap, HashSet};

/// Every so many-th test through OpenGL on software runs.
const THROUGH_GL: usize = 4;

/// Without some of those of software adapters, unless some tests are asked for or all are: every fourth through OpenGL, which wait
/// for each other and whose compilers take minutes, and of those through Vulkan what [`Spread`] and [`is_enough`] say.
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
    let mut all_places: HashMap<&str, Vec<Place>> = HashMap::new();
    for (test, place) in names.iter().filter_map(|name| of_software(name)) {
        all_places.entry(test).or_default().push(place);
    }
    let by_types = by_types(all_places.keys().copied());
    let (mut spread, mut through_gl) = (Spread::default(), 0);
    let mut places = HashMap::new();
    let is_chosen = |name: &'names String| {
        if name.contains(GL) && name.contains("llvmpipe") {
            through_gl += 1;
            return through_gl % THROUGH_GL == 1 && !is_long_by_integers(name);
        }
        let Some((test, place)) = of_software(name) else { return true };
        let all = &all_places[test];
        if is_spread(test, all, &by_types) {
            *places.entry(test).or_insert_with(|| spread.place(test, all)) == place
        } else {
            all.len() != 4 || !differ(all) || is_enough(test, place)
        }
    };
    names.iter().map(is_chosen).collect()
}

/// One of two adapters, and whether it is without subgroups.
type Place = [usize; 2];

const SWIFTSHADER: usize = 0;
const LLVMPIPE: usize = 1;

/// A test through Vulkan on one of two software adapters, and where.
fn of_software(name: &str) -> Option<(&str, Place)> {
    let (test, rig) = name.split_once(" [")?;
    let adapter = ["SwiftShader", "llvmpipe"].iter().position(|adapter| rig.contains(adapter))?;
    let place = [adapter, usize::from(rig.contains("workgroup memory"))];
    (!rig.contains(GL) && !rig.contains("storage buffers") && !rig.contains(SKEWED))
        .then_some((test, place))
}

/// So many tests that differ in the type alone are enough for each to run in one place.
const ENOUGH_TYPES: usize = 4;

/// How many tests differ in the last word of their names alone, by the others.
fn by_types<'names>(tests: impl Iterator<Item = &'names str>) -> HashMap<&'names str, usize> {
    let mut by_types = HashMap::new();
    for (others, _) in tests.filter_map(|test| test.rsplit_once("::")) {
        *by_types.entry(others).or_default() += 1;
    }
    by_types
}

/// Whether places differ: where there is one software adapter alone, two have each form.
fn differ(all: &[Place]) -> bool {
    all.iter().collect::<HashSet<_>>().len() == all.len()
}

/// Whether a test is of a property of a subject, for a type of many, and its places differ.
fn is_spread(test: &str, all: &[Place], by_types: &HashMap<&str, usize>) -> bool {
    let others = test.rsplit_once("::").map(|(others, _)| others);
    let others = others.filter(|others| others.contains("::"));
    let count = others.and_then(|others| by_types.get(others)).copied().unwrap_or_default();
    count >= ENOUGH_TYPES && differ(all)
}

/// Where tests of operations and types run, each in one place: such that every two words of their names, as a shape and an operation, meet in
/// as many places as there are tests for, and less often on SwiftShader, whose compiler takes most of the time.
#[derive(Default)]
struct Spread<'names> {
    /// How often two words have met in each place.
    met: HashMap<[&'names str; 2], [[f64; 2]; 2]>,
}

impl<'names> Spread<'names> {
    /// Where a test of these places runs.
    fn place(&mut self, test: &'names str, all: &[Place]) -> Place {
        let pairs = pairs(test);
        let need = |[adapter, form]: Place| -> f64 {
            let met = |pair| self.met.get(pair).map_or(0.0, |met| met[adapter][form]);
            let need: f64 = pairs.iter().map(|pair| 1.0 / (1.0 + met(pair))).sum();
            need / if adapter == SWIFTSHADER { 1.5 } else { 1.0 }
        };
        let is_quick = |[adapter, _]: &Place| *adapter == LLVMPIPE || !is_long_by_integers(test);
        let quick = all.iter().copied().filter(is_quick);
        let neediest = quick.max_by(|&a, &b| need(a).total_cmp(&need(b)));
        let place = neediest.unwrap_or(all[0]);
        for pair in pairs {
            self.met.entry(pair).or_default()[place[0]][place[1]] += 1.0;
        }
        place
    }
}

/// Every two words of a test's name.
fn pairs(test: &str) -> Vec<[&str; 2]> {
    let words: Vec<_> = test.split("::").collect();
    let from = |at: usize| words[at + 1..].iter().map(|&other| [words[at], other]).collect();
    (0..words.len()).flat_map::<Vec<_>, _>(from).collect()
}

/// Whether one of other tests' two places is this one. For one test of four that is one on SwiftShader and the other on llvmpipe; for the
/// others, and [those](is_long_by_integers) that take its compiler longest, both on llvmpipe.
fn is_enough(test: &str, [adapter, form]: Place) -> bool {
    let sum = |sum: usize, byte: u8| sum.wrapping_mul(31).wrapping_add(usize::from(byte));
    let choice = test.bytes().fold(0, sum) % 8;
    let is_on_both = choice < 2 && !is_long_by_integers(test);
    if adapter == SWIFTSHADER {
        is_on_both && form == choice
    } else {
        !is_on_both || form != choice
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

/// So many tests with the same two words run with subgroups and without.
const ENOUGH_FOR_BOTH: usize = 6;

/// That what is left of these tests has each in as many places as it should, every two words with subgroups and without where there are
/// enough tests, and a good part in each place.
pub(crate) fn check(trials: &[Trial]) -> Trial {
    let names = names(trials);
    Trial::test("thinning::every_two_words_meet_with_subgroups_and_without", move || {
        let chosen = chosen(&names);
        let mut of_tests: HashMap<&str, [Vec<Place>; 2]> = HashMap::new();
        let mut at_places = [[0_usize; 2]; 2];
        let mut met: HashMap<[&str; 2], [[usize; 2]; 2]> = HashMap::new();
        for (name, is_chosen) in names.iter().zip(chosen) {
            let Some((test, place)) = of_software(name) else {
                ensure!(is_chosen || name.contains(GL), "{name} is left out");
                continue;
            };
            let [all, left] = of_tests.entry(test).or_default();
            all.push(place);
            left.extend(is_chosen.then_some(place));
            let [adapter, form] = place;
            at_places[adapter][form] += usize::from(is_chosen);
            for pair in pairs(test) {
                let [before, after] = met.entry(pair).or_default();
                before[form] += 1;
                after[form] += usize::from(is_chosen);
            }
        }
        let by_types = by_types(of_tests.keys().copied());
        for (test, [all, left]) in &of_tests {
            let forms: HashSet<_> = left.iter().map(|[_, form]| form).collect();
            let is_right = if is_spread(test, all, &by_types) {
                left.len() == 1
            } else if all.len() == 4 && differ(all) {
                left.len() == 2 && forms.len() == 2
            } else {
                left.len() == all.len()
            };
            ensure!(is_right, "{test}: of the places {all:?} {left:?} are left");
        }
        let is_one_sided = |[before, after]: &[[usize; 2]; 2]| {
            let is_enough = after.iter().sum::<usize>() >= ENOUGH_FOR_BOTH;
            is_enough && !before.contains(&0) && after.contains(&0)
        };
        let one_sided = met.iter().find(|(_, met)| is_one_sided(met));
        ensure!(one_sided.is_none(), "with and without subgroups {one_sided:?} are left");
        let has_all = at_places.iter().flatten().all(|&count| count > 0);
        let least = of_tests.len() / 10;
        let are_many = at_places.iter().flatten().all(|&count| count >= least);
        ensure!(!has_all || are_many, "of {} tests {at_places:?} are left", of_tests.len());
        Ok(())
    })
}
