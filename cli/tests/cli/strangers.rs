//! Files of other programs: read, or refused in the words of who has them.

use crate::harness::{data, file, has_adapter, npy_header, run, run_with_stdin, text};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::io::{Cursor, Write as _};
use wgpu_reduce_known::npy;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An archive as `numpy.savez` writes it.
pub(crate) fn zipped(members: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let options = SimpleFileOptions::default().compression_method(method).large_file(true);
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// An array of the numbers below `count`.
pub(crate) fn array(count: u16) -> Vec<u8> {
    let mut bytes = npy_header("<f4", false, &[count.into()]);
    bytes.extend((0..count).flat_map(|number| f32::from(number).to_le_bytes()));
    bytes
}

#[test]
fn headers_of_any_age_are_read() {
    if !has_adapter() {
        return;
    }
    let numbers: Vec<u8> = [1.0_f32, 2.5].into_iter().flat_map(f32::to_le_bytes).collect();
    for (version, header) in [
        (1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }"),
        (1, "{u'descr': u'<f4', u'fortran_order': False, u'shape': (2L, 1L)}\n"),
        (1, "{'descr': '<f4',\n 'fortran_order': False, # by rows\n 'shape': (2,)}\n"),
        (2, "{'shape': (2,), 'descr': 'f4', 'fortran_order': True}"),
        (3, "{'descr': '|f4', 'fortran_order': False, 'shape': (2,)}"),
        (1, "{\"descr\": \"float32\", \"fortran_order\": False, \"shape\": [2]}"),
    ] {
        let whole = [npy::start(version, header), numbers.clone()].concat();
        for more in [&[][..], b"and more", &array(3)] {
            let bytes = [&whole[..], more].concat();
            let (_folder, path) = file("old.npy", &bytes);
            for run in [
                run(["sum", text(&path), "--json"]),
                run(["sum", text(&path), "--memory", "0", "--json"]),
                run_with_stdin(&["sum", "-", "--json"], &bytes),
            ] {
                let is_told = run.stderr.contains("after the array");
                assert_eq!(is_told, !more.is_empty(), "{header}: {}", run.stderr);
                assert_eq!(run.json()["value"], json!(3.5), "{header}");
            }
        }
    }
}

#[test]
fn archives_are_read_by_the_names_of_their_arrays() {
    if !has_adapter() {
        return;
    }
    let (a, b) = (array(5), array(4000));
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let several = zipped(&[("a.npy", &a), ("layer/b.npy", &b), ("note.txt", b"hello")], method);
        let (_folder, path) = file("data.npz", &several);
        let path = text(&path);
        for (member, sum) in [("a", 10.0), ("a.npy", 10.0), ("layer/b", 7_998_000.0)] {
            for more in [&["--json"][..], &["--json", "--memory", "4Ki"], &["--json", "--check"]] {
                let named = format!("{path}:{member}");
                let report = run(["sum", &named].iter().chain(more)).json();
                assert_eq!(report["value"], json!(sum), "{member} {more:?}");
            }
        }
        let error = run(["sum", path]).error(1);
        let what = format!(
            "{path}: a zip archive of several arrays: name one, as {path}:a; it has a, layer/b"
        );
        assert_eq!(error, what);
        let error = run(["sum", &format!("{path}:c")]).error(1);
        assert_eq!(error, format!("{path}: no array c is in it: it has a, layer/b"));
        let error = run(["sum", &format!("{path}:note.txt")]).error(1);
        assert!(
            error.starts_with(&format!("{path}:note.txt: not a .npy file, but text")),
            "{error}"
        );
        // Twice through what is larger than the memory.
        let by_extent =
            ["histogram", &format!("{path}:layer/b"), "--bins", "4", "--memory", "0", "--json"];
        assert_eq!(run(by_extent).json()["channels"][0]["counts"], json!([1000, 1000, 1000, 1000]));
        // An array may be the only one, whatever the file is called, and two may be of two files.
        let (_folder, only) = file("only", &zipped(&[("x.npy", &a)], method));
        let only = text(&only);
        assert_eq!(run(["dot", only, &format!("{path}:a"), "--json"]).json()["value"], json!(30.0));
        let error = run_with_stdin(&["sum", "-"], &several).error(1);
        assert_eq!(error, "standard input: a zip archive, which is read only from a file");
        assert_eq!(
            run(["sum", only, "--format", "raw", "--dtype", "u8", "--json"]).status,
            Some(0)
        );
    }
}

