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
    on_terminal(bytes, "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}")
}

/// A bar on standard error, if that is a terminal, for `count` steps that each have a message.
pub(crate) fn steps(count: u64) -> ProgressBar {
    on_terminal(count, "{wide_bar} {pos}/{len} {msg}")
}

fn on_terminal(length: u64, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
