// The tests of a runtime: the same in all of them.

import { createReducer, type Reducer } from "../dist/index.js";
import { calls } from "./calls.js";
import { failures } from "./failures.js";
import { inputs } from "./inputs.js";
import { kept } from "./kept.js";
import { properties } from "./properties.js";
import { statistics } from "./statistics.js";

/** What runs the tests. */
export interface Host {
    /** The runtime's name, as the table has it. */
    name: string;
    gpu: GPU;
    /** How much of operations × types × shapes is tried. Some compilers are quick, and others take seconds for a shader. */
    extent: "all" | "most" | "least" | "few";
    /** Whether shaders may use subgroups, where there are any. */
    withSubgroups: boolean;
    /** The bits of the exact sum of the page's numbers, as every device has them. */
    exactBits: string;
    /** What tests/data/numpy_results.txt has. */
    numpyResults: string;
    /** Tests that this runtime fails, and why. One that passes all the same is a failure. */
    expectedFailures: Record<string, string>;
}

/** What tests use. */
export interface Context extends Host {
    device: GPUDevice;
    reducer: Reducer;
    /** A device of its own, for tests that lose it. */
    another(): Promise<GPUDevice>;
}

export interface Test {
    name: string;
    run(context: Context): Promise<void>;
}

export interface Outcome {
    name: string;
    milliseconds: number;
    /** Why it failed. */
    error?: string;
}

export interface Report {
    adapter: string;
    hasSubgroups: boolean;
    outcomes: Outcome[];
}

let planner: WebAssembly.Memory | undefined;

/** Bytes of the memory of the planner's module. */
export function wasmBytes(): number {
    return planner?.buffer.byteLength ?? 0;
}

/** Notes the memory of the module that is loaded first. */
function watch(): void {
    const host = WebAssembly as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    for (const name of ["instantiate", "instantiateStreaming"]) {
        const made = host[name];
        host[name] = async (...given) => {
            const result = await made?.apply(WebAssembly, given);
            const { exports } = (result as { instance?: WebAssembly.Instance }).instance ?? result as WebAssembly.Instance;
            planner ??= exports["memory"] as WebAssembly.Memory;
            return result;
        };
    }
}
watch();

/** What a buffer holds. */
export async function read({ device }: Context, buffer: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
    const host = device.createBuffer({ size: bytes, usage: 0x1 | 0x8 });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, host, 0, bytes);
    device.queue.submit([encoder.finish()]);
    await host.mapAsync(1);
    const found = host.getMappedRange().slice(0);
    host.destroy();
    return found;
}

/** Fails with a text unless something holds. */
export function check(holds: boolean, text: string): asserts holds {
    if (!holds) {
        throw new Error(text);
    }
}

/** Runs all tests. */
export async function run(host: Host): Promise<Report> {
    const device = await open(host);
    const uncaught: string[] = [];
    device.onuncapturederror = ({ error }) => { uncaught.push(error.message); };
    const shaders: string[] = [];
    const { createShaderModule } = device;
    device.createShaderModule = (described) => {
        shaders.push(described.code);
        return createShaderModule.call(device, described);
    };
    const reducer = await createReducer(device, { gpu: host.gpu });
    const context = { ...host, device, reducer, another: () => open(host) };
    const outcomes: Outcome[] = [];
    const nothingUncaught: Test = {
        name: "no error reaches the caller's handler",
        run: async () => {
            await device.queue.onSubmittedWorkDone();
            check(uncaught.length === 0, uncaught.join("; "));
        },
    };
    const tests = [
        expectations, ...properties(host.extent), ...statistics(host.extent), ...inputs, ...calls, ...kept, ...failures, nothingUncaught,
    ];
    for (const test of tests) {
        outcomes.push(await outcome(test, context));
    }
    outcomes.push(...unknown(host.expectedFailures, tests));
    const { vendor, architecture, description } = device.adapterInfo;
    const adapter = [vendor, architecture, description].filter(Boolean).join(" ");
    const report = { adapter, hasSubgroups: shaders.some((text) => text.includes("enable subgroups")), outcomes };
    device.destroy();
    return report;
}

/** A failure for each expectation that no test has the name of. */
function unknown(expected: Host["expectedFailures"], tests: Test[]): Outcome[] {
    const names = Object.keys(expected).filter((name) => tests.every((test) => test.name !== name));
    return names.map((name) => ({ name, milliseconds: 0, error: "is expected to fail, and no test has this name" }));
}

const expectations: Test = {
    name: "an expected failure fails, and has a test",
    run: async (context) => {
        const [passes, fails]: [Test, Test] = [
            { name: "passes", run: async () => undefined },
            { name: "fails", run: async () => { throw new Error("it fails"); } },
        ];
        const errorOf = async (test: Test, expectedFailures: Host["expectedFailures"]) => {
            return (await outcome(test, { ...context, expectedFailures })).error;
        };
        check(await errorOf(passes, {}) === undefined, "a test that passes");
        check(await errorOf(fails, {}) === "Error: it fails", "a test that fails");
        check(await errorOf(passes, { passes: "a reason" }) === "passes, and was to fail: a reason", "an expected failure that passes");
        check(await errorOf(fails, { fails: "a reason" }) === undefined, "an expected failure that fails");
        const [told, ...others] = unknown({ fails: "a reason", gone: "a reason" }, [passes, fails]);
        check(told?.name === "gone" && told.error !== undefined && others.length === 0, "a name that no test has");
    },
};

async function outcome({ name, run }: Test, context: Context): Promise<Outcome> {
    const begun = performance.now();
    const reason = context.expectedFailures[name];
    let error: string | undefined;
    try {
        await run(context);
        error = reason && `passes, and was to fail: ${reason}`;
    } catch (thrown) {
        const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
        error = reason ? undefined : text;
    }
    const milliseconds = Math.round(performance.now() - begun);
    return error ? { name, milliseconds, error } : { name, milliseconds };
}

async function open({ gpu, withSubgroups }: Host): Promise<GPUDevice> {
    const adapter = await gpu.requestAdapter();
    check(adapter !== null, "there is no adapter");
    const requiredFeatures: GPUFeatureName[] = withSubgroups && adapter.features.has("subgroups") ? ["subgroups"] : [];
    return adapter.requestDevice({ requiredFeatures });
}
