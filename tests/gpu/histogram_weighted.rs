//! Histograms of weights, against sums for each bin on the CPU.

use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use crate::histogram::{Numeric, expected, upload};
use libtest_mimic::Trial;
use std::fmt::Debug;
use wgpu::CommandEncoderDescriptor;
use wgpu_reduce::{
    Bins, Error, ExactSum, GpuBuffer, GpuSlices, HistogramTuning, Pending, Result, Weight,
    WeightedHistogram,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let tests = [
        ("histogram_weighted::floats", floats as fn(&Rig) -> Outcome),
        ("histogram_weighted::integers", integers),
        ("histogram_weighted::rounded_once", rounded_once),
        ("histogram_weighted::lengths", lengths),
        ("histogram_weighted::channels", channels),
        ("histogram_weighted::several_buffers", several_buffers),
        ("histogram_weighted::tunings", tunings),
        ("histogram_weighted::encoded", encoded),
        ("histogram_weighted::refused", refused),
    ];
    tests.into_iter().flat_map(|(name, test)| on_every_rig(rigs, name, test)).collect()
}

/// A weight whose sums can be told.
pub(crate) trait Summed: Weight + TestElement {
    /// The sum as bits, so that NaN is NaN and −0 is not 0.
    fn bits(sum: Self::Sum) -> u64;

    /// The bits of the right sum.
    fn sum(weights: &[Self]) -> u64;
}

macro_rules! summed_exactly {
    ($($float:ty)*) => {$(
        impl Summed for $float {
            fn bits(sum: Self) -> u64 {
                sum.to_bits().into()
            }

            fn sum(weights: &[Self]) -> u64 {
                let mut sum = ExactSum::new();
                for &weight in weights {
                    sum.add(weight);
                }
                Self::bits(sum.round())
            }
        }
    )*};
}
summed_exactly!(f32 f64);

impl Summed for u32 {
    fn bits(sum: u64) -> u64 {
        sum
    }

    fn sum(weights: &[Self]) -> u64 {
        weights.iter().map(|&weight| u64::from(weight)).sum()
    }
}

/// Each element's bin, and behind those the places of what is below, above, and NaN.
fn bins_of<T: Numeric>(values: &[T], bins: &Bins) -> Result<Vec<usize>> {
    let of_one = |&value: &T| -> Result<usize> {
        let (counts, _, outside) = expected(std::iter::once(value), bins)?;
        Ok(counts.iter().chain(&outside).position(|&count| count == 1).unwrap_or(0))
    };
    values.iter().map(of_one).collect()
}

/// The definition: the bits of the sums of a channel, as they are left.
fn sums<T: Numeric, W: Summed>(values: &[T], weights: &[W], bins: &Bins) -> Result<Vec<u64>> {
    let mut terms = vec![Vec::new(); usize::try_from(bins.output_len()).unwrap_or(0)];
    for (bin, &weight) in bins_of(values, bins)?.into_iter().zip(weights) {
        terms[bin].push(weight);
    }
    Ok(terms.iter().map(|terms| W::sum(terms)).collect())
}

/// The bits of the sums of every channel.
fn sums_of_channels<T: Numeric, W: Summed>(
    values: &[T],
    weights: &[W],
    channels: usize,
    bins: &Bins,
) -> Result<Vec<Vec<u64>>> {
    let of_channel = |channel: usize| {
        let mine: Vec<_> = values.iter().copied().skip(channel).step_by(channels).collect();
        let factors: Vec<_> = weights.iter().copied().skip(channel).step_by(channels).collect();
        sums(&mine, &factors, bins)
    };
    (0..channels).map(of_channel).collect()
}

fn compare(found: &[u64], expected: &[u64], what: &dyn Debug) -> Outcome {
    let other = found.iter().zip(expected).position(|(a, b)| a != b);
    ensure!(
        found == expected,
        "{what:?}: another sum at {other:?} of {}: {:x?}, not {:x?}",
        expected.len(),
        other.map(|place| found[place]),
        other.map(|place| expected[place])
    );
    Ok(())
}

/// All sums in the order in which they are left.
fn bits_of<W: Summed>(histogram: &WeightedHistogram<W::Sum>) -> Vec<u64> {
    let outside = [histogram.below, histogram.above, histogram.nan];
    histogram.sums.iter().chain(&outside).map(|&sum| W::bits(sum)).collect()
}

