// What the passes over segments share: offsets, results, and what workgroups hand over.

@group(0) @binding(2) var<storage, read_write> results: array<Output>;
@group(0) @binding(6) var<storage, read> offsets: array<u32>;

fn offset_at(index: u32) -> u32 {
    return offsets[parameters.first_offset + index];
}

// Leaves the result of a segment. `ahead` is what indices are ahead of those in the input; in the result
// they count from the segment's first element.
fn leave(segment: u32, total: Acc, ahead: u32) {
    let first = offset_at(segment) + ahead;
    let back = vec2<u32>(0u - first, select(0xffffffffu, 0u, first == 0u));
    results[parameters.first_slot + segment] = finish(rebase(total, back));
}

// A share's words in `shares`: whether it closes a segment that others may have begun, which one, what
// it has of that, and what it has of the segment that it leaves open.
const SHARE_WORDS: u32 = 2u + 2u * ACC_WORDS;
const OF_CLOSED: u32 = 2u;
const OF_OPEN: u32 = 2u + ACC_WORDS;
