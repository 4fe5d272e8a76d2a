//! Groups.

use crate::shader::Shader;
use naga::valid::Capabilities;
use wgpu_reduce::planners::{GroupsShader, Slots};

pub(super) fn all() -> Vec<Shader> {
    GroupsShader::all().map(of).collect()
}

fn of(groups: GroupsShader) -> Shader {
    let mut constants = vec![("WORKGROUP_SIZE", 64)];
    let wgsl = groups.wgsl();
    // Exact sums are told where their windows lie.
    let is_told = wgsl.contains("@binding(8)");
    let bindings = match groups {
        GroupsShader::Merge(_, slots) => {
            constants.extend([("KEY_BYTES", 2), ("BESIDE", 1), ("SLOTS", 16), ("WORDS", 16 * 13)]);
            if slots == Slots::Copies {
                constants.push(("COPIES", 4));
            }
            if is_told { &[0, 3, 4, 6, 8][..] } else { &[0, 3, 4, 6] }
        }
        GroupsShader::Finish(_) => {
            constants.push(("BESIDE", 1));
            if is_told { &[2, 3, 4, 5, 8][..] } else { &[2, 3, 4, 5] }
        }
        _ => &[0, 2, 3],
    };
    // Keys of two words, and an index.
    if wgsl.contains("override ROUND") {
        constants.push(("ROUND", 1));
    }
    Shader::new(groups.to_string(), wgsl, Capabilities::empty())
        .with_form(constants, 64, bindings)
        .with_pipeline(true)
}
