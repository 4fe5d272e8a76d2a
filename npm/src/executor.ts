import { Attempt, create, WORKING } from "./buffers.js";
import { MAP_MODE_READ } from "./device.js";
import { isOutOfMemory, ReduceError } from "./errors.js";
import { Kept, once, type Run } from "./kept.js";
import { type Pipeline, Pipelines } from "./pipelines.js";
import { type Arranged, buffersOf, type Input, padded, Recorder } from "./recorder.js";
import type { DevicePlanner, Planned, Range, Recording } from "./wasm.js";

/** A plan, and what it reads. */
export interface Job {
    planned: Planned;
    inputs: Input[];
}

/** Runs recordings on the caller's device. */
export class Executor {
    readonly device: GPUDevice;
    readonly #pipelines: Pipelines;
    readonly #recorder: Recorder;
    #lost: ReduceError | undefined;
    /** What ends the waits for a device that is lost. */
    readonly #waiting = new Set<(error: unknown) => void>();

    constructor(device: GPUDevice, planner: DevicePlanner) {
        this.device = device;
        this.#pipelines = new Pipelines(device, planner);
        this.#recorder = new Recorder(device);
        void device.lost.then(({ message, reason }) => {
            const lost = new ReduceError("DeviceLost", `the device was lost: ${message || reason}`);
            this.#lost = lost;
            this.#waiting.forEach((reject) => reject(lost));
        });
    }

