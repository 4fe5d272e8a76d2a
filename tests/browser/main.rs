//! Every shader through a browser's compiler: Tint, by a Chromium without a window. It demands what naga
//! does not, such as barriers and subgroup operations in control flow that it can prove to be uniform.

mod browser;

use libtest_mimic::{Arguments, Failed, Trial};
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;
use wgpu_reduce::ladder::{HistogramLevel, LadderShader};
use wgpu_reduce::{
    AxisShader, ByKeyShader, Collective, CustomOp, CustomShader, ElementKind, ExactShader,
    HistogramShader, OpRecord, SegmentsParts, SegmentsShader, Variant,
};

/// A text, and the entry point that a pipeline is to be made for. Pipelines take long without a GPU, so
/// they are for some of the shaders; what a browser demands of the text it tells of the text alone.
struct Shader {
    name: String,
    text: String,
    entry_point: Option<&'static str>,
    /// Invocations of a workgroup, where the text's own number takes more memory than browsers have to give: plans
    /// give such operations smaller ones.
    workgroup_size: Option<u32>,
}

impl Shader {
    /// As browsers take it.
    fn new(name: String, text: &str, has_subgroups: bool) -> Self {
        let directive = if has_subgroups { "enable subgroups;\n" } else { "" };
        Self { name, text: format!("{directive}{text}"), entry_point: None, workgroup_size: None }
    }

    /// One of an operation whose accumulators may be long.
    fn sized_for(self, operation: &OpRecord) -> Self {
        let is_long = operation.name() == "sum_exact";
        Self { workgroup_size: is_long.then_some(64), ..self }
    }

    fn with_pipeline(self, entry_point: &'static str, if_so: bool) -> Self {
        Self { entry_point: if_so.then_some(entry_point), ..self }
    }

    fn of_reduction(variant: Variant) -> Self {
        // The shortest accumulator, the longest, and one of many fields.
        let is_sample = ["sum", "sum_exact", "stats"].contains(&variant.operation.name());
        Self::new(variant.to_string(), &variant.browser_wgsl(), false)
            .with_pipeline("reduce", is_sample && variant.element == ElementKind::F32)
            .sized_for(variant.operation)
    }

    fn of_axis(shader: AxisShader) -> Self {
        let has_subgroups = shader.collective == Collective::Subgroup;
        let is_sample = ["sum", "sum_exact", "argmin"].contains(&shader.operation.name());
        Self::new(shader.to_string(), &shader.wgsl(), has_subgroups)
            .with_pipeline("reduce", is_sample && shader.element == ElementKind::F32)
            .sized_for(shader.operation)
    }

    fn of_exact_sum(shader: ExactShader) -> Self {
        let has_subgroups = shader.collective == Collective::Subgroup;
        Self::new(shader.to_string(), &shader.wgsl(), has_subgroups).with_pipeline("reduce", true)
    }

    fn of_segments(shader: SegmentsShader) -> Self {
        let parts = shader.parts();
        let has_subgroups = parts.is_some_and(|parts| parts.collective() == Collective::Subgroup);
        // As of reductions; and the one that is composed of nothing.
        let is_sample = parts.is_none_or(|parts| {
            parts.element() == ElementKind::F32
                && ["sum", "sum_exact", "stats"].contains(&parts.operation().name())
        });
        let composed = Self::new(shader.to_string(), &shader.wgsl(), has_subgroups)
            .with_pipeline("reduce", is_sample);
        match parts {
            Some(parts) => composed.sized_for(parts.operation()),
            None => composed,
        }
    }

    fn of_keys(shader: ByKeyShader) -> Self {
        let parts = shader.parts();
        let has_subgroups = parts.is_some_and(|parts| parts.collective() == Collective::Subgroup);
        let is_sample = parts.is_none_or(|parts| {
            parts.element() == ElementKind::F32 && parts.operation().name() == "sum"
        });
        Self::new(shader.to_string(), &shader.wgsl(), has_subgroups)
            .with_pipeline("reduce", is_sample)
    }

    fn of_histogram(shader: HistogramShader) -> Self {
        let element = match shader {
            HistogramShader::Gather { element, .. } | HistogramShader::Weighted { element, .. } => {
                Some(element)
            }
            _ => None,
        };
        let is_sample = element.is_none_or(|element| element.size_bytes() != 2);
        Self::new(shader.to_string(), &shader.wgsl(), false).with_pipeline("reduce", is_sample)
    }

    fn of_level(shader: LadderShader) -> Self {
        Self::new(format!("ladder {shader}"), &shader.wgsl(), shader.needs_subgroups())
            .with_pipeline(shader.entry_point(), shader.element() == ElementKind::F32)
    }

    fn of_histogram_level(level: HistogramLevel) -> Self {
        Self::new(format!("ladder histogram {level}"), &level.wgsl(), level.needs_subgroups())
            .with_pipeline("reduce", true)
    }

    fn of_custom(shader: &CustomShader) -> Self {
        Self::new(shader.to_string(), &shader.wgsl(), false)
            .with_pipeline(shader.entry_point(), true)
    }

