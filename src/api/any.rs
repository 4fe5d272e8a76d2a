//! Elements whose type is known when the program runs.

use crate::api::buffer::GpuBuffer;
use crate::api::input::{Input, Inputs};
use crate::api::slices::GpuSlices;
use crate::error::{Error, Result};
use crate::op::element::{Element, ElementKind};
use crate::plan::cut::part::Part;

/// Elements on the GPU whose type is known when the program runs, and not when it is compiled: one input, or a pair.
/// [`AnyOperation`](crate::AnyOperation) reduces them.
///
/// They are made of elements of a type by `from`, or of bytes:
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{AnySlices, ElementKind, Error};
///
/// let bytes = reducer.upload(&[1_u8, 0, 2, 0, 3, 0])?;
/// let elements = AnySlices::new(ElementKind::U16, &bytes)?;
/// assert_eq!((elements.element(), elements.len()), (ElementKind::U16, 3));
/// let odd = AnySlices::new(ElementKind::U32, &bytes);
/// assert!(matches!(odd, Err(Error::InvalidBuffer { .. })));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct AnySlices<'a>(Inputs<'a>);

impl<'a> AnySlices<'a> {
    /// Elements of a type that lie in these bytes.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBuffer`] if a slice does not begin and end with an element.
    pub fn new(element: ElementKind, bytes: impl Into<GpuSlices<'a, u8>>) -> Result<Self> {
        let inputs = Inputs::of(&bytes.into());
        let size_bytes = element.size_bytes();
        for Part { offset_bytes, len } in inputs.parts.iter().flat_map(|parts| parts.iter()) {
            if [*offset_bytes, *len].iter().any(|bytes| !bytes.is_multiple_of(size_bytes)) {
                let what = format!(
                    "{len} bytes from byte {offset_bytes} on are not whole elements of {size_bytes} bytes"
                );
                return Err(Error::InvalidBuffer { what });
            }
        }
        let whole = |part: &Part| Part { len: part.len / size_bytes, ..*part };
        let parts = inputs.parts.map(|parts| parts.map(whole));
        Ok(Self(Inputs { element, parts, ..inputs }))
    }

    /// With a second input, whose elements are paired with these.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBuffer`] if they are of another type.
    pub fn paired(self, second: Self) -> Result<Self> {
        let (element, of_second) = (self.0.element, second.0.element);
        if element != of_second {
            let what = format!("{of_second} elements cannot be paired with {element} elements");
            return Err(Error::InvalidBuffer { what });
        }
        Ok(Self(self.0.and(second.0)))
    }

    /// Their type.
    #[must_use]
    pub const fn element(&self) -> ElementKind {
        self.0.element
    }

    /// Number of elements, of the first of two inputs.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a, T: Element> From<GpuSlices<'a, T>> for AnySlices<'a> {
    fn from(slices: GpuSlices<'a, T>) -> Self {
        Self(Inputs::of(&slices))
    }
}

impl<'a, T: Element> From<&'a GpuBuffer<T>> for AnySlices<'a> {
    fn from(buffer: &'a GpuBuffer<T>) -> Self {
        GpuSlices::from(buffer).into()
    }
}

impl<'a> Input<'a> for AnySlices<'a> {
    type Item = ElementKind;

    fn inputs(self) -> Inputs<'a> {
        self.0
    }
}
