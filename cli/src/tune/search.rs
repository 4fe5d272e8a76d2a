//! The search among many candidates: each gets a few runs in turn, the slower half goes, and those
//! that stay get more, until one is left (successive halving; Jamieson and Talwalkar, *Non-stochastic
//! Best Arm Identification and Hyperparameter Optimization*, 2016). The last few are joined by their
//! neighbours before the end.

use super::space::Candidate;
use crate::failure::Failure;
use crate::measure::Times;

/// What came of one run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lap {
    /// Nanoseconds; none where the timer did not answer.
    Ran(Option<f64>),
    /// The device does not run this candidate.
    Cannot(String),
}

/// How candidates are run, and until when.
pub(crate) trait Race {
    /// Runs a candidate and checks its answer.
    fn run(&mut self, candidate: &Candidate) -> Result<Lap, Failure>;

    /// Whether it is time to come to an end.
    fn is_over(&self) -> bool;
}

/// Turns of the first round; each later one has twice as many as the one before.
const FIRST_TURNS: u32 = 5;

/// More would change nothing.
const MOST_TURNS: u32 = 40;

/// So many are left when their neighbours join them.
const FINALISTS: usize = 3;

/// The fastest that was found: of `field`, and of the neighbours of the best of it. None if nothing
/// could be timed.
///
/// All candidates run in turn, so that a clock that drifts slows all of them alike. Of those that are
/// equally fast it is the earliest in `field`.
pub(crate) fn winner(
    field: Vec<Candidate>,
    neighbours: impl FnOnce(&Candidate) -> Vec<Candidate>,
    race: &mut impl Race,
) -> Result<Option<Candidate>, Failure> {
    let mut finalists = halve(enter(field, race)?, FINALISTS, race)?;
    let Some(leader) = finalists.first().filter(|_| !race.is_over()) else {
        return Ok(fastest(finalists));
    };
    let newcomers = enter(neighbours(&leader.candidate), race)?;
    // Those that have just come must not be judged by fewer runs than the others.
    for entrant in &mut finalists {
        entrant.earlier_ns.append(&mut entrant.times_ns);
    }
    finalists.extend(newcomers);
    Ok(fastest(halve(finalists, 1, race)?))
}

/// The first that has a time.
fn fastest(ranking: Vec<Entrant>) -> Option<Candidate> {
    ranking.into_iter().find(Entrant::is_timed).map(|entrant| entrant.candidate)
}

/// A candidate and its times.
#[derive(Debug)]
struct Entrant {
    candidate: Candidate,
    times_ns: Vec<f64>,
    /// Times of runs that count only if there are no others.
    earlier_ns: Vec<f64>,
}

impl Entrant {
    fn median_us(&self) -> f64 {
        let of = |times_ns: &[f64]| Times::of(times_ns.to_vec()).map(|times| times.median_us);
        of(&self.times_ns).or_else(|| of(&self.earlier_ns)).unwrap_or(f64::INFINITY)
    }

    fn is_timed(&self) -> bool {
        self.median_us().is_finite()
    }
}

/// Runs each candidate once, to compile what it needs; as many of them as there is time for.
fn enter(field: Vec<Candidate>, race: &mut impl Race) -> Result<Vec<Entrant>, Failure> {
    let mut entrants = Vec::new();
    for candidate in field {
        if race.is_over() && !entrants.is_empty() {
            break;
        }
        match race.run(&candidate)? {
            Lap::Ran(_) => {
                let (times_ns, earlier_ns) = (Vec::new(), Vec::new());
                entrants.push(Entrant { candidate, times_ns, earlier_ns });
            }
            Lap::Cannot(why) => log::warn!("{} is left out: {why}", candidate.tuning),
        }
    }
    Ok(entrants)
}

/// Rounds until so many are left, or the time is over; the fastest comes first.
fn halve(
    mut entrants: Vec<Entrant>,
    down_to: usize,
    race: &mut impl Race,
) -> Result<Vec<Entrant>, Failure> {
    let mut turns = FIRST_TURNS;
    while entrants.len() > down_to && !race.is_over() {
        for turn in 0..turns {
            take_turn(&mut entrants, turn, race)?;
        }
        // Stable: the earlier of two that are equally fast stays ahead.
        entrants.sort_by(|one, other| one.median_us().total_cmp(&other.median_us()));
        entrants.truncate(entrants.len().div_ceil(2).max(down_to));
        turns = (2 * turns).min(MOST_TURNS);
    }
    Ok(entrants)
}