#[test]
fn damaged_archives_are_refused() {
    let array = array(4000);
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let whole = zipped(&[("a.npy", &array)], method);
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 0x10;
        for (bytes, is_found_before) in
            [(&damaged, false), (&whole[..whole.len() / 2].to_vec(), true)]
        {
            let (_folder, path) = file("data.npz", bytes);
            if is_found_before || has_adapter() {
                let error = run(["sum", text(&path)]).error(1);
                assert!(error.starts_with(text(&path)), "{error}");
                assert!(error.contains("damaged") && !error.contains("at byte"), "{error}");
            }
        }
    }
    for member in [&b"\x93NUMPY"[..], b"", b"1 2 3"] {
        let (_folder, path) =
            file("data.npz", &zipped(&[("a.npy", member)], CompressionMethod::Stored));
        let error = run(["sum", text(&path)]).error(1);
        assert!(error.starts_with(&format!("{}:a: ", text(&path))), "{error}");
    }
    let (_folder, path) =
        file("data.npz", &zipped(&[("model.pkl", b"\x80\x04")], CompressionMethod::Stored));
    assert!(
        run(["sum", text(&path)]).error(1).contains("without arrays, whose members end in .npy")
    );
    let (_folder, path) = file("none.npz", &zipped(&[], CompressionMethod::Stored));
    assert!(run(["sum", text(&path)]).error(1).contains("without arrays"));
}

#[test]
fn what_gzip_has_made_is_read() {
    if !has_adapter() {
        return;
    }
    let array = array(4000);
    let raw = &array[array.len() - 16_000..];
    let parts = [gzipped(&array[..900]), gzipped(&array[900..])].concat();
    for (name, bytes, more) in [
        ("numbers.npy.gz", gzipped(&array), &[][..]),
        ("any name", gzipped(&array), &[]),
        ("parts.npy.gz", parts, &[]),
        ("raw.gz", gzipped(raw), &["--dtype", "f32"]),
    ] {
        let (_folder, path) = file(name, &bytes);
        for memory in ["1Mi", "4Ki"] {
            let more = [more, &["--json", "--memory", memory]].concat();
            let sum = run(["sum", text(&path)].iter().chain(&more)).json();
            assert_eq!(sum["value"], json!(7_998_000.0), "{name}");
            let sum = run_with_stdin(&[&["sum", "-"], &more[..]].concat(), &bytes).json();
            assert_eq!(sum["value"], json!(7_998_000.0), "{name}");
        }
        let arguments =
            [&["histogram", text(&path), "--memory", "0", "--bins", "2", "--json"], more].concat();
        assert_eq!(run(&arguments).json()["channels"][0]["counts"], json!([2000, 2000]), "{name}");
        let (_folder, cut) = file(name, &bytes[..bytes.len() - 9]);
        let error = run(["sum", text(&cut)].iter().chain(more)).error(1);
        assert!(error.starts_with(&format!("{}: ", text(&cut))), "{error}");
        // Its bytes as they are, if that is what is asked for.
        let packed = run(["sum", text(&path), "--format", "raw", "--dtype", "u8", "--json"]).json();
        assert_eq!(packed["elements"], json!(bytes.len()), "{name}");
    }
}

#[test]
fn bytes_behind_what_gzip_has_made_are_no_elements() {
    if !has_adapter() {
        return;
    }
    for (more, is_told) in [(&[0; 512][..], false), (b"junk", true)] {
        let (_folder, path) = file("padded.npy.gz", &[&gzipped(&array(5))[..], more].concat());
        let run = run(["sum", text(&path), "--json"]);
        let warning = format!("{}: bytes after the gzip data are left out", text(&path));
        assert_eq!(run.stderr.contains(&warning), is_told, "{}", run.stderr);
        assert_eq!(run.json()["value"], json!(10.0));
    }
}

#[test]
fn methods_of_packing_that_are_not_read_are_named() {
    let stored = zipped(&[("a.npy", &array(5))], CompressionMethod::Stored);
    for (number, name) in
        [(12, "bzip2"), (14, "LZMA"), (93, "zstd"), (77, "a method that is not read")]
    {
        let mut other = stored.clone();
        for (start, at) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
            let start = stored.windows(4).position(|bytes| bytes == start).unwrap();
            other[start + at] = number;
        }
        let (_folder, path) = file("data.npz", &other);
        let what = format!("it is packed by {name}: numpy.savez_compressed packs by Deflate");
        assert_eq!(run(["sum", text(&path)]).error(1), format!("{}:a: {what}", text(&path)));
    }
}

