//! WGSL as tokens: what has to be known of a text beside what a compiler tells.

use std::collections::HashSet;

/// A word, a number, or one character of anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// Where it begins, in bytes.
    pub(crate) at: usize,
    pub(crate) text: &'a str,
}

impl Token<'_> {
    fn is_word(&self) -> bool {
        self.text.starts_with(begins_word)
    }
}

/// The tokens of a text without its comments. A text that is no WGSL has some, too.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = skip_blank(rest);
        let first = rest.chars().next()?;
        let len = if begins_word(first) {
            length_while(rest, |c| begins_word(c) || c.is_numeric())
        } else if first.is_ascii_digit() {
            length_of_number(rest)
        } else {
            first.len_utf8()
        };
        let at = text.len() - rest.len();
        let (token, after) = rest.split_at_checked(len)?;
        rest = after;
        Some(Token { at, text: token })
    })
}

fn begins_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn length_while(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|c| !holds(c)).unwrap_or(text.len())
}

/// With one point at most: what stands behind another one is no part of the number.
fn length_of_number(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let whole = length_while(text, is_part);
    let behind = text.get(whole..).and_then(|rest| rest.strip_prefix('.'));
    behind.map_or(whole, |fraction| whole + 1 + length_while(fraction, is_part))
}

/// What ends a line in WGSL. A carriage return and a line feed behind it are one.
pub(crate) const fn ends_line(c: char) -> bool {
    matches!(c, '\u{a}'..='\u{d}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// WGSL's blanks: Unicode's `Pattern_White_Space`, which is not what Rust takes for a space.
const fn is_blank(c: char) -> bool {
    ends_line(c) || matches!(c, ' ' | '\t' | '\u{200e}' | '\u{200f}')
}

/// The text without the spaces and comments that it begins with.
fn skip_blank(mut text: &str) -> &str {
    loop {
        let shorter = text.trim_start_matches(is_blank);
        let shorter = if shorter.starts_with("//") {
            shorter.split_once(ends_line).map_or("", |(_, after)| after)
        } else if shorter.starts_with("/*") {
            after_comment(shorter)
        } else {
            return shorter;
        };
        text = shorter;
    }
}

/// How many lines are before byte `at` of a text, and how many characters before it in its own.
pub(crate) fn lines_and_characters(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let ends = before.matches(ends_line).count() - before.matches("\r\n").count();
    let line = before.rsplit(ends_line).next().unwrap_or(before);
    (ends, line.chars().count())
}

/// What follows the comment that a text begins with; comments nest.
fn after_comment(mut text: &str) -> &str {
    let mut depth = 0_usize;
    loop {
        let ends = text.starts_with("*/");
        let width = if ends || text.starts_with("/*") {
            depth = if ends { depth.saturating_sub(1) } else { depth + 1 };
            2
        } else {
            text.chars().next().map_or(0, char::len_utf8)
        };
        text = text.get(width..).unwrap_or_default();
        if depth == 0 || text.is_empty() {
            return text;
        }
    }
}

/// Something that a text declares for the whole module, or a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declaration<'a> {
    pub(crate) keyword: Token<'a>,
    /// What comes first after the keyword and its template list: of a declaration, its name.
    pub(crate) name: Token<'a>,
}

const DECLARING: [&str; 9] =
    ["fn", "const", "alias", "struct", "var", "override", "enable", "requires", "diagnostic"];

/// The declarations and directives of a valid text, in order.
pub(crate) fn declarations(text: &str) -> Vec<Declaration<'_>> {
    let tokens: Vec<_> = tokens(text).collect();
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut before = "";
    for (index, &keyword) in tokens.iter().enumerate() {
        match keyword.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            // An attribute may have the name of a directive.
            word if depth == 0 && before != "@" && DECLARING.contains(&word) => {
                let mut behind = tokens.iter().skip(index + 1).copied();
                let mut name = behind.next();
                if name.is_some_and(|token| token.text == "<") {
                    name = behind.skip_while(|token| token.text != ">").nth(1);
                }
                found.extend(name.map(|name| Declaration { keyword, name }));
            }
            _ => {}
        }
        before = keyword.text;
    }
    found
}

