//! Exact sums along an axis: the bits of the host's, however the elements are cut.

use crate::axis::like_gpus;
use crate::exact::cases::{Float, Mix, Random, fraction, least, number, zero};
use crate::exact::committed::Committed;
use crate::exact::{known, known_f64, nan};
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu_reduce::{
    AdapterClass, AxisTuning, CustomOp, Element, ExactSum, GpuBuffer, Matrix, MeanExact, Operation,
    Pending, SumExact, View,
};

macro_rules! trials {
    ($rigs:ident, $T:ty, $suffix:literal: $($test:ident)*) => {
        [$(on_every_rig($rigs, concat!("exact_axis::", stringify!($test), $suffix), $test::<$T>)),*]
    };
    ($rigs:ident: $($tests:tt)*) => {
        [trials!($rigs, f32, "": $($tests)*), trials!($rigs, f64, "::f64": $($tests)*)]
    };
}

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let of_both = trials!(rigs: shapes special_values ties_and_carries of_everything ties_of_means);
    let others = [
        on_every_rig(rigs, "exact_axis::known_bits", known_bits),
        on_every_rig(rigs, "exact_axis::windows_that_fill", windows_that_fill),
        on_every_rig(rigs, "exact_axis::windows_that_would_overflow", windows_that_would_overflow),
        on_every_rig(
            rigs,
            "exact_axis::wide_windows_that_would_overflow",
            wide_windows_that_would_overflow,
        ),
        on_every_rig(rigs, "exact_axis::halves", halves),
    ];
    of_both.into_iter().flatten().chain(others).flatten().collect()
}

fn bits_of<T: Float>(row: &[T]) -> u64 {
    row.iter().collect::<ExactSum<T>>().round().word()
}

/// The numbers with rows as columns.
fn transposed<T: Float>(values: &[T], Matrix { rows, columns }: Matrix) -> (Vec<T>, Matrix) {
    let mut turned = Vec::with_capacity(values.len());
    for column in 0..usize::try_from(columns).expect("small") {
        turned.extend(values.iter().skip(column).step_by(usize::try_from(columns).expect("small")));
    }
    (turned, Matrix { rows: columns, columns: rows })
}

/// Sums of the rows and, of the transposed numbers, of the columns, the one or the other from an element that is no
/// whole quad's first, among NaN, against the bits that are expected. By the number of the check they take turns:
/// each form is a shader for a software driver to compile. `only` is an axis, where both are not wanted.
fn check_rows<T: Float>(
    rig: &Rig,
    values: &[T],
    matrix: Matrix,
    expected: &[u64],
    (number, tuning): (usize, Option<&AxisTuning>),
    only: Option<usize>,
) -> Outcome {
    let (turned, turned_matrix) = transposed(values, matrix);
    let of_axes = [(values, matrix, 1), (&turned[..], turned_matrix, 0)];
    for (values, Matrix { rows, columns }, axis) in
        of_axes.into_iter().filter(|&(.., axis)| only.is_none_or(|only| only == axis))
    {
        let before = if (axis + number).is_multiple_of(2) { 0 } else { 3 };
        let mut padded = vec![nan::<T>(); before];
        padded.extend_from_slice(values);
        padded.extend([nan::<T>(); 5]);
        let buffer: GpuBuffer<T> = rig.reducer.upload(&padded)?;
        let strides = [i64::try_from(columns)?, 1];
        let view = View::strided(&[rows, columns], &strides, before as u64)?;
        let sums = match tuning {
            None => rig.reducer.reduce(SumExact, &buffer).along(view, axis).start()?.wait()?,
            Some(tuning) => {
                rig.reducer
                    .reduce(SumExact, &buffer)
                    .along(view, axis)
                    .tuned(*tuning)
                    .timed()
                    .start()
                    .and_then(Pending::wait)?
                    .value
            }
        };
        let found: Vec<u64> = sums.iter().map(|sum| sum.word()).collect();
        let wrong = found.iter().zip(expected).position(|(found, expected)| found != expected);
        ensure!(
            found.len() == expected.len() && wrong.is_none(),
            "{rows} x {columns} along {axis} from {before}: row {wrong:?}, {:08x?} is not {:08x?}",
            wrong.map(|row| found[row]),
            wrong.map(|row| expected[row])
        );
    }
    Ok(())
}

