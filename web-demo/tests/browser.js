// A Chromium without a window, with SwiftShader for a GPU, and the page that it is shown.

import { chromium } from "playwright-core";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { smallPng } from "./files.js";

const here = dirname(fileURLToPath(import.meta.url));

export const dist = join(here, "..", "dist");

/** Where the program lies that proves what the page's own does not. */
const proof = process.env.WGPU_REDUCE_PROOF ?? join(here, "..", "..", "target", "proof");

/** Where screenshots go: artifacts of a run. */
const shots = process.env.WGPU_REDUCE_SHOTS ?? join(here, "..", "..", "target", "web-test");

/** Exact sums that every device has to agree on. */
export const committed = readFileSync(join(here, "..", "..", "tests", "data", "exact_sums.txt"), "utf8");
export const committedDoubles = readFileSync(join(here, "..", "..", "tests", "data", "exact_sums_f64.txt"), "utf8");

const KINDS = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

function answer(request, response) {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const [, own] = /^\/proof\/(.*)/.exec(path) ?? [];
    const file = own ? join(proof, own) : join(dist, path === "/" ? "index.html" : path);
    try {
        const bytes = readFileSync(file);
        response.writeHead(200, { "Content-Type": KINDS[extname(file)] ?? "application/octet-stream" });
        response.end(bytes);
    } catch {
        response.writeHead(404).end();
    }
}

/** A browser and a server; both end with `close`. */
export async function open() {
    const server = createServer(answer);
    await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
    const browser = await chromium.launch({
        executablePath: process.env.WGPU_REDUCE_BROWSER ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader",
            "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
    const close = async () => {
        await browser.close();
        server.close();
        server.closeAllConnections();
    };
    return { browser, close, address: `http://127.0.0.1:${server.address().port}/` };
}

/** Makes the browser know the page. Runs in the page. */
const haveVisited = () => localStorage.setItem("wgpu-reduce.visited", "yes");

/** Opens the address. */
const simply = (_, go) => go();

/**
 * The page in a context of its own, and what it complains of. `before` runs in the page before its own scripts. Nothing
 * starts by itself, unless it is to be the first visit. `around` is given the page and what opens the address.
 */
export async function visit({ browser, address }, { query = "", before, isFirst = false, around = simply, ...options } = {}) {
    const context = await browser.newContext({ acceptDownloads: true, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
        if (message.type() === "error") {
            complaints.push(message.text());
        }
    });
    for (const script of [before, isFirst ? undefined : haveVisited].filter(Boolean)) {
        await page.addInitScript(script);
    }
    await around(page, () => page.goto(address + query));
    return { page, complaints, leave: () => context.close() };
}

/** Waits until the page's status says that. */
export async function untilSaid(page, text, id = "status") {
    await page.locator(`#${id}`).filter({ hasText: text }).waitFor();
}

/** Waits until the chosen level's picture is there, or why there is none. */
export async function untilDrawn(page) {
    await page.locator("#stage[aria-busy=false]").waitFor({ state: "attached" });
}

/** Chooses a level, and waits for its picture. */
export async function chooseLevel(page, number) {
    await page.getByRole("button", { name: new RegExp(`^${String(number).padStart(2, "0")}`) }).click();
    await untilDrawn(page);
}

/** Drops a file as a person does, from outside of the page; so many zeros are added to its bytes. */
export async function drop(page, name, bytes, zeros = 0) {
    const transfer = await page.evaluateHandle(([name, base64, zeros]) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([bytes, new Uint8Array(zeros)], name));
        return transfer;
    }, [name, bytes.toString("base64"), zeros]);
    await page.dispatchEvent("#drop", "drop", { dataTransfer: transfer });
}

/** Drops a file, and waits for what is said of it. */
export async function dropAndWait(page, name, bytes) {
    await drop(page, name, bytes);
    await untilSaid(page, `${name}: `, "data-status");
}

/** Rows of the file's figures, or of a part's, by the titles of their columns. */
export async function figures(page, id = "figures") {
    const titles = (await rowsOf(page, `${id} thead`))[0];
    return (await rowsOf(page, `${id}-body`)).map((cells) => {
        return Object.fromEntries(titles.map((title, index) => [title, cells[index]]));
    });
}

/** What a call of the program that proves says of a list, and of each that follows, on a device with subgroups or without. */
export function prove(page, name, ...lists) {
    return page.evaluate(async ([name, lists]) => {
        const program = await import("./proof/wgpu_reduce_web.js");
        await program.default();
        const gpu = await program.Gpu.open(new URLSearchParams(location.search).get("subgroups") !== "no");
        const said = [];
        for (const list of lists) {
            said.push(await program[name](gpu, list));
        }
        return said;
    }, [name, lists]);
}

/** The texts of a table's rows, cell by cell. */
export function rowsOf(page, id) {
    return page.locator(`#${id} tr`).evaluateAll((rows) => rows.map((row) => {
        return [...row.cells].map((cell) => cell.textContent.trim());
    }));
}

/** Keeps what the page looks like. */
export async function shoot(page, name) {
    mkdirSync(shots, { recursive: true });
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

/** Keeps what a part of the page looks like. */
export async function shootNode(page, id, name) {
    mkdirSync(shots, { recursive: true });
    await page.locator(`#${id}`).screenshot({ path: join(shots, `${name}.png`) });
}

/** Keeps what panels look like that follow each other, in a small file. */
export async function shootPanels(page, name, panels) {
    mkdirSync(shots, { recursive: true });
    await page.evaluate(() => scrollTo(0, 0));
    const boxes = await Promise.all(panels.map((id) => page.locator(`#${id}`).boundingBox()));
    const [first, last] = [boxes.at(0), boxes.at(-1)];
    const clip = { ...first, height: last.y + last.height - first.y };
    const picture = await page.screenshot({ fullPage: true, clip });
    const { width, height, base64 } = await page.evaluate(pixelsOf, picture.toString("base64"));
    writeFileSync(join(shots, `${name}.png`), smallPng(width, height, Buffer.from(base64, "base64")));
}

/** Runs in the page. */
async function pixelsOf(picture) {
    const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const { width, height } = bitmap;
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const letters = Array.from(data, (byte) => String.fromCharCode(byte));
    return { width, height, base64: btoa(letters.join("")) };
}
