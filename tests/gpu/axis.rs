//! Reductions along an axis: every result is that of its row alone, whatever the shape.

use crate::harness::oracle::{Judged as _, Oracle};
use crate::harness::{
    Outcome, Rig, Shape, TestElement, ensure, on_every_rig, one_rig_of_each_adapter, others, stamp,
    stamp_all,
};
use half::{bf16, f16};
use libtest_mimic::Trial;
use std::fmt::Debug;
use wgpu_reduce::{
    All, Any, ArgMax, ArgMin, Axes, AxisTuning, BitOr, BitXor, Error, GpuBuffer, Matrix, Max, Mean,
    Min, NanArgMax, NanArgMin, NanMax, Pending, Product, Sum, SumOfSquares, Variance, View,
    WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    // One for each way to accumulate, to lift and to lie in words.
    let mut trials = stamp!(
        rigs,
        [axis_shapes],
        {
            "axis::sum": Sum of f32, u8, i16, i64;
            "axis::argmin": ArgMin of f32
        }
    );
    let mut briefly = stamp!(
        rigs,
        [axis_briefly],
        {
            "axis::sum": Sum of i32, u16, f16, bf16, u64, f64;
            "axis::wrapping_sum": WrappingSum of i8;
            "axis::product": Product of i32, f64;
            "axis::sum_of_squares": SumOfSquares of u32;
            "axis::min": Min of f16, bf16, i64;
            "axis::max": Max of u8;
            "axis::argmax": ArgMax of i8, u16, f64;
            "axis::mean": Mean of i16;
            "axis::variance": Variance of u8;
            "axis::all": All of u32;
            "axis::any": Any of u8;
            "axis::bit_or": BitOr of i16;
            "axis::bit_xor": BitXor of u64
        }
    );
    briefly.extend(others(stamp_all!(rigs, [axis_briefly], "axis::", leading), &trials));
    trials.extend(one_rig_of_each_adapter(rigs, briefly));
    for (name, test) in [
        ("axis::tunings_of_gpus", tunings_of_gpus as fn(&Rig) -> Outcome),
        ("axis::strided_views", strided_views),
        ("axis::no_rows_and_no_columns", no_rows_and_no_columns),
        ("axis::rows_of_nan", rows_of_nan),
        ("axis::encoded", encoded),
        ("axis::timed", timed),
        ("axis::several_buffers", several_buffers),
        ("axis::refused", refused),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    trials
}

/// Reduces a view of a buffer, with this tuning or the default, and asks the oracle about every row.
pub(crate) fn check<T: TestElement, O: Oracle<T>>(
    rig: &Rig,
    buffer: &GpuBuffer<T>,
    values: &[T],
    view: View,
    axis: impl Axes + Copy + Debug,
    tuning: Option<&AxisTuning>,
) -> Outcome {
    let run = || match tuning {
        None => rig
            .reducer
            .reduce(O::default(), buffer)
            .along(view, axis)
            .start()
            .and_then(Pending::wait),
        Some(tuning) => rig
            .reducer
            .reduce(O::default(), buffer)
            .along(view, axis)
            .tuned(*tuning)
            .timed()
            .start()
            .and_then(Pending::wait)
            .map(|timed| timed.value),
    };
    let rows = rows(values, view, axis);
    let expected: Result<Vec<_>, _> =
        rows.iter().zip(0..).map(|(row, number)| expected_of::<T, O>(row, number)).collect();
    let expected = match expected {
        Ok(expected) => expected,
        Err(error) => {
            let outcome = run();
            ensure!(outcome.as_ref().err() == Some(&error), "{view:?} along {axis:?}: {outcome:?}");
            return Ok(());
        }
    };
    let plan = rig.reducer.reduce(O::default(), buffer).along(view, axis).plan()?;
    let results = run()?;
    ensure!(results.len() == rows.len(), "{} results of {} rows", results.len(), rows.len());
    for (number, (row, (&result, &expected))) in
        rows.iter().zip(results.iter().zip(&expected)).enumerate()
    {
        // A bound that the tuning does not change by much: other plans have no more roundings than it
        // has elements.
        let mut of_one = plan.accuracy();
        if tuning.is_some() {
            of_one.roundings = of_one.roundings.max(row.len() as u64 + 8);
        }
        ensure!(
            O::judge(result, expected, row, &of_one),
            "{view:?} along {axis:?}, row {number}: {result:?} is not {expected:?}; {plan}"
        );
    }
    let again = run()?;
    let same = results.iter().zip(&again).all(|(first, second)| first.same_bits(*second));
    ensure!(same, "{view:?} along {axis:?}: not the same bits again");
    Ok(())
}

/// The result of a row, or the error that is told of it.
fn expected_of<T: TestElement, O: Oracle<T>>(
    row: &[T],
    number: u64,
) -> wgpu_reduce::Result<O::Output> {
    O::expected(row).map_err(|error| match error {
        // Where the axis has no elements, no row has any.
        Error::Empty { operation } if !row.is_empty() => {
            Error::EmptyResult { operation, result: number }
        }
        error => error,
    })
}

/// The elements of each row, by definition: those of several axes row-major.
pub(crate) fn rows<T: Copy>(values: &[T], view: View, axes: impl Axes) -> Vec<Vec<T>> {
    let (shape, strides, axes) = (view.shape(), view.strides(), axes.numbers());
    // How far each position of some dimensions is from the first.
    let far = |is_reduced: bool| {
        let dimensions =
            (0..shape.len()).filter(|dimension| axes.contains(dimension) == is_reduced);
        dimensions.fold(vec![0_i64], |far, dimension| {
            let steps = 0..i64::try_from(shape[dimension]).expect("small");
            let steps = steps.map(|step| step * strides[dimension]);
            far.iter().flat_map(|before| steps.clone().map(move |step| before + step)).collect()
        })
    };
    let (firsts, along) = (far(false), far(true));
    let offset = i64::try_from(view.offset()).expect("small");
    let value = |at: i64| values[usize::try_from(offset + at).expect("inside")];
    firsts.iter().map(|first| along.iter().map(|r| value(first + r)).collect()).collect()
}

/// Matrices of all kinds of shape, along both axes, behind a poisoned beginning and before a poisoned end.
pub(crate) fn check_shapes<T: TestElement, O: Oracle<T>>(
    rig: &Rig,
    shapes: &[(u64, u64)],
    before: usize,
    data: Shape,
    tuning: Option<&AxisTuning>,
) -> Outcome {
    for &(rows, columns) in shapes {
        let len = rows * columns;
        let mut values = vec![T::poison(); before];
        values.extend(T::data(data, len));
        values.resize(values.len() + 5, T::poison());
        let buffer = rig.reducer.upload(&values)?;
        let strides = [i64::try_from(columns)?, 1];
        let view = View::strided(&[rows, columns], &strides, before as u64)?;
        for axis in 0..2 {
            check::<T, O>(rig, &buffer, &values, view, axis, tuning)?;
        }
    }
    Ok(())
}

/// From one element to rows that need several bindings under tight limits; whole quads and primes.
fn axis_shapes<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let shapes = [(1, 1), (1, 7919), (7919, 1), (2, 3), (5, 16), (64, 64), (17, 1000), (3, 40_003)];
    check_shapes::<T, O>(rig, &shapes, 0, Shape::Random, None)?;
    let shapes = [(1009, 3), (401, 31), (96, 128), (13, 1009), (40_003, 2)];
    check_shapes::<T, O>(rig, &shapes, 3, Shape::Extreme, None)
}

