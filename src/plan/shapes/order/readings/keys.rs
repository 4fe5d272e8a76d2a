//! How many elements have each key, as the host counts them.

use super::{Cell, Interval};

/// The keys in intervals that are all as long: of few keys a table, of few elements a list.
#[derive(Debug, Clone)]
pub(super) enum Keys {
    /// How many elements have each key, interval by interval.
    Table(Vec<u64>),
    /// Each element's key, and how many there should be.
    List(Vec<u64>, usize),
}

impl Keys {
    /// For so many keys in all intervals, and elements in them.
    pub(super) fn new(keys: u64, elements: u64) -> Self {
        let len = |len: u64| usize::try_from(len).unwrap_or(usize::MAX);
        if keys <= elements {
            return Self::Table(vec![0; len(keys)]);
        }
        Self::List(Vec::with_capacity(len(elements)), len(elements))
    }

    /// Counts an element in one of the intervals.
    pub(super) fn count(&mut self, key: u64, (number, interval): (usize, &Interval)) {
        match self {
            Self::Table(counts) => {
                if let Some(count) = counts.get_mut(place(number, interval) + offset(key, interval))
                {
                    *count += 1;
                }
            }
            // One too many tells that elements have changed.
            Self::List(keys, most) => {
                if keys.len() <= *most {
                    keys.push(key);
                }
            }
        }
    }

    /// Once all are counted.
    pub(super) fn sorted(mut self) -> Self {
        if let Self::List(keys, _) = &mut self {
            keys.sort_unstable();
        }
        self
    }

    /// The keys in an interval that elements have.
    pub(super) fn cells(&self, number: usize, interval: &Interval) -> Vec<Cell> {
        match self {
            Self::Table(counts) => {
                let from = counts.get(place(number, interval)..).unwrap_or_default();
                let all = (interval.low..).zip(from).take(offset(interval.last(), interval) + 1);
                all.map(|(low, &elements)| Cell { low, elements })
                    .filter(|cell| cell.elements > 0)
                    .collect()
            }
            Self::List(keys, _) => {
                let [from, to] = [
                    keys.partition_point(|&key| key < interval.low),
                    keys.partition_point(|&key| key <= interval.last()),
                ];
                let own = keys.get(from..to).unwrap_or_default();
                let equal = own.chunk_by(|a, b| a == b);
                equal
                    .filter_map(|keys| {
                        Some(Cell { low: *keys.first()?, elements: keys.len() as u64 })
                    })
                    .collect()
            }
        }
    }
}

/// Where an interval's keys begin in a table.
fn place(number: usize, interval: &Interval) -> usize {
    number * (offset(interval.last(), interval) + 1)
}

fn offset(key: u64, interval: &Interval) -> usize {
    usize::try_from(key - interval.low).unwrap_or(usize::MAX)
}
