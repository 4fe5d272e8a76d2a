//! All shaders that can be composed, a file for each kind of request.

mod axis;
mod custom;
mod exact;
mod groups;
mod histogram;
mod ladder;
mod order;
mod reductions;
mod segments;
mod several;

use crate::shader::Shader;

pub(crate) fn all() -> Vec<Shader> {
    let kinds: [fn() -> Vec<Shader>; 11] = [
        reductions::all,
        axis::all,
        segments::all,
        segments::of_keys,
        histogram::all,
        groups::all,
        order::all,
        exact::all,
        ladder::all,
        custom::all,
        several::all,
    ];
    kinds.into_iter().flat_map(|kind| kind()).collect()
}
