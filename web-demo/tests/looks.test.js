// What is seen while the page works, and whether it can be read: bars that grow, a page that does not freeze, colours.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drop, open, rowsOf, untilSaid, visit } from "./browser.js";
import { npy } from "./files.js";

let session;
before(async () => { session = await open(); });
after(() => session.close());

test("bars grow level by level", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "in 3 orders", "verdict");
    await page.getByLabel("Elements").selectOption(String(2 ** 12));
    await page.evaluate(() => {
        const drawn = (bar) => bar.style.transform !== "";
        const count = () => [...document.querySelectorAll("#levels .bar")].filter(drawn).length;
        globalThis.seen = [];
        new MutationObserver(() => globalThis.seen.push(count()))
            .observe(document.getElementById("status"), { childList: true });
    });
    await page.getByRole("button", { name: "Run all levels" }).click();
    await untilSaid(page, "Done: ");
    const levels = (await rowsOf(page, "levels")).length;
    const seen = [...new Set(await page.evaluate(() => globalThis.seen))];
    assert.deepEqual(seen, Array.from({ length: levels + 1 }, (_, index) => index));
    // The fastest is as long as there is room.
    const lengths = await page.locator("#levels .bar").evaluateAll((bars) => {
        return bars.map((bar) => parseFloat(bar.style.transform.slice("scaleX(".length)));
    });
    assert.ok(Math.max(...lengths) === 1 && Math.min(...lengths) > 0, lengths.join());
    assert.deepEqual(complaints, []);
    await leave();
});

/** Milliseconds that a task may hold the page up; machines of tests are slow, and have other work. */
const LONGEST_TASK_MS = 500;

test("the page never freezes", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "in 3 orders", "verdict");
    await page.evaluate(() => {
        globalThis.tasks = [];
        new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map((entry) => entry.duration)))
            .observe({ type: "longtask" });
    });
    const longest = async (what) => {
        const tasks = await page.evaluate(() => globalThis.tasks.splice(0));
        const ms = Math.max(0, ...tasks);
        console.log(`${what}: the longest task took ${ms} ms`);
        assert.ok(ms < LONGEST_TASK_MS, `${what}: ${ms} ms`);
    };
    await page.getByLabel("Elements").selectOption(String(2 ** 24));
    await page.getByRole("button", { name: "Run all levels" }).click();
    await untilSaid(page, "Running level 0");
    await page.locator("#cancel").click();
    await untilSaid(page, "Cancelled.");
    await longest("elements and a level");
    await drop(page, "large.npy", npy("|u1", [32 << 20], []), 32 << 20);
    await untilSaid(page, "large.npy: ", "data-status");
    await longest("a file");
    await page.getByRole("button", { name: "Sum in another order" }).click();
    await untilSaid(page, "in 4 orders", "verdict");
    await page.getByRole("button", { name: "Time them" }).click();
    await untilSaid(page, "Medians of 11", "costs");
    await longest("sums");
    // What would hold it up is seen.
    await page.evaluate(() => new Promise((resolve) => {
        setTimeout(() => {
            for (const start = performance.now(); performance.now() - start < 600;) { /* Busy. */ }
            setTimeout(resolve, 100);
        });
    }));
    await assert.rejects(longest("a loop"));
    assert.deepEqual(complaints, []);
    await leave();
});

/** Colours of text, and of what is behind it, of everything that has text of its own and is seen. Runs in the page. */
function colours() {
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const channels = (colour) => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data];
    };
    const behind = (node) => {
        const colour = node ? channels(getComputedStyle(node).backgroundColor) : [255, 255, 255, 255];
        return colour[3] === 255 ? colour : behind(node.parentElement);
    };
    const hasText = (node) => [...node.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
    const seen = [...document.querySelectorAll("body *")].filter((node) => {
        return node.checkVisibility() && hasText(node) && !node.matches(":disabled, option, script, noscript");
    });
    return seen.map((node) => {
        const name = `${node.tagName} ${node.id} ${node.className}`;
        return { name, text: channels(getComputedStyle(node).color), behind: behind(node) };
    });
}

/** Of WCAG 2.2: how much a colour is lighter than another. */
function contrast(...pair) {
    const [dark, light] = pair.map((colour) => {
        const [red, green, blue] = colour.slice(0, 3).map((channel) => {
            const part = channel / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
}

test("text can be read, in light and in dark", async () => {
    const papers = [];
    for (const colorScheme of ["light", "dark"]) {
        const { page, complaints, leave } = await visit(session, { colorScheme });
        await untilSaid(page, "in 3 orders", "verdict");
        await page.getByLabel("Elements").selectOption(String(2 ** 12));
        await page.getByRole("button", { name: "Run all levels" }).click();
        await untilSaid(page, "Done: ");
        await drop(page, "notes.txt", Buffer.from("hello"));
        await untilSaid(page, "neither a .npy file nor an image", "data-status");
        await page.getByRole("button", { name: /^10/ }).click();
        const seen = await page.evaluate(colours);
        const names = seen.map(({ name }) => name).join("\n");
        for (const part of ["wgsl-comment", "wgsl-word", "good", "bad", "note", "run main", "TH", "A "]) {
            assert.ok(names.includes(part), `no ${part} is seen`);
        }
        // What WCAG asks of text of any size.
        const faint = seen.filter(({ text, behind }) => contrast(text, behind) < 4.5);
        assert.deepEqual(faint, [], colorScheme);
        papers.push(seen[0].behind);
        assert.deepEqual(complaints, []);
        await leave();
    }
    assert.ok(contrast(papers[0], papers[1]) > 10, papers.join(" and "));
});
