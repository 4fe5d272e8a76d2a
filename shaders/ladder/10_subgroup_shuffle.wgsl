// Level 10, subgroup_shuffle: the tree runs in registers, subgroup by subgroup.
//
// In level 09 every step went through workgroup memory and a barrier. Here lanes hand their sums to
// each other. One slot of workgroup memory per subgroup and one barrier are left; then the
// subgroups' totals go through the same tree.
//
//   sum <- the elements of my grid-stride loop
//   for distance <- MAX_SUBGROUP_SIZE / 2, ... 2, 1
//       sum <- sum + the sum of the lane `distance` further on
//   lane 0: subgroup_totals[subgroup] <- sum
//   barrier
//   every lane adds the totals that fall to it: lane, lane + lanes, ...; the same tree again
//   lane 0 of subgroup 0 stores the sum
//
// How the code differs from the originals, and why:
//  1. The size of a subgroup is no constant (4 to 128), it may differ between subgroups, and the
//     last one may be partly filled. Lanes are counted; a lane takes its neighbour's value only if
//     that neighbour is one of them.
//  2. Nothing relates a lane to an invocation's index: slots are numbered by `subgroup_id`.
//  3. There may be more subgroups than lanes in one (256 subgroups of 4), so a lane may take
//     several totals.
//  4. All subgroups do the last part, not only the first: WGSL wants subgroup operations in uniform
//     control flow, and the others would only wait.
//
// Still wasted: the shuffle tree is a loop of moves, tests and additions, for something that
// hardware may know how to do in one instruction.
//
// Data: the workgroups of a row stand side by side; all their invocations together load one
// contiguous run of elements, then the run after it, and so on.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: A, kernel 6; B, the warp stage of its kernels; C, V4 and V5.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// The largest subgroup the device forms: a power of two.
override MAX_SUBGROUP_SIZE: u32 = 128u;

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

// A subgroup may be as small as one invocation.
var<workgroup> subgroup_totals: array<T, WORKGROUP_SIZE>;

// Adds up `value` over the lanes of the subgroup; lane 0 has the sum.
fn subgroup_sum(value: T, lane: u32, lanes: u32) -> T {
    var sum = value;
    for (var distance = MAX_SUBGROUP_SIZE / 2u; distance > 0u; distance /= 2u) {
        let neighbour = subgroupShuffleDown(sum, distance);
        sum += select(T(0), neighbour, lane + distance < lanes);
    }
    return sum;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
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
    let stride = select(work.workgroups_per_row, 1u, ALONE_IN_ROW) * WORKGROUP_SIZE;
    var sum = T(0);
    for (var i = start + part * WORKGROUP_SIZE + local; i < end; i += stride) {
        sum += values[i];
    }

    let of_subgroup = subgroup_sum(sum, lane, lanes);
    if (lane == 0u) {
        subgroup_totals[subgroup] = of_subgroup;
    }
    workgroupBarrier();

    var of_lane = T(0);
    for (var i = lane; i < subgroups; i += lanes) {
        of_lane += subgroup_totals[i];
    }
    let total = subgroup_sum(of_lane, lane, lanes);
    if (subgroup == 0u && lane == 0u && has_work) {
        partials[work.first_slot + row * work.slots_per_row + part] = total;
    }
}
