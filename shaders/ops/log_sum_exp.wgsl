// log_sum_exp of f32: the largest element, and the sum of exponentials of distances from it (Blanchard, Higham and Higham, "Accurately
// computing the log-sum-exp and softmax functions", 2021). Here the largest element is that of all so far: where a larger one comes, the
// sum is multiplied by one exponential more.
//
// NaN and infinity count by their keys alone. Their exponentials are left out of sums, which stay numbers.

// The result by the device's logarithm; the bits of the largest element and of the sum, of which the host makes its own; zero.
struct Output {
    fields: array<u32, 4>,
}

// Exponentials of lower numbers come to nothing beside 1, however many there are.
const FARTHEST: f32 = -100.0;

fn identity() -> Acc {
    return Acc(no_bits(), 0.0);
}

fn is_finite(value: Element) -> bool {
    return magnitude(value) < 0x7f800000u;
}

// NaN has a key above all numbers.
fn key_of(value: Element) -> u32 {
    return select(order_key(value), all_bits(), is_nan(value));
}

// The number with a key, and 0 where that is no number.
fn number_of(key: u32) -> f32 {
    let number = bitcast<f32>(bits_of_key(key));
    return select(0.0, number, is_finite(number));
}

// A device's exponential of 0 need not be 1.
fn exponential(number: f32, top: f32) -> f32 {
    let apart = clamp(number - top, FARTHEST, 0.0);
    return select(exp(apart), 1.0, apart == 0.0);
}

fn term(value: Element, top: f32) -> f32 {
    return select(0.0, exponential(value, top), is_finite(value));
}

fn lift(value: Element) -> Acc {
    return Acc(key_of(value), select(0.0, 1.0, is_finite(value)));
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    let left = max(key_of(a), key_of(b));
    let right = max(key_of(c), key_of(d));
    let key = max(max(left, right), total.top);
    let top = number_of(key);
    let terms = (term(a, top) + term(b, top)) + (term(c, top) + term(d, top));
    return Acc(key, total.sum * exponential(number_of(total.top), top) + terms);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let is_a_lower = a.top < b.top;
    let key = max(a.top, b.top);
    let lower = number_of(min(a.top, b.top));
    let of_lower = select(b.sum, a.sum, is_a_lower);
    let of_higher = select(a.sum, b.sum, is_a_lower);
    return Acc(key, of_higher + of_lower * exponential(lower, number_of(key)));
}

fn finish(total: Acc) -> Output {
    let largest = bits_of_key(total.top);
    let is_number = (largest & 0x7fffffffu) < 0x7f800000u;
    // Of 1 a device's logarithm need not be 0.
    let logarithm = select(log(max(total.sum, 1.0)), 0.0, total.sum == 1.0);
    let result = bitcast<u32>(number_of(total.top) + logarithm);
    var fields = array<u32, 4>();
    fields[0] = select(largest, result, is_number);
    fields[1] = largest;
    fields[2] = bitcast<u32>(total.sum);
    return Output(fields);
}
