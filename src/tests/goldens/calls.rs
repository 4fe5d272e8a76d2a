//! Calls of every kind, with what they choose beside a plan: tunings, pieces of streams, places of results.

use crate::api::buffer::GpuSlice;
use crate::api::slices::GpuSlices;
use crate::api::stream::ExactStream;
use crate::api::stream::HistogramStream;
use crate::api::stream::PairStream;
use crate::error::Result;
use crate::ladder::{HistogramLevel, HistogramOptions, Ladder, LadderShader, RunOptions};
use crate::op::DotExact;
use crate::tests::goldens::Written;
use crate::{
    ArgMax, ArgNth, Bins, BottomK, Combining, CustomOp, Dot, Element, ElementKind, GpuReducer,
    Matrix, Median, NanMedian, NanQuantiles, Nth, Operation, QuantileMethod, Quantiles, RankStream,
    RunBuffers, Stats, StreamOptions, Sum, SumExact, TopK, View,
};
use half::f16;

/// A device, and buffers that claim to be as long as is asked for.
struct Device<'a> {
    reducer: &'a GpuReducer,
    inputs: [wgpu::Buffer; 3],
    output: wgpu::Buffer,
    /// For keys of runs, and for how many there are.
    others: [wgpu::Buffer; 2],
}

pub(crate) fn note(all: &mut Written, name: &'static str, reducer: &GpuReducer) {
    let buffer = || reducer.alloc::<u32>(64).expect("it is small").as_wgpu().clone();
    let inputs = [buffer(), buffer(), buffer()];
    let device = Device { reducer, inputs, output: buffer(), others: [buffer(), buffer()] };
    note_operation::<f32, _>(all, name, &device, "sum f32", Sum);
    note_operation::<i32, _>(all, name, &device, "sum i32", Sum);
    note_operation::<f32, _>(all, name, &device, "argmax f32", ArgMax);
    note_operation::<f32, _>(all, name, &device, "stats f32", Stats::default());
    note_operation::<f32, _>(all, name, &device, "sum_exact f32", SumExact);
    note_operation::<u8, _>(all, name, &device, "sum u8", Sum);
    for combining in [Combining::Passes, Combining::LastToArrive, Combining::Highest] {
        all.note(&format!("calls: combining by {combining:?}"), name, || device.tuned(combining));
    }
    all.note("calls: pairs", name, || device.pairs());
    all.note("calls: exact sums", name, || device.exact());
    all.note("calls: exact sums of f64", name, || device.exact_f64());
    all.note("calls: order statistics", name, || device.ranks());
    all.note("calls: histograms", name, || device.histograms());
    all.note("calls: weighted histograms", name, || device.weighted());
    all.note("calls: custom operators", name, || device.custom());
    all.note("calls: custom operators along", name, || device.custom_along());
    all.note("calls: custom operators along axes", name, || device.custom_along_axes());
    all.note("calls: order statistics along axes", name, || device.ranks_along_axes());
    for shader in LadderShader::all() {
        let subject = format!("ladder: {shader}");
        all.note(&subject, name, || device.level(shader));
    }
    for level in HistogramLevel::ALL {
        all.note(&format!("ladder: histogram {level}"), name, || device.histogram_level(level));
    }
}

fn note_operation<T: Element, O: Operation<T> + Copy>(
    all: &mut Written,
    name: &'static str,
    device: &Device<'_>,
    subject: &str,
    operation: O,
) {
    let mut note = |mode: &str, calls: &dyn Fn() -> Result<()>| {
        all.note(&format!("calls: {subject} {mode}"), name, calls);
    };
    note("whole", &|| device.whole::<T, O>(operation));
    note("many", &|| device.many::<T, O>(operation));
    note("axis", &|| device.axis::<T, O>(operation));
    note("axes", &|| device.axes::<T, O>(operation));
    note("segments", &|| device.segments::<T, O>(operation));
    note("by key", &|| device.by_key::<T, O>(operation));
    note("groups", &|| device.groups::<T, O>(operation));
    note("stream", &|| device.stream::<T, O>(operation));
}

