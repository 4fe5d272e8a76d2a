//! What the process may have beside what it has, as `ulimit` says.

use std::fs;

/// Each limit, and how much of it is used.
const NAMES: [[&str; 2]; 2] = [["Max address space", "VmSize:"], ["Max data size", "VmData:"]];

/// Bytes that are left by all limits; a number beyond all where there are none.
pub(super) fn left() -> u64 {
    let [limits, status] = ["/proc/self/limits", "/proc/self/status"]
        .map(|path| fs::read_to_string(path).unwrap_or_default());
    left_of(&limits, &status)
}

fn left_of(limits: &str, status: &str) -> u64 {
    let left = NAMES.iter().filter_map(|[limit, used]| {
        let most = number_behind(limits, limit)?;
        // Without a number nothing is known to be used.
        let kib = number_behind(status, used).unwrap_or(0);
        Some(most.saturating_sub(kib.saturating_mul(1024)))
    });
    left.min().unwrap_or(u64::MAX)
}

/// The first word of the line that begins so, if it is a number.
fn number_behind(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::left_of;

    #[test]
    fn the_tightest_limit_counts() {
        let limits = |space: &str, data: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units\n\
                 Max data size             {data}            unlimited            bytes\n\
                 Max address space         {space}           unlimited            bytes\n"
            )
        };
        let status = "Name:\tcat\nVmPeak:\t  999 kB\nVmSize:\t    2 kB\nVmData:\t    1 kB\n";
        for (space, data, left) in [
            ("unlimited", "unlimited", u64::MAX),
            ("10000", "unlimited", 10_000 - 2048),
            ("unlimited", "10000", 10_000 - 1024),
            ("10000", "9000", 10_000 - 2048),
            ("10000", "8900", 8900 - 1024),
            ("1000", "unlimited", 0),
        ] {
            assert_eq!(left_of(&limits(space, data), status), left, "{space} and {data}");
        }
        assert_eq!(left_of(&limits("5", "6"), ""), 5);
        assert_eq!(left_of("", status), u64::MAX);
    }
}
