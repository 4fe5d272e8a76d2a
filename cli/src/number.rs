//! Results of any type, for printing.

use half::{bf16, f16};
use serde::{Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;

/// A number in the type that it was computed in, so that it is printed with that type's digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    F32(f32),
    F64(f64),
    Int(i64),
    Uint(u64),
    WideInt(i128),
    Wide(u128),
    Bool(bool),
}

impl Number {
    /// Whether numbers are equal to the last bit, any NaN being the same.
    pub(crate) fn same_bits(self, other: Self) -> bool {
        match (self, other) {
            (Self::F32(one), Self::F32(other)) => {
                one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
            }
            (Self::F64(one), Self::F64(other)) => {
                one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
            }
            _ => self == other,
        }
    }

    /// How far it is from another: 0 if their bits are the same, and never else.
    pub(crate) fn distance(self, other: Self) -> f64 {
        if self.same_bits(other) {
            return 0.0;
        }
        let distance = (self.to_f64() - other.to_f64()).abs();
        if distance == 0.0 { f64::MIN_POSITIVE } else { distance }
    }

    /// An integer; that of 128 bits modulo 2^128, and what is none as 0.
    pub(crate) const fn to_i128(self) -> i128 {
        match self {
            Self::Int(value) => value as i128,
            Self::Uint(value) => value as i128,
            Self::WideInt(value) => value,
            Self::Wide(value) => value.cast_signed(),
            Self::F32(_) | Self::F64(_) | Self::Bool(_) => 0,
        }
    }

    /// The largest `f64` that is not above it, and the least that is not below; NaN is both.
    pub(crate) fn around(self) -> [f64; 2] {
        let nearest = self.to_f64();
        let is_whole = matches!(self, Self::Int(_) | Self::Uint(_));
        // Whole as it is, so that it is converted exactly.
        #[expect(clippy::cast_possible_truncation, reason = "of 64 bits")]
        let ahead = if is_whole { (nearest as i128).cmp(&self.to_i128()) } else { Ordering::Equal };
        match ahead {
            Ordering::Less => [nearest, nearest.next_up()],
            Ordering::Equal => [nearest; 2],
            Ordering::Greater => [nearest.next_down(), nearest],
        }
    }

    /// The number next to it.
    #[expect(clippy::cast_precision_loss, reason = "the rounding that is told of")]
    pub(crate) fn to_f64(self) -> f64 {
        match self {
            Self::F32(value) => value.into(),
            Self::F64(value) => value,
            Self::Int(value) => value as f64,
            Self::Uint(value) => value as f64,
            Self::WideInt(value) => value as f64,
            Self::Wide(value) => value as f64,
            Self::Bool(value) => value.into(),
        }
    }
}

macro_rules! numbers {
    ($($variant:ident of $($number:ty),*;)*) => {$($(
        impl From<$number> for Number {
            fn from(value: $number) -> Self {
                Self::$variant(value.into())
            }
        }
    )*)*};
}
// An f16 or bf16 is printed as the f32 that is equal to it.
numbers! {
    F32 of f32, f16, bf16;
    F64 of f64;
    Int of i8, i16, i32, i64;
    Uint of u8, u16, u32, u64;
    WideInt of i128;
    Wide of u128;
    Bool of bool;
}

/// As few digits as tell the number from its neighbours.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::F32(value) => write!(f, "{value:?}"),
            Self::F64(value) => write!(f, "{value:?}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Uint(value) => write!(f, "{value}"),
            Self::WideInt(value) => write!(f, "{value}"),
            Self::Wide(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
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
            Self::WideInt(value) => serializer.serialize_i128(value),
            Self::Wide(value) => serializer.serialize_u128(value),
            Self::Bool(value) => serializer.serialize_bool(value),
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
        assert_eq!(json(i128::MIN), "-170141183460469231731687303715884105728");
        assert_eq!(json(u128::MAX), "340282366920938463463374607431768211455");
        assert_eq!(json(i128::MIN), "-170141183460469231731687303715884105728");
        assert_eq!(json(true), "true");
    }

    #[test]
    fn only_the_same_bits_have_no_distance() {
        for (one, other) in [(0.0_f32, -0.0), (1.0, 1.000_000_1), (f32::INFINITY, -f32::INFINITY)] {
            let (one, other) = (Number::from(one), Number::from(other));
            assert!(one.distance(other) > 0.0 && !one.same_bits(other));
            assert!(one.distance(one) == 0.0 && one.same_bits(one));
        }
        assert!(Number::from(f32::NAN).distance(f32::NAN.into()) == 0.0);
        assert!(Number::from(f32::NAN).distance(1.0_f32.into()).is_nan());
        assert!(Number::from(u64::MAX).distance((u64::MAX - 1).into()) > 0.0);
    }
}
