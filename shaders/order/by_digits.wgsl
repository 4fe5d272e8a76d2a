// Keys of ranks in rows by their digits, which are counted in workgroup memory.
//
//   find the least key, from which on keys are counted, and how many bits the largest has then
//   for each digit of keys, from the first on
//       for each element of the row: if its key begins as a wanted one, count the digit that follows
//       for each wanted rank: find its digit, and how many elements with the same beginning stand before it
//
// How the code differs from that, and why:
//  1. Neighbours of an invocation that count alike are counted at once, and wanted keys that begin alike share counters, as in
//     `order/counters.wgsl`.
//  2. Once few keys begin as wanted ones do, they are compared with each other.
//  3. Where ranks are of numbers alone, NaN are counted and then passed over. In a row of nothing else their key is the least.
//  4. Of keys as they are most elements would have the same first digit, since it is an exponent, and wait for one counter.

var<workgroup> nans: atomic<u32>;

// The least key of the row and the largest, once all invocations' are put together, and bits of their difference.
var<workgroup> least: array<Bits, WORKGROUP_SIZE>;
var<workgroup> largest: array<Bits, WORKGROUP_SIZE>;
var<workgroup> key_length: u32;

// Keys that begin as wanted ones do: not 0 if each invocation can have one.
var<workgroup> are_few: u32;

fn least_key() -> Bits {
    return least[0];
}

// Whether an element with this key has a rank.
fn is_ranked(key: Bits) -> bool {
    return !OF_NUMBERS || !bits_same(key, key_minus(nan_key(), least_key()));
}

// Returns how many bits keys have.
fn find_least(row: u32, local: u32) -> u32 {
    if (OF_NUMBERS) {
        if (local == 0u) {
            atomicStore(&nans, 0u);
        }
        workgroupBarrier();
    }
    let first = first_of(row);
    var low = nan_key();
    var high = no_bits();
    var mine = 0u;
    for (var k = local; k < parameters.length; k += WORKGROUP_SIZE) {
        let key = whole_key_at(first, k);
        if (OF_NUMBERS && bits_same(key, nan_key())) {
            mine += 1u;
        } else {
            low = bits_min(low, key);
            high = bits_max(high, key);
        }
    }
    if (OF_NUMBERS && mine > 0u) {
        atomicAdd(&nans, mine);
    }
    least[local] = low;
    largest[local] = high;
    workgroupBarrier();
    for (var distance = WORKGROUP_SIZE / 2u; distance > 0u; distance /= 2u) {
        if (local < distance) {
            least[local] = bits_min(least[local], least[local + distance]);
            largest[local] = bits_max(largest[local], largest[local + distance]);
        }
        workgroupBarrier();
    }
    if (local == 0u) {
        numbers = parameters.length;
        key_length = key_bits(key_minus(largest[0], least[0]));
        if (OF_NUMBERS && atomicLoad(&nans) == numbers) {
            numbers = 1u;
            key_length = 0u;
        } else if (OF_NUMBERS) {
            numbers -= atomicLoad(&nans);
        }
    }
    return workgroupUniformLoad(&key_length);
}

// Counts the bits between `shift` and `end` of keys that begin as a wanted one, and have bits up to `top`.
fn count_digits(row: u32, shift: u32, end: u32, top: u32, local: u32) {
    let first = first_of(row);
    var slot = 0u;
    var elements = 0u;
    for (var k = local; k < parameters.length; k += WORKGROUP_SIZE) {
        let key = key_at(first, k);
        var wanted = 0u;
        if (end < top) {
            wanted = first_with(bits_above(key, end));
        }
        let digit = bits_to_words(bits_above(key, shift)).x & ((1u << (end - shift)) - 1u);
        let mine = (wanted << DIGIT_BITS) | digit;
        if (wanted < RANKS && is_ranked(key)) {
            if (mine != slot) {
                count(slot, elements);
                slot = mine;
                elements = 0u;
            }
            elements += 1u;
        }
    }
    count(slot, elements);
}

