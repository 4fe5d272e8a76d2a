// Values of every type, and what naive loops make of them.

import type { ElementType } from "../dist/index.js";

/** Numbers between 0 and 1 that are the same in every runtime. */
export function random(seed: number): () => number {
    let state = seed | 0;
    return () => {
        // The generator of splitmix, by 32 bits.
        state = (state + 0x9E3779B9) | 0;
        let mixed = Math.imul(state ^ (state >>> 16), 0x21F0AAAD);
        mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735A2D97);
        return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
    };
}

/** The bits of a half float, of numbers that it has, and of NaN. */
function halfBits(value: number): number {
    if (Number.isNaN(value)) {
        return 0x7E00;
    }
    const [bits = 0] = new Uint32Array(new Float32Array([value]).buffer);
    const [sign, exponent, digits] = [bits >>> 16 & 0x8000, (bits >>> 23 & 0xFF) - 112, bits >>> 13 & 0x3FF];
    return value === 0 ? sign : sign | exponent << 10 | digits;
}

function bfloatBits(value: number): number {
    return (new Uint32Array(new Float32Array([value]).buffer)[0] ?? 0) >>> 16;
}

/** Elements as a request takes them, and their values. */
export interface Values {
    type: ElementType;
    bytes: Uint8Array<ArrayBuffer>;
    /** Each as JavaScript has it: big integers of 64 bits, numbers otherwise. */
    values: (number | bigint)[];
}

const ARRAYS = {
    f32: Float32Array, f64: Float64Array, i8: Int8Array, i16: Int16Array, i32: Int32Array, i64: BigInt64Array,
    u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array, f16: Uint16Array, bf16: Uint16Array,
} as const;

export const TYPES = Object.keys(ARRAYS) as ElementType[];

export function bytesPer(type: ElementType): number {
    return ARRAYS[type].BYTES_PER_ELEMENT;
}

/** So many elements of a type. Floats are multiples of an eighth, at most 8: short floats have them, and their sums are exact. */
export function valuesOf(type: ElementType, length: number, seed: number): Values {
    const next = random(seed);
    const bits = 8 * bytesPer(type);
    const one = (): number | bigint => {
        if (type.includes("f")) {
            return Math.round((next() - 0.5) * 128) / 8 + 0;
        }
        const low = Math.floor(next() * 2 ** 32);
        const wide = BigInt(low) << 32n | BigInt(Math.floor(next() * 2 ** 32));
        const value = type.startsWith("i") ? BigInt.asIntN(bits, wide) : BigInt.asUintN(bits, wide);
        return bits === 64 ? value : Number(value);
    };
    return encoded(type, Array.from({ length }, one));
}

/** Elements with these values. */
export function encoded(type: ElementType, values: (number | bigint)[]): Values {
    if (type === "i64" || type === "u64") {
        const array = ARRAYS[type].from(values.map(BigInt));
        return { type, values, bytes: new Uint8Array(array.buffer) };
    }
    const short = { f16: halfBits, bf16: bfloatBits }[type as "f16" | "bf16"] ?? Number;
    const array = ARRAYS[type].from(values.map((value) => short(Number(value))));
    return { type, values, bytes: new Uint8Array(array.buffer) };
}

/** The values as an array that a request takes. */
export function arrayOf({ type, bytes }: Values): InstanceType<(typeof ARRAYS)[ElementType]> {
    return new ARRAYS[type](bytes.buffer);
}

/** A buffer with these elements, behind as many bytes that belong to nobody. */
export function bufferOf(device: GPUDevice, { bytes }: Values, before: number): GPUBuffer {
    const size = Math.ceil((before + bytes.byteLength + 16) / 4) * 4;
    const buffer = device.createBuffer({ size, usage: 0x8C, mappedAtCreation: true });
    const all = new Uint8Array(buffer.getMappedRange()).fill(0xFF);
    all.set(bytes, before);
    buffer.unmap();
    return buffer;
}
