// Rows by teams: the teams of the grid take as many items each as there are turns.
//
// An item is a row, or a team's part of one. Whoever has no item left goes all the way with the last one, and leaves
// nothing: loads are under no condition, barriers and shuffles in uniform control flow. The entry point is in
// rows_in_flight.wgsl or row_by_row.wgsl.

fn close(total: Acc, item: u32, lane: u32, me: Invocation) {
    let of_team = combine_team(total, me);
    if (lane == 0u && item < parameters.rows * parameters.parts) {
        leave(row_of(item), part_of(item), of_team);
    }
}
