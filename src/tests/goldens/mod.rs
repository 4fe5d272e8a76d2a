//! What devices are given, held to what they were given before: passes, grids, bindings, byte ranges, parameters, constants and texts.
//!
//! Calls are made on devices that run nothing, which say that they are a GPU, a device with no more than WebGPU promises, and a software
//! adapter with tight limits. What would be encoded is written down and hashed, and `goldens.txt` has the hashes of today. While they
//! stay, speed stays. `WGPU_REDUCE_GOLDENS` names a folder for what was written down and for the hashes as they are now: two such folders
//! show what a change of the library changes.

mod calls;
mod devices;
mod plans;

use crate::device::context::Context;
use crate::error::Result;
use crate::plan::followed::{Seen, hash};
use crate::plan::recording::Recording;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

thread_local! {
    /// What this thread has encoded since it is observed.
    static OBSERVED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Writes down what would be encoded, if this thread is observed. Then nothing else is to be done with it.
pub(crate) fn is_observed(context: &Context, recording: &Recording) -> bool {
    OBSERVED.with_borrow_mut(|observed| {
        let Some(text) = observed else { return false };
        write!(text, "{}", Seen(recording, context.caps.uniform_alignment_bytes)).unwrap();
        true
    })
}

/// What was written down, by the name of what was asked for and of the device.
#[derive(Default)]
struct Written(BTreeMap<String, Vec<(&'static str, String)>>);

impl Written {
    /// Makes calls and writes down what they encode, or why they do not.
    fn note(&mut self, name: &str, device: &'static str, calls: impl FnOnce() -> Result<()>) {
        OBSERVED.set(Some(String::new()));
        let outcome = calls();
        let mut text = OBSERVED.take().expect("it was observed");
        if let Err(error) = outcome {
            writeln!(text, "{error:?}").unwrap();
        }
        self.0.entry(name.to_owned()).or_default().push((device, text));
    }

    /// A line for each name: the hashes of all devices.
    fn hashes(&self) -> BTreeMap<&str, String> {
        let of_devices = |texts: &Vec<(&str, String)>| {
            let hashes: Vec<_> =
                texts.iter().map(|(_, text)| format!("{:016x}", hash(text))).collect();
            hashes.join(" ")
        };
        self.0.iter().map(|(name, texts)| (name.as_str(), of_devices(texts))).collect()
    }

    /// Leaves all of it in a folder.
    fn keep(&self, folder: &std::path::Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let lines: Vec<_> =
            self.hashes().iter().map(|(name, hashes)| format!("{name}: {hashes}\n")).collect();
        std::fs::write(folder.join("goldens.txt"), lines.concat())?;
        for (name, texts) in &self.0 {
            let whole: Vec<_> =
                texts.iter().map(|(device, text)| format!("== {device}\n{text}")).collect();
            std::fs::write(folder.join(name.replace([' ', '/'], "_")), whole.concat())?;
        }
        Ok(())
    }
}

#[test]
fn devices_are_given_what_they_were_given_before() {
    let mut written = Written::default();
    for (device, reducer) in devices::all() {
        calls::note(&mut written, device, &reducer);
        plans::note(&mut written, device, &reducer.caps());
    }
    if let Some(folder) = std::env::var_os("WGPU_REDUCE_GOLDENS") {
        written.keep(folder.as_ref()).expect("the folder can be written to");
    }
    let kept: BTreeMap<_, _> =
        include_str!("goldens.txt").lines().filter_map(|line| line.rsplit_once(": ")).collect();
    let now = written.hashes();
    let changed = |(name, hashes): (&&str, &String)| {
        (kept.get(name).copied() != Some(hashes)).then(|| (*name).to_owned())
    };
    let mut wrong: Vec<_> = now.iter().filter_map(changed).collect();
    let gone = kept.keys().filter(|name| !now.contains_key(*name)).map(|name| format!("no {name}"));
    wrong.extend(gone);
    assert!(wrong.is_empty(), "devices are given something else for: {wrong:#?}");
}
