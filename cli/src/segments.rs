//! `--offsets`, `--keys` and `--groups`: a result for each segment of a file, for each run of equal keys, or for each group.

use crate::args::{self, Format};
use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::input::{Input, Room};
use crate::memory;
use crate::order::need_row_major;
use crate::results::{Expected, Files, Results};
use crate::runs::Runs;
use crate::sample::{Sample, with_sample};
use crate::upload::upload_whole;
use serde_json::{Map, json};
use std::fmt::Display;
use std::path::Path;
use wgpu_reduce::{AnySlices, GpuReducer};

/// A result for each segment.
pub(crate) fn by_offsets<T: Sample>(
    operation: &Chosen,
    input: Input,
    files: &Files,
    arguments: &args::Reduce,
    file: &Path,
) -> Result<(GpuReducer, Results), Failure> {
    check_order(&input, arguments)?;
    let offsets = read_numbers(open(file, arguments)?, file, &OFFSETS)?;
    let check = |len| check_offsets(&offsets, len).map_err(|what| in_file(file, what));
    input.elements().map_or(Ok(()), check)?;
    let expected = Expected::new(segments_of(&offsets), operation.example(T::KIND)?);
    files.check_room(&expected, file)?;
    let reducer = arguments.common.source.device.open(|options| options)?;
    let elements = upload_whole::<T>(&reducer, input)?;
    check(elements.all()?.len())?;
    let figures = of_each(operation, &reducer, elements.all()?.into(), &offsets, file)?;
    let segments = figures.len() as u64;
    let about = Map::from_iter([("segments".into(), json!(segments))]);
    Ok((reducer, Results { figures, beside: None, extents: vec![segments], about }))
}

/// A result for each run of equal keys.
pub(crate) fn by_key<T: Sample>(
    operation: &Chosen,
    input: Input,
    files: &Files,
    arguments: &args::Reduce,
    file: &Path,
) -> Result<(GpuReducer, Results), Failure> {
    let (keys, of_keys) = open_keys(&input, arguments, file)?;
    let reducer = arguments.common.source.device.open(|options| options)?;
    let elements = upload_whole::<T>(&reducer, input)?;
    of_keys.check(elements.all()?.len())?;
    let Runs { keys, offsets } = Runs::read(keys)?;
    let expected = Expected::new(segments_of(&offsets), operation.example(T::KIND)?);
    files.check_room(&Expected { beside: keys.first().copied(), ..expected }, file)?;
    let figures = of_each(operation, &reducer, elements.all()?.into(), &offsets, file)?;
    let runs = figures.len() as u64;
    let about = Map::from_iter([("runs".into(), json!(runs))]);
    Ok((reducer, Results { figures, beside: Some(keys), extents: vec![runs], about }))
}

/// A result for each of so many groups, by keys in any order.
pub(crate) fn by_groups<T: Sample>(
    operation: &Chosen,
    input: Input,
    files: &Files,
    arguments: &args::Reduce,
    (file, groups): (&Path, u32),
) -> Result<(GpuReducer, Results), Failure> {
    let (keys, of_keys) = open_keys(&input, arguments, file)?;
    let expected = Expected::new(groups.into(), operation.example(T::KIND)?);
    files.check_room(&expected, file)?;
    let keys = read_numbers(keys, file, &Kind { one: "key", option: "--keys" })?;
    let reducer = arguments.common.source.device.open(|options| options)?;
    let elements = upload_whole::<T>(&reducer, input)?;
    of_keys.check(elements.all()?.len())?;
    let keys = reducer.upload(&keys).map_err(|error| in_file(file, error))?;
    let elements: AnySlices<'_> = elements.all()?.into();
    let request = reducer.reduce(&operation.any, elements).groups(&keys, groups);
    let figures = request.start()?.wait().map_err(|error| in_file(file, error))?;
    let about = Map::from_iter([("groups".into(), json!(groups))]);
    Ok((reducer, Results { figures, beside: None, extents: vec![groups.into()], about }))
}

/// Returns how many segments lie between the offsets.
const fn segments_of(offsets: &[u32]) -> u64 {
    offsets.len().saturating_sub(1) as u64
}

/// What the elements between each offset and the next are reduced to. A mistake is one of the file that they come from.
fn of_each(
    operation: &Chosen,
    reducer: &GpuReducer,
    elements: AnySlices<'_>,
    offsets: &[u32],
    file: &Path,
) -> Result<Vec<Figures>, Failure> {
    let offsets = reducer.upload(offsets)?;
    let request = reducer.reduce(&operation.any, elements).segments(&offsets);
    request.start()?.wait().map_err(|error| in_file(file, error))
}

/// How many keys a file has, and the name of the input that they are of.
struct Keys<'a> {
    count: u64,
    file: &'a Path,
    of: String,
}

impl Keys<'_> {
    /// Fails unless there are as many as elements.
    fn check(&self, elements: u64) -> Result<(), Failure> {
        check_keys(self.count, elements, &self.of).map_err(|what| in_file(self.file, what))
    }
}

