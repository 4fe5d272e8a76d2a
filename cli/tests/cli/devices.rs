//! `devices`, and the choice among them.

use crate::harness::{Run, data, has_adapter, program, run, text};

#[test]
fn devices_are_listed_with_what_matters() {
    if !has_adapter() {
        return;
    }
    let devices = run(["devices", "--json"]).json();
    let devices = devices.as_array().unwrap();
    let table = run(["devices"]).text();
    assert!(!devices.is_empty());
    for (index, device) in devices.iter().enumerate() {
        assert_eq!(device["index"], index);
        let (label, backend) = (device["label"].as_str().unwrap(), &device["backend"]);
        assert!(label.ends_with(&format!("({})", backend.as_str().unwrap())), "{label}");
        assert!(table.contains(&format!("{index}: {label}\n")), "{table}");
        assert!(["Cpu", "Gpu"].contains(&device["class"].as_str().unwrap()));
        let limits = device["limits"].as_object().unwrap();
        assert_eq!(limits.len(), 6);
        assert!(limits.values().all(|limit| limit.as_u64().unwrap() > 0), "{limits:?}");
        let features = device["features"].as_array().unwrap();
        let sizes = &device["subgroup_sizes"];
        assert_eq!(features.contains(&"SUBGROUP".into()), sizes.is_object());
        if sizes.is_object() {
            assert!(sizes["min"].as_u64().unwrap() <= sizes["max"].as_u64().unwrap());
        }
    }
}

#[test]
fn adapters_are_chosen_by_number_or_name() {
    if !has_adapter() {
        return;
    }
    let devices = run(["devices", "--json"]).json();
    let last = devices.as_array().unwrap().last().unwrap().clone();
    let (number, label) = (last["index"].to_string(), last["label"].as_str().unwrap());
    let file = data("i4.npy");
    let sum = run(["sum", text(&file), "--json", "--adapter", &number]).json();
    assert_eq!(sum["adapter"], label);
    let explained = run(["explain", "--adapter", &label.to_uppercase()]).text();
    let first_match =
        devices.as_array().unwrap().iter().find(|device| {
            device["label"].as_str().unwrap().to_uppercase() == label.to_uppercase()
        });
    let expected = first_match.unwrap()["label"].as_str().unwrap();
    assert!(explained.starts_with(&format!("on {expected}:\n")), "{explained}");
    for adapter in ["999999", "no such adapter"] {
        for command in [&["sum", text(&file)][..], &["explain"]] {
            let error = run(command.iter().chain(&["--adapter", adapter])).error(1);
            assert!(error.starts_with("no adapter matches; looked for an adapter"), "{error}");
            assert!(error.contains(adapter) && error.contains(label), "{error}");
            assert!(!error.contains("install"), "{error}");
        }
    }
}

#[test]
fn numbers_of_no_adapter_are_parts_of_a_name() {
    if !has_adapter() {
        return;
    }
    let devices = run(["devices", "--json"]).json();
    let devices = devices.as_array().unwrap();
    let labels: Vec<_> = devices.iter().map(|device| device["label"].as_str().unwrap()).collect();
    let digits = labels.iter().flat_map(|label| label.split(|c: char| !c.is_ascii_digit()));
    let is_index = |number: &str| number.parse().is_ok_and(|index: usize| index < labels.len());
    for number in digits.filter(|digits| !digits.is_empty() && !is_index(digits)) {
        let expected = labels.iter().find(|label| label.contains(number)).unwrap();
        let explained = run(["explain", "--adapter", number]).text();
        assert!(explained.starts_with(&format!("on {expected}:\n")), "{number}: {explained}");
    }
}

#[test]
fn without_an_adapter_everything_that_needs_one_fails() {
    let absent = if cfg!(target_vendor = "apple") { "dx12" } else { "metal" };
    let file = data("i4.npy");
    for arguments in
        [&["devices"][..], &["devices", "--json"], &["explain"], &["sum", text(&file), "--check"]]
    {
        let mut command = program();
        let output = command.args(arguments).env("WGPU_BACKEND", absent).output().unwrap();
        let error = Run::new(output).error(1);
        assert!(error.starts_with("no adapter found; looked for "), "{error}");
    }
}

/// As in containers and under cron, where no session has a folder for sockets.
#[cfg(unix)]
#[test]
fn nothing_is_said_about_displays() {
    if !has_adapter() {
        return;
    }
    let input = data("i4.npy");
    for folder in [None, Some(""), Some("relative")] {
        let mut command = program();
        command
            .args(["sum", "-", "--json"])
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XDG_RUNTIME_DIR");
        command.envs(folder.map(|folder| ("XDG_RUNTIME_DIR", folder)));
        // Standard input and arguments are those of the program that was started.
        let run = Run::new(command.stdin(std::fs::File::open(&input).unwrap()).output().unwrap());
        assert!(!run.stderr.contains("XDG_RUNTIME_DIR"), "{folder:?}: {}", run.stderr);
        assert_eq!(run.json()["value"], -3, "{folder:?}");
    }
}
