// The tests in a Chromium: with subgroups, and without.

import { open } from "./browser.js";
import { answers, folder, show } from "./report.js";

/** Runs in the page. */
async function runInPage([extent, withSubgroups, answers]) {
    const { run } = await import("/built/suite.js");
    return run({ name: "Chromium", gpu: navigator.gpu, extent, withSubgroups, ...answers, expectedFailures: {} });
}

const { version, page, close } = await open(folder);
try {
    const globals = () => Object.keys(globalThis).join();
    const before = await page.evaluate(globals);
    // Deno runs all of the forms without subgroups.
    for (const [extent, withSubgroups] of [["most", true], ["least", false]]) {
        show(`Chromium ${version}`, { hasSubgroups: withSubgroups }, await page.evaluate(runInPage, [extent, withSubgroups, answers]));
    }
    if (await page.evaluate(globals) !== before) {
        throw new Error("the package leaves something global");
    }
} finally {
    await close();
}
