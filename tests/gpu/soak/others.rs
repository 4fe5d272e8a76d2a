//! What is no operation of one input: two inputs, exact sums, histograms, custom operators, the ladder, transfers.

use super::work::{Round, length, shape};
use crate::exact::cases::{Mix, Random};
use crate::groups::{Case, Keys};
use crate::harness::oracle::{Judged, Oracle, Poison};
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, TestElement};
use crate::histogram::Numeric;
use crate::histogram_weighted::Summed;
use crate::masked::{Left, Placed};
use crate::{
    axis, beside_axis, custom, custom_along, exact, exact_axis, exact_dot, exact_stream, groups,
    histogram, histogram_levels, histogram_weighted, ladder, multi, order, order_axis, pairs,
    stream, transfer,
};
use half::{bf16, f16};
use libtest_mimic::Failed;
use std::collections::BTreeSet;
use wgpu_reduce::{
    ArgMin, Bins, Dot, GpuReducer, Matrix, MeanExact, MultiGpu, PairOperation, QuantileMethod,
    Ranked, Sum, SumExact, View,
};

/// What is no operation of one input, or in another way.
pub(super) const OTHERS: [(&str, Round); 41] = [
    ("dot of f32", Round::On(dot::<f32>)),
    ("dot of i16", Round::On(dot::<i16>)),
    ("dot of f16", Round::On(dot::<f16>)),
    ("dot of bf16", Round::On(dot::<bf16>)),
    ("dot of f64", Round::On(dot_whole::<f64>)),
    ("dot of f32 along axes", Round::On(dot_along)),
    ("argmin along axes by a mask", Round::On(by_mask::<u32, ArgMin>)),
    ("exact sum along axes by a mask", Round::On(by_mask::<f32, SumExact>)),
    ("exact sum", Round::On(exact_sum)),
    ("exact sum as a stream", Round::On(exact_stream)),
    ("exact sum on two reducers", Round::Across(exact_on_two)),
    ("exact sums of rows and columns", Round::On(exact_rows)),
    ("exact dot", Round::On(exact_dot)),
    ("exact dot as a stream", Round::On(exact_dot_stream)),
    ("histogram of f32", Round::On(counted::<f32>)),
    ("histogram of u8", Round::On(counted::<u8>)),
    ("histograms of channels", Round::On(channels)),
    ("histograms as a stream", Round::On(counted_stream)),
    ("weighted histogram of f32", Round::On(weighted::<f32, f32>)),
    ("weighted histogram of i16", Round::On(weighted::<i16, f32>)),
    ("weighted histogram of f64", Round::On(weighted::<i64, f64>)),
    ("histogram of integer weights", Round::On(weighted::<u8, u32>)),
    ("order statistics of f32", Round::On(ranks::<f32>)),
    ("order statistics of i64", Round::On(ranks::<i64>)),
    ("order statistics of numbers", Round::On(numbers)),
    ("order statistics of rows and columns", Round::On(ranks_of_rows)),
    ("groups of sums of i32", Round::On(in_groups::<i32, Sum>)),
    ("groups of exact sums", Round::On(in_groups::<f32, SumExact>)),
    ("groups of exact means of f64", Round::On(in_groups::<f64, MeanExact>)),
    ("groups of indices of i64", Round::On(in_groups::<i64, ArgMin>)),
    ("custom operator", Round::On(custom_whole)),
    ("custom operator over two inputs", Round::On(custom_pairs)),
    ("custom operator along axes", Round::On(custom_axes)),
    ("custom operator in segments", Round::On(custom_segments)),
    ("custom operator by key", Round::On(custom_keys)),
    ("strided views of i32", Round::On(views::<i32, Sum>)),
    ("strided views of f32", Round::On(views::<f32, ArgMin>)),
    ("level of the ladder", Round::On(level)),
    ("level of histograms", Round::On(histogram_level)),
    ("transfer of f32", Round::On(transferred::<f32>)),
    ("transfer of u8", Round::On(transferred::<u8>)),
];

