//! Files that commands write: every command that does, and all that its file may be.
#![cfg(unix)]

use crate::harness::{Run, has_adapter, npy_header, program, run, text};
use crate::strangers::{array, zipped};
use std::fs::{self, File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use zip::CompressionMethod;

/// A folder with an input of every kind.
struct Place {
    folder: tempfile::TempDir,
}

/// A command that writes a file, `OUT`; `IN`, `KEYS` and `OFFSETS` are files that it reads.
struct Writer {
    words: &'static [&'static str],
    /// What its file starts with.
    start: &'static [u8],
    /// Whether a second run writes the same.
    is_repeatable: bool,
}

const fn npy(words: &'static [&'static str]) -> Writer {
    Writer { words, start: b"\x93NUMPY", is_repeatable: true }
}

const fn measured(words: &'static [&'static str], start: &'static [u8]) -> Writer {
    Writer { words, start, is_repeatable: false }
}

const GENERATE: Writer = npy(&["generate", "OUT", "--elements", "1000"]);

const WRITERS: [Writer; 11] = [
    GENERATE,
    npy(&["sum", "IN", "--axis", "0", "--output", "OUT"]),
    npy(&["sum", "IN", "--axis", "0", "--exact", "--output", "OUT"]),
    npy(&["max", "IN", "--offsets", "OFFSETS", "--output", "OUT"]),
    npy(&["max", "IN", "--keys", "KEYS", "--output", "/dev/null", "--output-keys", "OUT"]),
    npy(&[
        "top-k",
        "IN",
        "--axis",
        "0",
        "--k",
        "3",
        "--output",
        "/dev/null",
        "--output-indices",
        "OUT",
    ]),
    Writer { words: &["histogram", "IN", "--svg", "OUT"], start: b"<svg", is_repeatable: true },
    measured(&["bench", "--elements", "1000", "--repetitions", "1", "--svg", "OUT"], b"<svg"),
    measured(
        &["ladder", "--levels", "08", "--elements", "1000", "--repetitions", "1", "--svg", "OUT"],
        b"<svg",
    ),
    measured(
        &["study", "one-round", "--elements", "1000", "--repetitions", "1", "--svg", "OUT"],
        b"<svg",
    ),
    measured(
        &["tune", "--dtype", "u32", "--max", "1Ki", "--budget", "0.2", "--output", "OUT"],
        b"{",
    ),
];

/// Those that run here.
fn writers() -> &'static [Writer] {
    if has_adapter() { &WRITERS } else { &WRITERS[..1] }
}

impl Place {
    fn new() -> Self {
        Self::of(tempfile::tempdir().unwrap())
    }

