import { USAGE } from "./device.js";
import { ReduceError } from "./errors.js";

/** What is kept while nobody uses it, of all pools of a device together. The bytes are those of some large results. */
export const MOST_IDLE = { bytes: 128 << 20, buffers: 1024 } as const;

const LEAST_BYTES = 256;

/** What encoders of the caller's use, which may be submitted at any time. */
const lent = new WeakSet<GPUBuffer>();

/** Says that an encoder of the caller's uses a buffer. It is handed on, but never destroyed. */
export function lend(buffer: GPUBuffer): void {
    lent.add(buffer);
}

/** Destroys a buffer, unless it is lent. */
export function discard(buffer: GPUBuffer): void {
    if (!lent.has(buffer)) {
        buffer.destroy();
    }
}

/** What one call holds until it is known whether the device has made it. No other call gets it before, or it would fail, too. */
export class Attempt {
    readonly #held = new Set<GPUBuffer>();
    readonly #made = new Set<GPUBuffer>();
    #then: (() => void)[] = [];

    /** Takes charge of a buffer that the call has made, or one that was there before. */
    hold(buffer: GPUBuffer, isNew: boolean): GPUBuffer {
        this.#held.add(buffer);
        if (isNew) {
            this.#made.add(buffer);
        }
        return buffer;
    }

    /** Hands a buffer on: one that was there before at once, since a queue runs what it is given in order. */
    release(buffer: GPUBuffer, work: () => void): void {
        if (this.#made.has(buffer)) {
            this.#then.push(work);
        } else {
            this.#held.delete(buffer);
            work();
        }
    }

    succeed(): void {
        this.#then.forEach((work) => work());
    }

    fail(): void {
        this.#held.forEach(discard);
    }
}

/** The buffers of all pools of a device that nobody uses, in the order in which they came. */
export class Idle {
    readonly #buffers = new Map<GPUBuffer, Pool>();
    #bytes = 0;

    /** The buffer of a pool and of a size that came last. */
    take(pool: Pool, size: number): GPUBuffer | undefined {
        let found: GPUBuffer | undefined;
        for (const [buffer, owner] of this.#buffers) {
            if (owner === pool && buffer.size === size) {
                found = buffer;
            }
        }
        if (found && this.#buffers.delete(found)) {
            this.#bytes -= size;
        }
        return found;
    }

    give(pool: Pool, buffer: GPUBuffer): void {
        if (buffer.size > MOST_IDLE.bytes) {
            discard(buffer);
            return;
        }
        this.#buffers.set(buffer, pool);
        this.#bytes += buffer.size;
        this.trim(MOST_IDLE);
    }

    /** Drops those that have not been used for the longest time. */
    trim({ bytes, buffers }: { bytes: number; buffers: number } = { bytes: 0, buffers: 0 }): void {
        for (const buffer of this.#buffers.keys()) {
            if (this.#bytes <= bytes && this.#buffers.size <= buffers) {
                return;
            }
            this.#buffers.delete(buffer);
            this.#bytes -= buffer.size;
            discard(buffer);
        }
    }
}

/** Buffers of one usage that recordings use one after another. */
export class Pool {
    readonly #device: GPUDevice;
    readonly #usage: number;
    readonly #idle: Idle;

    constructor(device: GPUDevice, usage: number, idle: Idle) {
        this.#device = device;
        this.#usage = usage;
        this.#idle = idle;
    }

    take(bytes: number, attempt: Attempt): GPUBuffer {
        const size = sizeFor(bytes, this.#device.limits.maxBufferSize);
        const found = this.#idle.take(this, size);
        return attempt.hold(found ?? create(this.#device, { size, usage: this.#usage }), !found);
    }

    /** Takes a buffer back, during an attempt or after it. */
    give(buffer: GPUBuffer, attempt?: Attempt): void {
        const back = () => this.#idle.give(this, buffer);
        if (attempt) {
            attempt.release(buffer, back);
        } else {
            back();
        }
    }
}

/** A power of two, so that few sizes serve many requests; what is large has its own. */
function sizeFor(bytes: number, most: number): number {
    const words = Math.ceil(Math.max(bytes, LEAST_BYTES) / 4) * 4;
    const power = 2 ** Math.ceil(Math.log2(words));
    return words > 2 ** 24 || power > most ? words : power;
}

/** How many buffers of constants are kept, and how large they are together and each. */
const MOST_KEPT = 512;
const MOST_KEPT_BYTES = 8 << 20;
const LARGEST_KEPT_BYTES = 256 << 10;

/**
 * Buffers that nobody writes again, by their contents. An encoder of the caller's may be submitted at any time,
 * so that contents have to stay.
 */
export class Constants {
    readonly #device: GPUDevice;
    readonly #usage: number;
    #kept = new Map<string, GPUBuffer>();
    #bytes = 0;

    constructor(device: GPUDevice, usage: number) {
        this.#device = device;
        this.#usage = usage;
    }

    /** A buffer with these contents. One that is not kept also goes to `once`. */
    get(words: Uint32Array<ArrayBuffer>, attempt: Attempt, once: GPUBuffer[]): GPUBuffer {
        const isKept = words.byteLength <= LARGEST_KEPT_BYTES;
        const key = isKept ? words.join() : "";
        const found = this.#kept.get(key);
        if (found) {
            return found;
        }
        const made = attempt.hold(upload(this.#device, words, this.#usage), true);
        if (isKept) {
            attempt.release(made, () => this.#keep(key, made));
        } else {
            once.push(made);
        }
        return made;
    }

    #keep(key: string, made: GPUBuffer): void {
        if (this.#kept.has(key)) {
            return;
        }
        if (this.#kept.size >= MOST_KEPT || this.#bytes + made.size > MOST_KEPT_BYTES) {
            this.clear();
        }
        this.#kept.set(key, made);
        this.#bytes += made.size;
    }

    clear(): void {
        this.#kept = new Map();
        this.#bytes = 0;
    }
}

/** Makes a buffer, unless no buffer of the device is so large. */
export function create(device: GPUDevice, described: GPUBufferDescriptor): GPUBuffer {
    const { maxBufferSize } = device.limits;
    if (described.size > maxBufferSize) {
        const what = `a buffer of ${described.size} bytes exceeds the device's limit of ${maxBufferSize}`;
        throw new ReduceError("BufferTooLarge", what);
    }
    return device.createBuffer({ label: "wgpu-reduce", ...described });
}

/** A buffer with these contents, and zeros to the end of a word. */
export function upload(device: GPUDevice, values: ArrayBufferView, usage: number): GPUBuffer {
    const size = paddedSize(values.byteLength);
    const buffer = create(device, { size, usage, mappedAtCreation: true });
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    new Uint8Array(buffer.getMappedRange()).set(bytes);
    buffer.unmap();
    return buffer;
}

/** Bytes of a buffer that holds so many, and is no empty one, which cannot be bound. */
export function paddedSize(bytes: number): number {
    return Math.max(16, Math.ceil(bytes / 4) * 4);
}

/** What shaders read and write, also as parameters of the next pass, and copies come from and go to. */
export const WORKING = USAGE.STORAGE | USAGE.UNIFORM | USAGE.COPY_SRC | USAGE.COPY_DST;
