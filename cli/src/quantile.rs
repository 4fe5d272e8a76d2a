//! `median`, `quantile`, `nan-median`, `nan-quantile`, `nth`, `top-k` and `bottom-k`: order statistics of a file's elements, as a whole or along axes.

use crate::along::{self, told};
use crate::args::{AxisChoice, Source, parse_memory};
use crate::contiguous::{Along, with_last_at};
use crate::count::{share, whole};
use crate::failure::Failure;
use crate::figures::Figures;
use crate::input::Input;
use crate::number::Number;
use crate::order::need_row_major;
use crate::readings::{Read, Readings};
use crate::results::{Expected, Files, Results};
use crate::sample::{Sample, with_sample};
use crate::spent::{self, Spent, Stage};
use crate::stream::{Memory, Passage};
use crate::upload::upload_whole;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use serde_json::json;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use wgpu_reduce::{
    AlongFold, ArgNth, BottomK, ElementKind, GpuReducer, GpuSlices, Located, Median, NanMedian,
    NanQuantiles, Pending, QuantileMethod, Quantiles, Ranked, TopK,
};

/// The file whose elements are ranked, as a whole or along axes.
#[derive(Debug, Args)]
pub(crate) struct Ranking {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    axes: AxisChoice,
    /// Write the results to a .npy file instead, or with - to standard output: integers as i64 or u64, and elements without
    /// their indices.
    #[arg(long, value_name = "FILE", requires = "several", conflicts_with = "json")]
    output: Option<PathBuf>,
}

/// A ranking that may read its file several times.
#[derive(Debug, Args)]
pub(crate) struct Reread {
    #[command(flatten)]
    of: Ranking,
    /// Bytes of memory for elements, on host and GPU together, as in 64Mi or 2Gi. A file that is larger than half of it is read
    /// several times, and need not fit in any memory.
    #[arg(long, value_name = "BYTES", value_parser = parse_memory, conflicts_with = "several")]
    memory: Option<Memory>,
}

#[derive(Debug, Args)]
pub(crate) struct Quantile {
    #[command(flatten)]
    of: Reread,
    /// The shares of elements below the quantiles, each from 0 to 1.
    #[arg(long, value_name = "Q,Q", value_delimiter = ',', default_value = "0.25,0.5,0.75", value_parser = share)]
    at: Vec<f64>,
    /// What is done between two elements, by NumPy's name.
    #[arg(long, default_value = "linear", value_parser = method_parser())]
    method: QuantileMethod,
}

