//! Numbers that are hard to add, from a generator that gives the same ones everywhere.

use wgpu_reduce::ExactElement;

/// A type of numbers to add.
pub(crate) trait Float: ExactElement + PartialOrd + std::ops::Neg<Output = Self> {
    /// Bits of a significand, the leading one included.
    const PRECISION: u32;
    /// The exponent's field of infinities, and of NaN.
    const TOP: u32;
    const MAX: Self;
    const INFINITY: Self;
    const ONE: Self;

    fn word(self) -> u64;
    fn of_word(bits: u64) -> Self;

    /// As many of random bits as there are in a number.
    fn cut(bits: u64) -> u64;
}

impl Float for f32 {
    const PRECISION: u32 = 24;
    const TOP: u32 = 0xFF;
    const MAX: Self = Self::MAX;
    const INFINITY: Self = Self::INFINITY;
    const ONE: Self = 1.0;

    fn word(self) -> u64 {
        self.to_bits().into()
    }

    fn of_word(bits: u64) -> Self {
        Self::from_bits(u32::try_from(bits).expect("a single has 32 bits"))
    }

    fn cut(bits: u64) -> u64 {
        bits >> 32
    }
}

impl Float for f64 {
    const PRECISION: u32 = 53;
    const TOP: u32 = 0x7FF;
    const MAX: Self = Self::MAX;
    const INFINITY: Self = Self::INFINITY;
    const ONE: Self = 1.0;

    fn word(self) -> u64 {
        self.to_bits()
    }

    fn of_word(bits: u64) -> Self {
        Self::from_bits(bits)
    }

    fn cut(bits: u64) -> u64 {
        bits
    }
}

/// Bits of a fraction.
const fn fraction_bits<T: Float>() -> u32 {
    T::PRECISION - 1
}

pub(crate) const fn fraction<T: Float>() -> u64 {
    (1 << fraction_bits::<T>()) - 1
}

/// The positive number with an exponent's field and a fraction.
pub(crate) fn number<T: Float>(field: u32, fraction: u64) -> T {
    T::of_word(u64::from(field) << fraction_bits::<T>() | fraction)
}

/// The least positive number.
pub(crate) fn least<T: Float>() -> T {
    T::of_word(1)
}

pub(crate) fn zero<T: Float>() -> T {
    T::of_word(0)
}

fn sign<T: Float>() -> u64 {
    (-zero::<T>()).word()
}

/// The field of the exponent 0: that of 1.
fn bias<T: Float>() -> u32 {
    T::TOP / 2
}

/// A generator of 64 random bits at a time (`SplitMix64`, by Steele, Lea and Flood, 2014).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let wide = u128::from(self.bits()) * end as u128;
        usize::try_from(wide >> 64).expect("it is below a usize")
    }

    /// A number with random sign and fraction whose exponent's field lies in a range.
    fn with_exponent<T: Float>(&mut self, lowest: u32, highest: u32) -> T {
        let width = (highest - lowest + 1) as usize;
        let field = lowest + u32::try_from(self.below(width)).expect("a field has few bits");
        let word = T::cut(self.bits()) & (sign::<T>() | fraction::<T>());
        T::of_word(word | number::<T>(field, 0).word())
    }

    fn number<T: Float>(&mut self) -> T {
        T::of_word(T::cut(self.bits()))
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        for end in (1..values.len()).rev() {
            values.swap(end, self.below(end + 1));
        }
    }
}

/// A mix of exponents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mix {
    /// Uniform in [0, 1).
    Uniform,
    /// Numbers of either sign, within a few powers of two of each other.
    Near,
    /// Spread over ±20 powers of two.
    Spread,
    /// Every finite number equally likely, by bits.
    Finite,
    /// Every number, infinite ones and NaN as well.
    Any,
    /// Pairs that cancel, and few small ones that are left.
    Cancelling,
    /// Subnormal numbers, the least normal ones, and both zeros.
    Tiny,
    /// A NaN or an infinity or two among finite numbers.
    Special,
    /// Half-way between two numbers, or just beside it by something far below.
    Tie,
    /// −0, and rarely a +0.
    NegativeZeros,
    /// Around the largest number, beyond it and back.
    Huge,
    /// Powers of two and their neighbours, whose sums carry and borrow far.
    Carry,
}

impl Mix {
    pub(crate) const ALL: [Self; 12] = [
        Self::Uniform,
        Self::Near,
        Self::Spread,
        Self::Finite,
        Self::Any,
        Self::Cancelling,
        Self::Tiny,
        Self::Special,
        Self::Tie,
        Self::NegativeZeros,
        Self::Huge,
        Self::Carry,
    ];

