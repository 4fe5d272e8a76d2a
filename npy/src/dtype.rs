//! The types of elements, as NumPy calls them.

mod count;

use crate::literal::{Literal, Value};
use crate::supported;
use wgpu_reduce::ElementKind;

/// The type of elements, and whether their highest byte comes first; or why there is none. Those without a meaning, as
/// `V2`, are what is meant. `source` is the header's text.
pub(crate) fn element_of(
    descr: &Literal,
    source: &str,
    meant: Option<ElementKind>,
) -> Result<(ElementKind, bool), String> {
    let shown: String =
        source.get(descr.start..descr.end).unwrap_or_default().chars().take(80).collect();
    let Some(text) = text_of(descr) else {
        return Err(unsupported("structured dtype", &shown, STRUCTURED));
    };
    let unsupported = |plain| unsupported("dtype", &shown, advice(plain));
    let name = count::uncounted(text).ok_or_else(|| unsupported(text))?;
    let (order, plain) = split_order(&name);
    let is_big_endian = match order {
        Some('<') => false,
        Some('>') => true,
        _ => cfg!(target_endian = "big"),
    };
    let kind = coded(plain, meant).or_else(|| named(&name)).ok_or_else(|| unsupported(plain))?;
    Ok((kind, is_big_endian))
}

/// The text of a type, also of one in a tuple with a count of 1. NumPy reads no file with another count.
fn text_of(descr: &Literal) -> Option<&str> {
    match &descr.value {
        Value::Text(text) => Some(text),
        Value::Tuple(parts) => {
            let [element, shape, ..] = parts.as_slice() else { return None };
            if count::is_one(&shape.value) { text_of(element) } else { None }
        }
        _ => None,
    }
}

/// The sign of the order of bytes, and what follows it.
fn split_order(name: &str) -> (Option<char>, &str) {
    match name.strip_prefix(['<', '>', '=', '|']) {
        Some(plain) => (name.chars().next(), plain),
        None => (None, name),
    }
}

fn unsupported(what: &str, shown: &str, advice: &str) -> String {
    format!("{what} {shown} is not supported; {} are{advice}", supported())
}

/// A letter and a number of bytes, or a letter alone.
fn coded(code: &str, meant: Option<ElementKind>) -> Option<ElementKind> {
    let mut characters = code.chars();
    let letter = characters.next()?;
    let number = characters.as_str();
    if number.is_empty() {
        return lettered(letter);
    }
    let size_bytes = c_number(number)?;
    let is_it = |kind: &ElementKind| kind.size_bytes() == size_bytes;
    match letter {
        'f' | 'i' | 'u' => {
            ElementKind::ALL.into_iter().find(|kind| is_it(kind) && kind.name().starts_with(letter))
        }
        // One byte each, 0 or 1.
        'b' if size_bytes == 1 => Some(ElementKind::U8),
        'V' => meant.filter(is_it),
        _ => None,
    }
}

/// A number as C's `strtol` reads it: behind blanks and a plus.
fn c_number(text: &str) -> Option<u64> {
    let digits = text.trim_start_matches([' ', '\t', '\n', '\x0B', '\x0C', '\r']);
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The types of C, those of other sizes elsewhere as on Linux of 64 bits.
fn lettered(letter: char) -> Option<ElementKind> {
    Some(match letter {
        '?' | 'B' => ElementKind::U8,
        'b' => ElementKind::I8,
        'h' => ElementKind::I16,
        'H' => ElementKind::U16,
        'i' => ElementKind::I32,
        'I' => ElementKind::U32,
        'q' | 'l' | 'p' | 'n' => ElementKind::I64,
        'Q' | 'L' | 'P' | 'N' => ElementKind::U64,
        'e' => ElementKind::F16,
        'f' => ElementKind::F32,
        'd' => ElementKind::F64,
        _ => return None,
    })
}

fn named(name: &str) -> Option<ElementKind> {
    Some(match name {
        "bool" | "bool_" | "uint8" | "ubyte" => ElementKind::U8,
        "int8" | "byte" => ElementKind::I8,
        "int16" | "short" => ElementKind::I16,
        "uint16" | "ushort" => ElementKind::U16,
        "int32" | "intc" => ElementKind::I32,
        "uint32" | "uintc" => ElementKind::U32,
        "int64" | "longlong" | "long" | "int" | "int_" | "intp" => ElementKind::I64,
        "uint64" | "ulonglong" | "ulong" | "uint" | "uintp" => ElementKind::U64,
        "float16" | "half" => ElementKind::F16,
        "bfloat16" => ElementKind::Bf16,
        "float32" | "single" => ElementKind::F32,
        "float64" | "double" | "float" => ElementKind::F64,
        _ => return None,
    })
}

const STRUCTURED: &str = "; in NumPy numpy.save(file, a['field']) writes one field";

/// What to do about a type that is not supported.
fn advice(code: &str) -> &'static str {
    let is_complex =
        |name: &&str| ["c8", "c16", "F", "D", "complex64", "complex128"].contains(name);
    match code {
        "V2" => "; if it is the bfloat16 of ml_dtypes, name the type: bf16",
        code if is_complex(&code) => {
            "; in NumPy numpy.stack([a.real, a.imag]) has the parts, and a.view('f4') or a.view('f8') both in turn"
        }
        "f12" | "f16" | "g" | "longdouble" | "float128" | "float96" => {
            "; in NumPy a.astype('f8') makes f64 of it"
        }
        code if code.starts_with(['M', 'm']) => "; in NumPy a.view('i8') makes i64 of it",
        code if code.starts_with('O') => {
            "; in NumPy a.astype('f8') makes numbers of objects that are numbers"
        }
        _ => "",
    }
}
