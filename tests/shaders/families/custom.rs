//! Custom operators, over one input and over two, with accumulators and results of every shape.

use crate::shader::{Constants, Shader};
use naga::valid::Capabilities;
use wgpu_reduce::{CustomInput, CustomOp, CustomShader, CustomValue};

pub(super) fn all() -> Vec<Shader> {
    let vec2i = "vec2<i32>";
    let of_one = [
        of(&fitting::<f32, f32, f32>("a: f32", "f32", "f32", 0.0)),
        of(&fitting::<i32, [i32; 2], [i32; 2]>("a: i32", vec2i, vec2i, [0; 2])),
        of(&fitting::<u32, [u32; 3], [u32; 3]>("a: u32", "vec3<u32>", "vec3<u32>", [0; 3])),
        of(&fitting::<f32, [f32; 4], [f32; 3]>("a: f32", "vec4<f32>", "vec3<f32>", [0.0; 4])),
        of(&fitting::<f32, [f32; 3], u32>("a: f32", "vec3<f32>", "u32", [0.0; 3])),
        of(&fitting::<u8, [f32; 3], u32>("a: u32", "vec3<f32>", "u32", [0.0; 3])),
        of(&fitting::<i16, u32, [i32; 4]>("a: i32", "u32", "vec4<i32>", 0)),
        of(&fitting::<half::f16, u32, f32>("a: f32", "u32", "f32", 0)),
        of(&fitting::<half::bf16, f32, f32>("a: f32", "f32", "f32", 0.0)),
    ];
    let of_two = [
        of(&fitting::<(f32, f32), f32, f32>("a: f32, b: f32", "f32", "f32", 0.0)),
        of(&fitting::<(u8, u8), [f32; 3], u32>("a: u32, b: u32", "vec3<f32>", "u32", [0.0; 3])),
        of(&fitting::<(i8, i8), i32, [u32; 2]>("a: i32, b: i32", "i32", "vec2<u32>", 0)),
        of(&fitting::<(u16, u16), [u32; 2], u32>("a: u32, b: u32", "vec2<u32>", "u32", [0; 2])),
    ];
    assert!(of_one.iter().all(|shaders| shaders.len() == 10));
    assert!(of_two.iter().all(|shaders| shaders.len() == 8));
    of_one.into_iter().chain(of_two).flatten().collect()
}

/// An operator over these types that does nothing but fit them.
fn fitting<I: CustomInput, A: CustomValue, R: CustomValue>(
    input: &str,
    accumulator: &str,
    result: &str,
    identity: A,
) -> CustomOp<I, A, R> {
    let finish = if accumulator == result {
        String::new()
    } else {
        format!("fn finish(total: {accumulator}) -> {result} {{ return {result}(); }}")
    };
    let text = format!(
        "fn map({input}, index: u32) -> {accumulator} {{ return {accumulator}(); }}
        fn combine(left: {accumulator}, right: {accumulator}) -> {accumulator} {{
            return left + right;
        }}
        {finish}"
    );
    CustomOp::new(text, identity).unwrap_or_else(|error| panic!("{error}"))
}

/// Every shader of an operator, with workgroups of several sizes.
fn of<I: CustomInput, A: CustomValue, R: CustomValue>(op: &CustomOp<I, A, R>) -> Vec<Shader> {
    let shaders: Vec<_> = op.shaders().into_iter().collect();
    let is_paired = shaders.len() == 8;
    shaders.iter().map(|shader| of_shader(shader, op.text(), is_paired)).collect()
}

fn of_shader(custom: &CustomShader, text: &str, is_paired: bool) -> Shader {
    // Operators differ by their text alone, and a name is one shader's.
    let name = format!("{custom}: {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
    let shown = custom.to_string();
    // Browsers have no room for the tiles of packed elements in workgroups of the text's own size.
    let is_sample = is_paired || shown.contains("over f32, vec3<f32>, u32");
    let mut shader =
        Shader::new(name, custom.wgsl(), Capabilities::empty()).with_pipeline(is_sample);
    shader.entry_point = custom.entry_point();
    shader.is_guarded = true;
    shader.has_barrier = Some(true);
    // Tiles of segments take room for each invocation.
    let largest = if shown.contains("fold of segments") { 64 } else { 256 };
    for (size, more) in [(1, 1), (32, 16), (largest, 4)] {
        let (constants, mut bindings) = form(custom, &shown, size, more);
        if shown.contains(": reads Elements") {
            bindings.push(1);
            if is_paired {
                bindings.extend([6, 7]);
            }
        }
        shader = shader.with_form(constants, size, &bindings);
    }
    shader
}

fn form(custom: &CustomShader, shown: &str, size: u32, more: u32) -> (Constants, Vec<u32>) {
    if custom.entry_point() == "fold_pass" {
        return (vec![("FOLD_WORKGROUP_SIZE", size), ("FOLD_LOADS", more)], vec![0, 2, 3]);
    }
    let mut constants = vec![("fold_lib_WORKGROUP_SIZE", size)];
    if shown.contains("of segments") {
        if shown.contains("close") {
            return (constants, vec![0, 2, 3, 6]);
        }
        constants.push(("fold_lib_IN_ORDER", 1));
        return (constants, vec![0, 1, 2, 3, 4, 5, 6, 8]);
    }
    let lanes = if size < more { 1 } else { more };
    constants.extend([
        ("fold_lib_LANES", lanes),
        ("fold_lib_SPREAD", size / lanes),
        ("fold_lib_DIMENSIONS", 2),
        ("fold_lib_SHARED", 1),
    ]);
    let reads_pairs = shown.contains("over pairs") && shown.contains("reads Elements");
    (constants, if reads_pairs { vec![0, 2, 3, 6] } else { vec![0, 2, 3] })
}
