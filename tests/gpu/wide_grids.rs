//! Grids whose y is above 1, for every kind of shader: what a workgroup takes for its number must count both sides. A few passes are
//! one workgroup on every device and are not here: those that close segments, join runs, find places of runs, and take a sample of numbers
//! for groups. Those that keep elements between bounds, and find ranks among them, have few workgroups on software adapters.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "small integers, which f32 has, and sums of them"
)]

use crate::harness::rig::{TIGHT_WORKGROUPS, open};
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use libtest_mimic::Trial;
use wgpu_reduce::ladder::{HistogramLevel, HistogramOptions, Ladder, LadderShader, RunOptions};
use wgpu_reduce::planners::{AxisKernel, Kernel};
use wgpu_reduce::{
    AxisTuning, Bins, Combining, CustomOp, Dot, DotExact, ElementKind, ExactElement, ExactSum,
    ExactTuning, GpuBuffer, GpuReducer, HistogramTuning, Matrix, Median, Nth, Plan, QuantileMethod,
    Quantiles, SegmentsTuning, Sum, SumExact, Tuning,
};
use wgpu_reduce_known::agrees;

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "wide_grids::reductions", reductions),
        on_every_rig(rigs, "wide_grids::many_inputs", many_inputs),
        on_every_rig(rigs, "wide_grids::exact_sums", exact_sums),
        on_every_rig(rigs, "wide_grids::axes", axes),
        on_every_rig(rigs, "wide_grids::segments", segments),
        on_every_rig(rigs, "wide_grids::keys", keys),
        on_every_rig(rigs, "wide_grids::histograms", histograms),
        on_every_rig(rigs, "wide_grids::masks", masks),
        on_every_rig(rigs, "wide_grids::order", order),
        on_every_rig(rigs, "wide_grids::groups", groups),
        on_every_rig(rigs, "wide_grids::custom", custom),
        on_every_rig(rigs, "wide_grids::levels", levels),
        on_every_rig(rigs, "wide_grids::histogram_levels", histogram_levels),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// All workgroups of a grid that is as wide and as high as the device lets it be.
const MOST: u32 = TIGHT_WORKGROUPS * TIGHT_WORKGROUPS;

const LEN: u32 = 100_003;

/// A device whose grids have sides of a few workgroups, and bindings that hold more than those take at once.
fn narrow(rig: &Rig) -> wgpu_reduce::Result<GpuReducer> {
    of_side(rig, TIGHT_WORKGROUPS)
}

/// A device whose grids have sides of so many workgroups.
fn of_side(rig: &Rig, workgroups: u32) -> wgpu_reduce::Result<GpuReducer> {
    let limits = wgpu::Limits {
        max_compute_workgroups_per_dimension: workgroups,
        max_storage_buffer_binding_size: wgpu::Limits::downlevel_defaults()
            .max_storage_buffer_binding_size,
        ..rig.reducer.device().limits()
    };
    open(&rig.options.clone().limits(limits))
}

/// Many small workgroups.
fn tuning(combining: Combining) -> Tuning {
    Tuning {
        workgroup_size: 64,
        max_workgroups: MOST,
        loads_in_flight: 2,
        min_quads_per_invocation: 2,
        max_partials_per_workgroup: if combining == Combining::Passes { 2 } else { MOST },
        combining,
    }
}

/// Numbers of which neighbours differ.
fn values(len: u32) -> Vec<i32> {
    (0..len).map(|i| (i.wrapping_mul(i) % 1009).cast_signed()).collect()
}

fn sum_of(values: &[i32]) -> i64 {
    values.iter().map(|&value| i64::from(value)).sum()
}

/// Whether a pass of this kernel has a high grid.
fn is_high(plan: &Plan, kernel: Kernel) -> bool {
    let of_kernel = format!("{kernel:?}");
    let passes = plan.passes().iter().filter(|pass| pass.to_string().contains(&of_kernel));
    passes.flat_map(wgpu_reduce::PlannedPass::grids).any(|grid| grid[1] > 1)
}

/// Workgroups of a plan's first dispatch.
fn workgroups(plan: &Plan) -> u32 {
    plan.passes()[0].grids()[0].iter().product()
}

