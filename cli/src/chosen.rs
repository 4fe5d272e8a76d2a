//! Operations as data: what is known of one on elements of any type.

use crate::check::{Checked, Tally};
use crate::failure::Failure;
use crate::figures::Figures;
use crate::operations::{record_of, with_operations};
use crate::sample::with_sample;
use std::marker::PhantomData;
use wgpu_reduce::{
    AnyOperation, Dot, Element, ElementKind, Error, OpRecord, PairOperation, value_of_bytes,
};

/// An operation, whatever its elements are.
pub(crate) struct Chosen {
    /// Its results are what is printed.
    pub(crate) any: AnyOperation<Figures>,
    meaning: Box<OfElement>,
}

/// What an operation means on elements of a type.
type OfElement = dyn Fn(ElementKind) -> Result<Box<dyn Meaning>, Failure>;

impl Chosen {
    fn new(
        record: &'static OpRecord,
        meaning: impl Fn(ElementKind) -> Result<Box<dyn Meaning>, Failure>
        + Clone
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let of_element = meaning.clone();
        let finish = move |element: ElementKind, raw: &[u8], len| {
            let no_meaning = |_| not_defined(record, element);
            of_element(element).map_err(no_meaning)?.finish(raw, len)
        };
        Self { any: AnyOperation::new(record, finish), meaning: Box::new(meaning) }
    }

    /// The one with a record, as its command is without options.
    pub(crate) fn by_record(record: &OpRecord) -> Option<Self> {
        macro_rules! by_record {
            ($(
                #[doc = $what:literal]
                $operation:ident $name:literal ($arguments:ty) of $elements:ident, $checked:ident;
            )*) => {$(
                let operation = wgpu_reduce::$operation::default();
                if *record == *record_of!(operation, $elements) {
                    return Some(operation.into());
                }
            )*};
        }
        with_operations!(by_record);
        None
    }

    pub(crate) fn record(&self) -> &'static OpRecord {
        self.any.record()
    }

    /// Returns the result of one zero, which has as many figures, and of the same types, as any result.
    pub(crate) fn example(&self, element: ElementKind) -> Result<Figures, Failure> {
        Ok((self.meaning)(element)?.finish(&[0; MOST_LEFT_BYTES], 1)?)
    }

    /// What is gathered on the CPU of elements of a type.
    pub(crate) fn tally(&self, element: ElementKind) -> Result<Box<dyn Tally>, Failure> {
        Ok((self.meaning)(element)?.tally())
    }
}

/// A device leaves no more of one result.
const MOST_LEFT_BYTES: usize = 4096;

fn not_defined(record: &OpRecord, element: ElementKind) -> Error {
    Error::NotDefined { operation: record.name(), element: element.name() }
}

macro_rules! chosen {
    ($(
        #[doc = $what:literal]
        $operation:ident $name:literal ($arguments:ty) of $elements:ident, $checked:ident;
    )*) => {$(
        impl From<wgpu_reduce::$operation> for Chosen {
            fn from(operation: wgpu_reduce::$operation) -> Self {
                let meaning = move |element| with_sample!(element, T in $elements => {
                    Ok(Box::new(Of::<T, _>(operation, PhantomData)) as Box<dyn Meaning>)
                });
                Self::new(record_of!(operation, $elements), meaning)
            }
        }
    )*};
}
with_operations!(chosen);

/// What an operation means on elements of a type.
trait Meaning {
    /// The result of so many elements, of what a device leaves.
    fn finish(&self, raw: &[u8], len: u64) -> Result<Figures, Error>;

    fn tally(&self) -> Box<dyn Tally>;
}

struct Of<T, O>(O, PhantomData<fn(T)>);

impl<T: Element, O: Checked<T>> Meaning for Of<T, O> {
    fn finish(&self, raw: &[u8], len: u64) -> Result<Figures, Error> {
        Ok(self.0.finish(value_of_bytes(raw)?, len)?.into())
    }

    fn tally(&self) -> Box<dyn Tally> {
        self.0.tally()
    }
}

/// The dot product of two inputs.
pub(crate) fn dot() -> AnyOperation<Figures> {
    let record = PairOperation::<f32>::record(&Dot);
    AnyOperation::new(record, move |element, raw, len| {
        let figures = with_sample!(element, T in squared => {
            Ok(PairOperation::<T>::finish(&Dot, value_of_bytes(raw)?, len)?.into())
        });
        figures.map_err(|_: Failure| not_defined(record, element))
    })
}

#[cfg(test)]
mod tests {
    use super::Chosen;
    use wgpu_reduce::{ElementKind, OpRecord, SumExact};

    #[test]
    fn every_operation_has_an_example_of_its_results() {
        let operations = OpRecord::ALL.into_iter().map(|record| Chosen::by_record(record).unwrap());
        for operation in operations.chain([SumExact.into()]) {
            let record = operation.record();
            for element in ElementKind::ALL.into_iter().filter(|&kind| record.takes(kind)) {
                let figures = operation.example(element).unwrap().iter().count();
                let expected = match record.name() {
                    "stats" => 8,
                    "min_max" => 2,
                    _ if record.finds_indices() => 2,
                    _ => 1,
                };
                assert_eq!(figures, expected, "{} of {element}", record.name());
            }
        }
    }
}
