//! Pipelines: made once, and kept across processes where the device can hand them out.

use crate::harness::rig;
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use libtest_mimic::{Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use wgpu_reduce::GpuReducer;

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    for rig in rigs.iter().filter(|rig| !has_cache(rig)) {
        println!("NOT COVERED: {} cannot hand out pipelines: none are stored", rig.name);
    }
    [
        on_every_rig(rigs, "pipelines::made_once", made_once),
        on_every_rig(rigs, "pipelines::only_so_many_kept", only_so_many_kept),
        on_every_rig(rigs, "pipelines::stored_when_dropped", stored_when_dropped),
        on_every_rig(rigs, "pipelines::stored_when_asked", stored_when_asked),
        on_every_rig(rigs, "pipelines::options_of_a_callers_device", options_of_a_callers_device),
        on_every_rig(rigs, "pipelines::nothing_new_is_not_stored", nothing_new_is_not_stored),
        on_every_rig(rigs, "pipelines::wrong_files_are_replaced", wrong_files_are_replaced),
        on_every_rig(rigs, "pipelines::unwritable_folders", unwritable_folders),
        on_every_rig(rigs, "pipelines::shared_folder", shared_folder),
        on_every_rig(rigs, "pipelines::lost_device", lost_device),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn has_cache(rig: &Rig) -> bool {
    rig.reducer.device().features().contains(wgpu::Features::PIPELINE_CACHE)
}

/// A reducer that has made no pipeline, and keeps those it will make in `folder`.
fn open(rig: &Rig, folder: &Path) -> Result<GpuReducer, Failed> {
    Ok(rig::open(&rig.options.clone().pipeline_cache(folder))?)
}

/// Sums in one pass, or two: at least one pipeline.
fn work(reducer: &GpuReducer) -> Outcome {
    let values = vec![3_u32; 50_000];
    let sum = reducer.sum(&reducer.upload(&values)?)?;
    ensure!(sum == 150_000, "{sum}");
    Ok(())
}

/// Opens, works, and drops the reducer.
fn process(rig: &Rig, folder: &Path) -> Outcome {
    work(&open(rig, folder)?)
}

/// Every file below a folder, and what is in it.
fn files(folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, Failed> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    entries
        .map(|entry| {
            let path = entry?.path();
            let bytes = fs::read(&path)?;
            Ok((path, bytes))
        })
        .collect()
}

/// The one file that there is; none where the device has no cache.
fn only_file(rig: &Rig, folder: &Path) -> Result<Option<(PathBuf, Vec<u8>)>, Failed> {
    let mut files = files(folder)?;
    let names: Vec<_> = files.iter().map(|(path, _)| path.clone()).collect();
    ensure!(files.len() == usize::from(has_cache(rig)), "{names:?}");
    let file = files.pop();
    let is_ours = file.iter().all(|(_, bytes)| bytes.starts_with(b"wgpu-reduce "));
    ensure!(is_ours, "{names:?} are something else");
    Ok(file)
}

/// The pipelines used last stay, where there are more than are to be kept; the others are made again.
fn only_so_many_kept(rig: &Rig) -> Outcome {
    let of_kept = |most| rig::open(&rig.options.clone().pipelines_kept(most));
    let turns = |reducer: &GpuReducer| -> Result<usize, Failed> {
        let (words, bytes) = (reducer.upload(&[5_u32; 100])?, reducer.upload(&[5_u8; 100])?);
        for _ in 0..3 {
            let (sum, of_bytes) = (reducer.sum(&words)?, reducer.sum(&bytes)?);
            ensure!((sum, of_bytes) == (500, 500), "{sum} and {of_bytes}");
        }
        Ok(reducer.pipelines_made())
    };
    for (most, expected) in [(0, 6), (1, 6), (2, 2), (512, 2)] {
        let made = turns(&of_kept(most)?)?;
        ensure!(made == expected, "{made} were made where {most} are kept");
    }
    Ok(())
}

/// Sixteen threads need the same pipelines at the same moment.
fn made_once(rig: &Rig) -> Outcome {
    let fresh = rig::open(&rig.options)?;
    ensure!(fresh.pipelines_made() == 0, "{} before any call", fresh.pipelines_made());
    let buffer = fresh.upload(&vec![1_u32; 200_000])?;
    let plan = fresh.reduce(wgpu_reduce::Sum, &buffer).plan()?;
    let mut expected: Vec<_> = plan.passes().iter().map(ToString::to_string).collect();
    expected.sort_unstable();
    expected.dedup();
    let start = Barrier::new(16);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    let reducer = fresh.clone();
                    start.wait();
                    let sum = reducer.sum(&buffer)?;
                    ensure!(sum == 200_000, "{sum}");
                    Ok::<(), Failed>(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err("a thread panicked".into()))
        })
    })?;
    let made = fresh.pipelines_made();
    ensure!(made == expected.len(), "{made} pipelines for {expected:?}");
    Ok(())
}

