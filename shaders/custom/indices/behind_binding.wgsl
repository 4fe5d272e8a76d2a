// The kernel counts from the start of the binding, the user from that of the input.

fn fold_lib_index_of(index: u32) -> u32 {
    return index + fold_lib_parameters.base_low;
}
