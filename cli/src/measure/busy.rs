//! Work for a GPU while the host has some of its own.

use crate::failure::Failure;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use wgpu_reduce::{AdapterClass, GpuBuffer, GpuReducer, Pending, Result, Sum};

/// Sums that nobody asks for, run beside others until this is dropped. Where the host takes longer to look
/// at results than the GPU to compute them, the GPU would have little to do, and lower its clock. What is
/// timed has the GPU to itself all the same: passes run one after another.
#[derive(Debug)]
pub(super) struct Busy {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Elements of a sum, and how many sums wait for the GPU.
const ELEMENTS: u64 = 1 << 22;
const IN_FLIGHT: usize = 8;

/// So long a GPU takes at most from rest to its highest clock.
const RISE: Duration = Duration::from_secs(1);

/// Keeps a GPU busy until its clock is up, or so much time has gone. Small runs leave it too much rest for that, however
/// many they are.
pub(crate) fn raise_clock(
    reducer: &GpuReducer,
    most: Duration,
) -> std::result::Result<(), Failure> {
    if reducer.caps().class == AdapterClass::Gpu {
        let _busy = Busy::keep(reducer)?;
        thread::sleep(RISE.min(most));
    }
    Ok(())
}

impl Busy {
    pub(super) fn keep(reducer: &GpuReducer) -> std::result::Result<Self, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let buffer = reducer.alloc::<f32>(ELEMENTS)?;
        let (reducer, told) = (reducer.clone(), Arc::clone(&stop));
        // What goes wrong with the device shows in what is timed.
        let thread = thread::spawn(move || drop(sum_until(&reducer, &buffer, &told)));
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn sum_until(reducer: &GpuReducer, buffer: &GpuBuffer<f32>, stop: &AtomicBool) -> Result<()> {
    let mut waiting: VecDeque<Pending<f32>> = VecDeque::new();
    while !stop.load(Ordering::Relaxed) {
        waiting.push_back(reducer.reduce(Sum, buffer).start()?);
        if waiting.len() > IN_FLIGHT {
            waiting.pop_front().map(Pending::wait).transpose()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Busy;
    use wgpu_reduce::GpuReducer;

    #[test]
    fn other_calls_go_on_beside_it() {
        let Ok(reducer) = GpuReducer::new() else { return };
        let buffer = reducer.upload(&[3_i32; 1000]).unwrap();
        let busy = Busy::keep(&reducer).unwrap();
        for _ in 0..3 {
            assert_eq!(reducer.sum(&buffer).unwrap(), 3000);
        }
        drop(busy);
        assert_eq!(reducer.sum(&buffer).unwrap(), 3000);
    }
}
