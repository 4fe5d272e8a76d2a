//! How much of a stream is in memory.

use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::window::QUAD_BYTES;

/// How much memory a stream takes, on host and device together.
///
/// ```
/// use wgpu_reduce::StreamOptions;
///
/// let options = StreamOptions::default().bytes_in_flight(32 << 20);
/// assert_eq!(options, StreamOptions::new(32 << 20));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamOptions {
    bytes_in_flight: u64,
}

impl StreamOptions {
    /// With [so many bytes in flight](Self::bytes_in_flight).
    #[must_use]
    pub const fn new(bytes_in_flight: u64) -> Self {
        Self { bytes_in_flight }
    }

    /// Bytes of all buffers that elements pass through; 128 MiB by default. Half of them are the host's, from
    /// which the device copies, and half the device's. Each half holds two chunks, so that one is filled while the
    /// device works on the other: a chunk is a quarter of these bytes, or an eighth for each of two inputs, as far
    /// as the device has such large buffers and as 64 of its largest bindings cover, and never less than 256 bytes.
    ///
    /// Beside them there are what a reduction of one chunk takes between its passes, some tens of KiB for what
    /// chunks leave, and 4 MiB where a reader is read. Histograms take up to 32 bytes for each bin of each channel on the device, and 16 of
    /// the host's memory when they are finished.
    ///
    /// Larger chunks keep a fast GPU busier: on an NVIDIA H200 from 16 MiB on the rate is within a fifth of the best, at 128 MiB.
    #[must_use]
    pub const fn bytes_in_flight(mut self, bytes: u64) -> Self {
        self.bytes_in_flight = bytes;
        self
    }

    /// Bins that elements are counted in where ranks are sought. A bin's counter and its edge have eight bytes, each in a binding of its own;
    /// there may be half as many bins again between those that are sought.
    pub(crate) fn most_bins(self, caps: &Caps) -> u64 {
        (self.bytes_in_flight / 512).min(caps.max_binding_bytes / 16).min(MOST_BINS)
    }

    /// Keys that the host counts there, in eight bytes each.
    pub(crate) const fn most_keys(self) -> u64 {
        self.bytes_in_flight / 16
    }

    /// Elements of a chunk, of each input.
    pub(crate) fn chunk_len(self, element: ElementKind, inputs: u64, caps: &Caps) -> u64 {
        let room = self.bytes_in_flight / (2 * SLOTS as u64);
        let windows = caps.max_binding_bytes.saturating_mul(MOST_WINDOWS);
        let most = room.min(caps.max_buffer_bytes).min(windows).min(MOST_CHUNK_BYTES);
        let most = most / inputs.max(1);
        // Inputs of a chunk lie one after another, and each begins where bindings may.
        let alignment = caps.storage_alignment_bytes.max(QUAD_BYTES).max(LEAST_CHUNK_BYTES);
        (most - most % alignment).max(alignment) / element.size_bytes()
    }
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self::new(128 << 20)
    }
}

/// Chunks that are in memory at a time.
pub(crate) const SLOTS: usize = 2;

/// Bins, of which a search among edges is still quick.
const MOST_BINS: u64 = 1 << 18;

const LEAST_CHUNK_BYTES: u64 = 256;

/// What bindings of a chunk leave has to fit into one, however small that is.
const MOST_WINDOWS: u64 = 64;

/// As much as one binding covers on every device that has such buffers, and more than is of use.
const MOST_CHUNK_BYTES: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::StreamOptions;
    use crate::op::element::ElementKind;
    use crate::plan::caps::Caps;

    #[test]
    fn chunks_are_as_large_as_is_said() {
        let caps = Caps::baseline();
        for (bytes, element, inputs, expected) in [
            (128 << 20, ElementKind::F32, 1, 8 << 20),
            (128 << 20, ElementKind::F32, 2, 4 << 20),
            (128 << 20, ElementKind::U8, 1, 32 << 20),
            (4096 + 1023, ElementKind::F64, 1, 128),
            (0, ElementKind::F32, 1, 64),
            (0, ElementKind::U8, 2, 256),
            // No buffer is larger.
            (u64::MAX, ElementKind::U8, 1, caps.max_buffer_bytes),
        ] {
            let options = StreamOptions::new(bytes);
            assert_eq!(options.chunk_len(element, inputs, &caps), expected, "{bytes} {element}");
        }
        let mut tight = caps;
        tight.max_binding_bytes = 64 << 10;
        let chunk_len = StreamOptions::new(64 << 30).chunk_len(ElementKind::F32, 1, &tight);
        assert_eq!(chunk_len, 1 << 20);
    }
}
