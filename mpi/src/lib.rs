//! One reduction on the GPUs of several machines: each rank of an MPI program reduces what it has on its own GPU,
//! and a user-defined operation of MPI combines the accumulators. Exact sums have the same bits for any number of
//! ranks, however the elements are shared, and so have sums of integers and the least and largest elements with their indices.
//!
//! What talks to MPI needs the feature `mpi`, and with it an MPI library, its compiler wrapper `mpicc` and libclang:
//! on Debian `libopenmpi-dev`, `openmpi-bin` and `libclang-dev`. The program `wgpu-reduce-mpi` adds up a `.npy` file
//! that all ranks can read:
//!
//! ```sh
//! cargo build --release --package wgpu-reduce-mpi --features mpi
//! mpirun -n 4 target/release/wgpu-reduce-mpi numbers.npy
//! ```
//!
//! A program of one's own does so with what it has:
//!
#![cfg_attr(feature = "mpi", doc = "```no_run")]
#![cfg_attr(not(feature = "mpi"), doc = "```ignore")]
//! use mpi::traits::*;
//! use wgpu_reduce::{GpuReducer, SumExact};
//!
//! let universe = mpi::initialize().ok_or("MPI has been initialised before")?;
//! let world = universe.world();
//! // Of several ranks on one host each takes another GPU.
//! let local = world.split_shared(world.rank()).rank();
//! let options = wgpu_reduce_mpi::options_of(local.unsigned_abs() as usize);
//! let reducer = pollster::block_on(GpuReducer::request(&options))?;
//! let mine = reducer.upload(&vec![0.1_f32; 1000])?;
//! let mine = reducer.reduce(SumExact, &mine).partial().run()?.into();
//! let sum = wgpu_reduce_mpi::all_reduce(&world, &mine)?;
//! println!("{} of {} elements", sum.round(), sum.count());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adapter;
#[cfg(feature = "mpi")]
mod carried;
#[cfg(feature = "mpi")]
mod integers;
#[cfg(feature = "mpi")]
mod located;
mod share;
#[cfg(feature = "mpi")]
mod sums;

pub use adapter::options_of;
#[cfg(feature = "mpi")]
pub use integers::all_reduce_integer;
#[cfg(feature = "mpi")]
pub use located::all_reduce_located;
pub use share::share;
#[cfg(feature = "mpi")]
pub use sums::{all_reduce, reduce};
