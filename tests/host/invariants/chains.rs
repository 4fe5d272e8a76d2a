//! Conditions that join a `let` to others.

use super::source::without_literals;
use super::tree::files;

/// The oldest Rust that the manifest promises has none, and clippy does not know.
#[test]
fn no_let_is_in_a_chain() {
    for (path, text) in files("", &["rs"]) {
        assert_eq!(chain_of_lets(&text), None, "{path}");
    }
}

#[test]
fn chains_of_lets_are_found_wherever_lines_end() {
    for chain in [
        "if let Some(x) = y && x > 1 {}",
        "while x > 1\n    && let Some(x) = y\n{\n}",
        "if let Some(x) = y\n    // Only then.\n    && x(|| { 1 })\n{\n}",
        "else if let Some(P { x, .. }) | Some(Q { x }) = y && x {}",
        "if let P { x, .. } = y && x != '\"' && z == r#\"\"{\"# {}",
        "if is('{') && let Some(x) = y.map(|y| { y }) {}",
    ] {
        assert!(chain_of_lets(chain).is_some(), "{chain}");
    }
    for other in [
        "if let Some(&&x) = y { if a && b { let c = d && e; } }",
        "if let Some(x) = y.filter(|x| a && b) {}",
        "if let Some(x) = (a && b).then(c) {}",
        "match x { y if a && b => 1, z => if let Some(x) = y {} }",
        "if x == \"&& let\" { // if let Some(x) = y && z {}\n}",
        "if let Some(x) = y { a && b }",
        "x::<'a>(if a { '&' } else { b }); if a && b { let c = d; }",
    ] {
        assert_eq!(chain_of_lets(other), None, "{other}");
    }
}

/// The first condition that joins a `let` to others.
fn chain_of_lets(text: &str) -> Option<String> {
    let bare = without_literals(text);
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let begins = |at: usize| !bare[..at].ends_with(is_of_name);
    let conditions = ["if ", "while "].into_iter().flat_map(|word| {
        bare.match_indices(word)
            .filter(|&(at, _)| begins(at))
            .map(|(at, _)| &bare[at + word.len()..])
    });
    let mut conditions = conditions.map(condition);
    conditions
        .find(|parts| parts.len() > 1 && parts.iter().any(|part| part.starts_with("let ")))
        .map(|parts| parts.join(" && "))
}

/// The parts of a condition that `&&` joins, with which the text begins.
fn condition(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, c) in text.char_indices() {
        let part = text.get(begin..at).unwrap_or_default().trim();
        // Braces are of a pattern until there is what it is compared with.
        let is_pattern = part.starts_with("let ") && !part.contains(" =");
        match c {
            '(' | '[' => depth += 1,
            '{' if depth > 0 || is_pattern => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            '{' | ')' | ']' | '}' | ';' | ',' if depth == 0 => {
                parts.push(part);
                break;
            }
            '=' if depth == 0 && text[at..].starts_with("=>") => {
                parts.push(part);
                break;
            }
            '&' if depth == 0 && !is_pattern && text[at..].starts_with("&& ") => {
                parts.push(part);
                begin = at + "&&".len();
            }
            _ => {}
        }
    }
    parts
}
