//! Exact sums along an axis: the bits of the host's, however the elements are cut.

use crate::exact::cases::{Mix, Random};
use crate::exact::known;
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu_reduce::{
    AdapterClass, AxisTuning, CustomOp, Element, ExactSum, GpuBuffer, Matrix, Operation, Pending,
    SumExact, View,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "exact_axis::known_bits", known_bits),
        on_every_rig(rigs, "exact_axis::shapes", shapes),
        on_every_rig(rigs, "exact_axis::special_values", special_values),
        on_every_rig(rigs, "exact_axis::ties_and_carries", ties_and_carries),
        on_every_rig(rigs, "exact_axis::windows_that_fill", windows_that_fill),
        on_every_rig(rigs, "exact_axis::windows_that_would_overflow", windows_that_would_overflow),
        on_every_rig(rigs, "exact_axis::halves", halves),
        on_every_rig(rigs, "exact_axis::of_everything", of_everything),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn bits_of(row: &[f32]) -> u32 {
    row.iter().collect::<ExactSum>().round().to_bits()
}

/// The numbers with rows as columns.
fn transposed(values: &[f32], Matrix { rows, columns }: Matrix) -> (Vec<f32>, Matrix) {
    let mut turned = Vec::with_capacity(values.len());
    for column in 0..usize::try_from(columns).expect("small") {
        turned.extend(values.iter().skip(column).step_by(usize::try_from(columns).expect("small")));
    }
    (turned, Matrix { rows: columns, columns: rows })
}