    /** Runs plans in one submission, and makes their results. */
    async run(jobs: Job[], signal?: AbortSignal): Promise<unknown[]> {
        const given = jobs.map(({ inputs }) => taken(inputs));
        const pipelines = await this.#ready(jobs.map(({ planned }) => planned.recording), signal);
        const runs = jobs.map(({ planned }, number) => {
            return once(this.#recorder, planned, given[number] ?? [], pipelines[number] ?? []);
        });
        return this.#finish(runs, signal);
    }

    /** Makes all that runs of a plan take. */
    async prepare({ planned, inputs }: Job): Promise<Kept> {
        const given = taken(inputs);
        const [pipelines = []] = await this.#ready([planned.recording]);
        const kept = new Kept(this.#recorder, planned, given, pipelines);
        const [, failed] = this.#scoped((attempt) => kept.begin(attempt));
        await failed;
        return kept;
    }

    /** Runs a plan that is prepared. */
    runKept(kept: Kept, signal?: AbortSignal): Promise<unknown> {
        return kept.during(async () => {
            signal?.throwIfAborted();
            this.#check();
            return (await this.#finish([kept], signal))[0];
        });
    }

    /** Submits runs together, waits for what they leave, and makes their results. */
    async #finish(runs: Run[], signal: AbortSignal | undefined): Promise<unknown[]> {
        const all: Running[] = [];
        const drop = (some: Running[]) => some.forEach(({ run, arranged }) => run.drop(arranged));
        const [reading, failed] = this.#scoped((attempt) => {
            const encoder = this.#encoder();
            runs.forEach((run) => all.push({ run, arranged: run.arrange(attempt) }));
            all.forEach(({ arranged }) => this.#recorder.play(arranged, encoder));
            const sources = all.map(({ arranged: { recording: { head, bytes }, output } }) => {
                return { from: output, ranges: [head ?? { offset: 0, size: bytes }] };
            });
            const reading = this.#submit(encoder, sources, attempt);
            all.filter(hasNoHead).forEach(({ run, arranged }) => run.release(arranged, attempt));
            return reading;
        });
        failed.catch(() => drop(all.filter(({ run }) => run.isKept)));
        const later = all.filter((one) => !hasNoHead(one));
        const first = await this.#read(reading, failed, (parts) => runs.map(({ planned }, number) => {
            const bytes = parts[number] ?? nothing();
            return planned.recording.head
                ? { head: bytes.slice(), ranges: planned.rest(bytes) } : { value: planned.finish(bytes) };
        }), signal).catch((error: unknown) => {
            drop(later);
            throw error;
        });
        if (later.length === 0) {
            return first.map(({ value }) => value);
        }
        const [others, failedToRead] = this.#scoped((attempt) => {
            later.forEach(({ arranged }) => buffersOf(arranged).forEach((buffer) => attempt.hold(buffer, false)));
            const sources = later.map(({ run, arranged: { output } }) => {
                return { from: output, ranges: first[runs.indexOf(run)]?.ranges ?? [] };
            });
            const reading = this.#submit(this.#encoder(), sources, attempt);
            later.forEach(({ run, arranged }) => run.release(arranged, attempt));
            return reading;
        });
        failedToRead.catch(() => drop(later.filter(({ run }) => run.isKept)));
        return this.#read(others, failedToRead, (parts) => first.map(({ head, value }, number) => {
            const part = parts[later.findIndex(({ run }) => run === runs[number])];
            return part && head ? runs[number]?.planned.finish(part, head) : value;
        }), signal);
    }

    #encoder(): GPUCommandEncoder {
        return this.device.createCommandEncoder({ label: "wgpu-reduce" });
    }

    /** Submits commands, and copies parts of buffers to the host behind them, side by side. */
    #submit(encoder: GPUCommandEncoder, sources: { from: GPUBuffer; ranges: Range[] }[], attempt: Attempt): Reading {
        const parts: Range[] = [];
        const copies: [from: GPUBuffer, offset: number, to: number, size: number][] = [];
        let end = 0;
        for (const { from, ranges } of sources) {
            const offset = end;
            for (const range of ranges.filter(({ size }) => size > 0)) {
                copies.push([from, range.offset, end, padded(range.size)]);
                end += range.size;
            }
            parts.push({ offset, size: end - offset });
            end = Math.ceil(end / 4) * 4;
        }
        const host = this.#recorder.staging.take(padded(end), attempt);
        copies.forEach(([from, offset, to, size]) => encoder.copyBufferToBuffer(from, offset, host, to, size));
        this.device.queue.submit([encoder.finish()]);
        const mapped = host.mapAsync(MAP_MODE_READ, 0, padded(end));
        mapped.catch(() => undefined);
        return { host, mapped, parts, bytes: padded(end) };
    }

    /** Waits for bytes, and makes something of them. */
    async #read<R>(
        reading: Reading | undefined, failed: Promise<void>, make: (parts: Uint8Array[]) => R, signal?: AbortSignal,
    ): Promise<R> {
        // An error of the commands says more than a mapping that fails for it.
        const arrived = failed.then(() => reading?.mapped);
        const destroy = () => reading?.host.destroy();
        try {
            await this.#unless(signal, arrived);
        } catch (error) {
            // The buffer may still be on its way.
            arrived.then(destroy, destroy);
            throw error;
        }
        const { host, parts, bytes } = reading ?? nothing();
        try {
            const all = host.getMappedRange(0, bytes);
            return make(parts.map(({ offset, size }) => new Uint8Array(all, offset, size)));
        } finally {
            host.unmap();
            this.#recorder.staging.give(host);
        }
    }

    /** Records a plan into an encoder, and leaves its results in a buffer. */
    async record(recording: Recording, given: Input[], encoder: GPUCommandEncoder, output: GPUBuffer): Promise<void> {
        const inputs = taken(given);
        const [pipelines = []] = await this.#ready([recording]);
        const [, failed] = this.#scoped((attempt) => {
            const arranged = this.#recorder.arrange({ recording, pipelines, inputs }, attempt, output);
            this.#recorder.play(arranged, encoder);
            this.#recorder.lend(arranged);
            this.#recorder.give(arranged, attempt);
        });
        await failed;
    }

    /** Runs a plan, and leaves its results in a buffer of so many bytes. */
    async leave(recording: Recording, given: Input[], size: number): Promise<GPUBuffer> {
        const inputs = taken(given);
        const [pipelines = []] = await this.#ready([recording]);
        const [output, failed] = this.#scoped((attempt) => {
            const output = attempt.hold(create(this.device, { label: "wgpu-reduce results", size, usage: WORKING }), true);
            const encoder = this.#encoder();
            const arranged = this.#recorder.arrange({ recording, pipelines, inputs }, attempt, output);
            this.#recorder.play(arranged, encoder);
            this.device.queue.submit([encoder.finish()]);
            this.#recorder.release(arranged, attempt);
            return output;
        });
        await failed;
        return output ?? nothing();
    }

    /** Drops what is kept. */
    trim(): void {
        this.#recorder.trim();
    }

    /** Waits for pipelines. Error scopes are the caller's, too, and none is open across this wait. */
    async #ready(recordings: Recording[], signal?: AbortSignal): Promise<Pipeline[][]> {
        signal?.throwIfAborted();
        this.#check();
        const all = Promise.all(recordings.map((recording) => this.#pipelines.all(recording)));
        const pipelines = await this.#unless(signal, all);
        signal?.throwIfAborted();
        return pipelines;
    }

    #check(): void {
        if (this.#lost) {
            throw this.#lost;
        }
    }

    /** Waits for something, unless the device is lost or the signal aborts. */
    async #unless<R>(signal: AbortSignal | undefined, what: Promise<R>): Promise<R> {
        const { promise: stopped, reject } = withReject();
        const abort = () => reject(signal?.reason);
        this.#waiting.add(reject);
        signal?.addEventListener("abort", abort);
        try {
            signal?.throwIfAborted();
            return await Promise.race([stopped, what]);
        } catch (error) {
            throw this.#lost ?? error;
        } finally {
            signal?.removeEventListener("abort", abort);
            this.#waiting.delete(reject);
        }
    }

    /**
     * Does what may fail in error scopes, and tells when it is known whether it did. `work` does not wait, so that
     * nothing of the caller's comes between.
     */
    #scoped<R>(work: (attempt: Attempt) => R): [R | undefined, Promise<void>] {
        const { device } = this;
        const attempt = new Attempt();
        const filters: GPUErrorFilter[] = ["validation", "out-of-memory", "internal"];
        let made: R | undefined;
        let thrown: unknown;
        filters.forEach((filter) => device.pushErrorScope(filter));
        try {
            made = work(attempt);
        } catch (error) {
            thrown = error;
        }
        const popped = filters.map(() => device.popErrorScope());
        return [made, this.#judge(popped, thrown, attempt)];
    }

    async #judge(popped: Promise<GPUError | null>[], thrown: unknown, attempt: Attempt): Promise<void> {
        // On a lost device they may fail, too.
        const errors = await Promise.all(popped.map((each) => each.catch(() => null)));
        const [internal, memory, validation] = errors;
        if (!internal && !memory && !validation && thrown === undefined) {
            attempt.succeed();
            return;
        }
        attempt.fail();
        // Some runtimes throw first, and tell of the loss after that.
        await new Promise((resolve) => { setTimeout(resolve); });
        if (this.#lost) {
            throw this.#lost;
        }
        this.trim();
        const full = memory ?? (isOutOfMemory(thrown) ? thrown : undefined);
        if (full) {
            throw new ReduceError("OutOfMemory", `the device is out of memory: ${full.message}`);
        }
        if (validation) {
            throw new ReduceError("Validation", `WebGPU rejected the call: ${validation.message}`);
        }
        if (internal) {
            throw new ReduceError("Internal", `unexpected error of the GPU stack: ${internal.message}`);
        }
        throw thrown;
    }
}

/** Arrays as they are when a call is made, whatever becomes of them before they are uploaded. */
function taken(inputs: Input[]): Input[] {
    return inputs.map((input) => ArrayBuffer.isView(input) ? input.slice() : input);
}

function nothing(): never {
    throw new ReduceError("Internal", "nothing was submitted");
}

/** A promise that can only be rejected. */
function withReject(): { promise: Promise<never>; reject: (error: unknown) => void } {
    let reject: (error: unknown) => void = () => undefined;
    const promise = new Promise<never>((_, given) => { reject = given; });
    return { promise, reject };
}

/** A run with what its commands take. */
interface Running {
    run: Run;
    arranged: Arranged;
}

function hasNoHead({ arranged }: Running): boolean {
    return arranged.recording.head === undefined;
}

/** Bytes on their way to the host. */
interface Reading {
    host: GPUBuffer;
    mapped: Promise<unknown>;
    /** What each source has there. */
    parts: Range[];
    bytes: number;
}
