//! Up to the GPU and back, and buffers that the caller made.

use crate::harness::rig::DEADLINE;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu_reduce::{Error, GpuBuffer, GpuReducer, Matrix, Max, Operation, Sum};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "transfer::round_trip", round_trip),
        on_every_rig(rigs, "transfer::many_results", many_results),
        on_every_rig(rigs, "transfer::write_part", write_part),
        on_every_rig(rigs, "transfer::callers_buffer", callers_buffer),
        on_every_rig(rigs, "transfer::callers_device", callers_device),
        on_every_rig(rigs, "transfer::odd_buffer_ends", odd_buffer_ends),
        on_every_rig(rigs, "transfer::packed_round_trip::u8", packed_round_trip::<u8>),
        on_every_rig(rigs, "transfer::packed_round_trip::i8", packed_round_trip::<i8>),
        on_every_rig(rigs, "transfer::packed_round_trip::u16", packed_round_trip::<u16>),
        on_every_rig(rigs, "transfer::packed_round_trip::i16", packed_round_trip::<i16>),
        on_every_rig(rigs, "transfer::packed_round_trip::f16", packed_round_trip::<f16>),
        on_every_rig(rigs, "transfer::packed_round_trip::bf16", packed_round_trip::<bf16>),
        on_every_rig(rigs, "transfer::packed_steps", packed_steps),
        on_every_rig(rigs, "transfer::packed_writes_of_words", packed_writes_of_words),
        on_every_rig(rigs, "transfer::packed_callers_buffer", packed_callers_buffer),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn round_trip(rig: &Rig) -> Outcome {
    // The last one takes several write steps.
    for len in [0, 1, 2, 1000, (9 << 20) + 1] {
        let values = u32::data(Shape::Random, len);
        let buffer = rig.reducer.upload(&values)?;
        ensure!(buffer.len() == len && buffer.is_empty() == (len == 0), "length {}", buffer.len());
        ensure!(buffer.download(&rig.reducer)? == values, "{len} elements came back changed");
    }
    let zeros: GpuBuffer<i64> = rig.reducer.alloc(300)?;
    ensure!(zeros.download(&rig.reducer)? == [0; 300], "new memory is not zero");
    Ok(())
}

/// So many that several threads make them, each number its own; and one that there is not.
fn many_results(rig: &Rig) -> Outcome {
    const RESULTS: u32 = 600_007;
    if rig.is_tight {
        return Ok(()); // which has no binding for them
    }
    let values: Vec<f32> = f32::data(Shape::Random, RESULTS.into());
    let input = rig.reducer.upload(&values)?;
    let rows = Matrix { rows: RESULTS.into(), columns: 1 };
    let found = rig.reducer.reduce(Max, &input).rows(rows).run()?;
    ensure!(found == values, "other rows");
    let keys: Vec<u32> = (0..RESULTS).map(|key| 3 * key).collect();
    let found = rig.reducer.reduce(Max, &input).runs(&rig.reducer.upload(&keys)?).run()?;
    ensure!(keys.iter().copied().zip(values).eq(found), "other runs");
    let mut offsets: Vec<u32> = (0..=RESULTS).collect();
    for empty in [RESULTS - 9, 7] {
        offsets[empty as usize + 1] = empty;
        let found = rig.reducer.reduce(Max, &input).segments(&rig.reducer.upload(&offsets)?).run();
        let expected = Error::EmptySegment { operation: "max", segment: empty.into() };
        ensure!(found == Err(expected), "segment {empty}: {:?}", found.err());
    }
    Ok(())
}

/// There and back, all of it and this part of it, and the part written over by others.
pub(crate) fn check<T: TestElement>(
    rig: &Rig,
    shape: Shape,
    len: u64,
    [start, end]: [u64; 2],
) -> Outcome {
    let mut values = T::data(shape, len);
    let buffer = rig.reducer.upload(&values)?;
    let same =
        |a: &[T], b: &[T]| bytemuck::cast_slice::<_, u8>(a) == bytemuck::cast_slice::<_, u8>(b);
    ensure!(same(&buffer.download(&rig.reducer)?, &values), "{len} elements came back changed");
    let part = usize::try_from(start)?..usize::try_from(end)?;
    let slice = buffer.slice(start..end)?;
    let read = rig.reducer.read(slice)?.wait()?;
    ensure!(same(&read, &values[part.clone()]), "{start}..{end} of {len}");
    values[part.clone()].reverse();
    let outcome = rig.reducer.write(slice, &values[part.clone()]);
    // Queues write whole words, of which the last of the buffer may be more than what is written: the rest becomes zero.
    let bytes = |index: u64| index * size_of::<T>() as u64;
    let is_last = bytes(end).next_multiple_of(4) == bytes(len).next_multiple_of(4);
    let is_whole = bytes(start).is_multiple_of(4) && (bytes(end).is_multiple_of(4) || is_last);
    if start < end && !is_whole {
        ensure!(matches!(outcome, Err(Error::InvalidBuffer { .. })), "{start}..{end}: {outcome:?}");
        return Ok(());
    }
    outcome?;
    if start < end && !bytes(end).is_multiple_of(4) {
        values[part.end..].fill(T::zeroed());
    }
    let all = buffer.download(&rig.reducer)?;
    ensure!(same(&all, &values), "{start}..{end} of {len}, written over");
    Ok(())
}

