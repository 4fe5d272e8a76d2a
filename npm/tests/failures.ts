// What calls fail with.

import { createReducer, type ErrorCode, ReduceError, type Reducer, type WholeRequest } from "../dist/index.js";
import { counting } from "./calls.js";
import { check, type Context, read, type Test } from "./suite.js";

/** Fails unless a call fails with an error of this code. */
async function fails(call: () => Promise<unknown>, code: ErrorCode, text: RegExp): Promise<void> {
    try {
        await call();
    } catch (error) {
        check(error instanceof ReduceError, `${code} is wanted, and not ${String(error)}`);
        check(error.code === code, `${code} is wanted, and not ${error.code}: ${error.message}`);
        check(text.test(error.message), `${String(text)} is wanted, and not: ${error.message}`);
        return;
    }
    throw new Error(`no ${code}`);
}

function storage({ device }: Context, size: number, usage = 0x8C): GPUBuffer {
    return device.createBuffer({ size, usage });
}

const slices: Test = {
    name: "parts that a buffer does not have",
    run: async (context) => {
        const { reducer } = context;
        const buffer = storage(context, 64);
        const sum = (type: "f32" | "u8" | "f64", offset: number, length?: number) => {
            return () => reducer.sum(buffer, { type, offset, length });
        };
        await fails(sum("f32", 0, 17), "InvalidBuffer", /17 elements of 4 bytes from byte 0 on.* 64 bytes/);
        await fails(sum("f32", 60, 2), "InvalidBuffer", /do not fit/);
        await fails(sum("f32", 2, 1), "InvalidBuffer", /offset 2 is not a multiple of the element's 4 bytes/);
        await fails(sum("f64", 4, 1), "InvalidBuffer", /multiple of the element's 8 bytes/);
        await fails(sum("f32", 0, -1), "InvalidArgument", /length is -1, and not a whole/);
        await fails(sum("f32", 0, 1.5), "InvalidArgument", /length is 1.5, and not a whole/);
        await fails(sum("u8", NaN), "InvalidArgument", /offset is NaN, and/);
        await fails(sum("f32", 2 ** 54), "InvalidArgument", /offset/);
        await fails(() => reducer.sum(storage(context, 64, 0xC), { type: "f32" }), "InvalidBuffer", /lacks STORAGE/);
    },
};

const types: Test = {
    name: "types that are none, or are others",
    run: async (context) => {
        const { reducer } = context;
        const values = Float32Array.of(1, 2);
        const unknown = { type: "f33" as "f32" };
        await fails(() => reducer.sum(storage(context, 64), unknown), "InvalidArgument", /'f33', and none of f32, i32/);
        // A short call rejects, and does not throw.
        const view = reducer.sum(new DataView(new ArrayBuffer(8)) as never);
        await fails(() => view, "InvalidArgument", /DataView/);
        const none = reducer.sum(undefined as never);
        await fails(() => none, "InvalidArgument", /no elements are in undefined/);
        await fails(async () => reducer.sum(storage(context, 64) as never), "InvalidArgument", /not given/);
        await fails(() => reducer.wrappingSum(values as never), "NotDefined", /wrapping_sum is not defined for f32/);
        await fails(() => reducer.reduce("mode" as "sum", values).run(), "InvalidArgument", /no operation named 'mode'/);
        const one = reducer.reduce("sum", values);
        await fails(() => one.segments(Float32Array.of(0, 1) as never).run(), "InvalidArgument", /offsets cannot be f32/);
        const two = [0, 1].map(() => ({ buffer: storage(context, 16) }));
        await fails(() => one.segments({ type: "u32", buffers: two }).run(), "InvalidArgument", /offsets .* several buffers/);
        await fails(() => reducer.sum({ type: "f32", buffers: [] }), "InvalidArgument", /there is no buffer/);
        await fails(() => one.groups(Int8Array.of(0, 0) as never, 1).run(), "InvalidArgument", /keys of groups cannot be i8/);
        await fails(() => one.runs(Uint8Array.of(0, 0) as never).run(), "InvalidArgument", /keys of runs cannot be u8/);
        await fails(() => one.masked(Uint32Array.of(0, 0) as never).run(), "InvalidArgument", /a mask cannot be u32/);
        await fails(() => reducer.dot(values, Int32Array.of(1, 2) as unknown as Float32Array), "InvalidArgument", /cannot be paired/);
    },
};

const shapes: Test = {
    name: "shapes that do not fit",
    run: async ({ reducer }) => {
        const values = Float32Array.of(1, 2, 3, 4);
        const [sum, max] = [reducer.reduce("sum", values), reducer.reduce("max", values)];
        await fails(() => reducer.max(new Float32Array(0)), "Empty", /max of zero elements has no value/);
        await fails(() => sum.along([2, 2], 2).run(), "InvalidView", /axis 2/);
        await fails(() => sum.along([3, 2], 0).run(), "InvalidView", /index 5, and there are 4/);
        await fails(() => sum.along({ shape: [4], offset: 1 }, 0).run(), "InvalidView", /index 4, and there are 4/);
        await fails(() => reducer.sum(values, { length: 2 } as object), "InvalidArgument", /are for a GPUBuffer/);
        await fails(() => sum.segments(Uint32Array.of(0, 3, 2)).run(), "InvalidOffsets", /decrease/);
        await fails(() => sum.segments(Uint32Array.of(0, 5)).run(), "InvalidOffsets", /beyond the 4 elements/);
        await fails(() => max.segments(Uint32Array.of(0, 2, 2)).run(), "EmptySegment", /segment or run 1 has none/);
        await fails(() => sum.groups(Uint32Array.of(0, 1, 2, 0), 2).run(), "InvalidKey", /index 2 is none of 2 groups/);
        await fails(() => max.groups(Uint32Array.of(0, 0, 2, 0), 3).run(), "EmptyGroup", /group 1/);
        await fails(() => sum.runs(Uint32Array.of(1)).run(), "LengthMismatch", /1 elements cannot be paired with 4/);
        await fails(() => sum.masked(Uint8Array.of(1)).run(), "LengthMismatch", /4 elements cannot be paired with 1/);
        await fails(() => max.masked(new Uint8Array(4)).run(), "Empty", /max/);
        await fails(() => reducer.dot(values, Float32Array.of(1)), "LengthMismatch", /4 elements cannot be paired with 1/);
        await fails(() => reducer.bin(values, { edges: [1, 0] }).run(), "InvalidBins", /the edge 0 is less than 1/);
        await fails(() => reducer.bin(values, { low: 0, high: 1, count: 0 }).run(), "InvalidBins", /0 bins are not between 1/);
    },
};

const ranks: Test = {
    name: "ranks and quantiles that there are not",
    run: async ({ reducer }) => {
        const values = Float32Array.of(1, 2, 3, 4);
        const none = new Float32Array(0);
        await fails(() => reducer.nth(values, { rank: 4 }), "InvalidRank", /4 elements have no rank 4/);
        await fails(() => reducer.argNth(values, { rank: 2 ** 40 }), "InvalidRank", /no rank 1099511627776/);
        await fails(() => reducer.nth(values, { rank: -1 }), "InvalidArgument", /rank is -1, and/);
        await fails(() => reducer.nth(values, { rank: 1n as never }), "InvalidArgument", /rank is 1n, and/);
        await fails(() => reducer.nth(values, {} as never), "InvalidArgument", /rank is undefined, and/);
        await fails(() => reducer.topK(values, { k: 5 }), "InvalidRank", /4 elements are less than 5/);
        await fails(() => reducer.bottomK(values, { k: 0.5 }), "InvalidArgument", /k is 0.5, and/);
        await fails(() => reducer.quantile(values, { q: 1.25 }), "InvalidRank", /quantile 1.25 is not between 0 and 1/);
        await fails(() => reducer.nanQuantile(values, { q: NaN }), "InvalidRank", /quantile NaN/);
        await fails(() => reducer.quantiles(values, { q: [0.5, -0.25] }), "InvalidRank", /quantile -0.25/);
        await fails(() => reducer.quantile(values, { q: [0.5] as never }), "InvalidArgument", /q is a list, and not a number/);
        await fails(() => reducer.quantiles(values, { q: 0.5 as never }), "InvalidArgument", /q is 0.5, and not a list of numbers/);
        await fails(() => reducer.nanQuantiles(values, { q: ["1" as never] }), "InvalidArgument", /q is '1', and not a number/);
        const method = "mean" as "lower";
        await fails(() => reducer.quantile(values, { q: 0.5, method }), "InvalidArgument", /'mean' is no method; there are inverted_cdf, /);
        for (const call of [() => reducer.median(none), () => reducer.topK(none, { k: 0 }), () => reducer.nanMedian(none)]) {
            await fails(call, "Empty", /of zero elements has no value/);
        }
        await fails(() => reducer.reduce("nth", values, { rank: 2 }).along([2, 2], 1).run(), "InvalidRank", /2 elements have no rank 2/);
        // What types do not let through.
        const median = reducer.reduce("median", values) as unknown as WholeRequest<"f32">;
        const others = [median.segments(Uint32Array.of(0, 4)), median.masked(new Uint8Array(4)), median.groups(new Uint8Array(4), 1)];
        for (const request of [...others, median.runs(new Uint32Array(4))]) {
            await fails(() => request.run(), "Unsupported", /median/);
        }
        await fails(() => median.toBuffer(), "Unsupported", /median in a buffer/);
    },
};

const outputs: Test = {
    name: "buffers that cannot take results",
    run: async (context) => {
        const { device, reducer } = context;
        const encoder = device.createCommandEncoder();
        const rows = reducer.reduce("sum", new Int32Array(12)).along([3, 4], 1);
        const into = (buffer: GPUBuffer, offset?: number) => () => rows.encode(encoder, { buffer, offset });
        await fails(into(storage(context, 16)), "InvalidRange", /0..3 does not lie within a buffer of 2/);
        await fails(into(storage(context, 64), 4), "InvalidBuffer", /offset 4 is not a multiple of 8 bytes/);
        await fails(into(storage(context, 64, 0x8)), "InvalidBuffer", /lacks STORAGE/);
        const buffer = storage(context, 64);
        const among = reducer.reduce("sum", { buffer, type: "i32", length: 4 }).along([2, 2], 1);
        await fails(() => among.encode(encoder, { buffer }), "InvalidBuffer", /made of/);
        const runs = reducer.reduce("sum", Int32Array.of(1)).runs(Int32Array.of(1));
        await fails(() => runs.encode(encoder, { buffer }), "InvalidArgument", /three/);
        const exact = reducer.pair("dotExact", Float32Array.of(1), Float32Array.of(1));
        await fails(() => exact.toBuffer(), "Unsupported", /dot_exact in a buffer/);
        await fails(() => runs.toBuffer(), "Unsupported", /see encode/);
    },
};

const destroyed: Test = {
    name: "a buffer that was destroyed, and a call after it",
    run: async (context) => {
        const buffer = storage(context, 64);
        buffer.destroy();
        await fails(() => context.reducer.sum(buffer, { type: "f32" }), "Validation", /destroyed|Destroyed|invalid/);
        check(await context.reducer.sum(Float32Array.of(1, 2)) === 3, "the next sum");
    },
};

/** No device makes a buffer that both the host and shaders use. */
const UNMADE: GPUBufferDescriptor = { size: 16, usage: 0x1 | 0x80 };

const unmade: Test = {
    name: "a buffer that the device does not make, and a call after it",
    run: async ({ another, gpu }) => {
        const device = await another();
        const { createBuffer } = device;
        const values = Float32Array.of(1, 2);
        const faults: [ErrorCode, RegExp, () => GPUBuffer][] = [
            ["OutOfMemory", /no room/, () => { throw new RangeError("no room"); }],
            ["Validation", /WebGPU rejected/, () => createBuffer.call(device, UNMADE)],
        ];
        for (const [code, text, fault] of faults) {
            // For results, for elements, for parameters, and for what comes back.
            for (let number = 0; number < 4; number += 1) {
                // One that has no buffers yet.
                const reducer = await createReducer(device, { gpu });
                let made = 0;
                device.createBuffer = (descriptor) => made++ === number ? fault() : createBuffer.call(device, descriptor);
                await fails(() => reducer.max(values), code, text);
                device.createBuffer = createBuffer.bind(device);
                check(await reducer.max(values) === 2, `after ${code} of buffer ${number}`);
            }
        }
        device.destroy();
    },
};

const endless: Test = {
    name: "calls within calls without end are no lack of memory",
    run: async ({ another, gpu }) => {
        const device = await another();
        const reducer = await createReducer(device, { gpu });
        const { createBuffer } = device;
        // No call of a tail, which some runtimes make a loop of.
        const deeper = (depth: number): number => 1 + deeper(depth + 1);
        device.createBuffer = (descriptor) => createBuffer.call(device, { ...descriptor, size: deeper(0) });
        const told = await reducer.max(Float32Array.of(1, 2)).then(() => "nothing", (error: unknown) => error);
        check(!(told instanceof ReduceError) && told instanceof Error, `${String(told)} is told`);
        device.createBuffer = createBuffer.bind(device);
        check(await reducer.max(Float32Array.of(1, 2)) === 2, "a maximum after it");
        device.destroy();
    },
};

const twice: Test = {
    name: "results that are read twice are gone where a reading fails",
    run: async ({ another, gpu }) => {
        const [device, alive] = await counting(another);
        const { createBuffer } = device;
        const [values, keys] = [new Int32Array(70_000).fill(1), Uint32Array.from({ length: 70_000 }, (_, place) => place >> 1)];
        const outcomes: string[] = [];
        for (let number = 0; outcomes.at(-1) !== "35000" && number < 50; number += 1) {
            const reducer = await createReducer(device, { gpu });
            let made = 0;
            device.createBuffer = (descriptor) => {
                if (made++ === number) {
                    throw new RangeError("no room");
                }
                return createBuffer.call(device, descriptor);
            };
            const run = reducer.reduce("sum", values).runs(keys).run();
            outcomes.push(await run.then(({ results }) => String(results.length), ({ code }) => String(code)));
            device.createBuffer = createBuffer;
            reducer.trim();
            const large = [...alive.values()].filter((size) => size > 1 << 16);
            check(large.length === 0, `${large} bytes are left without buffer ${number}`);
        }
        check(outcomes.length > 4 && outcomes.slice(0, -1).every((code) => code === "OutOfMemory"), `${outcomes}`);
        device.destroy();
    },
};

const apart: Test = {
    name: "a call that fails does not fail another beside it",
    run: async ({ another, gpu }) => {
        const device = await another();
        const { createBuffer } = device;
        // For results, for elements, for parameters, and for what comes back.
        for (let number = 0; number < 4; number += 1) {
            const reducer = await createReducer(device, { gpu });
            let made = 0;
            device.createBuffer = (descriptor) => {
                return createBuffer.call(device, made++ === number ? UNMADE : descriptor);
            };
            const failed = fails(() => reducer.max(Float32Array.of(1, 2)), "Validation", /WebGPU rejected/);
            const others = [2, 3, 4].map((most) => reducer.max(Float32Array.of(1, most)));
            const found = await Promise.allSettled(others);
            await failed;
            device.createBuffer = createBuffer.bind(device);
            const shown = found.map((each) => each.status === "fulfilled" ? each.value : String(each.reason));
            check(shown.join() === "2,3,4", `beside a call without buffer ${number}: ${shown}`);
        }
        device.destroy();
    },
};

const aborted: Test = {
    name: "signals that abort",
    run: async ({ device, reducer }) => {
        const values = new Float32Array(100_000).fill(1);
        const reasons = async (signal: AbortSignal) => {
            return reducer.sum(values, { signal }).then(() => undefined, (reason: unknown) => reason);
        };
        check(await reasons(AbortSignal.abort("before")) === "before", "before");
        const later = new AbortController();
        const sum = reasons(later.signal);
        later.abort("while it runs");
        check(await sum === "while it runs", "while it runs");
        const submitted = new AbortController();
        const submit = device.queue.submit.bind(device.queue);
        device.queue.submit = (commands) => {
            submit(commands);
            submitted.abort("once it is submitted");
        };
        check(await reasons(submitted.signal) === "once it is submitted", "once it is submitted");
        device.queue.submit = submit;
        const unused = new AbortController();
        check(await reducer.sum(values, { signal: unused.signal }) === 100_000, "with a signal that does not");
        check(await reducer.sum(values) === 100_000, "after them");
    },
};

const lentOnes: Test = {
    name: "an encoder of the caller's can be submitted after a call that ends early",
    run: async ({ device, reducer }) => {
        const values = new Float32Array(100_000).fill(1);
        const runs = reducer.reduce("sum", values).runs(Uint32Array.from(values, (_, index) => index >> 3));
        const [results, keys, count] = [400_000, 400_000, 16].map((size) => device.createBuffer({ size, usage: 0x8C }));
        check(results !== undefined && keys !== undefined && count !== undefined, "no buffers");
        const encoder = device.createCommandEncoder();
        await runs.encode(encoder, { results: { buffer: results }, keys: { buffer: keys }, count: { buffer: count } });
        // Its passes take what the encoder has been lent.
        const early = new AbortController();
        const submit = device.queue.submit.bind(device.queue);
        device.queue.submit = (commands) => {
            submit(commands);
            early.abort("early");
        };
        const ended = await runs.run({ signal: early.signal }).then(() => undefined, (reason: unknown) => reason);
        device.queue.submit = submit;
        check(ended === "early", String(ended));
        device.queue.submit([encoder.finish()]);
        const found = await reducer.sum(results, { type: "f32", length: 12_500 });
        check(found === 100_000, `${found} is not 100000`);
        [results, keys, count].forEach((buffer) => buffer.destroy());
    },
};

const lost: Test = {
    name: "a device that is lost",
    run: async ({ another, gpu }) => {
        const device = await another();
        const reducer = await createReducer(device, { gpu });
        check(await reducer.sum(Float32Array.of(1, 2)) === 3, "before");
        const sums = [1, 2, 3].map(() => reducer.product(new Float32Array(1 << 20).fill(1)));
        device.destroy();
        await Promise.all(sums.map((sum) => fails(() => sum, "DeviceLost", /the device was lost/)));
        await fails(() => reducer.sum(Float32Array.of(1)), "DeviceLost", /the device was lost/);
    },
};

/** Replaces a method by one that also loses the device, before it does its work or after it. */
function losing(given: object, name: string, device: GPUDevice, isLater: boolean): void {
    const object = given as Record<string, (...given: unknown[]) => unknown>;
    const made = object[name];
    object[name] = (...given) => {
        if (!isLater) {
            device.destroy();
        }
        const result = made?.apply(object, given);
        device.destroy();
        return result;
    };
}

const lostAmid: Test = {
    name: "a device that is lost amid a call",
    run: async ({ another, gpu }) => {
        const values = Float32Array.of(1, 2, 4);
        const verbs: [string, (reducer: Reducer, device: GPUDevice) => Promise<unknown>][] = [
            ["run", (reducer) => reducer.sum(values)],
            ["toBuffer", (reducer) => reducer.reduce("sum", values).toBuffer()],
            ["prepare", (reducer) => reducer.reduce("sum", values).prepare()],
            ["encode", (reducer, device) => {
                const buffer = device.createBuffer({ size: 16, usage: 0x8C });
                return reducer.reduce("sum", values).encode(device.createCommandEncoder(), { buffer });
            }],
        ];
        for (const [verb, call] of verbs) {
            for (const place of ["createComputePipelineAsync", "createBindGroup", "submit", "mapAsync"]) {
                if (place === "mapAsync" && verb !== "run" || place === "submit" && !["run", "toBuffer"].includes(verb)) {
                    continue;
                }
                for (const isLater of [false, true]) {
                    const device = await another();
                    const reducer = await createReducer(device, { gpu });
                    if (place === "mapAsync") {
                        const { createBuffer } = device;
                        device.createBuffer = (descriptor) => {
                            const buffer = createBuffer.call(device, descriptor);
                            losing(buffer, place, device, isLater);
                            return buffer;
                        };
                    } else {
                        losing(place === "submit" ? device.queue : device, place, device, isLater);
                    }
                    let isLost = false;
                    void device.lost.then(() => { isLost = true; });
                    // Nothing comes back of the other verbs, so that they can end before the runtime tells of the loss.
                    const ended = () => isLost || verb === "run" ? "nothing" : reducer.sum(values).catch((error: unknown) => error);
                    const told = await call(reducer, device).then(ended, (error: unknown) => error);
                    check(told instanceof ReduceError && told.code === "DeviceLost", `${verb}, lost ${isLater ? "after" : "before"} ${place}: ${String(told)}`);
                }
            }
        }
    },
};

const unread: Test = {
    name: "a mapping that fails is no abort of the caller's",
    run: async ({ another, gpu }) => {
        const device = await another();
        const reducer = await createReducer(device, { gpu });
        const { createBuffer } = device;
        const fault = async () => { throw new DOMException("unmapped", "AbortError"); };
        device.createBuffer = (descriptor) => Object.defineProperty(createBuffer.call(device, descriptor), "mapAsync", { value: fault });
        await fails(() => reducer.sum(Float32Array.of(1, 2)), "Internal", /results cannot be read: unmapped/);
        device.createBuffer = createBuffer.bind(device);
        reducer.trim();
        check(await reducer.sum(Float32Array.of(1, 2)) === 3, "a sum after it");
        device.destroy();
    },
};

const uncompiled: Test = {
    name: "a pipeline that fails for lack of memory, or is faulty",
    run: async ({ another, gpu }) => {
        const device = await another();
        const reducer = await createReducer(device, { gpu });
        const { createShaderModule } = device;
        const faults: [ErrorCode, RegExp, typeof createShaderModule][] = [
            ["OutOfMemory", /no room/, () => { throw new RangeError("no room"); }],
            ["Shader", /./, () => createShaderModule.call(device, { code: "no shader" })],
        ];
        for (const [code, text, fault] of faults) {
            device.createShaderModule = fault;
            await fails(() => reducer.sum(Float32Array.of(1, 2)), code, text);
        }
        device.createShaderModule = createShaderModule.bind(device);
        check(await reducer.sum(Float32Array.of(1, 2)) === 3, "a sum after them");
        device.destroy();
    },
};

const abortedVerbs: Test = {
    name: "signals that abort what leaves results, and what prepares",
    run: async (context) => {
        const [device, alive] = await counting(context.another);
        const reducer = await createReducer(device, { gpu: context.gpu });
        const request = reducer.reduce("sum", new Float32Array(50_000).fill(1)).along([25_000, 2], 1);
        const buffer = device.createBuffer({ size: 100_000, usage: 0x8C });
        const verbs: ((signal: AbortSignal) => Promise<unknown>)[] = [
            (signal) => request.toBuffer({ signal }), (signal) => request.prepare({ signal }),
            (signal) => request.encode(device.createCommandEncoder(), buffer, { signal }),
        ];
        const reasonOf = async (call: Promise<unknown>) => call.then((made) => {
            (made as { destroy(): void } | undefined)?.destroy();
            return "nothing";
        }, (reason: unknown) => reason);
        for (const [number, verb] of verbs.entries()) {
            check(await reasonOf(verb(AbortSignal.abort("before"))) === "before", `verb ${number}, before`);
            for (const place of ["createComputePipelineAsync", "createBindGroup"] as const) {
                const fresh = new AbortController();
                const made = device[place] as (...given: unknown[]) => unknown;
                device[place] = ((...given: unknown[]) => {
                    fresh.abort("amid it");
                    if (place === "createBindGroup") {
                        // What fails after the abort is told to nobody.
                        device.createBuffer({ size: 16, usage: 0 });
                    }
                    return made.apply(device, given);
                }) as never;
                const reason = await reasonOf(verb(fresh.signal));
                device[place] = made as never;
                // The pipelines are there after the first.
                const isCompiled = place === "createComputePipelineAsync" && number > 0;
                check(reason === (isCompiled ? "nothing" : "amid it"), `verb ${number}, ${place}: ${String(reason)}`);
            }
        }
        check(await reducer.sum(Float32Array.of(1, 2)) === 3, "a sum after them");
        reducer.trim();
        // The encoder of the call that had a result has the elements; those of what failed are gone.
        const large = [...alive].filter(([each, size]) => each !== buffer && size > 1 << 16);
        check(large.map(([, size]) => size).join() === "200000", `${large.map(([, size]) => size)} bytes are left`);
        device.destroy();
    },
};

const targets: Test = {
    name: "results go to a buffer itself, and to nothing else",
    run: async (context) => {
        const { device, reducer } = context;
        const buffer = storage(context, 16);
        const encoder = device.createCommandEncoder();
        const request = reducer.reduce("sum", Float32Array.of(1, 2.5));
        await request.encode(encoder, buffer);
        device.queue.submit([encoder.finish()]);
        const [sum] = new Float32Array(await read(context, buffer, 16));
        check(sum === 3.5, `the sum is ${sum}`);
        for (const target of [undefined, 1, {}, { buffer: undefined }, { results: { buffer } }]) {
            await fails(() => request.encode(encoder, target as never), "InvalidArgument", /results go to a GPUBuffer/);
        }
    },
};

export const failures: Test[] = [
    lostAmid, unread, uncompiled, abortedVerbs, targets, slices, types, shapes, ranks, outputs, destroyed, unmade, endless, twice, apart, aborted, lentOnes, lost,
];
