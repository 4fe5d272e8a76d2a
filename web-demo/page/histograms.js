// Histograms as pictures, of which a part can be chosen.

import { inNumber } from "./page.js";
import { make } from "./svg.js";

/** A picture is so many units wide and high, and drawn as wide as there is room. */
const [WIDTH, HEIGHT] = [512, 160];

/** The outline of all bars, from the lower left corner to the lower right one. */
function outlineOf(counts, most) {
    const width = WIDTH / counts.length;
    const steps = Array.from(counts, (count, index) => {
        const y = (HEIGHT * (1 - count / most)).toFixed(1);
        return `V${y}H${((index + 1) * width).toFixed(2)}`;
    });
    return `M0 ${HEIGHT}${steps.join("")}V${HEIGHT}Z`;
}

/** Where bin `index` starts, or the one before it ends, as text. */
const edgeOf = ({ counts, low, high }, index) => inNumber(low + (index * (high - low)) / counts.length);

/** What the picture shows, for those who do not see it. */
function wordsOf(histogram) {
    const { name, counts, low, high, nan } = histogram;
    const most = Math.max(...counts);
    const fullest = counts.indexOf(most);
    return `Histogram${name ? ` of ${name}` : ""}: ${counts.length} bins from ${inNumber(low)} to ${inNumber(high)}. `
        + `The fullest, from ${edgeOf(histogram, fullest)} to ${edgeOf(histogram, fullest + 1)}, has ${most} elements.`
        + (nan ? ` Not in a bin: ${nan} NaN.` : "");
}

/** Bins that follow each other, in words; the last bin has its upper edge, too. */
export function rangeWords(histogram, first, end) {
    const below = end === histogram.counts.length ? "" : "below ";
    return `from ${edgeOf(histogram, first)} to ${below}${edgeOf(histogram, end)}`;
}

/** The bins that quartiles are in, as texts; between two elements, from the bin of one to the bin of the other. */
export function quartileBins(histogram) {
    const { low, high, counts } = histogram;
    const width = (high - low) / counts.length;
    // A hundredth of a bin is as much as can be seen.
    const digits = Math.max(0, 2 - Math.floor(Math.log10(width)));
    // Outwards: what is said contains the bins. An edge that is short but for rounding stays short.
    const textOf = (index, outwards, slack) => {
        const edge = (low + index * width) * 10 ** digits;
        return digits > 20 ? edgeOf(histogram, index) : String(Number((outwards(edge + slack) / 10 ** digits).toFixed(digits)));
    };
    const ends = [];
    counts.reduce((sum, count) => ends.push(sum + count) && sum + count, 0);
    const binOf = (rank) => ends.findIndex((end) => end > rank);
    return [1, 2, 3].map((quarter) => {
        const rank = (quarter * (ends.at(-1) - 1)) / 4;
        const [first, last] = [Math.floor(rank), Math.ceil(rank)].map(binOf);
        return `${textOf(first, Math.floor, 1e-6)} to ${textOf(last + 1, Math.ceil, -1e-6)}`;
    });
}

/** Lines at the quartiles, or in the middle of where they may be. */
function quartilesOf({ low, high, quartiles }) {
    return (quartiles ?? []).map((text) => {
        const ends = text.split(" to ").map(Number);
        const x = (WIDTH * ((ends[0] + ends.at(-1)) / 2 - low)) / (high - low);
        return make("line", { x1: x, x2: x, y1: 0, y2: HEIGHT, class: "quartile" });
    });
}

/** A histogram of which bins are chosen: by dragging over it, or by the two ends below it. */
class Chart {
    constructor(histogram, onChoose) {
        Object.assign(this, { histogram, onChoose });
        const { name, counts } = histogram;
        const words = wordsOf(histogram);
        this.under = make("rect", { y: 0, height: HEIGHT, width: 0, class: "under" });
        this.svg = make("svg", {
            viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": words,
        }, this.under, make("path", { d: outlineOf(counts, Math.max(...counts, 1)), class: `bars ${name}` }), ...quartilesOf(histogram));
        this.node = document.createElement("figure");
        this.said = document.createElement("output");
        const caption = document.createElement("figcaption");
        caption.textContent = words;
        const ends = document.createElement("div");
        ends.className = "controls";
        [this.first, this.last] = [["From", 0], ["To", counts.length - 1]].map(([text, value]) => this.end(ends, text, value));
        this.node.append(this.svg, ends, this.said, caption);
        this.followPointer();
    }

    /** A slider for one end. */
    end(place, text, value) {
        const [label, input] = [document.createElement("label"), document.createElement("input")];
        Object.assign(input, { type: "range", min: 0, max: this.histogram.counts.length - 1, value });
        label.append(text, input);
        place.append(label);
        input.setAttribute("aria-label", `${text}, of the part of ${this.histogram.name || "the histogram"} to reduce`);
        input.addEventListener("input", () => {
            const at = Number(input.value);
            // One end takes the other along.
            const other = Number((input === this.first ? this.last : this.first).value);
            this.choose(...(input === this.first ? [at, Math.max(at, other)] : [Math.min(at, other), at]));
        });
        return input;
    }

    followPointer() {
        const binAt = ({ clientX }) => {
            const { left, width } = this.svg.getBoundingClientRect();
            const bin = Math.floor(((clientX - left) / width) * this.histogram.counts.length);
            return Math.max(0, Math.min(bin, this.histogram.counts.length - 1));
        };
        let anchor;
        const drag = (event) => {
            const bin = binAt(event);
            this.choose(Math.min(anchor, bin), Math.max(anchor, bin));
        };
        this.svg.addEventListener("pointerdown", (event) => {
            if (event.button === 0) {
                this.svg.setPointerCapture(event.pointerId);
                anchor = binAt(event);
                drag(event);
            }
        });
        this.svg.addEventListener("pointermove", (event) => anchor !== undefined && drag(event));
        for (const kind of ["pointerup", "pointercancel"]) {
            this.svg.addEventListener(kind, () => { anchor = undefined; });
        }
    }

    /** Shows the bins from `first` to `last` as chosen, and tells of them. */
    choose(first, last) {
        const { histogram } = this;
        const width = WIDTH / histogram.counts.length;
        this.under.setAttribute("x", first * width);
        this.under.setAttribute("width", (last + 1 - first) * width);
        for (const [input, bin, edge] of [[this.first, first, first], [this.last, last, last + 1]]) {
            input.value = bin;
            input.setAttribute("aria-valuetext", edgeOf(histogram, edge));
        }
        this.onChoose(this, first, last + 1);
    }

    /** Takes back what was chosen. */
    clear() {
        this.under.setAttribute("width", 0);
        this.said.textContent = "";
        [this.first.value, this.last.value] = [0, this.histogram.counts.length - 1];
    }
}

function noteOf({ why }) {
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = why;
    return note;
}

/**
 * Replaces what is in `place` by a picture of each, or by why there is none. `onChoose` is told the chart and the bins,
 * from the first to the one behind the last. Returns the charts.
 */
export function showHistograms(place, histograms, onChoose) {
    const charts = histograms.filter(({ why }) => !why).map((histogram) => new Chart(histogram, onChoose));
    place.replaceChildren(...histograms.filter(({ why }) => why).map(noteOf), ...charts.map(({ node }) => node));
    return charts;
}
