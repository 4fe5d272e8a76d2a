//! The adapters that tests run on, each in several configurations.

use super::{Outcome, times};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use wgpu_reduce::{
    Adapter, AdapterClass, ElementKind, Error, GpuReducer, OpRecord, Options, Plan, Tuning,
};

/// A configuration of an adapter.
pub(crate) struct Rig {
    pub(crate) name: String,
    /// The adapter's label, with a number where others before it have the same.
    pub(crate) adapter: String,
    pub(crate) options: Options,
    pub(crate) reducer: GpuReducer,
    /// Whether shaders keep wgpu's run-time checks.
    pub(crate) is_guarded: bool,
    /// Whether limits are far below the adapter's.
    pub(crate) is_tight: bool,
    /// Whether shaders may be refused for want of storage buffers, in the families of tests that have such shaders.
    pub(crate) may_refuse: bool,
}

impl Rig {
    /// The tuning for so many elements, of whichever type.
    pub(crate) fn tuning(&self, len: u64) -> Tuning {
        self.reducer.tuning(OpRecord::ALL[0], ElementKind::F32, len)
    }

    /// What tests of this family make of a refusal for want of storage buffers: where there are fewer than WebGPU promises,
    /// shaders with more are to be refused, and with that the test is over, if it was not chosen because it needs few.
    pub(crate) fn judged(&self, test: &str, run: impl FnOnce() -> Outcome) -> Outcome {
        let turn = self.is_gl().then(|| THROUGH_GL.lock().unwrap_or_else(PoisonError::into_inner));
        let begin = Instant::now();
        let outcome = run();
        times::note(test, &self.name, begin.elapsed());
        drop(turn);
        let Err(failed) = &outcome else { return outcome };
        let fewer = self.reducer.caps().max_storage_buffers < PROMISED_STORAGE_BUFFERS;
        let is_short = fewer && self.may_refuse;
        let family = test.split("::").next().unwrap_or(test);
        let is_refused = failed.message().is_some_and(|message| message.contains(REFUSAL));
        if is_short && is_refused && NEED_MORE_BUFFERS.contains(&family) {
            println!("REFUSED, as it must be: {test} [{}]", self.name);
            return Ok(());
        }
        outcome
    }

    /// Whether work goes on after it has been handed over. Mesa's llvmpipe may do it there and then.
    pub(crate) fn is_asynchronous(&self) -> bool {
        !self.name.contains("llvmpipe")
    }

    /// Whether it is an adapter of OpenGL's.
    pub(crate) fn is_gl(&self) -> bool {
        self.name.contains(GL)
    }

    /// Whether a plan along several axes is refused since one binding of a tight device does not hold all partials of one result, of so many
    /// bytes at most.
    pub(crate) fn is_too_tight(
        &self,
        plan: &wgpu_reduce::Result<Plan>,
        partial_bytes: u64,
    ) -> bool {
        let Err(Error::Unsupported { what, .. }) = plan else { return false };
        let partials = what.strip_suffix(" partials of one result in one binding");
        let partials = partials.and_then(|partials| partials.parse::<u64>().ok());
        partials.is_some_and(|partials| {
            partials * partial_bytes > self.reducer.caps().max_binding_bytes
        })
    }

    /// Returns a rig with one tuning for everything.
    pub(crate) fn tuned(&self, tuning: Tuning) -> Self {
        self.with(self.options.clone(), self.reducer.with_tuning(tuning))
    }

    /// Returns a rig with another reducer of its adapter, opened as these options say.
    pub(crate) fn with(&self, options: Options, reducer: GpuReducer) -> Self {
        Self { name: self.name.clone(), adapter: self.adapter.clone(), options, reducer, ..*self }
    }
}

/// Whoever tests an adapter of OpenGL's holds it. A device has one context there, and wgpu gives up on a thread that has waited for it for
/// some seconds.
static THROUGH_GL: Mutex<()> = Mutex::new(());

/// What is in the names of OpenGL's adapters.
pub(crate) const GL: &str = "(Gl)";

/// What `Error::Unsupported` says of a shader with too many of them.
const REFUSAL: &str = "storage buffers";

/// Families of tests with shaders that have more than four.
const NEED_MORE_BUFFERS: [&str; 14] = [
    "by_key",
    "custom",
    "custom_along",
    "exact",
    "exact_axis",
    "exact_dot",
    "faults",
    "ladder",
    "masked",
    "numpy_dot",
    "numpy_segments",
    "pairs",
    "segments",
    "stream",
];

/// How an adapter is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Configuration {
    subgroups: bool,
    guarded: bool,
    /// The least limits that WebGPU promises, or less than that, and so tight that inputs of a few thousand elements
    /// need several bindings and two-dimensional grids.
    tight: bool,
}

