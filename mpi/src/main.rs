//! The exact sum of the `f32` in a `.npy` file that every rank can read, on the GPUs of all ranks:
//!
//! ```sh
//! mpirun -n 4 wgpu-reduce-mpi numbers.npy
//! ```
//!
//! Prints the sum, its bits, how many elements there are and the mean; with `--bits` the eight hexadecimal digits of
//! the sum and nothing else. With `--all` every rank prints that, by `all_reduce`. Each rank says on standard error what
//! it has taken. A rank that fails ends the program for all of them.

use mpi::Threading;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use wgpu_reduce::{ElementKind, ExactSum, GpuReducer, StreamOptions};
use wgpu_reduce_mpi::{all_reduce, options_of, reduce, share};
use wgpu_reduce_npy::{Layout, read_header};

type Outcome<T> = Result<T, String>;

const USAGE: &str = "usage: mpirun -n <ranks> wgpu-reduce-mpi [--bits] [--all] FILE.npy";

/// A GPU that does not answer for so long is given up.
const DEADLINE: Duration = Duration::from_secs(120);

/// What is read at a time.
const PIECE_BYTES: usize = 16 << 20;

struct Arguments {
    file: PathBuf,
    bits: bool,
    all: bool,
}

fn arguments() -> Option<Arguments> {
    let mut words: Vec<_> = std::env::args_os().skip(1).collect();
    let mut flag = |name: &str| {
        let before = words.len();
        words.retain(|word| word != name);
        words.len() < before
    };
    let (bits, all) = (flag("--bits"), flag("--all"));
    match &words[..] {
        [file] if !file.to_string_lossy().starts_with('-') => {
            Some(Arguments { file: file.into(), bits, all })
        }
        _ => None,
    }
}

fn main() -> ExitCode {
    // wgpu has threads of its own, and none of them calls MPI.
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("MPI cannot be initialised");
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    let outcome = match arguments() {
        _ if threading < Threading::Funneled => Err("this MPI allows no threads".into()),
        None => Err(USAGE.into()),
        Some(arguments) => run(&world, &arguments),
    };
    if let Err(message) = outcome {
        eprintln!("rank {}: {message}", world.rank());
        // The others would wait for it.
        world.abort(1);
    }
    ExitCode::SUCCESS
}

fn run(world: &SimpleCommunicator, arguments: &Arguments) -> Outcome<()> {
    let mine = sum_of_share(world, &arguments.file)
        .map_err(|message| format!("{}: {message}", arguments.file.display()))?;
    let total =
        if arguments.all { all_reduce(world, &mine).map(Some) } else { reduce(world, 0, &mine) };
    let Some(total) = total.map_err(|error| error.to_string())? else { return Ok(()) };
    let (sum, bits) = (total.round(), total.round().to_bits());
    let mut out = std::io::stdout();
    let written = if arguments.bits {
        writeln!(out, "{bits:08x}")
    } else {
        let mean = total.mean().map_or_else(|_| "none".into(), |mean| mean.to_string());
        let (count, ranks) = (total.count(), world.size());
        writeln!(out, "sum_exact  {sum}\nbits       {bits:08x}\nmean       {mean}")
            .and_then(|()| writeln!(out, "elements   {count}\nranks      {ranks}"))
    };
    written.map_err(|error| error.to_string())
}

/// The exact sum of this rank's share of the file, on this rank's GPU.
fn sum_of_share(world: &SimpleCommunicator, file: &Path) -> Outcome<ExactSum> {
    let mut file = File::open(file).map_err(|error| error.to_string())?;
    let layout = read_header(&mut file)?;
    if layout.element != ElementKind::F32 {
        return Err(format!("exact sums are of f32, and these are {}", layout.element.name()));
    }
    let bytes = file.metadata().map_err(|error| error.to_string())?.len();
    layout.check_data(bytes.saturating_sub(layout.data_start))?;
    // A file with a header says how many there are.
    let len = layout.elements.unwrap_or_default();
    let number = |count: i32| u64::try_from(count).unwrap_or_default();
    let range = share(len, number(world.rank()), number(world.size()));

    let local = world.split_shared(world.rank());
    let options = options_of(usize::try_from(local.rank()).unwrap_or_default());
    let reducer = pollster::block_on(GpuReducer::request(&options)).map_err(|e| e.to_string())?;
    let reducer = reducer.with_deadline(DEADLINE);
    let (adapter, rank) = (reducer.adapter_label(), world.rank());
    eprintln!("rank {rank}: elements {}..{} on {adapter}", range.start, range.end);

    let start = layout.data_start + 4 * range.start;
    file.seek(SeekFrom::Start(start)).map_err(|error| error.to_string())?;
    sum_of(&reducer, &mut file, &layout, range.end - range.start)
}

/// The exact sum of the next `len` elements.
fn sum_of(reducer: &GpuReducer, file: &mut File, layout: &Layout, len: u64) -> Outcome<ExactSum> {
    let failed = |error: wgpu_reduce::Error| error.to_string();
    let mut stream = reducer.stream_exact(&StreamOptions::default()).map_err(failed)?;
    let mut piece = vec![0_f32; PIECE_BYTES / 4];
    while stream.len() < len {
        let left = usize::try_from(len - stream.len()).unwrap_or(usize::MAX);
        let most = piece.len().min(left);
        let elements = &mut piece[..most];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(elements);
        file.read_exact(bytes).map_err(|error| error.to_string())?;
        layout.put_in_order(bytes);
        stream.push(elements).map_err(failed)?;
    }
    stream.finish().and_then(wgpu_reduce::Pending::wait).map_err(failed)
}