/// Whether a printed plan has a high grid, "3 x 2 workgroups", in a line or below a pass with these words.
fn shows_high(plan: &str, words: &str) -> bool {
    let mut heading = "";
    plan.lines().any(|line| {
        if line.trim_start().starts_with("pass ") {
            heading = line;
        }
        let is_of_it = line.contains(words) || heading.contains(words);
        let before = line.split(" workgroups").next().filter(|before| *before != line);
        let mut sides = before.unwrap_or_default().rsplit(' ').map(str::parse::<u32>);
        is_of_it && matches!(sides.next(), Some(Ok(2..)))
    })
}

fn reductions(rig: &Rig) -> Outcome {
    let values = values(LEN);
    for combining in [Combining::Passes, Combining::LastToArrive] {
        let reducer = narrow(rig)?.with_tuning(tuning(combining));
        let buffer = reducer.upload(&values)?;
        let plan = reducer.reduce(Sum, &buffer).plan()?;
        ensure!(is_high(&plan, Kernel::Elements), "{plan}");
        let has_partials = combining == Combining::Passes;
        ensure!(is_high(&plan, Kernel::Partials) == has_partials, "{plan}");
        let sum = reducer.reduce(Sum, &buffer).start()?.wait()?;
        ensure!(sum == sum_of(&values), "{plan}{sum}, not {}", sum_of(&values));

        let (ones, floats) = (vec![1.0_f32; values.len()], floats(&values));
        let (ones, floats) = (reducer.upload(&ones)?, reducer.upload(&floats)?);
        let plan = reducer.reduce(Dot, (&floats, &ones)).plan()?;
        ensure!(is_high(&plan, Kernel::Pairs), "{plan}");
        let dot = reducer.reduce(Dot, (&floats, &ones)).start()?.wait()?;
        let off = (f64::from(dot) - sum as f64).abs();
        ensure!(off <= 1e-5 * sum as f64, "{plan}{dot}, not {sum}");
    }
    Ok(())
}

fn floats(values: &[i32]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

fn many_inputs(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?;
    let values = values(7 * 1000);
    let buffer = reducer.upload(&values)?;
    let inputs = || (0..7).map(|k| buffer.slice(1000 * k..1000 * (k + 1)));
    let request = |input: Result<_, _>| Ok(reducer.reduce(Sum, input?));
    let requests = || inputs().map(request).collect::<wgpu_reduce::Result<Vec<_>>>();
    let plan =
        reducer.batch(requests()?).plan()?.ok_or("inputs that are alike have no plan together")?;
    ensure!(is_high(&plan, Kernel::Inputs), "{plan}");
    let sums = reducer.batch(requests()?).start()?.wait()?;
    let expected: Vec<_> = values.chunks(1000).map(sum_of).collect();
    ensure!(sums == expected, "{plan}{sums:?}, not {expected:?}");
    Ok(())
}

fn exact_sums(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?;
    exact_sums_of::<f32>(&reducer)?;
    exact_sums_of::<f64>(&reducer)
}

fn exact_sums_of<T: ExactElement + From<f32>>(reducer: &GpuReducer) -> Outcome {
    let values = floats(&values(LEN)).into_iter().map(T::from).collect::<Vec<_>>();
    let buffer = reducer.upload(&values)?;
    let tuning = ExactTuning {
        workgroup_size: 64,
        max_workgroups: MOST,
        min_quads_per_invocation: 1,
        ..ExactTuning::for_len(&reducer.caps(), LEN.into())
    };
    let (mut sum, mut dot) = (ExactSum::new(), ExactSum::new());
    sum.add_slice(&values);
    dot.add_products(&values, &values)?;

    let request = reducer.reduce(SumExact, &buffer).unrounded().tuned(tuning);
    let (plan, got) = (request.plan()?, request.start()?.wait()?);
    ensure!(plan.passes()[0].grids()[0][1] > 1, "{plan}");
    ensure!(got == sum, "{plan}{got:?}, not {sum:?}");

    let request = reducer.reduce(DotExact, (&buffer, &buffer)).unrounded().tuned(tuning);
    let (plan, got) = (request.plan()?, request.start()?.wait()?);
    ensure!(plan.passes()[0].grids()[0][1] > 1, "{plan}");
    ensure!(got == dot, "{plan}{got:?}, not {dot:?}");
    Ok(())
}

/// Elements of each third mask count.
fn masks(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?.with_tuning(tuning(Combining::Passes));
    let values = values(LEN);
    let mask: Vec<u8> = (0..LEN).map(|i| u8::from(i % 3 == 0)).collect();
    let (buffer, mask) = (reducer.upload(&values)?, reducer.upload(&mask)?);
    let masked = reducer.reduce(Sum, &buffer).masked(&mask);
    let (plan, sum) = (masked.plan()?, masked.start()?.wait()?);
    ensure!(is_high(&plan, Kernel::Masked), "{plan}");
    let expected: i64 = values.iter().step_by(3).map(|&value| i64::from(value)).sum();
    ensure!(sum == expected, "{plan}{sum}, not {expected}");
    Ok(())
}

/// Ranks of a whole input, more than a side has workgroups, and of rows.
fn order(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?;
    let values = values(LEN);
    let buffer = reducer.upload(&values)?;
    let shares: Vec<_> = (0..=128_u32).map(|k| f64::from(k) / 128.0).collect();
    let quantiles = Quantiles::new(shares).method(QuantileMethod::Lower);
    let request = reducer.reduce(quantiles, &buffer);
    let (plan, found) = (request.plan()?, request.start()?.wait()?);
    for pass in ["digits counted", "digits of ranks"] {
        ensure!(shows_high(&plan.to_string(), pass), "{pass}: {plan}");
    }
    let sorted = sorted(&values);
    let expected = (0..=128).map(|k| f64::from(sorted[k * (sorted.len() - 1) / 128]));
    ensure!(found.into_iter().eq(expected), "{plan}");

    let rows = Matrix { rows: 4000, columns: 25 };
    let request = reducer.reduce(Median, buffer.slice(..100_000)?).rows(rows);
    let (plan, medians) = (request.plan()?, request.start()?.wait()?);
    ensure!(shows_high(&plan.to_string(), "in rows"), "{plan}");
    let expected = values[..100_000].chunks(25).map(|row| f64::from(self::sorted(row)[12]));
    ensure!(medians.into_iter().eq(expected), "{plan}");
    order_of_kept(rig)
}

fn sorted(values: &[i32]) -> Vec<i32> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted
}

