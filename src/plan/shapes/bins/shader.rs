//! The shaders of histograms.

use crate::op::element::{ElementKind, Number};
use crate::shader::fragment::{Fragment, fragment, join};
use crate::shader::variant::ENDS;
use std::fmt;

/// The shader of a pass of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HistogramShader {
    /// Counts elements.
    Gather {
        /// Their type.
        element: ElementKind,
        /// Where they are counted.
        counters: Counters,
    },
    /// Adds weights.
    Weighted {
        /// The type of the elements.
        element: ElementKind,
        /// The type of the weights.
        weight: WeightKind,
        /// Where they are added.
        counters: Counters,
    },
    /// Leaves the totals as the result.
    Copy,
    /// Leaves those of elements with 8 bits, whose values have been counted, as counts of bins.
    Values,
    /// Rounds sums of weights that are `f32`, and leaves them.
    RoundF32,
    /// Rounds those of weights that are `f64`.
    RoundF64,
}

/// The type of weights. [`WeightKind::sum_bytes`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WeightKind {
    /// Their sums are exact until they are rounded once, to `f32`.
    F32,
    /// Their sums are exact until they are rounded once, to `f64`.
    F64,
    /// Their sums have 64 bits.
    U32,
}

impl WeightKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::F32, Self::F64, Self::U32];

    /// Bytes of a weight.
    pub(crate) const fn size_bytes(self) -> u64 {
        match self {
            Self::F32 | Self::U32 => 4,
            Self::F64 => 8,
        }
    }

    /// Bytes of a sum as it is left.
    ///
    /// ```
    /// use wgpu_reduce::WeightKind;
    ///
    /// assert_eq!((WeightKind::F32.sum_bytes(), WeightKind::U32.sum_bytes()), (4, 8));
    /// ```
    #[must_use]
    pub const fn sum_bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F64 | Self::U32 => 8,
        }
    }

    /// Words of a sum in the shader that adds.
    pub(crate) const fn sum_words(self) -> u32 {
        match self {
            Self::F32 => 20,
            Self::F64 => 134,
            Self::U32 => 2,
        }
    }

    /// What leaves the sums as the result.
    pub(crate) const fn last_shader(self) -> HistogramShader {
        match self {
            Self::F32 => HistogramShader::RoundF32,
            Self::F64 => HistogramShader::RoundF64,
            Self::U32 => HistogramShader::Copy,
        }
    }

    /// How weights are added.
    fn added(self) -> Vec<Fragment> {
        let weights = match self {
            Self::F32 => fragment!("histogram/weights/words.wgsl"),
            Self::F64 => fragment!("histogram/weights/pairs.wgsl"),
            Self::U32 => return vec![fragment!("histogram/weights/u32.wgsl")],
        };
        [vec![weights], self.numbers()].concat()
    }

    /// How numbers are added to the digits of sums.
    pub(crate) fn numbers(self) -> Vec<Fragment> {
        let added = match self {
            Self::F32 => fragment!("histogram/weights/f32.wgsl"),
            Self::F64 => fragment!("histogram/weights/f64.wgsl"),
            Self::U32 => return Vec::new(),
        };
        [vec![added], self.digits()].concat()
    }

    /// What a sum is while it is added up.
    pub(crate) fn digits(self) -> Vec<Fragment> {
        let digits = match self {
            Self::F32 => fragment!("histogram/weights/digits_f32.wgsl"),
            Self::F64 => fragment!("histogram/weights/digits_f64.wgsl"),
            Self::U32 => return Vec::new(),
        };
        vec![digits, fragment!("histogram/weights/digits.wgsl"), fragment!("parts/kinds.wgsl")]
    }
}

/// Where elements are counted, or weights added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counters {
    /// In each workgroup's memory, and then in the totals.
    Workgroup,
    /// In the totals alone.
    Totals,
}

impl Counters {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Workgroup, Self::Totals];
}

