// The page as a learner uses it: a first visit, a level's picture step by step, a link, sums of numbers that are pasted.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chooseLevel, open, rowsOf, shootNode, untilDrawn, untilSaid, visit } from "./browser.js";
import { LEVELS } from "./shaders.js";

let session;
before(async () => { session = await open(); });
after(() => session.close());

const textOf = (page, id) => page.locator(`#${id}`).textContent();

const pictureOf = (page) => page.locator("#stage svg");

test("a first visit runs by itself, and ends with one thing to try", async () => {
    const { page, complaints, leave } = await visit(session, { isFirst: true });
    await untilSaid(page, `Done: ${LEVELS} answers, all right`);
    assert.ok((await rowsOf(page, "levels")).every((row) => row.at(-1) === "right"));
    assert.match(await textOf(page, "count-measured"), /for 65536 elements: [\d.]+ GB\/s, workgroups of 256$/);
    assert.match(await textOf(page, "next"), /hide the levels' order: choose 2\^24\. Software adapters never show it\./);
    // The picture has played meanwhile.
    assert.doesNotMatch(await textOf(page, "count-steps"), /^1 of/);
    // Of so few invocations no two want the same bank.
    await page.locator("#shown-size").selectOption("8");
    await page.getByRole("button", { name: "Show me lanes that want the same bank" }).click();
    await untilSaid(page, "Lanes want the same bank: 3 extra turns.", "said");
    assert.match(page.url(), /size=64&subgroup=32/);
    assert.match(await textOf(page, "level-title"), /^02/);
    assert.equal(await page.locator("#stage .slot.crowded").count(), 64);
    // Somebody who comes again finds nothing running.
    const again = await page.context().newPage();
    await again.goto(session.address);
    await untilSaid(again, "in 3 orders", "verdict");
    assert.equal(await textOf(again, "status"), "Ready.");
    await untilDrawn(again);
    assert.match(await textOf(again, "count-steps"), /^1 of/);
    assert.deepEqual(complaints, []);
    await leave();
});

/** Presses something as soon as the page listens. Runs in the page. */
function beginAtOnce() {
    addEventListener("DOMContentLoaded", () => dispatchEvent(new PointerEvent("pointerdown")), { once: true });
}

test("whoever begins before the first run does is left alone", async () => {
    const { page, complaints, leave } = await visit(session, { isFirst: true, before: beginAtOnce });
    await untilSaid(page, "in 3 orders", "verdict");
    assert.equal(await textOf(page, "status"), "Ready.");
    assert.deepEqual(complaints, []);
    await leave();
});

test("nothing moves by itself for those who do not want it", async () => {
    const { page, complaints, leave } = await visit(session, { isFirst: true, reducedMotion: "reduce" });
    await untilSaid(page, `Done: ${LEVELS} answers, all right`);
    assert.match(await textOf(page, "count-steps"), /^1 of/);
    assert.equal(await textOf(page, "play"), "Play");
    assert.deepEqual(complaints, []);
    await leave();
});

test("a level is stepped by buttons and keys, and played", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "Ready.");
    await chooseLevel(page, 3);
    const said = () => textOf(page, "said");
    const runs = () => page.locator("#level-wgsl .runs").textContent();
    assert.match(await said(), /^Step 1, line \d+\. 64 of 64 invocations are awake\. Loads of numbers 0 to 63/);
    assert.match(await runs(), /value = values\[i\];/);
    // At an end a button says so, and keeps the focus of a keyboard.
    const [back, forward] = ["Back", "Forward"].map((name) => page.getByRole("button", { name }));
    assert.equal(await back.getAttribute("aria-disabled"), "true");
    await forward.press("Enter");
    assert.equal(await back.getAttribute("aria-disabled"), "false");
    await back.press("Enter");
    assert.equal(await back.getAttribute("aria-disabled"), "true");
    assert.equal(await page.evaluate(() => document.activeElement.id), "back");
    await page.keyboard.press("Enter");
    assert.match(await said(), /^Step 1, /);
    for (let step = 0; step < 3; step += 1) {
        await forward.click();
    }
    assert.match(await said(), /^Step 4, .*32 of 64 .*Read: slots 0 to 63\. Written: slots 0 to 31\. No lane waits for another at a bank\.$/);
    assert.match(await runs(), /slots\[local\] \+= slots\[local \+ distance\];/);
    // To screen readers the picture says the same.
    assert.ok((await said()).endsWith(await pictureOf(page).getAttribute("aria-label")));
    assert.equal(await page.locator("#stage .invocation.awake").count(), 32);
    assert.equal(await page.locator("#stage .invocation.asleep").count(), 32);
    assert.equal(await page.locator("#stage .slot.written").count(), 32);
    await page.locator("#stage").press("ArrowRight");
    assert.match(await said(), /^Step 5, line \d+\. A barrier: all 64/);
    assert.equal(await page.locator("#stage .invocation.waiting").count(), 64);
    assert.equal(await textOf(page, "count-barriers"), "2 of 7");
    await page.locator("#stage").press("End");
    assert.equal(await textOf(page, "count-steps"), "16 of 16");
    assert.equal(await textOf(page, "count-conflicts"), "0 of 0");
    // Played from the end, it begins anew.
    await page.locator("#stage").press(" ");
    await page.locator("#said").filter({ hasText: /^Step ([2-9]|1\d),/ }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    // Held down, the space bar is one stroke.
    await page.locator("#stage").focus();
    for (let stroke = 0; stroke < 2; stroke += 1) {
        await page.keyboard.down(" ");
    }
    await page.keyboard.up(" ");
    assert.equal(await textOf(page, "play"), "Pause");
    await page.keyboard.press(" ");
    assert.equal(await textOf(page, "play"), "Play");
    // Other sizes, other pictures.
    await page.locator("#shown-size").selectOption("16");
    await untilDrawn(page);
    assert.match(await textOf(page, "count-steps"), /^1 of 12$/);
    assert.equal(await page.locator("#stage .invocation").count(), 16);
    // Of choices that overtake each other the last counts, also when the others would be done.
    await page.evaluate(() => {
        const size = document.getElementById("shown-size");
        ["128", "64", "16"].forEach((chosen) => {
            size.value = chosen;
            size.dispatchEvent(new Event("change", { bubbles: true }));
        });
    });
    await untilDrawn(page);
    await page.waitForTimeout(500);
    assert.equal(await page.locator("#stage .invocation").count(), 16);
    await chooseLevel(page, 11);
    await page.locator("#shown-subgroup").selectOption("4");
    await untilDrawn(page);
    assert.equal(await page.locator("#stage .subgroup").count(), 4);
    await page.getByLabel("Items each").selectOption("8");
    await untilDrawn(page);
    assert.match(await said(), /^Step 1, /);
    assert.deepEqual(complaints, []);
    await leave();
});

