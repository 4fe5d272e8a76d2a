// The smallest and the largest of four elements, by their keys. NaN has a key below or above those of all
// numbers, by its sign, so it shows in one of the two.

struct Keys {
    least: u32,
    most: u32,
}

fn keys_of_four(a: Element, b: Element, c: Element, d: Element) -> Keys {
    let keys = vec4<u32>(order_key(a), order_key(b), order_key(c), order_key(d));
    let least = min(min(keys.x, keys.y), min(keys.z, keys.w));
    let most = max(max(keys.x, keys.y), max(keys.z, keys.w));
    return Keys(least, most);
}

fn have_nan(keys: Keys) -> bool {
    return is_nan_key(keys.least) || is_nan_key(keys.most);
}

// Keys of which the smallest belongs to the smallest element, or to NaN.
fn lowest_key(value: Element) -> u32 {
    return select(order_key(value), 0u, is_nan(value));
}

// The same for the largest.
fn highest_key(value: Element) -> u32 {
    return select(~order_key(value), 0u, is_nan(value));
}

fn lowest_of_four(keys: Keys) -> u32 {
    return select(keys.least, 0u, have_nan(keys));
}

fn highest_of_four(keys: Keys) -> u32 {
    return select(~keys.most, 0u, have_nan(keys));
}