/// One channel, behind so many elements and weights that are poison.
pub(crate) fn check<T: Numeric, W: Summed>(
    rig: &Rig,
    (values, weights): (&[T], &[W]),
    before: [usize; 2],
    bins: &Bins,
) -> Outcome {
    let [elements, factors] = before;
    let (input, others) = (upload(rig, values, elements)?, poisoned(rig, weights, factors)?);
    let input = input.slice(elements as u64..(elements + values.len()) as u64)?;
    let others = others.slice(factors as u64..(factors + weights.len()) as u64)?;
    let found = rig.reducer.bin(input, bins).weights(others).run()?;
    ensure!(found.edges == bins.edges_for(T::KIND)?, "other edges");
    let what = (T::KIND, W::KIND, values.len(), before, bins);
    compare(&bits_of::<W>(&found), &sums(values, weights, bins)?, &what)
}

fn poisoned<W: Summed>(rig: &Rig, weights: &[W], before: usize) -> Result<GpuBuffer<W>> {
    let mut padded = vec![W::poison(); before];
    padded.extend_from_slice(weights);
    padded.resize(padded.len() + 5, W::poison());
    rig.reducer.upload(&padded)
}

/// Few bins and many, weights that cancel, and those that are no numbers.
fn floats(rig: &Rig) -> Outcome {
    let values = f32::data(Shape::Random, 20_011);
    for (count, shape) in [(20, Shape::Cancelling), (20, Shape::Extreme), (700, Shape::Tiny)] {
        let bins = Bins::even(-0.4..0.5, count)?;
        let mut weights = f32::data(shape, values.len() as u64);
        weights[5] = f32::INFINITY;
        weights[77] = -f32::NAN;
        weights[1000] = f32::MAX;
        check(rig, (&values, &weights), [3, 2], &bins)?;
        let mut weights = f64::data(shape, values.len() as u64);
        weights[5] = f64::NEG_INFINITY;
        weights[77] = f64::NAN;
        weights[1000] = f64::MAX;
        // As many as tight bindings hold.
        let bins = Bins::even(-0.4..0.5, count.min(115))?;
        check(rig, (&values, &weights), [2, 1], &bins)?;
    }
    let (values, bins) = (f64::data(Shape::Random, 5003), Bins::even(-0.4..0.5, 100)?);
    check(rig, (&values, &f64::data(Shape::Extreme, 5003)), [1, 3], &bins)
}

/// Sums beyond 32 bits, of elements whose size is not that of the weights.
fn integers(rig: &Rig) -> Outcome {
    let values = u8::data(Shape::Random, 40_003);
    let weights = u32::data(Shape::Extreme, values.len() as u64);
    for bins in [Bins::even(10..100, 7)?, Bins::edges(&[0, 1, 10, 100])?, Bins::even(0..256, 5000)?]
    {
        check(rig, (&values, &weights), [3, 0], &bins)?;
    }
    let (values, bins) = (i64::data(Shape::Random, 5003), Bins::even(-9e18..9e18, 50)?);
    check(rig, (&values, &weights[..values.len()]), [1, 3], &bins)
}

/// A type of weights, as far as rounding goes.
struct Format<W> {
    power: fn(i32) -> W,
    /// Exponents of the least subnormal number, the least normal one, and the end of all.
    exponents: [i32; 3],
    digits: i32,
    /// The largest number, the one above 1, the largest subnormal one, infinity, NaN.
    most: W,
    above_one: W,
    subnormal: W,
    infinity: W,
    nan: W,
}

