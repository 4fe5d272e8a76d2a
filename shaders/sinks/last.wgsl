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
//     workgroup. So no access is ordered by another. A word goes over with a mark in place of its highest
//     bit, which says that it is there, and the highest bits of all words in a word more; who reads waits
//     for the marks. Whoever has counted itself in has left its words before, so that wait is short.
//  2. Who reads loads, and stores zero for the next time once all words of a partial are there. An exchange with
//     zero would do both at once, but takes a GPU several times as long as a load of neighbouring words.
//  3. Waiting is no loop of its own: a turn of the one loop either takes a partial or not. All words of a
//     partial are asked for at once: no condition waits for an answer before the next is asked for.
//  4. The first words of all partials lie side by side, then the second ones: neighbouring invocations take
//     neighbouring words.

// Whether the workgroup with the highest number folds, not the last to arrive.
override HIGHEST_FOLDS: bool = false;

@group(0) @binding(2) var<storage, read_write> results: array<Output>;
// Zero at the start, and zero again at the end: the count, and far enough from it the marked words.
@group(0) @binding(5) var<storage, read_write> handover: array<atomic<u32>>;

const FIRST_WORD: u32 = 64u;
// The words of a partial that are handed over: its own, and their highest bits, of which there are fewer than a word has.
const MARKED_WORDS: u32 = ACC_WORDS + 1u;
const MARK: u32 = 0x80000000u;

var<workgroup> is_last: u32;

fn place_of(word: u32, slot: u32) -> u32 {
    return FIRST_WORD + word * parameters.partials + slot;
}

fn leave(slot: u32, partial: Acc) {
    var words = acc_to_words(partial);
    var highest_bits = MARK;
    for (var i = 0u; i < ACC_WORDS; i++) {
        atomicStore(&handover[place_of(i, slot)], MARK | words[i]);
        highest_bits |= (words[i] >> 31u) << i;
    }
    atomicStore(&handover[place_of(ACC_WORDS, slot)], highest_bits);
}

// Takes the words of a partial, if all are there.
fn take(slot: u32, marked: ptr<function, array<u32, MARKED_WORDS>>) -> bool {
    var complete = true;
    for (var i = 0u; i < MARKED_WORDS; i++) {
        (*marked)[i] = atomicLoad(&handover[place_of(i, slot)]);
        complete &= (*marked)[i] != 0u;
    }
    if (complete) {
        for (var i = 0u; i < MARKED_WORDS; i++) {
            atomicStore(&handover[place_of(i, slot)], 0u);
        }
    }
    return complete;
}

fn joined(marked: array<u32, MARKED_WORDS>) -> Acc {
    var parts = marked;
    var words: array<u32, ACC_WORDS>;
    for (var i = 0u; i < ACC_WORDS; i++) {
        words[i] = (parts[i] & ~MARK) | ((parts[ACC_WORDS] >> i) << 31u);
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

fn reduce_workgroup(workgroup: u32, me: Invocation) {
    let total = fold_workgroup(gather(workgroup, me.local), me);
    if (leads(me) && workgroup < parameters.workgroups) {
        leave(parameters.first_partial + workgroup, complete(total));
    }
    if (!folds(workgroup, me)) {
        return;
    }

    var folded = identity();
    var slot = me.local;
    var marked = array<u32, MARKED_WORDS>();
    while (slot < parameters.partials) {
        if (take(slot, &marked)) {
            folded = combine(folded, joined(marked));
            slot += WORKGROUP_SIZE;
        }
    }
    workgroupBarrier();
    let result = fold_workgroup(folded, me);
    if (leads(me)) {
        results[parameters.first_slot] = finish(result);
        atomicStore(&handover[0], 0u);
    }
}
