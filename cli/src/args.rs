//! The command line.

use crate::count::{axis, real, whole};
use crate::deadline::parse_seconds;
use crate::operations::Operation;
use crate::quantile::{Ends, Nth, Quantile, Reread};
use crate::rows::Rows;
use crate::sample::with_elements;
use crate::stream::{DEFAULT_MEMORY, Memory};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, ArgGroup, Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use wgpu_reduce::ladder::Level;
use wgpu_reduce::{Bins, ElementKind, OpRecord};

/// Reduce .npy and raw files on the GPU.
#[derive(Debug, Parser)]
#[command(name = "wgpu-reduce", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the adapters, best first.
    #[command(visible_alias = "adapters")]
    Devices(Devices),
    /// Reduce a file.
    #[command(flatten)]
    Reduce(Operation),
    /// Multiply the elements of two files pair by pair, and sum the products.
    Dot(Dot),
    /// Find the median: the element in the middle of the sorted file, or the mean of the two there.
    ///
    /// NaN if there is one. The whole file must fit in the GPU's memory, and is not sorted.
    Median(Reread),
    /// Find quantiles, as numpy.quantile defines them.
    ///
    /// NaN if there is one. All else is as median --help says. With --axis, quantiles are the first dimension of results, as NumPy's.
    Quantile(Quantile),
    /// Find the median of numbers: as median, but NaN are left out.
    NanMedian(Reread),
    /// Find quantiles of numbers: as quantile, but NaN are left out.
    NanQuantile(Quantile),
    /// Find the element with a rank, as if the file were sorted, with NaN last.
    ///
    /// The whole file must fit in the GPU's memory.
    Nth(Nth),
    /// Find the largest elements with their indices, from the largest on.
    ///
    /// NaN comes before all numbers, and of equal elements the one with the lowest index first. The whole file must fit in the GPU's
    /// memory. With --axis, the elements take the place of the axis, as torch.topk has them; with several axes they are the last dimension.
    TopK(Ends),
    /// Find the smallest elements with their indices, from the smallest on.
    ///
    /// NaN comes behind all numbers. All else is as top-k --help says.
    BottomK(Ends),
    /// Count elements in bins.
    ///
    /// Of .npy and raw files, and of PNG and JPEG images for each channel. Bins have their lower edge and not the
    /// upper one, the last has both; what is outside of all or NaN is counted apart.
    Histogram(Histogram),
    /// Show what a reduction would run: its plan, in terms that --help explains.
    #[command(after_help = TERMS)]
    Explain(Explain),
    /// Write a .npy file of random numbers.
    Generate(Generate),
    /// Time a reduction at several lengths, on the GPU and as a whole call.
    Bench(Bench),
    /// Run and time every level of the ladder.
    Ladder(Ladder),
    /// Repeat a measurement of the write-ups that the ladder comes from.
    Study(Study),
    /// Measure which tunings are fastest on an adapter, and store them.
    ///
    /// Tries tunings of `sum` at every power of two, checks every answer, and measures the best again
    /// beside the default. Those that are faster by more than the noise are stored in the user's cache
    /// folder, for this adapter with its present driver; programs use them only when they ask for
    /// them, and the operations, `dot`, `bench` and `explain` do with --tuned, of which `sum` alone has tunings in a
    /// table of this command. What is stored for lengths that are not measured this time stays. Nothing else should run on the adapter meanwhile.
    Tune(Tune),
}

/// What a plan is written in.
const TERMS: &str = "\
Terms of a plan:
  workgroup    invocations (CUDA: a block of threads) that share memory and make one value of their elements
  partials     the values that workgroups leave for others to combine
  pass         a run of one shader over the whole input, or over the partials of the pass before it; in
               one pass the workgroup that is last done combines the partials of all
  Elements     what a shader reads: elements, Pairs of them, or Partials; and after `->` where its
               results go: to the Output, or to Scratch memory, which the next pass reads
  Subgroup     how invocations combine values: within a subgroup (CUDA: a warp) in registers, or by
               Workgroup memory alone
  Rows         along an axis, where elements of a row lie: side by side, or below each other, in Columns
  WORKGROUP_SIZE = 256, LOADS_IN_FLIGHT = 4
               what the shader's pipeline is told; of exact sums LOADS, of rows LANES, the invocations that
               make one row's value, of histograms COPIES of the counters
  over bytes   the part of the input that a dispatch binds, its binding window; large inputs take several,
               and Input(n) is the nth buffer, from 0
  quads        16 bytes, which an invocation loads at once: 4 elements of f32, 16 of u8
  256 × 1024, 4 loads, 8 quads
               invocations in a workgroup, most workgroups, quads under way at a time, and quads that an
               invocation gets before there is another workgroup
  margin       of exact sums: powers of two that the digits kept at hand, the exponent window, reach above the
               elements seen so far
  roundings    how often an element's way to the result is rounded at most; none if the result is exact";