impl<W: Copy + std::ops::Neg<Output = W>> Format<W> {
    /// Sums next to where rounding goes the other way, those at one exponent of `step`.
    fn cases(&self, step: usize) -> Vec<Vec<W>> {
        let &Self { power, exponents: [first, normal, end], digits, .. } = self;
        let &Self { most, above_one, subnormal, infinity, nan, .. } = self;
        let (zero, one, least, half) = (power(first - 1), power(0), power(first), power(-digits));
        let beyond = power(end - 1 - digits);
        let mut cases = vec![
            vec![],
            vec![-zero],
            vec![-zero, -zero],
            vec![-zero, zero],
            vec![one, -one],
            vec![least; 3],
            vec![power(normal), -least],
            vec![subnormal, least],
            vec![one, half, least],
            vec![one, half, -least],
            vec![above_one, half],
            vec![most, most],
            vec![most, most, -most],
            vec![most, beyond],
            vec![most, beyond, -least],
            vec![most, -most, least],
            vec![infinity, most],
            vec![infinity, -infinity],
            vec![infinity, nan],
            vec![-zero, nan],
        ];
        // With the bits below at every distance that matters.
        let (p, far) = (digits, end - first);
        for exponent in (first..end).step_by(step) {
            let terms = [
                [0, -p, -far],
                [0, -p, -p - 36],
                [0, 1 - p, -p],
                [-1, -p, -p - 1],
                [-2, -p - 2, -p - 33],
            ];
            cases.extend(terms.map(|terms| terms.map(|term| power(exponent + term)).to_vec()));
        }
        let negative = |terms: &Vec<W>| terms.iter().map(|&term| -term).collect();
        let negatives: Vec<Vec<W>> = cases.iter().map(negative).collect();
        cases.extend(negatives);
        cases
    }
}

/// Each sum a bin of its own.
fn rounded_once(rig: &Rig) -> Outcome {
    #[expect(clippy::cast_possible_truncation, reason = "powers of two, or 0")]
    let of_f32 = Format {
        power: |exponent| 2.0_f64.powi(exponent) as f32,
        exponents: [-149, -126, 128],
        digits: 24,
        most: f32::MAX,
        above_one: 1.0_f32.next_up(),
        subnormal: f32::MIN_POSITIVE.next_down(),
        infinity: f32::INFINITY,
        nan: f32::NAN,
    };
    let cases = of_f32.cases(1);
    // In the totals, as many as tight bindings hold, and some in workgroup memory.
    cases.chunks(800).try_for_each(|cases| check_cases(rig, cases))?;
    cases.chunks(37).step_by(3).try_for_each(|cases| check_cases(rig, cases))?;
    let of_f64 = Format {
        // `powi` itself does not reach the least ones.
        power: |exponent| 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2),
        exponents: [-1074, -1022, 1024],
        digits: 53,
        most: f64::MAX,
        above_one: 1.0_f64.next_up(),
        subnormal: f64::MIN_POSITIVE.next_down(),
        infinity: f64::INFINITY,
        nan: f64::NAN,
    };
    // Every place of a digit, as 13 and 32 have no common factor.
    let cases = of_f64.cases(13);
    cases.chunks(110).try_for_each(|cases| check_cases(rig, cases))?;
    cases.chunks(20).step_by(9).try_for_each(|cases| check_cases(rig, cases))
}

fn check_cases<W: Summed>(rig: &Rig, cases: &[Vec<W>]) -> Outcome {
    let numbered = (0_u16..).zip(cases);
    let pairs = numbered.flat_map(|(number, terms)| terms.iter().map(move |&term| (number, term)));
    let (values, weights): (Vec<u16>, Vec<W>) = pairs.unzip();
    let count = u32::try_from(cases.len())?;
    check(rig, (&values, &weights), [1, 1], &Bins::even(0..count, count)?)
}

fn lengths(rig: &Rig) -> Outcome {
    let bins = Bins::even(0..256, 10)?;
    for len in [0, 1, 2, 3, 5, 15, 16, 17, 63, 64, 65, 255, 1023, 1025, 4099] {
        let (values, weights) = (u8::data(Shape::Random, len), u32::data(Shape::Random, len));
        for before in [[0, 0], [1, 3], [7, 2]] {
            check(rig, (&values, &weights), before, &bins)?;
        }
        let weights = f32::data(Shape::Cancelling, len);
        check(rig, (&values, &weights), [2, 1], &bins)?;
        let weights = f64::data(Shape::Cancelling, len);
        check(rig, (&values, &weights), [1, 3], &bins)?;
    }
    Ok(())
}

fn check_channels<T: Numeric, W: Summed>(
    rig: &Rig,
    (input, weights): (GpuSlices<'_, T>, GpuSlices<'_, W>),
    (values, factors): (&[T], &[W]),
    channels: usize,
    bins: &Bins,
) -> Outcome {
    let count = u32::try_from(channels)?;
    let found = rig.reducer.bin(input, bins).channels(count).weights(weights).run()?;
    ensure!(found.len() == channels, "{} histograms", found.len());
    let expected = sums_of_channels(values, factors, channels, bins)?;
    for (channel, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let what = (channel, channels, T::KIND, W::KIND);
        compare(&bits_of::<W>(found), expected, &what)?;
    }
    Ok(())
}

