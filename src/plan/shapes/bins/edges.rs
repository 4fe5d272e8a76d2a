//! Bins: what users say of them, and their edges as elements of a type see them.

use crate::error::{Error, Result, Shown};
use crate::op::element::{ElementKind, Number};
use std::ops::Range;
use std::sync::Arc;

/// The bins of a histogram: n intervals side by side, by their n + 1 edges.
///
/// As in NumPy, a bin has its lower edge and not its upper one; the last bin has both. Where an element belongs
/// is decided by comparing it with the edges, exactly, and not by a rounded quotient.
///
/// ```
/// use wgpu_reduce::{Bins, ElementKind};
///
/// let bins = Bins::even(0..256, 16)?;
/// assert_eq!(bins.edges_for(ElementKind::U8)?[..3], [0.0, 16.0, 32.0]);
///
/// let bins = Bins::edges(&[-1.0, 0.0, 0.5, 10.0])?;
/// assert_eq!(bins.count(), 3);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bins(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Even { low: f64, high: f64, count: u32 },
    Edges(Arc<[f64]>),
}

impl Bins {
    /// Most bins there can be.
    pub const MOST: u32 = 1 << 20;

    /// `count` bins of the same width. The edges are those that `numpy.histogram(a, count, (low, high))` has, to
    /// the last bit: `low + i · ((high − low) / count)` in `f64`, the last one `high`, and for elements that
    /// are floats rounded to their type. If `high` is `low`, the range is from half below to half above.
    ///
    /// ```
    /// use wgpu_reduce::{Bins, ElementKind};
    ///
    /// let bins = Bins::even(0.0..1.0, 10)?;
    /// assert_eq!(bins.edges_for(ElementKind::I32)?[3], 0.30000000000000004);
    /// assert_eq!(bins.edges_for(ElementKind::F32)?[3], f64::from(0.3_f32));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBins`] if an end is not finite, the range is reversed, or `count` is 0 or more than
    /// [`MOST`](Self::MOST).
    pub fn even<V: Into<f64>>(range: Range<V>, count: u32) -> Result<Self> {
        let (low, high) = (range.start.into(), range.end.into());
        let is_finite = low.is_finite() && high.is_finite();
        let fault = match (high - low).is_finite() {
            _ if !is_finite => "not finite",
            _ if low > high => "reversed",
            true => "",
            false => "wider than any f64",
        };
        if !fault.is_empty() {
            let [low, high] = [low, high].map(Shown);
            return invalid(format!("the range {low:?}..{high:?} is {fault}"));
        }
        check_count(u64::from(count))?;
        let (low, high) = if low < high { (low, high) } else { (low - 0.5, high + 0.5) };
        Ok(Self(Kind::Even { low, high, count }))
    }

    /// Bins between edges of any distances, none less than the one before. Between equal edges there is no element, but in the last bin,
    /// which has its upper edge.
    ///
    /// ```
    /// use wgpu_reduce::{Bins, Error};
    ///
    /// assert_eq!(Bins::edges(&[1, 10, 100, 1000])?.count(), 3);
    /// assert!(matches!(Bins::edges(&[0.0, 2.0, 1.0]), Err(Error::InvalidBins { .. })));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBins`] if there are fewer than two edges or more than [`MOST`](Self::MOST) and one, or
    /// one is not finite or less than the one before.
    pub fn edges<V: Into<f64> + Copy>(edges: &[V]) -> Result<Self> {
        let edges: Arc<[f64]> = edges.iter().map(|&edge| edge.into()).collect();
        if edges.len() < 2 {
            return invalid(format!("too few edges, {}: a bin has two", edges.len()));
        }
        check_count(edges.len() as u64 - 1)?;
        if let Some(edge) = edges.iter().find(|edge| !edge.is_finite()) {
            return invalid(format!("the edge {} is not finite", Shown(*edge)));
        }
        if let Some([left, right]) = edges.windows(2).find(|pair| !pair.is_sorted()) {
            let [left, right] = [*left, *right].map(Shown);
            return invalid(format!("the edge {right} is less than {left}, the one before"));
        }
        Ok(Self(Kind::Edges(edges)))
    }

