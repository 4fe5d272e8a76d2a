// Workgroups of a level, run invocation by invocation on the CPU, step by step as a GPU would: those that are farthest
// behind go next, all that are at one place together.

import { isInput } from "./counts.js";
import { ARRAYS, operation } from "./types.js";

/** Whether one place comes before another: less than 0, if so. */
function compare(a, b) {
    const length = Math.min(a.length, b.length);
    for (let index = 0; index < length; index += 1) {
        if (a[index] !== b[index]) {
            return a[index] - b[index];
        }
    }
    return a.length - b.length;
}

function arrayFor(type, count) {
    const of = type.of?.of ?? type.of ?? type;
    return new ARRAYS[of.kind](count);
}

/** Who has touched each slot since the last barrier, to find those that do not wait for each other. */
class Watch {
    constructor() {
        this.races = 0;
        this.forget();
    }

    forget() {
        this.writers = new Map();
        this.readers = new Map();
    }

    see({ kind, index: slot }, local) {
        const writer = this.writers.get(slot);
        const readers = this.readers.get(slot) ?? new Set();
        const others = readers.size - (readers.has(local) ? 1 : 0);
        const meets = (writer !== undefined && writer !== local) || (kind === "write" && others > 0);
        this.races += meets ? 1 : 0;
        if (kind === "write") {
            this.writers.set(slot, local);
        } else {
            this.readers.set(slot, readers.add(local));
        }
    }
}

/** One workgroup. */
class Workgroup {
    constructor(program, setting, memory, part) {
        Object.assign(this, { program, setting, memory, steps: [], watch: new Watch() });
        // Variables of workgroup memory lie behind each other: their slots have numbers of their own.
        this.slots = { next: 0 };
        for (const { name, type } of program.globals.filter(({ space }) => space === "workgroup")) {
            memory[name] = arrayFor(type, type.count ?? 1);
            this.slots[name] = this.slots.next;
            this.slots.next += memory[name].length;
        }
        this.invocations = Array.from({ length: program.size }, (_, local) => this.invocation(local, part));
    }

    invocation(local, part) {
        const { subgroupSize, workgroups } = this.setting;
        const builtins = {
            workgroup_id: [part, 0, 0],
            num_workgroups: [workgroups, 1, 1],
            local_invocation_index: local,
            subgroup_invocation_id: local % subgroupSize,
            subgroup_id: Math.floor(local / subgroupSize),
            num_subgroups: Math.ceil(this.program.size / subgroupSize),
        };
        const invocation = { local, builtins, memory: this.memory };
        invocation.note = (access) => this.note(access, local);
        return invocation;
    }

    note(access, local) {
        const index = access.index + (this.slots[access.name] ?? 0);
        this.step.accesses.push({ ...access, index, local });
        if (access.space === "workgroup") {
            this.watch.see({ ...access, index }, local);
        }
    }

    advance(run, value) {
        const { done, value: at } = run.go.next(value);
        run.at = done ? undefined : at;
    }

    /** Goes on step by step, and pauses after each. */
    *run() {
        const runs = this.invocations.map((invocation) => ({ invocation, go: this.program.invoke(invocation) }));
        runs.forEach((run) => this.advance(run));
        for (let live = runs.filter(({ at }) => at); live.length > 0; live = live.filter(({ at }) => at)) {
            const first = live.reduce((least, run) => (compare(run.at.place, least.at.place) < 0 ? run : least));
            const group = live.filter(({ at }) => compare(at.place, first.at.place) === 0);
            this.take(group);
            yield;
        }
    }

    /** One step of those that are at one place. */
    take(group) {
        const { kind, name, at } = group[0].at;
        const awake = group.map(({ invocation }) => invocation.local);
        this.step = { kind, name, at, awake, accesses: [] };
        this.steps.push(this.step);
        if (kind === "barrier") {
            if (awake.length !== this.program.size) {
                throw new Error(`${name} is not reached by all`);
            }
            this.watch.forget();
        }
        const results = kind === "subgroup" ? this.together(group) : [];
        group.forEach((run, index) => this.advance(run, results[index]));
    }

    /** What subgroups do in one instruction. */
    together(group) {
        const { subgroupSize } = this.setting;
        const { name, type } = group[0].at;
        const { apply } = operation("+", type);
        const sums = new Map();
        for (const { invocation, at } of group) {
            const subgroup = Math.floor(invocation.local / subgroupSize);
            const [value] = at.values;
            sums.set(subgroup, sums.has(subgroup) ? apply(sums.get(subgroup), value) : value);
        }
        const valueOf = new Map(group.map(({ invocation, at }) => [invocation.local, at.values[0]]));
        return group.map(({ invocation: { local }, at }) => {
            const subgroup = Math.floor(local / subgroupSize);
            if (name === "subgroupAdd") {
                return sums.get(subgroup);
            }
            const other = local + at.values[1];
            const isInside = Math.floor(other / subgroupSize) === subgroup && valueOf.has(other);
            this.step.distance = at.values[1];
            // A lane that is not there has no value; what comes instead must not matter.
            return isInside ? valueOf.get(other) : NaN;
        });
    }
}

/** Buffers of a pass: `input` to be summed, by so many workgroups. */
export function memoryFor(program, input, workgroups) {
    const memory = {};
    for (const { name, space, type } of program.globals) {
        if (space === "uniform") {
            memory[name] = { first: 0, row_length: input.length, workgroups_per_row: workgroups, first_slot: 0,
                slots_per_row: workgroups, first_row: 0 };
        } else if (space === "storage") {
            // Two for each workgroup is as much as any buffer of a level has.
            memory[name] = isInput({ name }) ? input : arrayFor(type, 2 * workgroups);
        }
    }
    return memory;
}

/** Runs a workgroup, step by step; what it leaves is in `memory`. Returns its steps and how many accesses did not wait. */
export function* workgroupRun(program, setting, memory, part) {
    const workgroup = new Workgroup(program, setting, memory, part);
    yield* workgroup.run();
    return { steps: workgroup.steps, races: workgroup.watch.races };
}

/** What comes of a run that goes to its end at once. */
export function resultOf(run) {
    for (;;) {
        const { done, value } = run.next();
        if (done) {
            return value;
        }
    }
}
