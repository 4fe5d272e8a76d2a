//! What Vulkan's validation layers say while the tests run, where they are installed.

use log::{Level, LevelFilter, Log, Metadata, Record};
use std::sync::{Mutex, PoisonError};

/// Logs as `env_logger` does, and keeps what the validation layers complain about.
struct Recorder {
    printer: env_logger::Logger,
    complaints: Mutex<Vec<String>>,
}

/// What is no fault of this library: a layer that is older than naga does not know the number of its source language, WGSL; and
/// where a device goes while a buffer is mapped as it was created, wgpu 30 forgets the one that it has staged it in.
const KNOWN: [&str; 2] = [
    "Invalid source language operand",
    "[(wgpu internal) Staging] has not been destroyed. The Vulkan spec states: All child objects created on device must",
];

impl Log for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.printer.enabled(metadata) || metadata.level() == Level::Error
    }

    fn log(&self, record: &Record<'_>) {
        let text = record.args().to_string();
        let of_layers = record.level() == Level::Error && text.starts_with("VALIDATION [");
        // The objects come on a line of their own.
        let is_known = of_layers && KNOWN.iter().any(|known| text.contains(known));
        if is_known || text.starts_with("\tobjects: ") {
            return;
        }
        if of_layers {
            self.complaints.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        }
        self.printer.log(record);
    }

    fn flush(&self) {
        self.printer.flush();
    }
}

/// What has been complained about so far.
pub(crate) struct Complaints(&'static Recorder);

/// Becomes the logger of this process.
pub(crate) fn listen() -> Complaints {
    let printer = env_logger::Builder::from_default_env().build();
    let most = printer.filter().max(LevelFilter::Error);
    let recorder: &'static Recorder =
        Box::leak(Box::new(Recorder { printer, complaints: Mutex::default() }));
    log::set_logger(recorder).expect("there is no other logger");
    log::set_max_level(most);
    Complaints(recorder)
}

impl Complaints {
    /// All of them, once each.
    pub(crate) fn distinct(&self) -> Vec<String> {
        let mut complaints =
            self.0.complaints.lock().unwrap_or_else(PoisonError::into_inner).clone();
        complaints.sort();
        complaints.dedup();
        complaints
    }
}
