// Two columns in a word.

const COLUMNS: u32 = 2u;

fn columns_at(index: u32) -> vec4<u32> {
    return vec4<u32>(words[index / 2u], 0u, 0u, 0u);
}

fn column_at(index: u32) -> vec4<u32> {
    return vec4<u32>(words[index / 2u] >> (16u * (index % 2u)), 0u, 0u, 0u);
}

fn element_of(unit: vec4<u32>, column: u32) -> Element {
    return element(unit.x >> (16u * column));
}