/// Sums of rows and of columns, against the host's.
pub(crate) fn check<T: Float>(
    rig: &Rig,
    values: &[T],
    matrix: Matrix,
    (number, tuning): (usize, Option<&AxisTuning>),
) -> Outcome {
    let columns = usize::try_from(matrix.columns)?;
    let expected: Vec<u64> = values.chunks(columns).map(bits_of).collect();
    check_rows(rig, values, matrix, &expected, (number, tuning), None)
}

/// The committed lists of inputs, those of a length as the rows of a matrix, have the committed bits.
fn known_bits(rig: &Rig) -> Outcome {
    known_bits_of(rig, known()?)?;
    known_bits_of(rig, known_f64()?)
}

fn known_bits_of<T: Float>(rig: &Rig, cases: Vec<Committed<T>>) -> Outcome {
    let mut rows: Vec<(Vec<T>, u64)> =
        cases.into_iter().map(|case| (case.values, case.sum.word())).collect();
    rows.sort_by_key(|(row, _)| row.len());
    for (number, alike) in rows.chunk_by(|(a, _), (b, _)| a.len() == b.len()).enumerate() {
        let values: Vec<T> = alike.iter().flat_map(|(row, _)| row.iter().copied()).collect();
        let expected: Vec<u64> = alike.iter().map(|&(_, bits)| bits).collect();
        let matrix =
            Matrix { rows: alike.len() as u64, columns: (values.len() / alike.len()) as u64 };
        if matrix.columns > 0 {
            // Rows and columns in turn.
            let axis = Some(number / 2 % 2);
            check_rows(rig, &values, matrix, &expected, (number, None), axis)?;
        }
    }
    Ok(())
}

/// Every class of shape and mix, with the default tuning and with those of large GPUs.
fn shapes<T: Float>(rig: &Rig) -> Outcome {
    let of_gpu = like_gpus(rig);
    let shapes = [(1, 1), (300, 1), (200, 3), (64, 16), (40, 100), (7, 1009), (2, 20_000)];
    for (number, (rows, columns)) in shapes.into_iter().enumerate() {
        // Each shape has four of the mixes, each mix two or three of the shapes.
        let mixes = Mix::ALL.into_iter().enumerate().filter(|(mix, _)| (mix + number) % 3 == 0);
        for (mix, seed) in mixes.map(|(_, mix)| mix).zip(number as u64 * 101..) {
            let len = usize::try_from(rows * columns)?;
            // Some mixes come in parts of their own size; −0 makes no difference to a sum.
            let mut values: Vec<T> = mix.numbers(len, &mut Random::new(seed));
            values.resize(len, -zero::<T>());
            let matrix = Matrix { rows, columns };
            let tuning = (seed % 2 == 0).then_some(&of_gpu);
            check(rig, &values, matrix, (number, tuning))?;
        }
    }
    Ok(())
}

fn special_values<T: Float>(rig: &Rig) -> Outcome {
    let (none, inf, nan, max, least) = (zero::<T>(), T::INFINITY, nan::<T>(), T::MAX, least::<T>());
    let (one, least_normal) = (T::ONE, number::<T>(1, 0));
    let other_nan = -T::of_word(inf.word() | 1);
    // Far less than half a unit of the last place of MAX, and more than half of it.
    let below = number::<T>(T::TOP - 1 - T::PRECISION - 1, 0);
    let above = number::<T>(T::TOP - 1 - T::PRECISION, 1);
    let rows = [
        [none, -none, -none, -none, -none],
        [-none; 5],
        [one, -one, -none, -none, -none],
        [inf, one, max, max, -none],
        [-inf, one, -none, least, none],
        [inf, -inf, none, none, none],
        [nan, one, inf, none, none],
        [one, one, other_nan, one, one],
        [least, least, -least, least, -none],
        [-least, none, none, none, -none],
        [max, max, -max, none, none],
        [max; 5],
        [-max, -max, one, one, one],
        [max, above, none, none, none],
        [max, below, none, none, none],
        [least_normal, -least, none, none, none],
        [least_normal, least_normal, -least, least, none],
    ];
    let values = rows.concat();
    check(rig, &values, Matrix { rows: rows.len() as u64, columns: 5 }, (0, None))?;
    check(rig, &values, Matrix { rows: 5, columns: rows.len() as u64 }, (1, None))?;
    let buffer = rig.reducer.upload::<T>(&[])?;
    let sums = rig.reducer.reduce(SumExact, &buffer).rows(Matrix { rows: 9, columns: 0 }).run()?;
    ensure!(sums.iter().all(|sum| sum.word() == 0), "sums of nothing: {sums:?}");
    Ok(())
}