#[derive(Debug, Args)]
pub(crate) struct Nth {
    #[command(flatten)]
    of: Reread,
    /// The rank, from 0, which is that of the smallest element.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    rank: u64,
    /// Find the element's index, too. Along several axes, indices count in row-major order. Equal elements are ranked by their
    /// indices.
    #[arg(long, conflicts_with = "memory")]
    index: bool,
    /// Write the indices to a .npy file, too.
    #[arg(long, value_name = "FILE", requires_all = ["index", "output"])]
    output_indices: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Ends {
    #[command(flatten)]
    of: Ranking,
    /// How many elements.
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    k: u64,
    /// Write the indices to a .npy file, too.
    #[arg(long, value_name = "FILE", requires = "output")]
    output_indices: Option<PathBuf>,
}

fn method_parser() -> impl TypedValueParser<Value = QuantileMethod> {
    PossibleValuesParser::new(QuantileMethod::ALL.map(QuantileMethod::name)).try_map(|name| {
        let is_meant = |method: &QuantileMethod| method.name() == name;
        QuantileMethod::ALL.into_iter().find(is_meant).ok_or("no such method")
    })
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
enum Asked<'a> {
    Median,
    Quantiles(&'a [f64], QuantileMethod),
    NanMedian,
    NanQuantiles(&'a [f64], QuantileMethod),
    Nth(u64),
    ArgNth(u64),
    TopK(u64),
    BottomK(u64),
}

impl Asked<'_> {
    const fn name(self) -> &'static str {
        match self {
            Self::Median => "median",
            Self::Quantiles(..) => "quantile",
            Self::NanMedian => "nan_median",
            Self::NanQuantiles(..) => "nan_quantile",
            Self::Nth(_) => "nth",
            Self::ArgNth(_) => "arg_nth",
            Self::TopK(_) => "top_k",
            Self::BottomK(_) => "bottom_k",
        }
    }

    const fn finds_indices(self) -> bool {
        matches!(self, Self::ArgNth(_) | Self::TopK(_) | Self::BottomK(_))
    }

    /// Returns the number of results of a row, if they are a list.
    const fn list_len(self) -> Option<u64> {
        match self {
            Self::Median | Self::NanMedian | Self::Nth(_) | Self::ArgNth(_) => None,
            Self::Quantiles(at, _) | Self::NanQuantiles(at, _) => Some(at.len() as u64),
            Self::TopK(k) | Self::BottomK(k) => Some(k),
        }
    }

    /// Returns the shares of elements below quantiles.
    fn q(self) -> Option<Vec<f64>> {
        match self {
            Self::Quantiles(at, _) | Self::NanQuantiles(at, _) => Some(at.to_vec()),
            _ => None,
        }
    }

    /// Returns the place of a list among the dimensions of results along axes: of quantiles NumPy's, of elements that of torch.topk.
    fn place(self, along: &Along) -> usize {
        match (self, &along.axes[..]) {
            (Self::Quantiles(..) | Self::NanQuantiles(..), _) => 0,
            (_, &[axis]) => axis,
            _ => along.extents().len(),
        }
    }

    /// Returns the results to expect of so many rows with so many elements each.
    fn expected(self, rows: u64, row_len: u64, element: ElementKind) -> Expected {
        let is_between = !self.finds_indices() && !matches!(self, Self::Nth(_));
        let value = match element {
            ElementKind::F64 => Number::F64(0.0),
            kind if kind.is_float() => Number::F32(0.0),
            _ if is_between => Number::F64(0.0),
            _ => Number::Int(0),
        };
        let (finds_indices, written) = (self.finds_indices(), Figures::from(value));
        let located = finds_indices.then_some(Located { index: 0, value });
        let example = located.map_or_else(|| written.clone(), Figures::from);
        // A row that is too short is an error of its own, and not one of memory.
        let each = match self {
            Self::TopK(k) | Self::BottomK(k) => k.min(row_len),
            _ => self.list_len().unwrap_or(1),
        };
        let lists = if self.list_len().is_some() { rows } else { 0 };
        Expected { count: rows.saturating_mul(each), example, written, beside: None, lists }
    }
}

impl Reread {
    pub(crate) fn median(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.find(Asked::Median, None, out)
    }

    pub(crate) fn nan_median(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.find(Asked::NanMedian, None, out)
    }

    fn find(
        &self,
        asked: Asked<'_>,
        output_indices: Option<&Path>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let Some(memory) = self.memory else { return self.of.find(asked, output_indices, out) };
        let Source { file, format, dtype, .. } = &self.of.source;
        let input = Input::open(file, *format, *dtype)?;
        let found = with_sample!(input.element(), T in all => {
            read::<T>(&self.of.source, memory, asked, input)
        })?;
        self.of.print(asked, found, out)
    }
}

impl Ranking {
    fn find(
        &self,
        asked: Asked<'_>,
        output_indices: Option<&Path>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let Source { file, format, dtype, .. } = &self.source;
        let input = Input::open(file, *format, *dtype)?;
        if self.axes.axis.is_empty() {
            return self.find_in_all(asked, input, out);
        }
        let indices = ("--output-indices", output_indices);
        let files = Files::open(self.output.as_deref(), indices, &[file])?;
        self.find_along(asked, input, files, out)
    }

    fn find_in_all(
        &self,
        asked: Asked<'_>,
        input: Input,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let file = &self.source.file;
        if asked.finds_indices() {
            need_row_major(&input, file, &format!("the indices of {} count in", asked.name()))?;
        }
        if let Some(elements) = input.elements() {
            asked.expected(1, elements, input.element()).check_memory(file)?;
        }
        let found = self.found_by_type(asked, input, None)?;
        self.print(asked, found, out)
    }

    /// Prints what is found in a whole file.
    fn print(&self, asked: Asked<'_>, found: Found, out: &mut impl Write) -> Result<(), Failure> {
        let Found { figures, elements, element, adapter, passage } = found;
        let one = figures.first().cloned().filter(|_| asked.list_len().is_none());
        let report = Report {
            op: asked.name(),
            q: asked.q(),
            value: one.map_or(Value::Several(figures), Value::One),
            elements,
            dtype: element.name(),
            adapter,
            streamed: passage,
            spent: spent::so_far(),
        };
        report.print(self.source.json, out)
    }