/// Whatever type is named: elements are not packed.
#[test]
fn what_is_packed_twice_is_refused() {
    let archive = zipped(&[("a.npy", &array(5))], CompressionMethod::Stored);
    for (name, inner, what) in [
        (
            "a.npz.gz",
            archive,
            "a zip archive inside gzip: unpack the gzip file first, as by gzip -d",
        ),
        (
            "a.npy.gz",
            gzipped(&array(5)),
            "a gzip file inside gzip: unpack one of the two first, as by gzip -d",
        ),
    ] {
        let (_folder, path) = file(name, &gzipped(&inner));
        for more in [&[][..], &["--dtype", "u8"]] {
            let error = run(["sum", text(&path)].iter().chain(more)).error(1);
            assert_eq!(error, format!("{}: {what}", text(&path)));
        }
    }
}

/// Images are known by their first bytes in files alone: what comes through a stream is told how it is taken.
#[test]
fn images_that_come_through_a_stream_are_told_how_they_are_taken() {
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let what = "not a .npy file, but a PNG image: give histogram the path of the image file, unpacked; raw elements need --dtype";
    let error = run_with_stdin(&["histogram", "-"], image).error(1);
    assert_eq!(error, format!("standard input: {what}"));
    let (_folder, path) = file("q.png.gz", &gzipped(image));
    assert_eq!(run(["histogram", text(&path)]).error(1), format!("{}: {what}", text(&path)));
}

#[test]
fn files_are_called_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let directory = text(folder.path()).to_owned();
    for arguments in [
        &["sum", &directory][..],
        &["histogram", &directory],
        &["sum", &directory, "--dtype", "u8"],
    ] {
        assert_eq!(run(arguments).error(1), format!("{directory}: it is a directory"));
    }
    for (name, bytes, what) in [
        ("empty.npy", &b""[..], "it is empty"),
        ("empty", b"", "it is empty"),
        (
            "a.csv",
            b"1.5,2\n3,4\n",
            "not a .npy file, but text: numpy.save(file, numpy.loadtxt(...)) makes an array of it; raw elements need --dtype",
        ),
        (
            "a.npy",
            b"1.5,2\n3,4\n",
            "not a .npy file, but text: numpy.save(file, numpy.loadtxt(...)) makes an array of it",
        ),
        (
            "a.npy",
            b"\x89PNG\r\n\x1a\n\0\0",
            "not a .npy file, but a PNG image: give histogram the path of the image file, unpacked",
        ),
        (
            "a.h5",
            b"\x89HDF\r\n\x1a\n\0\0",
            "not a .npy file, but an HDF5 file: write a data set by numpy.save; raw elements need --dtype",
        ),
        (
            "a.pkl",
            b"\x80\x04\x95\0\0",
            "not a .npy file, but a Python pickle: write the array by numpy.save; raw elements need --dtype",
        ),
        ("a.npy", b"\0\0\0\0\0\0", "byte 0: not a .npy file, which starts with \\x93NUMPY"),
        ("a.npy", b"\x93NUM", "truncated at byte 4: the magic \\x93NUMPY ends at byte 6"),
    ] {
        let (_folder, path) = file(name, bytes);
        assert_eq!(run(["sum", text(&path)]).error(1), format!("{}: {what}", text(&path)));
        if name == "empty" {
            assert_eq!(
                run_with_stdin(&["sum", "-"], bytes).error(1),
                format!("standard input: {what}")
            );
        }
    }
    let missing = format!("{}:weights", text(&data("f4.npy")));
    let error = run(["sum", &missing]).error(1);
    let what = "it is no zip archive, of which weights could be a member";
    assert_eq!(error, format!("{}: {what}", text(&data("f4.npy"))));
}

/// What NumPy makes unless it is told otherwise.
#[test]
fn types_that_numpy_takes_by_default_are_reduced_or_come_with_what_to_do() {
    let bools = [npy_header("|b1", false, &[5]), vec![1, 0, 1, 1, 0]].concat();
    let (_folder, bools) = file("bools.npy", &bools);
    let complex = [npy_header("<c16", false, &[1]), vec![0; 16]].concat();
    let (_folder, complex) = file("complex.npy", &complex);
    for command in ["sum", "mean", "histogram", "argmax"] {
        let error = run([command, text(&complex)]).error(1);
        assert!(
            error.contains("dtype '<c16' is not supported") && error.contains("a.real"),
            "{error}"
        );
    }
    let error = run(["dot", text(&data("i8.npy")), text(&data("i8.npy"))]).error(1);
    let casts =
        "a.astype('i4') makes i32 of what fits, and a.astype('f8') keeps integers up to 2^53";
    assert!(error.ends_with(casts), "{error}");
    if !has_adapter() {
        return;
    }
    for (command, value) in [
        ("sum", json!(3)),
        ("mean", json!(0.6)),
        ("all", json!(false)),
        ("any", json!(true)),
        ("count-nonzero", json!(3)),
        ("argmin", json!({"index": 1, "value": 0})),
    ] {
        let report = run([command, text(&bools), "--json"]).json();
        assert_eq!(report["value"], value, "{command}");
    }
    for name in ["i8.npy", "u8.npy", "f8.npy"] {
        let report = run(["histogram", text(&data(name)), "--bins", "4", "--json"]).json();
        let counts = report["channels"][0]["counts"].as_array().unwrap();
        let counted: u64 = counts.iter().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(json!(counted), report["elements"], "{name}");
        let sum = run(["sum", text(&data(name)), "--json"]);
        assert!(sum.status == Some(0), "{name}: {}", sum.stderr);
    }
}

