//! `ExactSum` on the host, one thread; see `METHODOLOGY.md`.

use criterion::{BenchmarkId, Criterion, Throughput};
use num_bigint::BigInt;
use std::hint::black_box;
use std::time::Duration;
use wgpu_reduce::ExactSum;

/// log2 of the lengths: in a core's cache, and beyond it.
const SIZES: [u32; 3] = [10, 14, 22];

/// A kind of data: its name, and element `index` of it.
type Kind = (&'static str, fn(u64) -> f32);

const KINDS: [Kind; 4] =
    [("uniform", uniform), ("normal", normal), ("spread", spread), ("bits", bits)];

/// Uniform in [0, 1).
#[expect(clippy::cast_precision_loss, reason = "24 bits")]
fn uniform(index: u64) -> f32 {
    (hash(index) >> 8) as f32 / 16_777_216.0
}

/// Normal, of mean 0 and variance 1 (Box and Muller, 1958).
fn normal(index: u64) -> f32 {
    let (radius, angle) = (1.0 - uniform(2 * index), uniform(2 * index + 1));
    (-2.0 * radius.ln()).sqrt() * (std::f32::consts::TAU * angle).cos()
}

/// Of either sign, spread evenly over 40 powers of two around 1.
fn spread(index: u64) -> f32 {
    let exponent = hash(2 * index) % 40;
    f32::from_bits((hash(2 * index + 1) & 0x807F_FFFF) | ((127 - 20 + exponent) << 23))
}

/// Every finite number equally likely, by its bits.
fn bits(index: u64) -> f32 {
    let bits = hash(index);
    let infinite = bits >> 23 & 0xFF == 0xFF;
    f32::from_bits(if infinite { bits & 0xBFFF_FFFF } else { bits })
}

/// A well-mixed 32-bit hash of `index` (the finaliser of `MurmurHash3`).
fn hash(index: u64) -> u32 {
    let mut h = u32::try_from(index & 0xFFFF_FFFF).unwrap_or(0) ^ 0x9E37_79B9;
    h = (h ^ (h >> 16)).wrapping_mul(0x85EB_CA6B);
    h = (h ^ (h >> 13)).wrapping_mul(0xC2B2_AE35);
    h ^ (h >> 16)
}

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