    /// How many bins there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        match &self.0 {
            Kind::Even { count, .. } => *count,
            // One more than bins, of which there are few enough.
            Kind::Edges(edges) => u32::try_from(edges.len()).unwrap_or(u32::MAX).saturating_sub(1),
        }
    }

    /// The edges that elements of a type are compared with, one more than there are bins.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBins`] if even bins are so narrow that two edges are the same number, or an end of theirs is
    /// rounded to infinity: 65520 and beyond of `f16`, 2^128 − 2^103 of `f32`, and 2^128 − 2^119 of `bf16`.
    pub fn edges_for(&self, element: ElementKind) -> Result<Vec<f64>> {
        let (low, high, count) = match &self.0 {
            Kind::Edges(edges) => return Ok(edges.to_vec()),
            Kind::Even { low, high, count } => (*low, *high, *count),
        };
        let edges = even_edges(low, high, count, element);
        if edges.iter().any(|edge| edge.is_infinite()) {
            let [low, high] = [low, high].map(Shown);
            return invalid(format!(
                "the range {low}..{high} has an end that is infinite as {element}"
            ));
        }
        check_all_differ(&edges)?;
        Ok(edges)
    }
}

/// As NumPy's `linspace` rounds them, and its `histogram` after it.
fn even_edges(low: f64, high: f64, count: u32, element: ElementKind) -> Vec<f64> {
    let bins = f64::from(count);
    let step = (high - low) / bins;
    let edge = |number: u32| match number {
        _ if number == count => high,
        // A range of a few subnormal numbers.
        _ if step == 0.0 => f64::from(number) / bins * (high - low) + low,
        _ => f64::from(number) * step + low,
    };
    (0..=count).map(|number| in_type(edge(number), element)).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "rounded as NumPy rounds")]
fn in_type(edge: f64, element: ElementKind) -> f64 {
    match element.rounding() {
        Some(rounding) => f64::from(rounding(cut_to_odd(edge))),
        None if element.number() == Number::F32 => f64::from(edge as f32),
        None => edge,
    }
}

/// An `f32` that is rounded to a float of fewer bits as the number itself is: once, to even. Conversions from `f64` may
/// round twice, by way of `f32`, or not see the lowest bits.
///
/// What an `f32` has no room for is cut off, and if that was anything the lowest bit is set. The other type has at least
/// two bits fewer, so this bit makes no tie, and of a tie that was none it makes none.
#[expect(clippy::cast_possible_truncation, reason = "rounded, and then cut off")]
fn cut_to_odd(number: f64) -> f32 {
    let nearest = number as f32;
    let is_farther = f64::from(nearest).abs() > number.abs();
    let bits = nearest.to_bits() - u32::from(is_farther);
    let is_cut = f64::from(f32::from_bits(bits)).to_bits() != number.to_bits();
    f32::from_bits(bits | u32::from(is_cut))
}

fn check_count(count: u64) -> Result<()> {
    if (1..=u64::from(Bins::MOST)).contains(&count) {
        return Ok(());
    }
    invalid(format!("{count} bins are not between 1 and {}", Bins::MOST))
}

/// As NumPy refuses bins of one width that have none.
fn check_all_differ(edges: &[f64]) -> Result<()> {
    match edges.windows(2).find(|pair| !matches!(pair, [left, right] if left < right)) {
        Some([left, right]) => {
            let [left, right] = [*left, *right].map(Shown);
            invalid(format!("the edge {right} is not larger than {left}, the one before"))
        }
        _ => Ok(()),
    }
}

