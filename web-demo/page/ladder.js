// The ladder: all levels, one after the other.

import { Ladder, levels } from "./pkg/wgpu_reduce_web.js";
import { startExport } from "./export.js";
import {
    addCell, addHead, clockStep, element, explain, inTime, nameCells, nextTask, say, showProgress,
} from "./page.js";
import { noteChoice, showLevel, startLevel, takeLevels, takeMeasured, titleOf } from "./level.js";
import { choose, placeAsked } from "./place.js";

const [FEWEST, USUAL, MOST] = [10, 24, 27];

/** The level that is shown first: the first that is a tree. */
const USUAL_LEVEL = 1;

/** Browsers round timestamps to 0.1 ms, so that what takes shorter than this may be wrong by more than 1 %. */
const LEAST_GPU_MS = 10;

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

/** Says how times are taken. It holds the page up for some milliseconds: to be called once somebody asks. */
function explainClocks(gpu) {
    const each = "A submission sums as often as takes about 40 ms, at least once. A time is a submission's, divided by its sums. ";
    const timestamps = "“GPU” means the GPU's timestamps, which browsers round to 0.1 ms. They count if every level of a run "
        + "has them, and its sums take 10 ms or more together. Rounding is then at most 1 %. They must not exceed the page's "
        + "time either. Otherwise all levels of the run use the page's clock. ";
    const none = "This browser has no timestamps. ";
    const page = `“page” means the page's clock, in steps of ${inTime(clockStep())} here. It includes the browser's own work. `;
    element("clock").textContent = each + (gpu.has_timestamps() ? timestamps : none) + page
        + "Level 0 sums the first 2^20 elements at most. Levels 14 and 15 make their result zero before each sum.";
}

function makeRow(level) {
    const row = document.createElement("tr");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = titleOf(level);
    button.addEventListener("click", () => showLevel(level.number, true));
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

/** Rows without figures, which nobody can save, for elements of the type that is chosen; and a level, if one is given. */
function showRows(level) {
    const type = element("type").value;
    const all = [...levels(type)];
    const rows = all.map(makeRow);
    element("levels").replaceChildren(...rows.map(({ row }) => row));
    nameCells(element("levels").closest("table"));
    startExport("", "", []);
    takeMeasured([]);
    takeLevels(all, type, level);
    return rows;
}

/** What came of a level, for the page to keep. */
function takenOver(run) {
    const { elements, passes, sums, ms, gpu_ms: gpuMs, sum, expected, is_right: isRight } = run;
    run.free();
    return { elements, passes, sums, ms, gpuMs, sum, expected, isRight };
}

/** Whether the GPU's timestamps can be believed: longer than the call that they are a part of, software has them. */
function isTimedByGpu({ gpuMs, ms, sums }) {
    return gpuMs * sums >= LEAST_GPU_MS && gpuMs <= 1.01 * ms;
}

/** What is told of a run: on the page, and in what is saved of it. */
function figuresOf({ run, level }, clock, firstRate) {
    const ms = clock === "GPU" ? run.gpuMs : run.ms;
    const rate = (run.elements * 4) / (ms * 1e6);
    return {
        number: level.number,
        name: level.name,
        elements: run.elements,
        rate,
        ms,
        clock,
        sums: run.sums,
        passes: run.passes,
        workgroups: level.number ? `workgroups of ${run.size}` : "one invocation",
        speedUp: rate / (firstRate ?? rate),
        isRight: run.isRight,
        answer: run.isRight ? "right" : `wrong: ${run.sum} is not ${run.expected}`,
    };
}

function showFigures({ figures, figure, bar, cells }, fastest) {
    const [time, clock, passes, speedUp, answer] = cells;
    figure.textContent = figures.rate.toPrecision(3);
    bar.style.transform = `scaleX(${figures.rate / fastest})`;
    time.textContent = inTime(figures.ms);
    clock.textContent = figures.clock;
    passes.textContent = figures.passes;
    speedUp.textContent = `${figures.speedUp.toPrecision(3)} ×`;
    answer.textContent = figures.answer;
    answer.className = figures.isRight ? "good" : "bad";
}

/** All levels that have run, by one clock. */
function showRuns(rows) {
    const ran = rows.filter(({ run }) => run);
    const clock = ran.every(({ run }) => isTimedByGpu(run)) ? "GPU" : "page";
    for (const entry of ran) {
        entry.figures = figuresOf(entry, clock, entry === ran[0] ? undefined : ran[0].figures.rate);
    }
    const fastest = Math.max(...ran.map(({ figures }) => figures.rate));
    ran.forEach((entry) => showFigures(entry, fastest));
    takeMeasured(ran.map(({ figures }) => figures));
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
        entry.run = { ...takenOver(run), size };
        showRuns(rows);
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

/** Whether an address has come while levels ran. */
let isBehind = false;

/** Shows what an address asks for, if it asks for something; what is measured stays, unless it asks for another type. */
function followPlace() {
    const asked = placeAsked();
    isBehind = Boolean(asked && running);
    if (!asked || running) {
        return;
    }
    const before = element("type").value;
    choose(asked);
    if (element("type").value === before) {
        showLevel(levelAsked(asked), false);
    } else {
        showRows(levelAsked(asked));
    }
    bringIntoSight();
}

/** Where the level is below the list, a link leads there. */
function bringIntoSight() {
    if (!matchMedia("(min-width: 56rem)").matches) {
        element("level").scrollIntoView();
    }
}

/** A level that there is. */
function levelAsked({ level }) {
    return /^\d+$/.test(level) && Number(level) < levels("f32").length ? Number(level) : USUAL_LEVEL;
}

let wasAsked = false;

/** Whether somebody has asked for a run. */
export function hasRun() {
    return wasAsked;
}

/** Runs all levels. Returns whether all of them ran. */
async function run(gpu) {
    if (running) {
        return false;
    }
    wasAsked = true;
    let said = "";
    setRunning(true);
    try {
        said = await runAll(gpu);
        say(said);
    } catch (error) {
        say(explain(error), true);
    }
    setRunning(false);
    if (isBehind) {
        followPlace();
    }
    return said.startsWith("Done");
}

/** Makes the panel ready. Returns what runs all levels. */
export function startLadder(gpu) {
    offerSizes(gpu);
    const fold = element("clock").parentNode;
    fold.addEventListener("toggle", () => explainClocks(gpu), { once: true });
    if (fold.open) {
        explainClocks(gpu);
    }
    const asked = placeAsked();
    startLevel(levelAsked(asked ?? {}));
    choose(asked ?? {});
    showRows();
    if (asked) {
        bringIntoSight();
    }
    element("type").addEventListener("change", () => showRows());
    for (const id of ["elements", "type", "workgroup"]) {
        element(id).addEventListener("change", noteChoice);
    }
    addEventListener("hashchange", followPlace);
    element("with-figures").addEventListener("change", ({ target }) => {
        element("split").classList.toggle("with-figures", target.checked);
    });
    element("cancel").addEventListener("click", cancel);
    setRunning(false);
    element("ladder-form").addEventListener("submit", (event) => {
        event.preventDefault();
        run(gpu);
    });
    return () => run(gpu);
}
