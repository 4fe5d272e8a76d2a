// Accumulators that are a number or a vector: the hardware shuffles them as they are.

fn shuffle_down(value: Acc, distance: u32) -> Acc {
    return subgroupShuffleDown(value, distance);
}
