// By key, in one pass over keys and values: every workgroup folds its share of the tiles.
//
//   carry <- identity
//   for each tile of my share
//       fold my run of consecutive values from head to head: a head is a key that is not as the one before
//       before <- what the runs before mine leave open, and carry if none of them has a head: what stands before my
//           first head goes on with it
//       the n-th head of the share: leave its key as the n-th of the share's list, and with the next head its total
//       carry <- what all runs leave open
//   how many heads my share has, what stands before its first and its carry are left for the next pass
//
// Lists have places of their own, so that nobody has to know how many heads there are before; later passes move them
// together. Keys and values are read once, but for shares whose lists have not room for all their heads: once it is
// known how many heads are before, these are gone through again (AGAIN), and what they leave goes where it belongs.
//
// How the code differs from one-pass reductions by key that look back at the workgroups before, and why:
//  1. WGSL promises no workgroup that others make progress, so none waits for another: lists are moved instead, which
//     is a few bytes for each run.
//  2. An invocation loads its own run, though its neighbour's lies elsewhere: caches hold the rest until it is asked
//     for, and neither workgroup memory nor a barrier is between loads and what is done with them.
//  3. Keys and values may begin anywhere; where both begin at quads, quads are loaded. The last run goes by elements.
//  4. What a run closes has its place in workgroup memory, as many words as it can have heads.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 64u;

// Whether keys are floats, which are equal as numbers are: −0 is +0, and NaN is nothing.
override ARE_FLOATS: bool = false;

// Whether keys and values begin at quads of their bindings.
override ALIGNED: bool = false;

// Whether it is the second time.
override AGAIN: bool = false;

const RUN: u32 = 16u;
const RUN_QUADS: u32 = 4u;
// An odd number, so that invocations do not meet at the banks of workgroup memory.
const ROW: u32 = RUN + 1u;

override TILE: u32 = RUN * WORKGROUP_SIZE;
override ROWS_WORDS: u32 = ROW * WORKGROUP_SIZE;

struct Parameters {
    // The first key and the first value behind their bindings, and how many there are.
    first_key: u32,
    first_value: u32,
    len: u32,
    tiles: u32,
    tiles_per_share: u32,
    // Heads that a list has room for.
    room: u32,
    // The second time, where the first run's key and its result go.
    key_slot: u32,
    first_slot: u32,
}

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> key_quads: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> run_keys: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> totals: array<Output>;
@group(0) @binding(5) var<storage, read_write> shares: array<u32>;
@group(0) @binding(6) var<storage, read> values: array<u32>;
@group(0) @binding(7) var<storage, read> value_quads: array<vec4<u32>>;

// What stands before each head of a run.
var<workgroup> closed: array<u32, ROWS_WORDS>;
var<workgroup> carry: Acc;
// Heads of the share before the tile.
var<workgroup> heads_before: u32;
// Heads of the share, the second time.
var<workgroup> heads_of_share: u32;

fn word_of(_place: u32, index: u32) -> u32 {
    return values[index];
}

fn differ(key: u32, before: u32) -> bool {
    if (ARE_FLOATS) {
        let are_zero = ((key | before) & 0x7fffffffu) == 0u;
        let is_nan = (key & 0x7fffffffu) > 0x7f800000u;
        return is_nan || (key != before && !are_zero);
    }
    return key != before;
}

fn key_at(index: u32) -> u32 {
    return keys[parameters.first_key + index];
}

fn keys_from(index: u32) -> vec4<u32> {
    if (ALIGNED) {
        return key_quads[(parameters.first_key + index) / 4u];
    }
    return vec4<u32>(key_at(index), key_at(index + 1u), key_at(index + 2u), key_at(index + 3u));
}

fn value_at(index: u32) -> u32 {
    return values[parameters.first_value + index];
}

fn values_from(index: u32) -> vec4<u32> {
    if (ALIGNED) {
        return value_quads[(parameters.first_value + index) / 4u];
    }
    return vec4<u32>(
        value_at(index),
        value_at(index + 1u),
        value_at(index + 2u),
        value_at(index + 3u),
    );
}

// What a run has behind its last head, its heads as bits, and how many they are.
struct Row {
    open: Acc,
    heads: u32,
    count: u32,
}

fn append(row: Row, first_word: u32, value: u32, in_run: u32, is_head: bool) -> Row {
    var next = row;
    if (is_head) {
        closed[first_word + row.count] = acc_to_words(row.open)[0];
        next = Row(identity(), row.heads | (1u << in_run), row.count + 1u);
    }
    next.open = combine(next.open, lift_one(element(value), 0u));
    return next;
}