/// So many elements that those between bounds are kept. Their sample takes more workgroups than the other grids have.
fn order_of_kept(rig: &Rig) -> Outcome {
    let reducer = of_side(rig, 65)?;
    let values: Vec<_> =
        (0..1_u32 << 22).map(|i| i.wrapping_mul(0x9e37_79b1).cast_signed()).collect();
    let buffer = reducer.upload(&values)?;
    let request = reducer.reduce(Nth { rank: 1 << 21 }, &buffer);
    let (plan, found) = (request.plan()?, request.start()?.wait()?);
    ensure!(shows_high(&plan.to_string(), "sampled keys"), "{plan}");
    ensure!(found == sorted(&values)[1 << 21], "{plan}{found}");
    Ok(())
}

/// More groups than a grid's side has invocations, and so few that each workgroup has slots for all.
fn groups(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?;
    let values = values(LEN);
    let buffer = reducer.upload(&values)?;
    let numbers = reducer.upload(&floats(&values))?;
    for (count, kernel) in [(20_000, "as they come"), (7, "in copies")] {
        let keys: Vec<u32> = (0..LEN).map(|i| i.wrapping_mul(11) % count).collect();
        let mut expected = vec![0_i64; count as usize];
        for (&key, &value) in keys.iter().zip(&values) {
            expected[key as usize] += i64::from(value);
        }
        let keys = reducer.upload(&keys)?;
        let request = reducer.reduce(Sum, &buffer).groups(&keys, count);
        let (plan, sums) = (request.plan()?, request.start()?.wait()?);
        ensure!(shows_high(&plan.to_string(), kernel), "{plan}");
        ensure!(count == 7 || shows_high(&plan.to_string(), "finished"), "{plan}");
        ensure!(sums == expected, "{plan}");

        let request = reducer.reduce(Sum, &numbers).groups(&keys, count);
        let (plan, sums) = (request.plan()?, request.start()?.wait()?);
        ensure!(shows_high(&plan.to_string(), kernel), "{plan}");
        // Numbers below 2^24.
        let expected = expected.iter().map(|&sum| sum as f32);
        ensure!(sums.into_iter().eq(expected), "{plan}");
    }
    Ok(())
}