    fn of(folder: tempfile::TempDir) -> Self {
        let array = |name: &str, dtype: &str, elements: &[u32]| {
            let mut bytes = npy_header(dtype, false, &[elements.len()]);
            bytes.extend(elements.iter().flat_map(|element| element.to_le_bytes()));
            fs::write(folder.path().join(name), bytes).unwrap();
        };
        array("in.npy", "<f4", &[0x3F80_0000; 12]);
        array("offsets.npy", "<u4", &[0, 3, 12]);
        array("keys.npy", "<u4", &[1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, writer: &Writer, out: &str) -> Command {
        let word = |word: &&str| match *word {
            "IN" => text(&self.at("in.npy")).to_owned(),
            "OFFSETS" => text(&self.at("offsets.npy")).to_owned(),
            "KEYS" => text(&self.at("keys.npy")).to_owned(),
            "OUT" => out.to_owned(),
            word => word.to_owned(),
        };
        let mut command = program();
        command.args(writer.words.iter().map(word)).stdin(Stdio::null());
        command
    }

    fn run(&self, writer: &Writer, out: &Path) -> Run {
        Run::new(self.command(writer, text(out)).output().unwrap())
    }

    /// Nothing that is named as a file that is being written.
    fn check_clean(&self) {
        let names =
            fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let names: Vec<_> = names.collect();
        let is_partial = |name: &std::ffi::OsString| name.to_str().unwrap().starts_with('.');
        assert!(!names.iter().any(is_partial), "{names:?}");
    }
}

impl Writer {
    fn check(&self, bytes: &[u8]) {
        assert!(bytes.starts_with(self.start), "{:?}: {bytes:?}", self.words);
    }
}

#[test]
fn links_are_followed_and_stay() {
    for writer in writers() {
        let place = Place::new();
        place.run(writer, &place.at("plain")).text();
        let expected = fs::read(place.at("plain")).unwrap();
        writer.check(&expected);
        fs::create_dir(place.at("folder")).unwrap();
        fs::write(place.at("old"), "old").unwrap();
        let absolute = place.at("folder/absolute");
        for (link, to, target) in [
            ("to-file", Path::new("old"), "old"),
            ("to-nothing", Path::new("missing"), "missing"),
            ("to-folder", Path::new("folder/../folder/new"), "folder/new"),
            ("to-absolute", &absolute, "folder/absolute"),
            ("to-link", Path::new("to-other"), "other"),
        ] {
            let link = place.at(link);
            symlink(to, &link).unwrap();
            let _ = symlink("other", place.at("to-other"));
            place.run(writer, &link).text();
            assert_eq!(fs::read_link(&link).unwrap(), to, "{:?}", writer.words);
            let target = place.at(target);
            assert!(fs::symlink_metadata(&target).unwrap().is_file(), "{:?}", writer.words);
            let written = fs::read(&target).unwrap();
            writer.check(&written);
            assert!(!writer.is_repeatable || written == expected, "{:?}", writer.words);
        }
        place.check_clean();
    }
}

#[test]
fn links_that_lead_nowhere_are_errors() {
    let place = Place::new();
    symlink("loop", place.at("loop")).unwrap();
    symlink("none/file", place.at("deep")).unwrap();
    for name in ["loop", "deep"] {
        let error = place.run(&GENERATE, &place.at(name)).error(1);
        assert!(error.starts_with(&format!("{}: ", place.at(name).display())), "{error}");
        assert!(place.at(name).is_symlink());
    }
    place.check_clean();
}

/// Owner, mode, and what else belongs to a file; of a file with two names, both names.
#[test]
fn what_is_overwritten_keeps_all_but_its_bytes() {
    for writer in writers() {
        let place = Place::new();
        let file = place.at("file");
        let is_root = fs::metadata(place.folder.path()).unwrap().uid() == 0;
        for (mode, has_two_names) in
            [(0o600, false), (0o664, false), (0o755, true), (0o4711, false)]
        {
            fs::write(&file, vec![7; 1 << 16]).unwrap();
            if is_root {
                std::os::unix::fs::chown(&file, Some(65_534), Some(12_345)).unwrap();
            }
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let has_attributes = xattr::set(&file, "user.kept", b"this").is_ok();
            let other = place.at("other");
            if has_two_names {
                fs::hard_link(&file, &other).unwrap();
            }
            let before = fs::metadata(&file).unwrap();
            place.run(writer, &file).text();
            let after = fs::metadata(&file).unwrap();
            let kept = |found: &fs::Metadata| (found.uid(), found.gid(), found.nlink());
            assert_eq!(kept(&after), kept(&before), "{:?}", writer.words);
            // Whoever writes to a file takes the right from it to run as its owner.
            assert_eq!(after.mode() & 0o777, mode & 0o777, "{:?}", writer.words);
            if has_attributes {
                assert_eq!(xattr::get(&file, "user.kept").unwrap().as_deref(), Some(&b"this"[..]));
            }
            let written = fs::read(&file).unwrap();
            writer.check(&written);
            assert_ne!(written.last(), Some(&7), "{:?}", writer.words);
            if has_two_names {
                assert_eq!(fs::read(&other).unwrap(), written, "{:?}", writer.words);
                fs::remove_file(&other).unwrap();
            }
            fs::remove_file(&file).unwrap();
        }
        place.check_clean();
    }
}

#[test]
fn new_files_are_as_others_of_the_user() {
    let place = Place::new();
    for (mask, mode) in [("022", 0o644), ("077", 0o600), ("002", 0o664)] {
        let file = place.at(mask);
        let script = format!("umask {mask}; exec \"$0\" generate \"$1\" --elements 3");
        let program = program();
        let words = ["-c", &script, text(Path::new(program.get_program())), text(&file)];
        assert!(Command::new("sh").args(words).output().unwrap().status.success());
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, mode, "{mask}");
    }
}

/// Whatever it is called, and whatever it is. Nothing but the file is on it; reports are on standard error.
#[test]
fn standard_output_has_the_file_and_nothing_else() {
    for writer in writers() {
        let place = Place::new();
        place.run(writer, &place.at("plain")).text();
        let expected = fs::read(place.at("plain")).unwrap();
        let link = place.at("link");
        symlink("/dev/stdout", &link).unwrap();
        for name in ["-", "/dev/stdout", "/proc/self/fd/1", "/dev/fd/1", text(&link)] {
            let check = |bytes: &[u8], what: &str| {
                let words = writer.words;
                writer.check(bytes);
                assert!(!writer.is_repeatable || bytes == expected, "{words:?} {name} {what}");
                let end = if writer.start == b"{" { &b"}\n"[..] } else { b"" };
                let is_svg = writer.start == b"<svg";
                assert!(
                    bytes.ends_with(if is_svg { b"</svg>\n" } else { end }),
                    "{words:?} {name}"
                );
            };
            let output = place.command(writer, name).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            check(&output.stdout, "to a pipe");
            let file = place.at("file");
            let run_to = |file: File| {
                let mut command = place.command(writer, name);
                let status = command.stdout(file).stderr(Stdio::null()).status();
                assert!(status.unwrap().success());
            };
            run_to(File::create(&file).unwrap());
            check(&fs::read(&file).unwrap(), "to a file");
            let appended = OpenOptions::new().append(true).open(&file).unwrap();
            let before = fs::read(&file).unwrap();
            run_to(appended);
            let after = fs::read(&file).unwrap();
            let appended = after.strip_prefix(&before[..]).expect("what was there stays");
            check(appended, "behind what was there");
        }
        assert!(!Path::new("-").exists() && link.is_symlink());
    }
    assert!(fs::symlink_metadata("/dev/stdout").unwrap().is_symlink());
}

/// A name of the file that standard output goes to is one of standard output, too.
#[test]
fn a_file_is_standard_output_if_that_goes_there() {
    let place = Place::new();
    let file = place.at("file");
    let output = File::create(&file).unwrap();
    let mut command = place.command(&GENERATE, text(&file));
    let output = command.stdout(output).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "standard output: 1000 f32 elements\n");
    assert_eq!(fs::read(&file).unwrap().len(), 128 + 4000);
}