// Folds the run that begins at `start`; what stands before its n-th head then is in word n of its row.
fn fold_row(start: u32, first_word: u32) -> Row {
    var row = Row(identity(), 0u, 0u);
    if (start >= parameters.len) {
        return row;
    }
    var before = key_at(max(start, 1u) - 1u);
    if (start + RUN <= parameters.len) {
        var keys_of_run: array<vec4<u32>, RUN_QUADS>;
        var values_of_run: array<vec4<u32>, RUN_QUADS>;
        for (var k = 0u; k < RUN_QUADS; k++) {
            keys_of_run[k] = keys_from(start + 4u * k);
            values_of_run[k] = values_from(start + 4u * k);
        }
        for (var k = 0u; k < RUN_QUADS; k++) {
            let four = keys_of_run[k];
            let of_four = values_of_run[k];
            let is_head = differ(four.x, before) || (start == 0u && k == 0u);
            row = append(row, first_word, of_four.x, 4u * k, is_head);
            row = append(row, first_word, of_four.y, 4u * k + 1u, differ(four.y, four.x));
            row = append(row, first_word, of_four.z, 4u * k + 2u, differ(four.z, four.y));
            row = append(row, first_word, of_four.w, 4u * k + 3u, differ(four.w, four.z));
            before = four.w;
        }
        return row;
    }
    for (var at = start; at < parameters.len; at++) {
        let key = key_at(at);
        row = append(row, first_word, value_at(at), at - start, differ(key, before) || at == 0u);
        before = key;
    }
    return row;
}

fn closed_at(word: u32) -> Acc {
    return acc_from_words(array<u32, ACC_WORDS>(closed[word]));
}

// Where the keys and the totals of a share's runs go, and how many there is room for.
struct Lists {
    keys: u32,
    totals: u32,
    room: u32,
}

fn leave_total(lists: Lists, number: u32, total: Acc) {
    if (number < lists.room) {
        totals[lists.totals + number] = finish(total);
    }
}

// The keys of a run's heads, the first of them with that number, and the totals of those behind which there is another.
fn leave_row(start: u32, first_word: u32, heads: u32, lists: Lists, first_number: u32) {
    var rest = heads;
    var number = first_number;
    for (var word = first_word + 1u; rest != 0u; word++) {
        if (number < lists.room) {
            run_keys[lists.keys + number] = key_at(start + firstTrailingBit(rest));
        }
        rest &= rest - 1u;
        if (rest != 0u) {
            leave_total(lists, number, closed_at(word));
        }
        number += 1u;
    }
}

fn leave_in_share(first_word: u32, value: Acc) {
    var of_value = acc_to_words(value);
    for (var i = 0u; i < ACC_WORDS; i++) {
        shares[first_word + i] = of_value[i];
    }
}

fn fold_tile(first: u32, lists: Lists, share: u32, me: Invocation) {
    let place = place_of(me);
    let start = first + RUN * place;
    let row = fold_row(start, ROW * place);
    workgroupBarrier();
    let carried = Stretch(carry, 0u);
    let number = heads_before + count_before(row.count, me);
    let stretch = Stretch(row.open, u32(row.count != 0u));
    let before = join(carried, scan_before(stretch, me));
    if (row.count != 0u) {
        let total = combine(before.value, closed_at(ROW * place));
        if (number > 0u) {
            leave_total(lists, number - 1u, total);
        } else if (!AGAIN) {
            leave_in_share(share + OF_FIRST, total);
        }
        leave_row(start, ROW * place, row.heads, lists, number);
    }
    if (place == WORKGROUP_SIZE - 1u) {
        carry = join(before, stretch).value;
        heads_before = number + row.count;
    }
}

fn reduce_workgroup(number: u32, me: Invocation) {
    let first_tile = min(number * parameters.tiles_per_share, parameters.tiles);
    let end_tile = min(first_tile + parameters.tiles_per_share, parameters.tiles);
    if (first_tile == end_tile) {
        return;
    }
    let share = SHARE_WORDS * number;
    if (leads(me)) {
        carry = identity();
        heads_before = 0u;
    }
    var lists = Lists(parameters.room * number, parameters.room * number, parameters.room);
    if (AGAIN) {
        if (leads(me)) {
            heads_of_share = shares[share];
        }
        if (workgroupUniformLoad(&heads_of_share) <= parameters.room) {
            return;
        }
        let before = shares[share + 1u];
        lists = Lists(parameters.key_slot + before, parameters.first_slot + before, 0xffffffffu);
    }
    for (var tile = first_tile; tile < end_tile; tile++) {
        fold_tile(TILE * tile, lists, share, me);
    }
    workgroupBarrier();
    if (leads(me) && !AGAIN) {
        shares[share] = heads_before;
        leave_in_share(share + OF_OPEN, carry);
    }
}
