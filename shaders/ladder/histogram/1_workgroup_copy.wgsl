// Histogram level 1, workgroup_copy: each workgroup counts in a copy of its own, in workgroup
// memory.
//
// Level 0 made all invocations of the device queue for 256 places in memory. Here a workgroup has
// its own 256 counts, next to the processor that it runs on: only its own invocations meet there,
// and an addition takes a fraction of the time. The result is added to once for each workgroup and
// value instead of once for each element. This is called privatisation.
//
//   each invocation clears the counts that fall to it: copy[local, + workgroup, ...] <- 0
//   barrier
//   for i <- my place in the grid, + grid, ... while word i is whole
//       for each of the 4 elements of the word: atomically, copy[element] <- copy[element] + 1
//   workgroup 0 also counts the elements before the first whole word and after the last
//   barrier
//   for each value that falls to me: atomically, counts[value] <- counts[value] + copy[value]
//
// The counts must be zero before the pass. A dispatch counts fewer than 2^32 elements, in counts of
// its own, so that none overflows; the host adds up the counts of several dispatches.
//
// How the code differs from the original: WGSL has no loads of a byte, so elements come by words of
// four. The input may start and end at any byte; head and tail are found here, and what a word has
// of neighbours is not counted. Values that did not occur are not added.
//
// Still wasted: all invocations of a workgroup share the one copy. Its subgroups run at the same
// time and meet where their elements are alike, and so do the lanes of each.
//
// Data: workgroups stand side by side; all their invocations together load one contiguous run of
// words, then the run after it, and so on. A word is whole if it starts at a multiple of 4 elements
// from the start of the buffer and lies wholly inside the input.
//
// Write-ups: C, histogram by a private copy for each block.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// One for each value of an element.
const BINS: u32 = 256u;

struct Work {
    // The elements are [first, end), counted from the start of the binding.
    first: u32,
    end: u32,
    // Workgroups that share them.
    workgroups: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> work: Work;

var<workgroup> private_counts: array<atomic<u32>, BINS>;

fn count(value: u32) {
    atomicAdd(&private_counts[value], 1u);
}

// The first element is in the lowest bits.
fn count_word(word: u32) {
    count(word & 0xffu);
    count((word >> 8u) & 0xffu);
    count((word >> 16u) & 0xffu);
    count(word >> 24u);
}

// Counts elements [first, last), one after the other by the invocations of a workgroup.
fn count_one_by_one(first: u32, last: u32, local: u32) {
    for (var i = first + local; i < last; i += WORKGROUP_SIZE) {
        count((words[i / 4u] >> (8u * (i % 4u))) & 0xffu);
    }
}

// Counts what falls to one of the workgroups.
fn count_share(workgroup: u32, local: u32) {
    // Whole words; before and after them are fewer than 4 elements each.
    let first_word = (work.first + 3u) / 4u;
    let end_word = work.end / 4u;
    let stride = work.workgroups * WORKGROUP_SIZE;
    for (var i = first_word + workgroup * WORKGROUP_SIZE + local; i < end_word; i += stride) {
        count_word(words[i]);
    }
    if (workgroup == 0u) {
        let head_end = min(first_word * 4u, work.end);
        let tail_start = max(end_word * 4u, head_end);
        count_one_by_one(work.first, head_end, local);
        count_one_by_one(tail_start, work.end, local);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = workgroup_id.x + workgroup_id.y * num_workgroups.x;
    for (var value = local; value < BINS; value += WORKGROUP_SIZE) {
        atomicStore(&private_counts[value], 0u);
    }
    workgroupBarrier();

    // The grid may have a few workgroups too many. They count nothing, yet take part in barriers.
    if (workgroup < work.workgroups) {
        count_share(workgroup, local);
    }

    workgroupBarrier();
    for (var value = local; value < BINS; value += WORKGROUP_SIZE) {
        let here = atomicLoad(&private_counts[value]);
        if (here > 0u) {
            atomicAdd(&counts[value], here);
        }
    }
}
