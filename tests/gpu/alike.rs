//! Equal numbers: they have no variance and are their own mean, in every shape, also where squares are beyond the type, however many
//! invocations have none of them, and whatever a quotient of the device is off by.

use crate::harness::rig::all_tests;
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use libtest_mimic::Trial;
use std::fmt::Debug;
use wgpu_reduce::{
    AdapterClass, Element, GpuBuffer, Matrix, Mean, MultiGpu, NanMean, Operation, Statistics,
    Stats, Variance,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = on_every_rig(rigs, "alike::of_f32", floats);
    trials.extend(on_every_rig(rigs, "alike::of_f64", doubles));
    trials
}

fn floats(rig: &Rig) -> Outcome {
    for number in [0.1_f32, 1.5, -1e-30, 2e19, 1e30, -5e37] {
        Equal { rig, number, zero: 0.0, nan: f32::NAN }.of_every_length()?;
    }
    Ok(())
}

/// Compilers of software adapters take minutes for what does without f64 in every shape.
fn doubles(rig: &Rig) -> Outcome {
    let caps = rig.reducer.caps();
    let is_slow = caps.class == AdapterClass::Cpu && !caps.f64 && !all_tests();
    if is_slow {
        println!(
            "NOT COVERED: equal numbers of f64 by integers on {}, but for whole inputs",
            rig.name
        );
    }
    for number in [0.1_f64, 1.5, -1e-250, 2e154, -5e307] {
        let equal = Equal { rig, number, zero: 0.0, nan: f64::NAN };
        if is_slow { equal.of_length(1000)? } else { equal.of_every_length()? }
    }
    Ok(())
}

/// A number, and what else there is of its type.
struct Equal<'a, T> {
    rig: &'a Rig,
    number: T,
    zero: T,
    nan: T,
}

