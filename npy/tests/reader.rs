//! Files that are right, wrong and hostile, from memory.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use wgpu_reduce::ElementKind;
use wgpu_reduce_known::npy::{header, start};
use wgpu_reduce_npy::{Layout, Shape, read_header, read_header_as, supported};

/// A file with this header and `data_bytes` of data.
fn file(version: u8, text: &str, data_bytes: usize) -> Vec<u8> {
    let mut file = start(version, text);
    file.resize(file.len() + data_bytes, 1);
    file
}

/// What a file holds that has as many bytes as its header says.
fn layout(file: &[u8]) -> Result<Layout, String> {
    let mut rest = file;
    let layout = read_header(&mut rest)?;
    assert_eq!(layout.data_start, (file.len() - rest.len()) as u64);
    layout.check_data(rest.len() as u64)?;
    Ok(layout)
}

fn fault(file: &[u8]) -> String {
    layout(file).unwrap_err()
}

#[test]
fn layouts_are_what_headers_say() {
    for (order, is_fortran) in [("False", false), ("True", true)] {
        for (shape, extents) in [("()", &[][..]), ("(5,)", &[5]), ("(2, 0, 3)", &[2, 0, 3])] {
            for version in 1..=3 {
                let text = header("'>i2'", shape).replace("False", order);
                let elements = extents.iter().product::<u64>();
                let expected = Layout {
                    element: ElementKind::I16,
                    is_big_endian: true,
                    elements: Some(elements),
                    data_start: start(version, &text).len() as u64,
                    shape: Some(Shape { extents: extents.to_vec(), is_fortran }),
                };
                assert_eq!(expected.promised(), Some(2 * elements));
                let data_bytes = usize::try_from(2 * elements).unwrap();
                assert_eq!(layout(&file(version, &text, data_bytes)), Ok(expected), "{shape}");
            }
        }
    }
}

#[test]
fn raw_data_promise_nothing() {
    let (element, is_big_endian) = (ElementKind::F64, false);
    let raw = Layout { element, is_big_endian, elements: None, data_start: 0, shape: None };
    assert_eq!(raw.promised(), None);
    assert_eq!(raw.check_data(7), Ok(()));
}

#[test]
fn too_few_bytes_and_too_many_are_found_where_they_are() {
    let text = header("'<i4'", "(3,)");
    let whole = file(2, &text, 12);
    for end in 0..whole.len() {
        let fault = fault(&whole[..end]);
        assert!(fault.starts_with(&format!("truncated at byte {end}: ")), "{end}: {fault}");
    }
    let (at, end) = (whole.len() - 12, whole.len());
    let short = format!(
        "truncated at byte {}: the header promises 12 bytes of data from byte {at} on",
        at + 5
    );
    assert_eq!(fault(&whole[..at + 5]), short);
    // What is appended to an array is none of it.
    let layout = layout(&file(2, &text, 12 + 5)).unwrap();
    assert_eq!((layout.bytes_after(12 + 5), layout.bytes_after(12)), (5, 0));
    assert_eq!(layout.data_start + layout.promised().unwrap(), end as u64);
}

#[test]
fn bytes_are_put_in_order_once() {
    for (descr, ordered) in [("'>u4'", true), ("'<u4'", false)] {
        let layout = layout(&file(1, &header(descr, "(2,)"), 8)).unwrap();
        let mut bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        layout.put_in_order(&mut bytes);
        let turned = ordered == cfg!(target_endian = "little");
        assert_eq!(bytes, if turned { [4, 3, 2, 1, 8, 7, 6, 5] } else { [1, 2, 3, 4, 5, 6, 7, 8] });
    }
}

#[test]
fn supported_types_are_all_named() {
    let names = supported();
    for kind in ElementKind::ALL {
        assert!(names.split([',', ' ']).any(|name| name == kind.name()), "{kind:?} in {names}");
    }
}

/// As `ml_dtypes` writes bf16.
#[test]
fn elements_without_a_meaning_are_those_that_are_meant() {
    let read = |descr: &str, meant| {
        let file = file(1, &header(descr, "(3,)"), 6);
        read_header_as(&mut &file[..], meant)
    };
    for (descr, is_big_endian) in [("'<V2'", false), ("'|V2'", false), ("'>V2'", true)] {
        let layout = read(descr, Some(ElementKind::Bf16)).unwrap();
        assert_eq!((layout.element, layout.is_big_endian), (ElementKind::Bf16, is_big_endian));
        assert_eq!(read(descr, Some(ElementKind::U16)).unwrap().element, ElementKind::U16);
        for meant in [None, Some(ElementKind::F32), Some(ElementKind::U8)] {
            let fault = read(descr, meant).unwrap_err();
            let advice = "; if it is the bfloat16 of ml_dtypes, name the type: bf16";
            assert!(fault.starts_with(&format!("dtype {descr} is not supported; ")), "{fault}");
            assert!(fault.ends_with(advice), "{fault}");
        }
    }
    // What has a meaning keeps it.
    assert_eq!(read("'<f2'", Some(ElementKind::Bf16)).unwrap().element, ElementKind::F16);
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
}

