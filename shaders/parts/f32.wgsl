// Numbers that are computed with, and what is kept of them, here both f32.

alias Real = f32;
alias Kept = f32;

fn kept_of(value: Element) -> Kept {
    return value;
}
