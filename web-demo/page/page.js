// What all panels share: saying how things are, and letting the browser breathe.

export const element = (id) => document.getElementById(id);

/** Says how things are; aloud, where that is wanted. */
export function say(text, isBad = false, place = element("status")) {
    place.textContent = text;
    place.classList.toggle("bad", isBad);
}

/** What an error means to somebody who did nothing wrong. */
export function explain(error) {
    const text = error?.message ?? String(error);
    if (text.includes("device was lost")) {
        return `The GPU was taken away (${text}). Reload the page to try again, with fewer elements.`;
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
