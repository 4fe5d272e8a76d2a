// The panels: what they show is right, with subgroups and without, by mouse, keyboard and on a phone.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import {
    chooseLevel, committed, committedDoubles, dist, dropAndWait, figures, open, prove, rowsOf, shoot, shootPanels, untilSaid,
    visit,
} from "./browser.js";
import { npy, png } from "./files.js";
import { LEVELS } from "./shaders.js";

/** Bytes of the page and all that it loads, compressed one by one. */
const MOST_BYTES = 500_000;

let session;
before(async () => { session = await open(); });
after(() => session.close());

/** Runs the ladder by hand, and returns its rows. */
async function runLadder(page, type, elements = String(2 ** 14)) {
    await page.getByLabel("Elements").selectOption(elements);
    await page.getByLabel("Type").selectOption(type);
    await page.getByRole("button", { name: "Run all levels" }).click();
    await untilSaid(page, "Done");
    const rows = await rowsOf(page, "levels");
    const right = rows.filter((row) => row.at(-1) === "right").length;
    const said = await page.locator("#status").textContent();
    assert.ok(said.startsWith(`Done: ${right} answers, all right`), said);
    return rows;
}

/** That all levels are timed by one clock, over many sums, and told consistently. */
function assertTimes([titles, ...lines]) {
    const rows = lines.map((line) => Object.fromEntries(line.map((text, index) => [titles[index], text])));
    assert.equal(new Set(rows.map(({ clock }) => clock)).size, 1, "several clocks");
    assert.equal(Number(rows[0].speed_up), 1);
    for (const { name, elements, ms, gb_per_s, speed_up, sums_timed } of rows) {
        assertNear(gb_per_s, (elements * 4) / (ms * 1e6));
        assertNear(speed_up, gb_per_s / rows[0].gb_per_s);
        // Together far above the steps of a browser's clock.
        assert.ok(ms * sums_timed > 10 || sums_timed === "4096", `${name}: ${sums_timed} sums of ${ms} ms`);
    }
}

async function savedBy(page, name) {
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    return readFileSync(await (await saving).path(), "utf8");
}

test("the page is small, and all of it is its own", () => {
    const entries = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const files = Object.fromEntries(entries.map(({ parentPath, path = parentPath, name }) => {
        return [name, gzipSync(readFileSync(join(path, name)), { level: 9 }).length];
    }));
    assert.deepEqual(Object.keys(files).sort(),
        ["index.html", "main.js", "style.css", "wgpu_reduce_web.js", "wgpu_reduce_web_bg.wasm"]);
    const bytes = Object.values(files).reduce((sum, count) => sum + count, 0);
    console.log(`${bytes} bytes, compressed: ${JSON.stringify(files)}`);
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
});

