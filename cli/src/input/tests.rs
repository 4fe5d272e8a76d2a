//! Headers that are right, wrong and hostile, from memory.

use super::source::Source;
use super::{CHUNK_BYTES, Input, Layout, MAGIC, Room, Shape, npy_layout};
use crate::failure::Failure;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::io::{self, Cursor, Read, Write as _};
use wgpu_reduce::ElementKind;

/// A file with this header and `data_bytes` of data.
fn file(version: u8, text: &str, data_bytes: usize) -> Vec<u8> {
    let mut file = [MAGIC, &[version, 0]].concat();
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    file.extend(if version == 1 { &length[..2] } else { &length });
    file.extend(text.as_bytes());
    file.resize(file.len() + data_bytes, 1);
    file
}

fn header(descr: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}  \n")
}

fn room(bytes: u64) -> Room {
    Room { bytes, adapter: "a small adapter".into() }
}

/// Reads a stream to its end: what it holds, and how many bytes of it came.
fn drain(bytes: impl Read + 'static, is_npy: bool, most: u64) -> Result<(Layout, u64), String> {
    let dtype = (!is_npy).then_some(ElementKind::U32);
    let message = |failure| match failure {
        Failure::Failed(message) => message.strip_prefix("memory: ").unwrap().to_owned(),
        other => panic!("{other:?}"),
    };
    let input = Input::new(Source::stream("memory", bytes), is_npy, dtype).map_err(message)?;
    let Layout { element, is_big_endian, elements, data_start, ref shape } = input.layout;
    let shape = shape.clone();
    let mut taken = 0;
    let outcome = input.for_each_chunk::<u8>(&room(most), |chunk| {
        taken += size_of_val(chunk) as u64;
        Ok(())
    });
    assert!(taken <= most, "{taken} bytes taken, for which there is no room");
    outcome.map_err(message)?;
    Ok((Layout { element, is_big_endian, elements, data_start, shape }, taken))
}

/// What a stream is found to hold, and a file of known length must be found to hold, too.
fn layout(file: &[u8]) -> Result<Layout, String> {
    let drained = drain(Cursor::new(file.to_vec()), true, u64::MAX).map(|(layout, _)| layout);
    let mut source = Source::stream("memory", Cursor::new(file.to_vec()));
    source.len = Some(file.len() as u64);
    let known = npy_layout(&mut source, None);
    match (&drained, &known) {
        (Err(stream), Err(file)) => assert!(file.ends_with(stream), "{file}, but {stream}"),
        _ => assert_eq!(drained, known),
    }
    drained
}

fn fault(file: &[u8]) -> String {
    layout(file).unwrap_err()
}

#[test]
fn shapes_are_multiplied() {
    for (shape, extents, elements) in [
        ("()", &[][..], 1),
        ("(5,)", &[5], 5),
        ("(2, 3)", &[2, 3], 6),
        ("(2, 0, 3)", &[2, 0, 3], 0),
        ("[4]", &[4], 4),
    ] {
        for version in 1..=3 {
            let text = header("'<f4'", shape);
            let file = file(version, &text, elements * 4);
            let expected = Layout {
                element: ElementKind::F32,
                is_big_endian: false,
                elements: Some(elements as u64),
                data_start: (file.len() - elements * 4) as u64,
                shape: Some(Shape { extents: extents.to_vec(), is_fortran: false }),
            };
            assert_eq!(layout(&file), Ok(expected), "{shape}");
        }
    }
}

#[test]
fn types_are_known_by_name() {
    let kinds = [
        ("'<f4'", ElementKind::F32),
        ("'<i4'", ElementKind::I32),
        ("\"<u4\"", ElementKind::U32),
        ("'>f4'", ElementKind::F32),
        ("'|u1'", ElementKind::U8),
        ("'|i1'", ElementKind::I8),
        ("'<u2'", ElementKind::U16),
        ("'>i2'", ElementKind::I16),
        ("'<f2'", ElementKind::F16),
        ("'<f8'", ElementKind::F64),
        ("'>i8'", ElementKind::I64),
        ("'<u8'", ElementKind::U64),
        #[cfg(target_endian = "little")]
        ("'=i4'", ElementKind::I32),
    ];
    for (descr, kind) in kinds {
        let bytes = usize::try_from(kind.size_bytes()).unwrap();
        let layout = layout(&file(1, &header(descr, "(1,)"), bytes)).unwrap();
        assert_eq!((layout.element, layout.is_big_endian), (kind, descr.contains('>')), "{descr}");
    }
    for descr in ["'<c8'", "'<f16'", "'|b1'", "'|O'", "'<M8[ns]'", "'|S4'", "'|V4'"] {
        let fault = fault(&file(1, &header(descr, "(1,)"), 4));
        let start = format!("dtype {descr} is not supported; f32, i32, u32, ");
        assert!(fault.starts_with(&start) && fault.contains(" and f64 are"), "{fault}");
        assert_eq!(
            fault.ends_with("are; in NumPy view('u1') makes u8 of bool"),
            descr == "'|b1'",
            "{fault}"
        );
    }
    let records = fault(&file(1, &header("[('a', '<f4', (2, 2))]", "(1,)"), 16));
    assert!(records.starts_with("structured dtype [('a', '<f4', (2,2,))"), "{records}");
}

