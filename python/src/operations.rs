//! Operations by name: those of the library's list.

use crate::value::{Cell, Value};
use half::{bf16, f16};
#[allow(clippy::wildcard_imports, reason = "the list names them")]
use wgpu_reduce::operations::*;
use wgpu_reduce::{
    AnyOperation, Dot, Element, ElementKind, Error, Fold, OpRecord, Operation, PairOperation,
    Result, with_elements,
};

/// What an operation means on elements whose type is known at run time.
#[derive(Clone, Copy)]
struct Meaning {
    finish: fn(u32, ElementKind, &[u8], u64) -> Result<Cell>,
    dtype: fn(ElementKind) -> Option<&'static str>,
}

/// An operation, and NumPy's type of its results.
pub(crate) type Typed = (AnyOperation<Cell>, &'static str);

/// The operation of a name, and the type of its results of such elements. Variances are divided by the number of elements less `ddof`.
pub(crate) fn operation(name: &str, ddof: u32, element: ElementKind) -> Result<Typed> {
    let record = OpRecord::ALL.into_iter().find(|record| record.name() == name);
    let known = record.and_then(|record| Some((record, meaning(name)?)));
    let Some((record, Meaning { finish, dtype })) = known else {
        return Err(Error::Internal { message: format!("there is no operation {name}") });
    };
    let dtype = dtype(element).ok_or_else(|| not_defined(record.name(), element))?;
    let finish = move |element, raw: &[u8], len| finish(ddof, element, raw, len);
    Ok((AnyOperation::new(record, finish), dtype))
}

/// The dot product, and the type of its results.
pub(crate) fn dot(element: ElementKind) -> Result<Typed> {
    let record = PairOperation::<f32>::record(&Dot);
    let dtype = dot_dtype(element).ok_or_else(|| not_defined(record.name(), element))?;
    Ok((AnyOperation::new(record, dot_of), dtype))
}

fn not_defined(operation: &'static str, element: ElementKind) -> Error {
    Error::NotDefined { operation, element: element.name() }
}

/// NumPy's type, if a cell has all of a result.
fn dtype_of<V: Value>() -> Option<&'static str> {
    V::FITS.then_some(V::DTYPE)
}

/// Finishes what a device has left of elements of one of these types.
macro_rules! finish_one {
    ([$($of:ty),*] $operation:ident, $element:ident, $raw:ident, $len:ident) => {$(
        if $element == <$of as Element>::KIND {
            return Ok(Operation::<$of>::finish(&$operation, value($raw)?, $len)?.cell());
        }
    )*};
}

/// Names the results' type, of elements of one of these types.
macro_rules! dtype_of_one {
    ([$($of:ty),*] $operation:ty, $element:ident) => {$(
        if $element == <$of as Element>::KIND {
            return dtype_of::<<$operation as Fold<$of>>::Output>();
        }
    )*};
}

macro_rules! meanings {
    ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        fn meaning(name: &str) -> Option<Meaning> {
            Some(match name {
                $(stringify!($name) => Meaning {
                    finish: |_ddof, element, raw, len| {
                        let operation = $operation { $($field: _ddof)? };
                        with_elements!(every of $class, finish_one(operation, element, raw, len));
                        Err(not_defined(stringify!($name), element))
                    },
                    dtype: |element| {
                        with_elements!(every of $class, dtype_of_one($operation, element));
                        None
                    },
                },)*
                _ => return None,
            })
        }
    };
}
wgpu_reduce::for_each_operation!(meanings);

macro_rules! dots {
    ([$($of:ty),*] $element:ident, $raw:ident, $len:ident) => {$(
        if $element == <$of as Element>::KIND {
            return Ok(PairOperation::<$of>::finish(&Dot, value($raw)?, $len)?.cell());
        }
    )*};
}

fn dot_of(element: ElementKind, raw: &[u8], len: u64) -> Result<Cell> {
    with_elements!(every of squared, dots(element, raw, len));
    Err(not_defined("dot", element))
}

macro_rules! dtype_of_dot {
    ([$($of:ty),*] $element:ident) => {$(
        if $element == <$of as Element>::KIND {
            return dtype_of::<<Dot as Fold<($of, $of)>>::Output>();
        }
    )*};
}

fn dot_dtype(element: ElementKind) -> Option<&'static str> {
    with_elements!(every of squared, dtype_of_dot(element));
    None
}

/// The value in the first of the bytes.
fn value<V: bytemuck::Pod>(raw: &[u8]) -> Result<V> {
    let value = raw.get(..size_of::<V>()).map(bytemuck::pod_read_unaligned);
    value.ok_or_else(|| Error::Internal { message: "a result has too few bytes".into() })
}
