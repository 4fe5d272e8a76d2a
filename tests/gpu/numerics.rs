//! What operations promise beyond what is stamped on all of them: accuracy far from zero, indices beyond
//! a binding, ranges without overflow, and results that stay on the device.

#![expect(clippy::float_cmp, reason = "what is compared so is exact in f32")]

use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::Trial;
use wgpu_reduce::{
    ArgMax, ArgMin, ElementKind, GpuBuffer, Located, Mean, NanMean, NormL2, Operation, Product,
    Stats, Tuning, Variance,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "numerics::far_from_zero", far_from_zero),
        on_every_rig(rigs, "numerics::an_outlier", an_outlier),
        on_every_rig(rigs, "numerics::many_tiles", many_tiles),
        on_every_rig(rigs, "numerics::squares_beyond_the_range", squares_beyond_the_range),
        on_every_rig(rigs, "numerics::sample_variance", sample_variance),
        on_every_rig(rigs, "numerics::norms_in_every_range", norms_in_every_range),
        on_every_rig(rigs, "numerics::products", products),
        on_every_rig(rigs, "numerics::variance_of_infinity", variance_of_infinity),
        on_every_rig(rigs, "numerics::odd_nans", odd_nans),
        on_every_rig(rigs, "numerics::stats_are_their_parts", stats_are_their_parts),
        on_every_rig(rigs, "numerics::indices_across_bindings", indices_across_bindings),
        on_every_rig(rigs, "numerics::first_of_ties", first_of_ties),
        on_every_rig(rigs, "numerics::raw_results", raw_results),
        on_every_rig(rigs, "numerics::calls", calls),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Mean and population variance, in f64 from distances to the first element, which are exact there.
fn moments(values: &[f32]) -> (f64, f64) {
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    let len = values.len() as f64;
    let first = f64::from(values[0]);
    let rest = values.iter().map(|&v| f64::from(v) - first).sum::<f64>() / len;
    let squares = values.iter().map(|&v| (f64::from(v) - first - rest).powi(2)).sum::<f64>();
    (first + rest, squares / len)
}

/// 2^20 numbers around 10^6 and more, whose spread is a few units in their last place: of deviation
/// 0.001 around 10^6 a number of f32 has nothing left but on which side of a rounding it fell.
fn far_from_zero(rig: &Rig) -> Outcome {
    for (offset, deviation) in
        [(1e6, 1e-3), (1e6, 0.1), (1e6, 30.0), (-1e6, 0.3), (3e9, 1e3), (0.03, 1e-9)]
    {
        #[expect(clippy::cast_possible_truncation, reason = "the numbers that are to be tested")]
        let values: Vec<f32> = f32::data(Shape::Random, (1 << 20) + 3)
            .into_iter()
            .map(|value| (offset + 0.0312 + deviation * f64::from(value) * 3.46) as f32)
            .collect();
        let buffer = rig.reducer.upload(&values)?;
        let (mean, variance) = moments(&values);
        for (name, got) in [
            ("mean", rig.reducer.mean(&buffer)?),
            ("nan_mean", rig.reducer.nan_mean(&buffer)?),
            ("stats", rig.reducer.stats(&buffer)?.mean),
        ] {
            // Half a unit of the result's last place, and a little of the spread.
            let bound = mean.abs() * 2.0_f64.powi(-23) + 1e-6 * variance.sqrt();
            let off = (f64::from(got) - mean).abs();
            ensure!(off <= bound, "{name} of {offset} ± {deviation}: {got}, not {mean}");
        }
        for got in [rig.reducer.variance(&buffer, 0)?, rig.reducer.stats(&buffer)?.variance] {
            let off = (f64::from(got) - variance).abs();
            ensure!(
                off <= 1e-5 * variance,
                "variance of {offset} ± {deviation}: {got}, not {variance}"
            );
        }
    }
    Ok(())
}

