import start, { operations, Planner } from "./planner.js";
import { told } from "./errors.js";
import type { ElementType, QuantileMethod } from "./operations.js";
import type { Bins, View } from "./types.js";
import { type PlannedValue, valueOf } from "./values.js";

/** Where the planner's module of WebAssembly is, or what is in it. */
export type PlannerSource = string | URL | Request | Response | BufferSource | WebAssembly.Module;

let loading: Promise<unknown> | undefined;

/**
 * Loads the planner, once for all reducers. `createReducer` does so by itself, from the file beside this module.
 * Hosts that place the file elsewhere say where it is, before they create a reducer.
 */
export async function init(source?: PlannerSource | Promise<PlannerSource>): Promise<void> {
    loading ??= load(source).catch((error: unknown) => {
        loading = undefined;
        throw error;
    });
    await loading;
}

async function load(source?: PlannerSource | Promise<PlannerSource>): Promise<void> {
    await start({ module_or_path: await source ?? await beside() });
}

/** The file beside this module. Node does not fetch files. */
async function beside(): Promise<PlannerSource> {
    const url = new URL("planner_bg.wasm", import.meta.url);
    if (url.protocol !== "file:") {
        return url;
    }
    // A name in a variable, which bundlers for browsers do not look for.
    const files = "node:fs/promises";
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ files) as {
        readFile: (path: URL) => Promise<Uint8Array<ArrayBuffer>>;
    };
    return readFile(url);
}

/** The names of all operations, as the planner has them. */
export function operationNames(): string[] {
    return operations();
}

/** What the planner has to know of a device. */
export interface DeviceFacts {
    limits: GPUSupportedLimits;
    adapterInfo: GPUAdapterInfo | undefined;
    isSoftware: boolean;
    hasSubgroups: boolean;
}

/** Elements of buffers, or of one that is still to be made. */
export interface PlannedSlice {
    type: ElementType;
    buffers: { size: number; usage: number; offset?: number | undefined; length?: number | undefined }[];
}

/** A request as the planner reads it. */
export interface PlannerRequest {
    operation?: string;
    ddof?: number | undefined;
    rank?: number | undefined;
    k?: number | undefined;
    q?: number | ArrayLike<number> | undefined;
    method?: QuantileMethod | undefined;
    inputs: PlannedSlice[];
    mask?: PlannedSlice;
    view?: View;
    axes?: readonly number[];
    offsets?: PlannedSlice;
    runs?: PlannedSlice;
    keys?: PlannedSlice;
    groups?: number;
    count?: PlannedSlice;
    bins?: Bins;
    channels?: number | undefined;
    weights?: PlannedSlice;
    outputs?: { size: number; usage: number; offset?: number | undefined; isRead: boolean }[];
}

/** The commands of a plan. */
export interface Recording {
    passes: Pass[];
    scratch: { bytes: number; contents: "anything" | "zero" | "counters" }[];
    zeroesOutput: boolean;
    /** A last input, unless it is empty. */
    table: Uint32Array<ArrayBuffer>;
    /** How many the host gets. */
    bytes: number;
    /** Those that it gets first, where they tell what else it gets. */
    head: Range | undefined;
    results: number;
    resultBytes: number;
}

/** A part of a buffer, in bytes. */
export interface Range {
    offset: number;
    size: number;
}

export interface Pass {
    pipeline: number;
    layout: { binding: number; type: GPUBufferBindingType }[];
    dispatches: Dispatch[];
}

export interface Dispatch {
    bindings: Binding[];
    /** None where an earlier pass writes them. */
    parameters: Uint32Array<ArrayBuffer> | undefined;
    parametersBinding: number;
    grid: [number, number, number];
}

export interface Binding {
    binding: number;
    place: "input" | "scratch" | "output" | "unread";
    index: number;
    offset: number;
    size: number;
}

/** What makes a pipeline. */
export interface PipelineText {
    label: string;
    code: string;
    entryPoint: string;
    constants: Record<string, number>;
}

/** A plan, with what makes results of the bytes that it leaves. */
export interface Planned {
    recording: Recording;
    show(): string;
    /** What makes the pipeline of a pass. */
    pipeline(pass: number): PipelineText;
    /** What the host gets after the head. */
    rest(head: Uint8Array): Range[];
    /** The result of these bytes, and of the head where there was one. */
    finish(bytes: Uint8Array, head?: Uint8Array): unknown;
    free(): void;
}

/** The planner of one device. */
export class DevicePlanner {
    readonly #planner: Planner;

    constructor(facts: DeviceFacts) {
        this.#planner = told(() => new Planner(facts));
    }

    plan(request: PlannerRequest): Planned {
        const planned = told(() => this.#planner.plan(request));
        let isFree = false;
        return {
            recording: this.#planner.recording(planned) as Recording,
            show: () => planned.show(),
            pipeline: (pass) => this.#planner.pipeline(planned, pass) as PipelineText,
            rest: (head) => told(() => planned.rest(head) as Range[]),
            finish: (bytes, head) => told(() => valueOf(planned.finish(bytes, head) as PlannedValue)),
            free: () => {
                if (!isFree) {
                    isFree = true;
                    planned.free();
                }
            },
        };
    }
}
