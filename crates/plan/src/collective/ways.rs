//! Which algorithm each operation takes where a trace says only the operation.

use serde::{Deserialize, Serialize};

use super::{Algorithm, Operation};
use crate::error::Result;
use crate::reading::Section;

/// An algorithm of each operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ways {
    pub allreduce: Algorithm,
    pub allgather: Algorithm,
    pub alltoall: Algorithm,
    pub bcast: Algorithm,
    #[serde(rename = "reduce-scatter")]
    pub reduce_scatter: Algorithm,
}

impl Default for Ways {
    /// Those of NCCL's rings, and pairs.
    fn default() -> Self {
        Self {
            allreduce: Algorithm::Ring,
            allgather: Algorithm::Ring,
            alltoall: Algorithm::Pairwise,
            bcast: Algorithm::Binomial,
            reduce_scatter: Algorithm::Ring,
        }
    }
}

impl Ways {
    /// Reads `algorithms` of a step: names by operation.
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let mut ways = Self::default();
        let Some(section) = step.section("algorithms")? else {
            return Ok(ways);
        };
        section.check_keys(&Operation::ALL.map(Operation::name))?;
        for (name, operation) in Operation::NAMED {
            let known: Vec<_> = operation
                .algorithms()
                .iter()
                .map(|one| (one.name(), *one))
                .collect();
            if let Some(chosen) = section.choice(name, &known)? {
                *ways.place(operation) = chosen;
            }
        }
        Ok(ways)
    }

    /// The algorithm of an operation.
    pub fn of(mut self, operation: Operation) -> Algorithm {
        *self.place(operation)
    }

    fn place(&mut self, operation: Operation) -> &mut Algorithm {
        match operation {
            Operation::Allreduce => &mut self.allreduce,
            Operation::Allgather => &mut self.allgather,
            Operation::Alltoall => &mut self.alltoall,
            Operation::Bcast => &mut self.bcast,
            Operation::ReduceScatter => &mut self.reduce_scatter,
        }
    }
}
