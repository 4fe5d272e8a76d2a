// Level 13, vec4_loads: level 11 with loads of 16 bytes.
//
// Level 12 loaded eight bytes at a time, half of what one instruction can. With 16 bytes there are
// a quarter of level 11's load instructions, and four sums that do not wait for each other.
//
//   for i <- my place in the grid, + grid, ... while vector i is whole: sum <- sum + quads[i]
//   sum <- sum of the vector's components
//   workgroup 0 of the row also adds the elements before the first whole vector and after the last
//   total of the subgroup <- subgroupAdd(sum)
//   lane 0: subgroup_totals[subgroup] <- that total
//   barrier
//   every lane adds the totals that fall to it: lane, lane + lanes, ...; subgroupAdd again
//   lane 0 of subgroup 0 stores the sum
//
// How the code differs from the originals: a row may start and end at any element, in a batched sum
// each row at another. So head and tail are found here, from the row's own bounds, and read as
// scalars through `values`, a second view of the same bytes.
//
// Still wasted: a second pass, with a launch and a wait, to add up one value per workgroup.
//
// Data: the workgroups of a row stand side by side; all their invocations together load one
// contiguous run of vectors, then the run after it, and so on. A row's vectors are those that start
// at a multiple of 4 elements from the start of the buffer and lie wholly inside the row. If there
// is none, every element is a scalar.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: A, kernel 7; B, int4; C, vectorised.

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
@group(0) @binding(1) var<storage, read> quads: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> partials: array<T>;
@group(0) @binding(3) var<uniform> work: Work;

// A subgroup may be as small as one invocation.
var<workgroup> subgroup_totals: array<T, WORKGROUP_SIZE>;

// Adds elements [first, last), one after the other to the invocations of a workgroup.
fn sum_of_scalars(first: u32, last: u32, local: u32) -> T {
    var sum = T(0);
    for (var i = first + local; i < last; i += WORKGROUP_SIZE) {
        sum += values[i];
    }
    return sum;
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

    // Whole vectors of the row; before and after them are fewer than 4 elements each.
    let first_quad = (start + 3u) / 4u;
    let end_quad = end / 4u;
    let stride = select(work.workgroups_per_row, 1u, ALONE_IN_ROW) * WORKGROUP_SIZE;
    var sum = vec4<T>();
    for (var i = first_quad + part * WORKGROUP_SIZE + local; i < end_quad; i += stride) {
        sum += quads[i];
    }
    var sum_of_all = (sum.x + sum.y) + (sum.z + sum.w);
    if (part == 0u) {
        let head_end = min(first_quad * 4u, end);
        let tail_start = max(end_quad * 4u, head_end);
        sum_of_all += sum_of_scalars(start, head_end, local);
        sum_of_all += sum_of_scalars(tail_start, end, local);
    }

    let total = workgroup_sum(sum_of_all, lane, subgroup, subgroups);
    if (subgroup == 0u && lane == 0u && has_work) {
        partials[work.first_slot + row * work.slots_per_row + part] = total;
    }
}
