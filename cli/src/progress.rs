//! A bar that shows how far a long command is.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;

/// Copies of fewer bytes are over before a bar would be of use.
const LONG_BYTES: u64 = 64 << 20;

/// A bar on standard error, if that is a terminal and there is much to copy.
pub(crate) fn bar(bytes: u64) -> ProgressBar {
    if bytes <= LONG_BYTES {
        return ProgressBar::hidden();
    }
    on_terminal(
        || ProgressBar::new(bytes),
        "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
    )
}

/// The bytes so far on standard error, if that is a terminal, where nobody knows how many will come.
pub(crate) fn spinner() -> ProgressBar {
    on_terminal(ProgressBar::new_spinner, "{spinner} {bytes} {bytes_per_sec}")
}

/// A bar on standard error, if that is a terminal, for `count` steps that each have a message.
pub(crate) fn steps(count: u64) -> ProgressBar {
    on_terminal(|| ProgressBar::new(count), "{wide_bar} {pos}/{len} {msg}")
}

fn on_terminal(make: impl FnOnce() -> ProgressBar, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = make();
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
