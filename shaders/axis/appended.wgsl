// Units of a row appended to one accumulator after another, and one copy of what appends a quad: for accumulators
// that do not round, and whose arithmetic is so long that compilers take their time with each copy. While a quad is
// appended the next one is under way.

// The units [begin, end).
fn fold_units(begin: u32, end: u32, lane: u32) -> Acc {
    var total = identity();
    if (QUADS) {
        let last = end - 1u;
        var next = quads[min(begin + lane, last)];
        for (var unit = begin + lane; unit < end; unit += LANES) {
            let quad = next;
            next = quads[min(unit + LANES, last)];
            total = append_quad(total, quad, ELEMENTS_PER_QUAD * unit);
        }
    } else {
        for (var unit = begin + lane; unit < end; unit += LANES) {
            total = combine(total, lift_one(element_at(0u, unit), unit));
        }
    }
    return total;
}