#[derive(Debug, Args)]
pub(crate) struct Devices {
    /// Print an array of objects.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Sum {
    #[command(flatten)]
    pub(crate) reduce: Reduce,
    /// The exact sum, rounded once: the same bits on every device; of several results each. It does not overflow on the way.
    /// Without --exact, the sum of finite numbers is infinite or NaN if a partial sum exceeds the type. Only of f32,
    /// f16 and bf16, and of whole files of f64, also on devices without f64; the default tuning is used. `sum-exact` gives
    /// the same bits, and for f32 takes longer.
    #[arg(long, conflicts_with_all = ["tuned", "mask"])]
    pub(crate) exact: bool,
    /// Print the bits of the result as eight hexadecimal digits, of f64 sixteen, and nothing else.
    #[arg(long, requires = "exact", conflicts_with_all = ["json", "several", "repetitions"])]
    pub(crate) bits: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Dot {
    #[command(flatten)]
    pub(crate) common: Common,
    /// The other file, of as many elements, or - for standard input.
    pub(crate) other: PathBuf,
    /// The exact dot product, rounded once: the same bits on every device. It does not overflow on the way.
    /// Without --exact, the sum of finite products is infinite or NaN if a partial sum exceeds the type. Of f32 and f64; the default tuning is used.
    #[arg(long, conflicts_with = "tuned")]
    pub(crate) exact: bool,
    /// Print the bits of the result as eight hexadecimal digits, of f64 sixteen, and nothing else.
    #[arg(long, requires = "exact", conflicts_with_all = ["json", "repetitions"])]
    pub(crate) bits: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Reduce {
    #[command(flatten)]
    pub(crate) common: Common,
    /// Reduce the elements for which a mask has no 0: a .npy file of bool or u8, in the shape of the elements. Both files must fit in
    /// the GPU's memory.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["offsets", "keys", "check", "tuned", "memory"])]
    pub(crate) mask: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) along: Along,
}

/// Where elements come from, what computes, and how it is told.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// The file, or - for standard input.
    pub(crate) file: PathBuf,
    /// Type of the elements; a raw file needs it, a .npy file says it itself.
    #[arg(long, value_parser = element_parser())]
    pub(crate) dtype: Option<ElementKind>,
    /// Layout of the file; without it .npy files are known by their name or first bytes.
    #[arg(long)]
    pub(crate) format: Option<Format>,
    #[command(flatten)]
    pub(crate) device: DeviceChoice,
    /// Print one object on one line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What reductions of one file and of two have in common.
#[derive(Debug, Args)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) tuned: TunedChoice,
    /// Reduce on the CPU as well, and fail if the results differ by more than rounding explains.
    #[arg(long)]
    pub(crate) check: bool,
    /// Reduce N more times, and print the median of the GPU's times. Without it, the input is reduced once and not timed.
    /// What passes through, as --memory says, is reduced once in any case, and its own time is printed.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0..=1_000_000_u32))]
    pub(crate) repetitions: u32,
    /// Bytes of memory for elements, on host and GPU together, as in 64Mi or 2Gi; beside them up to 16 MiB of each file
    /// are being read, and drivers take memory for themselves. What is larger than half of it passes through (of standard input and a second file, than a quarter each): its time is
    /// that of the whole, and not the GPU's. A check of anything but sums keeps all elements on the host.
    #[arg(long, value_name = "BYTES", default_value = DEFAULT_MEMORY, value_parser = parse_memory)]
    pub(crate) memory: Memory,
}

