// Segments, last pass: what several shares have of a segment is put together.
//
//   stretch <- my run of consecutive shares: what they leave open behind the last that closes a segment
//   before <- what stands before my run
//   for each share of my run
//       if it closes a segment: leave combine(before, what it has of it)
//       before <- join(before, what it leaves open)
//
// One workgroup does it, since there are few shares.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    shares: u32,
    first_offset: u32,
    first_slot: u32,
    // The bits of a custom operator's identity.
    identity_bits: vec4<u32>,
}

@group(0) @binding(0) var<storage, read> shares: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

fn acc_at(first_word: u32) -> Acc {
    var of_value: array<u32, ACC_WORDS>;
    for (var i = 0u; i < ACC_WORDS; i++) {
        of_value[i] = shares[first_word + i];
    }
    return acc_from_words(of_value);
}

fn stretch_at(share: u32) -> Stretch {
    return Stretch(acc_at(SHARE_WORDS * share + OF_OPEN), shares[SHARE_WORDS * share]);
}

fn reduce_workgroup(_number: u32, me: Invocation) {
    let run = (parameters.shares + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let first = min(run * place_of(me), parameters.shares);
    let end = min(first + run, parameters.shares);
    var mine = nothing();
    for (var i = first; i < end; i++) {
        mine = join(mine, stretch_at(i));
    }
    var before = scan_before(mine, me);
    for (var i = first; i < end; i++) {
        let share = SHARE_WORDS * i;
        if (shares[share] != 0u) {
            leave(shares[share + 1u], combine(before.value, acc_at(share + OF_CLOSED)), 0u);
        }
        before = join(before, stretch_at(i));
    }
}
