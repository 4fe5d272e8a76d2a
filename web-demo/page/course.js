// How far running sums stray from the exact one, as a picture: the same numbers in three orders.

import { course, disagreeing } from "./pkg/wgpu_reduce_web.js";
import { element, explain, followWidth, inNumber, nextTask, say } from "./page.js";
import { make } from "./svg.js";

/** Numbers of the page's own, points of a line, and the most numbers that may be pasted. */
const [COUNT, POINTS, MOST] = [65_536, 256, 100_000];

const ORDERS = [["given", "as given"], ["shuffled", "shuffled"], ["smallest", "smallest first"]];

const [HEIGHT, TOP, LEFT] = [240, 14, 64];

let drawn;

/** How often somebody has asked. */
let asked = 0;

/** The most characters that are laid out in a moment. Of a longer text that is pasted the field shows so many. */
const [MOST_CHARACTERS, SHOWN_CHARACTERS] = [10_000, 200];

/** A text that is too long for the field. */
let kept = "";

/** Takes a long text in place of what the field has. */
function paste(event) {
    const text = event.clipboardData.getData("text");
    if (text.length > MOST_CHARACTERS) {
        event.preventDefault();
        kept = text;
        element("course-numbers").value = `${text.slice(0, SHOWN_CHARACTERS)} …`;
    }
}

/** The most characters of a number, about. */
const MOST_DIGITS = 30;

/** Numbers of a text, between spaces, commas or semicolons; the page's own, if it has none. Pauses between looks at all. */
async function numbersOf(text, type) {
    if (text.length > MOST * MOST_DIGITS) {
        throw new Error(`${text.length} characters are too many here: ${MOST} numbers at most.`);
    }
    const words = text.split(/[\s,;]+/).filter(Boolean);
    if (words.length === 0) {
        return disagreeing(COUNT);
    }
    if (words.length > MOST) {
        throw new Error(`${words.length} numbers are too many here: ${MOST} at most.`);
    }
    await nextTask();
    const numbers = Float64Array.from(words, Number);
    await nextTask();
    const strange = numbers.findIndex((number) => !Number.isFinite(type === "f32" ? Math.fround(number) : number));
    if (strange >= 0) {
        throw new Error(`“${words[strange].slice(0, 40)}” is no finite number of ${type}.`);
    }
    return numbers;
}

/** Few digits, and a sign. */
const errorText = (error) => (error === 0 ? "0" : `${error > 0 ? "+" : "−"}${Math.abs(error).toPrecision(3)}`);

const sumText = (value, type) => (type === "f32" ? inNumber(value) : String(value));

/** In words, what each line comes to. */
function endOf({ name, errors, sum }, type) {
    return `${name}: ${sumText(sum, type)}, off by ${errorText(errors.at(-1))}`;
}

function pictureOf({ courses, exact, count, type }, width) {
    const most = Math.max(...courses.flatMap(({ errors }) => [...errors].map(Math.abs)));
    const scale = most > 0 ? (HEIGHT / 2 - TOP) / most : 0;
    const x = (at) => LEFT + ((width - LEFT - 4) * at) / count;
    const y = (error) => HEIGHT / 2 - scale * error;
    const lineOf = (counts, errors, name) => make("polyline", {
        class: `course ${name}`,
        points: [`${LEFT},${y(0)}`, ...Array.from(counts, (at, index) => `${x(at).toFixed(1)},${y(errors[index]).toFixed(1)}`)]
            .join(" "),
    });
    const words = `Error of running sums of ${count} numbers of ${type}. `
        + `${courses.map((each) => endOf(each, type)).join("; ")}. The exact sum, ${sumText(exact, type)}, stays flat.`;
    const svg = make("svg", { viewBox: `0 0 ${width} ${HEIGHT + 18}`, width, height: HEIGHT + 18, role: "img",
        "aria-label": words });
    for (const [at, text] of most > 0 ? [[most, errorText(most)], [0, "0"], [-most, errorText(-most)]] : [[0, "0"]]) {
        svg.append(make("line", { x1: LEFT, x2: width, y1: y(at), y2: y(at), class: "rule" }));
        svg.append(make("text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, text));
    }
    svg.append(make("text", { x: LEFT, y: HEIGHT + 12 }, "1 number"));
    svg.append(make("text", { x: width - 2, y: HEIGHT + 12, "text-anchor": "end" }, `all ${count}`));
    svg.append(lineOf(courses[0].counts, courses[0].rounded, "exact"));
    svg.append(...courses.map(({ counts, errors, key }) => lineOf(counts, errors, key)));
    return svg;
}

function keyOf({ courses, exact, type }) {
    const entry = (key, text) => {
        const [item, sample] = [document.createElement("li"), make("svg", { width: 34, height: 10, "aria-hidden": "true" })];
        sample.append(make("line", { x1: 0, x2: 34, y1: 5, y2: 5, class: `course ${key}` }));
        item.append(sample, ` ${text}`);
        return item;
    };
    return [...courses.map((each) => entry(each.key, endOf(each, type))),
        entry("exact", `exact, in every order: ${sumText(exact, type)}`)];
}

function draw() {
    element("course").replaceChildren(pictureOf(drawn, Math.max(280, element("course").clientWidth)));
    element("course-key").replaceChildren(...keyOf(drawn));
}

/** Sums in each order, with a pause between them. Returns what is to be drawn. */
async function compute() {
    const type = element("course-type").value;
    const text = kept || element("course-numbers").value;
    const numbers = await numbersOf(text, type);
    await nextTask();
    const courses = [];
    for (const [key, name] of ORDERS) {
        courses.push({ key, name, ...course(numbers, type, key, POINTS) });
        await nextTask();
    }
    if (!courses.every(({ errors }) => errors.every(Number.isFinite))) {
        throw new Error(`A running sum of these numbers is beyond ${type}.`);
    }
    const said = text.trim() && `Numbers read: ${numbers.length}. A comma ends a number.`;
    return { courses, exact: courses[0].exact, count: numbers.length, type, said };
}

/** Shows what is asked for, unless something else has been meanwhile. */
async function showCourse() {
    asked += 1;
    const own = asked;
    const [made, said] = await compute().then((made) => [made, made.said], (error) => [undefined, explain(error)]);
    if (own !== asked) {
        return;
    }
    say(said, !made, element("course-said"));
    if (made) {
        drawn = made;
        draw();
    }
}

/** Makes the picture and its controls ready. */
export async function startCourse() {
    element("course-form").addEventListener("submit", (event) => {
        event.preventDefault();
        showCourse();
    });
    element("course-type").addEventListener("change", showCourse);
    element("course-numbers").addEventListener("paste", paste);
    element("course-numbers").addEventListener("input", () => { kept = ""; });
    followWidth(element("course"), () => drawn && draw());
    await showCourse();
}