test("an exchange of a subgroup is drawn", async () => {
    const { page, complaints, leave } = await visit(session, { query: "#level=10" });
    await untilSaid(page, "Ready.");
    await untilDrawn(page);
    const seen = [];
    for (const [level, words] of [[10, "16 further on"], [11, "Each subgroup adds up its 32 lanes"]]) {
        await chooseLevel(page, level);
        for (let step = 0; step < 40 && !(await textOf(page, "said")).includes(words); step += 1) {
            await page.locator("#stage").press("ArrowRight");
        }
        assert.equal(await pictureOf(page).getAttribute("data-kind"), "subgroup");
        seen.push(await page.locator("#stage line.exchange").count());
    }
    // Half of the lanes take a value from the other half; one takes those of all.
    assert.deepEqual(seen, [32, 64]);
    await shootNode(page, "stage", "exchange");
    assert.deepEqual(complaints, []);
    await leave();
});

test("a level has its words, its origin and its changes", async () => {
    const { page, complaints, leave } = await visit(session, { query: "#level=2" });
    await untilSaid(page, "Ready.");
    assert.match(await textOf(page, "level-source"), /^Write-up A calls it K1 .*D calls it idx .*E calls it 1 .* Percent of the GPU's peak bandwidth: A 48\.5\.$/);
    assert.match(await textOf(page, "level-fixes"), /^It removes divergence inside a subgroup, and the slow remainder\.$/);
    // What changes nothing is not offered.
    const offered = [];
    for (const level of [0, 1, 5, 6, 16]) {
        await chooseLevel(page, level);
        offered.push(await page.getByLabel("Items each").isEnabled());
    }
    assert.deepEqual(offered, [true, false, false, true, true]);
    await chooseLevel(page, 2);
    assert.equal(await textOf(page, "level-changes"),
        "Marked: 3 lines of code new since level 1, and 2 lines that went.");
    assert.equal(await page.locator("#level-wgsl ins").count(), 3);
    assert.match(await page.locator("#level-wgsl del").first().textContent(), /local % \(2u \* stride\)/);
    await page.getByText("The words", { exact: true }).click();
    assert.ok(await page.getByText("A place of a shader to which the page ties memory").isVisible());
    assert.ok(await page.getByText("An invocation's place in its subgroup.").isVisible());
    assert.equal((await page.locator("main").textContent()).match(/Harris/g).length, 1);
    assert.deepEqual(complaints, []);
    await leave();
});

test("a link leads to what was chosen", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "Ready.");
    await page.getByLabel("Type").selectOption("i32");
    await page.getByLabel("Elements").selectOption(String(2 ** 12));
    await chooseLevel(page, 5);
    await page.locator("#shown-subgroup").selectOption("16");
    const link = await page.getByRole("link", { name: "Link to what is chosen" }).getAttribute("href");
    assert.equal(new URL(page.url()).hash, link);
    await leave();
    // Whoever follows it for the first time sees that, and nothing runs.
    const other = await visit(session, { query: link, isFirst: true });
    await untilSaid(other.page, "in 3 orders", "verdict");
    assert.equal(await textOf(other.page, "status"), "Ready.");
    assert.match(await textOf(other.page, "level-title"), /^05/);
    assert.equal(await other.page.getByLabel("Type").inputValue(), "i32");
    assert.equal(await other.page.getByLabel("Elements").inputValue(), String(2 ** 12));
    assert.equal(await other.page.locator("#shown-subgroup").inputValue(), "16");
    assert.match(await textOf(other.page, "level-wgsl"), /alias T = i32;/);
    // Another one in the same page, and one that asks for what there is not.
    await other.page.evaluate(() => { location.hash = "#level=7&type=u32"; });
    await other.page.locator("#level-title").filter({ hasText: "07" }).waitFor();
    assert.match(await textOf(other.page, "level-wgsl"), /alias T = u32;/);
    await other.page.evaluate(() => { location.hash = "#level=99&type=f16&elements=3"; });
    await other.page.locator("#level-title").filter({ hasText: "01" }).waitFor();
    assert.equal(await other.page.getByLabel("Type").inputValue(), "u32");
    // That was no first visit yet.
    const first = await other.page.context().newPage();
    await first.goto(session.address);
    await untilSaid(first, "Running level");
    assert.deepEqual([...complaints, ...other.complaints], []);
    await other.leave();
});

