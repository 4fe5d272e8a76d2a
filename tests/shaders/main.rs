//! Every shader that can be composed: valid, translated to every backend's language by naga as wgpu has it done, and given to
//! the compilers that there are. Each text is composed once and parsed once.

mod browser;
mod compilers;
mod dxc;
mod families;
mod fxc;
mod programs;
mod selection;
mod shader;
mod tint;
mod translate;
#[path = "../shared/workgroup_memory.rs"]
mod workgroup_memory;

use compilers::Compilers;
use libtest_mimic::{Arguments, Failed, Trial};
use selection::{Choice, Files};
use shader::{Form, Language, Shader};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use tint::Fault;
use translate::{Checked, Guards, Parsed, Specialised, expect};

/// Workgroup memory that DX12 and WebGPU's second tier of limits have.
const MOST_WORKGROUP_BYTES: u32 = 32 << 10;

/// A module is that of its form: it has the form's size and bindings, and no more workgroup memory than there is.
fn matches(specialised: &Specialised, form: &Form) -> Checked<()> {
    let size = specialised.workgroup_size();
    if size != form.workgroup_size {
        return Err(format!("{size} invocations, not {}", form.workgroup_size));
    }
    let expected: Vec<_> = form.bindings.iter().map(|&number| (0, number)).collect();
    let bindings = specialised.bindings();
    if bindings != expected {
        return Err(format!("bindings {bindings:?}, not {expected:?}"));
    }
    let bytes = specialised.workgroup_bytes()?;
    if bytes > MOST_WORKGROUP_BYTES {
        return Err(format!("{bytes} bytes of workgroup memory"));
    }
    Ok(())
}

/// naga writes it in every language that has what it needs, and in them is what its collective makes of it.
fn translates(shader: &Shader, specialised: &Specialised) -> Checked<()> {
    let guards = shader.guards();
    let has_subgroups = shader.uses_subgroups();
    let has_barrier = shader.has_barrier.filter(|_| !has_subgroups);
    let [in_msl, in_hlsl] = shader.subgroup_words;
    let check = |language, text: &str, subgroup_word: Option<&str>, barrier: &str| {
        if let Some(word) = subgroup_word {
            expect(language, text, word, has_subgroups)?;
        }
        has_barrier.map_or(Ok(()), |is_there| expect(language, text, barrier, is_there))
    };
    specialised.spirv(programs::SPIRV[0].0, guards)?;
    if shader.is_written_in(Language::Msl) {
        let text = specialised.msl(translate::metal_version(shader), guards)?;
        check(Language::Msl, &text, Some(in_msl), "threadgroup_barrier")?;
    }
    if shader.is_written_in(Language::Hlsl) {
        let text = specialised.hlsl(translate::shader_model(shader), guards)?.text;
        check(Language::Hlsl, &text, Some(in_hlsl), "GroupMemoryBarrier")?;
    }
    if shader.is_written_in(Language::Glsl) {
        check(Language::Glsl, &specialised.glsl()?, None, "barrier()")?;
    }
    Ok(())
}

