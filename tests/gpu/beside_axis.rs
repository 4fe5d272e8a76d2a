//! Pairs and masks along axes: every result is that of its pairs, or of what the mask leaves of its elements.

use crate::axis::{like_gpus, rows};
use crate::custom::{compose_two, composed_pairs};
use crate::custom_along::check_results;
use crate::harness::oracle::{Judged, Oracle, is_near_dot};
use crate::harness::{
    Outcome, Rig, Shape, Special, TestElement, ensure, on_every_rig, one_rig_of_each_adapter, stamp,
};
use crate::masked::{Left, Placed, upload};
use crate::pairs::{Paired, data};
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu_reduce::{
    All, AnyTuning, ArgMax, ArgMin, AxisTuning, BitXor, CountNonZero, Dot, Error, GpuBuffer, Max,
    Mean, MeanExact, Median, Min, MinMax, NanMax, NanStd, Product, Stats, Sum, SumExact, Variance,
    View, WrappingSum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp!(rigs, [pairs], { "beside_axis::dot": Dot of f32, u8 });
    let of_pairs = stamp!(rigs, [few_pairs], { "beside_axis::dot": Dot of i32, f16, bf16, f64 });
    trials.extend(one_rig_of_each_adapter(rigs, of_pairs));
    trials.extend(stamp!(
        rigs,
        [masks],
        { "beside_axis::sum": Sum of f32, u8; "beside_axis::argmin": ArgMin of f32 }
    ));
    // One for each way to lift, and to accumulate.
    let of_masks = stamp!(
        rigs,
        [few_masks],
        {
            "beside_axis::sum": Sum of i16, f16, i64, f64;
            "beside_axis::wrapping_sum": WrappingSum of u32;
            "beside_axis::product": Product of i32;
            "beside_axis::min": Min of bf16, i64;
            "beside_axis::min_max": MinMax of f32;
            "beside_axis::argmax": ArgMax of u16, f64;
            "beside_axis::mean": Mean of f32, i8;
            "beside_axis::variance": Variance of f32, u8;
            "beside_axis::stats": Stats of f32;
            "beside_axis::all": All of u32;
            "beside_axis::bit_xor": BitXor of u64;
            "beside_axis::nan_max": NanMax of f32;
            "beside_axis::nan_std": NanStd of f32;
            "beside_axis::sum_exact": SumExact of f32, f64;
            "beside_axis::mean_exact": MeanExact of f32
        }
    );
    trials.extend(one_rig_of_each_adapter(rigs, of_masks));
    let exact = on_every_rig(rigs, "beside_axis::exact_of_whole_inputs", exact_of_whole_inputs);
    trials.extend(one_rig_of_each_adapter(rigs, exact));
    for (name, test) in [
        ("beside_axis::custom", custom as fn(&Rig) -> Outcome),
        ("beside_axis::several_buffers", several_buffers),
        ("beside_axis::verbs", verbs),
        ("beside_axis::refused", refused),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    trials
}

/// A view and axes of it.
type Case = (View, Vec<usize>);

/// Some of all cases, with each form of a plan: for one of many operations.
fn few_cases() -> Result<Vec<Case>, Error> {
    let all = cases()?.into_iter().enumerate();
    Ok(all.filter(|(number, _)| [2, 3, 7, 20, 21].contains(number)).map(|(_, case)| case).collect())
}

/// Rows and columns from one element to more than a binding has under tight limits; sets of axes; gaps, other orders,
/// reversed and repeated dimensions.
fn cases() -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for (rows, columns) in [(1, 1), (300, 33), (33, 300), (2, 20_003), (20_003, 2), (5000, 1)] {
        let view = View::strided(&[rows, columns], &[i64::try_from(columns).unwrap_or(0), 1], 3)?;
        cases.extend([0, 1].map(|axis| (view, vec![axis])));
    }
    let small = View::new(&[3, 5, 7])?;
    cases.extend(
        (0..8_u32).map(|set| (small, (0..3).filter(|axis| set >> axis & 1 == 1).collect())),
    );
    for (shape, strides, offset, axes) in [
        (&[7, 3, 1009][..], &[3027, 1009, 1][..], 2, &[0, 2][..]),
        (&[3, 4, 40, 2], &[-1, 40, 160, 0], 9, &[0, 2]),
        (&[100, 9, 41], &[1, 100, 900], 1, &[1]),
        (&[9, 50], &[50, -1], 49, &[1]),
        (&[4, 0], &[1, 1], 0, &[0]),
    ] {
        cases.push((View::strided(shape, strides, offset)?, axes.to_vec()));
    }
    Ok(cases)
}

