//! Cutting a view into pieces that a binding can cover, without a copy.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{MAX_WINDOWS, WORD_BYTES, step_and_alignment};
use crate::plan::shapes::axis::view::{Along, Dimension};
use std::ops::Range;

/// Some of the rows, and where the first of them is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Strip {
    pub(crate) kept: Vec<Dimension>,
    /// The number of its first row's first element.
    pub(crate) first: i128,
    /// The number of its first result.
    pub(crate) first_slot: u64,
}

/// Rows of which all that lies in a stretch of the axis is behind one binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) strip: Strip,
    /// Stretches of the axis, in order.
    pub(crate) stretches: Vec<Range<u64>>,
}

/// What is bound of the input, and where in it the first row begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// The number of the buffer.
    pub(crate) part: usize,
    pub(crate) bytes: Range<u64>,
    pub(crate) first: u32,
}

impl Strip {
    /// How many rows there are.
    pub(crate) fn rows(&self) -> u64 {
        self.kept.iter().map(|dimension| dimension.extent).product()
    }

    /// Before its first element to after its last, of a stretch of the axis.
    fn range(&self, along: &Along, stretch: &Range<u64>) -> Range<i128> {
        let first = self.first + i128::from(stretch.start) * i128::from(along.stride);
        let axis = i128::from(stretch.end - stretch.start - 1) * i128::from(along.stride);
        let reaches = self.kept.iter().map(Dimension::reach).chain([axis]);
        let (low, high) = reaches
            .fold((first, first), |(low, high), reach| (low + reach.min(0), high + reach.max(0)));
        low..high + 1
    }

    /// From its first result to after its last.
    pub(crate) fn slots(&self) -> u64 {
        let last = |dimension: &Dimension| (dimension.extent - 1) * dimension.slots;
        self.kept.iter().map(last).sum::<u64>() + 1
    }

    /// Splits the rows into strips of `most` along a dimension, about equal; unless they are more than a plan may have.
    fn split(&self, number: usize, most: u64) -> Result<Vec<Self>> {
        let Some(&dimension) = self.kept.get(number) else { return Ok(vec![self.clone()]) };
        let pieces = dimension.extent.div_ceil(most.max(1)).max(1);
        check_bindings(pieces)?;
        let each = dimension.extent.div_ceil(pieces);
        let mut strips = Vec::new();
        let mut start = 0;
        while start < dimension.extent {
            let mut strip = self.clone();
            if let Some(place) = strip.kept.get_mut(number) {
                place.extent = each.min(dimension.extent - start);
            }
            strip.first += i128::from(start) * i128::from(dimension.stride);
            strip.first_slot += start * dimension.slots;
            strips.push(strip);
            start += each;
        }
        Ok(strips)
    }

    /// Two halves along the longest dimension; nothing of a single row.
    pub(crate) fn halves(&self) -> Option<Result<Vec<Self>>> {
        let longest = self.kept.iter().enumerate().max_by_key(|(_, dimension)| dimension.extent);
        let (number, dimension) = longest.filter(|(_, dimension)| dimension.extent > 1)?;
        Some(self.split(number, dimension.extent.div_ceil(2)))
    }
}

/// What pieces depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cutter<'a> {
    pub(crate) along: &'a Along,
    pub(crate) input: &'a [Part],
    pub(crate) element_bytes: u64,
    pub(crate) output_bytes: u64,
    pub(crate) caps: &'a Caps,
}

