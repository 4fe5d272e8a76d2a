//! Which elements of the sorted input a request asks for.

use crate::error::{Error, Result, Shown};

/// How a quantile between two elements is made of them: the nine methods of Hyndman and Fan, *Sample Quantiles in Statistical Packages*,
/// 1996, and four more, as `numpy.quantile` names them. [`Quantile`](crate::Quantile) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum QuantileMethod {
    /// Method 1: the first element at which the share of elements reaches the quantile.
    InvertedCdf,
    /// Method 2: as method 1, but the mean of two elements where the share is the quantile.
    AveragedInvertedCdf,
    /// Method 3: the element whose share is closest, of two the one with the even number, counted from 1.
    ClosestObservation,
    /// Method 4: interpolates the shares.
    InterpolatedInvertedCdf,
    /// Method 5: interpolates, each element amid its share.
    Hazen,
    /// Method 6: interpolates the means of the ranks.
    Weibull,
    /// Method 7, the default: interpolates from the first element at 0 to the last at 1.
    #[default]
    Linear,
    /// Method 8: interpolates so that the quantile's median is about right for any distribution.
    MedianUnbiased,
    /// Method 9: interpolates so that the quantile is about right for a normal distribution.
    NormalUnbiased,
    /// As `Linear`, but the lower of the two elements.
    Lower,
    /// As `Linear`, but the higher of the two elements.
    Higher,
    /// As `Linear`, but the mean of the two elements.
    Midpoint,
    /// As `Linear`, but the nearer of the two elements, of two as near the one with the even number, counted from 0.
    Nearest,
}

impl QuantileMethod {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::InvertedCdf,
        Self::AveragedInvertedCdf,
        Self::ClosestObservation,
        Self::InterpolatedInvertedCdf,
        Self::Hazen,
        Self::Weibull,
        Self::Linear,
        Self::MedianUnbiased,
        Self::NormalUnbiased,
        Self::Lower,
        Self::Higher,
        Self::Midpoint,
        Self::Nearest,
    ];

    /// NumPy's name.
    ///
    /// ```
    /// use wgpu_reduce::QuantileMethod;
    ///
    /// assert_eq!(QuantileMethod::default().name(), "linear");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvertedCdf => "inverted_cdf",
            Self::AveragedInvertedCdf => "averaged_inverted_cdf",
            Self::ClosestObservation => "closest_observation",
            Self::InterpolatedInvertedCdf => "interpolated_inverted_cdf",
            Self::Hazen => "hazen",
            Self::Weibull => "weibull",
            Self::Linear => "linear",
            Self::MedianUnbiased => "median_unbiased",
            Self::NormalUnbiased => "normal_unbiased",
            Self::Lower => "lower",
            Self::Higher => "higher",
            Self::Midpoint => "midpoint",
            Self::Nearest => "nearest",
        }
    }

    /// The method's constants: its place of a quantile is `(elements - less) * q + added - halves / 2`.
    pub(crate) const fn rule(self) -> Rule {
        match self {
            Self::ClosestObservation => Rule { less: 0, halves: 3 },
            Self::Linear | Self::Lower | Self::Higher | Self::Midpoint | Self::Nearest => {
                Rule { less: 1, halves: 0 }
            }
            _ => Rule { less: 0, halves: 2 },
        }
    }

    /// The term `added` of that.
    pub(crate) fn added(self, q: f64) -> f64 {
        // As if the elements at either end had shares `alpha` and `beta` outside of them.
        let spread = |alpha: f64, beta: f64| alpha + q * (1.0 - alpha - beta);
        match self {
            Self::InterpolatedInvertedCdf => spread(0.0, 1.0),
            Self::Hazen => spread(0.5, 0.5),
            Self::Weibull => spread(0.0, 0.0),
            Self::MedianUnbiased => spread(1.0 / 3.0, 1.0 / 3.0),
            Self::NormalUnbiased => spread(3.0 / 8.0, 3.0 / 8.0),
            _ => 0.0,
        }
    }

    /// The place of a quantile among so many elements. `shaders/order/quantiles.wgsl` has these steps and roundings, which are NumPy's. NumPy
    /// subtracts 1.0 and then 0.5, which from 0 on gives no other place.
    fn place(self, len: u64, q: f64) -> f64 {
        let Rule { less, halves } = self.rule();
        let product = (to_f64(len) - f64::from(less)) * q;
        product + self.added(q) - 0.5 * f64::from(halves)
    }

    /// The elements on both sides of that place: whatever the method makes of it, it takes no other.
    fn beside(self, len: u64, q: f64) -> [u64; 2] {
        let (place, last) = (self.place(len, q), len.saturating_sub(1));
        let below = to_rank(place.floor()).min(last);
        [below, below.saturating_add(1).min(last)]
    }

    /// Where a quantile of so many elements lies among them once they are sorted, counted from 0, and how the two beside that place are
    /// weighed. Steps and roundings are NumPy's.
    fn between(self, len: u64, q: f64) -> Between {
        let n = to_f64(len);
        let first = self.place(len, q);
        let place = match self {
            Self::InvertedCdf => upper_unless(first, |fraction, _| fraction == 0.0),
            Self::ClosestObservation => upper_unless(first, |fraction, below| {
                fraction == 0.0 && below.rem_euclid(2.0) > 0.5
            }),
            Self::Lower => first.floor(),
            Self::Higher => first.ceil(),
            Self::Midpoint => f64::midpoint(first.floor(), first.ceil()),
            Self::Nearest => first.round_ties_even(),
            _ => first,
        };
        let last = len.saturating_sub(1);
        if place < 0.0 {
            return Between::at(0);
        }
        if place >= n - 1.0 {
            return Between::at(last);
        }
        let below = to_rank(place.floor()).min(last);
        let fraction = place - place.floor();
        let share = match self {
            Self::AveragedInvertedCdf if fraction == 0.0 => 0.5,
            Self::AveragedInvertedCdf => 1.0,
            _ => fraction,
        };
        let above = below.saturating_add(1).min(last);
        match share {
            0.0 => Between::at(below),
            1.0 => Between::at(above),
            _ => Between { below, above, share },
        }
    }
}

