// The lanes of a full subgroup by the collective's tree.

fn combine_lanes(value: Acc, lane: u32) -> Acc {
    return subgroup_combine(value, lane, MAX_SUBGROUP_SIZE, MAX_SUBGROUP_SIZE);
}
