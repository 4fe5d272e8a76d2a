//! Order statistics along axes, against those of each row as the CPU sorts it.

use crate::axis::rows;
use crate::harness::{
    Outcome, Rig, Shape, Special, TestElement, ensure, in_turn, on_every_rig, on_rigs,
    one_rig_of_each_adapter, quickest_rigs,
};
use crate::order::{bits, located_bits, with_nan};
use half::{bf16, f16};
use libtest_mimic::Trial;
use std::fmt::Debug;
use wgpu_reduce::{
    AlongFold, ArgNth, Axes, AxisTuning, BottomK, Error, Located, Matrix, Median, NanQuantiles,
    Nth, QuantileMethod, Quantiles, Ranked, TopK, View,
};

pub(crate) trait Subject: TestElement + Ranked<Figure: bytemuck::Pod> {}
impl<T: TestElement + Ranked<Figure: bytemuck::Pod>> Subject for T {}

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let alike = [
        ("order_axis::views::u8", views::<u8> as fn(&Rig) -> Outcome),
        ("order_axis::views::i8", views::<i8>),
        ("order_axis::views::u16", views::<u16>),
        ("order_axis::views::i16", views::<i16>),
        ("order_axis::views::f16", views::<f16>),
        ("order_axis::views::bf16", views::<bf16>),
        ("order_axis::views::u32", views::<u32>),
        ("order_axis::views::i32", views::<i32>),
        ("order_axis::views::f32", views::<f32>),
        ("order_axis::views::u64", views::<u64>),
        ("order_axis::views::i64", views::<i64>),
        ("order_axis::views::f64", views::<f64>),
    ];
    let mut trials = in_turn(rigs, alike);
    for (name, test) in [
        ("order_axis::several_buffers", several_buffers as fn(&Rig) -> Outcome),
        ("order_axis::again", again),
        ("order_axis::refused", refused),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    let numbers = [
        ("order_axis::numbers::f16", numbers::<f16> as fn(&Rig) -> Outcome),
        ("order_axis::numbers::bf16", numbers::<bf16>),
        ("order_axis::numbers::f32", numbers::<f32>),
        ("order_axis::numbers::f64", numbers::<f64>),
    ];
    trials.extend(in_turn(rigs, numbers));
    let slow =
        [("order_axis::lengths", lengths as fn(&Rig) -> Outcome), ("order_axis::special", special)];
    let slow = slow.into_iter().flat_map(|(name, test)| on_every_rig(rigs, name, test));
    trials.extend(one_rig_of_each_adapter(rigs, slow.collect()));
    trials.extend(on_rigs(&quickest_rigs(rigs), "order_axis::long_rows", long_rows));
    trials
}

/// Compares medians, quantiles and elements of a rank along an axis with those of each row.
pub(crate) fn check<T: Subject>(
    rig: &Rig,
    (values, before): (&[T], usize),
    (view, axis): (View, impl Axes + Copy + Debug),
    tuning: Option<AxisTuning>,
) -> Outcome
where
    Median: AlongFold<T, Output = T::Figure>,
    Nth: AlongFold<T, Output = T>,
    Quantiles: AlongFold<T, Output = Vec<T::Figure>>,
    ArgNth: AlongFold<T, Output = Located<T>>,
    BottomK: AlongFold<T, Output = Vec<Located<T>>>,
    TopK: AlongFold<T, Output = Vec<Located<T>>>,
{
    let poison = vec![T::poison(); before];
    let buffer = rig.reducer.upload(&[&poison, values, &poison].concat())?;
    let input = buffer.slice(before as u64..(before + values.len()) as u64)?;
    let rows = rows(values, view, axis);
    let what = format!("{view:?} along {axis:?} of {}, {tuning:?}", T::KIND);
    let rank = rows.first().map_or(1, Vec::len) as u64 - 1;
    let quantiles = Quantiles::new([0.9, 0.1]);
    let medians = rig.reducer.reduce(Median, input).along(view, axis);
    let medians = match tuning {
        Some(tuning) => medians.tuned(tuning).run()?,
        None => medians.run()?,
    };
    let last = rig.reducer.reduce(Nth { rank }, input).along(view, axis).run()?;
    let several = rig.reducer.reduce(quantiles.clone(), input).along(view, axis).run()?;
    ensure!([medians.len(), last.len(), several.len()] == [rows.len(); 3], "{what}");
    for (number, row) in rows.iter().enumerate() {
        let expected = Median.on_cpu(row)?;
        let median = medians[number];
        ensure!(
            bits(&[median]) == bits(&[expected]),
            "{what}: {median:?} of row {number}, not {expected:?}"
        );
        ensure!(
            bits(&[last[number]]) == bits(&[Nth { rank }.on_cpu(row)?]),
            "{what}: last of {number}"
        );
        ensure!(bits(&several[number]) == bits(&quantiles.on_cpu(row)?), "{what}: of row {number}");
    }
    if before > 1 {
        return Ok(());
    }
    let middle = ArgNth { rank: rank / 2 };
    let middles = rig.reducer.reduce(middle, input).along(view, axis).run()?;
    for (number, row) in rows.iter().enumerate() {
        let expected = middle.on_cpu(row)?;
        let [found, expected] = [middles[number], expected].map(|located| located_bits(&[located]));
        ensure!(found == expected, "{what}: {found:?} of row {number}, not {expected:?}");
    }
    check_ends(rig, (values, before), (view, axis), &rows)
}

