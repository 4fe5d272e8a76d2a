//! `histogram`: how many elements of a file are in each bin, or pixels of an image, for each channel.

mod drawing;
mod ends;
mod picture;
mod svg;

use crate::args;
use crate::failure::Failure;
use crate::input::{Input, Room};
use crate::memory;
use crate::number::Number;
use crate::output;
use crate::sample::{Sample, with_sample};
use crate::stream::{Begun, Passage, Taken, take};
use ends::{Ends, ends, extent, of_all};
use picture::Picture;
use serde::{Serialize, Serializer};
use std::io::Write;
use std::ops::Range;
use wgpu_reduce::{
    Bins, Element, ElementKind, Error, GpuReducer, Histogram, HistogramStream, Pending,
};

/// What is printed and drawn.
struct Report {
    name: String,
    adapter: String,
    dtype: ElementKind,
    elements: u64,
    channels: Vec<Channel>,
    /// Where the file has passed through.
    passage: Option<Passage>,
    /// What an image's colours were in the file, where they are others now.
    converted_from: Option<&'static str>,
}

/// What is found in a file.
struct Found {
    elements: u64,
    histograms: Vec<Histogram>,
    passage: Option<Passage>,
}

struct Channel {
    /// None of a file that has one channel.
    name: Option<String>,
    histogram: Histogram,
}

pub(crate) fn run(arguments: &args::Histogram, out: &mut impl Write) -> Result<(), Failure> {
    let image = output::open_one("--svg", arguments.svg.as_deref(), &[&arguments.file])?;
    let mut out = output::beside(image.as_ref(), out);
    // Whoever says what a file is knows better than its first bytes.
    let told = arguments.format.is_some();
    let picture = if told { None } else { picture::format_of(&arguments.file) };
    let report = match picture {
        Some(format) => of_picture(arguments, format)?,
        None => of_elements(arguments)?,
    };
    image.map_or(Ok(()), |image| image.write(&svg::draw(&report)))?;
    if arguments.json {
        return print_json(&report, &mut out);
    }
    Ok(drawing::print(&report, &mut out)?)
}

fn of_picture(arguments: &args::Histogram, format: picture::Format) -> Result<Report, Failure> {
    let name = arguments.file.display().to_string();
    if arguments.dtype.is_some() || arguments.channels.is_some() {
        let what = "an image says itself what it has: no --dtype or --channels without --format";
        return Err(Failure::Usage(format!("{name}: {what}")));
    }
    let Picture { names, samples, converted_from } =
        picture::open(&arguments.file, format, arguments.memory)?;
    let (dtype, count) = (samples.element(), u32::try_from(names.len()).unwrap_or(1));
    let reducer = arguments.device.open(|options| options)?;
    let Found { elements, histograms, passage } = with_sample!(dtype, T in all => {
        counted::<T>(&reducer, samples, arguments, count)
    })?;
    let channel = |(name, histogram): (&&str, _)| Channel { name: Some((*name).into()), histogram };
    let channels = names.iter().zip(histograms).map(channel).collect();
    let adapter = reducer.adapter_label();
    Ok(Report { name, adapter, dtype, elements, channels, passage, converted_from })
}

fn of_elements(arguments: &args::Histogram) -> Result<Report, Failure> {
    let input = Input::open(&arguments.file, arguments.format, arguments.dtype)?;
    let (name, dtype) = (arguments.file.display().to_string(), input.element());
    let reducer = arguments.device.open(|options| options)?;
    let Found { elements, histograms, passage } = with_sample!(dtype, T in all => {
        counted::<T>(&reducer, input, arguments, arguments.channels.unwrap_or(1))
    })?;
    let count = histograms.len();
    let channel = |(number, histogram)| {
        let name = (count > 1).then(|| format!("channel {number}"));
        Channel { name, histogram }
    };
    let channels = histograms.into_iter().enumerate().map(channel).collect();
    let (adapter, converted_from) = (reducer.adapter_label(), None);
    Ok(Report { name, adapter, dtype, elements, channels, passage, converted_from })
}

