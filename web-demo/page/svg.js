// Pictures by nodes of SVG.

const SVG = "http://www.w3.org/2000/svg";

/** A node with these attributes, and what is in it. */
export function make(name, attributes, ...children) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
        node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
}
