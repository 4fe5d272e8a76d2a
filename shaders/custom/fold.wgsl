// One pass of a custom operator, whose `combine` need not be commutative: everything is combined in
// the order of its index.
//
//   workgroup 0: total <- the elements before the first unit, combined
//   for each tile of my workgroup's share
//       slot[u] <- unit u of the tile, for each unit that I load
//       slot[me] <- LOADS neighbouring slots, combined
//       for step <- 1, 2, 4, ... WORKGROUP_SIZE / 2
//           every other of the slots that are left <- itself and its neighbour, combined
//       invocation 0: total <- total and slot[0], combined
//   last workgroup: total <- total and the elements after the last unit, combined
//   invocation 0 leaves the total
//
// A unit is a quad of elements, or one partial of the pass before.
//
// How the code differs from the kernels that take any order, and why:
//  1. The share of a workgroup is contiguous, and so are its tiles: what lies side by side in memory
//     is combined before it is combined with anything else.
//  2. Neighbouring invocations load neighbouring units, so every load of the workgroup is one
//     contiguous run. Workgroup memory turns that round: each invocation takes up LOADS neighbours.
//     Only then does the tree begin, with a LOADS-th of the barriers that a tree over all would need.
//  3. No subgroup operations: WGSL does not tie lanes to `local_invocation_index`.
//  4. `combine` sees nothing but values of elements. What does not exist is left out by counting. Only workgroups that
//     a counted input leaves without elements leave an identity, which the next pass combines.
//  5. Names begin with `fold_`, since the user's text is a part of the shader.

// Invocations per workgroup: a power of two.
override FOLD_WORKGROUP_SIZE: u32 = 256u;

// Units that an invocation loads before it uses the first of them.
override FOLD_LOADS: u32 = 4u;

override FOLD_TILE: u32 = FOLD_WORKGROUP_SIZE * FOLD_LOADS;

struct FoldParameters {
    // The first of the elements before the first unit, counted from the start of the binding.
    head_first: u32,
    head_count: u32,
    // Units [body_first, body_end), counted from the start of the binding.
    body_first: u32,
    body_end: u32,
    tail_first: u32,
    tail_count: u32,
    // Workgroups that have work, and the units that each but the last gets.
    workgroups: u32,
    share: u32,
    // What is added to an element's index behind the binding to get that in the input, and that of its
    // partner behind the other binding; modulo 2^32.
    base: u32,
    delta: u32,
    // The slot of workgroup 0's total, or the word where the result begins.
    target_first: u32,
    unused: u32,
    // The bits of the identity's components.
    identity: vec4<u32>,
}

@group(0) @binding(3) var<uniform> fold_parameters: FoldParameters;

var<workgroup> fold_slots: array<FoldAcc, FOLD_TILE>;

fn fold_identity() -> FoldAcc {
    return fold_value_of(fold_parameters.identity);
}

// What has been combined so far, and whether there is anything.
struct FoldTotal {
    value: FoldAcc,
    exists: bool,
}

fn fold_append(total: FoldTotal, next: FoldAcc) -> FoldTotal {
    if (total.exists) {
        return FoldTotal(combine(total.value, next), true);
    }
    return FoldTotal(next, true);
}

// Leaves `count` units from `first` on, combined, in slot 0. There is at least one.
fn fold_tile(first: u32, count: u32, local: u32) {
    for (var k = 0u; k < FOLD_LOADS; k++) {
        // Past the end the last unit is loaded again: a load under no condition can be under way
        // before the one before it is used.
        let at = k * FOLD_WORKGROUP_SIZE + local;
        let value = fold_unit(first + min(at, count - 1u));
        if (at < count) {
            fold_slots[at] = value;
        }
    }
    workgroupBarrier();
    let mine = local * FOLD_LOADS;
    var total = FoldTotal(fold_identity(), false);
    for (var at = mine; at < min(mine + FOLD_LOADS, count); at++) {
        total = fold_append(total, fold_slots[at]);
    }
    workgroupBarrier();
    if (total.exists) {
        fold_slots[local] = total.value;
    }
    let left = (count + FOLD_LOADS - 1u) / FOLD_LOADS;
    for (var step = 1u; step < FOLD_WORKGROUP_SIZE; step *= 2u) {
        workgroupBarrier();
        // Those that combine have the lowest numbers, so that whole subgroups fall idle together.
        let at = 2u * step * local;
        if (at + step < left) {
            fold_slots[at] = combine(fold_slots[at], fold_slots[at + step]);
        }
    }
}

@compute @workgroup_size(FOLD_WORKGROUP_SIZE)
fn fold_pass(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = id.x + id.y * count.x;
    if (workgroup >= fold_parameters.workgroups) {
        return;
    }
    let leads = local == 0u;
    var total = FoldTotal(fold_identity(), false);
    if (leads && workgroup == 0u) {
        for (var k = 0u; k < fold_parameters.head_count; k++) {
            total = fold_append(total, fold_element(fold_parameters.head_first + k));
        }
    }
    let first = fold_parameters.body_first + workgroup * fold_parameters.share;
    let end = min(first + fold_parameters.share, fold_parameters.body_end);
    for (var tile = first; tile < end; tile += FOLD_TILE) {
        fold_tile(tile, min(FOLD_TILE, end - tile), local);
        if (leads) {
            total = fold_append(total, fold_slots[0]);
        }
        workgroupBarrier();
    }
    if (leads) {
        if (workgroup == fold_parameters.workgroups - 1u) {
            for (var k = 0u; k < fold_parameters.tail_count; k++) {
                total = fold_append(total, fold_element(fold_parameters.tail_first + k));
            }
        }
        fold_leave(workgroup, total.value);
    }
}
