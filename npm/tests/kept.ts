// Requests that are prepared once, and batches.

import { createReducer, ReduceError } from "../dist/index.js";
import { counting } from "./calls.js";
import { check, type Context, type Test } from "./suite.js";

/** Counts calls of some methods of an object. */
function counted<T extends object, K extends keyof T & string>(object: T, names: K[]): () => string {
    const counts = new Map<string, number>();
    for (const name of names) {
        const made = object[name] as (...given: unknown[]) => unknown;
        object[name] = ((...given: unknown[]) => {
            counts.set(name, (counts.get(name) ?? 0) + 1);
            return made.apply(object, given);
        }) as T[K];
    }
    return () => JSON.stringify([...counts]);
}

async function codeOf(call: Promise<unknown>): Promise<string> {
    return call.then(() => "nothing", (error) => error instanceof ReduceError ? error.code : String(error));
}

async function own({ another, gpu }: Context) {
    const device = await another();
    return { device, reducer: await createReducer(device, { gpu }) };
}

const again: Test = {
    name: "a prepared request reads what its buffer has then, and makes nothing anew",
    run: async (context) => {
        const { device, reducer } = await own(context);
        const buffer = device.createBuffer({ size: 16, usage: 0x8C });
        const request = reducer.reduce("max", buffer, { type: "i32" });
        device.queue.writeBuffer(buffer, 0, Int32Array.of(1, 2, 3, -4));
        const prepared = await request.prepare();
        check(await prepared.run() === 3, "the first run");
        const made = counted(device, ["createBuffer", "createBindGroup", "createShaderModule", "createComputePipelineAsync"]);
        const runs = [5, 6, 7].map((most) => {
            device.queue.writeBuffer(buffer, 4, Int32Array.of(most));
            return prepared.run();
        });
        check((await Promise.all(runs)).join() === "5,6,7", "runs on their way at once");
        check(await request.run() === 7, "the request itself");
        prepared.destroy();
        prepared.destroy();
        // Each run has a buffer of its own for what comes back.
        check(!made().includes("Bind") || made().includes('["createBindGroup",1]'), made());
        check(!made().includes("Shader") && !made().includes("Pipeline"), made());
        check(await codeOf(prepared.run()) === "InvalidArgument", "a run of what was destroyed");
        device.destroy();
    },
};

const shapes: Test = {
    name: "prepared requests of every shape",
    run: async ({ reducer }) => {
        const values = Int32Array.from({ length: 900 }, (_, place) => place * 37 % 101);
        const whole = reducer.reduce("sum", values);
        const requests = [
            whole, whole.along([30, 30], 0), whole.segments(Uint32Array.of(0, 4, 4, 900)), whole.masked(new Uint8Array(900).fill(1, 7)),
            whole.runs(Int32Array.from(values, (_, place) => place >> 4)), whole.groups(Uint8Array.from(values, (value) => value % 3), 3),
            reducer.bin(values, { low: 0, high: 100, count: 7 }), reducer.pair("dotExact", Float32Array.of(1, 2), Float32Array.of(3, 4)),
            reducer.reduce("topK", values, { k: 3 }), reducer.reduce("median", values).along([30, 30], 1),
        ];
        const shown = (found: unknown) => JSON.stringify(found, (_, value) => typeof value === "bigint" ? `${value}n` : value);
        for (const [number, request] of requests.entries()) {
            const wanted = shown(await request.run());
            const prepared = await request.prepare();
            for (let time = 0; time < 2; time += 1) {
                check(shown(await prepared.run()) === wanted, `request ${number}: ${wanted}`);
            }
            prepared.destroy();
        }
        const all = await reducer.batch(requests).run();
        for (const [number, request] of requests.entries()) {
            check(shown(all[number]) === shown(await request.run()), `request ${number} of a batch: ${shown(all[number])}`);
        }
    },
};

