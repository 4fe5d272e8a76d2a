//! Operations of two inputs, against their definition on the CPU.

use crate::harness::oracle::{Judged, is_near_dot};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{
    Outcome, Rig, Shape, Special, TestElement, counts, ensure, on_every_rig, stamp,
};
use half::{bf16, f16};
use libtest_mimic::{Failed, Trial};
use proptest::test_runner::{TestCaseError, TestRunner};
use wgpu_reduce::{
    Combining, Dot, Error, GpuBuffer, GpuSlices, PairOperation, Pending, Result, Tuning,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(
        rigs,
        [
            edge_lengths,
            every_pair_of_offsets,
            random_cases,
            tunings,
            several_buffers,
            shared_buffers,
            mismatches,
            encoded
        ],
        { "pairs::dot": Dot of f32, i32, u32 }
    );
    // Several elements in a word: the same kernel, but for where partners are found.
    trials.extend(stamp!(
        rigs,
        [every_pair_of_offsets, random_cases, several_buffers],
        { "pairs::dot": Dot of u8, i8, u16, i16, f16, bf16, f64 }
    ));
    trials.extend(stamp!(rigs, [specials], { "pairs::dot": Dot of f32, f16, bf16, f64 }));
    trials.extend(on_every_rig(rigs, "pairs::in_flight", in_flight));
    trials
}

/// An operation whose results can be judged.
pub(crate) trait Paired<T: TestElement>: PairOperation<T, Output: Judged> + Default {}
impl<T: TestElement, O: PairOperation<T, Output: Judged> + Default> Paired<T> for O {}

