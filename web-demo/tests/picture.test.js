// The pictures of levels are made by running their shaders' own texts: what comes of that is the sum, and what it costs
// is what the levels are about. No browser is needed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { linesBeside } from "../page/diff.js";
import { costOf, exchangedBy, isInput, spanOf, statesOf, wordsOf } from "../page/picture/counts.js";
import { elementsShown, passOf, programOf, runPass, stepsShown, sumOf } from "../page/picture/pass.js";
import { ARRAYS } from "../page/picture/types.js";
import { MEASURED, PLAIN, WRITE_UPS, originOf } from "../page/words.js";
import { LEVELS, shaderOf, shuffling } from "./shaders.js";

const CHOICES = [{ size: 8, subgroupSize: 4, items: 1 }, { size: 32, subgroupSize: 8, items: 4 },
    { size: 64, subgroupSize: 32, items: 3 }, { size: 128, subgroupSize: 16, items: 8, most: 3 }];

const LENGTHS = [0, 1, 31, 257, 600];

const levels = Array.from({ length: LEVELS }, (_, level) => level);

/** Of either sign, where the type has one, and so small that sums are exact. */
const numbers = (type, count) => ARRAYS[type].from({ length: count }, (_, index) => ((index * 37) % 17) - 5);

const sumExactly = (input) => input.constructor.of(input.reduce((sum, number) => sum + number, 0))[0];

/** What a level's picture shows, its costs in all, and its words. */
function pictureOf(level, choice, text = shaderOf(level, "f32")) {
    const run = stepsShown(level, text, choice, numbers("f32", elementsShown(level, choice)));
    const costs = run.steps.map((step) => costOf(step, run.program.size, choice.subgroupSize));
    const total = (key) => costs.reduce((sum, cost) => sum + cost[key], 0);
    return { ...run, costs, total };
}

test("every level's sum is right, of every type, length and size", () => {
    assert.equal(LEVELS, 17);
    for (const level of levels) {
        for (const type of Object.keys(ARRAYS)) {
            const text = shaderOf(level, type);
            // Types differ in their arithmetic, not in what is added to what.
            for (const choice of type === "f32" ? CHOICES : CHOICES.slice(1, 2)) {
                const program = programOf(text, choice);
                for (const length of LENGTHS) {
                    const input = numbers(type, length);
                    const what = `level ${level} of ${length} ${type}, ${JSON.stringify(choice)}`;
                    assert.equal(sumOf(level, program, choice, input), sumExactly(input), what);
                }
            }
        }
    }
    for (const choice of CHOICES) {
        const input = numbers("i32", 600);
        assert.equal(sumOf(7, programOf(shuffling("i32"), choice), choice, input), sumExactly(input), "level 07, shuffling");
    }
});

test("every element is loaded once, and nothing is touched without a barrier between", () => {
    for (const level of levels) {
        for (const choice of CHOICES) {
            const input = numbers("f32", 601);
            const program = programOf(shaderOf(level, "f32"), choice);
            const { runs } = runPass(passOf(level, program, choice, input.length), input);
            const loads = new Uint8Array(input.length);
            const accesses = runs.flatMap(({ steps }) => steps).flatMap(({ accesses }) => accesses);
            for (const { kind, index, width } of accesses.filter(isInput)) {
                if (kind === "read") {
                    loads.subarray(index, index + width).forEach((_, lane) => { loads[index + lane] += 1; });
                }
            }
            assert.ok(loads.every((count) => count === 1), `level ${level}`);
            assert.deepEqual(runs.map(({ races }) => races), runs.map(() => 0), `level ${level}`);
        }
    }
});

test("barriers are as many as each level has", () => {
    for (const choice of CHOICES) {
        const steps = Math.log2(choice.size);
        const expected = (level) => [[1, 0], [4, steps + 1], [10, steps], [15, 1], [16, 0], [17, 4]]
            .find(([end]) => level < end)[1];
        for (const level of levels) {
            assert.equal(pictureOf(level, choice).total("barriers"), expected(level), `level ${level}`);
        }
    }
});

test("lanes want the same bank in level 02 alone, as often as its strides say", () => {
    const choice = { size: 128, subgroupSize: 32, items: 1 };
    // By hand: lanes of a subgroup that want several slots of one bank, at three places of each step.
    const turnsOf = (slots) => {
        const banks = new Map();
        slots.forEach((slot) => banks.set(slot % 32, (banks.get(slot % 32) ?? 0) + 1));
        return Math.max(0, ...banks.values());
    };
    let byHand = 0;
    for (let stride = 1; stride < choice.size; stride *= 2) {
        for (let first = 0; first < choice.size; first += choice.subgroupSize) {
            const lanes = Array.from({ length: choice.subgroupSize }, (_, lane) => 2 * stride * (first + lane));
            byHand += 3 * Math.max(0, turnsOf(lanes.filter((slot) => slot < choice.size)) - 1);
        }
    }
    assert.equal(byHand, 45);
    const conflicts = levels.map((level) => pictureOf(level, choice).total("conflicts"));
    assert.equal(conflicts[2], byHand);
    assert.deepEqual(conflicts.filter((_, level) => level !== 2), Array(LEVELS - 1).fill(0));
});