#[test]
fn pipes_and_devices_are_written_to_and_stay() {
    for writer in writers() {
        let place = Place::new();
        let [pipe, link] = ["pipe", "link"].map(|name| place.at(name));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        symlink("pipe", &link).unwrap();
        for name in [&pipe, &link] {
            let read = std::thread::spawn({
                let pipe = pipe.clone();
                move || fs::read(pipe).unwrap()
            });
            place.run(writer, name).text();
            writer.check(&read.join().unwrap());
        }
        let null = place.at("null");
        symlink("/dev/null", &null).unwrap();
        place.run(writer, &null).text();
        let full = place.run(writer, Path::new("/dev/full"));
        assert_eq!(full.status, Some(1), "{}", full.stderr);
        assert!(full.stderr.contains("/dev/full: No space left"), "{}", full.stderr);
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
        for device in ["/dev/null", "/dev/full"] {
            assert!(fs::symlink_metadata(device).unwrap().file_type().is_char_device());
        }
        place.check_clean();
    }
}

#[test]
fn what_cannot_be_written_is_refused_by_what_it_is() {
    for writer in writers() {
        let place = Place::new();
        let _socket = std::os::unix::net::UnixListener::bind(place.at("socket")).unwrap();
        fs::create_dir(place.at("folder")).unwrap();
        symlink("folder", place.at("to-folder")).unwrap();
        for (name, what) in [
            ("socket", "it is a socket"),
            ("folder", "it is a directory"),
            ("to-folder", "it is a directory"),
            ("none/file", "no file can be made in the folder "),
            ("in.npy/file", "Not a directory"),
        ] {
            let error = place.run(writer, &place.at(name)).error(1);
            let start = format!("{}: {what}", place.at(name).display());
            assert!(error.starts_with(&start), "{:?}: {error}", writer.words);
            assert!(!error.contains(".wgpu-reduce-"), "{:?}: {error}", writer.words);
        }
        place.check_clean();
    }
    let place = Place::new();
    let error = place.run(&GENERATE, &place.at("none/file")).error(1);
    assert!(error.ends_with("/none: No such file or directory (os error 2)"), "{error}");
}

