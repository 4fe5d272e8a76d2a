//! Order statistics of elements that are read several times: each reading counts how many elements lie in intervals of keys, and narrows these.
//!
//! A key is an unsigned number that orders elements as `numpy.sort` does. Of an element's bits, bins of a histogram count 2^n neighbours
//! each, which are neighbours as keys, too.

mod bits;
mod keys;

use crate::error::{Error, Result};
use crate::op::element::ElementKind;
use bits::{Bits, Others};
use keys::Keys;
use std::collections::BTreeMap;

/// The fewest bins by which infinities lie apart from finite `f64`.
const LEAST_BINS: u64 = 1 << 12;

/// Bins of fewer `u64` have edges that no `f64` has.
const LEAST_DOUBLES: u64 = 1 << 11;

/// An element that has a wanted rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hit {
    Nan,
    /// The bits of a number.
    Number(u64),
}

/// Keys side by side, some of which have wanted ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Interval {
    /// The lowest, a multiple of their number.
    low: u64,
    /// A power of two.
    keys: u64,
    /// Elements that come before.
    before: u64,
    elements: u64,
}

impl Interval {
    const fn last(&self) -> u64 {
        self.low + (self.keys - 1)
    }
}

/// What a part of an interval has counted, by its lowest key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    low: u64,
    elements: u64,
}

/// What a reading is to do.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    /// Count the bits of elements between edges.
    Bins(Vec<f64>),
    /// Count each key in the intervals that are left.
    Keys,
    /// Nothing: all elements are found.
    Nothing,
}

/// The search for elements of ranks, from reading to reading.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    bits: Bits,
    most_bins: u64,
    most_keys: u64,
    /// Elements, once they have been read.
    len: Option<u64>,
    /// Elements of this reading so far.
    read: u64,
    others: Others,
    /// In order, and all with as many keys.
    intervals: Vec<Interval>,
    /// Where the host counts keys.
    by_host: Option<Keys>,
    /// By rank; what is wanted and not found has none.
    found: BTreeMap<u64, Option<Hit>>,
}

impl Search {
    /// With about so many bins at most, and so many different keys on the host: more where edges cannot narrow intervals any further, which
    /// are 4096 keys for each rank.
    pub(crate) fn new(element: ElementKind, most_bins: u64, most_keys: u64) -> Self {
        Self {
            bits: Bits::new(element),
            most_bins: most_bins.max(LEAST_BINS),
            most_keys,
            len: None,
            read: 0,
            others: Others::default(),
            intervals: Vec::new(),
            by_host: None,
            found: BTreeMap::new(),
        }
    }

    /// The type of as many bits as an element.
    pub(crate) const fn unsigned(&self) -> ElementKind {
        self.bits.unsigned()
    }

    /// Elements of this reading so far.
    pub(crate) const fn read(&self) -> u64 {
        self.read
    }

    /// Whether this is the first reading.
    pub(crate) const fn is_first(&self) -> bool {
        self.len.is_none()
    }

    /// How many elements there are, and how many of them are numbers, once they have been read.
    pub(crate) fn lens(&self) -> [u64; 2] {
        let len = self.len.unwrap_or(self.read);
        [len, len.saturating_sub(self.others.nan)]
    }

    /// The element of a wanted rank, once it is found.
    pub(crate) fn found(&self, rank: u64) -> Option<Hit> {
        self.found.get(&rank).copied().flatten()
    }

    /// Takes elements of this reading.
    pub(crate) fn see(&mut self, elements: &[u8]) {
        self.read += elements.len() as u64 / self.unsigned().size_bytes();
        if self.len.is_none() {
            self.others.count(self.bits, elements);
        }
        let (bits, intervals) = (self.bits, &self.intervals);
        if let Some(keys) = &mut self.by_host {
            bits.of_each(elements, |word| {
                let key = bits.key(word);
                if let Some(found) = interval_of(intervals, key) {
                    keys.count(key, found);
                }
            });
        }
    }

