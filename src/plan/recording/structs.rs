//! The structs of all shaders, as planners fill them in. Each field is explained in its shader.

use crate::plan::recording::parameters::{fields, parameters};

fields! {
    /// What there is behind a binding: elements, whole quads, and elements again.
    WindowParameters aligned 1 { head_first, head_count, body_first, body_end, tail_first, tail_count }
}

parameters! {
    /// The parameters of the first pass of a reduction.
    ElementsParameters of "kernels/elements.wgsl" as "Parameters" {
        window: WindowParameters,
        workgroups,
        first_slot,
        first_partial,
        partials,
        base_low,
        base_high,
    }

    /// The parameters of the first pass of a reduction of pairs.
    PairsParameters of "kernels/pairs.wgsl" as "Parameters" {
        window: WindowParameters,
        workgroups,
        first_slot,
        first_partial,
        partials,
        delta,
    }

    /// The parameters of the first pass of a reduction of what a mask leaves.
    MaskedParameters of "kernels/masked.wgsl" as "Parameters" {
        window: WindowParameters,
        workgroups,
        first_slot,
        first_partial,
        partials,
        base_low,
        base_high,
        delta,
    }

    /// The parameters of a later pass of a reduction.
    PartialsParameters of "kernels/partials.wgsl" as "Parameters" { count, workgroups, first_slot }

    /// What cuts the window of a pass over elements to as many as a number says.
    CountedParameters of "kernels/counted.wgsl" as "Parameters" {
        told: [[u32; 4]; 4],
        first_count,
        before,
        per_quad,
    }

    /// One of several small inputs.
    InputParameters of "kernels/inputs.wgsl" as "Input" { first, count }

    /// The parameters of several small inputs at once.
    InputsParameters of "kernels/inputs.wgsl" as "Parameters" {
        inputs: [InputParameters; 7],
        workgroups,
        first_slot,
    }

    /// The parameters of an exact sum.
    ExactParameters of "exact/gather.wgsl" as "Parameters" {
        window: WindowParameters,
        workgroups,
        slot,
        delta,
    }

    /// The parameters of a custom operator over a whole input.
    CustomParameters of "custom/fold.wgsl" as "FoldParameters" {
        window: WindowParameters,
        workgroups,
        share,
        base,
        delta,
        target_first,
        identity: [u32; 4],
    }

    /// Along an axis.
    AxisParameters of "axis/view.wgsl" as "Parameters" {
        first,
        length,
        stride,
        rows,
        parts,
        share,
        workgroups,
        turns,
        first_slot,
        part_slots,
        axis_low,
        axis_high,
        units,
        tiles,
        place_low,
        place_high,
        dimensions: [[u32; 4]; 5],
        identity_bits: [u32; 4],
        delta,
    }

    /// What finds where segments begin in tiles.
    SplitParameters of "segments/split.wgsl" as "Parameters" {
        window_first,
        window_end,
        len,
        most_segments,
        first_offset,
        tile,
        most_tiles,
        first_split,
        is_counted,
        first_count,
        base,
        per_quad,
        share_words,
    }

    /// What folds segments.
    SegmentsParameters of "segments/fold.wgsl" as "Parameters" {
        base_low,
        base_high,
        words,
        len,
        first_offset,
        first_split,
        workgroups,
        first_share,
        first_slot,
        has_lengths,
        shares,
        identity_bits: [u32; 4],
    }

    /// What folds the segments that workgroups share.
    CloseParameters of "segments/close.wgsl" as "Parameters" {
        shares,
        first_offset,
        first_slot,
        identity_bits: [u32; 4],
    }

    /// What finds the first offset that is wrong.
    JudgeParameters of "segments/judge.wgsl" as "Parameters" { first_offset, offsets, len }

    /// What merges elements of groups.
    GroupsParameters of "groups/gather.wgsl" as "Parameters" {
        first,
        end,
        delta,
        base,
        workgroups,
        groups,
    }

    /// What tells where windows of sums of groups are to lie.
    GroupsSampleParameters of "groups/sample.wgsl" as "Parameters" { first, stride, count }

    /// What makes results of groups.
    GroupsFinishParameters of "groups/finish.wgsl" as "Parameters" {
        groups,
        first_slot,
        invocations,
        has_lengths,
    }

    /// What finds where runs begin.
    HeadsParameters of "by_key/heads.wgsl" as "Parameters" {
        first_key,
        end_key,
        tiles,
        tiles_per_share,
        are_floats,
    }

    /// What adds up how many runs there are before each share.
    PlacesParameters of "by_key/places.wgsl" as "Parameters" { shares, len, count_slot }

    /// What leaves runs.
    RunsParameters of "by_key/runs.wgsl" as "Parameters" {
        first_key,
        words,
        words_per_share,
        key_slot,
    }

    /// What folds runs in one pass over keys and values.
    KeysParameters of "by_key/fold.wgsl" as "Parameters" {
        first_key,
        first_value,
        len,
        tiles,
        tiles_per_share,
        room,
        key_slot,
        first_slot,
    }

    /// What joins runs that shares have in common.
    JoinParameters of "by_key/join.wgsl" as "Parameters" { shares, first_slot, count_slot }

    /// What gathers runs from the lists of shares.
    GatherParameters of "by_key/gather.wgsl" as "Parameters" {
        shares,
        share_words,
        room,
        key_slot,
        first_slot,
    }

    /// How bins of elements are found.
    BinsParameters of "histogram/locate.wgsl" as "Places" {
        phase,
        bins,
        slots,
        lowest,
        highest,
        shift,
        edges,
        middle,
        scale,
        certain,
        below,
        above,
        lowest_high,
        highest_high,
    }

    /// The parameters of a histogram of counts.
    CountsParameters of "histogram/locate.wgsl" "histogram/gather.wgsl" as "Parameters" {
        window: WindowParameters,
        workgroups,
        copies,
        places: BinsParameters,
    }

    /// The parameters of a histogram of weights.
    WeightsParameters of "histogram/locate.wgsl" "histogram/weighted.wgsl" as "Parameters" {
        first,
        end,
        delta,
        workgroups,
        places: BinsParameters,
    }

    /// What copies totals.
    CopyParameters of "histogram/copy.wgsl" as "Parameters" { count, first, invocations }

    /// What rounds sums of weights.
    RoundParameters of "histogram/round.wgsl" as "Parameters" { count, first, invocations }

    /// What counts values of 8 bits in bins.
    ValuesParameters of "histogram/values.wgsl" as "Parameters" { bins, slots, first, invocations }

    /// What counts digits of keys or indices, or leaves elements.
    DigitsParameters of "order/gather.wgsl" as "Parameters" {
        window: WindowParameters,
        workgroups,
        ranks,
        shift,
        bits,
        base_low,
        base_high,
        first,
        kept_first,
        kept_room,
        spilled_first,
        spilled_room,
    }

    /// What takes keys of a sample.
    SampleParameters of "order/sample.wgsl" as "Parameters" { body_first, step, count, first }

    /// What tells whether ranks are within brackets.
    SettleParameters of "order/settle.wgsl" as "Parameters" { len, count, spilled_room }

    /// What finds digits of the keys of ranks.
    ChoiceParameters of "order/choose.wgsl" as "Parameters" {
        shift,
        bits,
        is_last,
        first,
        count,
        workgroups,
        cleared,
        is_first,
        is_end,
    }

    /// The parameters of a level of the ladder.
    LevelParameters of "ladder/09_grid_stride.wgsl" as "Work" {
        first,
        row_length,
        workgroups_per_row,
        first_slot,
        slots_per_row,
        first_row,
    }

    /// The parameters of a level of the ladder's histogram.
    HistogramLevelParameters of "ladder/histogram/1_workgroup_copy.wgsl" as "Work" {
        first,
        end,
        workgroups,
    }
}

