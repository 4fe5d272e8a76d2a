//! Operators of one's own: log-sum-exp, the largest absolute difference of two buffers, and a number
//! read from its digits, which depends on their order. Runs on any adapter, software ones too:
//!
//! ```sh
//! cargo run --example custom_operator
//! ```

use wgpu_reduce::{CustomOp, Error, GpuReducer, Result};

/// Largest element, and the sum of exponentials divided by that element's, 0 of −∞ alone: neither overflows.
const LOG_SUM_EXP: &str = "
fn map(element: f32, index: u32) -> vec2<f32> {
    // Of -inf the exponential is 0; its bits tell, as compilers may assume that there is none.
    return vec2<f32>(element, select(1.0, 0.0, bitcast<u32>(element) == 0xff800000u));
}

fn combine(left: vec2<f32>, right: vec2<f32>) -> vec2<f32> {
    if left.y == 0.0 { return right; }
    if right.y == 0.0 { return left; }
    let largest = max(left.x, right.x);
    let sum = left.y * exp(left.x - largest) + right.y * exp(right.x - largest);
    return vec2<f32>(largest, sum);
}

fn finish(total: vec2<f32>) -> f32 {
    if total.y == 0.0 { return total.x; }
    return total.x + log(total.y);
}";

/// By the bits, of which those of NaN are the largest: WGSL's `max` of floats may leave NaN out.
const MAX_ABS_DIFFERENCE: &str = "
fn map(a: f32, b: f32, index: u32) -> u32 { return bitcast<u32>(a - b) & 0x7fffffffu; }
fn combine(left: u32, right: u32) -> u32 { return max(left, right); }
fn finish(total: u32) -> f32 { return bitcast<f32>(total); }";

/// x ↦ 10·x + digit, composed: combine need not be commutative.
const NUMBER: &str = "
fn map(digit: u32, index: u32) -> vec2<u32> {
    return vec2<u32>(10u, digit);
}

fn combine(left: vec2<u32>, right: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(left.x * right.x, left.y * right.x + right.y);
}

fn finish(total: vec2<u32>) -> u32 {
    return total.y;
}";

fn main() -> Result<()> {
    let reducer = GpuReducer::new()?;
    println!("on {}", reducer.adapter_label());

    let log_sum_exp = CustomOp::<f32, [f32; 2], f32>::new(LOG_SUM_EXP, [f32::NEG_INFINITY, 0.0])?;
    let million = reducer.upload(&vec![1000.0_f32; 1_000_000])?;
    let result = reducer.reduce(&log_sum_exp, &million).run()?;
    let by_hand = 1000.0 + 1e6_f32.ln();
    println!("log-sum-exp of a million times 1000: {result}, by hand {by_hand}");
    assert!((result - by_hand).abs() < 1e-2, "WGSL's exp and log may be some roundings off");

    let mixed = [-3.0_f32, f32::NEG_INFINITY, 0.5, 2.0, 1.25];
    let result = reducer.reduce(&log_sum_exp, &reducer.upload(&mixed)?).run()?;
    let on_cpu = mixed.iter().map(|&element| f64::from(element).exp()).sum::<f64>().ln();
    println!("log-sum-exp of {mixed:?}: {result}, on the CPU {on_cpu}");
    assert!((f64::from(result) - on_cpu).abs() < 1e-4);

    let difference = CustomOp::<(f32, f32), u32, f32>::new(MAX_ABS_DIFFERENCE, 0)?;
    let (a, b) = ([0.5_f32, 2.0, -1.0, 4.0], [0.5_f32, 2.5, 1.5, 4.0]);
    let result = reducer.reduce(&difference, (&reducer.upload(&a)?, &reducer.upload(&b)?)).run()?;
    let on_cpu = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    println!("largest absolute difference: {result}");
    assert_eq!(result.to_bits(), on_cpu.to_bits());

    let number = CustomOp::<u32, [u32; 2], u32>::new(NUMBER, [1, 0])?;
    let digits = [1_u32, 9, 8, 4];
    let result = reducer.reduce(&number, &reducer.upload(&digits)?).run()?;
    println!("the number of the digits 1, 9, 8, 4: {result}");
    assert_eq!(result, digits.iter().fold(0, |number, digit| 10 * number + digit));

    let misspelt = MAX_ABS_DIFFERENCE.replace("max", "maximum");
    match CustomOp::<(f32, f32), u32, f32>::new(misspelt, 0) {
        Err(error @ Error::CustomShader { line: 3, .. }) => println!("a mistake: {error}"),
        other => panic!("{other:?} should not be"),
    }
    Ok(())
}
