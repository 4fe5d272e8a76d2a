// The only pass: workgroups leave their accumulators, and one of them folds all.
//
//   handover[first_partial + workgroup] <- my workgroup's total
//   if my workgroup is the one that folds
//       for each workgroup of all dispatches, always in the same order: wait for its total, take it, combine
//       finish; leave the result
//
// The one that folds is the last to arrive, by an atomic count. Or it is the one with the highest
// number, which saves the count's round trip: that needs a device on which a workgroup that waits
// does not keep others from running, and the host takes it only where that is known.
//
// How the code differs from the CUDA original (a fence, then an atomic counter), and why:
//  1. WGSL has no fence between workgroups: its atomics are relaxed, and storageBarrier() is for one
//     workgroup. So no access is ordered by another. A word goes over as two halves, each with a mark
//     that says that it is there, and who reads waits for the marks. Whoever has counted itself in has
//     left its halves before, so that wait is short.
//  2. Reading is an exchange with zero. That leaves everything zero for the next time, and it is an
//     atomic read in every language that WGSL is translated to; HLSL and GLSL have no atomic load.
//  3. Waiting is no loop of its own: a turn of the one loop either completes a partial or not. All
//     halves of a partial are asked for at once.

// Whether the workgroup with the highest number folds, not the last to arrive.
override HIGHEST_FOLDS: bool = false;

@group(0) @binding(2) var<storage, read_write> results: array<Output>;
// Zero at the start, and zero again at the end: the count, and far enough from it the halves.
@group(0) @binding(5) var<storage, read_write> handover: array<atomic<u32>>;

const FIRST_HALF: u32 = 64u;
const HALVES: u32 = 2u * ACC_WORDS;
const MARK: u32 = 0x10000u;

var<workgroup> is_last: u32;

fn leave(slot: u32, partial: Acc) {
    var words = acc_to_words(partial);
    let first = FIRST_HALF + slot * HALVES;
    for (var i = 0u; i < ACC_WORDS; i++) {
        atomicStore(&handover[first + 2u * i], MARK | (words[i] & 0xffffu));
        atomicStore(&handover[first + 2u * i + 1u], MARK | (words[i] >> 16u));
    }
}

// Takes those halves of a partial that are still missing. Whether all are there.
fn take(slot: u32, halves: ptr<function, array<u32, HALVES>>) -> bool {
    let first = FIRST_HALF + slot * HALVES;
    var complete = true;
    for (var i = 0u; i < HALVES; i++) {
        if ((*halves)[i] == 0u) {
            (*halves)[i] = atomicExchange(&handover[first + i], 0u);
        }
        complete &= (*halves)[i] != 0u;
    }
    return complete;
}

fn joined(halves: array<u32, HALVES>) -> Acc {
    var parts = halves;
    var words: array<u32, ACC_WORDS>;
    for (var i = 0u; i < ACC_WORDS; i++) {
        // The upper half's mark is shifted out.
        words[i] = (parts[2u * i] & 0xffffu) | (parts[2u * i + 1u] << 16u);
    }
    return acc_from_words(words);
}

fn folds(workgroup: u32, me: Invocation) -> bool {
    if (HIGHEST_FOLDS) {
        // Not one too many of an earlier dispatch, which would wait for a later one.
        let has_partial = workgroup < parameters.workgroups;
        return has_partial && parameters.first_partial + workgroup == parameters.partials - 1u;
    }
    if (leads(me)) {
        is_last = 0u;
        if (workgroup < parameters.workgroups) {
            is_last = select(0u, 1u, atomicAdd(&handover[0], 1u) == parameters.partials - 1u);
        }
    }
    return workgroupUniformLoad(&is_last) != 0u;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(me: Invocation, us: Workgroup) {
    let workgroup = number_of(us);
    let total = combine_workgroup(gather(workgroup, me.local), me);
    if (leads(me) && workgroup < parameters.workgroups) {
        leave(parameters.first_partial + workgroup, total);
    }
    if (!folds(workgroup, me)) {
        return;
    }

    var of_all = identity();
    var slot = me.local;
    var halves = array<u32, HALVES>();
    while (slot < parameters.partials) {
        if (take(slot, &halves)) {
            of_all = combine(of_all, joined(halves));
            halves = array<u32, HALVES>();
            slot += WORKGROUP_SIZE;
        }
    }
    workgroupBarrier();
    let result = combine_workgroup(of_all, me);
    if (leads(me)) {
        results[parameters.first_slot] = finish(result);
        atomicStore(&handover[0], 0u);
    }
}
