//! What a GPU leaves of an exact sum, for users.

use crate::error::{Error, Result};
use crate::exact::{ExactElement, ExactSum, ExactTerms, Records};

/// What a GPU leaves of an exact sum: sums of digits, by dispatch. It means an [`ExactSum`], which
/// [`ExactSum::from`] makes of it, and which can be merged with others.
///
/// Each dispatch has a record. Word *k* of a record is of digit *k*, which counts 2^(12 *k* + *e*):
///
/// | | words | digits | *e* |
/// |---|---|---|---|
/// | elements of `f32` | 32 | 28 | −149 |
/// | products of `f32` | 64 | 51 | −298 |
/// | elements of `f64` | 192 | 181 | −1074 |
/// | products of `f64` | 384 | 354 | −2148 |
///
/// A word's lower 22 bits have what all workgroups have added to the digit, and 8 for each workgroup; its upper bits the number
/// of workgroups. The next two words count, 11 bits each, the workgroups that have seen something besides −0, +inf, −inf and
/// NaN. The rest is 0.
///
/// Which numbers were added to which record depends on device and tuning; what all mean together does not. The records are this
/// version's. What is to be kept, or sent to what may be another, is an [`ExactSum`], whose bytes have a version
/// ([`ExactSum::to_bytes`]).
///
/// ```
/// use wgpu_reduce::{ExactPartial, ExactSum, GpuReducer, SumExact};
///
/// let reducer = GpuReducer::new()?;
/// let partial = reducer.reduce(SumExact, &reducer.upload(&[0.1_f32, 0.2])?).partial().run()?;
/// // On another machine, say, which has been sent the words.
/// let (terms, count) = (partial.terms(), partial.count());
/// let sent = ExactPartial::<f32>::new(terms, count, partial.workgroups(), partial.words())?;
/// let mut sum = ExactSum::from(sent);
/// sum += 0.3;
/// assert_eq!(sum, ExactSum::from_iter([0.3, 0.2, 0.1]));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ExactPartial<T: ExactElement = f32> {
    records: Records,
    words: Vec<u32>,
    /// What the words mean, which says that they do.
    sum: ExactSum<T>,
}

impl<T: ExactElement> ExactPartial<T> {
    /// The partial of so many elements or products that these words are the records of, each with the number of
    /// workgroups of its dispatch.
    ///
    /// ```
    /// use wgpu_reduce::{ExactPartial, ExactSum, ExactTerms};
    ///
    /// // One workgroup, which has seen 3 · 2^-149.
    /// let mut words = [(1 << 22) + 8; 32];
    /// words[0] += 3;
    /// words[28..].copy_from_slice(&[(1 << 22) + 1, 1 << 22, 0, 0]);
    /// let partial = ExactPartial::<f32>::new(ExactTerms::Elements, 1, &[1], &words)?;
    /// assert_eq!(ExactSum::from(partial).round().to_bits(), 3);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBytes`] for words that no device leaves: not as many as there are records, of other numbers of
    /// workgroups, of a sum beyond what so many products can have, or otherwise contradictory.
    pub fn new(terms: ExactTerms, count: u64, workgroups: &[u32], words: &[u32]) -> Result<Self> {
        let element = T::KIND;
        let records = Records { terms, element, len: count, workgroups: workgroups.to_vec() };
        Self::of(records, words.to_vec()).map_err(|what| Error::InvalidBytes { what: what.into() })
    }

    /// Makes it of records that have been read. The error says what is wrong with them.
    pub(crate) fn of(
        records: Records,
        mut words: Vec<u32>,
    ) -> std::result::Result<Self, &'static str> {
        let sum = records.sum(&words)?;
        records.clear_rest(&mut words);
        Ok(Self { records, words, sum })
    }

    /// Makes it of the bytes that have come back.
    pub(crate) fn read(records: Records, bytes: &[u8]) -> Result<Self> {
        let partial = Self::of(records, bytemuck::pod_collect_to_vec(bytes));
        partial.map_err(|what| Error::Internal {
            message: format!("the exact sum that came back is none: {what}"),
        })
    }

    /// What was added: elements, or products of two inputs, which do not go together.
    #[must_use]
    pub const fn terms(&self) -> ExactTerms {
        self.records.terms
    }

    /// Elements or products that were added.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.records.len
    }

    /// Workgroups of each dispatch, from 1 to 1000.
    #[must_use]
    pub fn workgroups(&self) -> &[u32] {
        &self.records.workgroups
    }

    /// The records, one after another.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

impl<T: ExactElement> Eq for ExactPartial<T> {}

impl<T: ExactElement> From<ExactPartial<T>> for ExactSum<T> {
    fn from(partial: ExactPartial<T>) -> Self {
        partial.sum
    }
}
