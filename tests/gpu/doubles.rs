//! What operations on f64 promise beyond what is stamped on all of them: accuracy far from zero, ranges without overflow and
//! underflow, the words that a device leaves, and all of it without f64 of the device.

use crate::axis;
use crate::errors::bare_device;
use crate::exact::cases::Random;
use crate::harness::oracle::{self, Poison};
use crate::harness::rig::DEADLINE;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use crate::multi::check_buffer;
use crate::stream;
use libtest_mimic::{Failed, Trial};
use wgpu_reduce::{
    GpuBuffer, GpuReducer, Matrix, Mean, MultiGpu, NanMean, NanSum, NormL1, NormL2, Operation,
    Product, Stats, Std, Sum, SumOfSquares, Variance, View,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "doubles::far_from_zero", far_from_zero),
        on_every_rig(rigs, "doubles::means_far_from_zero", means_far_from_zero),
        on_every_rig(rigs, "doubles::norms_in_every_range", norms_in_every_range),
        on_every_rig(rigs, "doubles::norms_of_subnormal_numbers", norms_of_subnormal_numbers),
        on_every_rig(rigs, "doubles::raw_results", raw_results),
        on_every_rig(rigs, "doubles::by_integers", by_integers),
        on_every_rig(rigs, "doubles::without_f64", without_f64),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn reduced<O: Operation<f64>>(
    rig: &Rig,
    operation: O,
    values: &[f64],
) -> Result<O::Output, Failed> {
    let buffer = rig.reducer.upload(values)?;
    Ok(rig.reducer.reduce(operation, &buffer).run()?)
}

/// Multiples of 2^-10 below 1, and how many each is.
fn fractions(len: u64) -> Vec<u32> {
    u32::data(Shape::Random, len).into_iter().map(|number| number % 1024).collect()
}

/// However far from zero, means and variances have nearly all of their digits. The true ones are those of integers.
fn far_from_zero(rig: &Rig) -> Outcome {
    let parts = fractions(100_003);
    let len = 100_003.0;
    let sum: u64 = parts.iter().map(|&part| u64::from(part)).sum();
    let squares: u64 = parts.iter().map(|&part| u64::from(part).pow(2)).sum();
    #[expect(clippy::cast_precision_loss, reason = "rounded once")]
    let scaled = (100_003 * u128::from(squares) - u128::from(sum).pow(2)) as f64;
    let variance = scaled / (len * len * 1_048_576.0);
    for offset in [0.0, 1_048_576.0, 2.0_f64.powi(40), -(2.0_f64.powi(42)), 2.0_f64.powi(42)] {
        let values: Vec<_> = parts.iter().map(|&part| offset + f64::from(part) / 1024.0).collect();
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let mean = offset + sum as f64 / (1024.0 * len);
        let got = reduced(rig, Variance::POPULATION, &values)?;
        ensure!((got / variance - 1.0).abs() < 1e-12, "{offset}: {got}, not {variance}");
        let stats = reduced(rig, Stats { ddof: 1 }, &values)?;
        let sample = variance * len / (len - 1.0);
        ensure!((stats.variance / sample - 1.0).abs() < 1e-12, "{offset}: {stats:?}, not {sample}");
        let off = (stats.mean - mean).abs();
        ensure!(off <= mean.abs() * 2.0_f64.powi(-51) + 1e-14, "{offset}: {stats:?}, not {mean}");
        let off = (stats.sum - mean * len).abs();
        ensure!(off <= (mean * len).abs() * 2.0_f64.powi(-50) + 1e-9, "{offset}: {stats:?}");
    }
    Ok(())
}

