import { STAGE_COMPUTE } from "./device.js";
import { ReduceError } from "./errors.js";
import type { DevicePlanner, Pass, Recording } from "./wasm.js";

/** How many are kept: several for each operation and type that a program is likely to need. */
const MOST_KEPT = 512;

/** A pipeline and the layout of its bindings. */
export interface Pipeline {
    compute: GPUComputePipeline;
    bindings: GPUBindGroupLayout;
}

/** The pipelines of one device, each made once. */
export class Pipelines {
    readonly #device: GPUDevice;
    readonly #planner: DevicePlanner;
    readonly #kept = new Map<number, Promise<Pipeline>>();
    readonly #layouts = new Map<string, GPUBindGroupLayout>();

    constructor(device: GPUDevice, planner: DevicePlanner) {
        this.#device = device;
        this.#planner = planner;
    }

    /** The pipelines of all passes. They are awaited before anything is recorded. */
    all(recording: Recording): Promise<Pipeline[]> {
        return Promise.all(recording.passes.map((pass) => this.#get(pass)));
    }

    #get(pass: Pass): Promise<Pipeline> {
        const { pipeline: number } = pass;
        const found = this.#kept.get(number);
        if (found) {
            // The last in the map is the one used last.
            this.#kept.delete(number);
            this.#kept.set(number, found);
            return found;
        }
        const made = this.#make(pass);
        this.#kept.set(number, made);
        // A failure may be one of the moment.
        made.catch(() => this.#kept.delete(number));
        const [oldest] = this.#kept.keys();
        if (this.#kept.size > MOST_KEPT && oldest !== undefined) {
            this.#kept.delete(oldest);
        }
        return made;
    }

    async #make(pass: Pass): Promise<Pipeline> {
        const device = this.#device;
        const { label, code, entryPoint, constants } = this.#planner.pipeline(pass.pipeline);
        // What is faulty is told here, and not to the page.
        device.pushErrorScope("validation");
        let made: Promise<Pipeline>;
        try {
            const bindings = this.#layout(pass);
            const layout = device.createPipelineLayout({ label, bindGroupLayouts: [bindings] });
            const module = device.createShaderModule({ label, code });
            const compute = { module, entryPoint, constants };
            made = device.createComputePipelineAsync({ label, layout, compute }).then((compute) => ({ compute, bindings }));
        } catch (error) {
            made = Promise.reject(error);
        }
        const invalid = device.popErrorScope();
        try {
            const [pipeline] = await Promise.all([made, invalid]);
            return pipeline;
        } catch (error) {
            this.#layouts.clear();
            throw new ReduceError("Shader", `${label}: ${error instanceof Error ? error.message : String(error)}`);
        }
    }

    /** Pipelines with the same bindings share a layout. */
    #layout({ layout }: Pass): GPUBindGroupLayout {
        const key = layout.map(({ binding }) => binding).join();
        let found = this.#layouts.get(key);
        if (!found) {
            const entries = layout.map(({ binding, type }) => ({
                binding, visibility: STAGE_COMPUTE, buffer: { type },
            }));
            found = this.#device.createBindGroupLayout({ label: "wgpu-reduce", entries });
            this.#layouts.set(key, found);
        }
        return found;
    }
}
