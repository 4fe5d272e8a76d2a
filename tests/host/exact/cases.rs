//! Numbers that are hard to add, from a generator that gives the same ones everywhere.

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
    fn with_exponent(&mut self, lowest: u32, highest: u32) -> f32 {
        let width = (highest - lowest + 1) as usize;
        let field = lowest + u32::try_from(self.below(width)).expect("a field has 8 bits");
        f32::from_bits((self.word() & 0x807F_FFFF) | (field << 23))
    }

    fn word(&mut self) -> u32 {
        u32::try_from(self.bits() >> 32).expect("32 bits are left")
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
    pub(crate) fn numbers(self, len: usize, random: &mut Random) -> Vec<f32> {
        let mut numbers: Vec<f32> = match self {
            Self::Cancelling => cancelling(len, random),
            Self::Tie => tie(len, random),
            Self::Special => special(len, random),
            _ => (0..len).map(|_| self.number(random)).collect(),
        };
        random.shuffle(&mut numbers);
        numbers
    }

    fn number(self, random: &mut Random) -> f32 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "24 bits")]
            Self::Uniform => (random.word() >> 8) as f32 / 16_777_216.0,
            Self::Near => random.with_exponent(125, 129),
            Self::Spread => random.with_exponent(107, 147),
            Self::Any => f32::from_bits(random.word()),
            Self::Tiny => match random.below(4) {
                0 => random.pick(&[0.0, -0.0, f32::from_bits(1), -f32::from_bits(1)]),
                1 => random.with_exponent(1, 3),
                _ => random.with_exponent(0, 0),
            },
            Self::NegativeZeros => {
                if random.below(40) == 0 {
                    0.0
                } else {
                    -0.0
                }
            }
            Self::Huge => match random.below(4) {
                0 => random.pick(&[f32::MAX, -f32::MAX]),
                // 2^103, half a unit of the last place of the largest number, and what is beside it.
                1 => f32::from_bits(random.pick(&[0x7300_0000, 0x72FF_FFFF, 0x7300_0001])),
                2 => random.pick(&[1.0, -1.0, f32::from_bits(1), -f32::from_bits(1)]),
                _ => random.with_exponent(251, 254),
            },
            Self::Carry => {
                let field = u32::try_from(random.below(255)).expect("a field has 8 bits");
                let bits = (field << 23) | random.pick(&[0, 1, 0x7F_FFFF, 0x40_0000]);
                f32::from_bits(bits | random.pick(&[0, 1 << 31]))
            }
            Self::Finite | Self::Cancelling | Self::Special | Self::Tie => {
                random.with_exponent(0, 254)
            }
        }
    }
}

fn cancelling(len: usize, random: &mut Random) -> Vec<f32> {
    let half: Vec<f32> = (0..len / 2).map(|_| random.with_exponent(0, 254)).collect();
    let mut numbers: Vec<f32> = half.iter().flat_map(|&value| [value, -value]).collect();
    let rests = random.below(3);
    let most = random.pick(&[1, 60, 254]);
    numbers.extend((0..rests).map(|_| random.with_exponent(0, most)));
    numbers
}

fn special(len: usize, random: &mut Random) -> Vec<f32> {
    let mut numbers: Vec<f32> = (0..len).map(|_| random.with_exponent(0, 254)).collect();
    let nan = f32::from_bits((random.word() & 0x803F_FFFF) | 0x7F80_0001);
    for _ in 0..=random.below(2) {
        let infinity = random.pick(&[f32::INFINITY, f32::NEG_INFINITY]);
        numbers.push(if random.below(5) == 0 { nan } else { infinity });
    }
    numbers
}

/// A number, half a unit of its last place, perhaps something far below, and pairs that cancel.
fn tie(len: usize, random: &mut Random) -> Vec<f32> {
    let number = random.with_exponent(25, 254);
    let half_unit = f32::from_bits((number.to_bits() & 0x7F80_0000) - (24 << 23));
    let mut numbers = vec![number, random.pick(&[half_unit, -half_unit])];
    match random.below(4) {
        0 => numbers.push(random.pick(&[f32::from_bits(1), -f32::from_bits(1)])),
        1 => numbers.push(random.with_exponent(0, (half_unit.to_bits() >> 23).min(40))),
        // The half unit in two halves.
        2 if half_unit > f32::MIN_POSITIVE => {
            let half = numbers.pop().expect("it was just put there") / 2.0;
            numbers.extend([half, half]);
        }
        _ => {}
    }
    for _ in 0..len / 2 {
        let value = random.with_exponent(0, 254);
        numbers.extend([value, -value]);
    }
    numbers
}
