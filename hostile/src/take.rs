//! Numbers from bytes: zero where they have ended.

/// What is left of some bytes.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    pub(crate) fn word(&mut self) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    pub(crate) fn long(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// Of any magnitude.
    pub(crate) fn scaled(&mut self) -> u64 {
        let shift = self.byte() % 64;
        self.long() >> shift
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()]
    }

    /// One of those that are usual, or now and then anything: nothing, the most there is, or of any magnitude.
    pub(crate) fn limit(&mut self, usual: &[u64]) -> u64 {
        match self.byte() {
            249 => 0,
            250 => u64::MAX,
            251 => u64::MAX - u64::from(self.byte()),
            252 => 1 << (self.byte() % 64),
            253.. => self.scaled(),
            number => usual[usize::from(number) % usual.len()],
        }
    }

    /// The same of 32 bits.
    pub(crate) fn small_limit(&mut self, usual: &[u32]) -> u32 {
        match self.byte() {
            249 => 0,
            250 => u32::MAX,
            251 => u32::MAX - u32::from(self.byte()),
            252 => 1 << (self.byte() % 32),
            253.. => self.word() >> (self.byte() % 32),
            number => usual[usize::from(number) % usual.len()],
        }
    }
}