/// 1 000 000 ± 0.001, in multiples of 2^-30, whose true mean is that of integers: within the bound, and within a
/// millionth of the spread or so, with NaN between them, too.
fn means_far_from_zero(rig: &Rig) -> Outcome {
    for len in [1, 3, 1000, 100_003, 1_000_003] {
        let parts: Vec<_> = u32::data(Shape::Random, len)
            .into_iter()
            .map(|n| i64::from(n >> 11) - (1 << 20))
            .collect();
        let unit = 2.0_f64.powi(-30);
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let values: Vec<_> = parts.iter().map(|&part| 1e6 + part as f64 * unit).collect();
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let mean = 1e6 + parts.iter().sum::<i64>() as f64 * unit / len as f64;
        let got = reduced(rig, Mean, &values)?;
        let plan = rig.reducer.reduce(Mean, &rig.reducer.upload(&values)?).plan()?;
        check_mean(
            got,
            mean,
            Mean.tolerance(&values, &plan.accuracy()),
            &format!("mean of {len}"),
        )?;
        let mut with_nan = vec![f64::NAN; 2 * values.len()];
        with_nan.iter_mut().skip(1).step_by(2).zip(&values).for_each(|(place, &v)| *place = v);
        let got = reduced(rig, NanMean, &with_nan)?;
        let plan = rig.reducer.reduce(NanMean, &rig.reducer.upload(&with_nan)?).plan()?;
        check_mean(
            got,
            mean,
            NanMean.tolerance(&with_nan, &plan.accuracy()),
            &format!("nan_mean of {len}"),
        )?;
    }
    Ok(())
}

fn check_mean(got: f64, mean: f64, bound: f64, what: &str) -> Outcome {
    let off = (got - mean).abs();
    ensure!(off <= bound && off <= 2e-9, "{what}: {got}, not {mean} (within {bound:e})");
    ensure!(bound <= 1e-7, "{what}: a bound of {bound:e} says nothing");
    Ok(())
}

/// Where squares are below the range, within it and beyond.
fn norms_in_every_range(rig: &Rig) -> Outcome {
    for len in [1_u64, 2, 7, 1000, 20_001] {
        let values: Vec<_> = f64::data(Shape::Random, len).iter().map(|v| v + 0.75).collect();
        let norm = values.iter().map(|v| v * v).sum::<f64>().sqrt();
        for exponent in [-950, -700, -511, 0, 511, 700, 1000] {
            let scale = 2.0_f64.powi(exponent);
            let scaled: Vec<_> = values.iter().map(|value| value * scale).collect();
            let got = reduced(rig, NormL2, &scaled)?;
            let expected = norm * scale;
            ensure!(
                (got / expected - 1.0).abs() < 1e-13,
                "{len} at 2^{exponent}: {got:e}, not {expected:e}"
            );
            // One that is far larger than the rest, at the end, hides them.
            let with_larger = [&scaled[..], &[2.0_f64.powi(1020)]].concat();
            let got = reduced(rig, NormL2, &with_larger)?;
            let expected = expected.hypot(2.0_f64.powi(1020));
            ensure!((got / expected - 1.0).abs() < 1e-13, "{got:e}, not {expected:e}");
        }
    }
    Ok(())
}

/// They count as digits, on devices too that take such numbers for 0.
fn norms_of_subnormal_numbers(rig: &Rig) -> Outcome {
    for len in [1, 3, 1000] {
        let units: Vec<_> = fractions(len).into_iter().map(|part| u64::from(part) + 1).collect();
        let values: Vec<_> = units.iter().map(|&units| f64::from_bits(units)).collect();
        let got = reduced(rig, NormL2, &values)?;
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let expected = (units.iter().map(|units| units * units).sum::<u64>() as f64).sqrt();
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let off = (got.to_bits() as f64 - expected).abs();
        ensure!(off <= 0.51, "{len}: {got:e}, not {expected} units");
    }
    Ok(())
}

/// What an operation leaves on the device.
fn raw<O: Operation<f64>>(rig: &Rig, operation: O, values: &[f64]) -> Result<O::Raw, Failed> {
    let input = rig.reducer.upload(values)?;
    let output: GpuBuffer<O::Raw> = rig.reducer.alloc(1)?;
    let mut encoder =
        rig.reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    rig.reducer.reduce(operation, &input).encode(&mut encoder, &output)?;
    rig.reducer.queue().submit([encoder.finish()]);
    Ok(output.download(&rig.reducer)?[0])
}

