//! What an order statistic runs, decided before anything touches a device.

use super::digits::{Digit, digits, key_bytes, place_digits, search_turns};
use super::shader::{OrderShader, Origin, Ranking, unused_bits};
use super::sift::{self, Sift};
use super::sought::Sought;
use crate::error::Result;
use crate::op::element::ElementKind;
use crate::op::ranks::{Extent, Ranks};
use crate::plan::caps::Caps;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::cut::window::{Run, WORD_BYTES, Window, split_parts};
use crate::plan::geometry::{self, largest_power_of_two};
use crate::plan::limits::unsupported;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, ChoiceParameters, Constants, Contents, DigitsParameters, Parameters, Place, PlannedPass,
    RecordedDispatch, Recording, Scratch, binding, low_word,
};
use crate::plan::shapes::bins::HistogramTuning;
use crate::shader::Shader;

/// Plans a problem of elements by their rank: of each digit of keys two passes, one that counts and one that chooses. Where indices are
/// wanted, digits of an index follow those of a key, and a pass that leaves elements. Of many elements those that can have the ranks are kept
/// first, if they are few, and these passes read them alone.
///
/// # Errors
///
/// Those of [`Ranks::find`]; [`Error::Unsupported`](crate::Error::Unsupported) if a workgroup has no room for so many ranks,
/// [`Error::InvalidTuning`](crate::Error::InvalidTuning) if the tuning does not fit the device, and errors of whole inputs.
pub(crate) fn lower(problem: &Problem<'_>, ranks: &Ranks<'_>, caps: &Caps) -> Result<Plan> {
    let (element, input) = (problem.element, problem.first());
    let tuning = problem.tuning(|| HistogramTuning::for_caps(caps))?;
    caps.check()?;
    tuning.validate(caps)?;
    let len = len_of(input);
    let sought = Sought::new(ranks, len, element)?;
    let steps = steps(element, &sought, caps)?;
    let (ranks_wanted, carries) = (low_word(sought.count()), len > u64::from(u32::MAX));
    let table = Bound {
        binding: binding::FIRST_INPUT,
        place: Place::Input(input.len()),
        bytes: Some(0..0),
    };
    let target = Target::Output(problem.output_offset_bytes());
    let planner = Planner {
        element,
        tuning,
        caps,
        ranks: ranks_wanted,
        carries,
        sought: &sought,
        table,
        target,
        kept: None,
    };
    let most_counters = steps.iter().map(|step| step.digit.counters).max().unwrap_or(0);
    let max_bytes = planner.max_window_bytes(most_counters);
    let windows = split_parts(input, element.size_bytes(), caps, max_bytes)?;
    let windows = placed(&windows, input, element.size_bytes());
    let Lowered { passes, scratch, table } = match Sift::new(&planner, &steps, &windows) {
        Some(sift) => sift.lower(planner, &steps, &windows)?,
        None => planner.lower(&steps, &windows)?,
    };
    // What is known of numbers comes with them.
    let (results, result_bytes) = match sought.ranking() {
        Ranking::Elements => (sought.elements(), sought.element_bytes()),
        Ranking::Numbers => (1, sought.bytes()),
    };
    Ok(Plan {
        operation: ranks.name,
        element,
        inputs: 1,
        len,
        results,
        roundings: 0,
        tuning: tuning.into(),
        input_bytes: len.saturating_mul(element.size_bytes()),
        result_bytes,
        loads_in_flight: 0,
        outputs: Outputs::Ranks { elements: sought.elements(), table },
        recording: Recording { passes, scratch, ..Recording::new() }.within(caps)?,
    })
}

/// What runs, where, and what it reads behind the input.
pub(super) struct Lowered {
    pub(super) passes: Vec<PlannedPass>,
    pub(super) scratch: Vec<Scratch>,
    pub(super) table: Vec<u32>,
}

/// A digit that is counted and then chosen.
pub(super) struct Step {
    pub(super) digit: Digit,
    /// Of an index, not a key.
    pub(super) is_of_place: bool,
    /// Of its kind.
    pub(super) is_first: bool,
    pub(super) is_last: bool,
    /// Of all steps.
    pub(super) number: usize,
}

