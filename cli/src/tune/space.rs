//! Which tunings are tried.

use wgpu_reduce::{AdapterClass, Combining, Plan, Tuning};

/// A tuning, and what it makes of the length at hand.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) tuning: Tuning,
    pub(crate) plan: Plan,
}

/// What the fields of a tuning may be.
struct Axes {
    workgroup_sizes: &'static [u32],
    /// Beside the default's number.
    workgroups: &'static [u32],
    /// Shares of the default's number.
    shares: &'static [Share],
    loads: &'static [u32],
    /// Quads of an invocation's share, as a multiple of the loads.
    tiles: &'static [u32],
}

/// So many of so many.
type Share = (u32, u32);

/// A GPU is kept loading by few large workgroups or by many small ones.
const GPU: Axes = Axes {
    workgroup_sizes: &[64, 128, 256, 512, 1024],
    workgroups: &[],
    // The default's number is a multiple of some GPU's processors, and so are most of these.
    shares: &[(1, 8), (1, 4), (1, 2), (1, 1), (2, 1), (4, 1), (8, 1)],
    loads: &[2, 4, 8],
    tiles: &[1, 2, 4, 16],
};

/// A CPU pays for every workgroup, and for every invocation at a barrier.
const CPU: Axes = Axes {
    workgroup_sizes: &[16, 32, 64, 128],
    workgroups: &[2, 4, 8, 16, 32, 64],
    shares: &[(1, 1)],
    loads: &[4],
    tiles: &[1, 4, 16],
};

const fn axes(class: AdapterClass) -> Axes {
    match class {
        AdapterClass::Cpu => CPU,
        _ => GPU,
    }
}

/// Tunings all over the space, `default` first and then those nearest to it. Not all fit every
/// device, and many come to the same.
pub(crate) fn grid(default: Tuning, class: AdapterClass) -> Vec<Tuning> {
    let Axes { workgroup_sizes, workgroups, shares, loads, tiles } = axes(class);
    let shares = shares.iter().map(|&share| scaled(default.max_workgroups, share));
    let workgroups: Vec<_> = shares.chain(workgroups.iter().copied()).collect();
    let mut tunings = vec![default];
    for &workgroup_size in workgroup_sizes {
        for &max_workgroups in &workgroups {
            for (&loads_in_flight, &tiles) in
                loads.iter().flat_map(|l| tiles.iter().map(move |t| (l, t)))
            {
                tunings.extend(Combining::ALL.map(|combining| Tuning {
                    workgroup_size,
                    max_workgroups,
                    loads_in_flight,
                    min_quads_per_invocation: loads_in_flight * tiles,
                    combining,
                    ..default
                }));
            }
        }
    }
    tunings.sort_by(|one, other| distance(one, &default).total_cmp(&distance(other, &default)));
    tunings
}

/// Tunings next to one, by a step smaller than those of [`grid`] where there is one.
pub(crate) fn neighbours(of: Tuning, class: AdapterClass) -> Vec<Tuning> {
    let largest = axes(class).workgroup_sizes.last().copied().unwrap_or(u32::MAX);
    let workgroup_sizes = [(1, 2), (2, 1)].map(|share| scaled(of.workgroup_size, share));
    let mut tunings: Vec<_> = workgroup_sizes
        .into_iter()
        .filter(|&size| size <= largest)
        .map(|workgroup_size| Tuning { workgroup_size, ..of })
        .collect();
    for share in [(3, 4), (3, 2)] {
        let max_workgroups = scaled(of.max_workgroups, share);
        let min_quads_per_invocation = scaled(of.min_quads_per_invocation, share);
        tunings.push(Tuning { max_workgroups, ..of });
        tunings.push(Tuning { min_quads_per_invocation, ..of });
    }
    tunings
}

fn scaled(number: u32, (of, by): Share) -> u32 {
    (number.saturating_mul(of) / by).max(1)
}

/// How far two tunings are apart: the doublings between their numbers.
fn distance(one: &Tuning, other: &Tuning) -> f64 {
    let doublings = |one: u32, other: u32| (f64::from(one) / f64::from(other)).log2().abs();
    doublings(one.workgroup_size, other.workgroup_size)
        + doublings(one.max_workgroups, other.max_workgroups)
        + doublings(one.min_quads_per_invocation, other.min_quads_per_invocation)
        + doublings(one.loads_in_flight, other.loads_in_flight)
        + if one.combining == other.combining { 0.0 } else { 1.0 }
}

