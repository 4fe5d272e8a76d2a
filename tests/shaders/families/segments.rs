//! Reductions of segments and of runs of equal keys.

use crate::shader::Shader;
use wgpu_reduce::ElementKind;
use wgpu_reduce::planners::{ByKeyShader, Collective, SegmentsParts, SegmentsShader};

const SUBGROUP_SIZES: [(&str, u32); 2] = [("MIN_SUBGROUP_SIZE", 32), ("MAX_SUBGROUP_SIZE", 32)];

fn uses_subgroups(parts: Option<&SegmentsParts>) -> bool {
    parts.is_some_and(|parts| parts.collective == Collective::Subgroup)
}

/// Whether it is composed of nothing, or of one of these operations of `f32`.
fn is_sample(parts: Option<&SegmentsParts>, names: &[&str]) -> bool {
    parts.is_none_or(|parts| {
        parts.element == ElementKind::F32 && names.contains(&parts.operation.name())
    })
}

pub(super) fn all() -> Vec<Shader> {
    SegmentsShader::all().map(|shader| of(&shader)).collect()
}

pub(super) fn of(segments: &SegmentsShader) -> Shader {
    let parts = segments.parts();
    let needs = Shader::needs(
        uses_subgroups(parts),
        parts.is_some_and(|parts| parts.native),
        parts.is_some_and(SegmentsParts::needs_f64),
    );
    let mut constants = vec![("WORKGROUP_SIZE", 64)];
    let bindings = match segments {
        SegmentsShader::Judge => &[2, 3, 6][..],
        SegmentsShader::Split => &[2, 3, 4, 6, 8],
        SegmentsShader::SplitAndClear => &[2, 3, 4, 5, 6, 8],
        SegmentsShader::Fold(_) => {
            constants.push(("QUADS", 2));
            &[0, 1, 2, 3, 4, 5, 6, 8]
        }
        _ => &[0, 2, 3, 6],
    };
    if uses_subgroups(parts) {
        constants.extend(SUBGROUP_SIZES);
    }
    let mut shader = Shader::new(segments.to_string(), segments.wgsl(), needs)
        .with_form(constants, 64, bindings)
        .with_pipeline(is_sample(parts, &["sum", "sum_exact", "stats"]));
    shader.subgroup_words = ["simd_shuffle_up", "Wave"];
    // Browsers take no vote where some may have left.
    if parts.is_some_and(|parts| parts.votes) {
        shader.browser = None;
    }
    match parts {
        Some(parts) => shader.sized_for(parts.operation),
        None => shader,
    }
}

pub(super) fn of_keys() -> Vec<Shader> {
    ByKeyShader::all().map(|shader| of_key(&shader)).collect()
}

fn of_key(by_key: &ByKeyShader) -> Shader {
    let parts = by_key.parts();
    let bindings = match by_key {
        ByKeyShader::Heads => &[0, 1, 2, 3, 5][..],
        ByKeyShader::Places | ByKeyShader::Join(_) => &[2, 3, 4, 5],
        ByKeyShader::Fold(_) => &[0, 1, 2, 3, 4, 5, 6, 7],
        ByKeyShader::Gather => &[0, 1, 2, 3, 4, 5, 6],
        _ => &[0, 1, 2, 3, 5, 6],
    };
    let mut constants = vec![("WORKGROUP_SIZE", 64)];
    if uses_subgroups(parts) {
        constants.extend(SUBGROUP_SIZES);
    }
    let needs = Shader::needs(uses_subgroups(parts), false, false);
    let shader = Shader::new(by_key.to_string(), by_key.wgsl(), needs)
        .with_form(constants.clone(), 64, bindings)
        .with_pipeline(is_sample(parts, &["sum"]));
    if matches!(by_key, ByKeyShader::Heads | ByKeyShader::Runs) {
        constants.push(("KEY_WORDS", 2));
        return shader.with_form(constants, 64, bindings);
    }
    shader
}
