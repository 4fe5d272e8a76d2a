//! Commands as plain data: what every planner turns its plan into, and all that `encode.rs` knows.

mod parameters;
mod structs;

pub(crate) use parameters::Parameters;
pub(crate) use structs::*;

use crate::shader::Shader;
use std::fmt;
use std::ops::Range;

/// Binding numbers, the same in every shader (see `shaders/README.md`).
pub(crate) mod binding {
    /// What is read: words, partials or values.
    pub(crate) const SOURCE: u32 = 0;
    /// What is read, with the same bytes as vectors.
    pub(crate) const VECTORS: u32 = 1;
    /// What is written.
    pub(crate) const TARGET: u32 = 2;
    /// The dispatch's parameters. [`encode`](crate::device::encode) binds the host's, unless an earlier pass has made others.
    pub(crate) const PARAMETERS: u32 = 3;
    /// Counters of workgroups that have arrived, or of elements that have counted.
    pub(crate) const ARRIVALS: u32 = 4;
    /// What is read of the second of two inputs: words, and the same bytes as quads.
    pub(crate) const PARTNER_WORDS: u32 = 6;
    pub(crate) const PARTNER_QUADS: u32 = 7;
    /// The first of [`INPUTS`] small inputs, each behind a binding of its own.
    pub(crate) const FIRST_INPUT: u32 = 8;
    /// With the target they are as many storage bindings as WebGPU promises.
    pub(crate) const INPUTS: u32 = 7;
    /// Partials that one workgroup folds, and in reductions the counter before them.
    pub(crate) const PARTIALS: u32 = 5;

    /// Whether shaders only read what lies behind a storage binding.
    pub(crate) const fn is_read_only(number: u32) -> bool {
        matches!(number, SOURCE | VECTORS | PARTNER_WORDS | PARTNER_QUADS)
            || (FIRST_INPUT <= number && number < FIRST_INPUT + INPUTS)
    }
}

/// A buffer that commands name before there is one. [`Plan`](crate::Plan) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// The n-th buffer with the caller's elements.
    Input(usize),
    /// The n-th scratch buffer.
    Scratch(usize),
    /// The result.
    Output,
}

/// Passes, in the order they run; each starts when the one before has ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recording {
    pub(crate) passes: Vec<PlannedPass>,
    pub(crate) scratch: Vec<Scratch>,
    /// Whether the output must be zero when the first pass starts.
    pub(crate) zero_output: bool,
    /// How often all of it runs, one time after another: more than once where a clock is coarse.
    pub(crate) times: u32,
}

/// A buffer between passes, or between the workgroups of one. [`Plan`](crate::Plan) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scratch {
    /// Its size.
    pub bytes: u64,
    /// What it holds.
    pub contents: Contents,
}

/// What a scratch buffer holds when the first pass starts. [`Plan`](crate::Plan) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Contents {
    /// Anything.
    Anything,
    /// Zero; the passes may leave something else, so no other recording shares it, and none that has it runs several times.
    Zero,
    /// Zero, and the passes leave it so.
    Counters,
}

/// A pass of a [`Plan`](crate::Plan): dispatches of one shader that do not depend on each other.
///
/// It is printed as what the shader does. Two passes are equal if they have the same effect: shader, constants, bindings and parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedPass {
    pub(crate) shader: Shader,
    /// Pipeline-overridable constants.
    pub(crate) constants: Constants,
    pub(crate) dispatches: Vec<RecordedDispatch>,
}

/// Names and values of pipeline-overridable constants; all of them are `u32`.
pub(crate) type Constants = Vec<(&'static str, u32)>;

/// One dispatch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordedDispatch {
    /// Apart from parameters that the host gives; the same numbers in every dispatch of a pass.
    pub(crate) bindings: Vec<Bound>,
    pub(crate) parameters: Vec<u32>,
    /// Workgroups in x, y and z.
    pub(crate) grid: [u32; 3],
}

/// Bytes of a buffer behind a binding.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bound {
    pub(crate) binding: u32,
    pub(crate) place: Place,
    /// `None` where the shader has the binding but does not read it.
    pub(crate) bytes: Option<Range<u64>>,
}

impl RecordedDispatch {
    /// What lies behind a binding.
    pub(crate) fn bound(&self, binding: u32) -> Option<&Bound> {
        self.bindings.iter().find(|bound| bound.binding == binding)
    }