test("with subgroups: adapter, ladder, its files, its shaders", async () => {
    const { page, complaints, leave } = await visit(session, { viewport: { width: 1180, height: 1600 } });
    await untilSaid(page, "Ready.");
    // What the browser tells comes later.
    await page.locator("#facts th").filter({ hasText: "Vendor" }).waitFor();
    const facts = Object.fromEntries((await rowsOf(page, "facts")).map(([what, ...rest]) => [what, rest]));
    assert.notEqual(facts.Subgroups[0], "no");
    assert.equal(facts.Subgroups[1], "yes");
    assert.ok(facts.Vendor && facts.Architecture, "the browser names its adapter");

    const rows = await runLadder(page, "f32", String(2 ** 16));
    assert.equal(rows.length, LEVELS);
    assert.deepEqual(rows.map((row) => row.at(-1)), Array(LEVELS).fill("right"));

    const csv = (await savedBy(page, "Save as CSV")).trimEnd().split("\r\n").map((line) => line.split(","));
    assert.equal(csv.length, LEVELS + 1);
    assert.deepEqual(csv[5].slice(0, 4), ["4", "barrier_first", "f32", "65536"]);
    assertTimes(csv);
    const svg = await savedBy(page, "Save as SVG");
    const bars = await page.evaluate((text) => {
        const picture = new DOMParser().parseFromString(text, "image/svg+xml");
        return picture.querySelector("parsererror") ? -1 : picture.querySelectorAll("rect").length;
    }, svg);
    // One is the paper.
    assert.equal(bars, LEVELS + 1);

    await page.getByRole("button", { name: /^04/ }).click();
    assert.equal(await page.evaluate(() => document.activeElement.id), "level-title");
    assert.ok((await page.locator("#level-description").textContent()).length > 20);
    assert.match(await page.locator("#level-wgsl").textContent(), /@compute/);
    assert.ok(await page.locator("#level-wgsl .wgsl-comment").count() > 0);
    await shoot(page, "ladder-light");
    await untilSaid(page, "in 3 orders", "verdict");
    // The README's picture has a step that banks slow down, and a part of the shader.
    await page.addStyleTag({ content: "#shader { max-height: 16rem; }" });
    await chooseLevel(page, 2);
    await page.locator("#step").fill("3");
    await page.locator("#step").blur();
    await shootPanels(page, "readme", ["ladder", "sums"]);
    assert.deepEqual(complaints, []);
    await leave();
});

test("without subgroups: levels that need them say so, the others are right", async () => {
    const { page, complaints, leave } = await visit(session, { query: "?subgroups=no", colorScheme: "dark" });
    await untilSaid(page, "Ready.");
    const facts = Object.fromEntries((await rowsOf(page, "facts")).map(([what, ...rest]) => [what, rest]));
    assert.equal(facts.Subgroups[0], "no");
    for (const type of ["i32", "u32"]) {
        const answers = (await runLadder(page, type)).map((row) => row.at(-1));
        // From 10 on, the first with a subgroup in its name.
        assert.deepEqual(answers, [...Array(10).fill("right"), ...Array(LEVELS - 10).fill("needs subgroups")]);
    }
    await shoot(page, "ladder-dark");
    assert.deepEqual(complaints, []);
    await leave();
});

