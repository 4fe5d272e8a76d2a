//! Requests as JavaScript states them, and their plans.

use crate::operations::{DOT_EXACT, not_defined, operation};
use crate::script::{
    Result, element, given, invalid, items, property, shown, small, text, whole_or, wholes, wrong,
};
use crate::statistic::Statistic;
use crate::value::{Cell, Fields, Kind};
use wasm_bindgen::JsValue;
use wgpu_reduce::planners::{Grouped, KeyPart, Shape, WeightKind};
use wgpu_reduce::{
    AnyOperation, Bins, Caps, DotExact, ElementKind, Error, Part, Plan, Problem, View,
};

/// A request that has been planned.
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    pub(crate) meaning: Meaning,
}

/// What makes results of bytes.
pub(crate) enum Meaning {
    Operation {
        operation: AnyOperation<Cell>,
        fields: Fields,
        keys: Kind,
    },
    /// Of the whole input, or of rows along axes.
    Statistic {
        statistic: Statistic,
        is_along: bool,
    },
    /// Of elements of a type.
    DotExact(ElementKind),
    /// Of several channels, or of one alone.
    Histogram {
        is_list: bool,
        sums: Sums,
    },
}

/// What is in bins: how many elements, or sums of their weights.
#[derive(Clone, Copy)]
pub(crate) enum Sums {
    Counts,
    Of(WeightKind),
}

/// Elements in buffers, one after another.
struct Slice {
    element: ElementKind,
    parts: Vec<Part>,
}

/// WebGPU's bit of buffers that shaders may use.
const STORAGE: u32 = 0x80;

const WORD_BYTES: u64 = 4;

impl Slice {
    /// Reads what a slice says of its buffers and of itself.
    fn read(given: &JsValue) -> Result<Self> {
        let element = element(&text(given, "type"))?;
        let buffers = items(given, "buffers");
        if buffers.is_empty() {
            return wrong("there is no buffer");
        }
        let parts = buffers.iter().map(|buffer| part(buffer, element.size_bytes()));
        Ok(Self { element, parts: parts.collect::<Result<_>>()? })
    }

    /// The only part, of what has to lie in one buffer.
    fn only(self, what: &str) -> Result<Part> {
        match self.parts[..] {
            [part] => Ok(part),
            _ => wrong(format!("{what} cannot lie in several buffers")),
        }
    }

    /// Reads a slice whose elements have to be of one of these types.
    fn of_types(given: &JsValue, what: &str, types: &[ElementKind]) -> Result<Self> {
        let slice = Self::read(given)?;
        if types.contains(&slice.element) {
            return Ok(slice);
        }
        wrong(format!("{what} cannot be {}", slice.element))
    }
}

/// What is meant of a buffer.
fn part(buffer: &JsValue, element_bytes: u64) -> Result<Part> {
    let (size, offset_bytes) = (whole_or(buffer, "size", 0)?, whole_or(buffer, "offset", 0)?);
    check_usage(buffer)?;
    if !offset_bytes.is_multiple_of(element_bytes) {
        return invalid(format!(
            "offset {offset_bytes} is not a multiple of the element's {element_bytes} bytes"
        ));
    }
    let rest = size.saturating_sub(offset_bytes) / element_bytes;
    let len = whole_or(buffer, "length", rest)?;
    let end = len.checked_mul(element_bytes).and_then(|bytes| bytes.checked_add(offset_bytes));
    let words_end = end.and_then(|end| end.checked_next_multiple_of(WORD_BYTES));
    if words_end.is_none_or(|end| end > size) {
        return invalid(format!(
            "{len} elements of {element_bytes} bytes from byte {offset_bytes} on, to the end of a \
             word of {WORD_BYTES}, do not fit into its {size} bytes"
        ));
    }
    Ok(Part { offset_bytes, len })
}

fn check_usage(buffer: &JsValue) -> Result<()> {
    if small(buffer, "usage", 0)? & STORAGE == 0 {
        return invalid("its usage lacks STORAGE");
    }
    Ok(())
}

/// Plans what a request states.
pub(crate) fn plan(request: &JsValue, caps: &Caps) -> Result<Planned> {
    let inputs = items(request, "inputs");
    let inputs: Vec<_> = inputs.iter().map(Slice::read).collect::<Result<_>>()?;
    let Some(element) = inputs.first().map(|input| input.element) else {
        return wrong("there is no input");
    };
    if let Some(other) = inputs.iter().find(|input| input.element != element) {
        let what = format!("{} elements cannot be paired with {element}", other.element);
        return wrong(what);
    }
    let parts = inputs.into_iter().map(|input| input.parts).collect();
    if let Some(bins) = given(request, "bins") {
        return plan_bins(request, &bins, (element, parts), caps);
    }
    if text(request, "operation") == DOT_EXACT {
        return plan_dot_exact(request, (element, parts), caps);
    }
    if let Some(statistic) = Statistic::read(request, element)? {
        return plan_statistic(request, statistic, (element, parts), caps);
    }
    let ddof = small(request, "ddof", 0)?;
    let (operation, fields) = operation(&text(request, "operation"), ddof, element)?;
    let fold = &operation;
    let problem = Problem::new::<ElementKind, _>(&fold, element, 0).parts(parts);
    let (plan, keys) = lower_shape(problem, request, caps)?;
    Ok(Planned { plan, meaning: Meaning::Operation { operation, fields, keys } })
}