/// Data that wander far from where they begin, or begin with an element far from the rest, in so many tiles of each invocation that means are
/// carried on from one to the next some hundred times.
fn many_tiles(rig: &Rig) -> Outcome {
    let len = 100_003_u32;
    #[expect(clippy::cast_possible_truncation, reason = "the numbers that are to be tested")]
    let ramp = |first: f64, rise: f64| -> Vec<f32> {
        (0..len).map(|i| (first + rise * f64::from(i) / f64::from(len)) as f32).collect()
    };
    let mut outlier = ramp(1e6, 2.0);
    outlier[0] = -3e7;
    for (what, values) in [
        ("a ramp", ramp(8e6, 40.0)),
        ("a long ramp", ramp(-5.0, 1000.0)),
        ("a ramp far away", ramp(3e9, 3e3)),
        ("an outlier, then a ramp", outlier),
    ] {
        let buffer = rig.reducer.upload(&values)?;
        let (mean, variance) = moments(&values);
        for loads_in_flight in [1, 6] {
            let stats = Stats::default();
            let default = rig.reducer.tuning(Operation::<f32>::record(&stats), ElementKind::F32, 1);
            let few = Tuning { workgroup_size: 32, max_workgroups: 1, loads_in_flight, ..default };
            let reducer = rig.reducer.with_tuning(few);
            let got = reducer.reduce(stats, &buffer).start()?.wait()?;
            let [_, of_mean, of_variance] =
                stats.tolerances(&values, &reducer.reduce(stats, &buffer).plan()?.accuracy());
            let off = (f64::from(got.mean) - mean).abs();
            let is_near = mean.abs() * 2.0_f64.powi(-23) + 1e-6 * variance.sqrt();
            ensure!(off <= of_mean.min(is_near), "{what}: mean {}, not {mean}", got.mean);
            let off = (f64::from(got.variance) - variance).abs();
            ensure!(
                off <= of_variance.min(1e-4 * variance),
                "{what}: variance {}, not {variance}",
                got.variance
            );
        }
    }
    Ok(())
}

/// Where the variance is more than a number holds it is infinite, however alike what the invocations have is.
fn squares_beyond_the_range(rig: &Rig) -> Outcome {
    for len in [8, 512, 2048, 100_000] {
        let values = [vec![0.0_f32; len], vec![1e20; len]].concat();
        let buffer = rig.reducer.upload(&values)?;
        let stats = rig.reducer.stats(&buffer)?;
        for got in [rig.reducer.variance(&buffer, 0)?, stats.variance] {
            ensure!(
                got.to_bits() == f32::INFINITY.to_bits(),
                "{len} zeros, then as many of 1e20: variance {got}"
            );
        }
        ensure!((f64::from(stats.mean) / 5e19 - 1.0).abs() < 1e-5, "{len}: {}", stats.mean);
    }
    Ok(())
}

/// One element far from the rest, wherever it stands, takes no digits of theirs: means and sums are as near as
/// those of magnitudes would let one expect.
fn an_outlier(rig: &Rig) -> Outcome {
    let len = 300_001;
    for outlier in [1e6_f32, -3e4, 1e-3, 1e9] {
        for place in [0, 5, len / 2, len - 1] {
            let mut values = f32::data(Shape::Random, len as u64);
            values[place] = outlier;
            let what = format!("{outlier} at {place}");
            let buffer = rig.reducer.upload(&values)?;
            let (mean, variance) = moments(&values);
            let magnitude = values.iter().map(|&v| f64::from(v).abs()).sum::<f64>() / 300_001.0;
            let is_near = |got: f32| (f64::from(got) - mean).abs() <= 2e-6 * magnitude;
            let (got_mean, got) = (rig.reducer.mean(&buffer)?, rig.reducer.variance(&buffer, 0)?);
            let off = (f64::from(got) / variance - 1.0).abs();
            ensure!(off <= 1e-5, "{what}: variance {got}, not {variance}");
            let tolerance =
                Mean.tolerance(&values, &rig.reducer.reduce(Mean, &buffer).plan()?.accuracy());
            ensure!(
                is_near(got_mean) && (f64::from(got_mean) - mean).abs() <= tolerance,
                "{what}: mean {got_mean}, not {mean}"
            );
            let numbers = rig.reducer.reduce(NanMean, &buffer).start()?.wait()?;
            ensure!(is_near(numbers), "{what}: mean of numbers {numbers}, not {mean}");
            let stats = rig.reducer.reduce(Stats::default(), &buffer).start()?.wait()?;
            ensure!(is_near(stats.mean), "{what}: mean {}, not {mean}", stats.mean);
            let off = (f64::from(stats.variance) / variance - 1.0).abs();
            ensure!(off <= 1e-5, "{what}: variance {} in stats, not {variance}", stats.variance);
            let off = (f64::from(stats.sum) / 300_001.0 - mean).abs();
            ensure!(off <= 2e-6 * magnitude, "{what}: sum {}, not {mean} each", stats.sum);
        }
    }
    Ok(())
}

