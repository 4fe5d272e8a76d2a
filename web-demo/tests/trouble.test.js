// What goes wrong: no WebGPU, no adapter, a device that is lost, and somebody who will not wait.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drop, open, rowsOf, shoot, untilSaid, visit } from "./browser.js";
import { npy, png } from "./files.js";

let session;
before(async () => { session = await open(); });
after(() => session.close());

const isBad = (page) => page.locator("#status.bad").waitFor();

test("a browser without WebGPU is told what has it", async () => {
    const noGpu = () => Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined });
    const { page, complaints, leave } = await visit(session, { before: noGpu });
    await untilSaid(page, "This browser has no WebGPU. Recent versions of Chrome");
    await isBad(page);
    // Nothing is offered that would not work.
    assert.equal(await page.getByRole("button").count(), 0);
    await shoot(page, "no-webgpu");
    assert.deepEqual(complaints, []);
    await leave();
});

test("a browser without an adapter is told what to do", async () => {
    const noAdapter = () => { GPU.prototype.requestAdapter = async () => null; };
    const { page, complaints, leave } = await visit(session, { before: noAdapter });
    await untilSaid(page, "no GPU for it. Turn graphics acceleration on");
    await isBad(page);
    assert.deepEqual(complaints, []);
    await leave();
});

/** Has no adapter any more once the page is ready. Runs in the page. */
function refuseLater() {
    const { requestAdapter } = GPU.prototype;
    GPU.prototype.requestAdapter = function refused(...options) {
        if (performance.getEntriesByName("ready").length > 0) {
            globalThis.isRefused = true;
            throw new Error("no more adapters");
        }
        return requestAdapter.apply(this, options);
    };
}

test("a browser that does not describe its adapter has the page all the same", async () => {
    const { page, complaints, leave } = await visit(session, { before: refuseLater });
    await untilSaid(page, "in 3 orders", "verdict");
    assert.ok(await page.evaluate(() => globalThis.isRefused));
    assert.equal(await page.locator("#status").textContent(), "Ready.");
    const facts = (await rowsOf(page, "facts")).map(([what]) => what);
    assert.ok(facts.includes("Subgroups") && !facts.includes("Vendor"), facts.join());
    assert.deepEqual(complaints, []);
    await leave();
});

/** Keeps the devices that a page asks for, so that they can be taken away. */
function keepDevices() {
    const { requestDevice } = GPUAdapter.prototype;
    globalThis.devices = [];
    GPUAdapter.prototype.requestDevice = async function kept(descriptor) {
        const device = await requestDevice.call(this, descriptor);
        globalThis.devices.push(device);
        return device;
    };
}

test("a device that is lost is told, whatever is done next", async () => {
    const { page, leave } = await visit(session, { before: keepDevices });
    await untilSaid(page, "in 3 orders", "verdict");
    await page.getByLabel("Elements").selectOption(String(2 ** 14));
    await page.getByRole("button", { name: "Run all levels" }).click();
    await untilSaid(page, "Running level");
    await page.evaluate(() => globalThis.devices.forEach((device) => device.destroy()));
    await untilSaid(page, "The GPU was taken away");
    await untilSaid(page, "Reload the page");
    await isBad(page);
    // Nothing hangs: the next one is told, too.
    await page.getByRole("button", { name: "Run all levels" }).click();
    await untilSaid(page, "The GPU was taken away");
    await page.getByLabel("Choose a file").setInputFiles({
        name: "some.npy", mimeType: "application/octet-stream", buffer: npy("<f4", [2], [1, 2]),
    });
    await untilSaid(page, "The GPU was taken away", "data-status");
    // What is gone is not saved.
    assert.ok(await page.getByRole("button", { name: "Save as CSV" }).isDisabled());
    await shoot(page, "lost");
    await leave();
});

test("a device that is lost while nobody uses it is told", async () => {
    const { page, complaints, leave } = await visit(session, { before: keepDevices });
    await untilSaid(page, "in 3 orders", "verdict");
    await page.evaluate(() => globalThis.devices.forEach((device) => device.destroy()));
    await untilSaid(page, "The GPU was taken away");
    await untilSaid(page, "Reload the page to try again");
    await isBad(page);
    assert.deepEqual(complaints, []);
    await leave();
});

/** Tells once of memory that there is not, when it is told to. Runs in the page. */
function runOutOfMemory() {
    const { popErrorScope } = GPUDevice.prototype;
    GPUDevice.prototype.popErrorScope = async function full() {
        const isFull = globalThis.isToBeFull;
        globalThis.isToBeFull = false;
        const error = await popErrorScope.call(this);
        return isFull ? new GPUOutOfMemoryError("full") : error;
    };
}