/// A link to an open file, as those of `/dev/fd`, names that file even where another has its name by now.
#[test]
fn open_files_are_written_to_and_not_replaced() {
    let place = Place::new();
    let file = place.at("file");
    for is_removed in [false, true] {
        fs::write(&file, vec![7; 1 << 16]).unwrap();
        let mut open = OpenOptions::new().read(true).write(true).open(&file).unwrap();
        if is_removed {
            fs::remove_file(&file).unwrap();
        }
        let name =
            format!("/proc/{}/fd/{}", std::process::id(), std::os::fd::AsRawFd::as_raw_fd(&open));
        run(["generate", &name, "--elements", "10"]).text();
        let mut written = Vec::new();
        open.read_to_end(&mut written).unwrap();
        assert_eq!(written.len(), 128 + 40);
        assert_eq!(file.exists(), !is_removed);
    }
}

/// Nothing can be given the name of a file that is mounted, as into a container. It is overwritten. Needs the right to mount.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_mounted_is_overwritten() {
    let mount = |words: &[&str]| {
        let mounted = Command::new("mount").args(words).stderr(Stdio::null()).status();
        mounted.is_ok_and(|status| status.success())
    };
    for writer in writers() {
        let place = Place::new();
        let [outside, inside] = ["outside", "inside"].map(|name| place.at(name));
        fs::write(&outside, vec![7; 1 << 16]).unwrap();
        fs::write(&inside, "").unwrap();
        if !mount(&["--bind", text(&outside), text(&inside)]) {
            println!("NOT COVERED: outputs that are mounted, which this user cannot mount");
            return;
        }
        let written = place.run(writer, &inside);
        let unmounted = Command::new("umount").arg(&inside).status().unwrap();
        assert!(unmounted.success());
        written.text();
        place.run(writer, &place.at("plain")).text();
        let (bytes, plain) = (fs::read(&outside).unwrap(), fs::read(place.at("plain")).unwrap());
        writer.check(&bytes);
        assert!(!writer.is_repeatable || bytes == plain, "{:?}", writer.words);
        place.check_clean();
    }
}

