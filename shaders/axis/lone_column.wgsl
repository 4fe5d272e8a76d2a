// A unit is one column. Neighbouring invocations have neighbouring columns, so their loads lie side by side as well.

alias Columns = Acc;

fn columns_of_unit() -> u32 {
    return 1u;
}

fn whole_columns(of_mine: Columns, me: Invocation) -> Columns {
    return whole(of_mine, me);
}

fn leave_columns(column: u32, part: u32, total: Columns) {
    leave(column, part, total);
}