/// Halfway cases with something far below them, and carries through all digits.
fn ties_and_carries<T: Float>(rig: &Rig) -> Outcome {
    let mut rows = Vec::new();
    let of_unit = T::PRECISION;
    // The exponents' fields, from such whose unit is the least number on: close to that, in the middle, and close to the end.
    let fields =
        [0, 1, 2, 24, 25, 26, 27, 28, 48, 54, 75, 81, 102].map(|field| of_unit + 1 + field);
    let middle = T::TOP / 2;
    let ends = [middle - 1, middle, middle + 1, middle + 23, middle + 47, T::TOP - 38, T::TOP - 2];
    for field in fields.into_iter().chain(ends).filter(|&field| field < T::TOP - 1) {
        let one = number::<T>(field, 0);
        let half = number::<T>(field - of_unit, 0);
        let (odd, all) = (number::<T>(field, 1), number::<T>(field, fraction::<T>()));
        let (none, least) = (zero::<T>(), least::<T>());
        for turned in [false, true] {
            let mut push = |row: [T; 4]| {
                rows.push(if turned { row.map(|value| -value) } else { row });
            };
            for base in [one, odd, all] {
                for rest in [none, least, -least] {
                    push([base, half, rest, none]);
                }
            }
            push([one, -least, none, none]);
            push([one, -one, least, none]);
        }
    }
    check(rig, &rows.concat(), Matrix { rows: rows.len() as u64, columns: 4 }, (0, None))
}

/// Rows and columns of numbers that are as far above their windows as can be, so many for each invocation that a
/// window is emptied before all are in it: 2^13 fill a quarter of it. Where loops may be so long, there are more than
/// 64 bits would hold.
fn windows_that_fill(rig: &Rig) -> Outcome {
    let each = if rig.reducer.caps().class == AdapterClass::Cpu { 10_000 } else { 40_000 };
    let columns = 32 * each;
    // The windows are made for what comes first, and reach two powers of two above it.
    let largest = f32::from_bits(0x4B7F_FFFF);
    let mut row = vec![largest; columns];
    row[..128].fill(largest / 4.0);
    let negative: Vec<f32> = row.iter().map(|value| -value).collect();
    let values = [row, negative].concat();
    let tuning =
        AxisTuning { invocations: 1, short_team: 32, ..AxisTuning::for_caps(&rig.reducer.caps()) };
    check(rig, &values, Matrix { rows: 2, columns: columns as u64 }, (0, Some(&tuning)))
}

/// More numbers in one window than its 64 bits hold, on every device: software drivers leave loops before a plan would
/// have so many. The arithmetic is that of the operation, in an operator that repeats its element.
fn windows_that_would_overflow(rig: &Rig) -> Outcome {
    const QUADS: i128 = 10_000;
    let text = [
        include_str!("../../shaders/parts/window.wgsl"),
        include_str!("../../shaders/parts/kinds.wgsl"),
        include_str!("../../shaders/accumulators/exact_f32.wgsl"),
        "
        fn map(element: u32, index: u32) -> vec4<i32> {
            // Two powers of two below, for which the window is made.
            var total = with_quad(acc_zero(), vec4(element - (2u << 23u)));
            for (var k = 0u; k < 10000u; k++) {
                total = with_quad(total, vec4(element));
            }
            return with_base(total, NO_WINDOW).low;
        }

        fn combine(left: vec4<i32>, right: vec4<i32>) -> vec4<i32> {
            return left + right;
        }
        ",
    ];
    let op = CustomOp::<u32, [i32; 4]>::new(text.concat(), [0; 4])?;
    for sign in [0_u32, 1 << 31] {
        // The lowest window there is begins with the least exponent.
        let element = sign | (25 << 23) | 0x7F_FFFF;
        let digits = rig.reducer.reduce(&op, &rig.reducer.upload(&[element])?).run()?;
        let sum = digits.iter().rev().fold(0_i128, |sum, &digit| (sum << 24) + i128::from(digit));
        // In units of 2^-149, of which the least normal number has 2^23.
        let magnitude = (0xFF_FFFF << 24) * 4 * QUADS + (0xFF_FFFF << 22) * 4;
        let expected = if sign == 0 { magnitude } else { -magnitude };
        // The digits above have the sign.
        let modulus = 1 << 96;
        ensure!(
            sum.rem_euclid(modulus) == expected.rem_euclid(modulus),
            "{element:08x}: {sum} is not {expected}"
        );
    }
    Ok(())
}