fn sample_variance(rig: &Rig) -> Outcome {
    let integers = rig.reducer.upload(&[1_i32, 2, 3, 4])?;
    let floats = rig.reducer.upload(&[1.0_f32, 2.0, 3.0, 4.0])?;
    for (ddof, expected) in [(0, 1.25), (1, 5.0 / 3.0), (3, 5.0), (4, f64::INFINITY)] {
        let got = rig.reducer.variance(&integers, ddof)?;
        ensure!(got.to_bits() == f64::to_bits(expected), "integers, {ddof}: {got}");
        let got = rig.reducer.variance(&floats, ddof)?;
        let off = (f64::from(got) / expected - 1.0).abs();
        ensure!(off < 1e-6 || f64::from(got) == expected, "floats, {ddof}: {got}");
        let got = rig.reducer.reduce(Stats { ddof }, &integers).start()?.wait()?.variance;
        ensure!(got.to_bits() == f64::to_bits(expected), "stats, {ddof}: {got}");
    }
    let one = rig.reducer.upload(&[7.0_f32])?;
    ensure!(rig.reducer.variance(&one, 0)? == 0.0, "one element deviates");
    ensure!(rig.reducer.variance(&one, 1)?.is_nan(), "a sample of one has a variance");
    Ok(())
}

/// From where squares underflow, through all in between, to where they overflow.
fn norms_in_every_range(rig: &Rig) -> Outcome {
    for len in [1_u64, 2, 7, 1000, 100_001] {
        for exponent in [-149, -140, -126, -100, -64, -63, 0, 63, 64, 100, 110] {
            let scale = 2.0_f64.powi(exponent);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the numbers that are to be tested"
            )]
            let mut values: Vec<f32> = f32::data(Shape::Random, len)
                .into_iter()
                .map(|value| ((f64::from(value) + 0.75) * scale) as f32)
                .collect();
            check_norm(rig, &values, &format!("{len} at 2^{exponent}"))?;
            // One that is far larger than the rest, at the end.
            values.push(1e30);
            check_norm(rig, &values, &format!("{len} at 2^{exponent} and 1e30"))?;
        }
    }
    Ok(())
}

fn check_norm(rig: &Rig, values: &[f32], what: &str) -> Outcome {
    let buffer = rig.reducer.upload(values)?;
    let norm = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
    let got = f64::from(rig.reducer.norm_l2(&buffer)?);
    let is_flushed = got == 0.0 && norm < f64::from(f32::MIN_POSITIVE);
    let off = (got - norm).abs();
    ensure!(off <= 1e-6 * norm + 1.5e-45 || is_flushed, "{what}: {got:e}, not {norm:e}");
    let tolerance =
        NormL2.tolerance(values, &rig.reducer.reduce(NormL2, &buffer).plan()?.accuracy());
    let is_near = tolerance.is_finite() && off <= tolerance;
    ensure!(is_near, "{what}: {got:e}, not {norm:e} within {tolerance:e}");
    Ok(())
}

/// Long products that stay within range, by their bound.
fn products(rig: &Rig) -> Outcome {
    for len in [10, 1000, 100_003] {
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let values: Vec<f32> = f32::data(Shape::Random, len)
            .into_iter()
            .map(|value| 1.0 + value * 20.0 / len as f32)
            .collect();
        let buffer = rig.reducer.upload(&values)?;
        let product: f64 = values.iter().map(|&v| f64::from(v)).product();
        let got = f64::from(rig.reducer.product(&buffer)?);
        let off = (got - product).abs();
        let tolerance =
            Product.tolerance(&values, &rig.reducer.reduce(Product, &buffer).plan()?.accuracy());
        ensure!(tolerance.is_finite() && off <= tolerance, "{len}: {got}, not {product}");
    }
    Ok(())
}

/// Deviations from an infinite mean are no numbers.
fn variance_of_infinity(rig: &Rig) -> Outcome {
    let inf = f32::INFINITY;
    for values in
        [&[inf][..], &[1.0, inf], &[inf, 1.0, 2.0], &[-inf, inf], &[1.0; 70], &[f32::NAN, 1.0]]
    {
        for len in [values.len(), 5000] {
            let mut values = values.to_vec();
            values.resize(len.max(values.len()), 1.0);
            let buffer = rig.reducer.upload(&values)?;
            let expected = Variance::POPULATION.on_cpu(&values)?;
            let same =
                |got: f32| got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
            let got = rig.reducer.variance(&buffer, 0)?;
            ensure!(same(got), "{:?}…: {got}, not {expected}", &values[..values.len().min(3)]);
            let stats = rig.reducer.stats(&buffer)?;
            ensure!(
                same(stats.variance),
                "stats of {:?}…: {stats:?}",
                &values[..values.len().min(3)]
            );
            let (mean, sum) = (Mean.on_cpu(&values)?, stats.sum);
            ensure!(
                stats.mean.total_cmp(&mean).is_eq() || stats.mean.is_nan() && mean.is_nan(),
                "{stats:?}, but the mean is {mean}"
            );
            ensure!(sum.is_nan() == mean.is_nan(), "{stats:?}");
        }
    }
    Ok(())
}

