//! What the literal of a header says.

use crate::literal::{Fault, Literal, Value, parse};

/// The three things that a header has.
pub(crate) struct Header {
    pub(crate) descr: Literal,
    pub(crate) is_fortran: bool,
    pub(crate) extents: Vec<u64>,
    /// The product of the extents.
    pub(crate) elements: u64,
}

impl Header {
    /// Reads a dictionary. With `python_2` integers may end in `L`, as Python 2 wrote them.
    pub(crate) fn read(text: &str, python_2: bool) -> Result<Self, Fault> {
        let literal = parse(text, python_2).map_err(|(at, what)| (at, unparsed(&what)))?;
        let Value::Dictionary(pairs) = literal.value else {
            return Err((literal.start, unparsed("it is no dictionary")));
        };
        // Of equal keys the last one counts.
        let found = |key: &str| {
            let mut last_first = pairs.iter().rev();
            let pair = last_first.find(|(it, _)| matches!(&it.value, Value::Text(it) if it == key));
            let missing = || (literal.start, unparsed(&format!("it has no '{key}'")));
            pair.map(|(_, value)| value).ok_or_else(missing)
        };
        let (order, shape, descr) = (found("fortran_order")?, found("shape")?, found("descr")?);
        let Value::Bool(is_fortran) = order.value else {
            return Err((order.start, unparsed("'fortran_order' is neither True nor False")));
        };
        let extents = extents(shape)?;
        let elements = product(&extents, shape)?;
        Ok(Self { descr: descr.clone(), is_fortran, extents, elements })
    }
}

fn unparsed(what: &str) -> String {
    format!("the header cannot be parsed: {what}")
}

fn dimensions(shape: &Literal) -> &[Literal] {
    match &shape.value {
        Value::Tuple(dimensions) | Value::List(dimensions) => dimensions,
        _ => &[],
    }
}

fn extents(shape: &Literal) -> Result<Vec<u64>, Fault> {
    if !matches!(shape.value, Value::Tuple(_) | Value::List(_)) {
        return Err((shape.start, unparsed("'shape' is no tuple")));
    }
    let extent = |dimension: &Literal| match dimension.value {
        Value::Whole(Some(extent)) => Ok(extent),
        Value::Bool(one) => Ok(one.into()),
        Value::Whole(None) => Err((dimension.start, "a dimension beyond 2^64".into())),
        Value::Negative => Err((dimension.start, "a dimension is negative".into())),
        _ => Err((dimension.start, unparsed("a dimension is no integer"))),
    };
    dimensions(shape).iter().map(extent).collect()
}

/// How many elements there are. Dimensions other than 0 may not multiply to too many, even where one is 0.
fn product(extents: &[u64], shape: &Literal) -> Result<u64, Fault> {
    let mut product = 1_u64;
    for (extent, dimension) in extents.iter().zip(dimensions(shape)) {
        let too_many =
            || (dimension.start, "dimensions multiply to more than 2^64 elements".into());
        product = product.checked_mul((*extent).max(1)).ok_or_else(too_many)?;
    }
    Ok(if extents.contains(&0) { 0 } else { product })
}
