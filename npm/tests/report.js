// What hosts of the tests share: where files are, and how outcomes are shown.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The package's folder. */
export const folder = join(dirname(fileURLToPath(import.meta.url)), "..");

const read = (path) => readFileSync(join(folder, "..", path), "utf8").trim();

/** What the page's tests, and those of other adapters, have, too. */
export const answers = {
    exactBits: read("web-demo/tests/exact_bits.txt"),
    numpyResults: read("tests/data/numpy_results.txt"),
};

/**
 * Prints a runtime's row, and the tests that failed, for which the process fails in the end. Shaders have to use subgroups, or not, as
 * is expected of the runtime.
 */
export function show(runtime, { hasSubgroups: isExpected }, { adapter, hasSubgroups, outcomes }) {
    const failed = outcomes.filter(({ error }) => error !== undefined);
    if (hasSubgroups !== isExpected) {
        failed.push({ name: "subgroups", error: `shaders ${hasSubgroups ? "have" : "lack"} them, which is not expected` });
    }
    const seconds = outcomes.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
    const subgroups = hasSubgroups ? "subgroups" : "no subgroups";
    console.log(`| ${runtime} | ${adapter || "has no name"} | ${subgroups} | ${outcomes.filter(({ error }) => !error).length} of ${outcomes.length} | ${seconds} s |`);
    for (const { name, error } of failed) {
        console.log(`FAILED ${name}: ${error}`);
    }
    if (process.argv.includes("--times")) {
        outcomes.forEach(({ name, milliseconds }) => console.log(`  ${milliseconds} ms  ${name}`));
    }
    process.exitCode ||= failed.length > 0 ? 1 : 0;
}
