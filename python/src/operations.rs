//! Operations by name: those of the library's list.

use crate::stream::typed as elements;
use crate::value::{Cell, Value};
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
    on_cpu: fn(u32, ElementKind, &[&[u8]]) -> Result<Cell>,
    dtype: fn(ElementKind) -> Option<&'static str>,
}

/// An operation, and NumPy's type of its results.
pub(crate) type Typed = (AnyOperation<Cell>, &'static str);

/// A function that makes results on the host, and NumPy's type of them.
pub(crate) type OnHost<F> = Result<(F, &'static str)>;

/// The operation of a name, and the type of its results of such elements. Variances are divided by the number of elements less `ddof`.
pub(crate) fn operation(name: &str, ddof: u32, element: ElementKind) -> Result<Typed> {
    typed(OpRecord::ALL, name, ddof, element)
}

/// The dot product, and the type of its results.
pub(crate) fn dot(element: ElementKind) -> Result<Typed> {
    typed(OpRecord::PAIRS, DOT, 0, element)
}

/// Returns the function that makes an operation's result of the bytes of elements.
pub(crate) fn on_cpu(
    name: &str,
    ddof: u32,
    element: ElementKind,
) -> OnHost<impl Fn(&[u8]) -> Result<Cell> + Send + Sync> {
    let (_, Meaning { on_cpu, .. }, dtype) = known(OpRecord::ALL, name, element)?;
    Ok((move |bytes: &[u8]| on_cpu(ddof, element, &[bytes]), dtype))
}

/// Returns the function that makes a dot product of the bytes of elements.
pub(crate) fn dot_on_cpu(
    element: ElementKind,
) -> OnHost<impl Fn(&[u8], &[u8]) -> Result<Cell> + Send + Sync> {
    let (_, Meaning { on_cpu, .. }, dtype) = known(OpRecord::PAIRS, DOT, element)?;
    Ok((move |left: &[u8], right: &[u8]| on_cpu(0, element, &[left, right]), dtype))
}

/// The operation of two inputs.
const DOT: &str = "dot";

fn typed(
    records: impl IntoIterator<Item = &'static OpRecord>,
    name: &str,
    ddof: u32,
    element: ElementKind,
) -> Result<Typed> {
    let (record, Meaning { finish, .. }, dtype) = known(records, name, element)?;
    let finish = move |element, raw: &[u8], len| finish(ddof, element, raw, len);
    Ok((AnyOperation::new(record, finish), dtype))
}

fn known(
    records: impl IntoIterator<Item = &'static OpRecord>,
    name: &str,
    element: ElementKind,
) -> Result<(&'static OpRecord, Meaning, &'static str)> {
    let record = records.into_iter().find(|record| record.name() == name);
    let known = record.and_then(|record| Some((record, meaning(name)?)));
    let Some((record, meaning)) = known else {
        return Err(Error::Internal { message: format!("there is no operation {name}") });
    };
    let dtype = (meaning.dtype)(element).ok_or_else(|| not_defined(record.name(), element))?;
    Ok((record, meaning, dtype))
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
    ([$($of:ty),*] $trait:ident, $operation:ident, $element:ident, $raw:ident, $len:ident) => {$(
        if $element == <$of as Element>::KIND {
            return Ok($trait::<$of>::finish(&$operation, value_of_bytes($raw)?, $len)?.cell());
        }
    )*};
}

/// Makes a result of elements of one of these types on the host.
macro_rules! on_cpu_one {
    ([$($of:ty),*] $trait:ident, $operation:ident, $element:ident, $inputs:tt) => {$(
        on_cpu_one!($of, $trait, $operation, $element, $inputs);
    )*};
    ($of:ty, $trait:ident, $operation:ident, $element:ident, [$($input:ident),*]) => {
        if $element == <$of as Element>::KIND {
            return Ok($trait::<$of>::on_cpu(&$operation, $(&elements::<$of>($input)?),*)?.cell());
        }
    };
}

/// What operations of one input reduce.
type One<T> = T;

/// What operations of two inputs reduce.
type Two<T> = (T, T);

/// Names the results' type, of elements of one of these types.
macro_rules! dtype_of_one {
    ([$($of:ty),*] $items:ident, $operation:ty, $element:ident) => {$(
        if $element == <$of as Element>::KIND {
            return dtype_of::<<$operation as Fold<$items<$of>>>::Output>();
        }
    )*};
}

/// What an operation means, of one input or of two.
macro_rules! meaning {
    ($name:expr, $operation:ident($($field:ident)?) of $class:ident by $trait:ident over $items:ident $inputs:tt) => {
        Meaning {
            finish: |_ddof, element, raw, len| {
                let operation = $operation { $($field: _ddof)? };
                with_elements!(every of $class, finish_one($trait, operation, element, raw, len));
                Err(not_defined($name, element))
            },
            on_cpu: |_ddof, element, inputs| {
                let operation = $operation { $($field: _ddof)? };
                if let &$inputs = inputs {
                    with_elements!(every of $class, on_cpu_one($trait, operation, element, $inputs));
                }
                Err(not_defined($name, element))
            },
            dtype: |element| {
                with_elements!(every of $class, dtype_of_one($items, $operation, element));
                None
            },
        }
    };
}

macro_rules! meanings {
    ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        fn meaning(name: &str) -> Option<Meaning> {
            Some(match name {
                $(stringify!($name) => {
                    meaning!(stringify!($name), $operation($($field)?) of $class by Operation over One [values])
                })*
                DOT => meaning!(DOT, Dot() of squared by PairOperation over Two [left, right]),
                _ => return None,
            })
        }
    };
}
wgpu_reduce::for_each_operation!(meanings);
