//! What elements are accumulated in: the WGSL type `Acc` between lift and finish.

use crate::op::element::{ElementKind, Number};
use crate::shader::fragment::{Fragment, fragment};

/// An accumulator, and the arithmetic on it. Which one an operation takes for which elements is said
/// by its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Accumulator {
    /// f32, rounding at every step.
    F32,
    /// f64 alike.
    F64,
    /// One 32-bit word: an integer modulo 2^32, a key, a set of bits.
    Word,
    /// Two words: two keys, or 64 bits.
    Pair,
    /// Four words: two keys of 64 bits.
    Quad,
    /// 64-bit integers in two words, modulo 2^64, from integers.
    I64,
    /// The same, but elements are counted, not widened.
    Count,
    /// 64-bit integers with their product.
    Product,
    /// 128-bit integers in four words.
    U128,
    /// 128-bit integers in four words, from integers of 64 bits.
    I128,
    /// A key of 32 bits and its index.
    Located,
    /// A key of 64 bits and its index.
    Located64,
    /// Count and sum of distances from a pivot.
    Shifted,
    /// Count and sum of f64.
    Counted,
    /// Count, mean and sum of squared deviations.
    Moments,
    /// Count, mean and sum of squared deviations of `f64`.
    MomentsF64,
    /// Count, mean and sum of squared deviations of elements divided by a power of two, and its exponent.
    ScaledMoments,
    /// As [`ScaledMoments`](Self::ScaledMoments), for `f64`.
    ScaledMomentsF64,
    /// Sums of integers and of their squares.
    Spread,
    /// A sum of squares and its scale.
    Scaled,
    /// A sum of squares of `f64` and its scale.
    ScaledF64,
    /// Digits of an exact sum of f32, and a window of it.
    Exact,
    /// Extremes and moments of f32.
    DescribedF32,
    /// Extremes and moments of `f64`.
    DescribedF64,
    /// Extremes and sums of integers.
    DescribedInteger,
}

impl Accumulator {
    /// As many bits as a number has.
    pub(crate) const fn bits(number: Number) -> Self {
        if number.has_64_bits() { Self::Pair } else { Self::Word }
    }

    /// Twice as many.
    pub(crate) const fn two_of_bits(number: Number) -> Self {
        if number.has_64_bits() { Self::Quad } else { Self::Pair }
    }

    /// A number's key and its index.
    pub(crate) const fn located(number: Number) -> Self {
        if number.has_64_bits() { Self::Located64 } else { Self::Located }
    }

    /// The sum of numbers: that of integers is twice as wide as they are.
    pub(crate) const fn sum(number: Number) -> Self {
        match number {
            Number::F32 => Self::F32,
            Number::F64 => Self::F64,
            Number::I32 | Number::U32 => Self::I64,
            Number::I64 | Number::U64 => Self::I128,
        }
    }

