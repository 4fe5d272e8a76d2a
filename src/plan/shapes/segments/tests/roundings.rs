//! The bound of roundings, against the order of additions of `f32` in `segments/`, played through.
//!
//! A value is represented by the roundings behind it; the identity has none and adds none.

use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::{Caps, SubgroupSizes};
use crate::plan::cut::part::Part;
use crate::plan::planned::Plan;
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::{PlannedPass, SegmentsParameters, SplitParameters};
use crate::plan::shapes::axis::tests::roundings::{Depth, QUAD, combine};
use crate::plan::shapes::segments::{Closing, SegmentsTuning};

/// A value, and whether something has been cut off before it: `segments/stretch.wgsl`.
pub(crate) type Stretch = (Depth, bool);

pub(crate) fn join(first: Stretch, second: Stretch) -> Stretch {
    if second.1 { second } else { (combine(first.0, second.0), first.1) }
}

/// What stands before each of them, by workgroup memory or by subgroups of a size: `segments/scan_*.wgsl`.
pub(crate) fn scan_before(mine: &[Stretch], subgroup_size: Option<usize>) -> Vec<Stretch> {
    let size = subgroup_size.unwrap_or(mine.len());
    let mut before: Vec<Stretch> = Vec::new();
    let mut totals: Vec<Stretch> = Vec::new();
    for of_subgroup in mine.chunks(size) {
        let mut until = of_subgroup.to_vec();
        let mut distance = 1;
        while distance < until.len() {
            let earlier = until.clone();
            for lane in distance..until.len() {
                until[lane] = join(earlier[lane - distance], until[lane]);
            }
            distance *= 2;
        }
        let of_others = totals.iter().fold((None, false), |all, &total| join(all, total));
        before.push(of_others);
        let last = until.len() - 1;
        before.extend(until[..last].iter().map(|&lane| join(of_others, lane)));
        totals.push(until[last]);
    }
    before
}

/// `combine_workgroup`: a tree, or one of each subgroup's and one of theirs.
fn combine_workgroup(values: &[Depth]) -> Depth {
    let steps = u64::from(values.len().next_power_of_two().ilog2());
    let most = values.iter().copied().flatten().max();
    // At most one rounding for each step of either tree, of as many values as there are.
    let others = values.iter().flatten().count().saturating_sub(1) as u64;
    most.map(|most| most + steps.min(others))
}

/// Elements from one number to another, and the segments that end there.
#[derive(Debug, Clone, Copy)]
struct Tile {
    elements: [u32; 2],
    segments: [u32; 2],
}

/// One window as its dispatches see it.
struct Window<'a> {
    offsets: &'a [u32],
    split: SplitParameters,
    fold: SegmentsParameters,
    size: usize,
    quads: u32,
    subgroup_size: Option<usize>,
}

