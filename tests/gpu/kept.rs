//! Results that stay on the GPU: in buffers of their own, beside what they are made of, and of as many elements as an
//! earlier pass has counted.

use crate::custom::{compose_one, composed};
use crate::harness::oracle::{Judged as _, Oracle};
use crate::harness::{
    Outcome, Rig, Shape, TestElement, ensure, on_every_rig, one_rig_of_each_adapter, stamp,
};
use half::bf16;
use libtest_mimic::Trial;
use wgpu::{CommandEncoder, CommandEncoderDescriptor};
use wgpu_reduce::{
    ArgMax, ArgMin, Bins, Dot, Error, GpuBuffer, GpuSlices, Matrix, Max, Mean, NanMean, Result,
    RunBuffers, Stats, Sum, Tuning, Variance, View,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let typed = stamp!(
        rigs,
        [to_buffers],
        {
            "kept::sum": Sum of f32, u8, i64, f64;
            "kept::argmin": ArgMin of i16;
            "kept::mean": Mean of i32
        }
    );
    let mut trials = one_rig_of_each_adapter(rigs, typed);
    // One for each way to lift and size of elements.
    trials.extend(stamp!(
        rigs,
        [counted],
        {
            "kept::sum": Sum of f32, u8, bf16, f64;
            "kept::argmin": ArgMin of i16, i64;
            "kept::argmax": ArgMax of f32;
            "kept::mean": Mean of i32;
            "kept::nan_mean": NanMean of f32;
            "kept::stats": Stats of f32;
            "kept::variance": Variance of f32
        }
    ));
    for (name, test) in [
        ("kept::custom", custom as fn(&Rig) -> Outcome),
        ("kept::nothing", nothing),
        ("kept::in_one_buffer", in_one_buffer),
        ("kept::refused_in_one_buffer", refused_in_one_buffer),
        ("kept::among_the_elements", among_the_elements),
        ("kept::counted_by_a_pass", counted_by_a_pass),
        ("kept::counted_in_order", counted_in_order),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    trials
}

fn encoder(rig: &Rig) -> CommandEncoder {
    rig.reducer.device().create_command_encoder(&CommandEncoderDescriptor::default())
}

/// What `left` holds, as the host makes results of it, is what comes to the host.
fn same<T: TestElement, O: Oracle<T>>(left: &[O::Raw], lens: &[u64], came: &[O::Output]) -> bool {
    let finished = left.iter().zip(lens).map(|(&raw, &len)| O::default().finish(raw, len));
    lens.len() == came.len()
        && left.len() >= lens.len()
        && finished.zip(came).all(|(raw, &came)| raw.is_ok_and(|value| value.same_bits(came)))
}

/// Along an axis, of segments and of runs, they are those that come to the host.
fn to_buffers<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let (reducer, operation) = (&rig.reducer, O::default());
    let values = reducer.upload(&T::data(Shape::Random, 600))?;
    let matrix = Matrix { rows: 20, columns: 30 };
    let offsets = reducer.upload(&[2_u32, 3, 250, 251, 600])?;
    let keys: Vec<i32> = (0..600).map(|i| i / 90).collect();
    let keys = reducer.upload(&keys)?;
    let left =
        reducer.reduce(operation, &values).along(matrix, 1).to_buffer()?.download(reducer)?;
    let came = reducer.reduce(operation, &values).along(matrix, 1).start()?.wait()?;
    ensure!(left.len() == 20 && same::<T, O>(&left, &[30; 20], &came), "rows: {came:?}");
    let left =
        reducer.reduce(operation, &values).segments(&offsets).to_buffer()?.download(reducer)?;
    let came = reducer.reduce(operation, &values).segments(&offsets).start()?.wait()?;
    let lens = [1, 247, 1, 349];
    ensure!(left.len() == 4 && same::<T, O>(&left, &lens, &came), "segments: {came:?}");
    let runs = reducer.reduce(operation, &values).runs(&keys).to_buffer()?;
    let came = reducer.reduce(operation, &values).runs(&keys).start()?.wait()?;
    let results: Vec<_> = came.iter().map(|&(_, result)| result).collect();
    ensure!(runs.count.download(reducer)? == [7], "there are seven runs");
    let left_keys = runs.keys.download(reducer)?;
    ensure!(left_keys[..8] == [0, 1, 2, 3, 4, 5, 6, 0], "{:?}", &left_keys[..8]);
    let left = runs.results.download(reducer)?;
    let lens = [90, 90, 90, 90, 90, 90, 60];
    ensure!(same::<T, O>(&left, &lens, &results), "runs: {came:?}");
    Ok(())
}