test("exact sums have the bits that they have outside of browsers, in any order", async () => {
    const folder = dirname(fileURLToPath(import.meta.url));
    const expected = readFileSync(join(folder, "exact_bits.txt"), "utf8").trim();
    for (const query of ["", "?subgroups=no"]) {
        const { page, complaints, leave } = await visit(session, { query });
        await untilSaid(page, "in 3 orders", "verdict");
        // By keyboard.
        await page.getByRole("button", { name: "Sum in another order" }).press("Enter");
        await untilSaid(page, "in 4 orders", "verdict");
        const rows = await rowsOf(page, "orders");
        assert.deepEqual(rows.map((row) => row[3].split(/\s+/)[1]), Array(4).fill(expected));
        assert.ok(rows.some((row) => row[1] !== rows[0][1]), "no order differs");
        assert.match(await page.locator("#verdict").textContent(), /sum_exact 1\. The CPU's exact sum has the same/);
        await page.getByRole("button", { name: "Time them" }).press("Enter");
        await untilSaid(page, "Medians of 11", "costs");
        const times = (await page.locator("#costs").textContent()).match(/[\d.]+ (?=µs|ms|s\b)/g).map(Number);
        assert.ok(times.length === 3 && times.every((time) => time > 0), times.join());
        assert.deepEqual(complaints, []);
        await leave();
    }
});

test("exact sums, means, dot products and sums of rows of the committed list have the committed bits", async () => {
    // Where a digit of one line is wrong, that line is named, by its own call and as a row.
    const few = committed.split("\n").filter((line) => line.startsWith("Uniform")).slice(0, 3).join("\n");
    const wrong = few.replace("Uniform 1 1 3f110a2d", "Uniform 1 1 3f110a2e");
    for (const query of ["", "?subgroups=no"]) {
        const { page, complaints, leave } = await visit(session, { query });
        await untilSaid(page, "Ready.");
        const differing = await prove(page, "prove", committed, wrong);
        assert.equal(differing[0], "");
        assert.match(differing[1], /^Uniform 1 1 3f110a2e.*\nUniform 1 1 3f110a2e.*\n$/);
        assert.deepEqual(complaints, []);
        await leave();
    }
});

test("exact sums and means of the committed list of f64 have the committed bits, too", async () => {
    const few = committedDoubles.split("\n").filter((line) => line.startsWith("Uniform")).slice(0, 3).join("\n");
    const wrong = few.replace("3ff57207bee28936", "3ff57207bee28937").replace("3fde6fc9172de701", "3fde6fc9172de702");
    for (const query of ["", "?subgroups=no"]) {
        const { page, complaints, leave } = await visit(session, { query });
        await untilSaid(page, "Ready.");
        const differing = await prove(page, "prove_f64", committedDoubles, wrong);
        assert.equal(differing[0], "");
        assert.match(differing[1], /^Uniform 2 2 3ff57207bee28937.*\nUniform 3 3 \w+ 3fde6fc9172de702.*\n$/);
        assert.deepEqual(complaints, []);
        await leave();
    }
});

/** Of elements as numbers. */
function expectedOf(elements) {
    const mean = elements.reduce((sum, element) => sum + element, 0) / elements.length;
    const squares = elements.reduce((sum, element) => sum + (element - mean) ** 2, 0);
    return { mean, deviation: Math.sqrt(squares / elements.length) };
}

function assertNear(text, expected) {
    assert.ok(Math.abs(Number(text) - expected) <= 1e-5 * Math.abs(expected), `${text}, not ${expected}`);
}

test("arrays of every type that are dropped have the right figures", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "Ready.");
    const numbers = [5, 3, 9, 9, 2, 7];
    for (const dtype of ["|u1", "|i1", "<u2", ">i2", "<u4", ">i4", "<u8", ">i8", "<f4", ">f4", "<f8"]) {
        const isWide = ["u8", "i8"].includes(dtype.slice(1));
        const isFortran = dtype[0] === ">";
        await dropAndWait(page, `of ${dtype}.npy`.replace(/[<>|]/, ""), npy(dtype, [2, 3],
            isWide ? numbers.map(BigInt) : numbers, isFortran));
        const [row] = await figures(page);
        assert.deepEqual([row.count, Number(row.min), Number(row.max)], ["6", 2, 9], dtype);
        // In memory they are the fifth and the third.
        const places = isFortran ? ["[0, 2]", "[0, 1]"] : ["[1, 1]", "[0, 2]"];
        assert.deepEqual([row.argmin, row.argmax], places, dtype);
        const { mean, deviation } = expectedOf(numbers);
        // Of bytes themselves; of others the bins that they are in: what finds ranks is too large for the page.
        const quartiles = [row["25 %"], row.median, row["75 %"]];
        assert.deepEqual(quartiles, dtype === "|u1" ? ["3.5", "6.0", "8.5"]
            : ["2.9843 to 5.0079", "4.9531 to 7.0313", "6.9765 to 9"], dtype);
        assertNear(row.sum, 35);
        assertNear(row.mean, mean);
        if (dtype.slice(1) !== "f8" && !isWide) {
            assertNear(row["standard deviation"], deviation);
        }
    }
    // The last was of f64.
    assert.equal(await page.locator("#histograms svg").count(), 1);
    await dropAndWait(page, "again.npy", npy("<f4", [6], numbers));
    const words = await page.locator("#histograms svg").getAttribute("aria-label");
    assert.match(words, /^Histogram: 128 bins from 2 to 9\. The fullest, from 8\.9\d* to 9, has 2 elements\.$/);
    // In the middle of where they may be.
    const lines = await page.locator("#histograms .quartile").evaluateAll((all) => all.map((line) => line.x1.baseVal.value));
    lines.forEach((x, index) => assertNear(x, (512 * ([3.99609375, 5.9921875, 7.98828125][index] - 2)) / 7));
    assert.equal(lines.length, 3);
    assert.match(await page.locator("#drag").textContent(), /only a quartile's bin is known, the table says “a to b”/);
    // 1, 2, NaN and −65504 as they are in 16 bits.
    await dropAndWait(page, "of f2.npy", npy("<f2", [4], [0x3C00, 0x4000, 0x7E00, 0xFBFF]));
    assert.equal((await figures(page))[0].NaN, "1");
    assert.equal((await figures(page))[0].argmin, "[2]");
    assert.match(await page.locator("#histograms svg").getAttribute("aria-label"),
        /^Histogram: 128 bins from -65504 to 2\..* has 2 elements\. Not in a bin: 1 NaN\.$/);
    for (const [name, elements, why] of [
        ["infinite", [1, Infinity, NaN], "bins would reach to an infinity"],
        ["nothing", [NaN, NaN], "every element is NaN"],
    ]) {
        await dropAndWait(page, `${name}.npy`, npy("<f4", [elements.length], elements));
        assert.match(await page.locator("#histograms").textContent(), new RegExp(why));
    }
    await dropAndWait(page, "empty.npy", npy("<f4", [0], []));
    assert.deepEqual((await figures(page))[0], { count: "0", min: "–", argmin: "–", max: "–",
        argmax: "–", sum: "–", mean: "–", "standard deviation": "–" });
    assert.deepEqual(complaints, []);
    await leave();
});