fn invalid<R>(what: String) -> Result<R> {
    Err(Error::InvalidBins { what })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::element::Element;
    use half::{bf16, f16};

    #[test]
    fn bins_that_are_none_are_refused() {
        let refused = [
            Bins::even(0.0..1.0, 0),
            Bins::even(0.0..1.0, Bins::MOST + 1),
            Bins::even(1.0..0.0, 3),
            Bins::even(0.0..f64::INFINITY, 3),
            Bins::even(f64::NAN..0.0, 3),
            Bins::even(-f64::MAX..f64::MAX, 3),
            Bins::edges(&[0.0]),
            Bins::edges::<f32>(&[]),
            Bins::edges(&[0.0, f64::NAN]),
            Bins::edges(&[0, 2, 1]),
            Bins::edges(&[1.0, 1.0, 0.5]),
        ];
        for bins in refused {
            assert!(matches!(bins, Err(Error::InvalidBins { .. })), "{bins:?}");
        }
        // Too narrow for one type, and not for another.
        let narrow = Bins::even(1.0..1.000_001, 1000).unwrap();
        assert!(narrow.edges_for(ElementKind::F32).is_err());
        assert!(narrow.edges_for(ElementKind::I32).is_ok());
    }

    #[test]
    fn a_range_of_one_number_is_widened() {
        let bins = Bins::even(3..3, 2).unwrap();
        assert_eq!(bins.edges_for(ElementKind::U8).unwrap(), [2.5, 3.0, 3.5]);
    }

    #[test]
    fn edges_that_are_infinite_in_a_type_are_refused() {
        let refused = |bins: &Bins, element| {
            let outcome = bins.edges_for(element);
            let is_told = |what: &String| what.contains("infinite");
            matches!(&outcome, Err(Error::InvalidBins { what }) if is_told(what))
        };
        let least = |power: f64, below: f64| power - below / 2.0;
        // Halfway from the largest number to where the next one would be.
        let of_f16 = least(2.0_f64.powi(16), 2.0_f64.powi(5));
        let of_f32 = least(2.0_f64.powi(128), 2.0_f64.powi(104));
        let of_bfloat = least(2.0_f64.powi(128), 2.0_f64.powi(120));
        assert_eq!(of_f16.to_bits(), 65_520.0_f64.to_bits());
        for (element, end) in
            [(ElementKind::F16, of_f16), (ElementKind::Bf16, of_bfloat), (ElementKind::F32, of_f32)]
        {
            for count in [1, 3] {
                let (high, low) = (Bins::even(0.0..end, count), Bins::even(-end..0.0, count));
                for bins in [high.unwrap(), low.unwrap()] {
                    assert!(refused(&bins, element), "{bins:?} of {element}");
                    assert!(bins.edges_for(ElementKind::I32).is_ok());
                }
                let below = Bins::even(0.0..end.next_down(), count).unwrap();
                let edges = below.edges_for(element).unwrap();
                assert!(edges.iter().all(|edge| edge.is_finite()), "{edges:?}");
            }
        }
        // Others are not rounded: they are what elements are compared with.
        let far = Bins::edges(&[0.0, 1e300]).unwrap();
        assert_eq!(far.edges_for(ElementKind::F16).unwrap(), [0.0, 1e300]);
    }

    /// At each number, between it and the next, and on both sides of that.
    macro_rules! edges_are_rounded_once {
        ($($test:ident: $float:ident;)*) => {$(
            #[test]
            fn $test() {
                let bits = |number: f64| $float::from_f64(in_type(number, $float::KIND)).to_bits();
                // Halfway from 1 to the number behind it, which a part too small for f32 makes the nearest.
                let halfway = 1.0 + $float::EPSILON.to_f64() / 2.0;
                assert_eq!(bits(halfway), $float::ONE.to_bits());
                assert_eq!(bits(halfway + 2.0_f64.powi(-40)), $float::ONE.to_bits() + 1);
                for below in 0..$float::MAX.to_bits() {
                    let [low, high] = [below, below + 1].map(|bits| $float::from_bits(bits).to_f64());
                    let middle = f64::midpoint(low, high);
                    let even = if below % 2 == 0 { below } else { below + 1 };
                    for (number, nearest) in [
                        (low, below),
                        (low.next_up(), below),
                        (middle.next_down(), below),
                        (middle, even),
                        (middle.next_up(), below + 1),
                        (high.next_down(), below + 1),
                    ] {
                        assert_eq!(bits(number), nearest, "{number:e}");
                        assert_eq!(bits(-number), 0x8000 | nearest, "{number:e}");
                    }
                }
                assert_eq!(bits(f64::MAX), $float::INFINITY.to_bits());
            }
        )*};
    }
    edges_are_rounded_once! {
        edges_of_f16_are_rounded_once: f16;
        edges_of_bf16_are_rounded_once: bf16;
    }
}