#[test]
fn every_truncation_is_found_where_it_is() {
    for version in 1..=3 {
        let whole = file(version, &header("'<i4'", "(3,)"), 12);
        assert!(layout(&whole).is_ok());
        for end in 0..whole.len() {
            let fault = fault(&whole[..end]);
            assert!(fault.starts_with(&format!("truncated at byte {end}: ")), "{end}: {fault}");
        }
    }
}

#[test]
fn bytes_too_many_are_found_where_they_start() {
    let mut long = file(1, &header("'<i4'", "(3,)"), 12);
    let end = long.len();
    long.extend([0; 5]);
    assert_eq!(fault(&long), format!("bytes too many from byte {end} on"));
}

#[test]
fn wrong_headers_name_the_byte_at_fault() {
    let text = header("'<f4'", "(1,)");
    for (file, start) in [
        (b"\x93NUMPX\x01\x00\x00\x00".to_vec(), "byte 0: not a .npy file"),
        (file(4, &text, 4), "byte 6: version 4.0 of the .npy format"),
        (b"\x93NUMPY\x01\x01\x00\x00".to_vec(), "byte 6: version 1.1 of the .npy format"),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(),
            "byte 8: the header's length of 4294967295",
        ),
        (file(1, "", 4), "byte 10: the header cannot be parsed"),
        (file(1, "{'descr': }", 4), "byte 20: the header cannot be parsed: expected value"),
        (file(2, "{'descr': '<f4'}", 4), "byte 12: the header cannot be parsed: "),
        (file(1, &header("'<f4'", "(-1,)"), 4), "byte 61: unexpected '-'"),
        (file(1, &header("'<f4'", "'1'"), 4), "byte 10: the header cannot be parsed: "),
        (file(1, &header("'f4'", "(1,)"), 4), "byte 10: the header cannot be parsed: "),
        (file(2, &" ".repeat((1 << 20) + 1), 4), "byte 8: the header's length of 1048577"),
        (file(2, &"'".repeat(20_000), 4), "byte 12: the header is longer than"),
    ] {
        let fault = fault(&file);
        assert!(fault.starts_with(start), "{fault}");
    }
    let mut not_utf8 = file(1, &text, 4);
    not_utf8[13] = 0xFF;
    assert_eq!(fault(&not_utf8), "byte 13: the header is not UTF-8");
}

#[test]
fn padding_of_any_length_is_read() {
    let text = format!("{}{}", header("'<f4'", "(1,)"), " ".repeat(1_000_000));
    assert_eq!(layout(&file(2, &text, 4)).map(|layout| layout.elements), Ok(Some(1)));
}

#[test]
fn elements_that_are_not_there_cost_nothing() {
    for (shape, promised) in [
        ("(1152921504606846976,)", "4611686018427387904"),
        ("(1099511627776, 1048576)", "4611686018427387904"),
    ] {
        let fault = fault(&file(1, &header("'<f4'", shape), 8));
        assert!(fault.starts_with("truncated at byte "), "{fault}");
        assert!(fault.contains(&format!("promises {promised} bytes")), "{fault}");
    }
    for shape in ["(4611686018427387904,)", "(4611686018427387890,)", "(18446744073709551615,)"] {
        let fault = fault(&file(1, &header("'<f4'", shape), 8));
        assert!(fault.contains("elements end beyond 2^64 bytes"), "{fault}");
    }
    for shape in ["(4294967296, 4294967296)", "(0, 4294967296, 4294967296)"] {
        let fault = fault(&file(1, &header("'<f4'", shape), 8));
        assert!(fault.contains("dimensions multiply to more than 2^64"), "{fault}");
    }
}

