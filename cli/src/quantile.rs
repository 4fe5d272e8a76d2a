//! `median`, `quantile` and `nth`: order statistics of a file's elements.

use crate::args::Source;
use crate::count::{share, whole};
use crate::failure::Failure;
use crate::input::Input;
use crate::number::Number;
use crate::sample::{Sample, with_sample};
use crate::spent::{self, Spent, Stage};
use crate::upload::upload_whole;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::io::Write;
use wgpu_reduce::{
    Element, Error, Fold, GpuReducer, GpuSlices, Median, Pending, QuantileMethod, Quantiles, Ranked,
};

#[derive(Debug, Args)]
pub(crate) struct Quantile {
    #[command(flatten)]
    pub(crate) of: Source,
    /// The shares of elements below the quantiles, each from 0 to 1.
    #[arg(long, value_name = "Q,Q", value_delimiter = ',', default_value = "0.25,0.5,0.75", value_parser = share)]
    pub(crate) at: Vec<f64>,
    /// What is done between two elements, by NumPy's name.
    #[arg(long, default_value = "linear", value_parser = method_parser())]
    pub(crate) method: QuantileMethod,
}

#[derive(Debug, Args)]
pub(crate) struct Nth {
    #[command(flatten)]
    pub(crate) of: Source,
    /// The rank, from 0, which is that of the smallest element.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    pub(crate) rank: u64,
}

fn method_parser() -> impl TypedValueParser<Value = QuantileMethod> {
    PossibleValuesParser::new(QuantileMethod::ALL.map(QuantileMethod::name)).try_map(|name| {
        let is_meant = |method: &QuantileMethod| method.name() == name;
        QuantileMethod::ALL.into_iter().find(is_meant).ok_or("no such method")
    })
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Report {
    op: &'static str,
    /// Of several quantiles the shares of elements below them.
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<Vec<f64>>,
    value: Value,
    elements: u64,
    dtype: &'static str,
    adapter: String,
    spent: Spent,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Value {
    One(Number),
    Several(Vec<Number>),
}

/// What is asked for.
pub(crate) enum Asked<'a> {
    Median,
    Quantiles(&'a [f64], QuantileMethod),
    Nth(u64),
}

pub(crate) fn run(
    arguments: &Source,
    asked: &Asked<'_>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let input = Input::open(&arguments.file, arguments.format, arguments.dtype)?;
    let report = with_sample!(input.element(), T in all => found::<T>(arguments, asked, input))?;
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
        return Ok(());
    }
    let mut rows = vec![("op".to_owned(), report.op.to_owned())];
    match (&report.value, &report.q) {
        (Value::One(value), _) => rows.push(("value".into(), value.to_string())),
        (Value::Several(values), q) => {
            let at = q.iter().flatten().map(ToString::to_string);
            rows.extend(at.zip(values.iter().map(ToString::to_string)));
        }
    }
    rows.extend([
        ("elements".into(), report.elements.to_string()),
        ("dtype".into(), report.dtype.into()),
        ("adapter".into(), report.adapter),
    ]);
    for (name, value) in rows {
        writeln!(out, "{name:<10}  {value}")?;
    }
    Ok(())
}

fn found<T>(arguments: &Source, asked: &Asked<'_>, input: Input) -> Result<Report, Failure>
where
    T: Sample + Ranked<Figure: Into<Number>> + Into<Number>,
{
    let reducer = arguments.device.open(|options| options)?;
    let name = input.name().to_owned();
    let buffers = upload_whole::<T>(&reducer, input)?;
    let elements = buffers.all()?;
    let one = |value: Number| Value::One(value);
    let (op, q, value) = match *asked {
        Asked::Median => {
            let median = result(&reducer, Median, &elements);
            ("median", None, median.map(|value| one(value.into())))
        }
        Asked::Nth(rank) => {
            let element = result(&reducer, wgpu_reduce::Nth { rank }, &elements);
            ("nth", None, element.map(|value| one(value.into())))
        }
        Asked::Quantiles(at, method) => {
            let values = result(&reducer, Quantiles::new(at).method(method), &elements);
            let several = |values: Vec<T::Figure>| values.into_iter().map(Into::into).collect();
            ("quantile", Some(at.to_vec()), values.map(|values| Value::Several(several(values))))
        }
    };
    let value = value.map_err(|error| match error {
        Error::InvalidRank { what } => Failure::in_file(&name, what),
        error => Failure::from(error).of_file(&name),
    })?;
    let (dtype, adapter) = (T::KIND.name(), reducer.adapter_label());
    Ok(Report { op, q, value, elements: elements.len(), dtype, adapter, spent: spent::so_far() })
}

fn result<T: Element, F: Fold<T>>(
    reducer: &GpuReducer,
    fold: F,
    elements: &GpuSlices<'_, T>,
) -> Result<F::Output, Error> {
    let request = reducer.reduce(fold, elements);
    spent::on(Stage::Result, || request.start().and_then(Pending::wait))
}
