import type { ElementType } from "./operations.js";

/** An array of elements on the host. */
export type TypedArray =
    | Float32Array | Float64Array | Int8Array | Int16Array | Int32Array | BigInt64Array
    | Uint8Array | Uint8ClampedArray | Uint16Array | Uint32Array | BigUint64Array | HalfArray;

/** A `Float16Array`, where the runtime has one. Compilers have known that name for a short time only. */
export interface HalfArray extends ArrayBufferView {
    readonly length: number;
    readonly [Symbol.toStringTag]: "Float16Array";
}

/** The type of an array's elements. */
export type TypeOf<A> =
    A extends Float32Array ? "f32" : A extends Float64Array ? "f64" : A extends Int8Array ? "i8"
        : A extends Int16Array ? "i16" : A extends Int32Array ? "i32" : A extends BigInt64Array ? "i64"
            : A extends HalfArray ? "f16" : A extends Uint8Array | Uint8ClampedArray ? "u8" : A extends Uint16Array ? "u16" : A extends Uint32Array ? "u32" : "u64";

/** Elements of a buffer. */
export interface Slice<T extends ElementType> {
    type: T;
    /** Where the first is, in bytes; 0 unless it is said. */
    offset?: number | undefined;
    /** How many there are; as many as there is room for unless it is said. */
    length?: number | undefined;
}

/** Elements of this buffer. */
export interface BufferSlice<T extends ElementType> extends Slice<T> {
    buffer: GPUBuffer;
}

/** Elements of several buffers, one after another. Of each its own offset and length are meant. */
export interface SeveralBuffers<T extends ElementType> {
    type: T;
    buffers: readonly Omit<BufferSlice<T>, "type">[];
}

/** The bits of short floats. */
export interface ShortFloats<T extends "f16" | "bf16"> {
    type: T;
    array: Uint16Array;
}

/** What a request takes: elements of buffers, or an array, which is uploaded. */
export type Source<T extends ElementType> =
    | BufferSlice<T>
    | SeveralBuffers<T>
    | (T extends "f16" | "bf16" ? ShortFloats<T> : never)
    | ArrayOf<T>;

type ArrayOf<T extends ElementType> =
    T extends "f32" ? Float32Array : T extends "f64" ? Float64Array : T extends "i8" ? Int8Array
        : T extends "i16" ? Int16Array : T extends "i32" ? Int32Array : T extends "i64" ? BigInt64Array
            : T extends "u8" ? Uint8Array : T extends "u16" ? Uint16Array : T extends "u32" ? Uint32Array
                : T extends "u64" ? BigUint64Array : T extends "f16" ? HalfArray : never;

/** A shape, or a shape with distances between elements, as NumPy's strides, both counted in elements. */
export type View = { shape: readonly number[]; strides?: readonly number[] | undefined; offset?: number | undefined };

/** Bins of a histogram: by their edges, or so many of the same width. */
export type Bins = { edges: ArrayLike<number> } | { low: number; high: number; count: number };

/** Where results stay, as {@link DeviceResults} has them. */
export interface Target {
    buffer: GPUBuffer;
    /** Where the first is, in bytes. */
    offset?: number | undefined;
}

/** Where results of runs stay. Results and keys have room for as many runs as there are elements. */
export interface RunTargets {
    /** As {@link DeviceResults} has them. Behind those of the last run nothing is meant. */
    results: Target;
    /** A key of each run, in its type. */
    keys: Target;
    /** One `u32`: how many runs there are. */
    count: Target;
}

/**
 * Results as the device leaves them, in the order in which `run` gives them, side by side. `encode` leaves the same.
 *
 * Numbers have their lower words first. Elements of 8 and 16 bits count as `i32` or `u32`, short floats as `f32`: "the
 * element" below is of these types. Of `wrappingSum` of 8 and 16 bits, that many lower bits count.
 *
 * | operations | elements | a result |
 * |---|---|---|
 * | `min`, `max`, `nanMin`, `nanMax`, `wrappingSum`, `bitAnd`, `bitOr`, `bitXor` | all | the element |
 * | `sum`, `product`, `normL1`, `normMax`, `sumOfSquares`, `dot`, `nanSum`, `nanMean`, `sumExact` | all | the number that `run` gives, in its type |
 * | `countNonzero`, `countNan` | all | `u64` |
 * | `all`, `any` | all | `u32`, 0 for false |
 * | `minMax` | all | the smallest element, then the largest |
 * | `argmin`, `argmax`, `nanArgmin`, `nanArgmax` | all | the index as `u64`; the element, and up to 16 bytes zeros |
 * | `mean` | floats | the mean |
 * | | integers | their `sum`, to be divided by their number |
 * | `normL2` | floats of up to 32 bits | the norm |
 * | | integers | their `sumOfSquares`, whose root is the norm |
 * | `logSumExp` | floats of up to 32 bits | four `f32`: the result by the device's logarithm, the largest element, the sum of exponentials less it, 0 |
 *
 * `normL2` of `f64`, `meanExact`, variances, deviations and `stats` leave words that `run` makes results of. The Rust types of
 * these names say what they are.
 */
export interface DeviceResults {
    buffer: GPUBuffer;
    /** How many there are. */
    length: number;
    /** Bytes from one to the next. */
    resultBytes: number;
}

/** What a plan would run. */
export interface Plan {
    /** For people. */
    text: string;
    results: number;
    resultBytes: number;
    scratchBytes: number;
    passes: { label: string; grids: [number, number, number][] }[];
}

/** How a run is waited for. */
export interface RunOptions {
    /** Ends the wait. What the device was given runs to its end. */
    signal?: AbortSignal | undefined;
}

/** What some operations are told. */
export interface OperationOptions {
    /** What variances and deviations take from the number of elements that they divide by; 0 unless it is said. */
    ddof?: number | undefined;
}
