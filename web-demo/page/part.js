// The part of a histogram that somebody drags over, reduced on the GPU while they do.

import { showFigures } from "./figures.js";
import { rangeWords, showHistograms } from "./histograms.js";
import { element, explain, inTime, nextTask } from "./page.js";

const shown = { charts: [] };

/** What came of a part, in a sentence. */
function wordsOf(chart, channels, [first, end], ms) {
    const { histogram } = chart;
    const own = channels.find(({ name }) => name === histogram.name) ?? channels[0];
    const what = histogram.name ? `pixels with ${histogram.name}` : "elements";
    const all = histogram.counts.reduce((sum, count) => sum + count, 0);
    const share = `${((100 * Number(own.count)) / Math.max(1, all)).toPrecision(3)} %`;
    const figures = own.sum === undefined ? "" : ` Sum ${own.sum}, mean ${own.mean}.`;
    return `${own.count} ${what} ${rangeWords(histogram, first, end)}, ${share}.${figures} Reduced in ${inTime(ms)}.`;
}

async function reduce({ chart, bins }) {
    const start = performance.now();
    shown.onPart(chart.histogram.name, ...bins);
    const channel = shown.charts.indexOf(chart);
    const channels = [...await shown.data.part(channel, ...bins)];
    const ms = performance.now() - start;
    // Another histogram may have taken its place; what is wanted of this one comes all the same while it is dragged over.
    if (!shown.wanted || shown.wanted.chart === chart) {
        showFigures("part", channels);
        chart.said.textContent = wordsOf(chart, channels, bins, ms);
    }
}

/** Reduces what is wanted last, until nothing else is. */
async function work() {
    while (shown.wanted) {
        const { wanted } = shown;
        shown.wanted = undefined;
        try {
            await reduce(wanted);
        } catch (error) {
            wanted.chart.said.textContent = explain(error);
        }
        // Read aloud once nothing else is to come.
        wanted.chart.said.setAttribute("aria-busy", String(Boolean(shown.wanted)));
        await nextTask();
    }
    shown.working = undefined;
}

function choose(chart, first, end) {
    shown.charts.filter((other) => other !== chart).forEach((other) => other.clear());
    shown.wanted = { chart, bins: [first, end] };
    chart.said.setAttribute("aria-busy", "true");
    shown.working ??= work();
}

/** Shows histograms of the data, parts of which can be chosen until `endParts`; `onPart` is told of each. */
export function startParts(data, histograms, onPart) {
    const charts = showHistograms(element("histograms"), histograms, choose);
    Object.assign(shown, { data, charts, onPart });
    element("drag").hidden = charts.length === 0;
}

/** Takes histograms and parts away. Nothing is asked of the data any more once this has come. */
export async function endParts() {
    shown.wanted = undefined;
    showHistograms(element("histograms"), []);
    for (const id of ["drag", "part"]) {
        element(id).hidden = true;
    }
    await shown.working;
    element("part").hidden = true;
}
