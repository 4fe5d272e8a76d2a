// The pieces of a subgroup's windows. Sums of up to 128 lanes are less than 2^31 each.
fn pieces_of_lanes(pieces: Pieces) -> Pieces {
    let first = subgroupAdd(pieces.first);
    let second = subgroupAdd(pieces.second);
    let third = subgroupAdd(pieces.third);
    let last = subgroupAdd(pieces.last);
    return Pieces(first, second, third, last);
}
