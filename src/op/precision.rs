//! How floats of a type round.

use crate::op::element::ElementKind;

/// A type of floats, by the numbers that bounds are made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precision {
    /// Half the distance from 1 to the next number: what one rounding may change of a number.
    pub(crate) unit: f64,
    /// The least normal number: what one that a device flushes to zero may be off by.
    pub(crate) tiny: f64,
    /// The largest number.
    pub(crate) most: f64,
}

impl Precision {
    pub(crate) const SINGLE: Self = Self {
        unit: f32::EPSILON as f64 / 2.0,
        tiny: f32::MIN_POSITIVE as f64,
        most: f32::MAX as f64,
    };

    pub(crate) const DOUBLE: Self =
        Self { unit: f64::EPSILON / 2.0, tiny: f64::MIN_POSITIVE, most: f64::MAX };

    /// Returns the precision of the floats that elements of a type are added up in.
    pub(crate) const fn of(element: ElementKind) -> Self {
        if matches!(element, ElementKind::F64) { Self::DOUBLE } else { Self::SINGLE }
    }

    /// What so many roundings in a row may change of a number, by its size (Higham's γ).
    #[expect(clippy::cast_precision_loss, reason = "a bound; counts are far below 2^53")]
    pub(crate) fn gamma(self, roundings: u64) -> f64 {
        let product = roundings as f64 * self.unit;
        if product < 1.0 { product / (1.0 - product) } else { f64::INFINITY }
    }

    /// How far apart two sums of the same numbers may be that NaN or infinity decides, or that may overflow on
    /// their way; `None` where it is rounding alone.
    pub(crate) fn decided(self, numbers: &[f64]) -> Option<f64> {
        if numbers.iter().any(|number| number.is_nan()) {
            return Some(0.0);
        }
        let finite = numbers.iter().filter(|number| number.is_finite());
        // An infinity that came of them may meet one of the other sign.
        if finite.map(|number| number.abs()).sum::<f64>() >= self.most {
            return Some(f64::INFINITY);
        }
        numbers.iter().any(|number| number.is_infinite()).then_some(0.0)
    }

    /// `bound` and the host's own rounding of `result`; infinite where either may overflow, 0 where both do or
    /// it is itself no finite number.
    pub(crate) fn rounded(self, bound: f64, result: f64) -> f64 {
        if !result.is_finite() {
            return 0.0;
        }
        // Both are infinite.
        if result.abs() - bound > self.most {
            return 0.0;
        }
        // A bound without end of nothing is no number.
        if bound.is_nan() || result.abs() + bound > self.most {
            return f64::INFINITY;
        }
        bound + 2.0 * self.unit * result.abs() + self.tiny
    }
}
