// Histograms as pictures.

import { inNumber } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";

/** A picture is so many units wide and high, and drawn as wide as there is room. */
const [WIDTH, HEIGHT] = [512, 160];

function make(name, attributes, ...children) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
        node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
}

/** The outline of all bars, from the lower left corner to the lower right one. */
function outlineOf(counts, most) {
    const width = WIDTH / counts.length;
    const steps = Array.from(counts, (count, index) => {
        const y = (HEIGHT * (1 - count / most)).toFixed(1);
        return `V${y}H${((index + 1) * width).toFixed(2)}`;
    });
    return `M0 ${HEIGHT}${steps.join("")}V${HEIGHT}Z`;
}

/** What the picture shows, for those who do not see it. */
function wordsOf({ name, counts, low, high, nan }) {
    const most = Math.max(...counts);
    const fullest = counts.indexOf(most);
    const edge = (index) => inNumber(low + (index * (high - low)) / counts.length);
    return `Histogram${name ? ` of ${name}` : ""}: ${counts.length} bins from ${inNumber(low)} to ${inNumber(high)}. `
        + `The fullest, from ${edge(fullest)} to ${edge(fullest + 1)}, has ${most} elements.`
        + (nan ? ` Not in a bin: ${nan} NaN.` : "");
}

function drawOne(histogram) {
    if (histogram.why) {
        const note = document.createElement("p");
        note.className = "note";
        note.textContent = histogram.why;
        return note;
    }
    const words = wordsOf(histogram);
    const { name, counts } = histogram;
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = words;
    const bars = make("path", { d: outlineOf(counts, Math.max(...counts, 1)), class: `bars ${name}` });
    const picture = make("svg", {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": words,
    }, bars);
    figure.append(picture, caption);
    return figure;
}

/** Replaces what is in `place` by a picture of each, or by why there is none. */
export function showHistograms(place, histograms) {
    place.replaceChildren(...histograms.map(drawOne));
}