/// The names of a text of this crate whose meaning another declaration in the module would change: what it declares,
/// the functions and types that it uses, and what stands in lists of templates, as the words for memory do. Local variables
/// and members are not among them.
pub(crate) fn names(text: &str) -> HashSet<&str> {
    let tokens: Vec<_> = tokens(text).collect();
    let mut names: HashSet<_> = declarations(text).iter().map(|found| found.name.text).collect();
    let mut before = "";
    let mut lists = 0_usize;
    for (token, next) in tokens.iter().zip(tokens.iter().skip(1)) {
        // A space is what tells a comparison from a template list in this crate's own files.
        let is_close = next.at == token.at + token.text.len();
        if token.is_word() && is_close && matches!(next.text, "(" | "<") {
            names.insert(token.text);
            lists += usize::from(next.text == "<");
        }
        if token.text == ">" && before != "-" {
            lists = lists.saturating_sub(1);
        }
        if lists > 0 && token.is_word() {
            names.insert(token.text);
        }
        if next.is_word() && (token.text == ":" || before == "-" && token.text == ">") {
            names.insert(next.text);
        }
        before = token.text;
    }
    names
}

/// A text so large or so deeply nested that compilers, which are recursive, might run out of stack: where
/// that begins, in bytes, and what there is too much of.
pub(crate) fn find_excess(text: &str) -> Option<(usize, &'static str)> {
    let mut braces = 0_usize;
    let mut elses = 0_usize;
    let mut nesting = Nesting::default();
    for (count, token) in tokens(text).enumerate() {
        match token.text {
            "{" => braces += 1,
            "}" => braces = braces.saturating_sub(1),
            "else" => elses += 1,
            _ => {}
        }
        nesting.take(token.text);
        let what = if count >= MAX_TOKENS {
            "the text is too long for an operator"
        } else if braces > MAX_BRACES {
            "the blocks are nested too deeply"
        } else if elses > MAX_ELSES {
            "the text has too many branches with else"
        } else if nesting.weight() > MAX_WEIGHT {
            "the expression is too long or too deep; divide it"
        } else {
            continue;
        };
        return Some((token.at, what));
    }
    None
}

/// How deep an expression may be.
#[derive(Debug, Default)]
struct Nesting {
    /// For each bracket that is open: what stood before it, since the last comma.
    outside: Vec<usize>,
    /// What stands in the innermost, since the last comma.
    inside: usize,
}

impl Nesting {
    fn take(&mut self, token: &str) {
        match token {
            "{" | "}" | ";" => *self = Self::default(),
            "(" | "[" => {
                self.outside.push(self.inside);
                self.inside = 0;
            }
            ")" | "]" => self.inside = self.outside.pop().unwrap_or(0) + 1,
            "," => self.inside = 0,
            _ => self.inside += 1,
        }
    }

    fn weight(&self) -> usize {
        let brackets = self.outside.len() * BRACKET_WEIGHT;
        brackets + self.outside.iter().sum::<usize>() + self.inside
    }
}

/// An operator of a thousand lines has as many.
const MAX_TOKENS: usize = 4096;

const MAX_BRACES: usize = 16;

const MAX_ELSES: usize = 32;

/// Words and signs of an expression that may depend on each other.
const MAX_WEIGHT: usize = 160;

