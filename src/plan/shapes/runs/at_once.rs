//! The passes that fold the values of runs while they look for them, where an accumulator is a word.

use crate::error::Result;
use crate::op::element::ElementKind;
use crate::op::{OpRecord, Over};
use crate::plan::caps::Caps;
use crate::plan::cut::window::{QUAD_BYTES, WORD_BYTES};
use crate::plan::geometry::{self, largest_power_of_two};
use crate::plan::recording::{
    Bound, Constants, Contents, GatherParameters, JoinParameters, KeysParameters, Place,
    PlannedPass, Recording, Scratch, binding,
};
use crate::plan::shapes::runs::Room;
use crate::plan::shapes::runs::finder::{Keys, Split, too_many, whole_quads};
use crate::plan::shapes::runs::shader::ByKeyShader;
use crate::plan::shapes::segments::{SegmentsParts, collective_of_scan, depth_of_scan};

/// Tiles of runs of [`RUN`] elements.
fn split(len: u64, caps: &Caps) -> Result<Split> {
    let wanted = geometry::heads_with_values(caps.class, caps.subgroups);
    Split::new(len, RUN.into(), wanted, TURNS_PER_TILE, caps)
}

/// Runs that a share's list has room for: so many that runs of usual lengths fit, and that lists take less memory
/// than keys. Shares with more are folded twice.
const fn places_of(split: Split) -> u32 {
    split.size * RUN / ELEMENTS_PER_PLACE * split.tiles_per_share
}

/// What is folded, and where.
pub(crate) struct AtOnce<'a> {
    pub(crate) keys: Keys<'a>,
    pub(crate) operation: &'static OpRecord,
    pub(crate) over: Over,
    pub(crate) element: ElementKind,
}

/// What the passes bind, and which word of it is the first.
struct Bounds {
    keys: (Bound, u32),
    values: (Bound, u32),
    run_keys: (Bound, u32),
    count: (Bound, u32),
    results: (Bound, u32),
    report: Bound,
    listed_keys: Bound,
    listed_totals: Bound,
    shares: Bound,
}