impl Cutter<'_> {
    /// Elements of `bytes` that one binding surely covers, wherever they begin.
    fn room(&self, bytes: u64) -> Result<i128> {
        let (step, alignment) = step_and_alignment(self.caps, u64::MAX)?;
        // Three words are behind up to three times as much that is not theirs: see `binding_start`.
        let odd = bytes.max(1) >> bytes.max(1).trailing_zeros();
        let room = step.saturating_sub(odd.saturating_mul(alignment)) / bytes;
        if room == 0 {
            let what = format!("a binding of {step} bytes holds nothing of {bytes}");
            return Err(Error::InvalidBuffer { what });
        }
        Ok(room.into())
    }

    /// Pieces that have every row once.
    pub(crate) fn pieces(&self, strip: Strip) -> Result<Vec<Piece>> {
        let (elements, results) = (self.room(self.element_bytes)?, self.room(self.output_bytes)?);
        let (mut pieces, mut rest) = (Vec::new(), vec![strip]);
        let mut windows = 0;
        while let Some(strip) = rest.pop() {
            match self.cut(&strip, elements, results)? {
                Cut::Stretches(stretches) => {
                    windows += stretches.len();
                    pieces.push(Piece { strip, stretches });
                }
                // The first is to be taken up next.
                Cut::Strips(strips) => rest.extend(strips.into_iter().rev()),
            }
            check_bindings((rest.len() + windows.max(pieces.len())) as u64)?;
        }
        Ok(pieces)
    }

    /// Stretches of the axis, or shorter strips. What reaches farthest is cut.
    fn cut(&self, strip: &Strip, elements: i128, results: i128) -> Result<Cut> {
        let mut stretch = self.along.len.min(LONGEST_STRETCH);
        let reaches = || strip.kept.iter().map(|dimension| dimension.reach().abs());
        let kept: i128 = reaches().sum();
        let farthest = reaches().enumerate().max_by_key(|&(_, reach)| reach);
        let (number, farthest) = farthest.unwrap_or((0, 0));
        let along =
            |stretch: u64| i128::from(stretch - 1) * i128::from(self.along.stride.unsigned_abs());
        if kept + along(stretch) >= elements && along(stretch) >= farthest {
            let most = at_most(elements - 1 - kept, self.along.stride);
            let most = if most > STRETCH { most - most % STRETCH } else { most };
            let count = self.along.len.div_ceil(most);
            stretch = self.along.len.div_ceil(count).next_multiple_of(STRETCH).min(most);
        }
        if kept + along(stretch) >= elements {
            let stride = strip.kept.get(number).map_or(1, |dimension| dimension.stride);
            let others = kept - farthest + along(stretch);
            return strip.split(number, at_most(elements - 1 - others, stride)).map(Cut::Strips);
        }
        if i128::from(strip.slots()) > results {
            let reach = |dimension: &Dimension| (dimension.extent - 1) * dimension.slots;
            let farthest = strip.kept.iter().enumerate().max_by_key(|(_, d)| reach(d));
            let others = |d: &Dimension| i128::from(strip.slots() - reach(d));
            let strips = farthest.map_or(Ok(Vec::new()), |(number, d)| {
                let slots = i64::try_from(d.slots).unwrap_or(i64::MAX);
                strip.split(number, at_most(results - others(d), slots))
            });
            return strips.map(Cut::Strips);
        }
        let Some(cuts) = self.cuts_between_parts(strip) else {
            let farthest = strip.kept.get(number).map_or(1, |dimension| dimension.extent);
            return strip.split(number, farthest.div_ceil(2)).map(Cut::Strips);
        };
        let mut ranges = Vec::new();
        for (&start, &end) in cuts.iter().zip(cuts.iter().skip(1)) {
            check_bindings((end - start).div_ceil(stretch.max(1)))?;
            let of_part = stretches(end - start, stretch);
            ranges.extend(of_part.map(|range| start + range.start..start + range.end));
        }
        Ok(Cut::Stretches(ranges))
    }

    /// Where on the axis all rows of a strip pass from one buffer of the input to the next, between 0 and the end;
    /// nothing, if they do so at different places.
    fn cuts_between_parts(&self, strip: &Strip) -> Option<Vec<u64>> {
        let (len, stride) = (self.along.len, i128::from(self.along.stride));
        let whole = strip.range(self.along, &(0..len));
        let mut cuts = vec![0, len];
        let mut boundary = 0_i128;
        // What lies behind the last is no buffer's, and refused elsewhere.
        for part in self.input.iter().rev().skip(1).rev() {
            boundary += i128::from(part.len);
            if boundary <= whole.start || boundary >= whole.end {
                continue;
            }
            // Elements 0 of all rows lie in this range.
            let firsts = strip.range(self.along, &(0..1));
            let (ahead, behind) = match stride.signum() {
                1 => (boundary - firsts.start, boundary - firsts.end),
                -1 => (firsts.end - boundary, firsts.start - boundary),
                _ => return None,
            };
            // The first from which on all rows are beyond the boundary, and the last before it which none is.
            let cut = div_ceil(ahead, stride.abs());
            let last_before = cut - 1;
            if last_before >= 0 && last_before * stride.abs() > behind {
                return None;
            }
            let cut = u64::try_from(cut.max(0)).ok().filter(|&cut| cut < len)?;
            cuts.push(cut);
        }
        cuts.sort_unstable();
        cuts.dedup();
        Some(cuts)
    }

    /// The buffer of elements with these numbers, and the number that the first element of that buffer would have.
    fn part_of(&self, range: &Range<i128>) -> (usize, i128) {
        let mut start = 0;
        for (number, part) in self.input.iter().enumerate() {
            let end = start + i128::from(part.len);
            if range.start < end {
                return (number, start - i128::from(part.offset_bytes / self.element_bytes.max(1)));
            }
            start = end;
        }
        (0, 0)
    }

    /// The binding of a stretch of the axis.
    pub(crate) fn window(&self, strip: &Strip, stretch: &Range<u64>) -> Result<Window> {
        let range = strip.range(self.along, stretch);
        let (part, before) = self.part_of(&range);
        let range = range.start - before..range.end - before;
        let outside = || Error::InvalidView { what: "it reaches beyond its buffer".into() };
        let byte = |element: i128| u64::try_from(element * i128::from(self.element_bytes));
        let low = byte(range.start).map_err(|_| outside())?;
        let end = byte(range.end).map_err(|_| outside())?;
        self.caps.check_buffer(end)?;
        let (_, alignment) = step_and_alignment(self.caps, u64::MAX)?;
        let start = low - low % alignment;
        let first = strip.first + i128::from(stretch.start) * i128::from(self.along.stride);
        let first = first - before - i128::from(start / self.element_bytes);
        let bytes = start..end.next_multiple_of(WORD_BYTES);
        Ok(Window { part, bytes, first: u32::try_from(first).map_err(|_| outside())? })
    }
}

