//! How near a result must be to the one that is expected.

/// Whether a result is no farther from the expected one than `bound`, or the same: NaN as NaN, an infinity as itself. A
/// bound that is infinite or NaN allows nothing but the same.
///
/// ```
/// use wgpu_reduce_known::agrees;
///
/// assert!(agrees(1000.5, 1000.0, 0.5) && !agrees(1000.5, 1000.0, 0.4));
/// assert!(agrees(f64::NAN, f64::NAN, 0.0) && !agrees(f64::NAN, 1000.0, f64::INFINITY));
/// assert!(!agrees(f64::INFINITY, 1000.0, f64::INFINITY));
/// assert!(!agrees(1000.5, 1000.0, f64::NAN));
/// ```
#[must_use]
#[expect(clippy::float_cmp, reason = "infinities are the same or not")]
pub fn agrees(result: f64, expected: f64, bound: f64) -> bool {
    let is_same = if expected.is_nan() { result.is_nan() } else { result == expected };
    is_same || bound.is_finite() && (result - expected).abs() <= bound
}

/// Whether a sum of elements of which none is negative [agrees] with the real one to within `bound`,
/// that of the plan it came from, and one rounding of the sum itself.
///
/// ```
/// use wgpu_reduce_known::is_near;
///
/// assert!(is_near(1000.0, 1000.0, 0.0));
/// assert!(is_near(1000.5, 1000.0, 0.5));
/// assert!(!is_near(1000.5, 1000.0, 0.4));
/// assert!(!is_near(f32::NAN, 1000.0, f64::MAX));
/// assert!(!is_near(1.0, f64::INFINITY, 0.5));
/// ```
#[must_use]
pub fn is_near(sum: f32, expected: f64, bound: f64) -> bool {
    agrees(sum.into(), expected, bound + expected * f64::from(f32::EPSILON))
}

/// What the sum of products of floats may be where partial sums may leave the range of their type. They are infinite then,
/// and NaN where infinities of both signs meet. Which of these a sum is depends on the order of the additions.
///
/// ```
/// use wgpu_reduce_known::Overflowing;
///
/// let mut sum = Overflowing::single();
/// [3e38, 2e38, -1e38].into_iter().for_each(|term| sum.add(term, 1.0));
/// assert!(sum.allows(f64::INFINITY, 2));
/// // Negative terms are few.
/// assert!(!sum.allows(f64::NEG_INFINITY, 2) && !sum.allows(f64::NAN, 2));
/// // The sum of all is beyond the range.
/// assert!(!sum.allows(3e38, 2));
/// sum.add(-1e38, 1.0);
/// assert!(sum.allows(3e38, 3) && !sum.allows(2.9e38, 3));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Overflowing {
    /// The largest number, divided as terms are.
    most: f64,
    least_normal: f64,
    epsilon: f64,
    /// What positive and negative terms add up to, divided. Infinite only where a term is.
    above: Compensated,
    below: Compensated,
    has_nan: bool,
    /// Whether a subnormal number meets infinity, which makes NaN on devices that take it for 0.
    may_have_nan: bool,
}

/// Either factor is divided by 2^512, so that no term and no sum is beyond the range of `f64`. What gets lost at its lower end is
/// less than the largest number by far.
const DOWN: f64 = f64::from_bits((1023 - 512) << 52);

impl Overflowing {
    const fn of(most: f64, least_normal: f64, epsilon: f64) -> Self {
        Self {
            most: most * DOWN * DOWN,
            least_normal,
            epsilon,
            above: Compensated::ZERO,
            below: Compensated::ZERO,
            has_nan: false,
            may_have_nan: false,
        }
    }

    /// A sum of no terms, in `f32`.
    #[must_use]
    pub const fn single() -> Self {
        Self::of(f32::MAX as f64, f32::MIN_POSITIVE as f64, f32::EPSILON as f64)
    }

    /// A sum of no terms, in `f64`.
    #[must_use]
    pub const fn double() -> Self {
        Self::of(f64::MAX, f64::MIN_POSITIVE, f64::EPSILON)
    }

    /// Adds a product.
    pub fn add(&mut self, a: f64, b: f64) {
        let term = (a * DOWN) * (b * DOWN);
        let is_subnormal = |number: f64| number.abs() > 0.0 && number.abs() < self.least_normal;
        // Divided, a factor may have become 0.
        let is_infinite = a.is_infinite() && b.abs() > 0.0 || b.is_infinite() && a.abs() > 0.0;
        if is_infinite {
            let is_negative = a.is_sign_negative() != b.is_sign_negative();
            (if is_negative { &mut self.below } else { &mut self.above }).add(f64::INFINITY);
            self.may_have_nan |= is_subnormal(a) || is_subnormal(b);
        } else if term.is_nan() {
            self.has_nan = true;
        } else if term > 0.0 {
            self.above.add(term);
        } else {
            self.below.add(-term);
        }
    }

