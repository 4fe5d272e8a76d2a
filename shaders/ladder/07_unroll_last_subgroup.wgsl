// Level 07, unroll_last, within one subgroup: the last steps are written out and need no barrier.
//
// In level 06 the tree's loop ran to its end, with a barrier for every step, although in the last
// ones a single subgroup works and all the others only wait. Here the loop stops when one subgroup
// can hold all the sums that are left, and from there on values move from lane to lane.
//
//   sum <- ITEMS_PER_THREAD elements, WORKGROUP_SIZE apart; slot[local] <- sum
//   for distance <- WORKGROUP_SIZE / 2, ... while at least MAX_SUBGROUP_SIZE
//       barrier; if local < distance: slot[local] <- slot[local] + slot[local + distance]
//   barrier
//   every lane adds the slots that are left: lane, lane + lanes, ...
//   written out for distances 64, 32, 16, 8, 4, 2, 1: add the sum of the lane `distance` further on
//   lane 0 of subgroup 0 stores its sum
//
// How the code differs from the originals, and why:
//  1. Those read each other's slots without a barrier and lean on a warp that runs in lockstep.
//     WGSL has no such promise: it would be a data race. A shuffle exchanges the same values with a
//     guarantee.
//  2. The size of a subgroup is no constant, and the last one may be partly filled. Lanes are
//     counted; a lane takes its neighbour's value only if that neighbour is one of them.
//  3. All subgroups do the last steps, on the same slots. WGSL wants subgroup operations in uniform
//     control flow, and the others would only wait.
//
// Still wasted: the other steps are still a loop, each with a barrier.
//
// Data: a workgroup has WORKGROUP_SIZE * ITEMS_PER_THREAD consecutive elements, and
// neighbouring invocations load neighbouring ones. Nothing relates a lane to an invocation's index.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: A, kernel 5, first version; D, "warp"; E, step 4.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Elements that each invocation adds up by itself.
override ITEMS_PER_THREAD: u32 = 16u;

// The largest subgroup the device forms: a power of two.
override MAX_SUBGROUP_SIZE: u32 = 128u;

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

// One step of the tree: the first `distance` slots take in the `distance` slots after them.
fn add_step(local: u32, distance: u32) {
    workgroupBarrier();
    if (local < distance) {
        slots[local] += slots[local + distance];
    }
}

// Adds to each lane's value that of the lane `distance` further on, where the subgroup has one.
fn add_lane(sum: T, distance: u32, lane: u32, lanes: u32) -> T {
    let neighbour = subgroupShuffleDown(sum, distance);
    return sum + select(T(0), neighbour, lane + distance < lanes);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
) {
    var row = workgroup_id.z;
    var part = workgroup_id.x + workgroup_id.y * num_workgroups.x;
    if (ROWS_IN_Y) {
        row = workgroup_id.y + workgroup_id.z * num_workgroups.y;
        part = workgroup_id.x;
    }
    // A workgroup too many has no elements, yet takes part in every barrier and in every
    // subgroup operation.
    let has_work = part < work.workgroups_per_row;
    let start = select(0u, work.first + row * work.row_length, has_work);
    let end = select(0u, start + work.row_length, has_work);

    let lanes = subgroupAdd(1u);
    let tile = start + part * WORKGROUP_SIZE * ITEMS_PER_THREAD;
    let is_whole = tile + WORKGROUP_SIZE * ITEMS_PER_THREAD <= end;
    slots[local] = sum_of_items(tile + local, WORKGROUP_SIZE, is_whole, end);

    // Sums that are left to one subgroup.
    let last = min(WORKGROUP_SIZE, MAX_SUBGROUP_SIZE);
    for (var distance = WORKGROUP_SIZE / 2u; distance >= last; distance /= 2u) {
        add_step(local, distance);
    }
    workgroupBarrier();

    var total = T(0);
    for (var i = lane; i < last; i += lanes) {
        total += slots[i];
    }
    if (MAX_SUBGROUP_SIZE >= 128u) {
        total = add_lane(total, 64u, lane, lanes);
    }
    if (MAX_SUBGROUP_SIZE >= 64u) {
        total = add_lane(total, 32u, lane, lanes);
    }
    if (MAX_SUBGROUP_SIZE >= 32u) {
        total = add_lane(total, 16u, lane, lanes);
    }
    if (MAX_SUBGROUP_SIZE >= 16u) {
        total = add_lane(total, 8u, lane, lanes);
    }
    if (MAX_SUBGROUP_SIZE >= 8u) {
        total = add_lane(total, 4u, lane, lanes);
    }
    if (MAX_SUBGROUP_SIZE >= 4u) {
        total = add_lane(total, 2u, lane, lanes);
    }
    if (MAX_SUBGROUP_SIZE >= 2u) {
        total = add_lane(total, 1u, lane, lanes);
    }
    if (subgroup == 0u && lane == 0u && has_work) {
        partials[work.first_slot + row * work.slots_per_row + part] = total;
    }
}
