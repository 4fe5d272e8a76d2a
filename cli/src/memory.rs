//! How much memory there is to be had on the host.

mod limits;

use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};
use sysinfo::System;
use wgpu_reduce::{AdapterClass, Error, GpuReducer};

/// Left to the program, the driver and all others, beside a sixteenth of what is free; half of that where it is less.
const RESERVED_BYTES: u64 = 128 << 20;

/// Bytes that can still be allocated: of the machine's, of what its control group may have, and of what `ulimit` allows. A number
/// beyond all where nobody knows.
pub(crate) fn available() -> u64 {
    unreserved(machine().min(groups()).min(limits::left()))
}

const fn unreserved(free: u64) -> u64 {
    let half = free.div_ceil(2);
    let reserved = RESERVED_BYTES + free / 16;
    free - if half < reserved { half } else { reserved }
}

/// Fails if the host has not so many bytes.
pub(crate) fn check(bytes: u64) -> Result<(), Error> {
    let available = available();
    if bytes <= available {
        return Ok(());
    }
    Err(Error::OutOfMemory { bytes, available_bytes: Some(available) })
}

/// As [`check`], for the elements that a check on the CPU needs all at once.
pub(crate) fn check_kept(bytes: u64) -> Result<(), Failure> {
    check(bytes).map_err(|error| of_kept(&error))
}

/// Returns the failure of a check on the CPU that has no room for elements.
pub(crate) fn of_kept(error: &Error) -> Failure {
    Failure::Failed(format!("--check keeps all elements: {error}"))
}

/// Makes room for more values, as a vector does that grows. Fails if the host has not so much.
pub(crate) fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), Error> {
    let len = values.len().saturating_add(more);
    if len <= values.capacity() {
        return Ok(());
    }
    let bytes_of = |capacity| size_of::<T>().saturating_mul(capacity) as u64;
    // Doubled, so that values move seldom; they are there twice while they do.
    let doubled = values.capacity().saturating_mul(2);
    let capacity = if len < doubled && check(bytes_of(doubled)).is_ok() { doubled } else { len };
    let bytes = bytes_of(capacity);
    check(bytes)?;
    let out_of_memory = |_| Error::OutOfMemory { bytes, available_bytes: None };
    values.try_reserve_exact(capacity - values.len()).map_err(out_of_memory)
}

/// A list of so many equal values, if the host has room for it.
pub(crate) fn filled<T: Clone>(value: T, len: usize) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    reserve(&mut values, len)?;
    values.resize(len, value);
    Ok(values)
}

/// Adds values to those that are kept, if the host has room for them.
pub(crate) fn keep<T: Copy>(kept: &mut Vec<T>, values: &[T]) -> Result<(), Error> {
    reserve(kept, values.len())?;
    kept.extend_from_slice(values);
    Ok(())
}

/// As [`check`], for a device, where its memory is the host's.
pub(crate) fn check_device(reducer: &GpuReducer, bytes: u64) -> Result<(), Error> {
    if is_of_host(reducer.caps().class, reducer.adapter_info()) { check(bytes) } else { Ok(()) }
}

/// Whether what an adapter takes is the host's.
pub(crate) fn is_of_host(class: AdapterClass, info: &wgpu::AdapterInfo) -> bool {
    class == AdapterClass::Cpu || info.device_type == wgpu::DeviceType::IntegratedGpu
}

fn machine() -> u64 {
    let mut system = System::new();
    system.refresh_memory();
    // Systems that do not say say 0.
    Some(system.available_memory()).filter(|&bytes| bytes > 0).unwrap_or(u64::MAX)
}

/// What the program's control groups leave it, all of those that it is in.
fn groups() -> u64 {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    groups.lines().map(|line| left(Path::new("/sys/fs/cgroup"), line)).min().unwrap_or(u64::MAX)
}

