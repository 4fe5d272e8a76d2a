// The ladder: all levels, one after the other.

import { Ladder, levels } from "./pkg/wgpu_reduce_web.js";
import { startExport } from "./export.js";
import { addCell, addHead, element, explain, inTime, nextTask, say, showProgress } from "./page.js";
import { showWgsl } from "./wgsl.js";

const [FEWEST, USUAL, MOST] = [10, 24, 27];

/**
 * Chromium rounds timestamps to 0.1 ms; times shorter than ten such steps are left to the page's clock, and so are those
 * that are longer than the call that they are a part of, which software reports.
 */
const LEAST_GPU_MS = 1;

let running;

function offerSizes(gpu) {
    const most = Math.min(MOST, Math.floor(Math.log2(gpu.most_elements())));
    const option = (text, value, isChosen) => new Option(text, value, isChosen, isChosen);
    for (let power = FEWEST; power <= most; power += 1) {
        element("elements").append(option(`2^${power}`, 2 ** power, power === Math.min(USUAL, most)));
    }
    for (let size = 32; size <= gpu.most_invocations(); size *= 2) {
        element("workgroup").append(option(size, size, size === 256));
    }
}

function explainClocks(gpu) {
    const calls = "“page” is the page's clock over up to 64 sums in a row, the quickest of three rounds, "
        + "and so has the browser's own work in it.";
    const timestamps = "“GPU” is the shortest by the GPU's timestamps, which Chromium rounds to 0.1 ms; it is used "
        + "where that is 1 ms or more, and no longer than by the page's clock. ";
    const none = "This browser has no timestamps. ";
    element("clock").textContent = (gpu.has_timestamps() ? timestamps : none) + calls
        + " Level 0 sums the first 2^20 elements at most. There is no speed-up over it by another clock.";
}

const titleOf = (level) => `${String(level.number).padStart(2, "0")} ${level.name}`;

function showLevel(level) {
    element("level-title").textContent = titleOf(level);
    element("level-description").textContent = level.description;
    element("level-fixes").textContent = level.fixes ? `It fixes ${level.fixes}.` : "";
    showWgsl(element("level-wgsl"), level.wgsl);
    element("level").hidden = false;
    // Readers and keyboards go on where the shader is.
    element("level-title").focus();
}

function makeRow(level) {
    const row = document.createElement("tr");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = titleOf(level);
    button.addEventListener("click", () => showLevel(level));
    addHead(row, "row", button);
    const rate = document.createElement("div");
    rate.className = "rate";
    const bar = document.createElement("div");
    bar.className = "bar";
    const figure = document.createElement("span");
    rate.append(bar, figure);
    addCell(row).append(rate);
    const kinds = ["number", "", "number", "number", ""];
    const cells = kinds.map((kind) => addCell(row, "", kind));
    return { row, level, bar, figure, cells };
}

/** Rows without figures, which nobody can save, for elements of the type that is chosen. */
function showRows() {
    const rows = [...levels(element("type").value)].map(makeRow);
    element("levels").replaceChildren(...rows.map(({ row }) => row));
    startExport("", "", []);
    return rows;
}

/** What is told of a run: on the page, and in what is saved of it. */
function figuresOf(run, level, first) {
    const isByGpu = run.gpu_ms >= LEAST_GPU_MS && run.gpu_ms <= run.ms;
    const [clock, ms] = isByGpu ? ["GPU", run.gpu_ms] : ["page", run.ms];
    const rate = (run.elements * 4) / (ms * 1e6);
    return {
        number: level.number,
        name: level.name,
        elements: run.elements,
        rate,
        ms,
        clock,
        passes: run.passes,
        // Of two clocks no ratio is told.
        speedUp: first && first.clock !== clock ? undefined : rate / (first?.rate ?? rate),
        isRight: run.is_right,
        answer: run.is_right ? "right" : `wrong: ${run.sum} is not ${run.expected}`,
    };
}

function showRun(entry, figures, rows) {
    entry.figures = figures;
    entry.figure.textContent = figures.rate.toPrecision(3);
    const [time, clock, passes, speedUp, answer] = entry.cells;
    time.textContent = inTime(figures.ms);
    clock.textContent = figures.clock;
    passes.textContent = figures.passes;
    speedUp.textContent = figures.speedUp === undefined ? "–" : `${figures.speedUp.toPrecision(3)} ×`;
    answer.textContent = figures.answer;
    answer.classList.add(figures.isRight ? "good" : "bad");
    const fastest = Math.max(...rows.map((row) => row.figures?.rate ?? 0));
    for (const { bar, figures: others } of rows) {
        bar.style.transform = `scaleX(${(others?.rate ?? 0) / fastest})`;
    }
}

/** Makes the elements, piece by piece. */
async function fill(ladder) {
    for (let part = 0; part < 1 && !running.isCancelled;) {
        part = ladder.fill();
        say(`Making the elements … ${Math.round(part * 100)} %`);
        await nextTask();
    }
}

async function runLevels(ladder, rows, hasSubgroups) {
    const size = Number(element("workgroup").value);
    for (const entry of rows) {
        const { number, name } = entry.level;
        say(`Running level ${number} of ${rows.length - 1}, ${name} …`);
        showProgress(element("ladder-progress"), number / rows.length);
        await nextTask();
        if (entry.level.subgroups && !hasSubgroups) {
            entry.cells[4].textContent = "needs subgroups";
            continue;
        }
        const run = running.isCancelled ? undefined : await ladder.run(number, size);
        if (run === undefined) {
            return "Cancelled.";
        }
        showRun(entry, figuresOf(run, entry.level, rows[0].figures), rows);
        run.free();
    }
    const ran = rows.filter(({ figures }) => figures);
    const wrong = ran.filter(({ figures }) => !figures.isRight).length;
    const left = rows.length - ran.length;
    const others = left ? `; ${left} levels need subgroups, and did not run.` : ".";
    return wrong ? `Done: ${wrong} levels are wrong.` : `Done: ${ran.length} answers, all right${others}`;
}

async function runAll(gpu) {
    const rows = showRows();
    const ladder = new Ladder(gpu, element("type").value, Number(element("elements").value));
    running = { ladder, isCancelled: false };
    try {
        await fill(ladder);
        return await runLevels(ladder, rows, gpu.has_subgroups());
    } finally {
        ladder.free();
        running = undefined;
        showProgress(element("ladder-progress"), 1);
        startExport(gpu.label(), element("type").value, rows.flatMap(({ figures }) => figures ?? []));
    }
}

function cancel() {
    if (running) {
        running.isCancelled = true;
        running.ladder.cancel();
    }
}

/** Switches between what can be started and what can be cancelled, and takes the focus along. */
function setRunning(isRunning) {
    const [fields, button] = [element("ladder-fields"), element("cancel")];
    const hasFocus = element("ladder-form").contains(document.activeElement);
    fields.disabled = isRunning;
    button.disabled = !isRunning;
    if (hasFocus) {
        (isRunning ? button : element("run")).focus();
    }
}

/** Makes the panel ready. */
export function startLadder(gpu) {
    offerSizes(gpu);
    explainClocks(gpu);
    showRows();
    element("type").addEventListener("change", () => {
        showRows();
        element("level").hidden = true;
    });
    element("cancel").addEventListener("click", cancel);
    setRunning(false);
    element("ladder-form").addEventListener("submit", async (event) => {
        event.preventDefault();
        setRunning(true);
        try {
            say(await runAll(gpu));
        } catch (error) {
            say(explain(error), true);
        }
        setRunning(false);
    });
}
