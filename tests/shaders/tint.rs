//! Tint, the compiler of Chromium, by one without a window. It demands what naga does not, such as barriers and subgroup
//! operations in control flow that it can prove to be uniform.

use crate::browser;
use crate::shader::{Browser, Shader};
use std::num::NonZero;
use std::path::Path;

/// What went wrong, sent between threads.
pub(crate) type Fault = Box<dyn std::error::Error + Send + Sync>;

/// One as browsers take it.
#[derive(Clone, Copy)]
struct Shown<'s> {
    shader: &'s Shader,
    browser: &'s Browser,
}

/// The page with all texts. They have no `</script>` in them.
fn page(shown: &[Shown<'_>]) -> String {
    let scripts = shown.iter().map(|Shown { shader, browser }| {
        let entry_point = format!(" data-entry=\"{}\"", shader.entry_point);
        let entry_point = if browser.with_pipeline { entry_point } else { String::new() };
        let size = browser.workgroup_size.map(|size| format!(" data-workgroup-size=\"{size}\""));
        let attributes = entry_point + &size.unwrap_or_default();
        let Browser { directives, .. } = browser;
        format!("<script type=\"text/wgsl\"{attributes}>{directives}{}</script>\n", shader.text)
    });
    include_str!("page.html").to_owned() + &scripts.collect::<String>()
}

/// What a Chromium said of each shader that is for browsers, if anything; none where there is no Chromium.
pub(crate) fn outcomes(shaders: &[&Shader]) -> Result<Option<Vec<Option<String>>>, Fault> {
    let Some(program) = browser::find() else {
        return Ok(None);
    };
    let shown = shaders
        .iter()
        .filter_map(|shader| Some(Shown { shader, browser: shader.browser.as_ref()? }));
    let shown: Vec<_> = shown.collect();
    // A browser compiles on one core. Each has every so many-th, since kinds of shaders take more or less time.
    let browsers = std::thread::available_parallelism().map_or(1, NonZero::get).min(4);
    let parts = (0..browsers).map(|first| shown.iter().skip(first).step_by(browsers).copied());
    let outcomes: Vec<Vec<String>> = std::thread::scope(|scope| {
        let program = &program;
        let show = |part: Vec<_>| scope.spawn(move || outcomes_by(program, &part));
        let threads: Vec<_> = parts.map(|part| show(part.collect())).collect();
        let joined = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        joined.collect::<Result<_, _>>()
    })?;
    let mut numbers = 0..shown.len();
    let of = |shader: &&Shader| {
        let number = shader.browser.is_some().then(|| numbers.next()).flatten()?;
        Some(outcomes[number % browsers][number / browsers].clone())
    };
    Ok(Some(shaders.iter().map(of).collect()))
}

/// What a browser of their own said of each of them.
fn outcomes_by(program: &Path, shown: &[Shown<'_>]) -> Result<Vec<String>, Fault> {
    if shown.is_empty() {
        return Ok(Vec::new());
    }
    let page = page(shown);
    let report = browser::show(program, &|path| {
        (path == "/").then(|| ("text/html; charset=utf-8", page.clone().into_bytes()))
    })?;
    let lines: Vec<_> = report.lines().map(|line| line.split_once('\t')).collect();
    if lines.len() != shown.len() || lines.contains(&None) {
        return Err(format!("{}: {report}", program.display()).into());
    }
    Ok(lines.into_iter().flatten().map(|(_, fault)| fault.into()).collect())
}
