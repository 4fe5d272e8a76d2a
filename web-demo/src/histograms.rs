//! Histograms of a file's elements.

use crate::data::{CHANNELS, Data};
use crate::found::{min_max, nan_max, nan_min, with_type};
use crate::{object, thrown};
use half::f16;
use js_sys::{Array, Object};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};
use wgpu_reduce::{Bins, ElementKind, Histogram, Result};

/// In a histogram of elements that have many values.
const BINS: u32 = 128;

#[wasm_bindgen]
impl Data {
    /// An object for each channel's histogram, or that of all elements: `name`, `counts` of bins of one width, the ends
    /// `low` and `high` of all, and `nan`, how many elements are in none of them. Where there is no histogram, one
    /// object that says `why`.
    ///
    /// # Errors
    ///
    /// The device was lost, or has no memory for the counts.
    pub async fn histograms(&self) -> std::result::Result<Array, JsError> {
        let histograms = match self.layout.element {
            _ if self.len == 0 => Ok(Err("There are no elements to count.".into())),
            ElementKind::U8 => self.of_bytes().await.map(Ok),
            _ => self.of_others().await,
        };
        let histograms = histograms.map_err(|error| thrown(&error))?;
        let names =
            CHANNELS.into_iter().filter(|_| self.image.is_some()).chain(std::iter::repeat(""));
        Ok(match histograms {
            Ok(all) => {
                let first = all.first().map(|one| one.edges.clone());
                self.edges.replace(first.unwrap_or_default());
                all.iter().zip(names).map(|(one, name)| drawable(one, name)).collect()
            }
            Err(why) => Array::of1(&object([("why", why.into())])),
        })
    }
}

/// Histograms, or why there are none.
type Drawn = std::result::Result<Vec<Histogram>, String>;

impl Data {
    /// A bin for each value, of each channel.
    pub(crate) async fn of_bytes(&self) -> Result<Vec<Histogram>> {
        let channels = if self.image.is_some() { CHANNELS.len() } else { 1 };
        let channels = u32::try_from(channels).unwrap_or(1);
        let bins = Bins::even(0..256, 256)?;
        self.reducer.bin(&self.bytes, &bins).channels(channels).start()?.await
    }

    /// Bins from the least element to the largest; NaN are in none.
    async fn of_others(&self) -> Result<Drawn> {
        let element = self.layout.element;
        let operations =
            if element.is_float() { vec![nan_min(), nan_max()] } else { vec![min_max()] };
        let ends = self.all(operations, None).await?.ends;
        let [low, high] = [ends.first(), ends.last()].map(|end| end.copied().unwrap_or(f64::NAN));
        let bins = match bins_between(low, high, element) {
            Ok(bins) => bins,
            Err(why) => return Ok(Err(why)),
        };
        let counted = with_type!(
            element,
            T of [F16 f16, F32 f32, F64 f64, I8 i8, I16 i16, I32 i32, I64 i64, U16 u16, U32 u32, U64 u64] =>
            self.reducer.bin(&self.typed::<T>()?, &bins).start()
        )?;
        Ok(Ok(vec![counted.await?]))
    }
}

/// Bins from the least element of a type to the largest, or why there are none.
fn bins_between(low: f64, high: f64, element: ElementKind) -> std::result::Result<Bins, String> {
    if low.is_nan() {
        return Err("There is no histogram: every element is NaN.".into());
    }
    if low.is_infinite() || high.is_infinite() {
        return Err("There is no histogram: its bins would reach to an infinity.".into());
    }
    // Between elements that are nearly alike a type may not have as many numbers as there are edges.
    let bins = Bins::even(low..high, BINS).and_then(|bins| bins.edges_for(element).map(|_| bins));
    bins.map_err(|error| format!("There is no histogram of {BINS} bins: {error}."))
}

/// A histogram as a page draws it.
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn drawable(histogram: &Histogram, name: &str) -> Object {
    let counts = histogram.counts.iter().map(|&count| JsValue::from(count as f64));
    let ends = [histogram.edges.first(), histogram.edges.last()];
    let [low, high] = ends.map(|end| JsValue::from(end.copied()));
    let counts: Array = counts.collect();
    let nan = JsValue::from(histogram.nan as f64);
    let bins = [("counts", counts.into()), ("low", low), ("high", high), ("nan", nan)];
    object([("name", name.into())].into_iter().chain(bins))
}

#[cfg(test)]
mod tests {
    use super::bins_between;
    use wgpu_reduce::ElementKind;

    #[test]
    fn where_there_are_no_bins_there_is_a_reason() {
        let (f16, f32, i32) = (ElementKind::F16, ElementKind::F32, ElementKind::I32);
        for (low, high, element, why) in [
            (f64::NAN, f64::NAN, f32, "every element is NaN"),
            (f64::NEG_INFINITY, 0.0, f32, "reach to an infinity"),
            (0.0, f64::INFINITY, f32, "reach to an infinity"),
            // Half a unit to either side of all elements, where neighbours are 64 or 2 apart.
            (1e9, 1e9, f32, "is not larger than"),
            (2048.0, 2048.0, f16, "is not larger than"),
        ] {
            let told = bins_between(low, high, element).unwrap_err();
            assert!(told.starts_with("There is no histogram") && told.contains(why), "{told}");
        }
        for (low, high, element) in [(1.0, 1.0, f32), (0.0, 1e9, f32), (1e9, 1e9, i32)] {
            assert!(bins_between(low, high, element).is_ok(), "{low} to {high} of {element}");
        }
    }
}
