// Your data: figures of a file that is dropped or chosen.

import { Data } from "./pkg/wgpu_reduce_web.js";
import { showHistograms } from "./histograms.js";
import {
    addCell, addHead, element, explain, inNumber, inTime, nameCells, nextTask, say, showProgress,
} from "./page.js";

/** Bytes on their way to the GPU at a time; a multiple of every element. */
const PIECE_BYTES = 4 << 20;

/** No header of a file that can be read is longer. */
const HEAD_BYTES = (1 << 20) + 16;

/** Titles are names of operations where there is one. */
const FIGURES = [["count", "count"], ["nan", "NaN"], ["min", "min"], ["minAt", "argmin"], ["max", "max"], ["maxAt", "argmax"],
    ["sum", "sum"], ["mean", "mean"], ["deviation", "standard deviation"]];

let running;

class Cancelled extends Error {}

/** Between two pieces: shows how far it is, and stops if it is to stop. */
async function breathe(part) {
    showProgress(element("data-progress"), part);
    await nextTask();
    if (running.isCancelled) {
        throw new Cancelled();
    }
}

/** What `fill` fills, or nothing, if it does not come to its end. */
async function filled(data, fill) {
    try {
        await fill();
        return data;
    } catch (error) {
        data.free();
        throw error;
    }
}

async function loadNpy(gpu, file) {
    const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
    const data = Data.of_npy(gpu, head, file.size);
    const [start, end] = [data.start(), data.end()];
    return filled(data, async () => {
        for (let at = start; at < end; at += PIECE_BYTES) {
            const piece = await file.slice(at, Math.min(at + PIECE_BYTES, end)).arrayBuffer();
            data.write(at - start, new Uint8Array(piece));
            await breathe(at / end);
        }
    });
}

/**
 * The bytes of an image's pixels. No colours are matched; those of opaque pixels are the file's, others lose what a
 * canvas, which multiplies them by alpha, loses.
 */
async function loadImage(gpu, file) {
    const bitmap = await createImageBitmap(file, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
    try {
        return await loadPixels(gpu, bitmap);
    } finally {
        bitmap.close();
    }
}

async function loadPixels(gpu, bitmap) {
    const { width, height } = bitmap;
    const data = Data.of_image(gpu, width, height);
    const rows = Math.max(1, Math.floor(PIECE_BYTES / (8 * width))) * 2;
    const canvas = new OffscreenCanvas(width, Math.min(rows, height));
    const context = canvas.getContext("2d", { willReadFrequently: true });
    return filled(data, async () => {
        for (let y = 0; y < height; y += rows) {
            const count = Math.min(rows, height - y);
            context.clearRect(0, 0, width, count);
            context.drawImage(bitmap, 0, -y);
            data.write(y * width * 4, new Uint8Array(context.getImageData(0, 0, width, count).data.buffer));
            await breathe(y / height);
        }
    });
}

async function isNpy(file) {
    const magic = new Uint8Array(await file.slice(0, 6).arrayBuffer());
    return file.name.toLowerCase().endsWith(".npy") || String.fromCharCode(...magic) === "\x93NUMPY";
}

async function load(gpu, file) {
    if (await isNpy(file)) {
        return loadNpy(gpu, file);
    }
    try {
        return await loadImage(gpu, file);
    } catch (error) {
        if (error instanceof DOMException) {
            throw new Error("neither a .npy file nor an image that this browser can read");
        }
        throw error;
    }
}

function textOf(channel, key) {
    const value = channel[key];
    if (value === undefined) {
        return "–";
    }
    return key === "deviation" ? inNumber(value) : value;
}

function showFigures(channels) {
    const isNamed = channels.some(({ name }) => name);
    const shown = FIGURES.filter(([key]) => key !== "nan" || channels.some((channel) => channel.nan));
    const [head, body] = [element("figures-head"), element("figures-body")];
    head.replaceChildren();
    body.replaceChildren();
    for (const [key, title] of isNamed ? [["name", "Channel"], ...shown] : shown) {
        addHead(head, "col", title, ["name", "minAt", "maxAt"].includes(key) ? "" : "number");
    }
    for (const channel of channels) {
        const row = body.insertRow();
        if (isNamed) {
            addHead(row, "row", channel.name);
        }
        for (const [key] of shown) {
            addCell(row, textOf(channel, key), ["minAt", "maxAt"].includes(key) ? "" : "number");
        }
    }
    nameCells(body.closest("table"));
    element("figures").hidden = false;
}

async function show(gpu, file) {
    const data = await load(gpu, file);
    try {
        await breathe(undefined);
        const description = data.description();
        const start = performance.now();
        const channels = [...await data.stats()];
        const ms = performance.now() - start;
        await breathe(undefined);
        showFigures(channels);
        const histograms = [...await data.histograms()];
        showHistograms(element("histograms"), histograms);
        const isLong = channels.some((channel) => channel.deviation === undefined && channel.min !== undefined);
        const notes = [`Reduced in ${inTime(ms)}, with what the shader takes to compile.`];
        if (isLong) {
            notes.push("A dash is what the GPU does not compute of numbers of 64 bits.");
        }
        return `${file.name}: ${description}. ${notes.join(" ")}`;
    } finally {
        data.free();
    }
}

function setRunning(isRunning) {
    running = isRunning ? { isCancelled: false } : undefined;
    element("file").disabled = isRunning;
    element("data-cancel").disabled = !isRunning;
    showProgress(element("data-progress"), isRunning ? 0 : 1);
}

async function take(gpu, file) {
    const place = element("data-status");
    if (!file || running) {
        return;
    }
    setRunning(true);
    element("figures").hidden = true;
    showHistograms(element("histograms"), []);
    say(`Reading ${file.name} …`, false, place);
    try {
        say(await show(gpu, file), false, place);
    } catch (error) {
        const isCancelled = error instanceof Cancelled;
        say(isCancelled ? "Cancelled." : `${file.name}: ${explain(error)}`, !isCancelled, place);
    }
    setRunning(false);
}

/** Makes the panel ready. */
export function startData(gpu) {
    const [input, target] = [element("file"), element("drop")];
    setRunning(false);
    input.addEventListener("change", async () => {
        await take(gpu, input.files[0]);
        // The same file may be chosen again.
        input.value = "";
        input.focus();
    });
    element("data-cancel").addEventListener("click", () => { running.isCancelled = true; });
    // A file that misses its place does not replace the page.
    for (const kind of ["dragover", "drop"]) {
        addEventListener(kind, (event) => event.preventDefault());
    }
    target.addEventListener("dragover", () => target.classList.add("over"));
    target.addEventListener("dragleave", () => target.classList.remove("over"));
    target.addEventListener("drop", (event) => {
        target.classList.remove("over");
        take(gpu, event.dataTransfer.files[0]);
    });
}