impl Window<'_> {
    fn end_of(&self, segment: u32) -> u32 {
        self.offsets[segment as usize + 1]
    }

    fn ends_until(&self, element: u32) -> u32 {
        u32::try_from(self.offsets[1..].partition_point(|&end| end <= element)).unwrap()
    }

    /// `segments/split.wgsl`.
    fn tiles(&self) -> Vec<Tile> {
        let SplitParameters { window_first, window_end, len, tile, base, per_quad, .. } =
            self.split;
        let segments = self.split.most_segments;
        let clamped = |element: u32| element.clamp(window_first, window_end);
        let first = clamped(self.offsets[0]);
        let elements = clamped(self.offsets[segments as usize]) - first;
        let first_segment = if window_first > 0 { self.ends_until(window_first) } else { 0 };
        let end_segment = if window_end < len { self.ends_until(window_end) } else { segments };
        let ends = end_segment - first_segment;
        let split_at = |before: u32| {
            // An end comes before the element with its own number.
            let is_before = |at: &u32| self.end_of(first_segment + at) - first + at < before;
            let low = (0..ends).take_while(is_before).count();
            let low = u32::try_from(low).unwrap();
            let (mut element, mut segment) = (first + before - low, first_segment + low);
            if before > 0 && low < ends && self.end_of(segment) == element {
                segment += 1;
            }
            if before > 0 && before < elements + ends {
                let of_quad = element.wrapping_sub(base) % per_quad;
                let start = self.offsets[segment as usize].max(first);
                if element > start && element - start >= of_quad {
                    element -= of_quad;
                }
            }
            [element, segment]
        };
        let total = elements + ends;
        let splits: Vec<_> =
            (0..=total.div_ceil(tile)).map(|number| split_at((number * tile).min(total))).collect();
        let between = |ends: &[[u32; 2]]| Tile {
            elements: [ends[0][0], ends[1][0]],
            segments: [ends[0][1], ends[1][1]],
        };
        splits.windows(2).map(between).collect()
    }

    /// `fold_whole`: what each lane has of a tile in which no segment ends.
    fn fold_whole(&self, tile: Tile) -> Vec<Depth> {
        let base = self.fold.base_low;
        let [first, end] = tile.elements.map(|element| element.wrapping_sub(base));
        let mut lanes = vec![None; self.size];
        let first_quad = first / 4;
        let quad_of = |quad: u32| (quad - first_quad) as usize % self.size;
        for quad in first.div_ceil(4)..end / 4 {
            let lane = &mut lanes[quad_of(quad)];
            *lane = combine(*lane, QUAD);
        }
        let (whole_first, whole_end) = (first.div_ceil(4) * 4, (end / 4 * 4).max(first));
        let heads = first..whole_first.min(end);
        let tails = whole_end.max(heads.end)..end;
        for (at, side) in heads.map(|at| (at, 0)).chain(tails.map(|at| (at, 4))) {
            let lane = &mut lanes[(at % 4 + side) as usize % self.size];
            *lane = combine(*lane, Some(0));
        }
        lanes
    }

    /// `fold_run` of each lane: what it has behind its last mark, and what it closes, by the last element.
    fn fold_runs(&self, tile: Tile, closed: &mut Vec<(usize, u32, Depth)>) -> Vec<Stretch> {
        let base = self.fold.base_low;
        let [first, end] = tile.elements.map(|element| element.wrapping_sub(base));
        let lasts: Vec<_> = (tile.segments[0]..tile.segments[1])
            .filter(|&segment| self.offsets[segment as usize] < self.end_of(segment))
            .map(|segment| ((self.end_of(segment) - 1).wrapping_sub(base), segment))
            .filter(|last| (first..end).contains(&last.0))
            .collect();
        let run = 4 * self.quads;
        let of_lane = |lane: u32| {
            let start = first / 4 * 4 + run * lane;
            let (mut open, mut has_mark) = (None, false);
            for at in start.max(first)..(start + run).min(end) {
                open = combine(open, Some(0));
                if let Ok(found) = lasts.binary_search_by_key(&at, |last| last.0) {
                    closed.push((lane as usize, lasts[found].1, open));
                    (open, has_mark) = (None, true);
                }
            }
            (open, has_mark)
        };
        (0..u32::try_from(self.size).unwrap()).map(of_lane).collect()
    }

    /// `reduce` of one workgroup: what it leaves of segments, what its share closes first, and its carry.
    fn share(&self, tiles: &[Tile], is_alone: bool, results: &mut [Depth]) -> (Depth, Depth, bool) {
        let (mut carry, mut has_closed, mut first_closed) = (None, is_alone, None);
        let mut open: Vec<Depth> = vec![None; self.size];
        for &tile in tiles {
            if tile.segments[0] == tile.segments[1] {
                let of_tile = self.fold_whole(tile);
                open = open.into_iter().zip(of_tile).map(|(a, b)| combine(a, b)).collect();
                continue;
            }
            carry = combine(carry, combine_workgroup(&open));
            open.fill(None);
            let mut closed = Vec::new();
            let mine = self.fold_runs(tile, &mut closed);
            let scanned = scan_before(&mine, self.subgroup_size);
            let before: Vec<_> = scanned.iter().map(|&lane| join((carry, false), lane)).collect();
            let mut last_lane = None;
            for (lane, segment, depth) in closed {
                let is_lanes_first = last_lane != Some(lane);
                last_lane = Some(lane);
                let total = if is_lanes_first { combine(before[lane].0, depth) } else { depth };
                if is_lanes_first && !before[lane].1 && !has_closed {
                    first_closed = Some((segment, total));
                } else {
                    results[segment as usize] = total;
                }
            }
            let last = self.size - 1;
            let after = join(before[last], mine[last]);
            (carry, has_closed) = (after.0, has_closed || after.1);
        }
        carry = combine(carry, combine_workgroup(&open));
        if let Some((segment, total)) = first_closed {
            results[segment as usize] = total;
        }
        (carry, first_closed.and_then(|(_, total)| total), has_closed)
    }
}