/// Elements that hold all of a view, and a few behind.
fn room(view: View) -> u64 {
    let reach = view
        .shape()
        .iter()
        .zip(view.strides())
        .map(|(&extent, &stride)| extent.saturating_sub(1) * stride.max(0).unsigned_abs());
    view.offset() + reach.sum::<u64>() + 3
}

fn pairs<T: TestElement, O: Paired<T>>(rig: &Rig) -> Outcome {
    check_pairs_of::<T, O>(rig, cases()?)?;
    let view = View::new(&[130, 97])?;
    let [left, right] = data::<T>(Shape::Random, room(view));
    for tuning in tunings(rig) {
        check_pairs::<T, O>(rig, [&left, &right], (view, &[0]), Some(tuning))?;
        check_pairs::<T, O>(rig, [&left, &right], (view, &[1]), Some(tuning))?;
    }
    Ok(())
}

fn few_pairs<T: TestElement, O: Paired<T>>(rig: &Rig) -> Outcome {
    check_pairs_of::<T, O>(rig, few_cases()?)
}

/// Numbers of any size, and NaN and infinity.
fn check_pairs_of<T: TestElement, O: Paired<T>>(rig: &Rig, cases: Vec<Case>) -> Outcome {
    for (number, (view, axes)) in cases.into_iter().enumerate() {
        let [left, right] = data::<T>([Shape::Random, Shape::Extreme][number / 2 % 2], room(view));
        check_pairs::<T, O>(rig, [&left, &right], (view, &axes), None)?;
    }
    let view = View::new(&[33, 300])?;
    let [left, _] = data::<T>(Shape::Random, room(view));
    for special in Special::ALL {
        if let Some(values) = special.data::<T>(room(view)) {
            check_pairs::<T, O>(rig, [&values, &left], (view, &[1]), None)?;
        }
    }
    Ok(())
}

/// One invocation, and many that share a row.
fn tunings(rig: &Rig) -> [AxisTuning; 2] {
    let of_gpu = like_gpus(rig);
    [of_gpu, AxisTuning { workgroup_size: 1, invocations: 1, max_workgroups: 1, ..of_gpu }]
}

pub(crate) fn check_pairs<T: TestElement, O: Paired<T>>(
    rig: &Rig,
    [left, right]: [&[T]; 2],
    (view, axes): (View, &[usize]),
    tuning: Option<AxisTuning>,
) -> Outcome {
    let operation = O::default();
    let (a, b) = (upload(rig, left, (1, T::poison()))?, upload(rig, right, (6, T::poison()))?);
    let (a, b) = (a.slice(1..=left.len() as u64)?, b.slice(6..6 + right.len() as u64)?);
    let request = || rig.reducer.reduce(operation, (a, b)).along(view, axes);
    let plan = request().plan();
    if rig.is_too_tight(&plan, 16) {
        return Ok(());
    }
    let tuning = match (tuning, plan?.tuning) {
        (None, AnyTuning::Axis(default)) => default,
        (tuning, _) => tuning.ok_or("a plan along an axis has such a tuning")?,
    };
    let plan = request().tuned(tuning).plan()?;
    let results = request().tuned(tuning).run()?;
    let both = rows(left, view, axes).into_iter().zip(rows(right, view, axes));
    let mut checked = 0;
    for (number, ((row, partners), result)) in both.zip(&results).enumerate() {
        let expected = operation.on_cpu(&row, &partners)?;
        let tolerance = operation.tolerance(&row, &partners, &plan.accuracy());
        ensure!(
            is_near_dot(*result, expected, [&row, &partners], (tolerance, &plan.accuracy())),
            "{view:?} along {axes:?}, {number}: {result:?} is not {expected:?}\n{plan}"
        );
        checked += 1;
    }
    ensure!(
        checked as u64 == plan.results && checked == results.len(),
        "{} results",
        results.len()
    );
    Ok(())
}

