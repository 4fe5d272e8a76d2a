//! Axes: where a value lies, and which values are written.

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use std::ops::Range;

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    is_log: bool,
    ends: Range<f64>,
    /// What is written, in order.
    pub(super) ticks: Vec<f64>,
}

impl Scale {
    /// From 0 to `max` or a little more.
    pub(super) fn linear(max: f64) -> Self {
        let max = if max > 0.0 { max } else { 1.0 };
        let step = round_up(max / 8.0);
        Self::between_ticks(
            false,
            count_to((max / step).ceil()).map(|index| index * step).collect(),
        )
    }

    /// From `min` to `max`, or a little less and more. Both are positive.
    pub(super) fn logarithmic(min: f64, max: f64) -> Self {
        let first = min.log10().floor();
        let decades = (max.log10().ceil() - first).max(1.0);
        let parts: &[f64] = if decades <= 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let end = 10.0_f64.powf(first + decades);
        let ticks = count_to(decades).flat_map(|index| {
            let decade = 10.0_f64.powf(first + index);
            parts.iter().map(move |part| part * decade)
        });
        Self::between_ticks(true, ticks.filter(|&tick| tick <= end).collect())
    }

    /// Linear from 0 on, or logarithmic around all of `values` that it can show.
    pub(super) fn around(values: impl Iterator<Item = f64> + Clone, is_log: bool) -> Self {
        let positive = values.filter(|value| *value > 0.0 && value.is_finite());
        let max = positive.clone().fold(0.0, f64::max);
        let min = positive.fold(max, f64::min);
        if is_log && min > 0.0 { Self::logarithmic(min, max) } else { Self::linear(max) }
    }

    /// Logarithmic, a little longer than from the first tick to the last.
    pub(super) fn of_ticks(ticks: Vec<f64>) -> Self {
        let Self { ends: Range { start, end }, .. } = Self::between_ticks(true, ticks.clone());
        let margin = (end / start).powf(0.03).max(1.1);
        Self { is_log: true, ends: start / margin..end * margin, ticks }
    }

    fn between_ticks(is_log: bool, ticks: Vec<f64>) -> Self {
        let start = ticks.first().copied().unwrap_or(1.0);
        Self { is_log, ends: start..ticks.last().copied().unwrap_or(10.0), ticks }
    }

    /// How far along the axis `value` lies, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let Range { start, end } = self.ends;
        if self.is_log {
            (value / start).log10() / (end / start).log10()
        } else {
            (value - start) / (end - start)
        }
    }

    /// What is written at a tick: a round number, but for its last bits.
    pub(super) fn label(tick: f64) -> String {
        let text = format!("{tick:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    #[expect(clippy::cast_possible_truncation, reason = "pixels")]
    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        from + (self.share(*value) * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.ends.clone()
    }
}

/// 0, 1, 2 and so on, to `last`.
fn count_to(last: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(0.0), |index| Some(index + 1.0)).take_while(move |i| *i <= last)
}

/// The next of 1, 2 and 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    let decade = 10.0_f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0]
        .map(|part| part * decade)
        .into_iter()
        .find(|round| *round >= value * (1.0 - 1e-9))
        .unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::Scale;
    use plotters::coord::ranged1d::Ranged as _;

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks.iter().map(|tick| Scale::label(*tick)).collect()
    }

    #[test]
    fn linear_axes_have_round_ticks() {
        for (max, expected) in [
            (4321.0, &["0", "1000", "2000", "3000", "4000", "5000"][..]),
            (8.0, &["0", "1", "2", "3", "4", "5", "6", "7", "8"]),
            (0.7, &["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]),
            (0.0, &["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ] {
            assert_eq!(labels(&Scale::linear(max)), expected, "{max}");
        }
    }

    #[test]
    fn logarithmic_axes_have_decades() {
        let scale = Scale::logarithmic(0.05, 4000.0);
        assert_eq!(labels(&scale), ["0.01", "0.1", "1", "10", "100", "1000", "10000"]);
        assert_eq!(
            [0.01, 1.0, 10_000.0].map(|value| scale.map(&value, (100, 700))),
            [100, 300, 700]
        );
        let few = Scale::logarithmic(3.0, 80.0);
        assert_eq!(labels(&few), ["1", "2", "5", "10", "20", "50", "100"]);
        assert_eq!(labels(&Scale::logarithmic(1.0, 1.0)), ["1", "2", "5", "10"]);
    }

    #[test]
    fn values_that_cannot_be_shown_are_left_out() {
        let scale = Scale::around([0.0, f64::NAN, f64::INFINITY, 2.0, 30.0].into_iter(), true);
        assert_eq!(scale.range(), 1.0..100.0);
        assert_eq!(Scale::around([].into_iter(), true), Scale::linear(0.0));
    }

    #[test]
    fn axes_of_ticks_have_room_at_their_ends() {
        let scale = Scale::of_ticks(vec![64.0, 128.0]);
        assert!(scale.range().start < 60.0 && scale.range().end > 135.0, "{scale:?}");
        assert!(Scale::of_ticks(vec![]).range().end > 1.0);
    }
}