impl AtOnce<'_> {
    /// Whether there is such a way: for results of a word of elements and keys of a word, in one binding.
    pub(crate) fn is_possible(&self) -> bool {
        let Keys { place, values, caps, bytes: key_bytes, .. } = self.keys;
        let is_of_words = key_bytes == WORD_BYTES
            && self.over.accumulator.words() == 1
            && self.over.output_bytes == WORD_BYTES
            && self.element.size_bytes() == WORD_BYTES;
        let largest =
            values.iter().map(|part| part.offset_bytes % caps.storage_alignment_bytes.max(1));
        let bytes = place.len.saturating_mul(WORD_BYTES).saturating_add(largest.max().unwrap_or(0));
        let size = u64::from(largest_power_of_two(caps.workgroup_size()).min(64));
        is_of_words
            && place.len > 0
            && values.len() == 1
            && bytes <= caps.max_binding_bytes
            && size * BYTES_PER_INVOCATION <= u64::from(caps.workgroup_storage_bytes)
    }

    /// All passes.
    pub(crate) fn build(&self, room: Room) -> Result<Recording> {
        let split = split(self.keys.place.len, self.keys.caps)?;
        let mut scratch = Vec::new();
        let bounds = self.bounds(room, split, &mut scratch)?;
        let passes = vec![
            self.fold(split, &bounds, false),
            self.join(split, &bounds),
            self.gather(split, &bounds),
            self.fold(split, &bounds, true),
        ];
        Recording { passes, scratch, ..Recording::new() }.within(self.keys.caps)
    }

    /// Most roundings between an element and its run's result.
    pub(crate) fn roundings(&self) -> Result<u64> {
        let caps = self.keys.caps;
        let split = split(self.keys.place.len, caps)?;
        let last = self.join_size(split);
        let of_tiles = u64::from(RUN) + depth_of_scan(caps, split.size);
        let of_shares = 2 * u64::from(split.shares.div_ceil(last)) + depth_of_scan(caps, last);
        // To the carry of each tile, to what is before, and to what is closed, in both passes.
        Ok(of_tiles + u64::from(split.tiles_per_share) + of_shares + 6)
    }

    fn parts(&self, size: u32) -> SegmentsParts {
        SegmentsParts {
            collective: collective_of_scan(self.keys.caps, size),
            operation: self.operation,
            element: self.element,
            // Whether integers of 64 bits serve here is not measured.
            native: self.over.accumulator.is_of_f64() && self.over.is_native_on(self.keys.caps),
            votes: false,
            looks_ahead: false,
            over: self.over,
        }
    }

    fn constants(&self, size: u32) -> Constants {
        let mut constants = self.parts(size).collective.constants(self.keys.caps);
        constants.push(("WORKGROUP_SIZE", size));
        constants
    }

    /// The pass over shares is one workgroup, and large on a GPU: there are thousands.
    fn join_size(&self, split: Split) -> u32 {
        let caps = self.keys.caps;
        let most = u64::from(caps.workgroup_storage_bytes) / BYTES_PER_INVOCATION_OF_JOIN;
        let most = u32::try_from(most).unwrap_or(u32::MAX).min(caps.workgroup_size());
        geometry::alone(caps.class, largest_power_of_two(most), split.size)
    }

    fn bounds(&self, room: Room, split: Split, scratch: &mut Vec<Scratch>) -> Result<Bounds> {
        let Keys { place, values, caps, output_offsets_bytes, .. } = self.keys;
        let mut words = |words: u64| {
            let bytes = (words * WORD_BYTES).max(QUAD_BYTES);
            if bytes > caps.max_binding_bytes {
                return Err(too_many());
            }
            scratch.push(Scratch { bytes, contents: Contents::Anything });
            let place = Place::Scratch(scratch.len() - 1);
            Ok(Bound { binding: binding::SOURCE, place, bytes: Some(0..bytes) })
        };
        let places = u64::from(places_of(split)) * u64::from(split.shares);
        let listed_keys = words(places)?;
        let listed_totals = words(places)?;
        let shares = words(u64::from(split.shares * SHARE_WORDS))?;
        let report = match output_offsets_bytes {
            Some(_) => words(1)?,
            None => self.keys.bound(Place::Output, room.layout.report_first, 1)?.0,
        };
        let [run_keys, count] = self.keys.targets(room)?;
        let first_value = values.first().map_or(0, |part| part.offset_bytes);
        let first_result = output_offsets_bytes.map_or(0, |[results, ..]| results);
        Ok(Bounds {
            keys: self.keys.bound(Place::Input(values.len()), place.offset_bytes, place.len)?,
            values: self.keys.bound(Place::Input(0), first_value, place.len)?,
            run_keys,
            count,
            results: self.keys.bound(Place::Output, first_result, place.len)?,
            report,
            listed_keys,
            listed_totals,
            shares,
        })
    }

    /// Into lists; or again, and where it belongs, what had not room there.
    fn fold(&self, split: Split, bounds: &Bounds, again: bool) -> PlannedPass {
        let Bounds { keys, values, run_keys, results, shares, .. } = bounds;
        let [to_keys, to_totals] = if again {
            [&run_keys.0, &results.0]
        } else {
            [&bounds.listed_keys, &bounds.listed_totals]
        };
        let (key_quads, value_quads) = (whole_quads(&keys.0), whole_quads(&values.0));
        let bound = [
            (binding::SOURCE, &keys.0),
            (binding::VECTORS, &key_quads),
            (binding::PARTNER_WORDS, &values.0),
            (binding::PARTNER_QUADS, &value_quads),
            (binding::TARGET, to_keys),
            (binding::ARRIVALS, to_totals),
            (binding::PARTIALS, shares),
        ];
        let mut constants = self.constants(split.size);
        constants.push(("ARE_FLOATS", u32::from(self.keys.are_floats)));
        let are_aligned = keys.1.is_multiple_of(4) && values.1.is_multiple_of(4);
        constants.push(("ALIGNED", u32::from(are_aligned)));
        constants.push(("AGAIN", u32::from(again)));
        // One binding holds them.
        let len = u32::try_from(self.keys.place.len).unwrap_or(u32::MAX);
        let Split { tiles, tiles_per_share, .. } = split;
        let parameters = KeysParameters {
            first_key: keys.1,
            first_value: values.1,
            len,
            tiles,
            tiles_per_share,
            room: places_of(split),
            key_slot: run_keys.1,
            first_slot: results.1,
        };
        let shader = ByKeyShader::Fold(self.parts(split.size));
        self.keys.pass(shader, split.shares, constants, &bound, &parameters)
    }

    fn join(&self, split: Split, bounds: &Bounds) -> PlannedPass {
        let Bounds { results, count, shares, .. } = bounds;
        let bound = [
            (binding::TARGET, &results.0),
            (binding::ARRIVALS, &count.0),
            (binding::PARTIALS, shares),
        ];
        let size = self.join_size(split);
        let (first_slot, count_slot) = (results.1, count.1);
        let parameters = JoinParameters { shares: split.shares, first_slot, count_slot };
        let shader = ByKeyShader::Join(self.parts(size));
        self.keys.pass(shader, 1, self.constants(size), &bound, &parameters)
    }

    fn gather(&self, split: Split, bounds: &Bounds) -> PlannedPass {
        let Bounds { results, run_keys, report, listed_keys, listed_totals, shares, .. } = bounds;
        let bound = [
            (binding::SOURCE, listed_keys),
            (binding::VECTORS, shares),
            (binding::TARGET, &results.0),
            (binding::ARRIVALS, &run_keys.0),
            (binding::PARTIALS, report),
            (binding::PARTNER_WORDS, listed_totals),
        ];
        let parameters = GatherParameters {
            shares: split.shares,
            share_words: SHARE_WORDS,
            room: places_of(split),
            key_slot: run_keys.1,
            first_slot: results.1,
        };
        let caps = self.keys.caps;
        let [size, _] = geometry::allowed(caps, geometry::GATHER_SIZE, 1);
        let size = geometry::alone(caps.class, size, split.size);
        let constants = vec![("WORKGROUP_SIZE", size)];
        self.keys.pass(ByKeyShader::Gather, split.shares, constants, &bound, &parameters)
    }
}