#[test]
fn headers_that_take_long_to_parse_are_parsed_or_refused() {
    for opening in ["{[[[[[", "{((((([", "[[[[[[", "((((((", "{'a':[[[[["] {
        for filling in ["1,", "'',", "None,", "0", " "] {
            let text = format!("{opening}{}", filling.repeat(16_000 / filling.len()));
            let fault = fault(&file(2, &text, 0));
            assert!(fault.starts_with("byte "), "{fault}");
        }
    }
    let deep = fault(&file(1, &header(&"(".repeat(30_000), "()"), 0));
    assert!(deep.starts_with("byte "), "{deep}");
}

/// Changes a file as a fuzzer does that knows a little of the format.
fn mutate(file: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    const PIECES: &str = "( ) [ ] { } ' \" \\ , : = - é 0x None 'descr' (((((((((((( \
                          18446744073709551615 9999999999999999, 9999999999999999, \
                          [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]";
    let pieces: Vec<_> = PIECES.split(' ').chain(["\n", " "]).collect();
    let breaks = file.iter().enumerate().filter(|(_, byte)| b"([,'".contains(byte));
    let breaks: Vec<_> = breaks.map(|(index, _)| index + 1).collect();
    let at = match breaks.len() {
        count if count > 0 && rng.random() => breaks[rng.random_range(0..count)],
        _ => rng.random_range(0..=file.len()),
    };
    match rng.random_range(0..6) {
        0 if at < file.len() => file[at] ^= 1 << rng.random_range(0..8),
        1 => file.truncate(at),
        2 => file.insert(at, rng.random()),
        3 | 4 => {
            let piece = pieces[rng.random_range(0..pieces.len())].repeat(rng.random_range(1..4));
            file.splice(at..at, piece.bytes());
        }
        _ => {
            let end = rng.random_range(at..=file.len());
            let copy = file[at..end].to_vec();
            file.splice(at..at, copy);
        }
    }
}

#[test]
fn no_mutation_of_a_file_is_more_than_an_error() {
    let texts = [
        header("'<f4'", "(2, 3)"),
        header("'<i4'", "(6,)"),
        header("[('a', '<f4', (2,)), ('b', [('c', '|b1')])]", "(1,)"),
        header("'<U3'", "(0, 1)"),
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut right, mut wrong) = (0, 0);
    for round in 0..40_000 {
        let text = &texts[round % texts.len()];
        let mut file = file(1 + u8::try_from(round % 3).unwrap(), text, 24);
        for _ in 0..rng.random_range(1..4) {
            mutate(&mut file, &mut rng);
        }
        if rng.random() && file.len() > 12 {
            // A length that fits, so that the change gets as far as the parser.
            let length = u16::try_from(file.len() - 10 - 24.min(file.len() - 10)).unwrap();
            file[..8].copy_from_slice(b"\x93NUMPY\x01\x00");
            file[8..10].copy_from_slice(&length.to_le_bytes());
        }
        match layout(&file) {
            Ok(layout) => {
                assert_eq!(layout.data_start + layout.promised().unwrap(), file.len() as u64);
                right += 1;
            }
            Err(fault) => {
                assert!(!fault.is_empty());
                wrong += 1;
            }
        }
    }
    assert!(right > 100 && wrong > 10_000, "{right} right, {wrong} wrong");
}

#[test]
fn raw_data_ends_where_it_ends() {
    let raw = |bytes: usize| drain(Cursor::new(vec![0; bytes]), false, u64::MAX);
    let layout = || Layout {
        element: ElementKind::U32,
        is_big_endian: false,
        elements: None,
        data_start: 0,
        shape: None,
    };
    for bytes in [0, 12, CHUNK_BYTES, CHUNK_BYTES + 4, 3 * CHUNK_BYTES - 4] {
        assert_eq!(raw(bytes), Ok((layout(), bytes as u64)));
    }
    for bytes in [1, 14, CHUNK_BYTES + 3] {
        let fault = raw(bytes).unwrap_err();
        let at = bytes - bytes % 4;
        assert!(fault.starts_with(&format!("the element at byte {at} is incomplete")), "{fault}");
    }
}

/// A stream that never ends, and must not be read farther than `left` bytes.
struct Endless {
    left: usize,
}

impl Read for Endless {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let count = target.len().min(1 << 16);
        self.left = self.left.checked_sub(count).expect("it is read too far");
        target[..count].fill(0);
        Ok(count)
    }
}

#[test]
fn raw_data_without_an_end_is_read_as_far_as_there_is_room() {
    let chunk = CHUNK_BYTES;
    for most in [0, 1, 4, 1000, 1003, chunk - 1, chunk, chunk + 1, 2 * chunk + 7] {
        let fault = drain(Endless { left: most + 1 }, false, most as u64).unwrap_err();
        let what =
            format!("more than {most} bytes, the most that a small adapter takes of a stream");
        assert_eq!(fault, what);
    }
    for bytes in [0, 4, 1000, CHUNK_BYTES] {
        let all = drain(Cursor::new(vec![0; bytes]), false, bytes as u64);
        assert_eq!(all.map(|(_, taken)| taken), Ok(bytes as u64));
    }
}

