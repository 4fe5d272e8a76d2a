//! What a file is that is no array, by its first bytes, and what to do about it.

/// As many bytes tell.
pub(super) const FIRST_BYTES: usize = 64;

const KINDS: [(&[u8], &str); 19] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG image: give histogram the path of the image file, unpacked"),
    (b"\xFF\xD8\xFF", "a JPEG image: give histogram the path of the image file, unpacked"),
    (b"GIF87a", "a GIF image: convert it to PNG for histogram"),
    (b"GIF89a", "a GIF image: convert it to PNG for histogram"),
    (b"II*\0", "a TIFF image: convert it to PNG for histogram"),
    (b"MM\0*", "a TIFF image: convert it to PNG for histogram"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file: write a data set by numpy.save"),
    (b"CDF", "a NetCDF file: write a variable by numpy.save"),
    (b"SIMPLE  =", "a FITS file: write its data by numpy.save"),
    (b"PAR1", "a Parquet file: write a column by numpy.save"),
    (b"ARROW1", "an Arrow file: write a column by numpy.save"),
    (b"GGUF", "a GGUF file: write a tensor by numpy.save"),
    (b"MATLAB 5.0", "a MATLAB file: write a variable by numpy.save"),
    (b"%PDF", "a PDF document"),
    (b"\x7FELF", "a program"),
    (
        b"\x28\xB5\x2F\xFD",
        "compressed by zstd: pipe zstd -dc into wgpu-reduce, and name the file -",
    ),
    (b"\xFD7zXZ\0", "compressed by xz: pipe xz -dc into wgpu-reduce, and name the file -"),
    (b"BZh", "compressed by bzip2: pipe bzip2 -dc into wgpu-reduce, and name the file -"),
    (b"\x04\x22\x4D\x18", "compressed by lz4: pipe lz4 -dc into wgpu-reduce, and name the file -"),
];

/// What a file is that begins so, if that is known.
pub(super) fn kind_of(first: &[u8]) -> Option<&'static str> {
    let known = KINDS.iter().find(|(magic, _)| first.starts_with(magic));
    if let Some((_, kind)) = known {
        return Some(kind);
    }
    match first {
        [0x80, 2..=5, ..] => Some("a Python pickle: write the array by numpy.save"),
        // The length of the file lies between, and then four bytes that are reserved.
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => {
            Some("a BMP image: convert it to PNG for histogram")
        }
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            Some("a WebP image: convert it to PNG for histogram")
        }
        [b'P', b'1'..=b'6', b' ' | b'\t' | b'\r' | b'\n', b'0'..=b'9' | b'#', ..] => {
            Some("a PBM, PGM or PPM image: convert it to PNG for histogram")
        }
        _ => text(first),
    }
}

/// What to do about a file that begins as a text.
fn text(first: &[u8]) -> Option<&'static str> {
    is_text(first).then_some("text: numpy.save(file, numpy.loadtxt(...)) makes an array of it")
}

/// Printable characters and ends of lines.
fn is_text(first: &[u8]) -> bool {
    // A character at the end may be cut off.
    let text = match std::str::from_utf8(first) {
        Ok(text) => text,
        Err(error) if error.error_len().is_some() => return false,
        Err(error) => {
            let whole = first.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(whole).unwrap_or_default()
        }
    };
    !text.is_empty() && text.chars().all(|c| !c.is_control() || "\t\n\r".contains(c))
}

#[cfg(test)]
mod tests {
    use super::{KINDS, kind_of};

    #[test]
    fn files_are_known_by_their_first_bytes() {
        for (magic, kind) in KINDS {
            assert_eq!(kind_of(&[magic, b"\0\xFF"].concat()), Some(kind));
        }
        assert!(kind_of(b"\x80\x04\x95").unwrap().contains("pickle"));
        for (first, kind) in [
            (&b"BM\x36\x30\0\0\0\0\0\0\x36"[..], "a BMP image"),
            (b"RIFF\x24\x10\0\0WEBPVP8 ", "a WebP image"),
            (b"P6\n640 480\n255\n\x80", "a PBM, PGM or PPM image"),
            (b"P2\n# text\n2 2\n", "a PBM, PGM or PPM image"),
        ] {
            assert!(kind_of(first).unwrap().starts_with(kind), "{kind}");
        }
        for text in ["P1 P2\n", "BM,RIFF\n", "1.5,2\n", "größe", "a\tb\r\n"] {
            assert!(kind_of(text.as_bytes()).unwrap().starts_with("text"), "{text}");
        }
        let cut = "größe".as_bytes();
        assert!(kind_of(&cut[..3]).unwrap().starts_with("text"));
        for other in [&b""[..], b"\0\0\0\0", b"\x93NUMPY", b"abc\0", b"\x80\x01", &[0xFF; 9]] {
            assert_eq!(kind_of(other), None, "{other:?}");
        }
    }
}
