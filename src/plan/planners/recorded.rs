//! What a plan records, and the results that its passes leave, for executors that are not of this crate.

use crate::error::{Error, Result};
use crate::op::Fold;
use crate::op::by_rank::Finder;
pub use crate::op::by_rank::{ByRank, InRow};
use crate::op::decode;
use crate::op::fold::{Folds, Left, LensPlace, Many, ManyLeft};
use crate::plan::caps::Caps;
use crate::plan::cut::window::WORD_BYTES;
use crate::plan::folding::Folding;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::recording::{Constants, Place, PlannedPass, binding};
use crate::plan::shapes::axis::{lens_of, of_result};
use crate::plan::shapes::bins::result::Layout as Bins;
use crate::plan::shapes::groups::Layout as Groups;
use crate::plan::shapes::runs::AT_ONCE_BYTES;
use crate::plan::shapes::segments::{Layout as Segments, of_segment};
use crate::plan::shapes::whole::masked::count_in;
use crate::shader::Shader;
use std::ops::Range;

/// The number of the uniform binding, whose bytes are a dispatch's parameters unless it binds others there.
pub const PARAMETERS: u32 = binding::PARAMETERS;

/// What a pipeline is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    shader: Shader,
    constants: Constants,
}

/// One dispatch of a pass.
#[derive(Debug)]
pub struct Dispatch<'a> {
    /// The storage bindings, and the uniform one where an earlier pass writes it.
    pub bindings: Vec<Binding>,
    /// The words behind the uniform binding otherwise.
    pub parameters: &'a [u32],
    /// Workgroups in x, y and z.
    pub grid: [u32; 3],
}

/// What lies behind a binding.
#[derive(Debug)]
pub struct Binding {
    /// Its number.
    pub number: u32,
    /// The buffer.
    pub place: Place,
    /// The bytes of it; none where any buffer will do, since nothing is read.
    pub bytes: Option<Range<u64>>,
}

/// Reads a range of the bytes that passes have left; what lies behind their end is left out.
pub type Read<'a> = &'a dyn Fn(Range<u64>) -> Vec<u8>;

/// Results that lie side by side in what passes have left. They are finished some at a time, however many there are.
#[derive(Debug)]
pub struct SideBySide {
    results: u64,
    of: Many,
    lens: LensPlace,
    /// Says of which result an error is.
    told: fn(u64, Error) -> Error,
    keys_first: Option<u64>,
}

/// Results that are read and finished together.
const AT_ONCE_RESULTS: u64 = 4096;

impl Pipeline {
    /// The pipeline of a pass.
    #[must_use]
    pub fn of(pass: &PlannedPass) -> Self {
        Self { shader: pass.shader.clone(), constants: pass.constants.clone() }
    }

    /// The shader's text, as runtimes of WebGPU take it.
    #[must_use]
    pub fn wgsl(&self, caps: &Caps) -> String {
        if caps.subgroups.is_some() { self.shader.browser_wgsl() } else { self.shader.wgsl() }
    }

    /// What the shader does.
    #[must_use]
    pub fn label(&self) -> String {
        self.shader.to_string()
    }

    /// The function that runs.
    #[must_use]
    pub const fn entry_point(&self) -> &'static str {
        self.shader.entry_point()
    }

    /// Names and values of its constants.
    #[must_use]
    pub fn constants(&self) -> &[(&'static str, u32)] {
        &self.constants
    }
}

/// Numbers of all bindings of a pass, and whether shaders only read what lies behind them.
#[must_use]
pub fn layout(pass: &PlannedPass) -> Vec<(u32, bool)> {
    let numbers = pass.binding_numbers().into_iter();
    numbers.map(|number| (number, binding::is_read_only(number))).collect()
}

/// The dispatches of a pass.
pub fn dispatches(pass: &PlannedPass) -> impl Iterator<Item = Dispatch<'_>> {
    pass.dispatches.iter().map(|dispatch| {
        let bindings = dispatch.bindings.iter().map(|bound| Binding {
            number: bound.binding,
            place: bound.place,
            bytes: bound.bytes.clone(),
        });
        let (parameters, grid) = (&dispatch.parameters[..], dispatch.grid);
        Dispatch { bindings: bindings.collect(), parameters, grid }
    })
}

impl Plan {
    /// Whether the output must be zero when the first pass starts.
    #[doc(hidden)]
    #[must_use]
    pub const fn zeroes_output(&self) -> bool {
        self.recording.zero_output
    }

    /// Bytes of the output that the host gets.
    #[doc(hidden)]
    #[must_use]
    pub fn bytes_for_host(&self) -> u64 {
        self.host_bytes()
    }

    /// Bytes from one result to the next, as passes leave them.
    #[doc(hidden)]
    #[must_use]
    pub const fn bytes_of_result(&self) -> u64 {
        self.result_bytes
    }

