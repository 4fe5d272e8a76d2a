//! The studies.

use super::design::{Axis, Design, Figure, Plan};
use super::reported::Unit::{GbPerS, MicrosecondsPerMi, PercentOfPeak};
use super::reported::WriteUp::{A, B, C, D, E};
use super::reported::{Reported, Unit, WriteUp};
use crate::args::StudyName;
use crate::chart::Look;
use crate::measure::Case;
use crate::rows::Rows;
use wgpu_reduce::ladder::{Form, Level, LoadWidth, Rounds, RunOptions};
use wgpu_reduce::{AdapterClass, Caps, ElementKind};

/// The type of the elements in the write-up.
pub(super) const fn element(name: StudyName) -> ElementKind {
    match name {
        StudyName::Strategy | StudyName::Steps => ElementKind::I32,
        StudyName::Histogram => ElementKind::U8,
        _ => ElementKind::F32,
    }
}

/// Most elements: those of the write-up, as far as devices in use can be expected to hold them.
pub(super) const fn elements(name: StudyName, class: AdapterClass) -> u64 {
    match (class, name) {
        (AdapterClass::Cpu, _) => 1 << 20,
        (_, StudyName::Steps) => 1 << 26,
        (_, StudyName::OneRound) => 1 << 30,
        (_, StudyName::WorkgroupSize | StudyName::ItemsPerThread | StudyName::LevelsBySize) => {
            1 << 29
        }
        _ => 1 << 28,
    }
}

/// The rows of the write-up; none if it sums all elements, and so does the study.
pub(super) const fn rows(name: StudyName) -> Option<Rows> {
    match name {
        StudyName::WorkgroupSize | StudyName::ItemsPerThread | StudyName::LevelsBySize => {
            Some(Rows::Workgroups)
        }
        _ => None,
    }
}

/// What a study of sums measures on a device with `caps`, with at most `elements`, in `rows` where it has
/// [some](rows). None of that of [histograms](super::histogram).
pub(super) fn design(name: StudyName, elements: u64, rows: Rows, caps: &Caps) -> Option<Design> {
    Some(match name {
        StudyName::WorkgroupSize => workgroup_size(elements, rows, caps),
        StudyName::ItemsPerThread => items_per_thread(elements, rows, caps),
        StudyName::LevelsBySize => levels_by_size(elements, rows, caps),
        StudyName::Strategy => strategy(elements, caps),
        StudyName::OneRound => one_round(elements, caps),
        StudyName::Steps => steps(elements),
        StudyName::Histogram => return None,
    })
}

const RATE: &[Figure] = &[Figure::GbPerS];
const RATE_AND_PERCENT: &[Figure] = &[Figure::GbPerS, Figure::PercentOfBest];
const TIME: &[Figure] = &[Figure::Milliseconds, Figure::MicrosecondsPerMi];
const SPEED_UPS: &[Figure] =
    &[Figure::GbPerS, Figure::SpeedUp, Figure::SpeedUpInTotal, Figure::PercentOfBest];

fn reported_at(figures: &[(u64, f64)], write_up: WriteUp, unit: Unit) -> Vec<Reported> {
    figures.iter().map(|&(x, figure)| Reported::at(x, write_up, unit, figure)).collect()
}

/// `elements`, a quarter of it and so on, down to 2^10 or so, the smallest first.
fn sizes(elements: u64) -> Vec<u64> {
    let down = std::iter::successors(Some(elements), |size| Some(size / 4));
    let mut sizes: Vec<_> = down.take_while(|&size| size >= 1 << 10 || size == elements).collect();
    sizes.reverse();
    sizes
}

/// Those `sizes` that the device allows, and a note if there are others.
fn allowed(sizes: &[u32], caps: &Caps) -> (Vec<u32>, Option<String>) {
    let max = caps.max_workgroup_size.min(caps.workgroup_storage_bytes / 4);
    let all = sizes.len();
    let sizes: Vec<_> = sizes.iter().copied().filter(|&size| size <= max).collect();
    let note = format!("the device allows workgroups of at most {max} invocations");
    let note = (sizes.len() < all).then_some(note);
    (sizes, note)
}

/// What a reader must know of the rows to compare with write-up A.
fn note_on_rows(rows: Rows) -> String {
    match rows {
        Rows::Count(1) => "all elements are one row; A has a row for each block".into(),
        Rows::Count(rows) => format!("{rows} rows; A has a row for each block"),
        Rows::Workgroups => "a row for each workgroup, as long as it covers; so has A".into(),
    }
}

