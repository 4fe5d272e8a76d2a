//! What can go wrong, with the values that say why.

use std::fmt;

/// Everything a call of this library can fail with.
///
/// No call panics; a mistake in the arguments, a lost device and a full memory all come back as a
/// value of this type, and the reducer stays usable unless the variant says otherwise.
///
/// ```
/// use wgpu_reduce::Error;
///
/// let error = Error::InvalidRange { start: 3, end: 9, len: 5 };
/// assert_eq!(error.to_string(), "range 3..9 does not lie within a buffer of 5 elements");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The operation has no result for zero elements, or for none that count, as NaN does not.
    Empty {
        /// The operation asked for.
        operation: &'static str,
    },
    /// The operation has no result for a segment without elements, or for a segment or a run of equal keys without any
    /// that count, as NaN does not.
    EmptySegment {
        /// The operation asked for.
        operation: &'static str,
        /// The first such segment or run, from 0.
        segment: u64,
    },
    /// The operation has no result for a group without elements, or without any that count, as NaN does not.
    EmptyGroup {
        /// The operation asked for.
        operation: &'static str,
        /// The first such group, from 0.
        group: u64,
    },
    /// A key is not below the number of groups.
    InvalidKey {
        /// The index of the first element that has such a key.
        index: u64,
        /// The key. `None` if its buffer has no usage `COPY_SRC`, or has been written since.
        key: Option<i128>,
        /// How many groups there are.
        groups: u32,
    },
    /// The operation has no result for elements along an axis of which none counts, as NaN and what a mask leaves out do not.
    EmptyResult {
        /// The operation asked for.
        operation: &'static str,
        /// The number of the first result that is none, from 0, in the order of the results.
        result: u64,
    },
    /// Offsets of segments that decrease or reach beyond the input, or none at all: n segments have n + 1.
    InvalidOffsets {
        /// Elements of the input.
        len: u64,
        /// The first that is wrong. `None` if there are no offsets, or if those that were wrong have been overwritten
        /// before anybody could look at them again.
        first_wrong: Option<WrongOffset>,
    },
    /// The operation does not take such elements. A call with types that the compiler has seen never
    /// returns this.
    NotDefined {
        /// The operation asked for.
        operation: &'static str,
        /// The name of the elements' type ([`ElementKind::name`](crate::ElementKind::name)).
        element: &'static str,
    },
    /// The operation takes another number of inputs. A call with types that the compiler has seen never
    /// returns this.
    WrongInputs {
        /// The operation asked for.
        operation: &'static str,
        /// How many inputs there were.
        inputs: u32,
    },
    /// There is no adapter, or none of those present is the one asked for.
    NoAdapter {
        /// What was looked for.
        looked_for: String,
        /// The adapters that are there but did not match, in the order of their numbers.
        found: Vec<String>,
        /// How to get a software adapter on this system, for where there is none at all; the text of the error has it
        /// only then.
        hint: String,
    },
    /// The device, or the host on its behalf, could not allocate.
    ///
    /// If it was a buffer, of elements, of results or between passes, the reducer stays usable. On native backends wgpu gives
    /// the device up if it was anything else, and calls that follow fail with [`Error::DeviceLost`]. That is so of
    ///
    /// - the copy of an upload on its way, up to 32 MiB at a time, and that of a reduction's parameters or tables;
    /// - memory that the host maps, as for the chunks of a new stream. Where chunks or results are mapped later, whoever waits is
    ///   told [`Error::DeviceLost`] at once;
    /// - a shader, a pipeline, what is bound for it, and commands as they are recorded or submitted.
    OutOfMemory {
        /// The size of the allocation that failed; 0 where the device did not say.
        bytes: u64,
        /// What was left of [`Options::max_memory_bytes`](crate::Options::max_memory_bytes); `None` if it was not that
        /// which was too little.
        available_bytes: Option<u64>,
    },
    /// One buffer of this size is more than the device can address.
    BufferTooLarge {
        /// The size asked for.
        bytes: u64,
        /// The largest buffer of the device.
        max_bytes: u64,
    },
    /// The adapter lacks something that the call needs.
    Unsupported {
        /// What is lacking.
        what: String,
        /// The adapter.
        adapter: String,
    },
    /// The device is gone. Make a new [`GpuReducer`](crate::GpuReducer); data in its buffers is lost. In a process that was forked
    /// from one that has listed adapters, every device is gone, and none can be opened.
    DeviceLost {
        /// What the driver said.
        reason: String,
    },
    /// A range of elements that is reversed or reaches past the end of its buffer.
    InvalidRange {
        /// First element asked for.
        start: u64,
        /// One past the last element asked for.
        end: u64,
        /// Elements there are.
        len: u64,
    },
    /// Inputs that belong together, element by element, have different lengths: two inputs, elements and a mask, or elements and keys.
    LengthMismatch {
        /// Elements of the first.
        left: u64,
        /// Elements of the second.
        right: u64,
    },
    /// Bytes that are not what they should be: cut off, damaged, or of another version.
    InvalidBytes {
        /// What is wrong with them.
        what: String,
    },
    /// A reader that a stream was to take elements from has failed. The stream has all that came before.
    Reader {
        /// Bytes that came before, in all.
        at_byte: u64,
        /// What kind of failure it is.
        kind: std::io::ErrorKind,
        /// What the reader said.
        message: String,
    },
    /// A buffer that cannot be used as asked.
    InvalidBuffer {
        /// What is wrong with it.
        what: String,
    },
    /// A view that cannot be used: of its shape, its strides, or the buffer it is of.
    InvalidView {
        /// What is wrong with it.
        what: String,
    },
    /// A rank that the input has not, or a quantile that is none.
    InvalidRank {
        /// What is wrong with it.
        what: String,
    },
    /// Bins that are none, too many, or too narrow for the type of the elements.
    InvalidBins {
        /// What is wrong with them.
        what: String,
    },
    /// A tuning value that cannot run.
    InvalidTuning {
        /// What is wrong with it.
        what: String,
    },
    /// A table of tunings that cannot be used.
    InvalidTuningTable {
        /// What is wrong with it.
        what: String,
    },
    /// A shader was rejected.
    Shader {
        /// File in `shaders/` that the line counts in.
        file: String,
        /// Line, from 1; 0 where the compiler did not say.
        line: u32,
        /// What the compiler said.
        message: String,
    },
    /// The text of a custom operator has a mistake.
    CustomShader {
        /// Line of the user's text, from 1, as WGSL counts them: a carriage return ends one, too. 0 where the mistake
        /// is nowhere, as something that is missing.
        line: u32,
        /// Column in that line, in characters from 1; 0 as the line.
        column: u32,
        /// What is wrong.
        message: String,
    },
    /// The device did not finish in the time allowed.
    Timeout,
    /// wgpu rejected the call: a buffer of another device, or one that is mapped or destroyed.
    Validation {
        /// What wgpu said.
        message: String,
    },
    /// wgpu reported something that this library did not expect; please report it.
    Internal {
        /// What wgpu said.
        message: String,
    },
}

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Operations without a result of NaN alone: they leave it out, and the result has to be an element.
pub(crate) const WITHOUT_RESULT_OF_NAN: [&str; 2] = ["nan_argmin", "nan_argmax"];

