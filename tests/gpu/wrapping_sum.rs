//! What holds of `wrapping_sum` alone: it overflows, and by how much is known.

use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::Trial;
use wgpu_reduce::{GpuBuffer, WrappingSum};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "wrapping_sum::overflow", overflow),
        on_every_rig(rigs, "wrapping_sum::low_half_of_the_sum", low_half_of_the_sum),
        on_every_rig(rigs, "wrapping_sum::every_output_slot", every_output_slot),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Just below the edge, on it, past it, and around it several times.
fn overflow(rig: &Rig) -> Outcome {
    let (min, max) = (i32::MIN, i32::MAX);
    for (values, expected) in [
        (&[max][..], max),
        (&[max, 1], min),
        (&[min, -1], max),
        (&[min, min], 0),
        (&[max, max], -2),
        (&[max, 1, -1], max),
        (&[min; 7], min),
        (&[-1; 1000], -1000),
    ] {
        let sum = rig.reducer.wrapping_sum(&rig.reducer.upload(values)?)?;
        ensure!(sum == expected, "{values:?}: {sum}, not {expected}");
    }
    // -1 each, so the sum is minus the length.
    for len in [1_u32, 2, 65_535, 65_536, 300_001] {
        let values = vec![u32::MAX; usize::try_from(len)?];
        let sum = rig.reducer.wrapping_sum(&rig.reducer.upload(&values)?)?;
        ensure!(sum == 0_u32.wrapping_sub(len), "{len} times 2^32 - 1: {sum}");
    }
    Ok(())
}

/// 300 001 elements of every shape, several workgroups' worth.
fn low_half_of_the_sum(rig: &Rig) -> Outcome {
    for shape in Shape::ALL {
        let buffer = rig.reducer.upload(&i32::data(shape, 300_001))?;
        let (whole, low) = (rig.reducer.sum(&buffer)?, rig.reducer.wrapping_sum(&buffer)?);
        ensure!(i64::from(low) == (whole << 32) >> 32, "{shape:?}: {low} of {whole}");
        let buffer = rig.reducer.upload(&u32::data(shape, 300_001))?;
        let (whole, low) = (rig.reducer.sum(&buffer)?, rig.reducer.wrapping_sum(&buffer)?);
        ensure!(u64::from(low) == whole & 0xFFFF_FFFF, "{shape:?}: {low} of {whole}");
    }
    Ok(())
}

/// Results of four bytes go where they should and nowhere else.
fn every_output_slot(rig: &Rig) -> Outcome {
    let input = rig.reducer.upload(&vec![u32::MAX; 5000])?;
    for slot in [0, 1, 2, 3, 63, 64, 65, 99] {
        let output: GpuBuffer<u32> = rig.reducer.upload(&[7; 100])?;
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder = rig.reducer.device().create_command_encoder(&descriptor);
        rig.reducer.reduce(WrappingSum, &input).encode(&mut encoder, output.slice(slot..)?)?;
        rig.reducer.queue().submit([encoder.finish()]);
        let mut wanted = [7; 100];
        wanted[usize::try_from(slot)?] = 0_u32.wrapping_sub(5000);
        ensure!(output.download(&rig.reducer)? == wanted, "slot {slot} of {wanted:?}");
    }
    Ok(())
}