/// Rows, columns and rows of one word, and a row that several teams share.
fn axes(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?;
    for (rows, columns, axis, kernel) in [
        (4001, 25, 1, AxisKernel::Rows),
        (25, 4001, 0, AxisKernel::Columns),
        (50_000, 2, 1, AxisKernel::Packed),
        (2, 50_000, 1, AxisKernel::Rows),
    ] {
        let view = Matrix { rows, columns };
        let floats = floats(&values(u32::try_from(rows * columns)?));
        let buffer = reducer.upload(&floats)?;
        let plan = reducer.reduce(Sum, &buffer).along(view, axis).plan()?;
        ensure!(shows_high(&plan.to_string(), &format!("{kernel:?} by")), "{plan}");
        let sums = reducer.reduce(Sum, &buffer).along(view, axis).start()?.wait()?;
        let (rows, columns) = (usize::try_from(rows)?, usize::try_from(columns)?);
        let of_row = |row: usize| floats[row * columns..][..columns].iter().sum::<f32>();
        let of_column = |column: usize| floats.iter().skip(column).step_by(columns).sum::<f32>();
        let expected: Vec<f32> = if axis == 1 {
            (0..rows).map(of_row).collect()
        } else {
            (0..columns).map(of_column).collect()
        };
        let is_near =
            |(&a, &b): (&f32, &f32)| agrees(a.into(), b.into(), 1e-4 * f64::from(b.abs()));
        ensure!(sums.iter().zip(&expected).all(is_near), "{plan}{rows} x {columns}");
        ensure!(sums.len() == expected.len(), "{plan}{} results", sums.len());
    }
    exact_axes(&reducer)?;
    parts_of_rows(&reducer)
}

/// Rows and columns of sums below 2^24.
fn exact_axes(reducer: &GpuReducer) -> Outcome {
    let floats = floats(&values(100_000));
    let buffer = reducer.upload(&floats)?;
    let rows = floats.chunks(25).map(|row| row.iter().sum::<f32>()).collect();
    let column = |at: usize| floats.iter().skip(at).step_by(4000).sum::<f32>();
    let columns: Vec<f32> = (0..4000).map(column).collect();
    for (shape, axis, kernel, expected) in [
        (Matrix { rows: 4000, columns: 25 }, 1, AxisKernel::Rows, rows),
        (Matrix { rows: 25, columns: 4000 }, 0, AxisKernel::Columns, columns),
    ] {
        let request = reducer.reduce(SumExact, &buffer).along(shape, axis);
        let (plan, sums) = (request.plan()?, request.start()?.wait()?);
        ensure!(shows_high(&plan.to_string(), &format!("{kernel:?} by")), "{plan}");
        ensure!(sums == expected, "{plan}");
    }
    Ok(())
}

/// More invocations are asked for than a workgroup has, so each row is shared, and a second pass folds what is left of it.
fn parts_of_rows(reducer: &GpuReducer) -> Outcome {
    let view = Matrix { rows: 400, columns: 250 };
    let values = values(100_000);
    let buffer = reducer.upload(&values)?;
    let tuning = AxisTuning {
        workgroup_size: 32,
        invocations: 1 << 20,
        max_workgroups: MOST,
        loads_in_flight: 1,
        short_team: 8,
        ..AxisTuning::for_caps(&reducer.caps())
    };
    let plan = reducer.reduce(Sum, &buffer).along(view, 1).tuned(tuning).plan()?;
    let kernel = format!("{:?} by", AxisKernel::Parts);
    ensure!(shows_high(&plan.to_string(), &kernel), "{plan}");
    let sums = reducer.reduce(Sum, &buffer).along(view, 1).tuned(tuning).start()?.wait()?;
    let expected: Vec<_> = values.chunks(250).map(sum_of).collect();
    ensure!(sums == expected, "{plan}");
    Ok(())
}

/// Where segments of `LEN` elements begin, and the sum of each.
fn cut(values: &[i32]) -> (Vec<u32>, Vec<i64>) {
    let mut offsets: Vec<u32> = (0..values.len()).step_by(37).map(|at| at as u32).collect();
    offsets.push(LEN);
    let sums = offsets.windows(2).map(|at| sum_of(&values[at[0] as usize..at[1] as usize]));
    let sums = sums.collect();
    (offsets, sums)
}

