//! massively, whose reductions take an operator written in cubecl's Rust, on cubecl's runtime for wgpu.
//!
//! `reduce` and `max_element` return the value on the host, so there is no run in flight.

use crate::subject::{Subject, hash};
use cubecl::prelude::*;
use cubecl::wgpu::WgpuRuntime;
use massively::op::{BinaryPredicateOp, ReductionOp};
use massively::vector::{max_element, reduce};
use massively::{Executor, MFlag};

/// How far the sum may be from the host's in f64, as a share of it.
const TOLERANCE: f64 = 1e-4;

struct Add;

#[cubecl::cube]
impl ReductionOp<f32> for Add {
    fn apply(left: f32, right: f32) -> f32 {
        left + right
    }
}

struct Less;

#[cubecl::cube]
impl BinaryPredicateOp<f32> for Less {
    fn apply(left: f32, right: f32) -> MFlag {
        massively::flag::from_bool(left < right)
    }
}

pub(crate) fn run(subject: &Subject) {
    let executor = Executor::<WgpuRuntime>::new(Default::default());
    // Of [0, 1), with 24 bits each.
    let values: Vec<f32> =
        (0..subject.len).map(|index| (hash(index) >> 8) as f32 / (1 << 24) as f32).collect();
    let expected: f64 = values.iter().copied().map(f64::from).sum();
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let place = values.iter().position(|&value| value == largest);
    let input = executor.to_device(&values);
    let sum = || reduce(&executor, input.slice(..), 0.0, Add).expect("it runs");
    let check = |sum: f32| {
        let error = (f64::from(sum) - expected).abs();
        assert!(error <= TOLERANCE * expected, "{sum} is not {expected}");
    };
    subject.measure_calls("sum,f32", sum, check);
    let argmax = || max_element(&executor, input.slice(..), Less).expect("it runs");
    let check = |found: Option<_>| {
        assert_eq!(found.map(|index| index as usize), place, "of the first of the largest");
    };
    subject.measure_calls("argmax,f32", argmax, check);
}