fn channels(rig: &Rig) -> Outcome {
    // As many as tight bindings hold.
    weights_of_channels::<u32>(rig, Shape::Random, 6)?;
    weights_of_channels::<f32>(rig, Shape::Cancelling, 6)?;
    weights_of_channels::<f64>(rig, Shape::Extreme, 4)
}

fn weights_of_channels<W: Summed>(rig: &Rig, shape: Shape, bins: u32) -> Outcome {
    let bins = Bins::even(0..256, bins)?;
    for (channels, before) in [(2, 0), (3, 5), (4, 2), (16, 1)] {
        let len = channels as u64 * 517;
        let (values, weights) = (u8::data(Shape::Random, len), W::data(shape, len));
        let (input, factors) = (upload(rig, &values, before)?, rig.reducer.upload(&weights)?);
        let input = input.slice(before as u64..before as u64 + len)?;
        let both = (input.into(), (&factors).into());
        check_channels(rig, both, (&values, &weights), channels, &bins)?;
    }
    Ok(())
}

/// Cut into buffers at different places, none of them between pixels, and by bindings where they are tight.
fn several_buffers(rig: &Rig) -> Outcome {
    weights_of_several_buffers::<f32>(rig)?;
    weights_of_several_buffers::<f64>(rig)
}

fn weights_of_several_buffers<W: Summed>(rig: &Rig) -> Outcome {
    let len = usize::try_from(TIGHT_BINDING_BYTES)? / 4 * 3 + 3 * 111;
    let (values, weights) =
        (u16::data(Shape::Random, len as u64), W::data(Shape::Cancelling, len as u64));
    let [first, second] = [1001, 20_000];
    let inputs = [upload(rig, &values[..first], 1)?, upload(rig, &values[first..], 2)?];
    let inputs =
        [inputs[0].slice(1..=first as u64)?, inputs[1].slice(2..2 + (len - first) as u64)?];
    let others = [
        rig.reducer.upload(&weights[..500])?,
        rig.reducer.upload::<W>(&[])?,
        rig.reducer.upload(&weights[500..second])?,
        rig.reducer.upload(&weights[second..])?,
    ];
    let bins = Bins::even(0..1 << 16, 12)?;
    let plan = rig.reducer.bin(&inputs, &bins).channels(3).weights(&others).plan()?;
    // The pieces between five ends.
    ensure!(plan.passes()[0].grids().len() >= 4 && plan.len == len as u64, "{plan}");
    check_channels(rig, ((&inputs).into(), (&others).into()), (&values, &weights), 3, &bins)
}

/// One workgroup and many, sums in workgroup memory or none; with a time, where there is a timer.
fn tunings(rig: &Rig) -> Outcome {
    let bins = Bins::even(-1.0..1.0, 11)?;
    let (values, weights) = (f32::data(Shape::Random, 30_007), f32::data(Shape::Extreme, 30_007));
    let (input, factors) = (rig.reducer.upload(&values)?, rig.reducer.upload(&weights)?);
    let expected = sums(&values, &weights, &bins)?;
    for (workgroup_size, max_workgroups, copies) in [(32, 7, 4), (64, 1000, 0), (128, 1, 1)] {
        let tuning = HistogramTuning { workgroup_size, max_workgroups, loads_in_flight: 4, copies };
        let pending = rig
            .reducer
            .bin(&input, &bins)
            .channels(1)
            .weights(&factors)
            .tuned(tuning)
            .timed()
            .start()?;
        let timed = pending.wait()?;
        ensure!(timed.gpu_ns.is_none_or(|ns| ns > 0.0), "{:?}", timed.gpu_ns);
        compare(&bits_of::<f32>(&timed.value[0]), &expected, &tuning)?;
    }
    let tuning =
        HistogramTuning { workgroup_size: 48, ..HistogramTuning::for_caps(&rig.reducer.caps()) };
    let outcome =
        rig.reducer.bin(&input, &bins).channels(1).weights(&factors).tuned(tuning).timed().start();
    ensure!(matches!(outcome, Err(Error::InvalidTuning { .. })), "{outcome:?}");
    Ok(())
}

