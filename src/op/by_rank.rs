//! Order statistics that are known when the program runs, of elements whose type is known as late.

use super::decode::{nth, value};
use super::element::{ElementKind, Number};
use super::fold::{Fold, Folds, Left};
use super::quantiles::{Ranked, figures, left_bytes, ranked_len, to_f32};
use super::ranks::{Extent, Found, Ranks, Wanted};
use super::top::{BYTES, place};
use crate::error::{Error, Result};
use std::collections::BinaryHeap;

/// An order statistic, whatever the type of the elements.
pub trait ByRank {
    /// What it looks for.
    fn folds(&self) -> Folds<'_>;
}

impl<F: Fold<f32>> ByRank for F {
    fn folds(&self) -> Folds<'_> {
        Fold::folds(self)
    }
}

/// What an order statistic finds in a row.
#[derive(Debug, Clone, PartialEq)]
pub enum InRow {
    /// Indices, and elements as a device leaves them, in their order. An index is 0 unless it is wanted, and zeros follow 32 bits.
    Elements(Vec<(u64, u64)>),
    /// Figures, each of which is an `f32` if elements are floats of up to 32 bits.
    Figures(Vec<f64>),
}

/// Makes of what a device has left of rows what they come to.
pub(crate) struct Finder<'a> {
    ranks: Ranks<'a>,
    /// The ranks in so many elements: rows are as long as each other, though not all have as many numbers.
    kept: Option<(u64, Found)>,
}

/// Calls a function with the type of 64 bits that has all values of a type of elements.
macro_rules! as_wide {
    ($kind:expr, $function:ident($($given:expr),*)) => {
        match $kind.number() {
            Number::F32 | Number::F64 => $function::<f64>($($given),*),
            Number::I32 | Number::I64 => $function::<i64>($($given),*),
            Number::U32 | Number::U64 => $function::<u64>($($given),*),
        }
    };
}

impl<'a> Finder<'a> {
    pub(crate) const fn new(ranks: Ranks<'a>) -> Self {
        Self { ranks, kept: None }
    }

    /// What is found in one row.
    pub(crate) fn find(&mut self, left: Left<'_>) -> Result<InRow> {
        Ok(match self.ranks.wanted {
            Wanted::Nth(_) => InRow::Elements(vec![(0, bits(left.element, left.bytes)?)]),
            Wanted::Located { extent, .. } => InRow::Elements(located(extent, left)?),
            Wanted::Quantiles(..) | Wanted::OfNumbers(..) => {
                let found = self.found(left)?;
                InRow::Figures(as_wide!(left.element, figures_of(left, found))?)
            }
        })
    }

    fn found(&mut self, left: Left<'_>) -> Result<&Found> {
        let len = ranked_len(&self.ranks, left.element, left)?;
        let kept = match self.kept.take() {
            Some(kept) if kept.0 == len => kept,
            _ => (len, self.ranks.find(len, left.element.is_float())?),
        };
        Ok(&self.kept.insert(kept).1)
    }
}

/// Elements with their indices, in their order.
fn located(extent: Extent, left: Left<'_>) -> Result<Vec<(u64, u64)>> {
    let kind = left.element;
    let read = |bytes: &[u8]| {
        let element = bytes.get(8..).unwrap_or_default();
        let key = as_wide!(kind, key(kind, element))?;
        Ok((place(extent, key, value(bytes)?), bits(kind, element)?))
    };
    let all = left.bytes.chunks_exact(BYTES).map(read);
    if all.len() == 0 && left.len > 0 {
        return Err(Error::Internal { message: format!("{} bytes came back", left.bytes.len()) });
    }
    // Takes less code than other ways to sort.
    let all = all.collect::<Result<BinaryHeap<_>>>()?.into_sorted_vec();
    Ok(all.into_iter().map(|((_, index), bits)| (index, bits)).collect())
}

/// The quantiles of a row.
fn figures_of<T: Ranked<Figure = f64>>(left: Left<'_>, found: &Found) -> Result<Vec<f64>> {
    let (kind, size) = (left.element, left_bytes(left.element));
    let elements = (0..found.ranks.len()).map(|number| read(kind, nth(left.bytes, number, size)));
    let figures = figures::<T>(found, &elements.collect::<Result<Vec<_>>>()?);
    let is_short = kind.number() == Number::F32;
    let rounded = |figure| if is_short { to_f32(figure).into() } else { figure };
    Ok(figures.into_iter().map(rounded).collect())
}

fn key<T: Ranked>(kind: ElementKind, bytes: &[u8]) -> Result<u64> {
    read::<T>(kind, bytes).map(T::key)
}

/// An element, as the type of 64 bits that has all values of its type.
fn read<T: Ranked>(kind: ElementKind, bytes: &[u8]) -> Result<T> {
    T::read(&match kind.number() {
        Number::F32 => f64::from(value::<f32>(bytes)?).to_le_bytes(),
        Number::I32 => i64::from(value::<i32>(bytes)?).to_le_bytes(),
        Number::U32 => u64::from(value::<u32>(bytes)?).to_le_bytes(),
        Number::F64 | Number::I64 | Number::U64 => value(bytes)?,
    })
}

