//! The committed lists of exact sums, `tests/data/exact_sums.txt` of `f32` and `tests/data/exact_sums_f64.txt`.

use super::cases::{Float, Mix, Random};

/// Numbers that everybody can make, and the bits of their exact sums.
#[derive(Debug, Clone)]
pub(crate) struct Committed<T = f32> {
    /// As the list has it.
    pub(crate) line: String,
    pub(crate) values: Vec<T>,
    pub(crate) sum: T,
    pub(crate) mean: T,
    /// The dot product of the numbers with themselves in reverse.
    pub(crate) dot: T,
}

impl<T: Float> Committed<T> {
    /// All that a list has, in its order.
    pub(crate) fn read(text: &str) -> Result<Vec<Self>, String> {
        text.lines().filter(|line| !line.starts_with('#')).map(Self::new).collect()
    }

    fn new(line: &str) -> Result<Self, String> {
        let wrong = || format!("this line of exact sums is wrong: {line}");
        let fields: Vec<_> = line.split(' ').collect();
        let [mix, seed, len, sum, mean, dot] = fields[..] else { return Err(wrong()) };
        let mix = Mix::ALL.into_iter().find(|known| format!("{known:?}") == mix);
        let (seed, len) = (seed.parse().map_err(|_| wrong())?, len.parse().map_err(|_| wrong())?);
        let number = |field| u64::from_str_radix(field, 16).map(T::of_word).map_err(|_| wrong());
        Ok(Self {
            line: line.into(),
            values: mix.ok_or_else(wrong)?.numbers(len, &mut Random::new(seed)),
            sum: number(sum)?,
            mean: number(mean)?,
            dot: number(dot)?,
        })
    }

    /// The numbers in reverse.
    pub(crate) fn reversed(&self) -> Vec<T> {
        self.values.iter().rev().copied().collect()
    }
}
