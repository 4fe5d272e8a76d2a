//! Operations as data, and the list of them.

use super::HostFold;
use super::several::Several;
use crate::error::{Error, Result};
use crate::op::accumulator::Accumulator;
use crate::op::element::{ElementKind, Number};
use crate::op::lifting::Lifting;
use crate::op::merging::Merging;
use crate::plan::caps::Caps;
use crate::shader::custom::scan::declarations;
use crate::shader::fragment::Fragment;
use crate::shader::joined::Layout;
use std::hash::{Hash, Hasher};

/// An operation as data: what planner and shader composition need to know of it.
///
/// ```
/// use wgpu_reduce::{ElementKind, OpRecord, Operation, Product};
///
/// let product = Operation::<i32>::record(&Product);
/// assert_eq!((product.name(), product.takes_none()), ("product", true));
/// let of_f64: Vec<_> = OpRecord::ALL.into_iter().filter(|op| op.takes(ElementKind::F64)).collect();
/// assert!(of_f64.contains(&product));
/// ```
#[derive(Debug)]
pub struct OpRecord {
    pub(crate) name: &'static str,
    /// Those that it is several of, if it is.
    pub(crate) several: Option<&'static Several>,
    /// Whether there is a result of no elements.
    pub(crate) of_none: bool,
    /// What it does with numbers of a type; `None` where it does not take them.
    pub(crate) over: fn(Number) -> Option<Over>,
    /// What combines and finishes, of the same numbers, on the host.
    pub(crate) on_host: fn(Number) -> Option<HostFold>,
}

/// An operation over elements of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Over {
    /// The WGSL of identity, lift, combine and finish.
    pub(crate) fragment: Fragment,
    /// What the elements are accumulated in.
    pub(crate) accumulator: Accumulator,
    /// What that WGSL lifts.
    pub(crate) lifting: Lifting,
    /// Bytes of what the device leaves.
    pub(crate) output_bytes: u64,
    /// The law by which words are merged in any order, where there is one.
    pub(crate) merging: Option<Merging>,
}

impl Over {
    /// Elements are lifted one by one, and the result is the accumulator as it is.
    pub(crate) const fn unfinished(fragment: Fragment, accumulator: Accumulator) -> Self {
        let (output_bytes, merging) = (accumulator.size_bytes(), Merging::of(accumulator));
        Self { fragment, accumulator, lifting: Lifting::Each, output_bytes, merging }
    }

    /// How what the device leaves lies in memory.
    pub(crate) fn result_layout(&self) -> Layout {
        if let Accumulator::Several(joined, _) = self.accumulator {
            return joined.result();
        }
        // Fields are words; the others are numbers and vectors, which begin at multiples of their size.
        let has_fields = declarations(self.fragment.text)
            .iter()
            .any(|found| found.keyword.text == "struct" && found.name.text == "Output");
        let alignment = if has_fields { 4 } else { self.output_bytes };
        Layout { bytes: self.output_bytes, alignment }
    }

    /// Names the law by which words are merged.
    pub(crate) const fn merged(self, law: Merging) -> Self {
        Self { merging: Some(law), ..self }
    }

    /// Whether a device's numbers of 64 bits are used.
    pub(crate) fn is_native_on(&self, caps: &Caps) -> bool {
        if self.accumulator.is_of_f64() {
            return caps.f64;
        }
        caps.native_u64 && self.accumulator.has_native_form()
    }
}

macro_rules! records {
    ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        impl OpRecord {
            /// Every operation of one input, in this crate.
            pub const ALL: [&'static Self; [$(stringify!($name)),*].len()] = [$(&super::$module::RECORD),*];
        }
    };
}
crate::for_each_operation!(records);

impl OpRecord {
    /// Every operation of two inputs: see [`PairOperation`](crate::PairOperation).
    pub const PAIRS: [&'static Self; 1] = [&super::dot::RECORD];

    /// The operation's name, as in the library's call; on the command line `-` stands for `_`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it is made of the exact sum of elements for which there is a kernel with bins, whose digits the host puts together.
    pub(crate) fn is_of_exact_sum(&self, element: ElementKind) -> bool {
        [&super::sum_exact::RECORD, &super::mean_exact::RECORD].contains(&self)
            && matches!(element, ElementKind::F32 | ElementKind::F64)
    }

    /// Whether it takes elements of a type.
    ///
    /// ```
    /// use wgpu_reduce::{ElementKind, Operation, WrappingSum};
    ///
    /// let record = Operation::<i32>::record(&WrappingSum);
    /// assert!(record.takes(ElementKind::U32));
    /// assert!(!record.takes(ElementKind::F32));
    /// ```
    #[must_use]
    pub fn takes(&self, element: ElementKind) -> bool {
        self.over(element).is_ok()
    }

    /// Whether its results say where elements stand, by indices, as those of `argmin` and `stats` do.
    ///
    /// ```
    /// use wgpu_reduce::{ArgMin, Min, Operation, Stats};
    ///
    /// assert!(Operation::<f32>::record(&ArgMin).finds_indices());
    /// assert!(Operation::<i32>::record(&Stats::default()).finds_indices());
    /// assert!(!Operation::<f32>::record(&Min).finds_indices());
    /// ```
    #[must_use]
    pub fn finds_indices(&self) -> bool {
        ElementKind::ALL
            .into_iter()
            .any(|kind| self.over(kind).is_ok_and(|over| over.lifting.finds_indices()))
    }

    /// Whether there is a result of no elements, as 0 is that of `sum`. Where there is none, calls fail
    /// with [`Error::Empty`].
    #[must_use]
    pub const fn takes_none(&self) -> bool {
        self.of_none
    }

    /// Fails where there is no result of so many elements.
    pub(crate) const fn check_len(&self, len: u64) -> Result<()> {
        if len == 0 && !self.of_none {
            return Err(Error::Empty { operation: self.name });
        }
        Ok(())
    }

    /// Fails where one result cannot be of so many elements of a type, because its accumulator has no room for them.
    pub(crate) fn check_room(&self, element: ElementKind, len: u64) -> Result<()> {
        let most = self.over(element)?.accumulator.most_elements();
        if len <= most {
            return Ok(());
        }
        let name = self.name;
        let what = format!("a result of {name} is of {most} elements at most, and not of {len}");
        Err(Error::InvalidBuffer { what })
    }

    /// What it does with elements of a type.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`] where it does not take them, or one of several does not; [`Error::Unsupported`] for what is not joined.
    pub(crate) fn over(&self, element: ElementKind) -> Result<Over> {
        if let Some(several) = self.several {
            return (several.over)(several, self.name, element);
        }
        (self.over)(element.number())
            .ok_or(Error::NotDefined { operation: self.name, element: element.name() })
    }

    /// What makes of accumulators on the host what a device leaves of them all.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`] where it does not take elements of a type.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn on_host(&self, element: ElementKind) -> Result<HostFold> {
        (self.on_host)(element.number())
            .ok_or(Error::NotDefined { operation: self.name, element: element.name() })
    }
}

impl PartialEq for OpRecord {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OpRecord {}

impl Hash for OpRecord {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