/// All that there is to say against a shader, but for Tint's.
fn examine(
    shader: &Shader,
    chosen: &[(usize, Guards)],
    compilers: &Compilers,
) -> Result<(), Failed> {
    let parsed = Parsed::new(shader)?;
    let mut refused = Vec::new();
    for (number, form) in shader.forms.iter().enumerate() {
        let told = |error: String| format!("{:?}: {error}", form.constants);
        let specialised = parsed.specialise(form).map_err(told)?;
        matches(&specialised, form).map_err(told)?;
        translates(shader, &specialised).map_err(told)?;
        for &(_, guards) in chosen.iter().filter(|(chosen, _)| *chosen == number) {
            let faults = compilers.refusals(shader, &specialised, guards).map_err(told)?;
            refused.extend(faults.into_iter().map(|fault| format!("{guards:?}, {}", told(fault))));
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(refused.join("\n").into()) }
}

/// Those that `WGPU_REDUCE_REQUIRE_COMPILERS` names must be there; of others that are not it is said.
fn tell_missing(compilers: &Compilers, has_browser: bool) -> Result<(), Fault> {
    let required = std::env::var("WGPU_REDUCE_REQUIRE_COMPILERS").unwrap_or_default();
    let mut required: HashSet<_> = required.split(',').map(str::trim).collect();
    required.remove("");
    let others = compilers.all().map(|(name, _, is_there)| (name, is_there));
    for (name, is_there) in others.into_iter().chain([("Tint", has_browser)]) {
        let is_required = required.remove(name);
        if !is_there && is_required {
            return Err(format!(
                "{name} is not here, and WGPU_REDUCE_REQUIRE_COMPILERS asks for it"
            )
            .into());
        }
        if !is_there {
            println!("NOT COVERED: {name}, which is not here");
        }
    }
    match required.into_iter().next() {
        Some(name) => {
            Err(format!("WGPU_REDUCE_REQUIRE_COMPILERS: no compiler is named {name}").into())
        }
        None => Ok(()),
    }
}

/// Says how many texts each compiler is given, of how many.
fn tell_shares(shaders: &[Shader], chosen: &[Choice], compilers: &Compilers) {
    let every = selection::every(shaders);
    for (name, language, is_there) in compilers.all() {
        let reads = |&&(shader, _, guards): &&Choice| {
            compilers::is_given(language, &shaders[shader], guards)
        };
        let [given, all] = [chosen, &every].map(|choices| choices.iter().filter(reads).count());
        println!("{name}: {} of {all} texts", if is_there { given } else { 0 });
    }
}

/// The examination of each shader, what Tint says of it, and whether the choice was right.
fn trials(arguments: &Arguments) -> Result<Vec<Trial>, Fault> {
    let asked_for = |shader: &Shader| match &arguments.filter {
        Some(filter) => shader.name.contains(filter.as_str()),
        None => true,
    };
    let shaders = Arc::new(families::all());
    let files = Files::read();
    let is_whole = std::env::var_os("WGPU_REDUCE_ALL_TESTS").is_some();
    let choose = |every: Vec<Choice>| {
        if is_whole { every } else { selection::cover(&files, &shaders, &every) }
    };
    let chosen = choose(selection::every(&shaders));
    let compilers = Arc::new(Compilers::find(is_whole)?);
    let of_browsers = selection::for_browsers(&shaders);
    let count = of_browsers.len();
    let shown: BTreeSet<_> = choose(of_browsers).into_iter().map(|(shader, ..)| shader).collect();
    let wanted = shown.iter().map(|&number| &shaders[number]).filter(|shader| asked_for(shader));
    let wanted: Vec<_> = wanted.collect();
    let outcomes = if arguments.list { Some(Vec::new()) } else { tint::outcomes(&wanted)? };
    tell_missing(&compilers, outcomes.is_some())?;
    tell_shares(&shaders, &chosen, &compilers);
    println!("Tint: {} of {count} texts", outcomes.as_ref().map_or(0, |_| wanted.len()));

    let mut trials = Vec::new();
    for (shader, outcome) in wanted.iter().zip(outcomes.into_iter().flatten()) {
        if let Some(fault) = outcome {
            let judge = move || if fault.is_empty() { Ok(()) } else { Err(fault.into()) };
            trials.push(Trial::test(shader.name.clone(), judge).with_kind("Tint"));
        }
    }
    let missing = selection::missing(&files, &shaders, &chosen);
    let judge =
        move || if missing.is_empty() { Ok(()) } else { Err(format!("{missing:?}").into()) };
    trials.push(Trial::test("every file of shaders/ is in a text that compilers are given", judge));
    for number in 0..shaders.len() {
        let of_shader = chosen.iter().filter(|(shader, ..)| *shader == number);
        let own: Vec<_> = of_shader.map(|&(_, form, guards)| (form, guards)).collect();
        let name = shaders[number].name.clone();
        let (shaders, compilers) = (Arc::clone(&shaders), Arc::clone(&compilers));
        let judge = move || examine(&shaders[number], &own, &compilers);
        trials.push(Trial::test(name, judge).with_kind("naga"));
    }
    Ok(trials)
}

fn main() {
    let arguments = Arguments::from_args();
    let has_failed = match trials(&arguments) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).has_failed(),
        Err(error) => {
            eprintln!("{error}");
            true
        }
    };
    dxc::leave(if has_failed { 101 } else { 0 })
}