/// The axes of an array that are reduced.
#[derive(Debug, Args)]
pub(crate) struct AxisChoice {
    /// Reduce along one dimension of a .npy file, from 0 on or from -1 backwards, or along several, as in 0,2, to a result
    /// for each position of the others. They are printed one on a line, in row-major order. The whole file must fit in the
    /// GPU's memory.
    #[arg(long, value_name = "N", value_parser = axis, value_delimiter = ',', action = ArgAction::Set, group = "several")]
    pub(crate) axis: Vec<i64>,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("several").conflicts_with_all(["check", "tuned", "memory", "repetitions"]))]
pub(crate) struct Along {
    #[command(flatten)]
    pub(crate) axes: AxisChoice,
    /// Reduce each of several segments: a .npy file of integers says where they begin, and last of all where
    /// the last one ends. The results are printed one on a line.
    #[arg(long, value_name = "FILE", group = "several")]
    pub(crate) offsets: Option<PathBuf>,
    /// Reduce each run of elements whose keys are equal: a .npy file of any type has the keys. Each
    /// run's key is printed, a tab, and its result.
    #[arg(long, value_name = "FILE", group = "several")]
    pub(crate) keys: Option<PathBuf>,
    /// Keys come in any order, and each is the number of a group, from 0 on and below N: print a result for each group, one on a line.
    #[arg(long, value_name = "N", requires = "keys", value_parser = whole(0..=MOST_GROUPS))]
    pub(crate) groups: Option<u32>,
    /// Write the results to a .npy file instead, or with - to standard output: integers as i64 or u64, of 128 bits as
    /// records of `low` and `high`,
    /// of argmin and argmax the index alone, and other results of several numbers as records of them, by name.
    #[arg(long, value_name = "FILE", requires = "several", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    /// Write the keys of the runs to a .npy file, too.
    #[arg(long, value_name = "FILE", requires_all = ["keys", "output"], conflicts_with = "groups")]
    pub(crate) output_keys: Option<PathBuf>,
}

