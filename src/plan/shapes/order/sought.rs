//! What planners of order statistics ask of ranks.

use super::digits::key_bytes;
use super::shader::Ranking;
use crate::error::Result;
use crate::op::element::ElementKind;
use crate::op::ranks::{Extent, Found, QuantileMethod, Ranks};
use crate::plan::recording::{Constants, low_word};

/// Ranks that are to be found of so many elements.
pub(crate) struct Sought {
    /// Where only numbers count, as if all elements were some.
    found: Found,
    /// Where indices are wanted, of what.
    pub(crate) extent: Option<Extent>,
    /// In their order, where only numbers count.
    of_numbers: Option<(Vec<f64>, QuantileMethod)>,
    element: ElementKind,
    len: u64,
}

/// Two words of an index, and two of an element.
const LOCATED_BYTES: u64 = 16;

/// How many numbers there are, if a device tells.
const COUNT_BYTES: u64 = 8;

impl Sought {
    /// # Errors
    ///
    /// Those of [`Ranks::find`].
    pub(crate) fn new(ranks: &Ranks<'_>, len: u64, element: ElementKind) -> Result<Self> {
        let found = ranks.find(len, element.is_float())?;
        let of_numbers = ranks.of_numbers(element.is_float()).map(|(quantiles, method)| {
            let mut quantiles = quantiles.to_vec();
            quantiles.sort_unstable_by(f64::total_cmp);
            (quantiles, method)
        });
        Ok(Self { found, extent: ranks.extent(), of_numbers, element, len })
    }

    /// Ranks of keys of a sample.
    pub(crate) fn of_sample(ranks: Vec<u64>, len: u64, element: ElementKind) -> Self {
        let found = Found { ranks, results: Vec::new() };
        Self { found, extent: None, of_numbers: None, element, len }
    }

    pub(crate) fn count(&self) -> u64 {
        self.found.ranks.len() as u64
    }

    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    pub(crate) const fn ranking(&self) -> Ranking {
        if self.of_numbers.is_some() { Ranking::Numbers } else { Ranking::Elements }
    }

    /// How many elements with an index come back, or of ranks.
    pub(crate) fn elements(&self) -> u64 {
        match (self.extent, &self.found.ranks[..]) {
            (Some(Extent::UpTo | Extent::DownTo), [rank]) => rank.saturating_add(1),
            _ => self.count(),
        }
    }

    /// Bytes of an element as it comes back: with an index as other operations leave it.
    pub(crate) fn element_bytes(&self) -> u64 {
        if self.extent.is_some() { LOCATED_BYTES } else { key_bytes(self.element) }
    }

    /// Bytes of all that comes back.
    pub(crate) fn bytes(&self) -> u64 {
        let count = if self.of_numbers.is_some() { COUNT_BYTES } else { 0 };
        self.elements().saturating_mul(self.element_bytes()).saturating_add(count)
    }

    /// In their order.
    pub(crate) fn wanted(&self) -> &[u64] {
        &self.found.ranks
    }

    /// The ranks as words.
    pub(crate) fn ranks(&self) -> impl Iterator<Item = [u32; 2]> {
        self.found.ranks.iter().map(|&rank| words(rank))
    }

    /// Four words for each rank.
    pub(crate) fn table(&self) -> Vec<u32> {
        let of_ranks = || self.ranks().flat_map(|[low, high]| [0, 0, low, high]).collect();
        self.table_of_quantiles().unwrap_or_else(of_ranks)
    }

    /// Where quantiles are of numbers: four words for each of a quantile's two ranks, and four with the number of elements.
    pub(crate) fn table_of_quantiles(&self) -> Option<Vec<u32>> {
        let (quantiles, method) = self.of_numbers.as_ref()?;
        let of = |q: &f64| [words(q.to_bits()), words(method.added(*q).to_bits())].concat();
        let twice = quantiles.iter().flat_map(|q| [of(q), of(q)]);
        Some(twice.chain([[words(self.len), [0, 0]].concat()]).flatten().collect())
    }

    /// What shaders that find these ranks are compiled with.
    pub(crate) fn constants(&self) -> Constants {
        let Some((_, method)) = &self.of_numbers else { return Constants::new() };
        let rule = method.rule();
        vec![("LESS", rule.less.into()), ("HALVES", rule.halves.into())]
    }
}

const fn words(number: u64) -> [u32; 2] {
    [low_word(number), low_word(number >> 32)]
}
