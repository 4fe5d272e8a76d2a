//! What a request runs, in whatever shape: plain data for people, for tests, and for who encodes it.

use crate::exact::Records;
use crate::op::Accuracy;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::window::WORD_BYTES;
use crate::plan::recording::{PlannedPass, Recording, Scratch};
use crate::plan::shapes::axis::AxisTuning;
use crate::plan::shapes::bins::HistogramTuning;
use crate::plan::shapes::exact::ExactTuning;
use crate::plan::shapes::groups;
use crate::plan::shapes::runs::Room;
use crate::plan::shapes::segments::{self, SegmentsTuning};
use crate::plan::shapes::whole::masked;
use crate::plan::tuning::Tuning;
use std::fmt;

/// What a request would run: plain data, to be printed or tested. [`Request::plan`](crate::Request::plan) makes it.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Matrix, Sum};
///
/// let buffer = reducer.upload(&[0.5_f32; 4096])?;
/// let plan = reducer.reduce(Sum, &buffer).plan()?;
/// assert_eq!((plan.len, plan.results, plan.input_bytes()), (4096, 1, 16_384));
/// // The sum of the magnitudes is 2048.
/// assert!(plan.accuracy().error_bound(2048.0) < 0.1);
/// for pass in plan.passes() {
///     println!("{pass} in {:?} workgroups", pass.grids());
/// }
///
/// let matrix = Matrix { rows: 64, columns: 64 };
/// println!("{}", reducer.reduce(Sum, &buffer).rows(matrix).plan()?);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The name of the operation.
    pub operation: &'static str,
    /// The type of the elements.
    pub element: ElementKind,
    /// How many inputs there are: 2 whose elements are paired, or as many as a batch has.
    pub inputs: usize,
    /// Elements of an input; pairs, of two. Along an axis, elements of each result; of a batch, elements of all inputs.
    pub len: u64,
    /// How many results there are; of runs at most. Elements of ranks are one each, unless a device counts numbers with them.
    pub results: u64,
    /// Upper bound of the roundings between any element and its result; 0 where nothing is rounded, and the largest
    /// number where it is not known: of batches that round, and of operators of the user's.
    pub roundings: u64,
    /// The tuning that shaped it, as the device takes it.
    pub tuning: AnyTuning,
    /// Bytes of the elements that are read.
    pub(crate) input_bytes: u64,
    /// Bytes of one result, as the device leaves it.
    pub(crate) result_bytes: u64,
    /// Quads that an invocation adds up before it combines them, where a bound asks.
    pub(crate) loads_in_flight: u32,
    pub(crate) outputs: Outputs,
    pub(crate) recording: Recording,
}

/// What the output has when all passes have run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outputs {
    /// One result.
    Whole,
    /// Digits of an exact sum.
    Digits(Records),
    /// A result of each input.
    Batch,
    /// Results side by side.
    Axis,
    /// Results, and behind them a report of the offsets.
    Segments(segments::Layout),
    /// One result of as many elements as the device counts.
    Counted,
    /// One result of what a mask leaves, and from a byte on of how many elements, where that matters.
    Masked { count: Option<u64> },
    /// Results side by side of what a mask leaves, and from a byte on of how many elements each is, where that matters.
    MaskedAxis { counts: Option<u64> },
    /// Results, and behind them a report of the keys.
    Groups(groups::Layout),
    /// As of segments, and behind that keys and the number of runs; found and folded in one pass or not.
    Runs { room: Room, is_at_once: bool },
    /// Elements, one for each rank, and how many numbers there are if ranks count these alone.
    Ranks {
        elements: u64,
        /// What is known of them before the first pass, or of their quantiles, in the buffer behind the inputs.
        table: Vec<u32>,
    },
    /// As much of each row.
    RanksOfRows {
        /// The ranks or their quantiles, in the buffer behind the inputs.
        table: Vec<u32>,
    },
    /// Counts or sums, by channel.
    Bins {
        channels: u32,
        edges: Vec<f64>,
        /// What shaders compare with, in the buffer behind the inputs.
        table: Vec<u32>,
    },
}