/// Plans a problem in the shape that a request states, and tells the type of its keys.
fn lower_shape(problem: Problem<'_>, request: &JsValue, caps: &Caps) -> Result<(Plan, Kind)> {
    let mut keys_kind = Kind::U32;
    let problem = match given(request, "mask") {
        Some(mask) => problem.masked(Slice::of_types(&mask, "a mask", &[ElementKind::U8])?.parts),
        None => problem,
    };
    let plan = if let Some(view) = given(request, "view") {
        let axes = wholes(request, "axes")?;
        let axes = axes.into_iter().map(|axis| usize::try_from(axis).unwrap_or(usize::MAX));
        let axes: Vec<_> = axes.collect();
        lower(problem.along(read_view(&view)?, axes), request, false, caps)
    } else if let Some(offsets) = given(request, "offsets") {
        let offsets = Slice::of_types(&offsets, "offsets", &[ElementKind::U32])?;
        lower(problem.shaped(Shape::Segments(offsets.only("offsets")?, None)), request, false, caps)
    } else if let Some(keys) = given(request, "runs") {
        let keys = Slice::of_types(&keys, "keys of runs", &KEYS_OF_RUNS)?;
        keys_kind = kind_of(keys.element);
        let are_floats = keys.element.is_float();
        let bytes = keys.element.size_bytes();
        let part = KeyPart { place: keys.only("keys of runs")?, bytes, are_floats };
        let plan = lower(problem.shaped(Shape::Runs(part)), request, false, caps)?;
        check_runs(request, &plan, bytes)?;
        Ok(plan)
    } else if let Some(keys) = given(request, "keys") {
        let keys = Slice::of_types(&keys, "keys of groups", &KEYS_OF_GROUPS)?;
        let groups = small(request, "groups", 0)?;
        let grouped = Grouped::new(&keys.parts, keys.element.size_bytes(), groups);
        lower(problem.shaped(Shape::Groups(grouped)), request, false, caps)
    } else if let Some(count) = given(request, "count") {
        let count = Slice::of_types(&count, "a count", &[ElementKind::U32])?.only("a count")?;
        if count.len == 0 {
            return Err(Error::InvalidRange { start: 0, end: 1, len: 0 }.into());
        }
        lower(problem.shaped(Shape::Counted(count.offset_bytes)), request, false, caps)
    } else {
        lower(problem, request, true, caps)
    }?;
    Ok((plan, keys_kind))
}

fn plan_statistic(
    request: &JsValue,
    statistic: Statistic,
    (element, parts): (ElementKind, Vec<Vec<Part>>),
    caps: &Caps,
) -> Result<Planned> {
    if given(request, "outputs").is_some() {
        return unsupported(&format!("{} in a buffer", text(request, "operation")));
    }
    let problem = Problem::by_rank(&*statistic.by_rank, element).parts(parts);
    let (plan, _) = lower_shape(problem, request, caps)?;
    let is_along = given(request, "view").is_some();
    Ok(Planned { plan, meaning: Meaning::Statistic { statistic, is_along } })
}

/// What only the host finishes cannot do.
fn unsupported<T>(what: &str) -> Result<T> {
    let what = format!("{what}: the host finishes it");
    Err(Error::Unsupported { what, adapter: "the device".into() }.into())
}

const KEYS_OF_RUNS: [ElementKind; 6] = [
    ElementKind::U32,
    ElementKind::I32,
    ElementKind::F32,
    ElementKind::U64,
    ElementKind::I64,
    ElementKind::F64,
];

const KEYS_OF_GROUPS: [ElementKind; 6] = [
    ElementKind::U8,
    ElementKind::U16,
    ElementKind::U32,
    ElementKind::I32,
    ElementKind::U64,
    ElementKind::I64,
];

const WEIGHTS: [ElementKind; 3] = [ElementKind::F32, ElementKind::F64, ElementKind::U32];

const fn weight_kind(element: ElementKind) -> WeightKind {
    match element {
        ElementKind::F32 => WeightKind::F32,
        ElementKind::F64 => WeightKind::F64,
        _ => WeightKind::U32,
    }
}

/// The array that keys of runs come in.
const fn kind_of(key: ElementKind) -> Kind {
    match key {
        ElementKind::I32 => Kind::I32,
        ElementKind::F32 => Kind::F32,
        ElementKind::U64 => Kind::U64,
        ElementKind::I64 => Kind::I64,
        ElementKind::F64 => Kind::F64,
        _ => Kind::U32,
    }
}

