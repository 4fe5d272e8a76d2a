// The other direction, of accumulators that are a number or a vector.

fn shuffle_up(value: Acc, distance: u32) -> Acc {
    return subgroupShuffleUp(value, distance);
}
