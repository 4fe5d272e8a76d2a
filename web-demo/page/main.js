// Opens the adapter and hands it to the panels.

import init, { Gpu } from "./pkg/wgpu_reduce_web.js";
import { startLadder } from "./ladder.js";
import { startOrders } from "./orders.js";

const status = document.getElementById("status");

/** Says how things are; aloud, where that is wanted. */
export function say(text, isBad = false) {
    status.textContent = text;
    status.classList.toggle("bad", isBad);
}

/** What an error means to somebody who did nothing wrong. */
export function explain(error) {
    const text = error?.message ?? String(error);
    if (text.includes("device was lost")) {
        return `The GPU was taken away (${text}). Reload the page to try again, with fewer elements.`;
    }
    return text;
}

function showFacts(gpu) {
    const list = document.getElementById("facts");
    for (const [what, much] of gpu.facts()) {
        const [term, description] = [document.createElement("dt"), document.createElement("dd")];
        term.textContent = what;
        description.textContent = much;
        list.append(term, description);
    }
}

async function start() {
    if (!navigator.gpu) {
        const where = window.isSecureContext ? "" : " Pages have it over https or on localhost only.";
        say(`This browser has no WebGPU.${where} Recent versions of Chrome, Edge, Safari and Firefox do.`, true);
        return;
    }
    await init();
    const gpu = await Gpu.open(true);
    showFacts(gpu);
    startLadder(gpu);
    startOrders(gpu);
    say("Ready.");
}

start().catch((error) => say(explain(error), true));
