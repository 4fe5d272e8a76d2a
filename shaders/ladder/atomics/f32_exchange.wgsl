// Adding to a result in memory, where the device has no atomic addition of f32: try to replace the
// bits that were read by those of the sum, until nobody else came in between.
//
// The exchange may also fail without a reason. It then returns the bits that are there, and the next
// attempt starts from those, as after any other failure. Bits are compared, never numbers, so NaN and
// the two zeros need no care.

@group(0) @binding(2) var<storage, read_write> partials: array<atomic<u32>>;

fn add_to_total(slot: u32, value: T) {
    var old = atomicLoad(&partials[slot]);
    loop {
        let sum = bitcast<u32>(bitcast<f32>(old) + value);
        let attempt = atomicCompareExchangeWeak(&partials[slot], old, sum);
        if (attempt.exchanged) {
            break;
        }
        old = attempt.old_value;
    }
}
