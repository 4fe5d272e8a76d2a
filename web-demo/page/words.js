// The levels in plain words, and the write-ups that they come from.

/** One sentence a level, for somebody who sees it for the first time. */
export const PLAIN = [
    "One invocation walks through all numbers, while the rest of the GPU waits.",
    "Every number gets its own invocation. Neighbours add in pairs, then pairs of pairs, as in a knockout tournament.",
    "The tournament stays the same, but the invocations that still work sit side by side. Whole subgroups can rest.",
    "Each step adds the upper half of the slots to the lower half. Neighbours now use neighbouring slots, in different banks.",
    "Everybody waits before each step and no longer after it. The last wait is saved.",
    "Each invocation adds two numbers as it loads them. The first step has no idle half any more.",
    "Each invocation adds many numbers by itself before the tournament starts. Most work needs no waiting at all.",
    "The last steps are written out one by one. The program no longer counts or tests in them.",
    "All steps are written out. The size of the workgroup is known before the program starts, so needless ones vanish.",
    "A fixed number of workgroups strides over all numbers, however many there are. Fewer sums are left for the next pass.",
    "Invocations of a subgroup hand their sums to each other directly. Most of the workgroup memory and most barriers go.",
    "One instruction adds up a whole subgroup. The program no longer says how.",
    "Each load brings two numbers. Half as many instructions fetch the same bytes.",
    "Each load brings four numbers, the most that one instruction can.",
    "Each workgroup adds its sum to the result by itself, with an addition that nobody can interrupt. The second pass goes.",
    "Each subgroup adds its own sum to the result. There is no barrier and no workgroup memory left.",
    "Each workgroup leaves its sum and counts itself in. Whoever comes last adds them all, always in the same order.",
];

/** What was measured in each write-up, and on what. */
export const WRITE_UPS = {
    A: "sums of rows, a block for each, on an RTX 5070 Ti",
    B: "three strategies and three widths of loads, on an H100",
    C: "six versions, an atomic one and histograms, on an A100",
    D: "one round of five kernels, on a Tesla T4",
    E: "seven steps until one value is left, on a Tesla T4",
};

/** Shares of the peak bandwidth that write-ups measure, or what else is known of a level's speed. */
export const MEASURED = [
    ...["C 0.5", "A 48.1, C 10.8", "A 48.5", "A 48.5, C 19.6", "A 53.5", "C 32.0", "A 94.0", "A 94.0", "A 94.0", "C 88.9",
        "A 94.0, C 61.0 (V4), 88.9 (V5)"].map(shareText),
    "On an H200 this project measures 2506 GB/s, and 2507 GB/s at level 10.",
    ...["B 90–93", "A 94.0, B 92–95"].map(shareText),
    "Of B's three strategies it is the fastest at medium sizes.",
    "At large sizes B's three strategies are equally fast.",
    "On an H200 this project measures 4399 GB/s.",
];

function shareText(shares) {
    return `Percent of the GPU's peak bandwidth: ${shares}.`;
}

/** Where a level comes from; its `sources` are texts such as "A K0". */
export function originOf({ number, sources }) {
    if (sources.length === 0) {
        return number === 16
            ? "CUDA's sample threadFenceReduction has this step."
            : "No write-up has this step: it is this project's own.";
    }
    const kernels = new Map();
    for (const source of sources) {
        const [letter, ...kernel] = source.split(" ");
        kernels.set(letter, [...kernels.get(letter) ?? [], kernel.join(" ")]);
    }
    const parts = [...kernels].map(([letter, names]) => `${letter} calls it ${names.join(" and ")} (${WRITE_UPS[letter]})`);
    return `Write-up ${parts.join("; ")}.`;
}
