// The tests in Deno, by wgpu and naga.

import process from "node:process";
import { answers, show } from "./report.js";
import { run } from "../built/suite.js";

const { gpu } = navigator;
const expectedFailures = {};
const host = { name: "Deno", gpu, extent: "all", withSubgroups: true, ...answers, expectedFailures };
show(`Deno ${Deno.version.deno}, wgpu`, { hasSubgroups: false }, await run(host));
process.exit(process.exitCode ?? 0);