    /// Whether the terms may add up to this, with so many roundings on the way of each.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a bound; counts are far below 2^53")]
    pub fn allows(&self, sum: f64, roundings: u64) -> bool {
        if self.has_nan {
            return sum.is_nan();
        }
        // Twice what they come to, and products round, too.
        let part = (roundings as f64 + 2.0) * self.epsilon;
        let (above, below) = (self.above.total(), self.below.total());
        let bound = part * (above + below);
        // Partial sums that are not infinite are not beyond the largest number.
        let is_beyond = |terms: f64| terms + part * (terms + self.most) >= self.most;
        let (up, down) = (is_beyond(above), is_beyond(below));
        if sum.is_nan() {
            return up && down || self.may_have_nan;
        }
        if sum.is_infinite() {
            // An infinite term of the other sign makes NaN of it.
            let is_negative = sum.is_sign_negative();
            let (reached, against) = if is_negative { (down, above) } else { (up, below) };
            return reached && against.is_finite();
        }
        bound.is_finite() && agrees(sum * DOWN * DOWN, above - below, bound)
    }
}

/// Neumaier's sum of numbers that are not negative: the rounding errors of the additions are added up, too.
#[derive(Debug, Clone, Copy)]
struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    const ZERO: Self = Self { sum: 0.0, lost: 0.0 };

    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let (large, small) = if self.sum >= value { (self.sum, value) } else { (value, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }

    fn total(self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

#[cfg(test)]
mod tests {
    use super::{Overflowing, agrees};

    const INF: f64 = f64::INFINITY;

    #[test]
    fn a_bound_that_is_no_number_allows_nothing_but_the_same() {
        let values = [0.0, 1.0, 1e300, f64::MAX, INF, -INF, f64::NAN];
        for bound in [INF, -INF, f64::NAN] {
            for (result, expected) in values.into_iter().flat_map(|a| values.map(|b| (a, b))) {
                let is_same = result.to_bits() == expected.to_bits();
                assert_eq!(agrees(result, expected, bound), is_same, "{result} and {expected}");
            }
        }
        // Not even the largest bound reaches them.
        for (result, expected) in
            [(INF, 1.0), (1.0, INF), (INF, -INF), (f64::NAN, 1.0), (1.0, f64::NAN)]
        {
            assert!(!agrees(result, expected, f64::MAX), "{result} and {expected}");
        }
    }

    fn of(mut sum: Overflowing, terms: &[(f64, f64)]) -> Overflowing {
        for &(a, b) in terms {
            sum.add(a, b);
        }
        sum
    }

    /// Sums, and which of infinity, −infinity, NaN and a number they may be.
    #[test]
    fn sums_that_overflow_are_what_an_order_of_additions_makes_them() {
        for (empty, most) in
            [(Overflowing::single(), f64::from(f32::MAX)), (Overflowing::double(), f64::MAX)]
        {
            let root = most.sqrt() * 0.75;
            let tiny = f64::from_bits(1);
            for (terms, number, expected) in [
                (&[(most, 1.0)][..], most, [true, false, false, true]),
                (&[(most / 4.0, 1.0); 3], most / 4.0 * 3.0, [false, false, false, true]),
                (&[(most, 1.0), (most, 1.0)], most, [true, false, false, false]),
                (&[(most, 1.0), (-most, 1.0)], 0.0, [true, true, true, true]),
                (&[(most, 1.0), (-most, 1.0)], most / 2.0, [true, true, true, false]),
                (&[(most, 1.0), (most, 1.0), (-most, 1.0)], most, [true, true, true, true]),
                (
                    &[(-most, 1.0), (-most, 1.0), (most / 2.0, 1.0)],
                    -most,
                    [false, true, false, false],
                ),
                (&[(root, root), (root, root)], 0.0, [true, false, false, false]),
                (&[(most, -most), (1.0, 1.0)], 1.0, [false, true, false, false]),
                (&[(INF, 1.0), (1.0, 1.0)], 1.0, [true, false, false, false]),
                (&[(INF, 1.0), (-most, 2.0)], 1.0, [true, false, true, false]),
                (&[(INF, -1.0), (INF, 1.0)], 0.0, [false, false, true, false]),
                (&[(INF, 0.0), (most, 2.0)], 0.0, [false, false, true, false]),
                (&[(f64::NAN, 1.0)], 1.0, [false, false, true, false]),
                (&[(INF, -tiny)], 0.0, [false, true, true, false]),
            ] {
                let sum = of(empty, terms);
                let allowed = [INF, -INF, f64::NAN, number].map(|sum_is| sum.allows(sum_is, 8));
                assert_eq!(allowed, expected, "{terms:?}");
            }
        }
    }

    /// The sum of a million terms is as near as that of a few.
    #[test]
    fn many_terms_lose_nothing() {
        for (part, may_be_infinite) in [(1.0 - 1e-13, false), (1.0 + 1e-13, true)] {
            let term = f64::MAX / 1e6 * part;
            let sum = of(Overflowing::double(), &vec![(term, 1.0); 1_000_000]);
            assert_eq!(sum.allows(INF, 8), may_be_infinite, "{part}");
        }
    }
}