fn workgroup_size(elements: u64, rows: Rows, caps: &Caps) -> Design {
    let (sizes, note) = allowed(&[64, 128, 256, 512, 1024], caps);
    let of_level = |(group, level, figures): (usize, Level, &[(u64, f64)])| Plan {
        name: level.to_string(),
        look: Look { group, member: 0 },
        points: sizes
            .iter()
            .map(|&size| {
                let options = RunOptions { workgroup_size: Some(size), ..RunOptions::default() };
                (size.into(), rows.case(level, options, elements, caps))
            })
            .collect(),
        reported: reported_at(figures, A, PercentOfPeak),
    };
    let k0: &[_] = &[(128, 48.1), (256, 47.2), (512, 42.6), (1024, 23.7)];
    let series =
        [(0, Level::InterleavedModulo, k0), (1, Level::UnrollFull, &[(128, 94.0)])].map(of_level);
    let title = "Read bandwidth by workgroup size";
    let mut design = Design::new(title, Axis::WorkgroupSize, RATE_AND_PERCENT, series.into());
    design.notes.push(note_on_rows(rows));
    design.notes.extend(note);
    design
}

/// The size of A's blocks there.
const BLOCK_OF_A: u32 = 128;

fn items_per_thread(elements: u64, rows: Rows, caps: &Caps) -> Design {
    let (fitting, note) = allowed(&[BLOCK_OF_A], caps);
    let workgroup_size = fitting.first().copied().filter(|_| rows == Rows::Workgroups);
    let plan = |group, form, items: &[u32], reported| Plan {
        name: match form {
            Form::Uncoalesced => "06 coarsened, uncoalesced".into(),
            _ => "06 coarsened".into(),
        },
        look: Look { group, member: 0 },
        points: items
            .iter()
            .map(|&items| {
                let items_per_thread = Some(items);
                let options =
                    RunOptions { form, workgroup_size, items_per_thread, ..RunOptions::default() };
                (items.into(), rows.case(Level::Coarsened, options, elements, caps))
            })
            .collect(),
        reported,
    };
    let items = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
    let k4 = [52.1, 93.1, 93.8, 93.9, 93.9, 94.0, 94.0, 93.9, 93.9, 93.8];
    let k4: Vec<_> = items.iter().map(|&items| u64::from(items)).zip(k4).collect();
    let mut coalesced = reported_at(&k4, A, PercentOfPeak);
    coalesced.push(Reported::at(32, A, GbPerS, 842.1));
    let uncoalesced = vec![Reported::at(32, A, GbPerS, 769.5)];
    let series = vec![
        plan(0, Form::Plain, &items, coalesced),
        plan(1, Form::Uncoalesced, &[32], uncoalesced),
    ];
    let title = "Read bandwidth by elements per invocation";
    let mut design = Design::new(title, Axis::ItemsPerThread, RATE_AND_PERCENT, series);
    design.notes.push(note_on_rows(rows));
    let size = workgroup_size.map_or_else(|| "the default size".into(), |size| size.to_string());
    design.notes.push(format!("workgroups of {size}; A has blocks of {BLOCK_OF_A}"));
    design.notes.extend(note);
    design
}

/// Percent of peak of a level at 2^29 elements in A and at 64M in C.
const fn percent_of_peak(level: Level) -> (Option<f64>, Option<f64>) {
    match level {
        Level::SingleThread => (None, Some(0.5)),
        Level::InterleavedModulo => (Some(48.1), Some(10.8)),
        Level::InterleavedPacked => (Some(48.5), None),
        Level::Sequential => (Some(48.5), Some(19.6)),
        Level::BarrierFirst => (Some(53.5), None),
        Level::FirstAdd => (None, Some(32.0)),
        // Not 07, in its default form: A's is the one within a subgroup.
        Level::Coarsened | Level::UnrollFull | Level::Vec4Loads => (Some(94.0), None),
        Level::GridStride => (None, Some(88.9)),
        Level::SubgroupShuffle => (Some(94.0), Some(61.0)),
        _ => (None, None),
    }
}

