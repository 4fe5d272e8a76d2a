//! Figures of a file's elements: of all, or of those that a mask leaves.

use crate::data::{CHANNELS, Data};
use crate::found::{Found, arg_max, arg_min, count_nan, mean, stats, sum};
use crate::{object, thrown};
use js_sys::{Array, Object};
use std::fmt::Debug;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};
use wgpu_reduce::{AnyOperation, AnySlices, ElementKind, GpuBuffer, Result, View};
use wgpu_reduce_npy::Shape;

/// A byte for each element, 1 if it counts, and how many count. Without a mask all do.
pub(crate) type Mask<'a> = Option<(&'a GpuBuffer<u8>, u64)>;

#[wasm_bindgen]
impl Data {
    /// An object of figures for each channel, or for all elements: `name`, `count`, `nan`, `min`, `minAt`, `max`,
    /// `maxAt`, `sum` and `mean` as texts, `quartiles` as an array of texts, `deviation` as a number. What there is not
    /// is undefined.
    ///
    /// # Errors
    ///
    /// The device was lost, or has no memory for what lies between.
    pub async fn stats(&self) -> std::result::Result<Array, JsError> {
        let figures = self.figures(None).await.map_err(|error| thrown(&error))?;
        Ok(figures.into_iter().map(Figures::into_object).collect())
    }
}

impl Data {
    /// Figures for each channel, or for all elements, of those that count.
    pub(crate) async fn figures(&self, mask: Mask<'_>) -> Result<Vec<Figures>> {
        match &self.image {
            _ if self.len == 0 => Ok(vec![Figures::of_none()]),
            Some(image) => self.of_channels(image.width, mask).await,
            None => self.of_elements(mask).await.map(|figures| vec![figures]),
        }
    }

    /// Of the pixels' channels: a reduction along an axis.
    async fn of_channels(&self, width: u64, mask: Mask<'_>) -> Result<Vec<Figures>> {
        let channels = CHANNELS.len() as u64;
        let view = View::new(&[self.len / channels, channels])?;
        let stats = stats();
        let request = self.reducer.reduce(&stats, self.elements()?).along(view, 0);
        let (all, histograms) = match mask {
            Some((mask, _)) => (request.masked(mask).start()?.await?, Vec::new()),
            None => (request.start()?.await?, self.of_bytes().await?),
        };
        let place = |pixel: u64| format!("x {}, y {}", pixel % width, pixel / width);
        let figures = all.into_iter().zip(CHANNELS).enumerate().map(|(channel, (found, name))| {
            let quartiles = histograms.get(channel).map(|own| texts(&quartiles_in(&own.counts)));
            Figures { name: name.into(), quartiles, ..Figures::of_found(found, place) }
        });
        Ok(figures.collect())
    }

    async fn of_elements(&self, mask: Mask<'_>) -> Result<Figures> {
        let has_stats = stats().record().takes(self.layout.element);
        // Statistics of f64 would take compilers several times as long as mean and extremes.
        let found = if has_stats && self.layout.element != ElementKind::F64 {
            self.one(&stats(), mask).await?
        } else {
            let count = mask.map_or(self.len, |(_, count)| count);
            let ends = self.all([arg_min(), arg_max(), sum(), mean()], mask).await?;
            Found { count, ..ends }
        };
        let figures = Figures::of_found(found, |index| self.place(index));
        // A part has no NaN, and order statistics take no masks.
        if mask.is_some() {
            return Ok(figures);
        }
        let is_float = self.layout.element.is_float();
        let nan = if is_float { self.one(&count_nan(), None).await?.nan } else { None };
        let nan = nan.map(|count| count.to_string());
        Ok(Figures { nan, quartiles: self.quartiles().await?, ..figures })
    }

    /// What operations make of the elements that count, one after the other.
    pub(crate) async fn all(
        &self,
        operations: impl IntoIterator<Item = AnyOperation<Found>>,
        mask: Mask<'_>,
    ) -> Result<Found> {
        let mut found = Found::default();
        for operation in operations {
            found = found.and(self.one(&operation, mask).await?);
        }
        Ok(found)
    }

    async fn one(&self, operation: &AnyOperation<Found>, mask: Mask<'_>) -> Result<Found> {
        match mask {
            Some((mask, _)) => {
                self.reducer.reduce(operation, self.elements()?).masked(mask).start()?.await
            }
            None => self.one_of(operation, self.elements()?).await,
        }
    }

