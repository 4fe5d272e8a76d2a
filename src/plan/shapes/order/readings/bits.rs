//! Elements as bits, and as keys.

use crate::op::element::ElementKind;

/// The bits of elements, as an unsigned number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits {
    element: ElementKind,
}

impl Bits {
    pub(super) const fn new(element: ElementKind) -> Self {
        Self { element }
    }

    /// The type of as many bits.
    pub(super) const fn unsigned(self) -> ElementKind {
        match self.element.size_bytes() {
            1 => ElementKind::U8,
            2 => ElementKind::U16,
            4 => ElementKind::U32,
            _ => ElementKind::U64,
        }
    }

    pub(super) const fn count(self) -> u32 {
        match self.unsigned() {
            ElementKind::U8 => 8,
            ElementKind::U16 => 16,
            ElementKind::U32 => 32,
            _ => 64,
        }
    }

    pub(super) const fn sign(self) -> u64 {
        1 << (self.count() - 1)
    }

    /// Those of infinity, of a float.
    pub(super) const fn infinity(self) -> Option<u64> {
        match self.element {
            ElementKind::F16 => Some(0x7C00),
            ElementKind::Bf16 => Some(0x7F80),
            ElementKind::F32 => Some(0x7F80_0000),
            ElementKind::F64 => Some(0x7FF0_0000_0000_0000),
            _ => None,
        }
    }

    pub(super) const fn is_finite(self, bits: u64) -> bool {
        match self.infinity() {
            Some(infinity) => bits & !self.sign() < infinity,
            None => true,
        }
    }

    const fn is_signed(self) -> bool {
        matches!(
            self.element,
            ElementKind::I8 | ElementKind::I16 | ElementKind::I32 | ElementKind::I64
        )
    }

    /// Of floats below zero the largest number is the least.
    pub(super) const fn key(self, bits: u64) -> u64 {
        let sign = self.sign();
        if self.infinity().is_some() {
            return if bits & sign == 0 { bits | sign } else { !bits & (sign | (sign - 1)) };
        }
        if self.is_signed() { bits ^ sign } else { bits }
    }

    pub(super) const fn of_key(self, key: u64) -> u64 {
        let sign = self.sign();
        if self.infinity().is_some() {
            return if key & sign == 0 { !key & (sign | (sign - 1)) } else { key ^ sign };
        }
        if self.is_signed() { key ^ sign } else { key }
    }

    /// Shows each element's.
    pub(super) fn of_each(self, elements: &[u8], mut see: impl FnMut(u64)) {
        match self.count() {
            8 => elements.iter().for_each(|&byte| see(byte.into())),
            16 => each(elements, |bytes| see(u16::from_le_bytes(bytes).into())),
            32 => each(elements, |bytes| see(u32::from_le_bytes(bytes).into())),
            _ => each(elements, |bytes| see(u64::from_le_bytes(bytes))),
        }
    }
}

fn each<const N: usize>(elements: &[u8], see: impl FnMut([u8; N])) {
    elements.chunks_exact(N).filter_map(|bytes| bytes.try_into().ok()).for_each(see);
}

/// How many elements are no finite numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Others {
    pub(super) nan: u64,
    pub(super) lowest: u64,
    pub(super) highest: u64,
}

impl Others {
    /// Counts those among elements.
    pub(super) fn count(&mut self, bits: Bits, elements: &[u8]) {
        let Some(infinity) = bits.infinity() else { return };
        bits.of_each(elements, |word| {
            let magnitude = word & !bits.sign();
            self.nan += u64::from(magnitude > infinity);
            self.highest += u64::from(word == infinity);
            self.lowest += u64::from(word == infinity | bits.sign());
        });
    }

    /// All of them.
    pub(super) const fn all(self) -> u64 {
        self.nan + self.lowest + self.highest
    }
}