/// Compares the elements at an end of each row: few, or all.
fn check_ends<T: Subject>(
    rig: &Rig,
    (values, before): (&[T], usize),
    (view, axis): (View, impl Axes + Copy + Debug),
    rows: &[Vec<T>],
) -> Outcome
where
    BottomK: AlongFold<T, Output = Vec<Located<T>>>,
    TopK: AlongFold<T, Output = Vec<Located<T>>>,
{
    let poison = vec![T::poison(); before];
    let buffer = rig.reducer.upload(&[&poison, values, &poison].concat())?;
    let input = buffer.slice(before as u64..(before + values.len()) as u64)?;
    let len = rows.first().map_or(1, Vec::len) as u64;
    let (top, bottom) = (TopK { k: len.min(3) }, BottomK { k: len.min(64) });
    let found = if before.is_multiple_of(2) {
        rig.reducer.reduce(top, input).along(view, axis).run()?
    } else {
        rig.reducer.reduce(bottom, input).along(view, axis).run()?
    };
    ensure!(found.len() == rows.len(), "{} rows of {view:?}", found.len());
    for (number, (row, found)) in rows.iter().zip(found).enumerate() {
        let expected =
            if before.is_multiple_of(2) { top.on_cpu(row)? } else { bottom.on_cpu(row)? };
        let [found, expected] = [found, expected].map(|all| located_bits(&all));
        ensure!(
            found == expected,
            "{view:?} along {axis:?} of {}: {found:?} of row {number}, not {expected:?}",
            T::KIND
        );
    }
    Ok(())
}

fn views<T: Subject>(rig: &Rig) -> Outcome
where
    Median: AlongFold<T, Output = T::Figure>,
    Nth: AlongFold<T, Output = T>,
    Quantiles: AlongFold<T, Output = Vec<T::Figure>>,
    ArgNth: AlongFold<T, Output = Located<T>>,
    BottomK: AlongFold<T, Output = Vec<Located<T>>>,
    TopK: AlongFold<T, Output = Vec<Located<T>>>,
{
    let small = AxisTuning {
        workgroup_size: 32,
        max_workgroups: 3,
        ..AxisTuning::for_caps(&rig.reducer.caps())
    };
    for (number, shape) in Shape::ALL.into_iter().enumerate() {
        let values = T::data(shape, 7 * 5 * 33);
        let view = View::new(&[7, 5, 33])?;
        let tuning = (number % 2 == 0).then_some(small);
        check(rig, (&values, number), (view, number % 3), tuning)?;
    }
    let values = T::data(Shape::Random, 2000);
    for axes in [&[0, 2][..], &[0, 1], &[0, 1, 2]] {
        check(rig, (&values, 1), (View::new(&[7, 5, 33])?, axes), Some(small))?;
    }
    check(rig, (&values, 3), (View::strided(&[6, 40], &[-41, 3], 500)?, 1), Some(small))?;
    check(rig, (&values, 1), (View::strided(&[3, 2, 100], &[0, 1000, 7], 5)?, 2), None)
}

fn lengths(rig: &Rig) -> Outcome {
    for len in [1, 2, 3, 31, 32, 33, 255, 257, 1025, 5000] {
        let values = f32::data(Shape::Random, 3 * len);
        check(rig, (&values, 1), (Matrix { rows: 3, columns: len }.into(), 1), None)?;
        check(rig, (&values, 0), (Matrix { rows: len, columns: 3 }.into(), 0), None)?;
    }
    // More rows than workgroups.
    let values = i16::data(Shape::Random, 9 * 3000);
    check(rig, (&values, 1), (Matrix { rows: 3000, columns: 9 }.into(), 1), None)
}

fn special(rig: &Rig) -> Outcome {
    for special in Special::ALL {
        for (values, axis) in [(special.data::<f32>(600), 1), (special.data(600), 0)] {
            let values = values.expect("floats have them");
            let view = Matrix { rows: 6, columns: 100 }.into();
            check(rig, (&values, 1), (view, axis), None)?;
            check_numbers(rig, &values, (view, &[axis]), QuantileMethod::Linear)?;
        }
    }
    Ok(())
}

/// Rows with more and less NaN: all, none and some.
fn numbers<T: Subject>(rig: &Rig) -> Outcome
where
    NanQuantiles: AlongFold<T, Output = Vec<T::Figure>>,
{
    let mut values = with_nan(&T::data(Shape::Random, 9 * 8 * 35), 3);
    values[..700].copy_from_slice(&T::data(Shape::Random, 700));
    values[1000..1500].copy_from_slice(&with_nan(&T::data(Shape::Random, 500), 1));
    let view = View::new(&[9, 8, 35])?;
    let one = [(&[2_usize][..], QuantileMethod::Hazen), (&[0], QuantileMethod::Linear)];
    let several = [(&[0, 2][..], QuantileMethod::Higher), (&[0, 1, 2], QuantileMethod::Weibull)];
    for (axes, method) in one.into_iter().chain(several) {
        check_numbers(rig, &values, (view, axes), method)?;
    }
    Ok(())
}