#[test]
fn data_with_a_header_is_read_as_far_as_it_says() {
    let head = file(1, &header("'<f4'", "(3,)"), 0);
    let end = head.len() + 12;
    let fault = drain(Cursor::new(head).chain(Endless { left: 13 }), true, 12).unwrap_err();
    assert_eq!(fault, format!("bytes too many from byte {end} on"));
}

#[test]
fn magic_is_seen_and_not_lost() {
    for (bytes, is_npy) in [(&b"\x93NUMPYabc"[..], true), (b"\x93NUMP", false), (b"", false)] {
        let mut source = Source::stream("memory", Cursor::new(bytes.to_vec()));
        assert_eq!(source.starts_with(MAGIC), Ok(is_npy));
        let mut read = Vec::new();
        source.bytes.read_to_end(&mut read).unwrap();
        assert_eq!(read, bytes);
    }
}

#[test]
fn chunks_are_the_whole_in_order() {
    let count = CHUNK_BYTES / 4 + 3;
    let words: Vec<u32> = (0..).step_by(7).take(count).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let source = Source::stream("memory", Cursor::new(bytes));
    let input = Input::new(source, false, Some(ElementKind::U32)).unwrap();
    let mut seen: Vec<u32> = Vec::new();
    let mut lengths = Vec::new();
    input
        .for_each_chunk(&room(u64::MAX), |chunk| {
            lengths.push(chunk.len());
            seen.extend(chunk);
            Ok(())
        })
        .unwrap();
    assert_eq!(lengths, [CHUNK_BYTES / 4, 3]);
    assert!(seen == words);
}

/// What pieces of a type make of bytes.
fn elements<T: bytemuck::Pod>(bytes: &[u8], is_npy: bool, dtype: Option<ElementKind>) -> Vec<T> {
    let source = Source::stream("memory", Cursor::new(bytes.to_vec()));
    let mut seen = Vec::new();
    let input = Input::new(source, is_npy, dtype).ok().unwrap();
    input
        .for_each_chunk(&room(1000), |chunk| {
            seen.extend_from_slice(chunk);
            Ok(())
        })
        .unwrap();
    seen
}

#[test]
fn bytes_are_put_in_order() {
    let data = [1, 2, 3, 4, 5, 6, 7, 8];
    let of = |descr: &str, shape: &str| {
        let mut file = file(1, &header(descr, shape), 0);
        file.extend(data);
        file
    };
    assert_eq!(elements::<u16>(&of("'<u2'", "(4,)"), true, None), [0x201, 0x403, 0x605, 0x807]);
    assert_eq!(elements::<u16>(&of("'>u2'", "(4,)"), true, None), [0x102, 0x304, 0x506, 0x708]);
    assert_eq!(elements::<u32>(&of("'>u4'", "(2,)"), true, None), [0x102_0304, 0x506_0708]);
    for descr in ["'|u1'", "'<u1'", "'>u1'"] {
        assert_eq!(elements::<u8>(&of(descr, "(8,)"), true, None), data);
    }
    let raw = elements::<i16>(&data[..6], false, Some(ElementKind::I16));
    assert_eq!(raw, [0x201, 0x403, 0x605]);
    assert_eq!(elements::<u8>(&data[..7], false, Some(ElementKind::U8)), data[..7]);
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_truncated() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&[0; 400]).unwrap();
    let input = Input::open(file.path(), None, Some(ElementKind::F32)).ok().unwrap();
    assert_eq!(input.elements(), Some(100));
    file.as_file().set_len(42).unwrap();
    let outcome = input.for_each_chunk::<f32>(&room(0), |_| Ok(()));
    let Err(Failure::Failed(message)) = outcome else { panic!("it was read") };
    assert!(message.ends_with(": truncated at byte 42 while it was read"), "{message}");
}

#[test]
fn a_stream_that_breaks_says_why() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable is out"))
        }
    }
    let bytes = || Cursor::new(vec![0; 6]).chain(Broken);
    assert_eq!(drain(bytes(), false, 100), Err("the cable is out, at byte 6".into()));
    let head = file(1, &header("'<f4'", "(3,)"), 0);
    let at = head.len() + 6;
    let fault = drain(Cursor::new(head).chain(bytes()), true, 100).unwrap_err();
    assert_eq!(fault, format!("the cable is out, at byte {at}"));
}
