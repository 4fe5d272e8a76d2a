// What several teams, or several dispatches, have left of rows: a team folds what there is of one.
//
//   accumulator <- identity
//   for i <- my lane, my lane + LANES, ... while the row has a partial left
//       accumulator <- combine(accumulator, partial i of the row)
//
// Partials of neighbouring rows lie side by side. There are few of a row, so this kernel is plain; of a row
// without elements there is none, and the identity is what comes out.

// Invocations of a workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;
// Invocations of a team: a power of two, no more than a workgroup has.
override LANES: u32 = 32u;
override SHARED: bool = false;

@group(0) @binding(0) var<storage, read> partials: array<Acc>;

fn gather(item: u32, lane: u32) -> Acc {
    var total = identity();
    for (var i = lane; i < parameters.length; i += LANES) {
        total = combine(total, partials[item + i * parameters.stride]);
    }
    return total;
}
