//! Texts of operators.

use wgpu_reduce::{CustomOp, Error};

/// Checks a text as that of operators of several types. Whether it is one's.
///
/// # Panics
///
/// If it is refused at a place that it does not have, or otherwise than with other blanks and ends of lines.
#[must_use]
pub fn custom(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let errors = [
        CustomOp::<f32, f32>::new(text.as_ref(), 0.0).err(),
        CustomOp::<u32, [u32; 2]>::new(text.as_ref(), [0, 1]).err(),
        CustomOp::<(i32, i32), i32>::new(text.as_ref(), 0).err(),
    ];
    let other = with_other_blanks(&text);
    let of_other = CustomOp::<f32, f32>::new(other.as_str(), 0.0).err();
    if !text.contains(ENDS_OF_LINES) {
        assert_eq!(of_other, errors[0], "{text:?} and {other:?}");
    }
    if let Some(error) = of_other {
        judge(&other, error);
    }
    let is_one = errors.iter().any(Option::is_none);
    errors.into_iter().flatten().for_each(|error| judge(&text, error));
    is_one
}

/// Those that stand for the end of a line, but for the usual one.
const ENDS_OF_LINES: [char; 6] = ['\u{b}', '\u{c}', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// With all of WGSL's blanks and ends of lines by turns where the usual ones are.
fn with_other_blanks(text: &str) -> String {
    let ends = ENDS_OF_LINES.map(String::from);
    let mut ends = ends.iter().map(String::as_str).chain(["\n", "\r\n"]).cycle();
    let mut blanks = ["\u{200e}", " ", "\u{200f}", "\t"].into_iter().cycle();
    let mut other = String::with_capacity(2 * text.len());
    for character in text.chars() {
        match character {
            '\n' => other.extend(ends.next()),
            ' ' => other.extend(blanks.next()),
            character => other.push(character),
        }
    }
    other
}

fn judge(text: &str, error: Error) {
    match error {
        Error::CustomShader { line, column, message } => {
            let text = text.replace("\r\n", "\n");
            let lines = || text.split(|c| c == '\n' || ENDS_OF_LINES.contains(&c));
            let count = lines().count() as u64;
            assert!(u64::from(line) <= count, "line {line} of {count}: {message}");
            let longest = lines().map(|line| line.chars().count()).max().unwrap_or(0) as u64;
            assert!(u64::from(column) <= longest + 1, "column {column} of {longest}: {message}");
            assert!(!message.is_empty(), "no word of what is wrong");
        }
        error => panic!("{error}"),
    }
}
