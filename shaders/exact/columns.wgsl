// From the bins of a workgroup to the sum of all workgroups.
//
//   digits <- the bins, as one number with digits of 12 bits
//   for each digit
//       column[digit] <- column[digit] + digit, and count the workgroup in the column's upper bits
//       if my workgroup is the last in this column: leave the column as a result, and zero in it
//
// No workgroup waits for another, and no access has to be ordered by another: whoever completes a column
// has its sum in the answer of the addition. Nor does the order of arrival matter: integers commute.
//
// Bounds: bins of 72 exponents reach one digit, so the sum of a digit is below 73 * 2^12; after one carry
// to the next digit it is -7 to 4095 + 73. With BIAS added, a thousand of them are below 2^22.

const DIGIT_BITS: u32 = 12u;
const DIGIT: u32 = 0xfffu;
// Added to every digit of every workgroup, so that none is negative.
const BIAS: i32 = 8;

// Two columns more count the workgroups that have seen what is no digit.
const COLUMNS: u32 = DIGITS + 2u;

// A column counts workgroups from here on.
const COUNT_SHIFT: u32 = 22u;

@group(0) @binding(2) var<storage, read_write> results: array<u32>;
// Zero at the start, and zero again at the end.
@group(0) @binding(4) var<storage, read_write> columns: array<atomic<u32>>;

var<workgroup> digits: array<atomic<i32>, STRIDE>;
var<workgroup> seen: atomic<u32>;

fn clear_digits(local: u32) {
    for (var index = local; index < STRIDE; index += WORKGROUP_SIZE) {
        atomicStore(&digits[index], 0);
    }
    if (local == 0u) {
        atomicStore(&seen, 0u);
    }
}

// Adds (high, low) * 2^place to the digits; high is far from 2^31.
fn put_digits(low: u32, high: i32, place: u32) {
    let first = place / DIGIT_BITS;
    let up = place % DIGIT_BITS;
    let x = low << up;
    let y = (u32(high) << up) | ((low >> 1u) >> (31u - up));
    let z = (high >> 1u) >> (31u - up);
    atomicAdd(&digits[first], i32(x & DIGIT));
    atomicAdd(&digits[first + 1u], i32((x >> 12u) & DIGIT));
    atomicAdd(&digits[first + 2u], i32((x >> 24u) | ((y & 0xfu) << 8u)));
    atomicAdd(&digits[first + 3u], i32((y >> 4u) & DIGIT));
    atomicAdd(&digits[first + 4u], i32((y >> 16u) & DIGIT));
    atomicAdd(&digits[first + 5u], i32(y >> 28u) | (z << 4u));
}

// What the workgroup adds to a column.
fn column_of(index: u32) -> u32 {
    if (index < DIGITS) {
        let mine = u32(atomicLoad(&digits[index])) & DIGIT;
        let below = atomicLoad(&digits[max(index, 1u) - 1u]) >> DIGIT_BITS;
        return u32(i32(mine) + select(below, 0, index == 0u) + BIAS);
    }
    // Two counts of 11 bits in each of the last columns.
    let flags = atomicLoad(&seen) >> (2u * (index - DIGITS));
    return (flags & 1u) | ((flags & 2u) << 10u);
}

fn complete_columns(local: u32) {
    for (var index = local; index < COLUMNS; index += WORKGROUP_SIZE) {
        let at = parameters.slot * STRIDE + index;
        let mine = (1u << COUNT_SHIFT) + column_of(index);
        let before = atomicAdd(&columns[at], mine);
        if ((before >> COUNT_SHIFT) + 1u == parameters.workgroups) {
            results[at] = before + mine;
            atomicStore(&columns[at], 0u);
        }
    }
}

fn reduce_workgroup(workgroup: u32, me: Invocation) {
    let exponent = first_exponent(workgroup, me.local);
    clear_bins(me.local);
    clear_digits(me.local);
    workgroupBarrier();

    var windows = windows_below(share_largest(exponent, me));
    note_flags(gather(workgroup, me.local, &windows), me);
    close_windows(windows, me);
    workgroupBarrier();

    digest_bins(me.local);
    workgroupBarrier();
    if (workgroup < parameters.workgroups) {
        complete_columns(me.local);
    }
}
