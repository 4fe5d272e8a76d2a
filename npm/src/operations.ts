// What each operation gives, as types. The planner has the list; a test holds the two together.

/** A type of elements, by its name in Rust. */
export type ElementType =
    | "f32" | "i32" | "u32" | "u8" | "i8" | "u16" | "i16" | "f16" | "bf16" | "i64" | "u64" | "f64";

/** A number, and an array of such numbers. */
interface Numbers {
    f32: [number, Float32Array];
    f64: [number, Float64Array];
    i8: [number, Int8Array];
    i16: [number, Int16Array];
    i32: [number, Int32Array];
    i64: [bigint, BigInt64Array];
    i128: [bigint, bigint[]];
    u8: [number, Uint8Array];
    u16: [number, Uint16Array];
    u32: [number, Uint32Array];
    u64: [bigint, BigUint64Array];
    u128: [bigint, bigint[]];
    bool: [boolean, boolean[]];
    index: [number, Float64Array];
}

type Num = keyof Numbers;
type ShortFloat = "f32" | "f16" | "bf16";
type Float = ShortFloat | "f64";
type ShortSigned = "i8" | "i16" | "i32";
type ShortUnsigned = "u8" | "u16" | "u32";
type Short = ShortSigned | ShortUnsigned;

/** A kind by the row of the library's table of operations. */
type By<T, F32, F64, Signed, I64, Unsigned, U64> =
    T extends ShortFloat ? F32 : T extends "f64" ? F64 : T extends ShortSigned ? Signed
        : T extends "i64" ? I64 : T extends ShortUnsigned ? Unsigned : U64;

/** The element itself; short floats come as `f32`. */
type Own<T> = T extends "f16" | "bf16" ? "f32" : T extends Num ? T : never;
type Sum<T> = By<T, "f32", "f64", "i64", "i128", "u64", "u128">;
type Figure<T> = T extends Float ? Own<T> : never;
type Integer<T> = T extends Float ? never : Own<T>;
type Mean<T> = T extends ShortFloat ? "f32" : "f64";
type Deviation<T> = T extends Float | Short ? Mean<T> : never;
type Magnitude<T> = By<T, "f32", "f64", T extends "i8" ? "u8" : T extends "i16" ? "u16" : "u32", "u64", Own<T>, "u64">;
interface Located<T> { index: "index"; value: Own<T> }
interface Extrema<T> { min: Own<T>; max: Own<T> }
interface Statistics<T> {
    count: "u64"; minIndex: "index"; min: Own<T>; maxIndex: "index"; max: Own<T>;
    sum: Sum<T>; mean: Mean<T>; variance: Mean<T>;
}

/** What operations give of elements of a type. `never` marks those that do not take them: see `Defined`. */
export interface ResultKinds<T extends ElementType> {
    sum: Sum<T>;
    wrappingSum: Integer<T>;
    product: By<T, "f32", "f64", "i64", "i64", "u64", "u64">;
    sumOfSquares: By<T, "f32", "f64", "u128", never, "u128", never>;
    normL1: By<T, "f32", "f64", "u64", "u128", "u64", "u128">;
    normL2: By<T, "f32", "f64", "f64", never, "f64", never>;
    normMax: Magnitude<T>;
    min: Own<T>;
    max: Own<T>;
    minMax: Extrema<T>;
    argmin: Located<T>;
    argmax: Located<T>;
    logSumExp: T extends ShortFloat ? "f32" : never;
    mean: Mean<T>;
    variance: Deviation<T>;
    std: Deviation<T>;
    stats: T extends Float | Short ? Statistics<T> : never;
    all: "bool";
    any: "bool";
    countNonzero: "u64";
    countNan: T extends Float ? "u64" : never;
    bitAnd: Integer<T>;
    bitOr: Integer<T>;
    bitXor: Integer<T>;
    nanSum: Figure<T>;
    nanMean: Figure<T>;
    nanVariance: Figure<T>;
    nanStd: Figure<T>;
    nanMin: Figure<T>;
    nanMax: Figure<T>;
    nanArgmin: T extends Float ? Located<T> : never;
    nanArgmax: T extends Float ? Located<T> : never;
    sumExact: Figure<T>;
    meanExact: Figure<T>;
    dotExact: T extends "f32" ? "f32" : T extends "f64" ? "f64" : never;
    dot: By<T, "f32", "f64", "i128", never, "u128", never>;
}

