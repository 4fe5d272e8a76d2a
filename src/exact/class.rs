//! What a sum is beside its digits.

use super::format::Binary;

/// What the elements so far make of the sum, in the order in which one overrules another.
///
/// The class of a whole is the greater one of its two parts, except that the two infinities make NaN. So
/// the order in which parts are combined does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Class {
    /// No elements.
    Empty,
    /// Elements, every one of them −0.
    NegativeZeros,
    /// The digits are the sum.
    Finite,
    /// +inf among the elements.
    PositiveInfinity,
    /// −inf among the elements.
    NegativeInfinity,
    /// NaN among the elements, or both infinities.
    Nan,
}

impl Class {
    /// All of them; the place is the code in serialised form.
    const ALL: [Self; 6] = [
        Self::Empty,
        Self::NegativeZeros,
        Self::Finite,
        Self::PositiveInfinity,
        Self::NegativeInfinity,
        Self::Nan,
    ];

    /// The class of one element, by its bits: a processor may be told to take subnormal numbers for zero.
    pub(super) fn of<T: Binary>(element: T) -> Self {
        let (sign, infinity) = (T::FORMAT.sign(), T::FORMAT.infinity());
        let bits = element.into_word();
        match (bits & !sign, bits & sign != 0) {
            (magnitude, _) if magnitude > infinity => Self::Nan,
            (magnitude, false) if magnitude == infinity => Self::PositiveInfinity,
            (magnitude, true) if magnitude == infinity => Self::NegativeInfinity,
            (0, true) => Self::NegativeZeros,
            _ => Self::Finite,
        }
    }

    /// The class of the product of two elements. None is so small that it is zero.
    pub(super) fn of_product<T: Binary>(left: T, right: T) -> Self {
        let (sign, infinity) = (T::FORMAT.sign(), T::FORMAT.infinity());
        let (left, right) = (left.into_word(), right.into_word());
        let [a, b] = [left & !sign, right & !sign];
        let is_negative = (left ^ right) & sign != 0;
        let (has_zero, has_infinity) = (a == 0 || b == 0, a == infinity || b == infinity);
        if a > infinity || b > infinity || (has_zero && has_infinity) {
            return Self::Nan;
        }
        match (has_infinity, has_zero, is_negative) {
            (true, _, false) => Self::PositiveInfinity,
            (true, _, true) => Self::NegativeInfinity,
            (false, true, true) => Self::NegativeZeros,
            _ => Self::Finite,
        }
    }

    /// The class of two parts together.
    pub(crate) fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::PositiveInfinity, Self::NegativeInfinity)
            | (Self::NegativeInfinity, Self::PositiveInfinity) => Self::Nan,
            _ => self.max(other),
        }
    }

    pub(super) fn code(self) -> u8 {
        self as u8
    }

    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Class;

    #[test]
    fn joining_is_commutative_associative_and_has_an_identity() {
        for a in Class::ALL {
            assert_eq!(Class::from_code(a.code()), Some(a));
            assert_eq!(Class::Empty.join(a), a);
            assert_eq!(a.join(a), a);
            for b in Class::ALL {
                assert_eq!(a.join(b), b.join(a));
                for c in Class::ALL {
                    assert_eq!(a.join(b).join(c), a.join(b.join(c)));
                }
            }
        }
        assert_eq!(Class::from_code(6), None);
    }
}