test("an array of several pieces, chosen by the button, has the right figures", async () => {
    const { page, complaints, leave } = await visit(session, { query: "?subgroups=no" });
    await untilSaid(page, "Ready.");
    const count = 3_000_001;
    const elements = Array.from({ length: count }, (_, index) => (index * 7919) % 65_521);
    elements[2_999_999] = 70_000;
    await page.getByLabel("Choose a file").setInputFiles({
        name: "large.npy", mimeType: "application/octet-stream", buffer: npy("<u4", [count], elements),
    });
    await untilSaid(page, "large.npy: u32 of shape (3000001)", "data-status");
    const [row] = await figures(page);
    assert.deepEqual([row.count, row.max, row.argmax], [String(count), "70000", "[2999999]"]);
    const { mean, deviation } = expectedOf(elements);
    assertNear(row.mean, mean);
    assertNear(row["standard deviation"], deviation);
    assert.deepEqual(complaints, []);
    await leave();
});

test("an image that is dropped has figures for each channel", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "Ready.");
    const [width, height] = [61, 40];
    const pixel = (x, y) => [x, y, x === 7 && y === 31 ? 255 : 3];
    await dropAndWait(page, "picture.png", png(width, height, pixel));
    const rows = await figures(page);
    assert.deepEqual(rows.map((row) => row.Channel), ["red", "green", "blue", "alpha"]);
    assert.deepEqual(rows.map((row) => row.count), Array(4).fill(String(width * height)));
    assert.deepEqual(rows.map((row) => row.max), ["60", "39", "255", "255"]);
    assert.deepEqual(rows.map((row) => row.argmax), ["x 60, y 0", "x 0, y 39", "x 7, y 31", "x 0, y 0"]);
    assert.deepEqual(rows.map((row) => row.median), ["30.0", "19.5", "3.0", "255.0"]);
    assertNear(rows[0].mean, 30);
    assertNear(rows[1].mean, 19.5);
    // Told in words, too: of green each of 40 values is that of 61 pixels.
    const words = await page.locator("#histograms svg").evaluateAll((all) => all.map((svg) => svg.ariaLabel));
    assert.equal(words.length, 4);
    assert.equal(words[1], "Histogram of green: 256 bins from 0 to 256. The fullest, from 0 to 1, has 61 elements.");
    assert.equal(words[2], "Histogram of blue: 256 bins from 0 to 256. The fullest, from 3 to 4, has 2439 elements.");
    await shoot(page, "image");
    assert.deepEqual(complaints, []);
    await leave();
});