test("a panel whose memory runs out says so, and goes on; after a loss it does not", async () => {
    const before = `(${keepDevices})(); (${runOutOfMemory})();`;
    const { page, complaints, leave } = await visit(session, { before });
    await untilSaid(page, "in 3 orders", "verdict");
    const buttons = ["Sum in another order", "Time them"].map((name) => page.getByRole("button", { name }));
    for (const button of buttons) {
        await page.evaluate(() => {
            document.getElementById("status").textContent = "";
            globalThis.isToBeFull = true;
        });
        await button.click();
        await untilSaid(page, "The GPU has no memory left for this");
        await isBad(page);
        await page.waitForFunction(() => !document.getElementById("shuffle").disabled);
        assert.ok(await button.isEnabled());
    }
    await buttons[0].click();
    await untilSaid(page, "in 4 orders", "verdict");
    await buttons[1].click();
    await untilSaid(page, "Medians of 11", "costs");
    await page.evaluate(() => globalThis.devices.forEach((device) => device.destroy()));
    await untilSaid(page, "The GPU was taken away");
    await buttons[0].click();
    // Nothing comes of it, now or later.
    await untilSaid(page, "Reload the page");
    assert.ok(await buttons[0].isDisabled() && await buttons[1].isDisabled());
    assert.deepEqual(complaints, []);
    await leave();
});

test("timing sums shows how far it is, and is cancelled", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "in 3 orders", "verdict");
    await page.getByRole("button", { name: "Time them" }).press("Enter");
    // The focus has come along.
    await page.waitForFunction(() => document.activeElement.id === "sums-cancel");
    await page.waitForFunction(() => document.getElementById("sums-progress").value > 0);
    await page.keyboard.press("Enter");
    await untilSaid(page, "Cancelled.", "costs");
    assert.equal(await page.evaluate(() => document.activeElement.id), "time-sums");
    assert.ok(await page.locator("#sums-progress").isHidden());
    assert.deepEqual(complaints, []);
    await leave();
});

/** Counts images that are open. Runs in the page. */
function countBitmaps() {
    const [{ createImageBitmap }, { close }] = [globalThis, ImageBitmap.prototype];
    globalThis.bitmaps = { made: 0, open: 0 };
    globalThis.createImageBitmap = async (...given) => {
        const bitmap = await createImageBitmap(...given);
        globalThis.bitmaps.made += 1;
        globalThis.bitmaps.open += 1;
        return bitmap;
    };
    ImageBitmap.prototype.close = function closed() {
        globalThis.bitmaps.open -= 1;
        return close.call(this);
    };
}

test("an image that is cancelled is closed", async () => {
    const { page, complaints, leave } = await visit(session, { before: countBitmaps });
    await untilSaid(page, "in 3 orders", "verdict");
    await page.evaluate(() => {
        const status = document.getElementById("data-status");
        const cancel = document.getElementById("data-cancel");
        new MutationObserver(() => status.textContent.startsWith("Reading") && cancel.click())
            .observe(status, { childList: true });
    });
    await drop(page, "picture.png", png(16, 16, (x, y) => [x * 16, y * 16, 128]));
    await untilSaid(page, "Cancelled.", "data-status");
    assert.deepEqual(await page.evaluate(() => globalThis.bitmaps), { made: 1, open: 0 });
    assert.deepEqual(complaints, []);
    await leave();
});

/** Counts what is handed to the device. */
function countSubmissions() {
    const { submit } = GPUQueue.prototype;
    globalThis.submissions = 0;
    GPUQueue.prototype.submit = function counted(commands) {
        globalThis.submissions += 1;
        return submit.call(this, commands);
    };
}

test("a run is cancelled, and another one is not", async () => {
    const { page, complaints, leave } = await visit(session, { before: countSubmissions });
    await untilSaid(page, "in 3 orders", "verdict");
    await page.getByLabel("Elements").selectOption(String(2 ** 20));
    await page.getByRole("button", { name: "Run all levels" }).focus();
    await page.keyboard.press("Enter");
    await untilSaid(page, "Running level 1 ");
    // The focus has come along.
    assert.equal(await page.evaluate(() => document.activeElement.id), "cancel");
    await page.evaluate(() => {
        document.getElementById("cancel").addEventListener("click", () => { globalThis.submissions = 0; });
    });
    await page.keyboard.press("Enter");
    await untilSaid(page, "Cancelled.");
    // The one that is on its way is the last.
    assert.equal(await page.evaluate(() => globalThis.submissions), 0);
    assert.equal(await page.evaluate(() => document.activeElement.id), "run");
    const answers = (await rowsOf(page, "levels")).map((row) => row.at(-1));
    assert.ok(answers.filter((answer) => answer === "").length > 10, "nothing was left out");
    await page.getByLabel("Elements").selectOption(String(2 ** 12));
    await page.getByRole("button", { name: "Run all levels" }).click();
    await untilSaid(page, "answers, all right");
    assert.deepEqual(complaints, []);
    await leave();
});

test("a file is cancelled", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "in 3 orders", "verdict");
    const many = 400 << 20;
    await drop(page, "large.npy", npy("|u1", [many], []), many);
    await page.locator("#data-cancel").click();
    await untilSaid(page, "Cancelled.", "data-status");
    assert.ok(await page.getByLabel("Choose a file").isEnabled());
    assert.deepEqual(complaints, []);
    await leave();
});
