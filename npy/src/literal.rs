//! Python's literals, as far as a header may have them: what `ast.literal_eval` takes, and the integers of Python 2.
//!
//! Every character is looked at once, and brackets nest only so deep, so that no text takes long or much of the stack.

use crate::text::string;

/// A value, and where it lies in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) value: Value,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    /// As in `b'<f4'`.
    Bytes(String),
    /// An integer that is not negative; none of one beyond 2^64.
    Whole(Option<u64>),
    Negative,
    Bool(bool),
    Tuple(Vec<Literal>),
    List(Vec<Literal>),
    Dictionary(Vec<(Literal, Literal)>),
    /// `None`, sets, floats and complex numbers.
    Other,
}

/// What is wrong, and at which byte.
pub(crate) type Fault = (usize, String);

/// Brackets in brackets: enough for records in records.
const MAX_DEPTH: usize = 32;

/// Reads the one literal that a text is. With `python_2` integers may end in `L`.
pub(crate) fn parse(text: &str, python_2: bool) -> Result<Literal, Fault> {
    let mut parser = Parser { text, at: 0, depth: 0, python_2 };
    let literal = parser.value()?;
    parser.skip();
    match parser.peek() {
        None => Ok(literal),
        Some(_) => Err(parser.unexpected("the end")),
    }
}

pub(crate) struct Parser<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    depth: usize,
    python_2: bool,
}