#[test]
fn a_file_that_is_named_twice_is_refused_and_stays() {
    if !has_adapter() {
        return;
    }
    let place = Place::new();
    let [input, keys] = ["in.npy", "keys.npy"].map(|name| place.at(name));
    let [soft, hard, new] = ["soft", "hard", "new"].map(|name| place.at(name));
    symlink("in.npy", &soft).unwrap();
    fs::hard_link(&input, &hard).unwrap();
    symlink("new", place.at("to-new")).unwrap();
    let archive = place.at("in.npz");
    fs::write(&archive, zipped(&[("a.npy", &array(3))], CompressionMethod::Stored)).unwrap();
    let packed = fs::read(&archive).unwrap();
    let member = format!("{}:a", text(&archive));
    let long = place.folder.path().join(".").join("new");
    let (to_new, bytes) = (place.at("to-new"), fs::read(&input).unwrap());
    let [input, keys, soft, hard, new, long, to_new] =
        [&input, &keys, &soft, &hard, &new, &long, &to_new].map(|path| text(path));
    for words in [
        &["histogram", input, "--svg", input][..],
        &["histogram", input, "--svg", soft],
        &["histogram", hard, "--svg", input],
        &["histogram", soft, "--svg", hard],
        &["sum", input, "--axis", "0", "--output", soft],
        &["sum", hard, "--offsets", keys, "--output", keys],
        &["sum", input, "--keys", keys, "--output", new, "--output-keys", keys],
        &["sum", input, "--keys", keys, "--output", new, "--output-keys", new],
        &["sum", input, "--keys", keys, "--output", new, "--output-keys", long],
        &["sum", input, "--keys", keys, "--output", to_new, "--output-keys", new],
        &["sum", input, "--keys", keys, "--output", "-", "--output-keys", "/dev/stdout"],
        &["sum", input, "--keys", keys, "--output", "-", "--output-keys", "-"],
        &["bench", "--elements", "1", &format!("--tuned={input}"), "--svg", soft],
        &["sum", &member, "--axis", "0", "--output", text(&archive)],
        &["sum", input, "--offsets", &member, "--output", text(&archive)],
        &["sum", input, "--keys", &member, "--output", text(&archive), "--output-keys", new],
        &["histogram", &member, "--svg", text(&archive)],
    ] {
        let error = run(words).error(2);
        let is_told = error.contains("name the same file") || error.contains("that is read, too");
        assert!(is_told, "{words:?}: {error}");
        assert!(!Path::new(new).exists(), "{words:?}");
        assert_eq!(fs::read(input).unwrap(), bytes, "{words:?}");
        assert_eq!(fs::read(&archive).unwrap(), packed, "{words:?}");
    }
    let mut command = program();
    command.args(["sum", "-", "--axis", "0", "--output", input]).stdin(File::open(hard).unwrap());
    assert!(Run::new(command.output().unwrap()).error(2).contains("that is read, too"));
    let mut command = program();
    command.args(["sum", input, "--axis", "0", "--output", "-"]);
    command.stdout(OpenOptions::new().append(true).open(hard).unwrap());
    assert!(Run::new(command.stderr(Stdio::piped()).output().unwrap()).error(2).contains("read"));
    assert_eq!(fs::read(input).unwrap(), bytes);
    place.check_clean();
}

/// How a run in a folder ended that a signal was sent to while it wrote.
fn ended_by(signal: &str, before: &str, place: &Place, file: &Path) -> Run {
    let script = format!("{before} exec \"$0\" generate \"$1\" --elements 1Gi");
    let program = program();
    let words = ["-c", &script, text(Path::new(program.get_program())), text(file)];
    let mut child = Command::new("sh");
    let mut child =
        child.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let is_begun = || {
        let mut names = fs::read_dir(place.folder.path()).unwrap();
        names.any(|entry| entry.unwrap().file_name().to_str().unwrap().starts_with('.'))
    };
    while !is_begun() {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended before it began");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let kill = |signal: &str| {
        let words = [format!("-{signal}"), child.id().to_string()];
        assert!(Command::new("kill").args(words).status().unwrap().success());
    };
    if !before.is_empty() {
        kill(before.rsplit(' ').next().unwrap().trim_end_matches(';'));
        std::thread::sleep(std::time::Duration::from_secs(1));
        assert!(is_begun(), "an ignored signal ended it");
    }
    kill(signal);
    Run::new(child.wait_with_output().unwrap())
}