/// An operator whose order matters leaves what comes back, too.
fn custom(rig: &Rig) -> Outcome {
    let (reducer, op) = (&rig.reducer, compose_one());
    let values = u32::data(Shape::Random, 600);
    let on_gpu = reducer.upload(&values)?;
    let matrix = Matrix { rows: 20, columns: 30 };
    let left = reducer.reduce(&op, &on_gpu).along(matrix, 1).to_buffer()?.download(reducer)?;
    let expected: Vec<_> = values.chunks(30).map(|row| composed(row.iter().copied())).collect();
    ensure!(left == expected, "rows: {left:?}");
    let offsets = reducer.upload(&[0_u32, 0, 250, 251, 599])?;
    let left = reducer.reduce(&op, &on_gpu).segments(&offsets).to_buffer()?.download(reducer)?;
    let came = reducer.reduce(&op, &on_gpu).segments(&offsets).start()?.wait()?;
    ensure!(left == came && left[0] == [1, 0], "segments: {left:?}");
    ensure!(left[1] == composed(values[..250].iter().copied()), "segments: {left:?}");
    let keys: Vec<f32> = (0..600_u16).map(|i| f32::from(i / 90)).collect();
    let keys = reducer.upload(&keys)?;
    let runs = reducer.reduce(&op, &on_gpu).runs(&keys).to_buffer()?;
    let came = reducer.reduce(&op, &on_gpu).runs(&keys).start()?.wait()?;
    let left = runs.keys.download(reducer)?.into_iter().zip(runs.results.download(reducer)?);
    ensure!(runs.count.download(reducer)? == [7], "there are seven runs");
    ensure!(left.take(7).eq(came), "runs");
    Ok(())
}

/// Without segments there are no results, without keys no runs, and without elements those of none.
fn nothing(rig: &Rig) -> Outcome {
    let (reducer, op) = (&rig.reducer, compose_one());
    let (none, offset) = (reducer.upload::<u32>(&[])?, reducer.upload(&[0_u32])?);
    ensure!(reducer.reduce(Sum, &none).segments(&offset).to_buffer()?.is_empty(), "no segments");
    ensure!(reducer.reduce(&op, &none).segments(&offset).to_buffer()?.is_empty(), "no segments");
    let runs = reducer.reduce(Sum, &none).runs(&none).to_buffer()?;
    ensure!(runs.keys.is_empty() && runs.count.download(reducer)? == [0], "no runs");
    let runs = reducer.reduce(&op, &none).runs(&none).to_buffer()?;
    ensure!(runs.results.is_empty() && runs.count.download(reducer)? == [0], "no runs");
    let no_columns = Matrix { rows: 3, columns: 0 };
    let left = reducer.reduce(&op, &none).along(no_columns, 1).to_buffer()?.download(reducer)?;
    ensure!(left == [[1, 0]; 3], "of nothing: {left:?}");
    let outcome = reducer.reduce(Sum, &none).segments(&none).to_buffer().map(drop);
    ensure!(matches!(outcome, Err(Error::InvalidOffsets { .. })), "no offsets: {outcome:?}");
    let outcome = reducer.reduce(Sum, &none).runs(&offset).to_buffer().map(drop);
    ensure!(outcome == Err(Error::LengthMismatch { left: 1, right: 0 }), "{outcome:?}");
    Ok(())
}

/// What counts of 9000 and 11 000 elements are tried: none, around the ends of quads and of the first part, all, and more.
fn tried_counts() -> Vec<u32> {
    let (all, around) = (20_000, 8990..9010);
    (0..20).chain([4097, 6000]).chain(around).chain(all - 9..all + 2).chain([u32::MAX]).collect()
}