/// The digits of keys, and those of an index if there is one to find.
pub(super) fn steps(element: ElementKind, sought: &Sought, caps: &Caps) -> Result<Vec<Step>> {
    let keys = digits(element, sought.count(), caps)?;
    let places = match sought.extent {
        Some(_) => place_digits(sought.len(), caps),
        None => Vec::new(),
    };
    let of = |digits: Vec<Digit>, is_of_place| {
        let last = digits.len().saturating_sub(1);
        digits.into_iter().enumerate().map(move |(number, digit)| Step {
            digit,
            is_of_place,
            is_first: number == 0,
            is_last: number == last,
            number,
        })
    };
    let before = keys.len();
    let places = of(places, true).map(|step| Step { number: before + step.number, ..step });
    Ok(of(keys, false).chain(places).collect())
}

/// A window of a buffer, and the index in the input of what its binding begins with, modulo 2^64.
pub(super) struct Placed {
    pub(super) place: Place,
    pub(super) window: Window,
    pub(super) base: u64,
}

fn placed(windows: &[(usize, Window)], parts: &[Part], element_bytes: u64) -> Vec<Placed> {
    let befores = parts.iter().scan(0_u64, |before, part| {
        let first = *before;
        *before = before.saturating_add(part.len);
        Some(first.wrapping_sub(part.offset_bytes / element_bytes))
    });
    let befores: Vec<_> = befores.collect();
    let place = |(part, window): &(usize, Window)| {
        let before = befores.get(*part).copied().unwrap_or(0);
        let base = before.wrapping_add(window.bytes.start / element_bytes);
        Placed { place: Place::Input(*part), window: window.clone(), base }
    };
    windows.iter().map(place).collect()
}

/// Bytes of what is known of a rank: its key, and how many elements stand before it; or of its quantile.
pub(super) const STATE_BYTES: u64 = 16;

#[derive(Clone)]
pub(super) struct Planner<'a> {
    pub(super) element: ElementKind,
    pub(super) tuning: HistogramTuning,
    pub(super) caps: &'a Caps,
    pub(super) ranks: u32,
    /// Whether a total may need more than a word.
    pub(super) carries: bool,
    pub(super) sought: &'a Sought,
    /// Where lies what is known before the first digit.
    pub(super) table: Bound,
    pub(super) target: Target,
    /// What of the elements is kept.
    pub(super) kept: Option<&'a Sift>,
}

/// Where results are left.
#[derive(Clone)]
pub(super) enum Target {
    /// From so many bytes on.
    Output(u64),
    /// In a scratch buffer, while the last pass clears what others count in.
    Scratch(usize, Bound),
}

/// What the passes of the next digit read and count in.
struct Next {
    known: Place,
    totals: Bound,
}

/// What a pass over elements reads of ranks.
#[derive(Clone)]
struct Known {
    /// What is known of keys or of an index.
    ranks: Bound,
    /// The key whose elements' indices are looked at.
    key: Option<Bound>,
}

/// Where what is known after a step goes: what is known of keys stays while indices are sought.
const fn state(step: &Step) -> Place {
    Place::Scratch(if step.is_of_place { 4 } else { 2 } + step.number % 2)
}