/// It is as documented, and `finish` makes the result of it.
fn raw_results(rig: &Rig) -> Outcome {
    let values = [2.5, -1.0, 7.0, -1.0];
    let words = |value: f64| bytemuck::cast::<[u8; 8], [u32; 2]>(value.to_le_bytes());
    let number = |words: [u32; 2]| f64::from_le_bytes(bytemuck::cast(words));
    let check = |figures: [u32; 8]| -> Outcome {
        let [low, high, pivot @ .., r0, r1, s0, s1] = figures;
        let (pivot, rest, squares) = (number(pivot), number([r0, r1]), number([s0, s1]));
        // An element, a mean of some, or 0 where that is nearer to the mean.
        let is_pivot = (-1.0..=7.0).contains(&pivot);
        ensure!([low, high] == [4, 0] && is_pivot, "{figures:?}");
        let (mean, of_all) = (pivot + rest, squares);
        ensure!((mean - 1.875).abs() < 1e-15 && (of_all - 43.1875).abs() < 1e-13, "{figures:?}");
        Ok(())
    };
    let moments = raw(rig, Variance::SAMPLE, &values)?;
    check(moments)?;
    let variance = Operation::<f64>::finish(&Variance::SAMPLE, moments, 4)?;
    ensure!((variance - 43.1875 / 3.0).abs() < 1e-13, "{variance}");
    let stats = raw(rig, Stats::default(), &values)?;
    let ([least, most], figures) = ([words(-1.0), words(7.0)], &stats[8..]);
    let places = [&least[..], &[1, 0], &most, &[2, 0]].concat();
    ensure!(stats[..8] == places[..], "{stats:?}");
    check(figures.try_into()?)?;
    let norm = raw(rig, NormL2, &values)?;
    // The squares are those of elements divided by 2.
    let [a, b] = words(57.25 / 4.0);
    ensure!(norm[..2] == most && norm[2..] == [a, b], "{norm:?}");
    let numbers = raw(rig, NanMean, &[2.5, f64::NAN, 7.0])?;
    ensure!(numbers.to_bits() == 4.75_f64.to_bits(), "{numbers}");
    Ok(())
}

/// The rig on a device that was opened without features.
fn bare(rig: &Rig) -> Result<Rig, Failed> {
    let (device, queue) = bare_device(rig, rig.reducer.device().limits())?;
    let bare = GpuReducer::from_wgpu_with(device, queue, &rig.options)?.with_deadline(DEADLINE);
    ensure!(!bare.caps().f64, "a device without features has f64");
    Ok(rig.with(rig.options.clone(), bare))
}

/// Results are right without f64, too, as streams, in one submission, and beside a device that has it. Where the adapter has none,
/// all tests are such.
fn without_f64(rig: &Rig) -> Outcome {
    if !rig.reducer.caps().f64 {
        return Ok(());
    }
    let bare = bare(rig)?;
    let (most, least) = (f64::MAX, 5e-324);
    for values in [
        f64::data(Shape::Random, 1000),
        vec![most, -most, most / 3.0, most, -most, 1.0],
        [[1e308, -1e308], [-3e307, 2e153]].concat().repeat(500),
        vec![least, 3e-310, f64::MIN_POSITIVE, -2e-308, 7.0 * least],
        vec![1.0, f64::INFINITY, -2.5],
        vec![f64::NAN, -1.5, 1e300],
    ] {
        every_operation(&bare, &values)?;
        let multi = MultiGpu::new(vec![rig.reducer.clone(), bare.reducer.clone()])?;
        let buffer = multi.upload(&values)?;
        check_buffer::<f64, Mean>(&multi, &buffer, &values, "with f64 and without")?;
        check_buffer::<f64, Stats>(&multi, &buffer, &values, "with f64 and without")?;
        check_buffer::<f64, Std>(&multi, &buffer, &values, "with f64 and without")?;
    }
    along_axes(&bare, &[[1e308, -1e308], [-3e307, 2e153]].concat().repeat(500))?;
    stream::check::<f64, Mean>(&bare, Shape::Random, 3000)?;
    stream::check::<f64, Variance>(&bare, Shape::Random, 3000)?;
    let (whole, half) = (bare.reducer.upload(&[2.5, -1.0])?, bare.reducer.upload(&[0.5])?);
    let both = [&whole, &half].map(|input| bare.reducer.reduce(Sum, input));
    let sums = bare.reducer.batch(both).run()?;
    ensure!(sums == [1.5, 0.5], "{sums:?}");
    Ok(())
}

fn every_operation(rig: &Rig, values: &[f64]) -> Outcome {
    let poison = Poison { before: 1, after: 1 };
    oracle::check::<f64, Mean>(rig, values, poison, "mean")?;
    oracle::check::<f64, NanMean>(rig, values, poison, "nan_mean")?;
    oracle::check::<f64, NanSum>(rig, values, poison, "nan_sum")?;
    oracle::check::<f64, NormL1>(rig, values, poison, "norm_l1")?;
    oracle::check::<f64, NormL2>(rig, values, poison, "norm_l2")?;
    oracle::check::<f64, Product>(rig, values, poison, "product")?;
    oracle::check::<f64, Std>(rig, values, poison, "std")?;
    oracle::check::<f64, Variance>(rig, values, poison, "variance")?;
    oracle::check::<f64, Stats>(rig, values, poison, "stats")
}

