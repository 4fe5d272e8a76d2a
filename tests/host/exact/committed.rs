//! The committed list of exact sums, `tests/data/exact_sums.txt`.

use super::cases::{Mix, Random};

/// Numbers that everybody can make, and the bits of their exact sums.
#[derive(Debug, Clone)]
pub(crate) struct Committed {
    /// As the list has it.
    pub(crate) line: String,
    pub(crate) values: Vec<f32>,
    pub(crate) sum: u32,
    pub(crate) mean: u32,
    /// The dot product of the numbers with themselves in reverse.
    pub(crate) dot: u32,
}

impl Committed {
    /// All that a list has, in its order.
    pub(crate) fn read(text: &str) -> Result<Vec<Self>, String> {
        text.lines().filter(|line| !line.starts_with('#')).map(Self::new).collect()
    }

    fn new(line: &str) -> Result<Self, String> {
        let wrong = || format!("this line of exact_sums.txt is wrong: {line}");
        let fields: Vec<_> = line.split(' ').collect();
        let [mix, seed, len, sum, mean, dot] = fields[..] else { return Err(wrong()) };
        let mix = Mix::ALL.into_iter().find(|known| format!("{known:?}") == mix);
        let (seed, len) = (seed.parse().map_err(|_| wrong())?, len.parse().map_err(|_| wrong())?);
        let bits = |field| u32::from_str_radix(field, 16).map_err(|_| wrong());
        Ok(Self {
            line: line.into(),
            values: mix.ok_or_else(wrong)?.numbers(len, &mut Random::new(seed)),
            sum: bits(sum)?,
            mean: bits(mean)?,
            dot: bits(dot)?,
        })
    }

    /// The numbers in reverse.
    pub(crate) fn reversed(&self) -> Vec<f32> {
        self.values.iter().rev().copied().collect()
    }
}
