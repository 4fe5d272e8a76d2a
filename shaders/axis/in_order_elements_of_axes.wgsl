// What is folded in order: elements, with their indices on several reduced axes.

// Where my row begins.
var<private> row_place: u32;

fn first_item(column: u32) -> u32 {
    row_place = place_of(column).x;
    return first_of(column);
}

fn item_at(at: u32, r: u32) -> Acc {
    return lift_at(at, row_place + r);
}
