// Level 16, last_workgroup: one pass; the last workgroup to arrive adds up the partials.
//
// Levels 14 and 15 saved the second pass, but their f32 sums depend on the order of arrival. Here
// each workgroup leaves a partial and counts itself in. Whichever finds that it is the last adds up
// all of them, in an order that is always the same: on one device, whoever is last, the sum has the
// same bits.
//
//   for i <- my place in the grid, + grid, ... while vector i is whole: sum <- sum + quads[i]
//   sum <- sum of the vector's components
//   workgroup 0 of the row also adds the elements before the first whole vector and after the last
//   total of the workgroup:
//       total of the subgroup <- subgroupAdd(sum)
//       lane 0: subgroup_totals[subgroup] <- that total
//       barrier
//       every lane adds the totals that fall to it: lane, lane + lanes, ...; subgroupAdd again
//   lane 0 of subgroup 0:
//       halves[slot] <- the two halves of total, each with a mark
//       earlier <- arrivals[row], which becomes one more
//   if earlier = workgroups_per_row - 1: the whole workgroup learns that it is the last
//       for each partial local, local + WORKGROUP_SIZE, ... of the row, by invocation local
//           wait until both of its halves are there, take them out, add what they were cut from
//       totals[row] <- total of the workgroup, in the same way
//       arrivals[row] <- 0, for the next time
//
// How the code differs from the originals of this pattern (a memory fence, then an atomic counter),
// and why:
//  1. A fence would make each partial visible before the count. The language has none between
//     workgroups: its atomics are relaxed, and storageBarrier() speaks of one workgroup only. So
//     nothing here leans on the order of two accesses. A partial goes over as two halves of 16
//     bits, and a bit above them says that the half is there: value and news arrive as one.
//  2. The last to arrive knows that all halves are under way, since each workgroup counts itself in
//     after it has left its own. So it waits, and not for long: every device shows a store at
//     last, though the language does not say when. No order of stores makes the sum wrong.
//  3. Taking a half is an exchange with zero, which leaves all halves without marks for the next
//     time. It is also an atomic read in every language that WGSL is translated to; not all have an
//     atomic load.
//  4. Waiting is no loop inside the loop: a turn either completes a partial or does not.
//  5. Barriers and subgroup operations stand in uniform control flow: workgroupUniformLoad lets the
//     whole workgroup agree whether to go on.
//
// Still wasted: while the last workgroup adds up the partials, the rest of the device has nothing
// to do.
//
// Data: the workgroups of a row stand side by side; all their invocations together load one
// contiguous run of vectors, then the run after it, and so on. A row's vectors are those that start
// at a multiple of 4 elements from the start of the buffer and lie wholly inside the row. If there
// is none, every element is a scalar, read through `values`, a second view of the same bytes.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: none; the pattern is that of CUDA's threadFenceReduction sample.

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
@group(0) @binding(2) var<storage, read_write> totals: array<T>;
@group(0) @binding(3) var<uniform> work: Work;
// One counter per row: zero at the start, and zero again at the end.
@group(0) @binding(4) var<storage, read_write> arrivals: array<atomic<u32>>;
// Two for each workgroup's partial: zero at the start, and zero again at the end.
@group(0) @binding(5) var<storage, read_write> halves: array<atomic<u32>>;

// The bit that says that a half is there.
const MARK: u32 = 0x10000u;

// A subgroup may be as small as one invocation.
var<workgroup> subgroup_totals: array<T, WORKGROUP_SIZE>;
var<workgroup> is_last: u32;

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

// Leaves a partial for the last workgroup.
fn leave(slot: u32, partial: T) {
    let bits = bitcast<u32>(partial);
    atomicStore(&halves[2u * slot], MARK | (bits & 0xffffu));
    atomicStore(&halves[2u * slot + 1u], MARK | (bits >> 16u));
}

// Adds those of `count` partials from slot `first` on that are this invocation's.
fn sum_of_partials(first: u32, count: u32, local: u32) -> T {
    var sum = T(0);
    var i = local;
    var low = 0u;
    var high = 0u;
    while (i < count) {
        let slot = first + i;
        if (low == 0u) {
            low = atomicExchange(&halves[2u * slot], 0u);
        }
        if (high == 0u) {
            high = atomicExchange(&halves[2u * slot + 1u], 0u);
        }
        if (low != 0u && high != 0u) {
            // The upper half's mark is shifted out.
            sum += bitcast<T>((low & 0xffffu) | (high << 16u));
            low = 0u;
            high = 0u;
            i += WORKGROUP_SIZE;
        }
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
    let speaks = subgroup == 0u && lane == 0u;
    let row_slot = work.first_slot + row * work.slots_per_row;
    if (speaks) {
        is_last = 0u;
        if (has_work) {
            leave(row_slot + part, total);
            let earlier = atomicAdd(&arrivals[work.first_row + row], 1u);
            is_last = select(0u, 1u, earlier == work.workgroups_per_row - 1u);
        }
    }
    if (workgroupUniformLoad(&is_last) == 0u) {
        return;
    }

    let of_row = sum_of_partials(row_slot, work.workgroups_per_row, local);
    let total_of_row = workgroup_sum(of_row, lane, subgroup, subgroups);
    if (speaks) {
        totals[work.first_row + row] = total_of_row;
        atomicStore(&arrivals[work.first_row + row], 0u);
    }
}