/// What an operation has no result of, and where: those that leave NaN out may have none of NaN alone, either.
fn write_empty(
    f: &mut fmt::Formatter<'_>,
    operation: &str,
    place: fmt::Arguments<'_>,
) -> fmt::Result {
    let of = if WITHOUT_RESULT_OF_NAN.contains(&operation) {
        "no element that is not NaN"
    } else {
        "zero elements"
    };
    write!(f, "{operation} of {of} has no value{place}")
}

fn write_wrong_inputs(f: &mut fmt::Formatter<'_>, operation: &str, inputs: u32) -> fmt::Result {
    match inputs {
        1 => write!(f, "{operation} needs two inputs, whose elements it pairs"),
        2 => write!(f, "{operation} takes one input and not 2"),
        _ => write!(f, "{operation} takes one input, or two that it pairs, and not {inputs}"),
    }
}

fn write_out_of_memory(
    f: &mut fmt::Formatter<'_>,
    bytes: u64,
    available_bytes: Option<u64>,
) -> fmt::Result {
    let needed = told_size(bytes);
    match (bytes, available_bytes.map(told_size)) {
        (_, Some(available)) => {
            write!(f, "{needed} bytes of memory are needed, and {available} may still be allocated")
        }
        (0, None) => f.write_str("the device is out of memory"),
        (u64::MAX, None) => write!(f, "the device has no memory for {needed} bytes"),
        (_, None) => write!(f, "the device has no memory for {needed} more bytes"),
    }
}

/// Sizes that do not fit in 64 bits are saturated.
fn told_size(bytes: u64) -> String {
    if bytes == u64::MAX { "2^64 or more".into() } else { bytes.to_string() }
}

