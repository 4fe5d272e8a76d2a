//! Reductions along several axes at once: every result is that of its elements alone, whatever the view.

use crate::axis::{check, check_several_buffers, like_gpus, rows};
use crate::harness::oracle::Oracle;
use crate::harness::{
    Outcome, Rig, Shape, TestElement, ensure, on_every_rig, one_rig_of_each_adapter, stamp,
};
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu::CommandEncoderDescriptor;
use wgpu_reduce::{
    All, ArgMax, ArgMin, AxisTuning, BitXor, Error, GpuBuffer, Max, Mean, Min, NanArgMin, Product,
    Stats, Sum, SumExact, Variance, View,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(
        rigs,
        [shapes],
        {
            "axes::sum": Sum of f32, u8;
            "axes::argmin": ArgMin of f32
        }
    );
    let briefly = stamp!(
        rigs,
        [few_shapes],
        {
            "axes::sum": Sum of i16, f16, i64, f64;
            "axes::product": Product of i32;
            "axes::min": Min of bf16, i64;
            "axes::max": Max of u8;
            "axes::argmax": ArgMax of i8, u16, f64;
            "axes::mean": Mean of i16, f32;
            "axes::variance": Variance of f32, u8;
            "axes::stats": Stats of f32;
            "axes::all": All of u32;
            "axes::bit_xor": BitXor of u64
        }
    );
    trials.extend(one_rig_of_each_adapter(rigs, briefly));
    for (name, test) in [
        ("axes::any_views", any_views as fn(&Rig) -> Outcome),
        ("axes::many_windows", many_windows),
        ("axes::tunings_of_gpus", tunings_of_gpus),
        ("axes::exact", exact),
        ("axes::several_buffers", several_buffers),
        ("axes::encoded", encoded),
        ("axes::nothing", nothing),
        ("axes::refused", refused),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    trials
}

/// All elements of a buffer, behind a poisoned beginning and before a poisoned end.
fn contiguous<T: TestElement>(
    rig: &Rig,
    shape: &[u64],
    before: usize,
    data: Shape,
) -> Result<(GpuBuffer<T>, Vec<T>, View), libtest_mimic::Failed> {
    let mut values = vec![T::poison(); before];
    values.extend(T::data(data, shape.iter().product()));
    values.resize(values.len() + 5, T::poison());
    let strides = View::new(shape)?.strides().to_vec();
    let view = View::strided(shape, &strides, before as u64)?;
    Ok((rig.reducer.upload(&values)?, values, view))
}

/// Every set of axes of an array without gaps.
fn check_all<T: TestElement, O: Oracle<T>>(
    rig: &Rig,
    shape: &[u64],
    before: usize,
    data: Shape,
) -> Outcome {
    let (buffer, values, view) = contiguous::<T>(rig, shape, before, data)?;
    for set in 0..1_u32 << shape.len() {
        let axes: Vec<_> = (0..shape.len()).filter(|axis| set >> axis & 1 == 1).collect();
        check::<T, O>(rig, &buffer, &values, view, &axes[..], None)?;
    }
    Ok(())
}

/// Axes of one element to long ones, first, in the middle and last; rows of whole quads and of primes.
fn shapes<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    check_all::<T, O>(rig, &[3, 5, 7], 3, Shape::Extreme)?;
    check_all::<T, O>(rig, &[2, 1, 3, 4, 1, 5], 1, Shape::Random)?;
    for (shape, before) in [
        ([16, 8, 64], 0),
        ([7, 3, 1009], 2),
        ([1009, 3, 2], 0),
        ([40, 33, 31], 1),
        ([1, 900, 4], 0),
    ] {
        let (buffer, values, view) = contiguous::<T>(rig, &shape, before, Shape::Random)?;
        check::<T, O>(rig, &buffer, &values, view, [0, 2], None)?;
    }
    Ok(())
}

