//! Where the program keeps what it can make again.

use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};
use std::path::PathBuf;

/// The program's folder in the user's cache folder, as the system has it: `$XDG_CACHE_HOME` or
/// `~/.cache` on Linux. None for a user without a home. It may not be there yet.
pub(crate) fn folder() -> Option<PathBuf> {
    Some(choose_native_strategy().ok()?.cache_dir().join("wgpu-reduce"))
}