fn dot<T: TestElement>(rig: &Rig, random: &mut Random) -> Outcome
where
    Dot: PairOperation<T, Output: Judged>,
{
    if random.below(4) == 0 {
        return stream::check_pairs::<T>(rig, length(rig, random) % 20_000);
    }
    dot_whole::<T>(rig, random)
}

fn dot_whole<T: TestElement>(rig: &Rig, random: &mut Random) -> Outcome
where
    Dot: PairOperation<T, Output: Judged>,
{
    let both = pairs::data::<T>(shape(random), length(rig, random));
    let before = [random.below(40), random.below(40)];
    pairs::check::<T, Dot>(rig, both.each_ref().map(Vec::as_slice), before, "random")
}

fn mix(random: &mut Random) -> Mix {
    Mix::ALL[random.below(Mix::ALL.len())]
}

/// So few `f64` that one tight binding holds what those that they need leave: up to 1.5 KiB each.
fn few_bindings(rig: &Rig, len: usize) -> usize {
    let most = usize::try_from(TIGHT_BINDING_BYTES).unwrap_or(usize::MAX);
    if rig.is_tight { len % most } else { len }
}

fn exact_sum(rig: &Rig, random: &mut Random) -> Outcome {
    let (mix, len) = (mix(random), usize::try_from(length(rig, random))?);
    let poison = Poison { before: random.below(40), after: random.below(9) };
    if len.is_multiple_of(2) {
        let len = few_bindings(rig, len);
        return exact::check(rig, &mix.numbers::<f64>(len, random), poison, "random f64");
    }
    exact::check(rig, &mix.numbers::<f32>(len, random), poison, "random")
}

fn exact_dot(rig: &Rig, random: &mut Random) -> Outcome {
    let (mixes, len) = ([mix(random), mix(random)], usize::try_from(length(rig, random))?);
    if len.is_multiple_of(2) {
        let len = few_bindings(rig, len);
        let both = exact_dot::numbers::<f64>(mixes[0], mixes[1], len, random);
        let before = [random.below(40), random.below(40)];
        return exact_dot::check(rig, both.each_ref().map(Vec::as_slice), before, "random f64");
    }
    let both = exact_dot::numbers::<f32>(mixes[0], mixes[1], len, random);
    let before = [random.below(40), random.below(40)];
    exact_dot::check(rig, both.each_ref().map(Vec::as_slice), before, "random")
}

fn ranks<T: TestElement + Ranked<Figure: bytemuck::Pod>>(
    rig: &Rig,
    random: &mut Random,
) -> Outcome {
    let values = T::data(shape(random), length(rig, random).max(1));
    let tuning = (random.below(2) == 0).then_some(histogram::LIKE_GPUS);
    order::check_within(rig, &values, random.below(40), tuning)
}

fn numbers(rig: &Rig, random: &mut Random) -> Outcome {
    let values = f64::data(shape(random), length(rig, random).max(1));
    let method = QuantileMethod::ALL[random.below(QuantileMethod::ALL.len())];
    let values = order::with_nan(&values, 1 + random.below(9));
    order::check_numbers(rig, &values, method, random.below(40))
}

fn ranks_of_rows(rig: &Rig, random: &mut Random) -> Outcome {
    // One binding is to hold a row.
    let most = if rig.is_tight { 500 } else { 20_000 };
    let columns = 1 + random.below(most);
    let rows = 1 + random.below(most / columns);
    let matrix = Matrix { rows: rows as u64, columns: columns as u64 };
    let values = f32::data(shape(random), matrix.rows * matrix.columns);
    order_axis::check(rig, (&values, random.below(4)), (matrix.into(), random.below(2)), None)
}

fn counted<T: Numeric>(rig: &Rig, random: &mut Random) -> Outcome {
    let bins = histogram::some_bins(rig)?;
    let values = T::data(shape(random), length(rig, random));
    histogram::check(rig, &values, random.below(40), &bins[random.below(bins.len())])
}

