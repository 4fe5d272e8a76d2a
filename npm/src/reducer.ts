import { factsOf } from "./device.js";
import { Executor } from "./executor.js";
import {
    camel, type Defined, type ElementType, type Found, type Many, type One, type Operation, type PairOperation, type ResultKind, snake,
    type Statistic, type StatisticKinds, type StatisticOptions,
} from "./operations.js";
import {
    Batch, BinRequest, type HostRequest, type Machine, PairRequest, type ReduceRequest, type Results, type StatisticRequest,
    WholeRequest,
} from "./request.js";
import { type AnySource, elementsOf } from "./slices.js";
import type {
    Bins, BufferSlice, OperationOptions, RunOptions, SeveralBuffers, ShortFloats, Slice, TypedArray, TypeOf,
} from "./types.js";
import { DevicePlanner, init, operationNames, type PlannerRequest } from "./wasm.js";

/** Elements of buffers. */
export type Buffers<T extends ElementType> = BufferSlice<T> | SeveralBuffers<T>;

/** Elements whose type is named. */
export type AnyOf<T extends ElementType> = Buffers<T> | ShortFloats<T & ("f16" | "bf16")>;

/** A short call: a request of an operation of one input, run. */
export interface Call<O extends Operation> {
    <T extends ElementType>(
        buffer: GPUBuffer, slice: Slice<T> & OperationOptions & RunOptions & Defined<O, T>,
    ): Promise<One<ResultKind<O, T>>>;
    <A extends TypedArray>(
        array: A & Defined<O, TypeOf<A>>, options?: OperationOptions & RunOptions,
    ): Promise<One<ResultKind<O, TypeOf<A>>>>;
    <T extends ElementType>(
        slice: AnyOf<T> & Defined<O, T>, options?: OperationOptions & RunOptions,
    ): Promise<One<ResultKind<O, T>>>;
}

/** What an order statistic is told, which none may be where it needs nothing. */
export type Told<S extends Statistic, More = unknown> =
    object extends StatisticOptions[S] ? [options?: StatisticOptions[S] & More] : [options: StatisticOptions[S] & More];

/**
 * A short call of an order statistic.
 *
 * ```ts
 * await reducer.median(Float32Array.of(5, -3, 9, 4)); // 4.5
 * await reducer.quantile(Uint8Array.of(1, 2, 3, 10), { q: 0.9, method: "lower" }); // 3
 * await reducer.topK(Int32Array.of(5, -3, 9, 5), { k: 2 }); // { index: [2, 0], value: [9, 5] }
 * ```
 */
export interface StatisticCall<S extends Statistic> {
    <T extends ElementType>(
        buffer: GPUBuffer, slice: Slice<T> & StatisticOptions[S] & RunOptions,
    ): Promise<Found<S, T>>;
    <A extends TypedArray>(array: A, ...options: Told<S, RunOptions>): Promise<Found<S, TypeOf<A>>>;
    <T extends ElementType>(
        slice: AnyOf<T>, ...options: Told<S, RunOptions>
    ): Promise<Found<S, T>>;
}

/** The short calls, one for each operation and order statistic. */
export type Calls = { readonly [O in Operation]: Call<O> } & { readonly [O in PairOperation]: PairCall<O> }
    & { readonly [S in Statistic]: StatisticCall<S> };

/** The calls that take the name of an operation. `createReducer` makes one. */
export class ReducerOfDevice {
    readonly #machine: Machine;

    constructor(machine: Machine) {
        this.#machine = machine;
    }

