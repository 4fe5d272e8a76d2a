// Passes of a level: how many workgroups, and what of theirs is shown.

import { compile } from "./compile.js";
import { memoryFor, resultOf, workgroupRun } from "./run.js";

/** The first levels that have a constant number of workgroups, and that leave a single value. */
const [GRID_STRIDE, ONE_PASS, LAST_WORKGROUP] = [9, 14, 16];

/** How many elements a workgroup takes at a time, by what its shader declares and says. */
function elementsAtATime(level, program, { items }) {
    if (level === 5) {
        return 2 * program.size;
    }
    return program.size * (program.constants.has("ITEMS_PER_THREAD") ? items : 1);
}

/** A level's shader with its constants. */
export function programOf(text, { size, subgroupSize, items }) {
    return compile(text, { WORKGROUP_SIZE: size, ITEMS_PER_THREAD: items, MAX_SUBGROUP_SIZE: subgroupSize });
}

/** A pass over so many elements: its program, and the number of workgroups. */
export function passOf(level, program, choice, count) {
    const { subgroupSize, most = 2 } = choice;
    const needed = level === 0 ? 1 : Math.max(1, Math.ceil(count / elementsAtATime(level, program, choice)));
    const workgroups = level >= GRID_STRIDE ? Math.min(needed, most) : needed;
    return { level, program, workgroups, setting: { subgroupSize, workgroups } };
}

/** Runs all workgroups of a pass. Returns the values that are left for the next, and the steps of each workgroup. */
export function runPass({ level, program, workgroups, setting }, input) {
    const memory = memoryFor(program, input, workgroups);
    const runs = Array.from({ length: workgroups }, (_, part) => {
        return resultOf(workgroupRun(program, setting, memory, part));
    });
    const left = memory.partials ?? memory.totals;
    // Bits of f32 where that is what atomics have.
    const values = new input.constructor(left.buffer);
    return { runs, values: values.slice(0, level >= ONE_PASS ? 1 : workgroups) };
}

/** The sum of all elements, pass by pass. */
export function sumOf(level, program, choice, input) {
    let values = input;
    do {
        ({ values } = runPass(passOf(level, program, choice, values.length), values));
    } while (values.length > 1);
    return values[0];
}

/** So many elements are summed in a picture: two turns of what its invocations take. */
export function elementsShown(level, { size, items }) {
    return level === 0 ? 32 * items : 2 * size * items;
}

/** Runs the workgroup that a picture shows, step by step: the first, or the one that arrives last. Returns its steps. */
export function* runShown(level, text, choice, input) {
    const pass = passOf(level, programOf(text, choice), choice, input.length);
    const memory = memoryFor(pass.program, input, pass.workgroups);
    yield;
    const part = level === LAST_WORKGROUP ? pass.workgroups - 1 : 0;
    const before = level === LAST_WORKGROUP ? part : 0;
    for (let earlier = 0; earlier < before; earlier += 1) {
        yield* workgroupRun(pass.program, pass.setting, memory, earlier);
    }
    return { ...yield* workgroupRun(pass.program, pass.setting, memory, part), ...pass, part };
}

/** The steps of that workgroup, at once. */
export const stepsShown = (...what) => resultOf(runShown(...what));
