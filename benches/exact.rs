//! `ExactSum` on the host, one thread; see `METHODOLOGY.md`.

mod kinds;

use criterion::{BenchmarkId, Criterion, Throughput};
use kinds::{KINDS, Kind, uniform};
use num_bigint::BigInt;
use std::hint::black_box;
use std::time::Duration;
use wgpu_reduce::ExactSum;

/// log2 of the lengths: in a core's cache, and beyond it.
const SIZES: [u32; 3] = [10, 14, 22];

/// A finite number in units of 2^-149.
fn integer(value: f32) -> BigInt {
    let (bits, exponent) = (value.to_bits() & 0x007F_FFFF, value.to_bits() >> 23 & 0xFF);
    let magnitude = match exponent {
        0 => BigInt::from(bits),
        _ => BigInt::from(bits | 0x0080_0000) << (exponent - 1),
    };
    if value < 0.0 { -magnitude } else { magnitude }
}

/// Panics unless all digits of a sum are those of `expected` units of 2^-298: a time for a wrong
/// answer would mean nothing.
fn check(sum: &ExactSum, expected: &BigInt, what: &str) {
    let digits = BigInt::from_signed_bytes_le(&sum.to_bytes()[16..]);
    assert_eq!(&digits, expected, "{what}");
}

fn sum_of(values: &[f32]) -> ExactSum {
    let mut sum = ExactSum::new();
    sum.add_slice(values);
    sum
}

fn dot_of(left: &[f32], right: &[f32]) -> ExactSum {
    let mut sum = ExactSum::new();
    sum.add_products(left, right).expect("the lengths are equal");
    sum
}

fn bench_kind(criterion: &mut Criterion, (kind, element): Kind) {
    let values: Vec<f32> = (0..1 << SIZES[SIZES.len() - 1]).map(element).collect();
    for log_len in SIZES {
        let values = &values[..1 << log_len];
        let (elements, bytes) = (values.len() as u64, size_of_val(values) as u64);
        let id = || BenchmarkId::new(kind, format!("2^{log_len}"));
        check(&sum_of(values), &(values.iter().map(|&v| integer(v)).sum::<BigInt>() << 149), kind);

        let mut group = criterion.benchmark_group("exact/add_slice");
        group.throughput(Throughput::ElementsAndBytes { elements, bytes });
        group.bench_function(id(), |bencher| bencher.iter(|| sum_of(black_box(values))));
        group.finish();
    }
    let (left, right) = values.split_at(values.len() / 2);
    let expected = std::iter::zip(left, right).map(|(&a, &b)| integer(a) * integer(b)).sum();
    check(&dot_of(left, right), &expected, kind);
    let mut group = criterion.benchmark_group("exact/add_products");
    let (elements, bytes) = (left.len() as u64, size_of_val(&values[..]) as u64);
    group.throughput(Throughput::ElementsAndBytes { elements, bytes });
    group.bench_function(kind, |bencher| bencher.iter(|| dot_of(black_box(left), right)));
    group.finish();
}

/// One element at a time, and sums that round every addition, to compare with.
fn bench_others(criterion: &mut Criterion) {
    let values: Vec<f32> = (0..1 << 14).map(uniform).collect();
    let elements = values.len() as u64;
    let mut group = criterion.benchmark_group("exact/others");
    group.throughput(Throughput::ElementsAndBytes {
        elements,
        bytes: size_of_val(&values[..]) as u64,
    });
    group.bench_function("add", |bencher| {
        bencher.iter(|| {
            let mut sum = ExactSum::new();
            for &value in black_box(&values) {
                sum.add(value);
            }
            sum
        });
    });
    group.bench_function("f32 loop", |bencher| {
        bencher.iter(|| black_box(&values).iter().sum::<f32>());
    });
    group.finish();

    let sum = sum_of(&values);
    assert_eq!(ExactSum::from_bytes(&sum.to_bytes()), Ok(sum.clone()));
    let mut group = criterion.benchmark_group("exact/once");
    group.bench_function("round", |bencher| bencher.iter(|| black_box(&sum).round()));
    group.bench_function("mean", |bencher| bencher.iter(|| black_box(&sum).mean()));
    group.bench_function("merge", |bencher| {
        let mut total = ExactSum::new();
        bencher.iter(|| total.merge(black_box(&sum)));
    });
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .configure_from_args();
    for kind in KINDS {
        bench_kind(&mut criterion, kind);
    }
    bench_others(&mut criterion);
    criterion.final_summary();
}
