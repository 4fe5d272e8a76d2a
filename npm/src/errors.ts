/** What went wrong: the name of a variant of the Rust library's `Error`, or `InvalidArgument`, which Rust's types rule out. */
export type ErrorCode =
    | "InvalidArgument" | "Empty" | "EmptySegment" | "EmptyGroup" | "EmptyResult"
    | "InvalidKey" | "InvalidOffsets" | "NotDefined" | "WrongInputs"
    | "OutOfMemory" | "BufferTooLarge" | "Unsupported" | "DeviceLost"
    | "InvalidRange" | "LengthMismatch" | "InvalidBuffer" | "InvalidView"
    | "InvalidRank" | "InvalidBins" | "InvalidTuning" | "Shader" | "Validation" | "Internal";

/** What every call fails with, except for a signal that aborts it. */
export class ReduceError extends Error {
    override readonly name = "ReduceError";

    constructor(readonly code: ErrorCode, message: string) {
        super(message);
    }
}

/** Whether a host has no memory left, in the words of a runtime; it has others for calls within calls without end. */
export function isOutOfMemory(thrown: unknown): thrown is RangeError {
    return thrown instanceof RangeError && !/call stack/i.test(thrown.message);
}

/** Throws what the planner throws as an error of this package. */
export function told<R>(call: () => R): R {
    try {
        return call();
    } catch (thrown) {
        if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
            throw new ReduceError(thrown.code as ErrorCode, String(thrown.message));
        }
        if (isOutOfMemory(thrown)) {
            throw new ReduceError("OutOfMemory", `the host is out of memory: ${thrown.message}`);
        }
        throw thrown;
    }
}
