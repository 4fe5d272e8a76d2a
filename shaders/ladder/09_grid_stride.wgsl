// Level 09, grid_stride: the grid is fixed, and each invocation strides over the whole row.
//
// In level 08 the grid had to match the input. Here the host takes as many workgroups as keep the
// device busy, and each invocation takes whatever falls to it: launches, trees and partials no
// longer grow with the input, and nearly all additions happen in registers. Harris calls it
// algorithm cascading: a long sequential part in each invocation, then one shallow tree.
//
//   sum <- 0
//   for i <- my place in the grid, + grid, + 2 * grid, ... while i < row length
//       sum <- sum + values[i]
//   slot[local] <- sum
//   for each distance of 1024, 512, ... 1 that is below WORKGROUP_SIZE, written out
//       barrier; if local < distance: slot[local] <- slot[local] + slot[local + distance]
//   invocation 0 stores slot[0]
//
// Still wasted: sums go through workgroup memory, with a barrier for every step, even between lanes
// of one subgroup, which could hand them to each other directly.
//
// Data: the workgroups of a row stand side by side; all their invocations together load one
// contiguous run of elements, then the run after it, and so on.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: C, V5 (its grid-stride loop); E, step 6.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// What workgroups that differ in y have: other parts of a row, or, where there are more rows than a
// grid has places in z, other rows.
override ROWS_IN_Y: bool = false;

// Whether every row has one workgroup, so that the compiler knows the stride.
override ALONE_IN_ROW: bool = false;

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

var<workgroup> slots: array<T, WORKGROUP_SIZE>;

// One step of the tree: the first `distance` slots take in the `distance` slots after them.
fn add_step(local: u32, distance: u32) {
    workgroupBarrier();
    if (local < distance) {
        slots[local] += slots[local + distance];
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    var row = workgroup_id.z;
    var part = workgroup_id.x + workgroup_id.y * num_workgroups.x;
    if (ROWS_IN_Y) {
        row = workgroup_id.y + workgroup_id.z * num_workgroups.y;
        part = workgroup_id.x;
    }
    // A workgroup too many has no elements, yet takes part in every barrier.
    let has_work = part < work.workgroups_per_row;
    let start = select(0u, work.first + row * work.row_length, has_work);
    let end = select(0u, start + work.row_length, has_work);

    let stride = select(work.workgroups_per_row, 1u, ALONE_IN_ROW) * WORKGROUP_SIZE;
    var sum = T(0);
    for (var i = start + part * WORKGROUP_SIZE + local; i < end; i += stride) {
        sum += values[i];
    }
    slots[local] = sum;

    if (WORKGROUP_SIZE >= 2048u) {
        add_step(local, 1024u);
    }
    if (WORKGROUP_SIZE >= 1024u) {
        add_step(local, 512u);
    }
    if (WORKGROUP_SIZE >= 512u) {
        add_step(local, 256u);
    }
    if (WORKGROUP_SIZE >= 256u) {
        add_step(local, 128u);
    }
    if (WORKGROUP_SIZE >= 128u) {
        add_step(local, 64u);
    }
    if (WORKGROUP_SIZE >= 64u) {
        add_step(local, 32u);
    }
    if (WORKGROUP_SIZE >= 32u) {
        add_step(local, 16u);
    }
    if (WORKGROUP_SIZE >= 16u) {
        add_step(local, 8u);
    }
    if (WORKGROUP_SIZE >= 8u) {
        add_step(local, 4u);
    }
    if (WORKGROUP_SIZE >= 4u) {
        add_step(local, 2u);
    }
    if (WORKGROUP_SIZE >= 2u) {
        add_step(local, 1u);
    }

    if (local == 0u && has_work) {
        partials[work.first_slot + row * work.slots_per_row + part] = slots[0];
    }
}
