//! What a sum is beside its digits.

/// What the elements so far make of the sum, in the order in which one overrules another.
///
/// Of two parts the greater class is that of the whole, except that the two infinities make NaN. So
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

    /// The class of one element. An `f64` holds every `f32`, and the product of any two, exactly.
    pub(super) fn of(element: f64) -> Self {
        if element.is_nan() {
            Self::Nan
        } else if element == f64::INFINITY {
            Self::PositiveInfinity
        } else if element == f64::NEG_INFINITY {
            Self::NegativeInfinity
        } else if element == 0.0 && element.is_sign_negative() {
            Self::NegativeZeros
        } else {
            Self::Finite
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
