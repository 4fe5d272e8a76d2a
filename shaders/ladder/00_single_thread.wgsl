// Level 00, single_thread: one invocation adds everything.
//
// Nothing came before it; this is the baseline. It wastes nearly the whole machine: one lane of one
// subgroup works, and each of its loads brings in a whole cache line for four bytes. (The loads
// that follow find the rest of that line in the cache.)
//
//   sum <- 0
//   for i <- 0 .. row length: sum <- sum + values[i]
//   partials[row] <- sum
//
// Data: one workgroup of one invocation has one row, from its first element to its last.
//
// Write-ups: C, V0.

struct Work {
    // Index in `values` of the first row's first element.
    first: u32,
    // Elements of a row; rows follow each other without a gap.
    row_length: u32,
    // Workgroups that share a row.
    workgroups_per_row: u32,
    // Where the first row's first value goes, and how far on the next row's goes.
    first_slot: u32,
    slots_per_row: u32,
    // Index of the first row's counter and total, where there are any.
    first_row: u32,
}

@group(0) @binding(0) var<storage, read> values: array<T>;
@group(0) @binding(2) var<storage, read_write> partials: array<T>;
@group(0) @binding(3) var<uniform> work: Work;

@compute @workgroup_size(1)
fn reduce(@builtin(workgroup_id) workgroup_id: vec3<u32>) {
    let row = workgroup_id.z;
    let start = work.first + row * work.row_length;
    let end = start + work.row_length;

    var sum = T(0);
    for (var i = start; i < end; i++) {
        sum += values[i];
    }
    partials[work.first_slot + row * work.slots_per_row] = sum;
}