    /// The words of a last input; none where there is no such input.
    #[doc(hidden)]
    #[must_use]
    pub fn words_behind_inputs(&self) -> &[u32] {
        self.table()
    }
}

/// The bytes of the output that the host gets first, where these tell what else it gets: how many runs there are.
#[must_use]
pub fn head(plan: &Plan) -> Option<Range<u64>> {
    match &plan.outputs {
        Outputs::Runs { room, .. } if plan.host_bytes() > AT_ONCE_BYTES => {
            Some(room.count_first..room.end_bytes())
        }
        _ => None,
    }
}

/// The bytes of the output that the host gets after [`head`], side by side.
///
/// # Errors
///
/// [`Error::Internal`] if there are fewer bytes than a number has, or the plan has no head.
pub fn behind_head<I, F: Fold<I>>(
    fold: &F,
    plan: &Plan,
    head: &[u8],
    key_bytes: u64,
) -> Result<(u32, [Range<u64>; 3])> {
    let Outputs::Runs { room, .. } = &plan.outputs else {
        return Err(Error::Internal { message: "a plan is not of runs".into() });
    };
    let count = decode::value(head)?;
    let result_bytes = many(fold, plan)?.result_bytes as u64;
    Ok((count, room.compact(count, [result_bytes, key_bytes]).0))
}

/// Makes the result of a whole input of the bytes that the passes have left.
///
/// # Errors
///
/// As the verbs of requests, once the bytes are there.
pub fn finish_whole<I, F: Fold<I>>(fold: &F, plan: &Plan, bytes: &[u8]) -> Result<F::Output> {
    let digits = match &plan.outputs {
        Outputs::Digits(records) => Some(records),
        _ => None,
    };
    fold.finisher().finish(Left { bytes, element: plan.element, len: plan.len, digits })
}

/// Makes the result of a whole input, or of what a mask leaves of it.
///
/// # Errors
///
/// As the verbs of requests, once the bytes are there.
pub fn finish_one<I, F: Fold<I>>(fold: &F, plan: &Plan, bytes: &[u8]) -> Result<F::Output> {
    let &Outputs::Masked { count } = &plan.outputs else {
        return finish_whole(fold, plan, bytes);
    };
    let len = count.map_or(Ok(plan.len), |first| count_in(bytes, first))?;
    if let Folds::Operation(record) = fold.folds() {
        record.check_len(len)?;
    }
    fold.finisher().finish(Left { bytes, element: plan.element, len, digits: None })
}

impl SideBySide {
    /// Finds the results of a plan; `None` if it has one result. Of runs they are where [`behind_head`] names them, if it told how many
    /// runs there are and how long a key is.
    ///
    /// # Errors
    ///
    /// As the verbs of requests, once the bytes are there: [`Error::InvalidOffsets`] and [`Error::InvalidKey`].
    pub fn find<I, F: Fold<I>>(
        fold: &F,
        plan: &Plan,
        read: Read<'_>,
        counted: Option<(u32, u64)>,
    ) -> Result<Option<Self>> {
        if matches!(plan.outputs, Outputs::Whole | Outputs::Digits(_) | Outputs::Masked { .. }) {
            return Ok(None);
        }
        let of = many(fold, plan)?;
        Ok(Some(match &plan.outputs {
            Outputs::Axis | Outputs::MaskedAxis { .. } => Self {
                results: plan.results,
                of,
                lens: lens_of(plan.len, plan.counts()),
                told: of_result,
                keys_first: None,
            },
            Outputs::Segments(layout) => Self::of_segments(layout, of, read)?,
            Outputs::Groups(layout) => Self::of_groups(layout, of, read)?,
            Outputs::Runs { room, .. } => {
                let room = match counted {
                    Some((count, key_bytes)) => {
                        room.compact(count, [of.result_bytes as u64, key_bytes]).1
                    }
                    None => room.of_first(decode::value(&word(room.count_first, read))?),
                };
                let keys_first = Some(room.keys_first);
                Self { keys_first, ..Self::of_segments(&room.layout, of, read)? }
            }
            _ => {
                let message = "such results are finished elsewhere".into();
                return Err(Error::Internal { message });
            }
        }))
    }

    fn of_segments(layout: &Segments, of: Many, read: Read<'_>) -> Result<Self> {
        layout.judge(&word(layout.report_first, read))?;
        let lens = layout.lens();
        let told = |number, error| of_segment(usize::try_from(number).unwrap_or(usize::MAX), error);
        Ok(Self { results: layout.segments, of, lens, told, keys_first: None })
    }

    fn of_groups(layout: &Groups, of: Many, read: Read<'_>) -> Result<Self> {
        if let Some(index) = Groups::noted(&word(layout.report_first, read))? {
            return Err(Error::InvalidKey { index, key: None, groups: layout.groups });
        }
        let lens = layout.lens();
        Ok(Self {
            results: layout.groups.into(),
            of,
            lens,
            told: Groups::of_group,
            keys_first: None,
        })
    }

