import { paddedSize, WORKING } from "./buffers.js";
import type { Executor, Job } from "./executor.js";
import type { Kept } from "./kept.js";
import type { Input } from "./recorder.js";
import { ReduceError } from "./errors.js";
import { type AnySource, type Elements, elementsOf } from "./slices.js";
import type { Many, One } from "./operations.js";
import type { Histogram, WeightedHistogram } from "./values.js";
import type {
    BufferSlice, DeviceResults, Plan, RunOptions, RunTargets, Source, Target, TypeOf, View,
} from "./types.js";
import type { DevicePlanner, Planned, PlannerRequest } from "./wasm.js";

/** What requests are run by. */
export interface Machine {
    planner: DevicePlanner;
    executor: Executor;
}

/** A request whose results come to the host. Nothing runs before a verb is called. */
export interface HostRequest<R> {
    /** Runs the request and gives its result. */
    run(options?: RunOptions): Promise<R>;
    /** What would run. Nothing runs. */
    plan(): Plan;
    /** Makes all that runs take, once for many of them. */
    prepare(options?: RunOptions): Promise<Prepared<R>>;
}

/** A request whose results stay on the device. */
export type DeviceRequest = Pick<ReduceRequest<never>, "encode" | "toBuffer" | "plan">;

/** A request for what an order statistic finds in a whole input. Lists are one after another along axes. */
export interface StatisticRequest<W, M> extends HostRequest<W> {
    /** What it finds in each row along axes, in the row-major order of the others; indices count along the axes. */
    along(view: View | readonly number[], axes: number | readonly number[]): HostRequest<M>;
}

/**
 * A request with everything that running it takes: plan, pipelines, bindings and buffers. A run reads what the input's buffers have
 * then, and arrays as they were when it was prepared. Runs may be on their way at once.
 */
export class Prepared<R> {
    readonly #executor: Executor;
    readonly #kept: Kept;

    constructor(executor: Executor, kept: Kept) {
        this.#executor = executor;
        this.#kept = kept;
    }

    /** Runs the request and gives its result. */
    run({ signal }: RunOptions = {}): Promise<R> {
        return this.#executor.runKept(this.#kept, signal) as Promise<R>;
    }

    /** Frees what runs take, behind those on their way. */
    destroy(): void {
        this.#kept.destroy();
    }
}

/** What each of several requests gives. */
export type Results<Q extends readonly HostRequest<unknown>[]> = {
    -readonly [I in keyof Q]: Q[I] extends HostRequest<infer R> ? R : never;
};

/** Requests that run in one submission, which for many small ones takes a fraction of the time. */
export class Batch<R> {
    readonly #machine: Machine;
    readonly #requests: readonly ReduceRequest<unknown>[];

    constructor(machine: Machine, requests: readonly ReduceRequest<unknown>[]) {
        this.#machine = machine;
        this.#requests = requests;
    }

    /** Runs all requests and gives their results. If one fails, so does the batch. */
    run(options: RunOptions = {}): Promise<R> {
        return ReduceRequest.runAll(this.#machine, this.#requests, options) as Promise<R>;
    }
}

/** A request that has a shape: nothing runs before a verb is called. */
export class ReduceRequest<R> implements HostRequest<R> {
    readonly #machine: Machine;
    readonly #stated: PlannerRequest;
    readonly #inputs: Input[];

    constructor(machine: Machine, stated: PlannerRequest, inputs: Input[]) {
        this.#machine = machine;
        this.#stated = stated;
        this.#inputs = inputs;
    }

    /** Another shape of the same request. */
    protected shaped<S>(stated: Partial<PlannerRequest>, more: Elements[] = []): ReduceRequest<S> {
        return new ReduceRequest<S>(...this.stated(stated, more));
    }

