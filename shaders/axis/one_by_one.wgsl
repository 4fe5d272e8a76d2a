// Four neighbours are left one after the other.

fn leave_four(row: u32, part: u32, a: Acc, b: Acc, c: Acc, d: Acc) {
    leave(row, part, a);
    leave(row + 1u, part, b);
    leave(row + 2u, part, c);
    leave(row + 3u, part, d);
}
