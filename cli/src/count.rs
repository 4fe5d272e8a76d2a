//! Numbers of elements as people write them.

/// Reads `1000`, `1_000_000`, `16Mi` or `2^24`.
pub(crate) fn parse_count(text: &str) -> Result<u64, String> {
    if let Some((base, exponent)) = text.split_once('^') {
        let exponent = u32::try_from(digits(exponent)?).map_err(|_| too_large())?;
        return digits(base)?.checked_pow(exponent).ok_or_else(too_large);
    }
    let unit = UNITS.iter().find_map(|&(unit, log)| Some((text.strip_suffix(unit)?, log)));
    let (number, log) = unit.unwrap_or((text, 0));
    digits(number)?.checked_mul(1 << log).ok_or_else(too_large)
}

/// Reads the same, but for 0.
pub(crate) fn parse_positive_count(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        0 => Err("expected 1 or more".into()),
        count => Ok(count),
    }
}

const UNITS: [(&str, u32); 4] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40)];

/// `2^24`, or the digits of what is no power of two.
pub(crate) fn format_count(count: u64) -> String {
    if count.is_power_of_two() { format!("2^{}", count.ilog2()) } else { count.to_string() }
}

fn digits(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    if plain.is_empty() || text.starts_with('_') || !plain.bytes().all(|b| b.is_ascii_digit()) {
        return Err("expected a number such as 1000, 1_000_000, 16Mi or 2^24".into());
    }
    plain.parse().map_err(|_| too_large())
}

fn too_large() -> String {
    format!("larger than {}", u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{format_count, parse_count, parse_positive_count};

    #[test]
    fn counts_are_read() {
        let cases = [
            ("0", 0),
            ("1000", 1000),
            ("1_000_000", 1_000_000),
            ("4Ki", 4096),
            ("16Mi", 16_777_216),
            ("1Gi", 1_073_741_824),
            ("3Ti", 3_298_534_883_328),
            ("2^24", 16_777_216),
            ("10^3", 1000),
            ("7^0", 1),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, count) in cases {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
    }

    #[test]
    fn counts_are_written() {
        for (count, text) in [(0, "0"), (1, "2^0"), (1000, "1000"), (1 << 40, "2^40")] {
            assert_eq!(format_count(count), text);
            assert_eq!(parse_count(text), Ok(count));
        }
    }

    #[test]
    fn zero_is_a_count_but_not_a_positive_one() {
        assert_eq!(parse_positive_count("1Ki"), Ok(1024));
        for text in ["0", "0Mi", "0^5"] {
            assert_eq!(parse_positive_count(text).unwrap_err(), "expected 1 or more", "{text}");
        }
        assert!(parse_positive_count("x").unwrap_err().starts_with("expected a number"));
    }

    #[test]
    fn what_is_no_count_is_refused() {
        for text in
            ["", "-1", "+1", "1.5", "1e6", "Mi", "16M", "16 Mi", "16mi", "_1", "^", "2^", "٣"]
        {
            let error = parse_count(text).unwrap_err();
            assert!(error.starts_with("expected a number"), "{text}: {error}");
        }
    }

    #[test]
    fn counts_beyond_64_bits_are_refused() {
        for text in ["18446744073709551616", "16777216Ti", "2^64", "2^4294967296", "999^999"] {
            let error = parse_count(text).unwrap_err();
            assert_eq!(error, "larger than 18446744073709551615", "{text}");
        }
        assert_eq!(parse_count("16777215Ti"), Ok(16_777_215 << 40));
    }
}
