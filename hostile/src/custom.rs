//! Texts of operators.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use wgpu_reduce::{CustomInput, CustomOp, CustomShader, CustomValue, Error};

/// Checks a text as that of operators of several types. Whether it is one's.
///
/// # Panics
///
/// If it is refused at a place that it does not have, or otherwise than with other blanks and ends of lines; or if it is
/// accepted, and one of the shaders that are built around it is not valid.
#[must_use]
pub fn custom(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let errors = [
        refused::<f32, f32, f32>(&text, 0.0),
        refused::<u32, [u32; 2], [u32; 2]>(&text, [0, 1]),
        refused::<u8, [f32; 3], u32>(&text, [0.0; 3]),
        refused::<(i32, i32), i32, i32>(&text, 0),
    ];
    let other = with_other_blanks(&text);
    let of_other = CustomOp::<f32, f32>::new(other.as_str(), 0.0).err();
    if !text.contains(ENDS_OF_LINES) {
        let [place, other_place] = [errors[0].as_ref(), of_other.as_ref()].map(place);
        assert_eq!(other_place, place, "{text:?} and {other:?}");
    }
    if let Some(error) = of_other {
        judge(&other, error);
    }
    let is_one = errors.iter().any(Option::is_none);
    errors.into_iter().flatten().for_each(|error| judge(&text, error));
    is_one
}

/// The same of one type, `f32`: whether it is an operator's.
///
/// # Panics
///
/// If it is, and one of its shaders is not valid.
#[must_use]
pub fn operator(text: &str) -> bool {
    refused::<f32, f32, f32>(text, 0.0).is_none()
}

/// Why a text is no operator of these types; of one that is, every shader is judged.
fn refused<I: CustomInput, A: CustomValue, R: CustomValue>(
    text: &str,
    identity: A,
) -> Option<Error> {
    let op = match CustomOp::<I, A, R>::new(text, identity) {
        Ok(op) => op,
        Err(error) => return Some(error),
    };
    // As deep as the library makes it for what it accepts.
    let judge = || op.shaders().iter().for_each(judge_shader);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(32 << 20).spawn_scoped(scope, judge);
        thread.expect("a thread").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    None
}

/// As wgpu takes a shader on a device that has nothing but what every device has.
fn judge_shader(shader: &CustomShader) {
    let whole = shader.wgsl();
    let module = naga::front::wgsl::parse_str(&whole)
        .unwrap_or_else(|error| panic!("{shader}: {}", error.emit_to_string(&whole)));
    let entry = module.entry_points.iter().find(|entry| entry.name == shader.entry_point());
    assert!(entry.is_some() && module.entry_points.len() == 1, "{shader}: {whole}");
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    if let Err(error) = validator.validate(&module) {
        panic!("{shader}: {}", error.emit_to_string(&whole));
    }
}

/// Line and column. (What is wrong there is told in words of the text's own, blanks included.)
fn place(error: Option<&Error>) -> Option<(u32, u32)> {
    match error? {
        &Error::CustomShader { line, column, .. } => Some((line, column)),
        error => panic!("{error}"),
    }
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
