//! Mean and variance of more integers than a test could reduce, from what a device leaves of them.

use wgpu_reduce::{Element, Operation, Statistics, Stats, Variance};

/// So many of each of two values.
struct Halves {
    values: [i64; 2],
    each: u64,
}

impl Halves {
    const fn len(&self) -> u64 {
        2 * self.each
    }

    fn sum(&self) -> i128 {
        self.values.map(|value| i128::from(value) * i128::from(self.each)).iter().sum()
    }

    /// The six words of `shaders/parts/spread.wgsl`: of numbers that have a sign 2^31 is added to each before they are
    /// summed, modulo 2^64, from others it is taken before they are squared.
    fn figures(&self, is_signed: bool) -> [u32; 6] {
        let of_keys = if is_signed { i128::from(self.len()) << 31 } else { 0 };
        let centre = if is_signed { 0 } else { 1_i128 << 31 };
        let squares = self.values.map(|value| {
            (i128::from(value) - centre).pow(2).cast_unsigned() * u128::from(self.each)
        });
        let bytes =
            [(self.sum() + of_keys).to_le_bytes(), squares.iter().sum::<u128>().to_le_bytes()];
        let words: [u32; 8] = bytemuck::cast(bytes);
        let [low, high, _, _, squares @ ..] = words;
        [&[low, high], &squares[..]].concat().try_into().expect("two words and four")
    }

    #[expect(clippy::cast_precision_loss, reason = "what is compared is rounded, too")]
    fn check<T: Element, S: Into<i128>>(&self)
    where
        Stats: Operation<T, Raw = [u32; 16], Output = Statistics<T, S, f64>>,
        Variance: Operation<T, Raw = [u32; 8], Output = f64>,
    {
        let (len, [low, high]) = (self.len(), self.values);
        let figures = self.figures(T::KIND.name().starts_with('i'));
        let filled = |words: &mut [u32]| words[..6].copy_from_slice(&figures);
        let (mut of_variance, mut of_stats) = ([0; 8], [0; 16]);
        filled(&mut of_variance);
        filled(&mut of_stats[6..]);
        let what = format!("{len} {}, half {low}, half {high}", T::KIND);
        for ddof in [0, 1] {
            let deviation = high.abs_diff(low) as f64 / 2.0;
            let expected = deviation * deviation * (len as f64 / (len - u64::from(ddof)) as f64);
            let is_near = |found: f64| (found - expected).abs() <= 1e-15 * expected;
            let found = Operation::<T>::finish(&Variance { ddof }, of_variance, len).unwrap();
            assert!(is_near(found), "variance of {what}: {found}, not {expected}");
            let found = Operation::<T>::finish(&Stats { ddof }, of_stats, len).unwrap();
            assert!(is_near(found.variance), "{what}: {}, not {expected}", found.variance);
            assert_eq!(found.mean.to_bits(), (self.sum() as f64 / len as f64).to_bits(), "{what}");
            assert_eq!(found.sum.into(), self.sum(), "{what}");
        }
    }
}

/// The keys of those that have a sign are near 2^31, whatever they are: their sum is beyond 2^64.
#[test]
fn variances_of_more_than_2_to_the_33_integers_are_right() {
    for each in [1 << 32, (1 << 32) + 12_345, 1 << 40] {
        let halves = |values| Halves { values, each };
        for value in [0, -1, 1] {
            halves([value; 2]).check::<i8, i64>();
            halves([value; 2]).check::<i16, i64>();
            halves([value; 2]).check::<i32, i64>();
        }
        halves([-128, 127]).check::<i8, i64>();
        halves([-128; 2]).check::<i8, i64>();
        halves([-32_768, 32_767]).check::<i16, i64>();
        halves([32_767; 2]).check::<i16, i64>();
        halves([i32::MIN.into(), i32::MAX.into()]).check::<i32, i64>();
        halves([0; 2]).check::<u32, u64>();
        halves([0, 255]).check::<u8, u64>();
        halves([65_535; 2]).check::<u16, u64>();
    }
}

/// The most whose sum is sure to fit.
#[test]
fn variances_are_right_up_to_the_largest_sums() {
    let check = |each| Halves { values: [i32::MIN.into(); 2], each }.check::<i32, i64>();
    check((1 << 31) - 1);
    check(1 << 31);
    let most = i64::from(u32::MAX);
    Halves { values: [most; 2], each: 1 << 31 }.check::<u32, u64>();
    Halves { values: [0, most], each: 1 << 32 }.check::<u32, u64>();
    Halves { values: [-128; 2], each: 1 << 55 }.check::<i8, i64>();
    Halves { values: [255; 2], each: 1 << 55 }.check::<u8, u64>();
}

/// Lengths that no memory has are no reason to panic.
#[test]
fn any_length_is_finished() {
    for len in [0, 1, u64::MAX / 2 + 2, u64::MAX - 1, u64::MAX] {
        for word in [0, 1, u32::MAX] {
            for ddof in [0, 1, u32::MAX] {
                assert!(Operation::<i32>::finish(&Variance { ddof }, [word; 8], len).is_ok());
                assert!(Operation::<u32>::finish(&Variance { ddof }, [word; 8], len).is_ok());
                assert!(Operation::<i32>::finish(&Stats { ddof }, [word; 16], len).is_ok());
                assert!(Operation::<u32>::finish(&Stats { ddof }, [word; 16], len).is_ok());
            }
        }
    }
}
