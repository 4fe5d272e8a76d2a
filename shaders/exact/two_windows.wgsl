// Terms that are products of two inputs, in halves: one window takes the lower halves, and one above it the upper ones.

// Whether the partners of a quad are a quad, too; else they are loaded as words.
override PARTNERS_ARE_QUADS: bool = true;

@group(0) @binding(6) var<storage, read> partner_words: array<u32>;
@group(0) @binding(7) var<storage, read> partner_quads: array<vec4<u32>>;

struct Windows {
    lower: Window,
    upper: Window,
}

// A quad of each input.
struct Terms {
    quad: vec4<u32>,
    partners: vec4<u32>,
}

fn base_of(windows: Windows) -> u32 {
    return windows.lower.base;
}

// Infinities and NaNs have the largest exponent.
fn fits(tile: TileSums) -> bool {
    return tile.farthest <= SPAN && tile.widest < EXPONENT - LEADING;
}

// What fits is not zero.
fn flags_of(tile: TileSums) -> u32 {
    return NOT_NEGATIVE_ZERO;
}

fn windows_moved(windows: Windows, top: u32) -> Windows {
    return windows_below(top);
}

fn put_windows(windows: Windows) {
    put_pieces(windows.lower.base, pieces_of(windows.lower));
    put_pieces(windows.upper.base, pieces_of(windows.upper));
}

fn close_windows(windows: Windows, me: Invocation) {
    close_window(windows.lower, me);
    close_window(windows.upper, me);
}
