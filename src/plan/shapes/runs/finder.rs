//! The passes that find runs of equal keys, whatever their values are reduced by.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::cut::window::{QUAD_BYTES, Run, WORD_BYTES};
use crate::plan::geometry;
use crate::plan::limits::unsupported;
use crate::plan::recording::{
    Bound, Constants, Contents, HeadsParameters, Parameters, Place, PlacesParameters, PlannedPass,
    RecordedDispatch, Recording, RunsParameters, Scratch, binding,
};
use crate::plan::shapes::runs::Room;
use crate::plan::shapes::runs::shader::ByKeyShader;
use crate::shader::Shader;
use std::ops::Range;

/// Keys, their values, and the device.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys<'a> {
    pub(crate) place: Part,
    /// The size of a key: one word or two.
    pub(crate) bytes: u64,
    pub(crate) are_floats: bool,
    pub(crate) values: &'a [Part],
    pub(crate) output_offsets_bytes: Option<[u64; 3]>,
    pub(crate) caps: &'a Caps,
}

impl Keys<'_> {
    /// Words from an offset on, and how many lie before them behind the binding.
    pub(crate) fn bound(&self, place: Place, offset: u64, words: u64) -> Result<(Bound, u32)> {
        self.bound_items(place, Run { offset_bytes: offset, len: words, element_bytes: WORD_BYTES })
    }

    /// So many keys from an offset on, and how many could lie before them behind the binding.
    fn bound_keys(&self, place: Place, offset: u64) -> Result<(Bound, u32)> {
        let (len, element_bytes) = (self.place.len, self.bytes);
        self.bound_items(place, Run { offset_bytes: offset, len, element_bytes })
    }

    fn bound_items(&self, place: Place, items: Run) -> Result<(Bound, u32)> {
        let (bytes, before) = items.bound(self.caps)?;
        if bytes.end - bytes.start > self.caps.max_binding_bytes {
            return Err(too_many());
        }
        let bytes = (!bytes.is_empty()).then_some(bytes);
        Ok((Bound { binding: binding::SOURCE, place, bytes }, before))
    }

    /// Words of a key.
    pub(crate) const fn words(&self) -> u32 {
        if self.bytes > WORD_BYTES { 2 } else { 1 }
    }

    /// A pass of so many workgroups.
    pub(crate) fn pass(
        &self,
        shader: ByKeyShader,
        workgroups: u32,
        constants: Constants,
        bound: &[(u32, &Bound)],
        parameters: &impl Parameters,
    ) -> PlannedPass {
        let [x, y] = self.caps.grid(workgroups.clamp(1, self.caps.max_grid()));
        let bind = |&(binding, bound): &(u32, &Bound)| Bound { binding, ..bound.clone() };
        PlannedPass {
            shader: Shader::ByKey(shader),
            constants,
            dispatches: vec![RecordedDispatch {
                bindings: bound.iter().map(bind).collect(),
                parameters: parameters.words(),
                grid: [x, y, 1],
            }],
        }
    }

    /// Where keys of runs and their number go: the caller's own buffers behind his others, or behind what segments
    /// leave; and which words of their bindings.
    pub(crate) fn targets(&self, room: Room) -> Result<[(Bound, u32); 2]> {
        let inputs = self.values.len();
        let (places, [keys, count]) = match self.output_offsets_bytes {
            Some([_, keys, count]) => {
                ([Place::Input(inputs + 1), Place::Input(inputs + 2)], [keys, count])
            }
            None => ([Place::Output; 2], [room.keys_first, room.count_first]),
        };
        Ok([self.bound_keys(places[0], keys)?, self.bound(places[1], count, 1)?])
    }
}

/// How keys are spread over workgroups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Split {
    /// Invocations of a workgroup that looks at keys.
    pub(crate) size: u32,
    /// Tiles have as many runs of consecutive keys, or words of bits, each.
    pub(crate) tiles: u32,
    pub(crate) tiles_per_share: u32,
    pub(crate) shares: u32,
}

