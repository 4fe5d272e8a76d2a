//! Parses numbers of the command line, and words their errors.

use std::ops::RangeInclusive;

/// Returns a reader of whole numbers in a range: `1000`, `1_000_000`, `16Mi` or `2^24`.
pub(crate) fn whole<N: Copy + Into<u64> + TryFrom<u64>>(
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone {
    let (least, most) = ((*range.start()).into(), (*range.end()).into());
    move |text| {
        let count = parse(text).filter(|count| (least..=most).contains(count));
        let examples = EXAMPLES.iter().find_map(|&(from, text)| (most >= from).then_some(text));
        let expected = || {
            let examples = examples.unwrap_or_default();
            format!("expected a whole number from {least} to {most}{examples}")
        };
        count.and_then(|count| N::try_from(count).ok()).ok_or_else(expected)
    }
}

/// Examples in errors, each with the least maximum of an option that shows it.
const EXAMPLES: [(u64, &str); 2] =
    [(1 << 24, ", such as 1000, 16Mi or 2^24"), (1 << 10, ", such as 1000, 1Ki or 2^10")];

/// Returns the number; `None` if the text is no whole number, or one that does not fit in 64 bits.
fn parse(text: &str) -> Option<u64> {
    if let Some((base, exponent)) = text.split_once('^') {
        return digits(base)?.checked_pow(u32::try_from(digits(exponent)?).ok()?);
    }
    let unit = UNITS.iter().find_map(|&(unit, log)| Some((text.strip_suffix(unit)?, log)));
    let (number, log) = unit.unwrap_or((text, 0));
    digits(number)?.checked_mul(1 << log)
}

fn digits(text: &str) -> Option<u64> {
    let plain = text.replace('_', "");
    let is_number = !text.starts_with('_') && plain.bytes().all(|byte| byte.is_ascii_digit());
    plain.parse().ok().filter(|_| is_number)
}

const UNITS: [(&str, u32); 4] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40)];

/// `2^24`, or the digits of what is no power of two.
pub(crate) fn format_count(count: u64) -> String {
    if count.is_power_of_two() { format!("2^{}", count.ilog2()) } else { count.to_string() }
}

/// Reads the number of an axis, which may count from the last one backwards.
pub(crate) fn axis(text: &str) -> Result<i64, String> {
    let expected = "expected the number of an axis: 0, 1 and so on, or from the last one backwards -1, -2 and so on";
    text.parse().map_err(|_| expected.into())
}

/// Reads a number that need not be whole; infinity and NaN by their names alone.
pub(crate) fn real(text: &str) -> Result<f64, String> {
    let number = text.parse().map_err(|_| "expected a number such as -2, 0.5 or 1e-3")?;
    if f64::is_infinite(number) && text.contains(|c: char| c.is_ascii_digit()) {
        return Err(format!("expected a number from {:e} to {:e}", f64::MIN, f64::MAX));
    }
    Ok(number)
}

/// Reads a share: a number from 0 to 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".into())
}

#[cfg(test)]
mod tests {
    use super::{axis, format_count, real, whole};

    #[test]
    fn whole_numbers_are_read() {
        let cases = [
            ("0", 0),
            ("1000", 1000),
            ("1_000_000", 1_000_000),
            ("4Ki", 4096),
            ("16Mi", 16_777_216),
            ("1Gi", 1_073_741_824),
            ("3Ti", 3_298_534_883_328),
            ("16777215Ti", 16_777_215 << 40),
            ("2^24", 16_777_216),
            ("10^3", 1000),
            ("7^0", 1),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, count) in cases {
            assert_eq!(whole(0..=u64::MAX)(text), Ok(count), "{text}");
        }
    }

    #[test]
    fn counts_are_written() {
        for (count, text) in [(0, "0"), (1, "2^0"), (1000, "1000"), (1 << 40, "2^40")] {
            assert_eq!(format_count(count), text);
            assert_eq!(whole(0..=u64::MAX)(text), Ok(count));
        }
    }

    #[test]
    fn numbers_outside_their_range_are_told_of_it() {
        let few = whole(1..=16_u32);
        assert_eq!([few("1"), few("2^4")], [Ok(1), Ok(16)]);
        for text in ["0", "0Mi", "0^5", "17", "2^31", "2^32"] {
            assert_eq!(few(text).unwrap_err(), "expected a whole number from 1 to 16", "{text}");
        }
        let many = whole(0..=u16::MAX)("64Ki").unwrap_err();
        let expected = "expected a whole number from 0 to 65535, such as 1000, 1Ki or 2^10";
        assert_eq!((many.as_str(), whole(0..=u16::MAX)("63Ki")), (expected, Ok(63 << 10)));
    }

    #[test]
    fn what_is_no_whole_number_is_refused() {
        let expected =
            "expected a whole number from 0 to 18446744073709551615, such as 1000, 16Mi or 2^24";
        for text in [
            "",
            "-1",
            "+1",
            "1.5",
            "1e6",
            "Mi",
            "16M",
            "16 Mi",
            "16mi",
            "_1",
            "^",
            "2^",
            "٣",
            "_",
            "18446744073709551616",
            "16777216Ti",
            "2^64",
            "2^4294967296",
            "999^999",
        ] {
            assert_eq!(whole(0..=u64::MAX)(text).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn other_numbers_are_read_in_every_spelling() {
        for (text, number) in
            [("-.5", -0.5), ("+1.", 1.0), ("1e-3", 1e-3), ("-inf", f64::NEG_INFINITY)]
        {
            assert_eq!(real(text), Ok(number), "{text}");
        }
        for text in ["", "-0x1", "1,5", "x", "1e", "2^3"] {
            assert!(real(text).unwrap_err().starts_with("expected a number such as"), "{text}");
        }
        assert!(real("1e309").unwrap_err().starts_with("expected a number from -1.79"));
        assert_eq!([axis("-1"), axis("2")], [Ok(-1), Ok(2)]);
        for text in ["", "x", "1.5", "99999999999999999999"] {
            assert!(
                axis(text).unwrap_err().starts_with("expected the number of an axis"),
                "{text}"
            );
        }
    }
}