/// In rows beside A, who has them, and otherwise beside C.
fn levels_by_size(elements: u64, rows: Rows, caps: &Caps) -> Design {
    let has_rows = rows == Rows::Workgroups;
    let (fitting, note) = allowed(&[BLOCK_OF_A], caps);
    let workgroup_size = fitting.first().copied().filter(|_| has_rows);
    let options = RunOptions { workgroup_size, ..RunOptions::default() };
    let plan = |(index, level): (usize, Level)| {
        let (a, c) = percent_of_peak(level);
        let a = a.filter(|_| has_rows);
        let c = c.filter(|_| !has_rows);
        let a = a.map(|figure| Reported::at(1 << 29, A, PercentOfPeak, figure));
        let c = c.map(|figure| Reported::at(1 << 26, C, PercentOfPeak, figure));
        let cases = sizes(elements).into_iter().map(|size| match rows {
            Rows::Count(1) => Case::new(level, options, size),
            _ => rows.case(level, options, size, caps),
        });
        let mut points: Vec<_> = cases.map(|case| (case.elements, case)).collect();
        points.dedup_by_key(|(size, _)| *size);
        Plan {
            name: level.to_string(),
            look: Look { group: index % Look::GROUPS, member: index / Look::GROUPS },
            points,
            reported: a.into_iter().chain(c).collect(),
        }
    };
    let series = Level::ALL.into_iter().enumerate().map(plan).collect();
    let title = "Read bandwidth of every level by size";
    let mut design = Design::new(title, Axis::Elements, RATE, series);
    design.is_log = true;
    if has_rows {
        design.notes.push(note_on_rows(rows));
        design.notes.extend(note);
    }
    design
}

fn strategy(elements: u64, caps: &Caps) -> Design {
    let (fitting, note) = allowed(&[512], caps);
    let workgroup_size = fitting.first().copied();
    let strategies = [("two passes", 0), ("workgroup atomic", 1), ("subgroup atomic", 2)];
    let plans = strategies.into_iter().flat_map(|(strategy, group)| {
        LoadWidth::ALL.into_iter().enumerate().map(move |(member, width)| {
            let (level, form) = match (group, width) {
                (0, LoadWidth::One) => (Level::SubgroupAdd, Form::Plain),
                (0, LoadWidth::Two) => (Level::Vec2Loads, Form::Plain),
                (0, LoadWidth::Four) => (Level::Vec4Loads, Form::Plain),
                (1, width) => (Level::WorkgroupAtomic, Form::Width(width)),
                (_, width) => (Level::SubgroupAtomic, Form::Width(width)),
            };
            let workgroups = Some(1024);
            let options = RunOptions { form, workgroup_size, workgroups, ..RunOptions::default() };
            let (low, high) = match width {
                LoadWidth::One => (2300.0, 2300.0),
                LoadWidth::Two => (3000.0, 3100.0),
                LoadWidth::Four => (3100.0, 3200.0),
            };
            let lanes = width.elements();
            Plan {
                name: format!("{:02} {strategy}, loads of {lanes}", level.number()),
                look: Look { group, member },
                points: sizes(elements)
                    .into_iter()
                    .map(|size| (size, Case::new(level, options, size)))
                    .collect(),
                reported: vec![Reported::between(B, GbPerS, low, high)],
            }
        })
    });
    let title = "Read bandwidth of strategies and load widths by size";
    let mut design = Design::new(title, Axis::Elements, RATE, plans.collect());
    design.is_log = true;
    let size = workgroup_size.map_or_else(|| "the default size".into(), |size| size.to_string());
    design.notes.push(format!("at most 1024 workgroups of {size}; B has 1024 of 512"));
    design.notes.extend(note);
    design
}

/// D's, as far as `elements` allow, or the four largest of [`sizes`] if that is none.
fn sizes_of_d(elements: u64) -> Vec<u64> {
    let of_d: Vec<_> =
        [16, 64, 256, 1024].map(|n| n << 20).into_iter().filter(|&n| n <= elements).collect();
    if !of_d.is_empty() {
        return of_d;
    }
    let mut sizes = sizes(elements);
    sizes.drain(..sizes.len().saturating_sub(4));
    sizes
}

fn one_round(elements: u64, caps: &Caps) -> Design {
    let (workgroup_sizes, note) = allowed(&[256, 1024], caps);
    let kernels = [
        ("mod", Level::InterleavedModulo, Form::Plain, [74.2, 109.2]),
        ("idx", Level::InterleavedPacked, Form::Plain, [53.1, 73.5]),
        ("seq", Level::Sequential, Form::Plain, [42.5, 61.4]),
        ("unroll", Level::UnrollLast, Form::Plain, [38.0, 57.6]),
        ("warp", Level::UnrollLast, Form::WithinSubgroup, [28.0, 41.0]),
    ];
    let lengths = sizes_of_d(elements);
    let plans = workgroup_sizes.into_iter().enumerate().flat_map(|(member, workgroup_size)| {
        let lengths = &lengths;
        kernels.into_iter().enumerate().map(move |(group, (kernel, level, form, figures))| {
            let options = RunOptions {
                form,
                workgroup_size: Some(workgroup_size),
                items_per_thread: Some(1),
                rounds: Rounds::One,
                ..RunOptions::default()
            };
            let points = lengths.iter().map(|&size| (size, Case::new(level, options, size)));
            // Milliseconds for 1024 times 2^20 elements.
            let per_mi = figures.get(member).map(|ms| ms * 1e3 / 1024.0);
            let reported = per_mi.map(|us| Reported::at(1 << 30, D, MicrosecondsPerMi, us));
            Plan {
                name: format!("{:02} {kernel}, workgroups of {workgroup_size}", level.number()),
                look: Look { group, member },
                points: points.collect(),
                reported: reported.into_iter().collect(),
            }
        })
    });
    let title = "Time of one round by size";
    let mut design = Design::new(title, Axis::Elements, TIME, plans.collect());
    design.is_log = true;
    design.notes.push("one element per invocation; the host adds the partials".into());
    design.notes.extend(note);
    design
}

