//! The adapter, and what there is to say about it.

use crate::thrown;
use js_sys::{Array, Promise};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;
use wgpu_reduce::{Caps, ElementKind, GpuReducer, Options, Problem, Sum, Tuning};

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

    /// What there is, how much of it the adapter has, and what of it is used: three texts each. Numbers that are
    /// used are those of `sum` of 2^24 `f32`.
    #[must_use]
    pub fn facts(&self) -> Array {
        let caps = self.reducer.caps();
        let features = self.reducer.device().features();
        let timestamps = features.contains(wgpu::Features::TIMESTAMP_QUERY);
        let used = Used::new(&caps);
        let facts = [
            ("Subgroups", subgroups(&caps), used.collective),
            ("Timestamps", yes_or_no(timestamps), yes_or_no(timestamps)),
            ("Invocations per workgroup", caps.max_workgroup_size.to_string(), used.invocations),
            (
                "Workgroups per dimension",
                caps.max_workgroups_per_dimension.to_string(),
                used.workgroups,
            ),
            ("Workgroup memory", format!("{} bytes", caps.workgroup_storage_bytes), used.memory),
            ("Largest binding", mebibytes(caps.max_binding_bytes), used.binding),
            ("Largest buffer", mebibytes(caps.max_buffer_bytes), "as large as the data".into()),
        ];
        let texts = |(what, has, used): (&str, String, String)| {
            Array::of3(&what.into(), &has.into(), &used.into())
        };
        facts.map(texts).into_iter().collect()
    }

    /// The adapter's name.
    #[must_use]
    pub fn label(&self) -> String {
        self.reducer.adapter_label()
    }

    /// A promise of what there is to say when the device is lost, also while nobody uses it.
    pub fn lost(&self) -> Promise {
        let lost = self.reducer.lost();
        wasm_bindgen_futures::future_to_promise(async move { Ok(lost.await.to_string().into()) })
    }

    /// Whether subgroup operations are used.
    #[must_use]
    pub fn has_subgroups(&self) -> bool {
        self.reducer.caps().subgroups.is_some()
    }

    /// Whether the device has timestamps.
    #[must_use]
    pub fn has_timestamps(&self) -> bool {
        self.reducer.device().features().contains(wgpu::Features::TIMESTAMP_QUERY)
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
}

/// What `sum` uses of a device.
#[derive(Default)]
struct Used {
    collective: String,
    invocations: String,
    workgroups: String,
    memory: String,
    binding: String,
}

/// Of so many elements.
const EXAMPLE: u64 = 1 << 24;

impl Used {
    fn new(caps: &Caps) -> Self {
        let problem = Problem::new::<f32, _>(&Sum, ElementKind::F32, EXAMPLE);
        // A device that no plan fits says so when it is used.
        let Ok(plan) = problem.plan(caps) else { return Self::default() };
        let has_subgroups = plan.passes().iter().any(|pass| pass.wgsl().contains("subgroupAdd("));
        let grids = plan.passes().iter().flat_map(wgpu_reduce::PlannedPass::grids);
        let workgroups = grids.map(|grid| grid[0].max(grid[1])).max();
        let size = Tuning::for_len(caps, ElementKind::F32, EXAMPLE).workgroup_size;
        Self {
            collective: if has_subgroups { "yes" } else { "no; workgroup memory instead" }.into(),
            invocations: size.to_string(),
            workgroups: workgroups.unwrap_or_default().to_string(),
            // A partial for each invocation at most, whether subgroups fold them or not.
            memory: format!("{} bytes", u64::from(size) * 4),
            binding: mebibytes(plan.input_bytes().min(caps.max_binding_bytes)),
        }
    }
}

fn yes_or_no(so: bool) -> String {
    if so { "yes".into() } else { "no".into() }
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
