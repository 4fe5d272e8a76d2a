//! What a request reads: one input, or two side by side.

use crate::api::buffer::{GpuBuffer, GpuSlice};
use crate::api::slices::GpuSlices;
use crate::device::allowance::Held;
use crate::op::element::{Element, ElementKind};
use crate::plan::cut::few::Few;
use crate::plan::cut::part::{Part, len_of};

/// What a request reads, with items of one type: the elements of one input, or pairs of the elements of two.
///
/// A [`GpuBuffer`], a [`GpuSlice`], and a sequence of either, [`GpuSlices`], are inputs of elements. A tuple of two inputs with
/// elements of one type is an input of pairs: each element of the first with that of the same index in the second. Both may be
/// the same buffer, and each may be cut into buffers elsewhere.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Dot, Sum};
///
/// let numbers = reducer.upload(&[1_i32, 2, 3])?;
/// assert_eq!(reducer.reduce(Sum, &numbers).run()?, 6);
/// assert_eq!(reducer.reduce(Dot, (&numbers, &numbers)).run()?, 14);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no input of a reduction",
    label = "not a buffer, a slice, several of them, or a pair of these",
    note = "pass `&buffer`, `buffer.slice(range)?`, `&buffers`, or a tuple of two of these; `reducer.upload(&data)?` makes a buffer"
)]
pub trait Input<'a>: Sized {
    /// An element, or a pair of elements.
    type Item;

    #[doc(hidden)]
    fn inputs(self) -> Inputs<'a>;
}

/// One input or two, whatever their elements are.
#[derive(Debug, Clone)]
pub struct Inputs<'a> {
    pub(crate) element: ElementKind,
    /// The parts of each input.
    pub(crate) parts: Few<Few<Part>>,
    /// The buffers of all parts, in the same order.
    pub(crate) buffers: Few<&'a wgpu::Buffer>,
}

impl<'a> Inputs<'a> {
    pub(crate) fn of<T: Element>(slices: &GpuSlices<'a, T>) -> Self {
        let (parts, buffers) = (Few::One(slices.plan_parts()), slices.buffers());
        Self { element: T::KIND, parts, buffers }
    }

    /// These, and others behind them.
    pub(crate) fn and(self, second: Self) -> Self {
        let Self { element, parts, buffers } = self;
        Self { element, parts: parts.and(second.parts), buffers: buffers.and(second.buffers) }
    }

    /// The parts of the first input.
    pub(crate) fn first(&self) -> &[Part] {
        self.parts.first().map_or(&[], |parts| parts)
    }

    /// Elements of the first input.
    pub(crate) fn len(&self) -> u64 {
        len_of(self.first())
    }

    /// The handles of the buffers, and others behind them.
    pub(crate) fn handles<'b>(
        &self,
        others: impl IntoIterator<Item = &'b wgpu::Buffer>,
    ) -> Vec<Held> {
        let handles = self.buffers.iter().copied().cloned().chain(others.into_iter().cloned());
        handles.map(Held::of_caller).collect()
    }
}

macro_rules! inputs {
    ($($input:ty $(, const $N:ident)?;)*) => {$(
        impl<'a, T: Element $(, const $N: usize)?> Input<'a> for $input {
            type Item = T;

            fn inputs(self) -> Inputs<'a> {
                Inputs::of(&GpuSlices::from(self))
            }
        }
    )*};
}
inputs! {
    &'a GpuBuffer<T>;
    GpuSlice<'a, T>;
    GpuSlices<'a, T>;
    Vec<GpuSlice<'a, T>>;
    &[GpuSlice<'a, T>];
    &[GpuSlice<'a, T>; N], const N;
    &'a [GpuBuffer<T>];
    &'a Vec<GpuBuffer<T>>;
    &'a [GpuBuffer<T>; N], const N;
}

impl<'a, T: Element> Input<'a> for &GpuSlices<'a, T> {
    type Item = T;

    fn inputs(self) -> Inputs<'a> {
        Inputs::of(self)
    }
}

impl<'a, T: Element, A: Input<'a, Item = T>, B: Input<'a, Item = T>> Input<'a> for (A, B) {
    type Item = (T, T);

    fn inputs(self) -> Inputs<'a> {
        self.0.inputs().and(self.1.inputs())
    }
}