/// The numbers that shape a plan, by the shape of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnyTuning {
    /// The numbers of a whole input, and of each input of a batch that has no workgroup alone.
    Whole(Tuning),
    /// The numbers of an exact sum of a whole input.
    Exact(ExactTuning),
    /// Along an axis.
    Axis(AxisTuning),
    /// The numbers of segments and runs.
    Segments(SegmentsTuning),
    /// The numbers of histograms.
    Histogram(HistogramTuning),
}

/// The numbers that shape a reduction of a whole input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WholeTuning {
    /// The numbers of every operation, but for exact sums that come back to the host.
    Reduction(Tuning),
    /// The numbers of exact sums of `f32` that come back to the host.
    Exact(ExactTuning),
    /// The numbers of order statistics.
    Histogram(HistogramTuning),
}

impl From<WholeTuning> for AnyTuning {
    fn from(tuning: WholeTuning) -> Self {
        match tuning {
            WholeTuning::Reduction(tuning) => Self::Whole(tuning),
            WholeTuning::Exact(tuning) => Self::Exact(tuning),
            WholeTuning::Histogram(tuning) => Self::Histogram(tuning),
        }
    }
}

impl From<Tuning> for WholeTuning {
    fn from(tuning: Tuning) -> Self {
        Self::Reduction(tuning)
    }
}

impl From<ExactTuning> for WholeTuning {
    fn from(tuning: ExactTuning) -> Self {
        Self::Exact(tuning)
    }
}

impl From<HistogramTuning> for WholeTuning {
    fn from(tuning: HistogramTuning) -> Self {
        Self::Histogram(tuning)
    }
}

macro_rules! tunings {
    ($($tuning:ident: $variant:ident, $get:ident;)*) => {
        $(
            impl From<$tuning> for AnyTuning {
                fn from(tuning: $tuning) -> Self {
                    Self::$variant(tuning)
                }
            }

            impl TryFrom<AnyTuning> for $tuning {
                type Error = AnyTuning;

                fn try_from(tuning: AnyTuning) -> Result<Self, AnyTuning> {
                    tuning.$get().ok_or(tuning)
                }
            }
        )*

        impl AnyTuning {
            $(
                /// The tuning, if it is of this shape.
                #[must_use]
                pub const fn $get(self) -> Option<$tuning> {
                    match self {
                        Self::$variant(tuning) => Some(tuning),
                        _ => None,
                    }
                }
            )*
        }

        impl fmt::Display for AnyTuning {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(tuning) => tuning.fmt(f),)*
                }
            }
        }
    };
}
tunings! {
    Tuning: Whole, whole;
    ExactTuning: Exact, exact;
    AxisTuning: Axis, axis;
    SegmentsTuning: Segments, segments;
    HistogramTuning: Histogram, histogram;
}

impl Plan {
    /// The passes in the order they run; each starts when the one before has ended.
    #[must_use]
    pub fn passes(&self) -> &[PlannedPass] {
        &self.recording.passes
    }

    /// The buffers between passes.
    #[must_use]
    pub fn scratch(&self) -> &[Scratch] {
        &self.recording.scratch
    }

    /// What bounds of a result's error are made of: [`Operation::tolerance`](crate::Operation::tolerance) takes it. Of segments and runs
    /// [`accuracy_of`](Self::accuracy_of) tells it for one of some length.
    #[must_use]
    pub fn accuracy(&self) -> Accuracy {
        self.accuracy_of(self.len)
    }

    /// What bounds of the error of a result are made of, if it is of so many elements.
    #[must_use]
    pub fn accuracy_of(&self, len: u64) -> Accuracy {
        let loads_in_flight = match self.outputs {
            Outputs::Segments(_) | Outputs::Runs { .. } => {
                Tuning::for_len(&Caps::baseline(), self.element, len).loads_in_flight
            }
            _ => self.loads_in_flight,
        };
        Accuracy::new(self.element, len, self.roundings, loads_in_flight)
    }

    /// Bytes of the input, or of both, that are read; `u64::MAX` where there are more, as a stream may have.
    #[must_use]
    pub const fn input_bytes(&self) -> u64 {
        self.input_bytes
    }

