//! Cutting a view into pieces that a binding can cover, without a copy.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{MAX_WINDOWS, WORD_BYTES, step_and_alignment};
use crate::plan::shapes::axis::view::{
    Along, Dimension, MAX_DIMENSIONS, merged, number, positions, without_ones,
};
use std::ops::Range;

/// Some of the rows, and where the first of them is; of several axes at some positions of the outer ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Strip {
    pub(crate) outer: Vec<Dimension>,
    pub(crate) kept: Vec<Dimension>,
    /// The number of its first row's first element.
    pub(crate) first: i128,
    /// The number of its first result.
    pub(crate) first_slot: u64,
    /// The index of its first element among those of a result.
    pub(crate) place: u64,
}

/// Rows, and what is behind one binding each of all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) strip: Strip,
    /// All elements of the rows, in order: row-major, but that stretches at the same outer positions follow each other.
    pub(crate) blocks: Vec<Block>,
}

/// Some elements of each row of a piece, behind one binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The rows of the piece, and some of the outer positions.
    pub(crate) strip: Strip,
    /// A stretch of the axis.
    pub(crate) stretch: Range<u64>,
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
    /// All rows.
    pub(crate) fn of(along: &Along) -> Self {
        let (outer, kept) = (along.outer.clone(), along.kept.clone());
        Self { outer, kept, first: along.offset.into(), first_slot: 0, place: 0 }
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> u64 {
        self.kept.iter().map(|dimension| dimension.extent).product()
    }

    /// How many outer positions there are.
    pub(crate) fn positions(&self) -> u64 {
        positions(&self.outer)
    }

    /// The outer dimensions, and those that stay.
    fn dimensions(&self) -> impl Iterator<Item = &Dimension> {
        self.outer.iter().chain(&self.kept)
    }

    /// As what leaves partials sees it: a row is one at one outer position, and its slot that of its partial. Partials of
    /// neighbouring rows lie side by side, and those of `each` shares of a row follow each other at one position. In order,
    /// dimensions are the same for any number of shares; else they are as few as can be.
    pub(crate) fn of_partials(&self, each: u64, is_in_order: bool) -> Self {
        let (mut outer, mut kept) = (self.outer.clone(), self.kept.clone());
        number(&mut outer);
        number(&mut kept);
        for dimension in &mut outer {
            dimension.slots *= each * self.rows();
        }
        outer.extend(kept);
        let kept = if is_in_order { without_ones(outer) } else { merged(outer) };
        Self { outer: Vec::new(), kept, ..self.clone() }
    }

    /// Before its first element to after its last, of a stretch of the axis.
    fn range(&self, along: &Along, stretch: &Range<u64>) -> Range<i128> {
        let first = self.first + i128::from(stretch.start) * i128::from(along.stride);
        let axis = i128::from(stretch.end - stretch.start - 1) * i128::from(along.stride);
        let reaches = self.dimensions().map(Dimension::reach).chain([axis]);
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
        self.parts(&dimension, most, |strip, Range { start, end }| {
            if let Some(place) = strip.kept.get_mut(number) {
                place.extent = end - start;
            }
            strip.first_slot += start * dimension.slots;
        })
    }

    /// Splits the positions of an outer dimension as [`split`](Self::split) does rows.
    fn split_outer(&self, number: usize, most: u64) -> Result<Vec<Self>> {
        let Some(&dimension) = self.outer.get(number) else { return Ok(vec![self.clone()]) };
        self.parts(&dimension, most, |strip, Range { start, end }| {
            if let Some(place) = strip.outer.get_mut(number) {
                place.extent = end - start;
            }
            strip.place += start * dimension.places;
        })
    }

    /// Strips that begin at parts of a dimension of `most`, each of which `narrow` makes of this one.
    fn parts(
        &self,
        dimension: &Dimension,
        most: u64,
        narrow: impl Fn(&mut Self, Range<u64>),
    ) -> Result<Vec<Self>> {
        let ranges = ranges(dimension.extent, most)?;
        let strip = |range: Range<u64>| {
            let mut strip = self.clone();
            strip.first += i128::from(range.start) * i128::from(dimension.stride);
            narrow(&mut strip, range);
            strip
        };
        Ok(ranges.map(strip).collect())
    }

    /// Strips with no more results than so many between the first and the last.
    fn fewer_results(&self, most: i128) -> Result<Vec<Self>> {
        let reach = |dimension: &Dimension| (dimension.extent - 1) * dimension.slots;
        let farthest = self.kept.iter().enumerate().max_by_key(|(_, d)| reach(d));
        let others = |d: &Dimension| i128::from(self.slots() - reach(d));
        farthest.map_or(Ok(Vec::new()), |(number, d)| {
            let slots = i64::try_from(d.slots).unwrap_or(i64::MAX);
            self.split(number, at_most(most - others(d), slots))
        })
    }

    /// The rows of `strips`, which are those of this one at some positions, at all positions.
    fn at_all_positions(&self, strips: Vec<Self>) -> Vec<Self> {
        // Rows begin as far from the first at every position.
        let first = strips.first().map_or(0, |strip| strip.first);
        let whole = |strip: Self| {
            let first = self.first + (strip.first - first);
            Self { outer: self.outer.clone(), first, place: self.place, ..strip }
        };
        strips.into_iter().map(whole).collect()
    }

    /// Strips of one row each along the shortest dimension, which is none of theirs then.
    fn without_shortest(&self) -> Result<Vec<Self>> {
        let shortest = self.kept.iter().enumerate().min_by_key(|(_, dimension)| dimension.extent);
        let number = shortest.map_or(0, |(number, _)| number);
        let mut strips = self.split(number, 1)?;
        for strip in &mut strips {
            strip.kept.remove(number);
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

impl Piece {
    /// The piece's rows in two halves, with their elements behind the same bindings; nothing of a single row.
    pub(crate) fn halves(&self) -> Option<Result<Vec<Self>>> {
        let of_strip = self.strip.halves()?;
        let of_blocks = self.blocks.iter().map(|block| block.strip.halves().transpose());
        let of_blocks = of_blocks.collect::<Result<Vec<_>>>();
        let halves = of_strip.and_then(|strips| {
            let of_blocks = of_blocks?;
            let pieces = strips.into_iter().enumerate().map(|(number, strip)| {
                let blocks = self.blocks.iter().zip(&of_blocks);
                let blocks = blocks.filter_map(|(block, halves)| {
                    let strip = halves.as_ref()?.get(number)?.clone();
                    Some(Block { strip, stretch: block.stretch.clone() })
                });
                Piece { strip, blocks: blocks.collect() }
            });
            Ok(pieces.collect())
        });
        Some(halves)
    }
}

/// About equal ranges of at most `most`; unless they are more than a plan may have.
fn ranges(extent: u64, most: u64) -> Result<impl Iterator<Item = Range<u64>>> {
    let pieces = extent.div_ceil(most.max(1)).max(1);
    check_bindings(pieces)?;
    let each = extent.div_ceil(pieces);
    Ok(stretches(extent, each))
}

/// An input, or what has the same view beside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) parts: &'a [Part],
    pub(crate) element_bytes: u64,
}

/// What pieces depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cutter<'a> {
    pub(crate) along: &'a Along,
    pub(crate) input: Seen<'a>,
    /// A second input, or a mask: as many elements.
    pub(crate) beside: Option<Seen<'a>>,
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
        let (mut pieces, mut rest) = (Vec::new(), vec![strip]);
        let mut windows = 0;
        while let Some(strip) = rest.pop() {
            match self.blocks(&strip)? {
                Cut::Whole(blocks) => {
                    windows += blocks.len();
                    pieces.push(Piece { strip, blocks });
                }
                // The first is to be taken up next.
                Cut::Rows(strips) | Cut::Outer(strips) => rest.extend(strips.into_iter().rev()),
            }
            check_bindings((rest.len() + windows.max(pieces.len())) as u64)?;
        }
        Ok(pieces)
    }

    /// All elements of a strip's rows, or shorter strips.
    fn blocks(&self, strip: &Strip) -> Result<Cut> {
        if strip.kept.len() >= MAX_DIMENSIONS {
            return strip.without_shortest().map(Cut::Rows);
        }
        let mut elements = self.room(self.input.element_bytes)?;
        if let Some(beside) = self.beside {
            elements = elements.min(self.room(beside.element_bytes)?);
        }
        let rooms = (elements, self.room(self.output_bytes)?);
        let (mut blocks, mut rest) = (Vec::new(), vec![strip.clone()]);
        while let Some(at) = rest.pop() {
            match self.cut(&at, rooms)? {
                Cut::Whole(of_positions) => blocks.extend(of_positions),
                Cut::Outer(strips) => rest.extend(strips.into_iter().rev()),
                // All positions are to have the same rows.
                Cut::Rows(strips) => return Ok(Cut::Rows(strip.at_all_positions(strips))),
            }
            check_bindings((rest.len() + blocks.len()) as u64)?;
        }
        Ok(Cut::Whole(blocks))
    }

    /// Stretches of the axis, or fewer rows or positions. What reaches farthest is cut.
    fn cut(&self, strip: &Strip, (elements, results): (i128, i128)) -> Result<Cut> {
        let mut stretch = self.along.len.min(LONGEST_STRETCH);
        let reaches = || strip.dimensions().map(|dimension| dimension.reach().abs());
        let others: i128 = reaches().sum();
        let farthest = reaches().enumerate().max_by_key(|&(_, reach)| reach);
        let (number, farthest) = farthest.unwrap_or((0, 0));
        let along =
            |stretch: u64| i128::from(stretch - 1) * i128::from(self.along.stride.unsigned_abs());
        if others + along(stretch) >= elements && along(stretch) >= farthest {
            let most = at_most(elements - 1 - others, self.along.stride);
            let most = if most > STRETCH { most - most % STRETCH } else { most };
            let count = self.along.len.div_ceil(most);
            stretch = self.along.len.div_ceil(count).next_multiple_of(STRETCH).min(most);
        }
        if others + along(stretch) >= elements {
            let stride = strip.dimensions().nth(number).map_or(1, |dimension| dimension.stride);
            let others = others - farthest + along(stretch);
            return self.split(strip, number, at_most(elements - 1 - others, stride));
        }
        if i128::from(strip.slots()) > results {
            return strip.fewer_results(results).map(Cut::Rows);
        }
        let Some(cuts) = self.cuts_between_parts(strip) else {
            let farthest = strip.dimensions().nth(number).map_or(1, |dimension| dimension.extent);
            return self.split(strip, number, farthest.div_ceil(2));
        };
        let mut blocks = Vec::new();
        for (&start, &end) in cuts.iter().zip(cuts.iter().skip(1)) {
            check_bindings((end - start).div_ceil(stretch.max(1)))?;
            let of_part = stretches(end - start, stretch);
            blocks.extend(of_part.map(|range| Block {
                strip: strip.clone(),
                stretch: start + range.start..start + range.end,
            }));
        }
        Ok(Cut::Whole(blocks))
    }

    /// Cuts one of the outer dimensions and of those that stay. In order, the slowest outer one is cut first.
    fn split(&self, strip: &Strip, number: usize, most: u64) -> Result<Cut> {
        if let Some(kept) = number.checked_sub(strip.outer.len()) {
            return strip.split(kept, most).map(Cut::Rows);
        }
        let slowest = strip.outer.iter().position(|dimension| dimension.extent > 1);
        let strips = match slowest.filter(|&slowest| self.along.is_in_order && slowest < number) {
            Some(slowest) => strip.split_outer(slowest, 1),
            None => strip.split_outer(number, most),
        };
        strips.map(Cut::Outer)
    }

    /// Where on the axis all rows of a strip pass from one buffer of the input to the next, between 0 and the end;
    /// nothing, if they do so at different places.
    fn cuts_between_parts(&self, strip: &Strip) -> Option<Vec<u64>> {
        let (len, stride) = (self.along.len, i128::from(self.along.stride));
        let whole = strip.range(self.along, &(0..len));
        let mut cuts = vec![0, len];
        let beside = self.beside.iter().flat_map(Seen::boundaries);
        for boundary in self.input.boundaries().chain(beside) {
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

    /// The binding of a block.
    pub(crate) fn window(&self, block: &Block) -> Result<Window> {
        self.window_of(self.input, block)
    }

    /// What is beside a block, if something is: its binding, whose first element is that of the first row, too.
    pub(crate) fn window_beside(&self, block: &Block) -> Result<Option<Window>> {
        self.beside.map(|beside| self.window_of(beside, block)).transpose()
    }

    fn window_of(&self, seen: Seen<'_>, Block { strip, stretch }: &Block) -> Result<Window> {
        let range = strip.range(self.along, stretch);
        let (part, before) = seen.part_of(&range);
        let range = range.start - before..range.end - before;
        let outside = || Error::InvalidView { what: "it reaches beyond its buffer".into() };
        let byte = |element: i128| u64::try_from(element * i128::from(seen.element_bytes));
        let low = byte(range.start).map_err(|_| outside())?;
        let end = byte(range.end).map_err(|_| outside())?;
        self.caps.check_buffer(end)?;
        let (_, alignment) = step_and_alignment(self.caps, u64::MAX)?;
        let start = low - low % alignment;
        let first = strip.first + i128::from(stretch.start) * i128::from(self.along.stride);
        let first = first - before - i128::from(start / seen.element_bytes);
        let bytes = start..end.next_multiple_of(WORD_BYTES);
        Ok(Window { part, bytes, first: u32::try_from(first).map_err(|_| outside())? })
    }
}

impl Seen<'_> {
    /// Where one buffer ends and the next begins. What lies behind the last is no buffer's, and refused elsewhere.
    fn boundaries(&self) -> impl Iterator<Item = i128> {
        let inner = self.parts.iter().rev().skip(1).rev();
        inner.scan(0_i128, |boundary, part| {
            *boundary += i128::from(part.len);
            Some(*boundary)
        })
    }

    /// The buffer of elements with these numbers, and the number that the first element of that buffer would have.
    fn part_of(&self, range: &Range<i128>) -> (usize, i128) {
        let mut start = 0;
        for (number, part) in self.parts.iter().enumerate() {
            let end = start + i128::from(part.len);
            if range.start < end {
                return (number, start - i128::from(part.offset_bytes / self.element_bytes.max(1)));
            }
            start = end;
        }
        (0, 0)
    }
}

/// A strip as it can be bound, or cut on.
enum Cut {
    /// All of it, each block by one binding.
    Whole(Vec<Block>),
    /// Shorter ones.
    Rows(Vec<Strip>),
    /// All of its rows, at fewer outer positions.
    Outer(Vec<Strip>),
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
