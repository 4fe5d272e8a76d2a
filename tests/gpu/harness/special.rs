//! Data of floats with what is no ordinary number: NaN, infinity, both zeros, the ends of the range.

use super::data::{Shape, TestElement, mix};
use half::{bf16, f16};

/// A kind of such data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Special {
    /// NaN, infinity, zeros, subnormal and largest numbers, among ordinary ones.
    Everything,
    /// NaN by several bits among ordinary numbers.
    NanAmongNumbers,
    /// NaN alone, by several bits.
    OnlyNan,
    /// The first is NaN, the others are ordinary.
    NanFirst,
    /// The last is.
    NanLast,
    /// Infinity, and ordinary numbers.
    Infinite,
    /// The other infinity.
    NegativeInfinite,
    /// Both.
    BothInfinities,
    /// Zeros, subnormal numbers and the largest ones among ordinary ones.
    Edges,
    /// Nothing but numbers of one sign that are nearly the largest.
    Large,
    /// As many numbers of one sign that are nearly the largest, and then the same of the other.
    Cancelling,
    /// Nothing but numbers of both signs whose squares are nearly the largest.
    Roots,
    /// Nothing but pairs, from small to large, whose products are near 1.
    Balanced,
}

impl Special {
    pub(crate) const ALL: [Self; 13] = [
        Self::Everything,
        Self::NanAmongNumbers,
        Self::OnlyNan,
        Self::NanFirst,
        Self::NanLast,
        Self::Infinite,
        Self::NegativeInfinite,
        Self::BothInfinities,
        Self::Edges,
        Self::Large,
        Self::Cancelling,
        Self::Roots,
        Self::Balanced,
    ];

    /// `len` elements; none of a type that has no such elements.
    pub(crate) fn data<T: TestElement>(self, len: u64) -> Option<Vec<T>> {
        let numbers = T::no_ordinary_numbers()?;
        Some((0..len).map(|index| self.element(&numbers, index, len)).collect())
    }

    fn element<T: TestElement>(self, numbers: &NoOrdinaryNumbers<T>, index: u64, len: u64) -> T {
        let NoOrdinaryNumbers {
            nans,
            infinities: [infinity, negative],
            edges,
            large,
            cancelling,
            roots,
            balanced,
        } = numbers;
        let ordinary = T::element(Shape::Random, index);
        let number = mix(index ^ 0x5151_5151) as usize;
        let one_of = |elements: &[T]| elements[number / 64 % elements.len()];
        // One of two, or of some, is no ordinary number, wherever it stands.
        let is_first = index == u64::from(mix(len)) % len;
        let is_special = is_first || number.is_multiple_of(8);
        match self {
            Self::OnlyNan => one_of(nans),
            Self::Large => one_of(large),
            Self::Cancelling => {
                // The one in the middle of an odd number is ordinary.
                let (half, up) = (len / 2, len.div_ceil(2));
                let side = usize::from(index >= up);
                let place = if index < half { index } else { index.wrapping_sub(up) };
                let pair = cancelling.get(usize::try_from(place).unwrap_or(0) % cancelling.len());
                pair.filter(|_| place < half).map_or(ordinary, |pair| pair[side])
            }
            Self::Roots => one_of(roots),
            Self::Balanced => balanced[usize::try_from(index).unwrap_or(0) % balanced.len()],
            Self::NanFirst if index == 0 => one_of(nans),
            Self::NanLast if index + 1 == len => one_of(nans),
            Self::NanFirst | Self::NanLast => ordinary,
            _ if !is_special => ordinary,
            Self::Everything => one_of(&[&nans[..], &[*infinity, *negative], edges].concat()),
            Self::NanAmongNumbers => one_of(nans),
            Self::Infinite => *infinity,
            Self::NegativeInfinite => *negative,
            Self::BothInfinities => one_of(&[*infinity, *negative]),
            Self::Edges => one_of(edges),
        }
    }
}

/// What a type of floats has beside ordinary numbers.
pub(crate) struct NoOrdinaryNumbers<T> {
    /// NaN of either sign, quiet and signalling, with the smallest and the largest payload.
    nans: Vec<T>,
    infinities: [T; 2],
    /// Both zeros, subnormal numbers, the smallest normal ones, the largest.
    edges: Vec<T>,
    large: Vec<T>,
    /// Large ones of one sign, and each of the other.
    cancelling: Vec<[T; 2]>,
    roots: Vec<T>,
    balanced: Vec<T>,
}

macro_rules! special_floats {
    ($($float:ident: $bits:ident, $fraction:literal;)*) => {$(
        impl NoOrdinaryNumbers<$float> {
            /// Bits are those of the sign, of the exponent, and so many of the fraction.
            pub(crate) fn $float() -> Self {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                const INFINITY: $bits = SIGN - (1 << $fraction);
                const QUIET: $bits = 1 << ($fraction - 1);
                const BIAS: $bits = (INFINITY >> $fraction) / 2;
                // The exponent is half of the largest.
                const ROOT: $bits =
                    ((INFINITY >> 1) + (INFINITY >> 2) & INFINITY) - (1 << $fraction);
                let nans = [1, QUIET - 1, QUIET, QUIET + 1, 2 * QUIET - 1]
                    .map(|payload| INFINITY | payload);
                let edges = [0, 1, 2 * QUIET - 1, 2 * QUIET, INFINITY - 1];
                // Those of 5/4 and 4/5 times a power of two and its inverse, and of a subnormal number and its inverse.
                let balanced = [1, BIAS / 3, BIAS - 2].into_iter().flat_map(|exponent| {
                    let small = (BIAS - exponent - 1) << $fraction | QUIET / 5 * 6;
                    [(BIAS + exponent) << $fraction | QUIET / 2, small | SIGN]
                });
                let balanced = balanced.chain([QUIET, (2 * BIAS) << $fraction]);
                let fractions = [1, 77, QUIET / 3, QUIET, 2 * QUIET - 1];
                let of_both_signs = |magnitudes: &[$bits]| {
                    let both = magnitudes.iter().flat_map(|&bits| [bits, bits | SIGN]);
                    both.map($float::from_bits).collect()
                };
                Self {
                    nans: of_both_signs(&nans),
                    infinities: [INFINITY, INFINITY | SIGN].map($float::from_bits),
                    edges: of_both_signs(&edges),
                    cancelling: fractions
                        .map(|down| [INFINITY - down, SIGN | INFINITY - down].map($float::from_bits))
                        .to_vec(),
                    large: fractions.map(|down| $float::from_bits(INFINITY - down)).to_vec(),
                    balanced: balanced.map(|bits| $float::from_bits(bits)).collect(),
                    roots: of_both_signs(&fractions.map(|fraction| ROOT + fraction)),
                }
            }
        }
    )*};
}
special_floats! {
    f16: u16, 10;
    bf16: u16, 7;
    f32: u32, 23;
    f64: u64, 52;
}
