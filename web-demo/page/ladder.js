// The ladder: all levels, one after the other.

import { Ladder, levels } from "./pkg/wgpu_reduce_web.js";
import { explain, say } from "./main.js";

const [FEWEST, USUAL, MOST] = [10, 24, 27];

const element = (id) => document.getElementById(id);

let isCancelled = false;

function option(value, text, isChosen) {
    return new Option(text, value, isChosen, isChosen);
}

function offerSizes(gpu) {
    const most = Math.min(MOST, Math.floor(Math.log2(gpu.most_elements())));
    for (let power = FEWEST; power <= most; power += 1) {
        element("elements").append(option(2 ** power, `2^${power}`, power === Math.min(USUAL, most)));
    }
    for (let size = 32; size <= gpu.most_invocations(); size *= 2) {
        element("workgroup").append(option(size, size, size === 256));
    }
}

function showLevel(level) {
    element("level-title").textContent = `${level.number} ${level.name}`;
    element("level-description").textContent = level.description;
    element("level-fixes").textContent = level.fixes ? `It fixes ${level.fixes}` : "";
    element("level-wgsl").textContent = level.wgsl;
    element("level").hidden = false;
}

function cell(row, text = "") {
    const data = row.insertCell();
    data.textContent = text;
    return data;
}

function makeRow(level) {
    const row = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${String(level.number).padStart(2, "0")} ${level.name}`;
    button.addEventListener("click", () => showLevel(level));
    head.append(button);
    row.append(head);
    const rate = document.createElement("div");
    rate.className = "rate";
    const bar = document.createElement("div");
    bar.className = "bar";
    const figure = document.createElement("span");
    rate.append(bar, figure);
    cell(row).append(rate);
    const cells = Array.from({ length: 5 }, () => cell(row));
    return { row, level, bar, figure, cells, rate: 0 };
}

function showRows() {
    const rows = [...levels(element("type").value)].map(makeRow);
    element("levels").replaceChildren(...rows.map(({ row }) => row));
    return rows;
}

const inTime = (ms) => (ms < 1 ? `${(ms * 1000).toFixed(1)} µs` : `${ms.toFixed(2)} ms`);

function showRun(entry, run, rows) {
    entry.rate = (run.elements * 4) / (run.ms * 1e6);
    const slowest = rows[0].rate || entry.rate;
    entry.figure.textContent = entry.rate.toPrecision(3);
    const [time, gpuTime, passes, speedUp, answer] = entry.cells;
    time.textContent = inTime(run.ms);
    gpuTime.textContent = run.gpu_ms === undefined ? "–" : inTime(run.gpu_ms);
    passes.textContent = run.passes;
    speedUp.textContent = `${(entry.rate / slowest).toPrecision(3)} ×`;
    answer.textContent = run.is_right ? "right" : `wrong: ${run.sum} is not ${run.expected}`;
    answer.className = run.is_right ? "good" : "bad";
    if (entry.level.number === 0) {
        time.title = `of the first ${run.elements} elements`;
    }
    const fastest = Math.max(...rows.map(({ rate }) => rate));
    for (const { bar, rate } of rows) {
        bar.style.transform = `scaleX(${rate / fastest})`;
    }
}

async function runAll(gpu) {
    const rows = showRows();
    const type = element("type").value;
    const ladder = new Ladder(gpu, type, Number(element("elements").value));
    let wrong = 0;
    try {
        for (const entry of rows) {
            if (isCancelled) {
                return "Cancelled.";
            }
            say(`Running level ${entry.level.number} of ${rows.length - 1}, ${entry.level.name} …`);
            try {
                const run = await ladder.run(entry.level.number, Number(element("workgroup").value));
                showRun(entry, run, rows);
                wrong += run.is_right ? 0 : 1;
                run.free();
            } catch (error) {
                if (!explain(error).includes("does not support")) {
                    throw error;
                }
                entry.cells[4].textContent = "needs subgroups";
            }
        }
    } finally {
        ladder.free();
    }
    return wrong ? `Done: ${wrong} levels are wrong.` : "Done: every answer is right.";
}

/** Makes the panel ready. */
export function startLadder(gpu) {
    offerSizes(gpu);
    showRows();
    element("type").addEventListener("change", showRows);
    element("cancel").addEventListener("click", () => { isCancelled = true; });
    element("ladder-fields").disabled = false;
    element("ladder-form").addEventListener("submit", async (event) => {
        event.preventDefault();
        isCancelled = false;
        element("ladder-fields").disabled = true;
        element("cancel").disabled = false;
        try {
            say(await runAll(gpu));
        } catch (error) {
            say(explain(error), true);
        }
        element("cancel").disabled = true;
        element("ladder-fields").disabled = false;
    });
}