/// Opens the keys of an input, of which there are as many as it has elements, if it says how many these are.
fn open_keys<'a>(
    input: &Input,
    arguments: &args::Reduce,
    file: &'a Path,
) -> Result<(Input, Keys<'a>), Failure> {
    check_order(input, arguments)?;
    let opened = open(file, arguments)?;
    let count = opened.elements().unwrap_or_default();
    let keys = Keys { count, file, of: input.name().to_owned() };
    input.elements().map_or(Ok(()), |elements| keys.check(elements))?;
    Ok((opened, keys))
}

/// Every element has a key.
fn check_keys(keys: u64, elements: u64, of: &str) -> Result<(), String> {
    if keys == elements {
        return Ok(());
    }
    Err(format!("it has {keys} keys, and {of} has {elements} elements: each element needs one key"))
}

/// Offsets do not decrease, and none lies beyond the elements; else the first that is wrong, and why.
fn check_offsets(offsets: &[u32], elements: u64) -> Result<(), String> {
    if offsets.is_empty() {
        return Err("it has no offsets: n segments have n + 1".into());
    }
    let mut before = 0;
    for (index, &offset) in offsets.iter().enumerate() {
        let wrong = |why| Err(format!("the offset at index {index} is {offset}, {why}"));
        if u64::from(offset) > elements {
            return wrong(format!("which is beyond the {elements} elements"));
        }
        if offset < before {
            return wrong(format!("which is less than the one before, {before}"));
        }
        before = offset;
    }
    Ok(())
}

fn in_file(file: &Path, what: impl Display) -> Failure {
    Failure::in_file(&file.display().to_string(), what)
}

/// Segments are of elements that follow each other, and files may hold them column by column.
fn check_order(input: &Input, arguments: &args::Reduce) -> Result<(), Failure> {
    need_row_major(input, &arguments.common.source.file, "segments and runs need")
}

/// Opens the file that comes beside that of the elements.
fn open(file: &Path, arguments: &args::Reduce) -> Result<Input, Failure> {
    if [file, &arguments.common.source.file].iter().all(|file| *file == Path::new("-")) {
        return Err(Failure::Usage("standard input can only be one of both files".into()));
    }
    let input = Input::open(file, Some(Format::Npy), None)?;
    match input.shape() {
        Some(shape) if shape.extents.len() != 1 => {
            let dimensions = shape.extents.len();
            Err(in_file(file, format!("one dimension is needed, and there are {dimensions}")))
        }
        _ => Ok(input),
    }
}

/// What numbers are, and the option that names their file.
struct Kind {
    one: &'static str,
    option: &'static str,
}

const OFFSETS: Kind = Kind { one: "offset", option: "--offsets" };

/// The numbers of a file, which are compared with what they are of where they are used.
fn read_numbers(input: Input, file: &Path, kind: &Kind) -> Result<Vec<u32>, Failure> {
    let Kind { one, option } = *kind;
    if input.elements() > Some(MOST_NUMBERS) {
        return Err(in_file(file, format!("it has more than {MOST_NUMBERS} {one}s")));
    }
    let bytes = input.elements().unwrap_or_default().saturating_mul(size_of::<u32>() as u64);
    memory::check(bytes).map_err(|error| in_file(file, error))?;
    let mut numbers: Vec<u32> = Vec::new();
    let room = Room { bytes: u64::from(u32::MAX), taker: option.into() };
    input.check_room(&room)?;
    let element = input.element();
    if element.is_float() {
        return Err(in_file(file, format!("{one}s are integers, and not {element}")));
    }
    with_sample!(element, T in integers => {
        input.for_each_chunk(&room, |chunk: &[T]| {
            memory::reserve(&mut numbers, chunk.len()).map_err(|error| in_file(file, error))?;
            for &number in chunk {
                let number = word_of(number, one, numbers.len());
                numbers.push(number.map_err(|what| in_file(file, what))?);
            }
            Ok(())
        })
    })?;
    Ok(numbers)
}

/// One more than there can be segments, whose results' indices are of 32 bits.
const MOST_NUMBERS: u64 = 1 << 32;

fn word_of(
    number: impl TryInto<u32> + Copy + Display,
    one: &str,
    index: usize,
) -> Result<u32, String> {
    let what = || format!("the {one} at index {index} is {number}, not between 0 and {}", u32::MAX);
    number.try_into().map_err(|_| what())
}

#[cfg(test)]
mod tests {
    use super::check_offsets;

    #[test]
    fn the_first_offset_that_is_wrong_is_told_with_its_bound() {
        for right in [&[0][..], &[10], &[0, 10], &[3, 3, 3], &[0, 4, 4, 10]] {
            assert_eq!(check_offsets(right, 10), Ok(()), "{right:?}");
        }
        for (wrong, what) in [
            (&[][..], "it has no offsets: n segments have n + 1"),
            (&[11], "the offset at index 0 is 11, which is beyond the 10 elements"),
            (&[0, 5, 12, 3], "the offset at index 2 is 12, which is beyond the 10 elements"),
            (&[0, 5, 4, 12], "the offset at index 2 is 4, which is less than the one before, 5"),
        ] {
            assert_eq!(check_offsets(wrong, 10), Err(what.into()), "{wrong:?}");
        }
    }
}
