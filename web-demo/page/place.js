// What is chosen, in the page's address: a link to it shows the same to somebody else.

import { element } from "./page.js";

/** Names in addresses, and the controls that they are about. */
const CONTROLS = { elements: "elements", type: "type", workgroup: "workgroup", size: "shown-size",
    subgroup: "shown-subgroup", items: "shown-items" };

/** What the address asks for; nothing, if it is that of a panel. */
export function placeAsked() {
    const hash = location.hash.slice(1);
    return hash.includes("=") ? Object.fromEntries(new URLSearchParams(hash)) : undefined;
}

/** Chooses what is asked for, as far as it is offered here. */
export function choose(asked) {
    for (const [name, id] of Object.entries(CONTROLS)) {
        const value = asked[name];
        if ([...element(id).options].some((option) => option.value === value)) {
            element(id).value = value;
        }
    }
}

/** The address of what is chosen. */
function placeOf(level) {
    const values = Object.entries(CONTROLS).map(([name, id]) => [name, element(id).value]);
    return `#${new URLSearchParams([["level", level], ...values])}`;
}

/** Keeps the link up to date; and the address, if somebody has chosen something. */
export function showPlace(level, isChosen) {
    element("link").href = placeOf(level);
    if (isChosen) {
        history.replaceState(null, "", placeOf(level));
    }
}