/// NaN of either sign, quiet and signalling, is NaN; infinity is not.
fn odd_nans(rig: &Rig) -> Outcome {
    for bits in [0x7F80_0001, 0xFF80_0001, 0x7FC0_0000, 0xFFC0_0000, 0x7FFF_FFFF, 0xFFFF_FFFF_u32] {
        for index in [0_u64, 3, 4, 40, 4999] {
            let mut values = f32::data(Shape::Extreme, 5000);
            values[usize::try_from(index)?] = f32::from_bits(bits);
            let buffer = rig.reducer.upload(&values)?;
            let what = format!("{bits:x} at {index}");
            let (min, max) = (rig.reducer.min(&buffer)?, rig.reducer.max(&buffer)?);
            ensure!(min.to_bits() == f32::NAN.to_bits(), "{what}: min {min}");
            ensure!(max.to_bits() == f32::NAN.to_bits(), "{what}: max {max}");
            let found = [rig.reducer.argmin(&buffer)?, rig.reducer.argmax(&buffer)?];
            ensure!(
                found.iter().all(|f| f.index == index && f.value.is_nan()),
                "{what}: {found:?}"
            );
            ensure!(rig.reducer.count_nan(&buffer)? == 1, "{what} is not counted");
            let left = rig.reducer.nan_argmax(&buffer)?;
            values[usize::try_from(index)?] = f32::NEG_INFINITY;
            let expected = ArgMax.on_cpu(&values)?;
            ensure!(left == expected, "{what}: {left:?}, not {expected:?}");
        }
    }
    Ok(())
}

fn stats_are_their_parts(rig: &Rig) -> Outcome {
    for len in [1, 2, 3, 1000, 70_001] {
        let values = i32::data(Shape::Random, len);
        let buffer = rig.reducer.upload(&values)?;
        let stats = rig.reducer.stats(&buffer)?;
        ensure!(stats.count == len, "{stats:?}");
        ensure!(stats.min == rig.reducer.argmin(&buffer)?, "{stats:?}");
        ensure!(stats.max == rig.reducer.argmax(&buffer)?, "{stats:?}");
        ensure!(stats.sum == rig.reducer.sum(&buffer)?, "{stats:?}");
        ensure!(stats.mean.to_bits() == rig.reducer.mean(&buffer)?.to_bits(), "{stats:?}");
        let variance = rig.reducer.variance(&buffer, 0)?;
        ensure!(stats.variance.to_bits() == variance.to_bits(), "{stats:?}, not {variance}");
    }
    Ok(())
}

/// The one extreme element is found wherever it stands, and counted from where the slice starts.
fn indices_across_bindings(rig: &Rig) -> Outcome {
    let len = 200_000_u64;
    let mut values = u32::data(Shape::Random, len);
    for value in &mut values {
        *value = *value % 1_000_000 + 5;
    }
    for start in [0, 1, 6, 16_385] {
        for index in [0, 1, 2, 3, 4, 16_383, 16_384, 16_385, 65_535, 100_000, len - start - 1] {
            let place = usize::try_from(start + index)?;
            let before = std::mem::replace(&mut values[place], 1);
            let buffer = rig.reducer.upload(&values)?;
            let got = rig.reducer.argmin(buffer.slice(start..)?)?;
            ensure!(got == Located { index, value: 1 }, "{got:?}, not {index} from {start}");
            values[place] = before;
        }
    }
    Ok(())
}

/// The first of equal elements is found, also if all are equal and extreme themselves.
fn first_of_ties(rig: &Rig) -> Outcome {
    for value in [u32::MAX, 0, 7] {
        for len in [1_usize, 5, 1000, 70_001] {
            let buffer = rig.reducer.upload(&vec![value; len])?;
            for start in [0, 1.min(len as u64 - 1)] {
                let slice = buffer.slice(start..)?;
                let found = [rig.reducer.argmin(slice)?, rig.reducer.argmax(slice)?];
                ensure!(
                    found == [Located { index: 0, value }; 2],
                    "{len} times {value}: {found:?}"
                );
            }
        }
    }
    let values: Vec<i32> = (0..70_000).map(|index| [4, 9, -3, 9, -3][index % 5]).collect();
    let buffer = rig.reducer.upload(&values)?;
    ensure!(rig.reducer.argmax(&buffer)?.index == 1, "not the first of the largest");
    ensure!(rig.reducer.argmin(&buffer)?.index == 2, "not the first of the smallest");
    Ok(())
}