impl<T: Element + PartialEq + Debug> Equal<'_, T>
where
    Mean: Operation<T, Output = T>,
    NanMean: Operation<T, Output = T>,
    Variance: Operation<T, Output = T>,
    Stats: Operation<T, Output = Statistics<T, T, T>>,
{
    fn of_length(&self, len: usize) -> Outcome {
        let values = vec![self.number; len];
        self.whole(&self.rig.reducer.upload(&values)?)?;
        self.among_nans(&values)
    }

    fn of_every_length(&self) -> Outcome {
        for len in [1, 2, 3, 5, 16, 1000, 100_003] {
            self.of_length(len)?;
            let values = vec![self.number; len];
            let buffer = self.rig.reducer.upload(&values)?;
            // Each length has pipelines of its own in the shapes.
            if len == 1000 {
                self.along(&buffer)?;
                self.in_segments(&buffer)?;
                self.in_runs(&buffer)?;
                self.in_pieces(&values)?;
                self.in_shares(&values)?;
            }
        }
        Ok(())
    }

    /// Results are the number, or zero where it is their variance.
    fn are(&self, results: &[T], expected: T, what: &str) -> Outcome {
        let number = self.number;
        ensure!(
            !results.is_empty() && results.iter().all(|&result| result == expected),
            "{what} of {number:?}: {results:?}, not {expected:?}"
        );
        Ok(())
    }

    fn are_described(&self, results: &[Statistics<T, T, T>], what: &str) -> Outcome {
        let means: Vec<_> = results.iter().map(|of| of.mean).collect();
        let variances: Vec<_> = results.iter().map(|of| of.variance).collect();
        self.are(&means, self.number, &format!("{what}, mean in stats"))?;
        self.are(&variances, self.zero, &format!("{what}, variance in stats"))
    }

    /// One by one, and in one submission.
    fn whole(&self, buffer: &GpuBuffer<T>) -> Outcome {
        let reducer = &self.rig.reducer;
        let mean = || reducer.reduce(Mean, buffer);
        let variance = || reducer.reduce(Variance::POPULATION, buffer);
        self.are(&[mean().run()?], self.number, "mean")?;
        self.are(&reducer.batch([mean(), mean()]).run()?, self.number, "means of a batch")?;
        self.are(&[variance().run()?], self.zero, "variance")?;
        let together = reducer.batch([variance(), variance()]).run()?;
        self.are(&together, self.zero, "variances of a batch")?;
        self.are_described(&[reducer.reduce(Stats::default(), buffer).run()?], "whole")
    }

    /// More than the first numbers of an invocation are none.
    fn among_nans(&self, values: &[T]) -> Outcome {
        let reducer = &self.rig.reducer;
        let among = [&vec![self.nan; 9000][..], values, &[self.nan]].concat();
        let mean = reducer.reduce(NanMean, &reducer.upload(&among)?).run()?;
        self.are(&[mean], self.number, "nan_mean")
    }

    fn along(&self, buffer: &GpuBuffer<T>) -> Outcome {
        let reducer = &self.rig.reducer;
        let matrix = Matrix { rows: 5, columns: buffer.len() / 5 };
        for axis in 0..2 {
            let what = format!("along axis {axis}");
            let means = reducer.reduce(Mean, buffer).along(matrix, axis).run()?;
            self.are(&means, self.number, &what)?;
            let means = reducer.reduce(NanMean, buffer).along(matrix, axis).run()?;
            self.are(&means, self.number, &what)?;
            let variance = reducer.reduce(Variance::POPULATION, buffer);
            self.are(&variance.along(matrix, axis).run()?, self.zero, &what)?;
            let stats = reducer.reduce(Stats::default(), buffer);
            self.are_described(&stats.along(matrix, axis).run()?, &what)?;
        }
        Ok(())
    }

    fn in_segments(&self, buffer: &GpuBuffer<T>) -> Outcome {
        let reducer = &self.rig.reducer;
        let len = u32::try_from(buffer.len())?;
        let offsets = reducer.upload(&[0, 1, len / 3, len])?;
        let means = reducer.reduce(Mean, buffer).segments(&offsets).run()?;
        self.are(&means, self.number, "means of segments")?;
        let means = reducer.reduce(NanMean, buffer).segments(&offsets).run()?;
        self.are(&means, self.number, "nan_means of segments")?;
        let variance = reducer.reduce(Variance::POPULATION, buffer);
        self.are(&variance.segments(&offsets).run()?, self.zero, "variances of segments")?;
        let stats = reducer.reduce(Stats::default(), buffer).segments(&offsets).run()?;
        self.are_described(&stats, "segments")
    }

    fn in_runs(&self, buffer: &GpuBuffer<T>) -> Outcome {
        let reducer = &self.rig.reducer;
        let keys: Vec<_> = (0..u32::try_from(buffer.len())?).map(|index| index / 7).collect();
        let keys = reducer.upload(&keys)?;
        let values = |runs: Vec<(u32, T)>| runs.into_iter().map(|(_, value)| value).collect();
        let means: Vec<T> = values(reducer.reduce(Mean, buffer).runs(&keys).run()?);
        self.are(&means, self.number, "means of runs")?;
        let variance = reducer.reduce(Variance::POPULATION, buffer);
        let variances: Vec<T> = values(variance.runs(&keys).run()?);
        self.are(&variances, self.zero, "variances of runs")
    }

    /// A stream of pieces.
    fn in_pieces(&self, values: &[T]) -> Outcome {
        let reducer = &self.rig.reducer;
        let mean = reducer.reduce_stream(Mean, values.chunks(77))?;
        self.are(&[mean], self.number, "mean of a stream")?;
        let mean = reducer.reduce_stream(NanMean, values.chunks(77))?;
        self.are(&[mean], self.number, "nan_mean of a stream")?;
        let stats = reducer.reduce_stream(Stats::default(), values.chunks(77))?;
        self.are_described(&[stats], "a stream")
    }

    /// On two reducers, whose results the host combines.
    fn in_shares(&self, values: &[T]) -> Outcome {
        let reducer = &self.rig.reducer;
        let multi = MultiGpu::new(vec![reducer.clone(), reducer.clone()])?;
        let buffer = multi.upload(values)?;
        self.are(&[multi.reduce(Mean, &buffer)?.wait()?], self.number, "mean of shares")?;
        let mean = multi.reduce(NanMean, &buffer)?.wait()?;
        self.are(&[mean], self.number, "nan_mean of shares")?;
        let stats = multi.reduce(Stats::default(), &buffer)?.wait()?;
        self.are_described(&[stats], "shares")
    }
}
