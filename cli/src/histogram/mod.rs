//! `histogram`: how many elements of a file are in each bin, or pixels of an image, for each channel.

mod drawing;
mod picture;
mod svg;

use crate::args;
use crate::buffers::Buffers;
use crate::failure::Failure;
use crate::input::Input;
use crate::partial::Partial;
use crate::sample::{Sample, with_sample};
use crate::upload::upload_whole;
use picture::Picture;
use serde_json::json;
use std::io::Write;
use wgpu_reduce::{
    Binned, Bins, ElementKind, Error, Extrema, GpuReducer, Histogram, MinMax, Operation, Pending,
};

/// What is printed and drawn.
struct Report {
    name: String,
    adapter: String,
    dtype: ElementKind,
    elements: u64,
    channels: Vec<Channel>,
}

struct Channel {
    /// None of a file that has one channel.
    name: Option<String>,
    histogram: Histogram,
}

pub(crate) fn run(arguments: &args::Histogram, out: &mut impl Write) -> Result<(), Failure> {
    let image = arguments.svg.as_deref().map(Partial::for_text).transpose()?;
    // Whoever says what a file is knows better than its first bytes.
    let is_picture = arguments.format.is_none() && picture::is_one(&arguments.file);
    let report = if is_picture { of_picture(arguments)? } else { of_elements(arguments)? };
    image.map_or(Ok(()), |image| image.write(&svg::draw(&report)))?;
    if arguments.json {
        return print_json(&report, out);
    }
    Ok(drawing::print(&report, out)?)
}

fn of_picture(arguments: &args::Histogram) -> Result<Report, Failure> {
    let name = arguments.file.display().to_string();
    if arguments.dtype.is_some() || arguments.channels.is_some() {
        let what = "an image says itself what it has: no --dtype or --channels without --format";
        return Err(Failure::Usage(format!("{name}: {what}")));
    }
    let Picture { names, samples } = picture::open(&arguments.file)?;
    let reducer = arguments.device.open(|options| options)?;
    let count = u32::try_from(names.len()).unwrap_or(1);
    let (dtype, elements, histograms) = match samples {
        picture::Samples::Bytes(samples) => {
            let mut buffers = Buffers::with_room_for(samples.len() as u64, &reducer)?;
            buffers.push(&reducer, &samples)?;
            let histograms = histograms(&reducer, &buffers, count, arguments)?;
            (ElementKind::U8, samples.len(), histograms)
        }
        picture::Samples::Words(samples) => {
            let mut buffers = Buffers::with_room_for(samples.len() as u64, &reducer)?;
            buffers.push(&reducer, &samples)?;
            let histograms = histograms(&reducer, &buffers, count, arguments)?;
            (ElementKind::U16, samples.len(), histograms)
        }
    };
    let channel = |(name, histogram): (&&str, _)| Channel { name: Some((*name).into()), histogram };
    let channels = names.iter().zip(histograms).map(channel).collect();
    let adapter = reducer.adapter_label();
    Ok(Report { name, adapter, dtype, elements: elements as u64, channels })
}

fn of_elements(arguments: &args::Histogram) -> Result<Report, Failure> {
    let input = Input::open(&arguments.file, arguments.format, arguments.dtype)?;
    let (name, dtype) = (arguments.file.display().to_string(), input.element());
    let is_short = dtype.size_bytes() <= 4;
    if !is_short {
        let error = Error::NotDefined { operation: "histogram", element: dtype };
        return Err(Failure::in_file(&name, error));
    }
    let reducer = arguments.device.open(|options| options)?;
    let (elements, histograms) = with_sample!(dtype, T in short => {
        counted::<T>(&reducer, input, arguments)
    })?;
    let count = histograms.len();
    let channel = |(number, histogram)| {
        let name = (count > 1).then(|| format!("channel {number}"));
        Channel { name, histogram }
    };
    let channels = histograms.into_iter().enumerate().map(channel).collect();
    Ok(Report { name, adapter: reducer.adapter_label(), dtype, elements, channels })
}