/// Views of 60 000 elements at most, and several of their axes, or none.
fn views_with_axes() -> Result<[(View, &'static [usize]); 5]> {
    let plain = View::new(&[20, 30, 100])?;
    let turned = View::strided(&[10, 20, 30], &[1, -300, 10], 5700)?;
    Ok([(plain, &[0, 2]), (plain, &[0, 1]), (plain, &[]), (turned, &[0, 1]), (turned, &[0, 1, 2])])
}

impl Device<'_> {
    fn input<T: Element>(&self, first: u64, len: u64) -> GpuSlice<'_, T> {
        let size = T::KIND.size_bytes();
        GpuSlice::claimed(&self.inputs[0], first * size, len)
    }

    fn partner<T: Element>(&self, first: u64, len: u64) -> GpuSlice<'_, T> {
        let size = T::KIND.size_bytes();
        GpuSlice::claimed(&self.inputs[1], first * size, len)
    }

    fn words(&self, first: u64, len: u64) -> GpuSlice<'_, u32> {
        GpuSlice::claimed(&self.inputs[2], first * 4, len)
    }

    fn results<R>(&self, len: u64) -> GpuSlice<'_, R> {
        GpuSlice::claimed(&self.output, 64, len)
    }

    /// Where a buffer ends and the next begins.
    fn several<T: Element>(&self) -> GpuSlices<'_, T> {
        vec![self.input(3, 1000), self.partner(0, 0), self.partner(1, 70_001)].into()
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    fn whole<T: Element, O: Operation<T> + Copy>(&self, operation: O) -> Result<()> {
        for len in [1, 1000, 300_007] {
            drop(self.reducer.reduce(operation, self.input::<T>(len % 4, len)).start()?);
        }
        drop(self.reducer.reduce(operation, self.several::<T>()).start()?);
        let (mut encoder, input) = (self.encoder(), self.input::<T>(1, 5000));
        self.reducer.reduce(operation, input).encode(&mut encoder, self.results(1))?;
        // In the input's own buffer.
        let within = GpuSlice::claimed(&self.inputs[0], 256, 1);
        self.reducer.reduce(operation, input).encode(&mut encoder, within)
    }

    fn many<T: Element, O: Operation<T> + Copy>(&self, operation: O) -> Result<()> {
        let short = (0..20).map(|k| self.input::<T>(100 * k, 50 + k).into());
        let inputs: Vec<GpuSlices<'_, T>> =
            short.chain([self.input(0, 200_000).into(), self.several()]).collect();
        let requests = inputs.into_iter().map(|input| self.reducer.reduce(operation, input));
        drop(self.reducer.batch(requests.collect::<Vec<_>>()).start()?);
        Ok(())
    }

    fn axis<T: Element, O: Operation<T> + Copy>(&self, operation: O) -> Result<()> {
        let matrix = View::from(Matrix { rows: 300, columns: 200 });
        let view = View::strided(&[10, 20, 30], &[600, -30, 1], 570)?;
        for (view, axis) in [(matrix, 0), (matrix, 1), (view, 1)] {
            let input = self.input::<T>(2, 60_000);
            drop(self.reducer.reduce(operation, input).along(view, axis).start()?);
            let results = self.results(view.without(axis)?.iter().product());
            self.reducer
                .reduce(operation, input)
                .along(view, axis)
                .encode(&mut self.encoder(), results)?;
        }
        drop(self.reducer.reduce(operation, self.several::<T>()).along(matrix, 1).start()?);
        Ok(())
    }

    fn axes<T: Element, O: Operation<T> + Copy>(&self, operation: O) -> Result<()> {
        for (view, axes) in views_with_axes()? {
            let input = self.input::<T>(2, 60_000);
            drop(self.reducer.reduce(operation, input).along(view, axes).start()?);
            drop(self.reducer.reduce(operation, self.several::<T>()).along(view, axes).start()?);
        }
        Ok(())
    }

    fn ranks_along_axes(&self) -> Result<()> {
        for (view, axes) in views_with_axes()? {
            let input = self.input::<f32>(1, 60_000);
            drop(self.reducer.reduce(Median, input).along(view, axes).start()?);
        }
        Ok(())
    }

    fn custom_along_axes(&self) -> Result<()> {
        let op = first()?;
        for (view, axes) in views_with_axes()? {
            let input = self.input::<u32>(1, 60_000);
            drop(self.reducer.reduce(&op, input).along(view, axes).start()?);
        }
        Ok(())
    }

    fn segments<T: Element, O: Operation<T> + Copy>(&self, operation: O) -> Result<()> {
        for (len, segments) in [(1000, 7), (90_000, 300)] {
            let (input, offsets) = (self.input::<T>(1, len), self.words(1, segments + 1));
            drop(self.reducer.reduce(operation, input).segments(offsets).start()?);
            let (mut encoder, results) = (self.encoder(), self.results(segments));
            self.reducer
                .reduce(operation, input)
                .segments(offsets)
                .encode(&mut encoder, results)?;
        }
        drop(
            self.reducer
                .reduce(operation, self.several::<T>())
                .segments(self.words(0, 4))
                .start()?,
        );
        let (mut encoder, count) = (self.encoder(), self.words(3, 1));
        let input = self.input::<T>(0, 5000);
        self.reducer.reduce(operation, input).counted(count).encode(&mut encoder, self.results(1))
    }

    fn by_key<T: Element, O: Operation<T> + Copy>(&self, operation: O) -> Result<()> {
        for len in [100, 3000] {
            let (keys, values) = (self.words(1, len), self.input::<T>(1, len));
            drop(self.reducer.reduce(operation, values).runs(keys).start()?);
            let place = RunBuffers {
                keys: GpuSlice::claimed(&self.others[0], 0, len),
                results: self.results(len),
                count: GpuSlice::claimed(&self.others[1], 128, 1),
            };
            self.reducer.reduce(operation, values).runs(keys).encode(&mut self.encoder(), place)?;
        }
        Ok(())
    }

    fn groups<T: Element, O: Operation<T> + Copy>(&self, operation: O) -> Result<()> {
        for (len, groups) in [(1000, 7), (90_000, 70_000)] {
            let (input, keys) = (self.input::<T>(1, len), self.words(1, len));
            drop(self.reducer.reduce(operation, input).groups(keys, groups).start()?);
            let (mut encoder, results) = (self.encoder(), self.results(groups.into()));
            self.reducer
                .reduce(operation, input)
                .groups(keys, groups)
                .encode(&mut encoder, results)?;
        }
        Ok(())
    }

    fn stream<T: Element, O: Operation<T> + Copy>(&self, operation: O) -> Result<()> {
        let mut stream = self.reducer.stream(operation, &StreamOptions::new(16 << 10))?;
        for len in [10, 9000, 1] {
            stream.push(&vec![T::zeroed(); len])?;
        }
        drop(stream.finish()?);
        Ok(())
    }

    /// One that the reducer has in place of its own.
    fn tuned(&self, combining: Combining) -> Result<()> {
        let mut tuning = self.reducer.tuning(crate::OpRecord::ALL[0], ElementKind::F32, 70_000);
        tuning.combining = combining;
        tuning.max_partials_per_workgroup = 64;
        let reducer = self.reducer.clone().with_tuning(tuning);
        for len in [500, 70_000] {
            drop(reducer.reduce(Sum, self.input::<f32>(0, len)).start()?);
            drop(reducer.reduce(ArgMax, self.input::<f32>(1, len)).start()?);
        }
        Ok(())
    }

    fn pairs(&self) -> Result<()> {
        for (first, len) in [(0, 1000), (1, 1000), (3, 100_001)] {
            let (left, right) = (self.input::<f32>(2, len), self.partner::<f32>(first, len));
            drop(self.reducer.reduce(Dot, (left, right)).start()?);
            self.reducer.reduce(Dot, (left, right)).encode(&mut self.encoder(), self.results(1))?;
        }
        let mut stream = PairStream::new(self.reducer, Dot, &StreamOptions::new(16 << 10))?;
        stream.push(&vec![1_i32; 7000], &vec![2; 7000])?;
        drop(stream.finish()?);
        Ok(())
    }

    fn exact(&self) -> Result<()> {
        for len in [0, 1, 1000, 400_001] {
            drop(self.reducer.reduce(SumExact, self.input::<f32>(1, len)).unrounded().start()?);
            let right = self.partner::<f32>(2, len);
            drop(
                self.reducer
                    .reduce(DotExact, (self.input::<f32>(1, len), right))
                    .unrounded()
                    .start()?,
            );
        }
        drop(self.reducer.reduce(SumExact, self.several::<f32>()).unrounded().start()?);
        let mut stream = ExactStream::new(self.reducer, &StreamOptions::new(16 << 10))?;
        stream.push(&vec![1.0_f32; 9000])?;
        drop(stream.finish()?);
        Ok(())
    }

    fn exact_f64(&self) -> Result<()> {
        for len in [0, 1, 1000, 200_001] {
            let left = self.input::<f64>(1, len);
            drop(self.reducer.reduce(SumExact, left).unrounded().start()?);
            let right = self.partner::<f64>(2, len);
            let pairs = (self.input::<f64>(1, len), right);
            drop(self.reducer.reduce(DotExact, pairs).unrounded().start()?);
        }
        Ok(())
    }

    fn ranks(&self) -> Result<()> {
        for len in [1, 1000, 60_000] {
            drop(self.reducer.reduce(Median, self.input::<f32>(1, len)).start()?);
            drop(self.reducer.reduce(Median, self.input::<i8>(4, len)).start()?);
            drop(self.reducer.reduce(Nth { rank: len - 1 }, self.input::<u64>(1, len)).start()?);
            let quantiles = Quantiles::new([0.0, 0.1, 0.2, 0.5, 0.9]);
            drop(self.reducer.reduce(quantiles, self.input::<f16>(2, len)).start()?);
            let quantiles = NanQuantiles::new([0.5, 0.9]).method(QuantileMethod::Hazen);
            drop(self.reducer.reduce(quantiles, self.input::<f64>(1, len)).start()?);
            drop(self.reducer.reduce(TopK { k: 1 }, self.input::<i16>(2, len)).start()?);
            drop(self.reducer.reduce(BottomK { k: len }, self.input::<f64>(1, len)).start()?);
            let middle = ArgNth { rank: len / 2 };
            drop(self.reducer.reduce(middle, self.input::<f32>(1, len)).start()?);
        }
        let view = View::new(&[20, 3, 100])?;
        let halves = self.input::<f16>(2, 6000);
        drop(self.reducer.reduce(NanMedian, halves).along(view, 1).start()?);
        for axis in 0..3 {
            drop(
                self.reducer
                    .reduce(Median, self.input::<f64>(1, 6000))
                    .along(view, axis)
                    .start()?,
            );
            drop(self.reducer.reduce(Median, self.input::<u8>(4, 6000)).along(view, axis).start()?);
            let top = self.reducer.reduce(TopK { k: 2 }, self.input::<f32>(1, 6000));
            drop(top.along(view, axis).start()?);
        }
        let mut stream = RankStream::new(self.reducer, Median, &StreamOptions::new(16 << 10))?;
        stream.push(&vec![1.0_f32; 9000])?;
        // Nothing has been counted on a device that runs nothing.
        drop(stream.end());
        Ok(())
    }

    fn histograms(&self) -> Result<()> {
        for (bins, channels) in [
            (Bins::even(0..256, 256)?, 1),
            (Bins::even(0..9, 3000)?, 1),
            (Bins::even(0..9, 20)?, 3),
            (Bins::edges(&[0.0, 1.0, 5.0])?, 4),
        ] {
            let bytes = self.input::<u8>(4, 120_000);
            drop(self.reducer.bin(bytes, &bins).channels(channels).start()?);
            let floats = self.input::<f32>(1, 60_000);
            drop(self.reducer.bin(floats, &bins).channels(channels).start()?);
            let (mut encoder, results) = (self.encoder(), self.results(1 << 20));
            self.reducer.bin(floats, &bins).channels(channels).encode(&mut encoder, results)?;
        }
        let bins = Bins::even(0..256, 256)?;
        let mut stream =
            HistogramStream::new(self.reducer, 1, &bins, &StreamOptions::new(16 << 10))?;
        stream.push(&vec![7_i32; 9000])?;
        drop(stream.finish()?);
        Ok(())
    }

    fn weighted(&self) -> Result<()> {
        for (bins, channels) in [(Bins::even(0..256, 256)?, 1), (Bins::even(0..9, 20)?, 3)] {
            let input = self.input::<u8>(0, 60_000);
            let weights = self.partner::<u32>(1, 60_000);
            drop(self.reducer.bin(input, &bins).channels(channels).weights(weights).start()?);
            let weights = self.partner::<f32>(0, 60_000);
            drop(self.reducer.bin(input, &bins).channels(channels).weights(weights).start()?);
            let weights = self.partner::<f64>(0, 60_000);
            drop(self.reducer.bin(input, &bins).channels(channels).weights(weights).start()?);
        }
        Ok(())
    }

    fn custom(&self) -> Result<()> {
        let op = first()?;
        for len in [0, 1, 5000, 200_003] {
            drop(self.reducer.reduce(&op, self.input::<u32>(len % 4, len)).start()?);
        }
        drop(self.reducer.reduce(&op, self.several::<u32>()).start()?);
        let (mut encoder, input) = (self.encoder(), self.input::<u32>(1, 5000));
        self.reducer.reduce(&op, input).encode(&mut encoder, self.results(1))?;
        let text = "fn map(left: f32, right: f32, index: u32) -> f32 { return left * right; }
            fn combine(left: f32, right: f32) -> f32 { return left + right; }";
        let op = CustomOp::<(f32, f32), f32>::new(text, 0.0)?;
        let pair = (self.input::<f32>(1, 9000), self.partner::<f32>(2, 9000));
        drop(self.reducer.reduce(&op, pair).start()?);
        Ok(())
    }

    fn custom_along(&self) -> Result<()> {
        let op = first()?;
        let input = self.input::<u32>(1, 60_000);
        let matrix = Matrix { rows: 300, columns: 200 };
        for axis in 0..2 {
            drop(self.reducer.reduce(&op, input).along(matrix, axis).start()?);
        }
        drop(self.reducer.reduce(&op, input).segments(self.words(1, 9)).start()?);
        let (keys, values) = (self.words(0, 900), self.input::<u32>(1, 900));
        drop(self.reducer.reduce(&op, values).runs(keys).start()?);
        Ok(())
    }

    fn level(&self, shader: LadderShader) -> Result<()> {
        match shader.element() {
            ElementKind::I32 => self.level_of::<i32>(shader),
            ElementKind::U32 => self.level_of::<u32>(shader),
            _ => self.level_of::<f32>(shader),
        }
    }

    fn level_of<T: crate::ladder::LadderElement>(&self, shader: LadderShader) -> Result<()> {
        let options = RunOptions { form: shader.form(), ..RunOptions::default() };
        for (len, rows) in [(1000, 1), (100_000, 1), (70_000, 7)] {
            let input = self.input::<T>(0, len);
            drop(Ladder::new(self.reducer).rows_repeated(
                shader.level(),
                &options,
                input,
                rows,
                rows,
            )?);
        }
        Ok(())
    }

    fn histogram_level(&self, level: HistogramLevel) -> Result<()> {
        let (options, input) = (HistogramOptions::default(), self.input::<u8>(0, 100_000));
        drop(Ladder::new(self.reducer).start_histogram(level, &options, input)?);
        Ok(())
    }
}

/// The first of all.
fn first() -> Result<CustomOp<u32, u32>> {
    let text = "fn map(element: u32, index: u32) -> u32 { return element; }
        fn combine(left: u32, right: u32) -> u32 { return left; }";
    CustomOp::new(text, 0)
}