    fn find_along(
        &self,
        asked: Asked<'_>,
        input: Input,
        files: Files,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let Source { file, json, .. } = &self.source;
        let along = along::asked(&input, file, &self.axes)?;
        let expected = asked.expected(along.results(), along.row_len(), input.element());
        let beside = files.has_beside().then_some(Number::Uint(0));
        let expected = Expected { beside, ..expected };
        files.check_room(&expected, file)?;
        let Found { mut figures, element, adapter, .. } =
            self.found_by_type(asked, input, Some(&along))?;
        let mut extents = along.extents();
        if let Some(len) = asked.list_len() {
            extents.push(len);
            figures = with_last_at(asked.place(&along), figures, &mut extents);
        }
        let mut beside = None;
        // Values and indices go to files of their own.
        if files.are_given() && asked.finds_indices() {
            beside = files.has_beside().then(|| figures.iter().map(Figures::first).collect());
            figures = figures.into_iter().map(|located| located.last().into()).collect();
        }
        let mut results =
            Results { figures, beside, about: along::about(&along, &extents), extents };
        results.describe(asked.name(), element, adapter);
        results.about.extend(asked.q().map(|q| ("q".into(), json!(q))));
        results.leave(files, *json, out)
    }

    fn found_by_type(
        &self,
        asked: Asked<'_>,
        input: Input,
        along: Option<&Along>,
    ) -> Result<Found, Failure> {
        with_sample!(input.element(), T in all => self.found::<T>(asked, input, along))
    }

    fn found<T>(
        &self,
        asked: Asked<'_>,
        input: Input,
        along: Option<&Along>,
    ) -> Result<Found, Failure>
    where
        T: Sample + Ranked<Figure: Into<Number>> + Into<Number>,
        Median: AlongFold<T, Output = T::Figure>,
        Quantiles: AlongFold<T, Output = Vec<T::Figure>>,
        NanMedian: AlongFold<T, Output = T::Figure>,
        NanQuantiles: AlongFold<T, Output = Vec<T::Figure>>,
        wgpu_reduce::Nth: AlongFold<T, Output = T>,
        ArgNth: AlongFold<T, Output = Located<T>>,
        TopK: AlongFold<T, Output = Vec<Located<T>>>,
        BottomK: AlongFold<T, Output = Vec<Located<T>>>,
    {
        let reducer = self.source.device.open(|options| options)?;
        let name = input.name().to_owned();
        let buffers = upload_whole::<T>(&reducer, input)?;
        let elements = match along {
            Some(along) => buffers.first(along.view.len())?,
            None => buffers.all()?,
        };
        if along.is_none() {
            // A stream's length is known by now.
            asked.expected(1, elements.len(), T::KIND).check_memory(&self.source.file)?;
        }
        let of = Rows { reducer: &reducer, elements: &elements, along, name: &name };
        let figures = match asked {
            Asked::Median => each(of.reduced(Median)?),
            Asked::Quantiles(at, method) => several(of.reduced(Quantiles::new(at).method(method))?),
            Asked::NanMedian => each(of.reduced(NanMedian)?),
            Asked::NanQuantiles(at, method) => {
                several(of.reduced(NanQuantiles::new(at).method(method))?)
            }
            Asked::Nth(rank) => each(of.reduced(wgpu_reduce::Nth { rank })?),
            Asked::ArgNth(rank) => each(of.reduced(ArgNth { rank })?),
            Asked::TopK(k) => several(of.reduced(TopK { k })?),
            Asked::BottomK(k) => several(of.reduced(BottomK { k })?),
        };
        let adapter = reducer.adapter_label();
        let (elements, element, passage) = (elements.len(), T::KIND, None);
        Ok(Found { figures, elements, element, adapter, passage })
    }
}

/// Finds what a file, read as often as need be, is asked for.
fn read<T: Sample + Ranked<Figure: Into<Number>> + Into<Number>>(
    source: &Source,
    memory: Memory,
    asked: Asked<'_>,
    input: Input,
) -> Result<Found, Failure> {
    let reducer = source.device.open(|options| options)?;
    let of = Readings { reducer: &reducer, source, memory };
    let one = |figure: T::Figure| each(vec![figure]);
    let list = |figures| several(vec![figures]);
    let read = match asked {
        Asked::Median => of.find::<T, _>(Median, input, one),
        Asked::NanMedian => of.find::<T, _>(NanMedian, input, one),
        Asked::Quantiles(at, method) => {
            of.find::<T, _>(Quantiles::new(at).method(method), input, list)
        }
        Asked::NanQuantiles(at, method) => {
            of.find::<T, _>(NanQuantiles::new(at).method(method), input, list)
        }
        Asked::Nth(rank) => {
            of.find::<T, _>(wgpu_reduce::Nth { rank }, input, |element| each(vec![element]))
        }
        Asked::ArgNth(_) | Asked::TopK(_) | Asked::BottomK(_) => {
            Err(Failure::Usage(format!("{} takes no --memory", asked.name())))
        }
    };
    let Read { figures, elements, passage } = read?;
    let adapter = reducer.adapter_label();
    Ok(Found { figures, elements, element: T::KIND, adapter, passage })
}

impl Quantile {
    pub(crate) fn find(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.of.find(Asked::Quantiles(&self.at, self.method), None, out)
    }