    /// What this reading does.
    pub(crate) fn next(&self) -> Next {
        if self.len.is_none() {
            return Next::Bins(self.edges([0], self.first_keys(), self.first_bins()));
        }
        match self.intervals.first() {
            None => Next::Nothing,
            Some(_) if self.by_host.is_some() => Next::Keys,
            Some(interval) => {
                let keys = self.next_keys();
                let lowest = self.lowest_bits().into_iter().map(|(low, _)| low);
                Next::Bins(self.edges(lowest, keys, interval.keys / keys))
            }
        }
    }

    /// What the host counts in the next reading, if it does: few keys or few elements, and where bins of fewer keys have no edges.
    fn keys_of_host(&self) -> Option<Keys> {
        let interval = self.intervals.first()?;
        let is_narrowest = self.bits.count() == 64 && interval.keys <= 2 * LEAST_DOUBLES;
        let keys = interval.keys.saturating_mul(self.intervals.len() as u64);
        let elements = self.intervals.iter().map(|interval| interval.elements).sum();
        let are_few = keys.min(elements) <= self.most_keys && self.next_keys() > 1;
        (is_narrowest || are_few).then(|| Keys::new(keys, elements))
    }

    /// Bins of the first reading, over all bits.
    fn first_bins(&self) -> u64 {
        let most = 1 << self.most_bins.min(1 << 16).ilog2();
        if self.bits.count() < 16 { most.min(1 << self.bits.count()) } else { most }
    }

    /// Keys of a bin in the first reading.
    fn first_keys(&self) -> u64 {
        let bins = self.first_bins().ilog2();
        1 << (self.bits.count() - bins)
    }

    /// Keys of a bin in the next reading: the fewest for which there are enough bins.
    fn next_keys(&self) -> u64 {
        let intervals = self.intervals.len() as u64;
        let bins = (self.most_bins / intervals.max(1)).max(2).ilog2();
        let keys = self.intervals.first().map_or(1, |interval| interval.keys >> bins).max(1);
        if self.bits.count() == 64 { keys.max(LEAST_DOUBLES) } else { keys }
    }

    /// The lowest bits of each interval, in order, and its number.
    fn lowest_bits(&self) -> Vec<(u64, usize)> {
        let lowest = |interval: &Interval| {
            self.bits.of_key(interval.low).min(self.bits.of_key(interval.last()))
        };
        let mut all: Vec<_> = self.intervals.iter().map(lowest).zip(0..).collect();
        all.sort_unstable();
        all
    }

    /// Edges of so many bins of so many keys from each of these bits on, of a bin between two of them, and of one behind all.
    fn edges(&self, lowest: impl IntoIterator<Item = u64>, keys: u64, bins: u64) -> Vec<f64> {
        let mut edges: Vec<u128> = Vec::new();
        for low in lowest {
            if edges.last() == Some(&low.into()) {
                edges.pop();
            }
            edges
                .extend((0..=bins).map(|bin| u128::from(low) + u128::from(bin) * u128::from(keys)));
        }
        // The last bin has its upper edge, and others have none.
        let end = 1 << self.bits.count();
        edges.extend(edges.last().is_none_or(|&last| last < end).then_some(end));
        edges.into_iter().map(exactly).collect()
    }

    /// Ends the first reading, in which bins have counted this. `wanted` are ranks of what there is.
    pub(crate) fn begin(&mut self, counts: &[u64], wanted: &[u64]) -> Result<()> {
        let (len, others) = (std::mem::take(&mut self.read), self.others);
        self.len = Some(len);
        self.found = wanted.iter().map(|&rank| (rank, None)).collect();
        let keys = self.first_keys();
        let all = (0..).zip(counts).map(|(bin, &count)| (bin * keys, count));
        let finite = all.filter(|&(low, _)| self.bits.is_finite(low));
        let mut cells: Vec<_> = finite.map(|(low, count)| self.cell(low, keys, count)).collect();
        cells.sort_unstable();
        if total(&cells).checked_add(others.all()) != Some(len) {
            let message = "bins have not counted each element once".into();
            return Err(Error::Internal { message });
        }
        self.place(&cells, others.lowest, keys);
        let infinity = self.bits.infinity().unwrap_or_default();
        for (&rank, found) in &mut self.found {
            if rank < others.lowest {
                *found = Some(Hit::Number(infinity | self.bits.sign()));
            } else if rank >= len - others.nan {
                *found = Some(Hit::Nan);
            } else if rank >= len - others.nan - others.highest {
                *found = Some(Hit::Number(infinity));
            }
        }
        self.by_host = self.keys_of_host();
        Ok(())
    }

