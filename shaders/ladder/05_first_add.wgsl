// Level 05, first_add: the first addition happens while loading.
//
// In level 04 half of the invocations were idle from the first step on. Here each loads two
// elements and adds them in a register: the same workgroup covers twice as much, with as many steps
// and barriers as before, and nobody is there for a load alone.
//
//   slot[local] <- values[tile + local] + values[tile + WORKGROUP_SIZE + local], 0 beyond the row
//   for distance <- WORKGROUP_SIZE / 2, ... 2, 1
//       barrier; if local < distance: slot[local] <- slot[local] + slot[local + distance]
//   invocation 0 stores slot[0]
//
// Still wasted: launching a workgroup and running down its tree still stand against two loads per
// invocation, too few in flight to keep memory busy.
//
// Data: a workgroup has 2 * WORKGROUP_SIZE elements. Invocation i has element i of the first half
// and element i of the second, so that neighbours load neighbouring elements both times.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: C, V3; E, step 3.

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

    let i = start + part * 2u * WORKGROUP_SIZE + local;
    var sum = T(0);
    if (i < end) {
        sum = values[i];
    }
    if (i + WORKGROUP_SIZE < end) {
        sum += values[i + WORKGROUP_SIZE];
    }
    slots[local] = sum;

    for (var distance = WORKGROUP_SIZE / 2u; distance > 0u; distance /= 2u) {
        workgroupBarrier();
        if (local < distance) {
            slots[local] += slots[local + distance];
        }
    }

    if (local == 0u && has_work) {
        partials[work.first_slot + row * work.slots_per_row + part] = slots[0];
    }
}
