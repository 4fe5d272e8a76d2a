// Your data: figures of a file that is dropped or chosen.

import { Data } from "./pkg/wgpu_reduce_web.js";
import { hideColours, previewOf, showColours, showPixels } from "./colours.js";
import { drawnFile } from "./drawn.js";
import { showFigures } from "./figures.js";
import { quartileBins } from "./histograms.js";
import { element, explain, inTime, nextTask, say, showProgress } from "./page.js";
import { endParts, startParts } from "./part.js";

/** Bytes on their way to the GPU at a time; a multiple of every element. An image's are looked at one by one. */
const [PIECE_BYTES, PIXEL_BYTES] = [4 << 20, 1 << 18];

/** No header of a file that can be read is longer. */
const HEAD_BYTES = (1 << 20) + 16;

/** The file's elements while it is shown: parts of them may be asked for. */
let shown;

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

/** What comes of `fill`; the data go if it does not come to its end. */
async function filled(data, fill) {
    try {
        return await fill();
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
        return { data };
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
    const rows = Math.max(1, Math.floor(PIXEL_BYTES / (8 * width))) * 2;
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
        return { data, preview: previewOf(bitmap) };
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

/** Shows what there is to say about the data. Returns it in a sentence, without the file's name. */
async function show({ data, preview }) {
    await breathe(undefined);
    const start = performance.now();
    const channels = [...await data.stats()];
    const ms = performance.now() - start;
    await breathe(undefined);
    const histograms = [...await data.histograms()];
    histograms.forEach((histogram, index) => {
        const channel = channels[index];
        channel.quartiles ??= histogram.counts && quartileBins(histogram);
        histogram.quartiles = channel.quartiles;
    });
    showFigures("figures", channels);
    const groups = [...await data.colours()];
    await breathe(undefined);
    startParts(data, histograms, showPixels);
    await breathe(undefined);
    if (preview) {
        showColours(preview, groups);
    }
    const isLong = channels.some((channel) => channel.deviation === undefined && channel.min !== undefined);
    const notes = [`Reduced in ${inTime(ms)}, with what the shader takes to compile.`];
    if (isLong) {
        notes.push("A dash is what the GPU does not compute of numbers of 64 bits.");
    }
    return `${data.description()}. ${notes.join(" ")}`;
}

/** Takes what is shown away. */
async function clear() {
    element("figures").hidden = true;
    hideColours();
    await endParts();
    shown?.free();
    shown = undefined;
}

function setRunning(isRunning) {
    running = isRunning ? { isCancelled: false } : undefined;
    for (const id of ["file", "draw"]) {
        element(id).disabled = isRunning;
    }
    element("data-cancel").disabled = !isRunning;
    showProgress(element("data-progress"), isRunning ? 0 : 1);
}

async function take(gpu, file) {
    const place = element("data-status");
    if (!file || running) {
        return;
    }
    setRunning(true);
    say(`Reading ${file.name} …`, false, place);
    try {
        await clear();
        const loaded = await load(gpu, file);
        shown = loaded.data;
        say(`${file.name}: ${await show(loaded)}`, false, place);
    } catch (error) {
        await clear();
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
    element("draw").addEventListener("click", async () => {
        await take(gpu, await drawnFile());
        element("draw").focus();
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