fn read_view(view: &JsValue) -> Result<View> {
    let shape = wholes(view, "shape")?;
    let offset = whole_or(view, "offset", 0)?;
    if given(view, "strides").is_none() {
        return Ok(View::strided(&shape, View::new(&shape)?.strides(), offset)?);
    }
    let strides: Vec<i64> = items(view, "strides")
        .iter()
        .map(|stride| match stride.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "whole, and less than 2^53")]
            Some(number) if number.fract() == 0.0 && number.abs() < 9e15 => Ok(number as i64),
            _ => wrong(format!("a stride is {}, and not a whole number", shown(stride))),
        })
        .collect::<Result<_>>()?;
    Ok(View::strided(&shape, &strides, offset)?)
}

fn plan_dot_exact(
    request: &JsValue,
    (element, parts): (ElementKind, Vec<Vec<Part>>),
    caps: &Caps,
) -> Result<Planned> {
    if given(request, "outputs").is_some() || given(request, "view").is_some() {
        return unsupported(&format!("{DOT_EXACT} in a buffer or along axes"));
    }
    let problem = match element {
        ElementKind::F32 => Problem::new::<(f32, f32), _>(&DotExact, element, 0),
        ElementKind::F64 => Problem::new::<(f64, f64), _>(&DotExact, element, 0),
        _ => return Err(not_defined(DOT_EXACT, element).into()),
    };
    let plan = problem.parts(parts).plan(caps)?;
    Ok(Planned { plan, meaning: Meaning::DotExact(element) })
}

fn plan_bins(
    request: &JsValue,
    bins: &JsValue,
    (element, parts): (ElementKind, Vec<Vec<Part>>),
    caps: &Caps,
) -> Result<Planned> {
    let number = |value: &JsValue| value.as_f64().unwrap_or(f64::NAN);
    let bins = if given(bins, "edges").is_some() {
        let edges: Vec<f64> = items(bins, "edges").iter().map(number).collect();
        Bins::edges(&edges)?
    } else {
        let [low, high] = ["low", "high"].map(|name| number(&property(bins, name)));
        Bins::even(low..high, small(bins, "count", 0)?)?
    };
    let is_list = given(request, "channels").is_some();
    let channels = small(request, "channels", 1)?;
    let weights = match given(request, "weights") {
        Some(weights) => Some(Slice::of_types(&weights, "weights", &WEIGHTS)?),
        None => None,
    };
    let (shape, sums) = match &weights {
        Some(Slice { element, parts }) => {
            let kind = weight_kind(*element);
            (Shape::Weights(&bins, channels, kind, parts), Sums::Of(kind))
        }
        None => (Shape::Bins(&bins, channels), Sums::Counts),
    };
    let problem = Problem::in_bins(element, shape).parts(parts);
    let plan = lower(problem, request, false, caps)?;
    Ok(Planned { plan, meaning: Meaning::Histogram { is_list, sums } })
}

/// Fails unless keys and the number of runs lie where they can, and have room.
fn check_runs(request: &JsValue, plan: &Plan, key_bytes: u64) -> Result<()> {
    let outputs = items(request, "outputs");
    let rooms = [(plan.results, key_bytes), (1, WORD_BYTES)];
    for (output, (end, bytes)) in outputs.iter().skip(1).zip(rooms) {
        let offset = whole_or(output, "offset", 0)?;
        if !offset.is_multiple_of(bytes) {
            return invalid(format!("offset {offset} is not a multiple of {bytes} bytes"));
        }
        let len = whole_or(output, "size", 0)?.saturating_sub(offset) / bytes;
        if len < end {
            return Err(Error::InvalidRange { start: 0, end, len }.into());
        }
    }
    Ok(())
}

/// Plans a problem whose results go to the host, or to buffers of the caller's.
fn lower(
    problem: Problem<'_>,
    request: &JsValue,
    may_be_in_place: bool,
    caps: &Caps,
) -> Result<Plan> {
    let outputs = items(request, "outputs");
    let Some(first) = outputs.first() else { return Ok(problem.plan(caps)?) };
    let mut offsets = [0; 3];
    for (offset, output) in offsets.iter_mut().zip(&outputs) {
        check_usage(output)?;
        *offset = whole_or(output, "offset", 0)?;
    }
    let is_read = |output: &JsValue| property(output, "isRead").is_truthy();
    let in_place = is_read(first);
    if in_place && !may_be_in_place || outputs.iter().skip(1).any(is_read) {
        return invalid("such results cannot lie in a buffer that they are made of");
    }
    let plan = problem.left(Some(offsets), in_place).plan(caps)?;
    let [results, _, _] = offsets;
    let bytes = plan.bytes_of_result();
    if bytes == 0 || !results.is_multiple_of(bytes) {
        return invalid(format!(
            "offset {results} is not a multiple of the result's {bytes} bytes"
        ));
    }
    let len = whole_or(first, "size", 0)?.saturating_sub(results) / bytes;
    if len < plan.results {
        return Err(Error::InvalidRange { start: 0, end: plan.results, len }.into());
    }
    Ok(plan)
}
