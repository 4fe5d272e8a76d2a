// The ladder's shaders as the page has them: a level's file, the type, and the atomic addition where there is one.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "shaders", "ladder");
const read = (name) => readFileSync(join(folder, name), "utf8");

/** The files of levels, in order; a level's second form has a file of its own. */
const FILES = readdirSync(folder).filter((name) => /^\d\d_/.test(name) && name !== "07_unroll_last_subgroup.wgsl").sort();

export const LEVELS = FILES.length;

/** The text of a level for elements of a type. */
export function shaderOf(level, type) {
    const own = read(FILES[level]);
    const atomics = own.includes("add_to_total(") ? read(`atomics/${type === "f32" ? "f32_exchange" : type}.wgsl`) : "";
    return [own, read(`types/${type}.wgsl`), atomics].join("\n");
}

/** The form of level 07 that shuffles. */
export const shuffling = (type) => [read("07_unroll_last_subgroup.wgsl"), read(`types/${type}.wgsl`)].join("\n");