fn counted_stream(rig: &Rig, random: &mut Random) -> Outcome {
    let mut bins = histogram::some_bins(rig)?;
    let channels = 1 + random.below(4);
    // One binding is to hold the counts of all channels.
    bins.retain(|bins| !rig.is_tight || bins.count() <= 300);
    let len = channels as u64 * (length(rig, random) % 5000);
    let values = f32::data(shape(random), len);
    let bins = &bins[random.below(bins.len())];
    stream::check_histograms(rig, &values, u32::try_from(channels)?, bins)
}

fn weighted<T: Numeric, W: Summed>(rig: &Rig, random: &mut Random) -> Outcome {
    let mut bins = histogram::some_bins(rig)?;
    // One binding is to hold all sums.
    let most = if W::KIND.size_bytes() == 8 { 115 } else { 300 };
    bins.retain(|bins| !rig.is_tight || bins.count() <= most);
    let values = T::data(shape(random), length(rig, random) % 9000);
    let weights = W::data(shape(random), values.len() as u64);
    let before = [random.below(40), random.below(40)];
    let bins = &bins[random.below(bins.len())];
    histogram_weighted::check(rig, (&values, &weights), before, bins)
}

/// No more than streams, rows and shares are given here.
fn some_numbers(rig: &Rig, random: &mut Random) -> Result<Vec<f32>, Failed> {
    let len = usize::try_from(length(rig, random) % 20_000)?;
    Ok(mix(random).numbers(len, random))
}

fn exact_stream(rig: &Rig, random: &mut Random) -> Outcome {
    exact_stream::check_exact(rig, &some_numbers(rig, random)?, "random")
}

fn exact_on_two(reducers: &[GpuReducer; 2], rig: &Rig, random: &mut Random) -> Outcome {
    let multi = MultiGpu::new(reducers.to_vec())?;
    multi::check_exact(&multi, &some_numbers(rig, random)?, "random")
}

fn exact_rows(rig: &Rig, random: &mut Random) -> Outcome {
    let numbers = some_numbers(rig, random)?;
    let columns = 1 + random.below(numbers.len().clamp(1, 3000));
    let rows = numbers.len() / columns;
    if rows == 0 {
        return Ok(());
    }
    let matrix = Matrix { rows: rows as u64, columns: columns as u64 };
    exact_axis::check(rig, &numbers[..rows * columns], matrix, (random.below(2), None))
}

fn exact_dot_stream(rig: &Rig, random: &mut Random) -> Outcome {
    let len = usize::try_from(length(rig, random) % 20_000)?;
    let mixes = [mix(random), mix(random)];
    let both = exact_dot::numbers::<f32>(mixes[0], mixes[1], len, random);
    exact_stream::check_exact_pairs(rig, both.each_ref().map(Vec::as_slice))
}

fn channels(rig: &Rig, random: &mut Random) -> Outcome {
    let (channels, before) = (2 + random.below(4), random.below(40));
    let values = u8::data(shape(random), channels as u64 * (length(rig, random) % 9000));
    let bins = Bins::even(0..256, 64)?;
    histogram::check_interleaved(rig, &values, before, channels, &bins)
}

fn in_groups<T: TestElement, O: Oracle<T, Output: Placed>>(
    rig: &Rig,
    random: &mut Random,
) -> Outcome {
    let keys = Keys::ALL[random.below(Keys::ALL.len())];
    let most = [1, 40, 2000, 90_000][random.below(4)];
    let groups = 1 + random.below(most);
    let before = [random.below(40), random.below(40)];
    let tuning = (random.below(2) == 0).then_some(histogram::LIKE_GPUS);
    let case = Case { rig, keys, groups: u32::try_from(groups)?, before, tuning };
    groups::check::<T, O>(&case, &T::data(shape(random), length(rig, random)))
}

fn custom_whole(rig: &Rig, random: &mut Random) -> Outcome {
    custom::check(rig, length(rig, random), custom::SOME_POISON)
}

fn custom_pairs(rig: &Rig, random: &mut Random) -> Outcome {
    let before = [random.below(40), random.below(40)];
    custom::check_pairs(rig, length(rig, random), before)
}