fn axis_briefly<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    check_shapes::<T, O>(rig, &[(16, 64)], 0, Shape::Extreme, None)?;
    check_shapes::<T, O>(rig, &[(7, 1009)], 3, Shape::Random, None)?;
    // None of either, and one.
    check_shapes::<T, O>(rig, &[(0, 5), (5, 0), (1, 127), (127, 1)], 1, Shape::Random, None)
}

/// Several rows in flight, and teams for many results.
pub(crate) fn like_gpus(rig: &Rig) -> AxisTuning {
    let caps = rig.reducer.caps();
    let default = AxisTuning::for_caps(&caps);
    AxisTuning {
        workgroup_size: default.workgroup_size.max(128).min(caps.max_workgroup_size),
        invocations: 4096,
        loads_in_flight: 8,
        rows_in_flight: 4,
        ..default
    }
}

/// The forms that large GPUs get: several rows in flight, several workgroups to a row, short teams.
fn tunings_of_gpus(rig: &Rig) -> Outcome {
    let of_gpu = AxisTuning { max_workgroups: 64, ..like_gpus(rig) };
    let few = AxisTuning { invocations: 64, max_workgroups: 3, rows_in_flight: 2, ..of_gpu };
    let shapes =
        [(9973, 1), (4099, 4), (700, 24), (40, 1021), (3, 20_000), (1, 65_537), (2048, 16)];
    for tuning in [of_gpu, few] {
        check_shapes::<f32, Sum>(rig, &shapes, 0, Shape::Random, Some(&tuning))?;
        check_shapes::<i32, ArgMax>(rig, &shapes[1..5], 1, Shape::Tiny, Some(&tuning))?;
        // Results of a word by quads: of rows of one and two, and of columns of one to seven.
        let short = [(4096, 1), (2052, 2), (3, 4100), (7, 64), (8, 1000)];
        check_shapes::<f32, Sum>(rig, &short, 0, Shape::Random, Some(&tuning))?;
        check_shapes::<u32, Max>(rig, &short, 4, Shape::Extreme, Some(&tuning))?;
    }
    check_shapes::<f32, Variance>(rig, &shapes[2..4], 0, Shape::Random, Some(&of_gpu))
}

