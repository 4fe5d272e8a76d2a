// Opens the adapter and hands it to the panels.

import init, { Gpu } from "./pkg/wgpu_reduce_web.js";
import { startCourse } from "./course.js";
import { startData } from "./data.js";
import { isFirstVisit, showAround } from "./first.js";
import { hasRun, startLadder } from "./ladder.js";
import { startOrders } from "./orders.js";
import { addCell, addHead, element, explain, nameCells, say } from "./page.js";
import { placeAsked } from "./place.js";

/** Whether there is something to use. */
let isReady = false;

/** What the browser tells of its adapter, in its own words. */
async function describeAdapter() {
    const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
    const { vendor, architecture, device, description } = adapter?.info ?? {};
    return [["Vendor", vendor], ["Architecture", architecture], ["Device", device], ["Description", description]]
        .filter(([, text]) => text).map(([what, text]) => [what, text, "–"]);
}

/** Adds rows to the facts; `at` is the first one's place, or -1 for the end. */
function showFacts(facts, at = -1) {
    facts.forEach(([what, has, used], index) => {
        const row = element("facts").insertRow(at < 0 ? at : at + index);
        addHead(row, "row", what);
        addCell(row, has);
        addCell(row, used);
    });
    nameCells(element("facts").closest("table"));
}

/** Whether somebody has touched the page. */
let isInUse = false;
for (const kind of ["pointerdown", "keydown"]) {
    addEventListener(kind, () => { isInUse = true; }, { once: true });
}

async function start() {
    if (!navigator.gpu) {
        const where = window.isSecureContext ? "" : " Pages have it over https or on localhost only.";
        throw new Error(`This browser has no WebGPU.${where} Recent versions of Chrome, Edge, Safari and Firefox do.`);
    }
    await init();
    // `?subgroups=no` shows what becomes of a device without them.
    const wantsSubgroups = new URLSearchParams(location.search).get("subgroups") !== "no";
    const gpu = await Gpu.open(wantsSubgroups);
    // Also if nobody is at work then.
    gpu.lost().then((text) => say(explain(text), true));
    showFacts(gpu.facts());
    const run = startLadder(gpu);
    startData(gpu);
    isReady = true;
    performance.mark("ready");
    say("Ready.");
    // Without these facts the page is as good.
    describeAdapter().then((facts) => showFacts(facts, 0), () => undefined);
    await startCourse();
    await startOrders(gpu);
    // Whoever follows a link is shown what it says, and whoever has begun is left alone.
    if (!placeAsked() && !isInUse && !hasRun() && isFirstVisit()) {
        await showAround(run);
    }
}

start().catch((error) => {
    say(explain(error), true);
    document.body.classList.toggle("off", !isReady);
});
