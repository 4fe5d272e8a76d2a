//! What elements are accumulated in: the WGSL type `Acc` between lift and finish.

use crate::op::element::{ElementKind, Number};
use crate::op::lifting::Lifting;
use crate::op::operator::Permit;
use crate::shader::fragment::{Fragment, fragment};
use crate::shader::joined::{self, Joined, Layout};

/// An accumulator that runs from tile to tile, and one for each tile.
pub(crate) const EACH: Fragment = fragment!("tiles/each.wgsl");

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
    /// The significand of a product, and its exponent.
    Significand,
    /// A product of `f64`, likewise.
    SignificandF64,
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
    /// Count and sum of distances of `f64`.
    ShiftedF64,
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
    /// The largest element's key, and a sum of exponentials of distances from that element.
    Exponentials,
    /// A sum of squares and its scale.
    Scaled,
    /// A sum of squares of `f64` and its scale.
    ScaledF64,
    /// Digits of an exact sum of f32, and a window of it.
    Exact,
    /// Digits of an exact sum of `f64`, likewise.
    ExactF64,
    /// Extremes and moments of f32.
    DescribedF32,
    /// Extremes and moments of `f64`.
    DescribedF64,
    /// Extremes and sums of integers.
    DescribedInteger,
    /// Those of several operations.
    Several(&'static Joined, Permit),
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

    /// Its own file, after those that this one uses. In a native form ([`Self::has_native_form`]) arithmetic uses numbers of 64 bits,
    /// which not every device has.
    pub(crate) fn fragments(self, native: bool) -> Vec<Fragment> {
        let mut fragments = self.parts(native);
        fragments.push(self.file());
        fragments
    }

    fn parts(self, native: bool) -> Vec<Fragment> {
        let [add64, add128, multiply32, squares] = arithmetic(native);
        let [powers, divided, moments, pivot] = of_floats(self.is_of_f64());
        let real = self.real(native);
        let located = [fragment!("parts/located.wgsl"), fragment!("parts/extremes.wgsl")];
        let spread = [add64, add128, multiply32, squares, fragment!("parts/spread.wgsl")];
        let moments = [moments, fragment!("parts/moments.wgsl")];
        // What counts from a pivot.
        let counted = [&real[..], &[pivot, powers, fragment!("parts/far.wgsl")]].concat();
        match self {
            Self::F32 | Self::Word | Self::Pair | Self::Quad | Self::Exponentials => Vec::new(),
            Self::F64 => real,
            Self::I64 => vec![add64, fragment!("parts/widen_i64.wgsl")],
            Self::Count => vec![add64],
            Self::Product => vec![add64, multiply32, fragment!("parts/widen_i64.wgsl")],
            Self::Significand | Self::SignificandF64 => {
                [&real[..], &[powers, fragment!("parts/significand.wgsl")]].concat()
            }
            Self::U128 => vec![add64, add128, multiply32, squares],
            Self::I128 => vec![add64, add128, fragment!("parts/widen_i128.wgsl")],
            Self::Located | Self::Located64 => [&[add64][..], &located].concat(),
            Self::Shifted | Self::ShiftedF64 => {
                [&counted[..], &[fragment!("parts/shifted.wgsl")]].concat()
            }
            Self::Moments | Self::MomentsF64 => [&counted[..], &moments].concat(),
            Self::ScaledMoments | Self::ScaledMomentsF64 => {
                [&counted[..], &[divided], &moments].concat()
            }
            Self::Spread => spread.to_vec(),
            Self::Scaled => vec![powers],
            Self::ScaledF64 => [&real[..], &[powers]].concat(),
            Self::Exact => vec![
                fragment!("parts/digits.wgsl"),
                fragment!("parts/window.wgsl"),
                fragment!("parts/kinds.wgsl"),
            ],
            Self::ExactF64 => vec![
                fragment!("parts/digits.wgsl"),
                fragment!("parts/wide_window.wgsl"),
                fragment!("parts/terms_f64.wgsl"),
                fragment!("parts/kinds.wgsl"),
            ],
            Self::DescribedF32 | Self::DescribedF64 => [&counted[..], &moments, &located].concat(),
            Self::DescribedInteger => [&spread[..], &located].concat(),
            Self::Several(joined, _) => joined.parts(native),
        }
    }

    /// The numbers that it computes with, and their arithmetic.
    fn real(self, native: bool) -> Vec<Fragment> {
        let [add64, _, multiply32, _] = arithmetic(false);
        let numbers = match (self.is_of_f64(), native) {
            (false, _) => fragment!("parts/f32.wgsl"),
            (true, true) => fragment!("parts/native/f64.wgsl"),
            (true, false) => {
                let statistics = fragment!("parts/reals_f64.wgsl");
                return vec![add64, multiply32, fragment!("parts/f64.wgsl"), statistics];
            }
        };
        vec![add64, numbers, fragment!("parts/real.wgsl")]
    }

    const fn file(self) -> Fragment {
        match self {
            Self::F32 => fragment!("accumulators/f32.wgsl"),
            Self::F64 => fragment!("accumulators/f64.wgsl"),
            Self::Word => fragment!("accumulators/word.wgsl"),
            Self::Pair => fragment!("accumulators/pair.wgsl"),
            Self::Quad => fragment!("accumulators/quad.wgsl"),
            Self::I64 | Self::Count | Self::Product => fragment!("accumulators/i64.wgsl"),
            Self::Significand => fragment!("accumulators/significand.wgsl"),
            Self::SignificandF64 => fragment!("accumulators/significand_f64.wgsl"),
            Self::U128 | Self::I128 => fragment!("accumulators/u128.wgsl"),
            Self::Located | Self::Located64 => fragment!("accumulators/located.wgsl"),
            Self::Shifted => fragment!("accumulators/shifted.wgsl"),
            Self::ShiftedF64 => fragment!("accumulators/shifted_f64.wgsl"),
            Self::Moments | Self::MomentsF64 | Self::Spread => {
                fragment!("accumulators/figures.wgsl")
            }
            Self::ScaledMoments | Self::ScaledMomentsF64 => {
                fragment!("accumulators/scaled_moments.wgsl")
            }
            Self::Exponentials => fragment!("accumulators/exponentials.wgsl"),
            Self::Scaled => fragment!("accumulators/scaled.wgsl"),
            Self::ScaledF64 => fragment!("accumulators/scaled_f64.wgsl"),
            Self::Exact => fragment!("accumulators/exact_f32.wgsl"),
            Self::ExactF64 => fragment!("accumulators/exact_f64.wgsl"),
            Self::DescribedF32 | Self::DescribedF64 | Self::DescribedInteger => {
                fragment!("accumulators/described.wgsl")
            }
            Self::Several(..) => joined::BOTH,
        }
    }

    /// Whether its arithmetic is better done with numbers of 64 bits, where a device has them: that of `f64`, and of integers but for a
    /// mere sum, of which two words and a carry are as quick.
    pub(crate) fn has_native_form(self) -> bool {
        let is_of_integers =
            matches!(self, Self::Product | Self::U128 | Self::Spread | Self::DescribedInteger);
        is_of_integers || self.is_of_f64() || self.has(Self::has_native_form)
    }

    /// The words of the longest.
    pub(crate) const MOST_WORDS: u32 = Self::ExactF64.words();

    /// Whether one workgroup may take it from another in the same pass: the highest bits of its words, for which marks stand, have a
    /// word of their own, with three more bits (`shaders/segments/closed_ahead.wgsl`, `shaders/sinks/last.wgsl`).
    pub(crate) const fn can_be_marked(self) -> bool {
        self.words() + 3 <= u32::BITS
    }

    /// Words of memory.
    pub(crate) const fn words(self) -> u32 {
        match self {
            Self::F32 | Self::Word => 1,
            Self::F64
            | Self::Pair
            | Self::I64
            | Self::Count
            | Self::Product
            | Self::Exponentials
            | Self::Scaled => 2,
            Self::Located | Self::Significand => 3,
            Self::Quad
            | Self::U128
            | Self::I128
            | Self::Located64
            | Self::Shifted
            | Self::SignificandF64
            | Self::ScaledF64 => 4,
            Self::Moments => 5,
            Self::Spread | Self::ShiftedF64 | Self::ScaledMoments => 6,
            Self::MomentsF64 => 8,
            Self::ScaledMomentsF64 => 10,
            Self::DescribedF32 => 11,
            Self::DescribedInteger => 12,
            Self::Exact | Self::DescribedF64 => 16,
            Self::ExactF64 => 84,
            Self::Several(joined, _) => {
                let [first, second] = joined.both();
                first.accumulator.words() + second.accumulator.words()
            }
        }
    }

    /// How it lies in memory.
    pub(crate) const fn layout(self) -> Layout {
        let alignment = match self {
            Self::Quad | Self::U128 | Self::I128 => 16,
            Self::F64
            | Self::Pair
            | Self::I64
            | Self::Count
            | Self::Product
            | Self::SignificandF64
            | Self::Located64
            | Self::ShiftedF64
            | Self::MomentsF64
            | Self::ScaledMomentsF64
            | Self::ScaledF64
            | Self::DescribedF64 => 8,
            Self::Several(joined, _) => return joined.accumulator(),
            _ => 4,
        };
        Layout { bytes: 4 * self.words() as u64, alignment }
    }

    /// Whether one of several is so.
    fn has(self, is_so: fn(Self) -> bool) -> bool {
        match self {
            Self::Several(joined, _) => joined.both().iter().any(|over| is_so(over.accumulator)),
            _ => false,
        }
    }

    /// Whether its arithmetic is so long that compilers are to see few copies of it.
    pub(crate) const fn is_long(self) -> bool {
        self.words() > 4
    }

    /// Turns of loops in what appends a quad of words to it, at most.
    pub(crate) const fn quad_turns(self) -> u32 {
        match self {
            // Elements that fit no window go one by one to the digits.
            Self::Exact => 4,
            Self::ExactF64 => 2,
            _ => 0,
        }
    }

    /// Turns of loops in what finishes it, beside one for each word, at most.
    pub(crate) const fn finish_turns(self) -> u32 {
        // Digits are carried out, twice if their sum is negative, and looked through.
        if matches!(self, Self::ExactF64) { 2 * self.words() } else { 0 }
    }

    /// Elements that it has room for, where what has no room goes unnoticed (`docs/exact.md`).
    pub(crate) const fn most_elements(self) -> u64 {
        if self.is_exact() { 1 << 42 } else { u64::MAX }
    }

    /// Whether it has the digits of an exact sum.
    pub(crate) const fn is_exact(self) -> bool {
        matches!(self, Self::Exact | Self::ExactF64)
    }

    pub(crate) const fn size_bytes(self) -> u64 {
        self.layout().bytes
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

    /// Whether elements of a kind have squares that are added up in a tile before there is a mean.
    pub(crate) const fn adds_up_squares(self, element: ElementKind) -> bool {
        match self {
            Self::DescribedF32 => matches!(element, ElementKind::F32),
            _ => matches!(self, Self::MomentsF64 | Self::ScaledMomentsF64 | Self::DescribedF64),
        }
    }

    /// What runs from tile to tile while an invocation goes through elements of a kind.
    pub(crate) fn tiles(self, element: ElementKind, lifting: Lifting) -> Vec<Fragment> {
        if let Self::Several(joined, _) = self {
            return joined.tiles(element);
        }
        let mut fragments = Vec::new();
        if self.adds_up_squares(element) {
            let numbers = match element {
                ElementKind::F64 => fragment!("tiles/numbers_f64.wgsl"),
                _ => fragment!("tiles/numbers_f32.wgsl"),
            };
            fragments.extend([numbers, fragment!("tiles/figures.wgsl")]);
        }
        let places = fragment!("tiles/places.wgsl");
        fragments.extend(match (self, element) {
            (Self::MomentsF64, _) => vec![fragment!("tiles/moments.wgsl")],
            (Self::ScaledMomentsF64, _) => {
                let append = match lifting {
                    Lifting::Numbers => fragment!("tiles/scaled_numbers.wgsl"),
                    _ => fragment!("tiles/scaled_elements.wgsl"),
                };
                vec![fragment!("tiles/scaled_moments.wgsl"), append]
            }
            (Self::DescribedF32, ElementKind::F32) => {
                vec![fragment!("tiles/described_f32.wgsl"), places]
            }
            (Self::DescribedF64, _) => vec![fragment!("tiles/described_f64.wgsl"), places],
            (Self::DescribedInteger, ElementKind::I32 | ElementKind::U32) => {
                vec![fragment!("tiles/described_integer.wgsl"), places]
            }
            _ => vec![EACH],
        });
        fragments
    }

    /// Whether appending to it takes so long that quads are loaded while others are appended.
    pub(crate) fn refills(self) -> bool {
        let is_one = matches!(
            self,
            Self::Located
                | Self::Shifted
                | Self::ShiftedF64
                | Self::Moments
                | Self::MomentsF64
                | Self::ScaledMoments
                | Self::ScaledMomentsF64
                | Self::DescribedF32
                | Self::DescribedF64
                | Self::DescribedInteger
        );
        is_one || self.has(Self::refills)
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

    /// Whether it has the index of an element.
    pub(crate) fn has_index(self) -> bool {
        let is_one = matches!(
            self,
            Self::Located
                | Self::Located64
                | Self::DescribedF32
                | Self::DescribedF64
                | Self::DescribedInteger
        );
        is_one || self.has(Self::has_index)
    }

    /// Whether that is by halves.
    pub(crate) fn folds_by_halves(self) -> bool {
        let is_one = matches!(self, Self::DescribedF32 | Self::Moments | Self::ScaledMoments);
        is_one || self.has(Self::folds_by_halves)
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
    pub(crate) fn rounds(self) -> bool {
        let of_f32 = matches!(
            self,
            Self::F32
                | Self::Significand
                | Self::Shifted
                | Self::Moments
                | Self::ScaledMoments
                | Self::Exponentials
                | Self::Scaled
                | Self::DescribedF32
        );
        of_f32 || self.is_of_f64() || self.has(Self::rounds)
    }

    /// Whether it computes with `f64`, of the device in its native form, and else by integers.
    pub(crate) fn is_of_f64(self) -> bool {
        let is_one = matches!(
            self,
            Self::F64
                | Self::SignificandF64
                | Self::ShiftedF64
                | Self::MomentsF64
                | Self::ScaledMomentsF64
                | Self::ScaledF64
                | Self::DescribedF64
        );
        is_one || self.has(Self::is_of_f64)
    }
}

/// The parts of `f32` or `f64`: powers of two, division by them, the words of moments, and pivots.
const fn of_floats(are_doubles: bool) -> [Fragment; 4] {
    if are_doubles {
        [
            fragment!("parts/powers_f64.wgsl"),
            fragment!("parts/divided_f64.wgsl"),
            fragment!("parts/moments_f64.wgsl"),
            fragment!("parts/pivot_f64.wgsl"),
        ]
    } else {
        [
            fragment!("parts/powers_f32.wgsl"),
            fragment!("parts/divided_f32.wgsl"),
            fragment!("parts/moments_f32.wgsl"),
            fragment!("parts/pivot.wgsl"),
        ]
    }
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
