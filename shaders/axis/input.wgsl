// Elements of rows and columns, as words and as quads.

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}
