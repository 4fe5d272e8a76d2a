// Level 11, subgroup_add: `subgroupAdd` takes the place of the shuffle tree.
//
// Level 10 wrote out how lanes add up. Here the language does: one operation, which a device may
// have in hardware (integers on NVIDIA since Ampere), and otherwise does by the tree that suits it.
// The code is shorter, and it need not know how large a subgroup can be.
//
//   sum <- the elements of my grid-stride loop
//   total of the subgroup <- subgroupAdd(sum)
//   lane 0: subgroup_totals[subgroup] <- that total
//   barrier
//   every lane adds the totals that fall to it: lane, lane + lanes, ...; subgroupAdd again
//   lane 0 of subgroup 0 stores the sum
//
// The order in which `subgroupAdd` adds is the device's choice, so f32 sums may differ between
// devices.
//
// Still wasted: each load instruction brings in four bytes, and there is one for every element.
//
// Data: the workgroups of a row stand side by side; all their invocations together load one
// contiguous run of elements, then the run after it, and so on.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: none.

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

// A subgroup may be as small as one invocation.
var<workgroup> subgroup_totals: array<T, WORKGROUP_SIZE>;

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

    let stride = select(work.workgroups_per_row, 1u, ALONE_IN_ROW) * WORKGROUP_SIZE;
    var sum = T(0);
    for (var i = start + part * WORKGROUP_SIZE + local; i < end; i += stride) {
        sum += values[i];
    }

    let total = workgroup_sum(sum, lane, subgroup, subgroups);
    if (subgroup == 0u && lane == 0u && has_work) {
        partials[work.first_slot + row * work.slots_per_row + part] = total;
    }
}
