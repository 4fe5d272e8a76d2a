//! The last pass: from the totals to the result.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::window::{Run, WORD_BYTES};
use crate::plan::recording::{
    Bound, CopyParameters, Parameters, Place, PlannedPass, RecordedDispatch, RoundParameters,
    ValuesParameters, binding, low_word,
};
use crate::plan::shapes::bins::{HistogramShader, HistogramTuning};
use crate::shader::Shader;

/// What is left, and where.
pub(crate) struct Last<'a> {
    pub(crate) tuning: &'a HistogramTuning,
    pub(crate) caps: &'a Caps,
    /// Where in its buffer the first result goes.
    pub(crate) offset_bytes: u64,
    /// The size of a result.
    pub(crate) size_bytes: u64,
    /// How many there are.
    pub(crate) results: u64,
    /// Whether totals have two words.
    pub(crate) carries: bool,
    pub(crate) totals: &'a Bound,
}

impl Last<'_> {
    /// The pass whose invocations do so many `items` each in turn. Values of 8 bits are counted in `bins`.
    pub(crate) fn pass(
        &self,
        shader: HistogramShader,
        items: u64,
        bins: u32,
        table: Option<Bound>,
    ) -> Result<PlannedPass> {
        let &Self { tuning, caps, offset_bytes: offset, size_bytes, results, totals, .. } = self;
        let results = Run { offset_bytes: offset, len: results, element_bytes: size_bytes };
        let (bytes, _) = results.bound(caps)?;
        if bytes.end - bytes.start > caps.max_binding_bytes {
            let what = format!("results from byte {offset} on do not fit one binding");
            return Err(Error::InvalidBuffer { what });
        }
        let size = tuning.workgroup_size;
        let workgroups = low_word(items.div_ceil(size.into()).min(caps.max_grid().into()));
        let [x, y] = caps.grid(workgroups);
        let (count, invocations) = (low_word(items), x * y * size);
        let first = low_word((offset - bytes.start) / WORD_BYTES);
        let parameters = match shader {
            HistogramShader::Values => {
                ValuesParameters { bins, slots: count, first, invocations }.words()
            }
            HistogramShader::RoundF32 | HistogramShader::RoundF64 => {
                RoundParameters { count, first, invocations }.words()
            }
            _ => CopyParameters { count, first, invocations }.words(),
        };
        let target = Bound { binding: binding::TARGET, place: Place::Output, bytes: Some(bytes) };
        let bindings = [target, totals.clone()].into_iter().chain(table).collect();
        let mut constants = vec![("WORKGROUP_SIZE", size)];
        if !matches!(shader, HistogramShader::RoundF32 | HistogramShader::RoundF64) {
            constants.push(("CARRIES", u32::from(self.carries)));
        }
        Ok(PlannedPass {
            shader: Shader::Histogram(shader),
            constants,
            dispatches: vec![RecordedDispatch { bindings, parameters, grid: [x, y, 1] }],
        })
    }
}
