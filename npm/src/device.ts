import type { DeviceFacts } from "./wasm.js";

/** What is numbered in WebGPU; Node has no globals for it. */
export const USAGE = { MAP_READ: 0x1, COPY_SRC: 0x4, COPY_DST: 0x8, UNIFORM: 0x40, STORAGE: 0x80 } as const;
export const MAP_MODE_READ = 1;
export const STAGE_COMPUTE = 4;

/** Rasterisers that run on the CPU, where runtimes do not say that an adapter is one. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render/i;

/** What the planner has to know of a device. */
export function factsOf(device: GPUDevice, gpu: GPU | undefined): DeviceFacts {
    const adapterInfo = device.adapterInfo as GPUAdapterInfo | undefined;
    const words = [adapterInfo?.vendor, adapterInfo?.architecture, adapterInfo?.device, adapterInfo?.description];
    return {
        limits: device.limits,
        adapterInfo,
        isSoftware: adapterInfo?.isFallbackAdapter === true || SOFTWARE.test(words.join(" ")),
        // Shaders with subgroups also ask for their numbers, which runtimes have had for a shorter time.
        hasSubgroups: device.features.has("subgroups")
            && gpu?.wgslLanguageFeatures?.has("subgroup_id") === true,
    };
}