#[test]
fn types_that_are_not_supported_come_with_what_to_do() {
    for (descr, advice) in [
        ("'<c8'", "a.view('f4')"),
        ("'>c16'", "a.real, a.imag"),
        ("'complex64'", "a.real, a.imag"),
        ("'<f16'", "a.astype('f8') makes f64"),
        ("'|O'", "a.astype('f8')"),
        ("'<M8[ns]'", "a.view('i8') makes i64"),
        ("'|S4'", ""),
        ("'|V4'", ""),
        ("'<f5'", ""),
        ("'<f-4'", ""),
        ("'<float32'", ""),
        ("'f4,f4'", ""),
        ("'<<f4'", ""),
        ("'f4 '", ""),
        ("''", ""),
        ("'<'", ""),
        ("'<f99999999999999999999'", ""),
        ("u'<c8'", "a.real"),
    ] {
        let fault = fault(&file(1, &header(descr, "(1,)"), 4));
        let start = format!("dtype {descr} is not supported; f32, i32, u32, ");
        assert!(fault.starts_with(&start) && fault.contains(" and f64 are"), "{fault}");
        assert_eq!(fault.ends_with(" and f64 are"), advice.is_empty(), "{fault}");
        assert!(fault.contains(advice), "{fault}");
    }
    for descr in
        ["[('a', '<f4', (2, 2))]", "('<f4', (2,))", "[]", "{'names': ['a']}", "None", "4", "b'<f4'"]
    {
        let fault = fault(&file(1, &header(descr, "(1,)"), 16));
        assert!(fault.starts_with(&format!("structured dtype {descr} is not")), "{fault}");
        assert!(fault.ends_with("a['field']) writes one field"), "{fault}");
    }
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
        (file(1, "{'descr': }", 4), "byte 20: the header cannot be parsed: expected a value"),
        (file(2, "{'descr': '<f4'}", 4), "byte 12: the header cannot be parsed: "),
        (file(1, "('<f4', False, (1,))", 4), "byte 10: the header cannot be parsed: it is no dict"),
        (file(1, &header("'<f4'", "(-1,)"), 4), "byte 61: a dimension is negative"),
        (file(1, &header("'<f4'", "(1.5,)"), 4), "byte 61: the header cannot be parsed: a dimens"),
        (file(1, &header("'<f4'", "(1)"), 4), "byte 60: the header cannot be parsed: 'shape' is"),
        (file(1, &header("'<f4'", "'1'"), 4), "byte 60: the header cannot be parsed: 'shape' is"),
        (file(3, &header("'<f4'", "(1L,)"), 4), "byte 63: the header cannot be parsed: \"1L\" is"),
        (file(1, &text.replace("False", "0"), 4), "byte 44: the header cannot be parsed: 'fortran"),
        (file(1, &text.replace("'<f4'", "f4"), 4), "byte 20: the header cannot be parsed: unexpe"),
        (file(2, &" ".repeat((1 << 20) + 1), 4), "byte 8: the header's length of 1048577"),
        (file(2, &"'".repeat(20_000), 4), "byte 12: the header is longer than"),
    ] {
        let fault = fault(&file);
        assert!(fault.starts_with(start), "{fault}");
    }
    let mut not_utf8 = file(3, &text, 4);
    not_utf8[15] = 0xFF;
    assert_eq!(fault(&not_utf8), "byte 15: the header is not UTF-8");
    // Latin-1 in versions before.
    let comment = text.replace("{'descr'", "{ # \u{7f}\n 'descr'");
    let mut latin = file(1, &comment, 4);
    let at = latin.iter().position(|&byte| byte == 0x7F).unwrap();
    latin[at] = 0xE4;
    assert_eq!(layout(&latin).unwrap().elements, Some(1));
    let shape = latin.iter().position(|&byte| byte == b'1').unwrap();
    let shape = shape + latin[shape..].iter().position(|&byte| byte == b'1').unwrap();
    latin[shape] = b'-';
    assert!(fault(&latin).starts_with(&format!("byte {}: ", shape + 1)), "{}", fault(&latin));
}

