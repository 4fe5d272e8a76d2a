// What results must be: operations × types × shapes × lengths, against naive loops.

import type { ElementType, Operation, ReduceRequest, WholeRequest } from "../dist/index.js";
import { answers } from "./answers.js";
import { leftOf } from "./left.js";
import { columns, difference, type Expected, expected, expectedDot, takes, takesNone } from "./oracle.js";
import { check, type Context, read, type Test } from "./suite.js";
import { arrayOf, bufferOf, bytesPer, encoded, random, TYPES, type Values, valuesOf } from "./values.js";

/** Every operation of one input: what the planner names, as another test makes sure of. */
export const OPERATIONS: readonly Operation[] = [
    "sum", "wrappingSum", "product", "sumOfSquares", "normL1", "normL2", "normMax", "min", "max", "minMax", "argmin", "argmax",
    "logSumExp", "mean", "variance", "std", "stats", "all", "any", "countNonzero", "countNan", "bitAnd", "bitOr", "bitXor",
    "nanSum", "nanMean", "nanVariance", "nanStd", "nanMin", "nanMax", "nanArgmin", "nanArgmax", "sumExact", "meanExact",
];

/** Those that edge lengths and shapes are tried with: of each kind of accumulator and of result one. */
const SOME: readonly Operation[] = ["sum", "max", "argmin", "mean", "countNonzero", "sumExact"];
const SOME_TYPES: readonly ElementType[] = ["f32", "u8", "i64"];

/** Those that every type is tried with where not all are: the shaders of others differ less by type, or take long to compile. */
const OF_EVERY_TYPE: readonly Operation[] = [
    "sum", "max", "minMax", "argmin", "normMax", "countNonzero", "nanMin", "all", "sumExact",
];

/** Those of segments and runs where not all are tried, for the same reason. */
const OF_SEGMENTS: readonly Operation[] = ["sum", "argmin"];

/** A request for elements in a buffer that begin at a byte. */
function requested(context: Context, operation: Operation, values: Values, before = 0): [WholeRequest<"f32">, GPUBuffer] {
    const buffer = bufferOf(context.device, values, before);
    const slice = { type: values.type as "f32", offset: before, length: values.values.length };
    return [context.reducer.reduce(operation as "sum", buffer, slice), buffer];
}

async function compare(request: ReduceRequest<unknown>, wanted: Expected, what: string): Promise<void> {
    const found = difference(await request.run(), wanted);
    check(found === undefined, `${what}${found}`);
}

/** Every operation, of a length that fills no workgroup. */
function everyOperation(type: ElementType): Test {
    return {
        name: `${type}: every operation, amid a buffer`,
        run: async (context) => {
            const values = valuesOf(type, 257, 1);
            const operations = context.extent === "all" || type === "f32" ? OPERATIONS : OF_EVERY_TYPE;
            const all = operations.filter((operation) => takes(operation, type)).map(async (operation) => {
                const [request, buffer] = requested(context, operation, values, 24);
                await compare(request, expected(operation, values), operation);
                await compareLeft(context, request, operation, values);
                buffer.destroy();
            });
            await Promise.all(all);
        },
    };
}

/** Compares what stays in a buffer with what the documentation says of it. */
async function compareLeft(
    context: Context, request: ReduceRequest<unknown>, operation: Operation, values: Values,
): Promise<void> {
    const { buffer, length, resultBytes } = await request.toBuffer();
    check(length === 1, `${operation}: ${length} results`);
    const left = leftOf(operation, values.type, await read(context, buffer, resultBytes), values.values.length);
    buffer.destroy();
    if (left) {
        const found = difference(left.value, expected(operation, values));
        check(found === undefined, `${operation} in a buffer${found}`);
        check(left.bytes === resultBytes, `${operation}: ${resultBytes} bytes`);
    }
}

