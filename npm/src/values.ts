/** The values of a field of results, side by side. */
export interface Column {
    name: string;
    kind: keyof typeof ARRAYS;
    bytes: Uint8Array<ArrayBuffer>;
}

/** Results as the planner makes them. */
export interface PlannedValue {
    shape: "one" | "many" | "runs" | "histogram" | "histograms";
    columns: Column[][];
}

/** Integers of 128 bits, which have no array. */
function wide(buffer: ArrayBuffer, isSigned: boolean): bigint[] {
    const halves = new BigUint64Array(buffer);
    return Array.from({ length: halves.length / 2 }, (_, index) => {
        const value = (halves[2 * index + 1] ?? 0n) << 64n | (halves[2 * index] ?? 0n);
        return isSigned ? BigInt.asIntN(128, value) : value;
    });
}

const ARRAYS = {
    f32: (buffer: ArrayBuffer) => new Float32Array(buffer),
    f64: (buffer: ArrayBuffer) => new Float64Array(buffer),
    i8: (buffer: ArrayBuffer) => new Int8Array(buffer),
    i16: (buffer: ArrayBuffer) => new Int16Array(buffer),
    i32: (buffer: ArrayBuffer) => new Int32Array(buffer),
    i64: (buffer: ArrayBuffer) => new BigInt64Array(buffer),
    i128: (buffer: ArrayBuffer) => wide(buffer, true),
    u8: (buffer: ArrayBuffer) => new Uint8Array(buffer),
    u16: (buffer: ArrayBuffer) => new Uint16Array(buffer),
    u32: (buffer: ArrayBuffer) => new Uint32Array(buffer),
    u64: (buffer: ArrayBuffer) => new BigUint64Array(buffer),
    u128: (buffer: ArrayBuffer) => wide(buffer, false),
    bool: (buffer: ArrayBuffer) => Array.from(new Uint8Array(buffer), (byte) => byte !== 0),
    /** Places among elements, of which a buffer holds fewer than 2^53. */
    index: (buffer: ArrayBuffer) => Float64Array.from(new BigUint64Array(buffer), Number),
};

type Values = ReturnType<(typeof ARRAYS)[keyof typeof ARRAYS]>;

function arrayOf({ kind, bytes }: Column): Values {
    return ARRAYS[kind](bytes.buffer);
}

/** An array, or one for each field; or what `pick` takes of each. */
function fieldsOf<R>(columns: Column[], pick: (values: Values) => R): R | Record<string, R> {
    const [first] = columns;
    if (first?.name === "") {
        return pick(arrayOf(first));
    }
    return Object.fromEntries(columns.map((column) => [column.name, pick(arrayOf(column))]));
}

/** Counts of elements in bins. */
export interface Histogram {
    counts: BigUint64Array;
    edges: Float64Array;
    below: bigint;
    above: bigint;
    nan: bigint;
}

/** Sums of weights in bins. */
export interface WeightedHistogram<S, A> {
    sums: A;
    edges: Float64Array;
    below: S;
    above: S;
    nan: S;
}

function histogramOf(columns: Column[]): unknown {
    const [sums, edges, outside] = columns.map(arrayOf);
    const [below, above, nan] = outside ?? [];
    return { [columns[0]?.name ?? "counts"]: sums, edges, below, above, nan };
}

/** Makes of what the planner has made what callers get. */
export function valueOf({ shape, columns: [first = [], second = [], ...others] }: PlannedValue): unknown {
    switch (shape) {
        case "one": return fieldsOf(first, (values) => values[0]);
        case "many": return fieldsOf(first, (values) => values);
        case "runs": return {
            keys: fieldsOf(second, (values) => values),
            results: fieldsOf(first, (values) => values),
        };
        case "histogram": return histogramOf(first);
        case "histograms": return [first, second, ...others].filter(({ length }) => length > 0).map(histogramOf);
    }
}
