//! Exact sums and dot products of everything.

use crate::shader::Shader;
use wgpu_reduce::planners::{Collective, ExactShader};
use wgpu_reduce::{ElementKind, ExactTerms};

/// Workgroup sizes, loads and margins that pipelines are made with.
const CONSTANTS: [(u32, u32, u32); 4] = [(32, 1, 0), (64, 4, 2), (256, 16, 24), (1024, 8, 7)];

pub(super) fn all() -> Vec<Shader> {
    ExactShader::ALL.into_iter().map(of).collect()
}

fn of(exact: ExactShader) -> Shader {
    let needs = Shader::needs(exact.collective == Collective::Subgroup, false, false);
    let has_products = exact.terms == ExactTerms::Products;
    let bindings: &[u32] = if has_products { &[0, 1, 2, 3, 4, 6, 7] } else { &[0, 1, 2, 3, 4] };
    let mut shader = Shader::new(exact.to_string(), exact.wgsl(), needs).with_pipeline(true);
    let (most_loads, most_margin) =
        if exact.element == ElementKind::F64 { (8, 22) } else { (16, 24) };
    for (size, loads, margin) in CONSTANTS {
        let (loads, margin) = (most_loads.min(loads), most_margin.min(margin));
        let mut constants = vec![("WORKGROUP_SIZE", size), ("LOADS", loads), ("MARGIN", margin)];
        if has_products {
            constants.push(("PARTNERS_ARE_QUADS", loads % 3));
        }
        shader = shader.with_form(constants, size, bindings);
    }
    shader.subgroup_words = ["simd_sum", "WaveActiveSum"];
    shader.has_barrier = Some(true);
    shader
}
