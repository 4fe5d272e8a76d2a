//! Members of zip archives: `.npz` files, where each array is a member, as `weights.npy`.

use super::gzip::told;
use super::source::Source;
use crate::failure::Failure;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use zip::read::ZipArchive;
use zip::{CompressionMethod, result::ZipError};

/// What archives begin with, the second those that are empty.
pub(super) const MAGICS: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// A file, and a member of it that is named behind a colon, as in `data.npz:weights`.
pub(super) struct Named {
    pub(super) file: PathBuf,
    pub(super) member: Option<String>,
}

impl Named {
    /// A path that is there names a file, whatever is in its name.
    pub(super) fn new(path: &Path) -> Self {
        let whole = || Self { file: path.into(), member: None };
        let Some(text) = path.to_str().filter(|_| !path.exists()) else { return whole() };
        let mut parts = text.match_indices(':').filter_map(|(at, _)| text.split_at_checked(at));
        let is_file = |file: &str| Path::new(file).metadata().is_ok_and(|it| it.is_file());
        let found = parts.find(|(file, _)| is_file(file));
        found.map_or_else(whole, |(file, member)| {
            let member = member.strip_prefix(':').unwrap_or(member);
            Self { file: file.into(), member: Some(member.into()) }
        })
    }
}

/// The bytes of an archive's member, or of its only array. Those before that are checked to be what was packed.
pub(super) fn open(path: &Named) -> Result<Source, Failure> {
    let name = path.file.display().to_string();
    let in_file = |what: &dyn Display| Failure::in_file(&name, what);
    let unreadable = |error: ZipError| {
        in_file(&format!("a zip archive that cannot be read: {}", reason(&error)))
    };
    let file = File::open(&path.file).map_err(|error| in_file(&error))?;
    let mut archive = ZipArchive::new(file).map_err(unreadable)?;
    let names: Vec<_> = archive.file_names().map(str::to_owned).collect();
    let index = member_of(&names, path.member.as_deref(), &name).map_err(|what| in_file(&what))?;
    let member = archive.by_index_raw(index).map_err(unreadable)?;
    let whole_name = format!("{name}:{}", array_name(member.name()));
    let in_member = |what: &dyn Display| Failure::in_file(&whole_name, what);
    if member.encrypted() {
        return Err(in_member(&"it is encrypted"));
    }
    let (start, packed, size) = (member.data_start(), member.compressed_size(), member.size());
    let (method, crc_32) = (member.compression(), member.crc32());
    drop(member);
    let mut file = archive.into_inner();
    let start = start.ok_or_else(|| in_member(&"the archive does not say where it begins"))?;
    file.seek(SeekFrom::Start(start)).map_err(|error| in_member(&error))?;
    let packed = file.take(packed);
    let bytes: Box<dyn Read> = match method {
        CompressionMethod::Stored => Box::new(packed),
        CompressionMethod::Deflated => Box::new(DeflateDecoder::new(packed)),
        other => {
            let method = name_of(other);
            let what = format!("it is packed by {method}: numpy.savez_compressed packs by Deflate");
            return Err(in_member(&what));
        }
    };
    let bytes = Box::new(Checked { bytes, left: size, crc: Crc::new(), expected: crc_32 });
    Ok(Source { name: whole_name, bytes, file: None, len: Some(size), is_reopenable: true })
}

/// Returns why an archive cannot be read.
fn reason(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => error.to_string(),
        ZipError::UnsupportedArchive(what) => format!("it is of a kind that is not read ({what})"),
        _ => format!("it is damaged or cut off ({error})"),
    }
}

/// Returns what the programs are called that pack by a method.
fn name_of(method: CompressionMethod) -> &'static str {
    match method {
        CompressionMethod::DEFLATE64 => "Deflate64",
        CompressionMethod::BZIP2 => "bzip2",
        CompressionMethod::LZMA => "LZMA",
        CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => "zstd",
        CompressionMethod::XZ => "xz",
        CompressionMethod::PPMD => "PPMd",
        _ => "a method that is not read",
    }
}

/// What an array is called: the name of its member without the ending.
fn array_name(member: &str) -> &str {
    member.strip_suffix(".npy").unwrap_or(member)
}

