// The elements of a window before its first whole quad and after its last: the k-th of them, and how many there are.
// The kernel's parameters say where they are.

fn end_count() -> u32 {
    return parameters.head_count + parameters.tail_count;
}

fn end_at(k: u32) -> u32 {
    let of_head = parameters.head_first + k;
    let of_tail = parameters.tail_first + k - parameters.head_count;
    return select(of_tail, of_head, k < parameters.head_count);
}
