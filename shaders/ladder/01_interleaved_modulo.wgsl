// Level 01, interleaved_modulo: a tree in workgroup memory, with interleaved addressing.
//
// Level 00 used one invocation. Here every element has one, and a workgroup needs
// log2(WORKGROUP_SIZE) steps for WORKGROUP_SIZE elements.
//
//   slot[local] <- values[part * WORKGROUP_SIZE + local], or 0 beyond the row
//   barrier
//   for stride <- 1, 2, 4, ... while stride < WORKGROUP_SIZE
//       if local mod (2 * stride) = 0: slot[local] <- slot[local] + slot[local + stride]
//       barrier
//   invocation 0 stores slot[0]
//
// Still wasted: the active invocations lie 2 * stride apart, so every subgroup keeps running for a
// few lanes of it, down to one; the remainder by a number known only at run time is slow; and an
// invocation does one load and little else.
//
// Data: of the workgroup's WORKGROUP_SIZE elements, invocation i loads element i into slot i.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: A, kernel 0; C, V1; D, "mod"; E, step 0.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// What workgroups that differ in y have: other parts of a row, or, where there are more rows than a
// grid has places in z, other rows.
override ROWS_IN_Y: bool = false;

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

    let i = start + part * WORKGROUP_SIZE + local;
    var value = T(0);
    if (i < end) {
        value = values[i];
    }
    slots[local] = value;
    workgroupBarrier();

    for (var stride = 1u; stride < WORKGROUP_SIZE; stride *= 2u) {
        if (local % (2u * stride) == 0u) {
            slots[local] += slots[local + stride];
        }
        workgroupBarrier();
    }

    if (local == 0u && has_work) {
        partials[work.first_slot + row * work.slots_per_row + part] = slots[0];
    }
}
