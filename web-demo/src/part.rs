//! A part of a file's elements: those in bins of its histogram that follow each other.
//!
//! The library reduces what a mask leaves. The mask is made on the GPU by a shader of the page's own, in front of the
//! library's, on the same queue.

use crate::data::Data;
use crate::figures::Figures;
use crate::found::count_nonzero;
use crate::thrown;
use half::f16;
use js_sys::Array;
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;
use wgpu_reduce::{ElementKind, GpuBuffer, Result};

/// Elements behind the bindings of one dispatch: every device has a binding for so many of 8 bytes, and workgroups enough.
const WINDOW: u64 = 1 << 24;

/// Elements of a workgroup: four for each invocation.
const WORKGROUP: u64 = 1024;

#[wasm_bindgen]
impl Data {
    /// Figures as [`stats`](Self::stats) has them, of the elements in bins `first` to `end` of the histogram; the last is the
    /// one before `end`. Of an image these are all channels of the pixels whose `channel` is in those bins.
    ///
    /// # Errors
    ///
    /// There are no such bins, the device was lost, or it has no memory for a mask.
    pub async fn part(
        &self,
        channel: u32,
        first: usize,
        end: usize,
    ) -> std::result::Result<Array, JsError> {
        let is_last = end + 1 == self.edges.borrow().len();
        let ends = self
            .edges
            .borrow()
            .get(first..=end)
            .and_then(|edges| Some([*edges.first()?, *edges.last()?]));
        let [low, high] =
            ends.filter(|_| first < end).ok_or_else(|| JsError::new("there are no such bins"))?;
        let figures = match keys_between(self.layout.element, low, high, is_last) {
            Some(keys) => self.of_part(channel, keys).await.map_err(|error| thrown(&error))?,
            None => vec![Figures::of_none()],
        };
        Ok(figures.into_iter().map(Figures::into_object).collect())
    }
}

impl Data {
    async fn of_part(&self, channel: u32, keys: [u64; 2]) -> Result<Vec<Figures>> {
        let chooser = self.chooser.get_or_init(|| Chooser::new(self.reducer.device()));
        let mask = self.reducer.alloc(self.len)?;
        chooser.choose(self, channel, keys, &mask)?;
        let count = self.one_of(&count_nonzero(), (&mask).into()).await?.count;
        if count == 0 {
            return Ok(vec![Figures::of_none()]);
        }
        self.figures(Some((&mask, count))).await
    }
}

/// What makes masks.
#[derive(Debug)]
pub(crate) struct Chooser {
    pipeline: wgpu::ComputePipeline,
}

impl Chooser {
    fn new(device: &wgpu::Device) -> Self {
        let module = device.create_shader_module(wgpu::include_wgsl!("part.wgsl"));
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("choose a part"),
            layout: None,
            module: &module,
            entry_point: Some("choose"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { pipeline }
    }

    /// Writes the mask, window by window.
    fn choose(
        &self,
        data: &Data,
        channel: u32,
        keys: [u64; 2],
        mask: &GpuBuffer<u8>,
    ) -> Result<()> {
        let reducer = &data.reducer;
        let mut encoder =
            reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut first = 0;
        while first < data.len {
            let elements = WINDOW.min(data.len - first);
            let group = self.group(data, (first, elements), (channel, keys), mask)?;
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(word(elements.div_ceil(WORKGROUP)), 1, 1);
            first += elements;
        }
        reducer.queue().submit([encoder.finish()]);
        Ok(())
    }

    fn group(
        &self,
        data: &Data,
        (first, elements): (u64, u64),
        (channel, [least, largest]): (u32, [u64; 2]),
        mask: &GpuBuffer<u8>,
    ) -> Result<wgpu::BindGroup> {
        let (reducer, element) = (&data.reducer, data.layout.element);
        let bytes = element.size_bytes();
        let channel = if data.image.is_some() { channel } else { 4 };
        let halves =
            [least, least >> 32, largest, largest >> 32].map(|key| word(key & 0xffff_ffff));
        let rest = [word(elements), word(bytes), kind_of(element), channel];
        let wanted = reducer.upload(&[halves, rest].concat())?;
        let resources = [
            window(data.bytes.as_wgpu(), first * bytes, elements * bytes),
            wanted.as_wgpu().as_entire_binding(),
            window(mask.as_wgpu(), first, elements),
        ];
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        Ok(reducer.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &entries,
        }))
    }
}

