//! From an input to the GPU, piece by piece.

use crate::buffers::{Buffers, Had, MOST_BUFFERS, NoRoom};
use crate::failure::Failure;
use crate::input::{Input, Room};
use crate::sample::Sample;
use crate::spent::{self, Stage};
use wgpu_reduce::{AdapterClass, Error, GpuReducer};

/// Copies the input to the GPU, and shows every piece to `see`.
pub(crate) fn upload<T: Sample>(
    reducer: &GpuReducer,
    input: Input,
    see: impl FnMut(&[T]) -> Result<(), Failure>,
) -> Result<Buffers<T>, Failure> {
    copy(reducer, input, see, "with less --memory it passes through piece by piece")
}

/// Copies an input to the GPU that must lie there as a whole.
pub(crate) fn upload_whole<T: Sample>(
    reducer: &GpuReducer,
    input: Input,
) -> Result<Buffers<T>, Failure> {
    copy(reducer, input, |_| Ok(()), WHOLE)
}

/// What there is to do where that much memory is not to be had.
const WHOLE: &str = "--axis, --offsets, --keys, --mask and order statistics without --memory need the whole file there: split it, or use what \
                     takes files of any size, which are the operations of one result (sum, min-max, stats and so on), dot and histogram";

fn copy<T: Sample>(
    reducer: &GpuReducer,
    input: Input,
    mut see: impl FnMut(&[T]) -> Result<(), Failure>,
    advice: &str,
) -> Result<Buffers<T>, Failure> {
    let room = room(reducer);
    input.check_room(&room)?;
    let (name, elements) = (input.name().to_owned(), input.elements());
    let no_room = |no_room: NoRoom| {
        let needed = elements.map(|elements| elements.saturating_mul(T::KIND.size_bytes()));
        no_room.said(&name, &reducer.adapter_label(), needed, advice)
    };
    let make = || Buffers::with_room_for(elements.unwrap_or_default(), reducer);
    let mut target = spent::on(Stage::Copying, make).map_err(no_room)?;
    input.for_each_chunk(&room, |chunk| {
        see(chunk)?;
        let pushed = spent::on(Stage::Copying, || target.push(reducer, chunk));
        pushed.map_err(|error| no_room(NoRoom { error, had: Had::Allocated(target.bytes()) }))
    })?;
    Ok(target)
}

impl NoRoom {
    /// Says which file it is, how much it needs and was to be had, and what to do instead.
    fn said(self, name: &str, adapter: &str, needed: Option<u64>, advice: &str) -> Failure {
        let Self { error, had } = self;
        if !matches!(error, Error::OutOfMemory { .. } | Error::BufferTooLarge { .. }) {
            return error.into();
        }
        let needed = match needed {
            Some(bytes) => format!("{bytes} bytes"),
            None => "more".into(),
        };
        let had = match had {
            Had::Allocated(0) => String::new(),
            Had::Allocated(bytes) => format!(", of which {bytes} bytes were to be had"),
            Had::Limit(bytes) => format!(", of which {bytes} bytes can be used at most"),
        };
        let what = format!("it needs {needed} of the memory of {adapter}{had}; {advice}");
        Failure::in_file(name, what)
    }
}

/// A stream may have no end. What a software adapter takes is the host's memory, so there it is one
/// buffer at most.
fn room(reducer: &GpuReducer) -> Room {
    let caps = reducer.caps();
    let buffers = match caps.class {
        AdapterClass::Cpu => 1,
        _ => MOST_BUFFERS,
    };
    let bytes = caps.max_buffer_bytes.saturating_mul(buffers);
    Room { bytes, taker: reducer.adapter_label() }
}

#[cfg(test)]
mod tests {
    use super::{Had, MOST_BUFFERS, NoRoom, Room, upload, upload_whole};
    use crate::args::Format;
    use crate::buffers::Buffers;
    use crate::failure::Failure;
    use crate::input::Input;
    use wgpu_reduce::{ElementKind, Error, GpuReducer, Options, Sum};

    /// A multiple of every alignment there is.
    const LARGEST_BYTES: u64 = 64 << 10;

    /// Every adapter with small buffers. Fails without one, unless `WGPU_REDUCE_ALLOW_NO_ADAPTER` is set.
    fn reducers() -> Vec<GpuReducer> {
        let adapters = GpuReducer::adapters();
        let may_lack = std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_some();
        assert!(!adapters.is_empty() || may_lack, "no adapter: nothing was tested");
        let open = |(index, adapter): (usize, wgpu_reduce::Adapter)| {
            let limits = wgpu::Limits { max_buffer_size: LARGEST_BYTES, ..adapter.limits };
            let options = Options::default().adapter(index.to_string()).limits(limits);
            pollster::block_on(GpuReducer::request(&options)).unwrap()
        };
        adapters.into_iter().enumerate().map(open).collect()
    }

    fn bytes(len: u32) -> Vec<u8> {
        (0..len).flat_map(u32::to_le_bytes).collect()
    }

    fn check(reducer: &GpuReducer, buffers: &Buffers<u32>, len: u32, what: &str) {
        let parts = buffers.all().unwrap();
        let expected = (u64::from(len) * 4).div_ceil(LARGEST_BYTES).max(1);
        assert_eq!(parts.parts().len() as u64, expected, "{what}");
        for len in [0, len / 3, len] {
            let sum =
                reducer.reduce(Sum, buffers.first(len.into()).unwrap()).start().unwrap().wait();
            let sum_of_indices = u64::from(len) * u64::from(len.max(1) - 1) / 2;
            assert_eq!(sum.unwrap(), sum_of_indices, "{what}, the first {len}");
        }
        assert!(buffers.first(u64::from(len) + 1).is_err(), "{what}");
        assert_eq!(buffers.first_of_one(1).is_err(), expected > 1, "{what}");
    }

