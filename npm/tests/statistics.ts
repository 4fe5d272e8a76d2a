// What order statistics find: statistics × types × shapes, against a sorted copy.

import type { ElementType, HostRequest, QuantileMethod, Statistic, StatisticOptions, StatisticRequest } from "../dist/index.js";
import { columns, difference, type Expected } from "./oracle.js";
import { check, type Context, type Test } from "./suite.js";
import { arrayOf, bufferOf, encoded, TYPES, type Values, valuesOf } from "./values.js";

type Value = number | bigint;

/** Every order statistic: what the planner names, as another test makes sure of. */
export const STATISTICS: readonly Statistic[] = [
    "nth", "argNth", "topK", "bottomK", "median", "quantile", "quantiles", "interquartileRange",
    "nanMedian", "nanQuantile", "nanQuantiles",
];

const METHODS: readonly QuantileMethod[] = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
    "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
];

type Options = Partial<StatisticOptions["nth"] & StatisticOptions["topK"]> & {
    q?: number | number[]; method?: QuantileMethod;
};

/** What statistics are tried with. */
const TRIED: [Statistic, Options][] = [
    ["nth", { rank: 0 }], ["nth", { rank: 20 }], ["argNth", { rank: 31 }],
    ["topK", { k: 5 }], ["bottomK", { k: 33 }], ["bottomK", { k: 0 }],
    ["median", {}], ["interquartileRange", {}], ["nanMedian", {}],
    ["quantile", { q: 0.3 }], ["quantiles", { q: [1, 0, 0.5, 0.25] }], ["quantiles", { q: [] }],
    ["nanQuantile", { q: 0.9, method: "hazen" }], ["nanQuantiles", { q: [0.75, 0.1] }],
];

/** Those that shapes and lengths are tried with where not all are. */
const SOME: [Statistic, Options][] = [["topK", { k: 1 }], ["quantiles", { q: [0.5, 0.9] }], ["nanMedian", {}]];

const isNaNValue = (value: Value) => Number.isNaN(value);

/** NaN stand behind all numbers, and −0 before +0. */
function order(one: Value, other: Value): number {
    if (isNaNValue(one) || isNaNValue(other)) {
        return Number(isNaNValue(one)) - Number(isNaNValue(other));
    }
    return one < other ? -1 : one > other ? 1 : Number(Object.is(other, -0)) - Number(Object.is(one, -0));
}

/** Where a quantile lies among so many sorted elements, as `numpy.quantile` documents its methods. */
function place(n: number, q: number, method: QuantileMethod): number {
    const whole = Math.floor(n * q);
    const isWhole = n * q === whole;
    switch (method) {
        case "inverted_cdf": return Math.ceil(n * q) - 1;
        case "averaged_inverted_cdf": return isWhole ? whole - 0.5 : whole;
        case "closest_observation": {
            // The nearest number of elements, of two the even one.
            const between = n * q - 0.5;
            const below = Math.floor(between);
            return (between === below && below % 2 === 0 ? below : below + 1) - 1;
        }
        case "interpolated_inverted_cdf": return n * q - 1;
        case "hazen": return n * q - 0.5;
        case "weibull": return (n + 1) * q - 1;
        case "median_unbiased": return (n + 1 / 3) * q - 2 / 3;
        case "normal_unbiased": return (n + 1 / 4) * q - 5 / 8;
        case "lower": return Math.floor((n - 1) * q);
        case "higher": return Math.ceil((n - 1) * q);
        case "midpoint": return (Math.floor((n - 1) * q) + Math.ceil((n - 1) * q)) / 2;
        case "nearest": {
            const below = Math.floor((n - 1) * q);
            const fraction = (n - 1) * q - below;
            return fraction > 0.5 || fraction === 0.5 && below % 2 === 1 ? below + 1 : below;
        }
        case "linear": return (n - 1) * q;
    }
}

