// Level 06, coarsened: each invocation adds ITEMS_PER_THREAD elements before the tree begins.
//
// In level 05 an invocation did two loads for a launch, a tree and its barriers. Here those costs
// are shared by ITEMS_PER_THREAD loads, which do not depend on each other, so that many are in
// flight at once; most additions happen in registers, where every lane is busy.
//
//   sum <- 0
//   for k <- 0 .. ITEMS_PER_THREAD: sum <- sum + values[tile + k * WORKGROUP_SIZE + local]
//   slot[local] <- sum
//   for distance <- WORKGROUP_SIZE / 2, ... 2, 1
//       barrier; if local < distance: slot[local] <- slot[local] + slot[local + distance]
//   invocation 0 stores slot[0]
//
// Still wasted, if memory does not hide it: the tree's loop counts and tests at run time what is
// known before the launch.
//
// Data: a workgroup has WORKGROUP_SIZE * ITEMS_PER_THREAD consecutive elements. In `reduce`,
// neighbouring invocations load neighbouring elements, so each load of a subgroup is one contiguous
// run ("coalesced"). `reduce_uncoalesced` is there for the comparison: each invocation has a
// contiguous run of ITEMS_PER_THREAD elements to itself, so that each load of a subgroup touches
// one place for each of its lanes.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: A, kernel 4, with its coalesced and uncoalesced forms.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Elements that each invocation adds up by itself.
override ITEMS_PER_THREAD: u32 = 16u;

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

// What a workgroup has to do: as the `part`-th of those that share a row, take its part of elements
// [start, end).
struct Share {
    start: u32,
    end: u32,
    row: u32,
    part: u32,
    has_work: bool,
}

fn share_of(workgroup_id: vec3<u32>, num_workgroups: vec3<u32>) -> Share {
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
    return Share(start, end, row, part, has_work);
}

// Adds up the ITEMS_PER_THREAD elements of one invocation, first, first + stride, ..., as far as
// they lie before `end`. In a whole tile all of them do: no test stands between the loads there,
// and four are under way at a time.
fn sum_of_items(first: u32, stride: u32, is_whole: bool, end: u32) -> T {
    var sum = T(0);
    var k = 0u;
    if (is_whole) {
        for (; k + 3u < ITEMS_PER_THREAD; k += 4u) {
            let a = values[first + k * stride];
            let b = values[first + (k + 1u) * stride];
            let c = values[first + (k + 2u) * stride];
            let d = values[first + (k + 3u) * stride];
            sum += (a + b) + (c + d);
        }
    }
    for (; k < ITEMS_PER_THREAD; k++) {
        let i = first + k * stride;
        if (i < end) {
            sum += values[i];
        }
    }
    return sum;
}

// Adds up the workgroup's values, one per invocation, and stores the sum.
fn finish(sum: T, share: Share, local: u32) {
    slots[local] = sum;
    for (var distance = WORKGROUP_SIZE / 2u; distance > 0u; distance /= 2u) {
        workgroupBarrier();
        if (local < distance) {
            slots[local] += slots[local + distance];
        }
    }
    if (local == 0u && share.has_work) {
        partials[work.first_slot + share.row * work.slots_per_row + share.part] = slots[0];
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let share = share_of(workgroup_id, num_workgroups);
    let tile = share.start + share.part * WORKGROUP_SIZE * ITEMS_PER_THREAD;
    let is_whole = tile + WORKGROUP_SIZE * ITEMS_PER_THREAD <= share.end;
    finish(sum_of_items(tile + local, WORKGROUP_SIZE, is_whole, share.end), share, local);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce_uncoalesced(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let share = share_of(workgroup_id, num_workgroups);
    let tile = share.start + share.part * WORKGROUP_SIZE * ITEMS_PER_THREAD;
    let is_whole = tile + WORKGROUP_SIZE * ITEMS_PER_THREAD <= share.end;
    let first = tile + local * ITEMS_PER_THREAD;
    finish(sum_of_items(first, 1u, is_whole, share.end), share, local);
}
