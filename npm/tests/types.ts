// What the types of calls say, held by the compiler alone.

import type { Reducer } from "../dist/index.js";

/** Says that a value is of a type. */
declare function is<T>(value: T): void;

export async function typed(reducer: Reducer, buffer: GPUBuffer): Promise<void> {
    is<number>(await reducer.sum(buffer, { type: "bf16" }));
    is<bigint>(await reducer.sum(buffer, { type: "i8", offset: 4, length: 2 }));
    is<number>(await reducer.max(Int16Array.of(1)));
    is<{ index: number; value: bigint }>(await reducer.argmax(new BigInt64Array(1)));
    is<Float32Array>(await reducer.reduce("mean", new Float32Array(4)).along([2, 2], 0).run());
    is<BigUint64Array>(await reducer.reduce("sum", new Uint8Array(4)).groups(new Uint8Array(4), 2).run());
    is<{ min: Int8Array; max: Int8Array }>(await reducer.reduce("minMax", new Int8Array(4)).segments(new Uint32Array(2)).run());
    is<{ keys: Float64Array; results: boolean[] }>(await reducer.reduce("any", new Int8Array(4)).runs(new Float64Array(4)).run());
    is<number>(await reducer.dotExact({ type: "f32", buffer }, { type: "f32", buffer }));
    is<bigint>(await reducer.dot(new Int8Array(1), new Int8Array(1)));
    is<number>(await reducer.median(new Uint8Array(1)));
    is<bigint>(await reducer.nth(buffer, { type: "u64", rank: 3 }));
    is<Float32Array>(await reducer.quantiles(new Float32Array(1), { q: [0.5] }));
    is<{ index: Float64Array; value: BigInt64Array }>(await reducer.topK(new BigInt64Array(1), { k: 1 }));
    is<Float64Array>(await reducer.reduce("quantile", new Int8Array(4), { q: 0.5, method: "hazen" }).along([2, 2], 0).run());
    is<{ index: Float64Array; value: Float32Array }>(await reducer.reduce("argNth", buffer, { type: "f16", rank: 0 }).along([2], 0).run());
    is<number>(await (await reducer.reduce("sum", new Float32Array(1)).prepare()).run());
    is<[bigint, Float32Array]>(await reducer.batch([
        reducer.reduce("sum", new Int8Array(1)), reducer.reduce("nanQuantiles", new Float32Array(1), { q: [1] }),
    ]).run());
    is<number>(await reducer.nanMax({ array: new Uint16Array(1), type: "bf16" }));
    is<number>(await reducer.sum({ buffers: [{ buffer }], type: "f64" }));
    is<bigint>(await reducer.wrappingSum(buffer, { type: "i64" }));
    is<{ keys: BigInt64Array; results: Float32Array }>(await reducer.reduce("sum", new Float32Array(1)).runs(new BigInt64Array(1)).run());
    is<void>(await reducer.reduce("sum", new Float32Array(1)).encode({} as GPUCommandEncoder, buffer));
    is<number[]>(await reducer.batch([1, 2].map(() => reducer.reduce("median", new Float32Array(1)))).run());
    // @ts-expect-error There is no rank.
    await reducer.nth(new Float32Array(1));
    // @ts-expect-error There is no such method.
    await reducer.quantile(new Float32Array(1), { q: 0.5, method: "mean" });
    // @ts-expect-error A quantile is a number.
    await reducer.quantile(new Float32Array(1), { q: [0.5] });
    // @ts-expect-error The host finishes order statistics.
    reducer.reduce("median", new Float32Array(1)).toBuffer;
    // @ts-expect-error Order statistics have no segments.
    reducer.reduce("median", new Float32Array(1)).segments;
    // @ts-expect-error Floats do not wrap.
    await reducer.wrappingSum(new Float32Array(1));
    // @ts-expect-error Nor do those of a buffer.
    await reducer.wrappingSum(buffer, { type: "f32" });
    // @ts-expect-error Nor do those of a buffer and a type.
    await reducer.wrappingSum({ buffer, type: "f64" });
    // @ts-expect-error Nor do short floats.
    await reducer.bitAnd({ array: new Uint16Array(1), type: "f16" });
    // @ts-expect-error A request is not made, either.
    reducer.reduce("stats", new BigInt64Array(4));
    // @ts-expect-error It is not made of a buffer.
    reducer.reduce("countNan", buffer, { type: "u32" });
    // @ts-expect-error It is not made of several buffers.
    reducer.reduce("logSumExp", { buffers: [{ buffer }], type: "f64" });
    // @ts-expect-error No number has the bits of these sums.
    await reducer.dot(new BigUint64Array(1), new BigUint64Array(1));
    // @ts-expect-error Integers need no exact products.
    await reducer.dotExact({ type: "i32", buffer }, { type: "i32", buffer });
    // @ts-expect-error A pair is not made of them.
    reducer.pair("dotExact", new Int8Array(1), new Int8Array(1));
    // @ts-expect-error Keys of runs have 32 or 64 bits.
    reducer.reduce("sum", new Int8Array(4)).runs(new Uint8Array(4));
    // @ts-expect-error A buffer does not say what its elements are.
    await reducer.sum(buffer);
    // @ts-expect-error There are no elements of 24 bits.
    await reducer.sum(buffer, { type: "u24" });
    // @ts-expect-error Both inputs are of one type.
    await reducer.dot(new Float32Array(1), new Int32Array(1));
    // @ts-expect-error Offsets have 32 bits.
    reducer.reduce("sum", new Float32Array(1)).segments(new Uint8Array(1));
    // @ts-expect-error There is no such operation.
    reducer.reduce("mode", new Float32Array(1));
}
