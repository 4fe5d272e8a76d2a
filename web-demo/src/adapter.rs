//! The adapter, and what there is to say about it.

use crate::thrown;
use js_sys::Array;
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;
use wgpu_reduce::{Caps, GpuReducer, Options};

/// An open device.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Gpu {
    pub(crate) reducer: GpuReducer,
}

#[wasm_bindgen]
impl Gpu {
    /// Opens the adapter of the browser's choice.
    ///
    /// # Errors
    ///
    /// There is no WebGPU, or no adapter; the text says which.
    pub async fn open(subgroups: bool) -> Result<Gpu, JsError> {
        let options = Options::default().subgroups(subgroups);
        let reducer = GpuReducer::request(&options).await.map_err(|error| thrown(&error))?;
        Ok(Self { reducer })
    }

    /// Pairs of what and how much, for people.
    #[must_use]
    pub fn facts(&self) -> Array {
        let caps = self.reducer.caps();
        let has = |yes| if yes { "yes" } else { "no" }.to_string();
        let features = self.reducer.device().features();
        let timestamps = features.contains(wgpu::Features::TIMESTAMP_QUERY);
        let facts = [
            ("Adapter", self.reducer.adapter_label()),
            ("Subgroups", subgroups(&caps)),
            ("Timestamps", has(timestamps)),
            ("Largest buffer", mebibytes(caps.max_buffer_bytes)),
            ("Largest binding", mebibytes(caps.max_binding_bytes)),
            ("Invocations per workgroup", caps.max_workgroup_size.to_string()),
            ("Workgroup memory", format!("{} bytes", caps.workgroup_storage_bytes)),
        ];
        let pair = |(what, much): (&str, String)| Array::of2(&what.into(), &much.into());
        facts.map(pair).into_iter().collect()
    }

    /// The most elements of 4 bytes that one binding covers.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub fn most_elements(&self) -> f64 {
        let caps = self.reducer.caps();
        (caps.max_binding_bytes.min(caps.max_buffer_bytes) / 4) as f64
    }

    /// The largest workgroup.
    #[must_use]
    pub fn most_invocations(&self) -> u32 {
        self.reducer.caps().max_workgroup_size
    }

    /// Gives the device up, as when a driver takes it away.
    pub fn destroy(&self) {
        self.reducer.device().destroy();
    }
}

fn subgroups(caps: &Caps) -> String {
    match caps.subgroups {
        None => "no".into(),
        Some(sizes) if sizes.min == sizes.max => format!("of {}", sizes.min),
        Some(sizes) => format!("of {} to {}", sizes.min, sizes.max),
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}
