// Level 00, single_thread: one invocation adds everything.
//
// Nothing came before it; this is the baseline. It wastes nearly the whole machine: one lane of one
// subgroup works, and each of its loads brings in a whole cache line for four bytes. (The loads
// that follow find the rest of that line in the cache.)
//
//   sum <- 0
//   for i <- 0 .. row length: sum <- sum + values[i]
//   partials[row] <- sum
//
// `reduce` is the naive loop. `reduce_unrolled_4`, `_8` and `_16` are there for the comparison: the
// loop written out, 4, 8 or 16 loads to a turn and the rest one by one. No load waits for a sum, so
// a compiler can issue all loads of a turn at once. The order of the additions is the same.
//
// Data: one workgroup of one invocation has one row, from its first element to its last.
//
// `T`, the type of elements and sums, is f32, i32 or u32: a file of types/ that is appended to this
// one says which (`alias T = f32;`).
//
// Write-ups: C, V0.

// Whether workgroups that differ in y have other rows, as where there are more rows than a grid has
// places in z.
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

// The elements [first, end) of a row.
struct Row {
    first: u32,
    end: u32,
}

fn row_of(row: u32) -> Row {
    let first = work.first + row * work.row_length;
    return Row(first, first + work.row_length);
}

fn row_number(workgroup_id: vec3<u32>, num_workgroups: vec3<u32>) -> u32 {
    if (ROWS_IN_Y) {
        return workgroup_id.y + workgroup_id.z * num_workgroups.y;
    }
    return workgroup_id.z;
}

// Adds elements [first, last) to `before`, one by one.
fn add_each(before: T, first: u32, last: u32) -> T {
    var sum = before;
    for (var i = first; i < last; i++) {
        sum += values[i];
    }
    return sum;
}

fn finish(sum: T, row: u32) {
    partials[work.first_slot + row * work.slots_per_row] = sum;
}

@compute @workgroup_size(1)
fn reduce(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
) {
    let number = row_number(workgroup_id, num_workgroups);
    let row = row_of(number);
    finish(add_each(T(0), row.first, row.end), number);
}

// Adds the 4 elements from `i` on to `before`; below the same with 8 and 16.
fn add_4(before: T, i: u32) -> T {
    let a = values[i];
    let b = values[i + 1u];
    let c = values[i + 2u];
    let d = values[i + 3u];
    return (((before + a) + b) + c) + d;
}

fn add_8(before: T, i: u32) -> T {
    return add_4(add_4(before, i), i + 4u);
}

fn add_16(before: T, i: u32) -> T {
    return add_8(add_8(before, i), i + 8u);
}

@compute @workgroup_size(1)
fn reduce_unrolled_4(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
) {
    let number = row_number(workgroup_id, num_workgroups);
    let row = row_of(number);
    var sum = T(0);
    var i = row.first;
    for (; i + 3u < row.end; i += 4u) {
        sum = add_4(sum, i);
    }
    finish(add_each(sum, i, row.end), number);
}

@compute @workgroup_size(1)
fn reduce_unrolled_8(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
) {
    let number = row_number(workgroup_id, num_workgroups);
    let row = row_of(number);
    var sum = T(0);
    var i = row.first;
    for (; i + 7u < row.end; i += 8u) {
        sum = add_8(sum, i);
    }
    finish(add_each(sum, i, row.end), number);
}

@compute @workgroup_size(1)
fn reduce_unrolled_16(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
) {
    let number = row_number(workgroup_id, num_workgroups);
    let row = row_of(number);
    var sum = T(0);
    var i = row.first;
    for (; i + 15u < row.end; i += 16u) {
        sum = add_16(sum, i);
    }
    finish(add_each(sum, i, row.end), number);
}
