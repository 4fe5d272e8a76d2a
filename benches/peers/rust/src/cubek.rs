//! cubek, whose reductions burn uses, on cubecl's runtime for wgpu.
//!
//! `shared_sum` takes the number of workgroups ("cubes") from its caller, and adds to what its output holds, so each run has a new
//! one. A sum of one axis is what it has for everything else; a tensor of one row is one workgroup there.

use crate::subject::{Subject, hash};
use cubecl::client::Client;
use cubecl::future::block_on;
use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::TensorBinding;
use cubecl::server::Handle;
use cubek_reduce::shared_sum;

/// How many workgroups are tried.
const CUBES: [u32; 6] = [264, 1056, 2112, 4096, 8192, 16384];

/// How far the sum may be from the host's in f64, as a share of it.
const TOLERANCE: f64 = 1e-4;

pub(crate) fn run(subject: &Subject) {
    let client = cubecl::Device::default().client();
    // Values are in [0, 1), with 24 bits each.
    let values: Vec<f32> =
        (0..subject.len).map(|index| (hash(index) >> 8) as f32 / (1 << 24) as f32).collect();
    let expected: f64 = values.iter().copied().map(f64::from).sum();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let input = client.create_from_slice(&bytes);
    let wait = || block_on(client.sync()).expect("the device is there");
    wait();
    for cubes in CUBES {
        let start = || sum(&client, &input, subject.len, cubes);
        let call = || {
            let bytes = client.read_one(start()).expect("it can be read");
            f32::from_le_bytes(bytes[..4].try_into().expect("4 bytes"))
        };
        let check = |sum: f32| {
            let error = (f64::from(sum) - expected).abs();
            assert!(error <= TOLERANCE * expected, "{sum} is not {expected}");
        };
        subject.measure(&format!("sum by {cubes} cubes,f32"), call, check, start, wait);
    }
}

/// Starts one, and returns where its result will be.
fn sum(client: &Client, input: &Handle, len: usize, cubes: u32) -> Handle {
    let output = client.create_from_slice(&0_f32.to_le_bytes());
    // SAFETY: both have as many elements as is said, one after another.
    let of = |handle: &Handle, len: usize| unsafe {
        TensorBinding::from_raw_parts(handle.clone(), [1].into(), [len].into())
    };
    let element = ElemType::Float(FloatKind::F32);
    shared_sum(client, of(input, len), of(&output, 1), cubes, element).expect("it starts");
    output
}
