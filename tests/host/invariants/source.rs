//! What of a text is code.

/// Code alone: no comments, nothing of what literals hold, and no module of tests, `#[cfg(test)] mod name`.
pub(super) fn code(text: &str) -> String {
    let bare = without_literals(text);
    let mut lines = bare.lines();
    let mut kept = String::new();
    while let Some(line) = lines.next() {
        let mut ahead = lines.clone();
        let declared = ahead.find(|line| !line.trim_start().starts_with("#["));
        let declared = declared.filter(|_| line.trim() == "#[cfg(test)]").unwrap_or_default();
        if !is_module(declared) {
            kept.extend([line, "\n"]);
            continue;
        }
        lines = ahead;
        if declared.trim_end().ends_with('{') {
            let indented = declared.len() - declared.trim_start().len();
            let end = format!("{}}}", &declared[..indented]);
            lines.find(|line| *line == end);
        }
    }
    kept
}

/// Whether a line begins a module, or says that it is in a file.
fn is_module(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("pub").map_or(line, |rest| {
        rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest)
    });
    line.trim_start().starts_with("mod ")
}

#[test]
fn modules_of_tests_are_no_code_and_what_is_around_them_is() {
    for tests in [
        "#[cfg(test)]\nmod tests;",
        "#[cfg(test)]\npub(crate) mod tests;",
        "#[cfg(test)]\n#[path = \"other.rs\"]\nmod tests;",
        "#[cfg(test)]\nmod tests {\n    mod more {\n        x();\n    }\n\n    y();\n}",
    ] {
        assert_eq!(code(&format!("a();\n{tests}\nb();\n")), "a();\nb();\n", "{tests}");
    }
    let inner = "mod a {\n    #[cfg(test)]\n    mod tests {\n        x();\n    }\n    b();\n}\n";
    assert_eq!(code(inner), "mod a {\n    b();\n}\n");
    for other in ["#[cfg(test)]\nuse a::b;\n", "mod tests;\n", "#[cfg(unix)]\nmod a {\n}\n"] {
        assert_eq!(code(other), other);
    }
    assert_eq!(code("a(); // b\nc(\"d\");\n"), "a(); \nc();\n");
}

pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// The text without its comments, and without what is in its literals.
pub(super) fn without_literals(text: &str) -> String {
    let (mut bare, mut rest) = (String::new(), text);
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => length_of_string(&bare, rest),
            '\'' if rest.starts_with("'\\") => rest[3..].find('\'').map_or(rest.len(), |at| at + 4),
            '\'' if rest.chars().nth(2) == Some('\'') => {
                rest.chars().take(3).map(char::len_utf8).sum()
            }
            _ => {
                bare.push(next);
                next.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    bare
}

/// How long the literal is with which `text` begins, and which is raw if what stands before it says so.
fn length_of_string(before: &str, text: &str) -> usize {
    let name = before.trim_end_matches('#');
    if name.ends_with('r') {
        let end = format!("\"{}", "#".repeat(before.len() - name.len()));
        return text[1..].find(&end).map_or(text.len(), |at| 1 + at + end.len());
    }
    let mut is_escaped = false;
    let end = text[1..].find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |at| at + 2)
}
