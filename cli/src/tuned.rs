//! `--tuned`: the tunings that `tune` has stored.

use crate::args::TunedChoice;
use crate::failure::Failure;
use wgpu_reduce::{GpuReducer, TunedLengths, TuningTable};

impl TunedChoice {
    /// The table that is asked for, if one is. Whether it is for the adapter is not checked.
    pub(crate) fn table(&self, info: &wgpu::AdapterInfo) -> Result<Option<TuningTable>, Failure> {
        match &self.tuned {
            None => Ok(None),
            Some(Some(file)) => Ok(Some(TuningTable::read(file)?)),
            Some(None) => match TuningTable::load_for(info)? {
                Some(table) => Ok(Some(table)),
                None => Err(Failure::Failed(format!(
                    "no tunings are stored for {} with its present driver; run `wgpu-reduce tune`",
                    info.name.trim()
                ))),
            },
        }
    }

    /// The reducer with the table that is asked for, if one is.
    pub(crate) fn apply(&self, reducer: GpuReducer) -> Result<GpuReducer, Failure> {
        match self.table(reducer.adapter_info())? {
            Some(table) => Ok(reducer.with_tuning_table(table)?),
            None => Ok(reducer),
        }
    }
}

/// What is stored for the adapter. What cannot be read is as good as nothing: it is to be replaced.
pub(crate) fn stored(reducer: &GpuReducer) -> Vec<TunedLengths> {
    let table = TuningTable::load_for(reducer.adapter_info()).unwrap_or_else(|error| {
        log::warn!("what was stored is lost: {error}");
        None
    });
    table.map(|table| table.tunings().to_vec()).unwrap_or_default()
}
