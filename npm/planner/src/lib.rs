//! The planner of the npm package: the pure part of `wgpu-reduce`, for an executor in TypeScript on a device of the caller's.
//!
//! A request comes in as an object. What goes out are the commands of its plan, as plain data, and results of the bytes that
//! these commands leave.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod device;
mod operations;
mod recording;
mod request;
mod script;
mod statistic;
mod value;

use crate::recording::Pipelines;
use crate::request::{Meaning, Planned, Sums};
use crate::script::{object, thrown};
use crate::value::{Cell, Columns, Fields, Finished, Kind, Number, Value as _};
use js_sys::{Array, Uint8Array};
use std::ops::Range;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wgpu_reduce::planners::WeightKind;
use wgpu_reduce::planners::recorded::{
    Binned, SideBySide, behind_head, finish_one, finish_whole, histograms,
};
use wgpu_reduce::{AnyOperation, Caps, DotExact, ElementKind, Error, Plan};

/// The names of all operations and order statistics.
#[wasm_bindgen]
#[must_use]
pub fn operations() -> Vec<String> {
    operations::names().chain(statistic::NAMES).map(Into::into).collect()
}

/// What plans for one device.
#[wasm_bindgen]
pub struct Planner {
    caps: Caps,
    pipelines: Pipelines,
}

#[wasm_bindgen]
impl Planner {
    /// For a device with such limits and abilities.
    ///
    /// # Errors
    ///
    /// Numbers that no limit has.
    #[wasm_bindgen(constructor)]
    pub fn new(device: &JsValue) -> Result<Self, JsValue> {
        let caps = device::caps(device).map_err(thrown)?;
        Ok(Self { caps, pipelines: Pipelines::default() })
    }

    /// Plans a request.
    ///
    /// # Errors
    ///
    /// As the library's verbs, before anything runs.
    pub fn plan(&self, request: &JsValue) -> Result<PlannedRequest, JsValue> {
        let planned = request::plan(request, &self.caps);
        planned.map(PlannedRequest).map_err(thrown)
    }

    /// The commands of a plan.
    pub fn recording(&mut self, planned: &PlannedRequest) -> JsValue {
        self.pipelines.recording(&planned.0.plan)
    }

    /// What makes the pipeline of one of a plan's passes.
    #[must_use]
    pub fn pipeline(&self, planned: &PlannedRequest, pass: usize) -> JsValue {
        let pass = planned.0.plan.passes().get(pass);
        pass.map_or(JsValue::UNDEFINED, |pass| recording::describe(pass, &self.caps))
    }
}

/// A request that has been planned.
#[wasm_bindgen]
pub struct PlannedRequest(Planned);

#[wasm_bindgen]
impl PlannedRequest {
    /// The plan for people.
    #[must_use]
    pub fn show(&self) -> String {
        self.0.plan.to_string()
    }

    /// Tells where the rest of the results lies, by the bytes that were to come first.
    ///
    /// # Errors
    ///
    /// Where nothing was to come first.
    pub fn rest(&self, head: &[u8]) -> Result<Array, JsValue> {
        let Planned { plan, meaning: Meaning::Operation { operation, keys, .. } } = &self.0 else {
            return Err(thrown(Error::Internal { message: "there is no rest".into() }));
        };
        let (_, ranges) = behind_head(&operation, plan, head, keys.bytes()).map_err(thrown)?;
        Ok(ranges.iter().map(recording::range).collect())
    }