/// A strip as it can be bound, or cut on.
enum Cut {
    /// Stretches of the axis, each of which one binding covers.
    Stretches(Vec<Range<u64>>),
    /// Shorter ones.
    Strips(Vec<Strip>),
}

/// Fails where there are more bindings than a plan may have.
fn check_bindings(bindings: u64) -> Result<()> {
    if bindings <= MAX_WINDOWS {
        return Ok(());
    }
    Err(Error::InvalidView { what: format!("it needs more than {MAX_WINDOWS} bindings") })
}

/// Stretches begin at multiples of it where they can: whole quads stay whole.
const STRETCH: u64 = 64;

/// Shaders count along a stretch in words, also where it takes no room, as with a stride of 0.
const LONGEST_STRETCH: u64 = 1 << 31;

/// How many there may be, a stride apart, if the last is no farther from the first than `reach`.
fn at_most(reach: i128, stride: i64) -> u64 {
    let stride = i128::from(stride.unsigned_abs().max(1));
    u64::try_from(reach.max(0) / stride).unwrap_or(u64::MAX).saturating_add(1)
}

fn div_ceil(dividend: i128, divisor: i128) -> i128 {
    dividend.div_euclid(divisor) + i128::from(dividend.rem_euclid(divisor) != 0)
}

/// Stretches of an axis, in order.
fn stretches(len: u64, stretch: u64) -> impl Iterator<Item = Range<u64>> {
    let count = len.div_ceil(stretch.max(1));
    (0..count).map(move |number| number * stretch..len.min((number + 1) * stretch))
}
