//! What will run, decided before anything touches a device: problems become passes of plain data.

pub(crate) mod caps;
pub(crate) mod cut;
pub(crate) mod folding;
#[cfg(any(test, feature = "followed"))]
#[doc(hidden)]
pub mod followed;
pub(crate) mod limits;
pub(crate) mod many_plan;
pub(crate) mod planned;
pub(crate) mod recording;
pub(crate) mod shapes;
pub(crate) mod tuning;
pub(crate) mod tuning_table;

pub use caps::{AdapterClass, Caps, SubgroupSizes};
pub use cut::{Part, Partner};
pub use many_plan::{AlonePlan, ManyPlan, ManyRequest, ManyStep, SharedDispatch, SharedInput};
pub use planned::{AnyTuning, Plan, PlannedPass, WholeTuning};
pub use recording::{Contents, Place, Scratch};
pub use shapes::*;
pub use tuning::{Combining, Tuning};
pub use tuning_table::{AdapterKey, TunedLengths, TuningTable};
