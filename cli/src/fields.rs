//! Named values in an order: a JSON object, or a line of CSV.

use crate::failure::Failure;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::io::Write;

/// Names and values.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// Adds a field at the end. Numbers that are not finite become null.
    pub(crate) fn push(&mut self, name: &'static str, value: impl Into<Value>) {
        self.0.push((name, value.into()));
    }

    /// Adds the fields of `others` at the end.
    pub(crate) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Prints a header and one line for each of `rows`, which have the same fields.
pub(crate) fn print_csv(rows: &[Fields], out: &mut impl Write) -> Result<(), Failure> {
    let Some(Fields(first)) = rows.first() else { return Ok(()) };
    let names: Vec<_> = first.iter().map(|(name, _)| *name).collect();
    writeln!(out, "{}", names.join(","))?;
    for Fields(row) in rows {
        let cells: Vec<_> = row.iter().map(|(_, value)| cell(value)).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, print_csv};

    fn fields(text: &str, number: Option<f64>) -> Fields {
        let mut fields = Fields::default();
        fields.push("text", text);
        fields.push("number", number);
        fields
    }

    #[test]
    fn objects_keep_their_order() {
        let mut all = fields("a \"b\"", Some(0.5));
        all.extend(fields("c", None));
        assert_eq!(
            serde_json::to_string(&all).unwrap(),
            r#"{"text":"a \"b\"","number":0.5,"text":"c","number":null}"#
        );
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let mut out = Vec::new();
        let rows =
            [fields("plain", Some(1.25)), fields("a, \"b\"", None), fields("c", Some(f64::NAN))];
        print_csv(&rows, &mut out).unwrap();
        let expected = "text,number\nplain,1.25\n\"a, \"\"b\"\"\",\nc,\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        print_csv(&[], &mut Vec::new()).unwrap();
    }
}
