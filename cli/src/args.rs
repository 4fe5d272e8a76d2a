//! The command line.

use crate::count::parse_count;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use wgpu_reduce::{ElementKind, OpRecord};

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
    Devices(Devices),
    /// Sum the elements of a file.
    Sum(Sum),
    /// Show what a reduction would run.
    Explain(Explain),
    /// Write a .npy file of random numbers.
    Generate(Generate),
}

#[derive(Debug, Args)]
pub(crate) struct Devices {
    /// Print an array of objects.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Sum {
    /// The file, or - for standard input.
    pub(crate) file: PathBuf,
    /// Type of the elements; a raw file needs it, a .npy file says it itself.
    #[arg(long, value_parser = element_parser())]
    pub(crate) dtype: Option<ElementKind>,
    /// Layout of the file; without it .npy files are known by their name or first bytes.
    #[arg(long)]
    pub(crate) format: Option<Format>,
    #[command(flatten)]
    pub(crate) adapter: AdapterChoice,
    /// Do not use subgroup operations.
    #[arg(long)]
    pub(crate) no_subgroups: bool,
    /// Print one object on one line.
    #[arg(long)]
    pub(crate) json: bool,
    /// Sum on the CPU as well, and fail if the results differ by more than rounding explains.
    #[arg(long)]
    pub(crate) check: bool,
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
    #[arg(long, default_value = "16Mi", value_parser = parse_count)]
    pub(crate) elements: u64,
    /// Where in its buffer the first element lies, counted in elements.
    #[arg(long, default_value = "0", value_parser = parse_count)]
    pub(crate) offset: u64,
    #[command(flatten)]
    pub(crate) adapter: AdapterChoice,
    /// Plan for the least that WebGPU promises instead of for an adapter.
    #[arg(long, conflicts_with = "adapter")]
    pub(crate) baseline: bool,
    /// Print the shaders, too.
    #[arg(long)]
    pub(crate) wgsl: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// The file to write.
    pub(crate) file: PathBuf,
    /// Number of elements, as in 1000, 16Mi or 2^24.
    #[arg(long, value_parser = parse_count)]
    pub(crate) elements: u64,
    /// Type of the elements.
    #[arg(long, default_value = "f32", value_parser = element_parser())]
    pub(crate) dtype: ElementKind,
    /// Distribution of the elements.
    #[arg(long, default_value = "uniform")]
    pub(crate) distribution: Distribution,
    /// The same seed gives the same file.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct AdapterChoice {
    /// Number of the adapter in `devices`, or a part of its name; the best one by default.
    #[arg(long, value_name = "PART|NUMBER")]
    pub(crate) adapter: Option<String>,
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

fn element_parser() -> impl TypedValueParser<Value = ElementKind> {
    let names = ElementKind::ALL.map(ElementKind::name);
    PossibleValuesParser::new(names).try_map(|name| {
        let is_meant = |kind: &ElementKind| kind.name() == name;
        ElementKind::ALL.into_iter().find(is_meant).ok_or("no such type")
    })
}

fn operation_parser() -> impl TypedValueParser<Value = &'static OpRecord> {
    let names = OpRecord::ALL.map(OpRecord::name);
    PossibleValuesParser::new(names).try_map(|name| {
        let is_meant = |operation: &&OpRecord| operation.name() == name;
        OpRecord::ALL.into_iter().find(is_meant).ok_or("no such operation")
    })
}
