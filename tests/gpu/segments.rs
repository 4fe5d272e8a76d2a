//! Reductions of segments, against the definition of each segment on the CPU.

use crate::harness::oracle::{Judged, Oracle};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{
    Outcome, Rig, Shape, TestElement, counts, ensure, on_every_rig, one_rig_of_each_adapter,
    others, stamp, stamp_all,
};
use half::{bf16, f16};
use libtest_mimic::{Failed, Trial};
use proptest::strategy::Strategy;
use proptest::test_runner::{TestCaseError, TestRunner};
use wgpu::CommandEncoderDescriptor;
use wgpu_reduce::{
    All, Any, ArgMax, ArgMin, BitOr, BitXor, Closing, CountNan, CountNonZero, Error, GpuBuffer,
    GpuSlices, Max, Mean, Min, NanArgMin, NormL2, Operation, Pending, Result, SegmentsTuning,
    Stats, Sum, Variance, WrongOffset,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(
        rigs,
        [shapes, random_cases, tunings, several_buffers],
        { "segments::sum": Sum of f32 }
    );
    trials.extend(stamp!(
        rigs,
        [shapes, several_buffers],
        { "segments::sum": Sum of u8; "segments::argmin": ArgMin of f32 }
    ));
    trials.extend(long_segments(rigs));
    // They share a kernel: one for each way to lift, the longer accumulators and each size of elements.
    trials.extend(stamp!(
        rigs,
        [some_shapes],
        {
            "segments::sum": Sum of i64, f16, bf16, f64;
            "segments::max": Max of u64;
            "segments::argmax": ArgMax of i8;
            "segments::nan_argmin": NanArgMin of f32;
            "segments::mean": Mean of f32, i32;
            "segments::variance": Variance of f32, u32;
            "segments::norm_l2": NormL2 of f32;
            "segments::stats": Stats of f32, f64
        }
    ));
    // What differs from these in how it combines alone.
    let mut of_others = stamp!(
        rigs,
        [briefly],
        {
            "segments::min": Min of i16;
            "segments::all": All of u32;
            "segments::any": Any of u8;
            "segments::count_nonzero": CountNonZero of i32;
            "segments::count_nan": CountNan of f16, bf16;
            "segments::bit_or": BitOr of u8;
            "segments::bit_xor": BitXor of i64
        }
    );
    of_others.extend(others(stamp_all!(rigs, [briefly], "segments::", leading), &trials));
    trials.extend(one_rig_of_each_adapter(rigs, of_others));
    for (name, test) in [
        ("segments::hostile_offsets", hostile_offsets as fn(&Rig) -> Outcome),
        ("segments::empty_segments", empty_segments),
        ("segments::encoded", encoded),
        ("segments::refused", refused),
        ("segments::infinities_stay_in_their_segment", infinities),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    trials
}

/// Segments with accumulators of 1, 2, 3, 4, 5 and 11 words.
fn long_segments(rigs: &'static [Rig]) -> Vec<Trial> {
    stamp!(
        rigs,
        [of_many_shares],
        {
            "segments::sum": Sum of f32, i32;
            "segments::argmax": ArgMax of f32;
            "segments::mean": Mean of f32;
            "segments::variance": Variance of f32;
            "segments::stats": Stats of f32
        }
    )
}

/// Offsets of segments with these lengths.
pub(crate) fn offsets_from(first: u32, lengths: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut end = first;
    let ends = lengths.into_iter().map(|len| {
        end += len;
        end
    });
    std::iter::once(first).chain(ends).collect()
}

/// A hash of `index`.
fn hash(index: u32) -> u32 {
    let mixed = (index ^ 0x9E37_79B9).wrapping_mul(0x85EB_CA6B);
    (mixed ^ mixed >> 15).wrapping_mul(0xC2B2_AE35) >> 8
}

const PRIMES: [u32; 7] = [2, 3, 5, 7, 211, 509, 1021];

/// Offsets that begin and end anywhere, of many short segments, of few long ones, and of both.
fn cases() -> Vec<(&'static str, Vec<u32>)> {
    let power = |index: u32| (4 << (hash(index) % 13)) >> (hash(!index) % 6);
    vec![
        ("none", vec![3]),
        ("one empty", vec![5, 5]),
        ("one", vec![0, 1]),
        ("all empty", vec![17; 5001]),
        ("one huge", vec![3, 40_003]),
        ("each of one", (0..5000).collect()),
        ("powers of two", offsets_from(1, (0..300).map(power))),
        ("primes", offsets_from(0, (0_usize..80).map(|i| PRIMES[i % PRIMES.len()]))),
        ("first and last empty", vec![0, 0, 0, 4000, 4000, 4001, 9000, 9000]),
        ("one huge among many of one", {
            offsets_from(7, (0..3000).map(|i| if i == 1234 { 30_000 } else { 1 }))
        }),
        ("every other empty", offsets_from(2, (0..6000).map(|i| i % 2))),
        ("a thousand empty in the middle", {
            offsets_from(
                2,
                (0..1200).map(|i| if (100..1100).contains(&i) { 0 } else { hash(i) % 90 }),
            )
        }),
        ("several huge", vec![0, 20_000, 20_000, 45_000, 45_001, 60_000]),
    ]
}

/// A buffer with `values` between poison, `before` elements of it in front.
fn upload<T: TestElement>(rig: &Rig, values: &[T], before: usize) -> Result<GpuBuffer<T>> {
    let mut padded = vec![T::poison(); before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + 5, T::poison());
    rig.reducer.upload(&padded)
}

/// Whether the offsets, or the results, need a larger binding than the rig has.
fn is_too_many<T: TestElement, O: Operation<T>>(rig: &Rig, offsets: &[u32]) -> bool {
    let each = size_of::<O::Raw>().max(size_of::<u32>()) as u64;
    offsets.len() as u64 * each + 256 > rig.reducer.caps().max_binding_bytes
}

/// Reduces segments of what lies there, and asks the oracle of each.
fn check_slices<T: TestElement, O: Oracle<T>>(
    rig: &Rig,
    input: &GpuSlices<'_, T>,
    values: &[T],
    offsets: &[u32],
    tuning: Option<SegmentsTuning>,
    what: &str,
) -> Outcome {
    let operation = O::default();
    let on_gpu = upload_offsets(rig, offsets)?;
    let slice = on_gpu.slice(3..3 + offsets.len() as u64)?;
    let run = || match &tuning {
        None => rig.reducer.reduce(operation, input.clone()).segments(slice).start()?.wait(),
        Some(tuning) => {
            let pending = rig
                .reducer
                .reduce(operation, input.clone())
                .segments(slice)
                .tuned(*tuning)
                .timed()
                .start();
            pending?.wait().map(|timed| timed.value)
        }
    };
    let what = format!("{what}, {} segments", offsets.len() - 1);
    if is_too_many::<T, O>(rig, offsets) {
        let outcome = run();
        ensure!(matches!(outcome, Err(Error::Unsupported { .. })), "{what}: {outcome:?}");
        return Ok(());
    }
    let segments = offsets.windows(2).map(|ends| &values[ends[0] as usize..ends[1] as usize]);
    let expected: Vec<_> = segments.clone().map(O::expected).collect();
    if let Some(segment) = expected.iter().position(Result::is_err) {
        let (outcome, segment) = (run(), segment as u64);
        let error = Error::EmptySegment { operation: operation.record().name(), segment };
        ensure!(outcome.as_ref().err() == Some(&error), "{what}: {outcome:?}");
        return Ok(());
    }
    let plan = match &tuning {
        None => rig.reducer.reduce(operation, input.clone()).segments(slice).plan()?,
        Some(tuning) => {
            rig.reducer.reduce(operation, input.clone()).segments(slice).tuned(*tuning).plan()?
        }
    };
    let results = run()?;
    ensure!(results.len() == expected.len(), "{what}: {} results", results.len());
    for (number, ((segment, &result), expected)) in segments.zip(&results).zip(expected).enumerate()
    {
        let (expected, accuracy) = (expected?, plan.accuracy_of(segment.len() as u64));
        let of_one = operation.tolerance(segment, &accuracy);
        ensure!(
            O::judge(result, expected, segment, &accuracy) || result.within(expected, of_one),
            "{what}, number {number} of {} elements: {result:?} is not {expected:?} within {of_one:e}",
            segment.len()
        );
    }
    let again = run()?;
    let same = results.iter().zip(&again).all(|(first, second)| first.same_bits(*second));
    ensure!(same, "{what}: not the same bits again");
    Ok(())
}

fn upload_offsets(rig: &Rig, offsets: &[u32]) -> Result<GpuBuffer<u32>> {
    rig.reducer.upload(&[&[u32::MAX, 0, 9][..], offsets, &[0, 7]].concat())
}

/// Some of what the offsets leave, so that the operation has a result for all segments.
fn only_full(offsets: &[u32]) -> Vec<u32> {
    let mut full = offsets.to_vec();
    full.dedup();
    full
}

pub(crate) fn check<T: TestElement, O: Oracle<T>>(
    rig: &Rig,
    shape: Shape,
    offsets: &[u32],
    tuning: Option<SegmentsTuning>,
    what: &str,
) -> Outcome {
    let len = u64::from(*offsets.last().expect("there is one")) + u64::from(hash(9) % 50);
    let values = T::data(shape, len);
    let before = offsets.len() % 7;
    let buffer = upload(rig, &values, before)?;
    let slice = buffer.slice(before as u64..before as u64 + len)?;
    let what = format!("{what}, {shape:?}");
    check_slices::<T, O>(rig, &slice.into(), &values, offsets, tuning, &what)?;
    let full = only_full(offsets);
    if !O::default().record().takes_none() && full.len() < offsets.len() {
        check_slices::<T, O>(rig, &slice.into(), &values, &full, tuning, &what)?;
    }
    Ok(())
}

fn shapes<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    for (number, (what, offsets)) in cases().into_iter().enumerate() {
        let shape = Shape::ALL[number % Shape::ALL.len()];
        check::<T, O>(rig, shape, &offsets, None, what)?;
        check::<T, O>(rig, Shape::Random, &offsets, None, what)?;
    }
    Ok(())
}