impl Parser<'_> {
    pub(crate) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The next character, which is behind it then.
    pub(crate) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Goes on behind `expected`, if that is what comes next.
    pub(crate) fn take(&mut self, expected: &str) -> bool {
        let is_next = self.rest().starts_with(expected);
        if is_next {
            self.at += expected.len();
        }
        is_next
    }

    /// Goes on behind characters that belong, and returns them.
    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let taken: String = self.rest().chars().take_while(|&c| belongs(c)).collect();
        self.at += taken.len();
        taken
    }

    /// Goes on behind blanks, ends of lines and comments.
    pub(crate) fn skip(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\x0C' | '\n' | '\r') => self.at += 1,
                Some('#') => drop(self.take_while(|c| c != '\n' && c != '\r')),
                Some('\\') if self.take("\\\n") || self.take("\\\r") => {}
                _ => return,
            }
        }
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let found = match self.peek() {
            Some(found) => format!("there is {found:?}"),
            None => "it ends".into(),
        };
        (self.at, format!("expected {expected}, and {found}"))
    }

    fn value(&mut self) -> Result<Literal, Fault> {
        self.skip();
        let start = self.at;
        let value = match self.peek() {
            Some('(') => self.bracketed(Self::tuple)?,
            Some('[') => self.bracketed(Self::list)?,
            Some('{') => self.bracketed(Self::braces)?,
            Some('\'' | '"') => string(self)?,
            Some('0'..='9' | '.' | '+' | '-') => self.number()?,
            Some(c) if c.is_alphabetic() || c == '_' => self.word()?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Literal { value, start, end: self.at })
    }

    fn bracketed(&mut self, inside: fn(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        if self.depth == MAX_DEPTH {
            return Err((self.at, format!("more than {MAX_DEPTH} brackets in each other")));
        }
        self.depth += 1;
        self.at += 1;
        let value = inside(self);
        self.depth -= 1;
        value
    }

    /// Values with commas between them up to `end`, and whether a comma was the last thing.
    fn values(&mut self, end: &str) -> Result<(Vec<Literal>, bool), Fault> {
        let (mut values, mut ends_in_comma) = (Vec::new(), false);
        loop {
            self.skip();
            if self.take(end) {
                return Ok((values, ends_in_comma));
            }
            if !values.is_empty() && !ends_in_comma {
                return Err(self.unexpected(&format!("',' or '{end}'")));
            }
            values.push(self.value()?);
            self.skip();
            ends_in_comma = self.take(",");
        }
    }

    fn tuple(&mut self) -> Result<Value, Fault> {
        let (mut values, ends_in_comma) = self.values(")")?;
        match values.pop() {
            // A value in brackets.
            Some(only) if values.is_empty() && !ends_in_comma => Ok(only.value),
            last => {
                values.extend(last);
                Ok(Value::Tuple(values))
            }
        }
    }

    fn list(&mut self) -> Result<Value, Fault> {
        self.values("]").map(|(values, _)| Value::List(values))
    }

    /// A dictionary, or a set.
    fn braces(&mut self) -> Result<Value, Fault> {
        let mut pairs = Vec::new();
        loop {
            self.skip();
            if self.take("}") {
                return Ok(Value::Dictionary(pairs));
            }
            let key = self.value()?;
            self.skip();
            if pairs.is_empty() && !self.rest().starts_with(':') {
                return self.set();
            }
            if !self.take(":") {
                return Err(self.unexpected("':'"));
            }
            let value = self.value()?;
            pairs.push((key, value));
            self.skip();
            if !self.take(",") && !self.rest().starts_with('}') {
                return Err(self.unexpected("',' or '}'"));
            }
        }
    }

    /// What is left of a set behind its first value.
    fn set(&mut self) -> Result<Value, Fault> {
        if !self.take(",") && !self.rest().starts_with('}') {
            return Err(self.unexpected("':', ',' or '}'"));
        }
        self.values("}").map(|_| Value::Other)
    }

    /// A constant with a name, or text whose quotes have letters before them.
    fn word(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let word = self.take_while(|c| c.is_alphanumeric() || c == '_');
        match word.as_str() {
            "True" => Ok(Value::Bool(true)),
            "False" => Ok(Value::Bool(false)),
            "None" => Ok(Value::Other),
            "set" if self.take("()") => Ok(Value::Other),
            _ if matches!(self.peek(), Some('\'' | '"')) => {
                self.at = start;
                string(self)
            }
            _ => {
                let shown: String = word.chars().take(40).collect();
                Err((start, format!("unexpected {shown:?}")))
            }
        }
    }

    /// A number with a sign or without, or the sum of two, which is complex.
    fn number(&mut self) -> Result<Value, Fault> {
        let is_negative = self.take("-");
        if !is_negative {
            self.take("+");
        }
        self.skip();
        let number = self.unsigned()?;
        let end = self.at;
        self.skip();
        if self.take("+") || self.take("-") {
            self.skip();
            return self.unsigned().map(|_| Value::Other);
        }
        self.at = end;
        Ok(match number {
            Value::Whole(Some(1..) | None) if is_negative => Value::Negative,
            number => number,
        })
    }

    fn unsigned(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let radix = [("0x", 16), ("0o", 8), ("0b", 2), ("0X", 16), ("0O", 8), ("0B", 2)];
        let prefixed = radix.into_iter().find(|(prefix, _)| self.take(prefix));
        let digits = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        let (radix, is_prefixed) = prefixed.map_or((10, false), |(_, radix)| (radix, true));
        // The sign of an exponent.
        if !is_prefixed && digits.ends_with(['e', 'E']) && matches!(self.peek(), Some('+' | '-')) {
            self.at += 1;
            self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        }
        let whole = digits.strip_suffix('L').filter(|_| self.python_2).unwrap_or(&digits);
        let plain = if is_prefixed { whole.strip_prefix('_').unwrap_or(whole) } else { whole };
        let is_whole = plain.split('_').all(|part| is_number(part, radix));
        let leading = whole.starts_with('0') && whole.contains(|c: char| ('1'..='9').contains(&c));
        if is_whole && (is_prefixed || !leading) {
            return Ok(Value::Whole(u64::from_str_radix(&plain.replace('_', ""), radix).ok()));
        }
        let text: String = self.text.get(start..self.at).unwrap_or_default().replace('_', "");
        let real = text.strip_suffix(['j', 'J']).unwrap_or(&text);
        let is_real = real.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && real.parse::<f64>().is_ok();
        if is_real && (text.len() > real.len() || real.contains(['.', 'e', 'E'])) {
            return Ok(Value::Other);
        }
        let shown: String = text.chars().take(40).collect();
        Err((start, format!("{shown:?} is no number")))
    }
}

fn is_number(digits: &str, radix: u32) -> bool {
    !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix))
}