/// Every axis of views with gaps, in other orders, reversed and repeated.
fn strided_views(rig: &Rig) -> Outcome {
    let values = i32::data(Shape::Random, 60_000);
    let buffer = rig.reducer.upload(&values)?;
    for (shape, strides, offset) in [
        (&[20, 30, 40][..], &[1200, 40, 1][..], 0),
        // Fortran's order, and a slice of every second of a reversed axis.
        (&[20, 30, 40], &[1, 20, 600], 7),
        (&[10, 30, 40], &[2400, 40, -1], 39),
        (&[5, 1, 6, 7, 8, 9], &[3024, 1, 504, 72, 9, 1], 3),
        (&[3, 4, 5, 2, 3, 2], &[-1, 3, 70, 12, 25, 350], 2),
        // A row that is repeated, and an element.
        (&[4, 100, 3], &[0, 1, 100], 0),
        (&[3, 5], &[0, 0], 11),
        (&[2, 7], &[30_000, 4000], 5),
    ] {
        let view = View::strided(shape, strides, offset)?;
        for axis in 0..shape.len() {
            check::<i32, Sum>(rig, &buffer, &values, view, axis, None)?;
        }
        check::<i32, ArgMin>(rig, &buffer, &values, view, shape.len() - 1, None)?;
        check::<i32, ArgMin>(rig, &buffer, &values, view, 0, None)?;
    }
    Ok(())
}

fn no_rows_and_no_columns(rig: &Rig) -> Outcome {
    let buffer = rig.reducer.upload::<f32>(&[])?;
    let reducer = &rig.reducer;
    let no_columns = Matrix { rows: 300, columns: 0 };
    ensure!(reducer.reduce(Sum, &buffer).rows(no_columns).run()? == [0.0; 300], "sums of nothing");
    ensure!(reducer.reduce(Sum, &buffer).columns(no_columns).run()?.is_empty(), "no columns");
    let all = reducer.reduce(All, &buffer).rows(no_columns).start()?.wait()?;
    ensure!(all == [true; 300], "all of nothing: {all:?}");
    let error = reducer.reduce(Max, &buffer).rows(no_columns).start().map(drop);
    ensure!(error == Err(Error::Empty { operation: "max" }), "{error:?}");
    let none = reducer.reduce(Max, &buffer).columns(no_columns).start()?.wait()?;
    ensure!(none.is_empty(), "{none:?}");
    let no_rows = Matrix { rows: 0, columns: 5 };
    ensure!(reducer.reduce(Sum, &buffer).rows(no_rows).run()?.is_empty(), "no rows");
    ensure!(reducer.reduce(Sum, &buffer).columns(no_rows).run()? == [0.0; 5], "sums of no rows");
    Ok(())
}

