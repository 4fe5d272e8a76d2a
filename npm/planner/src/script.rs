//! Objects of JavaScript: their properties, and errors to throw.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wgpu_reduce::{ElementKind, Error};

/// Why a request fails.
pub(crate) enum Fault {
    Library(Error),
    /// An argument of a wrong kind, which Rust's types would not let through.
    Argument(String),
}

pub(crate) type Result<T> = std::result::Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

/// What a caller did wrong with an argument.
pub(crate) fn wrong<T>(what: impl Into<String>) -> Result<T> {
    Err(Fault::Argument(what.into()))
}

/// What a caller did wrong with a buffer.
pub(crate) fn invalid<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::InvalidBuffer { what: what.into() }.into())
}

/// An error as JavaScript throws it: with the variant's name as its code.
pub(crate) fn thrown(fault: impl Into<Fault>) -> JsValue {
    let (code, message) = match fault.into() {
        Fault::Library(error) => (error.code(), error.to_string()),
        Fault::Argument(what) => ("InvalidArgument", what),
    };
    object([("code", code.into()), ("message", message.into())]).into()
}

#[wasm_bindgen]
extern "C" {
    /// The text that JavaScript makes of a value. It makes one of everything but objects.
    #[wasm_bindgen(js_name = String)]
    fn written(value: &JsValue) -> String;
}

/// A value as errors show it. The formatting that comes with `JsValue` is large.
pub(crate) fn shown(value: &JsValue) -> String {
    match value.as_string() {
        Some(text) => format!("'{text}'"),
        None if Array::is_array(value) => "a list".into(),
        None if value.is_object() || value.is_function() => "an object".into(),
        None if value.is_bigint() => format!("{}n", written(value)),
        None => written(value),
    }
}

/// An object with these properties.
pub(crate) fn object<'a>(properties: impl IntoIterator<Item = (&'a str, JsValue)>) -> Object {
    let object = Object::new();
    for (key, value) in properties {
        // A new object takes any property.
        drop(Reflect::set(&object, &key.into(), &value));
    }
    object
}

/// A property; `undefined` where there is none.
pub(crate) fn property(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or_default()
}

/// A property that is there.
pub(crate) fn given(object: &JsValue, name: &str) -> Option<JsValue> {
    Some(property(object, name)).filter(|value| !value.is_undefined())
}

/// The items of a property that is an array; none where there is none.
pub(crate) fn items(object: &JsValue, name: &str) -> Vec<JsValue> {
    given(object, name).map_or_else(Vec::new, |list| Array::from(&list).to_vec())
}

/// A property that is a text.
pub(crate) fn text(object: &JsValue, name: &str) -> String {
    property(object, name).as_string().unwrap_or_default()
}

/// A whole number that is not negative.
pub(crate) fn whole(value: &JsValue, name: &str) -> Result<u64> {
    /// From here on not every whole number is a number of JavaScript's.
    const END: f64 = 9_007_199_254_740_992.0;
    let number = value.as_f64().unwrap_or(f64::NAN);
    if number.fract() != 0.0 || !(0.0..END).contains(&number) {
        return wrong(format!("{name} is {}, and not a whole number from 0 on", shown(value)));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was checked")]
    Ok(number as u64)
}

/// A property that is such a number; `default` where there is none.
pub(crate) fn whole_or(object: &JsValue, name: &str, default: u64) -> Result<u64> {
    given(object, name).map_or(Ok(default), |value| whole(&value, name))
}

/// A property that has to be such a number.
pub(crate) fn whole_of(object: &JsValue, name: &str) -> Result<u64> {
    whole(&property(object, name), name)
}

/// A property that has to be a number.
pub(crate) fn number_of(object: &JsValue, name: &str) -> Result<f64> {
    as_number(&property(object, name), name)
}

fn as_number(value: &JsValue, name: &str) -> Result<f64> {
    let told = || wrong(format!("{name} is {}, and not a number", shown(value)));
    value.as_f64().map_or_else(told, Ok)
}

/// A property that has to be a list of numbers.
pub(crate) fn numbers(object: &JsValue, name: &str) -> Result<Vec<f64>> {
    let value = property(object, name);
    if !value.is_object() {
        return wrong(format!("{name} is {}, and not a list of numbers", shown(&value)));
    }
    items(object, name).iter().map(|value| as_number(value, name)).collect()
}

/// A property that is a whole number, and small.
pub(crate) fn small(object: &JsValue, name: &str, default: u32) -> Result<u32> {
    let number = whole_or(object, name, default.into())?;
    number.try_into().or_else(|_| wrong(format!("{name} is {number}, and not below 2^32")))
}

/// Items that are whole numbers, as many as memory has.
pub(crate) fn wholes(object: &JsValue, name: &str) -> Result<Vec<u64>> {
    items(object, name).iter().map(|value| whole(value, name)).collect()
}

/// A number that JavaScript has, too.
#[expect(clippy::cast_precision_loss, reason = "no buffer has 2^53 bytes")]
pub(crate) fn number(value: u64) -> JsValue {
    JsValue::from_f64(value as f64)
}

/// The type of elements of a name.
pub(crate) fn element(name: &str) -> Result<ElementKind> {
    let found = ElementKind::ALL.into_iter().find(|kind| kind.name() == name);
    let names = || ElementKind::ALL.map(ElementKind::name).join(", ");
    found.map_or_else(|| wrong(format!("its type is '{name}', and none of {}", names())), Ok)
}
