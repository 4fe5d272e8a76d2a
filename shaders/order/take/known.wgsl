// What is known of the one rank whose place is wanted: its key, and the first digits of its index in the input. Of elements with
// its key those with lesser indices stand before it.

const RANKS: u32 = 1u;

// The key, and how many elements with it stand before the rank.
@group(0) @binding(9) var<storage, read> keys: array<u32>;

var<private> known_key: Bits;
var<private> known_place: vec2<u32>;

// Whether every element with the key is wanted, whatever its index.
var<private> is_each_wanted: bool;

fn open_known() {
    known_key = bits_above(bits_from_words(vec2<u32>(keys[0], keys[1])), UNUSED);
    is_each_wanted = (keys[3] & EVERY_ALIKE) != 0u;
    if (!IS_FIRST) {
        known_place = vec2<u32>(ranks[0], ranks[1]);
    }
}

fn base() -> vec2<u32> {
    return vec2<u32>(parameters.base_low, parameters.base_high);
}

fn place_of(index: u32) -> vec2<u32> {
    return add64(base(), vec2<u32>(index, 0u));
}

fn key_of(value: Element) -> Bits {
    return bits_above(turned(sort_key(value)), UNUSED);
}

// An index in the input, as one behind the binding.
fn behind_binding(place: vec2<u32>) -> u32 {
    let index = minus64(place, base());
    return select(select(index.x, 0xffffffffu, index.y > 0u), 0u, index.y >= 0x80000000u);
}

// The quads that have elements from one index on, up to and without another.
fn quads_between(first: vec2<u32>, end: vec2<u32>) -> vec2<u32> {
    let first_quad = behind_binding(first) / ELEMENTS_PER_QUAD;
    let end_quad = behind_binding(add64(end, vec2<u32>(ELEMENTS_PER_QUAD - 1u, 0u))) / ELEMENTS_PER_QUAD;
    return vec2<u32>(max(parameters.body_first, first_quad), min(parameters.body_end, end_quad));
}

// Few elements are looked at further: those of a quad are marked first.
struct Marks {
    marks: u32,
    bit: u32,
}

fn no_marks() -> Marks {
    return Marks(0u, 1u);
}

fn marked(before: Marks, is_marked: bool) -> Marks {
    return Marks(before.marks | select(0u, before.bit, is_marked), before.bit << 1u);
}