/// The first elements of two buffers, as many as a number on the device says, and no more than there are.
fn counted<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let (reducer, operation) = (&rig.reducer, O::default());
    let values = T::data(Shape::Random, 20_000);
    let around = |values: &[T]| [&[T::poison(); 5][..], values, &[T::poison(); 3]].concat();
    let parts = [&values[..9000], &values[9000..]].map(around);
    let [first, second] = [reducer.upload(&parts[0])?, reducer.upload(&parts[1])?];
    let input: GpuSlices<T> =
        [first.slice(5..9005)?, second.slice(5..11_005)?].into_iter().collect();
    let counts = tried_counts();
    let on_gpu = reducer.upload(&counts)?;
    let results = reducer.alloc::<O::Raw>(2 * counts.len() as u64 + 1)?;
    let before = results.download(reducer)?;
    let mut encoder = encoder(rig);
    // By default and by many workgroups, most of which a short count leaves without elements.
    let len = values.len() as u64;
    let default = Tuning::for_len(&reducer.caps(), T::KIND, len);
    let many = Tuning { max_workgroups: 64, min_quads_per_invocation: 1, ..default };
    for number in 0..counts.len() as u64 {
        let request = reducer.reduce(operation, input.clone()).counted(on_gpu.slice(number..)?);
        request.encode(&mut encoder, results.slice(number..)?)?;
        let place = results.slice(counts.len() as u64 + number..)?;
        request.tuned(many).encode(&mut encoder, place)?;
    }
    reducer.queue().submit([encoder.finish()]);
    let results = results.download(reducer)?;
    let plan = reducer.reduce(operation, input).counted(&on_gpu).plan()?;
    for (&count, &raw) in counts.iter().chain(&counts).zip(&results) {
        let elements = &values[..values.len().min(count as usize)];
        let Ok(expected) = O::expected(elements) else { continue };
        let (len, accuracy) = (elements.len() as u64, plan.accuracy_of(elements.len() as u64));
        let result = O::default().finish(raw, len)?;
        let is_near = O::judge(result, expected, elements, &accuracy)
            || result.within(expected, operation.tolerance(elements, &accuracy));
        ensure!(is_near, "the first {count}: {result:?} is not {expected:?}");
    }
    let [last, was] = [&results, &before].map(|all| bytemuck::bytes_of(&all[2 * counts.len()]));
    ensure!(last == was, "what lies behind the results");
    Ok(())
}

/// The same by an operator whose order matters.
fn counted_in_order(rig: &Rig) -> Outcome {
    let (reducer, op) = (&rig.reducer, compose_one());
    let values = u32::data(Shape::Random, 20_000);
    let buffer = reducer.upload(&[&[7; 5], &values[..]].concat())?;
    let counts = tried_counts();
    let on_gpu = reducer.upload(&counts)?;
    for (number, &count) in (0..).zip(&counts) {
        let request = reducer.reduce(&op, buffer.slice(5..)?).counted(on_gpu.slice(number..)?);
        let left = request.to_buffer()?.download(reducer)?;
        let elements = &values[..values.len().min(count as usize)];
        let expected = composed(elements.iter().copied());
        ensure!(left == [expected], "the first {count}: {left:?} is not {expected:?}");
    }
    Ok(())
}

/// A call that records.
type Encoding<'a> = &'a dyn Fn(&mut CommandEncoder) -> Result<()>;

/// Sixty elements in one buffer, and room for results behind them, by the size of a result.
struct OneBuffer {
    values: Vec<u32>,
    whole: GpuBuffer<u32>,
    words: GpuBuffer<u32>,
    sums: GpuBuffer<u64>,
    pairs: GpuBuffer<[u32; 2]>,
    products: GpuBuffer<u128>,
}

impl OneBuffer {
    fn new(rig: &Rig) -> Result<Self> {
        let whole = rig.reducer.alloc::<u32>(400)?;
        let values = u32::data(Shape::Random, 60);
        rig.reducer.write(whole.slice(..60)?, &values)?;
        let buffer = || whole.as_wgpu().clone();
        Ok(Self {
            values,
            words: GpuBuffer::from_wgpu(buffer(), 1024, 144)?,
            sums: GpuBuffer::from_wgpu(buffer(), 1024, 72)?,
            pairs: GpuBuffer::from_wgpu(buffer(), 1024, 72)?,
            products: GpuBuffer::from_wgpu(buffer(), 1024, 36)?,
            whole,
        })
    }
}

