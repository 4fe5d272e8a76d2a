// A row's elements are a stride apart.

// How far element k is from the first.
fn element_of_row(k: u32) -> u32 {
    return k * parameters.stride;
}
