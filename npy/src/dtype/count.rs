//! Types with a count before them, as `1f4` and `(1,)<f4`. NumPy reads them where the count is 1.

use super::split_order;
use crate::literal::{Value, parse};
use std::borrow::Cow;

/// The text without counts, or `None` if it has another than 1 or is a list of types.
pub(super) fn uncounted(text: &str) -> Option<Cow<'_, str>> {
    if !has_count(text) {
        return Some(Cow::Borrowed(text));
    }
    let (before, rest) = split_order(text);
    let (count, rest) = split_count(rest);
    let (after, rest) = split_order(rest);
    let order = one_order(before, after)?;
    let name = rest.trim_end();
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '?');
    if !is_name || !is_text_one(count) {
        return None;
    }
    let name = [order, name].concat();
    // What is left has no bracket or comma, so that it is shorter at each step, and there are three at most.
    uncounted(&name).map(|name| Cow::Owned(name.into_owned()))
}

/// Whether NumPy takes the text for a list of types with counts.
fn has_count(text: &str) -> bool {
    let (_, plain) = split_order(text);
    plain.starts_with(|c: char| c.is_ascii_digit()) || plain.starts_with("()") || text.contains(',')
}

fn split_count(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(' ');
    let rest = rest.strip_prefix('(').unwrap_or(rest);
    let rest = rest.trim_start_matches(|c: char| c == ' ' || c == ',' || c.is_ascii_digit());
    let rest = rest.strip_prefix(')').unwrap_or(rest);
    let rest = rest.trim_start_matches(' ');
    (text.strip_suffix(rest).unwrap_or_default(), rest)
}

/// The sign of the order of bytes that both say. It is empty for the machine's, which may stand before a name then.
fn one_order(before: Option<char>, after: Option<char>) -> Option<&'static str> {
    let (native, other) = if cfg!(target_endian = "big") { ('>', "<") } else { ('<', ">") };
    let of_machine = |order: char| if order == '=' { native } else { order };
    match (before.map(of_machine), after.map(of_machine)) {
        (Some(before), Some(after)) if before != after => None,
        (before, after) => {
            let order = before.or(after).filter(|&order| order != '|' && order != native);
            Some(if order.is_some() { other } else { "" })
        }
    }
}

/// Whether the text of a count is that of 1.
fn is_text_one(count: &str) -> bool {
    let in_brackets = if count.trim_start().starts_with('(') {
        Cow::Borrowed(count)
    } else {
        Cow::Owned(format!("({count})"))
    };
    parse(&in_brackets, false).is_ok_and(|literal| is_one(&literal.value))
}

/// Whether a shape has one element.
pub(super) fn is_one(shape: &Value) -> bool {
    let is_1 = |value: &Value| matches!(value, Value::Whole(Some(1)));
    match shape {
        Value::Tuple(extents) => extents.iter().all(|extent| is_1(&extent.value)),
        Value::List(extents) => {
            !extents.is_empty() && extents.iter().all(|extent| is_1(&extent.value))
        }
        value => is_1(value),
    }
}