    /// Bytes that are read and written at least: of inputs and offsets, each once; and of results along axes, of segments and of runs.
    #[must_use]
    pub fn least_bytes(&self) -> u64 {
        let of_result = match self.outputs {
            Outputs::Axis | Outputs::MaskedAxis { .. } | Outputs::RanksOfRows { .. } => {
                self.result_bytes
            }
            Outputs::Segments(_) | Outputs::Runs { .. } => {
                self.result_bytes.saturating_add(WORD_BYTES)
            }
            _ => 0,
        };
        self.input_bytes.saturating_add(self.results.saturating_mul(of_result))
    }

    /// Bytes of what the host gets.
    pub(crate) fn host_bytes(&self) -> u64 {
        match &self.outputs {
            Outputs::Digits(records) => records.size_bytes(),
            Outputs::Segments(layout) => layout.end_bytes(),
            Outputs::Groups(layout) => layout.end_bytes(),
            Outputs::Runs { room, .. } => room.end_bytes(),
            Outputs::Counted => 0,
            Outputs::Masked { count: Some(first) } => first.saturating_add(masked::COUNT_BYTES),
            Outputs::MaskedAxis { counts: Some(first) } => {
                first.saturating_add(self.results.max(1).saturating_mul(masked::COUNT_BYTES))
            }
            // Room for one where there is none.
            Outputs::Whole
            | Outputs::Batch
            | Outputs::Axis
            | Outputs::Masked { count: None }
            | Outputs::MaskedAxis { counts: None }
            | Outputs::Ranks { .. }
            | Outputs::RanksOfRows { .. }
            | Outputs::Bins { .. } => self.results.max(1).saturating_mul(self.result_bytes),
        }
    }

    /// The byte from which on it has of how many elements each result along axes is, if it has that.
    pub(crate) const fn counts(&self) -> Option<u64> {
        match self.outputs {
            Outputs::MaskedAxis { counts } => counts,
            _ => None,
        }
    }

    /// The edges of bins, if there are any.
    pub(crate) fn edges(&self) -> &[f64] {
        match &self.outputs {
            Outputs::Bins { edges, .. } => edges,
            _ => &[],
        }
    }

    /// What shaders read in the buffer behind the inputs, if they do.
    pub(crate) fn table(&self) -> &[u32] {
        match &self.outputs {
            Outputs::Bins { table, .. }
            | Outputs::Ranks { table, .. }
            | Outputs::RanksOfRows { table } => table,
            _ => &[],
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, element, inputs, len, results, tuning, .. } = self;
        write!(f, "{operation} of ")?;
        match &self.outputs {
            Outputs::Whole | Outputs::Digits(_) if *inputs == 2 => {
                write!(f, "{len} {element} pairs")
            }
            Outputs::Whole | Outputs::Digits(_) => write!(f, "{len} {element} elements"),
            Outputs::Batch => write!(f, "each of {inputs} inputs of {element} elements"),
            Outputs::Axis | Outputs::RanksOfRows { .. } => {
                let items = if *inputs == 2 { "pairs" } else { "elements" };
                write!(f, "{results} x {len} {element} {items}")
            }
            Outputs::MaskedAxis { .. } => {
                write!(f, "{results} x {len} {element} elements, as masked")
            }
            Outputs::Groups(_) => write!(f, "{results} groups of {len} {element} elements"),
            Outputs::Segments(_) => write!(f, "{results} segments of {len} {element} elements"),
            Outputs::Ranks { elements, .. } => {
                write!(f, "{elements} ranks of {len} {element} elements")
            }
            Outputs::Counted => write!(f, "at most {len} {element} elements, as counted"),
            Outputs::Masked { .. } => write!(f, "{len} {element} elements, as masked"),
            Outputs::Runs { is_at_once: true, .. } => {
                write!(f, "runs of {len} equal keys, in one pass over both")
            }
            Outputs::Runs { .. } => write!(f, "runs of {len} equal keys, found first"),
            Outputs::Bins { edges, channels, .. } => {
                let bins = edges.len().saturating_sub(1);
                write!(f, "{len} {element} elements, {bins} bins, {channels} channels")
            }
        }?;
        writeln!(f, "\n  reads {} bytes of elements; {tuning}", self.input_bytes)?;
        self.recording.show(f)?;
        match self.roundings {
            0 | u64::MAX => Ok(()),
            roundings => writeln!(f, "  at most {roundings} roundings per element"),
        }
    }
}