const twoReadings: Test = {
    name: "prepared runs of many keys do not disturb each other",
    run: async (context) => {
        const { device, reducer } = await own(context);
        const length = 60_000;
        const keys = device.createBuffer({ size: 4 * length, usage: 0x8C });
        const values = new Int32Array(length).fill(1);
        const prepared = await reducer.reduce("sum", values).runs({ buffer: keys, type: "u32" }).prepare();
        const runs = [1, 2, 5].map((size) => {
            device.queue.writeBuffer(keys, 0, Uint32Array.from({ length }, (_, place) => Math.floor(place / size)));
            return prepared.run();
        });
        // It ends once they have.
        prepared.destroy();
        for (const [number, { keys, results }] of (await Promise.all(runs)).entries()) {
            const size = [1, 2, 5][number] ?? 1;
            check(keys.length === length / size && keys.at(-1) === keys.length - 1, `${keys.length} runs of ${size}`);
            check(results.every((sum) => sum === BigInt(size)), `sums of ${size}`);
        }
        device.destroy();
    },
};

const faults: Test = {
    name: "a prepared run that fails fails alone, and leaves nothing",
    run: async ({ another, gpu }) => {
        const [device, alive] = await counting(another);
        const reducer = await createReducer(device, { gpu });
        const [values, keys] = [new Int32Array(70_000).fill(1), Uint32Array.from({ length: 70_000 }, (_, place) => place >> 1)];
        const prepared = await reducer.reduce("sum", values).runs(keys).prepare();
        const { createBuffer } = device;
        for (const number of [0, 1, 0]) {
            let made = 0;
            reducer.trim();
            device.createBuffer = (descriptor) => {
                if (made++ === number) {
                    throw new RangeError("no room");
                }
                return createBuffer.call(device, descriptor);
            };
            check(await codeOf(prepared.run()) === "OutOfMemory", `without buffer ${number}`);
            device.createBuffer = createBuffer;
            check((await prepared.run()).results.length === 35_000, `after it had no buffer ${number}`);
        }
        check(await codeOf(prepared.run({ signal: AbortSignal.abort(new ReduceError("Internal", "ended")) })) === "Internal", "a signal");
        prepared.destroy();
        reducer.trim();
        const large = [...alive.values()].filter((size) => size > 1 << 16);
        check(large.length === 0, `${large} bytes are left`);
        const buffer = device.createBuffer({ size: 16, usage: 0x8C });
        buffer.destroy();
        const gone = reducer.reduce("sum", buffer, { type: "f32" });
        check(await codeOf(gone.prepare().then((made) => made.run())) === "Validation", "a buffer that was destroyed");
        device.destroy();
    },
};

const batches: Test = {
    name: "a batch is one submission",
    run: async (context) => {
        const { device, reducer } = await own(context);
        const rows = Array.from({ length: 50 }, (_, row) => Int32Array.from({ length: 20 + row }, (_, place) => place * row));
        const requests = rows.map((row) => reducer.reduce("sum", row));
        const submissions = counted(device.queue, ["submit"]);
        const sums = await reducer.batch(requests).run();
        check(submissions() === '[["submit",1]]', `submissions: ${submissions()}`);
        sums.forEach((sum, row) => {
            const wanted = rows[row]?.reduce((sum, value) => sum + value, 0);
            check(Number(sum) === wanted, `row ${row}: ${sum}, not ${wanted}`);
        });
        const floats = Float32Array.of(1, -2, 4);
        const [most, mean, found] = await reducer.batch([
            reducer.reduce("max", floats), reducer.reduce("mean", floats).along([3, 1], 1), reducer.reduce("argmin", floats),
        ]).run();
        check(most === 4 && mean.join() === "1,-2,4" && found.index === 1, `${most}, ${mean}, ${found.index}`);
        const none = await reducer.batch([]).run();
        check(none.length === 0, "no requests");
        const before = submissions();
        const empty = reducer.reduce("max", new Float32Array(0));
        check(await codeOf(reducer.batch([...requests, empty]).run()) === "Empty", "one that has no result");
        check(submissions() === before, "nothing is submitted then");
        const late = reducer.reduce("max", floats).segments(Uint32Array.of(0, 3, 3));
        check(await codeOf(reducer.batch([late, reducer.reduce("max", floats)]).run()) === "EmptySegment", "one that fails late");
        check(await codeOf(context.reducer.batch([reducer.reduce("max", floats)]).run()) === "InvalidArgument", "another reducer's");
        check(await codeOf(reducer.batch([1 as never]).run()) === "InvalidArgument", "no request");
        device.destroy();
    },
};

export const kept: Test[] = [again, shapes, twoReadings, faults, batches];
