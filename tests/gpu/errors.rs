//! What must fail, with which error, and that the reducer is as good as before.

use crate::harness::rig::{DEADLINE, open};
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use wgpu_reduce::{Error, GpuBuffer, GpuReducer, Options, Sum, Tuning};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "errors::ranges", ranges),
        on_every_rig(rigs, "errors::callers_buffers", callers_buffers),
        on_every_rig(rigs, "errors::too_large", too_large),
        on_every_rig(rigs, "errors::tuning", tuning),
        on_every_rig(rigs, "errors::mapped_input", mapped_input),
        on_every_rig(rigs, "errors::destroyed_input", destroyed_input),
        on_every_rig(rigs, "errors::other_devices_buffer", other_devices_buffer),
        on_every_rig(rigs, "errors::other_instances_buffer", other_instances_buffer),
        on_every_rig(rigs, "errors::lost_device", lost_device),
        on_every_rig(rigs, "errors::impossible_limits", impossible_limits),
    ]
    .into_iter()
    .flatten()
    .chain([Trial::test("errors::no_adapter", no_adapter)])
    .collect()
}

/// The reducer works after an error.
fn still_works(rig: &Rig) -> Outcome {
    let sum = rig.reducer.sum(&rig.reducer.upload(&[1_u32, 2, 3])?)?;
    ensure!(sum == 6, "after the error: {sum}");
    Ok(())
}

#[expect(clippy::reversed_empty_ranges, reason = "what is refused")]
fn ranges(rig: &Rig) -> Outcome {
    let buffer = rig.reducer.upload(&[1_u32, 2, 3])?;
    let error = |start, end| Some(Error::InvalidRange { start, end, len: 3 });
    ensure!(buffer.slice(2..4).err() == error(2, 4), "2..4");
    ensure!(buffer.slice(3..2).err() == error(3, 2), "3..2");
    ensure!(buffer.slice(..=3).err() == error(0, 4), "..=3");
    ensure!(buffer.slice(4..).err() == error(4, 3), "4..");
    ensure!(buffer.slice(..=u64::MAX).err() == error(0, u64::MAX), "..=MAX");
    let sum = rig.reducer.sum(buffer.slice(3..)?)?;
    ensure!(sum == 0, "the empty end sums to {sum}");
    still_works(rig)
}

fn buffer(rig: &Rig, size: u64, usage: wgpu::BufferUsages, mapped: bool) -> wgpu::Buffer {
    rig.reducer.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: mapped,
    })
}

fn callers_buffers(rig: &Rig) -> Outcome {
    let storage = buffer(rig, 64, wgpu::BufferUsages::STORAGE, false);
    let uniform = buffer(rig, 64, wgpu::BufferUsages::UNIFORM, false);
    let invalid = |outcome: wgpu_reduce::Result<GpuBuffer<f32>>| {
        matches!(outcome, Err(Error::InvalidBuffer { .. }))
    };
    ensure!(invalid(GpuBuffer::from_wgpu(uniform, 0, 4)), "no STORAGE usage");
    ensure!(invalid(GpuBuffer::from_wgpu(storage.clone(), 2, 4)), "unaligned");
    ensure!(invalid(GpuBuffer::from_wgpu(storage.clone(), 0, 17)), "past the end");
    ensure!(invalid(GpuBuffer::from_wgpu(storage.clone(), 64, 1)), "at the end");
    ensure!(invalid(GpuBuffer::from_wgpu(storage.clone(), 4, u64::MAX)), "overflowing");
    let last = GpuBuffer::<f32>::from_wgpu(storage.clone(), 64, 0)?;
    ensure!(rig.reducer.sum(&last)?.to_bits() == 0, "nothing at the end");
    let odd = GpuBuffer::<[u8; 3]>::from_wgpu(storage, 0, 3);
    ensure!(matches!(odd, Err(Error::InvalidBuffer { .. })), "elements of three bytes");
    still_works(rig)
}

fn too_large(rig: &Rig) -> Outcome {
    let max_bytes = rig.reducer.caps().max_buffer_bytes;
    for len in [max_bytes / 4 + 1, u64::MAX / 4, u64::MAX] {
        let outcome = rig.reducer.alloc::<f32>(len);
        ensure!(matches!(outcome, Err(Error::BufferTooLarge { .. })), "{len}: {outcome:?}");
    }
    still_works(rig)
}

fn tuning(rig: &Rig) -> Outcome {
    let good = rig.tuning(1);
    let too_wide = rig.reducer.caps().max_workgroup_size * 2;
    let input = rig.reducer.upload(&[1.0_f32])?;
    for bad in [
        Tuning { workgroup_size: 0, ..good },
        Tuning { workgroup_size: 48, ..good },
        Tuning { workgroup_size: too_wide, ..good },
        Tuning { workgroup_size: 1 << 31, ..good },
        Tuning { max_workgroups: 0, ..good },
        Tuning { max_workgroups: u32::MAX, ..good },
        Tuning { max_partials_per_workgroup: 1, ..good },
    ] {
        let outcome = rig.reducer.with_tuning(bad).sum(&input);
        ensure!(matches!(outcome, Err(Error::InvalidTuning { .. })), "{bad:?}: {outcome:?}");
    }
    still_works(rig)
}