/// The number of the member that is asked for, or of the only array.
fn member_of(names: &[String], wanted: Option<&str>, file: &str) -> Result<usize, String> {
    let arrays: Vec<_> = names.iter().filter_map(|name| name.strip_suffix(".npy")).collect();
    let listed = || match arrays.len() {
        0 => "a zip archive without arrays, whose members end in .npy".into(),
        1..=MOST_LISTED => format!("it has {}", arrays.join(", ")),
        count => {
            let first = arrays.get(..MOST_LISTED).unwrap_or_default().join(", ");
            format!("it has {first} and {} more", count - MOST_LISTED)
        }
    };
    let find =
        |wanted: &str| names.iter().position(|name| array_name(name) == wanted || name == wanted);
    match (wanted, &arrays[..]) {
        (Some(""), _) => find("").ok_or_else(|| format!("no name follows the colon: {}", listed())),
        (Some(wanted), _) => {
            find(wanted).ok_or_else(|| format!("no array {wanted} is in it: {}", listed()))
        }
        (None, [only]) => find(only).ok_or_else(listed),
        (None, []) => Err(listed()),
        (None, [first, ..]) => Err(format!(
            "a zip archive of several arrays: name one, as {file}:{first}; {}",
            listed()
        )),
    }
}

/// More names are not printed.
const MOST_LISTED: usize = 16;

/// Bytes that must be as many as the archive says, with the sum that it says.
struct Checked {
    bytes: Box<dyn Read>,
    left: u64,
    crc: Crc,
    expected: u32,
}

impl Read for Checked {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(target.len());
        let Some(target) = target.get_mut(..most).filter(|target| !target.is_empty()) else {
            return Ok(0);
        };
        let count = self.bytes.read(target).map_err(|error| told("the archive", error))?;
        self.crc.update(target.get(..count).unwrap_or_default());
        self.left -= count as u64;
        let is_damaged = match count {
            0 => true,
            _ => self.left == 0 && self.crc.sum() != self.expected,
        };
        if is_damaged {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the archive is damaged"));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::{Named, member_of, reason};
    use std::io::{Error, ErrorKind};
    use zip::result::ZipError;

    #[test]
    fn only_damaged_archives_are_called_so() {
        for (error, expected) in [
            (ZipError::Io(Error::other("a bad disk")), "a bad disk"),
            (
                ZipError::UnsupportedArchive("two disks"),
                "it is of a kind that is not read (two disks)",
            ),
            (
                ZipError::InvalidArchive("no end".into()),
                "it is damaged or cut off (invalid Zip archive: no end)",
            ),
        ] {
            assert_eq!(reason(&error), expected);
        }
        let cut_off = ZipError::Io(ErrorKind::UnexpectedEof.into());
        assert!(reason(&cut_off).starts_with("it is damaged or cut off ("));
    }

    #[test]
    fn a_member_is_named_behind_a_file_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a.npz", "b:c.npz", "a.npz:x:y"] {
            std::fs::write(path(name), "").unwrap();
        }
        for (name, file, member) in [
            ("a.npz", "a.npz", None),
            ("a.npz:weights", "a.npz", Some("weights")),
            ("a.npz:layer:0", "a.npz", Some("layer:0")),
            ("a.npz:x:y", "a.npz:x:y", None),
            ("a.npz:", "a.npz", Some("")),
            ("b:c.npz:d", "b:c.npz", Some("d")),
            ("b:c", "b:c", None),
            ("missing.npz:d", "missing.npz:d", None),
        ] {
            let named = Named::new(&path(name));
            assert_eq!((named.file, named.member.as_deref()), (path(file), member), "{name}");
        }
    }

    #[test]
    fn members_are_chosen_or_listed() {
        let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<String>>();
        let several = names(&["note.txt", "a.npy", "b.npy", "b"]);
        let found = |names: &[String], wanted| member_of(names, wanted, "f.npz");
        assert_eq!(found(&several, Some("a")), Ok(1));
        assert_eq!(found(&several, Some("b.npy")), Ok(2));
        assert_eq!(found(&several, Some("b")), Ok(2));
        assert_eq!(found(&several, Some("note.txt")), Ok(0));
        assert_eq!(found(&several, Some("c")), Err("no array c is in it: it has a, b".into()));
        let error = found(&several, Some("")).unwrap_err();
        assert_eq!(error, "no name follows the colon: it has a, b");
        let error = found(&several, None).unwrap_err();
        assert_eq!(error, "a zip archive of several arrays: name one, as f.npz:a; it has a, b");
        assert_eq!(found(&names(&["note.txt", "a.npy"]), None), Ok(1));
        assert!(found(&names(&["x.pkl"]), None).unwrap_err().contains("without arrays"));
        let many: Vec<_> = (0..20).map(|number| format!("{number}.npy")).collect();
        assert!(found(&many, None).unwrap_err().ends_with("14, 15 and 4 more"));
    }
}
