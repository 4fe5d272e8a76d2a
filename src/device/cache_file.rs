//! A file for what can be made again at a price: damaged, foreign or absent is all the same.
//!
//! | bytes | what |
//! |---|---|
//! | 16 | `MAGIC` |
//! | 8 | length of the key |
//! | 8 | length of the data |
//! | 8 | checksum of key and data |
//! | … | the key, then the data |
//!
//! Numbers are little-endian. A new file is written beside the old one and takes its name when it is
//! complete, so that processes at work at the same time see the one or the other.

use crate::shader::fragment::checksum;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

const MAGIC: &[u8; 16] = b"wgpu-reduce 0001";

/// Larger files are none of ours.
const LARGEST_BYTES: u64 = 256 << 20;

/// A file for the data that belongs to a key.
#[derive(Debug)]
pub(crate) struct CacheFile {
    folder: PathBuf,
    name: String,
    key: String,
}

/// Data as [`CacheFile::store`] got it: made only of a file that says the same key and has the right
/// checksum.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stored(Vec<u8>);

impl Stored {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl CacheFile {
    /// The file in `folder` whose name is `stem` and a hash of `key`.
    pub(crate) fn new(folder: &Path, stem: &str, key: String) -> Self {
        let name = format!("{stem}_{:016x}.bin", checksum(&[key.as_bytes()]));
        Self { folder: folder.to_path_buf(), name, key }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// What the file holds, if it is there and right.
    pub(crate) fn load(&self) -> Option<Stored> {
        let path = self.path();
        let bytes = match read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                log::info!("{}: {error}", path.display());
                return None;
            }
        };
        let stored = decode(&bytes, &self.key);
        if stored.is_none() {
            log::warn!("{}: ignored, it is damaged or something else's", path.display());
        }
        stored
    }

    /// Writes the file, in place of what is there. A failure is logged and leaves what is there.
    pub(crate) fn store(&self, data: &[u8]) -> bool {
        let stored = self.try_store(data);
        match &stored {
            Ok(()) => log::debug!("{}: {} bytes stored", self.path().display(), data.len()),
            Err(error) => log::info!("{}: not stored: {error}", self.path().display()),
        }
        stored.is_ok()
    }

    fn try_store(&self, data: &[u8]) -> io::Result<()> {
        create_folder(&self.folder)?;
        let partial = self.folder.join(partial_name(&self.name));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&partial)
            .and_then(|mut file| file.write_all(&encode(&self.key, data)))
            .and_then(|()| fs::rename(&partial, self.path()));
        if written.is_err() {
            // There may be none.
            let _ = fs::remove_file(&partial);
        }
        written
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > LARGEST_BYTES {
        return Err(io::Error::other("it is not a file of this program"));
    }
    fs::read(path)
}

/// Makes a folder that is the user's alone, where the system has that.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A name that no other write has: not in this process, not in one with the same number elsewhere.
fn partial_name(name: &str) -> String {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let write = WRITES.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!(".{name}.{}.{:x}.{write}.partial", std::process::id(), now.as_nanos())
}

fn encode(key: &str, data: &[u8]) -> Vec<u8> {
    let key = key.as_bytes();
    let numbers = [key.len() as u64, data.len() as u64, checksum(&[key, data])];
    [MAGIC, &numbers.map(u64::to_le_bytes).concat()[..], key, data].concat()
}

fn decode(bytes: &[u8], key: &str) -> Option<Stored> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (key_length, rest) = number(rest)?;
    let (data_length, rest) = number(rest)?;
    let (sum, rest) = number(rest)?;
    let (found, data) = rest.split_at_checked(usize::try_from(key_length).ok()?)?;
    let is_whole = data.len() as u64 == data_length && checksum(&[found, data]) == sum;
    (is_whole && found == key.as_bytes()).then(|| Stored(data.to_vec()))
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &[u8] = b"some data that took long to make";

    fn file(folder: &Path) -> CacheFile {
        CacheFile::new(folder, "test", "this adapter, that driver".into())
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn what_was_stored_is_loaded() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("not there").join("yet");
        let file = file(&folder);
        assert_eq!(file.load(), None);
        for data in [DATA, b"", b"other"] {
            assert!(file.store(data));
            assert_eq!(file.load().unwrap().bytes(), data);
        }
        let [name] = &names(&folder)[..] else { panic!("{:?}", names(&folder)) };
        assert!(name.starts_with("test_"), "{name}");
    }

    #[cfg(unix)]
    #[test]
    fn a_new_folder_is_the_users_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("new");
        assert!(file(&folder).store(DATA));
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn keys_have_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let other = CacheFile::new(folder.path(), "test", "another driver".into());
        assert!(file(folder.path()).store(DATA));
        assert_eq!(other.load(), None);
        assert!(other.store(b"other"));
        assert_eq!(file(folder.path()).load().unwrap().bytes(), DATA);
        // Even under the same name.
        fs::rename(other.path(), file(folder.path()).path()).unwrap();
        assert_eq!(file(folder.path()).load(), None);
    }

    #[test]
    fn what_is_damaged_is_ignored_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(folder.path());
        assert!(file.store(DATA));
        let right = fs::read(file.path()).unwrap();
        let cut = (0..right.len()).map(|end| right[..end].to_vec());
        let flipped = (0..right.len()).map(|index| {
            let mut bytes = right.clone();
            bytes[index] ^= 0x10;
            bytes
        });
        let longer = [&right[..], b"x"].concat();
        for bytes in cut.chain(flipped).chain([longer, b"not ours at all".repeat(99)]) {
            fs::write(file.path(), &bytes).unwrap();
            assert_eq!(file.load(), None, "{bytes:?}");
        }
        assert!(file.store(DATA));
        assert_eq!(fs::read(file.path()).unwrap(), right);
    }

    #[test]
    fn where_nothing_can_be_written_nothing_is() {
        let temporary = tempfile::tempdir().unwrap();
        let blocked = temporary.path().join("a file, not a folder");
        fs::write(&blocked, "").unwrap();
        for folder in [blocked.clone(), blocked.join("below")] {
            assert!(!file(&folder).store(DATA));
            assert_eq!(file(&folder).load(), None);
        }
        // A folder where the file should be.
        let file = file(temporary.path());
        fs::create_dir(file.path()).unwrap();
        assert!(!file.store(DATA));
        assert_eq!(file.load(), None);
        assert_eq!(names(temporary.path()).len(), 2, "{:?}", names(temporary.path()));
    }

    #[test]
    fn readers_see_whole_files_while_writers_write() {
        let folder = tempfile::tempdir().unwrap();
        let file = &file(folder.path());
        assert!(file.store(&[0; 1000]));
        std::thread::scope(|scope| {
            for writer in 1..4_u8 {
                scope.spawn(move || {
                    (0..50)
                        .for_each(|_| assert!(file.store(&vec![writer; 1000 * writer as usize])));
                });
            }
            for _ in 0..200 {
                let stored = file.load().expect("there is one all the time");
                let first = stored.bytes()[0];
                assert!(stored.bytes().iter().all(|&byte| byte == first));
                assert_eq!(stored.bytes().len(), 1000 * first.max(1) as usize);
            }
        });
        assert_eq!(names(folder.path()).len(), 1, "{:?}", names(folder.path()));
    }
}