fn mapped_input(rig: &Rig) -> Outcome {
    let mapped = buffer(rig, 64, wgpu::BufferUsages::STORAGE, true);
    let outcome = rig.reducer.sum(&GpuBuffer::<f32>::from_wgpu(mapped, 0, 16)?);
    ensure!(matches!(outcome, Err(Error::Validation { .. })), "{outcome:?}");
    still_works(rig)
}

fn destroyed_input(rig: &Rig) -> Outcome {
    let destroyed = buffer(rig, 64, wgpu::BufferUsages::STORAGE, false);
    destroyed.destroy();
    let outcome = rig.reducer.sum(&GpuBuffer::<f32>::from_wgpu(destroyed, 0, 16)?);
    ensure!(matches!(outcome, Err(Error::Validation { .. })), "{outcome:?}");
    still_works(rig)
}

fn other_devices_buffer(rig: &Rig) -> Outcome {
    let other = open(&rig.options)?;
    let outcome = rig.reducer.sum(&other.upload(&[1_i32])?);
    ensure!(matches!(outcome, Err(Error::Validation { .. })), "{outcome:?}");
    still_works(rig)
}

/// Destroyed before a call, and with results on their way.
fn lost_device(rig: &Rig) -> Outcome {
    let doomed = open(&rig.options)?;
    let input = doomed.upload(&vec![1_u32; 100_000])?;
    // Knows of the loss from what its calls meet alone.
    let (device, queue) = (doomed.device().clone(), doomed.queue().clone());
    let borrowed = GpuReducer::from_wgpu(device, queue)?.with_deadline(DEADLINE);
    let early = doomed.reduce(Sum, &input).start()?;
    let awaited = doomed.reduce(Sum, &input).start()?;
    doomed.device().destroy();
    // What was on its way either made it or is reported lost.
    for outcome in [early.wait(), pollster::block_on(awaited)] {
        let fine = matches!(outcome, Ok(100_000) | Err(Error::DeviceLost { .. }));
        ensure!(fine, "in flight: {outcome:?}");
    }
    let after = doomed.sum(&input);
    ensure!(matches!(after, Err(Error::DeviceLost { .. })), "after: {after:?}");
    let after = borrowed.sum(&input);
    ensure!(matches!(after, Err(Error::DeviceLost { .. })), "on a borrowed device: {after:?}");
    let upload = doomed.upload(&[1.0_f32]);
    ensure!(matches!(upload, Err(Error::DeviceLost { .. })), "upload: {upload:?}");
    let download = input.download(&doomed);
    ensure!(matches!(download, Err(Error::DeviceLost { .. })), "download: {download:?}");
    still_works(rig)
}

fn impossible_limits(rig: &Rig) -> Outcome {
    let limits = wgpu::Limits { max_bind_groups: u32::MAX, ..wgpu::Limits::defaults() };
    let outcome = open(&rig.options.clone().limits(limits));
    ensure!(matches!(outcome, Err(Error::Unsupported { .. })), "{outcome:?}");
    Ok(())
}

/// A device of the rig's adapter without any feature, of another wgpu instance.
pub(crate) fn bare_device(
    rig: &Rig,
    required_limits: wgpu::Limits,
) -> Result<(wgpu::Device, wgpu::Queue), Failed> {
    let info = rig.reducer.adapter_info();
    let backends = wgpu::Backends::from(info.backend);
    // An instance of this backend alone: NVIDIA's driver can deadlock when an EGL display is closed while another
    // thread destroys a Vulkan device.
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends = backends;
    let instance = wgpu::Instance::new(descriptor);
    let adapters = pollster::block_on(instance.enumerate_adapters(backends));
    let adapter = adapters.iter().find(|adapter| adapter.get_info().name == info.name);
    let adapter = adapter.ok_or("the adapter is gone")?;
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    Ok(pollster::block_on(adapter.request_device(&descriptor))?)
}

fn no_adapter() -> Outcome {
    let options = Options::default().adapter("no such adapter");
    let outcome = open(&options);
    let Err(error @ Error::NoAdapter { .. }) = outcome else {
        return Err(format!("{outcome:?}").into());
    };
    let message = error.to_string();
    ensure!(message.contains("matching \"no such adapter\""), "{message}");
    ensure!(message.contains("; present: 0: ") && !message.contains("install"), "{message}");
    Ok(())
}

/// A buffer of another wgpu instance. wgpu tells handles apart by numbers that are unique within an
/// instance only: it panics on most, and takes some for its own. The panic must not get through.
fn other_instances_buffer(rig: &Rig) -> Outcome {
    let (device, queue) = bare_device(rig, wgpu::Limits::defaults())?;
    let other = GpuReducer::from_wgpu(device, queue)?.with_deadline(DEADLINE);
    let foreign = other.upload(&[1_i32])?;
    let outcome = rig.reducer.sum(&foreign);
    ensure!(matches!(outcome, Ok(_) | Err(Error::Validation { .. })), "{outcome:?}");
    still_works(rig)
}
