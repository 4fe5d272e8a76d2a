//! The tests that matter most to what has changed, for somebody who changes a kernel: some three minutes.

use crate::shell::{self, Outcome, run};
use crate::{setup, workspace};
use std::collections::HashSet;
use std::process::Command;
use std::time::{Duration, Instant};

/// No more tests begin after so long.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs the GPU tests that these filters take, or without any those of [`chosen`], on llvmpipe alone where Mesa's is installed and
/// `VK_DRIVER_FILES` does not say otherwise.
pub(crate) fn run_tests(filters: &[&str]) -> Outcome {
    run(shell::cargo().args(["fmt", "--all", "--check"]))?;
    let test = || {
        let mut test = workspace::cargo("test");
        test.args(["--test", "gpu"]);
        test
    };
    run(test().arg("--no-run"))?;
    let given: Vec<_> = filters.iter().map(|&filter| filter.to_owned()).collect();
    let filters = if given.is_empty() { chosen()? } else { given };
    let begun = Instant::now();
    for (number, filter) in filters.iter().enumerate() {
        if begun.elapsed() > LIMIT {
            eprintln!("NOT RUN, for want of time: {}", filters[number..].join(" "));
            break;
        }
        run(test().args(["--", filter]).envs(setup::llvmpipe_alone()))?;
    }
    Ok(())
}

/// Filters of the tests for shaders and of the tests that git sees changed, each once; if it sees none, the first of each folder of shaders.
fn chosen() -> Result<Vec<String>, String> {
    let path = shell::root().join("tests/gpu/filters.txt");
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    let folders: Vec<Vec<_>> = text.lines().map(|line| line.split(' ').collect()).collect();
    let status = ["status", "--porcelain", "--untracked-files=all"];
    let changed = shell::output(Command::new("git").args(status).current_dir(shell::root()));
    let mut filters: Vec<String> = Vec::new();
    for path in changed.iter().flat_map(|text| text.lines()).filter_map(|line| line.get(3..)) {
        match path.split('/').collect::<Vec<_>>()[..] {
            ["shaders", folder, ..] => {
                let of_folder = folders.iter().filter(|words| words[0] == folder);
                filters.extend(of_folder.flat_map(|words| &words[1..]).map(|&word| word.into()));
            }
            ["tests", "gpu", file] if file != "main.rs" => {
                filters.extend(file.strip_suffix(".rs").map(|family| format!("{family}::")));
            }
            _ => {}
        }
    }
    if filters.is_empty() {
        filters.extend(folders.iter().filter_map(|words| words.get(1)).map(|&word| word.into()));
    }
    let mut seen = HashSet::new();
    filters.retain(|filter| seen.insert(filter.clone()));
    Ok(filters)
}