impl Split {
    /// So many keys, of which an invocation has some of each tile, among so many workgroups of that size as far as
    /// the device has them; among more, where loops are kept short.
    pub(crate) fn new(
        keys: u64,
        of_invocation: u64,
        [size, wanted]: [u32; 2],
        turns_per_tile: u32,
        caps: &Caps,
    ) -> Result<Self> {
        let [size, _] = geometry::allowed(caps, size, 1);
        let tiles = u32::try_from(keys.div_ceil(u64::from(size) * of_invocation));
        let tiles = tiles.map_err(|_| too_many())?;
        let most = (caps.max_loop_turns / turns_per_tile).max(1);
        let wanted = tiles.div_ceil(most).max(wanted).min(caps.max_grid());
        let tiles_per_share = tiles.div_ceil(wanted.max(1)).max(1);
        Ok(Self { size, tiles, tiles_per_share, shares: tiles.div_ceil(tiles_per_share) })
    }

    fn of_bits(keys: &Keys<'_>) -> Result<Self> {
        let Keys { place, caps, bytes, .. } = keys;
        // Bits count from the start of the binding.
        let before = place.offset_bytes % caps.storage_alignment_bytes.max(1) / bytes;
        let end = if place.len > 0 { place.len.saturating_add(before) } else { 0 };
        Self::new(end, WORD_BITS, geometry::heads(caps.class), TURNS_PER_TILE, caps)
    }

    /// Words of bits.
    fn words(self) -> u32 {
        self.tiles * self.size
    }

    /// Invocations of a workgroup that leaves runs: its list of them lies in workgroup memory.
    fn list_size(self) -> u32 {
        self.size.min(geometry::LIST_SIZE)
    }
}

/// Finds where runs begin, and makes segments of them.
#[derive(Debug, Clone)]
pub(crate) struct Finder<'a> {
    keys: Keys<'a>,
    split: Split,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(keys: &Keys<'a>) -> Result<Self> {
        let (left, right) = (keys.place.len, len_of(keys.values));
        if left != right {
            return Err(Error::LengthMismatch { left, right });
        }
        if ![WORD_BYTES, 2 * WORD_BYTES].contains(&keys.bytes) {
            let what = format!("keys of {} bytes", keys.bytes);
            return Err(unsupported(what));
        }
        Ok(Self { keys: *keys, split: Split::of_bits(keys)? })
    }

    /// The offsets of the runs, which the values' segments are to have, and where it is said how many there are: behind the
    /// counts of shares.
    pub(crate) fn segments(&self) -> (Part, Option<u64>) {
        let offsets = Part { offset_bytes: 0, len: self.keys.place.len.saturating_add(1) };
        (offsets, Some(u64::from(self.split.shares) * WORD_BYTES))
    }

    /// All passes, those of the segments behind its own.
    pub(crate) fn with_segments(self, segments: &Recording, room: Room) -> Result<Recording> {
        Builder { keys: self.keys, segments, split: self.split, scratch: Vec::new() }.build(room)
    }
}

struct Builder<'a> {
    keys: Keys<'a>,
    segments: &'a Recording,
    split: Split,
    scratch: Vec<Scratch>,
}

/// What the passes bind.
struct Bounds {
    keys: Bound,
    key_quads: Bound,
    first_key: u32,
    bits: Bound,
    counts: Bound,
    offsets: Bound,
    run_keys: Bound,
    key_slot: u32,
    count: Bound,
    count_slot: u32,
}

