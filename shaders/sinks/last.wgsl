// The only pass: workgroups leave their accumulators, and the last one to arrive folds them.
//
//   partials[workgroup] <- my workgroup's total
//   storage barrier
//   earlier <- arrivals, which becomes one more
//   if earlier = workgroups - 1: the whole workgroup learns that it is the last
//       storage barrier
//       fold all partials, always in the same order; finish; leave the result
//       arrivals <- 0, for the next time
//
// How the code differs from the CUDA original (a fence, then an atomic counter), and why:
//  1. Partials are written by one workgroup and read by another, so both accesses are atomic, word by
//     word: no data race.
//  2. That a partial is seen once its count is seen is an order between workgroups, which WGSL does
//     not promise: its atomics are relaxed. On Vulkan storageBarrier() orders the memory of the whole
//     device. The host takes this sink only there.

@group(0) @binding(2) var<storage, read_write> results: array<Output>;
// Zero at the start, and zero again at the end.
@group(0) @binding(4) var<storage, read_write> arrivals: atomic<u32>;
@group(0) @binding(5) var<storage, read_write> partial_words: array<atomic<u32>>;

var<workgroup> is_last: u32;

fn store_partial(slot: u32, partial: Acc) {
    var words = acc_to_words(partial);
    for (var i = 0u; i < ACC_WORDS; i++) {
        atomicStore(&partial_words[slot * ACC_WORDS + i], words[i]);
    }
}

fn load_partial(slot: u32) -> Acc {
    var words: array<u32, ACC_WORDS>;
    for (var i = 0u; i < ACC_WORDS; i++) {
        words[i] = atomicLoad(&partial_words[slot * ACC_WORDS + i]);
    }
    return acc_from_words(words);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(me: Invocation) {
    let workgroup = number_of(me);
    let has_work = workgroup < parameters.workgroups;
    let total = combine_workgroup(gather(workgroup, me.local), me);
    if (leads(me) && has_work) {
        store_partial(workgroup, total);
    }
    storageBarrier();
    if (leads(me)) {
        is_last = 0u;
        if (has_work) {
            is_last = select(0u, 1u, atomicAdd(&arrivals, 1u) == parameters.workgroups - 1u);
        }
    }
    if (workgroupUniformLoad(&is_last) == 0u) {
        return;
    }
    storageBarrier();

    var of_all = identity();
    for (var i = me.local; i < parameters.workgroups; i += WORKGROUP_SIZE) {
        of_all = combine(of_all, load_partial(i));
    }
    let result = combine_workgroup(of_all, me);
    if (leads(me)) {
        results[parameters.first_slot] = finish(result);
        atomicStore(&arrivals, 0u);
    }
}
