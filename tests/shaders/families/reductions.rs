//! Reductions of everything to one value.

use crate::shader::{Constants, Shader};
use wgpu_reduce::planners::{Collective, Kernel, Shape, Sink, Variant};
use wgpu_reduce::{Caps, ElementKind, OpRecord, Problem};

/// Workgroup sizes that pipelines are made with.
pub(super) const WORKGROUP_SIZES: [u32; 3] = [1, 256, 1024];

/// The largest for operations whose accumulators are long: with more, workgroup memory would not hold them.
const LARGEST_OF_LONG: u32 = 256;

/// That for exact sums of `f64`.
pub(super) const LARGEST_OF_LONGEST: u32 = 64;

/// Sizes go round, which is every size for every part of the shaders.
pub(super) fn all() -> Vec<Shader> {
    let sizes = WORKGROUP_SIZES.into_iter().cycle();
    let variants = Variant::all().zip(sizes).map(|(variant, size)| of(variant, size));
    variants.chain([counted()]).collect()
}

/// What tells a pass over elements how many of them count.
fn counted() -> Shader {
    let elements = Problem::by(OpRecord::ALL[0], ElementKind::F32, 1).shaped(Shape::Counted(0));
    let plan = elements.left(Some([0; 3]), false).plan(&Caps::baseline());
    let passes = plan.as_ref().expect("it has a plan").passes();
    Shader::new(passes[0].to_string(), passes[0].wgsl(), Shader::needs(false, false, false))
        .with_form(Vec::new(), 1, &[0, 2, 3])
        .with_pipeline(true)
}

pub(super) fn of(variant: Variant, turn: u32) -> Shader {
    let most = match (variant.operation.name(), variant.element) {
        ("sum_exact" | "mean_exact", ElementKind::F64) => LARGEST_OF_LONGEST,
        ("stats" | "sum_exact" | "mean_exact", _)
        | ("variance" | "std" | "nan_variance" | "nan_std", ElementKind::F64) => LARGEST_OF_LONG,
        (name, _) if name.starts_with('(') => LARGEST_OF_LONG,
        _ => turn,
    };
    let size = turn.min(most);
    let has_subgroups = variant.collective == Collective::Subgroup;
    let needs = Shader::needs(has_subgroups, variant.native, variant.needs_f64());
    let text = variant.wgsl();
    let constants = constants(variant, &text, size, turn);
    // The shortest accumulator, the longest, and one of many fields.
    let is_sample = ["sum", "sum_exact", "stats"].contains(&variant.operation.name())
        && variant.element == ElementKind::F32;
    let mut shader = Shader::new(variant.to_string(), text, needs)
        .with_form(constants, size, &bindings(variant))
        .with_pipeline(is_sample)
        .sized_for(variant.operation);
    // The library's own directives are those of collectives, too.
    if let (Some(browser), true) = (&mut shader.browser, has_subgroups) {
        let own = variant.browser_wgsl();
        let needs_more = own.starts_with("enable subgroups; diagnostic(");
        let more = "enable subgroups; diagnostic(off, subgroup_uniformity); ";
        browser.directives = if needs_more { more } else { "enable subgroups; " };
        assert!(own.ends_with(&shader.text) && own.starts_with(browser.directives));
    }
    shader.subgroup_words = ["simd_shuffle_down", "WaveReadLaneAt"];
    shader.has_barrier = Some(true);
    shader
}

/// Other constants go by the size whose turn it is.
fn constants(variant: Variant, text: &str, size: u32, turn: u32) -> Constants {
    let mut constants = vec![("WORKGROUP_SIZE", size)];
    if matches!(variant.kernel, Kernel::Elements | Kernel::Pairs | Kernel::Masked) {
        constants.push(("LOADS_IN_FLIGHT", (turn / 64).max(1)));
    }
    if variant.kernel == Kernel::Elements {
        constants.push(("WHOLE_TILES", u32::from(turn == 256)));
        constants.push(("REFILLS", u32::from(turn != 256)));
    }
    if text.contains("override FAR:") {
        constants.push(("FAR", u32::from(turn != 256)));
    }
    if variant.collective == Collective::Subgroup {
        // One size, several, and one that a whole workgroup fits into.
        let (min, max) = match turn {
            1 => (4, 4),
            256 => (32, 32),
            _ => (8, 64),
        };
        constants.extend([("MIN_SUBGROUP_SIZE", min), ("MAX_SUBGROUP_SIZE", max)]);
    }
    if variant.sink == Sink::Last {
        constants.push(("HIGHEST_FOLDS", u32::from(turn == 256)));
    }
    constants
}

fn bindings(variant: Variant) -> Vec<u32> {
    let mut bindings = vec![2, 3];
    match variant.kernel {
        Kernel::Elements => bindings.extend([0, 1]),
        Kernel::Pairs => bindings.extend([0, 1, 6, 7]),
        Kernel::Inputs => bindings.extend(8..15),
        Kernel::Partials => bindings.push(0),
        Kernel::Masked => bindings.extend([0, 1, 4, 6]),
    }
    if variant.sink == Sink::Last {
        bindings.push(5);
    }
    bindings
}
