// What adapters may be like: without subgroups, refusing them, changed by others, promising what they do not keep.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { committed, drop, open, prove, rowsOf, untilSaid, visit } from "./browser.js";
import { npy } from "./files.js";

let session;
before(async () => { session = await open(); });
after(() => session.close());

/** Lets `change` see each adapter before the page does, and what it has. Runs in the page. */
function changeAdapters() {
    const { requestAdapter } = GPU.prototype;
    GPU.prototype.requestAdapter = async function changed(options) {
        const adapter = await requestAdapter.call(this, options);
        globalThis.change(adapter);
        return adapter;
    };
}

/** What makes such adapters. */
function withAdapters(change) {
    return `globalThis.change = ${change}; (${changeAdapters})();`;
}

/** The page with such adapters. */
function visitWith(change) {
    return visit(session, { before: withAdapters(change) });
}

function listNoSubgroups(adapter) {
    const features = new Set(adapter.features);
    features.delete("subgroups");
    Object.defineProperty(adapter, "features", { value: features });
}

function refuseSubgroups(adapter) {
    const { requestDevice } = adapter;
    adapter.requestDevice = async function refusing(descriptor) {
        if ([...descriptor?.requiredFeatures ?? []].includes("subgroups")) {
            throw new TypeError("no subgroups after all");
        }
        return requestDevice.call(this, descriptor);
    };
}

function freeze(adapter) {
    Object.freeze(adapter);
}

/** A language that has subgroups and not their numbers, as Chrome's had from 134 to 143. Runs in the page. */
function languageWithoutIds() {
    const features = new Set(navigator.gpu.wgslLanguageFeatures);
    if (!features.delete("subgroup_id")) {
        throw new Error("this browser has no subgroup_id to be without");
    }
    Object.defineProperty(GPU.prototype, "wgslLanguageFeatures", { value: features });
}