fn write_custom_shader(
    f: &mut fmt::Formatter<'_>,
    [line, column]: [u32; 2],
    message: &str,
) -> fmt::Result {
    match line {
        0 => write!(f, "the custom operator cannot be used: {message}"),
        _ => write!(f, "the custom operator is wrong at {line}:{column}: {message}"),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { operation } => write_empty(f, operation, format_args!("")),
            Self::EmptySegment { operation, segment } => {
                write_empty(f, operation, format_args!(", and segment or run {segment} has none"))
            }
            Self::EmptyGroup { operation, group } => {
                write_empty(f, operation, format_args!(", and group {group} has none"))
            }
            Self::InvalidKey { index, key: Some(key), groups } => {
                write!(f, "the key at index {index} is {key}, which is none of {groups} groups")
            }
            Self::InvalidKey { index, key: None, groups } => {
                write!(f, "the key at index {index} is none of {groups} groups")
            }
            Self::EmptyResult { operation, result } => {
                write_empty(f, operation, format_args!(", and for result {result} none counts"))
            }
            Self::InvalidOffsets { len, first_wrong: Some(wrong) } => wrong.write(f, *len),
            Self::InvalidOffsets { len, first_wrong: None } => write!(
                f,
                "the offsets of the segments decrease, reach beyond the {len} elements, or are none"
            ),
            Self::NotDefined { operation, element } => {
                write!(f, "{operation} is not defined for {element} elements")
            }
            Self::WrongInputs { operation, inputs } => write_wrong_inputs(f, operation, *inputs),
            Self::NoAdapter { looked_for, found, hint } => {
                write_no_adapter(f, looked_for, found, hint)
            }
            Self::OutOfMemory { bytes, available_bytes } => {
                write_out_of_memory(f, *bytes, *available_bytes)
            }
            Self::BufferTooLarge { bytes, max_bytes } => write!(
                f,
                "a buffer of {} bytes is larger than this device allows ({max_bytes} bytes)",
                told_size(*bytes)
            ),
            Self::Unsupported { what, adapter } => write!(f, "{adapter} does not support {what}"),
            Self::DeviceLost { reason } => write!(f, "the device was lost: {reason}"),
            Self::InvalidRange { start, end, len } => {
                write!(f, "range {start}..{end} does not lie within a buffer of {len} elements")
            }
            Self::LengthMismatch { left, right } => {
                write!(f, "{left} elements cannot be paired with {right}")
            }
            Self::InvalidBytes { what } => write!(f, "the bytes cannot be read: {what}"),
            Self::Reader { at_byte, message, .. } => {
                write!(f, "the reader failed at byte {at_byte}: {message}")
            }
            Self::InvalidBuffer { what } => write!(f, "the buffer cannot be used: {what}"),
            Self::InvalidView { what } => write!(f, "the view cannot be used: {what}"),
            Self::InvalidRank { what } => write!(f, "the rank cannot be found: {what}"),
            Self::InvalidBins { what } => write!(f, "the bins cannot be used: {what}"),
            Self::InvalidTuning { what } => write!(f, "the tuning cannot run: {what}"),
            Self::InvalidTuningTable { what } => {
                write!(f, "the tuning table cannot be used: {what}")
            }
            Self::Shader { file, line, message } => {
                write!(f, "shader rejected at {file}:{line}: {message}")
            }
            Self::CustomShader { line, column, message } => {
                write_custom_shader(f, [*line, *column], message)
            }
            Self::Timeout => write!(f, "the device did not finish in the time allowed"),
            Self::Validation { message } => write!(f, "wgpu rejected the call: {message}"),
            Self::Internal { message } => write!(f, "unexpected error of the GPU stack: {message}"),
        }
    }
}

/// An offset of segments that is less than the one before, or beyond the elements.
///
/// ```
/// use wgpu_reduce::{Error, WrongOffset};
///
/// let wrong = WrongOffset { index: 2, value: 4, before: 5 };
/// let error = Error::InvalidOffsets { len: 10, first_wrong: Some(wrong) };
/// let text = "the offset at index 2 is 4, which is less than the one before, 5";
/// assert_eq!(error.to_string(), text);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongOffset {
    /// Its index among the offsets, from 0.
    pub index: u64,
    /// What it is.
    pub value: u32,
    /// The one before; 0, if it is the first.
    pub before: u32,
}

impl WrongOffset {
    fn write(self, f: &mut fmt::Formatter<'_>, len: u64) -> fmt::Result {
        let Self { index, value, before } = self;
        write!(f, "the offset at index {index} is {value}, which is ")?;
        if u64::from(value) > len {
            write!(f, "beyond the {len} elements")
        } else {
            write!(f, "less than the one before, {before}")
        }
    }
}

fn write_no_adapter(
    f: &mut fmt::Formatter<'_>,
    looked_for: &str,
    found: &[String],
    hint: &str,
) -> fmt::Result {
    if found.is_empty() {
        return write!(f, "no adapter found; looked for {looked_for}; {hint}");
    }
    let numbered: Vec<_> =
        found.iter().zip(0..).map(|(label, n): (_, u32)| format!("{n}: {label}")).collect();
    write!(f, "no adapter matches; looked for {looked_for}; present: {}", numbered.join(", "))
}