/// Constants of a method's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) less: u8,
    pub(crate) halves: u8,
}

/// The place above, unless there is a reason for that below.
fn upper_unless(place: f64, is_lower: impl Fn(f64, f64) -> bool) -> f64 {
    let below = place.floor();
    let place = if is_lower(place - below, below) { below } else { below + 1.0 };
    place.max(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "rounded as NumPy rounds it")]
const fn to_f64(len: u64) -> f64 {
    len as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number that is not negative; more than 2^64 saturates"
)]
const fn to_rank(place: f64) -> u64 {
    place as u64
}

/// Two elements of the sorted input, and what share the second has in the result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Between {
    pub(crate) below: u64,
    pub(crate) above: u64,
    pub(crate) share: f64,
}

impl Between {
    const fn at(rank: u64) -> Self {
        Self { below: rank, above: rank, share: 0.0 }
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'a> {
    /// The element of a rank, counted from 0.
    Nth(u64),
    Quantiles(&'a [f64], QuantileMethod),
    /// Of the elements that are not NaN, of which only the device knows how many there are.
    OfNumbers(&'a [f64], QuantileMethod),
    /// The element of a rank with its index; of equal elements those with lesser indices come first.
    Located {
        rank: u64,
        extent: Extent,
    },
}

/// What is wanted with the element of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Nothing else.
    Alone,
    /// All that come before it.
    UpTo,
    /// All that come before it where the largest element is the first.
    DownTo,
}

/// The order statistics of a request, as data.
#[derive(Debug, Clone, Copy)]
pub struct Ranks<'a> {
    pub(crate) name: &'static str,
    pub(crate) wanted: Wanted<'a>,
}

/// Ranks of elements, and which of them make each result.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// In their order, and at least one. None is there twice, but of numbers two for each quantile.
    pub(crate) ranks: Vec<u64>,
    /// Of each result.
    pub(crate) results: Vec<Between>,
}

