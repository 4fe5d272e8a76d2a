//! The serialised form: canonical, and safe from whatever comes in.

use super::cases::{Mix, Random};
use proptest::prelude::*;
use wgpu_reduce::{Error, ExactSum};

fn some_sum(seed: u64) -> ExactSum {
    let mut random = Random::new(seed);
    let mix = Mix::ALL[random.below(Mix::ALL.len())];
    let len = random.below(30);
    mix.numbers(len, &mut random).into_iter().collect()
}

/// Bytes that are accepted are those that the sum writes, and the sum can be worked with.
fn check_hostile(bytes: &[u8]) {
    match ExactSum::from_bytes(bytes) {
        Ok(mut sum) => {
            assert_eq!(sum.to_bytes(), bytes);
            let _ = (sum.round(), sum.round_f64(), sum.mean(), format!("{sum:?}"));
            sum.merge(&sum.clone());
            sum.add_slice(&[f32::MAX, -1e-45]);
            sum.add_product(f32::MAX, f32::MIN);
            assert_eq!(ExactSum::from_bytes(&sum.to_bytes()), Ok(sum));
        }
        Err(error) => assert!(matches!(error, Error::InvalidBytes { .. }), "{error}"),
    }
}

/// The layout is a promise: other machines, and later versions, read it.
#[test]
fn the_layout_of_version_1() {
    let mut sum = ExactSum::from_iter([1.0, -3.0]);
    sum.add_product(-1e-45, 1e-45);
    let mut expected = b"wgXS\x01\x00\x02\x00\x03\0\0\0\0\0\0\0".to_vec();
    // −2 − 2^-298 in units of 2^-298 is −2^299 − 1.
    expected.extend([0xFF; 80]);
    expected[16 + 299 / 8] -= 1 << (299 % 8);
    assert_eq!(sum.to_bytes(), expected);

    let mut empty = b"wgXS\x01\0".to_vec();
    empty.resize(96, 0);
    assert_eq!(ExactSum::new().to_bytes(), empty);
    for (code, values) in [
        (1, vec![-0.0]),
        (2, vec![0.0]),
        (3, vec![f32::INFINITY]),
        (4, vec![f32::NEG_INFINITY]),
        (5, vec![f32::NAN]),
    ] {
        (empty[6], empty[8]) = (code, 1);
        assert_eq!(ExactSum::from_iter(values).to_bytes(), empty);
    }
}

#[test]
fn bytes_that_contradict_themselves_are_refused() {
    let good = ExactSum::from_iter([1.0]).to_bytes();
    let refused = |change: &dyn Fn(&mut Vec<u8>), message: &str| {
        let mut bytes = good.clone();
        change(&mut bytes);
        let error = ExactSum::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains(message), "{error:?} does not say {message:?}");
    };
    refused(&|bytes| bytes.truncate(95), "95 bytes where an exact sum has 96");
    refused(&|bytes| bytes.push(0), "97 bytes");
    refused(&|bytes| bytes.clear(), "0 bytes");
    refused(&|bytes| bytes[0] = b'x', "first four");
    refused(&|bytes| bytes[4] = 2, "version 2");
    let longer = |bytes: &mut Vec<u8>| {
        bytes[4] = 2;
        bytes.push(0);
    };
    refused(&longer, "version 2");
    refused(&|bytes| bytes[6] = 6, "no meaning");
    refused(&|bytes| bytes[7] = 1, "no meaning");
    refused(&|bytes| bytes[6] = 0, "contradicts the count");
    refused(&|bytes| bytes[8] = 0, "contradicts the count");
    refused(&|bytes| bytes[6] = 1, "contradicts the digits");
    refused(&|bytes| bytes[6] = 5, "infinite or NaN");
    refused(&|bytes| bytes[95] = 0x7F, "larger than");
    refused(&|bytes| bytes[95] = 0x80, "larger than");
    // One element is below 2^256, bit 554.
    refused(&|bytes| bytes[16 + 554 / 8] = 1 << (554 % 8), "larger than");
    check_hostile(&good);
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_hostile(&bytes);
    }

    #[test]
    fn any_digits(class in 0_u8..7, count in any::<u64>(), shift in 0_u32..64, digits in any::<[u8; 32]>(), zeros in 0_usize..80) {
        let mut bytes = b"wgXS\x01\0".to_vec();
        bytes.extend([class, 0]);
        bytes.extend((count >> shift).to_le_bytes());
        bytes.resize(16 + zeros, 0);
        bytes.extend(digits);
        bytes.resize(96, if digits[31] > 127 { 0xFF } else { 0 });
        check_hostile(&bytes);
    }

    #[test]
    fn damaged_sums(seed in any::<u64>(), place in 0_usize..96, value in any::<u8>()) {
        let sum = some_sum(seed);
        let mut bytes = sum.to_bytes();
        prop_assert_eq!(ExactSum::from_bytes(&bytes), Ok(sum));
        bytes[place] = value;
        check_hostile(&bytes);
    }
}
