// How requests are run: all at once, in encoders of the caller's, from arrays and from buffers.

import { createReducer } from "../dist/index.js";
import { check, read, type Test, wasmBytes } from "./suite.js";
import { OPERATIONS } from "./properties.js";
import { STATISTICS } from "./statistics.js";
import { encoded, valuesOf } from "./values.js";

const STORAGE = 0x80 | 0x4 | 0x8;

const registry: Test = {
    name: "there is a call for each operation and order statistic of the library",
    run: async ({ reducer }) => {
        const names = Object.getOwnPropertyNames(reducer);
        check(names.sort().join() === [...OPERATIONS, ...STATISTICS, "dot", "dotExact"].sort().join(), `calls: ${names}`);
        for (const name of [...OPERATIONS, ...STATISTICS]) {
            check(typeof reducer[name] === "function", name);
        }
    },
};

const together: Test = {
    name: "many calls at once",
    run: async ({ reducer }) => {
        const sums = Array.from({ length: 200 }, (_, number) => {
            return reducer.sum(new Int32Array(number * 31).fill(number));
        });
        (await Promise.all(sums)).forEach((sum, number) => check(sum === BigInt(number * number * 31), `${number}: ${sum}`));
    },
};

const others: Test = {
    name: "a caller's error scopes see none of this package's work",
    run: async ({ device, reducer }) => {
        device.pushErrorScope("validation");
        const sum = reducer.sum(Float32Array.of(1, 2, 3.5));
        device.createBuffer({ size: 16, usage: 0xFFFF_0000 });
        const error = await device.popErrorScope();
        check(error !== null, "the caller's own mistake is not told to the caller");
        check(await sum === 6.5, "the sum");
        device.pushErrorScope("validation");
        const mapped = device.createBuffer({ size: 16, usage: STORAGE, mappedAtCreation: true });
        const code = await reducer.sum(mapped, { type: "f32" }).catch((failed) => failed.code);
        const seen = await device.popErrorScope();
        check(code === "Validation" && seen === null, `${code}, and ${seen?.message}`);
    },
};

const overwritten: Test = {
    name: "an array is reduced as it was when the call was made",
    run: async ({ reducer }) => {
        const array = Int32Array.of(1, 2, 3);
        const sum = reducer.sum(array);
        array.fill(100);
        check(await sum === 6n, `the sum is ${await sum}`);
    },
};

/** A pass of the caller's that doubles what the reduction leaves. */
function doubling(device: GPUDevice, buffer: GPUBuffer): (encoder: GPUCommandEncoder) => void {
    const code = "@group(0) @binding(0) var<storage, read_write> all: array<f32>;"
        + "@compute @workgroup_size(1) fn double() { all[0] *= 2.0; }";
    const compute = { module: device.createShaderModule({ code }), entryPoint: "double" };
    const pipeline = device.createComputePipeline({ layout: "auto", compute });
    const layout = pipeline.getBindGroupLayout(0);
    const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
    return (encoder) => {
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(1);
        pass.end();
    };
}

const encoders: Test = {
    name: "a later pass of the caller's encoder reads the result",
    run: async (context) => {
        const { device, reducer } = context;
        const buffer = device.createBuffer({ size: 64, usage: STORAGE });
        const encoder = device.createCommandEncoder();
        await reducer.reduce("sum", Float32Array.of(1, 2, 3.5)).encode(encoder, { buffer });
        doubling(device, buffer)(encoder);
        // Others run before it is submitted.
        check(await reducer.sum(Float32Array.of(5, 6)) === 11, "a sum in between");
        check(await reducer.max(new Float32Array(70_000).fill(2)) === 2, "a maximum in between");
        device.queue.submit([encoder.finish()]);
        const [result, beside] = new Float32Array(await read(context, buffer, 64));
        check(result === 13 && beside === 0, `${result}, ${beside}`);
    },
};