fn masks<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    check_masks_of::<T, O>(rig, cases()?)
}

fn few_masks<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    check_masks_of::<T, O>(rig, few_cases()?)
}

fn check_masks_of<T: TestElement, O: Oracle<T, Output: Placed>>(
    rig: &Rig,
    cases: Vec<Case>,
) -> Outcome {
    for (number, (view, axes)) in cases.into_iter().enumerate() {
        // Axes take turns: data and masks are others for each.
        let shape = [Shape::Random, Shape::Extreme][number / 2 % 2];
        let left = [Left::Half, Left::Half, Left::Few, Left::Stretches, Left::All][number % 5];
        let mask = left.mask(room(view));
        check_masks::<T, O>(rig, &T::data(shape, room(view)), &mask, (view, &axes))?;
    }
    let view = View::new(&[33, 300])?;
    for special in Special::ALL {
        if let Some(values) = special.data::<T>(room(view)) {
            check_masks::<T, O>(rig, &values, &Left::Half.mask(room(view)), (view, &[0]))?;
        }
    }
    // What spoils results, everywhere but where elements count; and nothing in one row.
    let mut mask = Left::Half.mask(room(view));
    for empty in [0..0, 300 * 20..300 * 21] {
        mask[empty].fill(0);
        let spoilt = (0..).zip(&mask).map(|(index, &byte)| {
            if byte == 0 { T::poison() } else { T::element(Shape::Random, index) }
        });
        check_masks::<T, O>(rig, &spoilt.collect::<Vec<_>>(), &mask, (view, &[1]))?;
    }
    Ok(())
}

