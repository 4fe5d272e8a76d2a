// The tests in Bun, by Dawn: few, since Node has the same.

import { create } from "webgpu";
import { answers, show } from "./report.js";
import { run } from "../built/suite.js";

const expectedFailures = {};
const host = { name: "Bun", gpu: create([]), extent: "few", withSubgroups: true, ...answers, expectedFailures };
show(`Bun ${process.versions.bun}, Dawn`, { hasSubgroups: true }, await run(host));
process.exit(process.exitCode ?? 0);