test("on a phone a link leads to its level", async () => {
    const { page, complaints, leave } = await visit(session, { query: "#level=5", viewport: { width: 360, height: 740 } });
    await untilSaid(page, "in 3 orders", "verdict");
    const top = () => page.locator("#level-title").evaluate((title) => title.getBoundingClientRect().top);
    assert.ok(await top() > 0 && await top() < 740, `${await top()}`);
    await page.evaluate(() => scrollTo(0, 0));
    await page.evaluate(() => { location.hash = "#level=7"; });
    await untilSaid(page, "07", "level-title");
    assert.ok(await top() > 0 && await top() < 740, `${await top()}`);
    assert.deepEqual(complaints, []);
    await leave();
});

/** Counts pictures that come. Runs in the page. */
function countPictures() {
    globalThis.pictures = 0;
    const stage = document.getElementById("stage");
    new MutationObserver((records) => { globalThis.pictures += records.length; }).observe(stage, { childList: true });
}

test("a link that comes while levels ran, or later, is followed; what is measured stays, unless the type is another", async () => {
    const { page, complaints, leave } = await visit(session);
    await untilSaid(page, "in 3 orders", "verdict");
    await page.getByLabel("Elements").selectOption(String(2 ** 12));
    const follow = (hash) => page.evaluate((hash) => { location.hash = hash; }, hash);
    await page.evaluate(() => {
        const status = document.getElementById("status");
        new MutationObserver((_, observer) => {
            if (status.textContent.startsWith("Running level 3 ")) {
                observer.disconnect();
                location.hash = "#level=7&type=f32";
            }
        }).observe(status, { childList: true });
    });
    await page.getByRole("button", { name: "Run all levels" }).click();
    await untilSaid(page, `Done: ${LEVELS} answers, all right`);
    await untilSaid(page, "07", "level-title");
    const answers = async () => (await rowsOf(page, "levels")).map((row) => row.at(-1));
    await follow("#level=9");
    await untilSaid(page, "09", "level-title");
    assert.deepEqual(await answers(), Array(LEVELS).fill("right"));
    assert.match(await textOf(page, "count-measured"), /for 4096 elements/);
    await untilDrawn(page);
    await page.evaluate(countPictures);
    await follow("#level=4&type=u32");
    await untilSaid(page, "alias T = u32;", "level-wgsl");
    await untilDrawn(page);
    assert.match(await textOf(page, "level-title"), /^04/);
    assert.equal(await page.evaluate(() => globalThis.pictures), 1);
    assert.deepEqual(await answers(), Array(LEVELS).fill(""));
    assert.deepEqual(complaints, []);
    await leave();
});