const masked: Test = {
    name: "what has to be zero is cleared in the caller's encoder",
    run: async (context) => {
        const { device, reducer } = context;
        const buffer = device.createBuffer({ size: 16, usage: STORAGE });
        const encoder = device.createCommandEncoder();
        const cleared: unknown[] = [];
        const { clearBuffer } = encoder;
        encoder.clearBuffer = (buffer, offset, size) => {
            cleared.push(size);
            clearBuffer.call(encoder, buffer, offset ?? 0, size ?? buffer.size);
        };
        await reducer.reduce("max", Int32Array.of(5, 9, -3, 4)).masked(Uint8Array.of(1, 0, 1, 1)).encode(encoder, { buffer });
        // The number of elements that count.
        check(cleared.join() === "8", `cleared ${cleared}`);
        device.queue.submit([encoder.finish()]);
        const [most] = new Int32Array(await read(context, buffer, 16));
        check(most === 5, `${most}`);
    },
};

const inPlace: Test = {
    name: "results may lie among the elements, and amid a buffer",
    run: async (context) => {
        const { device, reducer } = context;
        const buffer = device.createBuffer({ size: 4 * 4096, usage: STORAGE });
        device.queue.writeBuffer(buffer, 0, new Uint32Array(4096).fill(3));
        const encoder = device.createCommandEncoder();
        await reducer.reduce("max", { buffer, type: "u32", offset: 4, length: 4095 }).encode(encoder, { buffer, offset: 8 });
        await reducer.reduce("sum", { buffer, type: "u32" }).encode(encoder, { buffer, offset: 512 });
        device.queue.submit([encoder.finish()]);
        const words = new Uint32Array(await read(context, buffer, 1024));
        check([words[1], words[2], words[3], words[128], words[129]].join() === "3,3,3,12288,0", `${words}`);
    },
};

const buffers: Test = {
    name: "results that stay in a buffer are elements again",
    run: async (context) => {
        const { device, reducer } = context;
        const rows = reducer.reduce("sum", Float32Array.from({ length: 600 }, (_, place) => place)).along([20, 30], 1);
        const { buffer, length, resultBytes } = await rows.toBuffer();
        check(length === 20 && resultBytes === 4, `${length} results of ${resultBytes} bytes`);
        check(await reducer.sum(buffer, { type: "f32", length }) === 179_700, "the sum of sums");
        const [results, keys, count] = [64, 64, 16].map((size) => device.createBuffer({ size, usage: STORAGE }));
        check(results !== undefined && keys !== undefined && count !== undefined, "buffers");
        const encoder = device.createCommandEncoder();
        const runs = reducer.reduce("sum", Int32Array.of(1, 2, 3, 4, 5)).runs(Uint32Array.of(7, 7, 2, 2, 7));
        await runs.encode(encoder, { results: { buffer: results }, keys: { buffer: keys }, count: { buffer: count } });
        device.queue.submit([encoder.finish()]);
        const left = [results, keys, count].map((buffer) => read(context, buffer, 16));
        const [sums, found, number] = (await Promise.all(left)).map((bytes) => new Uint32Array(bytes));
        check(number?.[0] === 3 && found?.slice(0, 3).join() === "7,2,7", `${number} runs, keys ${found}`);
        check(new BigInt64Array(sums?.buffer ?? new ArrayBuffer(0)).slice(0, 2).join() === "3,7", `sums ${sums}`);
    },
};

