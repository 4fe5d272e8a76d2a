// The package as it would be published: what is in it, how large it is, how tools read it, and that it bundles and runs in a
// project that has nothing else.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { open } from "./browser.js";
import { folder } from "./report.js";

/** What a page loads may have as many bytes, compressed. */
const MOST_BYTES = 250_000;

const scratch = process.argv[2];
assert(scratch, "a folder for the project is wanted");
const project = join(scratch, "project");
const tools = join(folder, "node_modules", ".bin");

function run(program, args, cwd) {
    try {
        return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
        throw new Error(`${program} ${args.join(" ")}: ${error.stdout}${error.stderr}`);
    }
}

function pack() {
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(project, { recursive: true });
    const [{ filename, files, size }] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", scratch], folder));
    const paths = files.map(({ path }) => path);
    const wanted = /^(package\.json|README\.md|dist\/(LICENSE-\w+|\w+(\.d\.ts|\.js)|planner_bg\.wasm))$/;
    const stray = paths.filter((path) => !wanted.test(path));
    assert.deepEqual(stray, [], "files that the package is not to have");
    for (const path of ["README.md", "dist/index.js", "dist/index.d.ts", "dist/planner_bg.wasm", "dist/LICENSE-MIT"]) {
        assert(paths.includes(path), `the package lacks ${path}`);
    }
    const loaded = paths.filter((path) => /\.(js|wasm)$/.test(path)).map((path) => readFileSync(join(folder, path)));
    const bytes = loaded.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
    console.log(`${bytes} bytes compressed are loaded; the package has ${size}`);
    assert(bytes < MOST_BYTES, `${bytes} bytes are more than ${MOST_BYTES}`);
    return join(scratch, filename);
}

/** Reads the package as other tools do. */
function lint(tarball) {
    run(join(tools, "publint"), ["run", tarball, "--strict"], folder);
    // Nobody asks for CommonJS, and resolution by files alone has no `exports`.
    run(join(tools, "attw"), [tarball, "--profile", "esm-only", "--entrypoints", "."], folder);
}

/**
 * What the types of calls say, in a project whose compiler knows no WebGPU by itself; and that all that is exported is documented.
 */
function types() {
    const text = readFileSync(join(folder, "tests", "types.ts"), "utf8").replace("../dist/index.js", "wgpu-reduce");
    writeFileSync(join(project, "types.ts"), text);
    const peer = join("node_modules", "@webgpu", "types");
    cpSync(join(folder, peer), join(project, peer), { recursive: true });
    const options = { target: "es2022", module: "nodenext", lib: ["esnext", "dom"], strict: true, noEmit: true };
    const config = (types) => JSON.stringify({ compilerOptions: { ...options, types }, files: ["types.ts"] });
    const compile = () => run(process.execPath, [join(folder, "node_modules/typescript-5/bin/tsc")], project);
    writeFileSync(join(project, "tsconfig.json"), config([]));
    assert.throws(compile, /Cannot find name 'GPUDevice'/, "this compiler is too new to try the peer with");
    writeFileSync(join(project, "tsconfig.json"), config(["@webgpu/types"]));
    compile();
    run(join(tools, "typedoc"), ["--emit", "none"], folder);
}

