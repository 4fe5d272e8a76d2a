import type { Input } from "./recorder.js";
import { ReduceError } from "./errors.js";
import { paddedSize } from "./buffers.js";
import { USAGE } from "./device.js";
import type { ElementType } from "./operations.js";
import type { BufferSlice, SeveralBuffers, ShortFloats, TypedArray } from "./types.js";
import type { PlannedSlice } from "./wasm.js";

/** Any elements that a request takes. */
export type AnySource = BufferSlice<ElementType> | SeveralBuffers<ElementType> | ShortFloats<"f16" | "bf16"> | TypedArray;

/** What may be said of a buffer's elements. */
interface Given {
    type?: ElementType | undefined;
    offset?: number | undefined;
    length?: number | undefined;
}

/** Elements as the planner and as the executor see them. */
export interface Elements {
    planned: PlannedSlice;
    inputs: Input[];
}

/** By the names of arrays, which may be of another window. */
const TYPES: Record<string, ElementType> = {
    Float32Array: "f32", Float64Array: "f64", Int8Array: "i8", Int16Array: "i16", Int32Array: "i32", BigInt64Array: "i64",
    Float16Array: "f16",
    Uint8Array: "u8", Uint8ClampedArray: "u8", Uint16Array: "u16", Uint32Array: "u32", BigUint64Array: "u64",
};

/** Reads what a caller names as elements. */
export function elementsOf(source: AnySource | GPUBuffer, slice: Given = {}): Elements {
    if (typeof source !== "object" || source === null) {
        throw new ReduceError("InvalidArgument", `no elements are in ${String(source)}`);
    }
    const isBuffer = !ArrayBuffer.isView(source) && !("array" in source) && !("buffer" in source) && !("buffers" in source);
    if (!isBuffer && [slice.type, slice.offset, slice.length].some((given) => given !== undefined)) {
        throw new ReduceError("InvalidArgument", "type, offset and length are for a GPUBuffer");
    }
    if (ArrayBuffer.isView(source)) {
        return ofArray(source);
    }
    if ("array" in source) {
        if (source.array?.[Symbol.toStringTag] !== "Uint16Array") {
            throw new ReduceError("InvalidArgument", `${source.type} are bits in a Uint16Array`);
        }
        return ofArray(source.array, source.type);
    }
    const { type, buffers } = "buffers" in source ? source : ofOne("buffer" in source ? source : { buffer: source, ...slice });
    if (type === undefined) {
        throw new ReduceError("InvalidArgument", "the type of the elements is not given");
    }
    const planned = buffers.map(({ buffer: { size, usage }, offset, length }) => ({ size, usage, offset, length }));
    return { planned: { type, buffers: planned }, inputs: buffers.map(({ buffer }) => buffer) };
}

/** One buffer as the only one of several. */
function ofOne({ type, ...slice }: Given & { buffer: GPUBuffer }): { type: ElementType | undefined; buffers: typeof slice[] } {
    return { type, buffers: [slice] };
}

function ofArray(array: TypedArray, given?: ElementType): Elements {
    const type = given ?? TYPES[array[Symbol.toStringTag]];
    if (type === undefined) {
        const name: string = array[Symbol.toStringTag];
        throw new ReduceError("InvalidArgument", `no elements are in a ${name}`);
    }
    const size = paddedSize(array.byteLength);
    return { planned: { type, buffers: [{ size, usage: USAGE.STORAGE, length: array.length }] }, inputs: [array] };
}