#[test]
fn the_longest_headers_are_read() {
    let text = header("'<f4'", "(1,)");
    let padded = format!("{text}{}\n", " ".repeat((1 << 20) - 1 - text.len()));
    let elements = |text: &str| layout(&file(2, text, 4)).map(|layout| layout.elements);
    assert_eq!(elements(&padded), Ok(Some(1)));
    let longest =
        text.replace(": False", &format!(": {}False", " ".repeat((16 << 10) - text.len())));
    assert_eq!(elements(&longest), Ok(Some(1)));
    let fault = elements(&longest.replace("False", " False")).unwrap_err();
    assert!(fault.starts_with("byte 12: the header is longer than 16384 bytes"), "{fault}");
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

/// Headers that NumPy's reader takes, from programs of many ages and by hand.
#[test]
fn headers_of_other_hands_are_read() {
    for text in [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1L, 2L)}",
        "{u'descr': u'<f4', u'fortran_order': False, u'shape': (2,)}",
        "{\"shape\": (2,), \"fortran_order\": False, \"descr\": \"<f4\"}",
        "{\n  'descr': '<f4', # little-endian\n  'fortran_order': False,\n\t'shape': (2,),\r\n}\n",
        "  {'descr':'f4','fortran_order':False,'shape':(2,)} # the end",
        "({'descr': 'f' '4', 'fortran_order': False, 'shape': (0x2,),})",
        "{'descr': r'<f4', 'fortran_order': (False), 'shape': (True, +2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [2]}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), 'descr': '\\x3cf4'}",
        "{'descr': '''float32''', 'fortran_order': \\\n False, 'shape': (0b1_0, )}",
    ] {
        for version in [1, 2] {
            let layout = read_header(&mut &file(version, text, 8)[..]);
            let layout = layout.unwrap_or_else(|what| panic!("{text}: {what}"));
            let is_big_endian = cfg!(target_endian = "big") && !text.contains('<');
            assert_eq!((layout.element, layout.is_big_endian), (ElementKind::F32, is_big_endian));
            assert_eq!(layout.elements, Some(2), "{text}");
        }
    }
}

/// As `numpy.dtype` takes them.
#[test]
fn types_have_the_names_that_numpy_gives_them() {
    use ElementKind::{Bf16, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    for (names, kind) in [
        ("f4 |f4 =f4 f04 f float32 single", F32),
        ("f2 |f2 e half float16", F16),
        ("f8 |f8 d double float float64", F64),
        ("i1 b int8 byte |i1", I8),
        ("i2 h short int16", I16),
        ("i4 i intc int32 |i4", I32),
        ("i8 q longlong int64 |i8 l p long int int_ intp", I64),
        ("u1 B ubyte uint8 ? b1 |b1 bool bool_", U8),
        ("u2 H ushort uint16", U16),
        ("u4 I uintc uint32", U32),
        ("u8 Q ulonglong uint64 L P ulong uint uintp", U64),
        ("bfloat16", Bf16),
    ] {
        for name in names.split(' ') {
            let bytes = usize::try_from(kind.size_bytes()).unwrap();
            let layout = layout(&file(1, &header(&format!("'{name}'"), "(1,)"), bytes)).unwrap();
            let native = cfg!(target_endian = "big");
            assert_eq!((layout.element, layout.is_big_endian), (kind, native), "{name}");
        }
    }
    for (name, kind) in
        [(">d", F64), (">f08", F64), (">H", U16), (">l", I64), (">P", U64), (">u1", U8), (">?", U8)]
    {
        let layout = layout(&file(1, &header(&format!("'{name}'"), "(0,)"), 0)).unwrap();
        assert_eq!((layout.element, layout.is_big_endian), (kind, true), "{name}");
    }
}

/// `numpy_types.txt`, whose writer lies beside it.
#[test]
#[cfg(target_endian = "little")]
fn types_are_those_that_numpy_reads() {
    let (mut read, mut refused) = (0, 0);
    for line in include_str!("numpy_types.txt").lines().skip(1) {
        let (literal, expected) = line.split_once('\t').unwrap();
        let found = read_header(&mut &file(1, &header(literal, "(2,)"), 0)[..]);
        let shown = found.map(|layout| match (layout.element.size_bytes(), layout.is_big_endian) {
            (1, _) => layout.element.name().into(),
            (_, true) => format!("{} >", layout.element),
            (_, false) => format!("{} <", layout.element),
        });
        match expected {
            "-" => refused += usize::from(shown.is_err()),
            _ => read += usize::from(shown.as_deref() == Ok(expected)),
        }
        assert!(shown.as_deref().unwrap_or("-") == expected, "{line}: {shown:?}");
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}

/// Changes a file as a fuzzer does that knows a little of the format.
fn mutate(file: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    const PIECES: &str = "( ) [ ] { } ' \" \\ , : = - é 0x None 'descr' (((((((((((( \
                          # L u' b\" ''' 0x_f 1e5 -1j \\u0041 \\N{ True \\ \
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
        header("u'f' \"4\" # four bytes\n", "(0x2, 3L)"),
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
                assert!(layout.data_start + layout.promised().unwrap() <= file.len() as u64);
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