test("pictures are drawn anew where their width changes, and there alone", async () => {
    const { page, complaints, leave } = await visit(session, { viewport: { width: 360, height: 700 } });
    await untilSaid(page, "in 3 orders", "verdict");
    await untilDrawn(page);
    await page.locator("#step").fill("3");
    const widths = () => page.evaluate(() => ["stage", "course"].map((id) => {
        return [document.querySelector(`#${id} svg`).width.baseVal.value, document.getElementById(id).clientWidth];
    }));
    await page.evaluate(countPictures);
    await page.setViewportSize({ width: 360, height: 500 });
    // Nothing is to come, so that there is nothing to wait for but time.
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => globalThis.pictures), 0);
    const narrow = await widths();
    // No window is resized, and there is more room.
    await page.evaluate(() => { document.querySelector("main").style.width = "760px"; });
    await page.waitForFunction(() => document.querySelector("#course svg").width.baseVal.value > 600);
    await page.waitForFunction(() => globalThis.pictures === 1);
    const wide = await widths();
    assert.ok(wide[0][0] > narrow[0][0] && wide.every(([drawn, room]) => drawn <= room), JSON.stringify({ narrow, wide }));
    assert.match(await textOf(page, "count-steps"), /^4 of/);
    assert.deepEqual(complaints, []);
    await leave();
});

/** Breaks what pictures need, until they are to be whole. Runs in the page. */
function breakProducts() {
    const { imul } = Math;
    Math.imul = (...pair) => {
        if (!globalThis.isWhole) {
            throw new Error("no products here");
        }
        return imul(...pair);
    };
}