pub(crate) fn check_masks<T: TestElement, O: Oracle<T, Output: Placed>>(
    rig: &Rig,
    values: &[T],
    mask: &[u8],
    (view, axes): (View, &[usize]),
) -> Outcome {
    let operation = O::default();
    let (x, m) = (upload(rig, values, (2, T::poison()))?, upload(rig, mask, (5, 255))?);
    let (x, m) = (x.slice(2..2 + values.len() as u64)?, m.slice(5..5 + mask.len() as u64)?);
    let request = rig.reducer.reduce(operation, x).along(view, axes).masked(m);
    let plan = request.plan();
    if rig.is_too_tight(&plan, 336) {
        return Ok(());
    }
    let mut expected = Vec::new();
    for (row, bytes) in rows(values, view, axes).into_iter().zip(rows(mask, view, axes)) {
        let counted = (0_u64..).zip(row).zip(bytes).filter(|(_, byte)| *byte != 0);
        let (kept, left): (Vec<u64>, Vec<T>) = counted.map(|(element, _)| element).unzip();
        match O::expected(&left) {
            Ok(result) => expected.push((result.placed(&kept), left)),
            Err(Error::Empty { operation }) => {
                let result = expected.len() as u64;
                let empty = Some(Error::EmptyResult { operation, result });
                let outcome = request.run().map(|_| ()).err();
                ensure!(outcome == empty, "{view:?} along {axes:?}: {outcome:?}, not {empty:?}");
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
    }
    let plan = match plan {
        // No result has elements.
        Err(Error::Empty { .. }) if view.is_empty() => return Ok(()),
        plan => plan?,
    };
    let results = request.run()?;
    ensure!(results.len() == expected.len(), "{} results, not {}", results.len(), expected.len());
    for (number, (&result, (expected, left))) in results.iter().zip(&expected).enumerate() {
        ensure!(
            O::judge(result, *expected, left, &plan.accuracy()),
            "{view:?} along {axes:?}, {number}: {result:?} is not {expected:?}\n{plan}"
        );
    }
    Ok(())
}

/// Pairs by an operator of the user's, in their order.
fn custom(rig: &Rig) -> Outcome {
    for (view, axes) in few_cases()? {
        let [left, right] = data::<u32>(Shape::Random, room(view));
        let (a, b) = (rig.reducer.upload(&left)?, upload(rig, &right, (3, 0))?);
        let b = b.slice(3..3 + right.len() as u64)?;
        let results = rig.reducer.reduce(&compose_two(), (&a, b)).along(view, &axes).run()?;
        let both = rows(&left, view, &axes).into_iter().zip(rows(&right, view, &axes));
        let expected: Vec<_> = both.map(|(a, b)| composed_pairs(&a, &b)).collect();
        check_results(&results, &expected, (view, &axes))?;
    }
    Ok(())
}

/// What is beside the input is cut elsewhere.
fn several_buffers(rig: &Rig) -> Outcome {
    let (values, mask) = (u32::data(Shape::Random, 60_000), Left::Half.mask(60_000));
    let cut = |lengths: &[u64]| {
        let ends = lengths.iter().scan(0, |end, len| {
            *end += len;
            usize::try_from(*end - len).ok().zip(usize::try_from(*end).ok())
        });
        ends.map(|(start, end)| start..end).collect::<Vec<_>>()
    };
    let inputs =
        cut(&[1, 29_999, 0, 30_000]).into_iter().map(|range| rig.reducer.upload(&values[range]));
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let masks =
        cut(&[17, 40_000, 19_983]).into_iter().map(|range| rig.reducer.upload(&mask[range]));
    let masks = masks.collect::<Result<Vec<_>, _>>()?;
    let partners =
        cut(&[40_000, 20_000]).into_iter().map(|range| rig.reducer.upload(&values[range]));
    let partners = partners.collect::<Result<Vec<_>, _>>()?;
    for shape in [[300, 200], [4, 15_000], [15_000, 4]] {
        let view = View::new(&shape)?;
        for axis in 0..2 {
            let rows_of = rows(&values, view, axis);
            let found = rig.reducer.reduce(Sum, &inputs).along(view, axis).masked(&masks).run()?;
            let sum = |(row, bytes): (&Vec<u32>, Vec<u8>)| {
                let counted = row.iter().zip(bytes).filter(|(_, byte)| *byte != 0);
                counted.map(|(&value, _)| u64::from(value)).sum::<u64>()
            };
            let expected: Vec<_> = rows_of.iter().zip(rows(&mask, view, axis)).map(sum).collect();
            ensure!(found == expected, "masks of {shape:?} along {axis}");
            let found = rig.reducer.reduce(Dot, (&inputs, &partners)).along(view, axis).run()?;
            let square =
                |row: &Vec<u32>| row.iter().map(|&value| u128::from(value).pow(2)).sum::<u128>();
            let expected: Vec<_> = rows_of.iter().map(square).collect();
            ensure!(found == expected, "pairs of {shape:?} along {axis}");
        }
    }
    Ok(())
}

/// Prepared, left in buffers, in place of elements, among others in a batch, and timed.
fn verbs(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let values: Vec<i32> = (0..6000_i32).map(|index| index - 7).collect();
    let (x, mask) = (reducer.upload(&values)?, reducer.upload(&Left::Half.mask(6000))?);
    let view = View::new(&[60, 100])?;
    let masked = reducer.reduce(Mean, &x).along(view, 1).masked(&mask);
    let means = masked.run()?;
    let prepared = masked.prepare()?;
    for turn in 0..2 {
        let found = prepared.run()?;
        ensure!(found == means, "run {turn}: {found:?}");
    }
    let found = masked.clone().timed().run()?.value;
    ensure!(found == means, "timed: {found:?}");
    ensure!(reducer.batch([masked.clone(), masked]).run()? == [means.clone(), means], "a batch");

    let sums = reducer.reduce(Sum, &x).along(view, 1).masked(&mask);
    ensure!(sums.to_buffer()?.download(reducer)? == sums.run()?, "left in a buffer");
    let dots =
        reducer.reduce(Dot, (&x, &x)).columns(wgpu_reduce::Matrix { rows: 60, columns: 100 });
    let output: GpuBuffer<i128> = reducer.alloc(107)?;
    let mut encoder =
        reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    dots.encode(&mut encoder, output.slice(7..)?)?;
    reducer.queue().submit([encoder.finish()]);
    ensure!(output.download(reducer)?[7..] == dots.run()?, "encoded");
    ensure!(
        reducer.batch([dots.clone(), dots.clone()]).run()?[1] == dots.run()?,
        "a batch of pairs"
    );

    // Behind the elements, in the buffer of either input.
    let own = reducer.upload(&[&values[..], &[0; 32]].concat())?;
    for pair in [(own.slice(..6000)?, x.slice(..)?), (x.slice(..)?, own.slice(..6000)?)] {
        let bits = GpuBuffer::<i128>::from_wgpu(own.as_wgpu().clone(), 24_000, 8)?;
        let rows = reducer.reduce(Dot, pair).along(View::new(&[8, 750])?, 1);
        let expected = rows.run()?;
        rows.clone().output(&bits).run()?;
        ensure!(bits.download(reducer)? == expected, "in place");
        let among = GpuBuffer::<i128>::from_wgpu(own.as_wgpu().clone(), 16, 8)?;
        let refused = rows.output(&among).run();
        ensure!(matches!(refused, Err(Error::InvalidBuffer { .. })), "{refused:?}");
    }
    Ok(())
}

/// What has no kernel of masks of its own: exact sums are one row.
fn exact_of_whole_inputs(rig: &Rig) -> Outcome {
    for len in [1, 2, 1000, 40_003] {
        let (values, mask) = (f64::data(Shape::Cancelling, len), Left::Half.mask(len));
        let (x, m) = (rig.reducer.upload(&values)?, rig.reducer.upload(&mask)?);
        let left: Vec<_> = values
            .iter()
            .zip(&mask)
            .filter(|(_, byte)| **byte != 0)
            .map(|(&value, _)| value)
            .collect();
        let found = rig.reducer.reduce(SumExact, &x).masked(&m).run()?;
        ensure!(found.same_bits(SumExact::expected(&left)?), "{len}: {found:e}");
        let counted = rig.reducer.reduce(CountNonZero, &m).run()?;
        ensure!(counted == left.len() as u64, "{counted}");
        let found = rig.reducer.reduce(MeanExact, &x).masked(&m).run();
        let expected = MeanExact::expected(&left);
        let bits = |mean: &Result<f64, Error>| mean.clone().map(f64::to_bits);
        ensure!(bits(&found) == bits(&expected), "{len}: {found:?}, not {expected:?}");
    }
    Ok(())
}

/// Other lengths, views that do not fit, and what has no such form.
fn refused(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let (x, y) = (reducer.upload(&[1.5_f32; 12])?, reducer.upload(&[1.0_f32; 13])?);
    let mask = reducer.upload(&[1_u8; 13])?;
    let view = View::new(&[3, 4])?;
    let mismatch = Some(Error::LengthMismatch { left: 12, right: 13 });
    let pairs = reducer.reduce(Dot, (&x, &y)).along(view, 1).run().err();
    let masked = reducer.reduce(Sum, &x).along(view, 1).masked(&mask).run().err();
    ensure!(pairs == mismatch && masked == mismatch, "{pairs:?} and {masked:?}");
    let beyond = reducer.reduce(Dot, (&x, &x)).along(View::new(&[4, 4])?, 1).run().err();
    ensure!(matches!(beyond, Some(Error::InvalidView { .. })), "{beyond:?}");
    let mask = mask.slice(..12)?;
    let of_pairs = reducer.reduce(Dot, (&x, &x)).along(view, 1).masked(mask).run().map(|_| ());
    let whole = reducer.reduce(Dot, (&x, &x)).masked(mask).run().map(|_| ());
    let (operator, words) = (crate::custom::compose_one(), reducer.upload(&[1_u32; 12])?);
    let custom = reducer.reduce(&operator, &words).along(view, 1).masked(mask).run().map(|_| ());
    for refused in [of_pairs, whole, custom] {
        ensure!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
    }
    let median = reducer.reduce(Median, &x).along(view, 1).run()?;
    ensure!(median == [1.5; 3], "{median:?}");
    let max = reducer.reduce(Max, &x).along(view, 1).masked(mask).run()?;
    ensure!(max == [1.5; 3], "{max:?}");
    Ok(())
}
