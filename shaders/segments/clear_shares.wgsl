// What shares hand over is zero until it is there (closed_ahead.wgsl).

@group(0) @binding(5) var<storage, read_write> shares: array<u32>;

fn clear(mine: u32, stride: u32) {
    for (var i = mine; i < parameters.share_words; i += stride) {
        shares[i] = 0u;
    }
}
