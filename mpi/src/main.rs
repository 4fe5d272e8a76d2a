//! A reduction of a `.npy` file that every rank can read, on the GPUs of all ranks:
//!
//! ```sh
//! mpirun -n 4 wgpu-reduce-mpi numbers.npy
//! ```
//!
//! Of `f32` and `f64` it prints the exact sum, its bits, how many elements there are and the mean; with `--bits` the eight or
//! sixteen hexadecimal digits of the sum and nothing else. Of `i32` it prints the sum, and with `--argmin` of any the least element
//! and its index, which it refuses to tell of arrays in Fortran order. With `--all` every rank prints that, and not the first alone. Each rank says on standard error what it has
//! taken. A rank that fails ends the program for all of them. `--help` and a wrong command line have the first print how it is
//! called, and all end with status 0 and 2.

use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives as _};
use std::fmt::Display;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use wgpu_reduce::{
    ArgMin, Element, ElementKind, ExactElement, ExactStream, GpuReducer, Located, Operation,
    Pending, StreamOptions, Sum,
};
use wgpu_reduce_mpi::{
    all_reduce, all_reduce_integer, all_reduce_located, options_of, reduce, share,
};
use wgpu_reduce_npy::{Layout, read_header};

type Outcome<T> = Result<T, String>;

const USAGE: &str = "usage: mpirun -n <ranks> wgpu-reduce-mpi [--bits | --argmin] [--all] FILE.npy";

/// A GPU that does not answer for so long is given up.
const DEADLINE: Duration = Duration::from_secs(120);

/// What is read at a time.
const PIECE_BYTES: usize = 16 << 20;

struct Arguments {
    file: PathBuf,
    bits: bool,
    argmin: bool,
    all: bool,
}

/// Why nothing is reduced: how the program is called is asked for, or was wrong. The larger one is told.
const HELP: u8 = 1;
const WRONG: u8 = 2;

fn arguments() -> Result<Arguments, u8> {
    let mut words: Vec<_> = std::env::args_os().skip(1).collect();
    let mut flag = |name: &str| {
        let before = words.len();
        words.retain(|word| word != name);
        words.len() < before
    };
    if flag("--help") || flag("-h") {
        return Err(HELP);
    }
    let (bits, argmin, all) = (flag("--bits"), flag("--argmin"), flag("--all"));
    match &words[..] {
        [_] if bits && argmin => Err(WRONG),
        [file] if !file.to_string_lossy().starts_with('-') => {
            Ok(Arguments { file: file.into(), bits, argmin, all })
        }
        _ => Err(WRONG),
    }
}

/// Why any rank reduces nothing, whose line may be another; 0 if all do.
fn reason(world: &SimpleCommunicator, arguments: &Result<Arguments, u8>) -> u8 {
    let mine = arguments.as_ref().err().copied().unwrap_or(0);
    let mut largest = 0;
    world.all_reduce_into(&mine, &mut largest, SystemOperation::max());
    largest
}