function quantile(sorted: Value[], q: number, method: QuantileMethod): number {
    const last = sorted.length - 1;
    if (last < 0 || isNaNValue(sorted[last] ?? NaN)) {
        return NaN;
    }
    const at = Math.min(Math.max(place(sorted.length, q, method), 0), last);
    const [below, above] = [Number(sorted[Math.floor(at)]), Number(sorted[Math.ceil(at)])];
    return Number.isInteger(at) ? below : below + (above - below) * (at - Math.floor(at));
}

/** What a statistic finds in a row. */
function expected(statistic: Statistic, options: Options, { type, values }: Values): Expected {
    const { rank = 0, k = 0, q = 0.5, method = "linear" } = options;
    const located = values.map((value, index) => ({ index, value }));
    const up = [...located].sort((one, other) => order(one.value, other.value) || one.index - other.index);
    const exactly = (value: unknown): Expected => ({ value, slack: 0 });
    switch (statistic) {
        case "nth": return exactly(up[rank]?.value);
        case "argNth": return exactly(up[rank]);
        case "bottomK": return several(up.slice(0, k));
        case "topK": return several(located.sort((one, other) => order(other.value, one.value) || one.index - other.index).slice(0, k));
    }
    const sorted = up.map(({ value }) => value);
    const numbers = statistic.startsWith("nan") ? sorted.filter((value) => !isNaNValue(value)) : sorted;
    const finite = numbers.map((value) => Math.abs(Number(value))).filter(Number.isFinite);
    const slack = Math.max(0, ...finite.slice(0, 1 << 16)) * (type.includes("f") && type !== "f64" ? 2.5e-7 : 1e-13);
    if (statistic === "interquartileRange") {
        return { value: quantile(numbers, 0.75, "linear") - quantile(numbers, 0.25, "linear"), slack };
    }
    const found = [q].flat().map((share) => quantile(numbers, share, method));
    return { value: statistic.endsWith("antiles") ? found : found[0], slack };
}

function several(found: { index: number; value: Value }[]): Expected {
    return { value: { index: found.map(({ index }) => index), value: found.map(({ value }) => value) }, slack: 0 };
}

/** Lists of rows, one after another. */
function joined(rows: Expected[]): Expected {
    const [first] = rows;
    const slack = Math.max(0, ...rows.map((row) => row.slack));
    const lists = rows.map(({ value }) => value);
    if (Array.isArray(first?.value)) {
        return { value: lists.flat(), slack };
    }
    const { index } = Object(first?.value);
    if (!Array.isArray(index)) {
        return columns(rows);
    }
    const all = lists as Record<"index" | "value", unknown[]>[];
    return { value: { index: all.flatMap((each) => each.index), value: all.flatMap((each) => each.value) }, slack };
}

type Request = StatisticRequest<unknown, unknown>;

function requested({ reducer }: Context, statistic: Statistic, options: Options, source: object): Request {
    return (reducer.reduce as (...given: unknown[]) => Request)(statistic, source, options);
}

async function compare(request: HostRequest<unknown>, wanted: Expected, what: string): Promise<void> {
    const found = difference(await request.run(), wanted);
    check(found === undefined, `${what}${found}`);
}

/** Values with some NaN among them, if there are any of the type. */
function withNaN(values: Values): Values {
    return values.type.includes("f")
        ? encoded(values.type, values.values.map((value, place) => place % 5 === 3 ? NaN : value)) : values;
}

function everyStatistic(type: ElementType): Test {
    return {
        name: `${type}: every order statistic, amid a buffer`,
        run: async (context) => {
            const numbers = valuesOf(type, 257, 11);
            for (const values of new Set([numbers, withNaN(numbers)])) {
                const buffer = bufferOf(context.device, values, 24);
                const source = { type, buffer, offset: 24, length: values.values.length };
                await Promise.all(TRIED.map(([statistic, options]) => {
                    const request = requested(context, statistic, options, source);
                    return compare(request, expected(statistic, options, values), `${statistic} ${JSON.stringify(options)}`);
                }));
                buffer.destroy();
            }
        },
    };
}

