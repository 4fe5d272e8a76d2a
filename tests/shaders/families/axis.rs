//! Reductions along an axis.

use super::reductions::LARGEST_OF_LONGEST;
use crate::shader::{Constants, Shader};
use wgpu_reduce::ElementKind;
use wgpu_reduce::planners::{AxisKernel, AxisShader, Collective};

pub(super) fn all() -> Vec<Shader> {
    // Forms go round in eights, or nines and tens: another seven shift the constants among them.
    let all = AxisShader::all().enumerate().map(|(number, shader)| of(shader, number * 7 / 8));
    let all: Vec<_> = all.collect();
    assert!(all.len() > 1000, "{} shaders along axes", all.len());
    all
}

pub(super) fn of(axis: AxisShader, number: usize) -> Shader {
    let has_subgroups = axis.collective == Collective::Subgroup;
    let needs = Shader::needs(has_subgroups, axis.native, axis.needs_f64());
    let text = axis.wgsl();
    let constants = constants(axis, &text, number);
    let is_sample = ["sum", "sum_exact", "argmin"].contains(&axis.operation.name())
        && axis.element == ElementKind::F32;
    let bindings = bindings(axis, &text);
    let mut shader = Shader::new(axis.to_string(), text, needs)
        .with_form(constants, size_of(axis), &bindings)
        .with_pipeline(is_sample)
        .sized_for(axis.operation);
    shader.subgroup_words = ["simd_shuffle_down", "WaveReadLaneAt"];
    shader.has_barrier = Some(axis.kernel != AxisKernel::Packed);
    shader
}

/// Invocations of a workgroup.
fn size_of(axis: AxisShader) -> u32 {
    match (axis.operation.name(), axis.element) {
        ("sum_exact" | "mean_exact", ElementKind::F64) => LARGEST_OF_LONGEST,
        _ => 256,
    }
}

fn constants(axis: AxisShader, text: &str, number: usize) -> Constants {
    let flag = |bit: usize| u32::from(number >> bit & 1 == 1);
    let size = size_of(axis);
    let lanes = [1, 8, 32, size][number % 4];
    let mut constants =
        vec![("WORKGROUP_SIZE", size), ("LANES", lanes), ("DIMENSIONS", 1 + 2 * flag(1))];
    match axis.kernel {
        AxisKernel::Rows => {
            constants.extend([("QUADS", 1 - flag(2)), ("ALIGNED", flag(3)), ("SHARED", flag(1))]);
        }
        AxisKernel::Columns | AxisKernel::Pairs | AxisKernel::Masked => {
            constants.extend([("SHARED", flag(1)), ("SPREAD", size / lanes)]);
        }
        AxisKernel::Parts => {}
        AxisKernel::Packed => {
            constants = vec![("WORKGROUP_SIZE", size), ("LENGTH", 1 + flag(0)), ("DIMENSIONS", 1)];
        }
        _ => panic!("{axis}"),
    }
    if axis.collective == Collective::Subgroup {
        constants.push(("SUBGROUP_SIZE", 32));
    }
    // Accumulators of many words have none of them.
    let optional = [
        ("ROWS", 1 + flag(0)),
        ("WIDE", flag(0)),
        ("SINGLE", flag(0)),
        ("WHOLE", flag(3) * (1 - flag(2))),
        ("LOADS", 4),
    ];
    let is_there = |(name, _): &&(_, _)| text.contains(&format!("override {name}:"));
    constants.extend(optional.iter().filter(is_there));
    constants
}

fn bindings(axis: AxisShader, text: &str) -> Vec<u32> {
    if axis.kernel == AxisKernel::Packed {
        // It has no other way to elements than quads.
        return vec![1, 2, 3];
    }
    if matches!(axis.kernel, AxisKernel::Pairs | AxisKernel::Masked) {
        return vec![0, 2, 3, 6];
    }
    // Columns of packed elements are read by words, and those that are folded one at a time.
    let is_packed = axis.element.size_bytes() < 4;
    let has_wide = !is_packed && text.contains("override WIDE:");
    let has_quads =
        axis.kernel == AxisKernel::Rows || axis.kernel == AxisKernel::Columns && has_wide;
    if has_quads { vec![0, 1, 2, 3] } else { vec![0, 2, 3] }
}
