// The wanted ranks are given.

const OF_NUMBERS: bool = false;

fn wanted_rank(slot: u32, _numbers: vec2<u32>) -> vec2<u32> {
    return given_rank(slot);
}

fn position_of(slot: u32, _numbers: vec2<u32>) -> u32 {
    return slot;
}
