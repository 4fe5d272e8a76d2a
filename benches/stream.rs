//! Streams of host memory, beside an upload and a sum of each piece in turn; and of a file, beside reading it; see `METHODOLOGY.md`.
//!
//! `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use std::fs::File;
use std::io::{self, Read, Seek as _, Write as _};
use std::time::Duration;
use wgpu_reduce::{AdapterClass, GpuReducer, Result, StreamOptions, Sum};
use wgpu_reduce_known::{Arguments, hash};

/// log2 of the bytes that pass through: on a GPU, and on a CPU or as a test.
const LARGE: u32 = 32;
const SMALL: u32 = 24;

/// Bytes of the file at most.
const FILE_BYTES: u64 = 1 << 30;

/// Bytes that are read at a time where nothing else is done with them.
const READ_BYTES: usize = 2 << 20;

/// log2 of the bytes in flight.
const IN_FLIGHT: [u32; 5] = [20, 22, 24, 27, 29];

fn streamed(
    reducer: &GpuReducer,
    options: StreamOptions,
    piece: &[u32],
    times: u64,
) -> Result<u64> {
    let mut stream = reducer.stream(Sum, &options)?;
    (0..times).try_for_each(|_| stream.push(piece))?;
    stream.finish()?.wait()
}

/// A file of the piece again and again, which the page cache holds from then on, to its sum; and read alone.
fn of_file(
    group: &mut BenchmarkGroup<'_, WallTime>,
    reducer: &GpuReducer,
    piece: &[u32],
    times: u64,
) -> io::Result<()> {
    let mut file = tempfile::tempfile()?;
    (0..times).try_for_each(|_| file.write_all(bytemuck::cast_slice(piece)))?;
    let bytes = times * size_of_val(piece) as u64;
    let expected = times * piece.iter().map(|&value| u64::from(value)).sum::<u64>();
    let from_start = || (&file).rewind().map(|()| &file);
    group.throughput(Throughput::Bytes(bytes));
    group.bench_function("file, read and summed", |bencher| {
        bencher.iter(|| {
            let file = from_start().unwrap_or_else(|error| panic!("{error}"));
            let sum = reducer.reduce_reader::<u32, _>(Sum, file);
            assert_eq!(sum, Ok(expected), "the sum is wrong");
        });
    });
    let mut buffer = vec![0; READ_BYTES];
    group.bench_function("file, read alone", |bencher| {
        bencher.iter(|| {
            let read = from_start().and_then(|file| read_all(file, &mut buffer));
            assert_eq!(read.ok(), Some(bytes), "not all was read");
        });
    });
    Ok(())
}

fn read_all(mut file: &File, buffer: &mut [u8]) -> io::Result<u64> {
    let mut all = 0;
    loop {
        match file.read(buffer)? {
            0 => return Ok(all),
            count => all += count as u64,
        }
    }
}

fn main() {
    env_logger::init();
    let reducer = GpuReducer::new().unwrap_or_else(|error| panic!("{error}"));
    println!("adapter: {}", reducer.adapter_label());
    let is_large = Arguments::given().is_bench && reducer.caps().class == AdapterClass::Gpu;
    let bytes: u64 = 1 << if is_large { LARGE } else { SMALL };
    // Pushed again and again, so that the host's memory is no limit.
    let piece: Vec<u32> = (0..(bytes / 4).min(1 << 22)).map(hash).collect();
    let times = bytes / 4 / piece.len() as u64;
    let expected = times * piece.iter().map(|&value| u64::from(value)).sum::<u64>();

    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("stream");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.measurement_time(Duration::from_secs(8)).throughput(Throughput::Bytes(bytes));
    let check = |sum: Result<u64>| assert_eq!(sum, Ok(expected), "the sum is wrong");
    for log in IN_FLIGHT {
        let options = StreamOptions::new(1 << log);
        group.bench_function(BenchmarkId::new("sum", format!("2^{log} in flight")), |bencher| {
            bencher.iter(|| check(streamed(&reducer, options, &piece, times)));
        });
    }
    group.bench_function("upload and sum, piece by piece", |bencher| {
        bencher.iter(|| {
            check((0..times).map(|_| reducer.sum(&reducer.upload(&piece)?)).sum());
        });
    });
    // Without the cost of new buffers: what is left of the difference is that copies and sums take turns.
    let buffer = reducer.upload(&piece).unwrap_or_else(|error| panic!("{error}"));
    group.bench_function("write and sum, piece by piece", |bencher| {
        bencher.iter(|| {
            let sum = |_| reducer.write(&buffer, &piece).and_then(|()| reducer.sum(&buffer));
            check((0..times).map(sum).sum());
        });
    });
    let in_file = times.min(FILE_BYTES / size_of_val(&piece[..]) as u64);
    of_file(&mut group, &reducer, &piece, in_file).unwrap_or_else(|error| panic!("{error}"));
    group.finish();
    criterion.final_summary();
}