/// Compares quantiles of numbers with those of each row, three and one.
fn check_numbers<T: Subject>(
    rig: &Rig,
    values: &[T],
    (view, axes): (View, &[usize]),
    method: QuantileMethod,
) -> Outcome
where
    NanQuantiles: AlongFold<T, Output = Vec<T::Figure>>,
{
    let buffer = rig.reducer.upload(&[&[T::poison()], values].concat())?;
    let rows = rows(values, view, axes);
    for shares in [&[0.9, 0.5, 0.1][..], &[0.7]] {
        let quantiles = NanQuantiles::new(shares).method(method);
        let found =
            rig.reducer.reduce(quantiles.clone(), buffer.slice(1..)?).along(view, axes).run()?;
        ensure!(found.len() == rows.len(), "{} rows along {axes:?}", found.len());
        for (number, (row, found)) in rows.iter().zip(found).enumerate() {
            let expected = quantiles.on_cpu(row)?;
            ensure!(
                bits(&found) == bits(&expected),
                "along {axes:?}: {found:?} of row {number} of {}, not {expected:?}",
                T::KIND
            );
        }
    }
    Ok(())
}

/// Near what a software adapter's loops can take; longer ones are refused.
fn long_rows(rig: &Rig) -> Outcome {
    let values = i64::data(Shape::Random, 300_000);
    let input = rig.reducer.upload(&values)?;
    let mut refused = 0;
    for len in [60_000, 90_000, 120_000, 150_000, 180_000, 210_000, 240_000, 300_000] {
        let row = Matrix { rows: 1, columns: len };
        let found = rig.reducer.reduce(Median, &input).rows(row).run();
        if let Err(Error::Unsupported { .. }) = found {
            refused += 1;
            continue;
        }
        let expected = Median.on_cpu(&values[..usize::try_from(len)?])?;
        let median = found?[0];
        ensure!(median.to_bits() == expected.to_bits(), "{len}: {median}, not {expected}");
        ensure!(refused == 0, "{len} is not refused, but less is");
    }
    ensure!(refused < 8, "all are refused");
    Ok(())
}

/// As many results as take several strips, prepared and with their time.
fn again(rig: &Rig) -> Outcome {
    let values = u16::data(Shape::Random, 7 * 900);
    let input = rig.reducer.upload(&values)?;
    let quantiles = Quantiles::new([0.25, 0.5, 0.75, 0.1]);
    let request =
        rig.reducer.reduce(quantiles.clone(), &input).rows(Matrix { rows: 900, columns: 7 });
    let prepared = request.clone().timed().prepare()?;
    for _ in 0..2 {
        let found = prepared.run()?.value;
        for (row, found) in values.chunks(7).zip(&found) {
            ensure!(bits(found) == bits(&quantiles.on_cpu(row)?), "{found:?}");
        }
    }
    let batch = rig.reducer.batch([request.clone(), request]).run()?;
    ensure!(batch[0] == batch[1] && batch[0].len() == 900, "{}", batch[0].len());
    Ok(())
}

/// Rows that begin in one buffer and end in the next are refused; others are found.
fn several_buffers(rig: &Rig) -> Outcome {
    let values = u32::data(Shape::Random, 40 * 64);
    let (first, second) = values.split_at(64 * 13);
    let buffers = [rig.reducer.upload(first)?, rig.reducer.upload(second)?];
    let matrix = Matrix { rows: 40, columns: 64 };
    let medians = rig.reducer.reduce(Median, &buffers).rows(matrix).run()?;
    for (row, median) in values.chunks(64).zip(medians) {
        ensure!(median.to_bits() == Median.on_cpu(row)?.to_bits(), "{median}");
    }
    let columns = rig.reducer.reduce(Median, &buffers).columns(matrix).run();
    ensure!(matches!(columns, Err(Error::Unsupported { .. })), "{columns:?}");
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let input = rig.reducer.upload(&[1.0_f32, 2.0, 3.0, 4.0])?;
    let matrix = |rows, columns| Matrix { rows, columns };
    let beyond = rig.reducer.reduce(Nth { rank: 2 }, &input).rows(matrix(2, 2)).run();
    ensure!(matches!(beyond, Err(Error::InvalidRank { .. })), "{beyond:?}");
    let none = rig.reducer.reduce(Median, &input).rows(matrix(4, 0)).run();
    ensure!(none == Err(Error::Empty { operation: "median" }), "{none:?}");
    let no_rows = rig.reducer.reduce(Median, &input).rows(matrix(0, 4)).run()?;
    ensure!(no_rows.is_empty(), "{no_rows:?}");
    let outside = rig.reducer.reduce(Median, &input).rows(matrix(2, 3)).run();
    ensure!(matches!(outside, Err(Error::InvalidView { .. })), "{outside:?}");
    Ok(())
}
