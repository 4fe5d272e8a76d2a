// An image's pixels by groups of colours, as a picture and as a table.

import { colours_of as coloursOf } from "./pkg/wgpu_reduce_web.js";
import { addCell, addHead, element, inNumber, nameCells } from "./page.js";

/** The image is shown no larger than this. */
const MOST_PIXELS = 320;

const CHANNELS = ["red", "green", "blue", "alpha"];

/** How much is left of pixels that are not meant. */
const FAINT = 0.12;

let shown;

/** A small form of an image, in which each pixel is one of the image's. */
export function previewOf(bitmap) {
    const scale = Math.min(1, MOST_PIXELS / Math.max(bitmap.width, bitmap.height));
    const [width, height] = [bitmap.width, bitmap.height].map((extent) => Math.max(1, Math.round(extent * scale)));
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    context.imageSmoothingEnabled = false;
    context.drawImage(bitmap, 0, 0, width, height);
    return context.getImageData(0, 0, width, height);
}

/** Draws pixels in a canvas; `change` is told of each one its number, and where its channels are in which array. */
function paint(id, { width, height, data }, words, change) {
    const canvas = element(id);
    Object.assign(canvas, { width, height });
    canvas.setAttribute("aria-label", words);
    const channels = new Uint8ClampedArray(data);
    for (let pixel = 0; pixel < width * height; pixel += 1) {
        change(pixel, 4 * pixel, channels);
    }
    canvas.getContext("2d").putImageData(new ImageData(channels, width, height), 0, 0);
}

const shareOf = (group, all) => `${((100 * group.count) / all).toPrecision(3)} %`;

function rowOf(group, all, most) {
    const row = document.createElement("tr");
    const [sample, name] = [document.createElement("i"), document.createElement("span")];
    sample.className = "sample";
    sample.style.background = `rgb(${group.mean.slice(0, 3).map(Math.round).join(" ")})`;
    name.append(sample, group.name);
    addHead(row, "row", name);
    const [rate, bar, figure] = ["div", "div", "span"].map((kind) => document.createElement(kind));
    [rate.className, bar.className] = ["rate", "bar"];
    bar.style.transform = `scaleX(${group.count / most})`;
    figure.textContent = shareOf(group, all);
    rate.append(bar, figure);
    addCell(row).append(rate);
    addCell(row, group.count, "number");
    group.mean.slice(0, 3).forEach((mean) => addCell(row, inNumber(mean.toFixed(2)), "number"));
    return row;
}

/** Hides what is shown of an image. */
export function hideColours() {
    shown = undefined;
    element("colours").hidden = true;
}

/** Shows the image beside its groups. */
export function showColours(preview, groups) {
    shown = preview;
    const sorted = [...groups].sort((a, b) => b.count - a.count);
    const all = sorted.reduce((sum, { count }) => sum + count, 0);
    const means = [];
    sorted.forEach(({ number, mean }) => { means[number] = mean; });
    const numbers = coloursOf(preview.data);
    const words = sorted.map((group) => `${group.name} ${shareOf(group, all)}`).join(", ");
    showPixels();
    paint("grouped", preview, `The image, each pixel in the mean colour of its group: ${words}.`, (pixel, at, channels) => {
        channels.set(means[numbers[pixel]] ?? [], at);
    });
    element("colours-body").replaceChildren(...sorted.map((group) => rowOf(group, all, sorted[0].count)));
    nameCells(element("colours-body").closest("table"));
    element("colours").hidden = false;
}

/** Shows the image; the pixels that are not in a part of it faintly, if one is chosen. */
export function showPixels(name, first, end) {
    if (!shown) {
        return;
    }
    const channel = CHANNELS.indexOf(name);
    const words = name ? `The image: pixels with ${name} from ${first} to below ${end} stand out.` : "The image.";
    paint("pixels", shown, words, (_, at, channels) => {
        if (name && !(channels[at + channel] >= first && channels[at + channel] < end)) {
            channels[at + 3] *= FAINT;
        }
    });
}