/** What order statistics find in elements of a type. All of them take all types. */
export interface StatisticKinds<T extends ElementType> {
    nth: Own<T>;
    argNth: Located<T>;
    topK: Located<T>;
    bottomK: Located<T>;
    median: Mean<T>;
    quantile: Mean<T>;
    quantiles: Mean<T>;
    interquartileRange: Mean<T>;
    nanMedian: Mean<T>;
    nanQuantile: Mean<T>;
    nanQuantiles: Mean<T>;
}

/** The name of an order statistic. */
export type Statistic = keyof StatisticKinds<ElementType>;

/** The order statistics that find a list, of a whole input, too. */
type Several = "topK" | "bottomK" | "quantiles" | "nanQuantiles";

/** How a quantile between two elements is made of them, as `numpy.quantile` names it. */
export type QuantileMethod =
    | "inverted_cdf" | "averaged_inverted_cdf" | "closest_observation" | "interpolated_inverted_cdf" | "hazen" | "weibull"
    | "linear" | "median_unbiased" | "normal_unbiased" | "lower" | "higher" | "midpoint" | "nearest";

/** Where an element stands in the order, from 0. NaN stand behind all numbers. */
interface Rank { rank: number }
/** How many elements. */
interface Count { k: number }
/** A quantile from 0 to 1, and its method: `linear` unless it is said. */
interface Quantile { q: number; method?: QuantileMethod | undefined }
/** Several quantiles. */
interface Quantiles { q: ArrayLike<number>; method?: QuantileMethod | undefined }

/** What order statistics are told. */
export interface StatisticOptions {
    nth: Rank;
    argNth: Rank;
    topK: Count;
    bottomK: Count;
    median: object;
    quantile: Quantile;
    quantiles: Quantiles;
    interquartileRange: object;
    nanMedian: object;
    nanQuantile: Quantile;
    nanQuantiles: Quantiles;
}

/** What an order statistic finds in a whole input. */
export type Found<S extends Statistic, T extends ElementType> =
    S extends Several ? Many<StatisticKinds<T>[S]> : One<StatisticKinds<T>[S]>;

/** The name of an operation of two inputs. */
export type PairOperation = "dot" | "dotExact";

/** The name of an operation of one input. */
export type Operation = Exclude<keyof ResultKinds<ElementType>, PairOperation>;

/** What a call of an operation demands of elements that it does not take. No value has it, and the message names both. */
export interface NotDefined<Message extends string> { readonly notDefined: Message }

/** What a call of an operation demands of its elements besides: nothing, unless it does not take them. */
export type Defined<O extends keyof ResultKinds<ElementType>, T extends ElementType> =
    [ResultKinds<T>[O]] extends [never] ? NotDefined<`${O} is not defined for ${T}`> : unknown;

/** What an operation gives of elements of a type. */
export type ResultKind<O extends keyof ResultKinds<ElementType>, T extends ElementType> = ResultKinds<T>[O];

/** One result. */
export type One<K> = K extends Num ? Numbers[K][0] : { [P in keyof K]: One<K[P]> };

/** Many results: an array, or one for each field. */
export type Many<K> = K extends Num ? Numbers[K][1] : { [P in keyof K]: Many<K[P]> };

/** The planner's name of an operation, as in `sum_exact`. */
export function snake(name: string): string {
    return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** This package's name of an operation, as in `sumExact`. */
export function camel(name: string): string {
    return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
