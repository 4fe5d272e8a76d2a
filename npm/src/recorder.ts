import { type Attempt, Constants, create, Idle, lend, Pool, upload, WORKING } from "./buffers.js";
import { USAGE } from "./device.js";
import type { Pipeline } from "./pipelines.js";
import type { TypedArray } from "./types.js";
import type { Binding, Dispatch, Recording } from "./wasm.js";

/** A buffer of the caller's, or an array that is uploaded. */
export type Input = GPUBuffer | TypedArray;

/** What is recorded, once its pipelines are there. */
export interface Ready {
    recording: Recording;
    pipelines: Pipeline[];
    inputs: Input[];
}

/** What commands of a recording take: buffers, and what binds them. */
export interface Arranged {
    recording: Recording;
    output: GPUBuffer;
    /** Whether the output is used again. */
    isOurs: boolean;
    scratch: GPUBuffer[];
    /** What no other recording uses. */
    once: GPUBuffer[];
    steps: { compute: GPUComputePipeline; group: GPUBindGroup; grid: Dispatch["grid"] }[];
}

/** The buffers that commands take. */
export function buffersOf({ output, scratch, once }: Arranged): GPUBuffer[] {
    return [output, ...scratch, ...once];
}

/** Copies are of whole words. */
export function padded(bytes: number): number {
    return Math.max(4, Math.ceil(bytes / 4) * 4);
}

interface Places {
    read: GPUBuffer[];
    scratch: GPUBuffer[];
    output: GPUBuffer;
    attempt: Attempt;
}

/** Makes commands of recordings, and keeps the buffers that they take. */
export class Recorder {
    readonly device: GPUDevice;
    readonly #idle = new Idle();
    readonly #scratch: Pool;
    /** Apart from other scratch, since they are zero between recordings. */
    readonly #counters: Pool;
    readonly #results: Pool;
    readonly staging: Pool;
    readonly #parameters: Constants;
    readonly #tables: Constants;
    #unread: GPUBuffer | undefined;

