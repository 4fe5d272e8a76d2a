// Which bin an element belongs to: the last one whose lower edge is not above it. Elements and edges are
// compared by keys, integers that are ordered as elements are, so that no rounding can put one into the
// wrong bin.
//
// A channel has `places.slots` slots: a bin each, and one each for what is below all bins, above them, and NaN.
// How many bins there are is no constant, because another number of them should compile nothing anew.

// Interleaved sequences of elements, each with a histogram of its own.
override CHANNELS: u32 = 1u;

// What a shader's parameters say of this.
struct Places {
    // What is added to an index behind the binding to get a number of the same channel.
    phase: u32,
    // Bins and slots of a channel.
    bins: u32,
    slots: u32,
    // The range of the keys of all bins.
    lowest: u32,
    highest: u32,
    // For SHIFTED.
    shift: u32,
    // Lowest keys of bins.
    edges: u32,
    // For SCALED, the bits of numbers.
    middle: u32,
    scale: u32,
    certain: u32,
    // Whether what is below the lowest key, or above the highest, is above all bins.
    below: u32,
    above: u32,
    // The upper words of the range, where keys have two.
    lowest_high: u32,
    highest_high: u32,
}

// How the bin is found: see EVERY_KEY and so on.
override METHOD: u32 = 3u;

// Each key has a bin, from the lowest on; nothing is outside.
const EVERY_KEY: u32 = 0u;
// Each bin has 2^shift keys.
const SHIFTED: u32 = 1u;
// Edges are about as far from each other: how far an element is from the middle of the first bin, in bins, is
// rounded to an integer. Where that is so far off that rounding may have moved it, the element is compared with the
// edges of that bin. `certain` is half a bin less what rounding can do.
const SCALED: u32 = 2u;
// Any bin is found by halving, in at most 20 steps.
const SEARCHED: u32 = 3u;

// The words of the lowest keys of the bins; the first `places.edges` are those that any element can reach.
@group(0) @binding(8) var<storage, read> edges: array<u32>;

fn search(key: Bits) -> u32 {
    var low = 0u;
    var high = parameters.places.edges;
    while (high - low > 1u) {
        let middle = (low + high) / 2u;
        let is_below = !bits_less(key, edge_at(middle));
        low = select(low, middle, is_below);
        high = select(middle, high, is_below);
    }
    return low;
}

fn channel_of(index: u32) -> u32 {
    return (index + parameters.places.phase) % CHANNELS;
}

// A bin, where it is certain; else any number.
struct Quick {
    bin: u32,
    is_certain: bool,
}

// Added to a number of up to 2^22 it leaves the integer next to that in the lower bits. It is the only constant of its
// sum: compilers add constants up beforehand, and a half would be gone.
//
// Compilers may compute a place twice, for its bin and to see how far off it is, and may round the two otherwise: with
// the product and the sum as one operation, the place is not rounded, which moves it by at most bins * 2^-24. A place
// that is certain is at least bins * 2^-21 nearer to its integer than half (`Keys::scaled`), so it is next to the same
// one both times.
const ROUNDING: f32 = 12582912.0;

// The bin as far as a few instructions tell.
fn quick_bin_of(value: Element) -> Quick {
    let bins = parameters.places.bins;
    if (METHOD == EVERY_KEY) {
        return Quick(ahead(key_of(value)), true);
    }
    if (METHOD == SHIFTED) {
        let ahead_of_lowest = ahead(key_of(value));
        let bin = min(ahead_of_lowest >> parameters.places.shift, bins - 1u);
        return Quick(bin, ahead_of_lowest <= ahead(highest_key()));
    }
    if (METHOD == SCALED) {
        let of_middle = distance(value) - bitcast<f32>(parameters.places.middle);
        let place = of_middle * bitcast<f32>(parameters.places.scale);
        let bin = bitcast<u32>(place + ROUNDING) - bitcast<u32>(ROUNDING);
        let off = abs(place - f32(bitcast<i32>(bin)));
        let is_near = off <= bitcast<f32>(parameters.places.certain);
        return Quick(bin, is_near & (bin < bins) & has_distance(value));
    }
    return Quick(0u, false);
}

// The bin of a key that is in one, given the computed one. Rounding moves edges by less than a quarter of a bin, so it is that
// one, or one beside it.
fn bin_beside(computed: u32, key: Bits) -> u32 {
    let last = parameters.places.edges - 1u;
    let bin = u32(clamp(bitcast<i32>(computed), 0, bitcast<i32>(last)));
    let next = min(bin + 1u, last);
    let is_next = !bits_less(key, edge_at(next));
    let is_before = bits_less(key, edge_at(bin));
    return select(select(bin, bin - 1u, is_before), next, is_next);
}

// Among those of all channels.
fn slot_of(value: Element, channel: u32) -> u32 {
    let first = channel * parameters.places.slots;
    let quick = quick_bin_of(value);
    if (quick.is_certain) {
        return first + quick.bin;
    }
    let key = key_of(value);
    let is_below = bits_less(key, lowest_key());
    if (is_below || bits_less(highest_key(), key)) {
        let side = select(parameters.places.above, parameters.places.below, is_below);
        return first + parameters.places.bins + select(side, 2u, is_nan(value));
    }
    if (METHOD == SCALED) {
        return first + bin_beside(quick.bin, key);
    }
    return first + search(key);
}
