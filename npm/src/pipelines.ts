import { STAGE_COMPUTE } from "./device.js";
import { isOutOfMemory, ReduceError } from "./errors.js";
import { type Caught, inScopes, type Loss } from "./loss.js";
import type { Pass, PipelineText, Planned } from "./wasm.js";

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
    readonly #loss: Loss;
    readonly #kept = new Map<number, Promise<Pipeline>>();
    readonly #layouts = new Map<string, GPUBindGroupLayout>();

    constructor(device: GPUDevice, loss: Loss) {
        this.#device = device;
        this.#loss = loss;
    }

    /** The pipelines of all passes. They are awaited before anything is recorded. */
    all(planned: Planned): Promise<Pipeline[]> {
        return Promise.all(planned.recording.passes.map((pass, index) => this.#get(pass, () => planned.pipeline(index))));
    }

    #get(pass: Pass, describe: () => PipelineText): Promise<Pipeline> {
        const { pipeline: number } = pass;
        const found = this.#kept.get(number);
        if (found) {
            // The last in the map is the one used last.
            this.#kept.delete(number);
            this.#kept.set(number, found);
            return found;
        }
        const made = this.#make(pass, describe());
        this.#kept.set(number, made);
        // A failure may be one of the moment.
        made.catch(() => this.#kept.delete(number));
        const [oldest] = this.#kept.keys();
        if (this.#kept.size > MOST_KEPT && oldest !== undefined) {
            this.#kept.delete(oldest);
        }
        return made;
    }

    async #make(pass: Pass, { label, code, entryPoint, constants }: PipelineText): Promise<Pipeline> {
        const device = this.#device;
        // What is faulty is told here, and not to the page.
        const { made, thrown, caught } = inScopes(device, () => {
            const bindings = this.#layout(pass);
            const layout = device.createPipelineLayout({ label, bindGroupLayouts: [bindings] });
            const module = device.createShaderModule({ label, code });
            const compute = { module, entryPoint, constants };
            return device.createComputePipelineAsync({ label, layout, compute }).then((compute) => ({ compute, bindings }));
        });
        try {
            if (!made) {
                throw thrown;
            }
            return (await Promise.all([made, caught]))[0];
        } catch (error) {
            this.#layouts.clear();
            throw await this.#explain(label, error, await caught);
        }
    }

    /** Says why there is no pipeline: for lack of the device or of memory, or since its shader is faulty. */
    async #explain(label: string, error: unknown, { memory }: Caught): Promise<ReduceError> {
        const lost = await this.#loss.behind();
        const message = memory?.message ?? (error instanceof Error ? error.message : String(error));
        const isFull = memory || isOutOfMemory(error);
        return lost ?? new ReduceError(isFull ? "OutOfMemory" : "Shader", `${label}: ${message}`);
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