    constructor(device: GPUDevice) {
        this.device = device;
        this.#scratch = new Pool(device, WORKING, this.#idle);
        this.#counters = new Pool(device, WORKING, this.#idle);
        this.#results = new Pool(device, WORKING, this.#idle);
        this.staging = new Pool(device, USAGE.MAP_READ | USAGE.COPY_DST, this.#idle);
        this.#parameters = new Constants(device, USAGE.UNIFORM);
        this.#tables = new Constants(device, USAGE.STORAGE);
    }

    /** Makes what a recording takes that leaves its results in a buffer: in one of this package's unless another is given. */
    arrange({ recording, pipelines, inputs }: Ready, attempt: Attempt, given?: GPUBuffer): Arranged {
        const output = given ?? this.#results.take(padded(recording.bytes), attempt);
        const scratch = recording.scratch.map(({ bytes, contents }) => this.#pool(contents).take(bytes, attempt));
        const once: GPUBuffer[] = [];
        const read = inputs.map((input) => {
            const buffer = this.uploaded(input, attempt);
            if (buffer !== input) {
                once.push(buffer);
            }
            return buffer;
        });
        if (recording.table.length > 0) {
            read.push(this.#tables.get(recording.table, attempt, once));
        }
        const places = { read, scratch, output, attempt };
        const [parameters, offsets] = this.#tell(recording, attempt, once);
        const steps = recording.passes.flatMap((pass, number) => {
            const pipeline = pipelines[number];
            return pipeline ? pass.dispatches.map((dispatch) => {
                const told = { buffer: parameters, offset: offsets.shift() ?? 0 };
                const group = this.#bind(pipeline, dispatch, places, told);
                return { compute: pipeline.compute, group, grid: dispatch.grid };
            }) : [];
        });
        return { recording, output, isOurs: !given, scratch, once, steps };
    }

    /** A buffer of the caller's, or a new one with an array. */
    uploaded(input: Input, attempt: Attempt): GPUBuffer {
        return ArrayBuffer.isView(input) ? attempt.hold(upload(this.device, input, USAGE.STORAGE), true) : input;
    }

    /** Records the commands into an encoder. */
    play({ recording, output, scratch, steps }: Arranged, encoder: GPUCommandEncoder): void {
        recording.scratch.forEach(({ bytes, contents }, index) => {
            const buffer = scratch[index];
            if (contents === "zero" && buffer) {
                encoder.clearBuffer(buffer, 0, Math.ceil(bytes / 4) * 4);
            }
        });
        if (recording.zeroesOutput) {
            encoder.clearBuffer(output);
        }
        const compute = encoder.beginComputePass({ label: "wgpu-reduce" });
        let last: GPUComputePipeline | undefined;
        for (const { compute: pipeline, group, grid } of steps) {
            if (pipeline !== last) {
                compute.setPipeline(pipeline);
                last = pipeline;
            }
            compute.setBindGroup(0, group);
            compute.dispatchWorkgroups(...grid);
        }
        compute.end();
    }

    /** Says that an encoder of the caller's uses the scratch. */
    lend(arranged: Arranged): void {
        this.#each(arranged, (_, buffer) => lend(buffer));
    }

    /** Takes the scratch back, during an attempt or after it. */
    give(arranged: Arranged, attempt?: Attempt): void {
        this.#each(arranged, (pool, buffer) => pool.give(buffer, attempt));
    }

    /** Takes everything back, once all that uses it is submitted. */
    release(arranged: Arranged, attempt?: Attempt): void {
        this.give(arranged, attempt);
        if (arranged.isOurs) {
            this.#results.give(arranged.output, attempt);
        }
        arranged.once.forEach((buffer) => buffer.destroy());
    }

    /** Drops what is kept. It is done after a failure, too: other calls may need the memory, and counters may not be zero. */
    trim(): void {
        this.#unread = undefined;
        this.#idle.trim();
        this.#parameters.clear();
        this.#tables.clear();
    }

    #each({ recording, scratch }: Arranged, work: (pool: Pool, buffer: GPUBuffer) => void): void {
        scratch.forEach((buffer, index) => work(this.#pool(recording.scratch[index]?.contents), buffer));
    }

    #pool(contents: Recording["scratch"][number]["contents"] | undefined): Pool {
        return contents === "counters" ? this.#counters : this.#scratch;
    }

    /** One buffer with the parameters of all dispatches, and where those of each begin. */
    #tell(recording: Recording, attempt: Attempt, once: GPUBuffer[]): [GPUBuffer, number[]] {
        const dispatches = recording.passes.flatMap((pass) => pass.dispatches);
        const step = this.device.limits.minUniformBufferOffsetAlignment;
        const offsets: number[] = [];
        let end = 0;
        for (const { parameters } of dispatches) {
            offsets.push(end);
            end += Math.ceil((parameters?.byteLength ?? 0) / step) * step;
        }
        const words = new Uint32Array(Math.max(end, 16) / 4);
        dispatches.forEach(({ parameters }, index) => words.set(parameters ?? [], (offsets[index] ?? 0) / 4));
        return [this.#parameters.get(words, attempt, once), offsets];
    }

    #bind(
        pipeline: Pipeline, dispatch: Dispatch, places: Places, told: { buffer: GPUBuffer; offset: number },
    ): GPUBindGroup {
        const entries: GPUBindGroupEntry[] = dispatch.bindings.map((bound) => this.#entry(bound, places));
        if (dispatch.parameters) {
            const resource = { ...told, size: dispatch.parameters.byteLength };
            entries.push({ binding: dispatch.parametersBinding, resource });
        }
        return this.device.createBindGroup({ label: "wgpu-reduce", layout: pipeline.bindings, entries });
    }

    /** A binding cannot be empty, so that what nothing is read of has a buffer all the same. */
    #entry({ binding, place, index, offset, size }: Binding, { read, scratch, output, attempt }: Places): GPUBindGroupEntry {
        const found = { input: read[index], scratch: scratch[index], output, unread: undefined }[place];
        if (found) {
            return { binding, resource: { buffer: found, offset, size } };
        }
        if (this.#unread) {
            return { binding, resource: { buffer: this.#unread } };
        }
        const buffer = attempt.hold(create(this.device, { size: 256, usage: WORKING }), true);
        attempt.release(buffer, () => { this.#unread = buffer; });
        return { binding, resource: { buffer } };
    }
}
