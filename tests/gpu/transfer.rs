//! Up to the GPU and back, and buffers that the caller made.

use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::Trial;
use wgpu_reduce::{Error, GpuBuffer, GpuReducer};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "transfer::round_trip", round_trip),
        on_every_rig(rigs, "transfer::write_part", write_part),
        on_every_rig(rigs, "transfer::callers_buffer", callers_buffer),
        on_every_rig(rigs, "transfer::callers_device", callers_device),
        on_every_rig(rigs, "transfer::odd_buffer_ends", odd_buffer_ends),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn round_trip(rig: &Rig) -> Outcome {
    // The last one takes several write steps.
    for len in [0, 1, 2, 1000, (9 << 20) + 1] {
        let values = u32::data(Shape::Random, len);
        let buffer = rig.reducer.upload(&values)?;
        ensure!(buffer.len() == len && buffer.is_empty() == (len == 0), "length {}", buffer.len());
        ensure!(buffer.download(&rig.reducer)? == values, "{len} elements came back changed");
    }
    let zeros: GpuBuffer<i64> = rig.reducer.alloc(300)?;
    ensure!(zeros.download(&rig.reducer)? == [0; 300], "new memory is not zero");
    Ok(())
}

fn write_part(rig: &Rig) -> Outcome {
    let buffer = rig.reducer.upload(&[1_i32, 2, 3, 4, 5])?;
    rig.reducer.write(buffer.slice(1..3)?, &[20, 30])?;
    ensure!(buffer.download(&rig.reducer)? == [1, 20, 30, 4, 5], "the write went elsewhere");
    let part = rig.reducer.read(buffer.slice(2..4)?)?.wait()?;
    ensure!(part == [30, 4], "{part:?}");
    let outcome = rig.reducer.write(buffer.slice(1..3)?, &[0; 3]);
    ensure!(outcome == Err(Error::InvalidRange { start: 0, end: 3, len: 2 }), "{outcome:?}");
    Ok(())
}

fn storage_buffer(device: &wgpu::Device, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    })
}

/// Elements that start somewhere in a buffer of the caller's, with the least usage.
fn callers_buffer(rig: &Rig) -> Outcome {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let mine = storage_buffer(rig.reducer.device(), 4096, usage);
    let values = i32::data(Shape::Random, 1024);
    rig.reducer.queue().write_buffer(&mine, 0, bytemuck::cast_slice(&values));
    let buffer = GpuBuffer::<i32>::from_wgpu(mine, 44, 500)?;
    let expected: i64 = values[11..511].iter().map(|&v| i64::from(v)).sum();
    let sum = rig.reducer.sum(&buffer)?;
    ensure!(sum == expected, "{sum}, not {expected}");
    let outcome = buffer.download(&rig.reducer);
    ensure!(matches!(outcome, Err(Error::InvalidBuffer { .. })), "no COPY_SRC: {outcome:?}");
    Ok(())
}

/// The rig's device seen as a caller's own.
fn callers_device(rig: &Rig) -> Outcome {
    let (device, queue) = (rig.reducer.device().clone(), rig.reducer.queue().clone());
    let reducer = GpuReducer::from_wgpu(device, queue, rig.reducer.adapter_info().clone())?;
    ensure!(reducer.caps() == rig.reducer.caps(), "the abilities differ");
    let buffer = rig.reducer.upload(&[1.0_f32, 2.0])?;
    ensure!(reducer.sum(&buffer)?.to_bits() == 3.0_f32.to_bits(), "the sum is wrong");
    Ok(())
}

/// Buffers whose last bytes do not fill a 16-byte load.
fn odd_buffer_ends(rig: &Rig) -> Outcome {
    for len in (1..40).chain([16_383, 16_385, 16_386, 16_387]) {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let mine = storage_buffer(rig.reducer.device(), len * 4, usage);
        let values = u32::data(Shape::Random, len);
        rig.reducer.queue().write_buffer(&mine, 0, bytemuck::cast_slice(&values));
        let sum = rig.reducer.sum(&GpuBuffer::<u32>::from_wgpu(mine, 0, len)?)?;
        let expected: u64 = values.iter().map(|&v| u64::from(v)).sum();
        ensure!(sum == expected, "{len}: {sum}, not {expected}");
    }
    Ok(())
}
