//! The ladder, level by level: right or not, and how long it takes.

use crate::adapter::Gpu;
use crate::{object, thrown, typed};
use js_sys::Array;
use std::cell::Cell;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};
use web_time::Instant;
use wgpu_reduce::ladder::Ladder as Levels;
use wgpu_reduce::ladder::{Form, LadderElement, LadderShader, Level, MOST_REPEATS, RunOptions};
use wgpu_reduce::{ElementKind, Error, GpuBuffer, GpuReducer, GpuSlice, Result};
use wgpu_reduce_known::{Times, hash, small_odd};

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
/// `subgroups`, `sources` and `wgsl`, for elements of that type.
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
        let sources = level.sources().iter().map(|source| JsValue::from(source.to_string()));
        object([
            ("number", JsValue::from(level.number())),
            ("name", level.name().into()),
            ("description", level.description().into()),
            ("fixes", level.fixes().into()),
            ("subgroups", level.needs().subgroups.into()),
            ("sources", sources.collect::<Array>().into()),
            ("wgsl", wgsl.into()),
        ])
    };
    Ok(Level::ALL.into_iter().map(entry).collect())
}

/// Elements on the GPU that levels sum.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Ladder {
    reducer: GpuReducer,
    kind: ElementKind,
    words: GpuBuffer<u32>,
    filled: Cell<u64>,
    /// Of all elements that are filled, and of those that a single invocation is given.
    sums: Cell<[i64; 2]>,
    is_cancelled: Cell<bool>,
}

#[wasm_bindgen]
impl Ladder {
    /// Room for so many elements of that type, to be [filled](Self::fill).
    ///
    /// # Errors
    ///
    /// The device has no memory for them, or levels do not sum such elements.
    #[wasm_bindgen(constructor)]
    pub fn new(gpu: &Gpu, elements: &str, count: u32) -> std::result::Result<Ladder, JsError> {
        let reducer = gpu.reducer.clone();
        let kind = kind(elements)?;
        let words = reducer.alloc(count.into()).map_err(|error| thrown(&error))?;
        let (filled, sums, is_cancelled) = (Cell::new(0), Cell::new([0; 2]), Cell::new(false));
        Ok(Self { reducer, kind, words, filled, sums, is_cancelled })
    }

    /// Makes the next elements, so few that nobody waits for it, and tells what part of all there is now: 1 if that
    /// is all. They are odd numbers from −15 to 15. Sums of these stay so near to zero that `f32` has them
    /// exactly, so that an answer is right or wrong, and of no type nearly right.
    ///
    /// # Errors
    ///
    /// The device was lost.
    #[expect(clippy::cast_precision_loss, reason = "below 2^53, and small integers")]
    pub fn fill(&self) -> std::result::Result<f64, JsError> {
        let (start, len) = (self.filled.get(), self.words.len());
        let end = len.min(start + MOST_OF_ONE_INVOCATION);
        let numbers = (start..end).map(|index| small_odd(hash(index)));
        let sum = numbers.clone().map(i64::from).sum::<i64>();
        let words: Vec<u32> = match self.kind {
            ElementKind::F32 => numbers.map(|number| (number as f32).to_bits()).collect(),
            _ => numbers.map(i32::cast_unsigned).collect(),
        };
        let target = self.words.slice(start..end);
        let written = target.and_then(|target| self.reducer.write(target, &words));
        written.map_err(|error| thrown(&error))?;
        let [all, first] = self.sums.get();
        self.sums.set([all + sum, if start == 0 { sum } else { first }]);
        self.filled.set(end);
        Ok(end as f64 / len.max(1) as f64)
    }

    /// Lets a level that runs stop where it is.
    pub fn cancel(&self) {
        self.is_cancelled.set(true);
    }

    /// Runs a level and checks its answers. Nothing comes of it if it was cancelled.
    ///
    /// # Errors
    ///
    /// The level cannot run here, or the device was lost; the text says why.
    pub async fn run(
        &self,
        level: usize,
        workgroup_size: u32,
    ) -> std::result::Result<Option<Run>, JsError> {
        let level = Level::ALL.get(level).ok_or_else(|| JsError::new("no such level"))?;
        let options = RunOptions { workgroup_size: Some(workgroup_size), ..RunOptions::default() };
        let course = Course { ladder: self, level: *level, options: &options };
        let run = match self.kind {
            ElementKind::F32 => course.run::<f32>(f64::from).await,
            ElementKind::I32 => course.run::<i32>(f64::from).await,
            _ => course.run::<u32>(|sum| f64::from(sum.cast_signed())).await,
        };
        run.map_err(|error| thrown(&error))
    }
}