impl std::error::Error for Error {}

#[cfg(feature = "recorded")]
impl Error {
    /// The code by which the npm package tells this error.
    #[doc(hidden)]
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "Empty",
            Self::EmptySegment { .. } => "EmptySegment",
            Self::EmptyGroup { .. } => "EmptyGroup",
            Self::InvalidKey { .. } => "InvalidKey",
            Self::EmptyResult { .. } => "EmptyResult",
            Self::InvalidOffsets { .. } => "InvalidOffsets",
            Self::NotDefined { .. } => "NotDefined",
            Self::WrongInputs { .. } => "WrongInputs",
            Self::OutOfMemory { .. } => "OutOfMemory",
            Self::BufferTooLarge { .. } => "BufferTooLarge",
            Self::Unsupported { .. } => "Unsupported",
            Self::DeviceLost { .. } => "DeviceLost",
            Self::InvalidRange { .. } => "InvalidRange",
            Self::LengthMismatch { .. } => "LengthMismatch",
            Self::InvalidBuffer { .. } => "InvalidBuffer",
            Self::InvalidView { .. } => "InvalidView",
            Self::InvalidRank { .. } => "InvalidRank",
            Self::InvalidBins { .. } => "InvalidBins",
            Self::InvalidTuning { .. } => "InvalidTuning",
            Self::Shader { .. } => "Shader",
            Self::Validation { .. } => "Validation",
            // Plans do not fail with these.
            Self::NoAdapter { .. }
            | Self::InvalidBytes { .. }
            | Self::Reader { .. }
            | Self::InvalidTuningTable { .. }
            | Self::CustomShader { .. }
            | Self::Timeout
            | Self::Internal { .. } => "Internal",
        }
    }
}

/// A float as errors show it. In the npm package JavaScript writes it, since code for that is large.
pub(crate) struct Shown(pub(crate) f64);

#[cfg(not(all(feature = "recorded", target_family = "wasm")))]
impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(not(all(feature = "recorded", target_family = "wasm")))]
impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(all(feature = "recorded", target_family = "wasm"))]
impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(all(feature = "recorded", target_family = "wasm"))]
impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = wasm_bindgen_futures::js_sys::Number::from(self.0).to_string_with_radix(10);
        f.write_str(&text.map(String::from).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn what_has_no_result_of_nan_says_so() {
        let texts = |operation| {
            [
                Error::Empty { operation },
                Error::EmptySegment { operation, segment: 3 },
                Error::EmptyResult { operation, result: 3 },
            ]
            .map(|error| error.to_string())
        };
        for (operation, of) in [
            ("nan_argmin", "no element that is not NaN"),
            ("nan_argmax", "no element that is not NaN"),
            ("nan_min", "zero elements"),
            ("mean", "zero elements"),
            ("another", "zero elements"),
        ] {
            let none = format!("{operation} of {of} has no value");
            let segment = format!("{none}, and segment or run 3 has none");
            let result = format!("{none}, and for result 3 none counts");
            assert_eq!(texts(operation), [none, segment, result]);
        }
    }

    #[test]
    fn sizes_that_do_not_fit_are_told_as_such() {
        let text =
            |bytes, available_bytes| Error::OutOfMemory { bytes, available_bytes }.to_string();
        assert_eq!(text(0, None), "the device is out of memory");
        assert_eq!(text(9, None), "the device has no memory for 9 more bytes");
        assert_eq!(text(u64::MAX, None), "the device has no memory for 2^64 or more bytes");
        let (needed, left) = ("bytes of memory are needed, and", "may still be allocated");
        assert_eq!(text(9, Some(3)), format!("9 {needed} 3 {left}"));
        let most = Some(u64::MAX);
        assert_eq!(text(u64::MAX, most), format!("2^64 or more {needed} 2^64 or more {left}"));
    }

    /// To install a driver is no advice where there is one.
    #[test]
    fn adapters_that_do_not_match_are_listed_and_none_is_advised() {
        let error = |found: &[&str]| {
            let found = found.iter().map(|&label| label.into()).collect();
            Error::NoAdapter { looked_for: "an X".into(), found, hint: "install one".into() }
                .to_string()
        };
        assert_eq!(error(&[]), "no adapter found; looked for an X; install one");
        let listed = "no adapter matches; looked for an X; present: 0: A (Vulkan), 1: B (Gl)";
        assert_eq!(error(&["A (Vulkan)", "B (Gl)"]), listed);
    }
}
