//! From where to where elements lie, where they say that of bins.

use crate::failure::Failure;
use crate::sample::{Sample, with_elements};
use crate::stream::{Memory, Sink};
use std::ops::Range;
use wgpu_reduce::{
    Binned, Error, Extrema, GpuReducer, GpuSlices, MinMax, NanMax, NanMin, Pending, Result, Stream,
};

/// An element whose least and largest are found. NaN is none of them.
pub(super) trait Ends: Sample + Binned + Into<f64> {
    /// What is shown elements that pass through.
    type Seen: Sink<Self>;

    /// Of what is on the GPU.
    fn of_all(reducer: &GpuReducer, elements: GpuSlices<'_, Self>) -> Result<[Self; 2]>;

    fn stream(reducer: &GpuReducer, memory: Memory) -> Result<Self::Seen>;

    /// Of what has passed through.
    fn of_seen(seen: Self::Seen) -> Result<[Self; 2]>;
}

macro_rules! ends_of_integers {
    ([$($integer:ty),*]) => {$(
        impl Ends for $integer {
            type Seen = Stream<Self, MinMax>;

            fn of_all(reducer: &GpuReducer, elements: GpuSlices<'_, Self>) -> Result<[Self; 2]> {
                let Extrema { min, max, .. } = reducer.reduce(MinMax, elements).start()?.wait()?;
                Ok([min, max])
            }

            fn stream(reducer: &GpuReducer, memory: Memory) -> Result<Self::Seen> {
                reducer.stream(MinMax, &memory.options())
            }

            fn of_seen(seen: Self::Seen) -> Result<[Self; 2]> {
                let Extrema { min, max, .. } = seen.finish()?.wait()?;
                Ok([min, max])
            }
        }
    )*};
}
with_elements!(short_integers, [ends_of_integers] {});

macro_rules! ends_of_floats {
    ([$($float:ty),*]) => {$(
        impl Ends for $float {
            type Seen = (Stream<Self, NanMin>, Stream<Self, NanMax>);

            fn of_all(reducer: &GpuReducer, elements: GpuSlices<'_, Self>) -> Result<[Self; 2]> {
                let least = reducer.reduce(NanMin, elements.clone()).start()?;
                both(least, reducer.reduce(NanMax, elements).start()?)
            }

            fn stream(reducer: &GpuReducer, memory: Memory) -> Result<Self::Seen> {
                let options = &memory.half().options();
                Ok((reducer.stream(NanMin, options)?, reducer.stream(NanMax, options)?))
            }

            fn of_seen((least, largest): Self::Seen) -> Result<[Self; 2]> {
                both(least.finish()?, largest.finish()?)
            }
        }
    )*};
}
with_elements!(short_floats, [ends_of_floats] {});

fn both<T>(least: Pending<T>, largest: Pending<T>) -> Result<[T; 2]> {
    Ok([least.wait()?, largest.wait()?])
}

/// As `numpy.histogram` has it, but that NaN does not count: of no elements from 0 to 1, and none if an element is
/// infinite, or if all are NaN.
pub(super) fn extent<T: Ends>(found: Result<[T; 2]>) -> std::result::Result<Range<f64>, Failure> {
    if matches!(found, Err(Error::Empty { .. })) {
        return Ok(0.0..1.0);
    }
    let [low, high] = found?.map(Into::into);
    if low.is_finite() && high.is_finite() {
        return Ok(low..high);
    }
    let what = if low.is_nan() {
        "elements that are all NaN need --range or --edges".into()
    } else {
        format!("infinite elements, here from {low} to {high}, need --range or --edges")
    };
    Err(Failure::Usage(what))
}