impl Planner<'_> {
    /// Where all passes read the input.
    fn lower(mut self, steps: &[Step], windows: &[Placed]) -> Result<Lowered> {
        self.table.bytes = Some(0..self.state_bytes());
        let (passes, scratch) = (self.passes(steps, windows)?, self.scratch(steps));
        Ok(Lowered { passes, scratch, table: self.sought.table() })
    }

    /// Two passes for each digit, and the one that leaves elements with indices.
    pub(super) fn passes(&self, steps: &[Step], windows: &[Placed]) -> Result<Vec<PlannedPass>> {
        let mut passes = Vec::new();
        let mut known = Known { ranks: self.table.clone(), key: None };
        for (number, step) in steps.iter().enumerate() {
            if step.is_of_place && step.is_first {
                known.key =
                    Some(Bound { binding: binding::FIRST_INPUT + 1, ..known.ranks.clone() });
            }
            let totals = self.totals(step);
            passes.push(self.gather(step, (&known, &totals), windows));
            let next = match steps.get(number + 1) {
                Some(next) => Some(self.totals(next)),
                None if self.sought.extent.is_some() => Some(Self::taken(steps)),
                None => None,
            };
            let next = next.map(|totals| Next { known: state(step), totals });
            passes.push(self.choose(step, (&known.ranks, &totals), next.as_ref())?);
            if let Some(next) = next {
                known.ranks.place = next.known;
                known.ranks.bytes = Some(0..self.state_bytes());
            }
        }
        if let Some(extent) = self.sought.extent {
            // Of one element there is no index to find.
            let key = Bound { binding: binding::FIRST_INPUT + 1, ..known.ranks.clone() };
            known.key.get_or_insert(key);
            let (of_places, totals) = (steps.last(), Self::taken(steps));
            let is_found = of_places.is_some_and(|step| step.is_of_place);
            passes.push(self.leave(extent, (&known, &totals), windows, is_found)?);
        }
        Ok(passes)
    }

    /// How many elements have been left, counted behind all digits.
    fn taken(steps: &[Step]) -> Bound {
        let number = steps.last().map_or(0, |step| step.number + 1);
        let place = Place::Scratch(number % 2);
        Bound { binding: binding::ARRIVALS, place, bytes: Some(0..WORD_BYTES) }
    }

    /// How many numbers there are stands behind what is known of ranks.
    pub(super) fn state_bytes(&self) -> u64 {
        (u64::from(self.ranks) + u64::from(self.counts_nan())) * STATE_BYTES
    }

    fn counts_nan(&self) -> bool {
        self.sought.ranking() == Ranking::Numbers
    }

    /// Counters of NaN: one in the pass that counts the first digit.
    fn nan_counters(&self, step: &Step) -> u32 {
        u32::from(self.counts_nan() && step.is_first)
    }

    /// Totals of digits lie in two buffers in turn.
    pub(super) fn totals(&self, step: &Step) -> Bound {
        let Digit { ranks, bits, .. } = step.digit;
        let words = if self.carries { 2 } else { 1 };
        let totals = (u64::from(ranks) << bits) + u64::from(self.nan_counters(step));
        let bytes = totals * words * WORD_BYTES;
        let place = Place::Scratch(step.number % 2);
        Bound { binding: binding::ARRIVALS, place, bytes: Some(0..bytes) }
    }

    /// Two buffers of totals, of which the first begins with zeros and a pass clears the other, and two of what is known of keys and of an
    /// index each.
    pub(super) fn scratch(&self, steps: &[Step]) -> Vec<Scratch> {
        let of_step = |step: &Step| self.totals(step);
        let taken = self.sought.extent.map(|_| Self::taken(steps));
        let totals: Vec<_> = steps.iter().map(of_step).chain(taken).collect();
        let bytes = |parity: usize| {
            let own = totals.iter().filter(|bound| bound.place == Place::Scratch(parity));
            own.filter_map(|bound| bound.bytes.as_ref()).map(|bytes| bytes.end).max().unwrap_or(0)
        };
        let anything = |bytes| Scratch { bytes, contents: Contents::Anything };
        let mut scratch = vec![Scratch { bytes: bytes(0), contents: Contents::Zero }];
        if totals.len() > 1 {
            let states = if steps.iter().any(|step| step.is_of_place) { 4 } else { 2 };
            scratch.push(anything(bytes(1)));
            scratch.extend((0..states).map(|_| anything(self.state_bytes())));
        }
        scratch
    }

    /// What passes over keys of this element are compiled with.
    fn constants(&self, element: ElementKind, size: u32) -> Constants {
        let mut constants = vec![("WORKGROUP_SIZE", size), ("CARRIES", u32::from(self.carries))];
        let unused = unused_bits(element);
        if unused > 0 {
            constants.push(("UNUSED", unused));
        }
        constants
    }

    pub(super) fn turned(&self) -> impl Iterator<Item = (&'static str, u32)> {
        (self.sought.extent == Some(Extent::DownTo)).then_some(("TURNED", 1)).into_iter()
    }

    /// A pass over all elements.
    pub(super) fn over_elements(
        &self,
        shader: OrderShader,
        constants: Constants,
        (told, bindings): (&DigitsParameters, &[Bound]),
        windows: &[Placed],
    ) -> PlannedPass {
        let mut all = self.constants(self.element, self.tuning.workgroup_size);
        all.push(("LOADS", self.tuning.loads_in_flight));
        all.extend(self.turned().chain(constants));
        let dispatch = |(number, Placed { place, window, base }): (usize, &Placed)| {
            let workgroups = self.tuning.workgroups(window, self.caps);
            let place = *place;
            let [x, y] = self.caps.grid(workgroups);
            let mut parameters = DigitsParameters {
                window: window.parameters(),
                workgroups,
                base_low: low_word(*base),
                base_high: low_word(base >> 32),
                ..*told
            };
            if let Some(kept) = self.kept {
                kept.tell(&mut parameters, number);
            }
            let bytes = Some(window.bytes.clone());
            let source = Bound { binding: binding::SOURCE, place, bytes };
            let quads = Bound { binding: binding::VECTORS, place, bytes: window.quad_bytes() };
            RecordedDispatch {
                bindings: [&[source, quads], bindings].concat(),
                parameters: parameters.words(),
                grid: [x, y, 1],
            }
        };
        PlannedPass {
            shader: Shader::Order(shader),
            constants: all,
            dispatches: windows.iter().enumerate().map(dispatch).collect(),
        }
    }

    /// The pass that counts a digit: of keys that begin as those that are known, or of indices of elements with the known key.
    fn gather(
        &self,
        step: &Step,
        (known, totals): (&Known, &Bound),
        windows: &[Placed],
    ) -> PlannedPass {
        let Digit { bits, shift, ranks, counters } = step.digit;
        let nans = self.nan_counters(step);
        let mut constants =
            vec![("IS_FIRST", u32::from(step.is_first)), ("COUNTERS", counters + nans)];
        if nans > 0 {
            constants.push(("COUNTS_NAN", nans));
        }
        let mut bindings = vec![totals.clone(), known.ranks.clone()];
        let origin = self.origin(&mut constants, &mut bindings);
        let shader = if step.is_of_place {
            bindings.extend(known.key.clone());
            OrderShader::Places(self.element, origin)
        } else {
            constants.push(("RANKS", ranks));
            OrderShader::Gather(self.element, origin)
        };
        let told =
            DigitsParameters { ranks: self.ranks, shift, bits, ..DigitsParameters::default() };
        self.over_elements(shader, constants, (&told, &bindings), windows)
    }

    /// Where a pass reads elements, and what it needs for that.
    fn origin(&self, constants: &mut Constants, bindings: &mut Vec<Bound>) -> Origin {
        let Some(kept) = self.kept else { return Origin::Input };
        constants.extend(kept.constants());
        bindings.push(kept.bound());
        Origin::Kept
    }

    /// The pass that leaves elements with their indices. Where there is more than one element, an index has been found.
    fn leave(
        &self,
        extent: Extent,
        (known, totals): (&Known, &Bound),
        windows: &[Placed],
        is_found: bool,
    ) -> Result<PlannedPass> {
        let (results, element_bytes) = (self.sought.elements(), self.sought.element_bytes());
        let is_alone = extent == Extent::Alone;
        let mut constants =
            vec![("IS_FIRST", u32::from(!is_found)), ("IS_ALONE", u32::from(is_alone))];
        let room = u32::try_from(results)
            .map_err(|_| unsupported(format!("{results} elements with indices at once")))?;
        let (target, first) = self.results(results, element_bytes)?;
        let mut bindings = vec![target, totals.clone(), known.ranks.clone()];
        bindings.extend(known.key.clone());
        // One element is read where it lies.
        let origin = match extent {
            Extent::Alone => Origin::Input,
            Extent::UpTo | Extent::DownTo => self.origin(&mut constants, &mut bindings),
        };
        let told = DigitsParameters { ranks: room, first, ..DigitsParameters::default() };
        let shader = OrderShader::Chosen(self.element, origin);
        Ok(self.over_elements(shader, constants, (&told, &bindings), windows))
    }

    /// The pass that finds the digit in the keys of ranks, and leaves what is known then, or the elements.
    fn choose(
        &self,
        step: &Step,
        (known, totals): (&Bound, &Bound),
        next: Option<&Next>,
    ) -> Result<PlannedPass> {
        let Self { element, caps, ranks, sought, .. } = *self;
        let ((target, first), next_totals) = if let Some(Next { known, totals }) = next {
            let (place, bytes) = (*known, Some(0..self.state_bytes()));
            ((Bound { binding: binding::TARGET, place, bytes }, 0), totals.clone())
        } else {
            let results = match sought.ranking() {
                Ranking::Elements => self.results(ranks.into(), key_bytes(element))?,
                Ranking::Numbers => self.results(1, sought.bytes())?,
            };
            match &self.target {
                Target::Output(_) => (results, Bound { bytes: None, ..totals.clone() }),
                Target::Scratch(_, cleared) => (results, cleared.clone()),
            }
        };
        let workgroups = ranks.min(caps.max_grid());
        let [x, y] = caps.grid(workgroups);
        let source = Bound { binding: binding::SOURCE, ..known.clone() };
        let counted = Bound { binding: binding::FIRST_INPUT, ..totals.clone() };
        let cleared = next_totals.bytes.as_ref().map_or(0, |bytes| bytes.end / WORD_BYTES);
        let is_end = matches!(sought.extent, Some(Extent::UpTo | Extent::DownTo)) && step.is_last;
        let parameters = ChoiceParameters {
            shift: step.digit.shift,
            bits: step.digit.bits,
            is_last: u32::from(next.is_none()),
            first,
            count: ranks,
            workgroups,
            cleared: low_word(cleared),
            is_first: u32::from(step.is_first),
            is_end: u32::from(is_end && !step.is_of_place),
        };
        let element = if step.is_of_place { ElementKind::U64 } else { element };
        let mut constants = self.constants(element, self.choosing_size());
        constants.extend(self.turned().filter(|_| !step.is_of_place));
        constants.extend(sought.constants());
        Ok(PlannedPass {
            shader: Shader::Order(OrderShader::Choose(element, sought.ranking())),
            constants,
            dispatches: vec![RecordedDispatch {
                bindings: vec![source, target, counted, next_totals],
                parameters: parameters.words(),
                grid: [x, y, 1],
            }],
        })
    }

    /// Invocations of a workgroup that chooses, each of which has a sum of 64 bits.
    pub(super) fn choosing_size(&self) -> u32 {
        let Self { caps, tuning, .. } = self;
        let most = geometry::alone(caps.class, geometry::CHOOSE_SIZE, tuning.workgroup_size);
        let fit = (caps.workgroup_storage_bytes / 8).max(1);
        largest_power_of_two(caps.workgroup_size().min(fit)).min(most)
    }

    /// Where so many results are left, and words before the first.
    fn results(&self, len: u64, element_bytes: u64) -> Result<(Bound, u32)> {
        let offset_bytes = match self.target {
            Target::Output(offset_bytes) => offset_bytes,
            Target::Scratch(number, _) => {
                let (place, bytes) = (Place::Scratch(number), Some(0..len * element_bytes));
                return Ok((Bound { binding: binding::TARGET, place, bytes }, 0));
            }
        };
        let results = Run { offset_bytes, len, element_bytes };
        let (bytes, before) = results.bound(self.caps)?;
        let place = Place::Output;
        let target = Bound { binding: binding::TARGET, place, bytes: Some(bytes) };
        Ok((target, before * low_word(element_bytes / WORD_BYTES)))
    }

    /// What all invocations together take before a loop has taken all the turns it may.
    fn max_window_bytes(&self, counters: u32) -> u64 {
        let size = u64::from(self.tuning.workgroup_size);
        let is_sifted = sift::is_sifted(self.sought, self.element, self.caps);
        let edges = if is_sifted { sift::edges(self.ranks) } else { 0 };
        let of_search = search_turns(edges.max(self.ranks).into());
        // The tile's loop, those of its quads and words, each with that which leaves it, and searches.
        let per_quad = self.element.per_quad();
        let is_marked = is_sifted || self.sought.extent.is_some();
        let of_marks = if is_marked { 1 + per_quad } else { 0 };
        let of_quad = 4 + 5 + per_quad * of_search + of_marks;
        let room = 2 * u64::from(self.ranks);
        let of_counters = 2 * u64::from(counters).div_ceil(size) + room.div_ceil(size) + 8;
        self.tuning.max_window_bytes([of_quad, 1 + of_search, of_counters], self.caps)
    }
}