/// How many elements there are, and their histograms.
fn counted<T: Sample + Binned + Into<f64>>(
    reducer: &GpuReducer,
    input: Input,
    arguments: &args::Histogram,
) -> Result<(u64, Vec<Histogram>), Failure>
where
    MinMax: Operation<T, Output = Extrema<T>>,
{
    let buffers = upload_whole::<T>(reducer, input)?;
    let channels = arguments.channels.unwrap_or(1);
    let histograms = histograms(reducer, &buffers, channels, arguments)?;
    Ok((buffers.all()?.len(), histograms))
}

fn histograms<T: Sample + Binned + Into<f64>>(
    reducer: &GpuReducer,
    buffers: &Buffers<T>,
    channels: u32,
    arguments: &args::Histogram,
) -> Result<Vec<Histogram>, Failure>
where
    MinMax: Operation<T, Output = Extrema<T>>,
{
    let bins = bins(reducer, buffers, arguments)?;
    let histograms = reducer.reduce_histograms(buffers.all()?, channels, &bins);
    histograms.and_then(Pending::wait).map_err(|error| {
        let is_usage = matches!(error, Error::InvalidView { .. } | Error::InvalidBins { .. });
        if is_usage { Failure::Usage(error.to_string()) } else { error.into() }
    })
}

/// Those asked for; by default all values of narrow integers, or from the least element to the largest.
fn bins<T: Sample + Binned + Into<f64>>(
    reducer: &GpuReducer,
    buffers: &Buffers<T>,
    arguments: &args::Histogram,
) -> Result<Bins, Failure>
where
    MinMax: Operation<T, Output = Extrema<T>>,
{
    let usage = |error: Error| Failure::Usage(error.to_string());
    if !arguments.edges.is_empty() {
        return Bins::edges(&arguments.edges).map_err(usage);
    }
    let (range, count) = match (&arguments.range[..], T::KIND) {
        (&[low, high], _) => (low..high, 256),
        (_, ElementKind::U8) => (0.0..256.0, 256),
        (_, ElementKind::I8) => (-128.0..128.0, 256),
        (_, ElementKind::U16) => (0.0..65_536.0, 256),
        _ => (extent(reducer, buffers)?, 64),
    };
    Bins::even(range, arguments.bins.unwrap_or(count)).map_err(usage)
}

/// As `numpy.histogram` has it: of no elements from 0 to 1, and none if an element is not finite.
fn extent<T: Sample + Binned + Into<f64>>(
    reducer: &GpuReducer,
    buffers: &Buffers<T>,
) -> Result<std::ops::Range<f64>, Failure>
where
    MinMax: Operation<T, Output = Extrema<T>>,
{
    match reducer.reduce(MinMax, buffers.all()?).and_then(Pending::wait) {
        Err(Error::Empty { .. }) => Ok(0.0..1.0),
        found => {
            let Extrema { min, max, .. } = found?;
            let (low, high) = (min.into(), max.into());
            if low.is_finite() && high.is_finite() {
                return Ok(low..high);
            }
            let what = format!("elements from {low} to {high} need --range or --edges");
            Err(Failure::Usage(what))
        }
    }
}

fn print_json(report: &Report, out: &mut impl Write) -> Result<(), Failure> {
    let channel = |Channel { name, histogram }: &Channel| {
        json!({
            "name": name,
            "counts": histogram.counts,
            "below": histogram.below,
            "above": histogram.above,
            "nan": histogram.nan,
        })
    };
    let channels: Vec<_> = report.channels.iter().map(channel).collect();
    let edges = report.channels.first().map(|channel| &channel.histogram.edges);
    let whole = json!({
        "op": "histogram",
        "elements": report.elements,
        "dtype": report.dtype.name(),
        "adapter": report.adapter,
        "edges": edges,
        "channels": channels,
    });
    Ok(writeln!(out, "{}", serde_json::to_string(&whole)?)?)
}