    /// How many results there are.
    #[must_use]
    pub const fn results(&self) -> u64 {
        self.results
    }

    /// The first byte of the keys of runs.
    #[must_use]
    pub const fn keys_first(&self) -> Option<u64> {
        self.keys_first
    }

    /// Hands over each result, in order.
    ///
    /// # Errors
    ///
    /// As the verbs of requests, of the first result that there is not.
    pub fn finish<I, F: Fold<I>>(
        &self,
        fold: &F,
        read: Read<'_>,
        mut take: impl FnMut(F::Output),
    ) -> Result<()> {
        let finisher = fold.finisher();
        let mut first = 0;
        while first < self.results {
            let some = first..self.results.min(first + AT_ONCE_RESULTS);
            let bytes = read(places(0, self.of.result_bytes as u64, &some));
            let (lens, place) = match self.lens {
                LensPlace::Alike(len) => (Vec::new(), LensPlace::Alike(len)),
                LensPlace::Words(first) => {
                    (read(places(first, WORD_BYTES, &some)), LensPlace::Words(0))
                }
                LensPlace::Doubles(first) => {
                    (read(places(first, 2 * WORD_BYTES, &some)), LensPlace::Doubles(0))
                }
            };
            let results = usize::try_from(some.end - some.start).unwrap_or(usize::MAX);
            let left = ManyLeft { of: self.of, bytes: &bytes, results, lens: place.lens_in(&lens) };
            for number in 0..results {
                let told = |error| (self.told)(first + number as u64, error);
                take(finisher.finish_nth(left, number).map_err(told)?);
            }
            first = some.end;
        }
        Ok(())
    }
}

/// Bytes of rows that are read together, unless one has more.
const ROWS_BYTES: u64 = 64 << 10;

/// Hands over what an order statistic has found: of a whole input, which is one row, or of each row along axes.
///
/// # Errors
///
/// As the verbs of requests, once the bytes are there; and those of `take`.
pub fn finish_rows(
    statistic: &dyn ByRank,
    plan: &Plan,
    read: Read<'_>,
    take: &mut dyn FnMut(InRow) -> Result<()>,
) -> Result<()> {
    let Folds::Ranks(ranks) = statistic.folds() else {
        return Err(Error::Internal { message: "an operation finds nothing by rank".into() });
    };
    let (rows, row_bytes) = match plan.outputs {
        Outputs::RanksOfRows { .. } => (plan.results, plan.result_bytes.max(1)),
        _ => (1, plan.host_bytes().max(1)),
    };
    let (mut finder, mut first) = (Finder::new(ranks), 0);
    while first < rows {
        let some = first..rows.min(first + (ROWS_BYTES / row_bytes).max(1));
        let bytes = read(places(0, row_bytes, &some));
        for bytes in bytes.chunks(usize::try_from(row_bytes).unwrap_or(usize::MAX)) {
            let left = Left { bytes, element: plan.element, len: plan.len, digits: None };
            take(finder.find(left)?)?;
        }
        first = some.end;
    }
    Ok(())
}

/// The bytes of some of many that have `size` bytes each.
const fn places(first: u64, size: u64, some: &Range<u64>) -> Range<u64> {
    first + size * some.start..first + size * some.end
}

fn word(first: u64, read: Read<'_>) -> Vec<u8> {
    read(first..first + WORD_BYTES)
}

/// What many results of a fold are.
fn many<I, F: Fold<I>>(fold: &F, plan: &Plan) -> Result<Many> {
    let folding = Folding::of(fold.folds(), plan.element)?;
    let result_bytes = usize::try_from(folding.output_bytes()).unwrap_or(usize::MAX);
    Ok(Many { operation: folding.name(), element: plan.element, result_bytes })
}

/// The counts of bins, or sums of weights; the bins' edges; and what is below them, above them, and NaN.
pub type Binned<S> = (Vec<S>, Vec<f64>, [S; 3]);

/// Reads the histogram of each channel.
///
/// # Errors
///
/// As the verbs of requests, once the bytes are there.
pub fn histograms<S: bytemuck::Pod>(plan: &Plan, bytes: &[u8]) -> Result<Vec<Binned<S>>> {
    layout_of_bins(plan)?.read(bytes, |sums, edges, outside| (sums, edges, outside))
}

fn layout_of_bins(plan: &Plan) -> Result<Bins> {
    match &plan.outputs {
        Outputs::Bins { channels, edges, .. } => {
            Ok(Bins { edges: edges.clone(), channels: *channels })
        }
        _ => Err(Error::Internal { message: "a plan is not of bins".into() }),
    }
}