/// Sums of the rows and, of the transposed numbers, of the columns, the one or the other from an element that is no
/// whole quad's first, among NaN, against the bits that are expected. By the number of the check they take turns:
/// each form is a shader for a software driver to compile. `only` is an axis, where both are not wanted.
fn check_rows(
    rig: &Rig,
    values: &[f32],
    matrix: Matrix,
    expected: &[u32],
    (number, tuning): (usize, Option<&AxisTuning>),
    only: Option<usize>,
) -> Outcome {
    let (turned, turned_matrix) = transposed(values, matrix);
    let of_axes = [(values, matrix, 1), (&turned[..], turned_matrix, 0)];
    for (values, Matrix { rows, columns }, axis) in
        of_axes.into_iter().filter(|&(.., axis)| only.is_none_or(|only| only == axis))
    {
        let before = if (axis + number).is_multiple_of(2) { 0 } else { 3 };
        let mut padded = vec![f32::NAN; before];
        padded.extend_from_slice(values);
        padded.extend([f32::NAN; 5]);
        let buffer: GpuBuffer<f32> = rig.reducer.upload(&padded)?;
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
        let found: Vec<u32> = sums.iter().map(|sum| sum.to_bits()).collect();
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
pub(crate) fn check(
    rig: &Rig,
    values: &[f32],
    matrix: Matrix,
    (number, tuning): (usize, Option<&AxisTuning>),
) -> Outcome {
    let columns = usize::try_from(matrix.columns)?;
    let expected: Vec<u32> = values.chunks(columns).map(bits_of).collect();
    check_rows(rig, values, matrix, &expected, (number, tuning), None)
}

/// The committed list of inputs, those of a length as the rows of a matrix, has the committed bits.
fn known_bits(rig: &Rig) -> Outcome {
    let mut rows: Vec<(Vec<f32>, u32)> =
        known()?.into_iter().map(|case| (case.values, case.sum.to_bits())).collect();
    rows.sort_by_key(|(row, _)| row.len());
    for (number, alike) in rows.chunk_by(|(a, _), (b, _)| a.len() == b.len()).enumerate() {
        let values: Vec<f32> = alike.iter().flat_map(|(row, _)| row.iter().copied()).collect();
        let expected: Vec<u32> = alike.iter().map(|&(_, bits)| bits).collect();
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
fn shapes(rig: &Rig) -> Outcome {
    let default = AxisTuning::for_caps(&rig.reducer.caps());
    let of_gpu = AxisTuning {
        workgroup_size: default.workgroup_size.max(128).min(rig.reducer.caps().max_workgroup_size),
        invocations: 4096,
        loads_in_flight: 8,
        rows_in_flight: 4,
        ..default
    };
    let shapes = [(1, 1), (300, 1), (200, 3), (64, 16), (40, 100), (7, 1009), (2, 20_000)];
    for (number, (rows, columns)) in shapes.into_iter().enumerate() {
        // Each shape has four of the mixes, each mix two or three of the shapes.
        let mixes = Mix::ALL.into_iter().enumerate().filter(|(mix, _)| (mix + number) % 3 == 0);
        for (mix, seed) in mixes.map(|(_, mix)| mix).zip(number as u64 * 101..) {
            let len = usize::try_from(rows * columns)?;
            // Some mixes come in parts of their own size; −0 makes no difference to a sum.
            let mut values = mix.numbers(len, &mut Random::new(seed));
            values.resize(len, -0.0);
            let matrix = Matrix { rows, columns };
            let tuning = (seed % 2 == 0).then_some(&of_gpu);
            check(rig, &values, matrix, (number, tuning))?;
        }
    }
    Ok(())
}

fn special_values(rig: &Rig) -> Outcome {
    let (inf, nan, least) = (f32::INFINITY, f32::NAN, f32::from_bits(1));
    let other_nan = f32::from_bits(0xFF80_0001);
    let rows = [
        [0.0, -0.0, -0.0, -0.0, -0.0],
        [-0.0; 5],
        [1.0, -1.0, -0.0, -0.0, -0.0],
        [inf, 1.0, f32::MAX, f32::MAX, -0.0],
        [-inf, 1.0, -0.0, least, 0.0],
        [inf, -inf, 0.0, 0.0, 0.0],
        [nan, 1.0, inf, 0.0, 0.0],
        [1.0, 2.0, other_nan, 3.0, 4.0],
        [least, least, -least, least, -0.0],
        [-least, 0.0, 0.0, 0.0, -0.0],
        [f32::MAX, f32::MAX, -f32::MAX, 0.0, 0.0],
        [f32::MAX, f32::MAX, f32::MAX, f32::MAX, f32::MAX],
        [-f32::MAX, -f32::MAX, 1.0, 1.0, 1.0],
        [f32::MAX, 1e31, 0.0, 0.0, 0.0],
        [f32::MIN_POSITIVE, -least, 0.0, 0.0, 0.0],
        [f32::MIN_POSITIVE, f32::MIN_POSITIVE, -least, least, 0.0],
    ];
    let values = rows.concat();
    check(rig, &values, Matrix { rows: rows.len() as u64, columns: 5 }, (0, None))?;
    check(rig, &values, Matrix { rows: 5, columns: rows.len() as u64 }, (1, None))?;
    let buffer = rig.reducer.upload::<f32>(&[])?;
    let none = rig.reducer.reduce(SumExact, &buffer).rows(Matrix { rows: 9, columns: 0 }).run()?;
    ensure!(none.iter().all(|sum| sum.to_bits() == 0), "sums of nothing: {none:?}");
    Ok(())
}

/// Halfway cases with something far below them, and carries through all digits.
fn ties_and_carries(rig: &Rig) -> Outcome {
    let mut rows = Vec::new();
    for exponent in [-125, -100, -60, -24, -1, 0, 1, 23, 47, 90, 126] {
        let one = 2.0_f32.powi(exponent);
        let half = one * f32::EPSILON / 2.0;
        let least = f32::from_bits(1);
        for sign in [1.0, -1.0] {
            let odd = one * (1.0 + f32::EPSILON);
            for base in [one, odd, one * (2.0 - f32::EPSILON)] {
                for rest in [0.0, least, -least] {
                    rows.push([sign * base, sign * half, rest, 0.0]);
                }
            }
            rows.push([sign * one, -sign * least, 0.0, 0.0]);
            rows.push([sign * one, -sign * one, sign * least, 0.0]);
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
        include_str!("../../shaders/accumulators/exact.wgsl"),
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

fn halves(rig: &Rig) -> Outcome {
    every_half(rig, f16::from_bits, f16::INFINITY.to_bits())?;
    every_half(rig, bf16::from_bits, bf16::INFINITY.to_bits())
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
            ensure!(sum.to_bits() == bits_of(row), "{row:?}: {sum}");
        }
    }
    // From infinity on there are those that have no number.
    let end = u64::from(infinity);
    for range in [0..end, 0x8000..0x8000 + end] {
        let sum = rig.reducer.reduce(SumExact, buffer.slice(range.clone())?).start()?.wait()?;
        let (start, end) = (usize::try_from(range.start)?, usize::try_from(range.end)?);
        ensure!(sum.to_bits() == bits_of(&wide[start..end]), "{range:?}: {sum}");
    }
    Ok(())
}

/// As an operation of everything, and of segments, it has the same bits as the exact sum.
fn of_everything(rig: &Rig) -> Outcome {
    for (mix, len) in [(Mix::Near, 5000), (Mix::Finite, 3001), (Mix::Spread, 40_000)] {
        let values: Vec<f32> = mix.numbers(len, &mut Random::new(len as u64));
        let buffer = rig.reducer.upload(&values)?;
        let sum = rig.reducer.reduce(SumExact, &buffer).start()?.wait()?;
        ensure!(sum.to_bits() == bits_of(&values), "{mix:?}: {sum}");
        let offsets = rig.reducer.upload(&[0, 7, 7, 1000, u32::try_from(values.len())?])?;
        let sums = rig.reducer.reduce(SumExact, &buffer).segments(&offsets).start()?.wait()?;
        let ends = [(0, 7), (7, 7), (7, 1000), (1000, values.len())];
        for (sum, (start, end)) in sums.iter().zip(ends) {
            let expected = bits_of(&values[start..end]);
            ensure!(sum.to_bits() == expected, "{mix:?}, {start}..{end}: {sum}");
        }
    }
    Ok(())
}
