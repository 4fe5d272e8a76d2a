//! Elements as the WGSL of each operation lifts them, for tests: what the host combines need not come from a device.
#![expect(
    clippy::cast_lossless,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "words of numbers, and test data"
)]

use super::real::Real as _;
use crate::op::OpRecord;
use crate::op::accumulator::Accumulator;
use crate::op::element::{Element, Number};
use std::fmt::Debug;
use wgpu_reduce_known::hash;

/// What lifts know of an element; keys, magnitudes and bits without the upper half where they are words.
#[derive(Clone, Copy)]
pub(in crate::op) struct Lifted {
    words: usize,
    key: u64,
    magnitude: u64,
    bits: u64,
    is_nan: bool,
    whole: i128,
    real: f64,
}

/// Elements that can be lifted.
pub(in crate::op) trait Lift: Element + Debug {
    /// Kinds of data: ordinary, and with more and more that is not.
    fn data(kind: u32, len: u64) -> Vec<Self>;

    fn lifted(self) -> Lifted;
}

macro_rules! lift_integers {
    ($($integer:ident: $unsigned:ident, $words:literal;)*) => {$(
        impl Lift for $integer {
            fn data(kind: u32, len: u64) -> Vec<Self> {
                let of_hash = |index| u64::from(hash(index)) * 0x1_0000_0001;
                let edges = [Self::MIN, Self::MAX, 0, Self::MIN + 1, Self::MAX - 1, 1];
                let elements = (0..len).map(|index| match (kind, hash(!index)) {
                    (0, hash) => (hash % 7) as Self,
                    (1, _) => of_hash(index) as Self,
                    (_, hash) => edges[(hash % 6) as usize],
                });
                elements.collect()
            }

            fn lifted(self) -> Lifted {
                Lifted {
                    words: $words,
                    key: u64::from((self as $unsigned).wrapping_sub(Self::MIN as $unsigned)),
                    magnitude: if self < 0 as Self { self.wrapping_neg() as $unsigned } else { self as $unsigned }.into(),
                    bits: u64::from(self as $unsigned),
                    is_nan: false,
                    whole: self.into(),
                    real: self as f64,
                }
            }
        }
    )*};
}
lift_integers! {
    i32: u32, 1;
    u32: u32, 1;
    i64: u64, 2;
    u64: u64, 2;
}

macro_rules! lift_floats {
    ($($float:ident: $bits:ident, $words:literal;)*) => {$(
        impl Lift for $float {
            fn data(kind: u32, len: u64) -> Vec<Self> {
                let edges = [0.0, -0.0, Self::from_bits(1), -Self::from_bits(3), Self::MIN_POSITIVE, Self::MAX, -Self::MAX];
                let infinities = [Self::INFINITY, -Self::INFINITY];
                let elements = (0..len).map(|index| {
                    let number = hash(index) as Self / 4_294_967_296.0 - 0.25;
                    let hash = hash(!index);
                    let choice = (hash / 8) as usize;
                    match (kind, hash % 8 == 0) {
                        (1, _) => number + 1e6,
                        (2, true) => edges[choice % 7],
                        (3, true) => infinities[0],
                        (4, true) => infinities[choice % 2],
                        (5, true) => Self::NAN,
                        (6, _) => -Self::NAN,
                        _ => number,
                    }
                });
                elements.collect()
            }

            fn lifted(self) -> Lifted {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let bits = self.to_bits();
                let key = if bits < SIGN { bits | SIGN } else { !bits };
                let magnitude = bits & !SIGN;
                Lifted {
                    words: $words,
                    key: key.into(),
                    magnitude: magnitude.into(),
                    bits: bits.into(),
                    is_nan: self.is_nan(),
                    whole: 0,
                    real: self.into(),
                }
            }
        }
    )*};
}
lift_floats! {
    f32: u32, 1;
    f64: u64, 2;
}

impl Lifted {
    fn number(self, number: u64) -> Vec<u32> {
        let both = [number as u32, (number >> 32) as u32];
        both[..self.words].to_vec()
    }

    /// A float of the element's type.
    fn float(self, number: f64) -> Vec<u32> {
        let narrow = u64::from((number as f32).to_bits());
        self.number(if self.words == 1 { narrow } else { number.to_bits() })
    }

    fn unless_nan(self, key: u64, of_nan: u64) -> Vec<u32> {
        self.number(if self.is_nan { of_nan } else { key })
    }

    /// As `pivot_of`, and the distance from it.
    fn pivot(self) -> [Vec<u32>; 2] {
        let pivot = if self.real.is_finite() { self.real } else { 0.0 };
        [self.float(pivot), self.float(self.real - pivot)]
    }

    fn figures(self, number: Number) -> Vec<u32> {
        if number.is_float() {
            let [pivot, rest] = self.pivot();
            return [vec![1, 0], pivot, rest, self.float(0.0)].concat();
        }
        let centred = i128::from(self.key) - (1 << 31);
        [vec![self.key as u32, 0], wide(centred * centred)].concat()
    }

    /// The largest magnitude and its scaled square.
    fn scaled(self) -> Vec<u32> {
        let real = self.real.abs();
        let of_top = if self.words == 1 {
            f64::power_of_two(128 - f32::exponent_of(self.magnitude as u32)) * real
        } else {
            let exponent = 1024 - f64::exponent_of(self.magnitude);
            real * f64::power_of_two(exponent / 2) * f64::power_of_two(exponent - exponent / 2)
        };
        [self.number(self.magnitude), self.float(of_top * of_top)].concat()
    }