/// A few of the same.
fn some_shapes<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    for (what, offsets) in cases().into_iter().skip(2).step_by(3) {
        check::<T, O>(rig, Shape::Random, &offsets, None, what)?;
    }
    Ok(())
}

/// Short segments, and many without elements among them; and the same without those.
fn briefly<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let lengths = (0..400).map(|i| if (100..300).contains(&i) { 0 } else { hash(i) % 90 });
    let offsets = offsets_from(2, lengths);
    check::<T, O>(rig, Shape::Extreme, &offsets, None, "two hundred empty in the middle")
}

/// Random lengths of random magnitude, shrunk to the fewest that fail.
fn random_cases<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let len = (0_u32..14, 0_u32..1 << 13).prop_map(|(log, number)| number & ((1 << log) - 1));
    let strategy = (0_u32..300, proptest::collection::vec(len, 0..60));
    TestRunner::new(counts::config(24))
        .run(&strategy, |(first, lengths)| {
            let offsets = offsets_from(first, lengths);
            check::<T, O>(rig, Shape::Random, &offsets, None, &format!("{offsets:?}"))
                .map_err(|failed| TestCaseError::fail(failed.message().unwrap_or("").to_owned()))
        })
        .map_err(|error| Failed::from(error.to_string()))
}

/// One invocation, workgroups of one subgroup, few and many workgroups.
fn tunings<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let most = 2 * u32::try_from(size_of::<T>())?;
    for (workgroup_size, quads, max_workgroups) in
        [(1, 1, 1000), (4, 2, 7), (64, 1, 1), (32, most, 300)]
    {
        // There a binding holds few tiles, and a grid few workgroups.
        if rig.reducer.caps().max_binding_bytes == TIGHT_BINDING_BYTES && workgroup_size < 32 {
            continue;
        }
        let quads = quads.clamp(1, most);
        let default = SegmentsTuning::for_element(&rig.reducer.caps(), T::KIND);
        let close_workgroup_size = default.close_workgroup_size.min(workgroup_size);
        // Waiting for others is safe on few devices; the default is one of both.
        let waits = rig.reducer.caps().waits_for_others;
        for closing in Closing::ALL.into_iter().take(if waits { 2 } else { 1 }) {
            let tuning = SegmentsTuning {
                workgroup_size,
                quads,
                max_workgroups,
                close_workgroup_size,
                closing,
                ..default
            };
            for (what, offsets) in cases().into_iter().skip(3) {
                let what = format!("{what}, {tuning}");
                check::<T, O>(rig, Shape::Random, &offsets, Some(tuning), &what)?;
            }
        }
    }
    Ok(())
}