fn segments(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?;
    let values = values(LEN);
    let (offsets, expected) = cut(&values);
    let (buffer, offsets) = (reducer.upload(&values)?, reducer.upload(&offsets)?);
    let tuning = SegmentsTuning {
        max_workgroups: MOST,
        split_workgroup_size: 8,
        ..SegmentsTuning::for_element(&reducer.caps(), ElementKind::I32)
    };
    let plan = reducer.reduce(Sum, &buffer).segments(&offsets).tuned(tuning).plan()?;
    for pass in ["split of segments", "fold of segments"] {
        ensure!(shows_high(&plan.to_string(), pass), "{pass}: {plan}");
    }
    let sums = reducer
        .reduce(Sum, &buffer)
        .segments(&offsets)
        .tuned(tuning)
        .timed()
        .start()?
        .wait()?
        .value;
    ensure!(sums == expected, "{plan}");
    Ok(())
}

/// Runs found first, and values folded at once.
fn keys(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?;
    let values = values(LEN);
    let keys: Vec<u32> = (0..LEN).map(|i| i / 37).collect();
    let (_, expected) = cut(&values);
    let expected: Vec<_> = (0..).zip(expected).collect();
    let (keys, buffer) = (reducer.upload(&keys)?, reducer.upload(&values)?);
    let plan = reducer.reduce(Sum, &buffer).runs(&keys).plan()?;
    for pass in ["heads of runs", "runs of keys"] {
        ensure!(shows_high(&plan.to_string(), pass), "{pass}: {plan}");
    }
    let runs = reducer.reduce(Sum, &buffer).runs(&keys).start()?.wait()?;
    ensure!(runs == expected, "{plan}");

    let floats = reducer.upload(&floats(&values))?;
    let plan = reducer.reduce(Sum, &floats).runs(&keys).plan()?;
    for pass in ["fold of runs", "gathering of runs"] {
        ensure!(shows_high(&plan.to_string(), pass), "{pass}: {plan}");
    }
    let runs = reducer.reduce(Sum, &floats).runs(&keys).start()?.wait()?;
    let is_sum = |((key, sum), (other, exact)): (&(u32, f32), &(u32, i64))| {
        // Numbers below 2^24.
        key == other && f64::from(*sum) == *exact as f64
    };
    ensure!(runs.iter().zip(&expected).all(is_sum), "{plan}");
    ensure!(runs.len() == expected.len(), "{plan}{} runs", runs.len());
    Ok(())
}

fn histograms(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?;
    let values = values(3 * LEN);
    let buffer = reducer.upload(&values)?;
    let (bins, most) = (Bins::even(0..1024, 1024)?, TIGHT_WORKGROUPS);
    let plan = reducer.bin(&buffer, &bins).channels(1).plan()?;
    ensure!(workgroups(&plan) > most, "{plan}");
    let mut expected = vec![0_u64; 1024];
    for &value in &values {
        expected[usize::try_from(value)?] += 1;
    }
    let found = reducer.bin(&buffer, &bins).start()?.wait()?;
    ensure!(found.counts == expected, "{plan}");

    let weights = reducer.upload(&vec![3_u32; values.len()])?;
    let plan = reducer.bin(&buffer, &bins).channels(1).weights(&weights).plan()?;
    ensure!(workgroups(&plan) > most, "{plan}");
    let found = reducer.bin(&buffer, &bins).weights(&weights).start()?.wait()?;
    let is_thrice = |(sum, count): (&u64, &u64)| *sum == 3 * count;
    ensure!(found.sums.iter().zip(&expected).all(is_thrice), "{plan}");

    let weights = reducer.upload(&vec![0.5_f32; values.len()])?;
    let plan = reducer.bin(&buffer, &bins).channels(1).weights(&weights).plan()?;
    ensure!(workgroups(&plan) > most, "{plan}");
    let found = reducer.bin(&buffer, &bins).weights(&weights).start()?.wait()?;
    let is_half = |(sum, count): (&f32, &u64)| f64::from(*sum) == 0.5 * *count as f64;
    ensure!(found.sums.iter().zip(&expected).all(is_half), "{plan}");
    last_passes(&reducer, &buffer, &weights)
}