/// `segments/close.wgsl`: the most behind what it leaves.
fn close(shares: &[(Depth, Depth, bool)], size: usize, subgroup_size: Option<usize>) -> u64 {
    let run = shares.len().div_ceil(size);
    let mut runs: Vec<_> = shares.chunks(run).collect();
    runs.resize(size, &[]);
    let stretches: Vec<_> = runs
        .iter()
        .map(|run| run.iter().fold((None, false), |mine, share| join(mine, (share.0, share.2))))
        .collect();
    let mut most = 0;
    for (mut before, run) in scan_before(&stretches, subgroup_size).into_iter().zip(runs) {
        for &(open, closed, has_closed) in run {
            if has_closed {
                most = most.max(combine(before.0, closed).unwrap_or(0));
            }
            before = join(before, (open, has_closed));
        }
    }
    most
}

/// `segments/closed_ahead.wgsl`: the most behind what shares leave of what they have begun.
fn look_ahead(shares: &[(Depth, Depth, bool)], size: usize) -> u64 {
    let published = |&(open, closed, has_closed): &(Depth, Depth, bool)| {
        if has_closed { closed } else { open }
    };
    let left = shares.iter().enumerate().filter(|(number, share)| *number == 0 || share.2);
    let left = left.map(|(number, &(open, ..))| {
        let behind = shares.get(number + 1..).unwrap_or_default();
        let closing = behind.iter().position(|share| share.2).map_or(behind.len(), |at| at + 1);
        let asked: Vec<_> = behind[..closing].iter().map(published).collect();
        let Some((&next, far)) = asked.split_first() else { return open };
        let (once, often) = far.split_at(size.min(far.len()));
        let mut total = None;
        for (window, each) in
            std::iter::once((once, 1)).chain(often.chunks(8 * size).map(|window| (window, 8)))
        {
            let fold = |run: &[Depth]| run.iter().fold(None, |all, &part| combine(all, part));
            let lanes: Vec<_> = window.chunks(each).map(fold).collect();
            total = combine(total, if lanes.is_empty() { None } else { combine_workgroup(&lanes) });
        }
        combine(open, combine(next, total))
    });
    left.flatten().max().unwrap_or(0)
}

fn constant(pass: &PlannedPass, name: &str) -> Option<usize> {
    pass.constants.iter().find(|(other, _)| *other == name).map(|(_, value)| *value as usize)
}

/// Most roundings behind any result of a plan, of these offsets.
fn played_through(plan: &Plan, offsets: &[u32]) -> u64 {
    let [split, fold, rest @ ..] = &plan.recording.passes[..] else { panic!("{plan}") };
    let mut results = vec![None; offsets.len() - 1];
    let mut shares = Vec::new();
    let looks_ahead =
        plan.passes().len() == 2 && plan.tuning.segments().unwrap().closing == Closing::LookAhead;
    for (split, of_fold) in split.dispatches.iter().zip(&fold.dispatches) {
        let told: SegmentsParameters = of_fold.told();
        let window = Window {
            offsets,
            split: split.told(),
            fold: told,
            size: constant(fold, "WORKGROUP_SIZE").unwrap(),
            quads: plan.tuning.segments().unwrap().quads,
            subgroup_size: constant(fold, "MAX_SUBGROUP_SIZE"),
        };
        let tiles = window.tiles();
        let workgroups = told.workgroups as usize;
        let (each, more) = (tiles.len() / workgroups, tiles.len() % workgroups);
        let mut first = 0;
        for workgroup in 0..workgroups {
            let end = first + each + usize::from(workgroup < more);
            let is_alone = told.shares == 1;
            let begins_alone = is_alone || (looks_ahead && shares.is_empty());
            shares.push(window.share(&tiles[first..end], begins_alone, &mut results));
            first = end;
        }
    }
    let of_fold = results.into_iter().flatten().max().unwrap_or(0);
    let of_rest = rest.iter().map(|pass| {
        let size = constant(pass, "WORKGROUP_SIZE").unwrap();
        close(&shares, size, constant(pass, "MAX_SUBGROUP_SIZE"))
    });
    let size = constant(fold, "WORKGROUP_SIZE").unwrap();
    let of_ahead = if looks_ahead { look_ahead(&shares, size) } else { 0 };
    of_rest.max().unwrap_or(0).max(of_fold).max(of_ahead)
}

