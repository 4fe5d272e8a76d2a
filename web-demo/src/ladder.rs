//! The ladder, level by level: right or not, and how long it takes.

use crate::adapter::Gpu;
use crate::thrown;
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};
use web_time::Instant;
use wgpu_reduce::ladder::{Form, LadderElement, LadderShader, Level, RunOptions};
use wgpu_reduce::{ElementKind, Error, GpuBuffer, GpuReducer, Result};
use wgpu_reduce_known::{hash, small_odd};

/// The type of that name, if levels sum it.
fn kind(name: &str) -> std::result::Result<ElementKind, JsError> {
    match name {
        "f32" => Ok(ElementKind::F32),
        "i32" => Ok(ElementKind::I32),
        "u32" => Ok(ElementKind::U32),
        _ => Err(JsError::new("levels sum f32, i32 and u32")),
    }
}

/// What there is to say about each level: objects with `number`, `name`, `description`, `fixes`,
/// `subgroups` and `wgsl`, for elements of that type.
///
/// # Errors
///
/// Levels do not sum such elements.
#[wasm_bindgen]
pub fn levels(elements: &str) -> std::result::Result<Array, JsError> {
    let kind = kind(elements)?;
    let entry = |level: Level| {
        let form = level.forms().first().copied().unwrap_or(Form::Plain);
        let shader = LadderShader::new(level, kind, form, false);
        let wgsl = shader.map(LadderShader::wgsl).unwrap_or_default();
        let object = Object::new();
        for (key, value) in [
            ("number", JsValue::from(level.number())),
            ("name", level.name().into()),
            ("description", level.description().into()),
            ("fixes", level.fixes().into()),
            ("subgroups", level.needs().subgroups.into()),
            ("wgsl", wgsl.into()),
        ] {
            // A new object takes any property.
            drop(Reflect::set(&object, &key.into(), &value));
        }
        object
    };
    Ok(Level::ALL.into_iter().map(entry).collect())
}

/// Elements on the GPU that levels sum.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Ladder {
    reducer: GpuReducer,
    data: Data,
}

#[derive(Debug)]
enum Data {
    F32(GpuBuffer<f32>),
    I32(GpuBuffer<i32>),
    U32(GpuBuffer<u32>),
}

#[wasm_bindgen]
impl Ladder {
    /// Uploads so many elements of that type: odd numbers from −15 to 15. Sums of these stay so near to zero that `f32`
    /// has them exactly, so that an answer is right or wrong, and of no type nearly right.
    ///
    /// # Errors
    ///
    /// The device has no memory for them, or levels do not sum such elements.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::cast_precision_loss, reason = "small integers")]
    pub fn new(gpu: &Gpu, elements: &str, count: u32) -> std::result::Result<Ladder, JsError> {
        let reducer = gpu.reducer.clone();
        let numbers = (0..u64::from(count)).map(|index| small_odd(hash(index)));
        let data = match kind(elements)? {
            ElementKind::F32 => {
                let numbers: Vec<_> = numbers.map(|number| number as f32).collect();
                reducer.upload(&numbers).map(Data::F32)
            }
            ElementKind::I32 => reducer.upload(&numbers.collect::<Vec<_>>()).map(Data::I32),
            _ => {
                let numbers: Vec<_> = numbers.map(i32::cast_unsigned).collect();
                reducer.upload(&numbers).map(Data::U32)
            }
        };
        Ok(Self { data: data.map_err(|error| thrown(&error))?, reducer })
    }

    /// Runs a level and checks its answers.
    ///
    /// # Errors
    ///
    /// The level cannot run here, or the device was lost; the text says why.
    pub async fn run(
        &self,
        level: usize,
        workgroup_size: u32,
    ) -> std::result::Result<Run, JsError> {
        let level = Level::ALL.get(level).ok_or_else(|| JsError::new("no such level"))?;
        let options = RunOptions { workgroup_size: Some(workgroup_size), ..RunOptions::default() };
        let course = Course { reducer: &self.reducer, level: *level, options: &options };
        let run = match &self.data {
            Data::F32(buffer) => course.run(buffer, f64::from).await,
            Data::I32(buffer) => course.run(buffer, f64::from).await,
            Data::U32(buffer) => course.run(buffer, |sum| f64::from(sum.cast_signed())).await,
        };
        run.map_err(|error| thrown(&error))
    }
}

