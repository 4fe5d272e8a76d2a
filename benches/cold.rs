//! The first `sum` of a process, each time in a new one; see `METHODOLOGY.md`.
//!
//! `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wgpu_reduce::{GpuReducer, Operation, Options, Sum};
use wgpu_reduce_known::{Times, is_near};

/// Processes of each kind; one is enough to see that it works.
const PROCESSES: usize = 15;

const ELEMENTS: u16 = 50_000;

/// What a process finds that earlier ones left.
#[derive(Debug, Clone, Copy)]
struct Found {
    /// In the driver's own cache, which most drivers have.
    by_driver: bool,
    /// In the folder of `Options::pipeline_cache`.
    by_crate: bool,
}

const KINDS: [Found; 4] = [
    Found { by_driver: false, by_crate: false },
    Found { by_driver: false, by_crate: true },
    Found { by_driver: true, by_crate: false },
    Found { by_driver: true, by_crate: true },
];

/// How drivers are told to leave their caches alone: Mesa's and NVIDIA's.
const NO_DRIVER_CACHE: [(&str, &str); 2] =
    [("MESA_SHADER_CACHE_DISABLE", "true"), ("__GL_SHADER_DISK_CACHE", "0")];

/// What a process takes.
#[derive(Debug, Clone, Copy)]
struct Parts {
    open: Duration,
    first: Duration,
    second: Duration,
    /// From before it starts until it has ended.
    whole: Duration,
}

const PROCESS: &str = "--process";

fn main() {
    env_logger::init();
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [process, folder] = &arguments[..] {
        if process == PROCESS {
            return one_process(Path::new(folder));
        }
    }
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    measure(if is_bench { PROCESSES } else { 1 });
}

/// Opens the adapter, sums twice, and prints the adapter and how long each took in nanoseconds.
fn one_process(folder: &Path) {
    let start = Instant::now();
    let options = Options::default().pipeline_cache(folder);
    let reducer = pollster::block_on(GpuReducer::request(&options)).expect("an adapter is needed");
    let open = start.elapsed();

    let values: Vec<f32> = (0..ELEMENTS).map(|index| 1.0 / (1.0 + f32::from(index))).collect();
    let buffer = reducer.upload(&values).expect("the data fits");
    // The upload is over when something can be read.
    reducer.read(buffer.slice(..1).expect("it is there")).expect("it is read").wait().expect("it");
    let timed_sum = || {
        let start = Instant::now();
        let sum = reducer.sum(&buffer).expect("the sum runs");
        (sum, start.elapsed())
    };
    let ((sum, first), (again, second)) = (timed_sum(), timed_sum());

    let expected = f64::from(Sum.on_cpu(&values).expect("the oracle runs"));
    let plan = reducer.reduce(Sum, &buffer).plan().expect("the sum has a plan");
    assert!(
        is_near(sum, expected, plan.accuracy().error_bound(expected)),
        "{sum} is not {expected}"
    );
    assert_eq!(sum.to_bits(), again.to_bits(), "two sums of the same");
    let info = reducer.adapter_info();
    let has_cache = reducer.device().features().contains(wgpu::Features::PIPELINE_CACHE);
    let lacking = if has_cache { "" } else { ", which has no pipeline cache" };
    let label = reducer.adapter_label();
    println!("{label}, driver {} {}{lacking}", info.driver, info.driver_info);
    println!("{} {} {}", open.as_nanos(), first.as_nanos(), second.as_nanos());
}

/// Runs one in a process of its own.
fn run(folder: &Path, by_driver: bool) -> (String, Parts) {
    let program = std::env::current_exe().expect("a program has a file");
    let mut command = Command::new(program);
    command.arg(PROCESS).arg(folder).stdin(Stdio::null()).stderr(Stdio::inherit());
    if !by_driver {
        command.envs(NO_DRIVER_CACHE);
    }
    let start = Instant::now();
    let output = command.output().expect("it starts");
    let whole = start.elapsed();
    assert!(output.status.success(), "it failed: {:?}", output.status);
    let text = String::from_utf8(output.stdout).expect("it prints text");
    let mut lines = text.lines();
    let adapter = lines.next().expect("it prints the adapter").to_owned();
    let times = lines.next().expect("it prints times").split(' ');
    let times: Vec<_> = times
        .map(|nanoseconds| Duration::from_nanos(nanoseconds.parse().expect("it prints numbers")))
        .collect();
    let [open, first, second] = times[..] else { panic!("three times: {times:?}") };
    (adapter, Parts { open, first, second, whole })
}

/// Takes turns, so that what changes with time changes for all kinds alike.
fn measure(processes: usize) {
    let filled = tempfile::tempdir().expect("there is room for a folder");
    // Fills the driver's cache, too.
    let (adapter, _) = run(filled.path(), true);
    println!("adapter: {adapter}; median of {processes} processes, {ELEMENTS} f32 elements\n");
    let mut measured = KINDS.map(|kind| (kind, Vec::with_capacity(processes)));
    for _ in 0..processes {
        for (kind, times) in &mut measured {
            let empty = tempfile::tempdir().expect("there is room for a folder");
            let folder = if kind.by_crate { filled.path() } else { empty.path() };
            times.push(run(folder, kind.by_driver).1);
        }
    }
    println!(
        "| driver's cache | pipeline cache | open ms | spread % | first sum ms | spread % \
         | second sum ms | spread % | process ms | spread % |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (kind, times) in &measured {
        let state = |is_filled| if is_filled { "filled" } else { "empty" };
        print!("| {} | {} |", if kind.by_driver { "filled" } else { "off" }, state(kind.by_crate));
        let parts: [fn(&Parts) -> Duration; 4] =
            [|parts| parts.open, |parts| parts.first, |parts| parts.second, |parts| parts.whole];
        for part in parts {
            let times = times.iter().map(|parts| part(parts).as_secs_f64() * 1e3).collect();
            let Times { median, spread, .. } = Times::of(times).expect("there is a process");
            print!(" {median:.2} | {spread:.1} |");
        }
        println!();
    }
}