fn few_shapes<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    for (shape, before, data) in [([6, 4, 32], 0, Shape::Extreme), ([5, 3, 131], 3, Shape::Random)]
    {
        let (buffer, values, view) = contiguous::<T>(rig, &shape, before, data)?;
        check::<T, O>(rig, &buffer, &values, view, [2, 0], None)?;
        check::<T, O>(rig, &buffer, &values, view, [0, 1], None)?;
    }
    Ok(())
}

/// Numbers that look random, the same on every run.
struct Chance(u64);

impl Chance {
    /// One of `0..end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A view with its dimensions in any order, with gaps, reversed and repeated, and some of its axes.
fn any_view(chance: &mut Chance) -> Result<(View, Vec<usize>), Error> {
    let rank = 1 + usize::try_from(chance.below(6)).unwrap_or(0);
    let long = chance.below(rank as u64);
    let mut order: Vec<_> = (0..rank).map(|number| (chance.below(100), number)).collect();
    order.sort_unstable();
    let (mut shape, mut strides) = (vec![0; rank], vec![0; rank]);
    let (mut stride, mut offset) = (1_i64, chance.below(9));
    for (_, number) in order {
        let most = if number as u64 == long { 60 } else { 5 };
        let extent = 1 + chance.below(most);
        let kind = chance.below(6);
        shape[number] = extent;
        strides[number] = match kind {
            0 => 0,
            1 => -stride,
            _ => stride,
        };
        if kind == 1 {
            offset += (extent - 1) * stride.unsigned_abs();
        }
        let gap = if chance.below(3) == 0 { chance.below(3) } else { 0 };
        stride *= (extent + gap).cast_signed();
    }
    let set = chance.below(1 << rank);
    let axes = (0..rank).rev().filter(|axis| set >> axis & 1 == 1).collect();
    Ok((View::strided(&shape, &strides, offset)?, axes))
}

fn any_views(rig: &Rig) -> Outcome {
    let values = i32::data(Shape::Tiny, 60_000);
    let buffer = rig.reducer.upload(&values)?;
    let (mut chance, mut tried) = (Chance(7), 0);
    while tried < 60 {
        let (view, axes) = any_view(&mut chance)?;
        let reach =
            view.shape().iter().zip(view.strides()).map(|(n, s)| (n - 1) * s.unsigned_abs());
        if view.len() > 20_000 || view.offset() + reach.sum::<u64>() >= 60_000 {
            continue;
        }
        tried += 1;
        if rig.is_too_tight(&rig.reducer.reduce(ArgMin, &buffer).along(view, &axes).plan(), 12) {
            continue;
        }
        check::<i32, Sum>(rig, &buffer, &values, view, &axes[..], None)?;
        if tried % 3 == 0 {
            check::<i32, ArgMin>(rig, &buffer, &values, view, &axes[..], None)?;
        }
    }
    Ok(())
}

/// More than one tight binding holds, of axes that are neighbours in memory and that are not.
fn many_windows(rig: &Rig) -> Outcome {
    let (buffer, values, view) = contiguous::<i32>(rig, &[9, 41, 300], 3, Shape::Random)?;
    let turned = View::strided(&[300, 9, 41], &[1, 12_300, 300], 3)?;
    for axes in [&[0, 2][..], &[0, 1], &[1, 2], &[0, 1, 2]] {
        check::<i32, Sum>(rig, &buffer, &values, view, axes, None)?;
        check::<i32, ArgMax>(rig, &buffer, &values, view, axes, None)?;
        check::<i32, Sum>(rig, &buffer, &values, turned, axes, None)?;
        check::<i32, ArgMin>(rig, &buffer, &values, turned, axes, None)?;
    }
    // One result, of rows that are apart.
    let apart = View::strided(&[9, 20, 150], &[12_300, 600, 2], 3)?;
    check::<i32, Sum>(rig, &buffer, &values, apart, [0, 1, 2], None)?;
    check::<i32, ArgMin>(rig, &buffer, &values, apart, [0, 1, 2], None)
}

/// The forms that large GPUs get: several rows in flight, several workgroups to a row, short teams.
fn tunings_of_gpus(rig: &Rig) -> Outcome {
    let of_gpu = AxisTuning { max_workgroups: 64, ..like_gpus(rig) };
    let few = AxisTuning { invocations: 64, max_workgroups: 3, max_partial_bytes: 64, ..of_gpu };
    for tuning in [of_gpu, few] {
        for shape in [[2, 3, 9000], [64, 16, 64], [300, 7, 4], [3000, 2, 2]] {
            let (buffer, values, view) = contiguous::<f32>(rig, &shape, 0, Shape::Random)?;
            check::<f32, Sum>(rig, &buffer, &values, view, [0, 2], Some(&tuning))?;
            let (buffer, values, view) = contiguous::<i32>(rig, &shape, 1, Shape::Tiny)?;
            check::<i32, ArgMax>(rig, &buffer, &values, view, [0, 2], Some(&tuning))?;
        }
    }
    Ok(())
}

/// Exact sums are what they are of the same elements in one row, bit for bit.
fn exact(rig: &Rig) -> Outcome {
    for (shape, axes) in [([6, 5, 70], &[0, 2][..]), ([130, 3, 4], &[0, 2]), ([5, 9, 33], &[0, 1])]
    {
        let (buffer, values, view) = contiguous::<f32>(rig, &shape, 1, Shape::Extreme)?;
        let sums = rig.reducer.reduce(SumExact, &buffer).along(view, axes).run()?;
        let rows = rows(&values, view, axes);
        ensure!(sums.len() == rows.len(), "{} sums of {}", sums.len(), rows.len());
        for (sum, row) in sums.iter().zip(rows) {
            let expected = rig.reducer.reduce(SumExact, &rig.reducer.upload(&row)?).run()?;
            ensure!(sum.to_bits() == expected.to_bits(), "{shape:?}: {sum} is not {expected}");
        }
    }
    Ok(())
}

fn several_buffers(rig: &Rig) -> Outcome {
    for view in [View::new(&[10, 30, 100])?, View::strided(&[30, 20, 50], &[1, -30, 600], 570)?] {
        for axes in [[0, 2], [0, 1], [1, 2]] {
            check_several_buffers(rig, view, &axes)?;
        }
    }
    Ok(())
}

/// Results that stay on the GPU: in a buffer of their own, at an offset, and behind the input.
fn encoded(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let (_, values, _) = contiguous::<i32>(rig, &[12, 10, 25], 0, Shape::Extreme)?;
    let values = &values[..3000];
    let buffer = reducer.upload(values)?;
    let view = View::new(&[12, 10, 25])?;
    for axes in [&[0, 2][..], &[0, 1], &[0, 1, 2]] {
        let rows = rows(values, view, axes);
        let expected: Vec<i64> =
            rows.iter().map(|row| row.iter().map(|&value| i64::from(value)).sum()).collect();
        let sums = reducer.reduce(Sum, &buffer).along(view, axes);
        ensure!(
            sums.to_buffer()?.download(reducer)? == expected,
            "{axes:?}, in a buffer of its own"
        );
        ensure!(sums.prepare()?.run()? == expected, "{axes:?}, prepared");
        let output = reducer.upload(&[-1_i64; 40])?;
        let mut encoder =
            reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
        sums.encode(&mut encoder, output.slice(5..)?)?;
        reducer.queue().submit([encoder.finish()]);
        let left = output.download(reducer)?;
        let after = 5 + expected.len();
        ensure!(left[5..after] == expected[..], "{axes:?}, at an offset: {left:?}");
        let around = left[..5].iter().chain(&left[after..]);
        ensure!(around.copied().all(|value| value == -1), "{axes:?}, around it: {left:?}");
        let whole =
            GpuBuffer::<i32>::from_wgpu(reducer.alloc::<i64>(1600)?.as_wgpu().clone(), 0, 3200)?;
        reducer.write(&whole, values)?;
        let place = GpuBuffer::<i64>::from_wgpu(whole.as_wgpu().clone(), 4 * 3000, 100)?;
        let mut encoder =
            reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
        reducer.reduce(Sum, &whole).along(view, axes).encode(&mut encoder, &place)?;
        reducer.queue().submit([encoder.finish()]);
        let left = place.download(reducer)?;
        ensure!(left[..expected.len()] == expected[..], "{axes:?}, in the input's buffer");
    }
    Ok(())
}

/// No axes, no elements along them, and no positions of the others.
fn nothing(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let values = i32::data(Shape::Random, 720);
    let buffer = reducer.upload(&values)?;
    let same: Vec<i64> = values.iter().copied().map(i64::from).collect();
    for view in [View::new(&[720])?, View::new(&[2, 3, 4, 5, 3, 2])?] {
        ensure!(reducer.reduce(Sum, &buffer).along(view, []).run()? == same, "{view:?}, no axes");
        let found = reducer.reduce(ArgMax, &buffer).along(view, []).run()?;
        ensure!(found.iter().all(|found| found.index == 0), "{view:?}: {found:?}");
    }
    // No two of its dimensions can be counted as one.
    let apart = View::strided(&[2, 3, 2, 3, 2, 2], &[1, 3, 12, 40, 150, 330], 0)?;
    for axes in [&[][..], &[4], &[0, 5], &[0, 2, 4], &[0, 1, 2, 3, 4, 5]] {
        check::<i32, Sum>(rig, &buffer, &values, apart, axes, None)?;
        check::<i32, ArgMin>(rig, &buffer, &values, apart, axes, None)?;
    }
    for (shape, axes, results) in [
        ([0, 5, 3], [0, 2], 5),
        ([4, 5, 0], [0, 2], 5),
        ([0, 5, 0], [2, 0], 5),
        ([4, 0, 3], [0, 2], 0),
    ] {
        let view = View::new(&shape)?;
        let sums = reducer.reduce(Sum, &buffer).along(view, axes).run()?;
        ensure!(sums == vec![0; results], "{shape:?}: {sums:?}");
        let most = reducer.reduce(Max, &buffer).along(view, axes).run();
        let expected =
            if results == 0 { Ok(vec![]) } else { Err(Error::Empty { operation: "max" }) };
        ensure!(most == expected, "{shape:?}: {most:?}");
    }
    // The first result of which no element counts is named.
    let mut values = [1.0_f32; 24];
    for place in [4, 5, 6, 7, 16, 17, 18, 19] {
        values[place] = f32::NAN;
    }
    let buffer = reducer.upload(&values)?;
    let error =
        reducer.reduce(NanArgMin, &buffer).along(View::new(&[2, 3, 4])?, [0, 2]).run().err();
    let expected = Error::EmptyResult { operation: "nan_argmin", result: 1 };
    ensure!(error == Some(expected), "{error:?}");
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let buffer = reducer.upload(&[1_u32; 60])?;
    let view = View::new(&[3, 4, 5])?;
    let told = |axes: &[usize]| match reducer.reduce(Sum, &buffer).along(view, axes).start().err() {
        Some(Error::InvalidView { what }) => what,
        other => format!("{other:?}"),
    };
    for (axes, expected) in [
        (&[0, 3][..], "there is no axis 3: it has 3 dimensions"),
        (&[1, 9], "there is no axis 9: it has 3 dimensions"),
        (&[2, 0, 2], "axis 2 is named twice"),
    ] {
        ensure!(told(axes) == expected, "{axes:?}: {}", told(axes));
    }
    let longer = View::new(&[3, 4, 6])?;
    let error = reducer.reduce(Sum, &buffer).along(longer, [0, 2]).start().err();
    ensure!(matches!(error, Some(Error::InvalidView { .. })), "past the end: {error:?}");
    let mut encoder = reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
    let output = reducer.alloc::<u64>(3)?;
    let error = reducer.reduce(Sum, &buffer).along(view, [0, 2]).encode(&mut encoder, &output);
    ensure!(error == Err(Error::InvalidRange { start: 0, end: 4, len: 3 }), "{error:?}");
    Ok(())
}