    pub(crate) fn find_of_numbers(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.of.find(Asked::NanQuantiles(&self.at, self.method), None, out)
    }
}

impl Nth {
    pub(crate) fn find(&self, out: &mut impl Write) -> Result<(), Failure> {
        let asked = if self.index { Asked::ArgNth(self.rank) } else { Asked::Nth(self.rank) };
        self.of.find(asked, self.output_indices.as_deref(), out)
    }
}

impl Ends {
    pub(crate) fn find_largest(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.of.find(Asked::TopK(self.k), self.output_indices.as_deref(), out)
    }

    pub(crate) fn find_smallest(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.of.find(Asked::BottomK(self.k), self.output_indices.as_deref(), out)
    }
}

/// What is found, and where.
struct Found {
    /// Of each row one, or a list.
    figures: Vec<Figures>,
    elements: u64,
    element: ElementKind,
    adapter: String,
    passage: Option<Passage>,
}

/// Elements on the GPU: one row, or those along axes.
struct Rows<'a, T> {
    reducer: &'a GpuReducer,
    elements: &'a GpuSlices<'a, T>,
    along: Option<&'a Along>,
    /// The name of their file.
    name: &'a str,
}

impl<T: Sample> Rows<'_, T> {
    /// The result of each row.
    fn reduced<F: AlongFold<T>>(&self, fold: F) -> Result<Vec<F::Output>, Failure> {
        let &Self { reducer, elements, along, name } = self;
        if let Some(along) = along {
            return along::reduced(reducer, fold, elements, along, name);
        }
        let request = reducer.reduce(fold, elements);
        let result = spent::on(Stage::Result, || request.start().and_then(Pending::wait));
        Ok(vec![result.map_err(|error| told(error, name))?])
    }
}

fn each<R: Into<Figures>>(results: Vec<R>) -> Vec<Figures> {
    results.into_iter().map(Into::into).collect()
}

fn several<R: Into<Figures>>(lists: Vec<Vec<R>>) -> Vec<Figures> {
    let len = lists.first().map_or(0, |list| list.len().saturating_mul(lists.len()));
    let mut figures = Vec::with_capacity(len);
    figures.extend(lists.into_iter().flatten().map(Into::into));
    figures
}

/// What is printed of a whole file.
#[derive(Debug, Serialize)]
struct Report {
    op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<Vec<f64>>,
    value: Value,
    elements: u64,
    dtype: &'static str,
    adapter: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    streamed: Option<Passage>,
    spent: Spent,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Value {
    One(Figures),
    Several(Vec<Figures>),
}

impl Report {
    fn print(&self, json: bool, out: &mut impl Write) -> Result<(), Failure> {
        if json {
            // Not as one text, which would take as much memory again.
            serde_json::to_writer(&mut *out, self)?;
            return Ok(writeln!(out)?);
        }
        let mut row =
            |name: &dyn Display, value: &dyn Display| writeln!(out, "{name:<10}  {value}");
        row(&"op", &self.op)?;
        match (&self.value, &self.q) {
            (Value::One(figures), _) => {
                figures.iter().try_for_each(|(name, number)| row(&name, &number))?;
            }
            (Value::Several(values), Some(q)) => {
                q.iter().zip(values).try_for_each(|(q, value)| row(q, value))?;
            }
            (Value::Several(located), None) => {
                row(&"index", &"value")?;
                located
                    .iter()
                    .try_for_each(|place| row(&place.first().to_string(), &place.last()))?;
            }
        }
        row(&"elements", &self.elements)?;
        row(&"dtype", &self.dtype)?;
        row(&"adapter", &self.adapter)?;
        Ok(())
    }
}