fn write_part(rig: &Rig) -> Outcome {
    let buffer = rig.reducer.upload(&[1_i32, 2, 3, 4, 5])?;
    rig.reducer.write(buffer.slice(1..3)?, &[20, 30])?;
    ensure!(buffer.download(&rig.reducer)? == [1, 20, 30, 4, 5], "the write went elsewhere");
    let part = rig.reducer.read(buffer.slice(2..4)?)?.wait()?;
    ensure!(part == [30, 4], "{part:?}");
    let outcome = rig.reducer.write(buffer.slice(1..3)?, &[0; 3]);
    ensure!(outcome == Err(Error::InvalidRange { start: 0, end: 3, len: 2 }), "{outcome:?}");
    Ok(())
}

fn storage_buffer(device: &wgpu::Device, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    })
}

/// Elements that start somewhere in a buffer of the caller's, with the least usage.
fn callers_buffer(rig: &Rig) -> Outcome {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let mine = storage_buffer(rig.reducer.device(), 4096, usage);
    let values = i32::data(Shape::Random, 1024);
    rig.reducer.queue().write_buffer(&mine, 0, bytemuck::cast_slice(&values));
    let buffer = GpuBuffer::<i32>::from_wgpu(mine, 44, 500)?;
    let expected: i64 = values[11..511].iter().map(|&v| i64::from(v)).sum();
    let sum = rig.reducer.sum(&buffer)?;
    ensure!(sum == expected, "{sum}, not {expected}");
    let outcome = buffer.download(&rig.reducer);
    ensure!(matches!(outcome, Err(Error::InvalidBuffer { .. })), "no COPY_SRC: {outcome:?}");
    Ok(())
}

/// The rig's device seen as a caller's own.
fn callers_device(rig: &Rig) -> Outcome {
    let (device, queue) = (rig.reducer.device().clone(), rig.reducer.queue().clone());
    let reducer = GpuReducer::from_wgpu(device, queue)?.with_deadline(DEADLINE);
    ensure!(reducer.caps() == rig.reducer.caps(), "the abilities differ");
    let buffer = rig.reducer.upload(&[1.0_f32, 2.0])?;
    ensure!(reducer.sum(&buffer)?.to_bits() == 3.0_f32.to_bits(), "the sum is wrong");
    Ok(())
}

/// Buffers whose last bytes do not fill a 16-byte load.
fn odd_buffer_ends(rig: &Rig) -> Outcome {
    for len in (1..40).chain([16_383, 16_385, 16_386, 16_387]) {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let mine = storage_buffer(rig.reducer.device(), len * 4, usage);
        let values = u32::data(Shape::Random, len);
        rig.reducer.queue().write_buffer(&mine, 0, bytemuck::cast_slice(&values));
        let sum = rig.reducer.sum(&GpuBuffer::<u32>::from_wgpu(mine, 0, len)?)?;
        let expected: u64 = values.iter().map(|&v| u64::from(v)).sum();
        ensure!(sum == expected, "{len}: {sum}, not {expected}");
    }
    Ok(())
}

/// Lengths that fill words and such that do not, and reads from and to any element.
fn packed_round_trip<T: TestElement>(rig: &Rig) -> Outcome {
    for len in (0..=9).chain([1000, 1001, 1002, 1003]) {
        let values = T::data(Shape::Random, len);
        let buffer = rig.reducer.upload(&values)?;
        ensure!(buffer.len() == len, "length {}", buffer.len());
        ensure!(buffer.as_wgpu().size().is_multiple_of(4), "{} bytes", buffer.as_wgpu().size());
        ensure!(buffer.download(&rig.reducer)? == values, "{len} elements came back changed");
        let zeros = rig.reducer.alloc::<T>(len)?.download(&rig.reducer)?;
        ensure!(zeros == vec![T::zeroed(); usize::try_from(len)?], "new memory is not zero");
    }
    let values = T::data(Shape::Random, 13);
    let buffer = rig.reducer.upload(&values)?;
    for start in 0..=13 {
        for end in start..=13 {
            let part = rig.reducer.read(buffer.slice(start..end)?)?.wait()?;
            let expected = &values[usize::try_from(start)?..usize::try_from(end)?];
            ensure!(part == expected, "{start}..{end}: {part:?}, not {expected:?}");
        }
    }
    Ok(())
}