/** A page with a script, and without an icon that a browser would look for. */
function pageOf(script) {
    return `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
}

/** The README's examples, and what their comments say that they print. */
function examples() {
    const blocks = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
    return blocks.map((code) => {
        const printed = [...code.matchAll(/console\.log\(.*\); +\/\/ (.*)/g)].map(([, text]) => text);
        assert.equal(printed.length, code.match(/console\.log/g)?.length, "each line says what it prints");
        return { code, printed };
    });
}

const [{ code, printed }, ofNode, ...others] = examples();
assert(ofNode?.code.includes('from "webgpu"') && others.length === 0, "the README has an example for pages, and one for Node");

/** A project with the package alone. */
function install(tarball) {
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
    run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", tarball], project);
    writeFileSync(join(project, "main.js"), code);
    writeFileSync(join(project, "index.html"), pageOf("/main.js"));
}

function inNode() {
    const text = "import { create, globals } from 'webgpu'; Object.assign(globalThis, globals);"
        + "Object.defineProperty(globalThis, 'navigator', { value: { gpu: create([]) } }); await import('./main.js');";
    cpSync(join(folder, "node_modules", "webgpu"), join(project, "node_modules", "webgpu"), { recursive: true });
    const lines = run(process.execPath, ["--input-type=module", "--eval", text], project);
    assert.deepEqual(lines.trim().split("\n"), printed, "what the example prints in Node");
    writeFileSync(join(project, "node.js"), ofNode.code);
    const told = run(process.execPath, ["node.js"], project);
    assert.deepEqual(told.trim().split("\n"), ofNode.printed, "what the example for Node prints there");
}

/** Compares what the page of a folder prints. */
async function inBrowser(folder, what) {
    const lines = [];
    const { page, close } = await open(folder, (page) => {
        page.on("console", (message) => lines.push(message.text()));
        page.on("pageerror", (error) => lines.push(String(error)));
    });
    try {
        for (let waits = 0; lines.length < printed.length && waits < 2400; waits += 1) {
            await page.waitForTimeout(50);
        }
        assert.deepEqual(lines, printed, what);
    } finally {
        await close();
    }
}

/** What the examples in the documentation say that their lines give, of a device and a buffer with the README's elements. */
function documented() {
    const texts = readdirSync(join(folder, "src")).map((name) => readFileSync(join(folder, "src", name), "utf8"));
    const found = texts.flatMap((text) => [...text.matchAll(/^ *\* ```ts\n(.*?)^ *\* ```$/gms)]);
    const blocks = found.map(([, block]) => block.replace(/^ *\* /gm, "").replace(/^(.*); \/\/ (.*)$/gm, "same($1, $2);"));
    assert(blocks.length > 2 && blocks.every((block) => block.includes("same(")), "examples say what they give");
    const begin = `import assert from "node:assert/strict";
        import { create, globals } from "webgpu";
        import { createReducer } from "wgpu-reduce";
        Object.assign(globalThis, globals);
        const gpu = create([]);
        const device = await (await gpu.requestAdapter()).requestDevice();
        const reducer = await createReducer(device, { gpu });
        const plain = (value) => JSON.parse(JSON.stringify(value, (_, part) => ArrayBuffer.isView(part) ? [...part] : part));
        const same = (found, wanted) => assert.deepEqual(plain(found), plain(wanted));
        const buffer = device.createBuffer({ size: 24, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST });
        const fill = () => device.queue.writeBuffer(buffer, 0, Float32Array.of(1, 2, 3.5, -4, 0, 6));`;
    const text = [begin, ...blocks.map((block) => `{ fill();\n${block} }`), "device.destroy();"].join("\n");
    run(process.execPath, ["--input-type=module", "--eval", text], project);
}

async function bundled() {
    run(join(tools, "vite"), ["build", "--logLevel", "warn", "--target", "esnext"], project);
    const assets = readdirSync(join(project, "dist", "assets"));
    assert(assets.some((name) => name.endsWith(".wasm")), `vite leaves ${assets}`);
    await inBrowser(join(project, "dist"), "what the example prints in a bundle");
}

/** A host that places the file itself, as one has to that bundles by esbuild. */
async function placed() {
    const text = "import { init } from 'wgpu-reduce'; await init('/elsewhere.wasm'); await import('./main.js');";
    writeFileSync(join(project, "placed.js"), text);
    const options = ["--bundle", "--format=esm", "--outdir=placed", "--log-level=error"];
    run(join(tools, "esbuild"), ["placed.js", ...options], project);
    cpSync(join(folder, "dist", "planner_bg.wasm"), join(project, "placed", "elsewhere.wasm"));
    writeFileSync(join(project, "placed", "index.html"), pageOf("/placed.js"));
    await inBrowser(join(project, "placed"), "what it prints with a file elsewhere");
}

const tarball = pack();
lint(tarball);
install(tarball);
types();
inNode();
documented();
await bundled();
await placed();
console.log("the package installs, bundles and runs");
