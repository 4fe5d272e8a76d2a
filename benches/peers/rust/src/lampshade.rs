//! lampshade, which makes a device of its own.

use crate::subject::{Subject, hash};
use lampshade::{Context, Reducer, U32Reduction};
use std::cell::RefCell;
use wgpu::{BufferUsages, MapMode, PollType};

pub(crate) fn run(subject: &Subject) {
    let context = pollster::block_on(Context::init()).expect("a device is needed");
    let (device, queue) = (&context.device, &context.queue);
    let words: Vec<u32> = (0..subject.len).map(hash).collect();
    let expected = words.iter().fold(0_u32, |sum, &word| sum.wrapping_add(word));
    let buffer = |size: usize, usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size as u64,
            usage,
            mapped_at_creation: false,
        })
    };
    let input = buffer(4 * subject.len, BufferUsages::STORAGE | BufferUsages::COPY_DST);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    queue.write_buffer(&input, 0, &bytes);
    let output = buffer(4, BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST);
    let on_host = buffer(4, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
    let len = u32::try_from(subject.len).expect("it fits");
    let wait = || {
        device.poll(PollType::wait_indefinitely()).expect("the device is there");
    };
    let reducer = RefCell::new(Reducer::from_context(&context));
    let start = || {
        let mut reducer = reducer.borrow_mut();
        reducer.reduce_gpu_to_gpu(&input, &output, len, U32Reduction::Sum).expect("it starts");
    };
    let call = || {
        start();
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&output, 0, &on_host, 0, 4);
        queue.submit([encoder.finish()]);
        on_host.map_async(MapMode::Read, .., |outcome| outcome.expect("it can be mapped"));
        wait();
        let view = on_host.get_mapped_range(..).expect("it is mapped");
        let sum = u32::from_le_bytes(view[..4].try_into().expect("4 bytes"));
        drop(view);
        on_host.unmap();
        sum
    };
    subject.measure("wrapping_sum,u32", call, |sum| assert_eq!(sum, expected), start, wait);
}