impl Configuration {
    /// Configurations of adapters with subgroups.
    const ALL: [Self; 4] = [
        Self { subgroups: true, guarded: false, tight: false },
        Self { subgroups: false, guarded: true, tight: true },
        Self { subgroups: true, guarded: false, tight: true },
        Self { subgroups: false, guarded: true, tight: false },
    ];
    const WITHOUT_SUBGROUPS: Self = Self { subgroups: false, guarded: false, tight: false };

    fn name(self) -> String {
        let names = [
            (true, if self.subgroups { "subgroups" } else { "workgroup memory" }),
            (self.guarded, "guarded"),
            (self.tight, "tight limits"),
        ];
        let names: Vec<_> = names.into_iter().filter(|(is, _)| *is).map(|(_, name)| name).collect();
        names.join(", ")
    }

    fn options(self) -> Options {
        let options = Options::default().subgroups(self.subgroups).guarded_shaders(self.guarded);
        if !self.tight {
            return options;
        }
        options.limits(tight_limits()).rewritten(super::memory::within_least)
    }
}

fn tight_limits() -> wgpu::Limits {
    wgpu::Limits {
        max_storage_buffer_binding_size: TIGHT_BINDING_BYTES,
        max_compute_workgroups_per_dimension: TIGHT_WORKGROUPS,
        max_storage_buffers_per_shader_stage: storage_buffers(),
        ..wgpu::Limits::downlevel_defaults()
    }
}

/// A device on which nothing is waited for longer than that.
pub(crate) fn open(options: &Options) -> wgpu_reduce::Result<GpuReducer> {
    Ok(pollster::block_on(GpuReducer::request(options))?.with_deadline(DEADLINE))
}

/// Every adapter present, in the configurations that make a difference there. Compilers of software adapters
/// are slow: where there are several with subgroups, two share the four configurations.
///
/// An adapter whose driver refuses to open it is named and left out; [`check_coverage`] sees that.
pub(crate) fn rigs() -> Vec<Rig> {
    let adapters = GpuReducer::adapters();
    let is_slow =
        |adapter: &Adapter| adapter.caps().class == AdapterClass::Cpu && has_subgroups(adapter);
    let share = adapters.iter().filter(|adapter| is_slow(adapter)).count() > 1;
    let mut turn = 0;
    let mut rigs = Vec::new();
    for (index, (adapter, label)) in adapters.iter().zip(distinct_labels(&adapters)).enumerate() {
        let configurations = match (has_subgroups(adapter), share && is_slow(adapter)) {
            (true, true) => {
                turn += 1;
                &Configuration::ALL[2 * ((turn - 1) % 2)..][..2]
            }
            (true, false) => &Configuration::ALL[..],
            (false, _) => &[Configuration::WITHOUT_SUBGROUPS][..],
        };
        for configuration in configurations {
            let name = format!("{label}, {}", configuration.name());
            let options = configuration.options().adapter(index.to_string());
            let options = options.pipelines_kept(PIPELINES_KEPT);
            match open(&options) {
                Ok(reducer) => rigs.push(Rig {
                    name,
                    adapter: label.clone(),
                    options,
                    reducer,
                    is_guarded: configuration.guarded,
                    is_tight: configuration.tight,
                    may_refuse: true,
                }),
                Err(error) => println!("NOT COVERED: {name} cannot be opened: {error}"),
            }
        }
    }
    rigs
}

/// What adapters are called. Of those that are called alike, as two GPUs of one model, the second and later have a number.
fn distinct_labels(adapters: &[Adapter]) -> Vec<String> {
    let labels: Vec<_> = adapters.iter().map(Adapter::label).collect();
    let distinct = |index: usize| {
        let number = labels[..=index].iter().filter(|&label| *label == labels[index]).count();
        if number > 1 { format!("{} #{number}", labels[index]) } else { labels[index].clone() }
    };
    (0..labels.len()).map(distinct).collect()
}

/// A device like one of GLES 3.1, on the quickest of the adapters: without subgroups, with tight limits and no more storage
/// buffers than that promises. For tests that need no more.
///
/// # Errors
///
/// That it cannot be opened.
pub(crate) fn rig_of_few_buffers(rigs: &'static [Rig]) -> wgpu_reduce::Result<Option<Rig>> {
    let Some(rig) = super::quickest_rigs(rigs).first().copied() else { return Ok(None) };
    let options = rig.options.clone().subgroups(false).guarded_shaders(true).limits(wgpu::Limits {
        max_storage_buffers_per_shader_stage: wgpu::Limits::downlevel_defaults()
            .max_storage_buffers_per_shader_stage,
        ..tight_limits()
    });
    let reducer = open(&options)?;
    let buffers = reducer.caps().max_storage_buffers;
    let adapter = rig.adapter.clone();
    let name = format!("{adapter}, tight limits, {buffers} storage buffers");
    let (is_guarded, is_tight, may_refuse) = (true, true, false);
    Ok(Some(Rig { name, adapter, options, reducer, is_guarded, is_tight, may_refuse }))
}

