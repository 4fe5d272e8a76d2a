//! Levels of the ladder, and those of its histogram.

use crate::shader::{SUBGROUPS, Shader};
use naga::valid::Capabilities;
use wgpu_reduce::ElementKind;
use wgpu_reduce::ladder::{HistogramLevel, LadderShader, Level};

/// Workgroup sizes that pipelines are made with, and the largest subgroup told to them.
const SIZES: [(u32, u32); 6] = [(1, 128), (2, 4), (64, 32), (64, 128), (256, 64), (1024, 8)];

const ITEMS_PER_THREAD: u32 = 7;

pub(super) fn all() -> Vec<Shader> {
    let levels = LadderShader::all().map(of);
    levels.chain(HistogramLevel::ALL.into_iter().map(of_histogram)).collect()
}

fn of(ladder: LadderShader) -> Shader {
    let mut needs = Capabilities::empty();
    needs.set(SUBGROUPS, ladder.needs_subgroups());
    needs.set(Capabilities::SHADER_FLOAT32_ATOMIC, ladder.needs_float_atomics());
    let mut bindings = vec![0, 2, 3];
    bindings.extend(ladder.uses_vectors().map(|_| 1));
    if ladder.level() == Level::LastWorkgroup {
        bindings.extend([4, 5]);
    }
    let is_single = ladder.level() == Level::SingleThread;
    let mut shader = Shader::new(format!("ladder {ladder}"), ladder.wgsl(), needs)
        .with_pipeline(ladder.element() == ElementKind::F32);
    shader.entry_point = ladder.entry_point();
    shader.has_barrier = Some(!is_single);
    for (workgroup_size, max_subgroup_size) in SIZES {
        let mut constants = vec![
            ("ROWS_IN_Y", u32::from(workgroup_size < 64)),
            ("WORKGROUP_SIZE", workgroup_size),
            ("ITEMS_PER_THREAD", ITEMS_PER_THREAD),
            ("MAX_SUBGROUP_SIZE", max_subgroup_size),
        ];
        constants.retain(|(name, _)| ladder.declares(name));
        let size = if is_single { 1 } else { workgroup_size };
        shader = shader.with_form(constants, size, &bindings);
    }
    shader
}

fn of_histogram(level: HistogramLevel) -> Shader {
    let needs = Shader::needs(level.needs_subgroups(), false, false);
    let mut shader =
        Shader::new(format!("ladder histogram {level}"), level.wgsl(), needs).with_pipeline(true);
    // In MSL the builtins are all that it has of them.
    shader.subgroup_words = ["simdgroup", "Wave"];
    shader.has_barrier = Some(level != HistogramLevel::GlobalAtomics);
    for size in [1_u32, 64, 256, 1024] {
        let mut constants = vec![("WORKGROUP_SIZE", size)];
        if level == HistogramLevel::SubgroupCopies {
            constants.push(("COUNTERS", 256 * size.div_ceil(32)));
        }
        shader = shader.with_form(constants, size, &[0, 2, 3]);
    }
    shader
}