/** The library refuses what the table says that it refuses. */
const refusals: Test = {
    name: "operations that do not take elements of a type",
    run: async (context) => {
        for (const type of TYPES) {
            for (const operation of OPERATIONS.filter((each) => !takes(each, type))) {
                const refused = await requested(context, operation, valuesOf(type, 3, 1))[0].run().catch((error) => error.code);
                check(refused === "NotDefined", `${operation} of ${type}: ${refused}`);
            }
        }
    },
};

function edgeLengths(length: number): Test {
    return {
        name: `${length} elements`,
        run: async (context) => {
            const all = typesOf(context).flatMap((type) => SOME.map(async (operation) => {
                if (!takes(operation, type)) {
                    return;
                }
                const values = valuesOf(type, length, length);
                const before = bytesPer(type) * 3;
                const [request, buffer] = requested(context, operation, values, before);
                const what = `${operation} of ${type}`;
                if (length > 0) {
                    await compare(request, expected(operation, values), what);
                } else {
                    await ofNothing(request, operation, type, what);
                }
                buffer.destroy();
            }));
            await Promise.all(all);
        },
    };
}

function typesOf({ extent }: Context): readonly ElementType[] {
    return extent === "least" || extent === "few" ? ["f32"] : SOME_TYPES;
}

async function ofNothing(request: ReduceRequest<unknown>, operation: Operation, type: ElementType, what: string): Promise<void> {
    if (takesNone(operation)) {
        await compare(request, expected(operation, encoded(type, [])), what);
    } else {
        const code = await request.run().catch((error) => error.code);
        check(code === "Empty", `${what}: ${String(code)}`);
    }
}

/** Of the elements with these places. */
function picked({ type, values }: Values, places: number[]): Values {
    return encoded(type, places.map((place) => values[place] ?? 0));
}

function along(shape: [number, number, number], axes: number[]): Test {
    return {
        name: `along ${axes} of ${shape}`,
        run: (context) => inShape(context, shape[0] * shape[1] * shape[2], (request, operation, values) => {
            const results = new Map<string, number[]>();
            values.values.forEach((_, place) => {
                const at = [Math.floor(place / shape[2] / shape[1]), Math.floor(place / shape[2]) % shape[1], place % shape[2]];
                const key = at.filter((_, axis) => !axes.includes(axis)).join();
                results.set(key, [...results.get(key) ?? [], place]);
            });
            const each = [...results.values()].map((places) => expected(operation, picked(values, places)));
            return compare(request.along(shape, axes), columns(each), `${operation} of ${values.type}`);
        }),
    };
}

/** Calls `work` with requests of some operations and types. */
async function inShape(
    context: Context, length: number,
    work: (request: WholeRequest<"f32">, operation: Operation, values: Values) => Promise<void>,
    operations = SOME,
): Promise<void> {
    const tried = context.extent === "all" ? SOME : operations;
    const all = typesOf(context).flatMap((type) => tried.filter((each) => takes(each, type)).map(async (operation) => {
        const values = valuesOf(type, length, 7);
        const [request, buffer] = requested(context, operation, values);
        await work(request, operation, values);
        buffer.destroy();
    }));
    await Promise.all(all);
}

function ranges(offsets: ArrayLike<number>): number[][] {
    const starts = Array.from(offsets);
    return starts.slice(1).map((end, index) => {
        const start = starts[index] ?? 0;
        return Array.from({ length: end - start }, (_, place) => start + place);
    });
}

const segments: Test = {
    name: "segments",
    run: (context) => inShape(context, 1000, (request, operation, values) => {
        const next = random(3);
        const ends = Array.from({ length: 60 }, () => 1 + Math.floor(next() * 998)).sort((one, other) => one - other);
        // Without empty ones, which some operations have no result of.
        const offsets = Uint32Array.from(new Set([0, ...ends, 999]));
        const each = ranges(offsets).map((places) => expected(operation, picked(values, places)));
        return compare(request.segments(offsets), columns(each), `${operation} of ${values.type}`);
    }, OF_SEGMENTS),
};

