//! Texts of operators.

use wgpu_reduce::{CustomOp, Error};

/// Checks a text as that of operators of several types. Whether it is one's.
///
/// # Panics
///
/// If it is refused at a place that it does not have.
#[must_use]
pub fn custom(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let errors = [
        CustomOp::<f32, f32>::new(text.as_ref(), 0.0).err(),
        CustomOp::<u32, [u32; 2]>::new(text.as_ref(), [0, 1]).err(),
        CustomOp::<(i32, i32), i32>::new(text.as_ref(), 0).err(),
    ];
    let is_one = errors.iter().any(Option::is_none);
    errors.into_iter().flatten().for_each(|error| judge(&text, error));
    is_one
}

fn judge(text: &str, error: Error) {
    match error {
        Error::CustomShader { line, column, message } => {
            let lines = text.lines().count() as u64;
            assert!(u64::from(line) <= lines + 1, "line {line} of {lines}: {message}");
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0) as u64;
            assert!(u64::from(column) <= longest + 2, "column {column} of {longest}: {message}");
            assert!(!message.is_empty(), "no word of what is wrong");
        }
        error => panic!("{error}"),
    }
}
