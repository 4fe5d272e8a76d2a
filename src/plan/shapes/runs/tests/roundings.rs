//! The bound of roundings, against the order of additions of `f32` in `by_key/fold.wgsl` and `by_key/join.wgsl`, played
//! through. Where runs are found first and folded as segments, the bound is that of segments.

use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::{Caps, SubgroupSizes};
use crate::plan::cut::part::Part;
use crate::plan::planned::Plan;
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::{KeysParameters, PlannedPass};
use crate::plan::shapes::axis::tests::roundings::{Depth, combine};
use crate::plan::shapes::runs::follow::{constant, shader};
use crate::plan::shapes::runs::{ByKeyShader, KeyPart};
use crate::plan::shapes::segments::tests::roundings::{Stretch, join, scan_before};

fn size(pass: &PlannedPass, name: &str) -> usize {
    usize::try_from(constant(pass, name)).unwrap()
}

fn subgroup_size(pass: &PlannedPass) -> Option<usize> {
    let has_one = pass.constants.iter().any(|(name, _)| *name == "MAX_SUBGROUP_SIZE");
    has_one.then(|| size(pass, "MAX_SUBGROUP_SIZE"))
}

/// What a workgroup leaves: what stands before its first head, its carry, and whether it has a head.
type Share = (Depth, Depth, bool);

/// One workgroup's share of the values, of which those are heads.
fn share(fold: &PlannedPass, heads: &[bool], most: &mut u64) -> Share {
    const RUN: usize = 16;
    let (lanes, subgroup_size) = (size(fold, "WORKGROUP_SIZE"), subgroup_size(fold));
    let (mut carry, mut first, mut has_head): (Depth, Depth, bool) = (None, None, false);
    for tile in heads.chunks(RUN * lanes) {
        let mut rows: Vec<(Stretch, Depth)> = Vec::new();
        for row in tile.chunks(RUN) {
            let (mut open, mut has_one, mut closed_first): (Depth, bool, Depth) =
                (None, false, None);
            for &is_head in row {
                if is_head {
                    if has_one {
                        *most = open.unwrap_or(0).max(*most);
                    } else {
                        closed_first = open;
                    }
                    (open, has_one) = (None, true);
                }
                open = combine(open, Some(0));
            }
            rows.push(((open, has_one), closed_first));
        }
        rows.resize(lanes, ((None, false), None));
        let stretches: Vec<_> = rows.iter().map(|row| row.0).collect();
        let scanned = scan_before(&stretches, subgroup_size);
        let before: Vec<_> = scanned.iter().map(|&lane| join((carry, false), lane)).collect();
        for (&(stretch, closed), &before) in rows.iter().zip(&before) {
            if stretch.1 {
                let total = combine(before.0, closed);
                if has_head || before.1 {
                    *most = total.unwrap_or(0).max(*most);
                } else {
                    first = total;
                }
            }
        }
        let after = join(before[lanes - 1], stretches[lanes - 1]);
        carry = after.0;
        has_head |= after.1;
    }
    (first, carry, has_head)
}

/// Most roundings behind any result, of runs of so many values.
fn played_through(plan: &Plan, lengths: &[usize]) -> u64 {
    let passes = &plan.recording.passes;
    let [fold, join_pass, ..] = &passes[..] else { panic!("{plan}") };
    let heads: Vec<bool> =
        lengths.iter().flat_map(|&len| (0..len).map(|place| place == 0)).collect();
    let told: KeysParameters = fold.dispatches[0].told();
    let of_share = told.tiles_per_share as usize * 16 * size(fold, "WORKGROUP_SIZE");
    let mut most = 0;
    let shares: Vec<_> =
        heads.chunks(of_share).map(|heads| share(fold, heads, &mut most)).collect();
    let lanes = size(join_pass, "WORKGROUP_SIZE");
    let runs: Vec<_> = shares.chunks(shares.len().div_ceil(lanes)).collect();
    let of_run = |run: &&[Share]| {
        run.iter().fold((None, false), |mine, &(_, open, has_head)| join(mine, (open, has_head)))
    };
    let mut stretches: Vec<_> = runs.iter().map(of_run).collect();
    stretches.resize(lanes, (None, false));
    let scanned = scan_before(&stretches, subgroup_size(join_pass));
    for (mut before, run) in scanned.into_iter().zip(runs) {
        for &(first, open, has_head) in run {
            if has_head {
                most = combine(before.0, first).unwrap_or(0).max(most);
            }
            before = join(before, (open, has_head));
        }
        most = before.0.unwrap_or(0).max(most);
    }
    most
}

#[test]
fn no_value_passes_through_more_roundings_than_the_plan_says() {
    let mut tightest = u64::MAX;
    let ample = Caps::baseline();
    let small = Caps { max_workgroup_size: 8, ..ample };
    let subgroups = Caps { subgroups: Some(SubgroupSizes { min: 8, max: 8 }), ..ample };
    for caps in [ample, small, subgroups] {
        for lengths in [
            vec![1],
            vec![100_000],
            vec![1; 5000],
            (0..3000).map(|number| 1 + number * 7 % 31).collect(),
            vec![40_000, 1, 60_000, 17, 1000],
            vec![15; 9000],
        ] {
            let len = lengths.iter().sum::<usize>() as u64;
            let place = Part { offset_bytes: 4, len };
            let plan = Problem::by(OpRecord::ALL[0], ElementKind::F32, len)
                .shaped(Shape::Runs(KeyPart { place, bytes: 4, are_floats: false }))
                .left(Some([0; 3]), false)
                .plan(&caps)
                .unwrap();
            let shader = shader(&plan.recording.passes[0]);
            assert!(matches!(shader, Some(ByKeyShader::Fold(_))), "{plan}");
            let real = played_through(&plan, &lengths);
            let roundings = plan.accuracy_of(len).roundings;
            assert!(real <= roundings, "{real} roundings of {roundings} in {plan}");
            tightest = tightest.min(roundings - real);
        }
    }
    // The bound is that of the worst run, and adds up what seldom meets in one.
    assert!(tightest <= 16, "{tightest}");
}
