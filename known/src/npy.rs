//! `.npy` files as tests write them, right or wrong.

/// What a file has before its data: magic, version, the header's length and the header.
///
/// ```
/// assert_eq!(wgpu_reduce_known::npy::start(1, "{}"), b"\x93NUMPY\x01\x00\x02\x00{}");
/// assert_eq!(wgpu_reduce_known::npy::start(2, "{}"), b"\x93NUMPY\x02\x00\x02\x00\x00\x00{}");
/// ```
///
/// The length is cut to the bytes that the version has for it.
#[must_use]
pub fn start(version: u8, header: &str) -> Vec<u8> {
    let length = header.len().to_le_bytes();
    let length = if version == 1 { &length[..2] } else { &length[..4] };
    [&b"\x93NUMPY"[..], &[version, 0], length, header.as_bytes()].concat()
}

/// A header, of a type and a shape in Python's words.
///
/// ```
/// let header = wgpu_reduce_known::npy::header("'<f4'", "(2, 3)");
/// assert_eq!(header, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
/// ```
#[must_use]
pub fn header(descr: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")
}