impl Along {
    /// The option that asks for several results, if one does.
    pub(crate) fn option(&self) -> Option<&'static str> {
        let options = [
            (!self.axes.axis.is_empty(), "--axis"),
            (self.offsets.is_some(), "--offsets"),
            (self.keys.is_some(), "--keys"),
        ];
        options.into_iter().find(|&(is_given, _)| is_given).map(|(_, name)| name)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Deviate {
    #[command(flatten)]
    pub(crate) reduce: Reduce,
    /// By how much less than the number of elements the squared deviations are divided: 0 for a whole
    /// population, 1 to estimate from a sample.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0..=u32::MAX))]
    pub(crate) ddof: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Histogram {
    /// The file, or - for standard input; images only as files.
    pub(crate) file: PathBuf,
    /// Type of the elements; a raw file needs it, a .npy file and an image say it themselves.
    #[arg(long, value_parser = element_parser())]
    pub(crate) dtype: Option<ElementKind>,
    /// Layout of the file; without it .npy files and images are known by their name or first bytes, and with it
    /// nothing is an image.
    #[arg(long)]
    pub(crate) format: Option<Format>,
    /// Bins of the same width; by default 256, and 64 where the elements say what the range is.
    #[arg(long, value_name = "N", value_parser = whole(1..=Bins::MOST))]
    pub(crate) bins: Option<u32>,
    /// Lower edge of the first bin and upper edge of the last. By default all that u8, i8 and u16 have, and of
    /// others from the least element to the largest, NaN apart.
    #[arg(long, num_args = 2, value_names = ["LOW", "HIGH"], value_parser = real)]
    pub(crate) range: Vec<f64>,
    /// Edges of bins of any width, none less than the one before.
    #[arg(long, value_delimiter = ',', value_parser = real, conflicts_with_all = ["bins", "range"])]
    pub(crate) edges: Vec<f64>,
    /// Interleaved sequences of elements, each with a histogram of its own.
    #[arg(long, value_name = "N", value_parser = whole(1..=16_u32))]
    pub(crate) channels: Option<u32>,
    #[command(flatten)]
    pub(crate) device: DeviceChoice,
    /// Bytes of memory for elements, on host and GPU together, as in 64Mi or 2Gi. What is larger than half of it passes
    /// through, a file twice without --range or --edges, unless it is of u8, i8 or u16. PNG images pass through row by
    /// row; JPEG images are decoded as a whole, if they take no more than this or 512Mi.
    #[arg(long, value_name = "BYTES", default_value = DEFAULT_MEMORY, value_parser = parse_memory)]
    pub(crate) memory: Memory,
    /// Print one object on one line.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a plot, too; with - to standard output, and the report to standard error.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The operation.
    #[arg(long, default_value = "sum", value_parser = operation_parser())]
    pub(crate) op: &'static OpRecord,
    /// Type of the elements.
    #[arg(long, default_value = "f32", value_parser = element_parser())]
    pub(crate) dtype: ElementKind,
    /// Number of elements, as in 1000, 16Mi or 2^24.
    #[arg(long, default_value = "16Mi", value_parser = whole(0..=u64::MAX))]
    pub(crate) elements: u64,
    /// Where in its buffer the first element lies, counted in elements; of two inputs, in the first one's.
    #[arg(long, default_value = "0", value_parser = whole(0..=u64::MAX))]
    pub(crate) offset: u64,
    /// Plan so many inputs like that, as a batch of requests has them.
    #[arg(long, value_name = "N", value_parser = whole(1..=u16::MAX))]
    pub(crate) inputs: Option<u16>,
    /// Plan the exact sum, of f32, f16 or bf16, or one of f64, or the exact dot product of f32 or f64.
    #[arg(long, conflicts_with_all = ["tuned", "inputs"])]
    pub(crate) exact: bool,
    /// Plan a reduction along this axis, from 0 on or from -1 backwards, or along several, as in 0,2, of an array with the
    /// shape.
    #[arg(long, value_name = "N", value_parser = axis, value_delimiter = ',', action = ArgAction::Set, requires = "shape", conflicts_with_all = ["tuned", "inputs"])]
    pub(crate) axis: Vec<i64>,
    /// How many elements the array has in each dimension, as in 4096,16Ki.
    #[arg(long, value_name = "N,N", value_delimiter = ',', requires = "axis", conflicts_with = "elements",
          value_parser = whole(0..=u64::MAX))]
    pub(crate) shape: Vec<u64>,
    /// Plan a reduction of so many segments.
    #[arg(long, value_name = "N", conflicts_with_all = ["tuned", "inputs", "axis"], value_parser = whole(0..=u64::MAX))]
    pub(crate) segments: Option<u64>,
    #[command(flatten)]
    pub(crate) adapter: AdapterChoice,
    /// Plan for the least that WebGPU promises instead of for an adapter.
    #[arg(long, conflicts_with_all = ["adapter", "tuned"])]
    pub(crate) baseline: bool,
    /// Print the shaders, too.
    #[arg(long)]
    pub(crate) wgsl: bool,
    #[command(flatten)]
    pub(crate) tuned: TunedChoice,
}

#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// The file to write, or - for standard output.
    pub(crate) file: PathBuf,
    /// Number of elements of an array of one dimension, as in 1000, 16Mi or 2^24.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), required_unless_present = "shape")]
    pub(crate) elements: Option<u64>,
    /// How many elements the array has in each of up to six dimensions, as in 1000,16Ki: rows and columns.
    #[arg(long, value_name = "N,N", value_delimiter = ',', conflicts_with = "elements",
          value_parser = whole(0..=u64::MAX))]
    pub(crate) shape: Vec<u64>,
    /// Type of the elements.
    #[arg(long, default_value = "f32", value_parser = element_parser())]
    pub(crate) dtype: ElementKind,
    /// Distribution of the elements.
    #[arg(long, default_value = "uniform")]
    pub(crate) distribution: Distribution,
    /// The same seed gives the same file.
    #[arg(long, default_value_t = 0, value_parser = whole(0..=u64::MAX))]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// The operation.
    #[arg(long, default_value = "sum", value_parser = operation_parser())]
    pub(crate) op: &'static OpRecord,
    /// Type of the elements.
    #[arg(long, default_value = "f32", value_parser = element_parser())]
    pub(crate) dtype: ElementKind,
    /// Numbers of elements, as in 1000,16Mi,2^24; by default 2^10, 2^12 and so on to 2^26, and to 2^20
    /// on a CPU.
    #[arg(long, value_name = "ELEMENTS", value_delimiter = ',', value_parser = whole(1..=u64::MAX))]
    pub(crate) elements: Vec<u64>,
    /// Runs that wait for the GPU while it is timed; with 1 each is waited for before the next starts.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole(1..=64_u16))]
    pub(crate) in_flight: u16,
    #[command(flatten)]
    pub(crate) tuned: TunedChoice,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
}

