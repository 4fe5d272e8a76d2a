//! The table in the user's cache folder, which is one of the test's own here.
//!
//! Windows does not let a test choose it.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;
use wgpu_reduce::{
    AdapterKey, ElementKind, Error, GpuReducer, OpRecord, TunedLengths, Tuning, TuningTable,
};

/// Tells the process that has the folder from the one that starts it.
const CHILD: &str = "WGPU_REDUCE_TEST_CHILD";

/// A process cannot safely change its own environment while others of its threads may read it.
#[test]
fn stored_tunings_are_used_when_they_are_asked_for() {
    if std::env::var_os(CHILD).is_some() {
        return in_folder();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stored_tunings");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "stored_tunings_are_used_when_they_are_asked_for", "--nocapture"])
        .envs([("HOME", &folder), ("XDG_CACHE_HOME", &folder)])
        .env(CHILD, "1")
        .status();
    assert!(status.unwrap().success());
}

fn in_folder() {
    let reducer = match GpuReducer::new() {
        Err(Error::NoAdapter { .. })
            if std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_some() =>
        {
            return;
        }
        outcome => outcome.unwrap(),
    };
    let info = reducer.adapter_info();
    let (sum, element) = (OpRecord::ALL[0], ElementKind::F32);
    let default = reducer.tuning(sum, element, 100);

    assert_eq!(TuningTable::load_for(info), Ok(None));
    assert_eq!(reducer.with_stored_tunings().unwrap().tuning_table(), None);

    let tuning = Tuning { workgroup_size: 2, ..default };
    let lengths = TunedLengths { operation: sum, element, lengths: 5..=200, tuning };
    let table = TuningTable::new(AdapterKey::new(info), vec![lengths]).unwrap();
    let path = TuningTable::path_for(info).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, table.to_json().unwrap()).unwrap();
    assert_eq!(TuningTable::load_for(info).as_ref(), Ok(&Some(table.clone())));
    let tuned = reducer.with_stored_tunings().unwrap();
    assert_eq!(tuned.tuning_table(), Some(&table));
    assert_eq!(tuned.tuning(sum, element, 100), tuning);
    assert_eq!(tuned.sum(&tuned.upload(&[0.5_f32; 100]).unwrap()), Ok(50.0));
    // Nobody else has asked for it.
    assert_eq!(GpuReducer::new().unwrap().tuning(sum, element, 100), default);

    fs::write(&path, "{").unwrap();
    let broken = reducer.with_stored_tunings().unwrap_err();
    assert!(matches!(broken, Error::InvalidTuningTable { .. }), "{broken:?}");
    let other = AdapterKey { name: "another".into(), ..AdapterKey::new(info) };
    let other = TuningTable::new(other, Vec::new()).unwrap().to_json().unwrap();
    fs::write(&path, other).unwrap();
    let foreign = reducer.with_stored_tunings().unwrap_err();
    assert!(foreign.to_string().contains("it is of another adapter"), "{foreign}");
}
