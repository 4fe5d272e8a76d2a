//! What is told of several times of the same.

/// The median, and how far times differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) median: f64,
    /// What lies between the quartiles, in percent of the median.
    pub(crate) spread: f64,
}

impl Times {
    /// `None` without a time.
    pub(crate) fn of(mut times: Vec<f64>) -> Option<Self> {
        times.sort_by(f64::total_cmp);
        let below = |quarters: usize| times.get(times.len() * quarters / 4).copied();
        let (lower, median, upper) = (below(1)?, below(2)?, below(3)?);
        Some(Self { median, spread: 100.0 * (upper - lower) / median })
    }
}
