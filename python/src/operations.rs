//! Operations by name: those of the library's list.

use crate::stream::typed;
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
    on_cpu: fn(u32, ElementKind, &[u8]) -> Result<Cell>,
    dtype: fn(ElementKind) -> Option<&'static str>,
}

/// An operation, and NumPy's type of its results.
pub(crate) type Typed = (AnyOperation<Cell>, &'static str);

/// A function that makes results on the host, and NumPy's type of them.
pub(crate) type OnHost<F> = Result<(F, &'static str)>;

/// The operation of a name, and the type of its results of such elements. Variances are divided by the number of elements less `ddof`.
pub(crate) fn operation(name: &str, ddof: u32, element: ElementKind) -> Result<Typed> {
    let (record, Meaning { finish, .. }, dtype) = known(name, element)?;
    let finish = move |element, raw: &[u8], len| finish(ddof, element, raw, len);
    Ok((AnyOperation::new(record, finish), dtype))
}

/// Returns the function that makes an operation's result of the bytes of elements.
pub(crate) fn on_cpu(
    name: &str,
    ddof: u32,
    element: ElementKind,
) -> OnHost<impl Fn(&[u8]) -> Result<Cell> + Send + Sync> {
    let (_, Meaning { on_cpu, .. }, dtype) = known(name, element)?;
    Ok((move |bytes: &[u8]| on_cpu(ddof, element, bytes), dtype))
}

fn known(name: &str, element: ElementKind) -> Result<(&'static OpRecord, Meaning, &'static str)> {
    let record = OpRecord::ALL.into_iter().find(|record| record.name() == name);
    let known = record.and_then(|record| Some((record, meaning(name)?)));
    let Some((record, meaning)) = known else {
        return Err(Error::Internal { message: format!("there is no operation {name}") });
    };
    let dtype = (meaning.dtype)(element).ok_or_else(|| not_defined(record.name(), element))?;
    Ok((record, meaning, dtype))
}

/// The dot product, and the type of its results.
pub(crate) fn dot(element: ElementKind) -> Result<Typed> {
    let record = PairOperation::<f32>::record(&Dot);
    Ok((AnyOperation::new(record, dot_of), dot_dtype(element)?))
}

/// Returns the function that makes a dot product of the bytes of elements.
pub(crate) fn dot_on_cpu(
    element: ElementKind,
) -> OnHost<impl Fn(&[u8], &[u8]) -> Result<Cell> + Send + Sync> {
    let dtype = dot_dtype(element)?;
    let dot = move |left: &[u8], right: &[u8]| {
        with_elements!(every of squared, dots_on_cpu(element, left, right));
        Err(not_defined("dot", element))
    };
    Ok((dot, dtype))
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

/// Makes a result of elements of one of these types on the host.
macro_rules! on_cpu_one {
    ([$($of:ty),*] $operation:ident, $element:ident, $bytes:ident) => {$(
        if $element == <$of as Element>::KIND {
            return Ok(Operation::<$of>::on_cpu(&$operation, &typed::<$of>($bytes)?)?.cell());
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
                    on_cpu: |_ddof, element, bytes| {
                        let operation = $operation { $($field: _ddof)? };
                        with_elements!(every of $class, on_cpu_one(operation, element, bytes));
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

macro_rules! dots_on_cpu {
    ([$($of:ty),*] $element:ident, $left:ident, $right:ident) => {$(
        if $element == <$of as Element>::KIND {
            let (left, right) = (typed::<$of>($left)?, typed::<$of>($right)?);
            return Ok(PairOperation::<$of>::on_cpu(&Dot, &left, &right)?.cell());
        }
    )*};
}
use dots_on_cpu;

macro_rules! dtype_of_dot {
    ([$($of:ty),*] $element:ident) => {$(
        if $element == <$of as Element>::KIND {
            let dtype = dtype_of::<<Dot as Fold<($of, $of)>>::Output>();
            return dtype.ok_or_else(|| not_defined("dot", $element));
        }
    )*};
}

fn dot_dtype(element: ElementKind) -> Result<&'static str> {
    with_elements!(every of squared, dtype_of_dot(element));
    Err(not_defined("dot", element))
}

/// The value in the first of the bytes.
fn value<V: bytemuck::Pod>(raw: &[u8]) -> Result<V> {
    let value = raw.get(..size_of::<V>()).map(bytemuck::pod_read_unaligned);
    value.ok_or_else(|| Error::Internal { message: "a result has too few bytes".into() })
}
