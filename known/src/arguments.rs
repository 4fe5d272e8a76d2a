//! What a bench is told.

/// The words that a bench is given, but for options.
///
/// ```
/// use wgpu_reduce_known::Arguments;
///
/// let arguments = Arguments::of(["26", "--bench", "all"].map(String::from));
/// assert!(arguments.is_bench);
/// assert_eq!(arguments.words, ["26", "all"]);
/// assert_eq!([0, 1, 2].map(|place| arguments.number(place)), [Some(26), None, None]);
/// let tuning = Arguments::of(["512,528,4,32".into()]);
/// assert_eq!((tuning.numbers(0), tuning.numbers::<3>(0)), (Some([512, 528, 4, 32]), None));
/// ```
#[derive(Debug, Clone)]
pub struct Arguments {
    /// Whether it is to measure: Cargo says `--bench` to a bench, and nothing to what is run as a test.
    pub is_bench: bool,
    /// The words.
    pub words: Vec<String>,
}

impl Arguments {
    /// Those of this process.
    #[must_use]
    pub fn given() -> Self {
        Self::of(std::env::args().skip(1))
    }

    /// Some that are not the process's.
    #[must_use]
    pub fn of(words: impl IntoIterator<Item = String>) -> Self {
        let (options, words): (Vec<_>, _) =
            words.into_iter().partition(|word| word.starts_with('-'));
        Self { is_bench: options.iter().any(|option| option == "--bench"), words }
    }

    /// The number in a place, if there is one.
    #[must_use]
    pub fn number(&self, place: usize) -> Option<u32> {
        self.words.get(place)?.parse().ok()
    }

    /// The numbers in a place, if there are as many, between commas.
    #[must_use]
    pub fn numbers<const N: usize>(&self, place: usize) -> Option<[u32; N]> {
        let numbers = self.words.get(place)?.split(',').map(|number| number.parse().ok());
        numbers.collect::<Option<Vec<_>>>()?.try_into().ok()
    }
}
