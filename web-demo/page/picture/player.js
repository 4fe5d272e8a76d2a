// A level's picture, and what plays it.

import { element, followWidth, nextTask } from "../page.js";
import { costOf, wordsOf } from "./counts.js";
import { Picture } from "./draw.js";
import { lineOf } from "./parse.js";
import { elementsShown, runShown } from "./pass.js";
import { ARRAYS } from "./types.js";

/** How long a step stays, in milliseconds. */
const STEP_MS = 900;

/** How long a level is run on the CPU before the browser gets its turn, in milliseconds. */
const SLICE_MS = 8;

/** Elements of which sums are exact in every type. */
const numbers = (count) => Uint32Array.from({ length: count }, (_, index) => 1 + (index % 7));

const shown = { index: 0, wanted: 0, onStep: () => undefined };
let timer;

function choiceMade() {
    const valueOf = (id) => Number(element(id).value);
    const size = valueOf("shown-size");
    return { size, subgroupSize: Math.min(size, valueOf("shown-subgroup")), items: valueOf("shown-items") };
}

const totalOf = (costs, key) => costs.reduce((sum, cost) => sum + cost[key], 0);

function showCounts() {
    const { run: { costs }, index } = shown;
    const sofar = costs.slice(0, index + 1);
    const put = (id, text) => { element(id).textContent = text; };
    put("count-steps", `${index + 1} of ${costs.length}`);
    for (const key of ["barriers", "conflicts", "atomics", "idle"]) {
        put(`count-${key}`, `${totalOf(sofar, key)} of ${totalOf(costs, key)}`);
    }
    put("count-fetched", `${totalOf(sofar, "fetched")}, used ${totalOf(sofar, "used")}`);
}

/** Shows a step of the picture, and tells which line of the shader it is. */
function show(index) {
    const { picture, text } = shown;
    shown.index = Math.max(0, Math.min(index, picture.steps.length - 1));
    const step = picture.steps[shown.index];
    const words = wordsOf(step, picture.costs[shown.index], picture.size, picture.subgroupSize);
    picture.show(shown.index, words);
    element("said").textContent = `Step ${shown.index + 1}, line ${lineOf(text, step.at)}. ${words}`;
    element("step").value = shown.index;
    element("step").setAttribute("aria-valuetext", `step ${shown.index + 1} of ${picture.steps.length}`);
    // They keep the focus, so that keyboards go on from there.
    element("back").setAttribute("aria-disabled", String(shown.index === 0));
    element("forward").setAttribute("aria-disabled", String(shown.index === picture.steps.length - 1));
    showCounts();
    shown.onStep(lineOf(text, step.at));
}

export function pause() {
    clearInterval(timer);
    timer = undefined;
    element("play").textContent = "Play";
    // What is said goes on aloud once it no longer changes by itself.
    element("said").setAttribute("aria-live", "polite");
}

function tick() {
    show(shown.index + 1);
    if (shown.index === shown.picture.steps.length - 1) {
        pause();
    }
}

/** Plays from where it is, or from the beginning, if that is the end. */
export function play() {
    pause();
    if (!shown.picture) {
        return;
    }
    if (shown.index === shown.picture.steps.length - 1) {
        show(0);
    }
    element("play").textContent = "Pause";
    element("said").setAttribute("aria-live", "off");
    timer = setInterval(tick, STEP_MS);
}

function stepBy(count) {
    pause();
    if (shown.picture) {
        show(shown.index + count);
    }
}

/** Goes to the first step that has such a cost. */
export function showFirst(key) {
    const first = shown.run?.costs.findIndex((cost) => cost[key] > 0) ?? 0;
    stepBy(Math.max(0, first) - shown.index);
}

function draw() {
    const { index, run } = shown;
    shown.picture = new Picture(run, element("stage").clientWidth - 2);
    element("stage").replaceChildren(shown.picture.node);
    element("step").max = run.steps.length - 1;
    show(index);
}