const runs: Test = {
    name: "runs of equal keys",
    run: (context) => inShape(context, 500, async (request, operation, values) => {
        const next = random(4);
        const keys: number[] = [];
        values.values.forEach((_, place) => keys.push(next() < 0.3 ? place : keys.at(-1) ?? 0));
        const starts = keys.flatMap((key, place) => place === 0 || key !== keys[place - 1] ? [place] : []);
        const each = ranges([...starts, keys.length]).map((places) => expected(operation, picked(values, places)));
        const { value: results, slack } = columns(each);
        const wanted = { value: { keys: starts.map((place) => keys[place]), results }, slack };
        await compare(request.runs(Uint32Array.from(keys)), wanted, `${operation} of ${values.type}`);
    }, OF_SEGMENTS),
};

const manyRuns: Test = {
    name: "more runs than come back at once",
    run: async ({ reducer }) => {
        const [values, keys] = [new Int32Array(60_000), new Float64Array(60_000)];
        keys.forEach((_, place) => {
            keys[place] = place < 30_000 ? place : Math.floor(place / 7) + 0.5;
            values[place] = place;
        });
        const runs = await reducer.reduce("argmax", values).runs(keys).run();
        const starts = [...keys.keys()].filter((place) => keys[place] !== keys[place - 1]);
        const places = ranges([...starts, keys.length]);
        const value = {
            keys: starts.map((place) => keys[place]),
            results: { index: places.map(({ length }) => length - 1), value: places.map((run) => run.at(-1)) },
        };
        const found = difference(runs, { value, slack: 0 });
        check(found === undefined, String(found));
        const none = await reducer.reduce("sum", new Int32Array(0)).runs(new Uint32Array(0)).run();
        check(none.results instanceof BigInt64Array && none.keys.length + none.results.length === 0, "no runs");
    },
};

const groups: Test = {
    name: "groups of equal keys",
    run: (context) => inShape(context, 700, async (request, operation, values) => {
        if (operation === "mean" && values.type === "f32") {
            const code = await request.groups(new Uint32Array(700), 1).run().catch((error) => error.code);
            check(code === "Unsupported", `means of floats: ${String(code)}`);
            return;
        }
        const next = random(5);
        const keys = Uint32Array.from(values.values, (_, place) => place < 9 ? place : Math.floor(next() * 9));
        const each = Array.from({ length: 9 }, (_, group) => {
            const places = [...keys.keys()].filter((place) => keys[place] === group);
            const { value, slack } = expected(operation, picked(values, places));
            // Indices are those in the whole input.
            const found = value as { index: number; value: unknown };
            return { value: operation === "argmin" ? { ...found, index: places[found.index] } : value, slack };
        });
        await compare(request.groups(keys, 9), columns(each), `${operation} of ${values.type}`);
    }),
};

const masks: Test = {
    name: "masks",
    run: (context) => inShape(context, 1030, async (request, operation, values) => {
        const next = random(6);
        const mask = Uint8Array.from(values.values, () => next() < 0.5 ? 0 : 255);
        const places = [...mask.keys()].filter((place) => mask[place] !== 0);
        const { value, slack } = expected(operation, picked(values, places));
        const found = value as { index: number };
        const wanted = operation === "argmin" ? { ...found, index: places[found.index] } : value;
        await compare(request.masked(mask), { value: wanted, slack }, `${operation} of ${values.type}`);
    }),
};

const masksAlong: Test = {
    name: "masks along an axis",
    run: (context) => inShape(context, 35 * 33, async (request, operation, values) => {
        const next = random(7);
        const mask = Uint8Array.from(values.values, () => next() < 0.4 ? 0 : 1);
        const rows = Array.from({ length: 35 }, (_, row) => {
            const places = [...mask.keys()].filter((place) => mask[place] !== 0 && Math.floor(place / 33) === row);
            const { value, slack } = expected(operation, picked(values, places));
            const found = value as { index: number };
            return { value: operation === "argmin" ? { ...found, index: (places[found.index] ?? 0) % 33 } : value, slack };
        });
        await compare(request.along([35, 33], 1).masked(mask), columns(rows), `${operation} of ${values.type}`);
        if (operation === "max") {
            const code = await request.along([35, 33], 0).masked(new Uint8Array(35 * 33)).run().catch((error) => error.code);
            check(code === "EmptyResult", `nothing counts: ${String(code)}`);
        }
    }),
};

