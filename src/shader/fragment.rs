//! Shader text: plain WGSL files, embedded (`build.rs`) and joined in order; and what tells one text from another.

use std::fmt;
use std::hash::{Hash, Hasher};

/// One file of `shaders/`, embedded.
#[derive(Clone, Copy)]
pub(crate) struct Fragment {
    /// Path below `shaders/`.
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
}

impl PartialEq for Fragment {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl Eq for Fragment {}

impl Hash for Fragment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.path.hash(state);
    }
}

impl fmt::Debug for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path)
    }
}

macro_rules! fragment {
    ($path:expr) => {
        $crate::shader::fragment::Fragment {
            path: $path,
            text: include_str!(concat!(env!("EMBEDDED_SHADERS"), "/", $path)),
        }
    };
}
pub(crate) use fragment;

/// One text of `fragments`, as wgpu takes it on native backends.
pub(crate) fn join(fragments: &[Fragment]) -> String {
    fragments.iter().map(|fragment| fragment.text).collect::<Vec<_>>().join("\n")
}

/// The file, below `shaders/`, and the line in it that `line` of the joined text came from.
pub(crate) fn locate(fragments: &[Fragment], line: u32) -> (&'static str, u32) {
    let mut first = 1;
    let mut place = ("", 0);
    for fragment in fragments {
        if line < first {
            break;
        }
        place = (fragment.path, line - first + 1);
        // Parts are joined by one more line feed than each ends with.
        first += u32::try_from(fragment.text.matches('\n').count()).unwrap_or(u32::MAX) + 1;
    }
    place
}

/// FNV-1a (Fowler, Noll, Vo), 64 bits: differs for sure if one byte does.
pub(crate) fn checksum(parts: &[&[u8]]) -> u64 {
    parts.iter().copied().flatten().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_fnv_1a() {
        assert_eq!(checksum(&[]), 0xCBF2_9CE4_8422_2325);
        assert_eq!(checksum(&[b"a"]), 0xAF63_DC4C_8601_EC8C);
        assert_eq!(checksum(&[b"foo", b"bar"]), 0x8594_4171_F739_67E8);
    }

    #[test]
    fn locate_names_file_and_line_of_every_line() {
        let fragments = [
            fragment!("kernels/elements.wgsl"),
            fragment!("elements/f32.wgsl"),
            fragment!("sinks/result.wgsl"),
        ];
        for (index, line) in join(&fragments).lines().enumerate() {
            let (path, number) = locate(&fragments, u32::try_from(index + 1).unwrap());
            let fragment = fragments.into_iter().find(|f| f.path == path).unwrap();
            let original = fragment.text.lines().nth(number as usize - 1).unwrap_or("");
            assert_eq!(original, line, "line {}", index + 1);
        }
    }
}
