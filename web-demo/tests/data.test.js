// Your data: quartiles, parts of histograms that are dragged over, and an image's groups of colours.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dropAndWait, figures, open, rowsOf, shootNode, untilSaid, visit } from "./browser.js";
import { npy, png } from "./files.js";

let session;
before(async () => { session = await open(); });
after(() => session.close());

/** What is said of the part that is chosen, of one histogram. */
const saidOf = (page, chart = 0) => page.locator("#histograms output").nth(chart);

/** The slider for one end of a part. */
const endOf = (page, name, chart = 0) => page.locator("#histograms figure").nth(chart).getByRole("slider", { name: new RegExp(`^${name}`) });

/** Chooses bins by the sliders, and waits until they are reduced. */
async function choose(page, first, last, chart = 0) {
    await endOf(page, "To", chart).fill(String(last));
    await endOf(page, "From", chart).fill(String(first));
    await page.waitForFunction(([chart, first, last]) => {
        const figure = document.querySelectorAll("#histograms figure")[chart];
        const ends = [...figure.querySelectorAll("input")].map((input) => Number(input.value));
        return ends[0] === first && ends[1] === last && figure.querySelector("output").ariaBusy === "false";
    }, [chart, first, last]);
}

/** Of numbers, what the table of figures has. */
function expectedOf(numbers) {
    const sum = numbers.reduce((sum, number) => sum + number, 0);
    return { count: numbers.length, min: Math.min(...numbers), max: Math.max(...numbers), sum, mean: sum / numbers.length };
}

/** That a row of figures has them. */
function assertFigures(row, numbers, what) {
    for (const [title, expected] of Object.entries(expectedOf(numbers))) {
        assert.ok(Math.abs(Number(row[title]) - expected) <= 1e-6 * Math.abs(expected), `${what}: ${title} is ${row[title]}, not ${expected}`);
    }
}

/** Numbers as halves, for the file. */
function halves(numbers) {
    const bitsOf = (number) => {
        const size = Math.abs(number);
        const exponent = size ? Math.floor(Math.log2(size)) : -15;
        const bits = size ? ((exponent + 15) << 10) | ((size / 2 ** exponent - 1) * 1024) : 0;
        return bits | (number < 0 ? 0x8000 : 0);
    };
    return numbers.map(bitsOf);
}

test("the part of a histogram is reduced on the GPU, of every type", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "Ready.");
    for (const dtype of ["|u1", "|i1", "<u2", ">i2", "<u4", "<i4", "<u8", "<i8", "<f2", "<f4", "<f8"]) {
        const isUnsigned = dtype[1] === "u";
        // In another order than that of their sizes.
        const numbers = Array.from({ length: 256 }, (_, index) => ((index * 77) % 256) - (isUnsigned ? 0 : 128));
        const given = { "<u8": () => numbers.map(BigInt), "<i8": () => numbers.map(BigInt), "<f2": () => halves(numbers) };
        await dropAndWait(page, `of ${dtype.slice(1)}.npy`, npy(dtype, [16, 16], given[dtype]?.() ?? numbers));
        const count = Number(await endOf(page, "To").getAttribute("max")) + 1;
        assert.equal(count, dtype === "|u1" ? 256 : 128);
        const [low, high] = isUnsigned ? [0, 255] : [-128, 127];
        const edge = (bin) => (dtype === "|u1" ? bin : low + (bin * (high - low)) / count);
        // In the middle, at the beginning, and with the upper end of the last bin.
        for (const [first, last] of [[count / 4, count / 2 - 1], [0, 0], [count - 9, count - 1]]) {
            await choose(page, first, last);
            const isIn = (number) => number >= edge(first) && (number < edge(last + 1) || last === count - 1);
            const part = numbers.filter(isIn);
            const [row] = await figures(page, "part");
            assertFigures(row, part, `${dtype} from ${first} to ${last}`);
            const placeOf = (number) => `[${Math.floor(numbers.indexOf(number) / 16)}, ${numbers.indexOf(number) % 16}]`;
            assert.deepEqual([row.argmin, row.argmax], [Math.min(...part), Math.max(...part)].map(placeOf), dtype);
            assert.match(await saidOf(page).textContent(), new RegExp(`^${part.length} elements from .*, .* %\\. Sum .*, mean .*\\. Reduced in `));
        }
    }
    // What is nowhere in a bin is nowhere in a part, and where there is nothing it is said.
    await dropAndWait(page, "odd.npy", npy("<f4", [7], [-1, -0, 0, NaN, 0.5, 1, NaN]));
    await choose(page, 64, 127);
    assertFigures((await figures(page, "part"))[0], [-0, 0, 0.5, 1], "−0 is 0");
    await choose(page, 0, 63);
    assertFigures((await figures(page, "part"))[0], [-1], "without −0");
    await choose(page, 10, 20);
    assert.match(await saidOf(page).textContent(), /^0 elements from .*, 0\.00 %\. Reduced in /);
    assert.deepEqual(complaints, []);
    await leave();
});

