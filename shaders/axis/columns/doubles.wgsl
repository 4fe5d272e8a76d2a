// Two columns in a quad.

const COLUMNS: u32 = 2u;

fn columns_at(index: u32) -> vec4<u32> {
    return quads[index / 2u];
}

fn column_at(index: u32) -> vec4<u32> {
    return vec4<u32>(words[2u * index], words[2u * index + 1u], 0u, 0u);
}

fn element_of(unit: vec4<u32>, column: u32) -> Element {
    return element(select(unit.xy, unit.zw, column == 1u));
}
