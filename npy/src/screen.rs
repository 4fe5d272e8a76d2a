//! A look at a header's text before it is parsed.
//!
//! The parser recurses into brackets, tries some of them more than once, reads numbers of any
//! length, and multiplies dimensions without a check. What passes here cannot make it overflow its
//! stack, its integers or anybody's patience. It need not be a header: that is the parser's to say.

/// Brackets in brackets: enough for records in records.
const MAX_DEPTH: usize = 6;

/// Passes text in which the parser cannot come to grief, or names the byte that is at fault.
pub(crate) fn screen(text: &str) -> Result<(), (usize, String)> {
    let mut screen = Screen { depth: 0, dictionaries: 0, product: 1 };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let offset = text.len() - rest.len();
        let length = screen.token(first, rest).map_err(|what| (offset, what))?;
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(())
}

struct Screen {
    depth: usize,
    dictionaries: usize,
    /// Of all numbers but zero. No product of some dimensions is larger.
    product: u64,
}

impl Screen {
    /// The length of the token that `rest` starts with.
    fn token(&mut self, first: char, rest: &str) -> Result<usize, String> {
        match first {
            ' ' | '\t' | ',' | ':' => Ok(1),
            '\'' | '"' => string_length(first, rest),
            '0'..='9' => self.number(rest),
            '(' | '[' | '{' => self.open(first),
            ')' | ']' | '}' => {
                self.depth = self.depth.saturating_sub(1);
                Ok(1)
            }
            'A'..='Z' | 'a'..='z' => word_length(rest),
            other => Err(format!("unexpected {other:?} in the header")),
        }
    }

    fn open(&mut self, bracket: char) -> Result<usize, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("the header has more than {MAX_DEPTH} brackets in each other"));
        }
        self.dictionaries += usize::from(bracket == '{');
        if self.dictionaries > 1 {
            return Err("the header has a second dictionary".into());
        }
        Ok(1)
    }

    fn number(&mut self, rest: &str) -> Result<usize, String> {
        let digits = prefix(rest, |c| c.is_ascii_digit());
        let number: u64 = digits.parse().map_err(|_| "a number beyond 2^64".to_owned())?;
        self.product = self
            .product
            .checked_mul(number.max(1))
            .ok_or_else(|| "dimensions multiply to more than 2^64 elements".to_owned())?;
        Ok(digits.len())
    }
}

/// The length of a string in quotes.
fn string_length(quote: char, rest: &str) -> Result<usize, String> {
    let mut characters = rest.char_indices().skip(1);
    while let Some((index, character)) = characters.next() {
        if character == quote {
            return Ok(index + quote.len_utf8());
        }
        if character == '\\' {
            characters.next();
        }
    }
    Err("a string without end in the header".into())
}

/// The length of one of the words that a header can have.
fn word_length(rest: &str) -> Result<usize, String> {
    let word = prefix(rest, |c| c.is_ascii_alphanumeric());
    if ["True", "False", "None"].contains(&word) {
        return Ok(word.len());
    }
    let shown: String = word.chars().take(40).collect();
    Err(format!("unexpected {shown:?} in the header"))
}

fn prefix(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::screen;

    #[test]
    fn headers_pass() {
        for text in [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
            "{'descr': [('a', '<f4', (2,)), ('b', [('c', '<i4', (3,))])], 'shape': ()}",
            r#"{"descr": "it's \" ({[", 'shape': (0, 18446744073709551615)}"#,
            "",
        ] {
            assert_eq!(screen(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn the_byte_at_fault_is_named() {
        for (text, byte, part) in [
            ("{'a': -1}", 6, "'-'"),
            ("{'a': 1_0}", 7, "'_'"),
            ("{'a': 0x10}", 7, "x10"),
            ("{'a': 10L}", 8, "\"L\""),
            ("{'a': b'x'}", 6, "\"b\""),
            ("{'a': 'x}", 6, "without end"),
            (r"{'a': 'x\'}", 6, "without end"),
            ("{'a': {}}", 6, "second dictionary"),
            ("[[[[[[[", 6, "brackets"),
            ("{'ä': ü", 7, "'ü'"),
            ("(18446744073709551616,)", 1, "2^64"),
            ("(4294967296, 0, 4294967296)", 16, "2^64"),
        ] {
            let (offset, what) = screen(text).unwrap_err();
            assert_eq!(offset, byte, "{text}");
            assert!(what.contains(part), "{text}: {what}");
        }
    }
}
