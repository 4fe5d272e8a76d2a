export { type ErrorCode, ReduceError } from "./errors.js";
export type {
    Defined, ElementType, Found, Many, NotDefined, One, Operation, PairOperation, QuantileMethod, ResultKind, ResultKinds, Statistic,
    StatisticKinds, StatisticOptions,
} from "./operations.js";
export {
    type AnyOf, type Buffers, type Call, type Calls, createReducer, type PairCall, type Reducer, type ReducerOfDevice, type ReducerOptions, type StatisticCall,
    type Told,
} from "./reducer.js";
export type {
    AlongRequest, Batch, BinRequest, DeviceRequest, GroupKeyType, HostRequest, KeyArray, KeyType, PairRequest, Prepared, ReduceRequest, Results, Runs,
    StatisticRequest, SumsOf, WholeRequest,
} from "./request.js";
export type {
    Bins, BufferSlice, DeviceResults, HalfArray, OperationOptions, Plan, RunOptions, RunTargets, SeveralBuffers, ShortFloats, Slice,
    Source, Target, TypedArray, TypeOf, View,
} from "./types.js";
export type { Histogram, WeightedHistogram } from "./values.js";
export { init, type PlannerSource } from "./wasm.js";
