//! What is to be planned: a fold, inputs, a shape, and where results go.

use super::caps::Caps;
use super::cut::few::Few;
use super::cut::part::{Part, len_of};
use super::cut::source::Beside;
use super::folding::Folding;
use super::limits::unsupported;
use super::planned::{AnyTuning, Outputs, Plan};
use super::shapes::axis::{self, Axes, AxisSet, View};
use super::shapes::batch;
use super::shapes::bins::{self, Bins, WeightKind};
use super::shapes::exact;
use super::shapes::groups::{self, Grouped};
use super::shapes::order;
use super::shapes::ordered;
use super::shapes::runs::{self, Key, KeyPart};
use super::shapes::segments;
use super::shapes::whole::{self, Ending};
use super::tuning::Tuning;
use crate::error::{Error, Result};
use crate::exact::ExactTerms;
#[cfg(feature = "recorded")]
use crate::op::by_rank::ByRank;
use crate::op::fold::Folds;
use crate::op::{ElementKind, Fold, OpRecord};
use crate::shader::variant::Kernel;
use std::fmt;

/// What is to be computed, of which elements and in which shape: plain data. A device plans it by a request; [`plan`](Self::plan)
/// does without one.
///
/// Inputs are one buffer with the elements from its start on, unless [`parts`](Self::parts) says otherwise, and results come back to the
/// host.
///
/// ```
/// use wgpu_reduce::{Caps, ElementKind, Matrix, Problem, Sum};
///
/// // A phone's GPU: the least that WebGPU promises.
/// let caps = Caps::baseline();
/// let sums = Problem::new::<f32, _>(&Sum, ElementKind::F32, 1 << 24);
/// println!("{}", sums.plan(&caps)?);
///
/// let rows = sums.along(Matrix { rows: 1 << 12, columns: 1 << 12 }, 1).plan(&caps)?;
/// assert_eq!((rows.results, rows.len), (1 << 12, 1 << 12));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    pub(crate) fold: Folds<'a>,
    pub(crate) element: ElementKind,
    /// The parts of each input: one, or two whose elements are paired.
    pub(crate) inputs: Few<Few<Part>>,
    /// The parts of a mask, whose bytes say which elements count.
    pub(crate) mask: Option<Few<Part>>,
    pub(crate) shape: Shape<'a>,
    pub(crate) ends: Ends,
    pub(crate) tuning: Option<AnyTuning>,
}

/// More inputs than dispatches of a batch can take, if most share one.
const MOST_INPUTS: usize = 1 << 20;

/// What gets a result of its own.
#[derive(Debug, Clone, Copy)]
pub enum Shape<'a> {
    /// The input.
    Whole,
    /// Each position of the other axes of a view.
    Axis(View, AxisSet),
    /// Segments that offsets delimit; where a number says so, the first of them, which lies so many bytes into its buffer.
    Segments(Part, Option<u64>),
    /// The first elements, as many as a number says that lies so many bytes into its buffer.
    Counted(u64),
    /// Runs of equal keys.
    Runs(KeyPart),
    /// Groups of equal keys.
    Groups(Grouped<'a>),
    /// Counts of elements in bins, by channel.
    Bins(&'a Bins, u32),
    /// Sums of their weights.
    Weights(&'a Bins, u32, WeightKind, &'a [Part]),
}

/// Where results go.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ends {
    /// Where results, and of runs keys and count, begin in buffers of the caller's; `None` where they come back.
    pub(crate) output_offsets_bytes: Option<[u64; 3]>,
    /// Whether the output is a buffer of the input.
    pub(crate) in_place: bool,
}

impl<'a> Problem<'a> {
    /// A reduction of `len` elements, or pairs of elements, to one result, by anything that
    /// [`GpuReducer::reduce`](crate::Request) takes.
    #[must_use]
    pub fn new<I, F: Fold<I>>(fold: &'a F, element: ElementKind, len: u64) -> Self {
        Self::of(fold.folds(), element, len)
    }

    /// As [`new`](Self::new), by an operation as data.
    ///
    /// ```
    /// use wgpu_reduce::{Caps, ElementKind, OpRecord, Problem};
    ///
    /// for operation in OpRecord::ALL.into_iter().filter(|op| op.takes(ElementKind::I32)) {
    ///     println!("{}", Problem::by(operation, ElementKind::I32, 1000).plan(&Caps::baseline())?);
    /// }
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn by(operation: &'static OpRecord, element: ElementKind, len: u64) -> Self {
        Self::of(Folds::Operation(operation), element, len)
    }

