//! Histograms, against a search for each element's bin on the CPU.

use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, in_turn, on_every_rig};
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu::CommandEncoderDescriptor;
use wgpu_reduce::{
    Bins, ElementKind, Error, GpuBuffer, GpuSlices, Histogram, HistogramTuning, Pending, Plan,
    Result,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let alike = [
        ("histogram::shapes::u8", shapes::<u8> as fn(&Rig) -> Outcome),
        ("histogram::shapes::i8", shapes::<i8>),
        ("histogram::shapes::u16", shapes::<u16>),
        ("histogram::shapes::i16", shapes::<i16>),
        ("histogram::shapes::f16", shapes::<f16>),
        ("histogram::shapes::bf16", shapes::<bf16>),
        ("histogram::shapes::u32", shapes::<u32>),
        ("histogram::shapes::i32", shapes::<i32>),
        ("histogram::shapes::f32", shapes::<f32>),
        ("histogram::shapes::u64", shapes::<u64>),
        ("histogram::shapes::i64", shapes::<i64>),
        ("histogram::shapes::f64", shapes::<f64>),
    ];
    let mut trials = in_turn(rigs, alike);
    for (name, test) in [
        ("histogram::lengths", lengths as fn(&Rig) -> Outcome),
        ("histogram::tunings", tunings),
        ("histogram::channels", channels),
        ("histogram::several_buffers", several_buffers),
        ("histogram::encoded", encoded),
        ("histogram::refused", refused),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    trials
}

/// An element as the number it is.
pub(crate) trait Numeric: TestElement {
    /// Rounded, if it has more digits than an `f64`.
    fn number(self) -> f64;

    /// Whether it is not below a finite number.
    fn reaches(self, edge: f64) -> bool {
        self.number() >= edge
    }

    /// Whether it is above a finite number.
    fn is_beyond(self, edge: f64) -> bool {
        self.number() > edge
    }
}

macro_rules! numeric {
    ($($element:ty),*) => {$(
        impl Numeric for $element {
            fn number(self) -> f64 {
                self.into()
            }
        }
    )*};
}
numeric!(f32, f64, i32, u32, u8, i8, u16, i16, f16, bf16);

macro_rules! numeric_of_64_bits {
    ($($element:ty),*) => {$(
        #[expect(clippy::cast_precision_loss, reason = "rounded")]
        #[expect(clippy::cast_possible_truncation, reason = "whole numbers, or beyond any element")]
        impl Numeric for $element {
            fn number(self) -> f64 {
                self as f64
            }

            fn reaches(self, edge: f64) -> bool {
                i128::from(self) >= edge.ceil() as i128
            }

            fn is_beyond(self, edge: f64) -> bool {
                i128::from(self) > edge.floor() as i128
            }
        }
    )*};
}
numeric_of_64_bits!(i64, u64);

/// Counts as on GPUs: four loads, of elements whose bins are certain at once, and a copy for each lane; in workgroups so
/// small that a few thousand elements make each of them take several tiles.
pub(crate) const LIKE_GPUS: HistogramTuning =
    HistogramTuning { workgroup_size: 32, max_workgroups: 3, loads_in_flight: 4, copies: 32 };

/// The tuning in force, and what is in force on GPUs.
pub(crate) fn tunings_of(rig: &Rig) -> [HistogramTuning; 2] {
    [HistogramTuning::for_caps(&rig.reducer.caps()), LIKE_GPUS]
}

/// Counts, edges, and what is below, above, and NaN.
pub(crate) type Expected = (Vec<u64>, Vec<f64>, [u64; 3]);

/// The definition.
pub(crate) fn expected<T: Numeric>(
    values: impl Iterator<Item = T>,
    bins: &Bins,
) -> Result<Expected> {
    let edges = bins.edges_for(T::KIND)?;
    let (first, last) = (edges[0], edges[edges.len() - 1]);
    let mut counts = vec![0; edges.len() - 1];
    let [mut below, mut above, mut nan] = [0; 3];
    for value in values {
        let bin = edges.partition_point(|&edge| value.reaches(edge));
        match value {
            _ if value.number().is_nan() => nan += 1,
            _ if !value.reaches(first) => below += 1,
            _ if value.is_beyond(last) => above += 1,
            _ => counts[bin.min(edges.len() - 1) - 1] += 1,
        }
    }
    Ok((counts, edges, [below, above, nan]))
}

pub(crate) fn compare(
    found: &Histogram,
    (counts, edges, outside): &Expected,
    what: &str,
) -> Outcome {
    let place = found.counts.iter().zip(counts).position(|(a, b)| a != b);
    let found_outside = [found.below, found.above, found.nan];
    ensure!(found.edges == *edges, "{what}: other edges");
    ensure!(
        found.counts == *counts && found_outside == *outside,
        "{what}: first other bin {place:?}; outside {found_outside:?}, expected {outside:?}; {} inside",
        found.inside()
    );
    Ok(())
}

/// Bins of every method: shifted, computed, searched, too many for a workgroup, hardly any, out of reach.
pub(crate) fn some_bins(rig: &Rig) -> Result<Vec<Bins>> {
    // Where bindings are tight, no more than those hold.
    let too_many = if rig.is_tight { 5000 } else { rig.reducer.caps().workgroup_storage_bytes / 4 };
    Ok(vec![
        Bins::even(0..256, 256)?,
        Bins::even(-0.5..0.5, 100)?,
        Bins::even(-100.0..200.0, 7)?,
        Bins::even(-2e9..3e9, 300)?,
        Bins::edges(&[-1e9, -128.0, -3.5, 0.0, 1e-40, 0.25, 0.75, 1.5, 7.0, 200.0, 6e4, 1e300])?,
        Bins::even(-30_000.0..30_000.0, too_many)?,
        Bins::even(5e9..6e9, 3)?,
        Bins::even(-6e9..-5e9, 3)?,
        Bins::even(-9e18..1.8e19, 1000)?,
        Bins::edges(&[
            -1e300,
            -9.3e18,
            -5e-324,
            0.0,
            5e-324,
            9.007_199_254_740_993e15,
            9.2e18,
            1.9e19,
        ])?,
    ])
}

/// `values` between poison.
pub(crate) fn upload<T: Numeric>(rig: &Rig, values: &[T], before: usize) -> Result<GpuBuffer<T>> {
    let mut padded = vec![T::poison(); before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + 5, T::poison());
    rig.reducer.upload(&padded)
}

/// With each of the tunings.
pub(crate) fn check<T: Numeric>(rig: &Rig, values: &[T], before: usize, bins: &Bins) -> Outcome {
    tunings_of(rig)
        .into_iter()
        .try_for_each(|tuning| check_with(rig, &tuning, values, before, bins))
}

pub(crate) fn check_with<T: Numeric>(
    rig: &Rig,
    tuning: &HistogramTuning,
    values: &[T],
    before: usize,
    bins: &Bins,
) -> Outcome {
    let buffer = upload(rig, values, before)?;
    let slice = buffer.slice(before as u64..(before + values.len()) as u64)?;
    let what = format!("{} of {} behind {before}, {bins:?}, {tuning}", values.len(), T::KIND);
    let found = rig
        .reducer
        .bin(slice, bins)
        .channels(1)
        .tuned(*tuning)
        .timed()
        .start()
        .and_then(Pending::wait);
    if bins.edges_for(T::KIND).is_err() {
        // As of halves, which have no number there.
        ensure!(matches!(found, Err(Error::InvalidBins { .. })), "{what}: {found:?}");
        return Ok(());
    }
    compare(&found?.value[0], &expected(values.iter().copied(), bins)?, &what)
}

/// Whether there are no counters but the totals.
pub(crate) fn counts_in_totals(plan: &Plan) -> bool {
    plan.passes()[0].to_string().ends_with("totals")
}

fn is_half_float(kind: ElementKind) -> bool {
    kind.is_float() && kind.size_bytes() == 2
}

fn shapes<T: Numeric>(rig: &Rig) -> Outcome {
    let bins = some_bins(rig)?;
    if size_of::<T>() > 1 {
        let (input, is_half) = (rig.reducer.upload(&[T::poison()])?, is_half_float(T::KIND));
        let plan = rig.reducer.bin(&input, &bins[5]).channels(1).plan();
        let are_too_many = plan.is_ok_and(|plan| counts_in_totals(&plan));
        ensure!(is_half || rig.is_tight || are_too_many, "a workgroup has them");
    }
    // Each way has a pipeline of its own, for each type; others have one in common.
    let bins = match T::KIND {
        ElementKind::F32 | ElementKind::U32 => &bins[..],
        // Wide ones are too wide, or too narrow, for it.
        kind if is_half_float(kind) => &[bins[1].clone(), bins[4].clone(), bins[5].clone()],
        _ if size_of::<T>() == 1 => &bins[..],
        _ if size_of::<T>() == 8 => &bins[2..],
        _ => &bins[3..6],
    };
    for (number, bins) in bins.iter().enumerate() {
        for shape in Shape::ALL {
            // Floats of Extreme and Cancelling have infinities and large numbers among them, and poison is NaN.
            let mut values = T::data(shape, 3001);
            values[number] = T::poison();
            // Four loads of eight elements, each added to totals, take compilers on CPUs minutes and gigabytes.
            let is_long = size_of::<T>() == 2 && bins.count() >= 5000;
            for tuning in &tunings_of(rig)[..if is_long { 1 } else { 2 }] {
                check_with(rig, tuning, &values, number, bins)?;
            }
        }
    }
    Ok(())
}

fn lengths(rig: &Rig) -> Outcome {
    let bins = Bins::even(0..256, 10)?;
    for len in [0, 1, 2, 3, 5, 15, 16, 17, 31, 63, 64, 255, 1023, 1025, 4099, 70_001] {
        for before in [0, 1, 7] {
            check(rig, &u8::data(Shape::Random, len), before, &bins)?;
        }
        check(rig, &f32::data(Shape::Cancelling, len), 1, &bins)?;
    }
    Ok(())
}

/// One workgroup and many, several loads, copies or none.
fn tunings(rig: &Rig) -> Outcome {
    let bins = Bins::even(-1.0..1.0, 50)?;
    let (bytes, floats) = (u8::data(Shape::Random, 30_007), f32::data(Shape::Random, 30_007));
    let on_gpu = (rig.reducer.upload(&bytes)?, rig.reducer.upload(&floats)?);
    let expected_of = (expected(bytes.into_iter(), &bins)?, expected(floats.into_iter(), &bins)?);
    for (workgroup_size, max_workgroups, loads_in_flight, copies) in
        [(32, 7, 4, 4), (64, 1000, 1, 0), (128, 2, 4, 8)]
    {
        let tuning = HistogramTuning { workgroup_size, max_workgroups, loads_in_flight, copies };
        let reducer = &rig.reducer;
        let of_bytes =
            reducer.bin(&on_gpu.0, &bins).channels(1).tuned(tuning).timed().start()?.wait()?;
        compare(&of_bytes.value[0], &expected_of.0, &format!("u8, {tuning}"))?;
        let of_floats =
            reducer.bin(&on_gpu.1, &bins).channels(1).tuned(tuning).timed().start()?.wait()?;
        compare(&of_floats.value[0], &expected_of.1, &format!("f32, {tuning}"))?;
    }
    Ok(())
}

fn check_channels<T: Numeric>(
    rig: &Rig,
    input: &GpuSlices<'_, T>,
    values: &[T],
    channels: usize,
    bins: &Bins,
) -> Outcome {
    let count = u32::try_from(channels)?;
    for tuning in tunings_of(rig) {
        let pending =
            rig.reducer.bin(input.clone(), bins).channels(count).tuned(tuning).timed().start()?;
        let found = pending.wait()?.value;
        ensure!(found.len() == channels, "{} histograms", found.len());
        for (channel, found) in found.iter().enumerate() {
            let mine = values.iter().copied().skip(channel).step_by(channels);
            let what = format!("channel {channel} of {channels}, {}, {tuning}", T::KIND);
            compare(found, &expected(mine, bins)?, &what)?;
        }
    }
    Ok(())
}

/// Channels behind so many elements that are not counted.
pub(crate) fn check_interleaved<T: Numeric>(
    rig: &Rig,
    values: &[T],
    before: usize,
    channels: usize,
    bins: &Bins,
) -> Outcome {
    let buffer = upload(rig, values, before)?;
    let slice = buffer.slice(before as u64..(before + values.len()) as u64)?;
    check_channels(rig, &slice.into(), values, channels, bins)
}

fn channels(rig: &Rig) -> Outcome {
    let bins = Bins::even(0..256, 64)?;
    for (channels, before) in [(2, 0), (3, 0), (3, 5), (4, 2), (16, 1)] {
        let values = u8::data(Shape::Random, channels as u64 * 1234);
        check_interleaved(rig, &values, before, channels, &bins)?;
    }
    let values = f32::data(Shape::Cancelling, 3 * 555);
    let buffer = upload(rig, &values, 1)?;
    let slice = buffer.slice(1..=values.len() as u64)?;
    let bins = Bins::even(-1e7..1e7, 99)?;
    check_channels(rig, &slice.into(), &values, 3, &bins)?;
    let found = rig.reducer.bin(slice, &bins).channels(3).run()?;
    ensure!(found.len() == 3 && found[2].total() == 555, "{found:?}");
    Ok(())
}

/// Windows and buffers in whose middle a pixel ends.
fn several_buffers(rig: &Rig) -> Outcome {
    let values = u16::data(Shape::Random, 3 * (TIGHT_BINDING_BYTES / 2 + 77));
    let (first, second) = values.split_at(1001);
    let buffers = [upload(rig, first, 1)?, upload(rig, second, 2)?];
    let slices = [buffers[0].slice(1..1002)?, buffers[1].slice(2..2 + second.len() as u64)?];
    let bins = Bins::even(0..1 << 16, 100)?;
    check_channels(rig, &(&slices).into(), &values, 3, &bins)
}

/// The counts stay on the GPU, and neighbours stay as they are.
fn encoded(rig: &Rig) -> Outcome {
    let values = i16::data(Shape::Random, 5000);
    let input = rig.reducer.upload(&values)?;
    for bins in [Bins::even(-30_000..30_000, 600)?, Bins::even(-5..5, 3)?] {
        let of_channel = usize::try_from(bins.output_len())?;
        let output = rig.reducer.upload(&vec![77_u64; 2 * of_channel + 9])?;
        let slice = output.slice(5..5 + 2 * bins.output_len())?;
        for _ in 0..2 {
            let mut encoder =
                rig.reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
            rig.reducer.bin(&input, &bins).channels(2).encode(&mut encoder, slice)?;
            rig.reducer.queue().submit([encoder.finish()]);
        }
        let left = output.download(&rig.reducer)?;
        let (before, left) = left.split_at(5);
        let (counts, behind) = left.split_at(2 * of_channel);
        ensure!(before.iter().chain(behind).all(|&word| word == 77), "neighbours: {left:?}");
        for (channel, counts) in counts.chunks(of_channel).enumerate() {
            let mine = values.iter().copied().skip(channel).step_by(2);
            let (of_bins, _, outside) = expected(mine, &bins)?;
            let all = [&of_bins[..], &outside].concat();
            ensure!(counts == all, "channel {channel}: {counts:?}, but {all:?}");
        }
    }
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let input = rig.reducer.upload(&[1.0_f32, 2.0, 3.0])?;
    let bins = Bins::even(0..4, 4)?;
    let outcome = rig.reducer.bin(&input, &bins).channels(2).start().map(|_| ());
    ensure!(matches!(outcome, Err(Error::InvalidView { .. })), "{outcome:?}");
    let narrow = Bins::even(1.0..1.000_001, 1000)?;
    let outcome = rig.reducer.bin(&input, &narrow).start().and_then(Pending::wait);
    ensure!(matches!(outcome, Err(Error::InvalidBins { .. })), "{outcome:?}");
    let output: GpuBuffer<u64> = rig.reducer.alloc(6)?;
    let mut encoder =
        rig.reducer.device().create_command_encoder(&CommandEncoderDescriptor::default());
    let outcome = rig.reducer.bin(&input, &bins).channels(1).encode(&mut encoder, &output);
    ensure!(outcome == Err(Error::InvalidRange { start: 0, end: 7, len: 6 }), "{outcome:?}");
    // The counts of two are the elements that are counted.
    let whole: GpuBuffer<u32> = rig.reducer.alloc(64)?;
    let output = GpuBuffer::<u64>::from_wgpu(whole.as_wgpu().clone(), 64, 8)?;
    let outcome =
        rig.reducer.bin(whole.slice(..3)?, &bins).channels(1).encode(&mut encoder, &output);
    ensure!(matches!(outcome, Err(Error::InvalidBuffer { .. })), "{outcome:?}");
    Ok(())
}