/// Reduces slices that hold these values, and compares with the definition.
fn check_slices<T: TestElement, O: Paired<T>>(
    rig: &Rig,
    slices: [&GpuSlices<'_, T>; 2],
    [left, right]: [&[T]; 2],
    what: &str,
) -> Outcome {
    let operation = O::default();
    let [a, b] = slices;
    let run =
        || rig.reducer.reduce(operation, (a.clone(), b.clone())).start().and_then(Pending::wait);
    let expected = operation.on_cpu(left, right)?;
    let plan = rig.reducer.reduce(operation, (a.clone(), b.clone())).plan()?;
    let tolerance = operation.tolerance(left, right, &plan.accuracy());
    let (result, len) = (run()?, left.len());
    ensure!(
        is_near_dot(result, expected, [left, right], (tolerance, &plan.accuracy())),
        "{what}, {len} pairs: {result:?} is not {expected:?} within {tolerance:e}\n{plan}"
    );
    let again = run()?;
    ensure!(result.same_bits(again), "{what}, {len} pairs: {again:?} after {result:?}");
    Ok(())
}

/// A buffer with `values` between poison, `before` elements of it in front.
fn upload<T: TestElement>(rig: &Rig, values: &[T], before: usize) -> Result<GpuBuffer<T>> {
    let mut padded = vec![T::poison(); before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + 5, T::poison());
    rig.reducer.upload(&padded)
}

/// Uploads both inputs between poison, and compares with the definition.
pub(crate) fn check<T: TestElement, O: Paired<T>>(
    rig: &Rig,
    [left, right]: [&[T]; 2],
    before: [usize; 2],
    what: &str,
) -> Outcome {
    let [start, partner_start] = before.map(|before| before as u64);
    let (a, b) = (upload(rig, left, before[0])?, upload(rig, right, before[1])?);
    let len = left.len() as u64;
    let a = a.slice(start..start + len)?;
    let b = b.slice(partner_start..partner_start + right.len() as u64)?;
    let what = format!("{what}, from {before:?}");
    check_slices::<T, O>(rig, [&a.into(), &b.into()], [left, right], &what)
}

/// Two inputs that are not alike.
pub(crate) fn data<T: TestElement>(shape: Shape, len: u64) -> [Vec<T>; 2] {
    let other = if shape == Shape::Cancelling { Shape::Constant } else { shape };
    [T::data(shape, len), (0..len).map(|index| T::element(other, index + 1_000_003)).collect()]
}

/// Lengths at which something in the plan changes, and their neighbours.
fn edge_lengths<T: TestElement, O: Paired<T>>(rig: &Rig) -> Outcome {
    let tuning = rig.tuning(1 << 20);
    let workgroup = u64::from(tuning.workgroup_size);
    let tile = workgroup * u64::from(tuning.min_quads_per_invocation) * 4;
    let binding = TIGHT_BINDING_BYTES / 4;
    let mut lengths = vec![0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 7919, 104_729];
    for edge in [workgroup, tile, 2 * tile, binding - 64, binding, 3 * binding] {
        lengths.extend([edge - 1, edge, edge + 1]);
    }
    for (index, len) in lengths.into_iter().enumerate() {
        let shapes = if len > 1 << 15 { &[Shape::Random][..] } else { &Shape::ALL };
        for &shape in shapes {
            let [a, b] = data::<T>(shape, len);
            let before = [[3, 3], [0, 4], [1, 2]][index % 3];
            check::<T, O>(rig, [&a, &b], before, &format!("{shape:?}"))?;
        }
    }
    Ok(())
}

/// NaN and infinity in one input or both, and the ends of the range.
fn specials<T: TestElement, O: Paired<T>>(rig: &Rig) -> Outcome {
    for len in [1, 2, 33, 1000, TIGHT_BINDING_BYTES / 4 + 3] {
        for special in Special::ALL {
            let values = special.data::<T>(len).ok_or("a type without NaN")?;
            let turned: Vec<_> = values.iter().rev().copied().collect();
            let what = format!("{special:?}");
            for partner in [&T::data(Shape::Random, len), &turned, &values] {
                check::<T, O>(rig, [&values, partner], [1, 2], &what)?;
                check::<T, O>(rig, [partner, &values], [3, 3], &what)?;
            }
        }
    }
    Ok(())
}

/// From every element of a quad in both, and past a binding's alignment.
fn every_pair_of_offsets<T: TestElement, O: Paired<T>>(rig: &Rig) -> Outcome {
    for len in [1, 4, 7, 1000, 16_389] {
        let [a, b] = data::<T>(Shape::Random, len);
        let offsets = if len < 2000 { &[0, 1, 2, 3, 4, 5, 63, 64][..] } else { &[0, 2, 3, 65] };
        for &left in offsets {
            for &right in offsets {
                check::<T, O>(rig, [&a, &b], [left, right], "offsets")?;
            }
        }
    }
    Ok(())
}

/// Random lengths, offsets and shapes, shrunk to the smallest that fails.
fn random_cases<T: TestElement, O: Paired<T>>(rig: &Rig) -> Outcome {
    let shapes = proptest::sample::select(&Shape::ALL[..]);
    let cases = (0_u64..60_000, 0_usize..80, 0_usize..80, shapes);
    TestRunner::new(counts::config(16))
        .run(&cases, |(len, left, right, shape)| {
            let [a, b] = data::<T>(shape, len);
            check::<T, O>(rig, [&a, &b], [left, right], &format!("{shape:?}"))
                .map_err(|failed| TestCaseError::fail(failed.message().unwrap_or("").to_owned()))
        })
        .map_err(|error| Failed::from(error.to_string()))
}

/// One invocation, several passes, and one pass of many workgroups.
fn tunings<T: TestElement, O: Paired<T>>(rig: &Rig) -> Outcome {
    let [a, b] = data::<T>(Shape::Random, 20_001);
    for (workgroup_size, max_workgroups, max_partials_per_workgroup, loads, combining) in [
        (1, 1, 2, 4, Combining::Passes),
        (64, 5, 2, 1, Combining::Passes),
        (32, 3, 16_384, 8, Combining::LastToArrive),
        (128, 300, 16_384, 3, Combining::LastToArrive),
    ] {
        let tuning = Tuning {
            workgroup_size,
            max_workgroups,
            max_partials_per_workgroup,
            loads_in_flight: loads,
            min_quads_per_invocation: 4,
            combining,
        };
        for before in [[1, 5], [2, 3]] {
            check::<T, O>(&rig.tuned(tuning), [&a, &b], before, &format!("{tuning:?}"))?;
        }
    }
    Ok(())
}

/// Parts of these lengths, each in a buffer of its own between poison.
fn upload_parts<T: TestElement>(
    rig: &Rig,
    mut values: &[T],
    lengths: &[usize],
    before: usize,
) -> Result<Vec<GpuBuffer<T>>> {
    let parts = lengths.iter().map(|&len| {
        let (part, rest) = values.split_at(len);
        values = rest;
        upload(rig, part, before)
    });
    parts.collect()
}

/// The parts without the poison.
fn slices<'a, T: TestElement>(
    buffers: &'a [GpuBuffer<T>],
    lengths: &[usize],
    before: usize,
) -> Result<GpuSlices<'a, T>> {
    let both = buffers.iter().zip(lengths);
    both.map(|(buffer, len)| buffer.slice(before as u64..(before + len) as u64)).collect()
}

/// Both inputs are cut, each in places of its own.
fn several_buffers<T: TestElement, O: Paired<T>>(rig: &Rig) -> Outcome {
    for [left, right] in [
        [&[][..], &[0]],
        [&[0, 5], &[5]],
        [&[1, 1, 1], &[2, 0, 1]],
        [&[1000, 7, 20_000, 1], &[21_008]],
        [&[30_000, 40_001], &[1, 2, 69_998]],
    ] {
        let len: usize = left.iter().sum();
        let [a, b] = data::<T>(Shape::Random, len as u64);
        for before in [[3, 6], [4, 8]] {
            let of_a = upload_parts(rig, &a, left, before[0])?;
            let of_b = upload_parts(rig, &b, right, before[1])?;
            let both = [&slices(&of_a, left, before[0])?, &slices(&of_b, right, before[1])?];
            check_slices::<T, O>(rig, both, [&a, &b], &format!("{left:?} and {right:?}"))?;
        }
    }
    Ok(())
}