/// Runs each once, every other turn in the opposite order.
fn take_turn(entrants: &mut [Entrant], turn: u32, race: &mut impl Race) -> Result<(), Failure> {
    for place in 0..entrants.len() {
        let place = if turn.is_multiple_of(2) { place } else { entrants.len() - 1 - place };
        let Some(entrant) = entrants.get_mut(place).filter(|_| !race.is_over()) else { break };
        if let Lap::Ran(Some(time_ns)) = race.run(&entrant.candidate)? {
            entrant.times_ns.push(time_ns);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::winner;
    use crate::failure::Failure;
    use crate::tune::simulated::{Simulated, candidates, default_tuning};
    use crate::tune::space::Candidate;
    use wgpu_reduce::{Combining, Tuning};

    fn tuning(found: Result<Option<Candidate>, Failure>) -> Option<Tuning> {
        found.unwrap().map(|candidate| candidate.tuning)
    }

    /// Fastest with 128 invocations and 400 workgroups, which is no tuning of the grid.
    fn slope(tuning: &Tuning) -> f64 {
        let doublings = |of: u32, from: f64| (f64::from(of) / from).log2().powi(2);
        let off = doublings(tuning.workgroup_size, 128.0) + doublings(tuning.max_workgroups, 400.0);
        20_000.0 * (1.0 + 0.1 * off + if tuning.combining == Combining::Passes { 0.2 } else { 0.0 })
    }

    /// What `winner` finds among the grid and the neighbours of the best of it.
    fn search(race: &mut Simulated) -> Option<Tuning> {
        let (field, neighbours) = candidates(1 << 22);
        tuning(winner(field, neighbours, race))
    }

    #[test]
    fn the_fastest_is_found_and_its_neighbours_are_looked_at() {
        let found = search(&mut Simulated::new(slope)).unwrap();
        // The nearest of the grid are 256 and 528.
        assert_eq!(found.workgroup_size, 128, "{found}");
        assert!((350..450).contains(&found.max_workgroups), "{found}");
        assert_ne!(found.combining, Combining::Passes, "{found}");
    }

    #[test]
    fn noise_and_a_drifting_clock_cost_little() {
        let mut worst: f64 = 0.0;
        for seed in 0..40 {
            let mut race =
                Simulated { noise: 0.03, drift_per_lap: 1e-3, ..Simulated::seeded(slope, seed) };
            let found = search(&mut race).unwrap();
            worst = worst.max(slope(&found) / 20_000.0);
        }
        assert!(worst < 1.03, "{worst}");
    }

    #[test]
    fn of_equals_it_is_the_default() {
        let found = search(&mut Simulated::new(|_| 5_000.0));
        assert_eq!(found, Some(default_tuning(1 << 22)));
    }

    #[test]
    fn what_cannot_run_is_left_out() {
        let mut race =
            Simulated { cannot: |tuning| tuning.workgroup_size < 256, ..Simulated::new(slope) };
        assert_eq!(search(&mut race).unwrap().workgroup_size, 256);
        let mut race = Simulated { cannot: |_| true, ..Simulated::new(slope) };
        assert_eq!(search(&mut race), None);
    }

    #[test]
    fn without_times_nothing_is_found() {
        assert_eq!(search(&mut Simulated { is_silent: true, ..Simulated::new(slope) }), None);
    }

    #[test]
    fn the_end_of_the_time_is_kept_to() {
        let (field, _) = candidates(1 << 22);
        for most_laps in 0..2 * field.len() + 100 {
            let mut race = Simulated { most_laps, ..Simulated::new(slope) };
            let found = search(&mut race);
            assert!(race.laps <= most_laps.max(1), "{} of {most_laps}", race.laps);
            // Once each has run in earnest, something is known.
            assert_eq!(found.is_some(), most_laps > field.len().min(most_laps), "{most_laps}");
        }
    }

    #[test]
    fn a_failure_ends_it() {
        let (field, neighbours) = candidates(1 << 22);
        let mut race = Simulated { fails_at: 100, ..Simulated::new(slope) };
        let outcome = winner(field, neighbours, &mut race);
        assert!(matches!(outcome, Err(Failure::Failed(_))), "{outcome:?}");
        assert_eq!(race.laps, 100);
    }
}
