// Figures of a file's elements, or of a part of them, as a table.

import { addCell, addHead, element, inNumber, nameCells } from "./page.js";

const quartile = (index) => ({ quartiles }) => quartiles?.[index];
const deviationOf = ({ deviation }) => (deviation === undefined ? undefined : inNumber(deviation));

/** Whether a column is there for every file, or where there is something in it. */
const [ALWAYS, SELDOM] = [false, true];

/** Titles are names of operations where there is one. */
const COLUMNS = [
    ["count", ({ count }) => count, ALWAYS, "number"],
    ["NaN", ({ nan }) => nan, SELDOM, "number"],
    ["min", ({ min }) => min, ALWAYS, "number"],
    ["argmin", ({ minAt }) => minAt, ALWAYS, ""],
    ["25 %", quartile(0), SELDOM, "number"],
    ["median", quartile(1), SELDOM, "number"],
    ["75 %", quartile(2), SELDOM, "number"],
    ["max", ({ max }) => max, ALWAYS, "number"],
    ["argmax", ({ maxAt }) => maxAt, ALWAYS, ""],
    ["sum", ({ sum }) => sum, ALWAYS, "number"],
    ["mean", ({ mean }) => mean, ALWAYS, "number"],
    ["standard deviation", deviationOf, ALWAYS, "number"],
];

/** Shows figures in the table of that name: a row for each channel, or for all elements. */
export function showFigures(name, channels) {
    const isNamed = channels.some((channel) => channel.name);
    const shown = COLUMNS.filter(([, of, isSeldom]) => !isSeldom || channels.some(of));
    const [head, body] = [element(`${name}-head`), element(`${name}-body`)];
    head.replaceChildren();
    body.replaceChildren();
    if (isNamed) {
        addHead(head, "col", "Channel");
    }
    shown.forEach(([title, , , kind]) => addHead(head, "col", title, kind));
    for (const channel of channels) {
        const row = body.insertRow();
        if (isNamed) {
            addHead(row, "row", channel.name);
        }
        shown.forEach(([, of, , kind]) => addCell(row, of(channel) ?? "–", kind));
    }
    nameCells(body.closest("table"));
    element(name).hidden = false;
}
