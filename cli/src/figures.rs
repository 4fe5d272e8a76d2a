//! What an operation results in, for printing: one number, or several with names.

use crate::number::Number;
use serde::{Serialize, Serializer};
use std::fmt;
use wgpu_reduce::{Extrema, Located, Statistics};

/// Numbers with their names, in an order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figures(Vec<(&'static str, Number)>);

impl Figures {
    /// The name of a number that is all there is.
    pub(crate) const ONLY: &str = "value";

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, Number)> {
        self.0.iter().copied()
    }

    /// The first number, which is all there is of most results.
    pub(crate) fn first(&self) -> Number {
        self.0.first().map_or(Number::Bool(false), |&(_, number)| number)
    }

    /// The last number, which of what has an index is the value.
    pub(crate) fn last(&self) -> Number {
        self.0.last().map_or(Number::Bool(false), |&(_, number)| number)
    }

    /// Keeps the names, with other numbers.
    pub(crate) fn with(&self, numbers: impl IntoIterator<Item = Number>) -> Self {
        Self(self.0.iter().zip(numbers).map(|(&(name, _), number)| (name, number)).collect())
    }

    pub(crate) fn is_single(&self) -> bool {
        matches!(&self.0[..], [(Self::ONLY, _)])
    }

    /// Whether figures are equal to the last bit, any NaN being the same.
    pub(crate) fn same_bits(&self, other: &Self) -> bool {
        let pairs = self.iter().zip(other.iter());
        pairs.into_iter().all(|((_, one), (_, other))| one.same_bits(other))
    }
}

impl<N: Into<Number>> From<N> for Figures {
    fn from(number: N) -> Self {
        Self(vec![(Self::ONLY, number.into())])
    }
}

impl<T: Into<Number>> From<Extrema<T>> for Figures {
    fn from(extrema: Extrema<T>) -> Self {
        Self(vec![("min", extrema.min.into()), ("max", extrema.max.into())])
    }
}

impl<T: Into<Number>> From<Located<T>> for Figures {
    fn from(located: Located<T>) -> Self {
        Self(vec![("index", located.index.into()), ("value", located.value.into())])
    }
}

impl<T, S, M> From<Statistics<T, S, M>> for Figures
where
    T: Into<Number>,
    S: Into<Number>,
    M: Into<Number>,
{
    fn from(statistics: Statistics<T, S, M>) -> Self {
        let Statistics { count, min, max, sum, mean, variance } = statistics;
        Self(vec![
            ("count", count.into()),
            ("min", min.value.into()),
            ("argmin", min.index.into()),
            ("max", max.value.into()),
            ("argmax", max.index.into()),
            ("sum", sum.into()),
            ("mean", mean.into()),
            ("variance", variance.into()),
        ])
    }
}

/// A number as it is, several with their names.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, number)) in self.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            if !self.is_single() {
                write!(f, "{name} ")?;
            }
            number.fmt(f)?;
        }
        Ok(())
    }
}

/// A number as it is, several as an object.
impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [(Self::ONLY, number)] => number.serialize(serializer),
            several => serializer.collect_map(several.iter().map(|(name, number)| (name, number))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Figures;
    use wgpu_reduce::{Extrema, Located};

    #[test]
    fn one_number_has_no_name() {
        let figures = Figures::from(0.5_f32);
        assert_eq!(figures.to_string(), "0.5");
        assert_eq!(serde_json::to_string(&figures).unwrap(), "0.5");
    }

    #[test]
    fn several_numbers_have_names() {
        let figures = Figures::from(Extrema { min: -1, max: 7 });
        assert_eq!(figures.to_string(), "min -1, max 7");
        assert_eq!(serde_json::to_string(&figures).unwrap(), r#"{"min":-1,"max":7}"#);
        let figures = Figures::from(Located { index: 3, value: f32::NAN });
        assert_eq!(serde_json::to_string(&figures).unwrap(), r#"{"index":3,"value":"NaN"}"#);
        assert_eq!(figures.to_string(), "index 3, value NaN");
        assert!(figures.same_bits(&figures.clone()));
    }
}