test("atomic operations are as many as levels 14 to 16 say, and wait at the places that several want", () => {
    const choice = { size: 64, subgroupSize: 8, items: 4 };
    const costsOf = (level, type) => {
        const { steps, costs } = pictureOf(level, choice, shaderOf(level, type));
        return costs.map(({ atomics, awaited }, index) => [atomics, [...awaited].join(), steps[index]])
            .filter(([atomics]) => atomics > 0);
    };
    for (const level of levels.slice(0, 14)) {
        assert.deepEqual(costsOf(level, "f32"), [], `level ${level}`);
    }
    const without = (costs) => costs.map(([atomics, awaited]) => [atomics, awaited]);
    assert.deepEqual(without(costsOf(14, "i32")), [[1, ""]]);
    assert.deepEqual(without(costsOf(15, "i32")), [[8, "partials[0]"]]);
    // Of f32 each subgroup reads, and then tries until nobody was quicker: one succeeds at a time.
    const tries = [8, 8, 7, 6, 5, 4, 3, 2, 1];
    assert.deepEqual(without(costsOf(15, "f32")), tries.map((count) => [count, count > 1 ? "partials[0]" : ""]));
    // Two halves are left, and the arrival counted; two of each of two workgroups are taken out, and the count set back.
    const last = costsOf(16, "f32");
    assert.deepEqual(without(last), [1, 1, 1, 2, 2, 1].map((count) => [count, ""]));
    const places = last.map(([,, { accesses }]) => accesses.map(({ name, index }) => `${name}[${index}]`).join(" "));
    assert.deepEqual(places, ["halves[2]", "halves[3]", "arrivals[0]", "halves[0] halves[2]", "halves[1] halves[3]", "arrivals[0]"]);
});

test("who is awake, idle or asleep is what levels 01 to 03 differ in", () => {
    const choice = { size: 64, subgroupSize: 16, items: 1 };
    const statesAt = (level) => {
        const { steps } = pictureOf(level, choice);
        // The tree's second step.
        const step = steps.filter(({ accesses }) => accesses.some(({ kind, space }) => kind === "read" && space === "workgroup"))[1];
        const states = statesOf(step, choice.size, choice.subgroupSize);
        return ["awake", "idle", "asleep"].map((kind) => states.filter((state) => state === kind).length);
    };
    assert.deepEqual(statesAt(1), [16, 48, 0]);
    assert.deepEqual(statesAt(2), [16, 0, 48]);
    assert.deepEqual(statesAt(3), [16, 0, 48]);
});

test("loads fetch what they use, unless neighbours load far apart", () => {
    for (const subgroupSize of [4, 8, 16, 32]) {
        const choice = { size: 64, subgroupSize, items: 8 };
        for (const level of levels.slice(1)) {
            const { total } = pictureOf(level, choice);
            assert.equal(total("fetched"), total("used"), `level ${level}, subgroups of ${subgroupSize}`);
        }
    }
    const choice = { size: 64, subgroupSize: 32, items: 8 };
    // One load after the other, each of 4 bytes.
    const alone = pictureOf(0, choice);
    assert.deepEqual([alone.total("fetched"), alone.total("used")], [32 * 8 * 32, 32 * 8 * 4]);
    const uncoalesced = shaderOf(6, "f32").replace("fn reduce(", "fn coalesced(").replace("fn reduce_uncoalesced(", "fn reduce(");
    const { total } = pictureOf(6, choice, uncoalesced);
    assert.equal(total("fetched"), 8 * total("used"));
    // A wide load is one instruction for the bytes of four.
    const loadsOf = (level) => pictureOf(level, choice).steps
        .filter(({ accesses }) => accesses.some(({ name }) => ["values", "quads"].includes(name))).length;
    assert.equal(loadsOf(11), 4 * loadsOf(13));
});

