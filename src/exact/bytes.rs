//! The serialised form.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | `wgXS` |
//! | 4..6 | version, 1 |
//! | 6 | class: 0 no elements, 1 only −0, 2 finite, 3 +inf, 4 −inf, 5 NaN |
//! | 7 | elements: 0 `f32`, 1 `f64` |
//! | 8..16 | number of elements, unsigned |
//! | 16.. | the sum, two's complement; 0 unless the class is 2: of `f32` 80 bytes, in units of 2^-298; of `f64` 536, of 2^-2148 |
//!
//! All numbers are little-endian.

use super::class::Class;
use super::fixed::Limbs;
use super::format::{Binary, ExactElement};
use super::{Bin, ExactSum};
use crate::error::{Error, Result};
use crate::op::element::ElementKind;

const MAGIC: [u8; 4] = *b"wgXS";

const VERSION: u16 = 1;

/// The element types, by byte 7.
const ELEMENTS: [ElementKind; 2] = [ElementKind::F32, ElementKind::F64];

fn len<T: Binary>() -> usize {
    16 + 8 * T::Limbs::ZERO.as_ref().len()
}

fn element_code(element: ElementKind) -> u8 {
    let codes = (0..).zip(ELEMENTS);
    codes
        .into_iter()
        .find_map(|(code, known)| (known == element).then_some(code))
        .unwrap_or(u8::MAX)
}

pub(super) fn write<T: ExactElement>(sum: &ExactSum<T>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(len::<T>());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([sum.class.code(), element_code(T::KIND)]);
    bytes.extend(sum.count.to_le_bytes());
    bytes.extend(sum.total.0.as_ref().iter().flat_map(|limb| limb.to_le_bytes()));
    bytes
}

pub(super) fn read<T: ExactElement>(bytes: &[u8]) -> Result<ExactSum<T>> {
    let invalid = |what: String| Error::InvalidBytes { what };
    let wrong_length = || {
        let (has, wanted) = (bytes.len(), len::<T>());
        invalid(format!("{has} bytes where an exact sum of {} has {wanted}", T::KIND))
    };
    let Some((magic, of_version)) = bytes.split_first_chunk() else { return Err(wrong_length()) };
    if *magic != MAGIC {
        return Err(invalid("the first four bytes are not those of an exact sum".into()));
    }
    // Another version may have another length, and so has another element type.
    let version = of_version.first_chunk().map(|&version| u16::from_le_bytes(version));
    if let Some(version) = version.filter(|&version| version != VERSION) {
        return Err(invalid(format!("version {version} where {VERSION} is known")));
    }
    let element = bytes.get(7).and_then(|&code| ELEMENTS.get(usize::from(code)));
    if let Some(element) = element.filter(|&&element| element != T::KIND) {
        return Err(invalid(format!("an exact sum of {element}, not of {}", T::KIND)));
    }
    let Some(([.., class, element], rest)) = bytes.split_first_chunk::<8>() else {
        return Err(wrong_length());
    };
    if bytes.len() != len::<T>() {
        return Err(wrong_length());
    }
    let class = Class::from_code(*class).filter(|_| *element == element_code(T::KIND));
    let class = class.ok_or_else(|| invalid("bytes 6 and 7 have no meaning".into()))?;

    let mut words = rest.chunks_exact(8).filter_map(|word| word.try_into().ok());
    let count = u64::from_le_bytes(words.next().unwrap_or_default());
    let limbs = (T::FORMAT.unit_exponent()..)
        .step_by(64)
        .zip(words)
        .map(|(exponent, word)| Bin { value: u64::from_le_bytes(word).into(), exponent });
    let sum = ExactSum::from_bins(count, class, limbs).map_err(|what| invalid(what.into()))?;
    if write(&sum) != bytes {
        return Err(invalid("digits where the sum is infinite or NaN".into()));
    }
    Ok(sum)
}
