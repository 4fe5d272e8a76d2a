//! Shaders along an axis are valid and translate to every backend's language; views and their errors.

use crate::naga_check::{Checked, DOUBLES, SUBGROUPS, Specialised};
use naga::valid::Capabilities;
use wgpu_reduce::{AxisKernel, AxisShader, Collective, Error, Matrix, View};

fn specialise(shader: AxisShader, number: usize) -> Specialised {
    let mut capabilities = Capabilities::empty();
    capabilities.set(SUBGROUPS, shader.collective == Collective::Subgroup);
    capabilities.set(Capabilities::SHADER_INT64, shader.native_u64);
    if shader.needs_f64() {
        capabilities |= DOUBLES;
    }
    let flag = |bit: usize| u32::from(number >> bit & 1 == 1);
    let lanes = [1, 8, 32, 256][number % 4];
    let mut constants =
        vec![("WORKGROUP_SIZE", 256), ("LANES", lanes), ("DIMENSIONS", 1 + 2 * flag(1))];
    match shader.kernel {
        AxisKernel::Rows => {
            constants.extend([("QUADS", 1 - flag(2)), ("ALIGNED", flag(3)), ("SHARED", flag(1))]);
        }
        AxisKernel::Columns => constants.extend([("SHARED", flag(1)), ("SPREAD", 256 / lanes)]),
        AxisKernel::Parts => {}
        AxisKernel::Packed => {
            constants = vec![("WORKGROUP_SIZE", 256), ("LENGTH", 1 + flag(0)), ("DIMENSIONS", 1)];
        }
        _ => panic!("{shader}"),
    }
    if shader.collective == Collective::Subgroup {
        constants.push(("SUBGROUP_SIZE", 32));
    }
    let wgsl = shader.wgsl();
    // Accumulators of many words have none of them.
    let optional = [
        ("ROWS", 1 + flag(0)),
        ("WIDE", flag(0)),
        ("SINGLE", flag(0)),
        ("WHOLE", flag(3) * (1 - flag(2))),
        ("LOADS", 4),
    ];
    constants
        .extend(optional.iter().filter(|(name, _)| wgsl.contains(&format!("override {name}:"))));
    Checked::new(shader.to_string(), &wgsl, capabilities).specialise("reduce", &constants)
}

fn every(check: impl Fn(AxisShader, &Specialised)) {
    let mut checked = 0;
    for (number, shader) in AxisShader::all().enumerate() {
        // Forms go round in eights, or nines and tens: another seven shift the constants among them.
        check(shader, &specialise(shader, number * 7 / 8));
        checked += 1;
    }
    assert!(checked > 1000);
}

#[test]
fn every_shader_is_valid_and_names_the_same_bindings() {
    every(|shader, specialised| {
        if shader.kernel == AxisKernel::Packed {
            // It has no other way to elements than quads.
            assert_eq!(specialised.bindings(), [(0, 1), (0, 2), (0, 3)], "{shader}");
            return;
        }
        let mut expected = vec![(0, 0), (0, 2), (0, 3)];
        // Columns of packed elements are read by words, and those that are folded one at a time.
        let is_packed = shader.element.size_bytes() < 4;
        let has_wide = !is_packed && shader.wgsl().contains("override WIDE:");
        if shader.kernel == AxisKernel::Rows || shader.kernel == AxisKernel::Columns && has_wide {
            expected.insert(1, (0, 1));
        }
        assert_eq!(specialised.bindings(), expected, "{shader}");
    });
}

#[test]
fn every_shader_translates_to_spirv() {
    every(|_, specialised| {
        specialised.spirv();
    });
}

#[test]
fn every_shader_without_f64_translates_to_msl_and_hlsl() {
    every(|shader, specialised| {
        if !shader.needs_f64() {
            let subgroups = shader.collective == Collective::Subgroup;
            assert_eq!(
                specialised.msl((2, 4)).contains("simd_shuffle_down"),
                subgroups,
                "{shader}"
            );
            assert_eq!(specialised.hlsl().contains("WaveReadLaneAt"), subgroups, "{shader}");
        }
    });
}

#[test]
fn every_shader_without_subgroups_and_f64_translates_to_glsl() {
    every(|shader, specialised| {
        let is_portable = !shader.needs_f64() && !shader.native_u64;
        if shader.collective == Collective::Workgroup && is_portable {
            let has_teams = shader.kernel != AxisKernel::Packed;
            assert_eq!(specialised.glsl().contains("barrier()"), has_teams, "{shader}");
        }
    });
}

#[test]
fn views_that_cannot_be_are_refused() {
    let refused = |view: Result<View, Error>| match view {
        Err(Error::InvalidView { what }) => what,
        other => panic!("{other:?}"),
    };
    let what = refused(View::new(&[]));
    assert_eq!(what, "0 dimensions with 0 strides; there must be 1 to 6, with a stride each");
    refused(View::new(&[1; 7]));
    refused(View::strided(&[2, 3], &[1], 0));
    refused(View::new(&[1 << 32, 1 << 32]));
    let what = refused(View::strided(&[2, 3], &[3, -1], 1));
    assert_eq!(what, "its elements have the indices -1 to 4");
    assert!(View::strided(&[2, 3], &[3, -1], 2).is_ok());
    // Nothing lies anywhere.
    assert!(View::strided(&[0, 3], &[3, -1], 1).is_ok());
    assert_eq!(
        View::new(&[4, 5]).unwrap().without(2).map_err(|error| error.to_string()),
        Err("the view cannot be used: there is no axis 2: it has 2 dimensions".to_owned())
    );
    let huge = View::from(Matrix { rows: u64::MAX, columns: 7 });
    assert!(huge.len() > 1 << 62);
}