const several: Test = {
    name: "elements, keys and masks of several buffers",
    run: async ({ device, reducer }) => {
        const lengths = [300, 1, 5000];
        const all = Int32Array.from({ length: 5301 }, (_, place) => place * 7 % 1000 - 300);
        const split = (type: "i32" | "u8", array: Int32Array | Uint8Array) => {
            let end = 0;
            const buffers = lengths.map((length) => {
                const part = array.slice(end, end += length);
                const buffer = device.createBuffer({ size: 32 + Math.ceil(part.byteLength / 4) * 4, usage: STORAGE });
                const bytes = new Uint8Array(Math.ceil(part.byteLength / 4) * 4);
                bytes.set(new Uint8Array(part.buffer));
                device.queue.writeBuffer(buffer, 16, bytes);
                return { buffer, offset: 16, length };
            });
            return { type, buffers } as { type: "i32"; buffers: typeof buffers };
        };
        const source = split("i32", all);
        const sum = (values: Int32Array) => BigInt(values.reduce((sum, value) => sum + value, 0));
        check(await reducer.sum(source) === sum(all), "the sum");
        check((await reducer.argmax(source)).index === all.indexOf(699), "argmax");
        check(await reducer.dot(source, source) === all.reduce((sum, value) => sum + BigInt(value * value), 0n), "dot");
        const request = reducer.reduce("sum", source);
        const flags = Uint8Array.from(all, (_, place) => Number(place % 3 === 0));
        const mask = split("u8", flags) as unknown as { type: "u8"; buffers: typeof source.buffers };
        check(await request.masked(mask).run() === sum(all.filter((_, place) => place % 3 === 0)), "masked");
        const [others, third] = await request.groups(mask, 2).run();
        check(third === sum(all.filter((_, place) => place % 3 === 0)) && (others ?? 0n) + third === sum(all), "groups");
        const rows = await request.along([93, 57], 1).run();
        check(rows.every((row, number) => row === sum(all.slice(57 * number, 57 * number + 57))), "rows");
        const runs = await request.runs(Uint32Array.from(all, (_, place) => Math.floor(place / 1000))).run();
        check(runs.results.every((run, number) => run === sum(all.slice(1000 * number, 1000 * number + 1000))), "runs");
        const { counts } = await reducer.bin(source, { edges: [-300, 0, 700] }).run();
        check(counts[0] === BigInt(all.filter((value) => value < 0).length), `counts ${counts}`);
        [source, mask].forEach(({ buffers }) => buffers.forEach(({ buffer }) => buffer.destroy()));
    },
};

const countedOnes: Test = {
    name: "as many elements as a number on the device says",
    run: async (context) => {
        const { device, reducer } = context;
        const values = Int32Array.from({ length: 5000 }, (_, place) => 3 * place % 7001);
        const count = device.createBuffer({ size: 16, usage: STORAGE });
        for (const [operation, number] of [["sum", 4321], ["max", 7], ["sum", 0], ["max", 9999]] as const) {
            device.queue.writeBuffer(count, 4, Uint32Array.of(number));
            const request = reducer.reduce(operation, values).counted({ buffer: count, type: "u32", offset: 4 });
            const { buffer, length, resultBytes } = await request.toBuffer();
            const [low] = new Int32Array(await read(context, buffer, resultBytes));
            const some = values.slice(0, number);
            const wanted = operation === "sum" ? some.reduce((sum, value) => sum + value, 0) : Math.max(...some);
            check(length === 1 && low === wanted, `${operation} of ${number}: ${low}, not ${wanted}`);
            buffer.destroy();
            const code = await (request as unknown as typeof request & { run(): Promise<unknown> }).run().catch((error) => error.code);
            check(code === "Unsupported", `a run: ${String(code)}`);
        }
        const none = reducer.reduce("sum", values).counted({ buffer: count, type: "u32", length: 0 });
        check(await none.toBuffer().catch((error) => error.code) === "InvalidRange", "no number");
        count.destroy();
    },
};

const halves: Test = {
    name: "short floats by their bits, and a part of an array",
    run: async ({ reducer }) => {
        const bits = new Uint16Array(encoded("f16", [0.5, -2, 7.5]).bytes.buffer);
        check(await reducer.max({ array: bits, type: "f16" }) === 7.5, "f16");
        check(await reducer.sum(Int32Array.of(1, 2, 3, 4).subarray(1, 3)) === 5n, "subarray");
        check(await reducer.variance(Float32Array.of(1, 3), { ddof: 1 }) === 2, "ddof");
    },
};

const plans: Test = {
    name: "plans",
    run: async ({ reducer }) => {
        const plan = reducer.reduce("sum", new Float32Array(4096)).along([64, 64], 1).plan();
        check(plan.results === 64 && plan.resultBytes === 4 && plan.passes.length > 0, JSON.stringify(plan));
        check(plan.text.startsWith("sum of 64 x 64 f32 elements"), plan.text);
        check(plan.passes[0]?.grids[0]?.length === 3, JSON.stringify(plan.passes));
    },
};

