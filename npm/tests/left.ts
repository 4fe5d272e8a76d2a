// What results are in buffers, as the documentation of `DeviceResults` says, read back into what a run gives.

import type { ElementType, Operation, PairOperation } from "../dist/index.js";

type Figure = "f32" | "f64" | "i32" | "u32" | "i64" | "u64" | "i128" | "u128";

/** The type that packed elements count as. */
function unpacked(type: ElementType): "f32" | "f64" | "i32" | "u32" | "i64" | "u64" {
    switch (type) {
        case "f16": case "bf16": return "f32";
        case "i8": case "i16": return "i32";
        case "u8": case "u16": return "u32";
        default: return type;
    }
}

const BYTES: Record<Figure, number> = { f32: 4, f64: 8, i32: 4, u32: 4, i64: 8, u64: 8, i128: 16, u128: 16 };

const SUMS: Record<string, Figure> = { f32: "f32", f64: "f64", i32: "i64", u32: "u64", i64: "i128", u64: "u128" };

function read(view: DataView, at: number, type: Figure): number | bigint {
    const half = (from: number) => view.getBigUint64(from, true);
    switch (type) {
        case "f32": return view.getFloat32(at, true);
        case "f64": return view.getFloat64(at, true);
        case "i32": return view.getInt32(at, true);
        case "u32": return view.getUint32(at, true);
        case "i64": return view.getBigInt64(at, true);
        case "u64": return half(at);
        case "i128": return BigInt.asIntN(128, half(at + 8) << 64n | half(at));
        case "u128": return half(at + 8) << 64n | half(at);
    }
}

/** The type of results that are in a buffer what a run gives. */
function numberOf(operation: Operation | PairOperation, type: ElementType): Figure | undefined {
    const element = unpacked(type);
    const isFloat = element === "f32" || element === "f64";
    switch (operation) {
        case "min": case "max": case "nanMin": case "nanMax": case "wrappingSum": case "bitAnd": case "bitOr": case "bitXor":
        case "nanSum": case "nanMean": case "sumExact":
            return element;
        case "sum": return SUMS[element];
        case "mean": return isFloat ? element : undefined;
        case "normMax": return ({ i32: "u32", i64: "u64" } as const)[element as "i32" | "i64"] ?? element;
        case "product": return isFloat ? element : element.startsWith("i") ? "i64" : "u64";
        case "normL1": return isFloat ? element : element.endsWith("64") ? "u128" : "u64";
        case "sumOfSquares": return isFloat ? element : "u128";
        case "normL2": return element === "f32" ? element : undefined;
        case "countNonzero": case "countNan": return "u64";
        case "dot": return isFloat ? element : element === "i32" ? "i128" : "u128";
        default: return undefined;
    }
}

/** A result, and its bytes. */
export interface LeftResult {
    value: unknown;
    bytes: number;
}

/** The result in a buffer's first bytes, of so many elements; nothing of operations whose words the documentation leaves to Rust's. */
export function leftOf(
    operation: Operation | PairOperation, type: ElementType, buffer: ArrayBuffer, length: number,
): LeftResult | undefined {
    const view = new DataView(buffer);
    const element = unpacked(type);
    const number = numberOf(operation, type);
    if (number !== undefined) {
        const bits = 8 * { i8: 1, u8: 1, i16: 2, u16: 2 }[type as "i8"];
        const value = read(view, 0, number);
        const isShort = operation === "wrappingSum" && bits > 0;
        const cut = type.startsWith("i") ? BigInt.asIntN : BigInt.asUintN;
        return { value: isShort ? Number(cut(bits, BigInt(value))) : value, bytes: BYTES[number] };
    }
    switch (operation) {
        case "all": case "any": return { value: view.getUint32(0, true) !== 0, bytes: 4 };
        case "minMax":
            return { value: { min: read(view, 0, element), max: read(view, BYTES[element], element) }, bytes: 2 * BYTES[element] };
        case "argmin": case "argmax": case "nanArgmin": case "nanArgmax":
            return { value: { index: Number(read(view, 0, "u64")), value: read(view, 8, element) }, bytes: 16 };
        case "mean": {
            const sum = SUMS[element] ?? "u64";
            return { value: Number(read(view, 0, sum)) / length, bytes: BYTES[sum] };
        }
        case "normL2":
            return element === "f64" ? undefined : { value: Math.sqrt(Number(read(view, 0, "u128"))), bytes: 16 };
        case "logSumExp": return { value: view.getFloat32(0, true), bytes: 16 };
        default: return undefined;
    }
}
