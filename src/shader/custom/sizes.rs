//! How many values the types and constants of a text are made of, from its tokens. Compilers write some of them out value by
//! value, before they look whether there may be so many: they are asked only where there are few.

use crate::shader::custom::scan::{Token, tokens};
use std::collections::HashMap;

/// Values of one type or constant.
const MOST_VALUES: u64 = 1 << 16;

const TOO_LARGE: &str = "more than 65536 values in one are too many for an operator";
const NO_LENGTH: &str =
    "the length of an array in an operator is a number, or a constant that is declared as one";

/// A type or a constant that is too large: where it stands, in bytes, and what is wrong with it.
pub(crate) fn find_large(text: &str) -> Option<(usize, &'static str)> {
    let mut sizes = Sizes::of(text);
    for at in 0..sizes.tokens.len() {
        let is_declared = at > 0 && DECLARING.contains(&sizes.text(at - 1));
        let size = if is_declared {
            sizes.named(sizes.text(at))
        } else if sizes.is_array(at) {
            sizes.type_at(at).0
        } else {
            continue;
        };
        let what = match size {
            Some(values) if values <= MOST_VALUES => continue,
            Some(_) => TOO_LARGE,
            None => NO_LENGTH,
        };
        return sizes.tokens.get(at).map(|token| (token.at, what));
    }
    None
}

const DECLARING: [&str; 3] = ["alias", "struct", "const"];

/// Values, of which there may be more than can be counted; none if a length is not a number.
type Size = Option<u64>;

struct Sizes<'a> {
    tokens: Vec<Token<'a>>,
    /// Where names are declared, at their keywords; a constant in a function may have the name of another.
    declared: HashMap<&'a str, Vec<usize>>,
    known: HashMap<&'a str, Size>,
}

impl<'a> Sizes<'a> {
    fn of(text: &'a str) -> Self {
        let tokens: Vec<_> = tokens(text).collect();
        let mut declared: HashMap<_, Vec<_>> = HashMap::new();
        for (at, pair) in tokens.windows(2).enumerate() {
            if let [keyword, name] = pair {
                if DECLARING.contains(&keyword.text) {
                    declared.entry(name.text).or_default().push(at);
                }
            }
        }
        Self { tokens, declared, known: HashMap::new() }
    }

    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn is_array(&self, at: usize) -> bool {
        self.text(at) == "array" && self.text(at + 1) == "<"
    }

    /// The largest that a name may mean; 1 of what is not declared here.
    fn named(&mut self, name: &'a str) -> Size {
        if let Some(&size) = self.known.get(name) {
            return size;
        }
        // What is made of itself is no type, and refused as such.
        self.known.insert(name, Some(1));
        let places = self.declared.get(name).cloned().unwrap_or_default();
        let sizes: Option<Vec<_>> = places.into_iter().map(|at| self.declaration(at)).collect();
        let size = sizes.map(|sizes| sizes.into_iter().max().unwrap_or(1));
        self.known.insert(name, size);
        size
    }

    fn declaration(&mut self, at: usize) -> Size {
        match self.text(at) {
            "alias" => self.type_at(at + 3).0,
            "struct" => self.sum(at + 2, "}", |sizes, at| match sizes.text(at) {
                ":" => sizes.type_at(at + 1).0,
                _ => Some(0),
            }),
            _ => {
                let value = (at..self.tokens.len()).find(|&at| matches!(self.text(at), "=" | ";"));
                let value = value.unwrap_or(self.tokens.len());
                // What is no call and no constructor is one value.
                let end = self.end(value, ";");
                if !(value..end).any(|at| self.text(at) == "(") {
                    return Some(1);
                }
                self.sum(value, ";", |sizes, at| {
                    if sizes.is_array(at) {
                        sizes.type_at(at).0
                    } else {
                        sizes.named(sizes.text(at))
                    }
                })
            }
        }
    }

    fn end(&self, from: usize, closing: &str) -> usize {
        let end = (from..self.tokens.len()).find(|&at| self.text(at) == closing);
        end.unwrap_or(self.tokens.len())
    }

    /// Sums up `of` of all tokens up to that one.
    fn sum(
        &mut self,
        from: usize,
        closing: &str,
        mut of: impl FnMut(&mut Self, usize) -> Size,
    ) -> Size {
        let mut sum = 0_u64;
        for at in from..self.end(from, closing) {
            sum = sum.saturating_add(of(self, at)?);
        }
        Some(sum)
    }

