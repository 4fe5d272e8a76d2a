// A workgroup as a picture: memory above, invocations in the middle, below them workgroup memory, 32 to a row, and the
// places in memory that results go to.

import { make } from "../svg.js";
import { BANKS, PIECE_BYTES, WORD_BYTES, exchangedBy, isInput, isResult, placeOf, statesOf } from "./counts.js";

const [LABEL, GAP, LEAST_CELL, MOST_CELL, MEMORY_HEIGHT] = [18, 14, 7, 17, 160];

/** More lines than these would hide what they connect. */
const MOST_LINES = 400;

/** Places for cells in rows of 32 below a title. */
class Grid {
    constructor(title, count, top, cell, height = cell) {
        Object.assign(this, { count, top: top + LABEL, cell, height });
        this.title = make("text", { x: 0, y: top + LABEL - 5 }, title);
        this.bottom = this.top + Math.ceil(count / BANKS) * height;
    }

    corner(index) {
        return [(index % BANKS) * this.cell, this.top + Math.floor(index / BANKS) * this.height];
    }

    centre(index) {
        const [x, y] = this.corner(index);
        return [x + this.cell / 2, y + this.height / 2];
    }

    /** Frames around cells that belong together, in as many rows as they have. */
    frames(size, name, indices) {
        return indices.flatMap((index) => {
            const [first, last] = [index * size, Math.min((index + 1) * size, this.count) - 1];
            const [x, y] = this.corner(first);
            const rows = Math.floor(last / BANKS) - Math.floor(first / BANKS) + 1;
            const columns = rows > 1 ? BANKS : last - first + 1;
            return last < first ? [] : [make("rect", {
                x, y, width: columns * this.cell - 0.5, height: rows * this.height - 0.5, class: name,
            })];
        });
    }
}

/** Cells that each have a state of their own. */
class Cells extends Grid {
    constructor(title, count, top, cell, name) {
        super(title, count, top, cell);
        this.name = name;
        this.cells = Array.from({ length: count }, (_, index) => {
            const [x, y] = this.corner(index);
            return make("rect", { x: x + 0.5, y: y + 0.5, width: cell - 1.5, height: cell - 1.5, class: name });
        });
        this.node = make("g", {}, ...this.cells);
    }

    show(classOf) {
        this.cells.forEach((cell, index) => {
            const name = `${this.name} ${classOf(index)}`;
            if (cell.getAttribute("class") !== name) {
                cell.setAttribute("class", name);
            }
        });
    }
}

/** Cells that are many, and drawn together: all, those that are done, and those of now. */
class Strip extends Grid {
    constructor(title, count, top, cell, height) {
        super(title, count, top, cell, height);
        this.paths = ["", "done", "now"].map((name) => make("path", { class: `element ${name}` }));
        this.node = make("g", {}, ...this.paths);
        this.draw(this.paths[0], Array.from({ length: count }, (_, index) => index));
    }

    draw(path, indices) {
        const [width, height] = [this.cell - 1.5, this.height - 1.5];
        const rects = Array.from(indices, (index) => {
            const [x, y] = this.corner(index);
            return `M${x + 0.5} ${y + 0.5}h${width}v${height}h${-width}z`;
        });
        path.setAttribute("d", rects.join(""));
    }

    show(done, now) {
        this.draw(this.paths[1], done);
        this.draw(this.paths[2], now);
    }
}

/** Places of results to a row: each has its name beside it. */
const PLACES_IN_ROW = 3;

/** Cells with names of their own. */
class Places extends Cells {
    constructor(names, top, cell) {
        super("Memory for results", names.length, top, cell, "result");
        this.names = names;
        this.bottom = this.top + Math.ceil(names.length / PLACES_IN_ROW) * this.pitch;
        const labels = names.map((name, index) => {
            const [x, y] = this.corner(index);
            return make("text", { x: x + cell + 3, y: y + cell / 2 + 4 }, name);
        });
        this.node.append(...labels);
    }

    /** Names are higher than the smallest cells. */
    get pitch() {
        return Math.max(this.cell, LABEL - 3);
    }

    corner(index) {
        const [column, row] = [index % PLACES_IN_ROW, Math.floor(index / PLACES_IN_ROW)];
        return [(column * BANKS * this.cell) / PLACES_IN_ROW, this.top + row * this.pitch];
    }
}

/** Elements that a step loads. */
const elementsOf = ({ accesses }) => accesses.filter(isInput)
    .flatMap(({ index, width }) => Array.from({ length: width }, (_, lane) => index + lane));

/** The first step that loads each element. */
function firstLoads(steps) {
    const loads = new Map();
    steps.forEach((step, index) => elementsOf(step).filter((element) => !loads.has(element))
        .forEach((element) => loads.set(element, index)));
    return loads;
}

/** By name, then by number. */
const inOrder = (a, b) => a.localeCompare(b, "en", { numeric: true });

