//! `devices`: the adapters and what matters of each.

use crate::adapter;
use crate::args;
use crate::failure::Failure;
use serde::Serialize;
use std::io::Write;
use wgpu_reduce::{Adapter, Caps};

pub(crate) fn run(arguments: &args::Devices, out: &mut impl Write) -> Result<(), Failure> {
    let adapters = adapter::all()?;
    let devices: Vec<_> = adapters.iter().enumerate().map(Device::new).collect();
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&devices)?)?;
        return Ok(());
    }
    for device in &devices {
        device.print(out)?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Device {
    index: usize,
    label: String,
    backend: String,
    #[serde(rename = "device_type")]
    kind: String,
    driver: String,
    driver_info: String,
    subgroup_sizes: Option<Sizes>,
    limits: Limits,
    features: Vec<&'static str>,
    class: String,
}

#[derive(Serialize)]
struct Sizes {
    min: u32,
    max: u32,
}

#[derive(Serialize)]
struct Limits {
    max_binding_bytes: u64,
    max_buffer_bytes: u64,
    storage_alignment_bytes: u64,
    max_workgroup_size: u32,
    workgroup_storage_bytes: u32,
    max_workgroups_per_dimension: u32,
}

impl Device {
    fn new((index, adapter): (usize, &Adapter)) -> Self {
        let (info, caps) = (&adapter.info, adapter.caps());
        Self {
            index,
            label: adapter.label(),
            backend: format!("{:?}", info.backend),
            kind: format!("{:?}", info.device_type),
            driver: info.driver.clone(),
            driver_info: info.driver_info.clone(),
            subgroup_sizes: caps.subgroups.map(|sizes| Sizes { min: sizes.min, max: sizes.max }),
            limits: Limits::new(&caps),
            features: adapter.used_features().iter_names().map(|(name, _)| name).collect(),
            class: format!("{:?}", caps.class),
        }
    }

    fn print(&self, out: &mut impl Write) -> Result<(), Failure> {
        let subgroups = match &self.subgroup_sizes {
            Some(Sizes { min, max }) => format!("{min}–{max} invocations"),
            None => "none".into(),
        };
        let features =
            if self.features.is_empty() { "none".into() } else { self.features.join(", ") };
        let driver = adapter::driver_text(&self.driver, &self.driver_info);
        let limits = &self.limits;
        writeln!(out, "{}: {}", self.index, self.label)?;
        for (name, value) in [
            ("backend", self.backend.clone()),
            ("type", format!("{}, tuned as {}", self.kind, self.class)),
            ("driver", if driver.is_empty() { "unknown".into() } else { driver }),
            ("subgroups", subgroups),
            ("features", features),
            ("binding", format!("{} bytes at most", limits.max_binding_bytes)),
            ("alignment", format!("{} bytes", limits.storage_alignment_bytes)),
            ("buffer", format!("{} bytes at most", limits.max_buffer_bytes)),
            ("workgroup", format!("{} invocations at most", limits.max_workgroup_size)),
            ("memory", format!("{} bytes per workgroup", limits.workgroup_storage_bytes)),
            ("grid", format!("{} workgroups per dimension", limits.max_workgroups_per_dimension)),
        ] {
            writeln!(out, "   {name:<10} {}", value.trim())?;
        }
        Ok(())
    }
}

impl Limits {
    fn new(caps: &Caps) -> Self {
        Self {
            max_binding_bytes: caps.max_binding_bytes,
            max_buffer_bytes: caps.max_buffer_bytes,
            storage_alignment_bytes: caps.storage_alignment_bytes,
            max_workgroup_size: caps.max_workgroup_size,
            workgroup_storage_bytes: caps.workgroup_storage_bytes,
            max_workgroups_per_dimension: caps.max_workgroups_per_dimension,
        }
    }
}
