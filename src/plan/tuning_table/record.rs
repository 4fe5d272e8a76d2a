//! Tables as they are written down.

use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::tuning::Tuning;
use crate::plan::tuning_table::{AdapterKey, TunedLengths, TuningTable};
use serde::{Deserialize, Serialize};

/// Changes whenever what is written down, or what it means, changes.
const FORMAT: u32 = 1;

/// A whole table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    format: u32,
    adapter: AdapterKey,
    tunings: Vec<Lengths>,
}

/// One tuning, and what it is for.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lengths {
    operation: String,
    element: String,
    first_len: u64,
    last_len: u64,
    tuning: Tuning,
}

impl From<TuningTable> for Table {
    fn from(table: TuningTable) -> Self {
        let tunings = table.tunings.into_iter().map(|tuned| Lengths {
            operation: tuned.operation.name.into(),
            element: tuned.element.name().into(),
            first_len: *tuned.lengths.start(),
            last_len: *tuned.lengths.end(),
            tuning: tuned.tuning,
        });
        Self { format: FORMAT, adapter: table.adapter, tunings: tunings.collect() }
    }
}

impl TryFrom<Table> for TuningTable {
    type Error = String;

    fn try_from(table: Table) -> Result<Self, String> {
        if table.format != FORMAT {
            return Err(format!("it has format {}, and this program knows {FORMAT}", table.format));
        }
        let tunings = table.tunings.into_iter().map(TunedLengths::try_from);
        Self::sorted(table.adapter, tunings.collect::<Result<_, _>>()?)
    }
}

impl TryFrom<Lengths> for TunedLengths {
    type Error = String;

    fn try_from(lengths: Lengths) -> Result<Self, String> {
        let Lengths { operation, element, first_len, last_len, tuning } = lengths;
        let known_operation = OpRecord::ALL.into_iter().find(|known| known.name == operation);
        let known_element = ElementKind::ALL.into_iter().find(|known| known.name() == element);
        match (known_operation, known_element) {
            (Some(operation), Some(element)) => {
                Ok(Self { operation, element, lengths: first_len..=last_len, tuning })
            }
            (None, _) => Err(format!("there is no operation \"{operation}\"")),
            (_, None) => Err(format!("there is no element \"{element}\"")),
        }
    }
}
