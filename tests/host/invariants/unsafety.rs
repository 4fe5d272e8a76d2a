//! Where `unsafe` is.

use super::source::{without_literals, words};
use super::tree::files;

/// The library's own; what sets another crate beside it, which has no safe way to hand over a buffer; and what loads a compiler
/// in another language.
const WITH_UNSAFE: [&str; 3] =
    ["benches/peers/rust/src/cubek.rs", "src/trusted.rs", "tests/shaders/dxc.rs"];

#[test]
fn unsafe_code_is_in_three_files() {
    let has_some = |text: &str| words(&without_literals(text)).any(|word| word == "unsafe");
    assert!(has_some("x(|| unsafe { y() })") && !has_some("x(\"unsafe\"); // unsafe"));
    let with_some = files("", &["rs"]).into_iter().filter(|(_, text)| has_some(text));
    assert_eq!(with_some.map(|(path, _)| path).collect::<Vec<_>>(), WITH_UNSAFE);
}
