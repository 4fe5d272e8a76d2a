//! What wgpu leaves out in browsers: subgroups, which it neither sees nor asks for, and most names of adapters.
//!
//! wgpu keeps the browser's objects to itself. They are seen by standing in for one method of an object
//! while wgpu calls it: `navigator.gpu.requestAdapter`, and then `requestDevice` of the adapter that came
//! of it. The stand-in is an own property of that one object and gone before control leaves this crate,
//! so that nobody else's calls pass through it; what was there before is there again.

use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_futures::js_sys::{self, Array, Function, Object, Promise, Reflect};
use wasm_bindgen_futures::wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::wasm_bindgen::{JsCast as _, JsValue};

/// The name in WebGPU.
const SUBGROUPS: &str = "subgroups";

/// The feature of WGSL that `subgroup_id` and `num_subgroups` need: browsers got it later than subgroups.
const SUBGROUP_IDS: &str = "subgroup_id";

/// An adapter of wgpu's, with what wgpu does not know of it.
#[derive(Debug)]
pub(crate) struct Found {
    adapter: wgpu::Adapter,
    /// The browser's.
    theirs: Option<JsValue>,
    has_subgroups: bool,
}

/// The adapter of the browser's choice.
pub(crate) async fn request(
    instance: &wgpu::Instance,
    request: &wgpu::RequestAdapterOptions<'_, '_>,
) -> Option<Found> {
    let promise = Rc::new(RefCell::new(None));
    let heard = Rc::clone(&promise);
    let hear = move |original: &JsValue| {
        *heard.borrow_mut() = Some(original.clone());
    };
    let navigator = get(&js_sys::global(), "navigator");
    let gpu = navigator.and_then(|navigator| get(&navigator, "gpu"));
    let ask = || instance.request_adapter(request);
    let has_ids = gpu.as_ref().is_some_and(|gpu| has(gpu, "wgslLanguageFeatures", SUBGROUP_IDS));
    let heard = gpu.and_then(|gpu| stand_in(&gpu, "requestAdapter", |_| {}, hear, ask));
    // If nobody can stand in, nothing is known beyond what wgpu knows.
    let future = heard.unwrap_or_else(|| instance.request_adapter(request));
    let adapter = future.await.ok()?;
    let promise = promise.borrow_mut().take().and_then(|value| value.dyn_into::<Promise>().ok());
    let theirs = match promise {
        // It has been answered: wgpu waited for the same.
        Some(promise) => JsFuture::from(promise).await.ok(),
        None => None,
    };
    let has_subgroups =
        has_ids && theirs.as_ref().is_some_and(|theirs| has(theirs, "features", SUBGROUPS));
    Some(Found { adapter, theirs, has_subgroups })
}

impl Found {
    /// Its name is the description, which browsers leave empty as a rule, or else vendor and architecture.
    pub(crate) fn get_info(&self) -> wgpu::AdapterInfo {
        let mut info = self.adapter.get_info();
        if info.name.is_empty() {
            let theirs = self.theirs.as_ref().and_then(|theirs| get(theirs, "info"));
            let word = |name| get(theirs.as_ref()?, name)?.as_string();
            let words = ["vendor", "architecture"].into_iter().filter_map(word);
            let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
            info.name = if words.is_empty() { "unnamed".into() } else { words.join(" ") };
        }
        info
    }

    pub(crate) fn limits(&self) -> wgpu::Limits {
        self.adapter.limits()
    }

    /// With subgroups, if the browser's adapter has them, and its language their numbers.
    pub(crate) fn features(&self) -> wgpu::Features {
        let mut features = self.adapter.features();
        features.set(wgpu::Features::SUBGROUP, self.has_subgroups);
        features
    }

    /// As wgpu's, which leaves out what it does not know.
    ///
    /// # Errors
    ///
    /// The browser's, or that it cannot be asked for subgroups though they are wanted.
    pub(crate) async fn request_device(
        &self,
        descriptor: &wgpu::DeviceDescriptor<'_>,
    ) -> Result<(wgpu::Device, wgpu::Queue), String> {
        let ask = || self.adapter.request_device(descriptor);
        let future = match &self.theirs {
            Some(theirs) if descriptor.required_features.contains(wgpu::Features::SUBGROUP) => {
                stand_in(theirs, "requestDevice", require_subgroups, |_| {}, ask)
                    .ok_or("subgroups cannot be asked for")?
            }
            _ => ask(),
        };
        future.await.map_err(|error| error.to_string())
    }
}

/// Whether a set of an object's has a name.
fn has(object: &JsValue, set: &str, name: &str) -> bool {
    let Some(set) = get(object, set) else { return false };
    let has = get(&set, "has").and_then(|has| has.dyn_into::<Function>().ok());
    let answer = has.and_then(|has| has.call1(&set, &name.into()).ok());
    answer.is_some_and(|answer| answer.is_truthy())
}

/// Adds subgroups to what a descriptor of a device asks for.
fn require_subgroups(descriptor: &JsValue) {
    let features = get(descriptor, "requiredFeatures").unwrap_or_default();
    let features = if Array::is_array(&features) { Array::from(&features) } else { Array::new() };
    features.push(&SUBGROUPS.into());
    // A plain object of wgpu's; if it cannot be set, there is no device with subgroups either.
    drop(Reflect::set(descriptor, &"requiredFeatures".into(), &features));
}

/// Runs `work` while the method `name` of `object`, which takes one argument, is called through a stand-in: `before`
/// sees the argument, `after` the result. Does nothing if there is no such method, or nobody can stand in for it.
fn stand_in<R>(
    object: &JsValue,
    name: &str,
    before: impl Fn(&JsValue) + 'static,
    after: impl Fn(&JsValue) + 'static,
    work: impl FnOnce() -> R,
) -> Option<R> {
    let method = get(object, name)?.dyn_into::<Function>().ok()?;
    let this = object.clone();
    let closure = Closure::<dyn FnMut(JsValue) -> JsValue>::new(move |argument: JsValue| {
        before(&argument);
        // Both methods return promises, and so do their failures.
        let result = method
            .call1(&this, &argument)
            .unwrap_or_else(|error| Promise::reject(&error).unchecked_into());
        after(&result);
        result
    });
    let (object, name) = (object.unchecked_ref::<Object>(), JsValue::from(name));
    // What the object has of its own; else the method is inherited.
    let own = Reflect::get_own_property_descriptor(object, &name).unwrap_or_default();
    if !define(object, &name, &stand_in_of(closure.as_ref())) {
        return None;
    }
    let value = work();
    if own.is_undefined() {
        drop(Reflect::delete_property(object, &name));
    } else {
        define(object, &name, &own);
    }
    Some(value)
}

/// The descriptor of a property with that value, which can be taken away again.
fn stand_in_of(value: &JsValue) -> JsValue {
    let descriptor = Object::new();
    for (key, value) in [("value", value), ("configurable", &JsValue::TRUE)] {
        // A new object takes any property.
        drop(Reflect::set(&descriptor, &key.into(), value));
    }
    descriptor.into()
}

/// Whether the property could be made what the descriptor says.
fn define(object: &Object, name: &JsValue, descriptor: &JsValue) -> bool {
    Reflect::define_property(object, name, descriptor.unchecked_ref()).unwrap_or(false)
}

/// A property that is there.
fn get(object: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(object, &name.into()).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}
