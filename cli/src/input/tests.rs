//! Files and streams that are what their headers say, and others, from memory. Headers have their tests in `npy/`.

use super::source::Source;
use super::{CHUNK_BYTES, Input, Layout, MAGIC, Room, Shape, npy_layout};
use crate::failure::Failure;
use std::io::{self, Cursor, Read, Write as _};
use wgpu_reduce::ElementKind;
use wgpu_reduce_known::npy::{self, header};

/// A file with this header and `data_bytes` of data.
fn file(version: u8, text: &str, data_bytes: usize) -> Vec<u8> {
    let mut file = npy::start(version, text);
    file.resize(file.len() + data_bytes, 1);
    file
}

fn room(bytes: u64) -> Room {
    Room { bytes, taker: "a small adapter".into() }
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

/// A raw file that is longer by the time it is read than it was, or shorter: it is read to its end, or refused.
#[test]
fn raw_files_that_grow_are_read_to_their_end() {
    let chunk = CHUNK_BYTES as u64;
    for said in [0, 4, 8, 12, chunk - 4, chunk, chunk + 4] {
        for more in [0, 1, 4, 8, 12, chunk, 2 * chunk + 3] {
            let bytes = vec![1; usize::try_from(said + more).unwrap()];
            let source = Source { len: Some(said), ..Source::stream("memory", Cursor::new(bytes)) };
            let input = Input::new(source, false, Some(ElementKind::U32)).unwrap();
            assert_eq!(input.elements(), Some(said / 4));
            let mut read = 0;
            let outcome = input.for_each_chunk::<u32>(&room(0), |chunk| {
                read += size_of_val(chunk) as u64;
                Ok(())
            });
            if (said + more) % 4 == 0 {
                outcome.unwrap();
                assert_eq!(read, said + more, "{said} and {more}");
            } else {
                let Err(Failure::Failed(what)) = outcome else { panic!("{said} and {more}") };
                assert!(what.contains("incomplete"), "{what}");
            }
        }
        let source = Source { len: Some(said + 8), ..Source::stream("memory", io::empty()) };
        let input = Input::new(source, false, Some(ElementKind::U32)).unwrap();
        let Err(Failure::Failed(what)) = input.for_each_chunk::<u32>(&room(0), |_| Ok(())) else {
            panic!("{said}")
        };
        assert!(what.contains("truncated at byte 0"), "{what}");
    }
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

/// As NumPy leaves them out.
#[test]
fn bytes_after_an_array_are_left_out() {
    let whole = file(1, &header("'<i4'", "(3,)"), 12);
    let long = [&whole[..], &[0; 5]].concat();
    assert_eq!(layout(&long), layout(&whole));
    assert_eq!(drain(Cursor::new(long), true, 12).unwrap().1, 12);
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
        let what = format!(
            "more than {most} bytes, the most that a small adapter takes of standard input, a pipe or a gzip file"
        );
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
    let read = drain(Cursor::new(head).chain(Endless { left: 13 }), true, 12);
    assert_eq!(read.unwrap().1, 12);
}

#[test]
fn magic_is_seen_and_not_lost() {
    for (bytes, is_npy) in [(&b"\x93NUMPYabc"[..], true), (b"\x93NUMP", false), (b"", false)] {
        let mut source = Source::stream("memory", Cursor::new(bytes.to_vec()));
        assert_eq!(source.first(MAGIC.len()).unwrap() == MAGIC, is_npy);
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
    file.as_file().set_len(70).unwrap();
    let outcome = input.for_each_chunk::<f32>(&room(0), |_| Ok(()));
    let Err(Failure::Failed(message)) = outcome else { panic!("it was read") };
    assert!(message.ends_with(": truncated at byte 70 while it was read"), "{message}");
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
