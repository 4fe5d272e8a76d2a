// By key, second pass: how many runs begin before each share, and what several shares have of one is put together.
//
//   mine <- my run of consecutive shares: their heads, and what they leave open behind the last
//   before <- what stands before my run
//   for each share of my run
//       leave how many heads are before it
//       if it has one: leave the total of the run that ends there, combine(before, what it has of it)
//       before <- join(before, what it leaves open)
//   who has the last share leaves the total of the last run, and how many there are
//
// One workgroup does it, since there are few shares.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    shares: u32,
    // Where the first result and the number of runs go.
    first_slot: u32,
    count_slot: u32,
}

@group(0) @binding(2) var<storage, read_write> results: array<Output>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> count: array<u32>;
@group(0) @binding(5) var<storage, read_write> shares: array<u32>;

fn acc_at(first_word: u32) -> Acc {
    var of_value: array<u32, ACC_WORDS>;
    for (var i = 0u; i < ACC_WORDS; i++) {
        of_value[i] = shares[first_word + i];
    }
    return acc_from_words(of_value);
}

fn stretch_at(share: u32) -> Stretch {
    return Stretch(acc_at(share + OF_OPEN), u32(shares[share] != 0u));
}

fn reduce_workgroup(_number: u32, me: Invocation) {
    let run = (parameters.shares + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let first = min(run * place_of(me), parameters.shares);
    let end = min(first + run, parameters.shares);
    var mine = nothing();
    var heads = 0u;
    for (var i = first; i < end; i++) {
        mine = join(mine, stretch_at(SHARE_WORDS * i));
        heads += shares[SHARE_WORDS * i];
    }
    var number = count_before(heads, me);
    var before = scan_before(mine, me);
    for (var i = first; i < end; i++) {
        let share = SHARE_WORDS * i;
        shares[share + 1u] = number;
        if (shares[share] != 0u && number != 0u) {
            let total = combine(before.value, acc_at(share + OF_FIRST));
            results[parameters.first_slot + number - 1u] = finish(total);
        }
        number += shares[share];
        before = join(before, stretch_at(share));
    }
    if (place_of(me) == WORKGROUP_SIZE - 1u) {
        results[parameters.first_slot + number - 1u] = finish(before.value);
        count[parameters.count_slot] = number;
    }
}
