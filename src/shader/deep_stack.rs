//! Room for compilers, which are recursive: a stack that overflows ends the process.

#[cfg(not(target_family = "wasm"))]
use crate::error::Error;
use crate::error::Result;

/// Several times what naga needs, compiled without optimisation, for the deepest texts that
/// `custom/scan.rs` lets through. With optimisation a fifth of a megabyte is enough.
#[cfg(not(target_family = "wasm"))]
const STACK_BYTES: usize = 32 << 20;

/// Runs `work` on a stack that is deep enough for it. A panic becomes an error.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn with_deep_stack<R: Send>(work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("wgpu-reduce compiler".into());
        match builder.stack_size(STACK_BYTES).spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|_| {
                Err(Error::Internal { message: "a compiler of shaders panicked".into() })
            }),
            Err(_) => Err(Error::OutOfMemory { bytes: STACK_BYTES as u64, available_bytes: None }),
        }
    })
}

/// There are no threads; the stack of a browser is deep enough for optimised code.
#[cfg(target_family = "wasm")]
pub(crate) fn with_deep_stack<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    work()
}