/// The same of `f64`, with 96 bits. As so many elements take too long, the upper ones of these are set to the last that they hold.
fn wide_windows_that_would_overflow(rig: &Rig) -> Outcome {
    const QUADS: i128 = 1000;
    let text = [
        include_str!("../../shaders/parts/wide_window.wgsl"),
        include_str!("../../shaders/parts/terms_f64.wgsl"),
        include_str!("../../shaders/parts/kinds.wgsl"),
        include_str!("../../shaders/accumulators/exact_f64.wgsl"),
        "
        fn map(element: u32, index: u32) -> vec4<i32> {
            // The window is made for exponents from the least on.
            let least = vec2(0u, (element & SIGN) | LEADING);
            var total = with_quad(acc_zero(), vec4(least, least));
            total.window.high = select(0x7fffffff, i32(SIGN), element >= SIGN);
            let largest = vec2(~0u, element);
            for (var k = 0u; k < 1000u; k++) {
                total = with_quad(total, vec4(largest, largest));
            }
            return with_base(total, NO_WINDOW).first.a;
        }

        fn combine(left: vec4<i32>, right: vec4<i32>) -> vec4<i32> {
            return left + right;
        }
        ",
    ];
    let op = CustomOp::<u32, [i32; 4]>::new(text.concat(), [0; 4])?;
    for is_negative in [false, true] {
        let element = u32::from(is_negative) << 31 | (23 << 20) | 0xF_FFFF;
        let digits = rig.reducer.reduce(&op, &rig.reducer.upload(&[element])?).run()?;
        let sum = digits.iter().rev().fold(0_i128, |sum, &digit| (sum << 27) + i128::from(digit));
        // In units of 2^-1074, of which the least normal number has 2^52.
        let largest = ((1_i128 << 53) - 1) << 22;
        let expected = if is_negative {
            (i128::from(i32::MIN) << 64) + (1 << 64) - (2 << 52) - 2 * QUADS * largest
        } else {
            (i128::from(i32::MAX) << 64) + (2 << 52) + 2 * QUADS * largest
        };
        // The digits above have the sign.
        let modulus = 1 << 108;
        ensure!(
            sum.rem_euclid(modulus) == expected.rem_euclid(modulus),
            "{element:08x}: {sum} is not {expected}"
        );
    }
    Ok(())
}

fn halves(rig: &Rig) -> Outcome {
    every_half(rig, f16::from_bits, f16::INFINITY.to_bits())?;
    every_half(rig, bf16::from_bits, bf16::INFINITY.to_bits())
}

