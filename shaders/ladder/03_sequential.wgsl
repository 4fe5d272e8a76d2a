// Level 03, sequential: the tree halves from the top.
//
// Level 02 made lanes meet in the banks of workgroup memory. Here a step adds the upper half of the
// slots to the lower half: neighbouring lanes use neighbouring slots, so no two of them want the
// same bank, and the active invocations still lie side by side.
//
//   slot[local] <- values[part * WORKGROUP_SIZE + local], or 0 beyond the row
//   barrier
//   for distance <- WORKGROUP_SIZE / 2, ... 2, 1
//       if local < distance: slot[local] <- slot[local] + slot[local + distance]
//       barrier
//   invocation 0 stores slot[0]
//
// Still wasted: a barrier after the last step, which nobody needs; and half of the invocations load
// an element and never add anything.
//
// Data: invocation i loads element i into slot i, and adds slot i + distance to it.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: A, kernel 2; C, V2; D, "seq"; E, step 2.

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

    for (var distance = WORKGROUP_SIZE / 2u; distance > 0u; distance /= 2u) {
        if (local < distance) {
            slots[local] += slots[local + distance];
        }
        workgroupBarrier();
    }

    if (local == 0u && has_work) {
        partials[work.first_slot + row * work.slots_per_row + part] = slots[0];
    }
}
