//! What will run, decided before anything touches a device: problems become passes of plain data.

pub(crate) mod caps;
pub(crate) mod cut;
pub(crate) mod folding;
#[cfg(any(test, feature = "followed"))]
pub mod followed;
pub(crate) mod geometry;
pub(crate) mod limits;
pub(crate) mod planned;
#[doc(hidden)]
pub mod planners;
pub(crate) mod problem;
pub(crate) mod recording;
pub(crate) mod shapes;
pub(crate) mod tuning;
pub(crate) mod tuning_table;

pub use caps::{AdapterClass, Caps, SubgroupSizes};
pub use cut::Part;
pub use planned::{AnyTuning, Plan, WholeTuning};
pub use problem::Problem;
pub use recording::{Contents, PlannedPass, Scratch};
pub use shapes::*;
pub use tuning::{Combining, Tuning};
pub use tuning_table::{AdapterKey, TunedLengths, TuningTable};
