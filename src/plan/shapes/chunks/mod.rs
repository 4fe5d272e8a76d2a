//! Streams: what runs over one chunk, and over what chunks leave.

pub(crate) mod levels;
pub(crate) mod options;
pub(crate) mod plan;

pub use options::StreamOptions;
