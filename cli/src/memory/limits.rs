//! What the process may have beside what it has, as `ulimit` says.

#[cfg(target_os = "linux")]
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};

/// Each limit, and how much of it is used.
#[cfg(target_os = "linux")]
const NAMES: [(Resource, &str); 2] =
    [(Resource::RLIMIT_AS, "VmSize:"), (Resource::RLIMIT_DATA, "VmData:")];

/// Bytes that are left by all limits; a number beyond all where there are none.
#[cfg(target_os = "linux")]
pub(super) fn left() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let left = NAMES.into_iter().filter_map(|(limit, used)| {
        let (most, _) = getrlimit(limit).ok().filter(|&(most, _)| most != RLIM_INFINITY)?;
        #[allow(clippy::useless_conversion, reason = "32 bits on some systems")]
        let most = u64::from(most);
        // Without a number nothing is known to be used.
        let line = status.lines().find_map(|line| line.strip_prefix(used));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        Some(most.saturating_sub(kib.unwrap_or(0).saturating_mul(1024)))
    });
    left.min().unwrap_or(u64::MAX)
}

#[cfg(not(target_os = "linux"))]
pub(super) const fn left() -> u64 {
    u64::MAX
}
