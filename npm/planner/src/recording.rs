//! What a plan records, as objects of JavaScript.

use crate::script::{number, object};
use js_sys::{Array, Uint32Array};
use std::ops::Range;
use wasm_bindgen::JsValue;
use wgpu_reduce::planners::Place;
use wgpu_reduce::planners::recorded::{self, Binding, Dispatch, PARAMETERS, Pipeline};
use wgpu_reduce::{Caps, Contents, Plan, PlannedPass, Scratch};

/// The pipelines of the latest plans, by numbers that JavaScript keeps them by. The one used last comes last, so that a search from
/// the end is short. A pipeline that was forgotten gets another number.
#[derive(Default)]
pub(crate) struct Pipelines {
    latest: Vec<(u32, Pipeline)>,
    next: u32,
}

/// As many as JavaScript keeps.
const MOST_KEPT: usize = 512;

/// What makes the pipeline of a pass.
pub(crate) fn describe(pass: &PlannedPass, caps: &Caps) -> JsValue {
    let pipeline = Pipeline::of(pass);
    let constants = pipeline.constants().iter();
    let constants = constants.map(|&(name, value)| (name, JsValue::from(value)));
    object([
        ("label", pipeline.label().into()),
        ("code", pipeline.wgsl(caps).into()),
        ("entryPoint", pipeline.entry_point().into()),
        ("constants", object(constants).into()),
    ])
    .into()
}

impl Pipelines {
    fn number(&mut self, pass: &PlannedPass) -> u32 {
        let pipeline = Pipeline::of(pass);
        let found = self.latest.iter().rposition(|(_, other)| *other == pipeline);
        let (number, pipeline) = if let Some(place) = found {
            self.latest.remove(place)
        } else {
            self.next += 1;
            (self.next, pipeline)
        };
        if self.latest.len() >= MOST_KEPT {
            self.latest.remove(0);
        }
        self.latest.push((number, pipeline));
        number
    }

    /// The commands of a plan.
    pub(crate) fn recording(&mut self, plan: &Plan) -> JsValue {
        let passes = plan.passes().iter().map(|pass| {
            let dispatches = recorded::dispatches(pass).map(|each| dispatch(&each));
            object([
                ("pipeline", self.number(pass).into()),
                ("layout", layout(pass).into()),
                ("dispatches", dispatches.collect::<Array>().into()),
            ])
        });
        let passes: Array = passes.collect();
        object([
            ("passes", passes.into()),
            ("scratch", plan.scratch().iter().map(scratch).collect::<Array>().into()),
            ("zeroesOutput", plan.zeroes_output().into()),
            ("table", Uint32Array::from(plan.words_behind_inputs()).into()),
            ("bytes", number(plan.bytes_for_host())),
            ("head", recorded::head(plan).as_ref().map_or(JsValue::UNDEFINED, range)),
            ("results", number(plan.results)),
            ("resultBytes", number(plan.bytes_of_result())),
        ])
        .into()
    }
}

/// A part of a buffer.
pub(crate) fn range(bytes: &Range<u64>) -> JsValue {
    let (offset, size) = (number(bytes.start), number(bytes.end - bytes.start));
    object([("offset", offset), ("size", size)]).into()
}

/// The bindings of a pass.
fn layout(pass: &PlannedPass) -> Array {
    let entries = recorded::layout(pass).into_iter().map(|(number, is_read_only)| {
        let kind = match (number, is_read_only) {
            (PARAMETERS, _) => "uniform",
            (_, true) => "read-only-storage",
            (_, false) => "storage",
        };
        object([("binding", number.into()), ("type", kind.into())])
    });
    entries.collect()
}

fn dispatch(dispatch: &Dispatch<'_>) -> JsValue {
    let Dispatch { bindings, parameters, grid } = dispatch;
    // An earlier pass may have written them.
    let are_bound = bindings.iter().any(|binding| binding.number == PARAMETERS);
    let parameters = (!are_bound).then(|| Uint32Array::from(*parameters));
    object([
        ("bindings", bindings.iter().map(binding).collect::<Array>().into()),
        ("parameters", parameters.into()),
        ("parametersBinding", PARAMETERS.into()),
        ("grid", Uint32Array::from(&grid[..]).into()),
    ])
    .into()
}

fn binding(binding: &Binding) -> JsValue {
    let (place, index) = match (binding.place, &binding.bytes) {
        (_, None) => ("unread", 0),
        (Place::Input(index), _) => ("input", index),
        (Place::Scratch(index), _) => ("scratch", index),
        (_, _) => ("output", 0),
    };
    let bytes = binding.bytes.clone().unwrap_or_default();
    object([
        ("binding", binding.number.into()),
        ("place", place.into()),
        ("index", number(index as u64)),
        ("offset", number(bytes.start)),
        ("size", number(bytes.end - bytes.start)),
    ])
    .into()
}

fn scratch(scratch: &Scratch) -> JsValue {
    let contents = match scratch.contents {
        Contents::Zero => "zero",
        Contents::Counters => "counters",
        _ => "anything",
    };
    object([("bytes", number(scratch.bytes)), ("contents", contents.into())]).into()
}