    /// Of operators over one input and over two, elements with a word each and several in one.
    fn of_custom_operators() -> impl Iterator<Item = Self> {
        const COMBINE: &str = "
            fn combine(left: vec3<f32>, right: vec3<f32>) -> vec3<f32> { return left + right; }
            fn finish(total: vec3<f32>) -> u32 { return bitcast<u32>(total.x); }";
        let of_one = "fn map(a: f32, index: u32) -> vec3<f32> { return vec3<f32>(a); }";
        let of_two =
            "fn map(a: u32, b: u32, index: u32) -> vec3<f32> { return vec3<f32>(f32(a - b)); }";
        let one = CustomOp::<f32, [f32; 3], u32>::new([of_one, COMBINE].concat(), [0.0; 3]);
        let two = CustomOp::<(u8, u8), [f32; 3], u32>::new([of_two, COMBINE].concat(), [0.0; 3]);
        let shaders = [one.map(|op| op.shaders()), two.map(|op| op.shaders())];
        let shaders = shaders.into_iter().map(|shaders| shaders.expect("the texts are right"));
        shaders.flatten().map(|shader| Self::of_custom(&shader))
    }

    /// All but those that WGSL has no words for: numbers of 64 bits and atomic addition of f32 are native
    /// extensions.
    fn all() -> Vec<Self> {
        let levels = LadderShader::all().filter(|shader| !shader.needs_float_atomics());
        let axes = AxisShader::all().filter(|shader| !shader.native_u64 && !shader.needs_f64());
        let has_words = |shader: &SegmentsShader| {
            let is_native =
                |parts: &SegmentsParts| parts.native_u64() || parts.needs_f64() || parts.votes();
            !shader.parts().is_some_and(is_native)
        };
        let segments = SegmentsShader::all().filter(has_words);
        Variant::all()
            .filter(|variant| !variant.native_u64 && !variant.needs_f64())
            .map(Self::of_reduction)
            .chain(axes.map(Self::of_axis))
            .chain(segments.map(Self::of_segments))
            .chain(ByKeyShader::all().map(Self::of_keys))
            .chain(HistogramShader::all().map(Self::of_histogram))
            .chain(ExactShader::ALL.into_iter().map(Self::of_exact_sum))
            .chain(levels.map(Self::of_level))
            .chain(HistogramLevel::ALL.into_iter().map(Self::of_histogram_level))
            .chain(Self::of_custom_operators())
            .collect()
    }
}

/// The page with all texts. They have no `</script>` in them.
fn page(shaders: &[&Shader]) -> String {
    let scripts = shaders.iter().map(|Shader { text, entry_point, workgroup_size, .. }| {
        let entry_point = entry_point.map(|name| format!(" data-entry=\"{name}\""));
        let size = workgroup_size.map(|size| format!(" data-workgroup-size=\"{size}\""));
        let attributes = entry_point.unwrap_or_default() + &size.unwrap_or_default();
        format!("<script type=\"text/wgsl\"{attributes}>{text}</script>\n")
    });
    include_str!("page.html").to_owned() + &scripts.collect::<String>()
}

/// What went wrong, sent between threads.
type Fault = Box<dyn std::error::Error + Send + Sync>;

/// What the browser said of each shader, if anything.
fn outcomes(shaders: &[Shader]) -> Result<Option<Vec<String>>, Fault> {
    let Some(program) = browser::find() else {
        if std::env::var_os("WGPU_REDUCE_REQUIRE_BROWSER").is_some() {
            return Err(
                "no Chromium in the path, which WGPU_REDUCE_REQUIRE_BROWSER asks for".into()
            );
        }
        println!("NOT COVERED: the compiler of browsers, since there is no Chromium in the path");
        return Ok(None);
    };
    // A browser compiles on one core. Each has every so many-th, since kinds of shaders take more or less time.
    let browsers = std::thread::available_parallelism().map_or(1, NonZero::get).min(4);
    let parts = (0..browsers).map(|first| shaders.iter().skip(first).step_by(browsers).collect());
    let outcomes: Vec<Vec<String>> = std::thread::scope(|scope| {
        let program = &program;
        let shown = |part: Vec<_>| scope.spawn(move || outcomes_by(program, &part));
        let threads: Vec<_> = parts.map(shown).collect();
        let joined = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        joined.collect::<Result<_, _>>()
    })?;
    let of = |number: usize| outcomes[number % browsers][number / browsers].clone();
    Ok(Some((0..shaders.len()).map(of).collect()))
}

/// What a browser of their own said of each of them.
fn outcomes_by(program: &Path, shaders: &[&Shader]) -> Result<Vec<String>, Fault> {
    let page = page(shaders);
    let report = browser::show(program, &|path| {
        (path == "/").then(|| ("text/html; charset=utf-8", page.clone().into_bytes()))
    })?;
    let lines: Vec<_> = report.lines().map(|line| line.split_once('\t')).collect();
    if lines.len() != shaders.len() || lines.contains(&None) {
        return Err(format!("{}: {report}", program.display()).into());
    }
    Ok(lines.into_iter().flatten().map(|(_, fault)| fault.into()).collect())
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let shaders = Shader::all();
    let outcomes = if arguments.list { Ok(None) } else { outcomes(&shaders) };
    let outcomes = match outcomes {
        Ok(outcomes) => outcomes,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let is_left_out = outcomes.is_none() && !arguments.list;
    let trials =
        shaders.into_iter().enumerate().filter(|_| !is_left_out).map(|(number, shader)| {
            let fault = outcomes.as_ref().and_then(|outcomes| outcomes.get(number).cloned());
            Trial::test(shader.name, move || match fault.as_deref() {
                Some("") => Ok(()),
                fault => Err(Failed::from(fault.unwrap_or("not compiled"))),
            })
        });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
