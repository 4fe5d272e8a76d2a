//! From the GPU to the host.

use crate::device::allowance::Held;
use crate::device::context::Context;
use crate::device::encode::Ready;
use crate::device::mapping::{Mapping, unmap};
use crate::device::timing::Timer;
use crate::error::{Error, Result};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A result on its way to the host.
pub(crate) struct Readback {
    landing: Landing,
    pub(crate) mapping: Mapping,
    /// Takes the buffers once they have been read, in place of the pools.
    home: Option<(Arc<Slots>, Kept)>,
}

impl fmt::Debug for Readback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readback").field("landing", &self.landing).finish_non_exhaustive()
    }
}

/// What does something with a result, where it is allowed to.
#[cfg(not(target_family = "wasm"))]
pub(crate) trait WithResult: Send + 'static {}
#[cfg(not(target_family = "wasm"))]
impl<F: Send + 'static> WithResult for F {}
#[cfg(target_family = "wasm")]
pub(crate) trait WithResult: 'static {}
#[cfg(target_family = "wasm")]
impl<F: 'static> WithResult for F {}

/// Buffers for results that come back again and again, each with what belongs to it.
#[derive(Debug, Default)]
pub(crate) struct Slots(Mutex<Vec<(Readback, Kept)>>);

/// What a run takes that no other may use meanwhile.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Nothing where results stay in the caller's buffer.
    pub(crate) ready: Option<Ready>,
    /// Nothing where nobody asks for the time, or the device has none.
    pub(crate) timer: Option<Timer>,
}

impl Slots {
    pub(crate) fn take(&self) -> Option<(Readback, Kept)> {
        let (mut readback, kept) = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        readback.mapping.renew();
        Some((readback, kept))
    }

    pub(crate) fn give(&self, slot: (Readback, Kept)) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
    }
}

/// Where the device leaves what the host will read.
#[derive(Debug, Clone)]
enum Landing {
    /// Where shaders write: the host can map that.
    Direct { result: Held },
    /// In a copy of what shaders write.
    Copied { result: Held, copy: Held },
    /// In a copy of the caller's buffer.
    Copy { copy: Held },
}

/// The largest results that shaders write where the host reads them.
const MOST_DIRECT_BYTES: u64 = 64 << 10;

impl Readback {
    /// For `bytes` that shaders write: where the host can map them, if the device allows that and
    /// `timed` does not forbid it. A pass that writes to the host's memory ends later, by a
    /// microsecond; a copy takes longer, but after the pass. Results that are many are copied, too: what
    /// shaders write here and there is slow on its way to the host.
    pub(crate) fn of_result(context: &Context, bytes: u64, timed: bool) -> Result<Self> {
        let landing = if context.caps.mappable_results && !timed && bytes <= MOST_DIRECT_BYTES {
            Landing::Direct { result: context.mapped_results.take(context, bytes)? }
        } else {
            let result = context.results.take(context, bytes)?;
            Landing::Copied { result, copy: context.readbacks.take(context, bytes)? }
        };
        Ok(Self { landing, mapping: Mapping::default(), home: None })
    }

    /// The same, but once it has been read its buffers and what belongs to them go back to `slots`.
    pub(crate) fn kept(self, slots: &Arc<Slots>, with: Kept) -> Self {
        Self { home: Some((Arc::clone(slots), with)), ..self }
    }

    /// For `bytes` to be copied from elsewhere to [`Readback::target`].
    pub(crate) fn of_copy(context: &Context, bytes: u64) -> Result<Self> {
        let copy = context.readbacks.take(context, bytes)?;
        Ok(Self { landing: Landing::Copy { copy }, mapping: Mapping::default(), home: None })
    }

    /// What is written: by shaders, or by copies.
    pub(crate) const fn target(&self) -> &wgpu::Buffer {
        match &self.landing {
            Landing::Direct { result } | Landing::Copied { result, .. } => &result.buffer,
            Landing::Copy { copy } => &copy.buffer,
        }
    }

    /// Records what brings the first `bytes` of the target to where the host reads them.
    pub(crate) fn record(&self, encoder: &mut wgpu::CommandEncoder, bytes: u64) {
        if let Landing::Copied { result, copy } = &self.landing {
            encoder.copy_buffer_to_buffer(result, 0, copy, 0, bytes);
        }
    }

    const fn mapped(&self) -> &wgpu::Buffer {
        match &self.landing {
            Landing::Direct { result: buffer }
            | Landing::Copied { copy: buffer, .. }
            | Landing::Copy { copy: buffer } => &buffer.buffer,
        }
    }

    /// Asks for the bytes, once what writes them has been submitted.
    pub(crate) fn request(&self, context: &Context) {
        self.mapping.request(context, self.mapped(), wgpu::MapMode::Read);
    }

    /// What `take` makes of the bytes, once answered. The buffers go back to where they came from.
    pub(crate) fn read<R>(
        &mut self,
        context: &Context,
        take: impl FnOnce(&[u8]) -> R,
    ) -> Result<R> {
        let (mut take, mut value) = (Some(take), None);
        self.hand_over(context, &mut |bytes| value = take.take().map(|take| take(bytes)))?;
        value.ok_or_else(|| Error::Internal { message: "nothing was read".into() })
    }

    fn hand_over(&mut self, context: &Context, take: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.mapping.answer(context)?;
        let mapped = self.mapped();
        {
            // What has been mapped can only be gone with its device.
            let view = mapped
                .get_mapped_range(..)
                .map_err(|error| Error::DeviceLost { reason: error.to_string() })?;
            take(&view);
        }
        if unmap(context, mapped).is_err() {
            // The device has gone, and what was read of it had come before.
            return Ok(());
        }
        if let Some((slots, kept)) = self.home.take() {
            let (landing, mapping) = (self.landing.clone(), self.mapping.clone());
            slots.give((Self { landing, mapping, home: None }, kept));
            return Ok(());
        }
        match self.landing.clone() {
            Landing::Direct { result } => context.mapped_results.give(result),
            Landing::Copied { result, copy } => {
                context.results.give(result);
                context.readbacks.give(copy);
            }
            Landing::Copy { copy } => context.readbacks.give(copy),
        }
        Ok(())
    }
}
