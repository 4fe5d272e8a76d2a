//! Every level of the ladder's histogram, on every rig.

use crate::exact::cases::Random;
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, Shape, TestElement, counts, ensure};
use libtest_mimic::{Failed, Trial};
use proptest::test_runner::{TestCaseError, TestRunner};
use wgpu_reduce::ladder::{HistogramLevel, HistogramOptions, Ladder};
use wgpu_reduce::{Bins, Error, GpuBuffer, Result};
use wgpu_reduce_known::picture;

type Property = (&'static str, fn(&Rig, HistogramLevel) -> Outcome);

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let properties: [Property; 6] = [
        ("edge_lengths", edge_lengths),
        ("offsets", offsets),
        ("random_cases", random_cases),
        ("sizes", sizes),
        ("long_loops", long_loops),
        ("several_bindings", several_bindings),
    ];
    let mut trials = Vec::new();
    for rig in rigs {
        for level in HistogramLevel::ALL {
            let mut add = |property: &str, test: fn(&Rig, HistogramLevel) -> Outcome| {
                let name = format!("histogram_levels::{property}::{level} [{}]", rig.name);
                let run = move || rig.judged("histogram_levels", || test(rig, level));
                trials.push(Trial::test(name, run));
            };
            if level.needs_subgroups() && rig.reducer.caps().subgroups.is_none() {
                add("refused", is_refused_without_subgroups);
                continue;
            }
            for (property, test) in properties {
                add(property, test);
            }
        }
    }
    trials
}

/// What is counted.
#[derive(Debug, Clone, Copy)]
enum Data {
    /// Data of this shape: one value, all alike often, the smallest and the largest.
    Shaped(Shape),
    /// Neighbours that are alike.
    Picture,
    /// Each value in turn.
    InTurn,
}

impl Data {
    const ALL: [Self; 6] = [
        Self::Shaped(Shape::Constant),
        Self::Shaped(Shape::Random),
        Self::Shaped(Shape::Extreme),
        Self::Shaped(Shape::Tiny),
        Self::Picture,
        Self::InTurn,
    ];

    fn values(self, len: u64) -> Vec<u8> {
        match self {
            Self::Shaped(shape) => u8::data(shape, len),
            Self::Picture => (0..len).map(picture).collect(),
            Self::InTurn => (0..len).map(|index| index.to_le_bytes()[0]).collect(),
        }
    }
}

/// The definition.
fn oracle(values: &[u8]) -> Vec<u64> {
    let mut counts = vec![0; 256];
    for &value in values {
        counts[usize::from(value)] += 1;
    }
    counts
}

/// `values` between neighbours that are all the same, and not counted.
fn upload(rig: &Rig, values: &[u8], before: usize) -> Result<GpuBuffer<u8>> {
    let mut padded = vec![u8::poison(); before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + 7, u8::poison());
    rig.reducer.upload(&padded)
}

fn check(
    rig: &Rig,
    level: HistogramLevel,
    options: &HistogramOptions,
    (data, len, before): (Data, u64, usize),
) -> Outcome {
    let values = data.values(len);
    let buffer = upload(rig, &values, before)?;
    let slice = buffer.slice(before as u64..before as u64 + len)?;
    let found = Ladder::new(&rig.reducer).histogram(level, options, slice)?;
    let expected = oracle(&values);
    let other = found.iter().zip(&expected).position(|(a, b)| a != b);
    ensure!(
        found == expected,
        "{len} of {data:?} behind {before}, {options:?}: {} counts, another at {other:?}",
        found.len()
    );
    Ok(())
}

/// Any level, on anything.
pub(crate) fn check_some(rig: &Rig, random: &mut Random, len: u64) -> Outcome {
    let level = HistogramLevel::ALL[random.below(HistogramLevel::ALL.len())];
    if level.needs_subgroups() && rig.reducer.caps().subgroups.is_none() {
        return is_refused_without_subgroups(rig, level);
    }
    let case = (Data::ALL[random.below(Data::ALL.len())], len, random.below(40));
    check(rig, level, &HistogramOptions::default(), case)
        .map_err(|failed| format!("{level}: {}", failed.message().unwrap_or("")).into())
}

