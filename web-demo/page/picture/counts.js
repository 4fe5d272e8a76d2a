// What steps cost: turns at the banks of workgroup memory and at places that atomic operations want, bytes that loads
// fetch, invocations without work; and words for each step.

/** Workgroup memory hands out one word of 4 bytes of each bank at a time; memory hands out pieces of so many bytes. */
export const [BANKS, WORD_BYTES, PIECE_BYTES] = [32, 4, 32];

const bankOf = (index) => index % BANKS;

/** The accesses of a step, by instruction: those of one subgroup at one place in the text. */
function instructionsOf({ accesses }, space, subgroupSize) {
    const found = new Map();
    for (const access of accesses.filter((each) => each.space === space)) {
        const key = `${Math.floor(access.local / subgroupSize)} ${access.site} ${access.kind}`;
        found.set(key, [...found.get(key) ?? [], access]);
    }
    return [...found.values()];
}

/** The slots that an instruction must wait for: all of banks from which several words are wanted. */
function crowdedOf(instruction) {
    const words = new Map();
    for (const { index } of instruction) {
        words.set(bankOf(index), (words.get(bankOf(index)) ?? new Set()).add(index));
    }
    const crowds = [...words.values()];
    return {
        turns: Math.max(...crowds.map((crowd) => crowd.size)),
        slots: crowds.filter((crowd) => crowd.size > 1).flatMap((crowd) => [...crowd]),
    };
}

/** Pieces of memory that elements lie in, by their numbers. */
function piecesOf(loads) {
    const pieces = new Set();
    for (const { index, width } of loads) {
        const [first, last] = [index, index + width - 1].map((at) => Math.floor((at * WORD_BYTES) / PIECE_BYTES));
        for (let piece = first; piece <= last; piece += 1) {
            pieces.add(piece);
        }
    }
    return pieces;
}

/** What invocations do in a step: `awake`, `idle` while their subgroup works, `asleep` with all of it, or `waiting`. */
export function statesOf({ kind, awake }, size, subgroupSize) {
    const isAwake = new Set(awake);
    const working = new Set(awake.map((local) => Math.floor(local / subgroupSize)));
    return Array.from({ length: size }, (_, local) => {
        if (isAwake.has(local)) {
            return kind === "barrier" ? "waiting" : "awake";
        }
        return working.has(Math.floor(local / subgroupSize)) ? "idle" : "asleep";
    });
}

/** Whether something is, or touches, the elements: some levels load several at a time. */
export const isInput = ({ name }) => ["values", "pairs", "quads"].includes(name);

/** Whether something touches a result in memory, and the name of its place there. */
export const isResult = (access) => access.space === "storage" && !isInput(access);
export const placeOf = ({ name, index }) => `${name}[${index}]`;

/** What lanes take from lanes in a subgroup's instruction: pairs of the lane that has a value and the one that it goes to. */
export function exchangedBy({ name, awake, distance }, subgroupSize) {
    const firstOf = (local) => local - (local % subgroupSize);
    if (name === "subgroupAdd") {
        return awake.map((local) => [local, firstOf(local)]);
    }
    return awake.map((local) => [local + distance, local])
        .filter(([from, to]) => firstOf(from) === firstOf(to) && awake.includes(from));
}

/** How many atomic operations want each place. */
function atomicsOf({ accesses }) {
    const wanted = new Map();
    for (const place of accesses.filter(({ kind }) => kind === "atomic").map(placeOf)) {
        wanted.set(place, (wanted.get(place) ?? 0) + 1);
    }
    return wanted;
}