const memory: Test = {
    name: "buffers are used again",
    run: async ({ another, gpu }) => {
        const device = await another();
        const created: string[] = [];
        const { createBuffer } = device;
        device.createBuffer = (descriptor) => {
            created.push(`${descriptor.label} ${descriptor.size}`);
            return createBuffer.call(device, descriptor);
        };
        const reducer = await createReducer(device, { gpu });
        const { bytes } = valuesOf("f32", 70_000, 1);
        const buffer = createBuffer.call(device, { size: bytes.byteLength, usage: STORAGE });
        device.queue.writeBuffer(buffer, 0, bytes);
        const first = await reducer.sum(buffer, { type: "f32" });
        const made = created.length;
        for (let time = 0; time < 20; time += 1) {
            check(await reducer.sum(buffer, { type: "f32" }) === first, "another sum");
        }
        check(created.length === made, `${created.slice(made)}`);
        device.destroy();
    },
};

/** A device that tells which of this package's buffers it has: their sizes. */
export async function counting(another: () => Promise<GPUDevice>): Promise<[GPUDevice, Map<GPUBuffer, number>]> {
    const device = await another();
    const alive = new Map<GPUBuffer, number>();
    const { createBuffer } = device;
    device.createBuffer = (descriptor) => {
        const buffer = createBuffer.call(device, descriptor);
        const { destroy } = buffer;
        alive.set(buffer, descriptor.size);
        buffer.destroy = () => {
            alive.delete(buffer);
            destroy.call(buffer);
        };
        return buffer;
    };
    return [device, alive];
}

const bounded: Test = {
    name: "what is kept is bounded, and trimmed; many results take little of WebAssembly's memory",
    run: async ({ another, gpu }) => {
        const [device, alive] = await counting(another);
        const reducer = await createReducer(device, { gpu });
        const bytes = () => [...alive.values()].reduce((sum, size) => sum + size, 0);
        const rows = async (length: number) => {
            const values = new Uint8Array(length).fill(3);
            values[length - 1] = 7;
            const maxima = await reducer.reduce("max", values).along([length, 1], 1).run();
            check(maxima.length === length && maxima[0] === 3 && maxima.at(-1) === 7, `maxima of ${length}`);
        };
        const before = wasmBytes();
        // Each leaves 4 bytes on the device, and as many come back.
        for (const length of [4.5e6, 5e6, 5.5e6, 6e6]) {
            await rows(length);
        }
        check(bytes() > 64 << 20 && bytes() <= 129 << 20, `${bytes()} bytes are kept`);
        // So little that it would have to grow for 24 MB of results.
        check(before > 0 && before < 16 << 20, `WebAssembly's memory was ${before} before`);
        check(wasmBytes() - before < 2 << 20, `WebAssembly's memory grew from ${before} to ${wasmBytes()}`);
        const kept = new Set(alive.keys());
        await rows(6e6);
        const made = [...alive].filter(([buffer, size]) => !kept.has(buffer) && size > 1 << 20);
        check(made.length === 0, "the buffers used last are used again");
        reducer.trim();
        check(bytes() < 1 << 20, `${bytes()} bytes are kept after all`);
        check(await reducer.sum(Float32Array.of(1, 2)) === 3, "a sum after it");
        device.destroy();
    },
};

/** Edges without a rule, so that shaders look them up. */
const EDGES = Array.from({ length: 70_000 }, (_, place) => place + (place % 3) / 8);

const large: Test = {
    name: "a table that is too large to be kept is gone after its run",
    run: async (context) => {
        const [device, alive] = await counting(context.another);
        const reducer = await createReducer(device, { gpu: context.gpu });
        const bins = reducer.bin(Float32Array.of(0.5, 1.5, 1.6, 69_000), { edges: EDGES });
        // The lower edge of each bin.
        const tables = () => [...alive.values()].filter((size) => size === 4 * (EDGES.length - 1)).length;
        const { counts } = await bins.run();
        check(counts[0] === 1n && counts[1] === 2n, `${counts.slice(0, 3)}`);
        check(tables() === 0, `${tables()} tables after a run`);
        const { buffer } = await bins.toBuffer();
        check(tables() === 0, `${tables()} tables after results that stay`);
        buffer.destroy();
        device.destroy();
    },
};

export const calls: Test[] = [bounded, large, registry, together, others, overwritten, encoders, masked, inPlace, buffers, several, countedOnes, halves, plans, memory];
