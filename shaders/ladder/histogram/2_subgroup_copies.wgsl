// Histogram level 2, subgroup_copies: each subgroup counts in a copy of its own, in workgroup
// memory.
//
// In level 1 the subgroups of a workgroup shared one copy, and waited for each other where their
// elements were alike. Here each has its own, as far as workgroup memory has room for them: on a
// device whose subgroups are small there are more subgroups than copies, and some share one.
//
//   copies <- subgroups of the workgroup, or as many copies as there is room for
//   mine <- subgroup mod copies
//   each invocation clears counts of all copies that fall to it
//   barrier
//   for i <- my place in the grid, + grid, ... while word i is whole
//       for each of the 4 elements of the word:
//           atomically, copy[mine][element] <- copy[mine][element] + 1
//   workgroup 0 also counts the elements before the first whole word and after the last
//   barrier
//   for each value that falls to me:
//       sum <- copy[0][value] + copy[1][value] + ...
//       atomically, counts[value] <- counts[value] + sum
//
// The counts must be zero before the pass. A dispatch counts fewer than 2^32 elements, in counts of
// its own, so that none overflows; the host adds up the counts of several dispatches.
//
// How the code differs from the original: there a subgroup has 32 lanes, so that a thread knows its
// warp, and how many there are, by dividing its number. Here a subgroup has any size, perhaps not
// the same in every workgroup, and nothing ties it to an invocation's number: subgroups are told
// apart by their built-in values. WGSL has no loads of a byte, so elements come by words of four.
// The input may start and end at any byte; head and tail are found here, and what a word has of
// neighbours is not counted. Values that did not occur are not added.
//
// Still wasted: the lanes of a subgroup still meet where their elements are alike; if all are
// equal, every addition of a subgroup goes to one place. And each copy has to be cleared and added
// up, whatever the length of the input.
//
// Data: workgroups stand side by side; all their invocations together load one contiguous run of
// words, then the run after it, and so on. A word is whole if it starts at a multiple of 4 elements
// from the start of the buffer and lies wholly inside the input. Each lane of a subgroup counts in
// its subgroup's copy; which words a subgroup has does not matter to anybody.
//
// Write-ups: C, histogram by a private copy for each warp.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// One for each value of an element.
const BINS: u32 = 256u;

// Counts of all copies that there is room for: BINS for each of them, and at least one.
override COUNTERS: u32 = 2048u;

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

// One copy after the other.
var<workgroup> private_counts: array<atomic<u32>, COUNTERS>;

// Where the copy of this invocation's subgroup begins.
var<private> mine: u32;

fn count(value: u32) {
    atomicAdd(&private_counts[mine + value], 1u);
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
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let workgroup = workgroup_id.x + workgroup_id.y * num_workgroups.x;
    let copies = min(subgroups, COUNTERS / BINS);
    mine = (subgroup % copies) * BINS;
    for (var i = local; i < copies * BINS; i += WORKGROUP_SIZE) {
        atomicStore(&private_counts[i], 0u);
    }
    workgroupBarrier();

    // The grid may have a few workgroups too many. They count nothing, yet take part in barriers.
    if (workgroup < work.workgroups) {
        count_share(workgroup, local);
    }

    workgroupBarrier();
    for (var value = local; value < BINS; value += WORKGROUP_SIZE) {
        var sum = 0u;
        for (var k = 0u; k < copies; k++) {
            sum += atomicLoad(&private_counts[k * BINS + value]);
        }
        if (sum > 0u) {
            atomicAdd(&counts[value], sum);
        }
    }
}