test("a file that is damaged is told, and the next one is read", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "Ready.");
    const whole = npy("<f4", [4], [1, 2, 3, 4]);
    await dropAndWait(page, "short.npy", whole.subarray(0, -3));
    await untilSaid(page, "truncated at byte", "data-status");
    await dropAndWait(page, "notes.txt", Buffer.from("hello"));
    await untilSaid(page, "neither a .npy file nor an image", "data-status");
    await dropAndWait(page, "whole.npy", whole);
    assert.equal((await figures(page))[0].max, "4.0");
    assert.deepEqual(complaints, []);
    await leave();
});

test("nothing leaves the machine", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "in 3 orders", "verdict");
    await page.waitForLoadState("networkidle");
    const requests = [];
    page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
    page.on("websocket", (socket) => requests.push(socket.url()));
    await dropAndWait(page, "numbers.npy", npy("<f4", [4], [1, 2, 3, 4]));
    assert.equal((await figures(page))[0].max, "4.0");
    await dropAndWait(page, "picture.png", png(16, 16, (x, y) => [x * 16, y * 16, 128]));
    assert.equal((await figures(page))[0].Channel, "red");
    await page.waitForLoadState("networkidle");
    assert.deepEqual(requests, []);
    // Were there one, it would be seen, and the page's own policy forbids all to elsewhere.
    const isRefused = await page.evaluate(() => fetch("https://example.org/").then(() => false, () => true));
    assert.ok(isRefused);
    await page.evaluate(() => fetch("style.css"));
    assert.deepEqual(requests.map((request) => request.split("/").at(-1)).at(-1), "style.css");
    assert.ok(complaints.every((complaint) => complaint.includes("https://example.org/")), complaints.join());
    await leave();
});

/** Cells that are not whole within the screen, or do not say of what column they are; `[]` if all is well. */
function cellsOutside(page) {
    return page.locator("tbody th, tbody td").evaluateAll((cells) => cells.filter((cell) => {
        const box = cell.getBoundingClientRect();
        const isNamed = cell.tagName === "TH" || getComputedStyle(cell, "::before").content.length > 4;
        const isSeen = box.width > 0 && box.left >= 0 && box.right <= innerWidth && cell.scrollWidth <= box.width + 1;
        return cell.textContent && !(isSeen && isNamed);
    }).map((cell) => cell.textContent));
}

test("on a phone nothing is wider than the screen, and nothing is hidden", async () => {
    for (const colorScheme of ["light", "dark"]) {
        const viewport = { width: 360, height: 740 };
        const { page, complaints, leave } = await visit(session, { viewport, colorScheme, hasTouch: true });
        await untilSaid(page, "in 3 orders", "verdict");
        await runLadder(page, "i32", String(2 ** 12));
        await dropAndWait(page, "picture.png", png(16, 16, (x, y) => [x * 16, y * 16, 128]));
        await page.getByRole("button", { name: /^10/ }).tap();
        await page.getByLabel("Show times").tap();
        const width = await page.evaluate(() => document.scrollingElement.scrollWidth);
        assert.ok(width <= viewport.width, `${width} pixels`);
        assert.deepEqual(await cellsOutside(page), []);
        // To screen readers they are tables still.
        const level = page.getByRole("table", { name: "Levels of the ladder" }).getByRole("row").nth(5);
        assert.match(await level.getByRole("rowheader").textContent(), /^04/);
        assert.equal(await level.getByRole("cell").last().textContent(), "right");
        await shoot(page, `phone-${colorScheme}`);
        assert.deepEqual(complaints, []);
        await leave();
    }
});
