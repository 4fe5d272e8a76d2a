// Browsers without a window, and a folder that they are shown: a Chromium with SwiftShader for a GPU, and a Firefox with what drivers
// the machine has.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";

const KINDS = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

function answer(folder, request, response) {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const headers = { "Content-Type": KINDS[extname(path)] ?? "text/html" };
    try {
        const bytes = readFileSync(join(folder, path === "/" ? "index.html" : path));
        response.writeHead(200, headers).end(bytes);
    } catch {
        // An empty page is enough for tests that import.
        response.writeHead(path === "/" ? 200 : 404, headers).end("<!doctype html>");
    }
}

function launchChromium() {
    return chromium.launch({
        executablePath: process.env.WGPU_REDUCE_BROWSER ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader",
            "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
}

/** Playwright has a Firefox of its own alone; this is the system's. */
function launchFirefox(executablePath) {
    return puppeteer.launch({
        browser: "firefox",
        executablePath,
        extraPrefsFirefox: { "dom.webgpu.enabled": true, "gfx.webgpu.ignore-blocklist": true },
        timeout: 180_000,
        protocolTimeout: 600_000,
    });
}

/** A page of a folder, which `watch` sees before anything is loaded. */
export async function open(folder, watch = () => {}, launch = launchChromium) {
    const server = createServer((request, response) => answer(folder, request, response));
    await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
    const browser = await launch();
    const close = async () => {
        await browser.close();
        server.close();
        server.closeAllConnections();
    };
    const page = await browser.newPage();
    watch(page);
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    return { version: await browser.version(), page, close };
}

/** The same in a Firefox, which lies there. */
export function openFirefox(folder, path) {
    return open(folder, () => {}, () => launchFirefox(path));
}
