//! The serialised form: canonical, and safe from whatever comes in.

use super::cases::{Float, Mix, Random, least};
use proptest::prelude::*;
use wgpu_reduce::{Error, ExactSum};

fn some_sum<T: Float>(seed: u64) -> ExactSum<T> {
    let mut random = Random::new(seed);
    let mix = Mix::ALL[random.below(Mix::ALL.len())];
    let len = random.below(30);
    mix.numbers::<T>(len, &mut random).into_iter().collect()
}

/// Bytes that are accepted are those that the sum writes, and the sum can be worked with.
fn check_hostile<T: Float>(bytes: &[u8]) {
    match ExactSum::<T>::from_bytes(bytes) {
        Ok(mut sum) => {
            assert_eq!(sum.to_bytes(), bytes);
            let _ = (sum.round(), sum.mean(), format!("{sum:?}"));
            sum.merge(&sum.clone());
            sum.add_slice(&[T::MAX, -least::<T>()]);
            sum.add_product(T::MAX, -T::MAX);
            assert_eq!(ExactSum::from_bytes(&sum.to_bytes()), Ok(sum));
        }
        Err(error) => assert!(matches!(error, Error::InvalidBytes { .. }), "{error}"),
    }
}

/// The layout is a promise: other machines, and later versions, read it.
#[test]
fn the_layout_of_version_1() {
    let mut sum = ExactSum::from_iter([1.0_f32, -3.0]);
    sum.add_product(-1e-45, 1e-45);
    let mut expected = b"wgXS\x01\x00\x02\x00\x03\0\0\0\0\0\0\0".to_vec();
    // −2 − 2^-298 in units of 2^-298 is −2^299 − 1.
    expected.extend([0xFF; 80]);
    expected[16 + 299 / 8] -= 1 << (299 % 8);
    assert_eq!(sum.to_bytes(), expected);

    let mut empty = b"wgXS\x01\0".to_vec();
    empty.resize(96, 0);
    assert_eq!(ExactSum::<f32>::new().to_bytes(), empty);
    for (code, values) in [
        (1, vec![-0.0_f32]),
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
fn the_layout_of_f64() {
    let mut sum = ExactSum::from_iter([1.0_f64, -3.0]);
    sum.add_product(-5e-324, 5e-324);
    let mut expected = b"wgXS\x01\x00\x02\x01\x03\0\0\0\0\0\0\0".to_vec();
    // −2 − 2^-2148 in units of 2^-2148 is −2^2149 − 1.
    expected.extend([0xFF; 536]);
    expected[16 + 2149 / 8] -= 1 << (2149 % 8);
    assert_eq!(sum.to_bytes(), expected);
    assert_eq!(ExactSum::from_bytes(&expected), Ok(sum));
    // One element is below 2^2048, bit 4196.
    expected[16 + 4196 / 8..].fill(0);
    (expected[8], expected[16 + 4196 / 8]) = (1, 1 << (4196 % 8));
    let refused = ExactSum::<f64>::from_bytes(&expected).unwrap_err().to_string();
    assert!(refused.contains("larger than"), "{refused}");
}

#[test]
fn bytes_that_contradict_themselves_are_refused() {
    let good = ExactSum::from_iter([1.0_f32]).to_bytes();
    let refused = |change: &dyn Fn(&mut Vec<u8>), message: &str| {
        let mut bytes = good.clone();
        change(&mut bytes);
        let error = ExactSum::<f32>::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains(message), "{error:?} does not say {message:?}");
    };
    refused(&|bytes| bytes.truncate(95), "95 bytes where an exact sum of f32 has 96");
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
    refused(&|bytes| bytes[7] = 2, "no meaning");
    refused(&|bytes| bytes[7] = 1, "an exact sum of f64, not of f32");
    refused(&|bytes| bytes[6] = 0, "contradicts the count");
    refused(&|bytes| bytes[8] = 0, "contradicts the count");
    refused(&|bytes| bytes[6] = 1, "contradicts the digits");
    refused(&|bytes| bytes[6] = 5, "infinite or NaN");
    refused(&|bytes| bytes[95] = 0x7F, "larger than");
    refused(&|bytes| bytes[95] = 0x80, "larger than");
    // One element is below 2^256, bit 554.
    refused(&|bytes| bytes[16 + 554 / 8] = 1 << (554 % 8), "larger than");
    check_hostile::<f32>(&good);
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        check_hostile::<f32>(&bytes);
        check_hostile::<f64>(&bytes);
    }

    #[test]
    fn any_digits(
        class in 0_u8..7,
        count in any::<u64>(),
        shift in 0_u32..64,
        digits in any::<[u8; 32]>(),
        zeros in 0_usize..80,
        is_wide: bool,
    ) {
        let (len, element, zeros) = if is_wide { (552, 1, 7 * zeros) } else { (96, 0, zeros) };
        let mut bytes = b"wgXS\x01\0".to_vec();
        bytes.extend([class, element]);
        bytes.extend((count >> shift).to_le_bytes());
        bytes.resize(16 + zeros, 0);
        bytes.extend(digits);
        bytes.resize(len, if digits[31] > 127 { 0xFF } else { 0 });
        check_hostile::<f32>(&bytes);
        check_hostile::<f64>(&bytes);
    }

    #[test]
    fn damaged_sums(seed in any::<u64>(), place in 0_usize..96, value in any::<u8>()) {
        damaged::<f32>(seed, place, value);
        damaged::<f64>(seed, 5 * place, value);
    }
}

fn damaged<T: Float>(seed: u64, place: usize, value: u8) {
    let sum = some_sum::<T>(seed);
    let mut bytes = sum.to_bytes();
    assert_eq!(ExactSum::from_bytes(&bytes), Ok(sum));
    bytes[place] = value;
    check_hostile::<T>(&bytes);
}
