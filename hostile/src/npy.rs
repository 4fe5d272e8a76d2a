//! Files that say that they are arrays.

use wgpu_reduce::ElementKind;
use wgpu_reduce_npy::{read_header, read_header_as};

/// Reads the header of a `.npy` file, whose elements may be `bf16`. Whether it could be read.
///
/// # Panics
///
/// If it promises what cannot be: data that begin behind the end of what was read, or a number of bytes that
/// is not that of the elements, or if data of the right length are refused, and others are not.
#[must_use]
pub fn npy(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    let layout = read_header_as(&mut rest, Some(ElementKind::Bf16));
    if let Ok(of_any) = read_header(&mut &*bytes) {
        assert_eq!(Ok(&of_any), layout.as_ref(), "what has a meaning keeps it");
    }
    let Ok(layout) = layout else { return false };
    let start = usize::try_from(layout.data_start).expect("a header is short");
    let data = bytes.get(start..).expect("data begin where the header ends");
    assert_eq!(data, rest, "what is left to read is the data");
    if let (Some(shape), Some(elements)) = (&layout.shape, layout.elements) {
        let product = shape.extents.iter().try_fold(1_u64, |product, &n| product.checked_mul(n));
        assert!(product == Some(elements) || shape.extents.contains(&0) && elements == 0);
    }
    let size = layout.element.size_bytes();
    let promised = layout.promised().expect("arrays say how long they are");
    assert_eq!(Some(promised), layout.elements.and_then(|n| n.checked_mul(size)));
    assert!(layout.check_data(promised).is_ok());
    assert!(promised == 0 || layout.check_data(promised - 1).is_err());
    let more = promised.saturating_add(9);
    assert!(layout.check_data(more).is_ok() && layout.bytes_after(more) == more - promised);
    let mut ordered = data.to_vec();
    layout.put_in_order(&mut ordered);
    layout.put_in_order(&mut ordered);
    assert_eq!(ordered, data, "twice turned round is as before");
    true
}