#[test]
fn what_has_no_value_names_the_file() {
    if !has_adapter() {
        return;
    }
    let empty = data("f4-empty.npy");
    for more in [&[][..], &["--memory", "0"]] {
        let error = run(["max", text(&empty)].iter().chain(more)).error(1);
        assert_eq!(error, format!("{}: max of zero elements has no value", text(&empty)));
    }
    for (extents, axis) in [([0, 3], "0"), ([3, 0], "1")] {
        let (_folder, path) = file("e.npy", &npy_header("<f4", false, &extents));
        let error = run(["mean", text(&path), "--axis", axis]).error(1);
        assert!(error.starts_with(&format!("{}: ", text(&path))), "{error}");
    }
}

/// Bins that are too few, or too narrow for the elements.
#[test]
fn bins_that_cannot_be_say_what_to_give() {
    let input = data("f4.npy");
    let error = run(["histogram", text(&input), "--edges", "1"]).error(2);
    assert_eq!(error, "the bins cannot be used: too few edges, 1: a bin has two");
    if !has_adapter() {
        return;
    }
    for (range, what) in [
        (["-1e308", "1e308"], "the range -1e308..1e308 is wider than any f64"),
        (["1e308", "-1e308"], "the range 1e308..-1e308 is reversed"),
        (["0", "inf"], "the range 0.0..inf is not finite"),
    ] {
        let error = run(["histogram", text(&input), "--range"].iter().chain(&range)).error(2);
        assert_eq!(error, format!("the bins cannot be used: {what}"));
    }
    let error = run(["histogram", text(&input), "--channels", "5"]).error(2);
    assert_eq!(error, format!("{}: 24 elements are no multiple of 5 channels", text(&input)));
    let of = |numbers: &[f32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        file("numbers.bin", &bytes)
    };
    for memory in ["1Mi", "0"] {
        let (_folder, path) = of(&[1e10; 8]);
        let command = ["histogram", text(&path), "--dtype", "f32", "--memory", memory];
        let what = "all elements are 10000000000.0, and f32 has no 64 bins about it: --range or --edges says where bins are";
        assert_eq!(run(command).error(2), format!("{}: {what}", text(&path)));
        let more = ["--range", "0", "2e10", "--bins", "2", "--json"];
        let ranged = run(command.iter().chain(&more)).json();
        assert_eq!(ranged["channels"][0]["counts"], json!([0, 8]));
        let (_folder, path) = of(&[1.0, 1.000_000_1]);
        let error = run(["histogram", text(&path), "--dtype", "f32", "--memory", memory]).error(2);
        assert!(
            error.contains("the elements, from 1.0 to 1.0000001, lie too close for 64 bins of f32"),
            "{error}"
        );
        // No f64 holds it.
        let (_folder, path) = file("numbers.bin", &((1_i64 << 53) + 1).to_le_bytes().repeat(8));
        let error = run(["histogram", text(&path), "--dtype", "i64", "--memory", memory]).error(2);
        assert!(error.contains("all elements are 9007199254740993, and i64 has no"), "{error}");
        // About a number that leaves room, as NumPy has it.
        let (_folder, path) = of(&[5.0; 8]);
        let arguments = [
            "histogram",
            text(&path),
            "--dtype",
            "f32",
            "--bins",
            "2",
            "--json",
            "--memory",
            memory,
        ];
        let report = run(arguments).json();
        assert_eq!(report["edges"], json!([4.5, 5.0, 5.5]));
    }
    let (_folder, path) = of(&[0.5; 3]);
    let thirds = ["histogram", text(&path), "--dtype", "f32", "--bins", "3", "--range", "0", "1"];
    let printed = run(thirds).text();
    assert!(
        printed.contains("\n0.33333334  3  ") && printed.contains("\n 0.6666667  0\n"),
        "{printed}"
    );
    let json = run(thirds.iter().chain(&["--json"])).text();
    assert!(json.contains("\"edges\":[0.0,0.33333334,0.6666667,1.0]"), "{json}");
}