impl Ranks<'_> {
    /// Where indices are wanted, of what.
    pub(crate) const fn extent(&self) -> Option<Extent> {
        match self.wanted {
            Wanted::Located { extent, .. } => Some(extent),
            Wanted::Nth(_) | Wanted::Quantiles(..) | Wanted::OfNumbers(..) => None,
        }
    }

    /// The quantiles, if only numbers count and elements may be none.
    pub(crate) const fn of_numbers(&self, are_floats: bool) -> Option<(&[f64], QuantileMethod)> {
        match self.wanted {
            Wanted::OfNumbers(quantiles, method) if are_floats && !quantiles.is_empty() => {
                Some((quantiles, method))
            }
            _ => None,
        }
    }

    /// The same of one element, which has rank 0.
    pub(crate) const fn of_one(self) -> Self {
        let wanted = match self.wanted {
            Wanted::Located { extent, .. } => Wanted::Located { rank: 0, extent },
            _ => Wanted::Nth(0),
        };
        Self { wanted, ..self }
    }

    /// The quantiles that are wanted, if some are.
    pub(crate) const fn quantiles(&self) -> &[f64] {
        match self.wanted {
            Wanted::Quantiles(quantiles, _) | Wanted::OfNumbers(quantiles, _) => quantiles,
            Wanted::Nth(_) | Wanted::Located { .. } => &[],
        }
    }

    /// Fails where a quantile is none.
    pub(crate) fn check(&self) -> Result<()> {
        match self.quantiles().iter().find(|q| !(0.0..=1.0).contains(*q)) {
            Some(q) => {
                let what = format!("the quantile {} is not between 0 and 1", Shown(*q));
                Err(Error::InvalidRank { what })
            }
            None => Ok(()),
        }
    }

    /// The ranks that are to be found of so many elements. Of floats the last is one of them, where a NaN counts: it is NaN if any element is.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] of no elements, [`Error::InvalidRank`] where there is no such rank or quantile.
    pub(crate) fn find(&self, len: u64, are_floats: bool) -> Result<Found> {
        let Some(last) = len.checked_sub(1) else {
            return Err(Error::Empty { operation: self.name });
        };
        let results = match self.wanted {
            Wanted::Nth(rank) | Wanted::Located { rank, extent: Extent::Alone } if rank > last => {
                let what = format!("{len} elements have no rank {rank}, counted from 0");
                return Err(Error::InvalidRank { what });
            }
            Wanted::Located { rank, .. } if rank > last => {
                let what = format!("{len} elements are less than {}", u128::from(rank) + 1);
                return Err(Error::InvalidRank { what });
            }
            Wanted::Nth(rank) | Wanted::Located { rank, .. } => vec![Between::at(rank)],
            Wanted::Quantiles(quantiles, method) | Wanted::OfNumbers(quantiles, method) => {
                self.check()?;
                quantiles.iter().map(|&q| method.between(len, q)).collect()
            }
        };
        if let Some((quantiles, method)) = self.of_numbers(are_floats) {
            let mut ranks: Vec<_> = quantiles.iter().flat_map(|&q| method.beside(len, q)).collect();
            ranks.sort_unstable();
            return Ok(Found { ranks, results });
        }
        let ends =
            if are_floats && matches!(self.wanted, Wanted::Quantiles(..)) { last } else { 0 };
        let of_results = results.iter().flat_map(|of: &Between| [of.below, of.above]);
        let mut ranks: Vec<_> = of_results.collect();
        if ends > 0 || ranks.is_empty() {
            ranks.push(ends);
        }
        ranks.sort_unstable();
        ranks.dedup();
        Ok(Found { ranks, results })
    }
}

impl Found {
    /// Which of the ranks is this one.
    pub(crate) fn number_of(&self, rank: u64) -> usize {
        self.ranks.partition_point(|&other| other < rank)
    }
}
