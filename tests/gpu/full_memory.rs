//! Memory that is really full: what asks for more is told so, and as good as ever when there is room again.
//!
//! What software adapters take is the host's memory, which is not theirs to fill. So there a process of its own, this
//! program again, may have so much memory and no more. A GPU's memory is filled where nothing else runs on it, other tests included:
//! `WGPU_REDUCE_FULL_MEMORY=1` with this test's name says so. Through GL nothing is said of memory that there is not.

use crate::faults::fresh;
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use crate::max_memory;
use libtest_mimic::{Failed, Trial};
use std::process::Command;
use wgpu_reduce::{
    AdapterClass, Error, GpuBuffer, GpuReducer, Result, RunBuffers, StreamOptions, Sum,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = on_every_rig(rigs, NAME, full_memory);
    trials.extend(max_memory::trials(rigs));
    trials
}

const NAME: &str = "full_memory::is_told";

/// Says that this is a process that may fill the memory.
const APART: &str = "WGPU_REDUCE_FULL_MEMORY";

/// Elements of what is reduced by key: its results fit in a binding of 128 MiB.
const LEN: u64 = 15 << 20;

/// Bytes of what fills the memory: fewer than scratch and readback ask for.
const FILLING: usize = 32 << 20;

/// Buffers that a device never has room for.
const TOO_MANY: usize = 10_000;

fn full_memory(rig: &Rig) -> Outcome {
    let caps = rig.reducer.caps();
    let has_room = caps.max_binding_bytes >= 8 * LEN;
    let is_apart = std::env::var_os(APART).is_some();
    if has_room && is_apart {
        return fill(rig);
    }
    let is_gpu = caps.class != AdapterClass::Cpu;
    if is_gpu || cfg!(not(target_os = "linux")) || rig.is_gl() || !has_room {
        println!("NOT COVERED: full memory on {}; a GPU's is filled with {APART}=1", rig.name);
        return Ok(());
    }
    let name = format!("{NAME} [{}]", rig.name);
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.args([&name, "--exact", "--nocapture"]).env(APART, "1").output()?;
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    ensure!(output.status.success() && text.contains("1 passed"), "{}: {text}", output.status);
    Ok(())
}

/// Lets this process have no more address space than it has and `more`.
#[cfg(target_os = "linux")]
fn limit_memory(more: u64) -> Outcome {
    use nix::sys::resource::{Resource, setrlimit};
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kib = line.ok_or("no size")?.trim().trim_end_matches(" kB").parse::<u64>()?;
    let most = (kib << 10) + more;
    setrlimit(Resource::RLIMIT_AS, most, most)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: u64) -> Outcome {
    Err("there is no such limit".into())
}

/// What runs of keys take but for scratch, all of it zeros that nobody has written.
struct ByKey {
    keys: GpuBuffer<u32>,
    values: GpuBuffer<i32>,
    of_runs: GpuBuffer<u32>,
    results: GpuBuffer<i64>,
    count: GpuBuffer<u32>,
}

impl ByKey {
    fn new(reducer: &GpuReducer, len: u64) -> Result<Self> {
        Ok(Self {
            keys: reducer.alloc(len)?,
            values: reducer.alloc(len)?,
            of_runs: reducer.alloc(len)?,
            results: reducer.alloc(len)?,
            count: reducer.alloc(1)?,
        })
    }

    /// Takes scratch of four bytes for each key, and is not submitted.
    fn encode(&self, reducer: &GpuReducer) -> Result<wgpu::CommandEncoder> {
        let mut encoder =
            reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let output = RunBuffers {
            keys: (&self.of_runs).into(),
            results: (&self.results).into(),
            count: (&self.count).into(),
        };
        reducer.reduce(Sum, &self.values).runs(&self.keys).encode(&mut encoder, output)?;
        Ok(encoder)
    }
}

/// Does something that takes so many bytes until there is no memory for it, and keeps what it did.
fn until_full<T>(
    what: &str,
    least: u64,
    step: impl Fn() -> Result<T>,
) -> std::result::Result<Vec<T>, Failed> {
    let mut held = Vec::new();
    loop {
        match step() {
            Ok(more) => held.push(more),
            Err(Error::OutOfMemory { bytes, available_bytes: None }) if bytes >= least => {
                println!("{what}: there was room for {}", held.len());
                return Ok(held);
            }
            Err(error) => return Err(format!("{what}: {error:?}").into()),
        }
        ensure_few(what, held.len())?;
    }
}

fn ensure_few(what: &str, count: usize) -> Outcome {
    ensure!(count < TOO_MANY, "{what}: room for {count}");
    Ok(())
}

fn fill(rig: &Rig) -> Outcome {
    let reducer = fresh(rig)?;
    let is_gpu = reducer.caps().class != AdapterClass::Cpu;
    // Compilers need memory of their own.
    drop(ByKey::new(&reducer, 100)?.encode(&reducer)?);
    check_usable(&reducer)?;
    let by_key = ByKey::new(&reducer, LEN)?;
    if !is_gpu {
        limit_memory(1 << 30)?;
    }
    // Drivers and this program want some, too, when they say that there is none.
    let reserve = vec![0_u8; FILLING / 2];
    let largest = reducer.caps().max_buffer_bytes.min(8 << 30);
    let large = if is_gpu {
        until_full("alloc", largest, || reducer.alloc::<u8>(largest))?
    } else {
        Vec::new()
    };
    let bytes = FILLING as u64;
    let filling = until_full("alloc", bytes, || reducer.alloc::<u8>(bytes))?;
    drop(reserve);
    scratch_is_told(&reducer, &by_key)?;
    drop((large, filling));
    // GPUs bring results to the host's memory, which is not theirs to fill.
    if !is_gpu {
        reducer.device().poll(wgpu::PollType::wait_indefinitely())?;
        drop(until_full("readback", 8 * LEN, || reducer.read(&by_key.results))?);
        reducer.device().poll(wgpu::PollType::wait_indefinitely())?;
    }
    drop(by_key.encode(&reducer)?);
    check_usable(&reducer)?;
    let elements = vec![1_u8; FILLING];
    drop(until_full("upload", bytes, || reducer.upload(&elements))?);
    // Without memory for the copy that it sends to the device wgpu gives the device up.
    match reducer.upload(&[1_u32, 2]).and_then(|buffer| reducer.sum(&buffer)) {
        Ok(3) | Err(Error::DeviceLost { .. }) => Ok(()),
        outcome => Err(format!("after an upload: {outcome:?}").into()),
    }
}

fn check_usable(reducer: &GpuReducer) -> Outcome {
    let sum = reducer.sum(&reducer.upload(&[1_u32, 2])?)?;
    ensure!(sum == 3, "{sum}");
    Ok(())
}

/// wgpu gets memory in pieces, larger than what it is asked for, and may have room left in one.
fn scratch_is_told(reducer: &GpuReducer, by_key: &ByKey) -> Outcome {
    drop(until_full("scratch", 4 * LEN, || by_key.encode(reducer))?);
    // What is left is room for less than that: whatever a call makes of it is no panic.
    for _ in 0..20 {
        match reducer.stream::<u32, _>(Sum, &StreamOptions::new(64 << 30)).map(|_| ()) {
            Ok(()) | Err(Error::OutOfMemory { .. }) => {}
            outcome => return Err(format!("a stream: {outcome:?}").into()),
        }
    }
    Ok(())
}
