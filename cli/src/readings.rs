//! Order statistics of a file that is larger than the memory allowed: it is read several times.

use crate::along::told;
use crate::args::Source;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::input::{Input, Room};
use crate::number::Number;
use crate::sample::Sample;
use crate::spent::{self, Stage};
use crate::stream::{Memory, Passage, Taken, take};
use std::ops::ControlFlow;
use wgpu_reduce::{GpuReducer, OrderStatistic, Pending, RankStream, Ranked};

/// A file, and what is done with it.
pub(crate) struct Readings<'a> {
    pub(crate) reducer: &'a GpuReducer,
    pub(crate) source: &'a Source,
    pub(crate) memory: Memory,
}

/// What is found in a file.
pub(crate) struct Read {
    pub(crate) figures: Vec<Figures>,
    pub(crate) elements: u64,
    /// Where the file has passed through.
    pub(crate) passage: Option<Passage>,
}

impl Readings<'_> {
    /// Finds a statistic, and makes figures of it.
    pub(crate) fn find<T, S>(
        &self,
        statistic: S,
        input: Input,
        figures: impl FnOnce(S::Output) -> Vec<Figures>,
    ) -> Result<Read, Failure>
    where
        T: Sample + Ranked<Figure: Into<Number>>,
        S: OrderStatistic<T> + Clone,
    {
        let (name, is_reopenable) = (input.name().to_owned(), input.is_reopenable());
        let open = || {
            if is_reopenable {
                let stream =
                    RankStream::new(self.reducer, statistic.clone(), &self.memory.options());
                return stream.map_err(|error| told(error, &name));
            }
            let what = "elements that are read once, and are more than half of --memory, have no order statistics";
            Err(Failure::Usage(format!("{name}: {what}")))
        };
        let taken =
            take::<T, RankStream<T, S>, Failure>(self.reducer, input, self.memory, open, |_| {
                Ok(())
            })?;
        let (mut stream, begun) = match taken {
            Taken::Resident(buffers) => {
                let elements = buffers.all()?;
                let request = self.reducer.reduce(statistic, &elements);
                let found = spent::on(Stage::Result, || request.start().and_then(Pending::wait));
                let found = found.map_err(|error| told(error, &name))?;
                let (elements, passage) = (elements.len(), None);
                return Ok(Read { figures: figures(found), elements, passage });
            }
            Taken::Streamed(stream, begun) => (stream, begun),
        };
        let elements = stream.len();
        let mut readings = 1;
        loop {
            let ended = spent::on(Stage::Result, || stream.end());
            match ended.map_err(|error| told(error, &name))? {
                ControlFlow::Break(found) => {
                    let passage = Some(begun.times(readings).passage());
                    return Ok(Read { figures: figures(found), elements, passage });
                }
                ControlFlow::Continue(again) => stream = again,
            }
            readings += 1;
            let Source { file, format, dtype, .. } = self.source;
            let input = Input::open(file, *format, *dtype)?;
            if input.element() != T::KIND {
                let what =
                    format!("its elements are {} now, and were {}", input.element(), T::KIND);
                return Err(Failure::in_file(&name, what));
            }
            input.for_each_chunk::<T>(&Room::unlimited(), |piece| {
                let pushed = spent::on(Stage::Copying, || stream.push(piece));
                pushed.map_err(|error| told(error, &name))
            })?;
        }
    }
}
