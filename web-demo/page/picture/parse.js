// The part of WGSL that the ladder is written in, from text to a tree.

const TOKEN = new RegExp([
    "(?<skip>\\s+|//[^\\n]*)",
    "(?<number>0[xX][\\da-fA-F]+[iu]?|\\d+(?:\\.\\d*)?(?:[eE][+-]?\\d+)?[iuf]?)",
    "(?<name>[A-Za-z_]\\w*)",
    // Two signs `>` are two tokens, since they may end two lists of types.
    "(?<sign>&&|\\|\\||<<|->|\\+\\+|--|[-+*/%&|^]=|[=!<>]=|[-+*/%&|^!~<>=(){}\\[\\],;:.@])",
].join("|"), "y");

/** Names that a list of types may follow. */
const GENERIC = new Set(["array", "atomic", "bitcast", "ptr", "vec2", "vec3", "vec4"]);

/** Signs between two operands, the ones that bind least first. */
const LAYERS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"],
    ["*", "/", "%"]];

function tokensOf(text) {
    const tokens = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
        const at = TOKEN.lastIndex;
        const match = TOKEN.exec(text);
        if (!match) {
            throw new SyntaxError(`line ${lineOf(text, at)}: ${JSON.stringify(text[at])} is not understood`);
        }
        const { skip, number, name } = match.groups;
        if (skip === undefined) {
            tokens.push({ text: match[0], at, end: TOKEN.lastIndex, kind: number ? "number" : name ? "name" : "sign" });
        }
    }
    tokens.push({ text: "", at: text.length, end: text.length, kind: "end" });
    return tokens;
}

/** The line of a place in a text, from 1. */
export function lineOf(text, at) {
    return text.slice(0, at).split("\n").length;
}

class Parser {
    constructor(text) {
        this.source = text;
        this.tokens = tokensOf(text);
        this.next = 0;
    }

    get token() {
        return this.tokens[this.next];
    }

    /** Where the last token ended. */
    get end() {
        return this.tokens[this.next - 1].end;
    }

    sees(text) {
        return this.token.text === text;
    }

    take() {
        this.next += 1;
        return this.tokens[this.next - 1];
    }

    skips(text) {
        const is = this.sees(text);
        this.next += is ? 1 : 0;
        return is;
    }

    must(text) {
        if (!this.skips(text)) {
            const found = this.token.text || "the end";
            throw new SyntaxError(`line ${lineOf(this.source, this.token.at)}: ${text} is missing before ${found}`);
        }
    }

    name() {
        if (this.token.kind !== "name") {
            throw new SyntaxError(`line ${lineOf(this.source, this.token.at)}: a name is missing before ${this.token.text}`);
        }
        return this.take().text;
    }

    /** What stands between commas up to `close`, which is passed over. */
    list(close, item) {
        const items = [];
        while (!this.skips(close)) {
            items.push(item());
            if (!this.sees(close)) {
                this.must(",");
            }
        }
        return items;
    }

    attributes() {
        const found = {};
        while (this.skips("@")) {
            const name = this.name();
            found[name] = this.skips("(") ? this.list(")", () => this.expression()) : [];
        }
        return found;
    }

    type() {
        const name = this.name();
        const of = GENERIC.has(name) && this.skips("<") ? this.list(">", () => this.typeOrCount()) : [];
        return { name, of };
    }

    /** An argument of a type: another one, or a count. */
    typeOrCount() {
        if (this.token.kind === "name" && !/^[A-Z][A-Z_\d]+$/.test(this.token.text)) {
            return this.type();
        }
        return { count: this.primary() };
    }

    typed() {
        const attributes = this.attributes();
        const name = this.name();
        this.must(":");
        return { name, attributes, type: this.type() };
    }

    module() {
        const parts = { constants: [], aliases: {}, structs: {}, variables: [], functions: {} };
        while (this.token.kind !== "end") {
            this.declaration(parts);
        }
        return parts;
    }

    declaration(parts) {
        const attributes = this.attributes();
        const word = this.name();
        if (word === "fn") {
            const made = this.function(attributes);
            parts.functions[made.name] = made;
            return;
        }
        if (word === "struct") {
            const name = this.name();
            this.must("{");
            parts.structs[name] = this.list("}", () => this.typed());
            return;
        }
        if (word === "alias") {
            const name = this.name();
            this.must("=");
            parts.aliases[name] = this.type();
        } else if (word === "var") {
            const space = this.skips("<") ? this.list(">", () => this.name())[0] : "handle";
            parts.variables.push({ space, ...this.typed() });
        } else if (word === "override" || word === "const") {
            parts.constants.push(this.binding());
        } else {
            throw new SyntaxError(`${word} is not understood`);
        }
        this.must(";");
    }