fn bits(kind: ElementKind, bytes: &[u8]) -> Result<u64> {
    if kind.number().has_64_bits() { value(bytes) } else { value::<u32>(bytes).map(u64::from) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::narrow::Narrow;
    use crate::op::{ArgNth, BottomK, InterquartileRange, Located, NanQuantiles, Nth, TopK};
    use crate::op::{QuantileMethod, Quantiles};
    use bytemuck::Pod;
    use half::{bf16, f16};

    /// Finds in one row.
    fn found<T: Ranked>(statistic: &dyn ByRank, bytes: &[u8], len: u64) -> InRow {
        let Folds::Ranks(ranks) = statistic.folds() else { panic!("an operation") };
        let left = Left { bytes, element: T::KIND, len, digits: None };
        Finder::new(ranks).find(left).unwrap()
    }

    /// As the fold of elements of a known type makes it of the bytes.
    fn finished<T: Ranked, F: Fold<T>>(fold: &F, bytes: &[u8], len: u64) -> F::Output {
        fold.finisher().finish(Left { bytes, element: T::KIND, len, digits: None }).unwrap()
    }

    fn in_words<W: Pod>(wide: W) -> u64 {
        let mut bits = [0; 8];
        bits[..size_of::<W>()].copy_from_slice(bytemuck::bytes_of(&wide));
        u64::from_le_bytes(bits)
    }

    /// Quantiles and located elements, from bytes as a device leaves them.
    fn check<T, W>(values: &[T], wide: impl Fn(T) -> W, into: impl Fn(T::Figure) -> f64)
    where
        T: Ranked,
        W: Pod,
    {
        let len = values.len() as u64;
        let mut sorted = values.to_vec();
        sorted.sort_by(T::order);
        let last = sorted.len() - 1;
        for method in QuantileMethod::ALL {
            let fold = Quantiles::new([0.1, 0.5, 0.75]).method(method);
            let Folds::Ranks(ranks) = Fold::<T>::folds(&fold) else { panic!("an operation") };
            let wanted = ranks.find(len, T::KIND.is_float()).unwrap().ranks;
            let bytes: Vec<u8> = wanted
                .iter()
                .flat_map(|&rank| {
                    bytemuck::bytes_of(&wide(sorted[usize::try_from(rank).unwrap()])).to_vec()
                })
                .collect();
            let figures = finished::<T, _>(&fold, &bytes, len).into_iter().map(&into);
            let figures: Vec<_> = figures.map(f64::to_bits).collect();
            let InRow::Figures(row) = found::<T>(&fold, &bytes, len) else { panic!("elements") };
            assert_eq!(
                row.into_iter().map(f64::to_bits).collect::<Vec<_>>(),
                figures,
                "{method:?}"
            );
        }
        let nth = Nth { rank: last as u64 };
        let bytes = bytemuck::bytes_of(&wide(sorted[last])).to_vec();
        assert_eq!(
            found::<T>(&nth, &bytes, len),
            InRow::Elements(vec![(0, in_words(wide(sorted[last])))])
        );
        // In any order.
        let records: Vec<u8> = values
            .iter()
            .enumerate()
            .rev()
            .flat_map(|(index, &value)| [index as u64, in_words(wide(value))])
            .flat_map(u64::to_le_bytes)
            .collect();
        let pairs = |all: Vec<Located<T>>| {
            let pair = |Located { index, value }| (index, in_words(wide(value)));
            InRow::Elements(all.into_iter().map(pair).collect())
        };
        let (top, bottom) = (TopK { k: len }, BottomK { k: len });
        assert_eq!(found::<T>(&top, &records, len), pairs(finished(&top, &records, len)));
        assert_eq!(found::<T>(&bottom, &records, len), pairs(finished(&bottom, &records, len)));
    }

    #[test]
    fn results_are_those_of_folds_whose_type_is_known() {
        let floats = [2.5_f32, f32::INFINITY, -0.0, 0.0, -7.25, 2.5, f32::NEG_INFINITY, 1e-40];
        check(&floats, |value| value, f64::from);
        check(&[floats.to_vec(), vec![f32::NAN]].concat(), |value| value, f64::from);
        check(&floats.map(f64::from), |value| value, |figure| figure);
        check(&floats.map(f16::from_f32), Narrow::widened, f64::from);
        check(&floats.map(bf16::from_f32), Narrow::widened, f64::from);
        check(&[3_i8, -128, 127, 3, 0], Narrow::widened, |figure| figure);
        check(&[3_u8, 255, 0, 3], Narrow::widened, |figure| figure);
        check(&[3_i16, -32768, 32767, 3, 0], Narrow::widened, |figure| figure);
        check(&[3_u16, 65535, 0, 3], Narrow::widened, |figure| figure);
        check(&[3, i32::MIN, i32::MAX, 3, 0], |value| value, |figure| figure);
        check(&[3, u32::MAX, 0, 3], |value| value, |figure| figure);
        check(&[3, i64::MIN, i64::MAX, i64::MAX - 1, 3, 0], |value| value, |figure| figure);
        check(&[3, u64::MAX, u64::MAX - 1, 0, 3], |value| value, |figure| figure);
    }

    #[test]
    fn only_numbers_count_where_a_device_has_counted_them() {
        let statistic = NanQuantiles::new([0.5]);
        let of = |numbers: u64, elements: [f32; 2]| {
            let bytes = [bytemuck::bytes_of(&elements), &numbers.to_le_bytes()].concat();
            found::<f32>(&statistic, &bytes, 10)
        };
        assert_eq!(of(4, [1.0, 2.0]), InRow::Figures(vec![1.5]));
        // The device ranks a NaN then.
        let InRow::Figures(none) = of(1, [f32::NAN; 2]) else { panic!("elements") };
        assert!(none[0].is_nan());
    }

    #[test]
    fn bytes_that_are_too_few_are_an_error() {
        for statistic in [&Nth { rank: 0 } as &dyn ByRank, &InterquartileRange, &ArgNth { rank: 0 }]
        {
            let Folds::Ranks(ranks) = statistic.folds() else { panic!("an operation") };
            let left = Left { bytes: &[1, 2], element: ElementKind::F64, len: 3, digits: None };
            assert!(Finder::new(ranks).find(left).is_err());
        }
    }
}