impl Builder<'_> {
    fn build(mut self, room: Room) -> Result<Recording> {
        let len = self.keys.place.len;
        let bounds = self.bounds(room)?;
        let mut passes = vec![self.places(&bounds)];
        if len > 0 {
            passes.insert(0, self.heads(&bounds));
            passes.push(self.runs(&bounds));
        }
        let mut of_segments = self.segments.clone();
        let first = self.keys.values.len();
        let dispatches = of_segments.passes.iter_mut().flat_map(|pass| &mut pass.dispatches);
        for bound in dispatches.flat_map(|dispatch| &mut dispatch.bindings) {
            // Offsets and their number are not the caller's, but what the passes before leave.
            if bound.place == Place::Input(first) {
                bound.place = bounds.offsets.place;
            } else if bound.place == Place::Input(first + 1) {
                bound.place = bounds.counts.place;
            }
        }
        passes.append(&mut of_segments.passes);
        let scratch = [of_segments.scratch, self.scratch].concat();
        Recording { passes, scratch, ..Recording::new() }.within(self.keys.caps)
    }

    fn bounds(&mut self, room: Room) -> Result<Bounds> {
        let Part { offset_bytes, len } = self.keys.place;
        let inputs = self.keys.values.len();
        let (keys, first_key) = self.keys.bound_keys(Place::Input(inputs), offset_bytes)?;
        let [(run_keys, key_slot), (count, count_slot)] = self.keys.targets(room)?;
        let words = u64::from(self.split.words());
        let key_quads = whole_quads(&keys);
        Ok(Bounds {
            key_quads,
            keys,
            first_key,
            bits: self.scratch(words)?,
            counts: self.scratch(u64::from(self.split.shares) + 1)?,
            offsets: self.scratch(len + 1)?,
            run_keys,
            key_slot,
            count,
            count_slot,
        })
    }

    /// Words, behind those that the reduction of segments has.
    fn scratch(&mut self, words: u64) -> Result<Bound> {
        let place = Place::Scratch(self.segments.scratch.len() + self.scratch.len());
        let bytes = (words * WORD_BYTES).max(QUAD_BYTES);
        self.scratch.push(Scratch { bytes, contents: Contents::Anything });
        Ok(self.keys.bound(place, 0, bytes / WORD_BYTES)?.0)
    }

    fn heads(&self, bounds: &Bounds) -> PlannedPass {
        let Bounds { keys, key_quads, first_key, bits, counts, .. } = bounds;
        let bound = [
            (binding::SOURCE, keys),
            (binding::VECTORS, key_quads),
            (binding::TARGET, bits),
            (binding::PARTIALS, counts),
        ];
        let Split { size, tiles, tiles_per_share, shares } = self.split;
        let are_floats = u32::from(self.keys.are_floats);
        let end = first_key.saturating_add(self.len());
        let first_key = *first_key;
        let parameters =
            HeadsParameters { first_key, end_key: end, tiles, tiles_per_share, are_floats };
        let constants = vec![("WORKGROUP_SIZE", size), ("KEY_WORDS", self.keys.words())];
        self.keys.pass(ByKeyShader::Heads, shares, constants, &bound, &parameters)
    }

    fn places(&self, bounds: &Bounds) -> PlannedPass {
        let Bounds { offsets, counts, count, count_slot, .. } = bounds;
        let bound =
            [(binding::TARGET, offsets), (binding::ARRIVALS, count), (binding::PARTIALS, counts)];
        let caps = self.keys.caps;
        let [size, _] = geometry::allowed(caps, geometry::PLACES_SIZE, 1);
        let size = geometry::alone(caps.class, size, self.split.size);
        let (shares, len, count_slot) = (self.split.shares, self.len(), *count_slot);
        let parameters = PlacesParameters { shares, len, count_slot };
        let constants = vec![("WORKGROUP_SIZE", size)];
        self.keys.pass(ByKeyShader::Places, 1, constants, &bound, &parameters)
    }

    fn runs(&self, bounds: &Bounds) -> PlannedPass {
        let Bounds { keys, first_key, bits, counts, offsets, run_keys, key_slot, .. } = bounds;
        let bound = [
            (binding::SOURCE, keys),
            (binding::VECTORS, bits),
            (binding::TARGET, offsets),
            (binding::PARTIALS, run_keys),
            (binding::PARTNER_WORDS, counts),
        ];
        let Split { size, tiles_per_share, shares, .. } = self.split;
        let of_share = tiles_per_share.saturating_mul(size);
        let parameters = RunsParameters {
            first_key: *first_key,
            words: self.split.words(),
            words_per_share: of_share,
            key_slot: *key_slot,
        };
        let constants =
            vec![("WORKGROUP_SIZE", self.split.list_size()), ("KEY_WORDS", self.keys.words())];
        self.keys.pass(ByKeyShader::Runs, shares, constants, &bound, &parameters)
    }

    /// Segments have fewer than 2^32 elements.
    fn len(&self) -> u32 {
        u32::try_from(self.keys.place.len).unwrap_or(u32::MAX)
    }
}

/// Bits of a word.
const WORD_BITS: u64 = 32;

/// Turns of the longest loops over a tile, generously: two for each bit of a word, and those of a scan.
const TURNS_PER_TILE: u32 = 128;

/// The whole quads behind a binding.
pub(crate) fn whole_quads(bound: &Bound) -> Bound {
    let quads = |bytes: &Range<u64>| {
        let len = bytes.end - bytes.start;
        (len >= QUAD_BYTES).then(|| bytes.start..bytes.end - len % QUAD_BYTES)
    };
    Bound { bytes: bound.bytes.as_ref().and_then(quads), ..bound.clone() }
}

pub(crate) fn too_many() -> Error {
    unsupported("so many keys that one binding does not hold them")
}
