//! A GPU that rested while the host made data, at its highest clock.

use std::time::{Duration, Instant};
use wgpu_reduce::{AdapterClass, GpuReducer, Pending, Sum};

/// So long a GPU takes at most from rest to its highest clock.
const RISE: Duration = Duration::from_secs(1);

/// Elements of a sum, and how many sums wait for the GPU.
const ELEMENTS: u64 = 1 << 24;
const IN_FLIGHT: usize = 8;

/// Gives a GPU much to do until its clock is up. Small runs leave it too much rest for that, however many they are.
pub(crate) fn raise(reducer: &GpuReducer) {
    if reducer.caps().class == AdapterClass::Cpu {
        return;
    }
    let buffer = reducer.alloc::<f32>(ELEMENTS).expect("there is room");
    let start = Instant::now();
    while start.elapsed() < RISE {
        let some: Vec<_> = (0..IN_FLIGHT).map(|_| reducer.reduce(Sum, &buffer).start()).collect();
        for sum in some {
            sum.and_then(Pending::wait).expect("it runs");
        }
    }
}