class Superseded extends Error {}

/** Lets the browser have its turn; throws, if another picture is wanted after that. */
async function breathe(own) {
    await nextTask();
    if (own !== shown.wanted) {
        throw new Superseded();
    }
}

/** Runs the level on the CPU. Returns its steps, and what each costs. */
async function runLevel() {
    const { level, text, type, wanted } = shown;
    const choice = choiceMade();
    const elements = elementsShown(level, choice);
    const going = runShown(level, text, choice, ARRAYS[type].from(numbers(elements)));
    let [start, next] = [performance.now(), going.next()];
    while (!next.done) {
        if (performance.now() - start > SLICE_MS) {
            await breathe(wanted);
            start = performance.now();
        }
        next = going.next();
    }
    const run = next.value;
    await breathe(wanted);
    const costs = run.steps.map((step) => costOf(step, run.program.size, choice.subgroupSize));
    await breathe(wanted);
    return { ...run, elements, costs };
}

/** Runs the level, and shows its first step; without a picture the rest of the page is as good as with one. */
async function prepare() {
    awaitPicture();
    shown.index = 0;
    try {
        shown.run = await runLevel();
        draw();
    } catch (error) {
        if (error instanceof Superseded) {
            return;
        }
        shown.picture = undefined;
        element("stage").replaceChildren();
        element("step").max = 0;
        document.querySelectorAll("#counts dd:not(#count-measured)").forEach((count) => { count.textContent = ""; });
        element("said").textContent = `There is no picture of this level: ${error.message}`;
    }
    element("stage").setAttribute("aria-busy", "false");
}

/** Ends with the picture that there is, until another is shown. */
export function awaitPicture() {
    pause();
    Object.assign(shown, { run: undefined, picture: undefined, wanted: shown.wanted + 1 });
    element("stage").setAttribute("aria-busy", "true");
}

/** Shows the picture of a level, from its shader's text; `onStep` is told the line of each step. */
export async function showPicture(level, text, type, onStep) {
    Object.assign(shown, { level, text, type, onStep });
    for (const [id, isUsed] of Object.entries({
        "shown-size": /override WORKGROUP_SIZE/.test(text),
        "shown-subgroup": true,
        // The shaders of levels 1 to 5 have no such number.
        "shown-items": level === 0 || level > 5,
    })) {
        element(id).disabled = !isUsed;
    }
    await prepare();
}

function offer(id, values, chosen) {
    element(id).replaceChildren(...values.map((value) => new Option(value, value, value === chosen, value === chosen)));
}

const KEYS = {
    ArrowLeft: () => stepBy(-1),
    ArrowRight: () => stepBy(1),
    Home: () => stepBy(-Infinity),
    End: () => stepBy(Infinity),
    " ": () => (timer ? pause() : play()),
};

/** Makes the controls ready; `onChoice` is told of sizes that somebody has chosen. */
export function startPlayer(onChoice) {
    offer("shown-size", [8, 16, 32, 64, 128], 64);
    offer("shown-subgroup", [4, 8, 16, 32], 32);
    offer("shown-items", [1, 2, 4, 8], 4);
    element("restart").addEventListener("click", () => stepBy(-Infinity));
    element("back").addEventListener("click", () => stepBy(-1));
    element("forward").addEventListener("click", () => stepBy(1));
    element("play").addEventListener("click", () => (timer ? pause() : play()));
    element("step").addEventListener("input", () => stepBy(Number(element("step").value) - shown.index));
    for (const id of ["shown-size", "shown-subgroup", "shown-items"]) {
        element(id).addEventListener("change", () => {
            prepare();
            onChoice();
        });
    }
    element("stage").addEventListener("keydown", (event) => {
        const act = KEYS[event.key];
        if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            // A key that is held down steps on, and does not play and pause by turns.
            if (!(event.repeat && event.key === " ")) {
                act();
            }
        }
    });
    followWidth(element("stage"), () => shown.picture && draw());
}