fn custom_axes(rig: &Rig, random: &mut Random) -> Outcome {
    let (values, view) = some_view::<u32>(rig, random)?;
    custom_along::check(rig, &values, view)
}

/// Some of the axes of a view.
fn some_axes(random: &mut Random) -> Vec<usize> {
    let set = random.below(8);
    (0..3).filter(|axis| set >> axis & 1 == 1).collect()
}

fn dot_along(rig: &Rig, random: &mut Random) -> Outcome {
    let (left, view) = some_view::<f32>(rig, random)?;
    let right = f32::data(shape(random), left.len() as u64);
    beside_axis::check_pairs::<f32, Dot>(rig, [&left, &right], (view, &some_axes(random)), None)
}

fn by_mask<T: TestElement, O: Oracle<T, Output: Placed>>(
    rig: &Rig,
    random: &mut Random,
) -> Outcome {
    let (values, view) = some_view::<T>(rig, random)?;
    let mask = Left::ALL[random.below(Left::ALL.len())].mask(values.len() as u64);
    beside_axis::check_masks::<T, O>(rig, &values, &mask, (view, &some_axes(random)))
}

fn custom_segments(rig: &Rig, random: &mut Random) -> Outcome {
    let len = length(rig, random);
    let most = usize::try_from(len)?;
    let inner = (0..random.below(200)).map(|_| random.below(most + 1)).collect::<BTreeSet<_>>();
    let ends = [0].into_iter().chain(inner).chain([most]);
    let offsets = ends.map(u32::try_from).collect::<Result<Vec<_>, _>>()?;
    custom_along::check_segments(rig, len, &offsets)
}

fn custom_keys(rig: &Rig, random: &mut Random) -> Outcome {
    // A tight binding is to hold a result for each key.
    let len = random.below(3000);
    custom_along::check_runs(rig, len, 1 + random.below(400))
}

/// Data, and a view of three dimensions of it in any order, one of which may be reversed, from some element on.
fn some_view<T: TestElement>(rig: &Rig, random: &mut Random) -> Result<(Vec<T>, View), Failed> {
    let mut order = [0, 1, 2];
    order.swap(0, random.below(3));
    order.swap(1, 1 + random.below(2));
    let mut shape_of = [0; 3];
    let mut strides = [0; 3];
    let mut len = 1;
    for dimension in order {
        let most = [40, 300, 5000][random.below(3)].min(30_000 / len);
        shape_of[dimension] = 1 + length(rig, random) % most.max(1);
        strides[dimension] = i64::try_from(len)?;
        len *= shape_of[dimension];
    }
    let mut offset = random.bits() % 9;
    let values = T::data(shape(random), len + offset);
    let turned = random.below(4);
    if turned < 3 {
        offset += (shape_of[turned] - 1) * strides[turned].unsigned_abs();
        strides[turned] = -strides[turned];
    }
    Ok((values, View::strided(&shape_of, &strides, offset)?))
}

fn views<T: TestElement, O: Oracle<T>>(rig: &Rig, random: &mut Random) -> Outcome {
    let (values, view) = some_view::<T>(rig, random)?;
    let buffer = rig.reducer.upload(&values)?;
    axis::check::<T, O>(rig, &buffer, &values, view, random.below(3), None)
}

fn level(rig: &Rig, random: &mut Random) -> Outcome {
    let len = length(rig, random) % 20_000;
    match random.below(3) {
        0 => ladder::check_some::<f32>(rig, random, len),
        1 => ladder::check_some::<i32>(rig, random, len),
        _ => ladder::check_some::<u32>(rig, random, len),
    }
}

fn histogram_level(rig: &Rig, random: &mut Random) -> Outcome {
    let len = length(rig, random);
    histogram_levels::check_some(rig, random, len)
}

fn transferred<T: TestElement>(rig: &Rig, random: &mut Random) -> Outcome {
    let len = length(rig, random);
    let start = random.bits() % (len + 1);
    let end = start + random.bits() % (len - start + 1);
    transfer::check::<T>(rig, shape(random), len, [start, end])
}