    /** A request: an operation over elements of a buffer, or over an array. */
    reduce<O extends Operation, T extends ElementType>(
        operation: O, buffer: GPUBuffer, slice: Slice<T> & OperationOptions & Defined<O, T>,
    ): WholeRequest<ResultKind<O, T>>;
    reduce<O extends Operation, A extends TypedArray>(
        operation: O, array: A & Defined<O, TypeOf<A>>, options?: OperationOptions,
    ): WholeRequest<ResultKind<O, TypeOf<A>>>;
    reduce<O extends Operation, T extends ElementType>(
        operation: O, slice: AnyOf<T> & Defined<O, T>, options?: OperationOptions,
    ): WholeRequest<ResultKind<O, T>>;
    /** A request for what an order statistic finds: elements by their rank, and quantiles. */
    reduce<S extends Statistic, T extends ElementType>(
        statistic: S, buffer: GPUBuffer, slice: Slice<T> & StatisticOptions[S],
    ): StatisticRequest<Found<S, T>, Many<StatisticKinds<T>[S]>>;
    reduce<S extends Statistic, A extends TypedArray>(
        statistic: S, array: A, ...options: Told<S>
    ): StatisticRequest<Found<S, TypeOf<A>>, Many<StatisticKinds<TypeOf<A>>[S]>>;
    reduce<S extends Statistic, T extends ElementType>(
        statistic: S, slice: AnyOf<T>, ...options: Told<S>
    ): StatisticRequest<Found<S, T>, Many<StatisticKinds<T>[S]>>;
    reduce(operation: string, source: AnySource | GPUBuffer, options: AnyOptions = {}): WholeRequest<unknown> {
        const { ddof, rank, k, q, method, type, offset, length } = options;
        const { planned, inputs } = elementsOf(source, { type, offset, length });
        const stated = { operation: snake(operation), ddof, rank, k, q, method, inputs: [planned] };
        return new WholeRequest(this.#machine, stated, inputs);
    }

    /**
     * Several requests of this reducer in one submission.
     *
     * ```ts
     * const [sum, rows] = await reducer.batch([
     *     reducer.reduce("sum", buffer, { type: "f32" }),
     *     reducer.reduce("max", buffer, { type: "f32" }).along([3, 2], 1),
     * ]).run();
     * [sum, rows]; // [8.5, [2, 3.5, 6]]
     * ```
     */
    batch<const Q extends readonly HostRequest<unknown>[]>(requests: Q): Batch<Results<Q>> {
        return new Batch(this.#machine, [...requests] as unknown as ReduceRequest<unknown>[]);
    }

    /** A request to count elements in bins. */
    bin(source: AnySource, bins: Bins): BinRequest<false>;
    /** The same of each channel: element i is of channel i modulo their number. */
    bin(source: AnySource, bins: Bins, channels: number): BinRequest<true>;
    bin(source: AnySource, bins: Bins, channels?: number): BinRequest<boolean> {
        const { planned, inputs } = elementsOf(source);
        return new BinRequest(this.#machine, { inputs: [planned], bins, channels }, inputs);
    }

    /** A request for the sum of the products of two inputs. `dotExact` rounds it once, and only `run` gives it. */
    pair<O extends PairOperation, A extends TypedArray>(
        operation: O, left: A & Defined<O, TypeOf<A>>, right: A,
    ): PairRequest<ResultKind<O, TypeOf<A>>>;
    pair<O extends PairOperation, T extends ElementType>(
        operation: O, left: Buffers<T> & Defined<O, T>, right: Buffers<T>,
    ): PairRequest<ResultKind<O, T>>;
    pair(operation: PairOperation, left: AnySource, right: AnySource): PairRequest<unknown> {
        const both = [left, right].map((source) => elementsOf(source));
        const inputs = both.map(({ planned }) => planned);
        const given = both.flatMap((elements) => elements.inputs);
        return new PairRequest(this.#machine, { operation: snake(operation), inputs }, given);
    }

    /** Frees the memory of the device that is kept for calls to come: 128 MiB that they write, and 16 that they read, at most. */
    trim(): void {
        this.#machine.executor.trim();
    }
}

/** Anything that an operation or an order statistic is told. */
type AnyOptions = Partial<Slice<ElementType>> & Pick<PlannerRequest, "ddof" | "rank" | "k" | "q" | "method">;

/** A short call of two inputs. */
export interface PairCall<O extends PairOperation> {
    <A extends TypedArray>(
        left: A & Defined<O, TypeOf<A>>, right: A, options?: RunOptions,
    ): Promise<One<ResultKind<O, TypeOf<A>>>>;
    <T extends ElementType>(
        left: Buffers<T> & Defined<O, T>, right: Buffers<T>, options?: RunOptions,
    ): Promise<One<ResultKind<O, T>>>;
}

/** Reduces what is in buffers of a device. */
export type Reducer = ReducerOfDevice & Calls;

/** What else a reducer may be told of its device. */
export interface ReducerOptions {
    /** Where the device came from; `navigator.gpu` unless it is said. It tells which shaders the runtime takes. */
    gpu?: GPU | undefined;
}

/** Makes a reducer for a device of the caller's. */
export async function createReducer(device: GPUDevice, options: ReducerOptions = {}): Promise<Reducer> {
    await init();
    const { navigator } = globalThis as { navigator?: { gpu?: GPU } };
    const planner = new DevicePlanner(factsOf(device, options.gpu ?? navigator?.gpu));
    const reducer = new ReducerOfDevice({ planner, executor: new Executor(device) });
    for (const name of operationNames().map(camel)) {
        const value = name.startsWith("dot") ? pairCallOf(reducer, name) : callOf(reducer, name);
        Object.defineProperty(reducer, name, { value });
    }
    return reducer as Reducer;
}

/** The short call of a name. */
function callOf(reducer: ReducerOfDevice, name: string) {
    return async (source: GPUBuffer, options: Slice<ElementType> & OperationOptions & RunOptions): Promise<unknown> => {
        return reducer.reduce(name as "sum", source, options).run(options);
    };
}

function pairCallOf(reducer: ReducerOfDevice, name: string) {
    return async (left: Float32Array, right: Float32Array, options?: RunOptions): Promise<unknown> => {
        return reducer.pair(name as "dot", left, right).run(options);
    };
}
