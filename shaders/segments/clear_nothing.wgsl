// What shares hand over may be anything before.

fn clear(_mine: u32, _stride: u32) {
}