    /// Makes results of what the commands have left, and of the bytes that came first where some did.
    ///
    /// # Errors
    ///
    /// As the library's verbs, once a result is there.
    #[allow(clippy::needless_pass_by_value, reason = "JavaScript hands it over")]
    pub fn finish(&self, bytes: &Uint8Array, head: Option<Vec<u8>>) -> Result<JsValue, JsValue> {
        let Planned { plan, meaning } = &self.0;
        let (shape, columns) = match meaning {
            Meaning::Operation { operation, fields, keys } => {
                finish_operation((operation, plan), (fields, *keys), bytes, head.as_deref())
            }
            Meaning::Statistic { statistic, is_along } => {
                statistic.finish(plan, *is_along, (&reader(bytes), bytes))
            }
            Meaning::DotExact(element) => {
                let fields = if *element == ElementKind::F64 { f64::FIELDS } else { f32::FIELDS };
                let cell = finish_dot_exact(*element, plan, &bytes.to_vec());
                cell.map(|cell| ("one", vec![value::columns(fields, &cell)]))
            }
            Meaning::Histogram { is_list, sums } => {
                let shape = if *is_list { "histograms" } else { "histogram" };
                let bytes = bytes.to_vec();
                let columns = match sums {
                    Sums::Counts => histogram_columns::<u64>("counts", plan, &bytes),
                    Sums::Of(WeightKind::U32) => histogram_columns::<u64>("sums", plan, &bytes),
                    Sums::Of(WeightKind::F32) => histogram_columns::<f32>("sums", plan, &bytes),
                    Sums::Of(WeightKind::F64) => histogram_columns::<f64>("sums", plan, &bytes),
                };
                columns.map(|columns| (shape, columns))
            }
        }
        .map_err(thrown)?;
        let columns: Array = Vec::into_iter(columns).collect();
        Ok(object([("shape", shape.into()), ("columns", columns.into())]).into())
    }
}

/// A range of the bytes that commands have left.
fn part(bytes: &Uint8Array, range: &Range<u64>) -> Uint8Array {
    let [start, end] = [range.start, range.end].map(|byte| u32::try_from(byte).unwrap_or(u32::MAX));
    bytes.subarray(start, end)
}

/// Reads some of these bytes at a time: memory of WebAssembly's never shrinks.
fn reader(bytes: &Uint8Array) -> impl Fn(Range<u64>) -> Vec<u8> {
    |range| part(bytes, &range).to_vec()
}

fn finish_operation(
    (operation, plan): (&AnyOperation<Cell>, &Plan),
    (fields, keys): (Fields, Kind),
    bytes: &Uint8Array,
    head: Option<&[u8]>,
) -> Result<Finished, Error> {
    let read = reader(bytes);
    let counted = head.map(|head| behind_head(&operation, plan, head, keys.bytes())).transpose()?;
    let counted = counted.map(|(count, _)| (count, keys.bytes()));
    let Some(many) = SideBySide::find(&operation, plan, &read, counted)? else {
        let cell = finish_one(&operation, plan, &bytes.to_vec())?;
        return Ok(("one", vec![value::columns(fields, &cell)]));
    };
    let mut columns = Columns::new(fields, many.results(), bytes)?;
    many.finish(&operation, &read, |cell| columns.push(&cell))?;
    let columns = columns.finish();
    Ok(match many.keys_first() {
        None => ("many", vec![columns]),
        Some(first) => {
            let key_bytes = many.results() * keys.bytes();
            let copied = value::array(key_bytes, bytes)?;
            copied.set(&part(bytes, &(first..first + key_bytes)), 0);
            ("runs", vec![columns, Array::of1(&value::column("", keys, &copied))])
        }
    })
}

fn finish_dot_exact(element: ElementKind, plan: &Plan, bytes: &[u8]) -> Result<Cell, Error> {
    Ok(if element == ElementKind::F64 {
        value::cell(finish_whole::<(f64, f64), _>(&DotExact, plan, bytes)?)
    } else {
        value::cell(finish_whole::<(f32, f32), _>(&DotExact, plan, bytes)?)
    })
}

/// Of each channel what is in bins, their edges, and what is outside.
fn histogram_columns<S: bytemuck::Pod + Number>(
    name: &str,
    plan: &Plan,
    bytes: &[u8],
) -> Result<Vec<Array>, Error> {
    let of_channel = |(sums, edges, outside): &Binned<S>| {
        let of = |name, kind, bytes| value::column(name, kind, &Uint8Array::from(bytes));
        Array::of3(
            &of(name, S::KIND, bytemuck::cast_slice(sums)),
            &of("edges", Kind::F64, bytemuck::cast_slice(edges)),
            &of("outside", S::KIND, bytemuck::cast_slice(outside)),
        )
    };
    Ok(histograms::<S>(plan, bytes)?.iter().map(of_channel).collect())
}
