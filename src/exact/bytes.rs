//! The serialised form.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | `wgXS` |
//! | 4..6 | version, 1 |
//! | 6 | class: 0 no elements, 1 only −0, 2 finite, 3 +inf, 4 −inf, 5 NaN |
//! | 7 | 0 |
//! | 8..16 | elements, unsigned |
//! | 16..96 | the sum in units of 2^-298, two's complement; 0 unless the class is 2 |
//!
//! All numbers are little-endian.

use super::class::Class;
use super::fixed::{LIMBS, UNIT_EXPONENT};
use super::{Bin, ExactSum};
use crate::error::{Error, Result};

const MAGIC: [u8; 4] = *b"wgXS";

const VERSION: u16 = 1;

const LEN: usize = 16 + 8 * LIMBS;

pub(super) fn write(sum: &ExactSum) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(LEN);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([sum.class.code(), 0]);
    bytes.extend(sum.count.to_le_bytes());
    bytes.extend(sum.total.0.iter().flat_map(|limb| limb.to_le_bytes()));
    bytes
}

pub(super) fn read(bytes: &[u8]) -> Result<ExactSum> {
    let invalid = |what: String| Error::InvalidBytes { what };
    let Some((magic, of_version)) = bytes.split_first_chunk() else {
        return Err(invalid(format!("{} bytes where an exact sum has {LEN}", bytes.len())));
    };
    if *magic != MAGIC {
        return Err(invalid("the first four bytes are not those of an exact sum".into()));
    }
    // Another version may have another length.
    let version = of_version.first_chunk().map(|&version| u16::from_le_bytes(version));
    if let Some(version) = version.filter(|&version| version != VERSION) {
        return Err(invalid(format!("version {version} where {VERSION} is known")));
    }
    let Ok(bytes) = <&[u8; LEN]>::try_from(bytes) else {
        return Err(invalid(format!("{} bytes where an exact sum has {LEN}", bytes.len())));
    };
    let [_, _, _, _, _, _, class, reserved, rest @ ..] = *bytes;
    let class = Class::from_code(class).filter(|_| reserved == 0);
    let class = class.ok_or_else(|| invalid("bytes 6 and 7 have no meaning".into()))?;

    let mut words = rest.chunks_exact(8).filter_map(|word| word.try_into().ok());
    let count = u64::from_le_bytes(words.next().unwrap_or_default());
    let limbs = (UNIT_EXPONENT..)
        .step_by(64)
        .zip(words)
        .map(|(exponent, word)| Bin { value: u64::from_le_bytes(word).into(), exponent });
    let sum = ExactSum::from_bins(count, class, limbs).map_err(|what| invalid(what.into()))?;
    if write(&sum) != bytes {
        return Err(invalid("digits where the sum is infinite or NaN".into()));
    }
    Ok(sum)
}
