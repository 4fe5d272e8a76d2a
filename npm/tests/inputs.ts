// What requests take: arrays of every kind, and more pipelines than are kept.

import { createReducer, type HalfArray } from "../dist/index.js";
import { takes } from "./oracle.js";
import { OPERATIONS } from "./properties.js";
import { check, type Test } from "./suite.js";
import { arrayOf, TYPES, valuesOf } from "./values.js";

/** An array that shares its memory where others copy theirs, as Node's `Buffer` does. */
class Sharing extends Uint8Array {
    override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
        return this.subarray(start, end) as Uint8Array<ArrayBuffer>;
    }
}

const shared: Test = {
    name: "an array whose class shares memory is reduced as it was when the call was made",
    run: async ({ reducer }) => {
        const { Buffer } = globalThis as { Buffer?: { from(values: number[]): Uint8Array } };
        const all = [Sharing.from([9, 1, 2, 3]).subarray(1), Buffer?.from([9, 1, 2, 3]).subarray(1)];
        for (const array of all.filter((each) => each !== undefined)) {
            const sum = reducer.sum(array);
            const rows = reducer.reduce("max", array).along([3, 1], 1).run();
            array.fill(100);
            check(await sum === 6n, `the sum is ${await sum}`);
            check((await rows).join() === "1,2,3", `the rows are ${await rows}`);
        }
    },
};

const halves: Test = {
    name: "arrays of half floats, where the runtime has them",
    run: async ({ reducer }) => {
        const { Float16Array } = globalThis as { Float16Array?: { of(...values: number[]): HalfArray } };
        if (!Float16Array) {
            console.log("NOT COVERED: Float16Array, which this runtime lacks");
            return;
        }
        const array = Float16Array.of(0.5, -2, 7.5);
        const [sum, found]: [number, { index: number; value: number }] = [await reducer.sum(array), await reducer.argmin(array)];
        check(sum === 6 && found.index === 1 && found.value === -2, `${sum}, ${found.index}, ${found.value}`);
        check((await reducer.reduce("max", array).segments(Uint32Array.of(0, 2, 3)).run()).join() === "0.5,7.5", "segments");
    },
};

const forgotten: Test = {
    name: "a pipeline runs after plans of more than are kept",
    run: async ({ another, gpu }) => {
        const device = await another();
        const reducer = await createReducer(device, { gpu });
        const sum = reducer.reduce("sum", Int32Array.of(1, 2, 4));
        const prepared = await sum.prepare();
        check(await sum.run() === 7n, "a sum before it");
        const labels = new Set<string>();
        for (const type of TYPES) {
            const { length, array } = { length: 600, array: arrayOf(valuesOf(type, 600, 1)) as Float32Array };
            const source = type === "f16" || type === "bf16" ? { array: array as never, type } as never : array;
            for (const operation of OPERATIONS.filter((each) => takes(each, type))) {
                const whole = reducer.reduce(operation as "sum", source as Float32Array);
                const requests = [whole, whole.along([20, length / 20], 0), whole.along([20, length / 20], 1), whole.masked(new Uint8Array(length))];
                for (const request of [...requests, whole.segments(Uint32Array.of(0, length))]) {
                    request.plan().passes.forEach(({ label }) => labels.add(label));
                }
            }
        }
        check(labels.size > 512, `${labels.size} pipelines are no more than are kept`);
        check(await sum.run() === 7n, "a sum after it");
        check(await prepared.run() === 7n, "a prepared sum after it");
        prepared.destroy();
        device.destroy();
    },
};

export const inputs: Test[] = [shared, halves, forgotten];