test("a level that has no picture says why, and the rest of the page goes on", async () => {
    const { page, complaints, leave } = await visit(session, { before: breakProducts });
    await untilSaid(page, "Ready.");
    await untilSaid(page, "There is no picture of this level: no products here", "said");
    assert.equal(await pictureOf(page).count(), 0);
    for (const name of ["Play", "Forward", "Back", "Restart"]) {
        await page.getByRole("button", { name, exact: true }).click();
    }
    assert.match(await textOf(page, "level-wgsl"), /@compute/);
    const counts = async () => (await page.locator("#counts dd:not(#count-measured)").allTextContents()).join("");
    await page.evaluate(() => { globalThis.isWhole = true; });
    await chooseLevel(page, 0);
    assert.match(await textOf(page, "said"), /^Step 1, /);
    assert.notEqual(await counts(), "");
    // Figures of the picture before go with it.
    await page.evaluate(() => { globalThis.isWhole = false; });
    await chooseLevel(page, 1);
    await untilSaid(page, "There is no picture", "said");
    assert.equal(await counts(), "");
    assert.equal(await page.locator("#step").getAttribute("max"), "0");
    await page.getByLabel("Elements").selectOption(String(2 ** 12));
    await page.getByRole("button", { name: "Run all levels" }).click();
    await untilSaid(page, `Done: ${LEVELS} answers, all right`);
    assert.deepEqual(complaints, []);
    await leave();
});

test("sums disagree as a picture, of the page's numbers and of pasted ones", async () => {
    const { page, complaints, leave } = await visit(session);
    const words = () => page.locator("#course svg").getAttribute("aria-label");
    await untilSaid(page, "in 3 orders", "verdict");
    const [given, shuffled, smallest, exact] = (await page.locator("#course-key li").allTextContents())
        .map((text) => /: (-?[\d.]+)/.exec(text)[1]);
    assert.equal(new Set([given, shuffled, smallest, exact]).size, 4);
    // The same numbers as below, whose sums the GPU has.
    assert.ok((await rowsOf(page, "orders")).some((row) => Math.fround(exact) === Math.fround(row[3].split(/\s/)[0])));
    await page.getByLabel("Rounded to").selectOption("f64");
    await page.locator("#course svg[aria-label*='numbers of f64']").waitFor();
    const doubles = (await page.locator("#course-key li").allTextContents()).slice(0, 3).map((text) => /: (-?[\d.]+)/.exec(text)[1]);
    assert.ok(new Set(doubles).size > 1, doubles.join());
    assert.equal(await textOf(page, "course-said"), "");
    await page.getByLabel("Rounded to").selectOption("f32");
    await page.getByLabel("Your numbers").fill("0,1 0,2");
    await page.getByRole("button", { name: "Draw", exact: true }).click();
    await untilSaid(page, "Numbers read: 4. A comma ends a number.", "course-said");
    assert.ok(!await page.locator("#course-said").evaluate((said) => said.matches(".bad")));
    // The table's are not those that are pasted, and says so.
    assert.ok(await page.getByText("Sums of the page's own numbers by order, with their bits").isVisible());
    await page.getByLabel("Your numbers").fill("16777216, 1; 1\n-16777216");
    await page.getByRole("button", { name: "Draw", exact: true }).click();
    await page.locator("#course-key li").filter({ hasText: "as given: 0, off by −2.00" }).waitFor();
    assert.match(await words(), /^Error of running sums of 4 numbers of f32\. as given: 0, off by −2\.00; .*The exact sum, 2, stays/);
    assert.match(await words(), /smallest first: 2, off by 0/);
    await page.getByLabel("Rounded to").selectOption("f64");
    await page.locator("#course-key li").filter({ hasText: "as given: 2, off by 0" }).waitFor();
    await page.getByLabel("Rounded to").selectOption("f32");
    await page.getByLabel("Your numbers").fill("1 two 3");
    await page.getByRole("button", { name: "Draw", exact: true }).click();
    await untilSaid(page, "“two” is no finite number of f32.", "course-said");
    await page.getByLabel("Your numbers").fill("1e39");
    await page.getByRole("button", { name: "Draw", exact: true }).click();
    await untilSaid(page, "“1e39” is no finite number of f32.", "course-said");
    await page.getByLabel("Your numbers").fill("3e38 3e38 -3e38");
    await page.getByRole("button", { name: "Draw", exact: true }).click();
    await untilSaid(page, "A running sum of these numbers is beyond f32.", "course-said");
    // Of a long text the field shows the beginning; whoever changes it has what is to be seen.
    const text = Array(3000).fill("0.125").join(" ");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await page.getByLabel("Your numbers").fill("");
    await page.getByLabel("Your numbers").press("Control+v");
    await page.getByRole("button", { name: "Draw", exact: true }).click();
    await untilSaid(page, "Numbers read: 3000.", "course-said");
    assert.match(await words(), /The exact sum, 375, stays/);
    assert.match(await page.getByLabel("Your numbers").inputValue(), /^(0\.125 ){33}0. …$/);
    await page.getByLabel("Your numbers").press("End");
    await page.getByLabel("Your numbers").press("Backspace");
    await page.getByRole("button", { name: "Draw", exact: true }).click();
    await untilSaid(page, "Numbers read: 34.", "course-said");
    // What is asked for first, and takes longer, does not take the place of what is asked for last.
    const drawn = await words();
    await page.evaluate(() => {
        for (const text of ["1 2 3", "4 five"]) {
            document.getElementById("course-numbers").value = text;
            document.getElementById("course-form").requestSubmit();
        }
    });
    await untilSaid(page, "“five” is no finite number of f32.", "course-said");
    await page.waitForTimeout(300);
    assert.match(await textOf(page, "course-said"), /“five”/);
    assert.equal(await words(), drawn);
    assert.deepEqual(complaints, []);
    await leave();
});