#[cfg(test)]
mod tests {
    use super::{Literal, MAX_DEPTH, Value, parse};

    fn value(text: &str) -> Value {
        parse(text, false).unwrap_or_else(|fault| panic!("{text}: {fault:?}")).value
    }

    fn whole(number: u64) -> Value {
        Value::Whole(Some(number))
    }

    fn values(values: &[Literal]) -> Vec<Value> {
        values.iter().map(|literal| literal.value.clone()).collect()
    }

    /// What `ast.literal_eval` makes of these, of Python 3.11.
    #[test]
    fn numbers_are_read() {
        for (text, expected) in [
            ("0", whole(0)),
            ("00_0", whole(0)),
            ("1_000", whole(1000)),
            ("0x1F", whole(31)),
            ("0X_f", whole(15)),
            ("0o17", whole(15)),
            ("0B101", whole(5)),
            ("+7", whole(7)),
            ("- 7", Value::Negative),
            ("-0", whole(0)),
            ("18446744073709551615", whole(u64::MAX)),
            ("18446744073709551616", Value::Whole(None)),
            ("-18446744073709551616", Value::Negative),
            (" (7)", whole(7)),
            ("((7))", whole(7)),
            ("1.", Value::Other),
            (".5", Value::Other),
            ("-1e-3", Value::Other),
            ("1E+5", Value::Other),
            ("1_0.2_5e1_0", Value::Other),
            ("3j", Value::Other),
            ("010j", Value::Other),
            ("1+2J", Value::Other),
            ("-1.5 - .5j", Value::Other),
            ("None", Value::Other),
            ("{1, 2}", Value::Other),
            ("set()", Value::Other),
            ("True", Value::Bool(true)),
            ("False # no", Value::Bool(false)),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        assert_eq!(parse("12L", true).unwrap().value, whole(12));
    }

    #[test]
    fn brackets_are_read() {
        let Value::Tuple(tuple) = value("(1,)") else { panic!() };
        assert_eq!(values(&tuple), [whole(1)]);
        let Value::Tuple(tuple) = value("( 1 ,\n 2 # two\n,)") else { panic!() };
        assert_eq!(values(&tuple), [whole(1), whole(2)]);
        assert_eq!(value("()"), Value::Tuple(vec![]));
        let Value::List(list) = value("[1, [2], \\\n 'x',]") else { panic!() };
        assert_eq!((list.len(), &list[2].value), (3, &Value::Text("x".into())));
        let Value::Dictionary(pairs) = value("{'a': 1, u'b' : (2,),}") else { panic!() };
        assert_eq!((pairs.len(), pairs[1].0.start, pairs[1].0.end), (2, 9, 13));
        assert_eq!(value("{}"), Value::Dictionary(vec![]));
        let nested = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
        assert!(parse(&nested, false).is_ok());
    }

    #[test]
    fn what_is_no_literal_is_refused_where_it_is() {
        let deep = "(".repeat(MAX_DEPTH + 1);
        for (text, at) in [
            ("", 0),
            ("  ", 2),
            ("1, 2", 1),
            ("(1", 2),
            ("(1 2)", 3),
            ("(,)", 1),
            ("[1,,2]", 3),
            ("[1)", 2),
            ("{'a': 1, 'b'}", 12),
            ("{'a' 1}", 5),
            ("{1: 2 3}", 6),
            ("{'a': }", 6),
            ("{**{}}", 1),
            ("007", 0),
            ("12L", 0),
            ("1__0", 0),
            ("_1", 0),
            ("1_", 0),
            ("0x", 0),
            ("0b2", 0),
            ("1e", 0),
            ("--1", 1),
            ("inf", 0),
            ("nan", 0),
            ("x", 0),
            ("[True, true]", 7),
            ("1 if 2 else 3", 2),
            ("(x for x in ())", 1),
            ("2*3", 1),
            ("٣", 0),
            ("f''", 0),
            (deep.as_str(), MAX_DEPTH),
        ] {
            let outcome = parse(text, false);
            assert!(outcome.as_ref().is_err_and(|fault| fault.0 == at), "{text}: {outcome:?}");
        }
    }
}
