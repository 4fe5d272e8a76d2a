// The tests in the Firefox whose path is given, by wgpu and naga: some, since Deno has the same compiler.

import { openFirefox } from "./browser.js";
import { answers, folder, show } from "./report.js";

/** Runs in the page. */
async function runInPage(answers) {
    const { run } = await import("/built/suite.js");
    const expectedFailures = {};
    return run({ name: "Firefox", gpu: navigator.gpu, extent: "least", withSubgroups: true, ...answers, expectedFailures });
}

const { version, page, close } = await openFirefox(folder, process.argv[2]);
try {
    show(version.replace("/", " "), { hasSubgroups: false }, await page.evaluate(runInPage, answers));
} finally {
    await close();
}
