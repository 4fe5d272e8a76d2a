//! [`ExactSum`](wgpu_reduce::ExactSum) against integers of arbitrary precision, in every order and
//! split.

#![expect(clippy::float_cmp, reason = "what is compared is exact")]

mod bytes;
mod cases;
mod committed;
mod known;
mod limits;
mod oracle;
mod products;
mod sums;