test("the picture follows the shader's text", () => {
    const choice = { size: 32, subgroupSize: 8, items: 4 };
    const text = shaderOf(3, "f32");
    const input = numbers("f32", 64);
    const sum = (changed) => sumOf(3, programOf(changed, choice), choice, input);
    assert.equal(sum(text), sumExactly(input));
    assert.notEqual(sum(text.replace("distance > 0u", "distance > 1u")), sumExactly(input));
    assert.equal(pictureOf(3, choice, text).races, 0);
    const hasty = text.replace("        workgroupBarrier();\n    }\n\n    if (local == 0u", "    }\n\n    if (local == 0u");
    assert.notEqual(hasty, text);
    assert.ok(pictureOf(3, choice, hasty).races > 0);
    const lonely = text.replace("if (local < distance) {", "if (local < distance) { workgroupBarrier();");
    assert.throws(() => pictureOf(3, choice, lonely), /workgroupBarrier is not reached by all/);
    assert.throws(() => pictureOf(3, choice, text.replace("slots[0]", "slot[0]")), /slot is no array/);
    assert.throws(() => pictureOf(3, choice, text.replace("var value = T(0);", "var value = ;")), SyntaxError);
});

test("what a level's text has not yet is told, and not taken for something else", () => {
    const choice = { size: 32, subgroupSize: 8, items: 4 };
    const text = shaderOf(3, "f32");
    const place = "var value = T(0);";
    const tried = (statement) => () => pictureOf(3, choice, text.replace(place, `${place} ${statement}`));
    tried("value += f32(~0u - 4294967295u);")();
    for (const [statement, told] of [
        ["let pair = vec2<f32>(value, value); value += pair.xy;", /no component xy/],
        ["let pair = vec2<f32>(value, value); value += pair.z;", /no component z/],
        ["let pair = vec2<f32>(value);", /vec2 of 1 is not understood/],
        ["let pair = vec2<f32>(value, value) * 2.0;", /no \* of vector and f32/],
        ["let pair = max(vec2<f32>(value, value), vec2<f32>(value, value));", /max of vector by \w+ is not understood/],
        ["value += work.nothing;", /no member nothing/],
        ["value += &value;", /no & of f32 here/],
        ["value = value >> 1u;", /no >> of f32/],
        ["value = abs(value);", /no type abs/],
        ["if (local < 4u && subgroupAdd(1u) > 2u) { value = 1.0; }", /a call on the right of && is not understood/],
    ]) {
        assert.throws(tried(statement), told, statement);
    }
    const atomic = shaderOf(16, "f32").replace("atomicAdd(&arrivals", "atomicMax(&arrivals");
    assert.throws(() => pictureOf(16, choice, atomic), /atomicMax is not understood/);
});

test("what is decided by its left side does not touch what is on the right", () => {
    const choice = { size: 32, subgroupSize: 8, items: 4 };
    const place = "if (local == 0u";
    for (const [condition, reading] of [
        ["local < 2u && slots[local] == T(0)", [0, 1]],
        ["local < 29u || slots[local] == T(0)", [29, 30, 31]],
    ]) {
        const text = shaderOf(3, "f32").replace(place, `if (${condition}) { slots[local] = T(0); }\n${place}`);
        const { steps } = pictureOf(3, choice, text);
        const step = steps.find(({ at }) => text.slice(at).startsWith(condition));
        assert.deepEqual(step.accesses.map(({ local }) => local), reading, condition);
    }
});

test("what a value is that the whole workgroup learns is read between two barriers", () => {
    const { steps } = pictureOf(16, { size: 32, subgroupSize: 8, items: 4 });
    const first = steps.findIndex(({ name }) => name === "workgroupUniformLoad");
    assert.deepEqual(steps.slice(first, first + 3).map(({ kind, accesses }) => [kind, accesses.length]),
        [["barrier", 0], ["memory", 32], ["barrier", 0]]);
});

test("steps are told in words", () => {
    const choice = { size: 64, subgroupSize: 32, items: 4 };
    const wordsAt = (level) => {
        const { steps, costs } = pictureOf(level, choice);
        return steps.map((step, index) => wordsOf(step, costs[index], choice.size, choice.subgroupSize));
    };
    assert.equal(wordsAt(1)[0], "64 of 64 invocations are awake. Loads of numbers 0 to 63 fetch 256 bytes and use 256.");
    assert.equal(wordsAt(2)[2], "A barrier: all 64 invocations wait until the last has arrived.");
    assert.equal(wordsAt(2)[3], "32 of 64 invocations are awake. Read: slots 0 to 63. Written: slots 0, 2 … 62. "
        + "Lanes want the same bank: 3 extra turns.");
    assert.ok(wordsAt(11).includes("64 of 64 invocations are awake. Each subgroup adds up its 32 lanes in one instruction."));
    assert.ok(wordsAt(10).some((words) => words.includes("the lane 16 further on")));
    assert.ok(wordsAt(1).at(-1).endsWith("A sum goes to memory: partials[0]."));
    assert.ok(wordsAt(15).includes("2 of 64 invocations are awake. 2 atomic operations on partials[0] in memory. "
        + "They take turns: 2 at one place."));
    assert.ok(wordsAt(16).includes("2 of 64 invocations are awake. 2 atomic operations on halves[0], halves[2] in memory. "
        + "Each has a place of its own."));
    assert.ok(wordsAt(16).includes("1 of 64 invocations are awake. An atomic operation on arrivals[0] in memory. "
        + "No other invocation shown is in its way."));
    assert.equal(spanOf([3, 1, 2]), "1, 2, 3");
    assert.equal(spanOf([9, 1, 2, 40]), "1, 2, 9 … 40");
});