/// Elements that an invocation folds one after another: `RUN` of `shaders/by_key/fold.wgsl`.
const RUN: u32 = 16;

/// Elements for which a list has one place.
const ELEMENTS_PER_PLACE: u32 = 8;

/// Words of a share where an accumulator is one: see `shaders/by_key/shares.wgsl`.
const SHARE_WORDS: u32 = 4;

/// Turns of the longest loops over a tile, generously: those over a run, and those of scans.
const TURNS_PER_TILE: u32 = 256;

/// In workgroup memory: what a run has closed, and what scans have.
const BYTES_PER_INVOCATION: u64 = 4 * (17 + 4);
const BYTES_PER_INVOCATION_OF_JOIN: u64 = 4 * 4;

#[cfg(test)]
mod tests {
    use super::{RUN, places_of, split};
    use crate::plan::caps::{AdapterClass, Caps};
    use proptest::prelude::{Just, prop_assert, prop_oneof, proptest};

    proptest! {
        /// Shares have all tiles, each once, none of them none, and no loop takes too long.
        #[test]
        fn shares_have_every_element_once(
            len in prop_oneof![1_u64..5000, 1_u64..1 << 30],
            max_workgroup_size in 1_u32..2048,
            max_loop_turns in prop_oneof![Just(u32::MAX), 1_u32..100_000],
            is_gpu in proptest::bool::ANY,
        ) {
            let class = if is_gpu { AdapterClass::Gpu } else { AdapterClass::Cpu };
            let caps = Caps { max_workgroup_size, max_loop_turns, class, ..Caps::baseline() };
            let split = split(len, &caps).unwrap();
            prop_assert!(split.size <= max_workgroup_size && split.size.is_power_of_two());
            let tile = u64::from(split.size) * u64::from(RUN);
            let tiles = u64::from(split.tiles);
            prop_assert!(tiles * tile >= len && (tiles - 1) * tile < len);
            let of_share = u64::from(split.tiles_per_share);
            let shares = u64::from(split.shares);
            prop_assert!(shares * of_share >= tiles && (shares - 1) * of_share < tiles);
            prop_assert!(split.shares <= caps.max_grid());
            prop_assert!(split.tiles_per_share <= (max_loop_turns / 256).max(1));
            prop_assert!(u64::from(places_of(split)) == of_share * tile / 8);
        }
    }
}
