//! Two candidates, run alternately, and whether one is faster beyond doubt.

use super::search::{Lap, Race};
use super::space::Candidate;
use crate::failure::Failure;
use crate::measure::Times;

/// What came of a duel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outcome {
    /// The median of the one that defends.
    pub(crate) default_us: Option<f64>,
    /// The median of the one that challenges.
    pub(crate) best_us: Option<f64>,
    /// Whether the challenger is faster beyond doubt, and by as much as matters.
    pub(crate) is_faster: bool,
}

/// Pairs of runs, if there is time for them.
const PAIRS: usize = 101;

/// Pairs of runs in any case of two that differ: the fewest that can decide.
const FEWEST_PAIRS: usize = 9;

/// A gain that is less is not worth leaving the default for.
const LEAST_GAIN: f64 = 1.01;

/// Runs both alternately, now one and now the other first. A tuning is as fast as itself.
///
/// The challenger is faster if the ratios of the pairs say so: their median is above [`LEAST_GAIN`]
/// with a probability of [`CONFIDENCE`] at least. That is the sign test's bound, which takes nothing
/// for granted of how times are spread.
pub(crate) fn fight(
    default: &Candidate,
    challenger: &Candidate,
    race: &mut impl Race,
) -> Result<Outcome, Failure> {
    let (mut defaults, mut challengers, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let fewest = if default.tuning == challenger.tuning { 1 } else { FEWEST_PAIRS };
    for pair in 0..PAIRS {
        if pair >= fewest && race.is_over() {
            break;
        }
        let (one, other) = if pair % 2 == 0 {
            let one = lap(default, race)?;
            (one, lap(challenger, race)?)
        } else {
            let other = lap(challenger, race)?;
            (lap(default, race)?, other)
        };
        defaults.extend(one);
        challengers.extend(other);
        ratios.extend(one.zip(other).map(|(one, other)| one / other));
    }
    if default.tuning == challenger.tuning {
        defaults.extend_from_slice(&challengers);
        challengers.clone_from(&defaults);
        ratios.clear();
    }
    let median_us = |times_ns| Times::of(times_ns).map(|times| times.median_us);
    Ok(Outcome {
        default_us: median_us(defaults),
        best_us: median_us(challengers),
        is_faster: lower_bound(ratios).is_some_and(|bound| bound > LEAST_GAIN),
    })
}

fn lap(candidate: &Candidate, race: &mut impl Race) -> Result<Option<f64>, Failure> {
    match race.run(candidate)? {
        Lap::Ran(time_ns) => Ok(time_ns),
        Lap::Cannot(why) => Err(Failure::Failed(format!("{}: {why}", candidate.tuning))),
    }
}

const CONFIDENCE: f64 = 0.995;

/// What the median that `ratios` are drawn from is not below, with the probability [`CONFIDENCE`].
/// None if there are too few to say.
///
/// If the median were below the k-th smallest of n, fewer than k of n coins would have shown heads.
fn lower_bound(mut ratios: Vec<f64>) -> Option<f64> {
    ratios.sort_by(f64::total_cmp);
    let count = i32::try_from(ratios.len()).ok()?;
    let mut probability = 0.5_f64.powi(count);
    let mut cumulated = 0.0;
    let mut rank = 0;
    for heads in 0..count {
        cumulated += probability;
        if cumulated > 1.0 - CONFIDENCE {
            break;
        }
        rank += 1;
        probability *= f64::from(count - heads) / f64::from(heads + 1);
    }
    ratios.get(usize::checked_sub(rank, 1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::{FEWEST_PAIRS, Outcome, PAIRS, fight, lower_bound};
    use crate::failure::Failure;
    use crate::tune::simulated::{Simulated, candidates};
    use crate::tune::space::Candidate;
    use wgpu_reduce::Tuning;

    /// The default, and one that takes as many invocations.
    fn pair() -> (Candidate, Candidate) {
        let (field, _) = candidates(1 << 22);
        let default = field[0].clone();
        let has_other_size =
            |other: &&Candidate| other.tuning.workgroup_size != default.tuning.workgroup_size;
        let other = field.iter().find(has_other_size).unwrap().clone();
        (default, other)
    }

    /// How many of 100 duels the challenger wins.
    fn wins(challenger_ns: fn(&Tuning) -> f64) -> usize {
        let (default, other) = pair();
        let is_won = |seed: &u64| {
            let race = Simulated::seeded(challenger_ns, *seed);
            let mut race = Simulated { noise: 0.03, drift_per_lap: 1e-3, ..race };
            fight(&default, &other, &mut race).unwrap().is_faster
        };
        (0..100).filter(is_won).count()
    }

    fn times(tuning: &Tuning, challenger_ns: f64) -> f64 {
        if tuning.workgroup_size == 256 { 10_000.0 } else { challenger_ns }
    }

    #[test]
    fn only_who_is_faster_wins() {
        assert_eq!(pair().0.tuning.workgroup_size, 256);
        assert_eq!(wins(|tuning| times(tuning, 9_500.0)), 100);
        assert!(wins(|tuning| times(tuning, 9_950.0)) <= 1);
        assert_eq!(wins(|tuning| times(tuning, 10_000.0)), 0);
        assert_eq!(wins(|tuning| times(tuning, 10_500.0)), 0);
    }

    #[test]
    fn nobody_beats_himself() {
        let (default, _) = pair();
        let mut race = Simulated { noise: 0.5, ..Simulated::new(|_| 10_000.0) };
        let Outcome { default_us, best_us, is_faster } =
            fight(&default, &default, &mut race).unwrap();
        assert!(default_us.is_some() && default_us == best_us && !is_faster);
        let mut race = Simulated { most_laps: 0, ..Simulated::new(|_| 10_000.0) };
        let outcome = fight(&default, &default, &mut race).unwrap();
        assert_eq!((outcome.best_us, race.laps), (Some(10.0), 2));
    }

    #[test]
    fn medians_are_given_and_the_time_is_kept_to() {
        let (default, other) = pair();
        for (most_laps, laps) in
            [(usize::MAX, 2 * PAIRS), (2 * PAIRS - 1, 2 * PAIRS), (40, 40), (0, 2 * FEWEST_PAIRS)]
        {
            let mut race =
                Simulated { most_laps, ..Simulated::new(|tuning| times(tuning, 5_000.0)) };
            let outcome = fight(&default, &other, &mut race).unwrap();
            let expected = Outcome { default_us: Some(10.0), best_us: Some(5.0), is_faster: true };
            assert_eq!((outcome, race.laps), (expected, laps));
        }
    }

    #[test]
    fn without_times_nobody_wins() {
        let (default, other) = pair();
        let mut race = Simulated { is_silent: true, ..Simulated::new(|_| 1.0) };
        let outcome = fight(&default, &other, &mut race).unwrap();
        assert_eq!(outcome, Outcome { default_us: None, best_us: None, is_faster: false });
    }

    #[test]
    fn who_cannot_run_ends_it() {
        let (default, other) = pair();
        let mut race = Simulated { cannot: |_| true, ..Simulated::new(|_| 1.0) };
        let outcome = fight(&default, &other, &mut race);
        assert!(matches!(outcome, Err(Failure::Failed(_))), "{outcome:?}");
    }

    /// By the tables of the sign test.
    #[test]
    fn the_bound_is_a_rank_of_the_sign_test() {
        let ranks = |count: u32| lower_bound((1..=count).map(f64::from).collect());
        assert_eq!([0, 1, 7].map(ranks), [None; 3]);
        // 2^-8 is the first below 0.005.
        assert_eq!([8, 9, 10].map(ranks), [Some(1.0); 3]);
        assert_eq!([20, 30, 41, 101].map(ranks), [Some(4.0), Some(8.0), Some(12.0), Some(38.0)]);
    }
}