fn counted<T: Sample>(
    reducer: &GpuReducer,
    input: Input,
    arguments: &args::Histogram,
    channels: u32,
) -> Result<Found, Failure> {
    let bins = arguments.bins.map_or(arguments.edges.len() as u64, u64::from);
    memory::check(bins.saturating_mul(channels.into()).saturating_mul(BIN_BYTES))?;
    let (name, options) = (input.name().to_owned(), arguments.memory.options());
    let Some(bins) = bins_asked_for(T::KIND, arguments)? else {
        return counted_by_extent::<T>(reducer, input, arguments, channels);
    };
    let open = || {
        HistogramStream::new(reducer, channels, &bins, &options)
            .map_err(|error| of_histogram(error, &name))
    };
    match take::<T, HistogramStream<T>, Failure>(
        reducer,
        input,
        arguments.memory,
        open,
        |_| Ok(()),
    )? {
        Taken::Resident(buffers) => {
            let histograms =
                wait(reducer.bin(buffers.all()?, &bins).channels(channels).start(), &name)?;
            Ok(Found { elements: buffers.all()?.len(), histograms, passage: None })
        }
        Taken::Streamed(stream, begun) => finished(stream, begun, &name),
    }
}

/// What a bin takes, its edge and what is written of it: the peak of resident memory for a million of them.
const BIN_BYTES: u64 = 64;

/// As `counted`, where elements say themselves from where to where bins are: what does not stay on the GPU is read twice.
fn counted_by_extent<T: Sample>(
    reducer: &GpuReducer,
    input: Input,
    arguments: &args::Histogram,
    channels: u32,
) -> Result<Found, Failure> {
    let (name, is_read_again) = (input.name().to_owned(), input.is_reopenable());
    let options = arguments.memory.options();
    let open = || {
        if is_read_again {
            return Ok(Ends::new(reducer, T::KIND, arguments.memory)?);
        }
        let what = "elements that are read once, and are more than --memory holds, need --range or --edges";
        Err(Failure::Usage(format!("{name}: {what}")))
    };
    let (found, begun) =
        match take::<T, Ends, Failure>(reducer, input, arguments.memory, open, |_| Ok(()))? {
            Taken::Resident(buffers) => {
                let found = of_all(reducer, &buffers.all()?.into());
                let bins = bins_between(ends(found, &name)?, T::KIND, arguments)?;
                let histograms =
                    wait(reducer.bin(buffers.all()?, &bins).channels(channels).start(), &name)?;
                return Ok(Found { elements: buffers.all()?.len(), histograms, passage: None });
            }
            Taken::Streamed(seen, begun) => (seen.found(), begun),
        };
    let bins = bins_between(ends(found, &name)?, T::KIND, arguments)?;
    let input = Input::open(&arguments.file, arguments.format, arguments.dtype)?;
    let stream = HistogramStream::<T>::new(reducer, channels, &bins, &options);
    let mut stream = stream.map_err(|error| of_histogram(error, &name))?;
    input.for_each_chunk::<T>(&Room::unlimited(), |piece| Ok(stream.push(piece)?))?;
    finished(stream, begun.times(2), &name)
}

/// What came of a file that has passed through.
fn finished<T: Element>(
    stream: HistogramStream<T>,
    begun: Begun,
    name: &str,
) -> Result<Found, Failure> {
    let elements = stream.len();
    let histograms = wait(stream.finish(), name)?;
    Ok(Found { elements, histograms, passage: Some(begun.passage()) })
}

fn wait(
    histograms: wgpu_reduce::Result<Pending<Vec<Histogram>>>,
    name: &str,
) -> Result<Vec<Histogram>, Failure> {
    histograms.and_then(Pending::wait).map_err(|error| of_histogram(error, name))
}

/// Bins and channels are what the command line says, whether the file stays on the GPU or passes through.
fn of_histogram(error: Error, name: &str) -> Failure {
    match error {
        Error::InvalidView { what } => Failure::Usage(format!("{name}: {what}")),
        Error::InvalidBins { .. } => usage(&error),
        error => error.into(),
    }
}