/// Eight rows, and as columns. Along axes quads are appended, and elements of four rows.
fn along_axes(rig: &Rig, values: &[f64]) -> Outcome {
    let buffer = rig.reducer.upload(values)?;
    let view = View::from(Matrix { rows: 8, columns: buffer.len() / 8 });
    for axis in 0..2 {
        axis::check::<f64, Mean>(rig, &buffer, values, view, axis, None)?;
        axis::check::<f64, NanMean>(rig, &buffer, values, view, axis, None)?;
        axis::check::<f64, Variance>(rig, &buffer, values, view, axis, None)?;
        axis::check::<f64, Stats>(rig, &buffer, values, view, axis, None)?;
    }
    Ok(())
}

/// Without f64, sums and products have the bits that IEEE 754 gives them.
fn by_integers(rig: &Rig) -> Outcome {
    let Rig { reducer: bare, .. } = bare(rig)?;
    let pairs = pairs();
    let numbers = bare.upload(pairs.as_flattened())?;
    let rows = Matrix { rows: pairs.len() as u64, columns: 2 };
    let sums = bare.reduce(Sum, &numbers).rows(rows).run()?;
    for (&[a, b], sum) in pairs.iter().zip(sums) {
        ensure!(is_same(sum, a + b), "{a:e} + {b:e} is not {sum:e}");
    }
    let each = Matrix { rows: numbers.len(), columns: 1 };
    let squares = bare.reduce(SumOfSquares, &numbers).rows(each).run()?;
    for (&number, square) in pairs.as_flattened().iter().zip(squares) {
        ensure!(is_same(square, number * number), "{number:e} squared is not {square:e}");
    }
    let some = pairs.iter().step_by(pairs.len() / 500);
    let some: Vec<_> = some.chain(&pairs[..100]).map(|pair| pair.map(|factor| [factor])).collect();
    for [left, right] in some {
        let product = bare.dot(&bare.upload(&left)?, &bare.upload(&right)?)?;
        let is_right = is_same(product, left[0] * right[0]);
        ensure!(is_right, "{left:?} times {right:?} is not {product:e}");
    }
    Ok(())
}

/// Zeros are folded with another, whose sign nobody promises.
fn is_same(one: f64, other: f64) -> bool {
    let is_zero = one.abs().to_bits() | other.abs().to_bits() == 0;
    one.to_bits() == other.to_bits() || is_zero || one.is_nan() && other.is_nan()
}

/// Pairs of numbers at the ends of ranges; and of any bits, near each other in magnitude, and of few digits.
fn pairs() -> Vec<[f64; 2]> {
    let ends =
        [0.0, 1.0, 1.5, 3.0, 5e-324, 1e-310, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN];
    let ends = ends.into_iter().flat_map(|end: f64| [end, -end, end.next_up(), end.next_down()]);
    let ends: Vec<_> = ends.collect();
    let mut pairs: Vec<_> = ends.iter().flat_map(|&a| ends.iter().map(move |&b| [a, b])).collect();
    let mut random = Random::new(35);
    for _ in 0..30_000 {
        let (bits, other, what) = (random.bits(), random.bits(), random.bits());
        let a = f64::from_bits(bits);
        pairs.push([a, f64::from_bits(other)]);
        // The other has the exponent of this one, or another that is near, and some of its digits.
        let near = (bits >> 52 & 0x7FF).saturating_sub(what % 64).max(what % 2) << 52;
        let digits = ((other & bits | what >> 8 & other) >> 12) & (!0 << ((what >> 8) % 52));
        pairs.push([a, f64::from_bits(other & 1 << 63 | near | digits)]);
        // A product that is subnormal or beyond the largest.
        let of_product = if what % 2 == 0 { 2047 } else { 0_u64.wrapping_sub(what % 60) };
        let exponent = of_product.wrapping_add(1023).wrapping_sub(bits >> 52 & 0x7FF) & 0x7FF;
        pairs.push([a, f64::from_bits(exponent << 52 | other >> 12)]);
    }
    pairs
}