test("a part is chosen by mouse, by touch and by keyboard, and what is chosen last counts", async () => {
    const { page, complaints, leave } = await visit(session, { viewport: { width: 700, height: 900 }, hasTouch: true });
    await untilSaid(page, "Ready.");
    const numbers = Array.from({ length: 256 }, (_, index) => index);
    await dropAndWait(page, "numbers.npy", npy("<f4", [256], numbers));
    const chart = page.locator("#histograms svg");
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    const at = (share) => [box.x + share * box.width, box.y + box.height / 2];
    const part = (from, to) => `${to - from} elements from ${(from * 255) / 256}`;
    await page.mouse.move(...at(0.2501));
    await page.mouse.down();
    // Several are on their way at once.
    await page.mouse.move(...at(0.9), { steps: 20 });
    await page.mouse.move(...at(0.4999), { steps: 20 });
    await page.mouse.up();
    await saidOf(page).filter({ hasText: part(64, 128) }).waitFor();
    assertFigures((await figures(page, "part"))[0], numbers.slice(64, 128), "by mouse");
    // Nothing follows a mouse whose button is up.
    await page.mouse.move(...at(0.9));
    assert.equal(await endOf(page, "To").inputValue(), "63");

    const touches = await page.context().newCDPSession(page);
    const touch = (type, ...points) => touches.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
    await touch("touchStart", at(0.9999));
    for (const share of [0.95, 0.9, 0.8, 0.7501]) {
        await touch("touchMove", at(share));
    }
    await touch("touchEnd");
    await saidOf(page).filter({ hasText: part(192, 256) }).waitFor();
    assertFigures((await figures(page, "part"))[0], numbers.slice(192), "by touch");

    await endOf(page, "From").focus();
    await page.keyboard.press("Home");
    await endOf(page, "To").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await saidOf(page).filter({ hasText: /^4 elements from 0 to below 3\.98/ }).waitFor();
    assert.equal(await endOf(page, "To").getAttribute("aria-valuetext"), "3.984375");
    // One end takes the other along.
    await endOf(page, "From").focus();
    await page.keyboard.press("End");
    await saidOf(page).filter({ hasText: /^2 elements from 253\.0\d* to 255, / }).waitFor();
    assert.equal(await endOf(page, "To").inputValue(), "127");
    await shootNode(page, "data", "part");
    assert.deepEqual(complaints, []);
    await leave();
});

/** Colours of an image's pixels, and the names of their groups. */
const PIXELS = [[[250, 10, 10], "red"], [[230, 30, 10], "red"], [[10, 200, 30], "green"], [[20, 40, 220], "blue"], [[90, 95, 100], "grey"]];

const pixelAt = (x, y) => PIXELS[(x * x + 3 * y) % PIXELS.length];

const pixelsOf = (width, height) => Array.from({ length: width * height }, (_, index) => pixelAt(index % width, Math.floor(index / width)));

