// Level 07, unroll_last: the last steps of the tree are written out.
//
// In level 06 the tree's loop ran to its end, counting and testing for steps in which one subgroup
// works at most. Here the loop stops when 64 sums are left, and the steps from there on stand one
// after the other, with distances that are constants. (64 is twice the originals' warp. It need not
// be the size of a subgroup, since every step keeps its barrier.)
//
//   sum <- ITEMS_PER_THREAD elements, WORKGROUP_SIZE apart; slot[local] <- sum
//   for distance <- WORKGROUP_SIZE / 2, ... 64
//       barrier; if local < distance: slot[local] <- slot[local] + slot[local + distance]
//   the same step, written out, for distances 32, 16, 8, 4, 2, 1
//   invocation 0 stores slot[0]
//
// How the code differs from the originals: those that leave out the barriers of the last steps lean
// on a warp that runs in lockstep. WGSL has no such promise, and the steps would be a data race. So
// each keeps its barrier here. (The level's other form, 07_unroll_last_subgroup.wgsl, does without:
// its lanes hand each other their sums.)
//
// Still wasted: the other steps are still a loop; in the last ones all subgroups but one only wait.
//
// Data: a workgroup has WORKGROUP_SIZE * ITEMS_PER_THREAD consecutive elements, and
// neighbouring invocations load neighbouring ones.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: D, "unroll"; A, kernel 5, first version, and E, step 4, but for the barriers.

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

    let tile = start + part * WORKGROUP_SIZE * ITEMS_PER_THREAD;
    let is_whole = tile + WORKGROUP_SIZE * ITEMS_PER_THREAD <= end;
    slots[local] = sum_of_items(tile + local, WORKGROUP_SIZE, is_whole, end);

    for (var distance = WORKGROUP_SIZE / 2u; distance > 32u; distance /= 2u) {
        add_step(local, distance);
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
