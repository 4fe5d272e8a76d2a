//! Files that commands write: the one way to write them.
//!
//! - Links are followed and stay links. What a name leads to decides, and not the name.
//! - A regular file gets its name, or its new content, when it is complete. Owner, mode and other attributes stay.
//! - Devices and pipes are written to. `-`, and any name of standard output, is standard output.
//! - Files that are named twice, or are an input, too, are refused before any is opened.

mod draft;
mod place;
mod room;

use crate::failure::Failure;
use crate::interrupt;
use draft::Draft;
use place::{Identity, Kind, Place};
use room::Need;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Stderr, Write};
use std::path::Path;

/// A file that a command will write.
#[derive(Debug)]
pub(crate) struct Output {
    name: String,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Standard,
    /// A device or a pipe.
    Special(File),
    File(Draft),
}

/// An option, and the file that it names, if it is given.
pub(crate) type Wanted<'a> = (&'a str, Option<&'a Path>);

/// Opens files to write, of a command that reads `inputs`. What cannot be written is known before work starts.
pub(crate) fn open(
    wanted: &[Wanted<'_>],
    inputs: &[&Path],
) -> Result<Vec<Option<Output>>, Failure> {
    let mut places: Vec<(&str, &Path, Place)> = Vec::with_capacity(wanted.len());
    for &(option, path) in wanted {
        let Some(path) = path else { continue };
        let place = Place::of(path).map_err(|error| in_file(path, error))?;
        for (other, _, before) in &places {
            if place.collides(before) {
                let what = format!("{option} and {other} name the same file, {}", path.display());
                return Err(Failure::Usage(what));
            }
        }
        if inputs.iter().any(|input| place.is(Identity::of_input(input).as_ref())) {
            let what = format!("{option} names a file that is read, too: {}", path.display());
            return Err(Failure::Usage(what));
        }
        places.push((option, path, place));
    }
    let mut places = places.into_iter();
    let open = |&(_, path): &Wanted<'_>| {
        let Some((_, path, place)) = path.and_then(|_| places.next()) else { return Ok(None) };
        let target = Target::open(place).map_err(|error| in_file(path, error))?;
        let name = match target {
            Target::Standard => "standard output".into(),
            _ => path.display().to_string(),
        };
        Ok(Some(Output { name, target }))
    };
    wanted.iter().map(open).collect()
}

/// [`open`] of one file.
pub(crate) fn open_one(
    option: &str,
    path: Option<&Path>,
    inputs: &[&Path],
) -> Result<Option<Output>, Failure> {
    Ok(open(&[(option, path)], inputs)?.pop().flatten())
}

fn in_file(path: &Path, error: io::Error) -> Failure {
    Failure::in_file(&path.display().to_string(), error)
}

impl Target {
    fn open(place: Place) -> io::Result<Self> {
        Ok(match place.kind {
            Kind::Standard => Self::Standard,
            Kind::Special => {
                let file = OpenOptions::new().write(true).open(&place.path)?;
                place::check_special(&file)?;
                Self::Special(file)
            }
            Kind::Missing => Self::File(Draft::of_new(place.path)?),
            Kind::File { is_named } => Self::File(Draft::of_existing(place.path, is_named)?),
        })
    }
}

impl Output {
    /// What it is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) const fn is_standard(&self) -> bool {
        matches!(self.target, Target::Standard)
    }

    /// Fails if there is no room for so many bytes, where that can be known.
    pub(crate) fn check_room(&self, bytes: u64) -> Result<(), Failure> {
        check_room(&[(self, bytes)])
    }

    fn needs(&self, bytes: u64) -> io::Result<Vec<Need>> {
        match &self.target {
            Target::Standard => Ok(Need::of_standard(bytes).into_iter().collect()),
            Target::Special(_) => Ok(Vec::new()),
            Target::File(draft) => draft.needs(bytes),
        }
    }

    /// Writes all of it by `write`. A regular file has it once it is [complete](Self::complete).
    pub(crate) fn fill(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let filled = match &self.target {
            Target::Standard => buffered(io::stdout(), write),
            Target::Special(file) => buffered(file, write),
            Target::File(draft) => buffered(draft.file(), write),
        };
        filled.map_err(|error| told(&self.name, self.is_standard(), error))
    }

    /// Keeps what has been written. Dropped before, it is as if nothing had been.
    pub(crate) fn complete(self) -> Result<(), Failure> {
        match self.target {
            Target::File(draft) => draft.complete().map_err(|error| told(&self.name, false, error)),
            Target::Standard | Target::Special(_) => Ok(()),
        }
    }

    /// Writes a text, and keeps it.
    pub(crate) fn write(self, text: &str) -> Result<(), Failure> {
        self.fill(|file| file.write_all(text.as_bytes()))?;
        self.complete()
    }
}

/// Fails if there is no room for all of these files, of so many bytes each, where that can be known.
pub(crate) fn check_room(files: &[(&Output, u64)]) -> Result<(), Failure> {
    let mut needs = Vec::new();
    for &(output, bytes) in files {
        let in_file = |error| Failure::in_file(&output.name, error);
        for need in output.needs(bytes).map_err(in_file)? {
            needs.push(need);
            room::check(&needs).map_err(in_file)?;
        }
    }
    Ok(())
}

/// What is said of an error of writing, unless a signal has brought it about.
fn told(name: &str, is_standard: bool, error: io::Error) -> Failure {
    match interrupt::check() {
        Err(interrupted) => interrupted,
        Ok(()) if is_standard => Failure::Output(error),
        Ok(()) => Failure::in_file(name, error),
    }
}

fn buffered(
    target: impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut target = BufWriter::with_capacity(1 << 20, target);
    let written = write(&mut target).and_then(|()| target.flush());
    // What is left of a failure is not written when the buffer is dropped.
    let (_, _) = target.into_parts();
    written
}

/// Where a command reports.
pub(crate) enum Reported<'a, W> {
    Out(&'a mut W),
    Error(Stderr),
}

/// Where a command reports that also writes `output`: to standard error if that goes to standard output.
pub(crate) fn beside<'a, W: Write>(output: Option<&Output>, out: &'a mut W) -> Reported<'a, W> {
    if output.is_some_and(Output::is_standard) {
        Reported::Error(io::stderr())
    } else {
        Reported::Out(out)
    }
}

impl<W: Write> Write for Reported<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Out(out) => out.write(bytes),
            Self::Error(error) => error.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Out(out) => out.flush(),
            Self::Error(error) => error.flush(),
        }
    }
}
