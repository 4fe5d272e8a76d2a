// Terms that go to one window.

alias Windows = Window;

fn base_of(windows: Windows) -> u32 {
    return windows.base;
}

fn put_windows(windows: Windows) {
    put_pieces(windows.base, pieces_of(windows));
}

fn close_windows(windows: Windows, me: Invocation) {
    close_window(windows, me);
}
