//! Which adapter a rank takes.

use wgpu_reduce::{GpuReducer, Options};

/// What a rank asks for that is the `local_rank`-th of those on its host: ranks take the adapters of the host in turn, of
/// those of the best one's kind and backend. Where the environment variable `WGPU_ADAPTER_NAME` names an adapter, all take that.
///
/// ```no_run
/// use wgpu_reduce::GpuReducer;
///
/// let reducer = pollster::block_on(GpuReducer::request(&wgpu_reduce_mpi::options_of(1)))?;
/// println!("{}", reducer.adapter_label());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[must_use]
pub fn options_of(local_rank: usize) -> Options {
    let options = Options::default();
    if std::env::var_os("WGPU_ADAPTER_NAME").is_some() {
        return options;
    }
    let adapters = GpuReducer::adapters();
    let kinds: Vec<_> =
        adapters.iter().map(|adapter| (adapter.info.device_type, adapter.info.backend)).collect();
    match in_turn(&kinds, local_rank) {
        Some(number) => options.adapter(number.to_string()),
        None => options,
    }
}

/// The number of an adapter: of those that are like the first.
fn in_turn<K: PartialEq>(kinds: &[K], local_rank: usize) -> Option<usize> {
    let first = kinds.first()?;
    let alike: Vec<_> = (0..kinds.len()).filter(|&number| kinds[number] == *first).collect();
    alike.get(local_rank % alike.len().max(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::in_turn;

    #[test]
    fn ranks_take_adapters_like_the_best_in_turn() {
        let taken = |kinds: &[char]| [0, 1, 2, 3].map(|rank| in_turn(kinds, rank));
        assert_eq!(taken(&['v', 'v', 'g', 'v']), [Some(0), Some(1), Some(3), Some(0)]);
        assert_eq!(taken(&['g']), [Some(0); 4]);
        assert_eq!(taken(&[]), [None; 4]);
    }
}