    /// What a bin of so many keys has counted, from these bits on.
    fn cell(&self, low: u64, keys: u64, elements: u64) -> Cell {
        let low = self.bits.key(low).min(self.bits.key(low + (keys - 1)));
        Cell { low, elements }
    }

    /// Ends a reading in which bins have counted this.
    pub(crate) fn narrow(&mut self, counts: &[u64]) -> Result<()> {
        let keys = self.next_keys();
        let mut counts = counts.iter();
        let mut by_interval = vec![Vec::new(); self.intervals.len()];
        let mut end = None;
        for (low, number) in self.lowest_bits() {
            if end.is_some_and(|end| end < low) {
                counts.next();
            }
            let bins = self.intervals.get(number).map_or(0, |interval| interval.keys / keys);
            let own = (0..bins).zip(counts.by_ref());
            let cells = own.map(|(bin, &count)| self.cell(low + bin * keys, keys, count));
            if let Some(of_interval) = by_interval.get_mut(number) {
                of_interval.extend(cells);
                of_interval.sort_unstable();
            }
            end = low.checked_add(bins * keys);
        }
        let mut by_interval = by_interval.into_iter();
        self.narrow_each(keys, |_, _| by_interval.next().unwrap_or_default())
    }

    /// Ends a reading in which the host has counted keys.
    pub(crate) fn settle(&mut self) -> Result<()> {
        let Some(keys) = self.by_host.take().map(Keys::sorted) else {
            return Err(Error::Internal { message: "nobody has counted keys".into() });
        };
        self.narrow_each(1, |number, interval| keys.cells(number, interval))
    }

    /// Replaces each interval by those of its cells, of so many keys, that have wanted ranks.
    fn narrow_each(
        &mut self,
        keys: u64,
        mut cells: impl FnMut(usize, &Interval) -> Vec<Cell>,
    ) -> Result<()> {
        if self.len != Some(std::mem::take(&mut self.read)) {
            return changed();
        }
        for (number, interval) in std::mem::take(&mut self.intervals).iter().enumerate() {
            let cells = cells(number, interval);
            if total(&cells) != interval.elements {
                return changed();
            }
            self.place(&cells, interval.before, keys);
        }
        self.by_host = self.keys_of_host();
        Ok(())
    }

    /// Finds the wanted ranks in cells of so many keys, in their order.
    fn place(&mut self, cells: &[Cell], mut before: u64, keys: u64) {
        for &Cell { low, elements } in cells {
            let bits = self.bits.of_key(low);
            let mut wanted = self.found.range_mut(before..before + elements).peekable();
            if wanted.peek().is_some() && keys > 1 {
                self.intervals.push(Interval { low, keys, before, elements });
            } else {
                wanted.for_each(|(_, found)| *found = Some(Hit::Number(bits)));
            }
            before += elements;
        }
    }
}

/// What cells have counted in all.
fn total(cells: &[Cell]) -> u64 {
    cells.iter().fold(0, |total, cell| total.saturating_add(cell.elements))
}

/// The interval that a key is in, and its number.
fn interval_of(intervals: &[Interval], key: u64) -> Option<(usize, &Interval)> {
    let number = intervals.partition_point(|interval| interval.low <= key).checked_sub(1)?;
    let interval = intervals.get(number)?;
    (key <= interval.last()).then_some((number, interval))
}

/// They have 53 significant bits at most.
#[expect(clippy::cast_precision_loss, reason = "edges are multiples of powers of two")]
const fn exactly(edge: u128) -> f64 {
    edge as f64
}

fn changed() -> Result<()> {
    let what = "what is read again has other elements than before".into();
    Err(Error::InvalidBytes { what })
}

#[cfg(test)]
mod tests;