/// What a bracket costs a compiler, in words.
const BRACKET_WEIGHT: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).map(|token| token.text).collect()
    }

    #[test]
    fn tokens_are_words_numbers_and_characters() {
        assert_eq!(texts("a1_b+=0x1Fu*1.5f;"), ["a1_b", "+", "=", "0x1Fu", "*", "1.5f", ";"]);
        assert_eq!(texts("é/*1/*2*/3*/b//c\nd"), ["é", "b", "d"]);
        for open in ["/*", "/* /* */", "//", "/", "/*é", ""] {
            assert!(texts(open).len() <= 1, "{open}");
        }
        assert_eq!(
            texts("1.5.x+1..x.y 2u.x.y"),
            ["1.5", ".", "x", "+", "1.", ".", "x", ".", "y", "2u.x", ".", "y"]
        );
        let at: Vec<_> = tokens(" é (x").map(|token| token.at).collect();
        assert_eq!(at, [1, 4, 5]);
    }

    /// All of them, and what other languages have besides.
    #[test]
    fn blanks_and_ends_of_lines_are_those_of_wgsl() {
        let is_part = |holds: fn(char) -> bool| ('\0'..=char::MAX).filter(|&c| holds(c)).collect();
        let ends: String = is_part(ends_line);
        let blanks: String = is_part(is_blank);
        assert_eq!(ends, "\n\u{b}\u{c}\r\u{85}\u{2028}\u{2029}");
        assert_eq!(blanks, "\t\n\u{b}\u{c}\r \u{85}\u{200e}\u{200f}\u{2028}\u{2029}");
        for end in ends.chars() {
            assert_eq!(texts(&format!("a//b{end}c")), ["a", "c"], "{end:?}");
            assert_eq!(lines_and_characters(&format!("é{end}éa"), 4 + end.len_utf8()), (1, 1));
        }
        for other in ['\u{a0}', '\u{1c}', '\u{2003}', '\u{3000}', '\u{feff}'] {
            assert_eq!(texts(&format!("a//b{other}c")), ["a"], "{other:?}");
            assert_eq!(texts(&format!("a{other}c")).len(), 3, "{other:?}");
        }
        assert_eq!(lines_and_characters("a\r\nb\n\rc\r\n\r\nd", 11), (5, 0));
    }

    #[test]
    fn declarations_are_those_of_the_module() {
        let text = "
            enable f16;
            @diagnostic(off, x) fn one(a: f32) { var b = 1; const c = 2; }
            var<private, read> two: array<u32, 4>;
            struct three { fn_: u32 }
            override four = 1; alias five = u32; const six = 1;";
        let found: Vec<_> =
            declarations(text).iter().map(|d| (d.keyword.text, d.name.text)).collect();
        let expected = [
            ("enable", "f16"),
            ("fn", "one"),
            ("var", "two"),
            ("struct", "three"),
            ("override", "four"),
            ("alias", "five"),
            ("const", "six"),
        ];
        assert_eq!(found, expected);
        assert_eq!(declarations("fn"), []);
    }

    #[test]
    fn names_are_not_those_of_locals() {
        let names = names(
            "var<private> g: array<vec2<W>, N>;\n\
             fn f(a: T) -> U { let x = min(a.y, V(z)); var w: array<u32, 2>; x = a < y; }",
        );
        for name in ["f", "T", "U", "min", "V", "array", "private", "vec2", "W", "N", "u32"] {
            assert!(names.contains(name), "{name}");
        }
        for name in ["a", "x", "y", "z", "w"] {
            assert!(!names.contains(name), "{name}");
        }
    }

    #[test]
    fn excess_is_found_where_it_begins() {
        let nested = |open: &str, count, close: &str| {
            format!("fn f() {{ return {}a{}; }}", open.repeat(count), close.repeat(count))
        };
        for (open, close, allowed, refused) in [
            ("(", ")", 39, 41),
            ("abs(", ")", 30, 33),
            ("- ", "", 158, 161),
            ("a + ", "", 78, 81),
            ("{", "}", 15, 16),
            ("a[", "]", 30, 33),
        ] {
            assert_eq!(find_excess(&nested(open, allowed, close)), None, "{open}");
            let excess = find_excess(&nested(open, refused, close));
            assert!(excess.is_some_and(|(at, _)| at > 16), "{open}");
        }
        assert_eq!(find_excess(&"x = y + 1;".repeat(600)), None);
        assert!(find_excess(&"x = y + 1;".repeat(700)).is_some());
        let list = format!("f({})", "a.x * b.x, ".repeat(100));
        assert_eq!(find_excess(&list), None);
        let elses = |count| "if (a) {} else ".repeat(count) + "{}";
        assert_eq!(find_excess(&elses(32)), None);
        assert!(find_excess(&elses(33)).is_some());
    }
}
