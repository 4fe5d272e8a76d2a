// Sums that disagree: the same numbers in several orders.

import { Orders } from "./pkg/wgpu_reduce_web.js";
import { addCell, addHead, element, explain, inTime, nameCells, say } from "./page.js";

const COUNT = 65536;

// Enough to take longer than a clock of a browser is coarse.
const TIMED_COUNT = 1048576;

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

function showCosts(costs) {
    const [sum, exact, host] = [costs.sum_ms, costs.exact_ms, costs.exact_on_host_ms].map(inTime);
    element("costs").textContent =
        `2^20 numbers that lie on the GPU: sum ${sum}, sum_exact ${exact}, the exact sum on the CPU ${host}. ` +
        "Medians of 11 whole calls.";
}

/** Makes the panel ready, and sums in three orders. */
export async function startOrders(gpu) {
    const buttons = [element("shuffle"), element("time-sums")];
    const orders = new Orders(gpu, COUNT);
    const seen = [];
    const alone = async (work) => {
        buttons.forEach((button) => { button.disabled = true; });
        try {
            await work();
            buttons.forEach((button) => { button.disabled = false; });
        } catch (error) {
            say(explain(error), true);
        }
    };
    const next = async () => {
        const sums = await orders.sums(seen.length);
        show(sums, seen);
        sums.free();
    };
    const time = async () => {
        element("costs").textContent = "Timing…";
        const costs = await orders.costs(TIMED_COUNT);
        showCosts(costs);
        costs.free();
    };
    [next, time].forEach((work, which) => {
        buttons[which].addEventListener("click", async () => {
            await alone(work);
            buttons[which].focus();
        });
    });
    for (let order = 0; order < 3; order += 1) {
        await alone(next);
    }
}
