//! Regular files, read by several threads.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Threads that read at a time: as many as take what the page cache gives, and not so long to start.
const MOST_THREADS: usize = 8;

/// Bytes that a thread reads at a time.
const SHARE_BYTES: usize = 1 << 20;

/// Fills `target` with what starts at byte `at` of a file, as far as there are bytes, and tells how many that are.
pub(super) fn read_fully_at(file: &File, target: &mut [u8], at: u64) -> Result<usize, String> {
    let len = target.len();
    let shares = (0..).step_by(SHARE_BYTES).zip(target.chunks_mut(SHARE_BYTES));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = len.div_ceil(SHARE_BYTES).min(cores).min(MOST_THREADS);
    let (shares, first_end) = (Mutex::new(shares), Mutex::new((len, Ok(()))));
    let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
    let turns = || {
        while let Some((start, share)) = next() {
            let (count, outcome) = read_share(file, share, at + start as u64);
            if count < share.len() {
                let mut first = first_end.lock().unwrap_or_else(PoisonError::into_inner);
                if start + count < first.0 {
                    *first = (start + count, outcome);
                }
                break;
            }
        }
    };
    thread::scope(|scope| {
        // Where no more threads can be had, this one reads all.
        let start = |_| thread::Builder::new().spawn_scoped(scope, turns).ok();
        let others = (1..threads).map_while(start).count();
        log::trace!("{len} bytes are read by {others} threads and this one");
        turns();
    });
    let (count, outcome) = first_end.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.map(|()| count).map_err(|error| format!("{error}, at byte {}", at + count as u64))
}

/// Reads as much as there is of a share, and returns how many bytes that is and why there are no more.
fn read_share(file: &File, share: &mut [u8], at: u64) -> (usize, io::Result<()>) {
    let mut count = 0;
    while let Some(rest) = share.get_mut(count..).filter(|rest| !rest.is_empty()) {
        match read_at(file, rest, at + count as u64) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (count, Err(error)),
        }
    }
    (count, Ok(()))
}

#[cfg(unix)]
fn read_at(file: &File, target: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, target, at)
}

#[cfg(windows)]
fn read_at(file: &File, target: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, target, at)
}

#[cfg(test)]
mod tests {
    use super::{SHARE_BYTES, read_fully_at};
    use std::io::Write as _;

    #[test]
    fn what_lies_anywhere_in_a_file_is_read() {
        let bytes: Vec<u8> = (0..5_242_957_u32).map(|at| (at % 251) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        for at in [0, 1, 13, SHARE_BYTES, bytes.len() - 1, bytes.len(), bytes.len() + 9] {
            for len in
                [0, 1, 4096, SHARE_BYTES - 1, SHARE_BYTES + 1, 3 * SHARE_BYTES, 7 * SHARE_BYTES]
            {
                let mut read = vec![0; len];
                let count = read_fully_at(&file, &mut read, at as u64).unwrap();
                let there = &bytes
                    [at.min(bytes.len())..(at + len).min(bytes.len()).max(at.min(bytes.len()))];
                assert!(count == there.len() && read[..count] == *there, "{len} from {at}");
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("written");
        let file = std::fs::File::create(&path).unwrap();
        let error = read_fully_at(&file, &mut vec![0; 3 * SHARE_BYTES], 40).unwrap_err();
        assert!(error.ends_with(", at byte 40"), "{error}");
    }
}