    #[test]
    fn what_one_buffer_does_not_hold_goes_to_several() {
        for reducer in reducers() {
            for len in [1_u32, 16_383, 16_384, 16_385, 16_384 * 2, 100_003] {
                let known = Input::of_bytes(bytes(len), true, ElementKind::U32);
                let label = reducer.adapter_label();
                let mut seen = 0;
                let buffers = upload::<u32>(&reducer, known, |piece| {
                    seen += piece.len();
                    Ok(())
                });
                assert_eq!(seen, len as usize);
                check(&reducer, &buffers.unwrap(), len, &format!("{len} on {label}"));

                // A stream, piece by piece: as if there were no end to be seen.
                let mut buffers = Buffers::with_room_for(0, &reducer).unwrap();
                let elements: Vec<u32> = (0..len).collect();
                for piece in elements.chunks(7001) {
                    buffers.push(&reducer, piece).unwrap();
                }
                assert_eq!(buffers.all().unwrap().len(), u64::from(len));
                check(&reducer, &buffers, len, &format!("{len} in pieces on {label}"));
            }
        }
    }

    /// Whose last word is not full, in the last buffer and at the end of one.
    #[test]
    fn packed_elements_go_to_several_buffers() {
        for reducer in reducers() {
            for len in [1_u32, 2, 3, 5, 1001, 65_535, 65_536, 65_537, 200_003] {
                let elements: Vec<_> = (0..len).map(|index| index.to_le_bytes()[0]).collect();
                let expected: u64 = elements.iter().map(|&element| u64::from(element)).sum();
                let known = Input::of_bytes(elements.clone(), true, ElementKind::U8);
                let mut grown = Buffers::with_room_for(0, &reducer).unwrap();
                for piece in elements.chunks(7004) {
                    grown.push(&reducer, piece).unwrap();
                }
                for buffers in [upload(&reducer, known, |_: &[u8]| Ok(())).unwrap(), grown] {
                    let sum = reducer.reduce(Sum, buffers.all().unwrap()).start().unwrap().wait();
                    assert_eq!(sum.unwrap(), expected, "{len} on {}", reducer.adapter_label());
                }
            }
        }
    }

    /// A file of nothing but a length, longer than all buffers together.
    #[test]
    fn what_the_gpu_does_not_hold_is_told_with_how_much_and_what_to_do() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let bytes = LARGEST_BYTES * MOST_BUFFERS + 4;
        file.as_file().set_len(bytes).unwrap();
        for reducer in reducers() {
            let open =
                || Input::open(file.path(), Some(Format::Raw), Some(ElementKind::U32)).unwrap();
            let adapter = reducer.adapter_label();
            let name = file.path().display();
            let sizes = format!(
                "{name}: it needs {bytes} bytes of the memory of {adapter}, of which {} bytes can be used at most; ",
                bytes - 4
            );
            let whole = upload_whole::<u32>(&reducer, open()).unwrap_err();
            let Failure::Failed(whole) = whole else { panic!("{whole:?}") };
            assert!(whole.starts_with(&sizes), "{whole}");
            assert!(whole.contains("--axis") && whole.contains("sum, min-max"), "{whole}");
            let of_one = upload::<u32>(&reducer, open(), |_| Ok(())).unwrap_err();
            let Failure::Failed(of_one) = of_one else { panic!("{of_one:?}") };
            assert!(of_one.starts_with(&sizes) && of_one.contains("--memory"), "{of_one}");
        }
    }

    #[test]
    fn what_was_to_be_had_is_told_and_other_errors_stay() {
        let said = |error, needed| {
            let no_room = NoRoom { error, had: Had::Allocated(512) };
            what(no_room.said("a.npy", "A", needed, "so split it"))
        };
        let memory = || Error::OutOfMemory { bytes: 256, available_bytes: None };
        let had = "the memory of A, of which 512 bytes were to be had; so split it";
        assert_eq!(said(memory(), Some(1024)), format!("a.npy: it needs 1024 bytes of {had}"));
        assert_eq!(said(memory(), None), format!("a.npy: it needs more of {had}"));
        for other in [Error::Timeout, Error::DeviceLost { reason: "gone".into() }] {
            assert_eq!(said(other.clone(), Some(1024)), what(other.into()));
        }
    }

    fn what(failure: Failure) -> String {
        match failure {
            Failure::Failed(what) => what,
            failure => panic!("{failure:?}"),
        }
    }

    #[test]
    fn streams_are_taken_as_far_as_there_is_room() {
        for reducer in reducers() {
            let Room { bytes: room, taker: adapter } = super::room(&reducer);
            assert!(room == LARGEST_BYTES || room == LARGEST_BYTES * MOST_BUFFERS, "{adapter}");
            if room == LARGEST_BYTES {
                let stream = Input::of_bytes(bytes(16_385), false, ElementKind::U32);
                let failure = upload::<u32>(&reducer, stream, |_| Ok(())).unwrap_err();
                let what = format!(
                    "more than 65536 bytes, the most that {adapter} takes of standard input, a pipe or a gzip file"
                );
                assert!(format!("{failure:?}").contains(&what), "{failure:?}");
            }
        }
    }
}
