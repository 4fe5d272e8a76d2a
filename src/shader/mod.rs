//! Any shader of this crate, as the pipeline cache knows it.

pub(crate) mod custom;
pub(crate) mod deep_stack;
pub(crate) mod fragment;
pub(crate) mod joined;
pub(crate) mod variant;

pub use custom::{CustomInput, CustomOp, CustomShader};
use variant::Variant;

use crate::ladder::{HistogramLevel, LadderShader};
use crate::op::operator::Permit;
use crate::plan::shapes::axis::AxisShader;
use crate::plan::shapes::bins::HistogramShader;
use crate::plan::shapes::exact::ExactShader;
use crate::plan::shapes::groups::GroupsShader;
use crate::plan::shapes::order::OrderShader;
use crate::plan::shapes::runs::ByKeyShader;
use crate::plan::shapes::segments::SegmentsShader;
use crate::shader::fragment::{Fragment, fragment, join, locate};
use std::fmt;

/// A shader, by its choice of parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Shader {
    /// Composed of kernel, collective, operation, element and sink.
    Reduction(Variant),
    /// What tells passes over elements how many of these count.
    Counted,
    /// A level of the ladder.
    Ladder(LadderShader, Permit),
    /// A level of the ladder's histogram.
    HistogramLevel(HistogramLevel, Permit),
    /// A reduction along an axis.
    Axis(AxisShader),
    /// An exact sum.
    Exact(ExactShader),
    /// A reduction of segments.
    Segments(SegmentsShader),
    /// What finds runs of equal keys.
    ByKey(ByKeyShader),
    /// A pass of a histogram.
    Histogram(HistogramShader),
    /// A pass of order statistics.
    Order(OrderShader),
    /// A pass of groups.
    Groups(GroupsShader),
    /// An operator of the user's.
    Custom(CustomShader),
}

/// Where a line of a shader came from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A line of a file below `shaders/`.
    File(&'static str, u32),
    /// A line of the user's text.
    User(u32),
}

impl Shader {
    pub(crate) const fn entry_point(&self) -> &'static str {
        match self {
            Self::Ladder(shader, _) => shader.entry_point(),
            Self::Custom(shader) => shader.entry_point(),
            _ => "reduce",
        }
    }

    /// Whether every word of it is this crate's own.
    pub(crate) const fn is_trusted(&self) -> bool {
        !matches!(self, Self::Custom(_))
    }

    /// Its files in the order they are joined; or the operator whose text has more than files.
    fn fragments(&self) -> Result<Vec<Fragment>, &CustomShader> {
        Ok(match self {
            Self::Reduction(variant) => variant.fragments(),
            Self::Counted => vec![fragment!("kernels/counted.wgsl")],
            Self::Axis(shader) => shader.fragments(),
            Self::Ladder(shader, _) => shader.fragments(),
            Self::HistogramLevel(level, _) => level.fragments(),
            Self::Exact(shader) => shader.fragments(),
            Self::Segments(shader) => shader.fragments(),
            Self::ByKey(shader) => shader.fragments(),
            Self::Histogram(shader) => shader.fragments(),
            Self::Order(shader) => shader.fragments(),
            Self::Groups(shader) => shader.fragments(),
            Self::Custom(shader) => return Err(shader),
        })
    }

    pub(crate) fn wgsl(&self) -> String {
        self.fragments().map_or_else(CustomShader::wgsl, |fragments| join(&fragments))
    }

    /// The text for a browser whose device has subgroups. Browsers demand a directive in front of subgroup operations
    /// that naga refuses, and another where some subgroups of a workgroup take part and others do not. They share the first line, so that
    /// lines are counted as in the files.
    pub(crate) fn browser_wgsl(&self) -> String {
        match self {
            Self::Reduction(variant) => variant.browser_wgsl(),
            other => format!("enable subgroups; {}", other.wgsl()),
        }
    }

    /// Where `line` of [`Shader::wgsl`] came from.
    pub(crate) fn origin(&self, line: u32) -> Origin {
        match self.fragments() {
            Ok(fragments) => {
                let (file, line) = locate(&fragments, line);
                Origin::File(file, line)
            }
            Err(shader) => shader.origin(line),
        }
    }
}

impl fmt::Display for Shader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reduction(variant) => variant.fmt(f),
            Self::Counted => f.write_str("how many elements count"),
            Self::Axis(shader) => shader.fmt(f),
            Self::Ladder(shader, _) => shader.fmt(f),
            Self::HistogramLevel(level, _) => write!(f, "histogram {level}"),
            Self::Exact(shader) => shader.fmt(f),
            Self::Segments(shader) => shader.fmt(f),
            Self::ByKey(shader) => shader.fmt(f),
            Self::Histogram(shader) => shader.fmt(f),
            Self::Order(shader) => shader.fmt(f),
            Self::Groups(shader) => shader.fmt(f),
            Self::Custom(shader) => shader.fmt(f),
        }
    }
}
