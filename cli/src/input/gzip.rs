//! What is in a file that gzip has made.

use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// What gzip's files begin with.
pub(super) const MAGIC: &[u8] = b"\x1F\x8B\x08";

/// The contents of members that follow each other. As by gzip, zeros behind a member are padding, and other bytes are left out.
pub(super) struct Members {
    name: String,
    member: GzDecoder<BufReader<Box<dyn Read>>>,
    has_ended: bool,
}

impl Members {
    /// Of the file with this name.
    pub(super) fn new(name: &str, bytes: Box<dyn Read>) -> Self {
        Self { name: name.into(), member: GzDecoder::new(BufReader::new(bytes)), has_ended: false }
    }
}

impl Read for Members {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        while !self.has_ended {
            let count = self.member.read(target).map_err(|error| told("the gzip file", error))?;
            if count > 0 || target.is_empty() {
                return Ok(count);
            }
            match after_padding(self.member.get_mut())? {
                Some(first) if Some(&first) == MAGIC.first() => {
                    let next = BufReader::new(Box::new(io::empty()) as Box<dyn Read>);
                    let ended = std::mem::replace(&mut self.member, GzDecoder::new(next));
                    self.member = GzDecoder::new(ended.into_inner());
                }
                other => {
                    self.has_ended = true;
                    if other.is_some() {
                        log::warn!("{}: bytes after the gzip data are left out", self.name);
                    }
                }
            }
        }
        Ok(0)
    }
}

/// Says what is wrong with packed data, and the decoder's words behind that. Errors of reading them stay as they are.
pub(super) fn told(what: &str, error: io::Error) -> io::Error {
    let told = match error.kind() {
        _ if error.raw_os_error().is_some() => return error,
        ErrorKind::UnexpectedEof => format!("{what} is cut off"),
        _ => format!("{what} is damaged ({error})"),
    };
    io::Error::new(ErrorKind::InvalidData, told)
}

/// Skips zeros, and returns the byte behind them, which is not taken.
fn after_padding(bytes: &mut impl BufRead) -> io::Result<Option<u8>> {
    loop {
        let some = bytes.fill_buf()?;
        let zeros = some.iter().take_while(|&&byte| byte == 0).count();
        match some.get(zeros) {
            None if zeros > 0 => bytes.consume(zeros),
            byte => {
                let byte = byte.copied();
                bytes.consume(zeros);
                return Ok(byte);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Members;
    use flate2::{Compression, write::GzEncoder};
    use std::io::{Cursor, Read as _, Write as _};

    fn member(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: Vec<u8>) -> std::io::Result<Vec<u8>> {
        let mut contents = Vec::new();
        Members::new("memory", Box::new(Cursor::new(bytes))).read_to_end(&mut contents)?;
        Ok(contents)
    }

    #[test]
    fn members_are_read_as_by_gzip() {
        let (one, none, other) = (member(b"one "), member(b""), member(b"other"));
        let padding = vec![0; 10_000];
        for (parts, contents) in [
            (&[&one][..], &b"one "[..]),
            (&[&none], b""),
            (&[&one, &none, &other], b"one other"),
            (&[&one, &padding], b"one "),
            (&[&one, &padding, &other, &padding], b"one other"),
            (&[&one, &b"junk".to_vec()], b"one "),
            (&[&one, &padding, &b"junk".to_vec()], b"one "),
        ] {
            assert_eq!(read(parts.iter().copied().flatten().copied().collect()).unwrap(), contents);
        }
        for len in 1..one.len() {
            let error = read(one[..len].to_vec()).unwrap_err().to_string();
            assert_eq!(error, "the gzip file is cut off", "{len}");
            assert!(read([&other, &one[..len]].concat()).is_err(), "{len}");
        }
        let mut damaged = one;
        damaged[14] ^= 1;
        let error = read(damaged).unwrap_err().to_string();
        assert!(error.starts_with("the gzip file is damaged ("), "{error}");
    }
}