/// Bins where elements say what the range is.
const DEFAULT_BINS: u32 = 64;

fn usage(error: &Error) -> Failure {
    Failure::Usage(error.to_string())
}

/// Bins that are asked for; by default they cover all values of narrow integers. `None` if their range is that of the elements.
fn bins_asked_for(
    element: ElementKind,
    arguments: &args::Histogram,
) -> Result<Option<Bins>, Failure> {
    if !arguments.edges.is_empty() {
        return Bins::edges(&arguments.edges).map(Some).map_err(|error| usage(&error));
    }
    let range = match (&arguments.range[..], element) {
        (&[low, high], _) => low..high,
        (_, ElementKind::U8) => 0.0..256.0,
        (_, ElementKind::I8) => -128.0..128.0,
        (_, ElementKind::U16) => 0.0..65_536.0,
        _ => return Ok(None),
    };
    bins_over(range, 256, arguments).map(Some)
}

/// Bins from the least element to the largest, if there is room for them.
fn bins_between(
    [low, high]: [Number; 2],
    element: ElementKind,
    arguments: &args::Histogram,
) -> Result<Bins, Failure> {
    let bins = bins_over(extent([low, high]), DEFAULT_BINS, arguments)?;
    if bins.edges_for(element).is_ok() {
        return Ok(bins);
    }
    let (name, count) = (arguments.file.display(), bins.count());
    let what = if low == high {
        format!("all elements are {low}, and {element} has no {count} bins about it")
    } else {
        format!("the elements, from {low} to {high}, lie too close for {count} bins of {element}")
    };
    Err(Failure::Usage(format!("{name}: {what}: --range or --edges says where bins are")))
}

fn bins_over(range: Range<f64>, count: u32, arguments: &args::Histogram) -> Result<Bins, Failure> {
    Bins::even(range, arguments.bins.unwrap_or(count)).map_err(|error| usage(&error))
}

/// An edge as the type of the elements has it, with that type's digits. Edges of integers are no integers.
#[expect(clippy::cast_possible_truncation, reason = "compared")]
fn in_digits_of(edge: f64, dtype: ElementKind) -> Number {
    let single = edge as f32;
    let is_single = dtype.is_float() && f64::from(single).total_cmp(&edge).is_eq();
    if is_single { Number::F32(single) } else { Number::F64(edge) }
}

/// What JSON has of a report. There may be a million bins, so nothing of it is copied.
#[derive(Serialize)]
struct Object<'a> {
    op: &'static str,
    elements: u64,
    dtype: &'static str,
    adapter: &'a str,
    edges: Edges<'a>,
    channels: Vec<ChannelObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    streamed: Option<Passage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    converted_from: Option<&'static str>,
}

#[derive(Serialize)]
struct ChannelObject<'a> {
    name: Option<&'a str>,
    counts: &'a [u64],
    below: u64,
    above: u64,
    nan: u64,
}

/// Edges, with the digits of the elements' type.
struct Edges<'a>(&'a [f64], ElementKind);

impl Serialize for Edges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|&edge| in_digits_of(edge, self.1)))
    }
}

fn print_json(report: &Report, out: &mut impl Write) -> Result<(), Failure> {
    fn channel(Channel { name, histogram }: &Channel) -> ChannelObject<'_> {
        let Histogram { counts, below, above, nan, .. } = histogram;
        let (below, above, nan) = (*below, *above, *nan);
        ChannelObject { name: name.as_deref(), counts, below, above, nan }
    }
    let edges = report.channels.first().map(|channel| &channel.histogram.edges[..]);
    let object = Object {
        op: "histogram",
        elements: report.elements,
        dtype: report.dtype.name(),
        adapter: &report.adapter,
        edges: Edges(edges.unwrap_or_default(), report.dtype),
        channels: report.channels.iter().map(channel).collect(),
        streamed: report.passage,
        converted_from: report.converted_from,
    };
    Ok(writeln!(out, "{}", serde_json::to_string(&object)?)?)
}