/// Elements and results in one buffer, where that cannot be: refused by this crate, before wgpu sees it.
fn refused_in_one_buffer(rig: &Rig) -> Outcome {
    let (reducer, op) = (&rig.reducer, compose_one());
    let one = OneBuffer::new(rig)?;
    let OneBuffer { words, sums, pairs, .. } = &one;
    let input = one.whole.slice(..60)?;
    let others = reducer.upload(&[1_u32; 60])?;
    let bins = Bins::even(0..4, 2)?;
    let (keys, count) = (reducer.alloc::<u32>(60)?, reducer.alloc::<u32>(1)?);
    let (run_keys, of_runs) = ((&keys).into(), (&count).into());
    let runs = RunBuffers { keys: run_keys, results: words.into(), count: of_runs };
    let of_pairs = RunBuffers { keys: run_keys, results: pairs.into(), count: of_runs };
    let refused: [(&str, Encoding<'_>); 8] = [
        ("segments", &|to| {
            reducer.reduce(Max, input).segments(others.slice(..3)?).encode(to, words)
        }),
        ("custom segments", &|to| reducer.reduce(&op, &others).segments(input).encode(to, pairs)),
        ("counted", &|to| reducer.reduce(Max, &others).counted(input).encode(to, words)),
        ("custom counted", &|to| reducer.reduce(&op, input).counted(&others).encode(to, pairs)),
        ("by key", &|to| reducer.reduce(Max, input).runs(&others).encode(to, runs)),
        ("custom by key", &|to| reducer.reduce(&op, &others).runs(input).encode(to, of_pairs)),
        ("histogram", &|to| reducer.bin(input, &bins).channels(1).encode(to, sums)),
        ("weights", &|to| reducer.bin(&others, &bins).channels(1).weights(input).encode(to, sums)),
    ];
    for (what, call) in refused {
        let outcome = call(&mut encoder(rig));
        ensure!(matches!(outcome, Err(Error::InvalidBuffer { .. })), "{what}: {outcome:?}");
    }
    Ok(())
}

/// Elements and results in one buffer, where that is allowed: right, and nothing else changes.
fn in_one_buffer(rig: &Rig) -> Outcome {
    let (reducer, op) = (&rig.reducer, compose_one());
    let one = OneBuffer::new(rig)?;
    let OneBuffer { values, whole, words, sums, pairs, products } = &one;
    let input = whole.slice(..60)?;
    let matrix = Matrix { rows: 6, columns: 10 };
    let sum = values.iter().map(|&value| u64::from(value)).sum::<u64>();
    let dot = values.iter().map(|&value| u128::from(value).pow(2)).sum::<u128>();
    let largest = |column: usize| values[column..].iter().step_by(10).copied().max().unwrap_or(0);
    let rows = values.chunks(10).flat_map(|row| composed(row.iter().copied()));
    let allowed: [(&str, Encoding<'_>, Vec<u32>); 5] = [
        ("reduce", &|to| reducer.reduce(Sum, input).encode(to, sums), as_words(sum)),
        ("pair", &|to| reducer.reduce(Dot, (input, input)).encode(to, products), as_words(dot)),
        (
            "custom",
            &|to| reducer.reduce(&op, input).encode(to, pairs),
            composed(values.iter().copied()).to_vec(),
        ),
        (
            "axis",
            &|to| reducer.reduce(Max, input).along(matrix, 0).encode(to, words),
            (0..10).map(largest).collect(),
        ),
        (
            "custom axis",
            &|to| reducer.reduce(&op, input).along(matrix, 1).encode(to, pairs),
            rows.collect(),
        ),
    ];
    for (what, call, expected) in allowed {
        let mut encoder = encoder(rig);
        call(&mut encoder).map_err(|error| format!("{what}: {error}"))?;
        reducer.queue().submit([encoder.finish()]);
        let left = whole.download(reducer)?;
        ensure!(left[..60] == values[..], "{what}: the elements have changed");
        ensure!(left[256..256 + expected.len()] == expected[..], "{what}: {:?}", &left[256..276]);
    }
    Ok(())
}

fn as_words(value: impl bytemuck::Pod) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(&[value])
}

/// Results of an axis have no place among its elements, however few they share; one result is written when all has been
/// read.
fn among_the_elements(rig: &Rig) -> Outcome {
    let (reducer, op) = (&rig.reducer, compose_one());
    let buffer = reducer.upload(&[7_u32; 64])?;
    let pairs = GpuBuffer::<[u32; 2]>::from_wgpu(buffer.as_wgpu().clone(), 0, 32)?;
    // Elements 20 to 43, in four rows, and in two columns from right to left with a gap.
    let views = [
        (View::strided(&[4, 6], &[6, 1], 20)?, 1, 4_u64),
        (View::strided(&[2, 12], &[-1, 2], 21)?, 1, 2),
    ];
    for (view, axis, results) in views {
        for first in [0, 20 - results, 21 - results, 20, 30, 43, 44, 60] {
            let place = buffer.slice(first..first + results)?;
            let outcome =
                reducer.reduce(Max, &buffer).along(view, axis).encode(&mut encoder(rig), place);
            let is_apart = first + results <= 20 || first > 43;
            let is_right = match &outcome {
                Ok(()) => is_apart,
                Err(Error::InvalidBuffer { what }) => !is_apart && what.contains("bytes 80 to 175"),
                Err(_) => false,
            };
            ensure!(is_right, "{view:?} into {first}: {outcome:?}");
            let first = first / 2;
            let place = pairs.slice(first..(first + results).min(32))?;
            let outcome =
                reducer.reduce(&op, &buffer).along(view, axis).encode(&mut encoder(rig), place);
            let is_apart = 2 * (first + results) <= 20 || 2 * first > 43;
            let has_room = first + results <= 32;
            ensure!(outcome.is_ok() == (is_apart && has_room), "{first}: {outcome:?}");
        }
    }
    // In several buffers, of which one has the results: those of it that are read are behind.
    let other = reducer.upload(&[1_u32; 10])?;
    let input = [other.slice(..)?, buffer.slice(10..20)?];
    for (first, is_apart) in [(0, true), (9, false), (18, false), (20, true)] {
        let place = buffer.slice(first..first + 2)?;
        let matrix = Matrix { rows: 2, columns: 10 };
        let outcome = reducer.reduce(Max, &input).along(matrix, 1).encode(&mut encoder(rig), place);
        ensure!(outcome.is_ok() == is_apart, "several buffers, {first}: {outcome:?}");
    }
    let mut encoder = encoder(rig);
    reducer.reduce(Max, &buffer).encode(&mut encoder, buffer.slice(5..6)?)?;
    let place = GpuBuffer::<u64>::from_wgpu(buffer.as_wgpu().clone(), 32, 1)?;
    reducer.reduce(Sum, &buffer).encode(&mut encoder, &place)?;
    reducer.queue().submit([encoder.finish()]);
    let mut expected = [7; 64];
    expected[8..10].copy_from_slice(&[64 * 7, 0]);
    ensure!(buffer.download(reducer)? == expected, "one result among its elements");
    Ok(())
}

/// Leaves the elements of 100 and more side by side, in their order, and how many they are.
const COMPACT: &str = "
    @group(0) @binding(0) var<storage, read> input: array<u32>;
    @group(0) @binding(1) var<storage, read_write> kept: array<u32>;
    @group(0) @binding(2) var<storage, read_write> count: array<u32>;

    @compute @workgroup_size(1)
    fn compact() {
        var n = 0u;
        for (var i = 0u; i < arrayLength(&input); i++) {
            if (input[i] >= 100u) {
                kept[n] = input[i];
                n++;
            }
        }
        count[1] = n;
    }";

fn compact<'b>(rig: &Rig, encoder: &mut CommandEncoder, buffers: [&'b wgpu::Buffer; 3]) {
    let device = rig.reducer.device();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(COMPACT.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("compact"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let entry = |(binding, buffer): (u32, &'b wgpu::Buffer)| wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    };
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &(0..).zip(buffers).map(entry).collect::<Vec<_>>(),
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(1, 1, 1);
}

/// In one encoder a pass leaves elements and their number, a reduction follows, and then the next elements.
fn counted_by_a_pass(rig: &Rig) -> Outcome {
    let (reducer, op) = (&rig.reducer, compose_one());
    let kept = reducer.upload(&[u32::MAX; 1500])?;
    let count = reducer.upload(&[u32::MAX; 3])?;
    let sums = reducer.alloc::<u64>(3)?;
    let totals = reducer.alloc::<[u32; 2]>(3)?;
    let inputs = [(1500_u32, 301), (777, 100), (900, 150)]
        .map(|(len, modulus)| (0..len).map(|i| i * 7919 % modulus).collect::<Vec<_>>());
    let mut encoder = encoder(rig);
    for (number, input) in (0..).zip(&inputs) {
        let input = reducer.upload(input)?;
        compact(rig, &mut encoder, [input.as_wgpu(), kept.as_wgpu(), count.as_wgpu()]);
        let counted = count.slice(1..)?;
        reducer.reduce(Sum, &kept).counted(counted).encode(&mut encoder, sums.slice(number..)?)?;
        let total = totals.slice(number..)?;
        reducer.reduce(&op, &kept).counted(counted).encode(&mut encoder, total)?;
    }
    reducer.queue().submit([encoder.finish()]);
    let (sums, totals) = (sums.download(reducer)?, totals.download(reducer)?);
    for (number, input) in inputs.iter().enumerate() {
        let large: Vec<_> = input.iter().copied().filter(|&value| value >= 100).collect();
        let sum: u64 = large.iter().map(|&value| u64::from(value)).sum();
        ensure!(sums[number] == sum, "{number}: {sums:?}, not {sum}");
        let total = composed(large.iter().copied());
        ensure!(totals[number] == total, "{number}: {totals:?}, not {total:?}");
    }
    ensure!(totals[1] == [1, 0], "of none: {totals:?}");
    let around = count.download(reducer)?;
    ensure!([around[0], around[2]] == [u32::MAX; 2], "around the count: {around:?}");
    Ok(())
}