const dotsAlong: Test = {
    name: "dot products along an axis",
    run: async ({ reducer }) => {
        const [left, right] = [valuesOf("i32", 330, 8), valuesOf("i32", 330, 9)];
        const sums = Array.from({ length: 11 }, (_, column) => {
            const places = Array.from({ length: 30 }, (_, row) => 11 * row + column);
            return places.reduce((sum, place) => sum + BigInt(left.values[place] ?? 0) * BigInt(right.values[place] ?? 0), 0n);
        });
        const found = await reducer.pair("dot", new Int32Array(left.bytes.buffer), new Int32Array(right.bytes.buffer)).along([30, 11], 0).run();
        check([...found].join() === sums.join(), `${[...found].join()} is not ${sums.join()}`);
        const exact = reducer.pair("dotExact", Float32Array.of(1, 2), Float32Array.of(1, 2)).along([1, 2], 1);
        const code = await exact.run().catch((error) => error.code);
        check(code === "Unsupported", `exact along: ${String(code)}`);
    },
};

const dots: Test = {
    name: "dot products",
    run: async (context) => {
        const { reducer } = context;
        for (const type of ["f32", "i32", "u16", "f64"] as const) {
            const [left, right] = [valuesOf(type, 1000, 8), valuesOf(type, 1000, 9)];
            const request = reducer.pair("dot", arrayOf(left) as Float32Array, arrayOf(right) as Float32Array);
            await compare(request, expectedDot(left, right), `dot of ${type}`);
            const { buffer, resultBytes } = await request.toBuffer();
            const stayed = leftOf("dot", type, await read(context, buffer, resultBytes), 1000);
            const found = difference(stayed?.value, expectedDot(left, right));
            check(found === undefined && stayed?.bytes === resultBytes, `dot in a buffer${found}, ${resultBytes} bytes`);
        }
        // No product is rounded, and none overflows, before the end.
        const [left, right] = [Float32Array.of(3e38, 1, -3e38), Float32Array.of(2e38, 1e-30, 2e38)];
        const exact = await reducer.dotExact(left, right);
        check(exact === Math.fround(1e-30), `the exact dot product: ${exact}`);
        const [doubles, others] = [Float64Array.of(1e200, 3, -1e200), Float64Array.of(1e200, 0.5, 1e200)];
        check(await reducer.dotExact(doubles, others) === 1.5, "the exact dot product of doubles");
    },
};

const notANumber: Test = {
    name: "NaN",
    run: async ({ reducer }) => {
        const values = Float32Array.from({ length: 300 }, (_, place) => place % 100 === 50 ? NaN : place);
        const [max, found] = [await reducer.max(values), await reducer.argmax(values)];
        check(Number.isNaN(max), `max ${max}`);
        check(found.index === 50 && Number.isNaN(found.value), `argmax ${found.index}`);
        check(await reducer.nanMax(values) === 299, "nanMax");
        check((await reducer.nanArgmin(values)).index === 0, "nanArgmin");
        check(await reducer.countNan(values) === 3n, "countNan");
        check(Number.isNaN(await reducer.sum(values)), "sum");
        check(Number.isNaN(await reducer.sumExact(values)), "sumExact");
    },
};

/** Numbers of many magnitudes, as the page makes them. */
function pageNumbers(): Float32Array {
    const bits = Uint32Array.from({ length: 65_536 }, (_, index) => {
        const hash = Math.imul(index, 2_654_435_761);
        return hash & 0x8000_0000 | 107 + (hash >>> 23 & 31) << 23 | hash & 0x007F_FFFF;
    });
    return new Float32Array(bits.buffer);
}

