// Uses the page as somebody would, and sends what it shows to /outcome: a line for each row, its cells parted by tabs.

import { Gpu } from "./pkg/wgpu_reduce_web.js";

const SMALL = "16384";

const element = (id) => document.getElementById(id);

async function until(what, isSo) {
    for (let tenths = 0; tenths < 2400; tenths += 1) {
        const status = element("status");
        if (status.classList.contains("bad")) {
            throw new Error(`${what}: ${status.textContent}`);
        }
        if (isSo()) {
            return;
        }
        await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
    throw new Error(`waited in vain: ${what}`);
}

const rowsOf = (kind, id) => [...element(id).rows].map((row) => {
    return [kind, ...[...row.cells].map((cell) => cell.textContent)].join("\t");
});

async function drive() {
    await until("ready", () => !element("ladder-fields").disabled);
    await until("three orders", () => element("orders").rows.length === 3);
    const lines = [...element("facts").querySelectorAll("dt")].map((term) => {
        return `fact\t${term.textContent}\t${term.nextSibling.textContent}`;
    });
    lines.push(...rowsOf("order", "orders"));
    element("elements").value = SMALL;
    for (const type of ["f32", "i32", "u32"]) {
        element("type").value = type;
        element("type").dispatchEvent(new Event("change"));
        element("run").click();
        await until("running", () => !element("cancel").disabled);
        await until("the ladder", () => element("cancel").disabled);
        lines.push(...rowsOf("level", "levels"));
    }
    document.querySelector("#levels button").click();
    lines.push(`shader\t${element("level-wgsl").textContent.includes("@compute")}`);
    const without = await Gpu.open(false);
    lines.push(...without.facts().map(([what, much]) => `without\t${what}\t${much}`));
    return lines;
}

const lines = await drive().catch((error) => [`failed\t${error.message}`]);
await fetch("/outcome", { method: "POST", body: lines.join("\n") });