/// Segments of so many shares that no workgroup looks at all of one's at once: one that is most of the input, and empty ones before it
/// that take shares, too.
fn of_many_shares<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let waits = rig.reducer.caps().waits_for_others;
    for closing in Closing::ALL.into_iter().take(if waits { 2 } else { 1 }) {
        let default = SegmentsTuning::for_element(&rig.reducer.caps(), T::KIND);
        let tuning = SegmentsTuning {
            workgroup_size: 32,
            quads: 1,
            max_workgroups: 1000,
            closing,
            ..default
        };
        for (what, offsets) in [
            ("one huge", vec![1, 60_000]),
            ("one huge behind many empty", [vec![0; 20_000], vec![50_000, 50_001]].concat()),
            ("two huge", vec![0, 40_000, 90_000]),
        ] {
            let what = format!("{what}, {tuning}");
            check::<T, O>(rig, Shape::Random, &offsets, Some(tuning), &what)?;
        }
    }
    Ok(())
}

/// Segments that go on from one buffer to another, and from one binding to another.
#[expect(clippy::cast_possible_truncation, reason = "some thousands")]
fn several_buffers<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let binding = TIGHT_BINDING_BYTES / size_of::<T>() as u64;
    let values = T::data(Shape::Random, 5 * binding / 2 + 1000);
    let len = u32::try_from(values.len())?;
    let cuts = [0, 0, 999, binding, 2 * binding + 17, values.len() as u64];
    let part = |ends: &[u64]| -> Result<GpuBuffer<T>> {
        let from_first = values.iter().skip(ends[0] as usize);
        upload(rig, &from_first.take((ends[1] - ends[0]) as usize).copied().collect::<Vec<_>>(), 3)
    };
    let buffers = cuts.windows(2).map(part).collect::<Result<Vec<_>>>()?;
    let slices = buffers.iter().zip(cuts.windows(2));
    let slices: Vec<_> = slices
        .map(|(buffer, ends)| buffer.slice(3..3 + ends[1] - ends[0]))
        .collect::<Result<_>>()?;
    let input: GpuSlices<'_, T> = slices.into();
    let edge = u32::try_from(binding)?;
    for offsets in [
        vec![0, len],
        vec![0, 999, edge, 2 * edge + 17, len],
        vec![998, 998, 1000, edge - 1, edge + 1, len - 1],
        offsets_from(5, (0..500).map(|index| hash(index) % (len / 500))),
        vec![edge + 3, edge + 4, edge + 900],
    ] {
        check_slices::<T, O>(rig, &input, &values, &offsets, None, "several buffers")?;
    }
    Ok(())
}

