// The smallest and the largest of four elements, by their keys. NaN has a key below or above those of all
// numbers, by its sign, so it shows in one of the two.

struct Keys {
    least: Bits,
    most: Bits,
}

fn keys_of_four(a: Element, b: Element, c: Element, d: Element) -> Keys {
    let key_a = order_key(a);
    let key_b = order_key(b);
    let key_c = order_key(c);
    let key_d = order_key(d);
    let least = bits_min(bits_min(key_a, key_b), bits_min(key_c, key_d));
    let most = bits_max(bits_max(key_a, key_b), bits_max(key_c, key_d));
    return Keys(least, most);
}

fn have_nan(keys: Keys) -> bool {
    return is_nan_key(keys.least) || is_nan_key(keys.most);
}

// Keys of which the smallest belongs to the smallest element, or to NaN.
fn lowest_key(value: Element) -> Bits {
    return select(order_key(value), no_bits(), is_nan(value));
}

// Keys of which the smallest belongs to the largest element, or to NaN.
fn highest_key(value: Element) -> Bits {
    return select(~order_key(value), no_bits(), is_nan(value));
}

fn lowest_of_four(keys: Keys) -> Bits {
    return select(keys.least, no_bits(), have_nan(keys));
}

fn highest_of_four(keys: Keys) -> Bits {
    return select(~keys.most, no_bits(), have_nan(keys));
}
