//! The time that there is, and what of it each length gets.

use std::time::{Duration, Instant};

/// A time that is shared by steps of which none is more important than another.
#[derive(Debug)]
pub(crate) struct Budget {
    ends_at: Instant,
    steps_left: usize,
}

/// When the parts of a step are to end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share {
    /// Looking for what is fastest.
    pub(crate) search_ends_at: Instant,
    /// Measuring that again.
    pub(crate) ends_at: Instant,
}

impl Budget {
    pub(crate) fn new(whole: Duration, steps: usize) -> Self {
        Self { ends_at: Instant::now() + whole, steps_left: steps }
    }

    /// An equal share of what is left for each step that is left, so that what one does not use is
    /// the others'. None if nothing is left.
    pub(crate) fn next_share(&mut self) -> Option<Share> {
        self.share_at(Instant::now())
    }

    /// How long each of the steps has that are left; none if nothing is left.
    pub(crate) fn time_of_step(&self, now: Instant) -> Option<Duration> {
        let left = self.ends_at.checked_duration_since(now).filter(|left| !left.is_zero());
        let steps = u32::try_from(self.steps_left.max(1)).unwrap_or(u32::MAX);
        left.map(|left| left / steps)
    }

    fn share_at(&mut self, now: Instant) -> Option<Share> {
        let whole = self.time_of_step(now);
        self.steps_left = self.steps_left.saturating_sub(1);
        let whole = whole?;
        Some(Share { search_ends_at: now + whole * 3 / 4, ends_at: now + whole })
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;
    use std::time::{Duration, Instant};

    #[test]
    fn what_one_does_not_use_is_the_others() {
        let mut budget = Budget::new(Duration::from_secs(40), 4);
        let start = Instant::now();
        budget.ends_at = start + Duration::from_secs(40);
        let mut seconds_from = |seconds: u64| {
            let now = start + Duration::from_secs(seconds);
            let share = budget.share_at(now)?;
            let search = share.search_ends_at.duration_since(now).as_secs_f64();
            let whole = share.ends_at.duration_since(now).as_secs_f64();
            assert!((search / whole - 0.75).abs() < 1e-6, "{search} of {whole}");
            Some(whole)
        };
        assert_eq!(seconds_from(0), Some(10.0));
        assert_eq!(seconds_from(1), Some(13.0));
        assert_eq!(seconds_from(38), Some(1.0));
        assert_eq!(seconds_from(40), None);
        assert_eq!(seconds_from(50), None);
    }
}
