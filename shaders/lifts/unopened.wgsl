// A tile begins with nothing.

fn open_tile() -> Acc {
    return identity();
}
