// Whoever has the beginning of a segment asks those that have the rest of it, in place of another pass. For devices on
// which a workgroup may wait for others.
//
//   a share that closes a segment which others may have begun: hands over what it has of that, at once
//   a share that closes none: hands over all that it has, in the end
//   any other, and the first, in the end:
//       behind <- what the share behind it hands over, and as long as none closes a segment, those behind that
//       if one does: leave combine(what is open, behind) for that segment
//
// (Decoupled look-back has a tile ask those before it: Merrill and Garland, "Single-pass parallel prefix scan with
// decoupled look-back", 2016.) How the code differs from that, and why:
//  1. It looks ahead. What is asked for then is what the next share closes first, which is there soon after that share
//     has begun, and not what the one before has in the end.
//  2. So that nobody waits for a workgroup that has not begun, the first workgroup has the last share.
//  3. Nobody asks for sums of several shares. Every segment's parts are combined in one order, whoever is late.
//  4. Words go over with marks, as in sinks/last.wgsl. The first pass clears them (clear_shares.wgsl).
//  5. Behind the next share many are asked at once, one by each invocation and then AHEAD.

// Zero, or words of what shares hand over with a mark in place of the highest bit, last the number of the segment that is
// closed, and a word with their highest bits: the first words of all shares, then the second ones.
@group(0) @binding(5) var<storage, read_write> shares: array<atomic<u32>>;

const OWN_WORDS: u32 = ACC_WORDS + 1u;
const MARKED_WORDS: u32 = ACC_WORDS + 2u;
const MARK: u32 = 0x80000000u;
// In the word of the highest bits: that a segment is closed.
const CLOSES: u32 = 0x40000000u;

// Shares that an invocation asks at once: some eight words.
const AHEAD: u32 = (8u + ACC_WORDS - 1u) / ACC_WORDS;

var<workgroup> first_closing: atomic<u32>;
var<workgroup> closed_segment: u32;

// Which part of the tiles a workgroup has.
fn part_of(workgroup: u32) -> u32 {
    return parameters.workgroups - 1u - workgroup;
}

// Whether nobody can have begun what a share closes first.
fn begins_alone(share: u32) -> bool {
    return share == 0u;
}

fn place_in_shares(word: u32, share: u32) -> u32 {
    return word * parameters.shares + share;
}

fn publish(share: u32, value: Acc, closes: bool, segment: u32) {
    var of_value = acc_to_words(rebase(value, vec2<u32>(parameters.base_low, parameters.base_high)));
    var highest_bits = MARK | select(0u, CLOSES, closes) | ((segment >> 31u) << ACC_WORDS);
    for (var i = 0u; i < ACC_WORDS; i++) {
        atomicStore(&shares[place_in_shares(i, share)], MARK | of_value[i]);
        highest_bits |= (of_value[i] >> 31u) << i;
    }
    atomicStore(&shares[place_in_shares(ACC_WORDS, share)], MARK | segment);
    atomicStore(&shares[place_in_shares(OWN_WORDS, share)], highest_bits);
}

// Leaves what a share has of the first segment that it closes.
fn leave_first(segment: u32, total: Acc, share: u32) {
    publish(share, total, true, segment);
}

struct Published {
    words: array<u32, MARKED_WORDS>,
}

fn published(share: u32) -> Published {
    var words: array<u32, MARKED_WORDS>;
    for (var i = 0u; i < MARKED_WORDS; i++) {
        words[i] = atomicLoad(&shares[place_in_shares(i, share)]);
    }
    return Published(words);
}

// Whether all words are there.
fn is_there(marked: Published) -> bool {
    var parts = marked.words;
    var complete = true;
    for (var i = 0u; i < MARKED_WORDS; i++) {
        complete &= parts[i] != 0u;
    }
    return complete;
}

fn closes(marked: Published) -> bool {
    return (marked.words[OWN_WORDS] & CLOSES) != 0u;
}

fn segment_closed(marked: Published) -> u32 {
    return (marked.words[ACC_WORDS] & ~MARK) | ((marked.words[OWN_WORDS] >> ACC_WORDS) << 31u);
}

fn value_of(marked: Published) -> Acc {
    var parts = marked.words;
    var words: array<u32, ACC_WORDS>;
    for (var i = 0u; i < ACC_WORDS; i++) {
        words[i] = (parts[i] & ~MARK) | ((parts[OWN_WORDS] >> i) << 31u);
    }
    return acc_from_words(words);
}

// What shares behind one have of the segment that it leaves open, and which that is.
struct Behind {
    value: Acc,
    is_closed: bool,
    segment: u32,
}

// Looks at the shares from one on; the invocation that leads gets the value. First come as many shares as a workgroup has
// invocations, then AHEAD times as many at a time.
fn look_far(from_share: u32, me: Invocation) -> Behind {
    let place = place_of(me);
    var total = identity();
    var first = from_share;
    var each = 1u;
    var is_open = true;
    while (agreed(is_open && first < parameters.shares)) {
        let end = min(first + WORKGROUP_SIZE * each, parameters.shares);
        let mine = first + place * each;
        var marked: array<Published, AHEAD>;
        var complete = false;
        while (!complete) {
            complete = true;
            for (var k = 0u; k < AHEAD; k++) {
                marked[k] = published(min(mine + min(k, each - 1u), end - 1u));
                complete &= is_there(marked[k]);
            }
        }
        var closing = end;
        for (var k = AHEAD; k > 0u; k--) {
            if (k <= each && closes(marked[k - 1u])) {
                closing = min(mine + k - 1u, closing);
            }
        }
        workgroupBarrier();
        if (place == 0u) {
            atomicStore(&first_closing, end);
        }
        workgroupBarrier();
        atomicMin(&first_closing, closing);
        workgroupBarrier();
        closing = atomicLoad(&first_closing);
        var of_mine = identity();
        for (var k = 0u; k < AHEAD; k++) {
            let at = mine + k;
            if (k < each && at <= closing && at < end) {
                of_mine = combine(of_mine, value_of(marked[k]));
                if (at == closing) {
                    closed_segment = segment_closed(marked[k]);
                }
            }
        }
        total = combine(total, combine_workgroup(of_mine, me));
        is_open = closing == end;
        first = end;
        each = AHEAD;
    }
    workgroupBarrier();
    return Behind(total, !is_open, closed_segment);
}

// Looks at all shares behind one.
fn look_ahead(share: u32, me: Invocation) -> Behind {
    if (share + 1u >= parameters.shares) {
        return Behind(identity(), false, 0u);
    }
    var next = published(share + 1u);
    while (!is_there(next)) {
        next = published(share + 1u);
    }
    if (agreed(closes(next))) {
        return Behind(value_of(next), true, segment_closed(next));
    }
    let far = look_far(share + 2u, me);
    return Behind(combine(value_of(next), far.value), far.is_closed, far.segment);
}

// What a share has in the end.
fn hand_over(share: u32, me: Invocation) {
    if (agreed(has_closed == 0u)) {
        if (leads(me)) {
            publish(share, carry, false, 0u);
        }
        return;
    }
    let behind = look_ahead(share, me);
    if (leads(me) && behind.is_closed) {
        let open = rebase(carry, vec2<u32>(parameters.base_low, parameters.base_high));
        leave(behind.segment, combine(open, behind.value), 0u);
    }
}