    /// How large the type is that begins there, and where it ends.
    fn type_at(&mut self, at: usize) -> (Size, usize) {
        if !self.is_array(at) {
            let size = self.named(self.text(at));
            let end = if self.text(at + 1) == "<" { self.end(at, ">") } else { at };
            return (size, end + 1);
        }
        let (element, after) = self.type_at(at + 2);
        if self.text(after) != "," || self.text(after + 1) == ">" {
            return (element, self.end(after, ">") + 1);
        }
        let end = after + 2 + usize::from(self.text(after + 2) == ",");
        let length = if self.text(end) == ">" { self.length(self.text(after + 1)) } else { None };
        let size = element.zip(length).map(|(element, length)| element.saturating_mul(length));
        (size, end + 1)
    }

    /// The length that a number says, or the largest of what a name is declared as.
    fn length(&self, token: &str) -> Option<u64> {
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return number(token);
        }
        let declared = self.declared.get(token)?;
        let lengths: Option<Vec<_>> = declared.iter().map(|&at| self.declared_number(at)).collect();
        lengths?.into_iter().max()
    }

    /// What a constant is, if it is declared as a number.
    fn declared_number(&self, at: usize) -> Option<u64> {
        let value = self.end(at, "=") + 1;
        let is_alone = self.text(at) == "const" && self.text(value + 1) == ";";
        number(self.text(value)).filter(|_| is_alone)
    }
}

/// A whole number as WGSL writes it.
fn number(token: &str) -> Option<u64> {
    let digits = token.strip_suffix(['u', 'i']).unwrap_or(token);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_small_is_let_pass() {
        for text in [
            "",
            "fn map(a: f32, b: u32) -> f32 { return a; }",
            "const N = 16u; alias A = array<vec4<f32>, N>; fn f() { var a: array<A, 0x100>; }",
            "struct S { a: u32, b: array<u32, 65535>, }",
            "const a = array<u32, 3>(1, 2, 3); const b = a[1] + a[2];",
            "const a = array<u32, 60000>(); const b = a[1] + a[2];",
            "alias A = array<u32>; alias B = array<vec4<f32>,>;",
            "const a = 3; fn f() { const N : i32 = 65536i; var x = array<u32, N,>(); }",
            "fn f() { let x = array(1, 2, 3); if x[0] < 4 && x[1] > 5 {} }",
            "fn f(a: array<u32, 4>) -> array<u32, 4> { var x: array<array<u32, 200>, 200>; }",
            "struct a { b: a } alias c = d; alias d = c; const e = f(); const f = e();",
        ] {
            assert_eq!(find_large(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_large_is_found_where_it_stands() {
        let doubled = (1..40).map(|i| format!("struct S{i} {{ a: S{0}, b: S{0} }} ", i - 1));
        let twice = (1..40).map(|i| format!("const c{i} = array(c{0}, c{0}); ", i - 1));
        let structs =
            "struct S0 { a: u32, b: u32 } ".to_owned() + &doubled.collect::<Vec<_>>().concat();
        let constants = "const c0 = array(1, 2); ".to_owned() + &twice.collect::<Vec<_>>().concat();
        for (text, place) in [
            (&structs[..], structs.find("S16 {").unwrap()),
            (&constants, constants.find("c13 =").unwrap()),
            ("const a = -array<u32, 4294967295>();", 6),
            ("fn f() { var a: array<u32, 65537>; }", 16),
            ("fn f() { var a: array<vec4<f32>, 65537>; }", 16),
            ("fn f() { var a: array<array<u32, 300>, 300>; }", 16),
            ("alias B = array<A, 257>; alias A = array<u32, 0x100u>;", 6),
            ("struct S { a: array<u32, 65536>, b: u32 }", 7),
            ("const N = 4; fn f() { const N = 99999; var a: array<u32, N>; }", 46),
        ] {
            let found = find_large(text);
            assert_eq!(found, Some((place, TOO_LARGE)), "{text}");
        }
        for (text, place) in [
            ("fn f() { var a: array<u32, 2 * 3>; }", 16),
            ("const N = 4 + 1; fn f() { var a: array<u32, N>; }", 33),
            ("alias N = u32; fn f() { var a: array<u32, N>; }", 31),
            ("fn f() { var a: array<u32, 99999999999999999999>; }", 16),
            ("const a = array<u32, M>();", 6),
        ] {
            assert_eq!(find_large(text), Some((place, NO_LENGTH)), "{text}");
        }
    }
}
