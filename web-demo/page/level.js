// The chosen level: in words, as a picture, as a shader, and as it was measured here.

import { element, inTime, nextTask } from "./page.js";
import { linesBeside } from "./diff.js";
import { awaitPicture, showPicture, startPlayer } from "./picture/player.js";
import { showPlace } from "./place.js";
import { MEASURED, PLAIN, originOf } from "./words.js";
import { showWgsl } from "./wgsl.js";

const chosen = { number: 1, levels: [], type: "f32", lines: [], measured: new Map() };

export const titleOf = (level) => `${String(level.number).padStart(2, "0")} ${level.name}`;

/** A line of the shader; one that came or went is so for screen readers, too. */
function lineNode([kind, line]) {
    const node = document.createElement({ added: "ins", removed: "del", same: "span" }[kind]);
    node.className = `line ${kind}`;
    showWgsl(node, `${line}\n`);
    return node;
}

function showShader({ number, wgsl }) {
    const nodes = [...linesBeside(wgsl, chosen.levels[number - 1]?.wgsl)].map(lineNode);
    chosen.lines = nodes.filter((node) => !node.matches(".removed"));
    element("level-wgsl").replaceChildren(...nodes);
    const linesOf = (kind) => {
        const count = nodes.filter((node) => node.matches(kind)).length;
        return `${count} ${count === 1 ? "line" : "lines"}`;
    };
    element("level-changes").textContent = number === 0
        ? "The first level: there is nothing to compare it with."
        : `Marked: ${linesOf(".added")} of code new since level ${number - 1}, and ${linesOf(".removed")} that went.`;
}

/** Marks the line that runs, and brings it into sight without moving the page. */
function showLine(number) {
    chosen.lines.forEach((node, index) => node.classList.toggle("runs", index === number - 1));
    const [line, place] = [chosen.lines[number - 1], element("shader")];
    place.scrollTop = line.offsetTop - place.clientHeight / 3;
}

function showMeasured() {
    const figures = chosen.measured.get(chosen.number);
    element("count-measured").textContent = figures
        ? `${inTime(figures.ms)} for ${figures.elements} elements: ${figures.rate.toPrecision(3)} GB/s, ${figures.workgroups}`
        : "run the levels to see";
}

/** Takes what was measured of levels; nothing, once other elements are chosen. */
export function takeMeasured(rows) {
    chosen.measured = new Map(rows.map((figures) => [figures.number, figures]));
    showMeasured();
}

/** How often something has been shown. */
let shows = 0;

/** Shows the level, and after a pause its picture, unless another is shown by then. */
async function show() {
    shows += 1;
    const own = shows;
    const level = chosen.levels[chosen.number];
    element("level-title").textContent = titleOf(level);
    element("level-plain").textContent = PLAIN[level.number];
    element("level-description").textContent = level.description;
    element("level-fixes").textContent = level.number ? `It removes ${level.fixes}.` : "";
    element("level-source").textContent = `${originOf(level)} ${MEASURED[level.number]}`;
    showShader(level);
    showMeasured();
    awaitPicture();
    await nextTask();
    if (own === shows) {
        await showPicture(level.number, level.wgsl, chosen.type, showLine);
    }
}

function markChosen() {
    const level = chosen.levels[chosen.number];
    for (const button of document.querySelectorAll("#levels button")) {
        button.setAttribute("aria-current", String(button.textContent === titleOf(level)));
    }
}

/** Shows a level. `isChosen` if somebody has asked for it: then readers and keyboards go on there. */
export async function showLevel(number, isChosen) {
    chosen.number = number;
    const isShown = show();
    markChosen();
    showPlace(number, isChosen);
    if (isChosen) {
        element("level-title").focus();
    }
    await isShown;
}

/** Takes the texts of all levels for elements of a type, and shows the one of that number; a picture that plays goes on. */
export function takeLevels(levels, type, number = chosen.number) {
    const isNew = chosen.levels.length === 0 || chosen.type !== type;
    Object.assign(chosen, { levels, type, number });
    if (isNew) {
        show();
    }
    markChosen();
    showPlace(chosen.number, false);
}

/** Keeps the address up to date once somebody has changed something. */
export function noteChoice() {
    showPlace(chosen.number, true);
}

/** Makes the panel ready, for the level of that number. */
export function startLevel(number) {
    chosen.number = number;
    startPlayer(noteChoice);
}