test("pixels with one channel in a part have figures of all channels, and stand out", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "Ready.");
    const [width, height] = [64, 48];
    await dropAndWait(page, "picture.png", png(width, height, (x, y) => pixelAt(x, y)[0]));
    const chosen = pixelsOf(width, height).map(([pixel]) => pixel).filter(([, green]) => green >= 30 && green <= 95);
    await choose(page, 30, 95, 1);
    await saidOf(page, 1).filter({ hasText: `${chosen.length} pixels with green from 30 to below 96` }).waitFor();
    const rows = await figures(page, "part");
    assert.deepEqual(rows.map((row) => row.Channel), ["red", "green", "blue", "alpha"]);
    rows.forEach((row, channel) => assertFigures(row, chosen.map((pixel) => pixel[channel] ?? 255), row.Channel));
    const alphas = await page.locator("#pixels").evaluate((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return Array.from({ length: data.length / 4 }, (_, pixel) => data[4 * pixel + 3]);
    });
    assert.equal(alphas.filter((alpha) => alpha === 255).length, chosen.length);
    // One part at a time.
    await choose(page, 200, 255, 0);
    await saidOf(page, 0).filter({ hasText: "pixels with red" }).waitFor();
    assert.equal(await saidOf(page, 1).textContent(), "");
    assert.equal(await page.locator("#histograms .under").nth(1).getAttribute("width"), "0");
    await shootNode(page, "data", "image-part");
    // What comes next has no part.
    await dropAndWait(page, "numbers.npy", npy("<f4", [4], [1, 2, 3, 4]));
    assert.ok(await page.locator("#part").isHidden());
    assert.ok(await page.locator("#colours").isHidden());
    assert.deepEqual(complaints, []);
    await leave();
});

test("an image's pixels are counted and averaged by groups of colours", async () => {
    const { page, complaints, leave } = await visit(session, { viewport: { width: 1200, height: 900 } });
    await untilSaid(page, "Ready.");
    const [width, height] = [61, 40];
    await dropAndWait(page, "picture.png", png(width, height, (x, y) => pixelAt(x, y)[0]));
    const pixels = pixelsOf(width, height);
    const names = [...new Set(pixels.map(([, name]) => name))];
    const expected = names.map((name) => {
        const all = pixels.filter(([, own]) => own === name);
        const mean = [0, 1, 2].map((channel) => Number((all.reduce((sum, [pixel]) => sum + pixel[channel], 0) / all.length).toFixed(2)));
        return [name, `${((100 * all.length) / pixels.length).toPrecision(3)} %`, String(all.length), ...mean.map(String)];
    });
    const rows = await rowsOf(page, "colours-body");
    const byName = (a, b) => a[0].localeCompare(b[0]);
    assert.deepEqual([...rows].sort(byName), expected.sort(byName));
    const counts = rows.map((row) => Number(row[2]));
    assert.deepEqual(counts, [...counts].sort((a, b) => b - a));
    // Each pixel has its group's mean colour.
    const drawn = await page.locator("#grouped").evaluate((canvas) => [...canvas.getContext("2d").getImageData(0, 0, 61, 40).data]);
    const meanOf = new Map(rows.map(([name, , , ...mean]) => [name, mean.map((text) => Math.round(Number(text)))]));
    pixels.forEach(([, name], pixel) => {
        const near = meanOf.get(name).every((mean, channel) => Math.abs(mean - drawn[4 * pixel + channel]) <= 1);
        assert.ok(near, `pixel ${pixel} is ${drawn.slice(4 * pixel, 4 * pixel + 3)}`);
    });
    // To screen readers, too.
    const words = await page.locator("#grouped").getAttribute("aria-label");
    assert.ok(rows.every(([name, share]) => words.includes(`${name} ${share}`)), words);
    assert.deepEqual(complaints, []);
    await leave();
});

test("who has no picture at hand takes one that the page draws", async () => {
    for (const [width, colorScheme] of [[360, "dark"], [1200, "light"]]) {
        const { page, complaints, leave } = await visit(session, { viewport: { width, height: 900 }, colorScheme });
        await untilSaid(page, "in 3 orders", "verdict");
        const requests = [];
        page.on("request", (request) => requests.push(request.url()));
        await page.getByRole("button", { name: "Take a picture drawn here" }).click();
        await untilSaid(page, "drawn here.png: image of 480 × 320 pixels", "data-status");
        const rows = await rowsOf(page, "colours-body");
        for (const name of ["blue", "green", "cyan", "yellow", "red", "white", "grey"]) {
            assert.ok(rows.some((row) => row[0] === name), `no ${name}`);
        }
        assert.equal(rows.reduce((sum, row) => sum + Number(row[2]), 0), 480 * 320);
        await choose(page, 200, 255, 2);
        await saidOf(page, 2).filter({ hasText: "pixels with blue" }).waitFor();
        assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth) <= width);
        assert.deepEqual(requests, []);
        await shootNode(page, "data", `colours-${width}`);
        assert.deepEqual(complaints, []);
        await leave();
    }
});
