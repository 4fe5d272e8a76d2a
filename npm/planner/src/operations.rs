//! Operations by name: those of the library's list.

use crate::script::{Result as Found, wrong};
use crate::value::{Cell, Fields, Value, cell};
use half::{bf16, f16};
#[allow(clippy::wildcard_imports, reason = "the list names them")]
use wgpu_reduce::operations::*;
use wgpu_reduce::{
    AnyOperation, Dot, Element, ElementKind, Error, Fold, OpRecord, Operation, PairOperation,
    Result, value_of_bytes, with_elements,
};

/// What an operation means on elements whose type is known at run time.
#[derive(Clone, Copy)]
struct Meaning {
    finish: fn(u32, ElementKind, &[u8], u64) -> Result<Cell>,
    fields: fn(ElementKind) -> Option<Fields>,
}

/// An operation, and what its results have.
pub(crate) type Typed = (AnyOperation<Cell>, Fields);

/// The operation whose results only the host finishes; it has no record.
pub(crate) const DOT_EXACT: &str = "dot_exact";

/// The names of all operations.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    OpRecord::ALL.into_iter().chain(OpRecord::PAIRS).map(OpRecord::name).chain([DOT_EXACT])
}

/// The operation of a name, on such elements. Variances are divided by the number of elements less `ddof`.
pub(crate) fn operation(name: &str, ddof: u32, element: ElementKind) -> Found<Typed> {
    let record = OpRecord::ALL.into_iter().chain(OpRecord::PAIRS).find(|op| op.name() == name);
    let known = record.and_then(|record| Some((record, meaning(name)?)));
    let Some((record, Meaning { finish, fields })) = known else {
        return wrong(format!("there is no operation named '{name}'"));
    };
    let fields = fields(element).ok_or_else(|| not_defined(record.name(), element))?;
    let finish = move |element, raw: &[u8], len| finish(ddof, widened(element), raw, len);
    Ok((AnyOperation::new(record, finish), fields))
}

/// What results of an operation on such elements have.
pub(crate) fn fields(name: &'static str, element: ElementKind) -> Result<Fields> {
    let fields = meaning(name).and_then(|meaning| (meaning.fields)(element));
    fields.ok_or_else(|| not_defined(name, element))
}

/// The type that has the values of packed elements: devices leave its results, and to finish those takes less code.
const fn widened(element: ElementKind) -> ElementKind {
    match element {
        ElementKind::U8 | ElementKind::U16 => ElementKind::U32,
        ElementKind::I8 | ElementKind::I16 => ElementKind::I32,
        ElementKind::F16 | ElementKind::Bf16 => ElementKind::F32,
        element => element,
    }
}

pub(crate) fn not_defined(operation: &'static str, element: ElementKind) -> Error {
    Error::NotDefined { operation, element: element.name() }
}

/// Finishes what a device has left of elements of one of these types.
macro_rules! finish_one {
    ([$($of:ty),*] $trait:ident, $operation:ident, $element:ident, $raw:ident, $len:ident) => {$(
        if $element == <$of as Element>::KIND {
            return Ok(cell($trait::<$of>::finish(&$operation, value_of_bytes($raw)?, $len)?));
        }
    )*};
}

/// What operations of one input reduce.
type One<T> = T;

/// What operations of two inputs reduce.
type Two<T> = (T, T);

/// Names the fields of results, of elements of one of these types.
macro_rules! fields_of_one {
    ([$($of:ty),*] $items:ident, $operation:ty, $element:ident) => {$(
        if $element == <$of as Element>::KIND {
            return Some(<<$operation as Fold<$items<$of>>>::Output as Value>::FIELDS);
        }
    )*};
}

/// What an operation means, of one input or of two.
macro_rules! meaning {
    ($name:expr, $operation:ident($($field:ident)?) of $class:ident by $trait:ident over $items:ident) => {
        Meaning {
            finish: |_ddof, element, raw, len| {
                let operation = $operation { $($field: _ddof)? };
                with_elements!(words of $class, finish_one($trait, operation, element, raw, len));
                with_elements!(wide of $class, finish_one($trait, operation, element, raw, len));
                Err(not_defined($name, element))
            },
            fields: |element| {
                with_elements!(every of $class, fields_of_one($items, $operation, element));
                None
            },
        }
    };
}

macro_rules! meanings {
    ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        fn meaning(name: &str) -> Option<Meaning> {
            Some(match name {
                $(stringify!($name) => meaning!(stringify!($name), $operation($($field)?) of $class by Operation over One),)*
                "dot" => meaning!("dot", Dot() of squared by PairOperation over Two),
                _ => return None,
            })
        }
    };
}
wgpu_reduce::for_each_operation!(meanings);