/// Makes candidates, each with a plan of its own.
pub(crate) struct Planner<P> {
    plan: P,
    seen: Vec<Plan>,
}

impl<P: Fn(Tuning) -> wgpu_reduce::Result<Plan>> Planner<P> {
    pub(crate) fn new(plan: P) -> Self {
        Self { plan, seen: Vec::new() }
    }

    /// The candidates of `tunings` that the device can run and that do not do the same as one before.
    pub(crate) fn candidates(&mut self, tunings: Vec<Tuning>) -> Vec<Candidate> {
        tunings.into_iter().filter_map(|tuning| self.candidate(tuning)).collect()
    }

    fn candidate(&mut self, tuning: Tuning) -> Option<Candidate> {
        let plan = (self.plan)(tuning).ok()?;
        let does_the_same = |seen: &Plan| seen.passes() == plan.passes();
        if self.seen.iter().any(does_the_same) {
            return None;
        }
        self.seen.push(plan.clone());
        Some(Candidate { tuning, plan })
    }
}

#[cfg(test)]
mod tests {
    use super::{Candidate, grid, neighbours};
    use crate::tune::simulated::{candidates_on, caps, default_on};
    use wgpu_reduce::{AdapterClass, Tuning};

    #[test]
    fn the_default_is_the_first() {
        for (class, len) in [
            (AdapterClass::Gpu, 1 << 10),
            (AdapterClass::Gpu, 1 << 14),
            (AdapterClass::Gpu, 1 << 28),
            (AdapterClass::Cpu, 1 << 20),
        ] {
            let caps = caps(class);
            let default = default_on(&caps, len);
            assert_eq!(grid(default, class)[0], default);
            assert_eq!(candidates_on(caps, len).0[0].tuning, default, "{class:?} {len}");
        }
    }

    #[test]
    fn no_two_candidates_do_the_same() {
        let caps = caps(AdapterClass::Gpu);
        for (len, least, most) in [(1, 15, 15), (1 << 10, 10, 60), (1 << 22, 60, 400)] {
            let (field, neighbours) = candidates_on(caps, len);
            let (first, mut all) = (field[0].clone(), field);
            assert!((least..=most).contains(&all.len()), "{} for {len}", all.len());
            all.extend(neighbours(&first));
            for (index, one) in all.iter().enumerate() {
                let does_the_same = |other: &Candidate| {
                    let constants = |of: &Candidate| {
                        let Tuning { workgroup_size, loads_in_flight, combining, .. } = of.tuning;
                        (workgroup_size, loads_in_flight, combining)
                    };
                    other.plan.passes() == one.plan.passes() && constants(other) == constants(one)
                };
                assert!(!all[..index].iter().any(does_the_same), "{} for {len}", one.tuning);
            }
        }
    }

    #[test]
    fn a_cpu_gets_few_and_small_workgroups() {
        let caps = caps(AdapterClass::Cpu);
        let tunings = grid(default_on(&caps, 1 << 20), caps.class);
        let around = tunings.iter().flat_map(|&tuning| neighbours(tuning, caps.class));
        for tuning in tunings.iter().copied().chain(around) {
            assert!(tuning.workgroup_size <= 128, "{tuning}");
            assert!(tuning.max_workgroups <= 96, "{tuning}");
        }
    }

    #[test]
    fn neighbours_differ_by_one_step() {
        let of = default_on(&caps(AdapterClass::Gpu), 1 << 20);
        let neighbours = neighbours(of, AdapterClass::Gpu);
        assert_eq!(neighbours.len(), 6);
        for tuning in neighbours {
            let changed = [
                tuning.workgroup_size != of.workgroup_size,
                tuning.max_workgroups != of.max_workgroups,
                tuning.min_quads_per_invocation != of.min_quads_per_invocation,
            ];
            assert_eq!(changed.iter().filter(|changed| **changed).count(), 1, "{tuning}");
        }
    }
}
