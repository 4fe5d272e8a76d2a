// WGSL in colours.

const WORDS = "alias|break|case|const|const_assert|continue|continuing|default|diagnostic|discard|else|enable|false|fn"
    + "|for|if|let|loop|override|requires|return|struct|switch|true|var|while";

const TYPES = "array|atomic|bool|f16|f32|i32|u32|mat[234]x[234][fh]?|ptr|vec[234][fhiu]?|function|private|storage"
    + "|uniform|workgroup|read|read_write|write";

/** What is coloured, in the order in which it is looked for. */
const KINDS = [
    ["comment", "//[^\\n]*|/\\*[\\s\\S]*?\\*/"],
    ["attribute", "@\\w+"],
    ["word", `\\b(?:${WORDS})\\b`],
    ["type", `\\b(?:${TYPES})\\b`],
    ["literal", "\\b(?:0[xX][\\da-fA-F]+|\\d+\\.?\\d*(?:[eE][+-]?\\d+)?)[fhiu]?\\b"],
    ["call", "\\b[a-zA-Z_]\\w*(?=\\()"],
    // Names are passed over whole, so that nothing is found in the middle of one.
    ["", "\\b[a-zA-Z_]\\w*"],
];

const PATTERN = new RegExp(KINDS.map(([, pattern]) => `(${pattern})`).join("|"), "g");

/** Pieces of a text: a kind, or none, and what is of it. */
function* piecesOf(text) {
    let end = 0;
    for (const match of text.matchAll(PATTERN)) {
        yield ["", text.slice(end, match.index)];
        const index = match.slice(1).findIndex((group) => group !== undefined);
        yield [KINDS[index][0], match[0]];
        end = match.index + match[0].length;
    }
    yield ["", text.slice(end)];
}

/** Replaces what is in `place` by the text in colours. */
export function showWgsl(place, text) {
    const nodes = Array.from(piecesOf(text), ([kind, piece]) => {
        if (!kind) {
            return piece;
        }
        const span = document.createElement("span");
        span.className = `wgsl-${kind}`;
        span.textContent = piece;
        return span;
    });
    place.replaceChildren(...nodes);
}
