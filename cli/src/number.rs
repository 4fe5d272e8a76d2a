//! Results of any type, for printing.

use serde::{Serialize, Serializer};
use std::fmt;

/// A number in the type that it was computed in, so that it is printed with that type's digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    F32(f32),
    F64(f64),
    Int(i64),
    Uint(u64),
}

impl From<f32> for Number {
    fn from(value: f32) -> Self {
        Self::F32(value)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::F64(value)
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self::Uint(value.into())
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self::Uint(value)
    }
}

/// As few digits as tell the number from its neighbours.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::F32(value) => write!(f, "{value:?}"),
            Self::F64(value) => write!(f, "{value:?}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Uint(value) => write!(f, "{value}"),
        }
    }
}

/// As a JSON number, except for NaN and infinity, which JSON does not have and which become strings.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::F32(value) if value.is_finite() => serializer.serialize_f32(value),
            Self::F64(value) if value.is_finite() => serializer.serialize_f64(value),
            Self::F32(_) | Self::F64(_) => serializer.collect_str(self),
            Self::Int(value) => serializer.serialize_i64(value),
            Self::Uint(value) => serializer.serialize_u64(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    fn json(number: impl Into<Number>) -> String {
        serde_json::to_string(&number.into()).unwrap()
    }

    #[test]
    fn floats_are_printed_with_the_digits_of_their_own_type() {
        assert_eq!(json(0.1_f32), "0.1");
        assert_eq!(json(16_777_216.0_f32), "16777216.0");
        assert_eq!(json(f64::from(0.1_f32)), "0.10000000149011612");
        for value in [f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1), -1.000_000_1] {
            assert_eq!(json(value).parse::<f32>().unwrap().to_bits(), value.to_bits());
        }
    }

    #[test]
    fn what_json_has_no_number_for_is_a_string() {
        assert_eq!(json(f32::NAN), r#""NaN""#);
        assert_eq!(json(f32::INFINITY), r#""inf""#);
        assert_eq!(json(f64::NEG_INFINITY), r#""-inf""#);
    }

    #[test]
    fn integers_keep_every_digit() {
        assert_eq!(json(i64::MIN), "-9223372036854775808");
        assert_eq!(json(u64::MAX), "18446744073709551615");
    }
}
