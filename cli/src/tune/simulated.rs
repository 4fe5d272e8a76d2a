//! Candidates without a device, and races whose times are made up.

use super::search::{Lap, Race};
use super::space::{Candidate, Planner, grid, neighbours};
use crate::failure::Failure;
use crate::sample::Generator;
use rand::{RngExt as _, SeedableRng as _};
use wgpu_reduce::{AdapterClass, Caps, ElementKind, OpRecord, Plan, Problem, Tuning};

/// A device of a class that can do all there is.
pub(crate) fn caps(class: AdapterClass) -> Caps {
    let mut caps = Caps::baseline();
    (caps.class, caps.waits_for_others, caps.max_workgroup_size) = (class, true, 1024);
    (caps.max_binding_bytes, caps.max_buffer_bytes) = (1 << 31, 1 << 32);
    caps
}

pub(crate) fn default_on(caps: &Caps, len: u64) -> Tuning {
    Tuning::for_len(caps, ElementKind::F32, len)
}

pub(crate) fn default_tuning(len: u64) -> Tuning {
    default_on(&caps(AdapterClass::Gpu), len)
}

/// Candidates of the grid for a length on a GPU, and what finds the neighbours of one of them.
pub(crate) fn candidates(len: u64) -> (Vec<Candidate>, impl FnOnce(&Candidate) -> Vec<Candidate>) {
    candidates_on(caps(AdapterClass::Gpu), len)
}

pub(crate) fn candidates_on(
    caps: Caps,
    len: u64,
) -> (Vec<Candidate>, impl FnOnce(&Candidate) -> Vec<Candidate>) {
    let mut planner = Planner::new(move |tuning| plan(caps, len, tuning));
    let field = planner.candidates(grid(default_on(&caps, len), caps.class));
    (field, move |of: &Candidate| planner.candidates(neighbours(of.tuning, caps.class)))
}

fn plan(caps: Caps, len: u64, tuning: Tuning) -> wgpu_reduce::Result<Plan> {
    Problem::by(OpRecord::ALL[0], ElementKind::F32, len).tuned(tuning).plan(&caps)
}

/// Laps that take what they are told to.
pub(crate) struct Simulated {
    pub(crate) time_ns: fn(&Tuning) -> f64,
    pub(crate) cannot: fn(&Tuning) -> bool,
    /// How far a time is off at most, as a share of it; it is more likely slower than faster.
    pub(crate) noise: f64,
    /// The share of the time by which each lap is slower than the one before.
    pub(crate) drift_per_lap: f64,
    /// Whether the timer never answers.
    pub(crate) is_silent: bool,
    pub(crate) most_laps: usize,
    pub(crate) fails_at: usize,
    pub(crate) laps: usize,
    pub(crate) generator: Generator,
}

impl Simulated {
    /// Without noise, drift or end.
    pub(crate) fn new(time_ns: fn(&Tuning) -> f64) -> Self {
        Self::seeded(time_ns, 0)
    }

    pub(crate) fn seeded(time_ns: fn(&Tuning) -> f64, seed: u64) -> Self {
        Self {
            time_ns,
            cannot: |_| false,
            noise: 0.0,
            drift_per_lap: 0.0,
            is_silent: false,
            most_laps: usize::MAX,
            fails_at: usize::MAX,
            laps: 0,
            generator: Generator::seed_from_u64(seed),
        }
    }
}

impl Race for Simulated {
    fn run(&mut self, candidate: &Candidate) -> Result<Lap, Failure> {
        self.laps += 1;
        if self.laps >= self.fails_at {
            return Err(Failure::Failed("it fell".into()));
        }
        if (self.cannot)(&candidate.tuning) {
            return Ok(Lap::Cannot("it has no legs".into()));
        }
        let random: f64 = self.generator.random();
        let slower = 1.0 + self.noise * (2.0 * random.powi(2) - 0.5);
        #[expect(clippy::cast_precision_loss, reason = "few laps")]
        let drifted = 1.0 + self.drift_per_lap * self.laps as f64;
        let time_ns = (self.time_ns)(&candidate.tuning) * slower * drifted;
        Ok(Lap::Ran((!self.is_silent).then_some(time_ns)))
    }

    fn is_over(&self) -> bool {
        self.laps >= self.most_laps
    }
}
