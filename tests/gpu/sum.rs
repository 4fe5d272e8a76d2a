//! What holds of `sum` alone.

use crate::harness::oracle::check_slice;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::Trial;
use wgpu_reduce::Sum;

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "sum::binding_limit", binding_limit),
        on_every_rig(rigs, "sum::beyond_one_binding", beyond_one_binding),
        on_every_rig(rigs, "sum::special_values", special_values),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// One element less than a real binding holds, as many, and one more.
fn binding_limit(rig: &Rig) -> Outcome {
    let caps = rig.reducer.caps();
    let most = caps.max_binding_bytes / 4;
    if most > 1 << 26 {
        // Larger ones cost more memory than a test should; tight limits stand in for them.
        return Ok(());
    }
    let values = i32::data(Shape::Random, most + 1);
    let buffer = rig.reducer.upload(&values)?;
    for len in [most - 1, most, most + 1] {
        let slice = buffer.slice(..len)?;
        check_slice::<i32, Sum>(
            rig,
            slice,
            &values[..usize::try_from(len)?],
            "at the binding limit",
        )?;
    }
    Ok(())
}

/// A real input larger than a real binding: 128 MiB on many adapters, 1 GiB on SwiftShader.
fn beyond_one_binding(rig: &Rig) -> Outcome {
    let caps = rig.reducer.caps();
    let bytes = (caps.max_binding_bytes + (16 << 20)).min(160 << 20).min(caps.max_buffer_bytes);
    let values = i32::data(Shape::Random, bytes / 4 - 3);
    let buffer = rig.reducer.upload(&values)?;
    let plan = rig.reducer.reduce(Sum, &buffer).plan()?;
    let windows = plan.passes()[0].grids().len();
    let fits = caps.max_binding_bytes >= bytes;
    ensure!(fits == (windows == 1), "{windows} windows for {bytes} bytes of {caps:?}");
    check_slice::<i32, Sum>(rig, buffer.slice(1..)?, &values[1..], "large")
}

/// Infinities and NaN among ordinary numbers, wherever they stand.
fn special_values(rig: &Rig) -> Outcome {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let cases: [(&[f32], f32); 5] =
        [(&[nan], nan), (&[inf], inf), (&[-inf], -inf), (&[inf, inf], inf), (&[inf, -inf], nan)];
    for (specials, expected) in cases {
        for len in [2_u64, 5, 1000, 40_000] {
            for start in [0, len / 2, len - specials.len().min(2) as u64] {
                let mut values = f32::data(Shape::Random, len);
                for (index, &special) in specials.iter().enumerate() {
                    if let Some(value) = values.get_mut(usize::try_from(start)? + index) {
                        *value = special;
                    }
                }
                let expected = if values.iter().any(|v| v.is_infinite()) || expected.is_nan() {
                    values.iter().sum::<f32>()
                } else {
                    expected
                };
                let sum = rig.reducer.sum(&rig.reducer.upload(&values)?)?;
                ensure!(
                    sum.to_bits() == expected.to_bits() || (sum.is_nan() && expected.is_nan()),
                    "{specials:?} from {start} of {len}: {sum}, not {expected}"
                );
            }
        }
    }
    Ok(())
}
