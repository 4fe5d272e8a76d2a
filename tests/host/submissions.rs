//! How much calls submit. Speed rests on it: each submission costs as much as a small reduction. Nothing runs here: the
//! device is wgpu's that does nothing, so results mean nothing, either.

use crate::submission::{OF_A_CALL, submission};
use wgpu_reduce::{
    ArgMax, Bins, Dot, GpuReducer, Matrix, Result, Stats, Sum, SumExact, Variance, WrappingSum,
};

fn reducer() -> GpuReducer {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::NOOP;
    descriptor.backend_options.noop.enable = true;
    let instance = wgpu::Instance::new(descriptor);
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default());
    let adapter = pollster::block_on(adapter).expect("there is always this one");
    let device = adapter.request_device(&wgpu::DeviceDescriptor::default());
    let (device, queue) = pollster::block_on(device).expect("it opens");
    GpuReducer::from_wgpu(device, queue).expect("nothing is missing")
}

#[test]
fn a_call_submits_once() {
    let reducer = reducer();
    let bins = Bins::even(0..256, 256).expect("they are bins");
    let offsets = reducer.upload(&[0_u32, 3, 900]).expect("it is made");
    for len in [1000, 300_000] {
        let words = reducer.upload(&vec![1_u32; len]).expect("it is made");
        let floats = reducer.upload(&vec![1.0_f32; len]).expect("it is made");
        let matrix = Matrix { rows: 10, columns: len as u64 / 10 };
        let calls: [(&str, &dyn Fn() -> Result<()>); 14] = [
            ("sum", &|| reducer.sum(&words).map(drop)),
            ("sum of f32", &|| reducer.sum(&floats).map(drop)),
            ("wrapping_sum", &|| reducer.reduce(WrappingSum, &words).start()?.wait().map(drop)),
            ("argmax", &|| reducer.reduce(ArgMax, &floats).start()?.wait().map(drop)),
            ("stats", &|| reducer.reduce(Stats::default(), &floats).start()?.wait().map(drop)),
            ("variance", &|| reducer.reduce(Variance::default(), &words).start()?.wait().map(drop)),
            ("reduce_timed", &|| reducer.reduce(Sum, &words).timed().start()?.wait().map(drop)),
            ("batch", &|| {
                reducer
                    .batch([&words; 20].map(|input| reducer.reduce(Sum, input)))
                    .start()?
                    .wait()
                    .map(drop)
            }),
            ("dot", &|| reducer.reduce(Dot, (&floats, &floats)).start()?.wait().map(drop)),
            ("sum_exact", &|| reducer.sum_exact(&floats).map(drop)),
            ("rows", &|| reducer.reduce(Sum, &floats).along(matrix, 1).start()?.wait().map(drop)),
            ("exact columns", &|| {
                reducer.reduce(SumExact, &floats).along(matrix, 0).start()?.wait().map(drop)
            }),
            ("segments", &|| {
                reducer.reduce(Sum, &words).segments(&offsets).start()?.wait().map(drop)
            }),
            ("histogram", &|| reducer.bin(&words, &bins).start()?.wait().map(drop)),
        ];
        for (name, call) in calls {
            // The first one makes buffers and pipelines. What it says of zeros is its own matter.
            let _ = call();
            let before = submission(reducer.queue());
            let _ = call();
            let between = submission(reducer.queue()) - before - 1;
            assert_eq!(between, OF_A_CALL, "{name} of {len} elements");
        }
    }
}