/// A mean between two numbers is the even one, and what is far below all digits that a mean needs makes it the other. Means have
/// zeros with a sign, and NaN where sums have.
fn ties_of_means<T: Float>(rig: &Rig) -> Outcome {
    let sign = 1 << (8 * size_of::<T>() - 1);
    let word = |word: u64| T::of_word(word);
    let (zero, minus_zero) = (word(0), word(sign));
    let (least, minus_least) = (word(1), word(sign | 1));
    // Numbers between which there is none, and their doubles.
    let unit = 1 << (T::PRECISION - 1);
    let (infinity, one) = (T::INFINITY.word(), T::ONE.word());
    let [above, twice, twice_above] = [one + 1, one + unit, one + unit + 1];
    let rows = [
        [word(twice_above), word(twice), least, zero],
        [word(twice_above), word(twice), minus_least, zero],
        [word(twice_above), word(twice), zero, zero],
        [minus_zero; 4],
        [minus_least, zero, zero, zero],
        [word(infinity), word(one), word(sign | infinity), zero],
        [zero, word(sign | infinity), word(one), least],
        [nan(), zero, zero, zero],
    ];
    let canonical = infinity | 1 << (T::PRECISION - 2);
    let expected = [above, one, one, sign, sign, canonical, sign | infinity, canonical];
    let buffer = rig.reducer.upload(rows.as_flattened())?;
    let matrix = Matrix { rows: 8, columns: 4 };
    let by_rows = rig.reducer.reduce(MeanExact, &buffer).rows(matrix).run()?;
    let offsets = rig.reducer.upload(&[0_u32, 4, 8, 12, 16, 20, 24, 28, 32])?;
    let by_segments = rig.reducer.reduce(MeanExact, &buffer).segments(&offsets).run()?;
    for means in [by_rows, by_segments] {
        let means: Vec<_> = means.into_iter().map(Float::word).collect();
        ensure!(means == expected, "{means:x?} is not {expected:x?}");
    }
    // Of `f32` their sum needs the last digit.
    let buffer = rig.reducer.upload(&[T::MAX; 5000])?;
    let means = rig.reducer.reduce(MeanExact, &buffer).rows(Matrix { rows: 1, columns: 5000 });
    let means: Vec<_> = means.run()?.into_iter().map(Float::word).collect();
    ensure!(means == [T::MAX.word()], "{means:x?} is not the largest number");
    Ok(())
}

/// Every one by itself, in pairs with its neighbour, and all that are finite at once: each by its value, subnormal
/// ones, too.
fn every_half<T>(rig: &Rig, from_bits: fn(u16) -> T, infinity: u16) -> Outcome
where
    T: Element + Into<f32>,
    SumExact: Operation<T, Output = f32>,
{
    let all: Vec<T> = (0..=u16::MAX).map(from_bits).collect();
    let wide: Vec<f32> = all.iter().map(|&half| half.into()).collect();
    let buffer = rig.reducer.upload(&all)?;
    for columns in [1_usize, 2] {
        let view = View::new(&[(all.len() / columns) as u64, columns as u64])?;
        let sums = rig.reducer.reduce(SumExact, &buffer).along(view, 1).start()?.wait()?;
        for (row, sum) in wide.chunks(columns).zip(sums) {
            ensure!(u64::from(sum.to_bits()) == bits_of(row), "{row:?}: {sum}");
        }
    }
    // From infinity on there are those that have no number.
    let end = u64::from(infinity);
    for range in [0..end, 0x8000..0x8000 + end] {
        let sum = rig.reducer.reduce(SumExact, buffer.slice(range.clone())?).start()?.wait()?;
        let (start, end) = (usize::try_from(range.start)?, usize::try_from(range.end)?);
        ensure!(u64::from(sum.to_bits()) == bits_of(&wide[start..end]), "{range:?}: {sum}");
    }
    Ok(())
}

/// As an operation of everything, and of segments, it has the same bits as the exact sum.
fn of_everything<T: Float>(rig: &Rig) -> Outcome {
    for (mix, len) in [(Mix::Near, 5000), (Mix::Finite, 3001), (Mix::Spread, 40_000)] {
        let values: Vec<T> = mix.numbers(len, &mut Random::new(len as u64));
        let buffer = rig.reducer.upload(&values)?;
        let sum = rig.reducer.reduce(SumExact, &buffer).start()?.wait()?;
        ensure!(sum.word() == bits_of(&values), "{mix:?}: {sum:?}");
        let offsets = rig.reducer.upload(&[0, 7, 7, 1000, u32::try_from(values.len())?])?;
        let sums = rig.reducer.reduce(SumExact, &buffer).segments(&offsets).start()?.wait()?;
        let ends = [(0, 7), (7, 7), (7, 1000), (1000, values.len())];
        for (sum, (start, end)) in sums.iter().zip(ends) {
            let expected = bits_of(&values[start..end]);
            ensure!(sum.word() == expected, "{mix:?}, {start}..{end}: {sum:?}");
        }
    }
    Ok(())
}
