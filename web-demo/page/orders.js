// Sums that disagree: the same numbers in several orders.

import { Orders, Timing } from "./pkg/wgpu_reduce_web.js";
import {
    addCell, addHead, element, explain, inTime, isLoss, nameCells, nextTask, say, showProgress,
} from "./page.js";

const COUNT = 65536;

// Enough to take longer than a clock of a browser is coarse.
const TIMED_COUNT = 1048576;

let running;

const words = new Uint32Array(1);
const floats = new Float32Array(words.buffer);

/** The bits as eight hexadecimal digits. */
function bitsOf(value) {
    floats[0] = value;
    return words[0].toString(16).padStart(8, "0");
}

/** As few digits as tell it from its neighbours. */
function shortest(value) {
    for (let digits = 1; digits < 9; digits += 1) {
        if (Math.fround(value.toPrecision(digits)) === value) {
            return String(Number(value.toPrecision(digits)));
        }
    }
    return String(Number(value.toPrecision(9)));
}

function addSum(row, value, first) {
    const cell = addCell(row, `${shortest(value)} `);
    const code = document.createElement("code");
    code.textContent = bitsOf(value);
    cell.append(code);
    if (first !== undefined && bitsOf(value) !== first) {
        const mark = document.createElement("span");
        mark.className = "bad";
        mark.textContent = " differs";
        cell.append(mark);
    }
}

function verdict(seen) {
    const counts = ["one by one", "sum", "sum_exact"].map((name, column) => {
        const different = new Set(seen.map((row) => row[column])).size;
        return `${name} ${different}`;
    });
    return `Different results in ${seen.length} orders: ${counts.join(", ")}.`;
}

function show(sums, seen) {
    const values = [sums.naive, sums.sum, sums.exact];
    const row = element("orders").insertRow();
    addHead(row, "row", seen.length === 0 ? "as made" : `shuffled ${seen.length}`);
    values.forEach((value, column) => addSum(row, value, seen[0]?.[column]));
    seen.push(values.map(bitsOf));
    nameCells(row.closest("table"));
    const agrees = bitsOf(sums.exact) === bitsOf(sums.exact_on_host);
    const host = agrees ? " The CPU's exact sum has the same bits." : " The CPU's exact sum differs!";
    element("verdict").textContent = verdict(seen) + host;
}

function textOf(costs) {
    const [sum, exact, host] = [costs.sum_ms, costs.exact_ms, costs.exact_on_host_ms].map(inTime);
    costs.free();
    return `2^20 numbers that lie on the GPU: sum ${sum}, sum_exact ${exact}, the exact sum on the CPU ${host}. ` +
        "Medians of 11 whole calls.";
}

/** Runs all, shows how far it is, and says what came of it. */
async function timed(timing) {
    for (let part = 0; part < 1;) {
        part = await timing.run();
        showProgress(element("sums-progress"), part);
        await nextTask();
        if (running.isCancelled) {
            return "Cancelled.";
        }
    }
    return textOf(timing.costs());
}

async function time(gpu) {
    const timing = new Timing(gpu, TIMED_COUNT);
    let said = "";
    element("costs").textContent = "Timing …";
    try {
        said = await timed(timing);
    } finally {
        timing.free();
        element("costs").textContent = said;
    }
}

/** Switches between what can be started and what can be cancelled, which one more sum in an order is too short for. */
function setRunning(isRunning, isLong) {
    running = isRunning ? { isCancelled: false } : undefined;
    for (const id of ["shuffle", "time-sums"]) {
        element(id).disabled = isRunning;
    }
    element("sums-cancel").disabled = !(isRunning && isLong);
    showProgress(element("sums-progress"), isRunning ? undefined : 1);
}

/** Does some work while no other is started; whether the device is still there. */
async function alone(work, isLong) {
    setRunning(true, isLong);
    try {
        await work();
    } catch (error) {
        say(explain(error), true);
        if (isLoss(error)) {
            element("sums-cancel").disabled = true;
            showProgress(element("sums-progress"), 1);
            return false;
        }
    }
    setRunning(false);
    return true;
}

/** Makes the panel ready, and sums in three orders. */
export async function startOrders(gpu) {
    const orders = new Orders(gpu, COUNT);
    const seen = [];
    const next = async () => {
        const sums = await orders.sums(seen.length);
        show(sums, seen);
        sums.free();
    };
    element("shuffle").addEventListener("click", async () => {
        await alone(next);
        element("shuffle").focus();
    });
    element("time-sums").addEventListener("click", async () => {
        const working = alone(() => time(gpu), true);
        element("sums-cancel").focus();
        await working;
        element("time-sums").focus();
    });
    element("sums-cancel").addEventListener("click", () => { running.isCancelled = true; });
    for (let order = 0; order < 3 && await alone(next); order += 1) { /* The next one. */ }
}