/// Says on the first rank how the program is called, and ends each.
fn tell_usage(world: &SimpleCommunicator, reason: u8) -> ExitCode {
    if world.rank() == 0 {
        // Where nobody reads it, the status is all there is to say.
        let _ = match reason {
            HELP => writeln!(std::io::stdout(), "{USAGE}"),
            _ => writeln!(std::io::stderr(), "{USAGE}"),
        };
    }
    // The first that fails may end the others, which have then nothing more to say.
    world.barrier();
    if reason == HELP { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

fn main() -> ExitCode {
    // wgpu has threads of its own, and none of them calls MPI.
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("MPI cannot be initialised");
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    let arguments = arguments();
    let outcome = match (reason(&world, &arguments), &arguments) {
        _ if threading < Threading::Funneled => Err("this MPI allows no threads".into()),
        (0, Ok(arguments)) => run(&world, arguments),
        (reason, _) => return tell_usage(&world, reason),
    };
    if let Err(message) = outcome {
        say(&world, &message);
        // The others would wait for it.
        world.abort(1);
    }
    ExitCode::SUCCESS
}

fn run(world: &SimpleCommunicator, arguments: &Arguments) -> Outcome<()> {
    let in_file = |message| format!("{}: {message}", arguments.file.display());
    let mut mine = Mine::open(world, &arguments.file).map_err(in_file)?;
    if arguments.argmin {
        need_row_major(&mine.layout).map_err(in_file)?;
    }
    match (mine.layout.element, arguments.argmin) {
        (ElementKind::F32, false) => {
            exact_sum(world, &mut mine, arguments, |sum: f32| format!("{:08x}", sum.to_bits()))
        }
        (ElementKind::F64, false) => {
            exact_sum(world, &mut mine, arguments, |sum: f64| format!("{:016x}", sum.to_bits()))
        }
        (ElementKind::I32, false) if arguments.bits => Err("only exact sums have bits".into()),
        (ElementKind::I32, false) => {
            let sum = mine.reduced::<i32, _>(Sum)?;
            let total = all_reduce_integer(world, sum.into()).map_err(text)?;
            mine.print(world, arguments, &format!("sum        {total}"))
        }
        (ElementKind::F32, true) => least::<f32>(world, &mut mine, arguments),
        (ElementKind::F64, true) => least::<f64>(world, &mut mine, arguments),
        (ElementKind::I32, true) => least::<i32>(world, &mut mine, arguments),
        (other, _) => Err(format!("elements are to be f32, f64 or i32, and these are {other}")),
    }
}

/// Says a line on standard error in one write: all ranks share it, and lines of two would mix.
fn say(world: &SimpleCommunicator, message: &str) {
    let line = format!("rank {}: {message}\n", world.rank());
    // Where nobody reads it, the status is all there is to say.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

fn text(error: impl Display) -> String {
    error.to_string()
}

/// Adds up what the ranks have; `bits_of` tells the bits of a sum.
fn exact_sum<T: ExactElement + Display>(
    world: &SimpleCommunicator,
    mine: &mut Mine,
    arguments: &Arguments,
    bits_of: fn(T) -> String,
) -> Outcome<()> {
    let mut stream = ExactStream::new(&mine.reducer, &StreamOptions::default()).map_err(text)?;
    mine.pieces::<T>(|piece| stream.push(piece))?;
    let sum = stream.finish().and_then(Pending::wait).map_err(text)?;
    let total =
        if arguments.all { all_reduce(world, &sum).map(Some) } else { reduce(world, 0, &sum) };
    let Some(total) = total.map_err(text)? else { return Ok(()) };
    let (sum, bits) = (total.round(), bits_of(total.round()));
    if arguments.bits {
        return writeln!(std::io::stdout(), "{bits}").map_err(text);
    }
    let mean = total.mean().map_or_else(|_| "none".into(), |mean| mean.to_string());
    let found = format!("sum_exact  {sum}\nbits       {bits}\nmean       {mean}");
    mine.print(world, arguments, &found)
}

fn least<T: Element + Display>(
    world: &SimpleCommunicator,
    mine: &mut Mine,
    arguments: &Arguments,
) -> Outcome<()>
where
    ArgMin: Operation<T, Output = Located<T>>,
{
    let first = mine.range.start;
    // Of no elements there is none.
    let found = if mine.range.is_empty() { None } else { Some(mine.reduced::<T, _>(ArgMin)?) };
    let found = found.map(|found| Located { index: first + found.index, ..found });
    let least = all_reduce_located(world, ArgMin, found).map_err(text)?;
    let Located { index, value } = least.ok_or("there are no elements")?;
    mine.print(world, arguments, &format!("index      {index}\nvalue      {value}"))
}

/// Fails for a file in Fortran order, where an element's number in the file is not its index.
fn need_row_major(layout: &Layout) -> Outcome<()> {
    match &layout.shape {
        Some(shape) if shape.is_fortran && shape.extents.len() > 1 => {
            Err("elements lie in Fortran order, and the indices of --argmin count in row-major \
                 order; numpy.ascontiguousarray makes that"
                .into())
        }
        _ => Ok(()),
    }
}

/// What a rank has: a GPU, and its share of the file's elements.
struct Mine {
    reducer: GpuReducer,
    file: File,
    layout: Layout,
    range: Range<u64>,
}

impl Mine {
    fn open(world: &SimpleCommunicator, path: &Path) -> Outcome<Self> {
        let mut file = File::open(path).map_err(text)?;
        let layout = read_header(&mut file)?;
        let bytes = file.metadata().map_err(text)?.len();
        layout.check_data(bytes.saturating_sub(layout.data_start))?;
        // A file with a header says how many there are.
        let len = layout.elements.unwrap_or_default();
        let number = |count: i32| u64::try_from(count).unwrap_or_default();
        let range = share(len, number(world.rank()), number(world.size()));

        let local = world.split_shared(world.rank());
        let options = options_of(usize::try_from(local.rank()).unwrap_or_default());
        let reducer = pollster::block_on(GpuReducer::request(&options)).map_err(text)?;
        let reducer = reducer.with_deadline(DEADLINE);
        let adapter = reducer.adapter_label();
        say(world, &format!("elements {}..{} on {adapter}", range.start, range.end));
        let start = layout.data_start + layout.element.size_bytes() * range.start;
        file.seek(SeekFrom::Start(start)).map_err(text)?;
        Ok(Self { reducer, file, layout, range })
    }

    /// Reads the share, piece by piece.
    fn pieces<T: Element>(
        &mut self,
        mut take: impl FnMut(&[T]) -> wgpu_reduce::Result<()>,
    ) -> Outcome<()> {
        let mut left = self.range.end - self.range.start;
        let mut piece = vec![T::zeroed(); PIECE_BYTES / size_of::<T>()];
        while left > 0 {
            let most = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let elements = &mut piece[..most];
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(elements);
            self.file.read_exact(bytes).map_err(text)?;
            self.layout.put_in_order(bytes);
            take(elements).map_err(text)?;
            left -= most as u64;
        }
        Ok(())
    }

    fn reduced<T: Element, O: Operation<T>>(&mut self, operation: O) -> Outcome<O::Output> {
        let mut stream = self.reducer.stream(operation, &StreamOptions::default()).map_err(text)?;
        self.pieces::<T>(|piece| stream.push(piece))?;
        stream.finish().and_then(Pending::wait).map_err(text)
    }

    /// By the first rank, or all.
    fn print(&self, world: &SimpleCommunicator, arguments: &Arguments, found: &str) -> Outcome<()> {
        if world.rank() != 0 && !arguments.all {
            return Ok(());
        }
        let (elements, ranks) = (self.layout.elements.unwrap_or_default(), world.size());
        let mut out = std::io::stdout();
        writeln!(out, "{found}\nelements   {elements}\nranks      {ranks}").map_err(text)
    }
}