/** A picture of a workgroup's steps, and of what they cost, as wide as there is room. */
export class Picture {
    constructor({ steps, program, setting, workgroups, part, costs, elements }, width) {
        Object.assign(this, { steps, costs, size: program.size, subgroupSize: setting.subgroupSize, loads: firstLoads(steps) });
        const cell = Math.max(LEAST_CELL, Math.min(MOST_CELL, Math.floor(width / BANKS)));
        // Much of it takes no more room than a little.
        const memoryHeight = Math.max(4, Math.min(cell, Math.floor(MEMORY_HEIGHT / Math.ceil(elements / BANKS))));
        this.slots = Math.max(1, ...steps.flatMap(({ accesses }) => accesses
            .filter(({ space }) => space === "workgroup").map(({ index }) => index + 1)));
        const hasSlots = steps.some(({ accesses }) => accesses.some(({ space }) => space === "workgroup"));
        this.memory = new Strip(`Memory: ${elements} numbers`, elements, 0, cell, memoryHeight);
        const which = workgroups > 1 ? `, workgroup ${part + 1} of ${workgroups}` : "";
        const title = `Invocations${which}; a frame is a subgroup`;
        this.invocations = new Cells(title, this.size, this.memory.bottom + GAP, cell, "invocation");
        const top = this.invocations.bottom + GAP;
        this.slotGrid = hasSlots
            ? new Cells("Workgroup memory; a column is a bank", this.slots, top, cell, "slot")
            : { node: "", title: "", bottom: this.invocations.bottom, show: () => undefined };
        const names = new Set(steps.flatMap(({ accesses }) => accesses.filter(isResult).map(placeOf)));
        this.places = new Places([...names].sort(inOrder), this.slotGrid.bottom + GAP, cell);
        this.lines = make("g", { class: "lines" });
        this.marks = make("g", {});
        const subgroups = Array.from({ length: Math.ceil(this.size / this.subgroupSize) }, (_, index) => index);
        const frames = this.invocations.frames(this.subgroupSize, "subgroup", subgroups);
        const [right, bottom] = [BANKS * cell, this.places.bottom + 4];
        this.node = make("svg", {
            viewBox: `-1 -1 ${right + 2} ${bottom + 2}`, width: right + 2, height: bottom + 2, role: "img",
        });
        const grids = [this.memory, this.invocations, this.slotGrid, this.places];
        this.node.append(...grids.map(({ node }) => node), ...frames, this.marks, this.lines, ...grids.map(({ title }) => title));
    }

    /** Shows a step; `words` are for those who do not see it. */
    show(index, words) {
        const [step, cost] = [this.steps[index], this.costs[index]];
        const states = statesOf(step, this.size, this.subgroupSize);
        this.node.setAttribute("aria-label", words);
        this.node.setAttribute("data-kind", step.kind);
        this.invocations.show((local) => (step.kind === "subgroup" && states[local] === "awake" ? "together" : states[local]));
        this.showMemory(step, cost, index);
        this.showSlots(step, cost);
        this.showPlaces(step, cost);
        this.showLines(step);
    }

    showMemory(step, { pieces }, index) {
        const before = [...this.loads].filter(([, step]) => step < index).map(([element]) => element);
        this.memory.show(before, new Set(elementsOf(step)));
        this.marks.replaceChildren(...this.memory.frames(PIECE_BYTES / WORD_BYTES, "piece", [...pieces]));
    }

    showSlots({ accesses }, { crowded }) {
        const touched = (kind) => new Set(accesses.filter((access) => access.space === "workgroup" && access.kind === kind)
            .map(({ index }) => index));
        const [read, written] = [touched("read"), touched("write")];
        this.slotGrid.show((slot) => [
            read.has(slot) ? "read" : "", written.has(slot) ? "written" : "", crowded.has(slot) ? "crowded" : "",
        ].join(" ").trim());
    }

    showPlaces({ accesses }, { awaited }) {
        const kinds = new Map(accesses.filter(isResult).map((access) => [placeOf(access), access.kind]));
        const names = { read: "read", write: "written", atomic: "atomic" };
        this.places.show((index) => {
            const place = this.places.names[index];
            return `${names[kinds.get(place)] ?? ""} ${awaited.has(place) ? "crowded" : ""}`.trim();
        });
    }

    /** Where in the picture an access goes. */
    target(access) {
        const { index, space, width } = access;
        if (isResult(access)) {
            return this.places.centre(this.places.names.indexOf(placeOf(access)));
        }
        return (space === "workgroup" ? this.slotGrid : this.memory).centre(index + (width - 1) / 2);
    }

    /** Lines of a subgroup's exchange: aslant, so that those of neighbours can be told apart. */
    exchanged(step) {
        return exchangedBy(step, this.subgroupSize).map(([from, to]) => {
            const [[x1, y1], [x2, y2]] = [from, to].map((local) => this.invocations.centre(local));
            const half = this.invocations.cell / 2;
            return make("line", { x1, y1: y1 + half, x2, y2: y2 - half, class: "exchange" });
        });
    }

    showLines(step) {
        const { accesses, kind } = step;
        const lineOf = (access) => {
            const [[x1, y1], [x2, y2]] = [this.invocations.centre(access.local), this.target(access)];
            return make("line", { x1, y1, x2, y2, class: isInput(access) ? "load" : access.kind });
        };
        const lines = kind === "subgroup" ? this.exchanged(step) : accesses.map(lineOf);
        this.lines.replaceChildren(...(lines.length > MOST_LINES ? [] : lines));
    }
}
