// Files to drop on the page, made of what they are to hold.

import { deflateSync } from "node:zlib";

/** Bytes of NumPy's types, and how such elements are put into a file. */
const WRITERS = {
    u1: [1, "setUint8"], i1: [1, "setInt8"], u2: [2, "setUint16"], i2: [2, "setInt16"], u4: [4, "setUint32"],
    i4: [4, "setInt32"], u8: [8, "setBigUint64"], i8: [8, "setBigInt64"], f4: [4, "setFloat32"], f8: [8, "setFloat64"],
    // Elements are given as their bits.
    f2: [2, "setUint16"],
};

/** A .npy file with a dtype as NumPy writes it, as in `<f4`, and elements in the order in which they lie. */
export function npy(dtype, shape, elements, isFortran = false) {
    const extents = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
    const order = isFortran ? "True" : "False";
    const text = `{'descr': '${dtype}', 'fortran_order': ${order}, 'shape': (${extents}), }\n`;
    const head = Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, text.length & 255, text.length >> 8]);
    const [bytes, method] = WRITERS[dtype.slice(1)];
    const data = new DataView(new ArrayBuffer(elements.length * bytes));
    elements.forEach((element, index) => data[method](index * bytes, element, dtype[0] !== ">"));
    return Buffer.concat([head, Buffer.from(text), Buffer.from(data.buffer)]);
}

/** CRC-32 as PNG has it. */
function crc32(bytes) {
    let sum = ~0;
    for (const byte of bytes) {
        sum ^= byte;
        for (let bit = 0; bit < 8; bit += 1) {
            sum = (sum >>> 1) ^ (sum & 1 ? 0xEDB88320 : 0);
        }
    }
    return ~sum >>> 0;
}

function chunk(kind, bytes) {
    const body = Buffer.concat([Buffer.from(kind), bytes]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(bytes.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
}

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** A PNG of rows as they are stored, of eight bits a sample; with a palette, if there is one, else red, green and blue. */
function pngOf(width, height, rows, palette) {
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, palette ? 3 : 2, 0, 0, 0], 8);
    const colours = palette ? [chunk("PLTE", Buffer.from(palette.flat()))] : [];
    const data = chunk("IDAT", deflateSync(Buffer.concat(rows), { level: 9 }));
    return Buffer.concat([SIGNATURE, chunk("IHDR", head), ...colours, data, chunk("IEND", Buffer.alloc(0))]);
}

/** A PNG whose pixel at x, y is `[red, green, blue]`. */
export function png(width, height, pixel) {
    const rows = Array.from({ length: height }, (_, y) => {
        return Buffer.from([0, ...Array.from({ length: width }, (_, x) => pixel(x, y)).flat()]);
    });
    return pngOf(width, height, rows);
}

/** A large PNG that is a small file: every row has the same colours. */
export function stripedPng(width, height) {
    const row = Buffer.from([0, ...Array.from({ length: 3 * width }, (_, sample) => (sample * 37) % 256)]);
    return pngOf(width, height, Array(height).fill(row));
}

/** A PNG of pixels of red, green, blue and alpha, in the 256 colours that most of them have, or nearly. */
export function smallPng(width, height, pixels) {
    const keyOf = (at) => pixels.readUIntBE(at, 3) & 0xF8F8F8;
    const counts = new Map();
    for (let at = 0; at < pixels.length; at += 4) {
        counts.set(keyOf(at), (counts.get(keyOf(at)) ?? 0) + 1);
    }
    const commonest = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([key]) => key);
    const palette = commonest.map((key) => [key >> 16, (key >> 8) & 255, key & 255].map((part) => part | (part >> 5)));
    const distance = (a, b) => [16, 8, 0].reduce((sum, shift) => {
        return sum + Math.abs(((a >> shift) & 255) - ((b >> shift) & 255));
    }, 0);
    const nearest = (key) => commonest.reduce((best, other, index) => {
        return distance(key, other) < distance(key, commonest[best]) ? index : best;
    }, 0);
    const indices = new Map([...counts.keys()].map((key) => [key, nearest(key)]));
    const rows = Array.from({ length: height }, (_, y) => Buffer.from([0, ...Array.from({ length: width }, (_, x) => {
        return indices.get(keyOf(4 * (y * width + x)));
    })]));
    return pngOf(width, height, rows, palette);
}