/// The first result of which no element counts is named, in the order of the results.
fn rows_of_nan(rig: &Rig) -> Outcome {
    let mut values = [1.0_f32; 24];
    // A view of 2 by 3 by 4: all of (1, 0, ..), of (1, 1, ..) and of (.., 1, 2).
    values[12..20].fill(f32::NAN);
    values[6] = f32::NAN;
    let buffer = rig.reducer.upload(&values)?;
    let view = View::new(&[2, 3, 4])?;
    let named = |operation, result| Some(Error::EmptyResult { operation, result });
    let error = rig.reducer.reduce(NanArgMax, &buffer).along(view, 2).start()?.wait().err();
    ensure!(error == named("nan_argmax", 3), "{error:?}");
    let error = rig.reducer.reduce(NanArgMin, &buffer).along(view, 0).start()?.wait().err();
    ensure!(error == named("nan_argmin", 6), "{error:?}");
    let tuning = AxisTuning::for_caps(&rig.reducer.caps());
    let timed =
        rig.reducer.reduce(NanArgMin, &buffer).along(view, 2).tuned(tuning).timed().start()?.wait();
    ensure!(timed.as_ref().err() == named("nan_argmin", 3).as_ref(), "{timed:?}");
    let most = rig.reducer.reduce(NanMax, &buffer).along(view, 1).start()?.wait()?;
    ensure!(most == [1.0; 8], "{most:?}");
    Ok(())
}

/// Results that stay on the GPU: in a buffer of their own, at an offset, and behind the input.
fn encoded(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let values = i32::data(Shape::Extreme, 60 * 50);
    let buffer = reducer.upload(&values)?;
    let matrix = Matrix { rows: 60, columns: 50 };
    for axis in 0..2 {
        let expected: Vec<i64> = rows(&values, matrix.into(), axis)
            .iter()
            .map(|row| row.iter().map(|&value| i64::from(value)).sum())
            .collect();
        let own = reducer.reduce(Sum, &buffer).along(matrix, axis).to_buffer()?;
        ensure!(own.download(reducer)? == expected, "axis {axis}, in a buffer of its own");
        let output = reducer.upload(&[-1_i64; 70])?;
        let mut encoder =
            reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        reducer
            .reduce(Sum, &buffer)
            .along(matrix, axis)
            .encode(&mut encoder, output.slice(5..)?)?;
        reducer.queue().submit([encoder.finish()]);
        let left = output.download(reducer)?;
        let after = 5 + expected.len();
        ensure!(left[5..after] == expected[..], "axis {axis}, at an offset: {left:?}");
        let around = left[..5].iter().chain(&left[after..]);
        ensure!(around.copied().all(|value| value == -1), "axis {axis}, around it: {left:?}");
        // As 64-bit numbers they begin behind the last element.
        let whole =
            GpuBuffer::<i32>::from_wgpu(reducer.alloc::<i64>(1600)?.as_wgpu().clone(), 0, 3200)?;
        reducer.write(&whole, &values)?;
        let place = GpuBuffer::<i64>::from_wgpu(whole.as_wgpu().clone(), 4 * 3000, 100)?;
        let mut encoder =
            reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        reducer.reduce(Sum, &whole).along(matrix, axis).encode(&mut encoder, &place)?;
        reducer.queue().submit([encoder.finish()]);
        let left = place.download(reducer)?;
        ensure!(left[..expected.len()] == expected[..], "axis {axis}, in the input's buffer");
    }
    Ok(())
}

/// Results that stay on the GPU, of runs in order, with their times where the device has them.
fn timed(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let values = u32::data(Shape::Random, 70 * 40);
    let buffer = reducer.upload(&values)?;
    let matrix = Matrix { rows: 70, columns: 40 };
    let output = reducer.upload(&[7_u32; 80])?;
    let tuning =
        AxisTuning { invocations: 128, max_workgroups: 2, ..AxisTuning::for_caps(&reducer.caps()) };
    let place = output.slice(3..)?;
    let runs = [0, 1].map(|axis| {
        reducer
            .reduce(WrappingSum, &buffer)
            .along(matrix, axis)
            .tuned(tuning)
            .output(place)
            .timed()
            .start()
    });
    for run in runs {
        let gpu_ns = run?.wait()?.gpu_ns;
        ensure!(gpu_ns.is_none_or(|gpu_ns| gpu_ns > 0.0), "{gpu_ns:?}");
    }
    let expected: Vec<u32> = rows(&values, matrix.into(), 1)
        .iter()
        .map(|row| row.iter().fold(0_u32, |sum, &value| sum.wrapping_add(value)))
        .collect();
    let left = output.download(reducer)?;
    ensure!(left[3..73] == expected[..], "{left:?}");
    ensure!(left[..3] == [7; 3] && left[73..] == [7; 7], "around it: {left:?}");
    let error = reducer
        .reduce(Sum, &buffer)
        .along(matrix, 0)
        .tuned(tuning)
        .output(&reducer.alloc(39)?)
        .timed()
        .start()
        .err();
    ensure!(error == Some(Error::InvalidRange { start: 0, end: 40, len: 39 }), "{error:?}");
    let tuning = AxisTuning { loads_in_flight: 0, ..tuning };
    let error = reducer
        .reduce(WrappingSum, &buffer)
        .along(matrix, 1)
        .tuned(tuning)
        .output(place)
        .timed()
        .start()
        .err();
    ensure!(matches!(error, Some(Error::InvalidTuning { .. })), "{error:?}");
    Ok(())
}

