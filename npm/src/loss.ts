import { isOutOfMemory, ReduceError } from "./errors.js";

/** How long to wait for news of a loss behind a failure. Firefox tells of it some tasks later. */
const TOLD_WITHIN_MS = 100;

/** Tells whether a device is lost, and ends what waits for it. */
export class Loss {
    #error: ReduceError | undefined;
    readonly #told: Promise<void>;
    readonly #waiting = new Set<(error: unknown) => void>();

    constructor(device: GPUDevice) {
        this.#told = device.lost.then(({ message, reason }) => {
            const lost = new ReduceError("DeviceLost", `the device was lost: ${message || reason}`);
            this.#error = lost;
            this.#waiting.forEach((reject) => reject(lost));
        });
    }

    /** Fails if the device is lost. */
    check(): void {
        if (this.#error) {
            throw this.#error;
        }
    }

    /** Waits for something, unless the device is lost or the signal aborts. */
    async unless<R>(signal: AbortSignal | undefined, what: Promise<R>): Promise<R> {
        const { promise: stopped, reject } = withReject();
        const abort = () => reject(signal?.reason);
        // Nobody may be told of its failure, where the signal has aborted before.
        what.catch(() => undefined);
        this.#waiting.add(reject);
        signal?.addEventListener("abort", abort);
        try {
            signal?.throwIfAborted();
            const found = await Promise.race([stopped, what]);
            this.check();
            return found;
        } catch (error) {
            throw this.#error ?? error;
        } finally {
            signal?.removeEventListener("abort", abort);
            this.#waiting.delete(reject);
        }
    }

    /** The loss behind a failure, if there is one. Some runtimes fail calls first, and tell of the loss later. */
    async behind(): Promise<ReduceError | undefined> {
        const late = new Promise<void>((resolve) => { setTimeout(resolve, TOLD_WITHIN_MS); });
        await Promise.race([this.#told, late]);
        return this.#error;
    }

    /** The error that stands for a failure of the runtime's. */
    async explain(thrown: unknown, what: string): Promise<ReduceError> {
        const lost = await this.behind();
        const text = `${what}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
        return lost ?? new ReduceError(isOutOfMemory(thrown) ? "OutOfMemory" : "Internal", text);
    }
}

/** A promise that can only be rejected. */
function withReject(): { promise: Promise<never>; reject: (error: unknown) => void } {
    let reject: (error: unknown) => void = () => undefined;
    const promise = new Promise<never>((_, given) => { reject = given; });
    return { promise, reject };
}

/** What error scopes have caught. */
export interface Caught {
    internal: GPUError | null | undefined;
    memory: GPUError | null | undefined;
    validation: GPUError | null | undefined;
}

/**
 * Does what may fail in error scopes of every kind. `work` does not wait, so that nothing of the caller's comes between. On a lost
 * device the scopes catch nothing.
 */
export function inScopes<R>(device: GPUDevice, work: () => R): { made: R | undefined; thrown: unknown; caught: Promise<Caught> } {
    const filters: GPUErrorFilter[] = ["validation", "out-of-memory", "internal"];
    let made: R | undefined;
    let thrown: unknown;
    filters.forEach((filter) => device.pushErrorScope(filter));
    try {
        made = work();
    } catch (error) {
        thrown = error;
    }
    const popped = filters.map(() => device.popErrorScope().catch(() => null));
    const caught = Promise.all(popped).then(([internal, memory, validation]) => ({ internal, memory, validation }));
    return { made, thrown, caught };
}