/// What came of a level.
#[wasm_bindgen]
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// Elements that were summed.
    #[wasm_bindgen(readonly)]
    pub elements: f64,
    /// Passes over the GPU.
    #[wasm_bindgen(readonly)]
    pub passes: usize,
    /// Sums in a round, one after another in one submission.
    #[wasm_bindgen(readonly)]
    pub sums: u32,
    /// Milliseconds for each sum of a round, as the page sees them: the median of several rounds.
    #[wasm_bindgen(readonly)]
    pub ms: f64,
    /// The same by the GPU's timestamps; `undefined` where there are none.
    #[wasm_bindgen(readonly)]
    pub gpu_ms: Option<f64>,
    /// The sum.
    #[wasm_bindgen(readonly)]
    pub sum: f64,
    /// What it should be.
    #[wasm_bindgen(readonly)]
    pub expected: f64,
    /// Whether every answer was that.
    #[wasm_bindgen(readonly)]
    pub is_right: bool,
}

/// A single invocation is given no more: browsers and drivers take a device away that is busy for seconds.
const MOST_OF_ONE_INVOCATION: u64 = 1 << 20;

/// How long the sums of a round should take together: hundreds of steps of a clock that has steps of 0.1 ms, and no
/// longer than somebody who cancels is ready to wait.
const ROUND_MS: f64 = 40.0;

/// How many times as many sums a round has as the round before, at most.
const MOST_GROWTH: u32 = 16;

/// Rounds, of which the median counts.
const ROUNDS: usize = 3;

struct Course<'a> {
    ladder: &'a Ladder,
    level: Level,
    options: &'a RunOptions,
}

impl Course<'_> {
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    async fn run<T: LadderElement>(&self, widen: impl Fn(T) -> f64) -> Result<Option<Run>> {
        let Ladder { reducer, words, sums: expected, .. } = self.ladder;
        let buffer = typed::<T>(words.as_wgpu(), words.len())?;
        let (count, expected) = match (self.level, expected.get()) {
            (Level::SingleThread, [_, first]) => (buffer.len().min(MOST_OF_ONE_INVOCATION), first),
            (_, [all, _]) => (buffer.len(), all),
        };
        let input = buffer.slice(..count)?;
        let plan = Levels::new(reducer).plan(self.level, self.options, input, 1)?;
        let mut run = Run {
            elements: count as f64,
            passes: plan.passes.len(),
            sums: 1,
            ms: 0.0,
            gpu_ms: None,
            sum: 0.0,
            expected: expected as f64,
            is_right: true,
        };
        // The first compiles.
        self.round(input, &widen, &mut run).await?;
        let mut rounds: Vec<Round> = Vec::with_capacity(ROUNDS);
        while rounds.len() < ROUNDS {
            if self.ladder.is_cancelled.get() {
                return Ok(None);
            }
            rounds.push(self.round(input, &widen, &mut run).await?);
            // A round that is short tells how many sums would fill it, and counts for nothing else.
            let ms = median(rounds.iter().map(|round| round.ms).collect());
            let sums = sums_in_a_round(run.sums, ms);
            if sums != run.sums {
                run.sums = sums;
                rounds.clear();
            }
        }
        let each = 1.0 / f64::from(run.sums);
        run.ms = each * median(rounds.iter().map(|round| round.ms).collect());
        run.gpu_ms = rounds.iter().map(|round| round.gpu_ms).collect::<Option<_>>().map(median);
        Ok(Some(run))
    }

    /// As many sums as the run says, in one submission.
    async fn round<T: LadderElement>(
        &self,
        input: GpuSlice<'_, T>,
        widen: &impl Fn(T) -> f64,
        run: &mut Run,
    ) -> Result<Round> {
        let start = Instant::now();
        let Self { ladder: Ladder { reducer, .. }, level, options } = *self;
        let timed = Levels::new(reducer).rows_repeated(level, options, input, 1, run.sums)?.await?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let value = timed.value.first().copied().map(widen);
        run.sum = value.ok_or_else(|| Error::Internal { message: "no sum came back".into() })?;
        run.is_right &= run.sum.total_cmp(&run.expected).is_eq();
        Ok(Round { ms, gpu_ms: timed.gpu_ns.map(|ns| ns / 1e6) })
    }
}

/// Milliseconds by the page's clock for all sums of a round, and by the GPU's for each.
struct Round {
    ms: f64,
    gpu_ms: Option<f64>,
}

/// How many sums fill a round, if so many take so long; the same, if they nearly do.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn sums_in_a_round(sums: u32, ms: f64) -> u32 {
    let factor = (ROUND_MS / ms.max(1e-3)).min(f64::from(MOST_GROWTH));
    if factor < 1.5 {
        return sums;
    }
    (f64::from(sums) * factor).clamp(1.0, f64::from(MOST_REPEATS)) as u32
}

/// The one in the middle.
fn median(values: Vec<f64>) -> f64 {
    Times::of(values).map_or(0.0, |times| times.median)
}
