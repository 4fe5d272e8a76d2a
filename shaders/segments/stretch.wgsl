// What is joined when segments are scanned.

// What stands behind the last cut of a stretch, or all of it if there is none.
struct Stretch {
    value: Acc,
    cut: u32,
}

fn nothing() -> Stretch {
    return Stretch(identity(), 0u);
}

fn join(first: Stretch, second: Stretch) -> Stretch {
    if (second.cut != 0u) {
        return second;
    }
    return Stretch(combine(first.value, second.value), first.cut);
}
