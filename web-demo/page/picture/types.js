// Types of the ladder's WGSL, and arithmetic on their values as WGSL has it.

/** Numbers are numbers of JavaScript, vectors arrays of them, structures objects. */
export const [BOOL, U32, I32, F32, NOTHING] = ["bool", "u32", "i32", "f32", "nothing"].map((kind) => ({ kind }));

const SCALARS = { bool: BOOL, u32: U32, i32: I32, f32: F32 };

/** What makes a number one of that type. */
const FIT = { u32: (value) => value >>> 0, i32: (value) => value | 0, f32: Math.fround, bool: Boolean };

const words = new DataView(new ArrayBuffer(4));
const WRITE = { u32: "setUint32", i32: "setInt32", f32: "setFloat32" };
const READ = { u32: "getUint32", i32: "getInt32", f32: "getFloat32" };
export const ARRAYS = { u32: Uint32Array, i32: Int32Array, f32: Float32Array };

/** The bits of a value as a value of another type. */
export function bitcast(value, from, to) {
    words[WRITE[from.kind]](0, value);
    return words[READ[to.kind]](0);
}

/** Types that a shader names. */
export class Types {
    constructor(parts, countOf) {
        Object.assign(this, { parts, countOf });
    }

    /** The type that is written so. */
    of(written) {
        const { name, of } = written;
        if (SCALARS[name]) {
            return SCALARS[name];
        }
        if (this.parts.aliases[name]) {
            return this.of(this.parts.aliases[name]);
        }
        if (/^vec[234]$/.test(name)) {
            return { kind: "vector", of: this.of(of[0]), count: Number(name[3]) };
        }
        if (name === "atomic") {
            return { kind: "atomic", of: this.of(of[0]) };
        }
        if (name === "array") {
            return { kind: "array", of: this.of(of[0]), count: of[1] && this.countOf(of[1].count) };
        }
        if (this.parts.structs[name]) {
            const members = this.parts.structs[name].map((member) => [member.name, this.of(member.type)]);
            return { kind: "structure", name, members: Object.fromEntries(members) };
        }
        throw new TypeError(`no type ${name}`);
    }
}

/** The value that everything is before it is written. */
export function zeroOf(type) {
    switch (type.kind) {
        case "bool": return false;
        case "vector": return Array(type.count).fill(0);
        case "structure": return Object.fromEntries(Object.entries(type.members).map(([name, of]) => [name, zeroOf(of)]));
        default: return 0;
    }
}

const INTEGERS = {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": Math.imul,
    "/": (a, b) => (b === 0 ? a : Math.trunc(a / b)),
    "%": (a, b) => (b === 0 ? 0 : a % b),
    "&": (a, b) => a & b,
    "|": (a, b) => a | b,
    "^": (a, b) => a ^ b,
    "<<": (a, b) => a << b,
};

const FLOATS = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b };

const COMPARISONS = {
    "==": (a, b) => a === b,
    "!=": (a, b) => a !== b,
    "<": (a, b) => a < b,
    ">": (a, b) => a > b,
    "<=": (a, b) => a <= b,
    ">=": (a, b) => a >= b,
};

/** The type of what comes of a sign between two operands of a type, and the function that makes it. */
export function operation(sign, type) {
    if (COMPARISONS[sign]) {
        return { type: BOOL, apply: COMPARISONS[sign] };
    }
    if (type.kind === "vector") {
        const { apply } = operation(sign, type.of);
        return { type, apply: (a, b) => a.map((part, index) => apply(part, b[index])) };
    }
    const fit = FIT[type.kind];
    if (sign === ">>" && (type === U32 || type === I32)) {
        return { type, apply: type === U32 ? (a, b) => a >>> b : (a, b) => a >> b };
    }
    const plain = (type === F32 ? FLOATS : INTEGERS)[sign];
    if (!plain) {
        throw new TypeError(`no ${sign} of ${type.kind}`);
    }
    return { type, apply: (a, b) => fit(plain(a, b)) };
}

/** What a conversion such as `u32(x)` makes of a number. */
export const conversion = (type) => FIT[type.kind];

/** A number as it is written, and its type. */
export function literal(text) {
    const suffix = /^0x/i.test(text) ? /[iu]$/.exec(text)?.[0] : /[iuf]$/.exec(text)?.[0];
    const value = Number(suffix ? text.slice(0, -1) : text);
    const type = { u: U32, i: I32, f: F32 }[suffix] ?? (/[.e]/i.test(text) && !/^0x/i.test(text) ? F32 : undefined);
    return { type, value };
}
