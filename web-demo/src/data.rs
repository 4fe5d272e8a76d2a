//! Figures of a file: of an array, or of an image's channels.

use crate::adapter::Gpu;
use crate::{object, thrown, typed};
use half::{bf16, f16};
use js_sys::{Array, Object};
use std::fmt::Debug;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};
use wgpu_reduce::{
    ArgMax, ArgMin, Bins, CountNan, Element, ElementKind, Extrema, GpuBuffer, GpuReducer,
    Histogram, Located, Mean, MinMax, NanMax, NanMin, Operation, Result, Statistics, Stats, Sum,
    View,
};
use wgpu_reduce_npy::{Layout, Shape, read_header};

/// What an image has of each pixel.
const CHANNELS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// In a histogram of elements that have many values.
const BINS: u32 = 128;

/// A file's elements on the GPU.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Data {
    reducer: GpuReducer,
    layout: Layout,
    len: u64,
    bytes: GpuBuffer<u8>,
    /// Pixels in a row, of an image.
    width: Option<u64>,
}

#[wasm_bindgen]
impl Data {
    /// Room for the elements of a `.npy` file that starts with `head` and has so many bytes.
    ///
    /// # Errors
    ///
    /// The file is not what its header says, or the device has no memory for it.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a file's length")]
    pub fn of_npy(gpu: &Gpu, head: &[u8], file_bytes: f64) -> std::result::Result<Data, JsError> {
        let layout = read_header(&mut &*head).map_err(|what| JsError::new(&what))?;
        let present = (file_bytes as u64).saturating_sub(layout.data_start);
        layout.check_data(present).map_err(|what| JsError::new(&what))?;
        Self::new(gpu, layout, None).map_err(|error| thrown(&error))
    }

    /// Room for an image's pixels, four bytes each.
    ///
    /// # Errors
    ///
    /// The device has no memory for it.
    pub fn of_image(gpu: &Gpu, width: u32, height: u32) -> std::result::Result<Data, JsError> {
        let extents = vec![height.into(), width.into(), CHANNELS.len() as u64];
        let layout = Layout {
            element: ElementKind::U8,
            is_big_endian: false,
            elements: Some(extents.iter().product()),
            data_start: 0,
            shape: Some(Shape { extents, is_fortran: false }),
        };
        Self::new(gpu, layout, Some(width.into())).map_err(|error| thrown(&error))
    }

    /// What the file holds, in words.
    #[must_use]
    pub fn description(&self) -> String {
        let Layout { element, is_big_endian, ref shape, .. } = self.layout;
        let Some(Shape { extents, is_fortran }) = shape else { return String::new() };
        if let (Some(width), Some(height)) = (self.width, extents.first()) {
            return format!("image of {width} × {height} pixels, {} elements", self.len);
        }
        let extents: Vec<_> = extents.iter().map(u64::to_string).collect();
        let order = if *is_fortran { ", Fortran order" } else { "" };
        let ends = if is_big_endian { ", big-endian" } else { "" };
        format!("{element} of shape ({}), {} elements{order}{ends}", extents.join(", "), self.len)
    }

    /// Where the elements start in the file.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "headers are short")]
    pub fn start(&self) -> f64 {
        self.layout.data_start as f64
    }

    /// Where they end: the file may have more bytes.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "files are shorter than 2^53 bytes")]
    pub fn end(&self) -> f64 {
        (self.layout.data_start + self.layout.promised().unwrap_or_default()) as f64
    }

    /// Copies a piece of the elements' bytes to the GPU: a multiple of 8 bytes, or the last.
    ///
    /// # Errors
    ///
    /// The device was lost.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an offset")]
    pub fn write(&self, at: f64, mut piece: Vec<u8>) -> std::result::Result<(), JsError> {
        self.layout.put_in_order(&mut piece);
        let at = at as u64;
        let target = self.bytes.slice(at..at + piece.len() as u64);
        let written = target.and_then(|target| self.reducer.write(target, &piece));
        written.map_err(|error| thrown(&error))
    }

