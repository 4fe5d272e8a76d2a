//! The order in which a file holds the elements of an array.

use crate::failure::Failure;
use crate::input::Input;
use std::path::Path;

/// Whether that is not the order in which NumPy counts elements.
pub(crate) fn is_turned(input: &Input) -> bool {
    input.shape().is_some_and(|shape| shape.is_fortran && shape.extents.len() > 1)
}

/// Fails for a file in Fortran order, which `who` cannot make use of.
pub(crate) fn need_row_major(input: &Input, file: &Path, who: &str) -> Result<(), Failure> {
    if !is_turned(input) {
        return Ok(());
    }
    let what = format!(
        "elements lie in Fortran order, and {who} row-major order; numpy.ascontiguousarray makes that"
    );
    Err(Failure::in_file(&file.display().to_string(), what))
}
