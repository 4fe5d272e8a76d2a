// What several shares have of one segment goes to another pass, close.wgsl.

@group(0) @binding(5) var<storage, read_write> shares: array<u32>;

// Which part of the tiles a workgroup has.
fn part_of(workgroup: u32) -> u32 {
    return workgroup;
}

// Whether nobody can have begun what a share closes first.
fn begins_alone(_share: u32) -> bool {
    return parameters.shares == 1u;
}

fn leave_in_share(first_word: u32, value: Acc) {
    var of_value = acc_to_words(rebase(value, vec2<u32>(parameters.base_low, parameters.base_high)));
    for (var i = 0u; i < ACC_WORDS; i++) {
        shares[first_word + i] = of_value[i];
    }
}

// Leaves what a share has of the first segment that it closes.
fn leave_first(segment: u32, total: Acc, share: u32) {
    shares[SHARE_WORDS * share + 1u] = segment;
    leave_in_share(SHARE_WORDS * share + OF_CLOSED, total);
}

// What a share has in the end.
fn hand_over(share: u32, me: Invocation) {
    if (leads(me)) {
        shares[SHARE_WORDS * share] = has_closed;
        leave_in_share(SHARE_WORDS * share + OF_OPEN, carry);
    }
}