/// The first of the offsets that is wrong.
fn wrong(offsets: &[u32], len: u32) -> Option<WrongOffset> {
    let before = std::iter::once(0).chain(offsets.iter().copied());
    let all = (0..).zip(offsets).zip(before);
    let mut all = all.map(|((index, &value), before)| WrongOffset { index, value, before });
    all.find(|offset| offset.value > len || offset.value < offset.before)
}

/// Whatever the offsets are: an error, and nothing is touched that should not be.
fn hostile_offsets(rig: &Rig) -> Outcome {
    let values = rig.reducer.upload(&vec![1.0_f32; 10_000])?;
    let mut cases = vec![
        vec![0, 10_001],
        vec![5, 4],
        vec![u32::MAX, u32::MAX],
        vec![0, u32::MAX, 10_000],
        vec![0, 5000, 4999, 10_000],
        vec![10_001, 10_001],
        vec![10_001],
        vec![u32::MAX],
        vec![9000, 0, 9000],
        (0..5000).rev().collect(),
        (0..5000).map(|i| if i == 2500 { 0 } else { 2 * i }).collect(),
    ];
    cases.extend((0..6).map(|seed| (0..3000).map(|i| hash(seed * 3000 + i) << 8).collect()));
    cases.extend((0..6).map(|seed| (0..3000).map(|i| hash(seed * 3000 + i) % 10_001).collect()));
    for offsets in cases {
        let on_gpu = rig.reducer.upload(&[&[7, 9, 8], &offsets[..]].concat())?;
        let on_gpu = on_gpu.slice(3..)?;
        let expected = Error::InvalidOffsets { len: 10_000, first_wrong: wrong(&offsets, 10_000) };
        for _ in 0..2 {
            let outcome =
                rig.reducer.reduce(Sum, &values).segments(on_gpu).start().and_then(Pending::wait);
            let is_told = outcome.as_ref().err() == Some(&expected);
            ensure!(is_told, "{:?}...: {outcome:?}", &offsets[..offsets.len().min(9)]);
        }
        // Neighbours of the results stay as they are.
        let segments = offsets.len() as u64 - 1;
        let results = rig.reducer.upload(&vec![-7.0_f32; offsets.len() + 99])?;
        let mut encoder =
            rig.reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
        let slice = results.slice(50..50 + segments)?;
        rig.reducer.reduce(Sum, &values).segments(on_gpu).encode(&mut encoder, slice)?;
        rig.reducer.queue().submit([encoder.finish()]);
        let after = results.download(&rig.reducer)?;
        let end = 50 + usize::try_from(segments)?;
        let is_untouched = after[..50]
            .iter()
            .chain(&after[end..])
            .all(|value| value.to_bits() == (-7.0_f32).to_bits());
        ensure!(is_untouched, "{segments} segments: a neighbour was changed");
    }
    Ok(())
}