/// Segments of many lengths, and empty ones, among so many elements.
fn cases(len: u32) -> Vec<Vec<u32>> {
    let of = |lengths: &dyn Fn(u32) -> u32| {
        let mut offsets = vec![u32::from(len > 1)];
        while let Some(&last) = offsets.last().filter(|&&last| last < len) {
            offsets.push(len.min(last + lengths(u32::try_from(offsets.len()).unwrap())));
        }
        offsets
    };
    vec![
        vec![0, len],
        of(&|_| 1),
        of(&|number| number * 7 % 5),
        of(&|_| 32),
        of(&|number| if number.is_multiple_of(50) { 700 } else { number % 3 }),
        of(&|number| 90 + number % 1000),
        vec![0, 0, 3, len / 2, len / 2, len],
    ]
}

/// As one part, where workgroups may look ahead, or two.
fn parts(len: u64, is_one: bool) -> Vec<Part> {
    let (first, second) = if is_one { (len, 0) } else { (len / 3, len - len / 3) };
    let parts = [Part { offset_bytes: 4, len: first }, Part { offset_bytes: 8, len: second }];
    parts.into_iter().filter(|part| !is_one || part.len > 0).collect()
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn no_element_passes_through_more_roundings_than_the_plan_says() {
    let mut tightest = f64::INFINITY;
    let ample = Caps::baseline();
    let tight = Caps { max_binding_bytes: 16 << 10, ..ample };
    let subgroups = Caps { subgroups: Some(SubgroupSizes { min: 8, max: 8 }), ..ample };
    let waiting = Caps { waits_for_others: true, uniform_votes: true, ..subgroups };
    for caps in [ample, tight, subgroups, waiting] {
        for (workgroup_size, quads, max_workgroups) in
            [(8, 1, 64), (8, 5, 3), (64, 5, 2), (16, 8, 1), (4, 1, 1)]
        {
            for len in [1, 37, 640, 9999] {
                for offsets in cases(len) {
                    let count = offsets.len() as u64;
                    let tuning = SegmentsTuning {
                        workgroup_size,
                        quads,
                        max_workgroups,
                        close_workgroup_size: 16,
                        ..SegmentsTuning::for_element(&caps, ElementKind::F32)
                    };
                    let offsets_part = Part { offset_bytes: 0, len: count };
                    let problem = Problem::by(OpRecord::ALL[0], ElementKind::F32, 0)
                        .parts(vec![parts(len.into(), caps.waits_for_others)])
                        .shaped(Shape::Segments(offsets_part, None))
                        .left(Some([0; 3]), false)
                        .tuned(tuning);
                    // Many offsets are more than a tight binding holds.
                    let Ok(plan) = problem.plan(&caps) else { continue };
                    let real = played_through(&plan, &offsets);
                    let roundings = plan.accuracy_of(len.into()).roundings;
                    assert!(real <= roundings, "{real} roundings in {plan}");
                    tightest = tightest.min(roundings as f64 / real.max(1) as f64);
                }
            }
        }
    }
    // The bound adds up what seldom meets in one segment, but grows with the elements as roundings do.
    assert!(tightest < 1.25, "{tightest}");
}
