// The pieces of a subgroup's windows. Sums of up to 128 lanes are less than 2^31 each.
fn pieces_of_lanes(pieces: Pieces) -> Pieces {
    let low = subgroupAdd(pieces.low);
    let middle = subgroupAdd(pieces.middle);
    let high = subgroupAdd(pieces.high);
    return Pieces(low, middle, high);
}