/// The result of none, or an error that names the first.
fn empty_segments(rig: &Rig) -> Outcome {
    let values = rig.reducer.upload(&[1_i32, 2, 3])?;
    let offsets = rig.reducer.upload(&[0_u32, 1, 1, 3, 3])?;
    let sums = rig.reducer.reduce(Sum, &values).segments(&offsets).start()?.wait()?;
    ensure!(sums == [1, 0, 5, 0], "{sums:?}");
    let outcome = rig.reducer.reduce(Mean, &values).segments(&offsets).start()?.wait();
    let expected = Err(Error::EmptySegment { operation: "mean", segment: 1 });
    ensure!(outcome == expected, "{outcome:?}");
    let values = rig.reducer.upload(&[1.0_f32, f32::NAN, f32::NAN])?;
    let offsets = rig.reducer.upload(&[0_u32, 1, 3])?;
    let outcome = rig.reducer.reduce(NanArgMin, &values).segments(&offsets).start()?.wait();
    let expected = Err(Error::EmptySegment { operation: "nan_argmin", segment: 1 });
    ensure!(outcome == expected, "{outcome:?}");
    let nothing: GpuBuffer<i32> = rig.reducer.upload(&[])?;
    let offsets = rig.reducer.upload(&[0_u32; 4])?;
    let sums = rig.reducer.reduce(Sum, &nothing).segments(&offsets).start()?.wait()?;
    ensure!(sums == [0; 3], "{sums:?}");
    Ok(())
}

/// In the caller's encoder, behind what has written the offsets, at any place of the output.
fn encoded(rig: &Rig) -> Outcome {
    let values = u32::data(Shape::Random, 9000);
    let input = rig.reducer.upload(&values)?;
    let offsets = [1_u32, 1, 4000, 4001, 8999];
    let on_gpu = rig.reducer.upload(&offsets)?;
    for first in [0_u64, 1, 31, 33] {
        let results = rig.reducer.upload(&[7_u64; 40])?;
        let mut encoder =
            rig.reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
        let slice = results.slice(first..)?;
        rig.reducer.reduce(Sum, &input).segments(&on_gpu).encode(&mut encoder, slice)?;
        rig.reducer.queue().submit([encoder.finish()]);
        let mut expected = [7_u64; 40];
        for (number, ends) in offsets.windows(2).enumerate() {
            let segment = &values[ends[0] as usize..ends[1] as usize];
            expected[usize::try_from(first)? + number] =
                segment.iter().map(|&v| u64::from(v)).sum();
        }
        let after = results.download(&rig.reducer)?;
        ensure!(after == expected, "from {first}: {after:?}");
    }
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let values = rig.reducer.upload(&[1_u32, 2])?;
    let none: GpuBuffer<u32> = rig.reducer.upload(&[])?;
    let outcome = rig.reducer.reduce(Sum, &values).segments(&none).start().and_then(Pending::wait);
    ensure!(outcome == Err(Error::InvalidOffsets { len: 2, first_wrong: None }), "{outcome:?}");
    let offsets = rig.reducer.upload(&[0_u32, 1, 2])?;
    let mut encoder =
        rig.reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
    let short: GpuBuffer<u64> = rig.reducer.alloc(1)?;
    let outcome = rig.reducer.reduce(Sum, &values).segments(&offsets).encode(&mut encoder, &short);
    ensure!(outcome == Err(Error::InvalidRange { start: 0, end: 2, len: 1 }), "{outcome:?}");
    let (input, output) = (values.slice(..1)?, values.slice(..)?);
    let outcome = rig.reducer.reduce(Max, input).segments(&offsets).encode(&mut encoder, output);
    ensure!(matches!(outcome, Err(Error::InvalidBuffer { .. })), "{outcome:?}");
    Ok(())
}

/// What has no inverse must not come near its neighbours.
fn infinities(rig: &Rig) -> Outcome {
    let mut values = vec![1.0_f32; 3000];
    values[1500] = f32::NAN;
    values[700] = f32::MAX;
    values[701] = f32::MAX;
    let input = rig.reducer.upload(&values)?;
    let offsets: Vec<u32> = (0..=300).map(|i| 10 * i).collect();
    let on_gpu = rig.reducer.upload(&offsets)?;
    let sums = rig.reducer.reduce(Sum, &input).segments(&on_gpu).start()?.wait()?;
    for (number, sum) in sums.into_iter().enumerate() {
        let is_odd = [70, 150].contains(&number);
        ensure!(is_odd != ((sum - 10.0).abs() < 1e-6), "number {number}: {sum}");
    }
    Ok(())
}