const exactBits: Test = {
    name: "exact sums have the bits of every other device",
    run: async ({ reducer, exactBits }) => {
        const sums = [pageNumbers(), pageNumbers().reverse()].map((numbers) => reducer.sumExact(numbers));
        for (const sum of await Promise.all(sums)) {
            const bits = new Uint32Array(Float32Array.of(sum).buffer)[0] ?? 0;
            check(bits.toString(16) === exactBits, `${bits.toString(16)} and not ${exactBits}`);
        }
    },
};

const histograms: Test = {
    name: "histograms",
    run: async ({ reducer }) => {
        const values = Float32Array.from({ length: 5000 }, (_, place) => place % 37 - 2.5);
        const { counts, edges, below, above, nan } = await reducer.bin(values, { low: 0, high: 30, count: 3 }).run();
        const within = (low: number, high: number) => BigInt(values.filter((value) => value >= low && value < high).length);
        check(edges.join() === "0,10,20,30", `edges ${edges}`);
        check(counts.join() === [within(0, 10), within(10, 20), within(20, 30)].join(), `counts ${counts}`);
        check(below === within(-3, 0) && above === within(30, 99) && nan === 0n, `outside ${below} ${above} ${nan}`);
        const weights = Float64Array.from(values, (_, place) => place % 11 / 4);
        const heavy = (low: number, high: number) => {
            return weights.reduce((sum, weight, place) => sum + (values[place]! >= low && values[place]! < high ? weight : 0), 0);
        };
        const request = reducer.bin(values, { low: 0, high: 30, count: 3 });
        for (const given of [weights, Float32Array.from(weights)]) {
            const { sums, edges, below, above, nan } = await request.weights(given as Float64Array).run();
            check(edges.join() === "0,10,20,30", `edges of weights ${edges}`);
            check(sums.join() === [heavy(0, 10), heavy(10, 20), heavy(20, 30)].join(), `sums ${sums}`);
            check(below === heavy(-3, 0) && above === heavy(30, 99) && nan === 0, `outside ${below} ${above} ${nan}`);
        }
        const whole = await reducer.bin(values, { edges: [0, 30] }).weights(Uint32Array.from(weights, (weight) => 4 * weight)).run();
        check(whole.sums[0] === BigInt(4 * heavy(0, 30)), `sums of integers ${whole.sums}`);
        const few = await request.weights(Uint32Array.of(1)).run().catch((error) => error.code);
        check(few === "LengthMismatch", `one weight: ${String(few)}`);
        const pixels = Uint8Array.of(255, 0, 0, 255, 255, 0);
        const channels = await reducer.bin(pixels, { edges: [0, 128, 256] }, 3).run();
        check(channels.map(({ counts }) => counts.join("+")).join() === "0+2,1+1,2+0", "channels");
        const summed = await reducer.bin(pixels, { edges: [0, 128, 256] }, 3).weights(Uint32Array.of(1, 2, 3, 4, 5, 6)).run();
        check(summed.map(({ sums }) => sums.join("+")).join() === "0+5,2+5,9+0", "weights by channel");
    },
};

/** The tests of a runtime. */
export function properties(extent: Context["extent"]): Test[] {
    const always = [
        refusals, along([7, 5, 33], [1]), segments, runs, groups, manyRuns, masks, masksAlong, dots, dotsAlong, histograms, notANumber, exactBits,
    ];
    if (extent === "few") {
        return [everyOperation("i64"), edgeLengths(257), groups, exactBits, answers(["i64"])];
    }
    if (extent === "least") {
        const types: ElementType[] = ["f32", "i64"];
        return [...types.map(everyOperation), ...[0, 257, 65_537].map(edgeLengths), ...always, answers(types)];
    }
    const axes = [along([7, 5, 33], [2]), along([7, 5, 33], [0]), along([7, 5, 33], [0, 2]), along([3, 1, 300], [0, 1, 2])];
    const lengths = [0, 1, 255, 256, 257, 65_537].map(edgeLengths);
    // Other compilers take long for shaders of every type.
    const byNumpy = extent === "all" ? TYPES.map((type) => answers([type])) : [answers(["f32", "i64"])];
    return [...TYPES.map(everyOperation), ...lengths, ...axes, ...always, ...byNumpy];
}
