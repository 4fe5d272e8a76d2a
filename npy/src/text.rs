//! Python's text in quotes.

use crate::literal::{Fault, Parser, Value};

/// Reads text, and more text that follows it, which Python joins.
pub(crate) fn string(parser: &mut Parser<'_>) -> Result<Value, Fault> {
    let (mut text, is_bytes) = one(parser)?;
    loop {
        let end = parser.at;
        parser.skip();
        if !begins(parser) {
            parser.at = end;
            return Ok(if is_bytes { Value::Bytes(text) } else { Value::Text(text) });
        }
        let start = parser.at;
        let (more, more_is_bytes) = one(parser)?;
        if more_is_bytes != is_bytes {
            return Err((start, "text and bytes are joined".into()));
        }
        text += &more;
    }
}

/// Whether text begins here, with its letters.
fn begins(parser: &Parser<'_>) -> bool {
    parser.rest().trim_start_matches(|c: char| c.is_ascii_alphabetic()).starts_with(['\'', '"'])
}

/// Text, and whether it is of bytes.
fn one(parser: &mut Parser<'_>) -> Result<(String, bool), Fault> {
    let start = parser.at;
    let mut letters = String::new();
    while let Some(letter) = parser.peek().filter(char::is_ascii_alphabetic) {
        letters.push(letter.to_ascii_lowercase());
        parser.at += 1;
    }
    let is_raw = match letters.as_str() {
        "" | "u" | "b" => false,
        "r" | "br" | "rb" => true,
        _ => return Err((start, format!("unexpected {letters:?} before a quote"))),
    };
    let is_bytes = letters.contains('b');
    let quote = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quote| parser.take(quote));
    let quote = quote.ok_or((parser.at, "expected a quote".to_owned()))?;
    let mut text = String::new();
    loop {
        let at = parser.at;
        if parser.take(quote) {
            return Ok((text, is_bytes));
        }
        match parser.next() {
            Some('\\') if is_raw => {
                text.push('\\');
                text.extend(parser.next());
            }
            Some('\\') => text.extend(escaped(parser, is_bytes)?),
            Some('\n' | '\r') if quote.len() == 1 => {
                return Err((at, "text ends with its line".into()));
            }
            Some(c) if is_bytes && !c.is_ascii() => {
                return Err((at, format!("unexpected {c:?} in bytes")));
            }
            Some(c) => text.push(c),
            None => return Err((start, "text without an end".into())),
        }
    }
}

/// What a backslash stands for with what comes behind it. One that stands for nothing stays.
fn escaped(parser: &mut Parser<'_>, is_bytes: bool) -> Result<Vec<char>, Fault> {
    let at = parser.at - 1;
    let only = |c| Ok(vec![c]);
    match parser.next() {
        Some('\n') => Ok(vec![]),
        Some('\r') => {
            parser.take("\n");
            Ok(vec![])
        }
        Some(c @ ('\\' | '\'' | '"')) => only(c),
        Some('a') => only('\x07'),
        Some('b') => only('\x08'),
        Some('f') => only('\x0C'),
        Some('n') => only('\n'),
        Some('r') => only('\r'),
        Some('t') => only('\t'),
        Some('v') => only('\x0B'),
        Some(c @ '0'..='7') => {
            parser.at -= c.len_utf8();
            let digits = parser.rest().chars().take(3).take_while(|c| ('0'..='7').contains(c));
            let count = digits.count();
            only(number(parser, count, 8, at)?)
        }
        Some('x') => only(number(parser, 2, 16, at)?),
        Some('u') if !is_bytes => only(number(parser, 4, 16, at)?),
        Some('U') if !is_bytes => only(number(parser, 8, 16, at)?),
        Some('N') if !is_bytes => Err((at, "a character by its name is not supported".into())),
        Some(other) => Ok(vec!['\\', other]),
        None => Err((at, "text without an end".into())),
    }
}

/// The character whose number comes next, in so many digits.
fn number(parser: &mut Parser<'_>, count: usize, radix: u32, at: usize) -> Result<char, Fault> {
    let digits: String = parser.rest().chars().take(count).collect();
    let are_digits = digits.chars().count() == count && digits.chars().all(|c| c.is_digit(radix));
    let number = u32::from_str_radix(&digits, radix).ok().filter(|_| are_digits);
    let character = number.and_then(char::from_u32);
    parser.at += digits.len();
    character.ok_or((at, "a wrong escape in text".into()))
}

#[cfg(test)]
mod tests {
    use crate::literal::{Value, parse};

    #[test]
    fn text_is_read() {
        for (source, expected) in [
            (r"''", ""),
            (r#""it's""#, "it's"),
            (r"u'descr'", "descr"),
            (r"U'descr'", "descr"),
            (r"r'a\n'", r"a\n"),
            (r"'<f' '4'", "<f4"),
            ("('<f'\n # half\n \"4\")", "<f4"),
            ("'''a\n'b'''", "a\n'b"),
            (r#""""""""#, ""),
            (r"'\x41\102\u0043\U00000044\e\'\\'", r"ABCD\e'\"),
            (r"'\a\b\f\n\r\t\v\0\07\1234'", "\x07\x08\x0C\n\r\t\x0B\0\x07S4"),
            ("'a\\\nb\\\r\nc'", "abc"),
            ("'größe'", "größe"),
        ] {
            assert_eq!(
                parse(source, false).unwrap().value,
                Value::Text(expected.into()),
                "{source}"
            );
        }
        for source in ["b'<f4'", "B'<f4'", "rb'<f4'", "bR'<f4'", "b'<f' b'4'", r"b'\x3cf4'"] {
            assert_eq!(parse(source, false).unwrap().value, Value::Bytes("<f4".into()), "{source}");
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for source in [
            "'a",
            "'a\n'",
            r"'\x4'",
            r"'\u123'",
            r"'\U00110000'",
            r"'\ud800'",
            r"'\N{DASH}'",
            r"'a\",
            "'''a'",
            "ur'a'",
            "bu'a'",
            "f'a'",
            "b'ä'",
            "'a' b'b'",
            "xx'a'",
        ] {
            assert!(parse(source, false).is_err(), "{source}");
        }
    }
}
