import { Attempt, create, WORKING } from "./buffers.js";
import { MAP_MODE_READ } from "./device.js";
import { isOutOfMemory, ReduceError } from "./errors.js";
import { Kept, once, type Run } from "./kept.js";
import { type Caught, inScopes, Loss } from "./loss.js";
import { type Pipeline, Pipelines } from "./pipelines.js";
import { type Arranged, buffersOf, type Input, padded, Recorder } from "./recorder.js";
import type { TypedArray } from "./types.js";
import type { Planned, Range } from "./wasm.js";

const UNREAD = "the results cannot be read";

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
    readonly #loss: Loss;

    constructor(device: GPUDevice) {
        this.device = device;
        this.#loss = new Loss(device);
        this.#pipelines = new Pipelines(device, this.#loss);
        this.#recorder = new Recorder(device);
    }

    /** Runs plans in one submission, and makes their results. */
    async run(jobs: Job[], signal?: AbortSignal): Promise<unknown[]> {
        const given = jobs.map(({ inputs }) => taken(inputs));
        const pipelines = await this.#ready(jobs.map(({ planned }) => planned), signal);
        const runs = jobs.map(({ planned }, number) => {
            return once(this.#recorder, planned, given[number] ?? [], pipelines[number] ?? []);
        });
        return this.#finish(runs, signal);
    }

    /** Makes all that runs of a plan take. */
    async prepare({ planned, inputs }: Job, signal?: AbortSignal): Promise<Kept> {
        const given = taken(inputs);
        const [pipelines = []] = await this.#ready([planned], signal);
        const kept = new Kept(this.#recorder, planned, given, pipelines);
        const [, failed] = this.#scoped((attempt) => kept.begin(attempt));
        try {
            await this.#loss.unless(signal, failed);
        } catch (error) {
            failed.then(() => kept.destroy(), () => undefined);
            throw error;
        }
        return kept;
    }

    /** Runs a plan that is prepared. */
    runKept(kept: Kept, signal?: AbortSignal): Promise<unknown> {
        return kept.during(async () => {
            signal?.throwIfAborted();
            this.#loss.check();
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
        const mapped = this.#map(host, padded(end));
        mapped.catch(() => undefined);
        return { host, mapped, parts, bytes: padded(end) };
    }

    async #map(host: GPUBuffer, bytes: number): Promise<void> {
        try {
            await host.mapAsync(MAP_MODE_READ, 0, bytes);
        } catch (error) {
            throw await this.#loss.explain(error, UNREAD);
        }
    }

    /** The bytes of a buffer that is mapped, unless the device has been lost since. */
    async #mapped(host: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
        try {
            return host.getMappedRange(0, bytes);
        } catch (error) {
            host.destroy();
            throw await this.#loss.explain(error, UNREAD);
        }
    }

    /** Waits for bytes, and makes something of them. */
    async #read<R>(
        reading: Reading | undefined, failed: Promise<void>, make: (parts: Uint8Array[]) => R, signal?: AbortSignal,
    ): Promise<R> {
        // An error of the commands says more than a mapping that fails for it.
        const arrived = failed.then(() => reading?.mapped);
        const destroy = () => reading?.host.destroy();
        try {
            await this.#loss.unless(signal, arrived);
        } catch (error) {
            // The buffer may still be on its way.
            arrived.then(destroy, destroy);
            throw error;
        }
        const { host, parts, bytes } = reading ?? nothing();
        const all = await this.#mapped(host, bytes);
        try {
            return make(parts.map(({ offset, size }) => new Uint8Array(all, offset, size)));
        } finally {
            host.unmap();
            this.#recorder.staging.give(host);
        }
    }

    /** Records a plan into an encoder, and leaves its results in a buffer. */
    async record(
        { planned, inputs: given }: Job, encoder: GPUCommandEncoder, output: GPUBuffer, signal?: AbortSignal,
    ): Promise<void> {
        const inputs = taken(given);
        const [pipelines = []] = await this.#ready([planned], signal);
        const { recording } = planned;
        const [, failed] = this.#scoped((attempt) => {
            const arranged = this.#recorder.arrange({ recording, pipelines, inputs }, attempt, output);
            this.#recorder.play(arranged, encoder);
            this.#recorder.lend(arranged);
            this.#recorder.give(arranged, attempt);
        });
        await this.#loss.unless(signal, failed);
    }

    /** Runs a plan, and leaves its results in a buffer of so many bytes. */
    async leave({ planned, inputs: given }: Job, size: number, signal?: AbortSignal): Promise<GPUBuffer> {
        const inputs = taken(given);
        const [pipelines = []] = await this.#ready([planned], signal);
        const { recording } = planned;
        const [output, failed] = this.#scoped((attempt) => {
            const output = attempt.hold(create(this.device, { label: "wgpu-reduce results", size, usage: WORKING }), true);
            const encoder = this.#encoder();
            const arranged = this.#recorder.arrange({ recording, pipelines, inputs }, attempt, output);
            this.#recorder.play(arranged, encoder);
            this.device.queue.submit([encoder.finish()]);
            this.#recorder.release(arranged, attempt);
            return output;
        });
        try {
            await this.#loss.unless(signal, failed);
        } catch (error) {
            output?.destroy();
            throw error;
        }
        return output ?? nothing();
    }

    /** Drops what is kept. */
    trim(): void {
        this.#recorder.trim();
    }

    /** Waits for pipelines. Error scopes are the caller's, too, and none is open across this wait. */
    async #ready(plans: Planned[], signal?: AbortSignal): Promise<Pipeline[][]> {
        signal?.throwIfAborted();
        this.#loss.check();
        const all = Promise.all(plans.map((planned) => this.#pipelines.all(planned)));
        const pipelines = await this.#loss.unless(signal, all);
        signal?.throwIfAborted();
        return pipelines;
    }

    /** Does what may fail in error scopes, and tells when it is known whether it did. */
    #scoped<R>(work: (attempt: Attempt) => R): [R | undefined, Promise<void>] {
        const attempt = new Attempt();
        const { made, thrown, caught } = inScopes(this.device, () => work(attempt));
        return [made, this.#judge(caught, thrown, attempt)];
    }

    async #judge(caught: Promise<Caught>, thrown: unknown, attempt: Attempt): Promise<void> {
        const { internal, memory, validation } = await caught;
        if (!internal && !memory && !validation && thrown === undefined) {
            attempt.succeed();
            return;
        }
        attempt.fail();
        const lost = await this.#loss.behind();
        if (lost) {
            throw lost;
        }
        this.trim();
        const full = memory ?? (isOutOfMemory(thrown) ? thrown : undefined);
        if (full) {
            throw new ReduceError("OutOfMemory", `the device is out of memory: ${full.message}`);
        }
        if (validation) {
            throw new ReduceError("Validation", `WebGPU rejected the call: ${validation.message}`);
        }
        const unexpected = internal ?? (thrown instanceof DOMException ? thrown : undefined);
        if (unexpected) {
            throw new ReduceError("Internal", `unexpected error of the GPU stack: ${unexpected.message}`);
        }
        throw thrown;
    }
}

/** Arrays as they are when a call is made, whatever becomes of them before they are uploaded. */
function taken(inputs: Input[]): Input[] {
    // A class that extends an array may share memory where it slices, as Node's `Buffer` does.
    const copied = ({ buffer, byteOffset, byteLength }: TypedArray) => new Uint8Array(buffer, byteOffset, byteLength).slice();
    return inputs.map((input) => ArrayBuffer.isView(input) ? copied(input) : input);
}

function nothing(): never {
    throw new ReduceError("Internal", "nothing was submitted");
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