    /// What an operation makes of any elements.
    pub(crate) async fn one_of(
        &self,
        operation: &AnyOperation<Found>,
        elements: AnySlices<'_>,
    ) -> Result<Found> {
        self.reducer.reduce(operation, elements).start()?.await
    }

    /// Of bytes; of others none.
    async fn quartiles(&self) -> Result<Option<Vec<String>>> {
        if self.layout.element != ElementKind::U8 {
            return Ok(None);
        }
        let histograms = self.of_bytes().await?;
        Ok(histograms.first().map(|all| texts(&quartiles_in(&all.counts))))
    }

    /// The indices of the element with that number in memory, as NumPy has them.
    fn place(&self, number: u64) -> String {
        let Some(Shape { extents, is_fortran }) = &self.layout.shape else { return String::new() };
        let mut indices = Vec::with_capacity(extents.len());
        let mut rest = number;
        let mut take = |extent: &u64| {
            indices.push((rest % (*extent).max(1)).to_string());
            rest /= (*extent).max(1);
        };
        if *is_fortran {
            extents.iter().for_each(&mut take);
        } else {
            extents.iter().rev().for_each(&mut take);
            indices.reverse();
        }
        format!("[{}]", indices.join(", "))
    }
}

/// Of elements that are the numbers of their bins; between two it is interpolated, as NumPy does it.
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn quartiles_in(counts: &[u64]) -> [f64; 3] {
    let last = counts.iter().sum::<u64>().saturating_sub(1);
    let at = |rank: u64| {
        let ends = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        ends.take_while(|&end| end <= rank).count() as f64
    };
    [1, 2, 3].map(|quarter| {
        let (rank, rest) = (quarter * last / 4, quarter * last % 4);
        let (low, high) = (at(rank), at(last.min(rank + 1)));
        low + rest as f64 / 4.0 * (high - low)
    })
}

fn texts(numbers: &[impl Debug]) -> Vec<String> {
    numbers.iter().map(|number| format!("{number:?}")).collect()
}

/// What there is to say about elements, as text.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    name: String,
    count: String,
    nan: Option<String>,
    /// The smallest and the largest, and their places.
    extrema: Vec<(String, String)>,
    sum: Option<String>,
    mean: Option<String>,
    quartiles: Option<Vec<String>>,
    deviation: Option<f64>,
}

impl Figures {
    /// Of no elements.
    pub(crate) fn of_none() -> Self {
        Self { count: "0".into(), ..Self::default() }
    }

    fn of_found(found: Found, place: impl Fn(u64) -> String) -> Self {
        let Found { count, extrema, sum, mean, deviation, .. } = found;
        let extrema = extrema.into_iter().map(|(value, index)| (value, place(index))).collect();
        Self { count: count.to_string(), extrema, sum, mean, deviation, ..Self::default() }
    }

    pub(crate) fn into_object(self) -> Object {
        let mut extrema = self.extrema.into_iter();
        let ((min, min_at), (max, max_at)) = (extrema.next().unzip(), extrema.next().unzip());
        let or_undefined = |text: Option<String>| JsValue::from(text);
        let quartiles = self.quartiles.map(|own| own.into_iter().map(JsValue::from).collect());
        object([
            ("name", self.name.into()),
            ("count", self.count.into()),
            ("nan", or_undefined(self.nan)),
            ("min", or_undefined(min)),
            ("minAt", or_undefined(min_at)),
            ("max", or_undefined(max)),
            ("maxAt", or_undefined(max_at)),
            ("sum", or_undefined(self.sum)),
            ("mean", or_undefined(self.mean)),
            ("quartiles", quartiles.map_or(JsValue::UNDEFINED, |own: Array| own.into())),
            ("deviation", self.deviation.into()),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::quartiles_in;

    #[test]
    fn quartiles_of_counts_are_those_of_the_elements() {
        // 0, 0, 3, 3, 3, 4.
        assert_eq!(
            quartiles_in(&[2, 0, 0, 3, 1]).map(f64::to_bits),
            [0.75_f64, 3.0, 3.0].map(f64::to_bits)
        );
        assert_eq!(quartiles_in(&[0, 1]).map(f64::to_bits), [1.0_f64; 3].map(f64::to_bits));
        // 1, 2, 4, 8.
        assert_eq!(
            quartiles_in(&[0, 1, 1, 0, 1, 0, 0, 0, 1]).map(f64::to_bits),
            [1.75_f64, 3.0, 5.0].map(f64::to_bits)
        );
    }
}