/// Bytes of a buffer that has whole words.
fn window(buffer: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::BindingResource<'_> {
    let size = wgpu::BufferSize::new(bytes.next_multiple_of(4));
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size })
}

/// A number that fits.
fn word(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// As the shader has it.
fn kind_of(element: ElementKind) -> u32 {
    use ElementKind::{I8, I16, I32, I64};
    match element {
        I8 | I16 | I32 | I64 => 1,
        _ if element.is_float() => 2,
        _ => 0,
    }
}

/// Keys of the least and the largest element from an edge to the one above, which counts if it is the last; nothing, if
/// no element of the type lies there. Edges of floats are floats of the type.
#[expect(clippy::cast_possible_truncation, reason = "whole, and not beyond 2^64")]
fn keys_between(element: ElementKind, low: f64, high: f64, is_last: bool) -> Option<[u64; 2]> {
    let [least, largest] = if element.is_float() {
        let [low, high] = [low, high].map(|edge| key_of_float(element, edge));
        [low, if is_last { high } else { high.checked_sub(1)? }]
    } else {
        let bits = 8 * element.size_bytes();
        let offset = if kind_of(element) == 1 { 1_i128 << (bits - 1) } else { 0 };
        let (low, high) = (
            low.ceil() as i128,
            if is_last { high.floor() as i128 } else { high.ceil() as i128 - 1 },
        );
        let last = (1_i128 << bits) - 1;
        let [low, high] = [(low + offset).max(0), (high + offset).min(last)];
        [u64::try_from(low).ok()?, u64::try_from(high).ok()?]
    };
    (least <= largest).then_some([least, largest])
}

/// Of a float, which of two zeros does not matter.
#[expect(clippy::cast_possible_truncation, reason = "a float of the type")]
fn key_of_float(element: ElementKind, number: f64) -> u64 {
    let (bits, width) = match element {
        ElementKind::F16 => (f16::from_f64(number).to_bits().into(), 16),
        ElementKind::F32 => ((number as f32).to_bits().into(), 32),
        _ => (number.to_bits(), 64),
    };
    let sign = 1_u64 << (width - 1);
    match bits & sign {
        0 => bits | sign,
        _ if bits == sign => sign,
        _ => bits ^ (sign | (sign - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::keys_between;
    use wgpu_reduce::ElementKind::{F16, F32, F64, I8, I64, U8, U64};

    #[test]
    fn keys_are_those_of_the_elements_between() {
        for (element, low, high, is_last, keys) in [
            (U8, 3.0, 7.0, false, Some([3, 6])),
            (U8, 3.0, 7.0, true, Some([3, 7])),
            (U8, 2.5, 2.9, false, None),
            // A byte for each bin: 256 is none.
            (U8, 255.0, 256.0, true, Some([255, 255])),
            (I8, -128.0, -1.5, false, Some([0, 126])),
            (I8, -0.5, 0.5, true, Some([128, 128])),
            (U64, 0.0, 18_446_744_073_709_551_616.0, true, Some([0, u64::MAX])),
            (I64, -9_223_372_036_854_775_808.0, 0.0, false, Some([0, (1 << 63) - 1])),
            (F32, 0.0, 1.0, false, Some([0x8000_0000, 0xbf7f_ffff])),
            (F32, -0.0, 1.0, true, Some([0x8000_0000, 0xbf80_0000])),
            // The largest below zero is the smallest of the negative ones.
            (F32, -1.0, 0.0, false, Some([0x407f_ffff, 0x7fff_ffff])),
            (F16, -1.0, 1.0, true, Some([0x43ff, 0xbc00])),
            (F64, 1.0, 2.0, false, Some([0xbff0_0000_0000_0000, 0xbfff_ffff_ffff_ffff])),
        ] {
            assert_eq!(
                keys_between(element, low, high, is_last),
                keys,
                "{low} to {high} of {element}"
            );
        }
    }
}