#[test]
fn signals_leave_what_was_there_and_nothing_else() {
    // Programs that are started ignore what is ignored here, under `nohup` for one, but not what is listened for.
    let hung_up = std::sync::Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGHUP, hung_up).unwrap();
    for (signal, before, status, what) in [
        ("INT", "", 130, "interrupted"),
        ("TERM", "", 143, "ended by signal 15"),
        ("HUP", "", 129, "ended by signal 1"),
        ("TERM", "trap '' HUP;", 143, "ended by signal 15"),
    ] {
        for is_new in [true, false] {
            let place = Place::new();
            let file = place.at("numbers.npy");
            if !is_new {
                fs::write(&file, "old").unwrap();
            }
            let run = ended_by(signal, before, &place, &file);
            assert_eq!(run.error(status), what);
            assert_eq!(fs::read(&file).ok(), (!is_new).then(|| b"old".to_vec()));
            place.check_clean();
        }
    }
}

/// A file may not grow beyond what the shell allows.
#[test]
fn errors_leave_what_was_there_and_nothing_else() {
    for is_new in [true, false] {
        let place = Place::new();
        let file = place.at("numbers.npy");
        if !is_new {
            fs::write(&file, "old").unwrap();
        }
        let script = "ulimit -f 100; exec \"$0\" generate \"$1\" --elements 1Mi";
        let program = program();
        let words = ["-c", script, text(Path::new(program.get_program())), text(&file)];
        let run = Run::new(Command::new("sh").args(words).output().unwrap());
        let error = run.error(1);
        assert!(error.contains("File too large"), "{error}");
        assert_eq!(fs::read(&file).ok(), (!is_new).then(|| b"old".to_vec()));
        place.check_clean();
    }
}

/// Neither of two files is written, if one cannot be.
#[test]
fn two_files_are_written_or_none() {
    if !has_adapter() {
        return;
    }
    let place = Place::new();
    let [input, keys, file] = ["in.npy", "keys.npy", "file"].map(|name| place.at(name));
    for full in ["--output", "--output-keys"] {
        for is_new in [true, false] {
            if !is_new {
                fs::write(&file, "old").unwrap();
            }
            let name = |option| if option == full { "/dev/full" } else { text(&file) };
            let run = run([
                ["sum", text(&input), "--keys", text(&keys)],
                ["--output", name("--output"), "--output-keys", name("--output-keys")],
            ]
            .concat());
            assert!(run.error(1).contains("/dev/full: No space left"));
            assert_eq!(fs::read(&file).ok(), (!is_new).then(|| b"old".to_vec()));
        }
        fs::remove_file(&file).unwrap();
    }
    place.check_clean();
}

/// By somebody who may write to the file and not to its folder, and by somebody who may write to the folder alone.
#[test]
fn rights_of_files_and_folders_are_kept_to() {
    use std::os::unix::process::CommandExt as _;
    // Where everybody may go.
    let place = Place::of(tempfile::tempdir_in("/tmp").unwrap());
    let [folder, file] = ["folder", "folder/file"].map(|name| place.at(name));
    fs::create_dir(&folder).unwrap();
    let is_root = fs::metadata(&folder).unwrap().uid() == 0;
    // Where everybody may run it.
    let copy = place.at("program");
    fs::copy(program().get_program(), &copy).unwrap();
    let set =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(place.folder.path(), 0o755);
    set(&copy, 0o755);
    for (of_folder, of_file, status) in [(0o555, 0o666, 0), (0o777, 0o444, 1), (0o555, 0o444, 1)] {
        fs::write(&file, vec![7; 1 << 16]).unwrap();
        let before = fs::metadata(&file).unwrap();
        set(&file, of_file);
        set(&folder, of_folder);
        let mut command = Command::new(&copy);
        command.args(["generate", text(&file), "--elements", "10"]).env("TMPDIR", "/tmp");
        if is_root {
            command.uid(65_534).gid(65_534);
        }
        let run = Run::new(command.output().unwrap());
        let after = fs::metadata(&file).unwrap();
        set(&folder, 0o755);
        assert_eq!(run.status, Some(status), "{}", run.stderr);
        assert_eq!((after.ino(), after.uid()), (before.ino(), before.uid()));
        assert_eq!(after.len(), if status == 0 { 128 + 40 } else { 1 << 16 });
        assert_eq!(after.mode() & 0o777, of_file);
        fs::remove_file(&file).unwrap();
    }
}
