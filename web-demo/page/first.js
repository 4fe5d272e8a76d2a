// The first visit: a small run that starts by itself, and one thing to try next.

import { element } from "./page.js";
import { showLevel } from "./level.js";
import { play, showFirst } from "./picture/player.js";

const KEY = "wgpu-reduce.visited";

/** So many elements take a moment on any GPU. */
const FEW = String(2 ** 16);

/** Whether somebody is here for the first time; not, where the browser keeps nothing. */
export function isFirstVisit() {
    try {
        const isFirst = localStorage.getItem(KEY) === null;
        localStorage.setItem(KEY, "yes");
        return isFirst;
    } catch {
        return false;
    }
}

/** Offers what explains the most. */
function offerNext() {
    element("next").hidden = false;
    element("try").addEventListener("click", async () => {
        // In smaller ones lanes never want the same bank.
        [element("shown-size").value, element("shown-subgroup").value] = [64, 32];
        await showLevel(2, true);
        showFirst("conflicts");
    });
}

/** Runs all levels on few elements, with the first tree playing meanwhile. */
export async function showAround(run) {
    element("elements").value = FEW;
    if (matchMedia("(prefers-reduced-motion: no-preference)").matches) {
        play();
    }
    if (await run()) {
        offerNext();
    }
}