    /** What makes another request of this one. */
    protected stated(
        stated: Partial<PlannerRequest>, more: Elements[] = [],
    ): [Machine, PlannerRequest, Input[]] {
        const inputs = [...this.#inputs, ...more.flatMap(({ inputs }) => inputs)];
        return [this.#machine, { ...this.#stated, ...stated }, inputs];
    }

    /**
     * Runs the request and gives its result. Arrays are read at once; buffers are read when the work is submitted, which may be
     * later. Do not write or destroy them before the promise settles, or use `prepare`.
     */
    async run(options: RunOptions = {}): Promise<R> {
        const [result] = await ReduceRequest.runAll(this.#machine, [this], options);
        return result as R;
    }

    /**
     * Runs requests in one submission.
     *
     * @internal
     */
    static async runAll(machine: Machine, requests: readonly ReduceRequest<unknown>[], { signal }: RunOptions): Promise<unknown[]> {
        const jobs: Job[] = [];
        try {
            for (const request of requests) {
                if (!(request instanceof ReduceRequest) || request.#machine !== machine) {
                    throw new ReduceError("InvalidArgument", "a batch takes requests of the reducer that makes it");
                }
                jobs.push(request.#job());
            }
            return await machine.executor.run(jobs, signal);
        } finally {
            jobs.forEach(({ planned }) => planned.free());
        }
    }

    /**
     * Makes all that runs take, once for many of them.
     *
     * ```ts
     * const most = await reducer.reduce("max", buffer, { type: "f32" }).prepare();
     * await most.run(); // 6
     * device.queue.writeBuffer(buffer, 0, Float32Array.of(9));
     * await most.run(); // 9
     * most.destroy();
     * ```
     */
    async prepare({ signal }: RunOptions = {}): Promise<Prepared<R>> {
        const { executor } = this.#machine;
        const job = this.#job();
        try {
            return new Prepared<R>(executor, await executor.prepare(job, signal));
        } catch (error) {
            job.planned.free();
            throw error;
        }
    }

    /** A plan whose results come to the host. */
    #job(): Job {
        if ("count" in this.#stated) {
            throw new ReduceError("Unsupported", "wgpu-reduce does not support to run what is counted: see toBuffer");
        }
        return { planned: this.#machine.planner.plan(this.#stated), inputs: this.#inputs };
    }

    /**
     * Records the request into an encoder of the caller's, and leaves results in buffers of the caller's, as
     * {@link DeviceResults} says. It is recorded once the promise is fulfilled; nothing is submitted. After a signal has aborted it,
     * the encoder has all of its commands, or none.
     */
    async encode(encoder: GPUCommandEncoder, target: GPUBuffer | Target | RunTargets, { signal }: RunOptions = {}): Promise<void> {
        const targets = targetsOf(target);
        const outputs = targets.map(({ buffer, offset }) => {
            return { size: buffer.size, usage: buffer.usage, offset, isRead: this.#inputs.includes(buffer) };
        });
        if (("runs" in this.#stated) !== (targets.length > 1)) {
            throw new ReduceError("InvalidArgument", "results of runs go to three buffers, and other results to one");
        }
        const planned = this.#plan({ outputs });
        try {
            const [results, ...others] = targets.map(({ buffer }) => buffer);
            if (new Set([results, ...others]).size < targets.length) {
                throw new ReduceError("InvalidBuffer", "the buffer cannot be used: runs go to three buffers apart");
            }
            if (results) {
                const job = { planned, inputs: [...this.#inputs, ...others] };
                await this.#machine.executor.record(job, encoder, results, signal);
            }
        } finally {
            planned.free();
        }
    }

    /** Runs the request, and leaves its results in a buffer of their own. */
    async toBuffer({ signal }: RunOptions = {}): Promise<DeviceResults> {
        if ("runs" in this.#stated) {
            throw new ReduceError("Unsupported", "wgpu-reduce does not support a buffer for runs: see encode");
        }
        const size = Number.MAX_SAFE_INTEGER;
        const planned = this.#plan({ outputs: [{ size, usage: WORKING, isRead: false }] });
        try {
            const { results: length, resultBytes } = planned.recording;
            const job = { planned, inputs: this.#inputs };
            const buffer = await this.#machine.executor.leave(job, paddedSize(length * resultBytes), signal);
            return { buffer, length, resultBytes };
        } finally {
            planned.free();
        }
    }

    /** What would run. Nothing runs. */
    plan(): Plan {
        const planned = this.#plan({});
        try {
            const { results, resultBytes, scratch, passes } = planned.recording;
            return {
                text: planned.show(),
                results,
                resultBytes,
                scratchBytes: scratch.reduce((sum, { bytes }) => sum + bytes, 0),
                passes: passes.map(({ dispatches }, pass) => ({
                    label: planned.pipeline(pass).label,
                    grids: dispatches.map(({ grid: [x, y, z] }): [number, number, number] => [x, y, z]),
                })),
            };
        } finally {
            planned.free();
        }
    }

    #plan(stated: Partial<PlannerRequest>): Planned {
        return this.#machine.planner.plan({ ...this.#stated, ...stated });
    }
}

/** Where results go: of runs three places, otherwise one. */
function targetsOf(target: GPUBuffer | Target | RunTargets): Target[] {
    const given: unknown[] = typeof target !== "object" || target === null ? []
        : "results" in target ? [target.results, target.keys, target.count] : ["buffer" in target ? target : { buffer: target }];
    const targets = given as (Target | undefined)[];
    if (targets.length === 0 || targets.some((each) => typeof each?.buffer?.size !== "number")) {
        throw new ReduceError("InvalidArgument", "results go to a GPUBuffer, or to { buffer, offset }");
    }
    return targets as Target[];
}

/** Runs of equal keys, in their order. */
export interface Runs<K extends KeyType, R> {
    keys: Many<K>;
    results: Many<R>;
}

/** Types of keys whose runs are reduced. */
export type KeyType = "u32" | "i32" | "f32" | "u64" | "i64" | "f64";

/** An array of such keys. */
export type KeyArray = Uint32Array | Int32Array | Float32Array | BigUint64Array | BigInt64Array | Float64Array;

/** Types of keys whose groups are reduced. */
export type GroupKeyType = "u8" | "u16" | "u32" | "i32" | "u64" | "i64";

/** Sums of weights of a type: exact, and of floats rounded once. */
export type SumsOf<T> = T extends "f32" ? WeightedHistogram<number, Float32Array>
    : T extends "f64" ? WeightedHistogram<number, Float64Array> : WeightedHistogram<bigint, BigUint64Array>;

/** A request for histograms; those of several channels come as a list. */
export class BinRequest<AreSeveral extends boolean> extends ReduceRequest<AreSeveral extends true ? Histogram[] : Histogram> {
    /** Adds up weights instead of counting: weight i is that of element i. */
    weights<T extends "f32" | "f64" | "u32">(
        weights: Source<T>,
    ): ReduceRequest<AreSeveral extends true ? SumsOf<T>[] : SumsOf<T>> {
        const elements = elementsOf(weights as AnySource);
        return this.shaped({ weights: elements.planned }, [elements]);
    }
}

/** A request for a result of each position of the axes that are kept. */
export class AlongRequest<R> extends ReduceRequest<R> {
    /** The results of the elements whose byte in a mask, which has the same view, is not zero. */
    masked(mask: Source<"u8">): ReduceRequest<R> {
        const elements = elementsOf(mask as AnySource);
        return this.shaped({ mask: elements.planned }, [elements]);
    }
}

/** A request for one result of two inputs. */
export class PairRequest<K> extends ReduceRequest<One<K>> {
    /** A result for each position of the other axes; both inputs have the view. */
    along(view: View | readonly number[], axes: number | readonly number[]): ReduceRequest<Many<K>> {
        return this.shaped(viewed(view, axes));
    }
}

function viewed(view: View | readonly number[], axes: number | readonly number[]): Partial<PlannerRequest> {
    return {
        view: "shape" in view ? view : { shape: view },
        axes: typeof axes === "number" ? [axes] : axes,
    };
}

/** A request for one result of a whole input; a shape makes another request of it. `K` tells what a result has. */
export class WholeRequest<K> extends ReduceRequest<One<K>> {
    /** A result for each position of the other axes, in their row-major order. */
    along(view: View | readonly number[], axes: number | readonly number[]): AlongRequest<Many<K>> {
        return new AlongRequest(...this.stated(viewed(view, axes)));
    }

    /** A result for each segment, between an offset and the next. */
    segments(offsets: Source<"u32">): ReduceRequest<Many<K>> {
        const elements = elementsOf(offsets as AnySource);
        return this.shaped({ offsets: elements.planned }, [elements]);
    }

    /** A result for each run of equal keys. */
    runs<A extends KeyArray>(keys: A): ReduceRequest<Runs<TypeOf<A> & KeyType, K>>;
    runs<T extends KeyType>(keys: BufferSlice<T>): ReduceRequest<Runs<T, K>>;
    runs(keys: AnySource): ReduceRequest<unknown> {
        const elements = elementsOf(keys);
        return this.shaped({ runs: elements.planned }, [elements]);
    }

    /** A result for each of so many groups; keys are the groups' numbers, in any order. */
    groups<T extends GroupKeyType>(keys: Source<T>, groups: number): ReduceRequest<Many<K>> {
        const elements = elementsOf(keys as AnySource);
        return this.shaped({ keys: elements.planned, groups }, [elements]);
    }

    /**
     * One result of the first elements, as many as the first number in `count` says, which an earlier pass may have left there; of
     * all if it says more. Where there are none and the operation has no result of none, some value is left.
     */
    counted(count: Source<"u32">): DeviceRequest {
        const elements = elementsOf(count as AnySource);
        return this.shaped({ count: elements.planned }, [elements]);
    }

    /** One result of the elements whose byte in the mask is not zero. */
    masked(mask: Source<"u8">): ReduceRequest<One<K>> {
        const elements = elementsOf(mask as AnySource);
        return this.shaped({ mask: elements.planned }, [elements]);
    }
}

