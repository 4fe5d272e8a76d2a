// The ladder's table as files.

import { element } from "./page.js";

const COLUMNS = ["level", "name", "type", "elements", "gb_per_s", "ms", "clock", "sums_timed",
    "passes", "speed_up", "answer", "adapter"];

/** A field as RFC 4180 has it. */
function field(value) {
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvOf({ adapter, type, rows }) {
    const lines = rows.map((row) => [row.number, row.name, type, row.elements, row.rate.toPrecision(6),
        row.ms.toPrecision(6), row.clock, row.sums, row.passes, row.speedUp.toPrecision(6), row.answer, adapter]);
    return [COLUMNS, ...lines].map((line) => `${line.map(field).join(",")}\r\n`).join("");
}

const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const [WIDTH, LINE, TOP, NAMES, FIGURES] = [820, 24, 64, 210, 210];

function barOf(row, index, fastest) {
    const [y, length] = [TOP + index * LINE, ((WIDTH - NAMES - FIGURES) * row.rate) / fastest];
    const name = `${String(row.number).padStart(2, "0")} ${row.name}`;
    const figures = `${row.rate.toPrecision(3)} GB/s by the ${row.clock}, ${row.speedUp.toPrecision(3)} ×`;
    return `<text x="${NAMES - 8}" y="${y + 16}" text-anchor="end">${escaped(name)}</text>`
        + `<rect x="${NAMES}" y="${y + 4}" width="${length.toFixed(1)}" height="${LINE - 8}" fill="#2f6fb3"/>`
        + `<text x="${(NAMES + length + 6).toFixed(1)}" y="${y + 16}">${escaped(figures)}</text>`;
}

function svgOf({ adapter, type, rows }) {
    const height = TOP + rows.length * LINE + 16;
    const elements = Math.max(...rows.map((row) => row.elements));
    const fastest = Math.max(...rows.map((row) => row.rate));
    const day = new Date().toISOString().slice(0, 10);
    const title = `Sum of 2^${Math.log2(elements)} ${type}, level by level`;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" `
        + `viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#1c1f24" `
        + `role="img"><title>${escaped(title)}</title><rect width="100%" height="100%" fill="#ffffff"/>`
        + `<text x="16" y="26" font-size="17">${escaped(title)}</text>`
        + `<text x="16" y="46">${escaped(`${adapter}, in a browser, ${day}`)}</text>`
        + `${rows.map((row, index) => barOf(row, index, fastest)).join("")}</svg>\n`;
}

function save(text, type, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    // Browsers read it after this task.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** What the buttons save from now on: nothing, if there are no rows. */
export function startExport(adapter, type, rows) {
    const table = { adapter, type, rows };
    element("csv").onclick = () => save(csvOf(table), "text/csv", "ladder.csv");
    element("svg").onclick = () => save(svgOf(table), "image/svg+xml", "ladder.svg");
    for (const id of ["csv", "svg"]) {
        element(id).disabled = rows.length === 0;
    }
}