/// An input with itself, with a part of itself that overlaps, and turned into two parts.
fn shared_buffers<T: TestElement, O: Paired<T>>(rig: &Rig) -> Outcome {
    let values = T::data(Shape::Random, 40_000);
    let buffer = rig.reducer.upload(&values)?;
    for (start, partner_start, len) in [(0, 0, 40_000), (0, 1, 39_999), (9, 4, 30_000), (5, 5, 6)] {
        let slice = |start: usize| buffer.slice(start as u64..(start + len) as u64);
        let (a, b) = (slice(start)?.into(), slice(partner_start)?.into());
        let both = [&values[start..start + len], &values[partner_start..partner_start + len]];
        check_slices::<T, O>(rig, [&a, &b], both, &format!("{start} with {partner_start}"))?;
    }
    let turned = [buffer.slice(30_000..)?, buffer.slice(..30_000)?];
    let partner = [&values[30_000..], &values[..30_000]].concat();
    check_slices::<T, O>(rig, [&(&buffer).into(), &(&turned).into()], [&values, &partner], "turned")
}

/// Inputs of different lengths are refused, also where one of them is empty.
fn mismatches<T: TestElement, O: Paired<T>>(rig: &Rig) -> Outcome {
    let buffer = rig.reducer.upload(&T::data(Shape::Random, 9))?;
    for (left, right) in [(9, 8), (0, 1), (1, 0)] {
        let (a, b) = (buffer.slice(..left)?, buffer.slice(..right)?);
        let refused = rig.reducer.reduce(O::default(), (a, b)).start().map(|_| ());
        ensure!(refused == Err(Error::LengthMismatch { left, right }), "{refused:?}");
        let [left, right] = [left, right].map(|len| T::data(Shape::Random, len));
        let refused = O::default().on_cpu(&left, &right);
        ensure!(matches!(refused, Err(Error::LengthMismatch { .. })), "{refused:?}");
    }
    Ok(())
}

/// The result goes into a buffer of the caller's, which may be that of either input.
fn encoded<T: TestElement, O: Paired<T, Raw: PartialEq>>(rig: &Rig) -> Outcome {
    let [a, b] = data::<T>(Shape::Random, 20_000);
    let result_bytes = size_of::<O::Raw>() as u64;
    let room = [a.clone(), vec![T::poison(); 64]].concat();
    for (left, right, place) in [(&a, &b, 2), (&room, &b, 0), (&a, &room, 1)] {
        let buffers = [rig.reducer.upload(left)?, rig.reducer.upload(right)?];
        let output: GpuBuffer<O::Raw> = match buffers.get(place) {
            None => rig.reducer.alloc(1)?,
            Some(buffer) => {
                let offset = (4 * a.len() as u64).next_multiple_of(result_bytes);
                GpuBuffer::from_wgpu(buffer.as_wgpu().clone(), offset, 1)?
            }
        };
        let operation = O::default();
        let slices = [buffers[0].slice(..20_000)?, buffers[1].slice(..20_000)?];
        let mut encoder =
            rig.reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        rig.reducer.reduce(operation, (slices[0], slices[1])).encode(&mut encoder, &output)?;
        rig.reducer.queue().submit([encoder.finish()]);
        let raw = output.download(&rig.reducer)?;
        let result = operation.finish(raw[0], 20_000)?;
        let (left, right) = (&left[..20_000], &right[..20_000]);
        let plan = rig.reducer.reduce(operation, (slices[0], slices[1])).plan()?;
        // One pass more, where the result is in place.
        let tolerance = 2.0 * operation.tolerance(left, right, &plan.accuracy());
        let expected = operation.on_cpu(left, right)?;
        ensure!(
            result.within(expected, tolerance),
            "in buffer {place}: {result:?}, not {expected:?}"
        );
    }
    Ok(())
}

/// Several at once, over and over, timed and not: whoever uses counters leaves them zero.
fn in_flight(rig: &Rig) -> Outcome {
    let [a, b] = data::<i32>(Shape::Random, 60_000);
    let (left, right) = (rig.reducer.upload(&a)?, rig.reducer.upload(&b)?);
    for round in 0..3 {
        let lens = [60_000, 1, 17_000, 0, 33_333_u64];
        let pending = lens.map(|len| {
            let (a, b) = (left.slice(..len).ok()?, right.slice(..len).ok()?);
            rig.reducer.reduce(Dot, (a, b)).timed().start().ok()
        });
        for (len, pending) in lens.into_iter().zip(pending) {
            let dot = pending.ok_or("it does not start")?.wait()?.value;
            let len = usize::try_from(len)?;
            let expected = Dot.on_cpu(&a[..len], &b[..len])?;
            ensure!(dot == expected, "round {round}, {len} pairs: {dot}, not {expected}");
        }
        ensure!(rig.reducer.dot(&left, &left)? == Dot.on_cpu(&a, &a)?, "round {round}: squares");
    }
    Ok(())
}
