// The tests in Node, by Dawn: some, since a Chromium has the same compiler.

import { create } from "webgpu";
import { answers, show } from "./report.js";
import { run } from "../built/suite.js";

const gpu = create([]);
const expectedFailures = {};
const host = { name: "Node", gpu, extent: "least", withSubgroups: true, ...answers, expectedFailures };
show(`Node ${process.versions.node}, Dawn`, { hasSubgroups: true }, await run(host));