fn stored_when_dropped(rig: &Rig) -> Outcome {
    let folder = tempfile::tempdir()?;
    let below = folder.path().join("not").join("there");
    let idle = open(rig, &below)?;
    drop(idle);
    ensure!(files(&below)?.is_empty(), "a file without a pipeline");
    let reducer = open(rig, &below)?;
    let clone = reducer.clone();
    work(&clone)?;
    drop(reducer);
    ensure!(files(&below)?.is_empty(), "a file before the last clone was dropped");
    drop(clone);
    only_file(rig, &below)?;
    Ok(())
}

/// A device that is the caller's has the same options.
fn options_of_a_callers_device(rig: &Rig) -> Outcome {
    let folder = tempfile::tempdir()?;
    let options = rig.options.clone().pipeline_cache(folder.path()).subgroups(false);
    let (device, queue) = (rig.reducer.device().clone(), rig.reducer.queue().clone());
    let reducer = GpuReducer::from_wgpu_with(device, queue, &options)?;
    ensure!(reducer.caps().subgroups.is_none(), "{:?}", reducer.caps());
    work(&reducer)?;
    drop(reducer);
    only_file(rig, folder.path())?;
    Ok(())
}

fn stored_when_asked(rig: &Rig) -> Outcome {
    let folder = tempfile::tempdir()?;
    let reducer = open(rig, folder.path())?;
    reducer.store_pipelines();
    ensure!(files(folder.path())?.is_empty(), "a file without a pipeline");
    work(&reducer)?;
    reducer.store_pipelines();
    only_file(rig, folder.path())?;
    // Without a folder there is nothing to do.
    rig.reducer.store_pipelines();
    Ok(())
}

/// What a process finds it neither writes again nor adds to.
fn nothing_new_is_not_stored(rig: &Rig) -> Outcome {
    let folder = tempfile::tempdir()?;
    process(rig, folder.path())?;
    let Some((path, bytes)) = only_file(rig, folder.path())? else { return Ok(()) };
    let written = fs::metadata(&path)?.modified()?;
    process(rig, folder.path())?;
    let again = only_file(rig, folder.path())?;
    ensure!(again == Some((path.clone(), bytes)), "the file has changed");
    ensure!(fs::metadata(&path)?.modified()? == written, "the file was written again");
    Ok(())
}

/// Cut off, changed, empty, or never ours: no error, the right sum, and a file as good as the first.
fn wrong_files_are_replaced(rig: &Rig) -> Outcome {
    let folder = tempfile::tempdir()?;
    process(rig, folder.path())?;
    let Some((path, right)) = only_file(rig, folder.path())? else { return Ok(()) };
    let half = right[..right.len() / 2].to_vec();
    let mut changed = right.clone();
    *changed.last_mut().ok_or("the file is empty")? ^= 1;
    for wrong in [half, changed, Vec::new(), vec![0xAB; 100_000]] {
        fs::write(&path, &wrong)?;
        process(rig, folder.path())?;
        let Some((_, replaced)) = only_file(rig, folder.path())? else { return Ok(()) };
        ensure!(replaced != wrong, "{} wrong bytes are still there", wrong.len());
        ensure!(replaced.len() == right.len(), "{} bytes, not {}", replaced.len(), right.len());
    }
    Ok(())
}

/// Where there can be no folder, everything works without.
fn unwritable_folders(rig: &Rig) -> Outcome {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a file, not a folder");
    fs::write(&file, "as it was")?;
    for blocked in [file.clone(), file.join("below")] {
        process(rig, &blocked)?;
    }
    ensure!(files(folder.path())? == [(file, b"as it was".to_vec())], "something was written");
    Ok(())
}

/// Several devices at once, as several processes would be.
fn shared_folder(rig: &Rig) -> Outcome {
    let folder = tempfile::tempdir()?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| (0..3).try_for_each(|_| process(rig, folder.path()))))
            .collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err("a thread panicked".into()))
        })
    })?;
    only_file(rig, folder.path())?;
    Ok(())
}

/// A device that is gone has nothing to store, and says nothing of it.
fn lost_device(rig: &Rig) -> Outcome {
    let folder = tempfile::tempdir()?;
    let doomed = open(rig, folder.path())?;
    work(&doomed)?;
    doomed.device().destroy();
    doomed.store_pipelines();
    drop(doomed);
    process(rig, folder.path())?;
    only_file(rig, folder.path())?;
    Ok(())
}