test("lines that are new or gone are told from those that stayed", () => {
    for (const level of levels.slice(1)) {
        const [text, before] = [shaderOf(level, "f32"), shaderOf(level - 1, "f32")];
        const lines = [...linesBeside(text, before)];
        const kept = lines.filter(([kind]) => kind !== "removed").map(([, line]) => line);
        assert.equal(kept.join("\n"), text, `level ${level}`);
        const old = before.split("\n");
        for (const [kind, line] of lines) {
            assert.ok(kind !== "removed" || old.includes(line), line);
        }
        assert.ok(lines.some(([kind]) => kind === "added"), `level ${level}`);
    }
    const marked = [...linesBeside(shaderOf(2, "f32"), shaderOf(1, "f32"))].filter(([kind]) => kind !== "same");
    assert.deepEqual(marked.map(([kind, line]) => [kind, line.trim()]), [
        ["removed", "if (local % (2u * stride) == 0u) {"],
        ["removed", "slots[local] += slots[local + stride];"],
        ["added", "let index = 2u * stride * local;"],
        ["added", "if (index < WORKGROUP_SIZE) {"],
        ["added", "slots[index] += slots[index + stride];"],
    ]);
});

test("every level has its words", () => {
    assert.equal(PLAIN.length, LEVELS);
    for (const sentence of PLAIN.flatMap((words) => words.split(/(?<=\.) /))) {
        assert.ok(sentence.split(" ").length <= 25, sentence);
    }
    assert.deepEqual(Object.keys(WRITE_UPS).join(""), "ABCDE");
    const words = originOf({ number: 1, sources: ["A K0", "D unroll", "D warp"] });
    assert.match(words, /^Write-up A calls it K0 \(.*\); D calls it unroll and warp \(.*\)\.$/);
    assert.match(originOf({ number: 11, sources: [] }), /this project's own/);
    assert.match(originOf({ number: 16, sources: [] }), /CUDA's sample threadFenceReduction/);
});

test("every level has what its sources measured, as the table of the document has it", () => {
    const table = readFileSync(new URL("../../docs/ladder.md", import.meta.url), "utf8");
    const rows = table.split("\n").filter((line) => /^\| \d\d \|/.test(line)).map((line) => line.split(" | "));
    assert.equal(MEASURED.length, LEVELS);
    MEASURED.forEach((words, level) => {
        const own = rows.filter(([number]) => Number(number.slice(2)) === level);
        const shares = [...words.matchAll(/([A-E]) (\d[\d.–]*\d)/g)];
        for (const [, letter, share] of shares) {
            assert.ok(own.some(([,,, cell]) => new RegExp(`${letter} (?:[^A-E]*, )?${share}`).test(cell)), `level ${level}: ${letter} ${share}`);
        }
        // Levels of which no write-up has a share have the rate of the same table, or a write-up's order in words.
        const [rate] = /(?<=measures )\d+/.exec(words) ?? [];
        assert.equal(rate ?? "", rate ? String(Math.round(Number(own[0][2]))) : "", `level ${level}`);
        assert.ok(shares.length > 0 || rate || words.includes("B's three strategies"), words);
    });
});

test("lanes of a subgroup have a line to each value that they take from another lane", () => {
    for (const [size, subgroupSize] of [[64, 32], [8, 4]]) {
        const choice = { size, subgroupSize, items: 4 };
        const firstOf = (level, name) => {
            return exchangedBy(pictureOf(level, choice).steps.find((step) => step.name === name), subgroupSize);
        };
        const shuffled = firstOf(10, "subgroupShuffleDown");
        assert.equal(shuffled.length, size / 2);
        assert.ok(shuffled.every(([from, to]) => from - to === subgroupSize / 2));
        assert.deepEqual(firstOf(11, "subgroupAdd"), Array.from({ length: size }, (_, lane) => [lane, lane - (lane % subgroupSize)]));
    }
});
