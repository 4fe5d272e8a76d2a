//! The main job on real input.

use crate::setup::{Program, adapter, runtime_folder};
use crate::shell::{self, Outcome};

/// Reduces `file`, or numbers drawn from a normal distribution, and compares with the CPU.
pub(crate) fn run_demo(file: Option<&str>) -> Outcome {
    adapter(Program::Alone)?;
    let generated = shell::root().join("data").join("normal-16Mi-f32.npy");
    let file = if let Some(file) = file {
        file.into()
    } else {
        generate(&generated)?;
        generated.into_os_string()
    };
    let mut sum = Program::command();
    // Validation layers older than naga call its SPIR-V invalid. The tests judge what layers say.
    sum.env("WGPU_VALIDATION", "0");
    shell::run(sum.arg("sum").arg(file).arg("--check").envs(runtime_folder()))
}

fn generate(file: &std::path::Path) -> Outcome {
    if file.exists() {
        return Ok(());
    }
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut command = Program::command();
    command.arg("generate").arg(file).args(["--elements", "16Mi", "--distribution", "normal"]);
    shell::run(&mut command)
}