/// Workgroups so small that results of a few bins take many of them.
fn last_passes(reducer: &GpuReducer, values: &GpuBuffer<i32>, weights: &GpuBuffer<f32>) -> Outcome {
    let tuning =
        HistogramTuning { workgroup_size: 8, ..HistogramTuning::for_caps(&reducer.caps()) };
    let bins = Bins::even(0..1024, 1024)?;
    let counted = reducer.bin(values, &bins).tuned(tuning);
    let (plan, found) = (counted.plan()?, counted.start()?.wait()?);
    ensure!(shows_high(&plan.to_string(), "histogram, totals"), "{plan}");
    ensure!(found.counts == reducer.bin(values, &bins).start()?.wait()?.counts, "{plan}");

    let weighed = reducer.bin(values, &bins).weights(weights).tuned(tuning);
    let (plan, sums) = (weighed.plan()?, weighed.start()?.wait()?.sums);
    ensure!(shows_high(&plan.to_string(), "histogram, sums rounded to f32"), "{plan}");
    let is_half = |(sum, count): (&f32, &u64)| f64::from(*sum) == 0.5 * *count as f64;
    ensure!(sums.iter().zip(&found.counts).all(is_half), "{plan}");
    let weights = reducer.upload(&vec![0.5_f64; usize::try_from(values.len())?])?;
    let weighed = reducer.bin(values, &bins).weights(&weights).tuned(tuning);
    let (plan, sums) = (weighed.plan()?, weighed.start()?.wait()?.sums);
    ensure!(shows_high(&plan.to_string(), "histogram, sums rounded to f64"), "{plan}");
    let is_half = |(sum, count): (&f64, &u64)| *sum == 0.5 * *count as f64;
    ensure!(sums.iter().zip(&found.counts).all(is_half), "{plan}");

    let bytes: Vec<u8> = (0..LEN).map(|i| (i.wrapping_mul(i) % 251) as u8).collect();
    let buffer = reducer.upload(&bytes)?;
    let bins = Bins::even(0..256, 128)?;
    let counted = reducer.bin(&buffer, &bins).tuned(tuning);
    let (plan, found) = (counted.plan()?, counted.start()?.wait()?);
    ensure!(shows_high(&plan.to_string(), "histogram, bins of values"), "{plan}");
    let mut expected = vec![0_u64; 128];
    for byte in bytes {
        expected[usize::from(byte / 2)] += 1;
    }
    ensure!(found.counts == expected, "{plan}");
    Ok(())
}

/// Whole, along an axis and of segments.
fn custom(rig: &Rig) -> Outcome {
    const TEXT: &str = "
        fn map(element: i32, index: u32) -> i32 { return element; }
        fn combine(left: i32, right: i32) -> i32 { return left + right; }";
    let op = CustomOp::<i32, i32>::new(TEXT, 0)?;
    let reducer = narrow(rig)?.with_tuning(tuning(Combining::Passes));
    let values = values(LEN);
    let buffer = reducer.upload(&values)?;
    let plan = reducer.reduce(&op, &buffer).plan()?;
    ensure!(shows_high(&plan.to_string(), "reads Elements"), "{plan}");
    let sum = i64::from(reducer.reduce(&op, &buffer).start()?.wait()?);
    ensure!(sum == sum_of(&values), "{plan}{sum}");
    custom_partials(rig, &op)?;

    let view = Matrix { rows: 25, columns: 4000 };
    let whole = buffer.slice(..100_000)?;
    let along = reducer.reduce(&op, whole).along(view, 0);
    let (plan, sums) = (along.plan()?, along.start()?.wait()?);
    ensure!(shows_high(&plan.to_string(), "along an axis"), "{plan}");
    let of_column = |column: usize| values[..100_000].iter().skip(column).step_by(4000).sum();
    ensure!(sums == (0..4000).map(of_column).collect::<Vec<i32>>(), "{plan}");

    let (offsets, expected) = cut(&values);
    let offsets = reducer.upload(&offsets)?;
    let in_segments = reducer.reduce(&op, &buffer).segments(&offsets);
    let (plan, sums) = (in_segments.plan()?, in_segments.start()?.wait()?);
    ensure!(shows_high(&plan.to_string(), "fold of segments"), "{plan}");
    ensure!(sums.into_iter().map(i64::from).eq(expected), "{plan}");
    custom_pairs(&reducer, &buffer)
}

