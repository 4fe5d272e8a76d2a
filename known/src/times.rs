//! What is told of several times of the same.

/// Times of the same, in whatever unit, by their order.
///
/// ```
/// use wgpu_reduce_known::Times;
///
/// let times = Times::of(vec![5.0, 1.0, 4.0, 2.0, 3.0]).expect("there are some");
/// assert_eq!((times.least, times.median, times.ninth_decile), (1.0, 3.0, 5.0));
/// // From 2 to 4.
/// assert!((times.spread - 200.0 / 3.0).abs() < 1e-9);
/// assert_eq!(Times::of(Vec::new()), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// The shortest.
    pub least: f64,
    /// The one in the middle; of two, the longer.
    pub median: f64,
    /// The one that nine of ten are below.
    pub ninth_decile: f64,
    /// What lies between the quartiles, in percent of the median.
    pub spread: f64,
}

impl Times {
    /// `None` without a time.
    #[must_use]
    pub fn of(mut times: Vec<f64>) -> Option<Self> {
        times.sort_by(f64::total_cmp);
        let below = |part: usize, of: usize| times.get(times.len() * part / of).copied();
        let (lower, median, upper) = (below(1, 4)?, below(1, 2)?, below(3, 4)?);
        let spread = 100.0 * (upper - lower) / median;
        Some(Self { least: below(0, 1)?, median, ninth_decile: below(9, 10)?, spread })
    }
}
