//! Microsoft's FXC, a library for Windows. `fxc.c` is the program that calls it, and Wine runs that program.

use crate::programs;
use crate::translate::{Checked, Hlsl};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// FXC, as often as threads have asked for it at once.
pub(crate) struct Fxc {
    wine: PathBuf,
    program: PathBuf,
    /// Processes that wait for a text.
    idle: Mutex<Vec<Child>>,
}

/// Finds FXC where `cargo xtask` puts it.
pub(crate) fn find() -> Checked<Option<Fxc>> {
    let program = programs::got("fxc.exe");
    let is_there = program.exists() && programs::got("d3dcompiler_47.dll").exists();
    let Some(wine) = programs::in_path("wine").filter(|_| is_there) else {
        return Ok(None);
    };
    let fxc = Fxc { wine, program, idle: Mutex::default() };
    // Wine's first start makes a folder, so nothing else may start meanwhile.
    let nothing = "[numthreads(1, 1, 1)] void nothing() {}".into();
    fxc.compile(&Hlsl { text: nothing, entry_point: "nothing".into() })?;
    Ok(Some(fxc))
}

impl Fxc {
    /// Compiles a text as wgpu's DX12 backend has it done.
    pub(crate) fn compile(&self, hlsl: &Hlsl) -> Checked<()> {
        let failed = |error: io::Error| format!("FXC: {error}");
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let mut process = waiting.map_or_else(|| self.start(), Ok).map_err(failed)?;
        let said = ask(&mut process, hlsl).map_err(failed)?;
        idle().push(process);
        if said.is_empty() { Ok(()) } else { Err(format!("FXC: {said}")) }
    }

    /// Starts a process, which ends with its input.
    fn start(&self) -> io::Result<Child> {
        Command::new(&self.wine)
            .arg(&self.program)
            .env("WINEPREFIX", programs::got("wine"))
            .env("WINEDEBUG", "-all")
            // Wine has a library of that name, too, and would ask to install others.
            .env("WINEDLLOVERRIDES", "d3dcompiler_47=n;mscoree=;mshtml=")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    }
}

/// Returns what FXC says against the text, or nothing.
fn ask(process: &mut Child, hlsl: &Hlsl) -> io::Result<String> {
    let input = process.stdin.as_mut().expect("it is piped");
    for text in [&hlsl.entry_point, &hlsl.text] {
        let length = u32::try_from(text.len()).expect("texts are short");
        input.write_all(&length.to_le_bytes())?;
        input.write_all(text.as_bytes())?;
    }
    let output = process.stdout.as_mut().expect("it is piped");
    let mut length = [0; 4];
    output.read_exact(&mut length)?;
    let mut said = vec![0; u32::from_le_bytes(length) as usize];
    output.read_exact(&mut said)?;
    Ok(String::from_utf8_lossy(&said).trim_end_matches(['\0', '\n']).to_owned())
}