/// What `encode` leaves is as documented, in the slot that was asked for, and `finish` makes the result
/// of it.
fn raw_results(rig: &Rig) -> Outcome {
    let values = [2.5_f32, -1.0, 7.0, -1.0];
    let input = rig.reducer.upload(&values)?;
    let mut encoder =
        rig.reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let located: GpuBuffer<[u32; 4]> = rig.reducer.upload(&[[7; 4]; 3])?;
    let moments: GpuBuffer<[u32; 8]> = rig.reducer.upload(&[[7; 8]; 3])?;
    let stats: GpuBuffer<[u32; 16]> = rig.reducer.upload(&[[7; 16]; 3])?;
    rig.reducer.reduce(ArgMin, &input).encode(&mut encoder, located.slice(1..)?)?;
    rig.reducer.reduce(Variance::SAMPLE, &input).encode(&mut encoder, moments.slice(1..)?)?;
    rig.reducer.reduce(Stats::default(), &input).encode(&mut encoder, stats.slice(2..)?)?;
    rig.reducer.queue().submit([encoder.finish()]);
    let located = located.download(&rig.reducer)?;
    ensure!(located == [[7; 4], [1, 0, (-1.0_f32).to_bits(), 0], [7; 4]], "{located:?}");
    let moments = moments.download(&rig.reducer)?;
    ensure!(moments[0] == [7; 8] && moments[2] == [7; 8], "{moments:?}");
    let [count, high, pivot, rest, squares, 0, 0, 0] = moments[1] else {
        return Err(format!("{moments:?}").into());
    };
    let [pivot, rest, squares] = [pivot, rest, squares].map(f32::from_bits);
    ensure!((count, high) == (4, 0), "{moments:?}");
    ensure!((pivot + rest - 1.875).abs() < 1e-6 && (squares - 43.1875).abs() < 1e-4, "{moments:?}");
    let variance = Operation::<f32>::finish(&Variance::SAMPLE, moments[1], 4)?;
    ensure!((variance - 14.395_833).abs() < 1e-5, "{variance}");
    let stats = stats.download(&rig.reducer)?;
    ensure!(stats[..2] == [[7; 16]; 2], "{stats:?}");
    let stats = Operation::<f32>::finish(&Stats::default(), stats[2], 4)?;
    ensure!(stats.max == Located { index: 2, value: 7.0 } && stats.count == 4, "{stats:?}");
    Ok(())
}

/// Every call is that of the operation it is named after.
fn calls(rig: &Rig) -> Outcome {
    let integers = rig.reducer.upload(&[6_u32, 5, 0, 5])?;
    let floats = rig.reducer.upload(&[f32::NAN, 1.5, -2.0])?;
    let reducer = &rig.reducer;
    ensure!(reducer.product(&integers)? == 0 && reducer.sum_of_squares(&integers)? == 86, "powers");
    ensure!(reducer.norm_l1(&integers)? == 16 && reducer.norm_max(&integers)? == 6, "norms");
    ensure!(reducer.norm_l2(&integers)?.to_bits() == 86_f64.sqrt().to_bits(), "norm_l2");
    let extrema = reducer.min_max(&integers)?;
    ensure!((extrema.min, extrema.max) == (0, 6), "{extrema:?}");
    ensure!((reducer.min(&integers)?, reducer.max(&integers)?) == (0, 6), "min and max");
    ensure!(!reducer.all(&integers)? && reducer.any(&integers)?, "all and any");
    ensure!(reducer.count_nonzero(&integers)? == 3 && reducer.count_nan(&floats)? == 1, "counts");
    ensure!(reducer.bit_and(&integers)? == 0 && reducer.bit_or(&integers)? == 7, "and, or");
    ensure!(reducer.bit_xor(&integers)? == 6, "exclusive or");
    ensure!(reducer.nan_sum(&floats)? == -0.5, "nan_sum");
    // Devices need not divide exactly.
    let is_mean = |mean: f32| (mean + 0.25).abs() <= f32::EPSILON;
    ensure!(is_mean(reducer.nan_mean(&floats)?), "nan_mean");
    ensure!(reducer.nan_min(&floats)? == -2.0 && reducer.nan_max(&floats)? == 1.5, "extremes");
    ensure!(reducer.nan_argmin(&floats)?.index == 2, "nan_argmin");
    ensure!(reducer.nan_argmax(&floats)?.index == 1, "nan_argmax");
    ensure!(is_mean(reducer.reduce(NanMean, &floats).start()?.wait()?), "reduce");
    Ok(())
}
