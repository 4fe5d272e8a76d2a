// What each operation means, by naive loops.

import type { ElementType, Operation } from "../dist/index.js";
import { bytesPer, type Values } from "./values.js";

type Value = number | bigint;

/** How far a float may be off, in parts of the sum of what it is made of: some roundings in the type of its figures. */
const ROUNDINGS = { f32: 2e-6, f64: 1e-12 } as const;

/** What is expected, and how much each figure may be off. */
export interface Expected {
    value: unknown;
    slack: number;
}

const isFloat = (type: ElementType) => type.includes("f");
const is64 = (type: ElementType) => type === "i64" || type === "u64";
const isSigned = (type: ElementType) => type.startsWith("i");
const big = (value: Value) => BigInt(value);
const bigSum = (values: Value[]) => values.reduce<bigint>((sum, value) => sum + big(value), 0n);
const floatSum = (values: Value[]) => values.reduce<number>((sum, value) => sum + Number(value), 0);
const magnitude = (value: Value) => value < 0 ? -value : value;

/** Rounded to the type that results of such floats have. */
function figure(type: ElementType, value: number): number {
    return type === "f64" ? value : Math.fround(value);
}

function wrapped(type: ElementType, value: bigint, bits = 8 * bytesPer(type)): bigint {
    return isSigned(type) ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}

/** As an element of a type has it. */
function own(type: ElementType, value: bigint): Value {
    return is64(type) ? value : Number(value);
}

/** The first element that none is before. */
function located(values: Value[], isBefore: (one: Value, other: Value) => boolean): { index: number; value: Value } {
    let index = 0;
    values.forEach((value, place) => {
        if (isBefore(value, values[index] ?? value)) {
            index = place;
        }
    });
    return { index, value: values[index] ?? NaN };
}

const less = (one: Value, other: Value) => one < other;
const more = (one: Value, other: Value) => one > other;

function meanOf(values: Value[]): number {
    return typeof values[0] === "bigint" ? Number(bigSum(values)) / values.length : floatSum(values) / values.length;
}

function varianceOf(values: Value[], ddof = 0): number {
    const mean = meanOf(values);
    return values.reduce<number>((sum, value) => sum + (Number(value) - mean) ** 2, 0) / (values.length - ddof);
}

/** Whether an operation has a result of no elements. */
export function takesNone(operation: Operation): boolean {
    const ofNone: Operation[] = ["sum", "wrappingSum", "product", "sumOfSquares", "normL1", "normL2", "normMax", "all", "any",
        "countNonzero", "countNan", "bitAnd", "bitOr", "bitXor", "nanSum", "sumExact", "nanMean"];
    return ofNone.includes(operation);
}

/** Whether an operation takes elements of a type, as the library's table says. */
export function takes(operation: Operation, type: ElementType): boolean {
    if (["wrappingSum", "bitAnd", "bitOr", "bitXor"].includes(operation)) {
        return !isFloat(type);
    }
    if (operation === "logSumExp") {
        return isFloat(type) && type !== "f64";
    }
    if (operation.startsWith("nan") || ["countNan", "sumExact", "meanExact"].includes(operation)) {
        return isFloat(type);
    }
    const squared: Operation[] = ["sumOfSquares", "normL2", "variance", "std", "stats"];
    return !(is64(type) && squared.includes(operation));
}

/** The result of an operation of elements, none of which is NaN. */
export function expected(operation: Operation, { type, values }: Values): Expected {
    const parts = ROUNDINGS[isFloat(type) && type !== "f64" ? "f32" : "f64"];
    const exactly = (value: unknown): Expected => ({ value, slack: 0 });
    const about = (value: number, scale = Math.abs(value)): Expected => ({ value, slack: scale * parts });
    const plain = operation.replace(/^nan./, (start) => start.charAt(3).toLowerCase()) as Operation;
    switch (plain) {
        case "sum": return exactly(isFloat(type) ? floatSum(values) : bigSum(values));
        case "sumExact": return exactly(figure(type, floatSum(values)));
        case "wrappingSum": return exactly(own(type, wrapped(type, bigSum(values))));
        case "product": return product(type, values, about);
        case "normL1": {
            const all = values.map(magnitude);
            return exactly(isFloat(type) ? floatSum(all) : bigSum(all));
        }
        case "sumOfSquares": {
            const squares = values.map((value) => isFloat(type) ? Number(value) ** 2 : big(value) ** 2n);
            return isFloat(type) ? about(floatSum(squares)) : exactly(bigSum(squares));
        }
        case "normL2": return about(Math.hypot(...values.slice(0, 1 << 16).map(Number)));
        case "normMax": return exactly(values.map(magnitude).reduce((most, value) => more(value, most) ? value : most,
            is64(type) ? 0n : 0));
        case "min": return exactly(located(values, less).value);
        case "max": return exactly(located(values, more).value);
        case "minMax": return exactly({ min: located(values, less).value, max: located(values, more).value });
        case "argmin": return exactly(located(values, less));
        case "argmax": return exactly(located(values, more));
        case "logSumExp": {
            const most = Math.max(...values.map(Number));
            const sum = values.reduce<number>((sum, value) => sum + Math.exp(Number(value) - most), 0);
            return about(most + Math.log(sum), 16);
        }
        case "mean": case "meanExact": return about(meanOf(values), meanOf(values.map(magnitude)));
        case "variance": return about(varianceOf(values));
        case "std": return about(Math.sqrt(varianceOf(values)));
        case "stats": return stats(type, values, parts);
        case "all": return exactly(values.every((value) => value != 0));
        case "any": return exactly(values.some((value) => value != 0));
        case "countNonzero": return exactly(BigInt(values.filter((value) => value != 0).length));
        case "countNan": return exactly(BigInt(values.filter(Number.isNaN).length));
        case "bitAnd": return exactly(own(type, wrapped(type, values.reduce<bigint>((bits, value) => bits & big(value), -1n))));
        case "bitOr": return exactly(own(type, values.reduce<bigint>((bits, value) => bits | big(value), 0n)));
        case "bitXor": return exactly(own(type, values.reduce<bigint>((bits, value) => bits ^ big(value), 0n)));
        default: throw new Error(`nobody says what ${operation} is`);
    }
}

