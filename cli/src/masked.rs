//! `--mask`: the result of the elements that another file chooses.

use crate::args::{self, Format};
use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::input::Input;
use crate::order::{is_turned, need_row_major};
use crate::reduce::Reduced;
use crate::report::Report;
use crate::sample::Sample;
use crate::upload::upload_whole;
use std::path::Path;
use wgpu_reduce::{AnySlices, ElementKind};

/// Uploads the input and its mask, and reduces the elements that the mask chooses.
pub(crate) fn reduce<T: Sample>(
    operation: &Chosen,
    input: Input,
    arguments: &args::Reduce,
    file: &Path,
) -> Result<Report, Failure> {
    let args::Common { source, repetitions, .. } = &arguments.common;
    if operation.record().finds_indices() {
        let what = format!("the indices of {} count in", operation.record().name());
        need_row_major(&input, &source.file, &what)?;
    }
    let mask = open(&input, arguments, file)?;
    let (name, of_mask) = (input.name().to_owned(), mask.name().to_owned());
    let reducer = source.device.open(|options| options)?;
    let (elements, mask) = (upload_whole::<T>(&reducer, input)?, upload_whole(&reducer, mask)?);
    let (elements, mask) = (elements.all()?, mask.all()?);
    if elements.len() != mask.len() {
        return Err(Failure::in_file(&of_mask, not_as_many(mask.len(), elements.len(), &name)));
    }
    let request = reducer.reduce(&operation.any, AnySlices::from(elements)).masked(mask);
    let (plan, with_time) = (request.plan()?, request.clone().timed());
    let start = || request.start();
    let result = Reduced::measured(plan, start, || with_time.start(), *repetitions);
    Ok(result.map_err(|failure| failure.of_file(&name))?.report(&reducer, None))
}

/// Opens the mask of an input. Their elements lie in the same places, as far as both files tell.
pub(crate) fn open(input: &Input, arguments: &args::Reduce, file: &Path) -> Result<Input, Failure> {
    let of_elements = &arguments.common.source.file;
    if [file, of_elements].iter().all(|file| *file == Path::new("-")) {
        return Err(Failure::Usage("standard input can only be one of both files".into()));
    }
    let mask = Input::open(file, Some(Format::Npy), None)?;
    let failed = |what| Err(Failure::in_file(&file.display().to_string(), what));
    if mask.element() != ElementKind::U8 {
        let element = mask.element();
        return failed(format!(
            "a mask is of bool or u8, and not of {element}; in NumPy a != 0 makes one"
        ));
    }
    if let (Some(elements), Some(numbers)) = (input.elements(), mask.elements()) {
        if elements != numbers {
            return failed(not_as_many(numbers, elements, input.name()));
        }
    }
    let extents = |of: &Input| of.shape().map(|shape| shape.extents.clone());
    if let (Some(shape), Some(of_mask)) = (extents(input), extents(&mask)) {
        if shape != of_mask {
            return failed(format!(
                "its shape is {of_mask:?}, and that of {} {shape:?}",
                input.name()
            ));
        }
    }
    if input.shape().is_some() && is_turned(input) != is_turned(&mask) {
        let what = "only one of mask and elements lies in Fortran order; numpy.ascontiguousarray makes row-major order";
        return failed(what.into());
    }
    Ok(mask)
}

fn not_as_many(mask: u64, elements: u64, name: &str) -> String {
    format!("it has {mask} elements, and {name} has {elements}: each element needs one of the mask")
}