/// Lengths at which something changes, and their neighbours, from every byte of a word on.
fn edge_lengths(rig: &Rig, level: HistogramLevel) -> Outcome {
    let options = HistogramOptions { workgroups: Some(5), ..HistogramOptions::default() };
    let mut lengths = vec![0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 31, 32, 33, 7919];
    for edge in [64, 256, 4 * 256, 5 * 4 * 256, 16_384, 50_000] {
        lengths.extend([edge - 1, edge, edge + 1]);
    }
    for (place, len) in lengths.into_iter().enumerate() {
        check(rig, level, &options, (Data::ALL[place % 6], len, place % 5))?;
    }
    for data in Data::ALL {
        check(rig, level, &HistogramOptions::default(), (data, 30_011, 3))?;
    }
    Ok(())
}

/// From every byte of a word to every other, and past a binding's alignment.
fn offsets(rig: &Rig, level: HistogramLevel) -> Outcome {
    for before in (0..5).chain([7, 255, 257, 65_535]) {
        for len in [1, 2, 3, 4, 6, 9, 1001 + before as u64] {
            let case = (Data::InTurn, len, before);
            check(rig, level, &HistogramOptions::default(), case)?;
        }
    }
    Ok(())
}

/// Random lengths, offsets and shapes, shrunk to the smallest that fails.
fn random_cases(rig: &Rig, level: HistogramLevel) -> Outcome {
    let data = proptest::sample::select(&Data::ALL[..]);
    let mut runner = TestRunner::new(counts::config(12));
    let options = HistogramOptions { workgroups: Some(7), ..HistogramOptions::default() };
    runner
        .run(&(data, 0_u64..40_000, 0_usize..40), |case| {
            check(rig, level, &options, case)
                .map_err(|failed| TestCaseError::fail(failed.message().unwrap_or("").to_owned()))
        })
        .map_err(|error| Failed::from(error.to_string()))
}

/// Workgroups smaller than a subgroup, and as large as the device allows; the first that it does not.
fn sizes(rig: &Rig, level: HistogramLevel) -> Outcome {
    let most = rig.reducer.caps().max_workgroup_size;
    let with_size = |size| HistogramOptions { workgroup_size: Some(size), workgroups: Some(3) };
    for size in [1, 2, 64, 1 << most.ilog2()] {
        check(rig, level, &with_size(size), (Data::Picture, 9001, 1))?;
    }
    let one = rig.reducer.upload(&[1_u8])?;
    for options in [
        with_size(2 << most.ilog2()),
        with_size(48),
        with_size(0),
        HistogramOptions { workgroups: Some(0), ..HistogramOptions::default() },
    ] {
        let refused = Ladder::new(&rig.reducer).histogram(level, &options, &one);
        ensure!(matches!(refused, Err(Error::InvalidTuning { .. })), "{refused:?} of {options:?}");
    }
    Ok(())
}

/// Few invocations with more elements than the turns that some devices let a loop take.
fn long_loops(rig: &Rig, level: HistogramLevel) -> Outcome {
    let options = HistogramOptions { workgroup_size: Some(2), workgroups: Some(1) };
    check(rig, level, &options, (Data::InTurn, 600_001, 1))
}

/// More than one binding covers where limits are tight; and the same as the library's own.
fn several_bindings(rig: &Rig, level: HistogramLevel) -> Outcome {
    let options = HistogramOptions::default();
    let values = Data::Picture.values(3 * TIGHT_BINDING_BYTES + 77);
    let buffer = upload(rig, &values, 5)?;
    let slice = buffer.slice(5..5 + values.len() as u64)?;
    let plan = Ladder::new(&rig.reducer).plan_histogram(level, &options, slice)?;
    let is_tight = rig.reducer.caps().max_binding_bytes == TIGHT_BINDING_BYTES;
    ensure!(!is_tight || plan.workgroups.len() == 4, "{plan}");
    let found = Ladder::new(&rig.reducer).histogram(level, &options, slice)?;
    ensure!(found == oracle(&values), "{found:?}");
    let own = rig.reducer.histogram(slice, &Bins::even(0..256, 256)?)?;
    ensure!(found == own.counts, "{found:?}, but {:?}", own.counts);
    Ok(())
}

/// What the device lacks must be said.
fn is_refused_without_subgroups(rig: &Rig, level: HistogramLevel) -> Outcome {
    let buffer = rig.reducer.upload(&[1_u8])?;
    let refused = Ladder::new(&rig.reducer).histogram(level, &HistogramOptions::default(), &buffer);
    let Err(Error::Unsupported { what, adapter }) = &refused else {
        return Err(format!("{refused:?} without subgroups").into());
    };
    let says_so = what.contains("subgroup") && *adapter == rig.reducer.adapter_label();
    ensure!(says_so, "{refused:?} without subgroups");
    Ok(())
}