/// What tests know of a struct.
#[cfg(test)]
struct Struct {
    /// Below `shaders/`.
    files: &'static [&'static str],
    /// In the shader.
    name: &'static str,
    fields: fn() -> Vec<(&'static str, u32)>,
    bytes: fn() -> usize,
}

#[cfg(test)]
mod tests {
    use super::ALL;
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    /// Where the program runs, which may be another machine than the one that compiled it, or where it was compiled.
    fn shaders() -> PathBuf {
        let here = PathBuf::from("shaders");
        if here.is_dir() { here } else { Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders") }
    }

    /// All files in a folder, and in those in it.
    fn files_in(folder: &Path) -> Vec<PathBuf> {
        let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let of = |path: PathBuf| if path.is_dir() { files_in(&path) } else { vec![path] };
        entries.flat_map(of).collect()
    }

    /// The structs of a text, by name.
    fn structs(text: &str) -> BTreeMap<String, String> {
        let after = text.split("\nstruct ").skip(1);
        let of = |rest: &str| {
            let end = rest.find("\n}").expect("it ends") + 2;
            let name = rest.split(' ').next().expect("it has a name");
            (name.to_owned(), format!("struct {}\n", &rest[..end]))
        };
        after.map(of).collect()
    }

    /// Names of a struct's members, where they begin, and the bytes of all.
    fn members(text: &str, name: &str) -> (Vec<(String, u32)>, u32) {
        let all = structs(text);
        let whole = &all[name];
        let inner = all.iter().filter(|(other, _)| *other != name && whole.contains(*other));
        let text: String = inner.map(|(_, text)| text.as_str()).chain([whole.as_str()]).collect();
        let module = naga::front::wgsl::parse_str(&text).unwrap();
        let (_, found) =
            module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name)).unwrap();
        let naga::TypeInner::Struct { members, span } = &found.inner else { panic!("{name}") };
        let named = members.iter().map(|member| (member.name.clone().unwrap(), member.offset));
        // What fills up to an alignment is nothing that is told.
        let is_told = |(name, _): &(String, u32)| !name.starts_with("padding") && name != "unused";
        (named.filter(is_told).collect(), *span)
    }

    #[test]
    fn shaders_have_the_same_structs() {
        for of in ALL {
            let texts = of.files.iter().map(|file| std::fs::read_to_string(shaders().join(file)));
            let text: String = texts.map(Result::unwrap).collect();
            let (there, bytes) = members(&text, of.name);
            let here: Vec<_> =
                (of.fields)().into_iter().map(|(name, offset)| (name.to_owned(), offset)).collect();
            assert_eq!(here, there, "{} of {:?}", of.name, of.files);
            assert_eq!((of.bytes)(), bytes.next_multiple_of(16) as usize, "{:?}", of.files);
        }
    }

    /// Each shader that is told something has its struct here; levels of the ladder stand alone, and have all the same.
    #[test]
    fn no_shader_has_another() {
        let known: Vec<_> = ALL.iter().flat_map(|of| of.files).collect();
        for file in files_in(&shaders()) {
            let text = std::fs::read_to_string(&file).unwrap();
            let below = file.strip_prefix(shaders()).unwrap().to_str().unwrap().replace('\\', "/");
            if !text.contains("var<uniform>") || known.contains(&&below.as_str()) {
                continue;
            }
            assert!(below.starts_with("ladder/"), "{below}");
            let (there, _) = members(&text, "Work");
            let is_alike = |of: &&super::Struct| {
                of.name == "Work" && {
                    let here = (of.fields)();
                    here.iter()
                        .map(|(name, at)| (*name, at))
                        .eq(there.iter().map(|(name, at)| (name.as_str(), at)))
                }
            };
            assert!(ALL.iter().any(|of| is_alike(&of)), "{below}: {there:?}");
        }
    }
}