fn steps(elements: u64) -> Design {
    let levels = [
        (Level::InterleavedModulo, Form::Plain),
        (Level::InterleavedPacked, Form::Plain),
        (Level::Sequential, Form::Plain),
        (Level::FirstAdd, Form::Plain),
        (Level::UnrollLast, Form::WithinSubgroup),
        (Level::UnrollFull, Form::Plain),
        (Level::GridStride, Form::Plain),
    ];
    let plan = |(step, (level, form)): (usize, (Level, Form))| {
        // As many as step 3 loads, so that steps 4 and 5 show what unrolling does and nothing else.
        let options = RunOptions { form, items_per_thread: Some(2), ..RunOptions::default() };
        let reported = (level == Level::FirstAdd).then(|| Reported::between(E, GbPerS, 41.0, 41.0));
        Plan {
            name: format!("step {step}: {level}"),
            look: Look { group: step % Look::GROUPS, member: step / Look::GROUPS },
            points: vec![(elements, Case::new(level, options, elements))],
            reported: reported.into_iter().collect(),
        }
    };
    let series = levels.into_iter().enumerate().map(plan).collect();
    let mut design =
        Design::new("Read bandwidth of seven steps", Axis::Elements, SPEED_UPS, series);
    design.notes.push("steps 3 to 5 load two elements per invocation".into());
    design
}

#[cfg(test)]
mod tests {
    use super::{design, elements, rows, sizes, sizes_of_d};
    use crate::args::StudyName;
    use crate::chart::Look;
    use crate::rows::Rows;
    use clap::ValueEnum as _;
    use wgpu_reduce::{AdapterClass, Caps};

    #[test]
    fn sizes_go_down_by_a_factor_of_four() {
        assert_eq!(sizes(1 << 14), [1 << 10, 1 << 12, 1 << 14]);
        assert_eq!(sizes(20_001), [1250, 5000, 20_001]);
        assert_eq!(sizes(7), [7]);
        assert_eq!(sizes(1 << 30).len(), 11);
    }

    #[test]
    fn one_round_has_the_sizes_of_the_write_up() {
        assert_eq!(sizes_of_d(1 << 30), [1 << 24, 1 << 26, 1 << 28, 1 << 30]);
        assert_eq!(sizes_of_d(1 << 29), [1 << 24, 1 << 26, 1 << 28]);
        assert_eq!(sizes_of_d(1 << 24), [1 << 24]);
        assert_eq!(sizes_of_d(1 << 20), [1 << 14, 1 << 16, 1 << 18, 1 << 20]);
    }

    #[test]
    fn every_study_has_places_that_rise_and_curves_that_look_different() {
        let caps = Caps::baseline();
        for name in StudyName::value_variants() {
            for most in [1, 5000, elements(*name, AdapterClass::Gpu)] {
                let rows = rows(*name).unwrap_or(Rows::Count(1));
                let Some(design) = design(*name, most, rows, &caps) else { continue };
                let mut looks = Vec::new();
                for plan in &design.series {
                    assert!(plan.points.is_sorted_by_key(|(x, _)| *x), "{plan:?}");
                    assert!(plan.look.group < Look::GROUPS, "{plan:?}");
                    assert!(!plan.points.is_empty() && !looks.contains(&plan.look), "{plan:?}");
                    looks.push(plan.look);
                }
                assert!(design.cases().iter().all(|case| (1..=most).contains(&case.elements)));
            }
        }
    }

    #[test]
    fn workgroups_that_the_device_does_not_allow_are_left_out() {
        let caps = Caps::baseline();
        let note = "the device allows workgroups of at most 256 invocations".to_owned();
        for name in [StudyName::WorkgroupSize, StudyName::Strategy, StudyName::OneRound] {
            let design = design(name, 1 << 20, Rows::Count(1), &caps).unwrap();
            let sizes = design.cases().into_iter().filter_map(|case| case.options.workgroup_size);
            assert!(sizes.max() <= Some(256), "{design:?}");
            assert!(design.notes.contains(&note), "{design:?}");
        }
    }
}