/// Several write steps, the last of which ends within a word.
fn packed_steps(rig: &Rig) -> Outcome {
    let values = u8::data(Shape::Random, (33 << 20) + 3);
    let buffer = rig.reducer.upload(&values)?;
    ensure!(buffer.download(&rig.reducer)? == values, "elements came back changed");
    Ok(())
}

/// Queues write whole words: what is none is refused and changes nothing, but at a buffer's end.
fn packed_writes_of_words(rig: &Rig) -> Outcome {
    let old: Vec<u8> = (1..=11).collect();
    let buffer = rig.reducer.upload(&old)?;
    for (start, count, after) in [
        (0, 4, Some([90, 91, 92, 93, 5, 6, 7, 8, 9, 10, 11])),
        (4, 7, Some([1, 2, 3, 4, 90, 91, 92, 93, 94, 95, 96])),
        (8, 3, Some([1, 2, 3, 4, 5, 6, 7, 8, 90, 91, 92])),
        // The rest of the last word becomes zero.
        (8, 1, Some([1, 2, 3, 4, 5, 6, 7, 8, 90, 0, 0])),
        (3, 0, Some([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])),
        (0, 3, None),
        (4, 5, Some([1, 2, 3, 4, 90, 91, 92, 93, 94, 0, 0])),
        (1, 4, None),
        (9, 2, None),
        (2, 2, None),
    ] {
        rig.reducer.write(&buffer, &old)?;
        let new: Vec<u8> = (90..90 + count).collect();
        let outcome = rig.reducer.write(buffer.slice(start..)?, &new);
        let what = format!("{count} elements from {start} on");
        ensure!(outcome.is_ok() == after.is_some(), "{what}: {outcome:?}");
        if let Err(error) = outcome {
            ensure!(matches!(error, Error::InvalidBuffer { .. }), "{what}: {error}");
        }
        let now = buffer.download(&rig.reducer)?;
        let expected = after.map_or_else(|| old.clone(), Vec::from);
        ensure!(now == expected, "{what}: {now:?}, not {expected:?}");
    }
    let halves = rig.reducer.upload(&[1_i16, 2, 3, 4, 5])?;
    rig.reducer.write(halves.slice(2..)?, &[7, 8])?;
    rig.reducer.write(halves.slice(4..)?, &[-9])?;
    let outcome = rig.reducer.write(halves.slice(1..)?, &[7, 8]);
    ensure!(matches!(outcome, Err(Error::InvalidBuffer { .. })), "from element 1: {outcome:?}");
    let now = halves.download(&rig.reducer)?;
    ensure!(now == [1, 2, 7, 8, -9], "{now:?}");
    Ok(())
}

/// Elements from any byte on to any other; the word that the last one lies in must be there.
fn packed_callers_buffer(rig: &Rig) -> Outcome {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let mine = |size| storage_buffer(rig.reducer.device(), size, usage);
    let values = i8::data(Shape::Random, 4096);
    let buffer = mine(4096);
    rig.reducer.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(&values));
    for (offset, len) in [(45, 500), (0, 4096), (4093, 3), (255, 1), (4096, 0), (1, 4095)] {
        let part = GpuBuffer::<i8>::from_wgpu(buffer.clone(), offset, len)?;
        let (start, end) = (usize::try_from(offset)?, usize::try_from(offset + len)?);
        let expected = Operation::<i8>::on_cpu(&Sum, &values[start..end])?;
        let sum = rig.reducer.sum(&part)?;
        ensure!(sum == expected, "{len} from {offset} on: {sum}, not {expected}");
    }
    let no_words: Result<GpuBuffer<[u8; 3]>, _> = rig.reducer.alloc(4);
    ensure!(matches!(no_words, Err(Error::InvalidBuffer { .. })), "3 bytes: {no_words:?}");
    let odd = GpuBuffer::<f16>::from_wgpu(buffer, 3, 2);
    ensure!(matches!(odd, Err(Error::InvalidBuffer { .. })), "offset 3: {odd:?}");
    for (size, len, fits) in
        [(8, 8, true), (8, 5, true), (8, 9, false), (6, 4, true), (6, 5, false)]
    {
        let outcome = GpuBuffer::<u8>::from_wgpu(mine(size), 0, len);
        ensure!(outcome.is_ok() == fits, "{len} elements in {size} bytes: {outcome:?}");
    }
    Ok(())
}