#[derive(Debug, Args)]
pub(crate) struct Ladder {
    /// Number of elements, as in 1000, 16Mi or 2^24; by default 16Mi, and 1Mi on a CPU.
    #[arg(long, value_parser = whole(1..=u64::MAX))]
    pub(crate) elements: Option<u64>,
    /// Rows of equal length that the elements make; each is summed. With `workgroups` every level has
    /// as many as one workgroup each can cover, which is the problem of write-up A.
    #[arg(long, value_name = "N|workgroups", default_value = "1", value_parser = Rows::parse)]
    pub(crate) rows: Rows,
    /// Type of the elements.
    #[arg(long, default_value = "f32", value_parser = ladder_parser())]
    pub(crate) dtype: ElementKind,
    /// Invocations per workgroup, a power of two; 256 if the device allows it.
    #[arg(long, value_name = "N", value_parser = whole(1..=u32::MAX))]
    pub(crate) workgroup_size: Option<u32>,
    /// Only these levels, by number or name, as in `03,grid_stride`.
    #[arg(long, value_name = "LEVEL", value_delimiter = ',', value_parser = level_of)]
    pub(crate) levels: Vec<Level>,
    /// Run the other forms of the levels, too: unrolled, uncoalesced, within a subgroup, each load width.
    #[arg(long)]
    pub(crate) forms: bool,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
}

#[derive(Debug, Args)]
pub(crate) struct Study {
    /// What to measure.
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) name: StudyName,
    /// Most elements, as in 1000, 16Mi or 2^24; by default those of the write-up, as far as the
    /// device can hold them, and few on a CPU.
    #[arg(long, value_parser = whole(1..=u64::MAX))]
    pub(crate) elements: Option<u64>,
    /// Type of the elements; that of the write-up by default.
    #[arg(long, value_parser = ladder_parser())]
    pub(crate) dtype: Option<ElementKind>,
    /// Rows that the elements make, of workgroup-size, items-per-thread and levels-by-size; each is summed. By
    /// default `workgroups`, as in write-up A: as many as one workgroup each can cover.
    #[arg(long, value_name = "N|workgroups", value_parser = Rows::parse)]
    pub(crate) rows: Option<Rows>,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
}

/// How something is measured, and where the figures go.
#[derive(Debug, Args)]
pub(crate) struct Measuring {
    #[command(flatten)]
    pub(crate) device: DeviceChoice,
    /// Keep wgpu's run-time checks of indices, loops and divisors in the shaders, to see their cost.
    #[arg(long)]
    pub(crate) guarded: bool,
    /// Timed runs of each measurement.
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = whole(1..=1_000_000_u32))]
    pub(crate) repetitions: u32,
    /// Print a header and one line for each measurement.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Print one object on one line.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a plot, too; with - to standard output, and the report to standard error.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Tune {
    /// Type of the elements; may be given more than once. All of them by default.
    #[arg(long, value_parser = element_parser())]
    pub(crate) dtype: Vec<ElementKind>,
    /// Fewest elements, as in 1000, 16Mi or 2^24.
    #[arg(long, value_name = "ELEMENTS", default_value = "2^10", value_parser = whole(1..=u64::MAX))]
    pub(crate) min: u64,
    /// Most elements; by default 2^28 as far as there is memory for them, and 2^20 on a CPU.
    #[arg(long, value_name = "ELEMENTS", value_parser = whole(1..=u64::MAX))]
    pub(crate) max: Option<u64>,
    /// How long it may take, in seconds and roughly. With less time fewer tunings are tried, and longer lengths and other types
    /// are left out.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds)]
    pub(crate) budget: Duration,
    #[command(flatten)]
    pub(crate) adapter: AdapterChoice,
    #[command(flatten)]
    pub(crate) patience: Patience,
    /// Print one object on one line.
    #[arg(long)]
    pub(crate) json: bool,
    /// Store nothing.
    #[arg(long, conflicts_with = "output")]
    pub(crate) dry_run: bool,
    /// Write the table there, or for - to standard output, and not to the user's cache folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TunedChoice {
    /// Use the tunings that `tune` has stored for the adapter, or those in a file that it wrote. They are of `sum`: other
    /// operations keep the default, and exact sums and several results have tunings of their own.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    #[expect(clippy::option_option, reason = "the option may be there without a file")]
    pub(crate) tuned: Option<Option<PathBuf>>,
}

