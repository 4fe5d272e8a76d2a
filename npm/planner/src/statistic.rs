//! Order statistics by name: elements by their rank, and quantiles.

use crate::operations::fields;
use crate::script::{Result as Found, given, number_of, numbers, text, whole_of, wrong};
use crate::value::{Cell, Columns, Fields, Finished, Kind, cell_of};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wgpu_reduce::planners::recorded::{ByRank, InRow, Read, finish_rows};
use wgpu_reduce::{
    ArgNth, BottomK, ElementKind, Error, InterquartileRange, Median, NanMedian, NanQuantile,
    NanQuantiles, Nth, Plan, Quantile, QuantileMethod, Quantiles, Ranked, Result, TopK,
};

/// The names of all order statistics.
pub(crate) const NAMES: [&str; 11] = [
    "nth",
    "arg_nth",
    "top_k",
    "bottom_k",
    "median",
    "quantile",
    "quantiles",
    "interquartile_range",
    "nan_median",
    "nan_quantile",
    "nan_quantiles",
];

/// An order statistic of elements of a type.
pub(crate) struct Statistic {
    pub(crate) by_rank: Box<dyn ByRank>,
    fields: Fields,
    /// How many results each row has, where they are a list.
    listed: Option<usize>,
    /// Whether the result is how far the second quantile lies above the first.
    is_range: bool,
}

impl Statistic {
    /// Reads what a request says of an order statistic; `None` if its operation is another one.
    pub(crate) fn read(request: &JsValue, element: ElementKind) -> Found<Option<Self>> {
        let name = text(request, "operation");
        let (rank, k) = (|| whole_of(request, "rank"), || whole_of(request, "k"));
        let (q, all) = (|| number_of(request, "q"), || numbers(request, "q"));
        let method = || method(request);
        let by_rank: Box<dyn ByRank> = match name.as_str() {
            "nth" => Box::new(Nth { rank: rank()? }),
            "arg_nth" => Box::new(ArgNth { rank: rank()? }),
            "top_k" => Box::new(TopK { k: k()? }),
            "bottom_k" => Box::new(BottomK { k: k()? }),
            "median" => Box::new(Median),
            "quantile" => Box::new(Quantile { q: q()?, method: method()? }),
            "quantiles" => Box::new(Quantiles::new(all()?).method(method()?)),
            "interquartile_range" => Box::new(InterquartileRange),
            "nan_median" => Box::new(NanMedian),
            "nan_quantile" => Box::new(NanQuantile { q: q()?, method: method()? }),
            "nan_quantiles" => Box::new(NanQuantiles::new(all()?).method(method()?)),
            _ => return Ok(None),
        };
        let listed = match name.as_str() {
            "top_k" | "bottom_k" => Some(usize::try_from(k()?).unwrap_or(usize::MAX)),
            "quantiles" | "nan_quantiles" => Some(all()?.len()),
            _ => None,
        };
        // The operation whose results have the same fields.
        let like = match name.as_str() {
            "nth" => "min",
            "arg_nth" | "top_k" | "bottom_k" => "argmin",
            _ => "mean",
        };
        let is_range = name == "interquartile_range";
        Ok(Some(Self { by_rank, fields: fields(like, element)?, listed, is_range }))
    }

    /// Makes results of what passes have left, in arrays like this one.
    pub(crate) fn finish(
        &self,
        plan: &Plan,
        is_along: bool,
        (read, like): (Read<'_>, &Uint8Array),
    ) -> Result<Finished> {
        let of_row = self.listed.unwrap_or(1);
        let rows = if is_along { plan.results } else { 1 };
        let mut columns = Columns::new(self.fields, rows.saturating_mul(of_row as u64), like)?;
        finish_rows(&*self.by_rank, plan, read, &mut |row| {
            match row {
                InRow::Elements(all) => {
                    let all = all.into_iter().take(of_row);
                    all.for_each(|(index, bits)| columns.push(&self.cell_of(index, bits)));
                }
                InRow::Figures(figures) => {
                    let figures = if self.is_range { vec![range(&figures)?] } else { figures };
                    let bits = figures.into_iter().map(|figure| self.bits(figure));
                    bits.for_each(|bits| columns.push(&cell_of([bits])));
                }
            }
            Ok(())
        })?;
        let is_one = self.listed.is_none() && !is_along;
        Ok((if is_one { "one" } else { "many" }, vec![columns.finish()]))
    }

    fn cell_of(&self, index: u64, bits: u64) -> Cell {
        if self.fields.len() > 1 { cell_of([index, bits]) } else { cell_of([bits]) }
    }

    /// The bits of a figure in the type that it has.
    fn bits(&self, figure: f64) -> u64 {
        match self.fields {
            [(_, Kind::F32), ..] => {
                #[expect(clippy::cast_possible_truncation, reason = "it is one, or rounded once")]
                let short = figure as f32;
                short.to_bits().into()
            }
            _ => figure.to_bits(),
        }
    }
}

fn range(figures: &[f64]) -> Result<f64> {
    match figures {
        [low, high] => Ok(f64::range(*low, *high)),
        _ => Err(Error::Internal { message: "a quartile came back without the other".into() }),
    }
}

/// The method of a quantile, by NumPy's name.
fn method(request: &JsValue) -> Found<QuantileMethod> {
    let Some(name) = given(request, "method").map(|_| text(request, "method")) else {
        return Ok(QuantileMethod::default());
    };
    let found = QuantileMethod::ALL.into_iter().find(|method| method.name() == name);
    let names = || QuantileMethod::ALL.map(QuantileMethod::name).join(", ");
    found.map_or_else(|| wrong(format!("'{name}' is no method; there are {}", names())), Ok)
}
