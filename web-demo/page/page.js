// What all panels share: saying how things are, and letting the browser breathe.

export const element = (id) => document.getElementById(id);

/** Says how things are; aloud, where that is wanted. */
export function say(text, isBad = false, place = element("status")) {
    place.textContent = text;
    place.classList.toggle("bad", isBad);
}

const textOf = (error) => error?.message ?? String(error);

/** Whether nothing can be done any more but to reload the page. */
export const isLoss = (error) => textOf(error).includes("device was lost");

/** What an error means to somebody who did nothing wrong. */
export function explain(error) {
    const text = textOf(error);
    if (isLoss(error)) {
        return `The GPU was taken away (${text}). Reload the page to try again, with fewer elements.`;
    }
    if (/out of memory|no memory for/.test(text)) {
        return `The GPU has no memory left for this (${text}). Try fewer elements, or close other pages.`;
    }
    if (text.includes("no adapter")) {
        return "This browser has WebGPU, but no GPU for it. Turn graphics acceleration on in its settings, update "
            + `the graphics driver, or try another browser. (${text})`;
    }
    return text;
}

/** A duration, in the unit that suits it. */
export function inTime(ms) {
    if (ms >= 1000) {
        return `${(ms / 1000).toPrecision(3)} s`;
    }
    return ms < 1 ? `${(ms * 1000).toPrecision(3)} µs` : `${ms.toPrecision(3)} ms`;
}

/** A number, in no more digits than `f32` has. */
export function inNumber(value) {
    return String(Number(Number(value).toPrecision(9)));
}

/** After whatever the browser has to do meanwhile. */
export function nextTask() {
    return new Promise((resolve) => { setTimeout(resolve); });
}

/** What is drawn anew, by the node whose width it is drawn for, and that width. */
const followed = new Map();

const widths = new ResizeObserver(async (entries) => {
    // What is drawn changes heights, which would be observed in the same task.
    await nextTask();
    for (const { target } of entries) {
        const { width, draw } = followed.get(target);
        if (target.clientWidth !== width) {
            followed.set(target, { width: target.clientWidth, draw });
            draw();
        }
    }
});

/** Draws anew whenever a node has become wider or narrower. */
export function followWidth(node, draw) {
    followed.set(node, { width: node.clientWidth, draw });
    widths.observe(node);
}

/** How far apart moments are that the page's clock tells apart, in milliseconds; no more than 25 are waited for. */
export function clockStep() {
    const start = performance.now();
    let [before, least] = [start, 25];
    // The first change comes in the middle of a step; three more are seen whole.
    for (let [now, changes] = [start, 0]; changes < 4 && now - start < 25; now = performance.now()) {
        if (now > before) {
            least = changes ? Math.min(least, now - before) : least;
            [before, changes] = [now, changes + 1];
        }
    }
    return least;
}

/**
 * Says in every cell of a table what column it is of, for narrow screens, which stack the cells of a row; a table that is
 * drawn like that stays one for screen readers only if its parts say what they are.
 */
export function nameCells(table) {
    const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    const roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };
    for (const part of [table, ...table.querySelectorAll("thead, tbody, tr, th, td")]) {
        part.setAttribute("role", roles[part.tagName] ?? (part.scope === "row" ? "rowheader" : "columnheader"));
        if (part.tagName === "TD") {
            part.dataset.title = titles[part.cellIndex];
        }
    }
}

/** A cell at the end of a row. */
export function addCell(row, text = "", className = "") {
    const cell = row.insertCell();
    cell.textContent = text;
    cell.className = className;
    return cell;
}

/** A cell at the end of a row, which says what the row is about. */
export function addHead(row, scope, content, className = "") {
    const head = document.createElement("th");
    head.scope = scope;
    head.className = className;
    head.append(content);
    row.append(head);
    return head;
}

/** Shows part of a whole; all of it hides the bar, nothing at all shows that it is not known. */
export function showProgress(bar, part) {
    bar.hidden = part === 1;
    if (part === undefined) {
        bar.removeAttribute("value");
    } else {
        bar.value = part;
    }
}