function product(type: ElementType, values: Value[], about: (value: number) => Expected): Expected {
    if (!isFloat(type)) {
        return { value: wrapped(type, values.reduce<bigint>((all, value) => all * big(value), 1n), 64), slack: 0 };
    }
    const whole = values.reduce<number>((all, value) => all * Number(value), 1);
    return Number.isFinite(figure(type, whole)) ? about(whole) : { value: figure(type, whole), slack: 0 };
}

function stats(type: ElementType, values: Value[], parts: number): Expected {
    const [min, max] = [located(values, less), located(values, more)];
    const value = {
        count: BigInt(values.length),
        minIndex: min.index, min: min.value, maxIndex: max.index, max: max.value,
        sum: isFloat(type) ? floatSum(values) : bigSum(values),
        mean: meanOf(values), variance: varianceOf(values),
    };
    const scale = values.reduce<number>((most, each) => Math.max(most, Math.abs(Number(each)) ** 2), 1);
    return { value, slack: 4 * scale * parts };
}

/** The sum of products of two inputs. */
export function expectedDot({ type, values }: Values, other: Values): Expected {
    const products = values.map((value, index) => {
        const factor = other.values[index] ?? 0;
        return isFloat(type) ? Number(value) * Number(factor) : big(value) * big(factor);
    });
    return isFloat(type)
        ? { value: floatSum(products), slack: floatSum(products.map(magnitude)) * 2e-6 }
        : { value: bigSum(products), slack: 0 };
}

/** Many results as a request gives them: an array of each field. */
export function columns(results: Expected[]): Expected {
    const [first] = results;
    const slack = Math.max(0, ...results.map((result) => result.slack));
    const values = results.map(({ value }) => value);
    if (typeof first?.value !== "object" || first.value === null) {
        return { value: values, slack };
    }
    const fields = Object.keys(first.value).map((name) => {
        return [name, values.map((value) => (value as Record<string, unknown>)[name])];
    });
    return { value: Object.fromEntries(fields), slack };
}

/** Says where two results differ; nothing where they do not. */
export function difference(actual: unknown, { value, slack }: Expected, where = ""): string | undefined {
    if (ArrayBuffer.isView(actual) || Array.isArray(actual)) {
        const items = Array.from(actual as ArrayLike<unknown>);
        const wanted = value as unknown[];
        if (items.length !== wanted.length) {
            return `${where}: ${items.length} results and not ${wanted.length}`;
        }
        return firstOf(items.map((item, index) => difference(item, { value: wanted[index], slack }, `${where}[${index}]`)));
    }
    if (typeof value === "object" && value !== null && typeof actual === "object" && actual !== null) {
        const [names, wanted] = [Object.keys(actual).sort().join(), Object.keys(value).sort().join()];
        if (names !== wanted) {
            return `${where}: fields ${names} and not ${wanted}`;
        }
        return firstOf(Object.entries(value).map(([name, field]) => {
            return difference((actual as Record<string, unknown>)[name], { value: field, slack }, `${where}.${name}`);
        }));
    }
    const isNear = typeof actual === "number" && typeof value === "number" && Math.abs(actual - value) <= slack;
    return isNear || Object.is(actual, value) || (slack > 0 && actual === value)
        ? undefined : `${where}: ${typeof actual} ${String(actual)} and not ${typeof value} ${String(value)} (± ${slack})`;
}

function firstOf(differences: (string | undefined)[]): string | undefined {
    return differences.find((each) => each !== undefined);
}