    /// Its own file, after those that this one uses. Where the device has integers of 64 bits, and
    /// [`Self::has_native_form`], arithmetic may use them.
    pub(crate) fn fragments(self, native: bool) -> Vec<Fragment> {
        let [add64, add128, multiply32, squares] = arithmetic(native);
        let pivot = fragment!("parts/pivot.wgsl");
        let located = [fragment!("parts/located.wgsl"), fragment!("parts/extremes.wgsl")];
        let moments = [fragment!("parts/moments_f32.wgsl"), fragment!("parts/moments.wgsl")];
        let [widen_f64, pivot_f64] =
            [fragment!("parts/widen_f64.wgsl"), fragment!("parts/pivot_f64.wgsl")];
        let moments_f64 = [fragment!("parts/moments_f64.wgsl"), fragment!("parts/moments.wgsl")];
        let spread = fragment!("parts/spread.wgsl");
        let widen = fragment!("parts/widen_i64.wgsl");
        let i64 = fragment!("accumulators/i64.wgsl");
        let u128 = fragment!("accumulators/u128.wgsl");
        let figures = fragment!("accumulators/figures.wgsl");
        let [powers, powers_f64] =
            [fragment!("parts/powers_f32.wgsl"), fragment!("parts/powers_f64.wgsl")];
        let described = fragment!("accumulators/described.wgsl");
        match self {
            Self::F32 => {
                vec![fragment!("parts/widen_f32.wgsl"), fragment!("accumulators/f32.wgsl")]
            }
            Self::F64 => vec![widen_f64, fragment!("accumulators/f64.wgsl")],
            Self::Word => vec![fragment!("accumulators/word.wgsl")],
            Self::Pair => vec![fragment!("accumulators/pair.wgsl")],
            Self::Quad => vec![fragment!("accumulators/quad.wgsl")],
            Self::I64 => vec![add64, widen, i64],
            Self::Count => vec![add64, i64],
            Self::Product => vec![add64, multiply32, widen, i64],
            Self::U128 => vec![add64, add128, multiply32, squares, u128],
            Self::I128 => vec![add64, add128, fragment!("parts/widen_i128.wgsl"), u128],
            Self::Located | Self::Located64 => {
                [&[add64][..], &located, &[fragment!("accumulators/located.wgsl")]].concat()
            }
            Self::Shifted => {
                let shifted = fragment!("parts/shifted.wgsl");
                vec![add64, pivot, shifted, fragment!("accumulators/shifted.wgsl")]
            }
            Self::Counted => vec![add64, widen_f64, fragment!("accumulators/counted.wgsl")],
            Self::Moments => [&[add64, pivot][..], &moments, &[figures]].concat(),
            Self::MomentsF64 => {
                [&[add64, widen_f64, pivot_f64][..], &moments_f64, &[figures]].concat()
            }
            Self::ScaledMoments => {
                scaled(&[add64, pivot, powers, fragment!("parts/divided_f32.wgsl")], &moments)
            }
            Self::ScaledMomentsF64 => {
                let divided = fragment!("parts/divided_f64.wgsl");
                scaled(&[add64, widen_f64, pivot_f64, powers_f64, divided], &moments_f64)
            }
            Self::Spread => vec![add64, add128, multiply32, squares, spread, figures],
            Self::Scaled => vec![powers, fragment!("accumulators/scaled.wgsl")],
            Self::ScaledF64 => {
                vec![widen_f64, powers_f64, fragment!("accumulators/scaled_f64.wgsl")]
            }
            Self::Exact => {
                vec![
                    fragment!("parts/window.wgsl"),
                    fragment!("parts/kinds.wgsl"),
                    fragment!("accumulators/exact.wgsl"),
                ]
            }
            Self::DescribedF32 => [&[add64, pivot][..], &moments, &located, &[described]].concat(),
            Self::DescribedF64 => {
                let widened = [add64, widen_f64, pivot_f64];
                [&widened[..], &moments_f64, &located, &[described]].concat()
            }
            Self::DescribedInteger => {
                let sums = [add64, add128, multiply32, squares, spread];
                [&sums[..], &located, &[described]].concat()
            }
        }
    }

    /// Whether its arithmetic is better done with integers of 64 bits, where a device has them. A mere
    /// sum is not: two words and a carry are as quick.
    pub(crate) const fn has_native_form(self) -> bool {
        matches!(self, Self::Product | Self::U128 | Self::Spread | Self::DescribedInteger)
    }

    /// Words of memory.
    pub(crate) const fn words(self) -> u32 {
        match self {
            Self::F32 | Self::Word => 1,
            Self::F64 | Self::Pair | Self::I64 | Self::Count | Self::Product | Self::Scaled => 2,
            Self::Located => 3,
            Self::Quad
            | Self::U128
            | Self::I128
            | Self::Located64
            | Self::Shifted
            | Self::Counted
            | Self::ScaledF64 => 4,
            Self::Moments => 5,
            Self::Spread | Self::ScaledMoments => 6,
            Self::MomentsF64 => 8,
            Self::ScaledMomentsF64 => 10,
            Self::DescribedF32 => 11,
            Self::DescribedInteger => 12,
            Self::Exact | Self::DescribedF64 => 16,
        }
    }

    /// Whether its arithmetic is so long that compilers are to see few copies of it.
    pub(crate) const fn is_long(self) -> bool {
        self.words() > 4
    }

    /// Turns of loops in what appends a quad of words to it, at most.
    pub(crate) const fn quad_turns(self) -> u32 {
        // Elements that fit no window go one by one to the digits.
        if matches!(self, Self::Exact) { 4 } else { 0 }
    }

    /// Elements that it has room for, where what has no room goes unnoticed (`docs/exact.md`).
    pub(crate) const fn most_elements(self) -> u64 {
        if matches!(self, Self::Exact) { 1 << 42 } else { u64::MAX }
    }

    pub(crate) const fn size_bytes(self) -> u64 {
        4 * self.words() as u64
    }

    /// The WGSL of elements that are to be accumulated in it ([`ElementKind::fragments`]): one that is exact takes the bits
    /// of an `f32`, since no device may have looked at it as a number.
    pub(crate) fn fragments_of(self, element: ElementKind) -> [Fragment; 3] {
        let [_, number, bits] = ElementKind::U32.fragments();
        match (self, element.exact_decoding()) {
            (Self::Exact, Some(decoding)) => [decoding, number, bits],
            _ => element.fragments(),
        }
    }