    /// An object of figures for each channel, or for all elements: `name`, `count`, `nan`, `min`, `minAt`, `max`,
    /// `maxAt`, `sum` and `mean` as texts, `deviation` as a number. What there is not is undefined.
    ///
    /// # Errors
    ///
    /// The device was lost, or has no memory for what lies between.
    pub async fn stats(&self) -> std::result::Result<Array, JsError> {
        let figures = match self.width {
            _ if self.len == 0 => Ok(vec![Figures { count: "0".into(), ..Figures::default() }]),
            Some(width) => self.of_channels(width).await,
            None => self.of_elements().await.map(|figures| vec![figures]),
        };
        let figures = figures.map_err(|error| thrown(&error))?;
        Ok(figures.into_iter().map(Figures::into_object).collect())
    }

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
            ElementKind::I8 => self.of_integers::<i8>().await,
            ElementKind::I16 => self.of_integers::<i16>().await,
            ElementKind::U16 => self.of_integers::<u16>().await,
            ElementKind::I32 => self.of_integers::<i32>().await,
            ElementKind::U32 => self.of_integers::<u32>().await,
            ElementKind::F16 => self.of_floats::<f16>().await,
            ElementKind::Bf16 => self.of_floats::<bf16>().await,
            ElementKind::I64 => self.of_integers::<i64>().await,
            ElementKind::U64 => self.of_integers::<u64>().await,
            ElementKind::F32 => self.of_floats::<f32>().await,
            ElementKind::F64 => self.of_floats::<f64>().await,
            other => Ok(Err(format!("There is no histogram of {other}."))),
        };
        let histograms = histograms.map_err(|error| thrown(&error))?;
        let names =
            CHANNELS.into_iter().filter(|_| self.width.is_some()).chain(std::iter::repeat(""));
        Ok(match histograms {
            Ok(all) => all.iter().zip(names).map(|(one, name)| drawable(one, name)).collect(),
            Err(why) => Array::of1(&object([("why", why.into())])),
        })
    }
}

/// Histograms, or why there are none.
type Drawn = std::result::Result<Vec<Histogram>, String>;

impl Data {
    /// A bin for each value, of each channel.
    async fn of_bytes(&self) -> Result<Vec<Histogram>> {
        let channels = if self.width.is_some() { CHANNELS.len() } else { 1 };
        let channels = u32::try_from(channels).unwrap_or(1);
        let bins = Bins::even(0..256, 256)?;
        self.reducer.bin(&self.bytes, &bins).channels(channels).start()?.await
    }

    async fn of_integers<T>(&self) -> Result<Drawn>
    where
        T: Element + Into<i128>,
        MinMax: Operation<T, Output = Extrema<T>>,
    {
        let elements = self.typed::<T>()?;
        let Extrema { min, max } = self.reducer.reduce(MinMax, &elements).start()?.await?;
        // Twice the sign makes of what is below what is above.
        self.between(&elements, not_above(min.into()), -not_above(-max.into())).await
    }

    /// NaN are in no bin.
    async fn of_floats<T>(&self) -> Result<Drawn>
    where
        T: Element + Into<f64>,
        NanMin: Operation<T, Output = T>,
        NanMax: Operation<T, Output = T>,
    {
        let elements = self.typed::<T>()?;
        let min = self.reducer.reduce(NanMin, &elements).start()?;
        let max = self.reducer.reduce(NanMax, &elements).start()?;
        self.between(&elements, min.await?.into(), max.await?.into()).await
    }

    /// Bins from the least element to the largest.
    async fn between<T: Element>(
        &self,
        elements: &GpuBuffer<T>,
        low: f64,
        high: f64,
    ) -> Result<Drawn> {
        match bins_between(low, high, T::KIND) {
            Ok(bins) => Ok(Ok(vec![self.reducer.bin(elements, &bins).start()?.await?])),
            Err(why) => Ok(Err(why)),
        }
    }

    fn new(gpu: &Gpu, layout: Layout, width: Option<u64>) -> Result<Self> {
        let reducer = gpu.reducer.clone();
        let bytes = reducer.alloc(layout.promised().unwrap_or_default())?;
        let len = layout.elements.unwrap_or_default();
        Ok(Self { reducer, layout, len, bytes, width })
    }

    fn typed<T: Element>(&self) -> Result<GpuBuffer<T>> {
        typed(self.bytes.as_wgpu(), self.len)
    }

    /// Of the pixels' channels: a reduction along an axis.
    async fn of_channels(&self, width: u64) -> Result<Vec<Figures>> {
        let channels = CHANNELS.len() as u64;
        let view = View::new(&[self.len / channels, channels])?;
        let all =
            self.reducer.reduce(Stats::default(), &self.bytes).along(view, 0).start()?.await?;
        let place = |pixel: u64| format!("x {}, y {}", pixel % width, pixel / width);
        let figures = all
            .into_iter()
            .zip(CHANNELS)
            .map(|(stats, name)| Figures { name: name.into(), ..Figures::of_stats(stats, place) });
        Ok(figures.collect())
    }