/** What a step costs, and where. A piece that is fetched is there for the whole workgroup, and gone with the step. */
export function costOf(step, size, subgroupSize) {
    const crowds = instructionsOf(step, "workgroup", subgroupSize).map(crowdedOf);
    const loads = step.accesses.filter(isInput);
    const pieces = piecesOf(loads);
    const wanted = atomicsOf(step);
    return {
        barriers: step.kind === "barrier" ? 1 : 0,
        conflicts: crowds.reduce((sum, { turns }) => sum + turns - 1, 0),
        crowded: new Set(crowds.flatMap(({ slots }) => slots)),
        idle: step.kind === "barrier" ? 0 : size - step.awake.length,
        atomics: [...wanted.values()].reduce((sum, count) => sum + count, 0),
        awaited: new Set([...wanted].filter(([, count]) => count > 1).map(([place]) => place)),
        pieces,
        fetched: pieces.size * PIECE_BYTES,
        used: loads.reduce((sum, { width }) => sum + width * WORD_BYTES, 0),
    };
}

/** Numbers in words: a span where they follow each other, or the first ones. */
export function spanOf(numbers) {
    const sorted = [...new Set(numbers)].sort((a, b) => a - b);
    const [first, last, step] = [sorted[0], sorted.at(-1), sorted[1] - sorted[0]];
    const isEven = sorted.every((number, index) => index === 0 || number - sorted[index - 1] === step);
    if (sorted.length < 4) {
        return sorted.join(", ");
    }
    if (isEven && step === 1) {
        return `${first} to ${last}`;
    }
    return isEven ? `${first}, ${sorted[1]} … ${last}` : `${sorted.slice(0, 3).join(", ")} … ${last}`;
}

function indicesOf(accesses, kind, isWanted) {
    return accesses.filter((access) => access.kind === kind && isWanted(access))
        .flatMap(({ index, width }) => Array.from({ length: width }, (_, lane) => index + lane));
}

const isSlot = ({ space }) => space === "workgroup";

/** Atomic operations in words. */
function atomicWords(wanted) {
    const [places, counts] = [[...wanted.keys()].join(", "), [...wanted.values()]];
    const [all, most] = [counts.reduce((sum, count) => sum + count, 0), Math.max(...counts)];
    if (all === 1) {
        return `An atomic operation on ${places} in memory. No other invocation shown is in its way.`;
    }
    const turns = most > 1 ? `They take turns: ${most} at one place.` : "Each has a place of its own.";
    return `${all} atomic operations on ${places} in memory. ${turns}`;
}

function memoryWords({ accesses }, cost) {
    const words = [];
    const [loaded, read, written] = [
        indicesOf(accesses, "read", isInput), indicesOf(accesses, "read", isSlot), indicesOf(accesses, "write", isSlot),
    ];
    if (loaded.length) {
        words.push(`Loads of numbers ${spanOf(loaded)} fetch ${cost.fetched} bytes and use ${cost.used}.`);
    }
    if (read.length) {
        words.push(`Read: slots ${spanOf(read)}.`);
    }
    if (written.length) {
        words.push(`Written: slots ${spanOf(written)}.`);
    }
    if (cost.conflicts) {
        words.push(`Lanes want the same bank: ${cost.conflicts} extra turns.`);
    } else if (read.length + written.length > 1) {
        words.push("No lane waits for another at a bank.");
    }
    if (cost.atomics) {
        words.push(atomicWords(atomicsOf({ accesses })));
    }
    const results = accesses.filter((access) => access.kind === "write" && isResult(access)).map(placeOf);
    if (results.length) {
        words.push(`A sum goes to memory: ${results.join(", ")}.`);
    }
    return words;
}

/** A step in words, for everybody; for those who do not see the picture all there is. */
export function wordsOf(step, cost, size, subgroupSize) {
    const { kind, name, awake, distance } = step;
    if (kind === "barrier") {
        return `A barrier: all ${size} invocations wait until the last has arrived.`;
    }
    const who = `${awake.length} of ${size} invocations are awake.`;
    if (kind === "subgroup") {
        const what = name === "subgroupAdd"
            ? `Each subgroup adds up its ${Math.min(size, subgroupSize)} lanes in one instruction.`
            : `Each lane takes the value of the lane ${distance} further on, in one instruction.`;
        return `${who} ${what}`;
    }
    return [who, ...memoryWords(step, cost)].join(" ");
}