/** Parts of the chosen level that are not whole within its column. Runs in the page. */
function partsOutside() {
    const level = document.getElementById("level").getBoundingClientRect();
    const parts = document.querySelectorAll("#level :is(h3, p, dd, button, select, #stage svg, .key li, figcaption)");
    return [...parts].filter((part) => {
        const { left, right } = part.getBoundingClientRect();
        return left < level.left - 1 || right > level.right + 1 || right > innerWidth + 1;
    }).map((part) => part.id || part.textContent);
}

test("every level's picture can be seen on a phone, a tablet and a wide screen", async () => {
    for (const [width, colorScheme] of [[360, "light"], [1000, "dark"], [1280, "light"], [1700, "light"]]) {
        const { page, complaints, leave } = await visit(session, { viewport: { width, height: 900 }, colorScheme });
        await untilSaid(page, "Ready.");
        for (let level = 0; level < LEVELS; level += 1) {
            await chooseLevel(page, level);
            // About the middle, where something happens.
            const steps = Number((await textOf(page, "count-steps")).split(" ").at(-1));
            await page.locator("#step").fill(String(Math.floor(steps / 3)));
            assert.deepEqual(await page.evaluate(partsOutside), [], `level ${level} at ${width}`);
            await shootNode(page, "stage", `level-${level}-${width}`);
        }
        const [list, shown] = await Promise.all(["levels", "level"].map((id) => page.locator(`#${id}`).boundingBox()));
        // Side by side where there is room, else one after the other.
        assert.equal(shown.x > list.x + list.width - 1, width > 360, `${width}`);
        assert.ok(shown.y < list.y + list.height || width === 360, `${width}`);
        const besides = () => page.evaluate(() => {
            const [stage, shader] = ["stage", "shader"].map((id) => document.getElementById(id).getBoundingClientRect());
            return shader.left > stage.right;
        });
        assert.equal(await besides(), width > 1000, `${width}`);
        // Figures take room, and not the level's place.
        await page.getByLabel("Show times").check();
        const [table, level] = await Promise.all(["levels", "level"].map((id) => page.locator(`#${id}`).boundingBox()));
        assert.equal(level.x > table.x + table.width - 1, width > 1000, `${width}`);
        assert.deepEqual(await page.evaluate(partsOutside), [], `figures at ${width}`);
        assert.deepEqual(complaints, []);
        await leave();
    }
});