    /// A line.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, _] = self.grid;
        write!(f, "    {x} x {y} workgroups")?;
        let read = [(binding::SOURCE, "over bytes"), (binding::PARTNER_WORDS, "and")];
        for (binding, before) in read {
            if let Some(Bound { place, bytes: Some(Range { start, end }), .. }) =
                self.bound(binding)
            {
                write!(f, " {before} {start}..{end} of {place:?}")?;
            }
        }
        if self.bound(binding::SOURCE).is_none() {
            self.show_inputs(f)?;
        }
        writeln!(f)
    }

    /// The inputs, where each lies behind a binding of its own.
    fn show_inputs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = self.bindings.iter().filter(|bound| bound.bytes.is_some());
        let mut inputs = read.filter(|bound| matches!(bound.place, Place::Input(_)));
        match (inputs.next(), inputs.next_back()) {
            (Some(first), Some(last)) => write!(f, " over {:?} to {:?}", first.place, last.place),
            (Some(only), None) => write!(f, " over {:?}", only.place),
            (None, _) => Ok(()),
        }
    }

    /// What it is told, as its shader has it.
    #[cfg(any(test, feature = "followed"))]
    pub(crate) fn told<P: Parameters>(&self) -> P {
        P::of(&self.parameters)
    }
}

impl Recording {
    /// One that does nothing.
    pub(crate) const fn new() -> Self {
        Self { passes: Vec::new(), scratch: Vec::new(), zero_output: false, times: 1 }
    }

    /// A line for each pass, and one for each dispatch.
    pub(crate) fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, pass) in self.passes.iter().enumerate() {
            write!(f, "  pass {}: {pass}", index + 1)?;
            let first = pass.dispatches.first();
            match first.and_then(|dispatch| dispatch.bound(binding::TARGET)) {
                Some(Bound { place, .. }) => writeln!(f, " -> {place:?}")?,
                None => writeln!(f)?,
            }
            let constants = pass.constants.iter();
            let constants: Vec<_> =
                constants.map(|(name, value)| format!("{name} = {value}")).collect();
            if !constants.is_empty() {
                writeln!(f, "    {}", constants.join(", "))?;
            }
            pass.dispatches.iter().try_for_each(|dispatch| dispatch.show(f))?;
        }
        Ok(())
    }

    /// Puts the caller's buffer number `input` in place of its only scratch buffer.
    pub(crate) fn with_scratch_of(mut self, input: usize) -> Self {
        self.scratch.clear();
        let dispatches = self.passes.iter_mut().flat_map(|pass| &mut pass.dispatches);
        for bound in dispatches.flat_map(|dispatch| &mut dispatch.bindings) {
            if bound.place == Place::Scratch(0) {
                bound.place = Place::Input(input);
            }
        }
        self
    }

    /// Appends `next`, whose first input is the caller's buffer number `first_input`. Its scratch
    /// buffers become those that are there already, as far as they hold the same.
    pub(crate) fn append(&mut self, next: Self, first_input: usize) {
        let mut places: Vec<usize> = Vec::with_capacity(next.scratch.len());
        for wanted in next.scratch {
            let fits = |(index, there): (usize, &Scratch)| {
                (there.contents == wanted.contents && !places.contains(&index)).then_some(index)
            };
            let index = self.scratch.iter().enumerate().find_map(fits).unwrap_or_else(|| {
                self.scratch.push(wanted);
                self.scratch.len() - 1
            });
            if let Some(there) = self.scratch.get_mut(index) {
                there.bytes = there.bytes.max(wanted.bytes);
            }
            places.push(index);
        }
        for mut pass in next.passes {
            let bound = pass.dispatches.iter_mut().flat_map(|dispatch| &mut dispatch.bindings);
            for bound in bound {
                bound.place = match bound.place {
                    Place::Input(number) => Place::Input(first_input + number),
                    Place::Scratch(index) => {
                        Place::Scratch(places.get(index).copied().unwrap_or(index))
                    }
                    Place::Output => Place::Output,
                };
            }
            self.passes.push(pass);
        }
    }
}

impl PlannedPass {
    /// Workgroups in x, y and z of each dispatch.
    #[must_use]
    pub fn grids(&self) -> Vec<[u32; 3]> {
        self.dispatches.iter().map(|dispatch| dispatch.grid).collect()
    }

    /// The shader's text, as wgpu takes it on native backends.
    #[must_use]
    pub fn wgsl(&self) -> String {
        self.shader.wgsl()
    }

