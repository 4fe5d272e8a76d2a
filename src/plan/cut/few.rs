//! Lists that mostly have one item.

use std::ops::Deref;

/// One thing, without an allocation, or several.
#[derive(Debug, Clone)]
pub(crate) enum Few<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> Few<T> {
    /// What `make` makes of each.
    pub(crate) fn map<U>(&self, make: impl Fn(&T) -> U) -> Few<U> {
        match self {
            Self::One(item) => Few::One(make(item)),
            Self::Many(items) => Few::Many(items.iter().map(make).collect()),
        }
    }

    /// These, and others behind them.
    pub(crate) fn and(self, others: Self) -> Self {
        self.into_iter().chain(others).collect()
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::One(item) => std::slice::from_ref(item),
            Self::Many(items) => items,
        }
    }
}

impl<T> From<Vec<T>> for Few<T> {
    fn from(items: Vec<T>) -> Self {
        Self::Many(items)
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Many(items.into_iter().collect())
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = std::iter::Chain<std::option::IntoIter<T>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        let (one, many) = match self {
            Self::One(item) => (Some(item), Vec::new()),
            Self::Many(items) => (None, items),
        };
        one.into_iter().chain(many)
    }
}