const methods: Test = {
    name: "quantiles by every method",
    run: async (context) => {
        for (const length of [1, 2, 8, 11]) {
            const values = valuesOf("i16", length, length);
            const q = [0, 0.125, 0.25, 0.3, 0.5, 0.75, 0.9, 1];
            await Promise.all(METHODS.map((method) => {
                const request = requested(context, "quantiles", { q, method }, arrayOf(values));
                return compare(request, expected("quantiles", { q, method }, values), `${method} of ${length}`);
            }));
        }
    },
};

const ties: Test = {
    name: "ties, zeros, infinities and NaN in order statistics",
    run: async (context) => {
        const floats = encoded("f32", [0, NaN, 2, -0, Infinity, 2, -Infinity, NaN, 0, -1.5, -0]);
        for (const values of [floats, encoded("i32", [3, -1, 3, 3, -1]), encoded("f32", [NaN, NaN]), encoded("f64", [NaN, 7])]) {
            const k = values.values.length;
            const all: [Statistic, Options][] = [
                ["topK", { k }], ["bottomK", { k }], ["topK", { k: 1 }], ["nth", { rank: k - 1 }], ["argNth", { rank: 1 }],
                ["median", {}], ["nanMedian", {}], ["nanQuantiles", { q: [0.25, 1], method: "lower" }],
            ];
            await Promise.all(all.map(([statistic, options]) => {
                const request = requested(context, statistic, options, arrayOf(values));
                return compare(request, expected(statistic, options, values), `${statistic} of ${values.values}`);
            }));
        }
    },
};

function lengths(all: number[]): Test {
    return {
        name: `order statistics of ${all} elements`,
        run: async (context) => {
            for (const length of all) {
                const values = valuesOf("f32", length, length);
                await Promise.all(SOME.map(([statistic, options]) => {
                    const request = requested(context, statistic, options, arrayOf(values));
                    return compare(request, expected(statistic, options, values), `${statistic} of ${length}`);
                }));
            }
        },
    };
}

function along(type: ElementType, shape: [number, number, number], axes: number[], tried = SOME): Test {
    return {
        name: `${type}: order statistics along ${axes} of ${shape}`,
        run: async (context) => {
            const values = withNaN(valuesOf(type, shape[0] * shape[1] * shape[2], 7));
            const rows = new Map<string, Value[]>();
            values.values.forEach((value, place) => {
                const at = [Math.floor(place / shape[2] / shape[1]), Math.floor(place / shape[2]) % shape[1], place % shape[2]];
                const key = at.filter((_, axis) => !axes.includes(axis)).join();
                rows.set(key, [...rows.get(key) ?? [], value]);
            });
            await Promise.all(tried.map(([statistic, options]) => {
                const found = [...rows.values()].map((row) => expected(statistic, options, encoded(type, row)));
                return compare(requested(context, statistic, options, arrayOf(values)).along(shape, axes), joined(found), statistic);
            }));
        },
    };
}

const noRows: Test = {
    name: "order statistics of no rows",
    run: async ({ reducer }) => {
        const none = await reducer.reduce("topK", new Float32Array(0), { k: 2 }).along([0, 3], 1).run();
        check(none.index.length === 0 && none.value instanceof Float32Array && none.value.length === 0, "topK");
        const medians = await reducer.reduce("median", new Uint8Array(0)).along([0, 3], 1).run();
        check(medians instanceof Float64Array && medians.length === 0, "median");
    },
};

/** The tests of a runtime. */
export function statistics(extent: Context["extent"]): Test[] {
    const always = [ties, noRows, along("f32", [3, 5, 33], [2])];
    if (extent === "few") {
        return [noRows];
    }
    if (extent === "least") {
        return [everyStatistic("f32"), lengths([1, 257]), ...always];
    }
    const types = extent === "all" ? TYPES : ["f32", "i8", "u64"] as const;
    const shapes = [
        along("f32", [3, 5, 33], [0, 2], TRIED.filter(([, { rank = 0 }]) => rank < 31)), along("i64", [3, 40, 4], [1], TRIED),
    ];
    return [...types.map(everyStatistic), methods, lengths([1, 2, 255, 256, 257, 65_537]), ...shapes, ...always];
}
