// Level 14, workgroup_atomic: one pass; each workgroup adds its sum to the result atomically.
//
// Levels 01 to 13 left one partial per workgroup and needed another pass, with its launch and its
// wait, to add them up. Here there is none: memory itself adds, in whatever order workgroups
// finish.
//
//   for i <- my place in the grid, + grid, ... while vector i is whole: sum <- sum + vectors[i]
//   sum <- sum of the vector's components
//   workgroup 0 of the row also adds the elements before the first whole vector and after the last
//   total of the subgroup <- subgroupAdd(sum)
//   lane 0: subgroup_totals[subgroup] <- that total
//   barrier
//   every lane adds the totals that fall to it: lane, lane + lanes, ...; subgroupAdd again
//   lane 0 of subgroup 0: atomically, result[row] <- result[row] + the sum
//
// The result must be zero before the pass. `add_to_total` and the result it adds to, `partials`,
// come from a file of atomics/ that is appended to this one, by the type `T`: WGSL has atomic
// addition for i32 and u32,
//
//   fn add_to_total(slot: u32, value: T) { atomicAdd(&partials[slot], value); }
//
// for f32 some devices have the same as an extension, and elsewhere a loop of compare-exchange
// does it.
//
// How the code differs from the originals: a row may start and end at any element, in a batched sum
// each row at another. So head and tail are found here, from the row's own bounds, and read as
// scalars through `values`, a second view of the same bytes.
//
// Still wasted: the barrier and the second round of additions in the workgroup. And f32 sums depend
// on the order in which workgroups arrive, so they may differ from run to run.
//
// Data: the workgroups of a row stand side by side; all their invocations together load one
// contiguous run of vectors, then the run after it, and so on. The number in the entry point's name
// says how many elements a vector has: 1, 2 or 4. A row's vectors are those that start at a
// multiple of so many elements from the start of the buffer and lie wholly inside the row; if there
// is none, every element is a scalar.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: B, BlockAtomic at its three load widths; C, atomic.

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
// A second view of the same bytes; an entry point uses one of these at most.
@group(0) @binding(1) var<storage, read> pairs: array<vec2<T>>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<T>>;
@group(0) @binding(3) var<uniform> work: Work;

// A subgroup may be as small as one invocation.
var<workgroup> subgroup_totals: array<T, WORKGROUP_SIZE>;

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
    // A workgroup too many has no elements, yet takes part in every barrier and in every
    // subgroup operation.
    let has_work = part < work.workgroups_per_row;
    let start = select(0u, work.first + row * work.row_length, has_work);
    let end = select(0u, start + work.row_length, has_work);
    return Share(start, end, row, part, has_work);
}

// Adds elements [first, last), one after the other to the invocations of a workgroup.
fn sum_of_scalars(first: u32, last: u32, local: u32) -> T {
    var sum = T(0);
    for (var i = first + local; i < last; i += WORKGROUP_SIZE) {
        sum += values[i];
    }
    return sum;
}

// Adds the elements of a row before its first whole vector and after its last: those that are not
// in [body_start, body_end). They fall to the first of the row's workgroups.
fn sum_of_ends(share: Share, body_start: u32, body_end: u32, local: u32) -> T {
    if (share.part != 0u) {
        return T(0);
    }
    let head_end = min(body_start, share.end);
    let tail_start = max(body_end, head_end);
    return sum_of_scalars(share.start, head_end, local)
        + sum_of_scalars(tail_start, share.end, local);
}

// Adds up `value` over the workgroup. Every invocation takes part, and every one gets the sum.
fn workgroup_sum(value: T, lane: u32, subgroup: u32, subgroups: u32) -> T {
    let lanes = subgroupAdd(1u);
    let of_subgroup = subgroupAdd(value);
    if (lane == 0u) {
        subgroup_totals[subgroup] = of_subgroup;
    }
    workgroupBarrier();
    var of_lane = T(0);
    for (var i = lane; i < subgroups; i += lanes) {
        of_lane += subgroup_totals[i];
    }
    return subgroupAdd(of_lane);
}

// Adds up the workgroup's sums, one per invocation, and adds that to the row's result.
fn finish(sum: T, share: Share, lane: u32, subgroup: u32, subgroups: u32) {
    let total = workgroup_sum(sum, lane, subgroup, subgroups);
    if (subgroup == 0u && lane == 0u && share.has_work) {
        add_to_total(work.first_slot + share.row * work.slots_per_row, total);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce_1(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let share = share_of(workgroup_id, num_workgroups);
    let stride = select(work.workgroups_per_row, 1u, ALONE_IN_ROW) * WORKGROUP_SIZE;
    var sum = T(0);
    for (var i = share.start + share.part * WORKGROUP_SIZE + local; i < share.end; i += stride) {
        sum += values[i];
    }
    finish(sum, share, lane, subgroup, subgroups);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce_2(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let share = share_of(workgroup_id, num_workgroups);
    let first = (share.start + 1u) / 2u;
    let end = share.end / 2u;
    let stride = select(work.workgroups_per_row, 1u, ALONE_IN_ROW) * WORKGROUP_SIZE;
    var sum = vec2<T>();
    for (var i = first + share.part * WORKGROUP_SIZE + local; i < end; i += stride) {
        sum += pairs[i];
    }
    let ends = sum_of_ends(share, first * 2u, end * 2u, local);
    finish(sum.x + sum.y + ends, share, lane, subgroup, subgroups);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce_4(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let share = share_of(workgroup_id, num_workgroups);
    let first = (share.start + 3u) / 4u;
    let end = share.end / 4u;
    let stride = select(work.workgroups_per_row, 1u, ALONE_IN_ROW) * WORKGROUP_SIZE;
    var sum = vec4<T>();
    for (var i = first + share.part * WORKGROUP_SIZE + local; i < end; i += stride) {
        sum += quads[i];
    }
    let ends = sum_of_ends(share, first * 4u, end * 4u, local);
    finish((sum.x + sum.y) + (sum.z + sum.w) + ends, share, lane, subgroup, subgroups);
}
