//! The adapters that tests run on, each in several configurations.

use wgpu_reduce::{ElementKind, GpuReducer, OpRecord, Options, Tuning};

/// A configuration of an adapter.
pub(crate) struct Rig {
    pub(crate) name: String,
    pub(crate) options: Options,
    pub(crate) reducer: GpuReducer,
}

impl Rig {
    /// The tuning for so many elements, of whichever type.
    pub(crate) fn tuning(&self, len: u64) -> Tuning {
        self.reducer.tuning(OpRecord::ALL[0], ElementKind::F32, len)
    }

    /// The same with one tuning for everything.
    pub(crate) fn tuned(&self, tuning: Tuning) -> Self {
        let reducer = self.reducer.with_tuning(tuning);
        Self { name: self.name.clone(), options: self.options.clone(), reducer }
    }
}

/// Every adapter present, in every configuration that makes a difference there:
/// with subgroup operations, without them (there with guarded shaders, too), and with limits so tight
/// that inputs of a few thousand elements need several bindings and two-dimensional grids.
///
/// An adapter whose driver refuses to open it is named and left out; [`check_coverage`] sees that.
pub(crate) fn rigs() -> Vec<Rig> {
    let mut rigs = Vec::new();
    for (index, adapter) in GpuReducer::adapters().into_iter().enumerate() {
        let whole = Options::default().adapter(index.to_string()).pipelines_kept(PIPELINES_KEPT);
        let tight_limits = wgpu::Limits {
            max_storage_buffer_binding_size: TIGHT_BINDING_BYTES,
            max_compute_workgroups_per_dimension: TIGHT_WORKGROUPS,
            ..adapter.limits.clone()
        };
        let mut add = |what: &str, options: Options| {
            let name = format!("{}, {what}", adapter.label());
            match pollster::block_on(GpuReducer::request(&options)) {
                Ok(reducer) => rigs.push(Rig { name, options, reducer }),
                Err(error) => println!("NOT COVERED: {name} cannot be opened: {error}"),
            }
        };
        if adapter.caps().subgroups.is_some() {
            add("subgroups", whole.clone());
        }
        let without_subgroups = whole.clone().subgroups(false);
        add("workgroup memory, guarded", without_subgroups.guarded_shaders(true));
        add("tight limits", whole.limits(tight_limits));
    }
    rigs
}

/// The tests need thousands, and those of software adapters are large: all together they would not fit in
/// memory.
const PIPELINES_KEPT: usize = 64;
/// A multiple of every alignment there is, far below any real limit.
pub(crate) const TIGHT_BINDING_BYTES: u64 = 64 << 10;
/// Makes grids two-dimensional from four workgroups on.
pub(crate) const TIGHT_WORKGROUPS: u32 = 3;

/// Checks that the run covers what it is meant to cover and says what that is.
///
/// Without any adapter it fails, unless `WGPU_REDUCE_ALLOW_NO_ADAPTER` is set. The comma-separated
/// names in `WGPU_REDUCE_REQUIRE_ADAPTERS`, as in `llvmpipe Gl`, must each have all their words in some
/// covered adapter's label.
pub(crate) fn check_coverage(rigs: &[Rig]) -> Result<(), String> {
    let mut labels: Vec<_> = rigs.iter().map(|rig| rig.reducer.adapter_label()).collect();
    labels.dedup();
    println!("adapters covered: {} ({})", labels.len(), labels.join("; "));
    if !rigs.iter().any(|rig| rig.reducer.caps().waits_for_others) {
        println!("NOT COVERED: Combining::Highest, which no adapter here allows");
    }
    if !rigs.iter().any(|rig| rig.reducer.caps().f64) {
        println!("NOT COVERED: sums of f64, which no adapter here has");
    }
    let seen: Vec<_> = rigs.iter().filter_map(|rig| rig.reducer.caps().subgroups).collect();
    let has = |size: &u32| seen.iter().any(|sizes| (sizes.min..=sizes.max).contains(size));
    let missing = [4, 8, 16, 32, 64].iter().filter(|size| !has(size)).map(u32::to_string);
    let missing: Vec<_> = missing.collect();
    if !missing.is_empty() {
        println!("NOT COVERED: subgroups of {}", missing.join(", "));
    }
    if labels.is_empty() && std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_none() {
        return Err("no adapter: nothing was tested; install a Vulkan driver (Mesa's lavapipe \
                    will do) or set WGPU_REDUCE_ALLOW_NO_ADAPTER=1"
            .into());
    }
    let required = std::env::var("WGPU_REDUCE_REQUIRE_ADAPTERS").unwrap_or_default();
    for name in required.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let is_meant = |label: &String| name.split_whitespace().all(|word| label.contains(word));
        if !labels.iter().any(is_meant) {
            return Err(format!("required adapter \"{name}\" is not covered"));
        }
    }
    Ok(())
}