/// Files of a group that say what it may have and has, and what of that goes when room is needed.
struct Names {
    most: &'static str,
    used: &'static str,
    caches: [&'static str; 2],
}

const SECOND_VERSION: Names =
    Names { most: "memory.max", used: "memory.current", caches: ["inactive_file", "active_file"] };

const FIRST_VERSION: Names = Names {
    most: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    caches: ["total_inactive_file", "total_active_file"],
};

/// Bytes that are left by the group of a line of `/proc/self/cgroup` and those that it is in. In a container the root
/// may be the group itself.
fn left(root: &Path, line: &str) -> u64 {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { return u64::MAX };
    let (root, names) = match controllers {
        "" => (root.to_path_buf(), SECOND_VERSION),
        of if of.split(',').any(|one| one == "memory") => (root.join("memory"), FIRST_VERSION),
        _ => return u64::MAX,
    };
    let folders = Path::new(path.trim_start_matches('/')).ancestors();
    let folders = folders.map(|folder| root.join(folder));
    folders.filter_map(|folder| left_by(&folder, &names)).min().unwrap_or(u64::MAX)
}

/// None of a group without a limit.
fn left_by(folder: &Path, names: &Names) -> Option<u64> {
    let number = |name: &str| -> Option<u64> { read(folder.join(name))?.trim().parse().ok() };
    let (most, used) = (number(names.most)?, number(names.used)?);
    let stat = read(folder.join("memory.stat")).unwrap_or_default();
    let fields = stat.lines().filter_map(|line| line.split_once(' '));
    let caches = fields.filter(|(name, _)| names.caches.contains(name));
    let caches = caches.filter_map(|(_, bytes)| bytes.trim().parse::<u64>().ok()).sum::<u64>();
    Some(most.saturating_sub(used.saturating_sub(caches)))
}

fn read(path: PathBuf) -> Option<String> {
    fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::{RESERVED_BYTES, available, left, reserve, unreserved};
    use std::fs;

    /// A folder with these files.
    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn a_group_leaves_what_it_and_those_around_it_leave() {
        let second = root(&[
            ("a/memory.max", "1000\n"),
            ("a/memory.current", "700\n"),
            ("a/memory.stat", "anon 5\ninactive_file 100\nactive_file 50\nshmem 9\n"),
            ("a/b/memory.max", "max\n"),
            ("a/b/memory.current", "600\n"),
            ("a/b/c/memory.max", "800\n"),
            ("a/b/c/memory.current", "100\n"),
            ("full/memory.max", "10\n"),
            ("full/memory.current", "20\n"),
        ]);
        let first = root(&[
            ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("memory/memory.usage_in_bytes", "5\n"),
            ("memory/a/memory.limit_in_bytes", "1000\n"),
            ("memory/a/memory.usage_in_bytes", "700\n"),
            ("memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n"),
        ]);
        let contained = root(&[("memory.max", "500\n"), ("memory.current", "100\n")]);
        for (root, line, expected) in [
            (&second, "0::/a", 450),
            (&second, "0::/a/b", 450),
            (&second, "0::/a/b/c", 450),
            (&second, "0::/full", 0),
            (&second, "0::/", u64::MAX),
            (&second, "0::/none", u64::MAX),
            (&second, "4:memory:/a", u64::MAX),
            (&second, "what?", u64::MAX),
            (&first, "4:memory:/a", 500),
            (&first, "4:cpu,memory:/a", 500),
            (&first, "4:cpu:/a", u64::MAX),
            (&first, "0::/a", u64::MAX),
            (&contained, "0::/system.slice/not-seen-here", 400),
        ] {
            assert_eq!(left(root.path(), line), expected, "{line}");
        }
    }

    #[test]
    fn something_is_reserved_and_something_is_left() {
        for (free, left) in [
            (0, 0),
            (1, 0),
            (3, 1),
            (RESERVED_BYTES, RESERVED_BYTES / 2),
            (2 * RESERVED_BYTES, RESERVED_BYTES),
            (3 * RESERVED_BYTES, 29 * RESERVED_BYTES / 16),
            (u64::MAX, u64::MAX - u64::MAX / 16 - RESERVED_BYTES),
        ] {
            assert_eq!(unreserved(free), left, "{free}");
        }
    }

    #[test]
    fn room_that_there_is_not_is_refused_and_nothing_is_lost() {
        let mut values = vec![[1_u64; 16]; 3];
        for more in [0, 1, 5, 1000] {
            reserve(&mut values, more).unwrap();
            assert!(values.capacity() - values.len() >= more);
        }
        for more in [usize::MAX / 256, usize::MAX] {
            let refused = reserve(&mut values, more);
            assert!(matches!(refused, Err(wgpu_reduce::Error::OutOfMemory { .. })), "{refused:?}");
            assert_eq!(values, [[1; 16]; 3]);
        }
    }

    #[test]
    fn no_more_is_available_than_the_machine_has() {
        let mut system = sysinfo::System::new();
        system.refresh_memory();
        let total = system.total_memory();
        assert!(total > 0 && available() < total, "{total}");
        assert!(available() < u64::MAX - RESERVED_BYTES);
    }
}
