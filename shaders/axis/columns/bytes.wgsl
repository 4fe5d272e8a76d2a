// Four columns in a word.

const COLUMNS: u32 = 4u;

fn columns_at(index: u32) -> vec4<u32> {
    return vec4<u32>(words[index / 4u], 0u, 0u, 0u);
}

fn column_at(index: u32) -> vec4<u32> {
    return vec4<u32>(words[index / 4u] >> (8u * (index % 4u)), 0u, 0u, 0u);
}

fn element_of(unit: vec4<u32>, column: u32) -> Element {
    return element(unit.x >> (8u * column));
}