    /** A name, perhaps its type, perhaps its value. */
    binding() {
        const name = this.name();
        const type = this.skips(":") ? this.type() : undefined;
        return { name, type, value: this.skips("=") ? this.expression() : undefined };
    }

    function(attributes) {
        const name = this.name();
        this.must("(");
        const parameters = this.list(")", () => this.typed());
        const returns = this.skips("->") ? this.type() : undefined;
        return { name, attributes, parameters, returns, body: this.block() };
    }

    block() {
        const statements = [];
        this.must("{");
        while (!this.skips("}")) {
            statements.push(this.statement());
        }
        return statements;
    }

    statement() {
        const { at } = this.token;
        const compound = { if: () => this.conditional(), for: () => this.counted(), while: () => this.loop(true),
            loop: () => this.loop(false) }[this.token.text];
        if (compound) {
            this.take();
            return { at, ...compound() };
        }
        const made = this.simple();
        this.must(";");
        return { at, end: this.end, ...made };
    }

    conditional() {
        const condition = this.expression();
        const then = this.block();
        const otherwise = this.skips("else") ? (this.sees("if") ? [this.statement()] : this.block()) : [];
        return { kind: "if", condition, then, otherwise };
    }

    counted() {
        this.must("(");
        const first = this.sees(";") ? undefined : this.part();
        this.must(";");
        const condition = this.sees(";") ? undefined : this.expression();
        this.must(";");
        const after = this.sees(")") ? undefined : this.part();
        this.must(")");
        return { kind: "loop", first, condition, after, body: this.block() };
    }

    loop(isConditional) {
        return { kind: "loop", condition: isConditional ? this.expression() : undefined, body: this.block() };
    }

    /** A statement of a loop's head. */
    part() {
        const { at } = this.token;
        const made = this.simple();
        return { at, end: this.end, ...made };
    }

    simple() {
        if (this.skips("let") || this.skips("var") || this.skips("const")) {
            return { kind: "declare", ...this.binding() };
        }
        if (this.skips("return")) {
            return { kind: "return", value: this.sees(";") ? undefined : this.expression() };
        }
        for (const kind of ["break", "continue"]) {
            if (this.skips(kind)) {
                return { kind };
            }
        }
        const target = this.unary();
        if (this.skips("++")) {
            return { kind: "assign", target, sign: "+", value: { kind: "number", text: "1", at: target.at, end: this.end } };
        }
        if (this.skips("=")) {
            return { kind: "assign", target, value: this.expression() };
        }
        const sign = /^([-+*/%&|^])=$/.exec(this.token.text)?.[1];
        if (sign) {
            this.take();
            return { kind: "assign", target, sign, value: this.expression() };
        }
        return { kind: "call", value: target };
    }

    expression(layer = 0) {
        if (layer === LAYERS.length) {
            return this.unary();
        }
        let left = this.expression(layer + 1);
        for (let sign = this.sign(layer); sign; sign = this.sign(layer)) {
            const right = this.expression(layer + 1);
            left = { kind: "binary", sign, left, right, at: left.at, end: this.end };
        }
        return left;
    }

    /** Passes over a sign of that layer, if one comes. */
    sign(layer) {
        const [token, following] = this.tokens.slice(this.next, this.next + 2);
        const isShift = token.text === ">" && following?.text === ">" && token.end === following.at;
        const sign = isShift ? ">>" : token.text;
        if (!LAYERS[layer].includes(sign)) {
            return undefined;
        }
        this.next += isShift ? 2 : 1;
        return sign;
    }

    unary() {
        const { at, text } = this.token;
        if (["&", "-", "!", "~"].includes(text)) {
            this.take();
            const of = this.unary();
            return { kind: "unary", sign: text, of, at, end: this.end };
        }
        return this.primary();
    }

    primary() {
        const { at, text, kind } = this.token;
        let made;
        if (this.skips("(")) {
            made = this.expression();
            this.must(")");
        } else if (kind === "number") {
            this.take();
            made = { kind: "number", text, at, end: this.end };
        } else {
            const type = this.type();
            made = { kind: "name", name: type.name, at, end: this.end };
            if (this.skips("(")) {
                made = { kind: "call", type, given: this.list(")", () => this.expression()), at, end: this.end };
            }
        }
        return this.suffixes(made);
    }

    suffixes(of) {
        let made = of;
        for (;;) {
            if (this.skips("[")) {
                const index = this.expression();
                this.must("]");
                made = { kind: "index", of: made, index, at: of.at, end: this.end };
            } else if (this.skips(".")) {
                made = { kind: "member", of: made, name: this.name(), at: of.at, end: this.end };
            } else {
                return made;
            }
        }
    }
}

/** What a shader declares. */
export function parse(text) {
    return new Parser(text).module();
}