    async fn of_elements(&self) -> Result<Figures> {
        match self.layout.element {
            ElementKind::F32 => self.count_nan::<f32>(self.of_stats::<f32, _, _>().await?).await,
            ElementKind::F16 => self.count_nan::<f16>(self.of_stats::<f16, _, _>().await?).await,
            ElementKind::Bf16 => self.count_nan::<bf16>(self.of_stats::<bf16, _, _>().await?).await,
            ElementKind::I32 => self.of_stats::<i32, _, _>().await,
            ElementKind::U32 => self.of_stats::<u32, _, _>().await,
            ElementKind::I16 => self.of_stats::<i16, _, _>().await,
            ElementKind::U16 => self.of_stats::<u16, _, _>().await,
            ElementKind::I8 => self.of_stats::<i8, _, _>().await,
            ElementKind::U8 => self.of_stats::<u8, _, _>().await,
            ElementKind::I64 => self.with_mean::<i64, _>(self.of_extrema::<i64>().await?).await,
            ElementKind::U64 => self.with_mean::<u64, _>(self.of_extrema::<u64>().await?).await,
            // Statistics of f64 would take compilers several times as long as mean and extremes.
            _ => {
                let figures = self.with_mean::<f64, _>(self.of_extrema::<f64>().await?).await?;
                self.count_nan::<f64>(figures).await
            }
        }
    }

    async fn of_stats<T, S, M>(&self) -> Result<Figures>
    where
        T: Element + Debug,
        S: Debug,
        M: Into<f64> + Debug + Copy,
        Stats: Operation<T, Output = Statistics<T, S, M>>,
    {
        let stats = self.reducer.reduce(Stats::default(), &self.typed::<T>()?).start()?.await?;
        Ok(Figures::of_stats(stats, |index| self.place(index)))
    }

    async fn of_extrema<T>(&self) -> Result<Figures>
    where
        T: Element + Debug,
        ArgMin: Operation<T, Output = Located<T>>,
        ArgMax: Operation<T, Output = Located<T>>,
    {
        let elements = self.typed::<T>()?;
        let min = self.reducer.reduce(ArgMin, &elements).start()?;
        let max = self.reducer.reduce(ArgMax, &elements).start()?;
        Ok(Figures::of_extrema(self.len, min.await?, max.await?, |index| self.place(index)))
    }

    async fn with_mean<T: Element, S: Debug>(&self, figures: Figures) -> Result<Figures>
    where
        Sum: Operation<T, Output = S>,
        Mean: Operation<T, Output = f64>,
    {
        let elements = self.typed::<T>()?;
        let sum = self.reducer.reduce(Sum, &elements).start()?;
        let mean = self.reducer.reduce(Mean, &elements).start()?;
        let [sum, mean] = [format!("{:?}", sum.await?), format!("{:?}", mean.await?)];
        Ok(Figures { sum: Some(sum), mean: Some(mean), ..figures })
    }

    async fn count_nan<T: Element>(&self, figures: Figures) -> Result<Figures>
    where
        CountNan: Operation<T, Output = u64>,
    {
        let count = self.reducer.reduce(CountNan, &self.typed::<T>()?).start()?.await?;
        Ok(Figures { nan: Some(count.to_string()), ..figures })
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

/// The largest `f64` that is not above an integer of 64 bits.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "compared")]
fn not_above(integer: i128) -> f64 {
    let nearest = integer as f64;
    if nearest as i128 > integer { nearest.next_down() } else { nearest }
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

/// What there is to say about elements, as text.
#[derive(Debug, Default)]
struct Figures {
    name: String,
    count: String,
    nan: Option<String>,
    extrema: Option<[(String, String); 2]>,
    sum: Option<String>,
    mean: Option<String>,
    deviation: Option<f64>,
}

impl Figures {
    fn of_extrema<T: Debug>(
        count: u64,
        min: Located<T>,
        max: Located<T>,
        place: impl Fn(u64) -> String,
    ) -> Self {
        let [min, max] = [min, max].map(|at| (format!("{:?}", at.value), place(at.index)));
        Self { count: count.to_string(), extrema: Some([min, max]), ..Self::default() }
    }

    fn of_stats<T: Debug, S: Debug, M: Into<f64> + Debug + Copy>(
        stats: Statistics<T, S, M>,
        place: impl Fn(u64) -> String,
    ) -> Self {
        Self {
            sum: Some(format!("{:?}", stats.sum)),
            mean: Some(format!("{:?}", stats.mean)),
            deviation: Some(stats.variance.into().sqrt()),
            ..Self::of_extrema(stats.count, stats.min, stats.max, place)
        }
    }

    fn into_object(self) -> Object {
        let [min, max] = self.extrema.map_or([None, None], |extrema| extrema.map(Some));
        let ((min, min_at), (max, max_at)) = (min.unzip(), max.unzip());
        let or_undefined = |text: Option<String>| JsValue::from(text);
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
            ("deviation", self.deviation.into()),
        ])
    }
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