impl HistogramShader {
    /// All there are.
    pub fn all() -> impl Iterator<Item = Self> {
        let gather = ElementKind::ALL.into_iter().flat_map(|element| {
            Counters::ALL.into_iter().flat_map(move |counters| {
                let weighted =
                    WeightKind::ALL.map(|weight| Self::Weighted { element, weight, counters });
                std::iter::once(Self::Gather { element, counters }).chain(weighted)
            })
        });
        gather.chain([Self::Copy, Self::Values, Self::RoundF32, Self::RoundF64])
    }

    /// The shader's text, as wgpu takes it on native backends. The entry point is `reduce`.
    #[must_use]
    pub fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    pub(crate) fn fragments(self) -> Vec<Fragment> {
        match self {
            Self::Gather { element, counters } => {
                let mut fragments = vec![
                    fragment!("histogram/gather.wgsl"),
                    fragment!("histogram/entry.wgsl"),
                    ENDS,
                    fragment!("histogram/locate.wgsl"),
                ];
                fragments.push(match counters {
                    Counters::Workgroup => fragment!("histogram/counters/workgroup.wgsl"),
                    Counters::Totals => fragment!("histogram/counters/totals.wgsl"),
                });
                fragments.push(fragment!("histogram/totals.wgsl"));
                fragments.extend(keys(element));
                fragments.extend([element.layout(), element.quads()]);
                fragments.extend(element.fragments());
                fragments
            }
            Self::Weighted { element, weight, counters } => {
                let mut fragments =
                    vec![fragment!("histogram/weighted.wgsl"), fragment!("histogram/locate.wgsl")];
                fragments.extend(weight.added());
                fragments.push(match counters {
                    Counters::Workgroup => fragment!("histogram/sums/workgroup.wgsl"),
                    Counters::Totals => fragment!("histogram/sums/totals.wgsl"),
                });
                fragments.push(fragment!("histogram/totals.wgsl"));
                fragments.extend(keys(element));
                fragments.push(element.layout());
                fragments.extend(element.fragments());
                fragments
            }
            Self::Copy => vec![fragment!("histogram/copy.wgsl")],
            Self::Values => vec![fragment!("histogram/values.wgsl")],
            Self::RoundF32 => round(fragment!("histogram/rounding/f32.wgsl"), WeightKind::F32),
            Self::RoundF64 => round(fragment!("histogram/rounding/f64.wgsl"), WeightKind::F64),
        }
    }
}

fn round(rounding: Fragment, weight: WeightKind) -> Vec<Fragment> {
    let carried = fragment!("histogram/weights/carried.wgsl");
    [vec![fragment!("histogram/round.wgsl"), rounding, carried], weight.digits()].concat()
}

const fn keys(element: ElementKind) -> [Fragment; 2] {
    let [words, pairs] =
        [fragment!("histogram/keys/words.wgsl"), fragment!("histogram/keys/pairs.wgsl")];
    match element.number() {
        Number::F32 => [fragment!("histogram/keys/float.wgsl"), words],
        Number::I32 | Number::U32 => [fragment!("histogram/keys/integer.wgsl"), words],
        Number::F64 => [fragment!("histogram/keys/float_64.wgsl"), pairs],
        Number::I64 | Number::U64 => [fragment!("histogram/keys/integer_64.wgsl"), pairs],
    }
}

impl fmt::Display for HistogramShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gather { element, counters } => {
                write!(f, "histogram of {element} by {counters}")
            }
            Self::Weighted { element, weight, counters } => {
                write!(f, "histogram of {element} with {weight} weights by {counters}")
            }
            Self::Copy => f.write_str("histogram, totals"),
            Self::Values => f.write_str("histogram, bins of values"),
            Self::RoundF32 => f.write_str("histogram, sums rounded to f32"),
            Self::RoundF64 => f.write_str("histogram, sums rounded to f64"),
        }
    }
}

impl fmt::Display for WeightKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::U32 => "u32",
        })
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Workgroup => "workgroups",
            Self::Totals => "totals",
        })
    }
}