fn several_buffers(rig: &Rig) -> Outcome {
    let apart = View::strided(&[30, 20, 50], &[1, -30, 600], 570)?;
    for axis in 0..2 {
        check_several_buffers(rig, View::new(&[100, 300])?, &[axis])?;
    }
    for axis in 0..3 {
        check_several_buffers(rig, apart, &[axis])?;
    }
    Ok(())
}

/// One input, cut anywhere: within rows, between them, and into nothing.
pub(crate) fn check_several_buffers(rig: &Rig, view: View, axes: &[usize]) -> Outcome {
    let values = i32::data(Shape::Random, 30_000);
    let cuts = [0, 2, 2, 7_001, 15_000, 30_000];
    let parts: Vec<_> = cuts.windows(2).map(|cut| &values[cut[0]..cut[1]]).collect();
    let buffers = parts.iter().map(|part| {
        let padded = [&[i32::poison(); 3][..], part, &[i32::poison(); 2]].concat();
        rig.reducer.upload(&padded)
    });
    let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
    let slices: Vec<_> = buffers
        .iter()
        .zip(&parts)
        .map(|(buffer, part)| buffer.slice(3..3 + part.len() as u64))
        .collect::<Result<_, _>>()?;
    let rows = rows(&values, view, axes);
    let expected: Vec<i64> =
        rows.iter().map(|row| row.iter().map(|&value| i64::from(value)).sum()).collect();
    let sums = rig.reducer.reduce(Sum, &slices[..]).along(view, axes).run()?;
    ensure!(sums == expected, "{view:?} along {axes:?}");
    let least = |row: &Vec<i32>| {
        let least = row.iter().enumerate().min_by_key(|&(_, value)| value);
        least.map(|(index, &value)| (index as u64, value))
    };
    let found = rig.reducer.reduce(ArgMin, &slices[..]).along(view, axes).run()?;
    let found: Vec<_> = found.iter().map(|found| Some((found.index, found.value))).collect();
    let expected: Vec<_> = rows.iter().map(least).collect();
    ensure!(found == expected, "{view:?} along {axes:?}: places");
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let buffer = reducer.upload(&[1_u32; 100])?;
    let is_view = |error: Option<Error>| matches!(error, Some(Error::InvalidView { .. }));
    let view = View::new(&[10, 10])?;
    ensure!(is_view(reducer.reduce(Sum, &buffer).along(view, 2).start().err()), "an axis too many");
    let longer = Matrix { rows: 11, columns: 10 };
    ensure!(
        is_view(reducer.reduce(Sum, &buffer).rows(longer).run().err()),
        "more rows than there are"
    );
    let slice = buffer.slice(1..)?;
    ensure!(
        is_view(reducer.reduce(Sum, slice).along(view, 0).start().err()),
        "past the slice's end"
    );
    let output = reducer.alloc::<u64>(9)?;
    let mut encoder =
        reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let error = reducer.reduce(Sum, &buffer).along(view, 0).encode(&mut encoder, &output);
    let expected = Err(Error::InvalidRange { start: 0, end: 10, len: 9 });
    ensure!(error == expected, "{error:?}");
    let tuning = AxisTuning { workgroup_size: 3, ..AxisTuning::for_caps(&reducer.caps()) };
    let error = reducer.reduce(Sum, &buffer).along(view, 0).tuned(tuning).timed().start().err();
    ensure!(matches!(error, Some(Error::InvalidTuning { .. })), "{error:?}");
    Ok(())
}