    fn of(fold: Folds<'a>, element: ElementKind, len: u64) -> Self {
        let is_paired = match fold {
            Folds::Operation(operation) => OpRecord::PAIRS.contains(&operation),
            Folds::Exact(terms) => terms == ExactTerms::Products,
            Folds::Custom(operator, ..) => operator.input.paired,
            Folds::Ranks(_) => false,
        };
        let input = Few::One(Part { offset_bytes: 0, len });
        let inputs = if is_paired { vec![input; 2].into() } else { Few::One(input) };
        let (shape, ends) = (Shape::Whole, Ends::default());
        Self { fold, element, inputs, mask: None, shape, ends, tuning: None }
    }

    /// Elements in bins: what counts them is no fold.
    #[doc(hidden)]
    #[must_use]
    pub fn in_bins(element: ElementKind, shape: Shape<'a>) -> Self {
        Self::of(Folds::Exact(ExactTerms::Elements), element, 0).shaped(shape)
    }

    /// An order statistic that is known when the program runs.
    #[cfg(feature = "recorded")]
    #[doc(hidden)]
    #[must_use]
    pub fn by_rank(statistic: &'a dyn ByRank, element: ElementKind) -> Self {
        Self::of(statistic.folds(), element, 0)
    }

    /// Says where the elements of each input lie: in one buffer for each part.
    ///
    /// ```
    /// use wgpu_reduce::{Caps, ElementKind, Part, Problem, Sum};
    ///
    /// let parts = [(0, 1 << 20), (256, 1 << 10)].map(|(offset_bytes, len)| Part { offset_bytes, len });
    /// let sum = Problem::new::<f32, _>(&Sum, ElementKind::F32, 0).parts(vec![parts.to_vec()]);
    /// assert_eq!(sum.plan(&Caps::baseline())?.len, (1 << 20) + (1 << 10));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn parts(self, inputs: Vec<Vec<Part>>) -> Self {
        Self { inputs: inputs.into_iter().map(Few::from).collect(), ..self }
    }

    /// Says where the bytes of a mask lie, as [`Request::masked`](crate::Request) takes one: in one buffer for each part.
    ///
    /// ```
    /// use wgpu_reduce::{Caps, ElementKind, Part, Problem, Sum};
    ///
    /// let mask = vec![Part { offset_bytes: 0, len: 1 << 20 }];
    /// let sum = Problem::new::<f32, _>(&Sum, ElementKind::F32, 1 << 20).masked(mask);
    /// assert_eq!(sum.plan(&Caps::baseline())?.input_bytes(), 5 << 20);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn masked(self, mask: Vec<Part>) -> Self {
        Self { mask: Some(mask.into()), ..self }
    }

    /// Reduces along axes of a view, as [`Request::along`](crate::Request) does.
    #[must_use]
    pub fn along(self, view: impl Into<View>, axes: impl Axes) -> Self {
        Self { shape: Shape::Axis(view.into(), AxisSet::new(&axes)), ..self }
    }

    /// Reduces so many segments, as [`Request::segments`](crate::Request) does.
    #[must_use]
    pub fn segments(self, segments: u64) -> Self {
        let offsets = Part { offset_bytes: 0, len: segments.saturating_add(1) };
        Self { shape: Shape::Segments(offsets, None), ..self }
    }

    /// Reduces runs of equal keys of a type, as [`Request::runs`](crate::Request) does: of as many keys as the input has elements when
    /// this is called.
    #[must_use]
    pub fn runs<K: Key>(self) -> Self {
        let place = Part { offset_bytes: 0, len: self.len() };
        let keys = KeyPart { place, bytes: size_of::<K>() as u64, are_floats: K::IS_FLOAT };
        Self { shape: Shape::Runs(keys), ..self }
    }

    /// Shapes the plan by other numbers than the default, which must be those of the shape.
    #[must_use]
    pub fn tuned(self, tuning: impl Into<AnyTuning>) -> Self {
        Self { tuning: Some(tuning.into()), ..self }
    }

    /// Says what gets a result of its own.
    #[doc(hidden)]
    #[must_use]
    pub fn shaped(self, shape: Shape<'a>) -> Self {
        Self { shape, ..self }
    }

    /// Says where results stay, if they do, and whether that is a buffer of the input.
    #[doc(hidden)]
    #[must_use]
    pub fn left(self, output_offsets_bytes: Option<[u64; 3]>, in_place: bool) -> Self {
        let ends = Ends { output_offsets_bytes, in_place };
        Self { ends, ..self }
    }

    /// Plans it for a device of such capabilities. No device is needed, and none is touched.
    ///
    /// # Errors
    ///
    /// What a request with these elements fails with before anything runs: [`Error::Empty`], [`Error::NotDefined`],
    /// [`Error::WrongInputs`], [`Error::Unsupported`], [`Error::InvalidTuning`], [`Error::InvalidView`], [`Error::InvalidOffsets`],
    /// [`Error::LengthMismatch`], [`Error::InvalidRank`], [`Error::InvalidBuffer`], [`Error::BufferTooLarge`].
    pub fn plan(&self, caps: &Caps) -> Result<Plan> {
        self.lower(caps)
    }

    /// Plans so many reductions like this one in one submission, as [`GpuReducer::batch`](crate::Request) runs them; `tuning` is that
    /// for an input of so many elements.
    ///
    /// ```
    /// use wgpu_reduce::{Caps, ElementKind, Problem, Sum, Tuning};
    ///
    /// let caps = Caps::baseline();
    /// let small = Problem::new::<f32, _>(&Sum, ElementKind::F32, 100);
    /// let tuning = |len| Tuning::for_len(&caps, ElementKind::F32, len);
    /// // Seven small inputs share a dispatch.
    /// assert_eq!(small.plan_batch(14, tuning, &caps)?.passes().len(), 2);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`plan`](Self::plan); [`Error::Unsupported`] where it is no reduction of whole inputs by an operation, if one binding does
    /// not hold all results, or there would be more than 2^17 dispatches.
    pub fn plan_batch(
        &self,
        count: usize,
        tuning: impl Fn(u64) -> Tuning,
        caps: &Caps,
    ) -> Result<Plan> {
        let (Folds::Operation(operation), Shape::Whole, None) = (self.fold, self.shape, &self.mask)
        else {
            return Err(unsupported("several of these as one: each has a plan of its own"));
        };
        self.check_inputs()?;
        if self.tuning.is_some() {
            let what = "a batch takes a tuning for each length".into();
            return Err(Error::InvalidTuning { what });
        }
        if count > MOST_INPUTS {
            return Err(unsupported("so many inputs in one batch"));
        }
        batch::lower((operation, self.element), &vec![&self.inputs; count], tuning, caps)
    }

    /// The parts of the first input.
    pub(crate) fn first(&self) -> &[Part] {
        self.inputs.first().map_or(&[], |parts| parts)
    }

    /// The parts of the second input, if there are two.
    pub(crate) fn second(&self) -> Option<&[Part]> {
        self.inputs.get(1).map(|parts| &**parts)
    }

    /// The parts of the mask, if there is one.
    pub(crate) fn mask(&self) -> Option<&[Part]> {
        self.mask.as_deref()
    }

    /// What is read beside the first input.
    pub(crate) fn beside(&self) -> Beside<'_> {
        self.mask().map_or_else(|| self.second().into(), Beside::Mask)
    }

    /// Elements of the first input.
    fn len(&self) -> u64 {
        len_of(self.first())
    }

    /// Where the results begin; 0 where they come back.
    pub(crate) const fn output_offset_bytes(&self) -> u64 {
        match self.ends.output_offsets_bytes {
            Some([results, ..]) => results,
            None => 0,
        }
    }

    /// Whether the kernel of exact sums with bins reduces it, whose digits the host puts together; and of what they are.
    pub(crate) fn exact_terms(&self) -> Option<ExactTerms> {
        match (self.fold, &self.shape) {
            (Folds::Exact(terms), _) => Some(terms),
            (Folds::Operation(operation), Shape::Whole)
                if self.mask.is_none()
                    && self.ends.output_offsets_bytes.is_none()
                    && operation.is_of_exact_sum(self.element) =>
            {
                Some(ExactTerms::Elements)
            }
            _ => None,
        }
    }

    /// The tuning of its shape.
    pub(crate) fn tuning<T: TryFrom<AnyTuning>>(&self, default: impl FnOnce() -> T) -> Result<T> {
        let Some(tuning) = self.tuning else { return Ok(default()) };
        T::try_from(tuning).map_err(|_| {
            let what = format!("{tuning} is a tuning of another shape or kernel");
            Error::InvalidTuning { what }
        })
    }

    /// Fails unless the fold takes such inputs: pairs of whole inputs and along axes.
    fn check_inputs(&self) -> Result<()> {
        let (operation, element, is_paired) = match self.fold {
            Folds::Operation(operation) => {
                (operation.name(), self.element, OpRecord::PAIRS.contains(&operation))
            }
            Folds::Exact(ExactTerms::Elements) if self.is_of_bins() => {
                ("histogram", self.element, false)
            }
            Folds::Exact(terms) => {
                let is_float = matches!(self.element, ElementKind::F32 | ElementKind::F64);
                let element = if is_float { self.element } else { ElementKind::F32 };
                match terms {
                    ExactTerms::Elements => ("sum_exact", element, false),
                    ExactTerms::Products => ("dot_exact", element, true),
                }
            }
            Folds::Custom(operator, ..) => {
                ("custom operator", operator.input.element, operator.input.paired)
            }
            Folds::Ranks(ranks) => (ranks.name, self.element, false),
        };
        let inputs = u32::try_from(self.inputs.len()).unwrap_or(u32::MAX);
        if inputs != if is_paired { 2 } else { 1 } {
            return Err(Error::WrongInputs { operation, inputs });
        }
        if is_paired && !matches!(self.shape, Shape::Whole | Shape::Axis(..)) {
            return Err(unsupported(format!(
                "{operation} of pairs but of whole inputs and along axes"
            )));
        }
        if self.element != element {
            return Err(Error::NotDefined { operation, element: self.element.name() });
        }
        Ok(())
    }

    /// Fails unless it takes a mask, if there is one: operations of whole inputs and along axes do. An index that is found is less than
    /// 2^32, since of no element shaders say that it stands there.
    fn check_mask(&self) -> Result<()> {
        let Some(mask) = self.mask() else { return Ok(()) };
        let len = match (self.fold, &self.shape) {
            (Folds::Operation(_), Shape::Whole) if self.inputs.len() == 1 => self.len(),
            (Folds::Operation(_), Shape::Axis(view, axes)) if self.inputs.len() == 1 => {
                view.len_of(*axes)
            }
            _ => return Err(unsupported(format!("masks with {self}"))),
        };
        if let Folds::Operation(operation) = self.fold {
            let has_index = operation.over(self.element)?.accumulator.has_index();
            if has_index && len > u64::from(u32::MAX) {
                return Err(unsupported(format!("masks with indices of {len} elements")));
            }
        }
        let (left, right) = (self.len(), len_of(mask));
        if left != right {
            return Err(Error::LengthMismatch { left, right });
        }
        Ok(())
    }

    /// Whether a mask is on a whole input whose operation has a kernel for that along axes alone.
    pub(crate) fn is_masked_row(&self) -> bool {
        let (Folds::Operation(operation), Shape::Whole) = (self.fold, &self.shape) else {
            return false;
        };
        let over = operation.over(self.element);
        self.mask.is_some() && over.is_ok_and(|over| !Kernel::Masked.serves(&over))
    }

    const fn is_of_bins(&self) -> bool {
        matches!(self.shape, Shape::Bins(..) | Shape::Weights(..))
    }

    /// The passes.
    pub(crate) fn lower(&self, caps: &Caps) -> Result<Plan> {
        self.check_inputs()?;
        self.check_mask()?;
        match &self.shape {
            Shape::Whole => self.lower_whole(caps),
            &Shape::Axis(view, axes) => match self.fold {
                Folds::Ranks(ranks) => order::lower_rows(self, &ranks, (view, axes), caps),
                _ if self.mask.is_some() => axis::lower_masked(self, (view, axes), caps),
                _ => axis::lower(self, (view, axes), caps),
            },
            &Shape::Segments(offsets, count) => segments::lower(self, (offsets, count), caps),
            &Shape::Counted(at) => {
                Folding::of(self.fold, self.element)?;
                whole::counted(self.lower_whole(caps)?, self.first().len(), at, caps)
            }
            &Shape::Runs(keys) => runs::lower(self, keys, caps),
            &Shape::Groups(grouped) => groups::lower(self, grouped, caps),
            &Shape::Bins(bins, channels) => bins::lower(self, (bins, channels), 0, caps),
            &Shape::Weights(bins, channels, weight, weights) => {
                bins::lower_weights(self, (bins, channels), (weight, weights), caps)
            }
        }
    }

    fn lower_whole(&self, caps: &Caps) -> Result<Plan> {
        match (self.exact_terms(), self.fold) {
            (Some(terms), _) | (None, Folds::Exact(terms)) => exact::lower(self, terms, caps),
            (None, Folds::Operation(_)) if self.is_masked_row() => {
                let row = View::new(&[self.len()])?;
                let plan = axis::lower_masked(self, (row, AxisSet::new(&0)), caps)?;
                let outputs = match plan.outputs {
                    Outputs::MaskedAxis { counts } => Outputs::Masked { count: counts },
                    outputs => outputs,
                };
                Ok(Plan { outputs, ..plan })
            }
            (None, Folds::Operation(operation)) => {
                whole::lower(self, operation, Ending::Result, caps)
            }
            (None, Folds::Custom(operator, identity, _)) => {
                ordered::lower(self, (operator, identity), caps)
            }
            (None, Folds::Ranks(ranks)) => order::lower(self, &ranks, caps),
        }
    }
}

impl fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match (self.fold, &self.shape) {
            (_, Shape::Bins(..) | Shape::Weights(..)) => "histogram",
            (Folds::Operation(operation), _) => operation.name(),
            (Folds::Exact(_), _) => "exact sum",
            (Folds::Custom(..), _) => "custom operator",
            (Folds::Ranks(ranks), _) => ranks.name,
        };
        write!(f, "{name} of {} {} elements", self.len(), self.element)
    }
}