/// What is in the names of devices whose arithmetic is off.
pub(crate) const SKEWED: &str = "skewed";

/// The quickest software adapter, with subgroups if it has some, or all rigs of software adapters where all tests are asked for, with
/// arithmetic as far off as is allowed. That of hardware is off by itself.
///
/// # Errors
///
/// That one cannot be opened.
pub(crate) fn skewed_rigs(rigs: &'static [Rig]) -> wgpu_reduce::Result<Vec<Rig>> {
    let is_software = |rig: &&Rig| rig.reducer.caps().class == AdapterClass::Cpu;
    if all_tests() {
        return rigs.iter().filter(is_software).map(skewed).collect();
    }
    let quickest = super::quickest_rigs(rigs).into_iter().filter(is_software);
    let with_subgroups = |rig: &Rig| {
        let mut of_adapter = rigs.iter().filter(|other| other.adapter == rig.adapter);
        let has_subgroups = of_adapter.any(|rig| rig.reducer.caps().subgroups.is_some());
        let configuration =
            Configuration { subgroups: has_subgroups, guarded: false, tight: false };
        let name = format!("{}, {}", rig.adapter, configuration.name());
        let options = rig.options.clone().subgroups(has_subgroups).guarded_shaders(false);
        skewed(&Rig {
            name,
            options,
            is_guarded: false,
            ..rig.with(rig.options.clone(), rig.reducer.clone())
        })
    };
    quickest.map(with_subgroups).collect()
}

/// The rig with other arithmetic.
fn skewed(rig: &Rig) -> wgpu_reduce::Result<Rig> {
    let options = rig.options.clone().rewritten(super::skewed::skewed);
    let reducer = open(&options)?;
    Ok(Rig { name: format!("{}, {SKEWED}", rig.name), ..rig.with(options, reducer) })
}

/// Whether nothing is to be left out.
pub(crate) fn all_tests() -> bool {
    std::env::var_os("WGPU_REDUCE_ALL_TESTS").is_some()
}

fn has_subgroups(adapter: &Adapter) -> bool {
    adapter.caps().subgroups.is_some()
}

/// No test waits longer for a device that hangs. Slow ones are far quicker, whatever else runs.
pub(crate) const DEADLINE: Duration = Duration::from_secs(600);

/// The tests need thousands, and those of software adapters are large: all together they would not fit in
/// memory.
const PIPELINES_KEPT: usize = 64;

/// WebGPU promises so many storage buffers to a shader.
const PROMISED_STORAGE_BUFFERS: u32 = 8;

/// The storage buffers of a device whose limits are tight: as many as WebGPU promises, or as `WGPU_REDUCE_STORAGE_BUFFERS` says.
/// GLES 3.1 and wgpu's downlevel defaults have 4, for example.
fn storage_buffers() -> u32 {
    let number = std::env::var("WGPU_REDUCE_STORAGE_BUFFERS").ok();
    number.and_then(|number| number.parse().ok()).unwrap_or(PROMISED_STORAGE_BUFFERS)
}

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
    let mut labels: Vec<_> = rigs.iter().map(|rig| rig.adapter.as_str()).collect();
    labels.dedup();
    println!("adapters covered: {}", labels.len());
    for label in &labels {
        let info =
            rigs.iter().find(|rig| rig.adapter == *label).map(|rig| rig.reducer.adapter_info());
        let driver = info.map(|info| format!("{} {}", info.driver, info.driver_info));
        println!("  {label}, driver {}", driver.unwrap_or_default().trim());
    }
    if !rigs.iter().any(|rig| rig.reducer.caps().waits_for_others) {
        println!(
            "NOT COVERED: Combining::Highest and Closing::LookAhead, which no adapter here allows"
        );
    }
    for (has, what) in [(true, "f64 of devices"), (false, "every test of f64 by integers")] {
        if !rigs.iter().any(|rig| rig.reducer.caps().f64 == has) {
            println!("NOT COVERED: {what}, for want of adapters that have it so");
        }
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
        let is_meant = |label: &&str| name.split_whitespace().all(|word| label.contains(word));
        if !labels.iter().any(is_meant) {
            return Err(format!("required adapter \"{name}\" is not covered"));
        }
    }
    Ok(())
}
