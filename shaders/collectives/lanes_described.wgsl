// The lanes of a full subgroup, all at once: what is smallest and largest, and the mean; then where these are, and what squares of
// distances from that mean are. In each of the two rounds words go through butterflies of shuffles, all of them side by side,
// in place of one tree in which each step waits for a division.
//
// The first mean is counted from that of the first lane which has any, and may have rounded off digits by which that lies apart from the
// others. The second is counted from the first, which is near, and has them.
//
// Indices and counts have one word here, and nothing is far. Beyond, it is the collective's tree.

// Whether there may be an index of more than a word.
override FAR: bool = false;

// The lowest lane for which it holds, or the lowest of all.
fn first_lane(holds: bool) -> u32 {
    let lanes = subgroupBallot(holds);
    let upper = select(96u + firstTrailingBit(lanes.w), 64u + firstTrailingBit(lanes.z), lanes.z != 0u);
    let lower = select(32u + firstTrailingBit(lanes.y), firstTrailingBit(lanes.x), lanes.x != 0u);
    let first = select(upper, lower, (lanes.x | lanes.y) != 0u);
    return select(0u, first, first < MAX_SUBGROUP_SIZE);
}

fn holds_somewhere(holds: bool) -> bool {
    let lanes = subgroupBallot(holds);
    return (lanes.x | lanes.y | lanes.z | lanes.w) != 0u;
}

fn combine_lanes(value: Acc, lane: u32) -> Acc {
    if (FAR || holds_somewhere(figures_are_far(value.figures))) {
        return subgroup_combine(value, lane, MAX_SUBGROUP_SIZE, MAX_SUBGROUP_SIZE);
    }
    let figures = value.figures;
    let pivot = subgroupShuffle(figures.pivot + figures.rest, first_lane(figures.count_low != 0u));
    let weight = f32(figures.count_low);
    var lowest = value.lowest.key;
    var highest = value.highest.key;
    var offset = weight * ((figures.pivot - pivot) + figures.rest);
    for (var distance = 1u; distance < MAX_SUBGROUP_SIZE; distance *= 2u) {
        lowest = min(lowest, subgroupShuffleXor(lowest, distance));
        highest = min(highest, subgroupShuffleXor(highest, distance));
        offset += subgroupShuffleXor(offset, distance);
    }
    let count = subgroupAdd(figures.count_low);
    let share = 1.0 / max(f32(count), 1.0);
    let centre = pivot + offset * share;
    let apart = (figures.pivot - centre) + figures.rest;
    // Lanes that have nothing are nowhere apart.
    let moment = select(weight * apart, 0.0, figures.count_low == 0u);
    let of_lane = Moments(
        select(NOWHERE, value.lowest.index_low, value.lowest.key == lowest),
        select(NOWHERE, value.highest.index_low, value.highest.key == highest),
        moment,
        figures.squares + moment * apart,
    );
    let joined = combine_moments(of_lane);
    let rest = joined.offset * share;
    let squares = deviations_of(joined.squares, joined.offset * rest);
    if (holds_somewhere(!is_within(squares))) {
        return subgroup_combine(value, lane, MAX_SUBGROUP_SIZE, MAX_SUBGROUP_SIZE);
    }
    return Acc(
        Located(lowest, joined.lowest_at, 0u),
        Located(highest, joined.highest_at, 0u),
        Figures(count, 0u, centre, rest, squares),
    );
}

struct Moments {
    // The lowest indices where the extremes are.
    lowest_at: u32,
    highest_at: u32,
    // The sum of distances from the first mean, and that of their squares.
    offset: f32,
    squares: f32,
}

fn combine_moments(of_lane: Moments) -> Moments {
    var joined = of_lane;
    for (var distance = 1u; distance < MAX_SUBGROUP_SIZE; distance *= 2u) {
        joined = Moments(
            min(joined.lowest_at, subgroupShuffleXor(joined.lowest_at, distance)),
            min(joined.highest_at, subgroupShuffleXor(joined.highest_at, distance)),
            joined.offset + subgroupShuffleXor(joined.offset, distance),
            joined.squares + subgroupShuffleXor(joined.squares, distance),
        );
    }
    return joined;
}
