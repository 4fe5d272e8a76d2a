//! Where results of a reduction along an axis may go.

use crate::api::input::Inputs;
use crate::api::request::lowered::Target;
use crate::error::{Error, Result};
use crate::plan::shapes::axis::view::View;
use std::ops::RangeInclusive;

/// Fails unless so many results fit into `output`, apart from the elements that the view reads.
pub(crate) fn check_output(
    input: &Inputs<'_>,
    view: &View,
    results: u64,
    output: &Target<'_>,
) -> Result<()> {
    output.check_room(results)?;
    let (Some(read), Some(last)) = (view.numbers(), results.checked_sub(1)) else {
        return Ok(());
    };
    let result_bytes = output.element_bytes;
    let written = output.offset_bytes
        ..=output.offset_bytes.saturating_add(last.saturating_mul(result_bytes) + result_bytes - 1);
    // Of two inputs each has the view.
    let parts = input.parts.iter().flat_map(|parts| (0..).zip(parts.iter()));
    let mut first = 0_u64;
    for ((number, part), &buffer) in parts.zip(&*input.buffers) {
        first = if number == 0 { 0 } else { first };
        let behind = first.saturating_add(part.len);
        let of_part = (*read.start()).max(first)..=(*read.end()).min(behind.saturating_sub(1));
        let is_read = part.len > 0 && !of_part.is_empty() && buffer == output.buffer;
        let byte = |number: u64| part.offset_bytes + (number - first) * input.element.size_bytes();
        if is_read && meet(&written, &(byte(*of_part.start())..=byte(of_part.end() + 1) - 1)) {
            let what = format!(
                "the results of the axis, bytes {} to {}, would lie among the elements that they are made of, \
                 bytes {} to {}",
                written.start(),
                written.end(),
                byte(*of_part.start()),
                byte(of_part.end() + 1) - 1
            );
            return Err(Error::InvalidBuffer { what });
        }
        first = behind;
    }
    Ok(())
}

const fn meet(one: &RangeInclusive<u64>, other: &RangeInclusive<u64>) -> bool {
    *one.start() <= *other.end() && *other.start() <= *one.end()
}