/// What came of a level.
#[wasm_bindgen]
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// Elements that were summed.
    pub elements: f64,
    /// Passes over the GPU.
    pub passes: usize,
    /// Milliseconds for each of many sums in a row, as the page sees them.
    pub ms: f64,
    /// Milliseconds by the GPU's timestamps; `undefined` where there are none or they are too coarse.
    pub gpu_ms: Option<f64>,
    /// The sum.
    pub sum: f64,
    /// What it should be.
    pub expected: f64,
    /// Whether every answer was that.
    pub is_right: bool,
}

/// A single invocation is given no more: browsers and drivers take a device away that is busy for seconds.
const MOST_OF_ONE_INVOCATION: u64 = 1 << 20;

/// How long the sums of a round should take together.
const ROUND_MS: f64 = 60.0;

/// Sums in a round, at most.
const MOST_IN_A_ROUND: f64 = 64.0;

/// Rounds, of which the quickest counts: a page shares the GPU with everybody.
const ROUNDS: usize = 3;

struct Course<'a> {
    reducer: &'a GpuReducer,
    level: Level,
    options: &'a RunOptions,
}

impl Course<'_> {
    async fn run<T: LadderElement>(
        &self,
        buffer: &GpuBuffer<T>,
        widen: impl Fn(T) -> f64,
    ) -> Result<Run> {
        let count = match self.level {
            Level::SingleThread => buffer.len().min(MOST_OF_ONE_INVOCATION),
            _ => buffer.len(),
        };
        let plan = self.reducer.plan_with(self.level, self.options, buffer.slice(..count)?, 1)?;
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let mut run = Run {
            elements: count as f64,
            passes: plan.passes.len(),
            ms: f64::INFINITY,
            gpu_ms: None,
            sum: 0.0,
            expected: (0..count).map(|index| f64::from(small_odd(hash(index)))).sum(),
            is_right: true,
        };
        // The first compiles, the second tells how many make a round.
        self.round(buffer, 1, &widen, &mut run).await?;
        run.ms = self.round(buffer, 1, &widen, &mut run).await?;
        let in_a_round = sums_in_a_round(run.ms);
        for _ in 0..ROUNDS {
            let ms = self.round(buffer, in_a_round, &widen, &mut run).await?;
            run.ms = run.ms.min(ms);
        }
        Ok(run)
    }

    /// Milliseconds for each of so many sums, submitted one after the other before the first is awaited.
    async fn round<T: LadderElement>(
        &self,
        buffer: &GpuBuffer<T>,
        sums: u32,
        widen: &impl Fn(T) -> f64,
        run: &mut Run,
    ) -> Result<f64> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it was a length"
        )]
        let input = buffer.slice(..run.elements as u64)?;
        let start = Instant::now();
        let start_sum = |_| self.reducer.sum_rows_with(self.level, self.options, input, 1);
        let pending = (0..sums).map(start_sum).collect::<Result<Vec<_>>>()?;
        for sum in pending {
            let timed = sum.await?;
            let value = timed.value.first().copied().map(widen);
            run.sum =
                value.ok_or_else(|| Error::Internal { message: "no sum came back".into() })?;
            run.is_right &= run.sum.total_cmp(&run.expected).is_eq();
            if let Some(ns) = timed.gpu_ns {
                let ms = ns / 1e6;
                run.gpu_ms = Some(run.gpu_ms.map_or(ms, |least| least.min(ms)));
            }
        }
        Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(sums))
    }
}

/// How many sums fill a round, if each takes so long.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn sums_in_a_round(ms: f64) -> u32 {
    (ROUND_MS / ms.max(1e-3)).clamp(1.0, MOST_IN_A_ROUND) as u32
}