#[derive(Debug, Args)]
pub(crate) struct AdapterChoice {
    /// Number of the adapter in `devices`, or a part of its name; the best one by default.
    #[arg(long, value_name = "PART|NUMBER")]
    pub(crate) adapter: Option<String>,
}

/// How long a command waits for its device.
#[derive(Debug, Args)]
pub(crate) struct Patience {
    /// Fail when the device has not done within so many seconds what is waited for. Every wait has as many: where there are
    /// several, as for chunks of a large file, all together may take longer.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) deadline: Option<Duration>,
}

/// The adapter that a command computes on, and how it is opened.
#[derive(Debug, Args)]
pub(crate) struct DeviceChoice {
    #[command(flatten)]
    pub(crate) adapter: AdapterChoice,
    #[command(flatten)]
    pub(crate) patience: Patience,
    /// Do not use subgroup operations; what needs them is skipped.
    #[arg(long)]
    pub(crate) no_subgroups: bool,
    /// Do not keep compiled pipelines in the user's cache folder, and use none from there.
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// What a study measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StudyName {
    /// Levels 01 and 08 by the size of workgroups.
    WorkgroupSize,
    /// Level 06 by the elements that each invocation adds.
    ItemsPerThread,
    /// Every level by the number of elements.
    LevelsBySize,
    /// Two passes or atomics, with each load width, by the number of elements.
    Strategy,
    /// One round whose partials the host adds, by the number of elements.
    OneRound,
    /// The seven steps from interleaved addressing to a fixed grid.
    Steps,
    /// Histograms of 256 bins: three levels and the library's own, by kind of data.
    Histogram,
}

/// How elements lie in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// NumPy's format, with a header.
    Npy,
    /// Little-endian elements and nothing else.
    Raw,
}

/// What random numbers are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Distribution {
    /// From 0 to 1 for floats, the whole range for integers.
    Uniform,
    /// Mean 0, standard deviation 1.
    Normal,
}

/// Most groups that the library has.
const MOST_GROUPS: u32 = 1 << 24;

pub(crate) fn parse_memory(text: &str) -> Result<Memory, String> {
    whole(0..=u64::MAX)(text).map(Memory::new)
}

fn element_parser() -> impl TypedValueParser<Value = ElementKind> {
    parser_of(&ElementKind::ALL)
}

fn level_of(text: &str) -> Result<Level, String> {
    Level::find(text).ok_or_else(|| {
        "expected the number or the name of a level, such as 03 or grid_stride".into()
    })
}

/// The types that the ladder has.
fn ladder_parser() -> impl TypedValueParser<Value = ElementKind> {
    macro_rules! kinds {
        ([$($element:ty),*]) => {
            &[$(<$element as wgpu_reduce::Element>::KIND),*]
        };
    }
    parser_of(with_elements!(ladder, [kinds] {}))
}

fn parser_of(kinds: &'static [ElementKind]) -> impl TypedValueParser<Value = ElementKind> {
    PossibleValuesParser::new(kinds.iter().map(|kind| kind.name())).try_map(|name| {
        let is_meant = |kind: &ElementKind| kind.name() == name;
        kinds.iter().copied().find(is_meant).ok_or("no such type")
    })
}

/// Operations are called as their commands are, or as in the library.
fn operation_parser() -> impl TypedValueParser<Value = &'static OpRecord> {
    let command = |operation: &OpRecord| operation.name().replace('_', "-");
    let all = || OpRecord::ALL.into_iter().chain(OpRecord::PAIRS);
    let names = all().map(|op| PossibleValue::new(command(op)).alias(op.name()));
    PossibleValuesParser::new(names).try_map(move |name| {
        let is_meant = |operation: &&OpRecord| command(operation) == name.replace('_', "-");
        all().find(is_meant).ok_or("no such operation")
    })
}