/// Pairs of a buffer's elements and themselves.
fn custom_pairs(reducer: &GpuReducer, buffer: &GpuBuffer<i32>) -> Outcome {
    const TEXT: &str = "
        fn map(left: i32, right: i32, index: u32) -> i32 { return 2 * right - left; }
        fn combine(left: i32, right: i32) -> i32 { return left + right; }";
    let op = CustomOp::<(i32, i32), i32>::new(TEXT, 0)?;
    let pairs = reducer.reduce(&op, (buffer, buffer));
    let (plan, sum) = (pairs.plan()?, pairs.start()?.wait()?);
    ensure!(shows_high(&plan.to_string(), "over pairs"), "{plan}");
    let expected = sum_of(&values(LEN));
    ensure!(i64::from(sum) == expected, "{plan}{sum}, not {expected}");
    Ok(())
}

/// A workgroup takes so many partials that there must be thousands; each of the first pass has one tile.
fn custom_partials(rig: &Rig, op: &CustomOp<i32, i32>) -> Outcome {
    let side = 65;
    let tuning = Tuning {
        max_workgroups: side * side,
        loads_in_flight: 1,
        min_quads_per_invocation: 1,
        ..tuning(Combining::Passes)
    };
    let reducer = of_side(rig, side)?.with_tuning(tuning);
    let values = values(1_080_000);
    let buffer = reducer.upload(&values)?;
    let plan = reducer.reduce(op, &buffer).plan()?;
    ensure!(shows_high(&plan.to_string(), "reads Partials"), "{plan}");
    let sum = i64::from(reducer.reduce(op, &buffer).start()?.wait()?);
    ensure!(sum == sum_of(&values), "{plan}{sum}");
    Ok(())
}

/// Grids of one row's workgroups, and of more rows than a side holds.
fn levels(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?;
    let most = u64::from(TIGHT_WORKGROUPS);
    let values = values(7 * 14_000);
    let buffer: GpuBuffer<i32> = reducer.upload(&values)?;
    let has_subgroups = reducer.caps().subgroups.is_some();
    for shader in LadderShader::all().filter(|shader| shader.element() == ElementKind::I32) {
        if shader.needs_subgroups() && !has_subgroups {
            continue;
        }
        let size = 256 / shader.load_width().elements();
        for (rows, size) in [(1_u32, Some(size)), (7, None)] {
            let options = RunOptions {
                form: shader.form(),
                workgroup_size: size.filter(|_| shader.declares("WORKGROUP_SIZE")),
                items_per_thread: shader.declares("ITEMS_PER_THREAD").then_some(2),
                workgroups: shader.declares("ALONE_IN_ROW").then_some(8),
                ..RunOptions::default()
            };
            // Levels whose workgroups have so much each get no more than a grid holds.
            let slice = buffer.slice(..if rows == 1 { 2000 } else { 7 * 140 })?;
            let plan = Ladder::new(&reducer).plan(shader.level(), &options, slice, rows)?;
            let is_high = rows > TIGHT_WORKGROUPS
                || plan.passes.iter().any(|pass| pass.workgroups > most * pass.dispatches as u64);
            let is_alone = !shader.declares("WORKGROUP_SIZE");
            ensure!(is_high || is_alone, "{plan}");
            let sums = Ladder::new(&reducer).rows(shader.level(), &options, slice, rows)?;
            let sums = sums.wait()?.value;
            let len = slice.len() as usize;
            let of_row = |row: &[i32]| row.iter().sum::<i32>();
            let expected: Vec<_> = values[..len].chunks(len / rows as usize).map(of_row).collect();
            ensure!(sums == expected, "{plan}{sums:?}, not {expected:?}");
        }
    }
    Ok(())
}

fn histogram_levels(rig: &Rig) -> Outcome {
    let reducer = narrow(rig)?;
    let bytes: Vec<u8> = (0..LEN).map(|i| (i.wrapping_mul(i) % 251) as u8).collect();
    let buffer = reducer.upload(&bytes)?;
    let mut expected = vec![0_u64; 256];
    for &byte in &bytes {
        expected[usize::from(byte)] += 1;
    }
    for level in HistogramLevel::ALL {
        if level.needs_subgroups() && reducer.caps().subgroups.is_none() {
            continue;
        }
        let options = HistogramOptions { workgroups: Some(8), ..HistogramOptions::default() };
        let plan = Ladder::new(&reducer).plan_histogram(level, &options, &buffer)?;
        ensure!(plan.workgroups[0] > TIGHT_WORKGROUPS, "{plan}");
        let found = Ladder::new(&reducer).histogram(level, &options, &buffer)?;
        ensure!(found == expected, "{plan}");
    }
    Ok(())
}
