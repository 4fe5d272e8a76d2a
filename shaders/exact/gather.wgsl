// The exact sum of one window of the input, or of the products of two inputs: every invocation adds its
// terms to a window in its registers, or, what does not fit there, to the workgroup's bins.
//
//   window <- at the largest exponents of the first terms
//   for each tile that is my workgroup's
//       try: add my quads of the tile to the window
//       if one of them does not fit: add all of them to the bins instead
//   workgroup 0 adds the terms before and after the quads to the bins
//
// The grid may be larger than `parameters.workgroups`; what is beyond it adds nothing.
//
// How the code differs from that, and why:
//  1. Elements are words here, and all arithmetic is of integers: it is exact, and no compiler may
//     change it, as it may change that of floats.
//  2. Loads are as in kernels/elements.wgsl: a tile is LOADS runs of WORKGROUP_SIZE quads, loaded
//     under no condition; of one that reaches beyond the end, the last quad is loaded again. Such a tile has
//     a loop of its own, so that the others need not ask where they end.
//  3. Trying costs as much as succeeding. So after a second failure in a row the window moves to where
//     the data are, and 1, 3, 7, ... up to 63 tiles go to the bins before the next try: data that are
//     spread too wide for any window hardly try at all. The bins are slow only where many terms have the
//     same exponent, and these fit a window.

// Invocations per workgroup: a power of two, at least 32.
override WORKGROUP_SIZE: u32 = 256u;

// Quads that an invocation loads before it uses the first of them: at most 16, and of two inputs at most 8
// of each, see parts/window.wgsl.
override LOADS: u32 = 4u;

// How far above the largest exponent seen the window begins.
override MARGIN: u32 = 2u;

struct Parameters {
    // Index of the first head element, counted in elements from the start of the binding.
    head_first: u32,
    head_count: u32,
    // Whole quads [body_first, body_end), counted in quads from the start of the binding.
    body_first: u32,
    body_end: u32,
    tail_first: u32,
    tail_count: u32,
    // Workgroups that share this window, and the place of its result.
    workgroups: u32,
    slot: u32,
    // For two inputs: from an index behind the first one's bindings to its partner's behind the second's.
    delta: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

// The logarithm of one more than the most tiles between two tries.
const MOST_FAILURES: u32 = 6u;

// What an invocation knows besides its windows.
struct State {
    flags: u32,
    // Tries that have failed in a row, and tiles that go to the bins before the next.
    failures: u32,
    pause: u32,
}

// The largest exponent of the first terms that an invocation will add: the window starts from it.
fn first_exponent(workgroup: u32, local: u32) -> u32 {
    let at = parameters.body_first + workgroup * LOADS * WORKGROUP_SIZE + local;
    if (at < parameters.body_end) {
        return largest(terms_at(at));
    }
    return 0u;
}

// Adds a tile to the windows, if all of it fits.
fn try_tile(at: u32, is_whole: bool, windows: ptr<function, Windows>, state: ptr<function, State>) -> bool {
    var tile = empty_tile();
    let base = base_of(*windows);
    if (is_whole) {
        for (var k = 0u; k < LOADS; k++) {
            add_terms(&tile, terms_at(at + k * WORKGROUP_SIZE), base);
        }
    } else {
        let end = parameters.body_end;
        for (var k = 0u; k < LOADS; k++) {
            let mine = at + k * WORKGROUP_SIZE;
            let terms = terms_at(min(mine, end - 1u));
            if (mine < end) {
                add_terms(&tile, terms, base);
            }
        }
    }
    if (!fits(tile)) {
        return false;
    }
    *windows = with_tile(*windows, tile);
    // The last tile may have nothing for me.
    (*state).flags |= select(0u, flags_of(tile), at < parameters.body_end);
    return true;
}

fn put_tile(at: u32) -> u32 {
    var flags = 0u;
    let end = parameters.body_end;
    for (var k = 0u; k < LOADS; k++) {
        let mine = at + k * WORKGROUP_SIZE;
        let terms = terms_at(min(mine, end - 1u));
        if (mine < end) {
            flags |= put_terms(terms);
        }
    }
    return flags;
}

fn gather_tile(at: u32, is_whole: bool, windows: ptr<function, Windows>, state: ptr<function, State>) {
    if ((*state).pause == 0u) {
        if (try_tile(at, is_whole, windows, state)) {
            (*state).failures = 0u;
            return;
        }
        let failures = (*state).failures;
        if (failures > 0u) {
            put_windows(*windows);
            let top = largest(terms_at(min(at, parameters.body_end - 1u)));
            *windows = windows_moved(*windows, top);
        }
        (*state).pause = (1u << failures) - 1u;
        (*state).failures = min(failures + 1u, MOST_FAILURES);
    } else {
        (*state).pause -= 1u;
    }
    (*state).flags |= put_tile(at);
}

// Adds all that is this invocation's; some of it is left in the windows.
fn gather(workgroup: u32, local: u32, windows: ptr<function, Windows>) -> u32 {
    var state = State(0u, 0u, 0u);
    if (workgroup >= parameters.workgroups) {
        return 0u;
    }
    let tile = LOADS * WORKGROUP_SIZE;
    let end = parameters.body_end;
    let stride = parameters.workgroups * tile;
    for (var at = parameters.body_first + workgroup * tile; at < end; at += stride) {
        gather_tile(at + local, at + tile <= end, windows, &state);
    }
    if (workgroup == 0u) {
        for (var k = local; k < end_count(); k += WORKGROUP_SIZE) {
            state.flags |= put_at(end_at(k));
        }
    }
    return state.flags;
}