// Whether the keys that begin as wanted ones do are few. At first all ranks have one leader.
fn count_alike(local: u32) -> bool {
    if (local == 0u) {
        var elements = 0u;
        for (var rank = 0u; rank < RANKS; rank++) {
            let is_first = leaders[rank] == rank;
            elements += select(0u, min(choices[rank].alike, WORKGROUP_SIZE + 1u), is_first);
            elements = min(elements, WORKGROUP_SIZE + 1u);
        }
        are_few = u32(elements <= WORKGROUP_SIZE);
    }
    return workgroupUniformLoad(&are_few) != 0u;
}

// Compares those keys with each other, one for each invocation. They differ in bits up to `end`.
fn compare_few(row: u32, end: u32, local: u32) {
    open_list(local);
    let first = first_of(row);
    for (var k = local; k < parameters.length; k += WORKGROUP_SIZE) {
        let key = key_at(first, k);
        if (first_with(bits_above(key, end)) < RANKS && is_ranked(key)) {
            let slot = atomicAdd(&counters[0], 1u);
            if (slot < WORKGROUP_SIZE) {
                largest[slot] = key;
            }
        }
    }
    workgroupBarrier();
    let few = min(atomicLoad(&counters[0]), WORKGROUP_SIZE);
    if (local < few) {
        let mine = largest[local];
        let group = first_with(bits_above(mine, end));
        // Equal ones stand as they have come.
        var position = 0u;
        var earlier = 0u;
        var same = 0u;
        for (var k = 0u; k < few; k++) {
            let other = largest[k];
            let is_alike = bits_same(bits_above(other, end), bits_above(mine, end));
            let is_same = bits_same(other, mine);
            position += u32(is_alike && (bits_less(other, mine) || (is_same && k < local)));
            if (WANTED != OF_RANKS) {
                earlier += u32(is_same && k < local);
                same += u32(is_same);
            }
        }
        for (var rank = 0u; rank < RANKS; rank++) {
            if (leaders[rank] == group && before[rank] == position) {
                known[rank] = mine;
                choices[rank] = Choice(0u, earlier, same);
            }
        }
    }
    workgroupBarrier();
    for (var rank = local; rank < RANKS; rank += WORKGROUP_SIZE) {
        before[rank] = choices[rank].before;
    }
}

// Finds the digit that follows in each wanted key.
fn find_digit(shift: u32, local: u32) {
    choose(local);
    for (var rank = local; rank < RANKS; rank += WORKGROUP_SIZE) {
        known[rank] = with_digit(known[rank], choices[rank].digit, shift);
        before[rank] = choices[rank].before;
        beginnings[rank] = bits_above(known[rank], shift);
    }
    workgroupBarrier();
    for (var rank = local; rank < RANKS; rank += WORKGROUP_SIZE) {
        leaders[rank] = first_with(beginnings[rank]);
    }
    workgroupBarrier();
}

fn find_keys(row: u32, local: u32) {
    for (var rank = local; rank < RANKS; rank += WORKGROUP_SIZE) {
        known[rank] = no_bits();
        beginnings[rank] = no_bits();
        leaders[rank] = 0u;
    }
    let top = find_least(row, local);
    find_ranks(local);
    if (local == 0u) {
        choices[0].alike = numbers;
    }
    var end = top;
    while (end > 0u) {
        if (end < KEY_BITS && count_alike(local)) {
            compare_few(row, end, local);
            break;
        }
        let shift = end - min(DIGIT_BITS, end);
        clear_counters(local);
        workgroupBarrier();
        count_digits(row, shift, end, top, local);
        workgroupBarrier();
        find_digit(shift, local);
        end = shift;
    }
    workgroupBarrier();
}

// In any order: the host sorts them.
fn leave_places(row: u32, local: u32) {
    open_list(local);
    let first = first_of(row);
    for (var k = local; k < parameters.length; k += WORKGROUP_SIZE) {
        leave_place(row, k, key_at(first, k));
    }
    workgroupBarrier();
}
