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
        self.limit_below(usual, 64)
    }

    /// The same of 32 bits.
    pub(crate) fn small_limit(&mut self, usual: &[u32]) -> u32 {
        let limit = self.limit_below(usual, 32);
        u32::try_from(limit).expect("there are no more bits")
    }

    /// The same of so many bits.
    fn limit_below<T: Copy + Into<u64>>(&mut self, usual: &[T], bits: u8) -> u64 {
        let most = u64::MAX >> (64 - bits);
        match self.byte() {
            249 => 0,
            250 => most,
            251 => most - u64::from(self.byte()),
            252 => 1 << (self.byte() % bits),
            253.. => {
                let shift = self.byte() % bits;
                let number = if bits > 32 { self.long() } else { self.word().into() };
                number >> shift
            }
            number => usual[usize::from(number) % usual.len()].into(),
        }
    }
}
