// A mask of a file's elements: a byte for each, 1 if the element lies between two others or is one of them.
//
// Elements of every type are compared as keys: unsigned integers in the order of the elements. An invocation makes a word
// of the mask, which is of four elements. Those of an image's pixel are in together, if one channel of theirs is.

struct Wanted {
    // Keys of the least element and of the largest: the lower word, then the upper one.
    least: vec2<u32>,
    largest: vec2<u32>,
    elements: u32,
    // Of an element.
    bytes: u32,
    // 0 of unsigned integers, 1 of signed ones, 2 of floats.
    kind: u32,
    // What an image's pixels are chosen by; 4 if this is no image.
    channel: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> wanted: Wanted;
@group(0) @binding(2) var<storage, read_write> mask: array<u32>;

fn bits_of(index: u32) -> vec2<u32> {
    if (wanted.bytes == 8u) {
        return vec2(words[2u * index], words[2u * index + 1u]);
    }
    let in_word = 4u / wanted.bytes;
    let bits = 8u * wanted.bytes;
    return vec2((words[index / in_word] >> (bits * (index % in_word))) & (0xffffffffu >> (32u - bits)), 0u);
}

fn key_of(bits: vec2<u32>) -> vec2<u32> {
    let is_wide = wanted.bytes == 8u;
    let top = 1u << (8u * min(wanted.bytes, 4u) - 1u);
    let sign = select(vec2(top, 0u), vec2(0u, top), is_wide);
    let all = vec2(top | (top - 1u), select(0u, 0xffffffffu, is_wide));
    let is_negative = any((bits & sign) != vec2(0u));
    if (wanted.kind == 0u) {
        return bits;
    }
    // The two zeros of floats are alike.
    if (wanted.kind == 2u && is_negative && any(bits != sign)) {
        return bits ^ all;
    }
    return select(bits ^ sign, sign, wanted.kind == 2u && is_negative);
}

fn is_ordered(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x <= b.x);
}

fn is_in(index: u32) -> bool {
    let key = key_of(bits_of(index));
    return is_ordered(wanted.least, key) && is_ordered(key, wanted.largest);
}

@compute @workgroup_size(256)
fn choose(@builtin(global_invocation_id) id: vec3<u32>) {
    var word = 0u;
    for (var place = 0u; place < 4u; place += 1u) {
        let index = 4u * id.x + place;
        if (index < wanted.elements && is_in(4u * id.x + select(place, wanted.channel, wanted.channel < 4u))) {
            word |= 1u << (8u * place);
        }
    }
    if (4u * id.x < wanted.elements) {
        mask[id.x] = word;
    }
}