    /// The magnitude's exponent, and the figures of the number divided by the power of two that brings it to between 2 and 4.
    fn scaled_figures(self, number: Number) -> Vec<u32> {
        let (exponent, near) = if self.words == 1 {
            (f32::exponent_of(self.magnitude as u32), 128)
        } else {
            (f64::exponent_of(self.magnitude), 1024)
        };
        let half = (near - exponent) / 2;
        let real = self.real * f64::power_of_two(half) * f64::power_of_two(near - exponent - half);
        [self.number(exponent as u64), Self { real, ..self }.figures(number)].concat()
    }

    /// An exponent and a significand.
    fn factor(self) -> Vec<u32> {
        let (significand, exponent) = self.real.taken_apart();
        [vec![exponent as u32, (exponent >> 32) as u32], self.float(significand)].concat()
    }

    /// Digits, a window that takes nothing, and what has been seen.
    fn digits(self) -> Vec<u32> {
        let (digits, window, of_digit, fraction) =
            if self.words == 1 { (13, 2, 24, 23) } else { (80, 3, 27, 52) };
        let mut words = vec![0; digits + 1 + window];
        let is_negative = self.bits != self.magnitude;
        words[digits] = 1 << 31;
        words[digits] |= match self.magnitude {
            0 if is_negative => 16,
            _ if self.is_nan => 1 | 8,
            _ if self.real.is_infinite() => 1 | if is_negative { 4 } else { 2 },
            _ => 1,
        };
        if self.real.is_finite() {
            let leading = u64::from(self.magnitude >= 1 << fraction) << fraction;
            let place = (self.magnitude >> fraction).max(1) as usize - 1;
            let significand = self.magnitude & ((1 << fraction) - 1) | leading;
            let mut left = u128::from(significand) << (place % of_digit);
            for word in &mut words[place / of_digit..][..3] {
                let digit = (left % (1 << of_digit)) as i32;
                *word = if is_negative { -digit } else { digit }.cast_unsigned();
                left >>= of_digit;
            }
        }
        words
    }

    pub(in crate::op) fn accumulator(
        self,
        record: &OpRecord,
        number: Number,
        index: u32,
    ) -> Vec<u32> {
        let Self { key, magnitude, bits, is_nan, whole, real, .. } = self;
        let accumulator = (record.over)(number).unwrap().accumulator;
        let none = || vec![0; accumulator.words() as usize];
        match (record.name, accumulator) {
            ("min" | "nan_max", _) => self.unless_nan(key, 0),
            ("max" | "nan_min", _) => self.unless_nan(key, u64::MAX),
            ("min_max", _) => [self.unless_nan(key, 0), self.unless_nan(!key, 0)].concat(),
            ("argmin", _) => place(self.unless_nan(key, 0), index),
            ("argmax", _) => place(self.unless_nan(!key, 0), index),
            ("nan_argmin" | "nan_argmax", _) if is_nan => place(self.number(u64::MAX), u32::MAX),
            ("nan_argmin", _) => place(self.number(key), index),
            ("nan_argmax", _) => place(self.number(!key), index),
            ("norm_max", _) if is_nan => self.float(f64::NAN),
            ("norm_max", _) => self.number(magnitude),
            ("bit_and" | "bit_or" | "bit_xor", _) => self.number(bits),
            ("all" | "any", _) => vec![u32::from(magnitude != 0)],
            ("count_nonzero", _) => vec![u32::from(magnitude != 0), 0],
            ("count_nan", _) => vec![u32::from(is_nan), 0],
            ("nan_sum" | "nan_mean" | "nan_variance" | "nan_std", _) if is_nan => none(),
            ("log_sum_exp", _) => {
                [self.unless_nan(key, u64::MAX), self.float(f64::from(real.is_finite()))].concat()
            }
            ("sum_of_squares", Accumulator::F32 | Accumulator::F64) => self.float(real * real),
            ("norm_l1", Accumulator::F32 | Accumulator::F64) => self.float(real.abs()),
            ("norm_l1", _) => wide(magnitude.into())[..none().len()].to_vec(),
            ("stats", _) => [
                place(self.unless_nan(key, 0), index),
                place(self.unless_nan(!key, 0), index),
                self.figures(number),
            ]
            .concat(),
            (_, Accumulator::F32 | Accumulator::F64) => self.float(real),
            (_, Accumulator::U128) => wide(whole * whole),
            (_, Accumulator::Shifted | Accumulator::ShiftedF64) => {
                let [pivot, rest] = self.pivot();
                [vec![1, 0], pivot, rest].concat()
            }
            (_, Accumulator::Significand | Accumulator::SignificandF64) => self.factor(),
            (_, Accumulator::Scaled | Accumulator::ScaledF64) => self.scaled(),
            (_, Accumulator::ScaledMoments | Accumulator::ScaledMomentsF64) => {
                self.scaled_figures(number)
            }
            (_, Accumulator::Exact | Accumulator::ExactF64) => self.digits(),
            (_, Accumulator::Moments | Accumulator::MomentsF64 | Accumulator::Spread) => {
                self.figures(number)
            }
            _ => wide(whole)[..none().len()].to_vec(),
        }
    }
}

/// A key, and where it stands.
fn place(key: Vec<u32>, index: u32) -> Vec<u32> {
    [key, vec![index, 0]].concat()
}

/// Four words.
pub(super) fn wide(number: i128) -> Vec<u32> {
    (0..4).map(|word| (number >> (32 * word)) as u32).collect()
}