    /// What runs from tile to tile while an invocation goes through elements of a kind.
    pub(crate) fn tiles(self, element: ElementKind) -> Vec<Fragment> {
        let places = fragment!("tiles/places.wgsl");
        match (self, element) {
            (Self::DescribedF32, ElementKind::F32) => {
                vec![fragment!("tiles/described_f32.wgsl"), places]
            }
            (Self::DescribedInteger, ElementKind::I32 | ElementKind::U32) => {
                vec![fragment!("tiles/described_integer.wgsl"), places]
            }
            _ => vec![fragment!("tiles/each.wgsl")],
        }
    }

    /// Whether appending to it takes so long that quads are loaded while others are appended.
    pub(crate) const fn refills(self) -> bool {
        matches!(
            self,
            Self::Located
                | Self::Shifted
                | Self::Moments
                | Self::ScaledMoments
                | Self::DescribedF32
                | Self::DescribedInteger
        )
    }

    /// How it becomes one of a workgroup with subgroups.
    pub(crate) fn fold(self) -> Vec<Fragment> {
        if !self.folds_by_halves() {
            return vec![fragment!("collectives/in_order.wgsl")];
        }
        let lanes = if self.folds_near() {
            fragment!("collectives/lanes_described.wgsl")
        } else {
            fragment!("collectives/lanes_by_tree.wgsl")
        };
        vec![fragment!("collectives/halves.wgsl"), lanes]
    }

    /// Whether that is by halves.
    pub(crate) const fn folds_by_halves(self) -> bool {
        matches!(self, Self::DescribedF32 | Self::Moments | Self::ScaledMoments)
    }

    /// Whether that has a shorter way for a subgroup's lanes, where indices and counts have one word.
    pub(crate) const fn folds_near(self) -> bool {
        matches!(self, Self::DescribedF32)
    }

    /// How it goes from lane to lane, where the device has subgroup operations.
    pub(crate) const fn shuffle(self) -> Fragment {
        if self.is_whole() {
            fragment!("shuffles/whole.wgsl")
        } else {
            fragment!("shuffles/words.wgsl")
        }
    }

    /// How it goes to a higher lane, where the device has subgroup operations.
    pub(crate) const fn shuffle_up(self) -> Fragment {
        if self.is_whole() {
            fragment!("shuffles/up_whole.wgsl")
        } else {
            fragment!("shuffles/up_words.wgsl")
        }
    }

    /// Whether it is a number or a vector, which hardware shuffles as it is.
    const fn is_whole(self) -> bool {
        matches!(
            self,
            Self::F32
                | Self::Word
                | Self::Pair
                | Self::Quad
                | Self::I64
                | Self::Count
                | Self::Product
                | Self::U128
                | Self::I128
        )
    }

    /// Whether combining rounds.
    pub(crate) const fn rounds(self) -> bool {
        let of_f32 = matches!(
            self,
            Self::F32
                | Self::Shifted
                | Self::Moments
                | Self::ScaledMoments
                | Self::Scaled
                | Self::DescribedF32
        );
        of_f32 || self.needs_f64()
    }

    /// Whether the device must have f64.
    pub(crate) const fn needs_f64(self) -> bool {
        matches!(
            self,
            Self::F64
                | Self::Counted
                | Self::MomentsF64
                | Self::ScaledMomentsF64
                | Self::ScaledF64
                | Self::DescribedF64
        )
    }
}

/// Moments of elements that are divided by powers of two.
fn scaled(parts: &[Fragment], moments: &[Fragment]) -> Vec<Fragment> {
    [parts, moments, &[fragment!("accumulators/scaled_moments.wgsl")]].concat()
}

/// Addition with 64 and 128 bits, and multiplication: of words alone, or by the device's own integers of
/// 64 bits.
const fn arithmetic(native: bool) -> [Fragment; 4] {
    if native {
        [
            fragment!("parts/native/add64.wgsl"),
            fragment!("parts/native/add128.wgsl"),
            fragment!("parts/native/multiply32.wgsl"),
            fragment!("parts/native/squares.wgsl"),
        ]
    } else {
        [
            fragment!("parts/add64.wgsl"),
            fragment!("parts/add128.wgsl"),
            fragment!("parts/multiply32.wgsl"),
            fragment!("parts/squares.wgsl"),
        ]
    }
}