    /// About `len` numbers, in random order.
    pub(crate) fn numbers<T: Float>(self, len: usize, random: &mut Random) -> Vec<T> {
        let mut numbers: Vec<T> = match self {
            Self::Cancelling => cancelling(len, random),
            Self::Tie => tie(len, random),
            Self::Special => special(len, random),
            _ => (0..len).map(|_| self.number(random)).collect(),
        };
        random.shuffle(&mut numbers);
        numbers
    }

    fn number<T: Float>(self, random: &mut Random) -> T {
        let (top, bias) = (T::TOP, bias::<T>());
        match self {
            Self::Uniform => uniform(random),
            Self::Near => random.with_exponent(bias - 2, bias + 2),
            Self::Spread => random.with_exponent(bias - 20, bias + 20),
            Self::Any => random.number(),
            Self::Tiny => match random.below(4) {
                0 => random.pick(&[zero(), -zero::<T>(), least(), -least::<T>()]),
                1 => random.with_exponent(1, 3),
                _ => random.with_exponent(0, 0),
            },
            Self::NegativeZeros => {
                if random.below(40) == 0 {
                    zero()
                } else {
                    -zero::<T>()
                }
            }
            Self::Huge => match random.below(4) {
                0 => random.pick(&[T::MAX, -T::MAX]),
                // Half a unit of the last place of the largest number, and what is beside it.
                1 => {
                    let half_unit = number::<T>(top - 1 - T::PRECISION, 0).word();
                    T::of_word(random.pick(&[half_unit, half_unit - 1, half_unit + 1]))
                }
                2 => random.pick(&[T::ONE, -T::ONE, least(), -least::<T>()]),
                _ => random.with_exponent(top - 4, top - 1),
            },
            Self::Carry => {
                let field = u32::try_from(random.below(top as usize)).expect("it has few bits");
                let half = 1 << (T::PRECISION - 2);
                let number: T = number(field, random.pick(&[0, 1, fraction::<T>(), half]));
                T::of_word(number.word() | random.pick(&[0, sign::<T>()]))
            }
            Self::Finite | Self::Cancelling | Self::Special | Self::Tie => {
                random.with_exponent(0, top - 1)
            }
        }
    }
}

/// A number in [0, 1).
fn uniform<T: Float>(random: &mut Random) -> T {
    let bits = T::cut(u64::MAX).count_ones();
    let significand = T::cut(random.bits()) >> (bits - T::PRECISION);
    let Some(highest) = significand.checked_ilog2() else { return zero() };
    let up = fraction_bits::<T>() - highest;
    number(bias::<T>() - 1 - up, (significand << up) & fraction::<T>())
}

fn cancelling<T: Float>(len: usize, random: &mut Random) -> Vec<T> {
    let half: Vec<T> = (0..len / 2).map(|_| random.with_exponent(0, T::TOP - 1)).collect();
    let mut numbers: Vec<T> = half.iter().flat_map(|&value| [value, -value]).collect();
    let rests = random.below(3);
    let most = random.pick(&[1, 60, T::TOP - 1]);
    numbers.extend((0..rests).map(|_| random.with_exponent::<T>(0, most)));
    numbers
}

fn special<T: Float>(len: usize, random: &mut Random) -> Vec<T> {
    let mut numbers: Vec<T> = (0..len).map(|_| random.with_exponent(0, T::TOP - 1)).collect();
    let word = T::cut(random.bits()) & (sign::<T>() | fraction::<T>() >> 1);
    let nan = T::of_word(word | T::INFINITY.word() | 1);
    for _ in 0..=random.below(2) {
        let infinity = random.pick(&[T::INFINITY, -T::INFINITY]);
        numbers.push(if random.below(5) == 0 { nan } else { infinity });
    }
    numbers
}

/// A number, half a unit of its last place, perhaps something far below, and pairs that cancel.
fn tie<T: Float>(len: usize, random: &mut Random) -> Vec<T> {
    let first: T = random.with_exponent(T::PRECISION + 1, T::TOP - 1);
    let power = first.word() & T::INFINITY.word();
    let half_unit: T = T::of_word(power - number::<T>(T::PRECISION, 0).word());
    let mut numbers = vec![first, random.pick(&[half_unit, -half_unit])];
    let field = u32::try_from(half_unit.word() >> fraction_bits::<T>()).expect("it has few bits");
    match random.below(4) {
        0 => numbers.push(random.pick(&[least(), -least::<T>()])),
        1 => numbers.push(random.with_exponent(0, field.min(40))),
        // The half unit in two halves.
        2 if field > 1 => {
            let half = numbers.pop().expect("it was just put there").word();
            let half = T::of_word(half - number::<T>(1, 0).word());
            numbers.extend([half, half]);
        }
        _ => {}
    }
    for _ in 0..len / 2 {
        let value: T = random.with_exponent(0, T::TOP - 1);
        numbers.extend([value, -value]);
    }
    numbers
}