    /// The numbers of all bindings, in their order. They are small, and looked for: code that sorts them is large in the npm package.
    pub(crate) fn binding_numbers(&self) -> Vec<u32> {
        let bound = self.dispatches.first().map_or(&[][..], |dispatch| &dispatch.bindings);
        let numbers = || bound.iter().map(|bound| bound.binding).chain([binding::PARAMETERS]);
        let end = numbers().max().map_or(0, |last| last + 1);
        (0..end).filter(|number| numbers().any(|other| other == *number)).collect()
    }
}

impl fmt::Display for PlannedPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shader.fmt(f)
    }
}

/// The lower 32 bits, which are what a parameter has room for.
#[expect(clippy::cast_possible_truncation, reason = "what is asked for")]
pub(crate) const fn low_word(value: u64) -> u32 {
    value as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dispatch that binds these places.
    fn dispatch(places: &[Place]) -> RecordedDispatch {
        let bound = |(binding, &place)| Bound { binding, place, bytes: Some(0..4) };
        let bindings = (0..).zip(places).map(bound).collect();
        RecordedDispatch { bindings, parameters: Vec::new(), grid: [1, 1, 1] }
    }

    fn recording(scratch: &[(u64, Contents)], dispatches: &[&[Place]]) -> Recording {
        let pass = PlannedPass {
            shader: Shader::Counted,
            constants: Vec::new(),
            dispatches: dispatches.iter().map(|places| dispatch(places)).collect(),
        };
        let scratch = scratch.iter().map(|&(bytes, contents)| Scratch { bytes, contents });
        Recording { passes: vec![pass], scratch: scratch.collect(), zero_output: false, times: 1 }
    }

    fn scratch_of(recording: &Recording) -> Vec<(u64, Contents)> {
        recording.scratch.iter().map(|scratch| (scratch.bytes, scratch.contents)).collect()
    }

    fn places_of(pass: &PlannedPass) -> Vec<Vec<Place>> {
        let of = |dispatch: &RecordedDispatch| dispatch.bindings.iter().map(|b| b.place).collect();
        pass.dispatches.iter().map(of).collect()
    }

    #[test]
    fn passes_follow_each_other_and_inputs_are_counted_on() {
        let mut all = Recording::new();
        let places: [&[Place]; 2] = [&[Place::Input(0), Place::Output], &[Place::Input(1)]];
        all.append(recording(&[], &places), 0);
        all.append(recording(&[], &places), 2);
        assert_eq!(all.passes.len(), 2);
        assert_eq!(places_of(&all.passes[0]), places);
        let counted_on: [&[Place]; 2] = [&[Place::Input(2), Place::Output], &[Place::Input(3)]];
        assert_eq!(places_of(&all.passes[1]), counted_on);
        assert_eq!(all.scratch, []);
    }

    #[test]
    fn scratch_buffers_of_the_same_contents_are_shared_and_as_large_as_the_largest() {
        let (anything, counters) = (Contents::Anything, Contents::Counters);
        let mut all = Recording::new();
        all.append(recording(&[(100, anything), (8, counters)], &[&[Place::Scratch(1)]]), 0);
        assert_eq!(scratch_of(&all), [(100, anything), (8, counters)]);
        // In another order, one larger and one smaller.
        let places = [Place::Scratch(0), Place::Scratch(1)];
        all.append(recording(&[(64, counters), (7, anything)], &[&places]), 1);
        assert_eq!(scratch_of(&all), [(100, anything), (64, counters)]);
        assert_eq!(places_of(&all.passes[1]), [[Place::Scratch(1), Place::Scratch(0)]]);
    }

    #[test]
    fn buffers_of_one_recording_stay_apart() {
        let anything = Contents::Anything;
        let mut all = recording(&[(16, anything)], &[&[Place::Scratch(0)]]);
        let places = [Place::Scratch(0), Place::Scratch(1)];
        all.append(recording(&[(4, anything), (32, anything)], &[&places]), 1);
        assert_eq!(scratch_of(&all), [(16, anything), (32, anything)]);
        assert_eq!(places_of(&all.passes[1]), [places]);
        // What must be zero at the start is no place for what holds anything, nor for counters.
        all.append(recording(&[(4, Contents::Zero)], &[&[Place::Scratch(0)]]), 2);
        assert_eq!(scratch_of(&all)[2], (4, Contents::Zero));
        assert_eq!(places_of(&all.passes[2]), [[Place::Scratch(2)]]);
    }
}
