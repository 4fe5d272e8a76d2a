// NumPy's results of edge cases, as the library's other tests have them: tests/data/numpy_results.txt.

import { type ElementType, ReduceError } from "../dist/index.js";
import { check, type Context, type Test } from "./suite.js";
import { arrayOf, bytesPer } from "./values.js";

/** What has one right result to the last bit, whatever the elements are; the others are asked whether they are NaN. */
const EXACT = /^(min|max|min_max|arg.*|all|any|count.*|bit_.*|wrapping_sum|norm_max|nan_(min|max|arg.*))$/;

/** Elements of these bits, as a request takes them. */
function elementsOf(type: ElementType, words: string[]) {
    const size = bytesPer(type);
    const byteAt = (at: number) => BigInt(`0x${words[Math.floor(at / size)]}`) >> BigInt(8 * (at % size)) & 255n;
    const bytes = Uint8Array.from({ length: size * words.length }, (_, at) => Number(byteAt(at)));
    const array = arrayOf({ type, bytes, values: [] });
    return type === "f16" || type === "bf16" ? { type, array: array as Uint16Array } : array;
}

/** The number of a figure such as `f32:3f800000`; f16 and bf16 come as numbers of 32 bits. */
function numberOf(figure: string): number | bigint | boolean {
    const [kind = "", text = ""] = figure.split(":");
    if (text === "nan") {
        return NaN;
    }
    const bits = (count: number) => Number.parseInt(text, 16) & count;
    switch (kind) {
        case "bool": return text === "1";
        case "f32": return new Float32Array(Uint32Array.of(Number.parseInt(text, 16)).buffer)[0] ?? NaN;
        case "f64": return new Float64Array(BigUint64Array.of(BigInt(`0x${text}`)).buffer)[0] ?? NaN;
        case "bf16": return new Float32Array(Uint32Array.of(bits(0xFFFF) << 16).buffer)[0] ?? NaN;
        case "f16": {
            const [exponent, fraction] = [bits(0x7C00) >> 10, bits(0x3FF)];
            const magnitude = exponent === 31 ? (fraction ? NaN : Infinity)
                : exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
            return bits(0x8000) ? -magnitude : magnitude;
        }
        case "i64": case "u64": case "i128": case "u128": return BigInt(text);
        default: return Number(text);
    }
}

function isSame(found: unknown, wanted: number | bigint | boolean): boolean {
    return Object.is(typeof found === "number" && typeof wanted === "bigint" ? BigInt(found) : found, wanted);
}

async function checkCase({ reducer }: Context, head: string, lines: string[]): Promise<number> {
    const [type = "", words = ""] = head.split("|");
    const elements = elementsOf(type as ElementType, words.split(" ").filter(Boolean));
    const hasNan = lines.some((line) => /^count_nan>u64:[1-9]/.test(line));
    // Of no elements, too, it is told what there is.
    const isAsked = (line: string) => {
        const [operation = "", text = ""] = line.split(">");
        return EXACT.test(operation) || !/:/.test(text) || hasNan && /^(sum|mean|product)$/.test(operation);
    };
    const asked = lines.filter(isAsked).map(async (line) => {
        const [operation = "", text = ""] = line.split(">");
        const name = operation.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
        const run = reducer.reduce(name as "sum", elements as Float32Array).run();
        const found: unknown = await run.catch((error: unknown) => error);
        const what = `${operation} of ${head}: ${String(found)}, and not ${text}`;
        if (text === "error") {
            check(found instanceof ReduceError && found.code === "Empty", what);
            return;
        }
        const parts = typeof found === "object" && found !== null ? Object.values(found) : [found];
        const wanted = text.split(" ").map(numberOf);
        check(parts.length === wanted.length && wanted.every((one, place) => isSame(parts[place], one)), what);
    });
    await Promise.all(asked);
    return asked.length;
}

/** A test of the cases of some types. */
export function answers(types: ElementType[]): Test {
    return {
        name: `NumPy's results of ${types.join(", ")}`,
        run: async (context) => {
            const cases = context.numpyResults.split("\n");
            let checked = 0;
            for (let place = 0; place < cases.length; place += 1) {
                const head = cases[place] ?? "";
                if (head.includes("|") && types.includes(head.split("|")[0] as ElementType)) {
                    const end = cases.findIndex((line, other) => other > place && line.includes("|"));
                    const lines = cases.slice(place + 1, end < 0 ? undefined : end).filter((line) => line.includes(">"));
                    checked += await checkCase(context, head, lines);
                }
            }
            check(checked > 100, `${checked} results`);
        },
    };
}
