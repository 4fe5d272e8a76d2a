import { type Attempt, discard } from "./buffers.js";
import { ReduceError } from "./errors.js";
import type { Pipeline } from "./pipelines.js";
import { type Arranged, buffersOf, type Input, type Recorder } from "./recorder.js";
import type { Planned } from "./wasm.js";

/** What takes part in a submission. */
export interface Run {
    planned: Planned;
    arrange(attempt: Attempt): Arranged;
    /** Takes back what the commands took, once they and all copies of their output are submitted. */
    release(arranged: Arranged, attempt: Attempt): void;
    /** Whether what the commands took is kept for this request alone. */
    isKept: boolean;
    /** Destroys what the commands took. */
    drop(arranged: Arranged): void;
}

/** A run of a plan whose buffers serve other requests after it. */
export function once(recorder: Recorder, planned: Planned, inputs: Input[], pipelines: Pipeline[]): Run {
    return {
        planned,
        arrange: (attempt) => recorder.arrange({ recording: planned.recording, pipelines, inputs }, attempt),
        release: (arranged, attempt) => recorder.release(arranged, attempt),
        isKept: false,
        drop: destroy,
    };
}

function destroy(arranged: Arranged): void {
    buffersOf(arranged).forEach(discard);
}

/** A plan with everything that runs of it take. */
export class Kept implements Run {
    readonly planned: Planned;
    readonly isKept = true;
    readonly #recorder: Recorder;
    readonly #pipelines: Pipeline[];
    readonly #given: Input[];
    #read: GPUBuffer[] = [];
    /** Runs follow each other on the queue, so that one serves many; but one whose output is read twice is taken till then. */
    #free: Arranged[] = [];
    #running = 0;
    #isDestroyed = false;

    constructor(recorder: Recorder, planned: Planned, given: Input[], pipelines: Pipeline[]) {
        this.#recorder = recorder;
        this.planned = planned;
        this.#given = given;
        this.#pipelines = pipelines;
    }

    /** Uploads arrays, and makes what the first run takes. */
    begin(attempt: Attempt): void {
        this.#read = this.#given.map((input) => this.#recorder.uploaded(input, attempt));
        this.#free = [this.arrange(attempt)];
    }

    arrange(attempt: Attempt): Arranged {
        const { recording } = this.planned;
        const ready = { recording, pipelines: this.#pipelines, inputs: this.#read };
        return this.#free.pop() ?? this.#recorder.arrange(ready, attempt);
    }

    release(arranged: Arranged): void {
        if (this.#isDestroyed) {
            this.#recorder.release(arranged);
        } else {
            this.#free.push(arranged);
        }
    }

    drop(arranged: Arranged): void {
        this.#free = this.#free.filter((other) => other !== arranged);
        destroy(arranged);
    }

    /** Does something during which the plan is needed. */
    async during<R>(work: () => Promise<R>): Promise<R> {
        if (this.#isDestroyed) {
            throw new ReduceError("InvalidArgument", "the prepared request was destroyed");
        }
        this.#running += 1;
        try {
            return await work();
        } finally {
            this.#running -= 1;
            this.#end();
        }
    }

    destroy(): void {
        if (!this.#isDestroyed) {
            this.#isDestroyed = true;
            this.#free.splice(0).forEach((arranged) => this.#recorder.release(arranged));
            this.#end();
        }
    }

    #end(): void {
        if (this.#isDestroyed && this.#running === 0) {
            this.#read.filter((buffer) => !this.#given.includes(buffer)).forEach((buffer) => buffer.destroy());
            this.planned.free();
        }
    }
}