/// Twice the same into `output`, from element 5 on. What is there then, as bits.
fn encode<W: Summed>(
    rig: &Rig,
    input: &GpuBuffer<i16>,
    weights: &[W],
    bins: &Bins,
    filler: W::Sum,
) -> std::result::Result<Vec<u64>, libtest_mimic::Failed> {
    let weights = rig.reducer.upload(weights)?;
    let count = 2 * bins.output_len();
    let output = rig.reducer.upload(&vec![filler; usize::try_from(count)? + 9])?;
    let slice = output.slice(5..5 + count)?;
    for _ in 0..2 {
        let mut encoder =
            rig.reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
        rig.reducer.bin(input, bins).channels(2).weights(&weights).encode(&mut encoder, slice)?;
        rig.reducer.queue().submit([encoder.finish()]);
    }
    Ok(output.download(&rig.reducer)?.into_iter().map(W::bits).collect())
}

/// The sums stay on the GPU, and neighbours stay as they are.
fn encoded(rig: &Rig) -> Outcome {
    let values = i16::data(Shape::Random, 3000);
    let input = rig.reducer.upload(&values)?;
    let (floats, integers) = (f32::data(Shape::Cancelling, 3000), u32::data(Shape::Extreme, 3000));
    let around = |sums: Vec<Vec<u64>>, filler: u64| {
        let (before, behind) = (vec![filler; 5], vec![filler; 4]);
        [before, sums.concat(), behind].concat()
    };
    for bins in [Bins::even(-30_000..30_000, 300)?, Bins::even(-5..5, 3)?] {
        let left = encode::<f32>(rig, &input, &floats, &bins, 7.5)?;
        let sums = sums_of_channels(&values, &floats, 2, &bins)?;
        compare(&left, &around(sums, f32::bits(7.5)), &"f32")?;
        let left = encode::<u32>(rig, &input, &integers, &bins, 77)?;
        let sums = sums_of_channels(&values, &integers, 2, &bins)?;
        compare(&left, &around(sums, 77), &"u32")?;
    }
    let bins = Bins::even(-30_000..30_000, 40)?;
    let doubles = f64::data(Shape::Cancelling, 3000);
    let left = encode::<f64>(rig, &input, &doubles, &bins, 7.5)?;
    let sums = sums_of_channels(&values, &doubles, 2, &bins)?;
    compare(&left, &around(sums, f64::bits(7.5)), &"f64")?;
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let (input, weights) = (reducer.upload(&[1_u32, 2, 3])?, reducer.upload(&[1_u32, 2, 3])?);
    let bins = Bins::even(0..4, 4)?;
    let short = weights.slice(1..)?;
    let outcome = reducer.bin(&input, &bins).weights(short).run();
    ensure!(outcome == Err(Error::LengthMismatch { left: 3, right: 2 }), "{outcome:?}");
    let outcome = reducer.bin(&input, &bins).channels(2).weights(&weights).start().map(|_| ());
    ensure!(matches!(outcome, Err(Error::InvalidView { .. })), "{outcome:?}");
    let narrow = Bins::even(1.0..1.000_001, 1000)?;
    let floats = reducer.upload(&[1.0_f32])?;
    let outcome = reducer.bin(&floats, &narrow).weights(&floats).start().and_then(Pending::wait);
    ensure!(matches!(outcome, Err(Error::InvalidBins { .. })), "{outcome:?}");
    let encode = |output: &GpuBuffer<u64>| {
        let mut encoder =
            reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
        reducer.bin(&input, &bins).channels(1).weights(&weights).encode(&mut encoder, output)
    };
    let outcome = encode(&reducer.alloc(6)?);
    ensure!(outcome == Err(Error::InvalidRange { start: 0, end: 7, len: 6 }), "{outcome:?}");
    let buffer: GpuBuffer<u32> = reducer.alloc(64)?;
    let output = GpuBuffer::<u64>::from_wgpu(buffer.as_wgpu().clone(), 64, 8)?;
    let mut encoder = reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
    let of_weights = buffer.slice(..3)?;
    let outcome =
        reducer.bin(&input, &bins).channels(1).weights(of_weights).encode(&mut encoder, &output);
    ensure!(matches!(outcome, Err(Error::InvalidBuffer { .. })), "{outcome:?}");
    Ok(())
}
