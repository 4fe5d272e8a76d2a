//! Results as bytes that JavaScript has arrays for.

use crate::script::{number, object};
use half::{bf16, f16};
use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wgpu_reduce::{Error, Extrema, Located, Result, Statistics};

/// A result: its fields, [`FIELD_BYTES`] from each to the next. The lower bytes of an integer are that integer in a shorter type, so that
/// elements of fewer bits may come as the longer ones that a device has left.
pub(crate) type Cell = [u8; CELL_BYTES];

/// The largest are those of `stats`.
const CELL_BYTES: usize = 64;

/// Bytes from one field to the next. Longer is what has no other field beside it.
const FIELD_BYTES: usize = 8;

/// What a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    U128,
    Bool,
    /// A place among elements, of which a buffer holds fewer than 2^53.
    Index,
}

/// Names and kinds of a result's fields; one that is a number alone has no name.
pub(crate) type Fields = &'static [(&'static str, Kind)];

/// The shape of results, and the columns of each list of them.
pub(crate) type Finished = (&'static str, Vec<Array>);

/// A result that JavaScript has values for.
pub(crate) trait Value {
    const FIELDS: Fields;

    /// Appends the bytes of the fields.
    fn write(self, bytes: &mut Vec<u8>);
}

/// A result that is a number.
pub(crate) trait Number: Value {
    const KIND: Kind;
}

/// Returns the fields' bytes.
pub(crate) fn cell(value: impl Value) -> Cell {
    let mut bytes = Vec::with_capacity(CELL_BYTES);
    value.write(&mut bytes);
    let mut cell = [0; CELL_BYTES];
    cell.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
    cell
}

/// Returns a cell with fields of these bits.
pub(crate) fn cell_of<const N: usize>(fields: [u64; N]) -> Cell {
    let mut cell = [0; CELL_BYTES];
    let places = cell.chunks_exact_mut(FIELD_BYTES);
    places.zip(fields).for_each(|(place, bits)| place.copy_from_slice(&bits.to_le_bytes()));
    cell
}

/// Appends a number's bytes, to the end of its field.
fn append(number: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(number);
    bytes.resize(bytes.len().next_multiple_of(FIELD_BYTES), 0);
}

macro_rules! numbers {
    ($($number:ty => $kind:ident, $convert:expr;)*) => {$(
        impl Number for $number {
            const KIND: Kind = Kind::$kind;
        }

        impl Value for $number {
            const FIELDS: Fields = &[("", Self::KIND)];

            fn write(self, bytes: &mut Vec<u8>) {
                append(&$convert(self).to_le_bytes(), bytes);
            }
        }
    )*};
}
// Every host has numbers, and few have short floats.
numbers! {
    f16 => F32, f16::to_f32; bf16 => F32, bf16::to_f32; f32 => F32, f32::from; f64 => F64, f64::from;
    i8 => I8, i8::from; i16 => I16, i16::from; i32 => I32, i32::from; i64 => I64, i64::from; i128 => I128, i128::from;
    u8 => U8, u8::from; u16 => U16, u16::from; u32 => U32, u32::from; u64 => U64, u64::from; u128 => U128, u128::from;
    bool => Bool, u8::from;
}

impl<T: Number> Value for Located<T> {
    const FIELDS: Fields = &[("index", Kind::Index), ("value", T::KIND)];

    fn write(self, bytes: &mut Vec<u8>) {
        self.index.write(bytes);
        self.value.write(bytes);
    }
}

impl<T: Number> Value for Extrema<T> {
    const FIELDS: Fields = &[("min", T::KIND), ("max", T::KIND)];

    fn write(self, bytes: &mut Vec<u8>) {
        self.min.write(bytes);
        self.max.write(bytes);
    }
}

impl<T: Number, S: Number, M: Number> Value for Statistics<T, S, M> {
    const FIELDS: Fields = &[
        ("count", Kind::U64),
        ("minIndex", Kind::Index),
        ("min", T::KIND),
        ("maxIndex", Kind::Index),
        ("max", T::KIND),
        ("sum", S::KIND),
        ("mean", M::KIND),
        ("variance", M::KIND),
    ];

    fn write(self, bytes: &mut Vec<u8>) {
        self.count.write(bytes);
        self.min.write(bytes);
        self.max.write(bytes);
        self.sum.write(bytes);
        self.mean.write(bytes);
        self.variance.write(bytes);
    }
}

impl Kind {
    /// Bytes of one, as a number that no array limits.
    pub(crate) const fn bytes(self) -> u64 {
        self.size() as u64
    }

    /// Bytes of one.
    const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 | Self::Index => 8,
            Self::I128 | Self::U128 => 16,
        }
    }

    /// The name that the executor makes arrays by.
    const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::I128 => "i128",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::U128 => "u128",
            Self::Bool => "bool",
            Self::Index => "index",
        }
    }
}