const without = [listNoSubgroups, refuseSubgroups, freeze].map((change) => [change.name, withAdapters(change)]);
without.push([languageWithoutIds.name, languageWithoutIds]);
for (const [name, before] of without) {
    test(`a browser that comes without subgroups is used without: ${name}`, async () => {
        const { page, complaints, leave } = await visit(session, { before });
        await untilSaid(page, "in 3 orders", "verdict");
        const facts = Object.fromEntries((await rowsOf(page, "facts")).map(([what, ...rest]) => [what, rest]));
        assert.deepEqual(facts.Subgroups, ["no", "no; workgroup memory instead"]);
        await page.getByLabel("Elements").selectOption(String(2 ** 12));
        await page.getByRole("button", { name: "Run all levels" }).click();
        await untilSaid(page, "Done: 10 answers, all right; 7 levels need subgroups");
        assert.match(await page.locator("#verdict").textContent(), /sum_exact 1\. The CPU's exact sum has the same/);
        assert.deepEqual(complaints, []);
        await leave();
    });
}

/** Somebody else, an extension of the browser say, has methods of their own there. Runs in the page. */
function ownMethods() {
    const descriptors = [
        { writable: true, enumerable: false, configurable: true },
        { writable: false, enumerable: true, configurable: true },
    ];
    globalThis.owned = [];
    const own = (object, name, descriptor) => {
        const method = object[name];
        const value = function owned(...given) { return method.apply(this, given); };
        Object.defineProperty(object, name, { value, ...descriptor });
        globalThis.owned.push([object, name, Object.getOwnPropertyDescriptor(object, name)]);
    };
    own(navigator.gpu, "requestAdapter", descriptors[0]);
    const { requestAdapter } = navigator.gpu;
    Object.defineProperty(navigator.gpu, "requestAdapter", {
        value: async (options) => {
            const adapter = await requestAdapter.call(navigator.gpu, options);
            own(adapter, "requestDevice", descriptors[1]);
            return adapter;
        },
        ...descriptors[0],
    });
    globalThis.owned[0][2] = Object.getOwnPropertyDescriptor(navigator.gpu, "requestAdapter");
}

test("what others have put in the place of the browser's methods is left as it was", async () => {
    const { page, complaints, leave } = await visit(session, { before: ownMethods });
    await untilSaid(page, "in 3 orders", "verdict");
    const facts = Object.fromEntries((await rowsOf(page, "facts")).map(([what, ...rest]) => [what, rest]));
    assert.equal(facts.Subgroups[1], "yes");
    const changed = await page.evaluate(() => globalThis.owned.filter(([object, name, before]) => {
        const now = Object.getOwnPropertyDescriptor(object, name) ?? {};
        return Object.keys(before).some((key) => before[key] !== now[key]);
    }).map(([, name]) => name));
    assert.deepEqual(changed, []);
    assert.ok(await page.evaluate(() => globalThis.owned.length) >= 2, "an adapter was asked for through it");
    assert.deepEqual(complaints, []);
    await leave();
});

test("the browser's methods are as they were", async () => {
    const { page, leave } = await visit(session);
    await untilSaid(page, "Ready.");
    assert.equal(await page.evaluate(() => Object.hasOwn(navigator.gpu, "requestAdapter")), false);
    await leave();
});

/** Says that buffers may be larger than the device grants. Runs in the page. */
function boast() {
    const { requestDevice } = GPUAdapter.prototype;
    GPUAdapter.prototype.requestDevice = async function boasting(descriptor) {
        const device = await requestDevice.call(this, descriptor);
        const limits = {};
        for (const name in device.limits) {
            limits[name] = device.limits[name];
        }
        Object.defineProperty(device, "limits", { value: { ...limits, maxBufferSize: 2 ** 36 } });
        return device;
    };
}

test("what the browser tells late of an allocation is told by what is asked for next, and once", async () => {
    const before = `(${boast})();`;
    const { page, complaints, leave } = await visit(session, { before });
    await untilSaid(page, "Ready.");
    const [first, second, third] = await page.evaluate(async () => {
        const { Gpu, Ladder } = await import("./pkg/wgpu_reduce_web.js");
        const gpu = await Gpu.open(true);
        const outcomeOf = async (count) => {
            // 16 GiB, of which the browser knows better than the limits say; the call has returned before it says so.
            const ladder = new Ladder(gpu, "i32", count);
            while (count < 2 ** 20 && ladder.fill() < 1) { /* All of it. */ }
            return ladder.run(0, 256).then((run) => String(run?.is_right), (error) => error.message);
        };
        const outcomes = [await outcomeOf(2 ** 32 - 1)];
        return [...outcomes, await outcomeOf(2 ** 12), await outcomeOf(2 ** 12)];
    });
    assert.match(first, /size.*exceeds|out of memory/i);
    assert.deepEqual([second, third], ["true", "true"]);
    assert.deepEqual(complaints, []);
    await leave();
});

/** Breaks the next thing that is made by such a method of devices, when it is told to. Runs in the page. */
function breakNext() {
    for (const [name, broken] of Object.entries({
        createComputePipeline: ({ compute, ...rest }) => ({ ...rest, compute: { ...compute, entryPoint: "nowhere" } }),
        createBindGroupLayout: ({ entries, ...rest }) => ({ ...rest, entries: [...entries, entries[0]] }),
        createShaderModule: ({ code, ...rest }) => {
            return { ...rest, code: code.split("\n").with(2, "nonsense").join("\n") };
        },
    })) {
        const method = GPUDevice.prototype[name];
        GPUDevice.prototype[name] = function breaking(descriptor) {
            const isBroken = globalThis.toBreak === name;
            globalThis.toBreak = isBroken ? undefined : globalThis.toBreak;
            return method.call(this, isBroken ? broken(descriptor) : descriptor);
        };
    }
}

for (const [name, told] of [
    ["createComputePipeline", /^shader rejected at .*nowhere/s],
    ["createBindGroupLayout", /binding/],
    // With file and line, though both come late.
    ["createShaderModule", /^shader rejected at shaders\/ladder\/\w+\.wgsl:3: .+$/],
]) {
    test(`what turns out not to be there is told, and the next call makes it: ${name}`, async () => {
        const { page, complaints, leave } = await visit(session, { before: `(${breakNext})();` });
        await untilSaid(page, "in 3 orders", "verdict");
        const outcomes = await page.evaluate(async (name) => {
            const { Gpu, Ladder } = await import("./pkg/wgpu_reduce_web.js");
            const ladder = new Ladder(await Gpu.open(true), "i32", 2 ** 12);
            while (ladder.fill() < 1) { /* All of it. */ }
            const outcome = () => ladder.run(9, 64).then((run) => String(run?.is_right), (error) => error.message);
            globalThis.toBreak = name;
            return [await outcome(), globalThis.toBreak, await outcome()];
        }, name);
        assert.match(outcomes[0], told);
        assert.deepEqual(outcomes.slice(1), [undefined, "true"]);
        assert.deepEqual(complaints, []);
        await leave();
    });
}

/** The host has no room for a buffer that is mapped from the beginning. Runs in the page. */
function mapNothingAtOnce() {
    const { createBuffer } = GPUDevice.prototype;
    GPUDevice.prototype.createBuffer = function refusing(descriptor) {
        if (descriptor.mappedAtCreation) {
            throw new RangeError("no room");
        }
        return createBuffer.call(this, descriptor);
    };
}

test("nothing is mapped at once, for which a browser throws where there is no room", async () => {
    const { page, complaints, leave } = await visit(session, { before: `(${mapNothingAtOnce})();` });
    await untilSaid(page, "in 3 orders", "verdict");
    const few = committed.split("\n").filter((line) => line.startsWith("Uniform")).slice(0, 5).join("\n");
    assert.deepEqual(await prove(page, "prove", few), [""]);
    await drop(page, "numbers.npy", npy("<f4", [4], [1, 2, 3, 4]));
    await untilSaid(page, "numbers.npy: f32", "data-status");
    assert.deepEqual(complaints, []);
    await leave();
});

function listNoTimestamps(adapter) {
    const features = new Set(adapter.features);
    features.delete("timestamp-query");
    Object.defineProperty(adapter, "features", { value: features });
}

/** As it is. */
function change() {}

for (const adapters of [listNoTimestamps, change]) {
    test(`the page says by which clock it has timed, and how coarse it is: ${adapters.name}`, async () => {
        const { page, complaints, leave } = await visitWith(adapters);
        await untilSaid(page, "in 3 orders", "verdict");
        const facts = Object.fromEntries((await rowsOf(page, "facts")).map(([what, ...rest]) => [what, rest]));
        const has = facts.Timestamps[0] === "yes";
        assert.ok(!(has && adapters === listNoTimestamps));
        // The clock is looked at once somebody asks.
        assert.equal(await page.locator("#clock").textContent(), "");
        await page.getByText("How times are taken").click();
        await untilSaid(page, "A submission sums", "clock");
        const note = await page.locator("#clock").textContent();
        assert.match(note, has ? /“GPU” means the GPU's timestamps, which browsers round to 0\.1 ms/ : /has no timestamps/);
        assert.match(note, /“page” means the page's clock, in steps of [\d.]+ (µs|ms) here/);
        assert.ok(note.split(/(?<=[.]) /).every((sentence) => sentence.split(" ").length <= 25), note);
        await page.getByLabel("Elements").selectOption(String(2 ** 12));
        await page.getByRole("button", { name: "Run all levels" }).click();
        await untilSaid(page, "Done: ");
        const clocks = new Set((await rowsOf(page, "levels")).map((row) => row[3]));
        console.log(`timestamps: ${has}; timed by ${[...clocks]}`);
        assert.ok(clocks.size === 1 && (clocks.has("page") || (has && clocks.has("GPU"))), [...clocks].join());
        assert.deepEqual(complaints, []);
        await leave();
    });
}
