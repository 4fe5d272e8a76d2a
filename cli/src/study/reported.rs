//! Figures of the write-ups.

use crate::fields::Fields;

/// A write-up of parallel reduction in CUDA, by its letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteUp {
    A,
    B,
    C,
    D,
    E,
}

impl WriteUp {
    /// What it was measured on.
    pub(super) const fn hardware(self) -> &'static str {
        match self {
            Self::A => "RTX 5070 Ti (896 GB/s), batched sum of 2^29 f32",
            Self::B => "H100 (3350 GB/s), large sizes, i32",
            Self::C => "A100-80GB (1940 GB/s), 64M f32, for histograms 256M u8",
            Self::D => "Tesla T4, f32",
            Self::E => "Tesla T4, i32",
        }
    }
}

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    PercentOfPeak,
    GbPerS,
    /// For every 2^20 elements.
    MicrosecondsPerMi,
}

impl Unit {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::PercentOfPeak => "% of peak",
            Self::GbPerS => "GB/s",
            Self::MicrosecondsPerMi => "us per 2^20 elements",
        }
    }
}

/// A figure, or the two between which figures lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reported {
    pub(super) write_up: WriteUp,
    pub(super) unit: Unit,
    /// Where on the axis of the study, if that is known.
    pub(super) x: Option<u64>,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Reported {
    pub(super) fn at(x: u64, write_up: WriteUp, unit: Unit, figure: f64) -> Self {
        Self { write_up, unit, x: Some(x), low: figure, high: figure }
    }

    pub(super) fn between(write_up: WriteUp, unit: Unit, low: f64, high: f64) -> Self {
        Self { write_up, unit, x: None, low, high }
    }

    /// Figures of one kind can stand side by side.
    pub(super) fn kind(&self) -> (WriteUp, Unit) {
        (self.write_up, self.unit)
    }

    /// The figure as text.
    pub(super) fn figure(&self) -> String {
        let Self { low, high, unit, .. } = *self;
        match unit {
            Unit::GbPerS if low < high => format!("{low}–{high}"),
            Unit::GbPerS => low.to_string(),
            Unit::PercentOfPeak | Unit::MicrosecondsPerMi => format!("{low:.1}"),
        }
    }

    /// What objects hold of it.
    pub(super) fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        fields.push("write_up", format!("{:?}", self.write_up));
        fields.push("hardware", self.write_up.hardware());
        fields.push("unit", self.unit.name());
        fields.push("x", self.x);
        fields.push("low", self.low);
        fields.push("high", self.high);
        fields
    }
}
