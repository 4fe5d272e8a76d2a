//! A file's elements on the GPU: of an array, or an image's channels.

use crate::adapter::Gpu;
use crate::colours::colour_keys;
use crate::part::Chooser;
use crate::{thrown, typed};
use std::cell::{OnceCell, RefCell};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;
use wgpu_reduce::{AnySlices, Element, ElementKind, GpuBuffer, GpuReducer, Result};
use wgpu_reduce_npy::{Layout, Shape, read_header};

/// What an image has of each pixel.
pub(crate) const CHANNELS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// A file's elements on the GPU.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Data {
    pub(crate) reducer: GpuReducer,
    pub(crate) layout: Layout,
    pub(crate) len: u64,
    pub(crate) bytes: GpuBuffer<u8>,
    pub(crate) image: Option<Image>,
    /// Edges of the histograms' bins, once there are histograms.
    pub(crate) edges: RefCell<Vec<f64>>,
    /// Made when a part is first asked for.
    pub(crate) chooser: OnceCell<Chooser>,
}

/// What an image has besides its elements.
#[derive(Debug)]
pub(crate) struct Image {
    /// Pixels in a row.
    pub(crate) width: u64,
    /// For each element the number of its pixel's colour, and of its channel.
    pub(crate) keys: GpuBuffer<u8>,
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
        if layout.element == ElementKind::Bf16 {
            return Err(JsError::new(
                "the page does not show bf16; in NumPy a.astype('f4') makes f32 of it",
            ));
        }
        let present = (file_bytes as u64).saturating_sub(layout.data_start);
        layout.check_data(present).map_err(|what| JsError::new(&what))?;
        Self::new(gpu, layout).map_err(|error| thrown(&error))
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
        let data = Self::new(gpu, layout).and_then(|data| {
            let keys = data.reducer.alloc(data.len)?;
            Ok(Self { image: Some(Image { width: width.into(), keys }), ..data })
        });
        data.map_err(|error| thrown(&error))
    }

    /// What the file holds, in words.
    #[must_use]
    pub fn description(&self) -> String {
        let Layout { element, is_big_endian, ref shape, .. } = self.layout;
        let Some(Shape { extents, is_fortran }) = shape else { return String::new() };
        if let (Some(Image { width, .. }), Some(height)) = (&self.image, extents.first()) {
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
        let put = |buffer: &GpuBuffer<u8>, bytes: &[u8]| {
            self.reducer.write(buffer.slice(at..at + bytes.len() as u64)?, bytes)
        };
        let keys_put = || match &self.image {
            Some(image) => put(&image.keys, &colour_keys(&piece)),
            None => Ok(()),
        };
        put(&self.bytes, &piece).and_then(|()| keys_put()).map_err(|error| thrown(&error))
    }
}

impl Data {
    fn new(gpu: &Gpu, layout: Layout) -> Result<Self> {
        let reducer = gpu.reducer.clone();
        let bytes = reducer.alloc(layout.promised().unwrap_or_default())?;
        let len = layout.elements.unwrap_or_default();
        let (edges, chooser) = (RefCell::default(), OnceCell::new());
        Ok(Self { reducer, layout, len, bytes, image: None, edges, chooser })
    }

    /// All of them, of a type that is known now.
    pub(crate) fn elements(&self) -> Result<AnySlices<'_>> {
        AnySlices::new(self.layout.element, &self.bytes)
    }

    pub(crate) fn typed<T: Element>(&self) -> Result<GpuBuffer<T>> {
        typed(self.bytes.as_wgpu(), self.len)
    }
}
