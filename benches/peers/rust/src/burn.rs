//! burn, whose tensors are reduced by cubek's kernels, chosen by burn as its users have it: with `autotune`, without `fusion`, for
//! which a single sum leaves nothing to fuse.

use crate::subject::{Subject, hash};
use burn::tensor::{Device, DeviceKind, Tensor, TensorData};

/// How far the sum may be from the host's in f64, as a share of it.
const TOLERANCE: f64 = 1e-4;

pub(crate) fn run(subject: &Subject) {
    let device = Device::vulkan(DeviceKind::DefaultDevice);
    // Values are in [0, 1), with 24 bits each.
    let values: Vec<f32> =
        (0..subject.len).map(|index| (hash(index) >> 8) as f32 / (1 << 24) as f32).collect();
    let expected: f64 = values.iter().copied().map(f64::from).sum();
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let is_largest = values.iter().map(|&value| value == largest).collect::<Vec<_>>();
    let input = Tensor::<1>::from_data(TensorData::new(values, [subject.len]), &device);
    let wait = || device.sync().expect("the device is there");
    wait();
    let check = |sum: f32| {
        let error = (f64::from(sum) - expected).abs();
        assert!(error <= TOLERANCE * expected, "{sum} is not {expected}");
    };
    let start = || input.clone().sum();
    subject.measure("sum,f32", || start().into_scalar(), check, start, wait);
    let start = || input.clone().argmax(0);
    // Which of several it finds, burn does not say.
    let check = |index: i64| {
        let found = usize::try_from(index).ok().and_then(|index| is_largest.get(index));
        assert_eq!(found, Some(&true), "of the largest");
    };
    subject.measure("argmax,f32", || start().into_scalar(), check, start, wait);
}