/// The values of a field, side by side.
pub(crate) fn column(name: &str, kind: Kind, bytes: &Uint8Array) -> JsValue {
    object([("name", name.into()), ("kind", kind.name().into()), ("bytes", bytes.into())]).into()
}

/// The values of each field of one result.
pub(crate) fn columns(fields: Fields, cell: &Cell) -> Array {
    let of_field = |(name, kind, bytes): (&str, Kind, &[u8])| column(name, kind, &bytes.into());
    in_cell(fields, cell).map(of_field).collect()
}

/// Names, kinds and bytes of the fields of a result.
fn in_cell(fields: Fields, cell: &Cell) -> impl Iterator<Item = (&'static str, Kind, &[u8])> {
    let places = fields.iter().zip((0..).step_by(FIELD_BYTES));
    places.map(|(&(name, kind), first)| {
        (name, kind, cell.get(first..first + kind.size()).unwrap_or_default())
    })
}

/// The values of each field of many results, which come one after another. They lie in arrays of JavaScript's.
pub(crate) struct Columns {
    fields: Fields,
    columns: Vec<Growing>,
}

/// An array of so many bytes, unless the host has no room for it.
pub(crate) fn array(bytes: u64, like: &Uint8Array) -> Result<Uint8Array> {
    let length = Array::of1(&number(bytes));
    let made = Reflect::construct(&like.constructor(), &length).map(JsCast::unchecked_into);
    made.map_err(|_| Error::OutOfMemory { bytes, available_bytes: None })
}

/// A column, and what is still to be copied to it.
struct Growing {
    array: Uint8Array,
    copied: u32,
    bytes: Vec<u8>,
}

/// Bytes of a column that are copied together.
const AT_ONCE_BYTES: usize = 64 << 10;

impl Columns {
    /// For so many results, in arrays like this one.
    ///
    /// # Errors
    ///
    /// Those of which no array has all.
    pub(crate) fn new(fields: Fields, results: u64, like: &Uint8Array) -> Result<Self> {
        let growing = |&(_, kind): &(_, Kind)| {
            let bytes = results.saturating_mul(kind.bytes());
            Ok(Growing { array: array(bytes, like)?, copied: 0, bytes: Vec::new() })
        };
        Ok(Self { fields, columns: fields.iter().map(growing).collect::<Result<_>>()? })
    }

    /// Appends a result.
    pub(crate) fn push(&mut self, cell: &Cell) {
        for (column, (_, _, bytes)) in self.columns.iter_mut().zip(in_cell(self.fields, cell)) {
            column.bytes.extend_from_slice(bytes);
            if column.bytes.len() >= AT_ONCE_BYTES {
                column.copy();
            }
        }
    }

    /// The columns, as [`columns`] has them.
    pub(crate) fn finish(mut self) -> Array {
        self.columns.iter_mut().for_each(Growing::copy);
        let named = self.fields.iter().zip(&self.columns);
        named.map(|(&(name, kind), Growing { array, .. })| column(name, kind, array)).collect()
    }
}

impl Growing {
    fn copy(&mut self) {
        let bytes = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        let end = self.copied.saturating_add(bytes);
        // Both are as long, or this would throw.
        self.array.subarray(self.copied, end).copy_from(&self.bytes);
        self.copied = end;
        self.bytes.clear();
    }
}
